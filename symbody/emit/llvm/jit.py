"""LLVM text -> machine code in this process. The only file that knows llvmlite."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import re
import threading
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from ...errors import CompileError
from ...interruption import interruptible
from ...progress import begin_stage

try:
    import llvmlite
    import llvmlite.binding as llvm
    from llvmlite.binding import ffi
except ImportError:
    raise CompileError(
        "machine code: needs the package 'llvmlite', which is not installed: pip install llvmlite. Where it cannot be "
        "installed, as in a browser, derive, readable, certify, sb.kits.teaching and numpy_source work without it"
    ) from None

LONG_TEXT: Final = 100_000  # characters from which compiling may take a second
LEVEL: Final = 2  # of code generation; measured in docs/why: 1 compiles no faster, 3 runs no faster
QUICK_LEVEL: Final = 0  # a third of the time to compile, half the speed, the same numbers (docs/why/0031)
KEPT_KERNELS: Final = 256  # optimised kernels kept in memory, some kilobytes each
_lock = threading.Lock()  # llvmlite's engines share one table of symbols


@cache
def _native_target() -> llvm.Target:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.set_option(
        "symbody", "-fast-isel=false"
    )  # which would not contract a b + c, as level 2 does: other last digits
    for name in ("m", "c"):  # the mathematical functions that generated code calls
        _load_library(name)
    return llvm.Target.from_default_triple()


def _load_library(name: str) -> None:
    """By its usual name on Linux: to ask the system for it starts another process."""
    try:
        llvm.load_library_permanently(f"lib{name}.so.6")
    except RuntimeError:
        if found := ctypes.util.find_library(name):
            llvm.load_library_permanently(found)


def _new_machine(level: int = LEVEL) -> llvm.TargetMachine:
    """A description of this computer. Each engine takes one and destroys it in the end."""
    return _native_target().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=level, reloc="default", codemodel="jitdefault", jit=True
    )


@cache
def _machine(level: int = LEVEL) -> llvm.TargetMachine:
    return _new_machine(level)


@cache
def _features() -> str:
    try:
        return llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        return ""


@cache
def rounding() -> str:
    """How sums of products are written where LLVM may not choose: in one operation, on machines that have it."""
    return "fused" if "+fma" in _features().split(",") or platform.machine() in ("aarch64", "arm64") else "separate"


@cache
def lanes(real: str = "double") -> int:
    """How many states fit side by side into a register of this machine."""
    features = _features()
    return (8 if "+avx512f" in features else 4 if "+avx2" in features else 2) * (2 if real == "float" else 1)


@cache
def identity() -> str:
    """Everything that decides the machine code beside the text."""
    return "|".join(
        [
            llvmlite.__version__,
            str(llvm.llvm_version_info),
            platform.machine(),
            llvm.get_host_cpu_name(),
            _features(),
            str(LEVEL),
        ]
    )


def _parsed_module(text: str) -> llvm.ModuleRef:
    machine = _machine()
    try:
        module = llvm.parse_assembly(text)
    except RuntimeError as reason:
        raise CompileError(f"LLVM does not accept the generated text: {reason}") from None
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    return module


def machine_code(
    kernels: str, pieces: str, is_quick: bool = False, is_plain: bool = False, packing: Sequence[str] = ()
) -> bytes:
    """An object file. Kernels are loops and get LLVM's optimisation; pieces are straight lines and need none.

    is_quick   to compile rather than to run: instructions are the same, registers and their order are not looked after
    is_plain   kernels get the four passes that matter most only, a sixth of the time of all: for those whose rounding
               the text fixes
    packing    more kernels, which call no others
    """
    begin_stage(f"machine code of {(len(kernels) + len(pieces)) / 1e3:z.3g} kB of text")
    if len(kernels) + len(pieces) > LONG_TEXT:
        return interruptible(lambda: _machine_code(kernels, pieces, is_quick, is_plain, packing))
    return _machine_code(kernels, pieces, is_quick, is_plain, packing)


def _machine_code(kernels: str, pieces: str, is_quick: bool, is_plain: bool, packing: Sequence[str]) -> bytes:
    with _lock:
        if pieces:
            module = _parsed_module(pieces)
            for text in (kernels, *packing):
                module.link_in(llvm.parse_bitcode(_bitcode_of_kernels(text)))
        else:
            module = _optimised_module(kernels, is_plain)
        return bytes(_machine(QUICK_LEVEL if is_quick else LEVEL).emit_object(module))


@lru_cache(maxsize=KEPT_KERNELS)
def _bitcode_of_kernels(text: str) -> bytes:
    """Optimised kernels that programs have in common: packing of rows, elimination."""
    return bytes(_optimised_module(text, is_plain=False).as_bitcode())


def _optimised_module(text: str, is_plain: bool) -> llvm.ModuleRef:
    loops = _parsed_module(text)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = True
    _run_passes(loops, llvm.create_pass_builder(_machine(), options), is_plain)
    return loops


def _run_passes(module: llvm.ModuleRef, builder: llvm.PassBuilder, is_plain: bool = False) -> None:
    """Run the pipeline and free it: llvmlite keeps the 55 kB of each, because its pass managers inherit a dispose that
    does nothing first."""
    manager = _few_passes() if is_plain else builder.getModulePassManager()
    try:
        manager.run(module, builder)
    finally:
        ffi.lib.LLVMPY_DisposeNewModulePassManger(manager)
        manager.detach()


def _few_passes() -> llvm.ModulePassManager:
    """Kernels that are called once go into their callers, variables into registers."""
    manager = llvm.create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()
    manager.add_simplify_cfg_pass()
    return manager


# ---------------------------------------------------------------------------------------------------------- for GPUs

GPU: Final = (
    "nvptx64-nvidia-cuda",
    "sm_75",
    "+ptx64",
)  # the oldest cards that drivers still serve; newer ones take the same text
GPU_LEVEL: Final = 3


@cache
def _gpu() -> llvm.TargetMachine:
    triple, card, features = GPU
    target = _foreign(triple, "code for NVIDIA GPUs (target nvptx64)")
    return target.create_target_machine(cpu=card, features=features, opt=GPU_LEVEL)


def _foreign(triple: str, what: str) -> llvm.Target:
    """What is not this computer; not every build of LLVM writes for it."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        return llvm.Target.from_triple(triple)
    except RuntimeError:
        raise CompileError(f"this build of llvmlite cannot write {what}") from None


def gpu_identity() -> str:
    """Everything that decides the text for a GPU beside what is given."""
    return "|".join([llvmlite.__version__, str(llvm.llvm_version_info), *GPU, str(GPU_LEVEL)])


def ptx(text: str) -> str:
    """PTX, which the driver of a card makes machine code of."""
    with _lock:
        machine = _gpu()
        try:
            module = llvm.parse_assembly(text)
            module.verify()
        except RuntimeError as reason:
            raise CompileError(f"LLVM does not accept the generated text: {reason}") from None
        module.data_layout = str(machine.target_data)
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        options.loop_unrolling = True
        _run_passes(module, llvm.create_pass_builder(machine, options))
        return str(machine.emit_assembly(module))


# --------------------------------------------------------------------------------------------------------- for browsers

WEB: Final = "wasm32-unknown-unknown"
WEB_FEATURES: Final = "+bulk-memory"


@cache
def _web() -> llvm.TargetMachine:
    target = _foreign(WEB, "WebAssembly (target wasm32)")
    return target.create_target_machine(cpu="generic", features=WEB_FEATURES, opt=LEVEL, reloc="static")


def wasm_code(kernels: str, pieces: str, offered: Collection[str]) -> bytes:
    """An object file of WebAssembly, to be linked with others: of its own names, only those offered can be seen."""
    with _lock:
        machine = _web()
        try:
            loops, module = (llvm.parse_assembly(_with_short_pointers(text)) for text in (kernels, pieces))
        except RuntimeError as reason:
            raise CompileError(f"LLVM does not accept the generated text: {reason}") from None
        for part in (loops, module):
            part.triple, part.data_layout = WEB, str(machine.target_data)
        _run_passes(loops, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2)))
        module.link_in(loops)
        for function in module.functions:
            if not function.is_declaration and function.name not in offered:
                function.linkage = "internal"
        return bytes(machine.emit_object(module))


def _with_short_pointers(text: str) -> str:
    """Pointers have four bytes there."""
    return re.sub(r"(load ptr, ptr [^,\n]+), align 8", r"\1, align 4", text)


class Loaded:
    """Machine code in memory; it stays as long as this object does. `size` is that of its object file, in bytes."""

    def __init__(self, code: bytes) -> None:
        self.size = len(code)
        with _lock:
            empty = _parsed_module("")
            self._engine: Any = llvm.create_mcjit_compiler(empty, _new_machine())
            self._engine.remove_module(empty)  # which it would compile, in as much time as all the rest takes
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        found = int(self._engine.get_function_address(name))
        if not found:
            raise CompileError(f"function {name!r} is not in the machine code")
        return found
