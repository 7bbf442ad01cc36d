"""One piece of a program as LLVM text: a function of bounded size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ..loops.program_kernels import clear, factor_kernel, has_pivots, solve_kernel
from ..loops.table_kernels import copy_numbers
from ..lowering.block_places import BLOCKS, block_entries, is_put_late, starts_as_zeros, tree_group
from ..lowering.right_sides import leading_zeros
from ..programs.program import Instruction
from .llvm_numbers import SUFFIX, fma, fma_declaration, real_of, splat, vector_of
from .sincos import LARGE_SINES, LARGEST, large_sines, leaves_registers, sincos

if TYPE_CHECKING:
    from .program_text import LlvmModule

_ARITHMETIC: Final = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISONS: Final = {"lt": "fcmp olt", "le": "fcmp ole", "eq": "fcmp oeq"}
_INTRINSICS: Final = {"sqrt": "llvm.sqrt", "abs": "llvm.fabs"}  # these exist for vectors in hardware


class LlvmPiece:
    """One function of a module."""

    def __init__(self, module: LlvmModule, name: str, span: range, last_piece: list[int], piece: int) -> None:
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
            elif i.op == "item" and self.code[i.args[0]].op == "sweeps":
                place = self.module.place[i.args[0]] + self.code[i.args[0]].data.items[i.data]
                self.local[v] = self.load("%work", place)
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
        return self.address(self.functions_table(), self.module.program.externals.index(i.data))

    def functions_table(self) -> str:
        return self.base("in", len(self.module.program.inputs))

    def address(self, table: str, at: int) -> str:
        """An address from a table of these."""
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

    def sweeps(self, k: int, i: Instruction) -> None:
        place, module = self.block_place(k), self.module
        for at, count, (group, first) in module.runs.arguments[k]:
            self.copy(count, self.element(self.base("in", group), first), self.element("%work", place + at))
        self.filled(k, i)
        functions = f"ptr {self.functions_table()}, " if i.data.externals else ""
        self.lines.append(f"  call void @{module.sweeps[k].main}({functions}ptr {self.element('%work', place)})")
        for o, at, count, first in module.runs.results.get(k, ()):
            self.copy(count, self.element("%work", place + first), self.element(self.base("out", o), at))

    def copy(self, count: int, source: str, target: str) -> None:
        """Numbers one after the other."""
        name = self.module.kernel(copy_numbers, count, False)
        self.lines.append(f"  call void @{name}(ptr {source}, ptr {target})")

    def filled(self, k: int, i: Instruction) -> int:
        """The place of a block, with those entries put in that were not when they were computed."""
        place = self.block_place(k)
        if i.op == "sweeps":
            left = self.module.runs.arguments_left(k, len(i.args))
            entries: Iterable[tuple[int, int]] = ((i.args[at], at) for at in left)
        else:
            entries = block_entries(self.module.program, k, self.module.layouts)
        for v, at in entries:
            if is_put_late(self.module.program, i, v):
                self.store(self.value(v), "%work", place + at)
        return place

    def block_place(self, k: int) -> int:
        """Where a block lives; it is given its place when its first entry is computed."""
        module = self.module
        if k not in module.place:
            module.place[k] = module.memory.take(module.size(k))
            if starts_as_zeros(module.program, self.code[k]):
                name = module.kernel(clear, module.size(k), False)
                self.run_kernel(name, False, [module.place[k]])
        return module.place[k]

    def run_kernel(self, name: str, by_lane: bool, places: list[int], indices: list[int] | None = None) -> None:
        for lane in range(self.lanes if by_lane else 1):
            pointers = [f"ptr {self.lane_of('%work', p, lane)}" for p in places]
            arguments = [f"i64 {k}" for k in indices or []] + pointers
            self.lines.append(f"  call void @{name}({', '.join(arguments)})")
