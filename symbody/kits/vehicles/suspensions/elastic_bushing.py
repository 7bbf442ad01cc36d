"""Bushings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError
from ....summary import Summarized, Summary


@dataclass(frozen=True, eq=False, repr=False)
class Bushing(Summarized):
    """What a bushing does, as expressions in the frame of its parent.

    deflection   three displacements, then three rotations: of a small one the angles, of any one sin φ along its axis
    wrench       force and moment on the child, at its origin
    """

    deflection: sb.Matrix
    wrench: sb.Matrix

    def _summary(self) -> Summary:
        return Summary(
            "Bushing",
            (("deflection", str(self.deflection[0])), ("next", "deflection[k], wrench[k]: x, y, z, then rotations")),
        )


@answered
@sb.bodies.all_or_nothing
def bushing(m: sb.Model, name: str, parent: Any, child: Any, *, stiffness: Any, damping: Any = 0) -> Bushing:
    """A bushing between two frames that lie on each other at rest.

        x = (d, θ),   θ = ½ axial(R - Rᵀ),   θ' = A ω,   A = ½ (tr R 1 - R)
        f = -K x - C x',   force f_d, moment Aᵀ f_θ

    so that the power of the wrench is f · x', exactly: elastic energy is kept, and damping takes energy at any rotation.

    stiffness   six numbers or expressions, a 6 by 6 matrix, or six functions: the force of a deflection (curves:
                `sb.integrate.interpolation(name, deflection, force)`), in the axes of the parent
    damping     six, a 6 by 6 matrix, or one for all
    """
    outer, inner = (sb.bodies.frame_at(p) for p in (parent, child))
    d = (inner.origin - outer.origin).components(outer)
    R = outer.dcm(inner)
    theta = [(R[2, 1] - R[1, 2]) / 2, (R[0, 2] - R[2, 0]) / 2, (R[1, 0] - R[0, 1]) / 2]
    x = sb.matrix([[e] for e in (*d.entries, *theta)])
    f = -_law(f"bushing {name!r}, stiffness=", stiffness, x) - _law(
        f"bushing {name!r}, damping=", damping, sb.time_derivative(x)
    )
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    A = (trace * sb.identity(3) - R) / 2
    moment = A.T @ sb.vector(*f.entries[3:])
    m.force(name, inner, outer.vector(*f.entries[:3]), at=inner.origin, reacting=outer)
    m.torque(f"{name}.moment", inner, outer.vector(*moment.entries), reacting=outer)
    return Bushing(x, sb.stack(sb.vector(*f.entries[:3]), moment))


def _law(where: str, given: Any, x: sb.Matrix) -> sb.Matrix:
    """Six forces of six deflections."""
    if isinstance(given, sb.Matrix) or (
        isinstance(given, Sequence) and len(given) == 6 and isinstance(given[0], Sequence)
    ):
        return sb.matrix([list(given.row(i)) for i in range(6)] if isinstance(given, sb.Matrix) else given) @ x
    if hasattr(given, "shape") and given.shape == (6, 6):
        return sb.matrix(given.tolist()) @ x
    each = list(given) if isinstance(given, Sequence) or hasattr(given, "shape") else [given] * 6
    if len(each) != 6:
        raise ModelError(
            f"{where}: six are needed, three along and three about the axes, or a 6 by 6 matrix; got {len(each)}"
        )
    forces = [k(e) if isinstance(k, Callable) else k * e for k, e in zip(each, x.entries, strict=True)]  # type: ignore[arg-type]
    return sb.matrix([[f] for f in forces])
