"""Dimensions of a mechanism: what its parts require of the expressions in them, and units that follow from that.

A mass is in kg, a place in m, an angle is a number, a force on the rate of q times q is a work. Statements with a
declared unit in them are checked; the others only help to infer units, since a number 1 that stands for a mass or a
stiffness leaves no trace in an expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Final

from ...algebra.calculus.dimensions import Conflict, Dimension, Dimensions, of_unit
from ...algebra.graph.graph import Expr, Symbol, symbol
from ...algebra.graph.names import stem_and_order
from ...algebra.graph.walk import free_symbols, scalars
from ...algebra.printing.printing import outline
from ...units import Unit, rate_unit, unit_meant, unit_text
from ..frames.rotations import Turn
from .mechanism import Body, Load, Mechanism

_ANY: Final = symbol("any", "variable")  # equated with an expression whose dimension is wanted
WRITTEN_LOADS: Final = ("force", "torque", "generalized force")  # kinds whose vectors are as the user wrote them


@dataclass(frozen=True)
class Statement:
    """An expression of some part, and its dimension.

    part         for a message: "body 'rod': mass"
    expected     the dimension; None if the expression only has to be consistent in itself
    is_checked   whether a contradiction is a fault: it has a declared unit
    """

    part: str
    expression: Expr
    expected: Dimension | None = None
    is_checked: bool = False


@dataclass(frozen=True)
class DimensionCheck:
    """Result of `dimension_check`.

    faults       sentences, one for each statement whose dimensions contradict what is known from the others
    units        coherent SI units of symbols that were not declared, where they follow from the parts
    dimensions   of all symbols, as far as they are known
    """

    faults: tuple[str, ...]
    units: dict[Symbol, str]
    dimensions: Dimensions


def dimension_check(mechanism: Mechanism) -> DimensionCheck:
    """Check the dimensions of everything that a mechanism was made of, and infer the units of its symbols."""
    dimensions = Dimensions()
    declared = {s: unit_meant(text) for s, text in mechanism.units.items()}
    for s, unit in declared.items():
        if unit is not None:
            dimensions.declare(s, unit)
    stems = {s.stem for s, unit in declared.items() if unit is not None}
    groups: tuple[list[Statement], ...] = ([], [], [])  # symbols alone, with declared units in them, others
    for statement in statements(mechanism, dimensions):
        is_checked = any(s.stem in stems for s in free_symbols(statement.expression))
        is_symbol = isinstance(statement.expression, Symbol)
        groups[0 if is_symbol else 1 if is_checked else 2].append(replace(statement, is_checked=is_checked))
    faults = []
    for statement in chain(*groups):
        dimensions.numbers_are_pure = statement.is_checked
        conflict = dimensions.require([statement.expression], statement.expected)
        if conflict is not None and statement.is_checked:
            faults.append(_sentence(statement, conflict))
    return DimensionCheck(tuple(dict.fromkeys(faults)), _inferred_units(mechanism, dimensions), dimensions)


def declared_unit(units: Mapping[Symbol, str], name: str) -> str:
    """The unit that was declared for a symbol, or, of a time derivative, follows from that; empty if there is
    none."""
    stem, order = stem_and_order(name)
    by_name = {s.name: unit for s, unit in units.items()}
    return by_name.get(name) or rate_unit(by_name.get(stem, ""), order)


class InferredUnits:
    """Units that follow from the parts of a mechanism, found when they are first asked for."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    def of(self, s: Symbol) -> str:
        """The coherent SI unit of a symbol; empty if it is unknown, or a pure number."""
        return _unit_where_whole(self._check.dimensions.of_symbol(s)) if self._has_units else ""

    def of_expression(self, e: Expr, zeros: Iterable[Expr] = ()) -> str:
        """The coherent SI unit of an expression; empty if it is unknown, or a pure number. A factor that is a number may
        stand for a mass or a length, so that a product with one has no known unit.

        zeros   expressions that vanish, from which dimensions of further symbols follow
        """
        if not self._has_units:
            return ""
        found = ""
        for numbers_are_pure in (True, False):  # a contradiction that a number explains leaves the unit open
            known = self._check.dimensions
            tried = replace(known, known=dict(known.known), numbers_are_pure=numbers_are_pure)
            for zero in zeros:
                tried.require([zero])
            if tried.require([_ANY - e]) is not None:
                return ""
            found = _unit_where_whole(tried.of_symbol(_ANY))
        return found

    @property
    def _has_units(self) -> bool:
        """Whether there are bodies or declared units: in equations that were written, x' = v alone does not determine
        the unit of x."""
        return bool(self.mechanism.bodies or self.mechanism.units)

    @cached_property
    def _check(self) -> DimensionCheck:
        return dimension_check(self.mechanism)


def _unit_where_whole(exponents: tuple[Fraction, ...] | None) -> str:
    """Empty for pure numbers, and for roots of units, which equations without mechanics may have."""
    known = exponents is not None and any(exponents) and all(e.denominator == 1 for e in exponents)
    return unit_text(exponents) if exponents is not None and known else ""


def _sentence(statement: Statement, conflict: Conflict) -> str:
    if conflict.node is None:
        return f"{statement.part}: {outline(statement.expression)} is in {conflict.first}, expected {conflict.second}"
    return f"{statement.part}: {outline(conflict.node)} combines {conflict.first} and {conflict.second}"


def _inferred_units(mechanism: Mechanism, dimensions: Dimensions) -> dict[Symbol, str]:
    out = {}
    for s in (*mechanism.q, *mechanism.u, *mechanism.z, *mechanism.r, *mechanism.p):
        if s not in mechanism.units and (found := dimensions.of_symbol(s)) is not None:
            out[s] = unit_text(found)
    return out


# ---------------------------------------------------------------------------------------------------------- statements


def statements(mechanism: Mechanism, dimensions: Dimensions) -> Iterator[Statement]:
    """What the parts of a mechanism require."""
    yield from _of_frames(mechanism)
    for body in mechanism.bodies:
        yield from _of_body(body)
    if mechanism.gravity is not None:
        yield from _each("gravity", scalars(mechanism.gravity), "m/s^2")
    for load in mechanism.loads:
        yield from _of_load(load, dimensions)
    for c in mechanism.constraints:
        if c.joint is None:
            yield Statement(f"constraint {c.name!r}", c.expression)
    for q, rate in mechanism.rates.items():
        yield Statement(f"rate of {q.name}", q.dot - rate)
    yield from _of_written(mechanism)


def _of_frames(mechanism: Mechanism) -> Iterator[Statement]:
    for f in mechanism.frames:
        yield from _each(f"frame {f.name!r}: position", f.offset.entries, "m")
        angles = [x.angle for x in f.rotation.factors if isinstance(x, Turn)]
        yield from _each(f"frame {f.name!r}: angle", angles, "rad")


def _of_body(b: Body) -> Iterator[Statement]:
    part = f"body {b.name!r}"
    if b.moments is not None:
        return
    yield from _each(f"{part}: mass", [b.mass.m], "kg")
    yield from _each(f"{part}: mass centre", b.mass.p_BoBcm.entries, "m")
    if b.mass.m.value is None or b.shape is None:
        yield from _each(f"{part}: inertia", b.mass.I_BBcm.entries, "kg m^2")


def _of_load(x: Load, dimensions: Dimensions) -> Iterator[Statement]:
    part = f"load {x.name!r}"
    joule = _unit("J")
    if x.kind in WRITTEN_LOADS:
        for a in x.actions[:1]:
            if a.force is not None:
                yield from _each(f"{part}: force", scalars(a.force), "N")
            if a.torque is not None:
                yield from _each(f"{part}: torque", scalars(a.torque), "N m")
    if x.kind == "potential" and x.potential is not None:
        yield Statement(f"{part}: potential energy", x.potential, of_unit(joule))
    for q, force in x.on_rates.items():
        if x.kind in WRITTEN_LOADS or isinstance(force, Symbol):
            expected = dimensions.product((q, -1), unit=joule if q.kind == "coordinate" else _unit("W"))
            yield Statement(f"{part}: force on {q.name}", force, expected)


def _of_written(mechanism: Mechanism) -> Iterator[Statement]:
    for name, e in mechanism.equations.items():
        yield Statement(f"equation {name!r}", e)
    for name, e in mechanism.kinetic.items():
        yield Statement(f"kinetic energy {name!r}", e, of_unit(_unit("J")))
    for u, e in mechanism.balances.items():
        yield Statement(f"balance of {u.name}", e)
    for name, output in mechanism.outputs.items():
        for entry in scalars(output):
            yield Statement(f"output {name!r}", entry)


def _each(part: str, expressions: Iterable[Expr], unit: str) -> Iterator[Statement]:
    """A statement for each expression that is not a number."""
    expected = of_unit(_unit(unit))
    return (Statement(part, e, expected) for e in expressions if e.value is None)


def _unit(text: str) -> Unit:
    found = unit_meant(text)
    assert found is not None, text
    return found
