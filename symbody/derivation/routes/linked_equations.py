"""Equations of constraints between the links of a tree, type by type, and of all others on first use."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.late_matrix import LateColumn, LateRows
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.mechanism.mechanism import Mechanism
from ..kinematics.kinematics import Kinematics
from ..kinematics.linked_constraints import LinkedParts, linked_parts
from ..kinematics.linked_loads import LinkedLoads, linked_loads
from .link_inertia import links_have_inertia
from .recursive import recursive
from .repeated_equations import GroupEquations, LateSystem, RepeatedEquations, equations_of_group


class LinkedEquations(RepeatedEquations):
    """phi, Jc, b, c of groups of constraints that are given by expressions.

    links, linked   the links, and all groups
    acting          loads on bodies
    """

    def __init__(self, mechanism: Mechanism, found: LinkedParts, acting: LinkedLoads) -> None:
        self.mechanism, self.parts = mechanism, found.parts
        self.links, self.linked, self.acting = found.links, found.groups, acting
        self.trees, self.loads = {}, {}
        self.groups: dict[Hashable, GroupEquations] = {}
        kinematics = Kinematics(mechanism)
        for g in found.groups:
            if not g.products and g.kind not in self.groups:
                self.groups[g.kind] = equations_of_group(kinematics, found.parts, g)


def linked_equations(mechanism: Mechanism) -> LinkedEquations | None:
    """Equations of constraints between many equal links of a tree; None of other mechanisms."""
    return mechanism.cached("linked equations", (), lambda: _new_equations(mechanism))


def _new_equations(mechanism: Mechanism) -> LinkedEquations | None:
    found = linked_parts(mechanism)
    acting = None if found is None else linked_loads(mechanism, found.links)
    if found is None or acting is None or not links_have_inertia(mechanism):
        return None
    made = LinkedEquations(mechanism, found, acting)
    return made if made.is_linear else None


@dataclass(frozen=True)
class LateConstraintRows:
    """Makes Jc, b and c of constraints that are written out, on first use."""

    mechanism: Mechanism

    @cached_property
    def _kinematics(self) -> Kinematics:
        return Kinematics(self.mechanism)

    @cached_property
    def _rates(self) -> list[Expr]:
        k = self._kinematics
        psi = [k.rate(c.expression) for c in self.mechanism.holonomic]
        return psi + k.in_speeds([c.expression for c in self.mechanism.nonholonomic])

    def rows(self) -> list[dict[int, Expr]]:
        """Of each row of Jc the entries that are not zero everywhere, by column."""
        number = {u: j for j, u in enumerate(self.mechanism.u)}
        out = []
        for psi in self._rates:
            inside = sorted((s for s in free_symbols(psi) if s in number), key=number.__getitem__)
            entries = jacobian([psi], inside).entries if inside else ()
            out.append({number[s]: e for s, e in zip(inside, entries, strict=True) if e is not ZERO})
        return out

    def free_rates(self) -> tuple[Expr, ...]:
        return tuple(substitute_all(self._rates, dict.fromkeys(self.mechanism.u, ZERO)))

    def rates_at_constant_speed(self) -> tuple[Expr, ...]:
        return tuple(self._kinematics.rate_at_constant_speed(e) for e in self._rates)

    def __reduce__(self) -> tuple[type[LateConstraintRows], tuple[Mechanism]]:
        return LateConstraintRows, (self.mechanism,)


def linked_system(mechanism: Mechanism, kinematics: Kinematics) -> LateSystem | None:
    """The equations of a mechanism whose links are coupled by constraints, built on first access; None of others."""
    if linked_equations(mechanism) is None:
        return None
    M, f = recursive(mechanism, kinematics)
    made, n, m = LateConstraintRows(mechanism), len(mechanism.u), len(mechanism.constraints)
    phi = [c.expression for c in mechanism.holonomic]
    tied = [*phi, *(c.expression for c in mechanism.nonholonomic), *mechanism.rates.values()]
    Jc = LateRows(m, n, made.rows, tied)
    b, c = LateColumn(m, made.free_rates, tied), LateColumn(m, made.rates_at_constant_speed, tied)
    return LateSystem(M, f, Matrix(len(phi), 1, tuple(phi)), Jc, b, c)
