"""Whole algorithms as LLVM text: kernels that call each other and compiled programs.

What a kernel may use here beside what all targets understand:

    while, break, continue, return              if with and, or, not
    for k in unrolled(...)                      written out: k is known, and so is every entry of a table at k
    x: int = 0, part: Numbers = a[n:]           names that are indices, or parts of arrays
    f((t, y), (dy,))                            call of a compiled program: its first inputs, its outputs
    sqrt, pow, abs, min, max, is_finite, other kernels, and numbers and tables of the module

A kernel is translated once for each set of things known beforehand (`fixed`): sizes, tables of coefficients, choices. What
does not depend on anything else is computed then; branches that cannot be taken are not translated.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any, Final

from ...errors import CompileError
from ..loops.kernels import Kernel, syntax
from .kernel_text import LlvmKernel, hexadecimal

Numbers = list[Any]
Indices = list[int]
Function = Callable[[tuple[Any, ...], tuple[Any, ...]], None]

unrolled = range
is_finite = isfinite

_LARGEST: Final = hexadecimal(1.7976931348623157e308)
_ZERO: Final = hexadecimal(0.0)
_FLAGS: Final = "contract reassoc nsz"
_NUMBER_OPS: Final = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_INDEX_OPS: Final = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "sdiv", ast.Mod: "srem"}
_TYPES: Final = {"index": "i64", "number": "double", "numbers": "ptr", "indices": "ptr", "function": "ptr"}
_RETURNS: Final = {"None": "void", "int": "i64", "float": "double"}
_MATHEMATICS: Final = ("abs", "sqrt", "pow", "min", "max", "float", "int")
_INTRINSICS: Final = """declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @pow(double, double)
"""


class Loops:
    """Kernels that belong together, in one module."""

    def __init__(self) -> None:
        self.kernels: dict[Any, LlvmLoop] = {}
        self.tables: dict[tuple[float, ...], str] = {}
        self._texts: list[str] = []

    def kernel(self, function: Kernel, fixed: dict[str, Any]) -> LlvmLoop:
        """A kernel, translated for what is fixed."""
        key = (function, tuple(sorted(fixed.items())))
        if key not in self.kernels:
            self.kernels[key] = made = LlvmLoop(self, function, f"{function.__name__}.{len(self.kernels)}", fixed)
            self._texts.append(made.text())
        return self.kernels[key]

    def table(self, values: tuple[float, ...]) -> str:
        return self.tables.setdefault(values, f"@table.{len(self.tables)}")

    def entry(self, function: Kernel, name: str, fixed: dict[str, Any], outputs: Iterable[str] = ()) -> None:
        """A kernel as a function of the same kind as a compiled program: `void (double **in, double **out, double *work)`.

        Its arguments are taken from `in` in order, those named in `outputs` from `out`. What it returns is stored in the last entry
        of `in`.
        """
        kernel, given = self.kernel(function, fixed), set(outputs)
        lines, values, counts = [], [], {"in": 0, "out": 0}
        for a, kind in kernel.arguments.items():
            table = "out" if a in given else "in"
            lines += [
                f"  %{a}.p = getelementptr ptr, ptr %{table}, i64 {counts[table]}",
                f"  %{a}.v = load ptr, ptr %{a}.p, align 8",
            ]
            counts[table] += 1
            if kind in ("index", "number"):
                lines.append(f"  %{a}.n = load {_TYPES[kind]}, ptr %{a}.v, align 8")
            values.append(f"{_TYPES[kind]} %{a}.{'n' if kind in ('index', 'number') else 'v'}")
        call = f"call {kernel.result} @{kernel.name}({', '.join(values)})"
        if kernel.result == "void":
            lines.append(f"  {call}")
        else:
            lines += [
                f"  %result = {call}",
                f"  %result.p = getelementptr ptr, ptr %in, i64 {counts['in']}",
                "  %result.v = load ptr, ptr %result.p, align 8",
                f"  store {kernel.result} %result, ptr %result.v, align 8",
            ]
        body = "\n".join(lines)
        self._texts.append(f"define void @{name}(ptr %in, ptr %out, ptr %work) nounwind {{\n{body}\n  ret void\n}}\n")

    def text(self) -> str:
        tables = "".join(
            f"{name} = private constant [{len(v)} x double] [{', '.join(f'double {hexadecimal(x)}' for x in v)}]\n"
            for v, name in self.tables.items()
        )
        return _INTRINSICS + tables + "".join(self._texts)


class LlvmLoop(LlvmKernel):
    """One kernel of a module of loops."""

    def __init__(self, module: Loops, kernel: Kernel, name: str, fixed: dict[str, Any]) -> None:
        super().__init__(kernel, name, dict(fixed))
        self.module = module
        self.globals: dict[str, Any] = getattr(kernel, "__globals__", {})
        self.arguments = {a.arg: self.kinds[a.arg] for a in self.tree.args.args if a.arg not in fixed}
        self.result = _RETURNS[ast.unparse(self.tree.returns)] if self.tree.returns else "void"
        self.pointers = {a: f"%{a}" for a, k in self.arguments.items() if _TYPES[k] == "ptr"}
        self.allocas: list[str] = []
        self.exits: list[tuple[str, str]] = []  # labels of `continue` and `break`, for each loop that is open

    def text(self) -> str:
        for v, k in self.kinds.items():
            if k in ("index", "number") and v not in self.fixed:
                self.allocas.append(f"  %{v}.at = alloca {_TYPES[k]}")
                if v in self.arguments:
                    self.allocas.append(f"  store {_TYPES[k]} %{v}, ptr %{v}.at")
        self.run()
        args = ", ".join(
            f"{_TYPES[k]}{' noalias' if k in ('numbers', 'indices') else ''} %{a}" for a, k in self.arguments.items()
        )
        end = "  ret void" if self.result == "void" else "  unreachable"
        body = "\n".join([*self.allocas, *self.lines, end])
        return f"define internal {self.result} @{self.name}({args}) nounwind {{\n{body}\n}}\n"

    # ------------------------------------------------------------------------------------------------ known beforehand

    def known(self, e: ast.expr) -> Any:
        """The value of an expression that is known when the kernel is translated, or None."""
        if isinstance(e, ast.Constant):
            return e.value
        if isinstance(e, ast.Name):
            if e.id in self.fixed:
                return self.fixed[e.id]
            return None if e.id in self.kinds else self.globals.get(e.id)
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
            value = self.known(e.operand)
            return None if value is None else -value
        if isinstance(e, ast.BinOp):
            left, right = self.known(e.left), self.known(e.right)
            return None if left is None or right is None else _ARITHMETIC[type(e.op)](left, right)
        if isinstance(e, ast.Subscript) and not isinstance(e.slice, ast.Slice):
            table, at = self.known(e.value), self.known(e.slice)
            return None if table is None or at is None else table[at]
        return None

    def known_condition(self, e: ast.expr) -> bool | None:
        if isinstance(e, ast.Compare):
            left, right = self.known(e.left), self.known(e.comparators[0])
            return None if left is None or right is None else _COMPARISONS[type(e.ops[0])](left, right)
        if isinstance(e, ast.UnaryOp):
            value = self.known_condition(e.operand)
            return None if value is None else not value
        if isinstance(e, ast.BoolOp):
            values = [self.known_condition(v) for v in e.values]
            decisive = isinstance(e.op, ast.Or)
            if decisive in values:
                return decisive
            return None if None in values else not decisive
        return None

    def is_index(self, e: ast.expr) -> bool:
        value = self.known(e)
        if value is not None:
            return isinstance(value, int)
        if isinstance(e, ast.BinOp):
            return not isinstance(e.op, ast.Div) and self.is_index(e.left) and self.is_index(e.right)
        if isinstance(e, ast.UnaryOp):
            return self.is_index(e.operand)
        if isinstance(e, ast.IfExp):
            return self.is_index(e.body) and self.is_index(e.orelse)
        if isinstance(e, ast.Call):
            called = self.called(e)
            return called.result == "i64" if called else ast.unparse(e.func) == "int"
        return super().is_index(e)

    # ------------------------------------------------------------------------------------------------ expressions

    def index(self, e: ast.expr) -> str:
        value = self.known(e)
        if value is not None:
            return str(int(value))
        if isinstance(e, ast.BinOp):
            return self.new(f"{_INDEX_OPS[type(e.op)]} i64 {self.index(e.left)}, {self.index(e.right)}")
        if isinstance(e, ast.UnaryOp):
            return self.new(f"sub i64 0, {self.index(e.operand)}")
        if isinstance(e, ast.IfExp):
            yes, no = self.index(e.body), self.index(e.orelse)
            return self.new(f"select i1 {self.condition(e.test)}, i64 {yes}, i64 {no}")
        if isinstance(e, ast.Call):
            is_conversion = self.called(e) is None
            return self.new(f"fptosi double {self.value(e.args[0])} to i64") if is_conversion else self.call(e)
        return super().index(e)

    def value(self, e: ast.expr) -> str:
        value = self.known(e)
        if value is not None:
            return hexadecimal(float(value))
        if self.is_index(e):
            return self.new(f"sitofp i64 {self.index(e)} to double")
        if isinstance(e, ast.BinOp):
            left, right = self.value(e.left), self.value(e.right)
            if isinstance(e.op, ast.Mult) and _ZERO in (left, right):
                return _ZERO
            return self.new(f"{_NUMBER_OPS[type(e.op)]} {_FLAGS} double {left}, {right}")
        if isinstance(e, ast.UnaryOp):
            return self.new(f"fneg double {self.value(e.operand)}")
        if isinstance(e, ast.IfExp):
            yes, no = self.value(e.body), self.value(e.orelse)
            return self.new(f"select i1 {self.condition(e.test)}, double {yes}, double {no}")
        if isinstance(e, ast.Call):
            return self.call(e)
        return super().value(e)

    def condition(self, test: ast.expr) -> str:
        known = self.known_condition(test)
        if known is not None:
            return str(known).lower()
        if isinstance(test, ast.BoolOp):
            return self.connected(test)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.new(f"xor i1 {self.condition(test.operand)}, true")
        if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "is_finite":
            size = self.new(f"call double @llvm.fabs.f64(double {self.value(test.args[0])})")
            return self.new(f"fcmp ole double {size}, {_LARGEST}")
        return super().condition(test)

    def connected(self, test: ast.BoolOp) -> str:
        """`and` and `or` look at what follows only where it matters."""
        done, at = self.label("decided"), self.label("%truth") + ".at"
        self.allocas.append(f"  {at} = alloca i1")
        for k, part in enumerate(test.values):
            holds = self.condition(part)
            self.lines.append(f"  store i1 {holds}, ptr {at}")
            if k + 1 < len(test.values):
                more = self.label("more")
                to = (more, done) if isinstance(test.op, ast.And) else (done, more)
                self.lines += [f"  br i1 {holds}, label %{to[0]}, label %{to[1]}", f"{more}:"]
        self.lines += [f"  br label %{done}", f"{done}:"]
        return self.new(f"load i1, ptr {at}")

    def array(self, e: ast.expr) -> str:
        """The address at which an array, or the rest of one, begins."""
        if isinstance(e, ast.Subscript) and isinstance(e.slice, ast.Slice) and e.slice.lower is not None:
            element = "i64" if isinstance(e.value, ast.Name) and self.kinds[e.value.id] == "indices" else "double"
            return self.new(f"getelementptr {element}, ptr {self.array(e.value)}, i64 {self.index(e.slice.lower)}")
        if isinstance(e, ast.Name) and e.id in self.pointers:
            return self.pointers[e.id]
        table = self.known(e)
        if not isinstance(table, tuple):
            self.other(e)
        return self.module.table(table)

    def address(self, e: ast.Subscript, element: str) -> str:
        base, at = self.array(e.value), self.index(e.slice)
        return self.new(f"getelementptr inbounds {element}, ptr {base}, i64 {at}")

    # ------------------------------------------------------------------------------------------------ calls

    def called(self, e: ast.Call) -> LlvmLoop | None:
        """The kernel that a call means."""
        if not isinstance(e.func, ast.Name) or e.func.id in _MATHEMATICS:
            return None
        function = self.fixed.get(e.func.id) or self.globals.get(e.func.id)
        if function is None or not callable(function):
            raise CompileError(f"kernel {self.tree.name}: {ast.unparse(e)!r} calls what is no kernel")
        tree, kinds = syntax(function)
        fixed = {}
        for a, given in zip(tree.args.args, e.args, strict=True):
            value = self.known(given)
            if value is not None and kinds[a.arg] != "number":
                fixed[a.arg] = value
        return self.module.kernel(function, fixed)

    def call(self, e: ast.Call) -> str:
        kernel = self.called(e)
        if kernel is None:
            return self.mathematics(e)
        arguments = []
        for a, given in zip(kernel.tree.args.args, e.args, strict=True):
            if a.arg in kernel.fixed:
                continue
            kind = kernel.kinds[a.arg]
            text = {"index": self.index, "number": self.value}.get(kind, self.array)(given)
            arguments.append(f"{_TYPES[kind]} {text}")
        text = f"call {kernel.result} @{kernel.name}({', '.join(arguments)})"
        if kernel.result == "void":
            self.lines.append(f"  {text}")
            return ""
        return self.new(text)

    def mathematics(self, e: ast.Call) -> str:
        assert isinstance(e.func, ast.Name)
        values = [self.value(a) for a in e.args]
        if e.func.id in ("min", "max"):
            best = values[0]
            for other in values[1:]:  # as Python does: nan is not taken where it comes later
                takes = self.new(f"fcmp {'olt' if e.func.id == 'min' else 'ogt'} double {other}, {best}")
                best = self.new(f"select i1 {takes}, double {other}, double {best}")
            return best
        if e.func.id == "float":
            return values[0]
        name = {"abs": "llvm.fabs.f64", "sqrt": "llvm.sqrt.f64", "pow": "pow"}[e.func.id]
        return self.new(f"call double @{name}({', '.join(f'double {v}' for v in values)})")

    def run_program(self, e: ast.Call) -> None:
        """Call of a compiled program through its table: function, inputs, outputs, scratch memory."""
        assert isinstance(e.func, ast.Name)
        table = self.pointers[e.func.id]
        fields = []
        for k in range(4):
            at = self.new(f"getelementptr ptr, ptr {table}, i64 {k}")
            fields.append(self.new(f"load ptr, ptr {at}, align 8"))
        code, ins, outs, work = fields
        inputs, outputs = e.args
        assert isinstance(inputs, ast.Tuple)
        assert isinstance(outputs, ast.Tuple)
        for k, given in enumerate(inputs.elts):
            at = self.new(f"getelementptr ptr, ptr {ins}, i64 {k}")
            if self.is_array(given):
                self.lines.append(f"  store ptr {self.array(given)}, ptr {at}, align 8")
            else:
                place = self.new(f"load ptr, ptr {at}, align 8")
                self.lines.append(f"  store double {self.value(given)}, ptr {place}, align 8")
        for k, given in enumerate(outputs.elts):
            at = self.new(f"getelementptr ptr, ptr {outs}, i64 {k}")
            self.lines.append(f"  store ptr {self.array(given)}, ptr {at}, align 8")
        self.lines.append(f"  call void {code}(ptr {ins}, ptr {outs}, ptr {work})")

    def is_array(self, e: ast.expr) -> bool:
        return (isinstance(e, ast.Subscript) and isinstance(e.slice, ast.Slice)) or ast.unparse(e) in self.pointers

    # ------------------------------------------------------------------------------------------------ statements

    def statement(self, s: ast.stmt) -> None:
        if isinstance(s, ast.For) and isinstance(s.iter, ast.Call) and ast.unparse(s.iter.func) == "unrolled":
            self.write_out(s)
        else:
            super().statement(s)

    def write_out(self, s: ast.For) -> None:
        assert isinstance(s.target, ast.Name)
        assert isinstance(s.iter, ast.Call)
        bounds = [self.known(b) for b in s.iter.args]
        if None in bounds:
            raise CompileError(f"kernel {self.tree.name}: the bounds of {ast.unparse(s.iter)!r} are not known")
        for k in range(*bounds):
            self.fixed[s.target.id] = k
            self.block(s.body)
        self.fixed.pop(s.target.id, None)

    def other(self, s: ast.AST) -> None:
        if isinstance(s, ast.While):
            self.repeat(s)
        elif isinstance(s, (ast.Break, ast.Continue)):
            self.leave(f"  br label %{self.exits[-1][isinstance(s, ast.Break)]}")
        elif isinstance(s, ast.Return):
            self.leave(self.returned(s.value))
        elif isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name) and s.value is not None:
            self.assign(s.target.id, s.value)
        elif isinstance(s, ast.AugAssign):
            self.statement(ast.Assign([s.target], ast.BinOp(s.target, s.op, s.value)))
        elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
            is_program = self.kinds.get(ast.unparse(s.value.func)) == "function"
            if is_program and ast.unparse(s.value.func) not in self.fixed:
                self.run_program(s.value)
            else:
                self.call(s.value)
        elif not isinstance(s, ast.Pass):
            super().other(s)

    def returned(self, value: ast.expr | None) -> str:
        if value is None:
            return "  ret void"
        return f"  ret i64 {self.index(value)}" if self.result == "i64" else f"  ret double {self.value(value)}"

    def leave(self, jump: str) -> None:
        """What follows in the same block is never reached, but must have a label."""
        self.lines += [jump, f"{self.label('after')}:"]

    def assign(self, name: str, value: ast.expr) -> None:
        kind = self.kinds[name]
        if kind in ("numbers", "indices"):
            self.pointers[name] = self.array(value)
        elif kind == "index":
            self.lines.append(f"  store i64 {self.index(value)}, ptr %{name}.at")
        else:
            super().assign(name, value)

    def choose(self, test: ast.expr, yes: list[ast.stmt], no: list[ast.stmt]) -> None:
        known = self.known_condition(test)
        if known is None:
            super().choose(test, yes, no)
        else:
            self.block(yes if known else no)

    def loop(self, name: str, start: ast.expr, stop: ast.expr, step: int, body: list[ast.stmt]) -> None:
        head, inside, again, done = (self.label(n) for n in ("head", "body", "next", "done"))
        first, end = self.index(start), self.index(stop)
        self.lines += [f"  store i64 {first}, ptr %{name}.at", f"  br label %{head}", f"{head}:"]
        at = self.new(f"load i64, ptr %{name}.at")
        more = self.new(f"icmp slt i64 {at}, {end}")
        self.lines += [f"  br i1 {more}, label %{inside}, label %{done}", f"{inside}:"]
        self.exits.append((again, done))
        self.block(body)
        self.exits.pop()
        self.lines += [f"  br label %{again}", f"{again}:"]
        after = self.new(f"load i64, ptr %{name}.at")
        after = self.new(f"add nsw i64 {after}, {step}")
        self.lines += [f"  store i64 {after}, ptr %{name}.at", f"  br label %{head}", f"{done}:"]

    def repeat(self, s: ast.While) -> None:
        head, inside, done = (self.label(n) for n in ("while", "body", "done"))
        self.lines += [f"  br label %{head}", f"{head}:"]
        holds = "true" if self.known(s.test) is True else self.condition(s.test)
        self.lines += [f"  br i1 {holds}, label %{inside}, label %{done}", f"{inside}:"]
        self.exits.append((head, done))
        self.block(s.body)
        self.exits.pop()
        self.lines += [f"  br label %{head}", f"{done}:"]


_ARITHMETIC: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
}
_COMPARISONS: Final[dict[type, Callable[[Any, Any], bool]]] = {
    ast.Lt: lambda a, b: a < b,
    ast.Gt: lambda a, b: a > b,
    ast.LtE: lambda a, b: a <= b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
