"""Curves of fibres and tendons: smooth functions of lengths and velocities in their own units.

    active      fl(l) = Σ b₁ exp(-½ ((l - b₂) / (b₃ + b₄ l))²)            three terms
    passive     fp(l) = (exp(k (l - 1)/e₀) - o) / (exp(k) - o)            o = 1, or exp(k (l₀ - 1)/e₀)
    velocity    fv(v) = d₁ asinh(d₂ v + d₃) + d₄
    tendon      ft(l) = c₁ exp(kT (l - c₂)) - c₃,    kT = ln((1 + c₃)/c₁) / (1 + eT - c₂)

F. De Groote, A. L. Kinney, A. V. Rao, B. J. Fregly: Evaluation of direct collocation optimal control problem
formulations for solving the muscle redundancy problem. Annals of Biomedical Engineering 44 (2016), supplement.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import symbody as sb

from ...argument_kinds import answered
from ...errors import ModelError, shown, unknown


@dataclass(frozen=True, kw_only=True)
class MuscleCurves:
    """Force over length and velocity of fibres and tendons: forces in maximal isometric forces, lengths of fibres in
    optimal lengths, velocities in maximal ones (lengthening is positive), lengths of tendons in slack lengths.

    bells            b₁, b₂, b₃, b₄ of the three terms of the active force
    passive_strain   e₀, the strain of a fibre whose passive force is one
    passive_shape    k
    passive_zero     l₀, the length at which the passive force is zero; below it is a little negative
    velocity         d₁, d₂, d₃, d₄ of the force over velocity
    tendon           c₁, c₂, c₃
    tendon_strain    eT, the strain of a tendon whose force is one

    >>> bio = sb.kits.biomechanics
    >>> curves = bio.muscle_curves("opensim")
    >>> [sb.evaluate(curves.active_force(l)) for l in (0.5, 1.0, 1.5)]
    [0.0541122, 1.0, 0.226149]
    >>> [sb.evaluate(curves.passive_force(l)) for l in (1.0, 1.5)]
    [0.0182288, 0.513374]

    See also: `kits.biomechanics.muscle_curves`, `kits.biomechanics.muscle`.
    """

    bells: tuple[tuple[float, float, float, float], ...]
    passive_strain: float
    passive_shape: float
    passive_zero: float
    velocity: tuple[float, float, float, float]
    tendon: tuple[float, float, float]
    tendon_strain: float

    @property
    def tendon_stiffness(self) -> Any:
        """kT.

        >>> curves = sb.kits.biomechanics.muscle_curves()
        >>> sb.evaluate(curves.tendon_stiffness)
        33.9367

        See also: `kits.biomechanics.muscle_curves`.
        """
        c1, c2, c3 = self.tendon
        return sb.log((1 + c3) / c1) / (1 + self.tendon_strain - c2)

    def active_force(self, length: Any) -> Any:
        """fl, of a fully activated fibre that keeps its length."""
        terms = [b1 * sb.exp(-(((length - b2) / (b3 + b4 * length)) ** 2) / 2) for b1, b2, b3, b4 in self.bells]
        return sum(terms[1:], terms[0])

    def passive_force(self, length: Any) -> Any:
        """fp."""
        k, e0 = self.passive_shape, self.passive_strain
        offset = sb.exp(k * (self.passive_zero - 1) / e0)
        return (sb.exp(k * (length - 1) / e0) - offset) / (sb.exp(k) - offset)

    def velocity_factor(self, velocity: Any) -> Any:
        """fv, by which the active force is multiplied.

        >>> curves = sb.kits.biomechanics.muscle_curves("opensim")
        >>> [sb.evaluate(curves.velocity_factor(v)) for v in (-0.5, 0.5)]
        [0.234036, 1.58842]
        >>> sb.evaluate(curves.velocity_of_factor(0.234036387))
        -0.5

        See also: `kits.biomechanics.muscle_curves`.
        """
        d1, d2, d3, d4 = self.velocity
        x = d2 * velocity + d3
        return d1 * sb.log(x + sb.sqrt(x * x + 1)) + d4

    def velocity_of_factor(self, factor: Any) -> Any:
        """The velocity of a fibre whose active force is multiplied by this factor."""
        d1, d2, d3, d4 = self.velocity
        return (sb.sinh((factor - d4) / d1) - d3) / d2

    def tendon_force(self, length: Any) -> Any:
        """ft.

        >>> curves = sb.kits.biomechanics.muscle_curves("opensim")
        >>> sb.evaluate(curves.tendon_force(1.02)), sb.evaluate(curves.tendon_length(1.0))
        (0.215569, 1.049)

        See also: `kits.biomechanics.muscle_curves`.
        """
        c1, c2, c3 = self.tendon
        return c1 * sb.exp(self.tendon_stiffness * (length - c2)) - c3

    def tendon_length(self, force: Any) -> Any:
        """The length of a tendon of this force."""
        c1, c2, c3 = self.tendon
        return sb.log((force + c3) / c1) / self.tendon_stiffness + c2


SETS: Final = {
    "2016": MuscleCurves(
        bells=((0.814, 1.06, 0.162, 0.0633), (0.433, 0.717, -0.0299, 0.2), (0.1, 1.0, 0.354, 0.0)),
        passive_strain=0.6,
        passive_shape=4.0,
        passive_zero=1.0,
        velocity=(-0.318, -8.149, -0.374, 0.886),
        tendon=(0.2, 0.995, 0.25),
        tendon_strain=0.049,
    ),
    "opensim": MuscleCurves(
        bells=(
            (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
            (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
            (0.1, 1.0, 0.353553390593274, 0.0),
        ),
        passive_strain=0.6,
        passive_shape=4.0,
        passive_zero=0.2,
        velocity=(-0.3211346127989808, -8.149, -0.374, 0.8825327733249912),
        tendon=(0.2, 1.0, 0.2),
        tendon_strain=0.049,
    ),
}


@answered
def muscle_curves(
    curves: str | MuscleCurves = "2016", *, tendon_strain: float | None = None, passive_strain: float | None = None
) -> MuscleCurves:
    """The curves of De Groote and Fregly.

    curves           "2016": numbers as printed, which SymPy has too; "opensim": those of OpenSim's
                     DeGrooteFregly2016Muscle, on which the curves meet their knots: fl(1) = fv(0) = 1, fv(-1) = 0,
                     ft(1) = 0, and the passive force is zero at a length of 0.2
    tendon_strain    of a tendon that carries the maximal isometric force (0.049)
    passive_strain   of a fibre whose passive force is that (0.6)

    >>> bio = sb.kits.biomechanics
    >>> printed, met = bio.muscle_curves(), bio.muscle_curves("opensim")
    >>> sb.evaluate([printed.active_force(1), met.active_force(1)])
    [0.99414, 1.0]
    >>> stiff = bio.muscle_curves("opensim", tendon_strain=0.033)
    >>> sb.evaluate(stiff.tendon_force(1.033))
    1.0

    See also: `kits.biomechanics.MuscleCurves`, `kits.biomechanics.muscle`.
    """
    if isinstance(curves, str):
        if curves not in SETS:
            raise unknown("muscle_curves", "set of curves", curves, SETS)
        curves = SETS[curves]
    if not isinstance(curves, MuscleCurves):
        raise ModelError(f"muscle_curves: expected '2016', 'opensim' or MuscleCurves, got {shown(curves)}")
    changes: dict[str, Any] = {"tendon_strain": tendon_strain, "passive_strain": passive_strain}
    for what, value in changes.items():
        if value is not None and not (isinstance(value, (int, float)) and 0 < value < 10):
            raise ModelError(
                f"muscle_curves: {what}= must be a strain, a positive number such as 0.05; got {shown(value)}"
            )
    return replace(curves, **{k: v for k, v in changes.items() if v is not None})
