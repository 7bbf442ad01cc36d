"""The first variation of the equations of motion about a motion, in all their variables, from which linearisation
starts.

    δq' = rates_q δq + rates_u δu + rates_z δz + rates_r δr
    M δu' + force_q δq + force_u δu + force_z δz + force_dz δz' + force_r δr - Hᵀ δlam = 0
    phi_q δq + phi_r δr = 0                        holonomic constraints, and norms of Euler parameters
    Jc δu + speed_q δq + speed_r δr = 0
    Jc δu' + turn_q δq + turn_u δu + turn_r δr = 0 the rate of the row above along the motion
    more_dz δz' + more_du δu' + more_q δq + more_u δu + more_z δz + more_r δr = 0
    δy = out_q δq + out_u δu + out_z δz + out_r δr

Here r are the inputs, then their rates, then their second rates: three columns for each input. `force_q` is the
derivative of M u' - f - Jcᵀ lam, so it has the multipliers' part (the derivative of Jcᵀ times lam) in it, and where u'
is not zero that of M. H is Jc, unless loads contain multipliers (H = Jc + W).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Expr, Symbol, as_expr, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, scalars
from ...derivation.equations.equations import Equations
from ...errors import StabilityError, listed
from .condition_rows import acceleration_rows, position_rows, speed_rows
from .parameter_samples import substituted_and_folded


@dataclass(frozen=True)
class Variation:
    """First-order coefficients at the operating point (see the module)."""

    rates_q: Matrix
    rates_u: Matrix
    rates_z: Matrix
    rates_r: Matrix
    M: Matrix
    force_q: Matrix
    force_u: Matrix
    force_z: Matrix
    force_dz: Matrix
    force_r: Matrix
    phi_q: Matrix
    phi_r: Matrix
    H: Matrix
    Jc: Matrix
    speed_q: Matrix
    speed_r: Matrix
    turn_q: Matrix
    turn_u: Matrix
    turn_r: Matrix
    more_dz: Matrix
    more_du: Matrix
    more_q: Matrix
    more_u: Matrix
    more_z: Matrix
    more_r: Matrix
    out_q: Matrix
    out_u: Matrix
    out_z: Matrix
    out_r: Matrix

    def mapped(self, change: Any) -> Variation:
        """The same with all matrices changed at once, by a function from lists of matrices to lists of matrices."""
        return Variation(*change([getattr(self, f.name) for f in fields(self)]))


def input_columns(eq: Equations) -> tuple[Symbol, ...]:
    """Inputs, their rates and their second rates."""
    return tuple(symbol(s.stem, "input", order) for order in range(3) for s in eq.variables.inputs)


def variation(eq: Equations, outputs: Mapping[str, Expr], point: Mapping[Symbol, Expr]) -> Variation:
    """Derivatives of all equations, then the operating point put in."""
    _refuse(eq, outputs)
    q, u, z, r = eq.q, eq.u, eq.z, input_columns(eq)
    du, dz = tuple(s.dot for s in u), tuple(s.dot for s in z)
    positions, speeds, turns = (
        [row.expression for row in rows] for rows in (position_rows(eq), speed_rows(eq), acceleration_rows(eq))
    )
    forces, more, seen = eq.residual(), eq.h, list(outputs.values())
    asked: list[tuple[Any, tuple[Any, ...]]] = [
        *((eq.rates, wrt) for wrt in (q, u, z, r)),
        *((forces, wrt) for wrt in (du, q, u, z, dz, r)),
        (positions, q), (positions, r), (speeds, u), (speeds, q), (speeds, r), (turns, q), (turns, u), (turns, r),
        *((more, wrt) for wrt in (dz, du, q, u, z, r)),
        *((seen, wrt) for wrt in (q, u, z, r)),
    ]  # fmt: skip
    slopes = [slopes_of(things, wrt) for things, wrt in asked]
    slopes.insert([f.name for f in fields(Variation)].index("H"), eq.augmented.directions)
    return Variation(*substituted_and_folded(slopes, point))


def slopes_of(things: Any, wrt: tuple[Any, ...]) -> Matrix:
    """Derivatives of some entries; an empty matrix for none."""
    rows = scalars(things)
    return jacobian(rows, wrt) if rows and wrt else Matrix(len(rows), len(wrt), ())


def _refuse(eq: Equations, outputs: Mapping[str, Expr]) -> None:
    state = {*eq.variables.arguments, *input_columns(eq)}
    for name, e in outputs.items():
        if strays := [s.name for s in free_symbols(as_expr(e)) if s not in state and s.kind != "parameter"]:
            raise StabilityError(
                f"linearisation of {eq.name!r}: output {name!r} is not a function of the state and the inputs, it contains "
                f"{listed(strays)}; leave it out with outputs={{...}}, or write it in terms of coordinates, speeds and variables"
            )
