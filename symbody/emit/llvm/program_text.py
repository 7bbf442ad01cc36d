"""Program -> LLVM text, in pieces.

The entry is `void program.name(const double *const *in, double *const *out, double *work)`: pointers to each input
group (and, last, to the addresses of the external functions), to each output, and to scratch memory. Its instructions
are cut into pieces of bounded size, each a function of its own, so that the time to compile stays in proportion to the
length of the program. Values that a later piece needs pass through `work`, whose places are used again once a value is
no longer needed.

With `lanes` > 1 every number is a vector that holds one state in each lane; input, output and scratch arrays are then
interleaved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..loops.kernel_language import Kernel
from ..loops.program_kernels import FACTORS, clear, has_pivots
from ..loops.table_kernels import copy_numbers
from ..lowering.block_places import BLOCKS, block_feeds, is_put_late, right_side_layouts
from ..lowering.fused_products import with_fused_products
from ..programs import splitting
from ..programs.copied_runs import CopiedRuns, copied_runs
from ..programs.program import Instruction, Program
from ..programs.sweep_shape import SweepShape
from .llvm_numbers import fabs, vector_of
from .loop_text import LlvmKernel, simple_kernel
from .piece_text import LlvmPiece
from .sweep_text import SweepText, sweep_text
from .tree_text import TreeText, tree_text

PIECE: Final = 600  # instructions in a piece, about
MIN_ZEROS_TO_CLEAR: Final = 100  # zeros of an output from which on it is cleared by a loop
PIECE_OF_LANES: Final = (
    4800  # of several states at once, whose vectors are slower to store and load where one piece hands them to the next
)


@dataclass(frozen=True)
class LlvmText:
    """Text of a module, kernels apart (they alone gain from optimisation), and the scratch memory it needs."""

    kernels: str
    pieces: str
    work: int  # numbers of scratch memory, in units of lanes


def entry_name(program: Program) -> str:
    """Name of a program's machine code; distinct from every function of the C library."""
    return f"program.{program.name}"


def weight(program: Program, i: Instruction) -> int:
    """Size of an instruction in machine code, roughly."""
    if i.op in ("sincos", "sin", "cos"):
        return 40
    if i.op in BLOCKS:
        return sum(is_put_late(program, i, v) for v in i.args)
    return 1


WEIGHTLESS: Final = ("input", "const", "item", "true", "sweeps")  # arguments of loops are mostly copied in runs
Places = dict[int, list[tuple[int, int]]]  # by value: outputs, or blocks, and places in them


def instruction_ranges(module: LlvmModule, size: int = PIECE) -> list[range]:
    """Ranges of instructions whose weight is bounded."""
    program = module.program
    weights = [0 if i.op in WEIGHTLESS else weight(program, i) for i in program.code]
    for stores in (module.feeds, module.outputs):
        for k, places in stores.items():
            weights[k] += len(places)
    return splitting.ranges_by_weight(weights, size)


def _stored_one_by_one(program: Program, runs: CopiedRuns) -> Places:
    """Places in the outputs of each value that is not copied in a run; results of a tree are written by its loops, and
    outputs that are mostly zero are cleared."""
    code, cleared, out = program.code, _mostly_zero_outputs(program), Places()
    for o, output in enumerate(program.outputs):
        for at in runs.places_left(o, len(output.values)):
            v = output.values[at]
            is_of_tree = code[v].op == "item" and code[code[v].args[0]].op == "tree"
            if not (is_of_tree or (o in cleared and _is_zero(code[v]))):
                out.setdefault(v, []).append((o, at))
    return out


def _mostly_zero_outputs(program: Program) -> list[int]:
    """Outputs that are mostly zero, as large sparse matrices are: they are cleared by a loop, and the rest is stored
    into them. (A store for each of thousands of zeros takes LLVM longer than everything else.)"""
    zeros = [sum(_is_zero(program.code[v]) for v in o.values) for o in program.outputs]
    return [k for k, o in enumerate(program.outputs) if zeros[k] > max(MIN_ZEROS_TO_CLEAR, len(o.values) // 2)]


def _is_zero(i: Instruction) -> bool:
    return i.op == "const" and repr(i.data) == "0.0"


class LlvmModule:
    """The text of one program, written piece by piece."""

    def __init__(self, program: Program, lanes: int, register: int, real: str, rounding: str) -> None:
        self.program, self.lanes, self.real, self.rounding = program, lanes, real, rounding
        self.register = register
        self.flags = " contract" if rounding == "free" else ""
        self.number = vector_of(real, lanes)
        self.truth = "i1" if lanes == 1 else f"<{lanes} x i1>"
        self.memory = splitting.ScratchMemory()
        self.place: dict[int, int] = {}  # of values and blocks that live in scratch memory
        self.kernels: dict[str, LlvmKernel] = {}
        self.declared: set[str] = set()
        self.large_sines = ""  # the function for large angles, where there are angles
        self.items: dict[int, list[int]] = {}  # of each pair of sine and cosine
        for k, i in enumerate(program.code):
            if i.op == "item" and program.code[i.args[0]].op == "sincos":
                self.items.setdefault(i.args[0], []).append(k)
        self.layouts = right_side_layouts(program, lanes, register)
        self.feeds = block_feeds(program, self.layouts)
        self.runs = copied_runs(program)
        self.outputs = _stored_one_by_one(program, self.runs)
        self.side_by_side = register if lanes == 1 else 1  # degrees of freedom of a tree
        self.trees: dict[int, TreeText] = {
            k: tree_text(i.data, self.number, self.side_by_side) for k, i in enumerate(program.code) if i.op == "tree"
        }

        self.sweeps: dict[int, SweepText] = {
            k: sweep_text(i.data, f"{entry_name(program)}.sweeps.{k}", self)
            for k, i in enumerate(program.code)
            if i.op == "sweeps"
        }
        for made in self.sweeps.values():
            self.declared |= made.declared
            self.large_sines = self.large_sines or made.large_sines

    def alike(self, program: Program) -> LlvmModule:
        """A module for another program, with the same numbers and rounding."""
        return LlvmModule(program, self.lanes, self.register, self.real, self.rounding)

    def text(self) -> LlvmText:
        name = entry_name(self.program)
        ranges = instruction_ranges(self, PIECE if self.lanes == 1 else PIECE_OF_LANES)
        piece_of = [k for k, r in enumerate(ranges) for _ in r]
        last_piece = self._last_pieces(piece_of)
        functions = []
        for k, r in enumerate(ranges):
            functions.append(LlvmPiece(self, f"{name}.{k}", r, last_piece, k).text())
            for v in [v for v in self.place if last_piece[v] == k]:
                self.memory.give(self.place.pop(v), self.size(v))
        calls = self._clearing() + self._copying()
        calls += "\n".join(f"  call void @{name}.{k}(ptr %in, ptr %out, ptr %work)" for k in range(len(ranges)))
        main = f"define void @{name}(ptr %in, ptr %out, ptr %work) nounwind {{\n{calls}\n  ret void\n}}\n"
        main += ONE_ARGUMENT.replace("NAME", name)
        kernels = "".join(k.text("noinline nounwind") for k in self.kernels.values())
        kernels = kernels.replace("define internal", "define") + "".join(t.definitions for t in self.trees.values())
        # Kernels are distinguished by size, so that two programs loaded into one engine would clash: only one is.
        self.declared.update(d for t in self.trees.values() for d in t.declarations)
        declared = sorted(self.declared | {f"declare void @{k.name}({k.types})" for k in self.kernels.values()})
        loops = [t.definitions for t in self.sweeps.values()]
        pieces = "\n".join([*declared, self.large_sines, *loops, *functions, main, _UNLIKELY])
        return LlvmText(fabs(self.real) + kernels, pieces, self.memory.size)

    def _copying(self) -> str:
        """Calls that copy inputs into outputs, where many stand one after the other."""
        out = ""
        for o, at, count, (group, first) in self.runs.inputs:
            out += "".join(
                f"  %{x}.p = getelementptr inbounds ptr, ptr %{table}, i64 {g}\n  %{x}.b = load ptr, ptr %{x}.p, align 8\n"
                f"  %{x} = getelementptr inbounds {self.number}, ptr %{x}.b, i64 {place}\n"
                for x, table, g, place in ((f"from.{o}.{at}", "in", group, first), (f"to.{o}.{at}", "out", o, at))
            )
            out += f"  call void @{self.kernel(copy_numbers, count, False)}(ptr %from.{o}.{at}, ptr %to.{o}.{at})\n"
        return out

    def _clearing(self) -> str:
        """Calls that put zeros into the outputs which are mostly zero."""
        out = ""
        for o in _mostly_zero_outputs(self.program):
            kernel = self.kernel(clear, len(self.program.outputs[o].values), False)
            out += (
                f"  %zero.{o}.p = getelementptr inbounds ptr, ptr %out, i64 {o}\n  %zero.{o} = load ptr, ptr %zero.{o}.p, align 8\n"
                f"  call void @{kernel}(ptr %zero.{o})\n"
            )
        return out

    def _last_pieces(self, piece_of: list[int]) -> list[int]:
        """The piece in which each value is read last; a factor lives as long as its solves, a solve as long as its
        items."""
        code, last = self.program.code, list(piece_of)
        for k in range(len(code) - 1, -1, -1):
            i = code[k]
            if not i.args:
                continue
            read = last[k] if i.op == "item" and code[i.args[0]].op in ("solve", "sweeps") else piece_of[k]
            for a in i.args:
                if i.op not in BLOCKS or a not in self.feeds:
                    last[a] = max(last[a], read)
        return last

    def size(self, k: int) -> int:
        """Numbers of scratch memory that a value takes."""
        i = self.program.code[k]
        if i.op == "factor":
            return i.data.n * (i.data.n + has_pivots(i.data))
        if i.op == "sweeps":
            return int(i.data.memory)
        if i.op == "tree":
            return i.data.places(self.side_by_side)[1]
        return self.layouts[k].size if i.op == "solve" else 1

    def kernel(self, function: Kernel, n: int, one_lane_at_a_time: bool, width: int = 1) -> str:
        """Name of a kernel for a size."""
        name = f"{function.__name__}_{n}" + (f"_{width}" if width > 1 else "")
        if name not in self.kernels:
            form = simple_kernel(function, {"n": n})
            if width > 1:
                number, shared = vector_of(self.real, width * self.lanes), {FACTORS: self.number}
                self.kernels[name] = LlvmKernel(form, name, number=number, shared=shared)
            elif one_lane_at_a_time:
                self.kernels[name] = LlvmKernel(form, name, number=self.real, stride=self.lanes)
            else:
                self.kernels[name] = LlvmKernel(form, name, number=self.number)
        return name


# The same entry with its three pointers in a table: one argument is cheaper to pass from Python.
ONE_ARGUMENT: Final = """define void @NAME.call(ptr %table) nounwind {
  %in = load ptr, ptr %table, align 8
  %out.p = getelementptr inbounds ptr, ptr %table, i64 1
  %out = load ptr, ptr %out.p, align 8
  %work.p = getelementptr inbounds ptr, ptr %table, i64 2
  %work = load ptr, ptr %work.p, align 8
  call void @NAME(ptr %in, ptr %out, ptr %work)
  ret void
}
"""
_UNLIKELY: Final = '!0 = !{!"branch_weights", i32 1, i32 100000}\n'


def llvm_text(
    program: Program, lanes: int = 1, register: int = 4, real: str = "double", rounding: str = "free"
) -> LlvmText:
    """The module of a program, for one state or for `lanes` states side by side; a vector register holds `register`
    numbers. Sines, and functions of the library and of others, are in double precision in any case. `rounding` as in
    `LlvmKernel`."""
    made = with_fused_products(program) if rounding == "fused" else program
    return LlvmModule(made, lanes, register, real, rounding).text()


def schedule_module(shape: SweepShape, name: str, register: int, rounding: str) -> LlvmText:
    """The module of a schedule alone, whose memory is the only output."""
    module = LlvmModule(Program("schedule", (), (), ()), 1, register, "double", rounding)
    made = sweep_text(shape, f"{name}.sweeps", module)
    main = (
        f"define void @{name}(ptr %in, ptr %out, ptr %work) nounwind {{\n  %w = load ptr, ptr %out, align 8\n"
        f"  call void @{made.main}(ptr %w)\n  ret void\n}}\n"
    )
    return LlvmText(
        fabs("double"), "\n".join([*sorted(made.declared), made.large_sines, made.definitions, main, _UNLIKELY]), 0
    )
