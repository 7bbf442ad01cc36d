"""Kernels as LLVM text."""

from __future__ import annotations

import ast
import struct
from collections.abc import Mapping
from typing import Any, Final

from ..loops.kernels import Kernel, Translator

_NUMBER_OPS: Final = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_INDEX_OPS: Final = {ast.Add: "add nsw", ast.Sub: "sub nsw", ast.Mult: "mul nsw", ast.Mod: "srem"}
_INDEX_TESTS: Final = {ast.Lt: "slt", ast.Gt: "sgt", ast.LtE: "sle", ast.GtE: "sge", ast.Eq: "eq", ast.NotEq: "ne"}
_NUMBER_TESTS: Final = {ast.Lt: "olt", ast.Gt: "ogt", ast.LtE: "ole", ast.GtE: "oge", ast.Eq: "oeq", ast.NotEq: "une"}
_DOUBLE: Final = struct.Struct(">d")


class LlvmKernel(Translator):
    """One kernel as an LLVM function.

    number   type of an array's elements: double, or a vector of them where the loop serves several states at once
    stride   distance of elements in memory: a kernel that pivots serves one lane of interleaved arrays at a time
    shared   arrays with shorter elements, repeated to fill a number: factors, where a number is of several right sides
    """

    def __init__(
        self,
        kernel: Kernel,
        name: str,
        fixed: dict[str, Any],
        number: str = "double",
        stride: int = 1,
        shared: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(kernel, fixed)
        self.name, self.number, self.stride, self.shared = name, number, stride, shared or {}
        self.lines: list[str] = []
        self.count = 0

    def text(self) -> str:
        kinds = {a.arg: self.kinds[a.arg] for a in self.tree.args.args if a.arg not in self.fixed}
        args = ", ".join(f"i64 %{a}" if k == "index" else f"ptr noalias %{a}" for a, k in kinds.items())
        arguments = {a for a, k in kinds.items() if k == "index"}
        variables = [(v, k) for v, k in self.kinds.items() if k in ("index", "number") and v not in self.fixed]
        for v, k in variables:
            self.lines.append(f"  %{v}.at = alloca {self.type_of(k)}")
            if v in arguments:
                self.lines.append(f"  store i64 %{v}, ptr %{v}.at")
        self.run()
        body = "\n".join(self.lines)
        return f"define internal void @{self.name}({args}) noinline nounwind {{\n{body}\n  ret void\n}}\n"

    def type_of(self, kind: str) -> str:
        return "i64" if kind in ("index", "indices") else self.number

    def new(self, instruction: str) -> str:
        self.count += 1
        self.lines.append(f"  %r{self.count} = {instruction}")
        return f"%r{self.count}"

    def label(self, name: str) -> str:
        self.count += 1
        return f"{name}{self.count}"

    # ------------------------------------------------------------------------------------------------ expressions

    def index(self, e: ast.expr) -> str:
        if isinstance(e, ast.Constant):
            return str(e.value)
        if isinstance(e, ast.Name):
            return str(self.fixed[e.id]) if e.id in self.fixed else self.new(f"load i64, ptr %{e.id}.at")
        if isinstance(e, ast.BinOp):
            return self.new(f"{_INDEX_OPS[type(e.op)]} i64 {self.index(e.left)}, {self.index(e.right)}")
        assert isinstance(e, ast.Subscript)
        return self.new(f"load i64, ptr {self.address(e, 'i64')}, align 8")

    def value(self, e: ast.expr) -> str:
        if isinstance(e, ast.Constant):
            assert isinstance(e.value, int)
            return splat(float(e.value), self.number)
        if isinstance(e, ast.Name):
            return self.new(f"load {self.number}, ptr %{e.id}.at")
        if isinstance(e, ast.BinOp):
            op = f"{_NUMBER_OPS[type(e.op)]} contract reassoc"
            return self.new(f"{op} {self.number} {self.value(e.left)}, {self.value(e.right)}")
        if isinstance(e, ast.Call):  # abs, the only function of the subset
            return self.new(f"call {self.number} @llvm.fabs.f64({self.number} {self.value(e.args[0])})")
        assert isinstance(e, ast.Subscript)
        assert isinstance(e.value, ast.Name)
        element = self.shared.get(e.value.id, self.number)
        loaded = self.new(f"load {element}, ptr {self.address(e, element)}, align 8")
        return loaded if element == self.number else self.repeated(loaded, element)

    def repeated(self, value: str, element: str) -> str:
        """A number made of a shorter one, again and again."""
        if element == "double":
            element = "<1 x double>"
            value = self.new(f"insertelement {element} poison, double {value}, i32 0")
        lanes = lanes_of(self.number)
        mask = ", ".join(f"i32 {k % lanes_of(element)}" for k in range(lanes))
        return self.new(f"shufflevector {element} {value}, {element} poison, <{lanes} x i32> <{mask}>")

    def address(self, e: ast.Subscript, element: str) -> str:
        assert isinstance(e.value, ast.Name)
        at = self.index(e.slice)
        if self.stride != 1:
            at = self.new(f"mul nsw i64 {at}, {self.stride}")
        return self.new(f"getelementptr inbounds {element}, ptr %{e.value.id}, i64 {at}")

    # ------------------------------------------------------------------------------------------------ statements

    def loop(self, name: str, start: ast.expr, stop: ast.expr, step: int, body: list[ast.stmt]) -> None:
        head, inside, done = self.label("head"), self.label("body"), self.label("done")
        first, end = self.index(start), self.index(stop)
        self.lines += [f"  store i64 {first}, ptr %{name}.at", f"  br label %{head}", f"{head}:"]
        at = self.new(f"load i64, ptr %{name}.at")
        more = self.new(f"icmp slt i64 {at}, {end}")
        self.lines += [f"  br i1 {more}, label %{inside}, label %{done}", f"{inside}:"]
        self.block(body)
        again = self.new(f"load i64, ptr %{name}.at")
        after = self.new(f"add nsw i64 {again}, {step}")
        self.lines += [f"  store i64 {after}, ptr %{name}.at", f"  br label %{head}", f"{done}:"]

    def condition(self, test: ast.expr) -> str:
        assert isinstance(test, ast.Compare)
        left, op, right = test.left, type(test.ops[0]), test.comparators[0]
        if self.is_index(left) and self.is_index(right):
            return self.new(f"icmp {_INDEX_TESTS[op]} i64 {self.index(left)}, {self.index(right)}")
        return self.new(f"fcmp {_NUMBER_TESTS[op]} {self.number} {self.value(left)}, {self.value(right)}")

    def choose(self, test: ast.expr, yes: list[ast.stmt], no: list[ast.stmt]) -> None:
        holds = self.condition(test)
        then, other, done = self.label("then"), self.label("else"), self.label("endif")
        self.lines += [f"  br i1 {holds}, label %{then}, label %{other}", f"{then}:"]
        self.block(yes)
        self.lines += [f"  br label %{done}", f"{other}:"]
        self.block(no)
        self.lines += [f"  br label %{done}", f"{done}:"]

    def assign(self, name: str, value: ast.expr) -> None:
        self.lines.append(f"  store {self.number} {self.value(value)}, ptr %{name}.at")

    def store(self, target: ast.Subscript, value: ast.expr) -> None:
        assert isinstance(target.value, ast.Name)
        is_index = self.kinds[target.value.id] == "indices"
        element = "i64" if is_index else self.number
        result = self.index(value) if is_index else self.value(value)
        self.lines.append(f"  store {element} {result}, ptr {self.address(target, element)}, align 8")


def hexadecimal(value: float) -> str:
    """A constant as LLVM reads it without rounding."""
    return "0x" + _DOUBLE.pack(value).hex().upper()


def lanes_of(number: str) -> int:
    """How many lanes a scalar or vector type has."""
    return 1 if number == "double" else int(number[1:].split()[0])


def splat(value: float, number: str) -> str:
    """A constant of a scalar or vector type."""
    if number == "double":
        return hexadecimal(value)
    return f"<{', '.join([f'double {hexadecimal(value)}'] * lanes_of(number))}>"
