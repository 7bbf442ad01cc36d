"""Gaussian eliminations in source text, recognised by their syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from .package_sources import nodes

ELIMINATIONS = {  # functions that may eliminate, and why each has a text of its own
    ("symbody/algebra/elimination/elimination.py", "definite_factor"): "L D Lᵀ of symmetric matrices, without pivots: half of the work",
    ("symbody/algebra/elimination/elimination.py", "general_factor"): "L U whose factors are kept for many right sides, in every language",
    ("symbody/algebra/elimination/elimination.py", "eliminate"): "one column, with any choice of pivots: what everything else calls",
    ("symbody/algebra/elimination/elimination.py", "solve_columns"): "back substitution beside the matrix",
    ("symbody/integrate/elimination_kernels/complex_elimination.py", "complex_factor"): "complex numbers, as two arrays of real ones",
    ("symbody/integrate/elimination_kernels/sparse_elimination.py", "sparse_factor"): "few entries, in an order that is known",
    ("symbody/integrate/elimination_kernels/sparse_elimination.py", "sparse_complex_factor"): "the same of complex numbers",
}  # fmt: skip


@cache
def eliminations(tree: ast.Module) -> tuple[tuple[str, int], ...]:
    """Functions and lines that subtract a multiple of one row from another, a_ij - t a_kj, in two loops at least, where
    t is made of entries of the same matrix. (Of projections, as Gram and Schmidt's, t is a sum.)"""
    loops = [
        (n.lineno, isinstance(n, ast.ListComp))
        for n in nodes(tree)
        if isinstance(n, ast.For | ast.While | ast.ListComp)
    ]
    functions = [f for f in nodes(tree) if loops and isinstance(f, ast.FunctionDef) and _has_two_loops(f, loops)]
    return tuple((f.name, line) for f in functions for line in sorted(set(_RowOperations(f).lines(f, 0))))


def _has_two_loops(function: ast.FunctionDef, loops: list[tuple[int, bool]]) -> bool:
    """Loops or, inside of one, lists made in a line: without them the slower search finds nothing."""
    first, last = function.lineno, function.end_lineno or function.lineno
    inside = [is_list for line, is_list in loops if first <= line <= last]
    return len(inside) > 1 and not all(inside)


class _RowOperations:
    def __init__(self, function: ast.FunctionDef) -> None:
        self.values: dict[str, list[ast.expr]] = {}  # that are assigned to each name
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(name)], value=value) | ast.NamedExpr(ast.Name(name), value):
                    self.values.setdefault(name, []).append(value)
                case ast.AugAssign(target=ast.Name(name) as target, op=op, value=value):
                    self.values.setdefault(name, []).append(ast.BinOp(target, op, value))

    def lines(self, node: ast.AST, loops: int) -> Iterator[int]:
        """Lines of row operations inside a node; `loops` of them are around it."""
        match node:
            case ast.For() | ast.While():
                loops += 1
            case ast.ListComp(elt=elt, generators=[generator]) if loops and self._subtracts(elt):
                if any(isinstance(x, ast.Subscript | ast.Name) for x in ast.walk(generator.iter)):
                    yield node.lineno
            case ast.Assign(targets=[ast.Subscript() as target], value=ast.BinOp() as value) if loops > 1:
                if any(self._is_multiple(p, target) for p in _products(value)):
                    yield node.lineno
            case ast.AugAssign(target=ast.Subscript() as target, op=ast.Sub(), value=ast.BinOp() as product):
                if loops > 1 and self._is_multiple(product, target):
                    yield node.lineno
            case ast.BinOp(
                op=ast.Sub(), right=ast.Call(ast.Name("sum"), [ast.GeneratorExp(elt=ast.BinOp() as product)])
            ):
                if loops > 1 and _matrix(product.left) == _matrix(product.right) is not None:
                    yield node.lineno  # Cholesky's factors, from sums over those before
        for child in ast.iter_child_nodes(node):
            yield from self.lines(child, loops)

    def _is_multiple(self, product: ast.BinOp, target: ast.Subscript) -> bool:
        """Whether a product is t times an entry, or a row, of the target's matrix."""
        if not isinstance(product.op, ast.Mult):
            return False
        matrix = _matrix(target)
        pairs = ((product.left, product.right), (product.right, product.left))
        return any(_matrix(entry) == matrix and self._is_multiplier(t, matrix) for t, entry in pairs)

    def _subtracts(self, e: ast.expr) -> bool:
        """x - t y of two rows side by side."""
        return any(
            isinstance(p, ast.BinOp) and isinstance(p.op, ast.Sub) and isinstance(p.right, ast.BinOp)
            and isinstance(p.right.op, ast.Mult) and any(self._is_multiplier(t) for t in (p.right.left, p.right.right))
            for p in ast.walk(e)
        )  # fmt: skip

    def _is_multiplier(self, t: ast.expr, matrix: str | None = None) -> bool:
        """Whether t is made of entries, of one matrix where it is given, and is no sum that a loop has added up."""
        values = self.values.get(t.id, []) if isinstance(t, ast.Name) else [t]
        if isinstance(t, ast.Name) and any(
            isinstance(x, ast.Name) and x.id == t.id for v in values for x in ast.walk(v)
        ):
            return False
        parts = [x for v in values if not isinstance(v, ast.Call) for x in ast.walk(v) if isinstance(x, ast.Subscript)]
        return any(matrix is None or _matrix(x) == matrix for x in parts)


def _products(e: ast.expr) -> Iterator[ast.BinOp]:
    """Products that a sum subtracts, or adds with a sign of their own."""
    if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Add | ast.Sub):
        yield from _products(e.left)
        if isinstance(e.right, ast.BinOp):
            yield e.right


def _matrix(e: ast.expr) -> str | None:
    """What an entry is one of."""
    if not isinstance(e, ast.Subscript):
        return None
    while isinstance(e, ast.Subscript):
        e = e.value
    return ast.unparse(e)
