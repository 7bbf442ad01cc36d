"""A card without a card: the driver's functions on this computer's memory, and kernels compiled for this computer, run
thread by thread; those whose threads wait for each other, in as many threads of Python.

The LLVM text is the one that PTX is made of; what only cards have (numbers of threads, the estimate of a reciprocal) is
put in.
"""

import ctypes
import re
import threading
from typing import Any

import pytest

from symbody.emit.cache import disk_cache
from symbody.emit.llvm import jit
from symbody.emit.run import cuda_driver

_TYPES: dict[str, Any] = {
    "i64": ctypes.c_int64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "ptr": ctypes.c_void_p,
}
_REGISTERS = ("tid", "ctaid", "nctaid")
_SUPPLIED = """define float @estimate.f(float %x) {
  %y = fdiv float 1.0, %x
  %b = bitcast float %y to i32
  %c = and i32 %b, -16
  %z = bitcast i32 %c to float
  ret float %z
}
define double @estimate.d(double %x) {
  %y = fdiv double 1.0, %x
  %b = bitcast double %y to i64
  %c = and i64 %b, -4294967296
  %z = bitcast i64 %c to double
  ret double %z
}
@where = global [3 x i32] zeroinitializer
define ptr @place() {
  ret ptr @where
}
@calls = global [2 x ptr] zeroinitializer
define ptr @called() {
  ret ptr @calls
}
define void @barrier0() {
  %f = load ptr, ptr @calls
  call void %f()
  ret void
}
define i32 @number.of.thread() {
  %p = getelementptr ptr, ptr @calls, i32 1
  %f = load ptr, ptr %p
  %n = call i32 %f()
  ret i32 %n
}
""" + "".join(
    f"define i32 @register.{name}() {{\n  %p = getelementptr i32, ptr @where, i32 {k}\n  %v = load i32, ptr %p\n  ret i32 %v\n}}\n"
    for k, name in enumerate(_REGISTERS)
)  # fmt: skip
_WAIT = ctypes.CFUNCTYPE(None)
_NUMBER = ctypes.CFUNCTYPE(ctypes.c_int32)


def for_this_computer(text: str) -> str:
    """The text of a module for a card, as one for this computer."""
    text = re.sub(r"^target triple.*$|^declare .*llvm\.nvvm.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"addrspace\(3\) global", "global", re.sub(r"ptr addrspace\([13]\)", "ptr", text))
    text = text.replace("define ptx_kernel", "define")
    if "barrier0" in text:
        text = text.replace("llvm.nvvm.read.ptx.sreg.tid.x", "number.of.thread").replace(
            "llvm.nvvm.barrier0", "barrier0"
        )
    text = re.sub(r"addrspacecast ptr (\S+) to ptr", r"getelementptr i8, ptr \1, i64 0", text)
    text = re.sub(r"llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x", r"register.\1", text)
    return _SUPPLIED + text.replace("llvm.nvvm.rcp.approx.ftz", "estimate")


class _HostKernel:
    def __init__(self, text: str, name: str) -> None:
        declared = re.search(rf"define ptx_kernel void @{name}\((.*?)\) #0", text)
        assert declared, text[:500]
        self.types = [_TYPES[p.split()[0]] for p in declared[1].split(", ")]
        self.code = jit.Loaded(jit.machine_code(for_this_computer(text), "", is_quick=True, is_plain=True))
        self.run = ctypes.CFUNCTYPE(None, *self.types)(self.code.address(name))
        self.where = (ctypes.c_int32 * 3).from_address(self._place("place"))
        self.waits = "barrier0" in text

    def _place(self, function: str) -> int:
        return ctypes.CFUNCTYPE(ctypes.c_void_p)(self.code.address(function))()

    def launch(self, blocks: int, threads: int, table: Any) -> None:
        values = [t.from_address(p).value for t, p in zip(self.types, table, strict=True)]
        for block in range(blocks):
            if self.waits:
                self.where[:] = [-1, block, blocks]
                self._together(threads, values)
                continue
            for thread in range(min(threads, values[0] - block * threads)):  # threads beyond the members do nothing
                self.where[:] = [thread, block, blocks]
                self.run(*values)

    def _together(self, threads: int, values: list[Any]) -> None:
        """Threads that wait for each other."""
        barrier, own = threading.Barrier(threads, timeout=60), threading.local()
        wait, number = _WAIT(lambda: barrier.wait() and None), _NUMBER(lambda: own.number)
        calls = (ctypes.c_void_p * 2).from_address(self._place("called"))
        calls[:] = [ctypes.cast(f, ctypes.c_void_p).value for f in (wait, number)]

        def one(k: int) -> None:
            own.number = k
            self.run(*values)

        running = [threading.Thread(target=one, args=(k,)) for k in range(threads)]
        for x in running:
            x.start()
        for x in running:
            x.join()


class EmulatedLibrary:
    """Those functions of libcuda that are used. Every other attribute is a function that does nothing and succeeds."""

    def __init__(self, processors: int = 2) -> None:
        self.processors = processors
        self.memory: dict[int, Any] = {}
        self.handles: list[Any] = []
        self.launches: list[tuple[int, int]] = []  # blocks and stream

    def __getattr__(self, name: str) -> Any:
        return lambda *_: 0

    def _kept(self, thing: Any) -> int:
        self.handles.append(thing)
        return len(self.handles)

    def cuDeviceGetAttribute(self, out: Any, which: int, _: Any) -> int:  # noqa: N802
        out._obj.value = self.processors if which == cuda_driver.PROCESSORS else 9
        return 0

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(self, out: Any, *_: Any) -> int:  # noqa: N802
        out._obj.value = 1
        return 0

    def cuMemAllocAsync(self, out: Any, size: Any, _: Any) -> int:  # noqa: N802
        block = ctypes.create_string_buffer(size.value + 64)
        ctypes.memset(block, 255, size.value)  # no number: what is not written shows
        self.memory[ctypes.addressof(block)] = block
        out._obj.value = ctypes.addressof(block)
        return 0

    def cuMemFreeAsync(self, place: Any, _: Any) -> int:  # noqa: N802
        del self.memory[place.value]
        return 0

    def cuMemcpyHtoD_v2(self, to: Any, source: Any, size: Any) -> int:  # noqa: N802
        ctypes.memmove(to.value, source.value, size.value)
        return 0

    def cuMemcpyDtoHAsync_v2(self, to: Any, source: Any, size: Any, _: Any) -> int:  # noqa: N802
        ctypes.memmove(to.value, source.value, size.value)
        return 0

    def cuLinkAddData_v2(self, _: Any, kind: int, text: bytes, *rest: Any) -> int:  # noqa: N802
        self.text = ctypes.create_string_buffer(text)
        return 0

    def cuLinkComplete(self, _: Any, code: Any, size: Any) -> int:  # noqa: N802
        code._obj.value, size._obj.value = ctypes.addressof(self.text), len(self.text.value)
        return 0

    def cuModuleLoadData(self, out: Any, code: bytes) -> int:  # noqa: N802
        out._obj.value = self._kept(code.decode())
        return 0

    def cuModuleGetFunction(self, out: Any, module: Any, name: bytes) -> int:  # noqa: N802
        out._obj.value = self._kept(_HostKernel(self.handles[module.value - 1], name.decode()))
        return 0

    def cuLaunchKernel(self, function: Any, blocks: int, *rest: Any) -> int:  # noqa: N802
        threads, stream, table = rest[2], rest[6], rest[7]
        self.launches.append((blocks, stream.value))
        self.handles[function.value - 1].launch(blocks, threads, list(table))
        return 0

    def cuGetErrorString(self, code: int, out: Any) -> int:  # noqa: N802
        out._obj.value = b"something the card does not like"
        return 0


def emulate(patch: pytest.MonkeyPatch) -> EmulatedLibrary:
    """Let the package work on an emulated card, without the cache on disk."""
    library = EmulatedLibrary()
    patch.setattr(jit, "ptx", lambda text: text)
    patch.setattr(disk_cache, "load", lambda key: None)
    patch.setattr(disk_cache, "save", lambda key, content: None)
    patch.setattr(cuda_driver, "open_library", lambda: library)
    forget()
    return library


def forget() -> None:
    """The driver and the cards that were found."""
    cuda_driver.cuda.cache_clear()
    cuda_driver.card.cache_clear()
