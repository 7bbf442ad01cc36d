"""A program as one function body in which every value has a name of its own: for machines with many registers and slow
memory.

Inputs whose sums are angles are looked at first, and reduced where they are large, all in one branch that is rarely
taken: a sum of large numbers would have lost what sines depend on. Sines and cosines are computed where they are first
needed, so that fewer values wait. Linear systems that are not written out go to loops on local memory, and so do schedules of
fragments (`device_sweeps`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...errors import CompileError, in_number
from ..loops.program_kernels import factor_kernel, has_pivots, solve_kernel
from ..lowering.register_order import with_fewer_alive
from ..programs.program import Instruction, Program, right_side_count
from ..programs.sweep_shape import SweepShape
from .device_math import FUNCTIONS, any_angles, function_name, quotient, sine_and_cosine
from .llvm_numbers import BYTES
from .loop_text import LlvmKernel, simple_kernel
from .scalar_text import ScalarText

_SINES: Final = ("sincos", "sin", "cos")
_SUMS: Final = ("input", "const", "neg", "add", "sub")
_COMPARISONS: Final = {"lt": "<", "le": "<=", "eq": "=="}

LOCAL_BYTES: Final = 512 * 1024  # memory of a thread of its own

Read = Callable[[int, int], str]  # of a position in an input group
Write = Callable[[int, int, str], None]  # of a value to a position in an output


def require_local_memory(program: Program, real: str) -> None:
    """Loops over equal links work on memory of the thread, of which there is little."""
    size = BYTES[real] * sum(i.data.memory for i in program.code if i.op == "sweeps")
    if size > LOCAL_BYTES:
        raise CompileError(
            f"program {program.name!r}: its loops over equal links work on {size / 1024:.0f} kB for each state, and a thread of a GPU "
            f"has {LOCAL_BYTES // 1024} kB; "
            + ("try real='float', or " if real == "double" and size <= 2 * LOCAL_BYTES else "")
            + "compile it for the CPU, where batches run in parallel"
        )


class SsaText:
    """Text of a program's instructions, written into `t`. What they need beside it is in `functions` and `kernels`."""

    def __init__(self, program: Program, t: ScalarText, read: Read, write: Write) -> None:
        if program.externals:
            raise CompileError(
                f"program {program.name!r}: {in_number((f.name for f in program.externals), '{} is a function', '{} are functions')} of this computer, which a GPU "
                "cannot call; write expressions instead"
            )
        self.program = program = with_fewer_alive(program)
        self.code, self.t, self.read, self.write = program.code, t, read, write
        self.value: dict[int, str] = {}
        self.turned: dict[int, str] = {}  # sums of inputs as angles, that is up to multiples of 2π
        self.pairs: dict[int, tuple[str, str]] = {}  # sine and cosine, by the instruction of their angle
        self.blocks: dict[int, str] = {}  # pointers to factors and solutions
        self.head: list[str] = []  # for the beginning of the function
        self.functions: set[str] = set()
        self.kernels: dict[str, LlvmKernel] = {}
        self.schedules: dict[str, SweepShape] = {}
        require_local_memory(program, t.real)

    def emit(self) -> None:
        self._turn()
        outputs = self.program.output_places()
        for k in range(len(self.code)):
            if k not in self.value:
                self.instruction(k)
            for o, at in outputs.get(k, ()):
                self.write(o, at, self.number(k))

    # ------------------------------------------------------------------------------------------------ angles

    def _turn(self) -> None:
        """Sums of inputs that are angles, of inputs that are reduced where they are large."""
        needed = self._sums()
        inputs = [k for k in needed if self.code[k].op == "input"]
        reduced = any_angles(self.t, [self.number(k) for k in inputs])
        self.turned |= dict(zip(inputs, reduced, strict=True))
        for k in needed:
            i = self.code[k]
            if i.op == "const":
                self.turned[k] = self.t.number(i.data)
            elif i.op != "input":
                self.turned[k] = self.operation(i, [self.turned[a] for a in i.args])

    def _sums(self) -> list[int]:
        """Angles that are sums of inputs, with all that they consist of, in order."""
        is_sum = [False] * len(self.code)
        for k, i in enumerate(self.code):
            is_sum[k] = i.op in _SUMS and all(is_sum[a] for a in i.args)
        needed, left = set(), [i.args[0] for i in self.code if i.op in _SINES and is_sum[i.args[0]]]
        while left:
            k = left.pop()
            if k not in needed:
                needed.add(k)
                left += self.code[k].args
        return sorted(needed)

    def sines(self, angle: int) -> tuple[str, str]:
        if angle not in self.pairs:
            self.pairs[angle] = sine_and_cosine(self.t, self._angle(angle))
        return self.pairs[angle]

    def _angle(self, v: int) -> str:
        return self.turned[v] if v in self.turned else any_angles(self.t, [self.number(v)])[0]

    # ------------------------------------------------------------------------------------------------ instructions

    def number(self, v: int) -> str:
        """A value; inputs are read, and constants written, where they are first needed."""
        if v not in self.value:
            self.instruction(v)
        return self.value[v]

    def instruction(self, k: int) -> None:
        i, t = self.code[k], self.t
        if i.op in ("factor", "solve", "sweeps"):
            getattr(self, i.op)(k, i)
        elif i.op == "input":
            self.value[k] = self.read(*i.data)
        elif i.op == "const":
            self.value[k] = t.number(i.data)
        elif i.op == "true":
            self.value[k] = "true" if i.data else "false"
        elif i.op == "item":
            self.value[k] = self.item(i)
        elif i.op != "sincos":
            self.value[k] = self.operation(i, [self.number(a) for a in i.args])

    def item(self, i: Instruction) -> str:
        block = i.args[0]
        if self.code[block].op == "sincos":
            return self.sines(self.code[block].args[0])[i.data]
        place = self.code[block].data.items[i.data] if self.code[block].op == "sweeps" else i.data
        at = self.t.new(f"getelementptr {self.t.real}, ptr {self.blocks[block]}, i64 {place}")
        return self.t.new(f"load {self.t.real}, ptr {at}")

    def operation(self, i: Instruction, args: list[str]) -> str:
        t = self.t
        if i.op in ("add", "sub", "mul", "neg"):
            return str(getattr(t, i.op)(*args))
        if i.op == "div":
            return quotient(t, *args)
        if i.op in ("sin", "cos"):
            return self.sines(i.args[0])[i.op == "cos"]
        if i.op in _COMPARISONS:
            return t.compared(args[0], _COMPARISONS[i.op], args[1])
        if i.op in ("and", "or"):
            return t.new(f"{i.op} i1 {args[0]}, {args[1]}")
        if i.op == "not":
            return t.new(f"xor i1 {args[0]}, true")
        if i.op == "where":
            return t.select(*args)
        if i.op in ("min", "max"):
            return t.select(t.compared(args[0], "<=" if i.op == "min" else ">=", args[1]), *args)
        if i.op == "sign":
            zero, one = t.number(0.0), t.number(1.0)
            rest = t.select(t.compared(args[0], "<", zero), t.number(-1.0), args[0])
            return t.select(t.compared(args[0], ">", zero), one, rest)
        if i.op in ("sqrt", "abs"):
            return t.intrinsic("llvm.sqrt" if i.op == "sqrt" else "llvm.fabs", *args)
        assert i.op in FUNCTIONS, i.op
        self.functions.add(i.op)
        return t.new(f"call {t.real} @{function_name(i.op)}({', '.join(f'{t.real} {a}' for a in args)})")

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, k: int, i: Instruction) -> None:
        shape, n = i.data, i.data.n
        entries = {row * n + col: self.number(v) for (row, col), v in zip(shape.places(), i.args, strict=True)}
        if has_pivots(shape) and shape.is_symmetric:
            entries |= {(at % n) * n + at // n: v for at, v in entries.items()}
        self.blocks[k] = self.filled(k, n * n, entries)
        pivots = [self.memory(f"{k}.p", n, "i64")] if has_pivots(shape) else []
        self.run(factor_kernel(shape), n, [self.blocks[k], *pivots])

    def solve(self, k: int, i: Instruction) -> None:
        factors, shape = i.args[0], self.code[i.args[0]].data
        n, sides = shape.n, right_side_count(self.code, i)
        self.blocks[k] = self.filled(k, n * sides, {at: self.number(v) for at, v in enumerate(i.args[1:])})
        pivots = [f"%block.{factors}.p"] if has_pivots(shape) else []
        for side in range(sides):
            x = self.t.new(f"getelementptr {self.t.real}, ptr {self.blocks[k]}, i64 {side * n}")
            self.run(solve_kernel(shape, i.data), n, [self.blocks[factors], *pivots, x])

    def sweeps(self, k: int, i: Instruction) -> None:
        self.blocks[k], name = self.memory(str(k), i.data.memory), f"sweeps.{i.data.digest[:16]}"
        self.schedules[name] = i.data
        for at, v in enumerate(i.args):
            self.put(self.blocks[k], at, self.number(v))
        self.t.lines.append(f"  call void @{name}.run(ptr {self.blocks[k]})")

    def memory(self, name: str, size: int, element: str = "") -> str:
        self.head.append(f"  %block.{name} = alloca [{size} x {element or self.t.real}]")
        return f"%block.{name}"

    def filled(self, k: int, size: int, entries: dict[int, str]) -> str:
        place = self.memory(str(k), size)
        for at, value in entries.items():
            self.put(place, at, value)
        return place

    def put(self, place: str, at: int, value: str) -> None:
        to = self.t.new(f"getelementptr {self.t.real}, ptr {place}, i64 {at}")
        self.t.lines.append(f"  store {self.t.real} {value}, ptr {to}")

    def run(self, function: Callable[..., None], n: int, pointers: list[str]) -> None:
        name = f"{function.__name__}_{n}"
        if name not in self.kernels:
            self.kernels[name] = LlvmKernel(simple_kernel(function, {"n": n}), name, self.t.real)
        self.t.lines.append(f"  call void @{name}({', '.join(f'ptr {p}' for p in pointers)})")
