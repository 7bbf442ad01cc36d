"""A program for the derivatives of forward dynamics of a tree: what depends on the state written out, pairs of degrees
of freedom in loops."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...derivation.kinematics.composite_bodies import Composite
from ...derivation.programs.tree_form import TreeForm, coordinates_in_loads, tree_form
from ..programs.program import Instruction, Output, Program
from ..programs.tree_shape import INPUTS, TreeShape
from .lower import program

MAX_FORCE_DERIVATIVES: Final = (
    3  # nonzero derivatives of forces per column: with more, the loops would mostly add them up
)


def tree_program(
    name: str,
    inputs: Mapping[str, Any],
    eq: Equations,
    groups: Mapping[str, Sequence[Symbol]],
    matrices: Collection[str] = (),
    **options: Any,
) -> Program | None:
    """∂u'/∂x as output a_x for each group x; None if the loops do not fit: other mechanisms than trees (see
    `tree_form`), derivatives without all coordinates and speeds or with respect to what moves bodies otherwise, forces
    that depend on much. `matrices` and `options` are those of `program`."""
    moving, wanted = eq.variables.of("q u").symbols, [s for g in groups.values() for s in g]
    others = [s for s in wanted if s not in set(moving)]
    if len(wanted) != len(set(wanted)) or not set(moving) <= set(wanted):
        return None
    columns = [*moving, *others]
    ranges = [(columns.index(g[0]), len(g)) for g in groups.values()]
    if any(columns[k : k + count] != list(g) for (k, count), g in zip(ranges, groups.values(), strict=True)):
        return None
    if coordinates_in_loads(eq) > MAX_FORCE_DERIVATIVES * len(columns):
        return None
    form = tree_form(eq)
    if form is None:
        return None
    slopes = _slopes(form, columns, others)
    if slopes is None:
        return None
    shape = _shape(form, ranges, len(others), list(slopes))
    straight = program(name, inputs, {"state": _state(form, list(slopes.values()))}, **options)
    return _with_loops(straight, shape, {f"a_{k}": len(g) for k, g in groups.items()}, matrices)


def _slopes(form: TreeForm, columns: Sequence[Symbol], others: Sequence[Symbol]) -> dict[tuple[int, int], Expr] | None:
    """∂forces/∂columns by column and degree of freedom."""
    if set(free_symbols(_state(form, [], forces=False))) & set(others):
        return None
    number = {s: k for k, s in enumerate(columns)}
    near = [[s for s in free_symbols(f) if s in number] for f in form.forces]
    if sum(map(len, near)) > MAX_FORCE_DERIVATIVES * len(columns):
        return None
    out: dict[tuple[int, int], Expr] = {}
    for i, (f, symbols) in enumerate(zip(form.forces, near, strict=True)):
        row = jacobian([f], symbols)
        out |= {(number[s], i): row[0, k] for k, s in enumerate(symbols) if row[0, k] is not ZERO}
    return out


def _state(form: TreeForm, slopes: Sequence[Expr], forces: bool = True) -> list[Expr]:
    """What the loops start from, in the order of `INPUTS`."""
    arrays = {
        "S": [e for s in form.S for e in (*s.entries, ZERO, ZERO)],
        "speed": form.speed,
        "force": form.forces if forces else (),
        "falling": form.falling.entries,
        "lumps": [e for i in sorted(form.lumps) for e in _moments(form.lumps[i])],
        "twist": [e for _, s in form.twists for e in s.entries],
        "slopes": slopes,
    }
    return [e for name in INPUTS for e in arrays[name]]


def _moments(lump: Composite) -> list[Expr]:
    """Mass, first and second moments."""
    P = lump.P
    return [lump.m, *lump.h.entries, *(P[k, k] for k in range(3)), P[0, 1], P[0, 2], P[1, 2]]


def _shape(form: TreeForm, groups: list[tuple[int, int]], more: int, entries: list[tuple[int, int]]) -> TreeShape:
    carrying = sorted(form.lumps)
    lump = tuple(carrying.index(i) if i in form.lumps else -1 for i in range(form.n))
    joint = tuple(first for first, _ in form.twists)
    return TreeShape(form.parent, form.last, lump, form.speeds, joint, tuple(groups), more, tuple(entries))


def _with_loops(p: Program, shape: TreeShape, sizes: Mapping[str, int], matrices: Collection[str]) -> Program:
    tree = len(p.code)
    items = tuple(Instruction("item", (tree,), k) for k in range(shape.results))
    outputs = []
    for g, (key, size) in enumerate(sizes.items()):
        values, n = tuple(tree + 1 + k for k in shape.items(g)), shape.n
        if size == 1 and key not in matrices:
            outputs.append(Output(key, (n,), values, tuple((i,) for i in range(n))))
        else:
            outputs.append(Output(key, (n, size), values, tuple((i, j) for i in range(n) for j in range(size))))
    block = Instruction("tree", p.outputs[0].values, shape)
    return replace(p, code=(*p.code, block, *items), outputs=tuple(outputs))
