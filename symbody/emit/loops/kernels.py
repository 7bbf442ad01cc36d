"""Loops that are written once, as small Python functions, and translated into every target.

A kernel uses `for ... in range(...)`, `if`, assignments, subscripts, arithmetic and `abs`, and nothing else. Which of its names
are what is told by their annotations: `int` is an index, `list[Any]` an array of numbers, `list[int]` an array of indices;
a name assigned in the body is a number. `Translator` walks the syntax; targets fill in how each construct is written.

Whole algorithms are kernels too; they may use more, which LLVM alone understands (`llvm_loops.py`): `while`, `break`, `return`,
conditions with `and`, `or`, `not`, calls of other kernels and of compiled programs, and names annotated in the body.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from ...algebra import elimination
from ...algebra.linear import Shape
from ...errors import CompileError

Kernel = Callable[..., Any]
FACTORS: Final = "a"  # as kernels call them
RIGHT_SIDES: Final = "x"


def factor_kernel(shape: Shape) -> Kernel:
    return elimination.definite_factor if shape.kind == "definite" else elimination.general_factor


def solve_kernel(shape: Shape, transposed: bool, side_by_side: bool = False) -> Kernel:
    """The loop for one right side, or for several side by side."""
    if shape.kind == "definite":
        return elimination.definite_solve_rows if side_by_side else elimination.definite_solve
    return elimination.general_solve_transposed if transposed else elimination.general_solve


def has_pivots(shape: Shape) -> bool:
    return shape.kind != "definite"


def clear(n: int, x: list[Any]) -> None:
    """Zeros."""
    for i in range(n):
        x[i] = 0


def pack(size: int, lanes: int, first: int, stop: int, stride: int, source: list[Any], target: list[Any]) -> None:
    """Rows first, first + 1, ... of an array, side by side. Past the end the last row is repeated."""
    for lane in range(lanes):
        if first + lane < stop:
            for j in range(size):
                target[j * lanes + lane] = source[(first + lane) * stride + j]
        else:
            for j in range(size):
                target[j * lanes + lane] = source[(stop - 1) * stride + j]


def unpack(size: int, lanes: int, first: int, stop: int, source: list[Any], target: list[Any]) -> None:
    """The reverse of `pack`; what lies past the end is dropped."""
    for lane in range(lanes):
        if first + lane < stop:
            for j in range(size):
                target[(first + lane) * size + j] = source[j * lanes + lane]


@cache
def syntax(kernel: Kernel) -> tuple[ast.FunctionDef, dict[str, str]]:
    """Syntax of a kernel and what its names are: "index", "numbers", "indices" or "number"."""
    tree = ast.parse(inspect.getsource(kernel)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    kinds: dict[str, str] = {}
    for a in tree.args.args:
        kinds[a.arg] = _ANNOTATIONS[ast.unparse(a.annotation)] if a.annotation else ""
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            kinds[node.target.id] = "index"
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            kinds[node.target.id] = _ANNOTATIONS[ast.unparse(node.annotation)]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            kinds.setdefault(node.targets[0].id, "number")
    return tree, kinds


_ANNOTATIONS: Final = {
    "int": "index",
    "float": "number",
    "list[Any]": "numbers",
    "Numbers": "numbers",
    "list[int]": "indices",
    "Indices": "indices",
    "Function": "function",
}


class Translator:
    """Walks a kernel and calls the target's methods: `loop`, `choose`, `assign`, `store`."""

    def __init__(self, kernel: Kernel, fixed: dict[str, Any]) -> None:
        self.tree, self.kinds = syntax(kernel)
        self.fixed = fixed  # what is known when the kernel is translated, as its size

    def run(self) -> None:
        self.block(self.tree.body)

    def block(self, statements: list[ast.stmt]) -> None:
        for s in statements:
            self.statement(s)

    def statement(self, s: ast.stmt) -> None:
        if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant):
            return  # the docstring
        if isinstance(s, ast.For) and isinstance(s.target, ast.Name) and isinstance(s.iter, ast.Call):
            bounds = s.iter.args
            start, stop = (ast.Constant(0), bounds[0]) if len(bounds) == 1 else bounds[:2]
            self.loop(s.target.id, start, stop, ast.literal_eval(bounds[2]) if len(bounds) == 3 else 1, s.body)
        elif isinstance(s, ast.If):
            self.choose(s.test, s.body, s.orelse)
        elif isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
            self.assign(s.targets[0].id, s.value)
        elif isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Subscript):
            self.store(s.targets[0], s.value)
        else:
            self.other(s)

    def other(self, s: ast.AST) -> None:
        """Statements and expressions that only some targets understand."""
        raise CompileError(f"kernel {self.tree.name}: {ast.unparse(s)!r} is outside the subset that targets understand")

    def is_index(self, e: ast.expr) -> bool:
        """Whether an expression is an index rather than a number."""
        if isinstance(e, ast.Name):
            return e.id in self.fixed or self.kinds[e.id] == "index"
        if isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name):
            return self.kinds.get(e.value.id) == "indices"
        if isinstance(e, ast.BinOp):
            return self.is_index(e.left) and self.is_index(e.right)
        return isinstance(e, ast.Constant)

    def loop(self, name: str, start: ast.expr, stop: ast.expr, step: int, body: list[ast.stmt]) -> None:
        raise NotImplementedError

    def choose(self, test: ast.expr, yes: list[ast.stmt], no: list[ast.stmt]) -> None:
        raise NotImplementedError

    def assign(self, name: str, value: ast.expr) -> None:
        raise NotImplementedError

    def store(self, target: ast.Subscript, value: ast.expr) -> None:
        raise NotImplementedError
