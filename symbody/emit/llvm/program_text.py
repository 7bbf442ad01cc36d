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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..loops.kernel_language import Kernel
from ..loops.program_kernels import FACTORS, clear, factor_kernel, has_pivots, solve_kernel
from ..programs import splitting
from ..programs.fused_products import with_fused_products
from ..programs.program import Instruction, Output, Program, right_side_count
from ..programs.right_sides import ZERO, Layout, leading_zeros, right_side_layout
from .llvm_numbers import SUFFIX, fabs, fma, fma_declaration, real_of, splat, vector_of
from .loop_text import LlvmKernel, simple_kernel
from .sincos import LARGE_SINES, LARGEST, large_sines, leaves_registers, sincos
from .tree_text import TreeText, tree_text

PIECE: Final = 600  # instructions in a piece, about
MIN_ZEROS_TO_CLEAR: Final = 100  # zeros of an output from which on it is cleared by a loop
PIECE_OF_LANES: Final = (
    4800  # of several states at once, whose vectors are slower to store and load where one piece hands them to the next
)
SIDE_BY_SIDE: Final = 4  # vector registers of right sides; every machine has registers for two rows of them
MIN_SIDE_BY_SIDE: Final = 3  # right sides solved side by side; two take as long one after the other

BLOCKS: Final = ("factor", "solve", "tree")

_ARITHMETIC: Final = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISONS: Final = {"lt": "fcmp olt", "le": "fcmp ole", "eq": "fcmp oeq"}
_INTRINSICS: Final = {"sqrt": "llvm.sqrt", "abs": "llvm.fabs"}  # these exist for vectors in hardware


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
    if i.op in ("input", "const", "item", "true"):
        return 0
    if i.op in ("sincos", "sin", "cos"):
        return 40
    if i.op in BLOCKS:
        return sum(_is_put_late(program, i, v) for v in i.args)
    return 1


def _is_put_late(program: Program, block: Instruction, v: int) -> bool:
    """Whether a value is stored into a block just before the kernel runs. Computed values are stored at once; zeros may
    be there from the start."""
    is_there = _starts_as_zeros(program, block) and program.code[v] == ZERO
    return program.code[v].op in ("const", "true", "input", "item") and not is_there


def _starts_as_zeros(program: Program, block: Instruction) -> bool:
    """Blocks of many right sides are zeroed first: they are mostly zeros, and denormal numbers left in padding would be
    slow to compute with."""
    return block.op == "solve" and right_side_count(program.code, block) >= MIN_SIDE_BY_SIDE


def instruction_ranges(program: Program, size: int = PIECE) -> list[range]:
    """Ranges of instructions whose weight is bounded."""
    feeds, outputs = _feeds(program, _layouts(program, 1, 1)), _stored_one_by_one(program)
    stores = (len(feeds.get(k, ())) + len(outputs.get(k, ())) for k in range(len(program.code)))
    return splitting.ranges_by_weight((weight(program, i) + n for i, n in zip(program.code, stores, strict=True)), size)


def _stored_one_by_one(program: Program) -> dict[int, list[tuple[int, int]]]:
    """Places in the outputs of each value; results of a tree are written by its loops, and outputs that are mostly zero
    are cleared."""
    code, cleared = program.code, _mostly_zero_outputs(program)
    return {
        v: [(o, at) for o, at in places if o not in cleared] if _is_zero(code[v]) else places
        for v, places in program.output_places().items()
        if code[v].op != "item" or code[code[v].args[0]].op != "tree"
    }


def _mostly_zero_outputs(program: Program) -> list[int]:
    """Outputs that are mostly zero, as large sparse matrices are: they are cleared by a loop, and the rest is stored
    into them. (A store for each of thousands of zeros takes LLVM longer than everything else.)"""
    zeros = [sum(_is_zero(program.code[v]) for v in o.values) for o in program.outputs]
    return [k for k, o in enumerate(program.outputs) if zeros[k] > max(MIN_ZEROS_TO_CLEAR, len(o.values) // 2)]


def _is_zero(i: Instruction) -> bool:
    return i.op == "const" and repr(i.data) == "0.0"


def _feeds(program: Program, layouts: dict[int, Layout]) -> dict[int, list[tuple[int, int]]]:
    """For each computed value, the blocks and the places in them that it is put into as soon as it is known.

    (Gathering the entries of a large matrix all at once would make one piece as large as the matrix.)
    """
    feeds: dict[int, list[tuple[int, int]]] = {}
    for k, i in enumerate(program.code):
        if i.op in BLOCKS:
            for v, at in block_entries(program, k, layouts):
                if program.code[v].op not in ("const", "true", "input", "item"):
                    feeds.setdefault(v, []).append((k, at))
    return feeds


def _layouts(program: Program, lanes: int, register: int) -> dict[int, Layout]:
    """Of each solve: right sides lie side by side, but where a kernel pivots in one lane of several at a time."""
    widths = [w for w in (1, 2, 4, 8, 16, 32) if w * lanes <= SIDE_BY_SIDE * register]
    out = {}
    for k, i in enumerate(program.code):
        if i.op == "solve":
            shape, count = program.code[i.args[0]].data, right_side_count(program.code, i)
            out[k] = right_side_layout(
                shape.n, count, [1] if lanes > 1 and has_pivots(shape) else widths, MIN_SIDE_BY_SIDE
            )
    return out


def block_entries(program: Program, k: int, layouts: dict[int, Layout]) -> list[tuple[int, int]]:
    """Value and place of each number that a factorisation or a solve starts from."""
    i = program.code[k]
    if i.op == "solve":
        return list(zip(i.args[1:], layouts[k].places(), strict=True))
    if i.op == "tree":
        return [(v, at) for at, v in enumerate(i.args)]
    shape, n = i.data, i.data.n
    entries = [(v, row * n + col) for (row, col), v in zip(shape.places(), i.args, strict=True)]
    if has_pivots(shape) and shape.is_symmetric:  # elimination with pivoting wants both triangles
        entries += [(v, col * n + row) for (row, col), v in zip(shape.places(), i.args, strict=True) if row != col]
    return entries


def tree_group(code: Sequence[Instruction], out: Output) -> int | None:
    """Which result of a tree an output is, whole and in order; None where it is none."""
    items = [code[v] for v in out.values]
    blocks = {i.args[0] for i in items if i.op == "item"}
    if len(blocks) != 1 or any(i.op != "item" for i in items) or code[next(iter(blocks))].op != "tree":
        return None
    shape = code[next(iter(blocks))].data
    wanted = [i.data for i in items]
    return next(g for g in range(len(shape.groups)) if list(shape.items(g)) == wanted)


class _LlvmModule:
    """The text of one program, written piece by piece."""

    def __init__(self, program: Program, lanes: int, register: int, real: str, rounding: str) -> None:
        self.program, self.lanes, self.real, self.rounding = program, lanes, real, rounding
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
        self.layouts = _layouts(program, lanes, register)
        self.feeds = _feeds(program, self.layouts)
        self.outputs = _stored_one_by_one(program)
        self.side_by_side = register if lanes == 1 else 1  # degrees of freedom of a tree
        self.trees: dict[int, TreeText] = {
            k: tree_text(i.data, self.number, self.side_by_side) for k, i in enumerate(program.code) if i.op == "tree"
        }

    def text(self) -> LlvmText:
        name, p = entry_name(self.program), self.program
        ranges = instruction_ranges(p, PIECE if self.lanes == 1 else PIECE_OF_LANES)
        piece_of = [k for k, r in enumerate(ranges) for _ in r]
        last_piece = self._last_pieces(piece_of)
        functions = []
        for k, r in enumerate(ranges):
            functions.append(_LlvmPiece(self, f"{name}.{k}", r, last_piece, k).text())
            for v in [v for v in self.place if last_piece[v] == k]:
                self.memory.give(self.place.pop(v), self.size(v))
        calls = self._clearing()
        calls += "\n".join(f"  call void @{name}.{k}(ptr %in, ptr %out, ptr %work)" for k in range(len(ranges)))
        main = f"define void @{name}(ptr %in, ptr %out, ptr %work) nounwind {{\n{calls}\n  ret void\n}}\n"
        main += ONE_ARGUMENT.replace("NAME", name)
        kernels = "".join(k.text("noinline nounwind") for k in self.kernels.values())
        kernels = kernels.replace("define internal", "define") + "".join(t.definitions for t in self.trees.values())
        # Kernels are told apart by size, so that two programs loaded into one engine would clash: only one is.
        self.declared.update(d for t in self.trees.values() for d in t.declarations)
        declared = sorted(self.declared | {f"declare void @{k.name}({k.types})" for k in self.kernels.values()})
        pieces = "\n".join([*declared, self.large_sines, *functions, main, _UNLIKELY])
        return LlvmText(fabs(self.real) + kernels, pieces, self.memory.size)

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
            read = last[k] if i.op == "item" and code[i.args[0]].op == "solve" else piece_of[k]
            for a in i.args:
                if i.op not in BLOCKS or a not in self.feeds:
                    last[a] = max(last[a], read)
        return last

    def size(self, k: int) -> int:
        """Numbers of scratch memory that a value takes."""
        i = self.program.code[k]
        if i.op == "factor":
            return i.data.n * (i.data.n + has_pivots(i.data))
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


class _LlvmPiece:
    """One function of a module."""

    def __init__(self, module: _LlvmModule, name: str, span: range, last_piece: list[int], piece: int) -> None:
        self.module, self.name, self.span = module, name, span
        self.code = module.program.code
        self.last_piece, self.piece = last_piece, piece
        self.number, self.lanes = module.number, module.lanes
        self.local: dict[int, str] = {}  # values as they are called in this piece
        self.bases: dict[str, str] = {}  # pointers to groups and outputs
        self.head: list[str] = []
        self.lines: list[str] = []
        self.count = 0

    def text(self) -> str:
        for k in self.span:
            self.instruction(k, self.code[k])
        body = "\n".join([*self.head, *self.lines])
        return (
            f"define internal void @{self.name}(ptr noalias %in, ptr noalias %out, ptr noalias %work) noinline nounwind {{\n"
            f"{body}\n  ret void\n}}\n"
        )

    def new(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    # ------------------------------------------------------------------------------------------------ memory

    def base(self, table: str, at: int) -> str:
        """Pointer to an input group or an output, loaded once at the top of the piece."""
        key = f"%{table}.{at}"
        if key not in self.bases:
            self.bases[key] = key
            self.head += [
                f"  {key}.p = getelementptr inbounds ptr, ptr %{table}, i64 {at}",
                f"  {key} = load ptr, ptr {key}.p, align 8",
            ]
        return key

    def load(self, pointer: str, at: int) -> str:
        return self.new(f"load {self.number}, ptr {self.element(pointer, at)}, align 8")

    def store(self, value: str, pointer: str, at: int) -> None:
        self.lines.append(f"  store {self.number} {value}, ptr {self.element(pointer, at)}, align 8")

    def element(self, pointer: str, at: int) -> str:
        return self.new(f"getelementptr inbounds {self.number}, ptr {pointer}, i64 {at}")

    def lane_of(self, pointer: str, at: int, lane: int) -> str:
        """Address of one lane of an element."""
        return self.new(f"getelementptr inbounds {self.module.real}, ptr {pointer}, i64 {at * self.lanes + lane}")

    def value(self, v: int) -> str:
        """A value, brought into this piece where it is not there yet."""
        if v not in self.local:
            i = self.code[v]
            if i.op == "const":
                self.local[v] = splat(i.data, self.number)
            elif i.op == "true":
                self.local[v] = self.truth_constant(i.data)
            elif i.op == "input":
                group, at = i.data
                self.local[v] = self.load(self.base("in", group), at)
            elif i.op == "item" and self.code[i.args[0]].op == "solve":
                solve = i.args[0]
                self.local[v] = self.load("%work", self.module.place[solve] + self.module.layouts[solve].place(i.data))
            else:
                self.local[v] = self.reload(v)
        return self.local[v]

    def reload(self, v: int) -> str:
        number = self.load("%work", self.module.place[v])
        if self.is_condition(v):
            return self.new(f"fcmp one {self.number} {number}, {splat(0.0, self.number)}")
        return number

    def is_condition(self, v: int) -> bool:
        return self.code[v].op in ("lt", "le", "eq", "and", "or", "not", "true")

    def truth_constant(self, value: bool) -> str:
        text = "true" if value else "false"
        return text if self.lanes == 1 else f"<{', '.join([f'i1 {text}'] * self.lanes)}>"

    # ------------------------------------------------------------------------------------------------ instructions

    def instruction(self, k: int, i: Instruction) -> None:
        if i.op in BLOCKS:
            getattr(self, i.op)(k, i)
            return
        if i.op == "sincos":
            pair = self.sincos(self.value(i.args[0]))
            for item in self.module.items[k]:  # even those that stand in a later piece are computed here
                self.local[item] = pair[self.code[item].data]
                self.keep(item)
            return
        if i.op not in ("const", "input", "true", "item"):
            self.local[k] = self.operation(i)
            self.keep(k)
        for o, at in self.module.outputs.get(k, ()):
            self.store(self.value(k), self.base("out", o), at)

    def keep(self, k: int) -> None:
        """Put a value that blocks or later pieces read into scratch memory."""
        for block, at in self.module.feeds.get(k, ()):
            self.store(self.local[k], "%work", self.block_place(block) + at)
        if self.last_piece[k] > self.piece:
            value = self.local[k]
            if self.is_condition(k):
                value = self.new(f"uitofp {self.module.truth} {value} to {self.number}")
            self.module.place[k] = self.module.memory.take()
            self.store(value, "%work", self.module.place[k])

    def operation(self, i: Instruction) -> str:
        t, args = self.number, [self.value(a) for a in i.args]
        if i.op in _ARITHMETIC:
            flags = self.module.flags if i.op != "div" else ""
            return self.new(f"{_ARITHMETIC[i.op]}{flags} {t} {args[0]}, {args[1]}")
        if i.op in ("fma", "fms", "fnma"):
            return self.fused(i.op, *args)
        if i.op == "neg":
            return self.new(f"fneg {t} {args[0]}")
        if i.op in _COMPARISONS:
            return self.new(f"{_COMPARISONS[i.op]} {t} {args[0]}, {args[1]}")
        if i.op in ("and", "or"):
            return self.new(f"{i.op} {self.module.truth} {args[0]}, {args[1]}")
        if i.op == "not":
            return self.new(f"xor {self.module.truth} {args[0]}, {self.truth_constant(True)}")
        if i.op == "where":
            return self.select(*args)
        if i.op in ("min", "max"):
            test = "fcmp ole" if i.op == "min" else "fcmp oge"
            return self.select(self.new(f"{test} {t} {args[0]}, {args[1]}"), args[0], args[1])
        if i.op == "sign":
            return self.sign(args[0])
        if i.op in ("sin", "cos"):
            return self.sincos(args[0])[i.op == "cos"]
        if i.op in _INTRINSICS:
            return self.new(f"call {t} @{self.intrinsic(_INTRINSICS[i.op])}({t} {args[0]})")
        if i.op == "call":
            return self.by_lane(self.external(i), args)
        self.module.declared.add(f"declare double @{i.op}({', '.join(['double'] * len(args))})")
        return self.by_lane(f"@{i.op}", args)

    def fused(self, op: str, a: str, b: str, c: str) -> str:
        self.module.declared.add(fma_declaration(self.number))
        if op == "fms":
            c = self.new(f"fneg {self.number} {c}")
        if op == "fnma":
            a = self.new(f"fneg {self.number} {a}")
        return fma(a, b, c, self.number, self.new)

    def select(self, test: str, yes: str, no: str) -> str:
        return self.new(f"select {self.module.truth} {test}, {self.number} {yes}, {self.number} {no}")

    def sign(self, x: str) -> str:
        zero = splat(0.0, self.number)
        negative = self.new(f"fcmp olt {self.number} {x}, {zero}")
        positive = self.new(f"fcmp ogt {self.number} {x}, {zero}")
        rest = self.select(negative, splat(-1.0, self.number), x)  # zero and what is not a number stay
        return self.select(positive, splat(1.0, self.number), rest)

    def intrinsic(self, name: str, number: str = "") -> str:
        number = number or self.number
        suffix = SUFFIX[real_of(number)]
        full = f"{name}.{suffix}" if self.lanes == 1 else f"{name}.v{self.lanes}{suffix}"
        self.module.declared.add(f"declare {number} @{full}({number})")
        return full

    def external(self, i: Instruction) -> str:
        """The function's address, from the table behind the last input pointer."""
        table = self.base("in", len(self.module.program.inputs))
        at = self.module.program.externals.index(i.data)
        return self.new(f"load ptr, ptr {self.new(f'getelementptr inbounds ptr, ptr {table}, i64 {at}')}, align 8")

    def by_lane(self, function: str, args: list[str]) -> str:
        """Call a scalar function of doubles, once for each lane."""
        args = self.in_double(args)
        if self.lanes == 1:
            return self.from_double([self.new(f"call double {function}({', '.join(f'double {a}' for a in args)})")])[0]
        number, out = vector_of("double", self.lanes), "poison"
        for lane in range(self.lanes):
            single = [self.new(f"extractelement {number} {a}, i32 {lane}") for a in args]
            y = self.new(f"call double {function}({', '.join(f'double {a}' for a in single)})")
            out = self.new(f"insertelement {number} {out}, double {y}, i32 {lane}")
        return self.from_double([out])[0]

    def in_double(self, values: list[str]) -> list[str]:
        if self.module.real == "double":
            return values
        return [self.new(f"fpext {self.number} {v} to {vector_of('double', self.lanes)}") for v in values]

    def from_double(self, values: list[str]) -> list[str]:
        if self.module.real == "double":
            return values
        return [self.new(f"fptrunc {vector_of('double', self.lanes)} {v} to {self.number}") for v in values]

    def sincos(self, x: str) -> tuple[str, str]:
        """Inline and in double precision; a function looks after lanes with very large angles."""
        number, (x,) = vector_of("double", self.lanes), self.in_double([x])
        size = self.new(f"call {number} @{self.intrinsic('llvm.fabs', number)}({number} {x})")
        large = self.new(f"fcmp ogt {number} {size}, {splat(LARGEST, number)}")
        if self.lanes > 1:
            bits = self.new(f"bitcast {self.module.truth} {large} to i{self.lanes}")
            large = self.new(f"icmp ne i{self.lanes} {bits}, 0")
        if self.module.rounding == "fused":
            self.module.declared.add(fma_declaration(number))
        self.count += 1
        fast, slow, done = (f"{w}{self.count}" for w in ("fast", "slow", "done"))
        self.lines += [f"  br label %{fast}", f"{fast}:"]
        near = sincos(x, number, self.new, self.module.rounding)
        self.lines += [f"  br i1 {large}, label %{slow}, label %{done}, !prof !0", f"{slow}:"]
        far = self.large_sines(x, *near, number)
        self.lines += [f"  br label %{done}", f"{done}:"]
        join = f"phi {number} [ {{}}, %{fast} ], [ {{}}, %{slow} ]"
        s, c = (self.new(join.format(*pair)) for pair in zip(near, far, strict=True))
        s, c = self.from_double([s, c])
        return s, c

    def large_sines(self, x: str, s: str, c: str, number: str) -> tuple[str, str]:
        """Sines and cosines with those of large angles in place of others."""
        self.module.large_sines = large_sines(number)
        places = [f"%large.{v}" for v in "xsc"]
        if self.head.count(space := f"  {places[0]} = alloca {number}, align 64") == 0:
            self.head += [space, *(f"  {p} = alloca {number}, align 64" for p in places[1:])]
        self.lines += [f"  store {number} {v}, ptr {p}, align 64" for v, p in zip((x, s, c), places, strict=True)]
        arguments = ", ".join(f"ptr {p}" for p in places)
        s = self.new(f"call {number} @{LARGE_SINES}({arguments}) {leaves_registers(number)}")
        return s, self.new(f"load {number}, ptr {places[2]}, align 64")

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, k: int, i: Instruction) -> None:
        shape, n = i.data, i.data.n
        place = self.filled(k, i)
        name = self.module.kernel(factor_kernel(shape), n, has_pivots(shape))
        self.run_kernel(name, has_pivots(shape), [place, place + n * n][: 1 + has_pivots(shape)])

    def solve(self, k: int, i: Instruction) -> None:
        shape = self.code[i.args[0]].data
        n, factors = shape.n, self.module.place[i.args[0]]
        place = self.filled(k, i)
        for lot in self.module.layouts[k].lots:
            arguments = [factors, factors + n * n, place + lot.at] if has_pivots(shape) else [factors, place + lot.at]
            function = solve_kernel(shape, i.data, lot.width > 1)
            name = self.module.kernel(function, n, has_pivots(shape), lot.width)
            skipped = [] if has_pivots(shape) or lot.width == 1 else [leading_zeros(self.code, i, lot.sides)]
            self.run_kernel(name, has_pivots(shape), arguments, skipped)

    def tree(self, k: int, i: Instruction) -> None:
        text, place = self.module.trees[k], self.filled(k, i)
        starts, _ = i.data.places(self.module.side_by_side)
        arrays = [f"ptr {self.element('%work', place + starts[name])}" for name in text.arrays]
        self.lines.append(f"  call void @{text.main}({', '.join(arrays)})")
        columns = self.element("%work", place + starts["columnwise"])
        for o, out in enumerate(self.module.program.outputs):
            group = tree_group(self.code, out)
            if group is not None:
                self.lines.append(f"  call void @{text.results[group]}(ptr {columns}, ptr {self.base('out', o)})")

    def filled(self, k: int, i: Instruction) -> int:
        """The place of a block, with those entries put in that were not when they were computed."""
        place = self.block_place(k)
        for v, at in block_entries(self.module.program, k, self.module.layouts):
            if _is_put_late(self.module.program, i, v):
                self.store(self.value(v), "%work", place + at)
        return place

    def block_place(self, k: int) -> int:
        """Where a block lives; it is given its place when its first entry is computed."""
        module = self.module
        if k not in module.place:
            module.place[k] = module.memory.take(module.size(k))
            if _starts_as_zeros(module.program, self.code[k]):
                name = module.kernel(clear, module.size(k), False)
                self.run_kernel(name, False, [module.place[k]])
        return module.place[k]

    def run_kernel(self, name: str, by_lane: bool, places: list[int], indices: list[int] | None = None) -> None:
        for lane in range(self.lanes if by_lane else 1):
            pointers = [f"ptr {self.lane_of('%work', p, lane)}" for p in places]
            arguments = [f"i64 {k}" for k in indices or []] + pointers
            self.lines.append(f"  call void @{name}({', '.join(arguments)})")


def llvm_text(
    program: Program, lanes: int = 1, register: int = 4, real: str = "double", rounding: str = "free"
) -> LlvmText:
    """The module of a program, for one state or for `lanes` states side by side; a vector register holds `register`
    numbers. Sines, and functions of the library and of others, are in double precision in any case. `rounding` as in
    `LlvmKernel`."""
    made = with_fused_products(program) if rounding == "fused" else program
    return _LlvmModule(made, lanes, register, real, rounding).text()
