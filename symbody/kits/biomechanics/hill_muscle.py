"""Muscles along paths: fibres in series with a tendon, driven by an activation that follows an excitation.

With the length l of the path, that of the tendon lT and its slack length lS, the fibre's optimal length l₀ and
pennation α₀ there, and a muscle of constant thickness w:

    x = l - lT,   w = l₀ sin α₀,   lM = √(x² + w²),   cos α = x / lM,   lM' = x' cos α
    F = F₀ (a fl(lM/l₀) fv(v) + fp(lM/l₀) + β v) cos α,   v = lM' / (l₀ v₀)

rigid     lT = lS, and F follows from the length and rate of the path
elastic   f = F/F₀ is a state, lT = lS ft⁻¹(f), and the fibre's velocity v is what balances fibre and tendon:
          f' = kT (f + c₃) (l' - l₀ v₀ v / cos α) / lS,   0 = f - (a fl fv(v) + fp + β v) cos α
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ...argument_kinds import answered, checked_flags
from ...errors import ModelError, shown, unknown
from ...summary import Summarized, Summary, summary_rows
from .characteristic_curves import MuscleCurves, muscle_curves

Array = NDArray[np.float64]
TENDONS: Final = ("rigid", "elastic")
OUTPUTS: Final = ("length", "fibre_length", "fibre_velocity", "force", "arms")


@dataclass(frozen=True, eq=False, repr=False)
class Muscle(Summarized):
    """A muscle of a model, by expressions.

    name             with which its variables and outputs begin
    path             the line along which it pulls
    force            of the tendon, positive if it pulls the ends together
    excitation       between 0 and 1; None if the activation was given
    activation       a
    fibre_length     lM
    fibre_velocity   lM', positive where the fibre lengthens
    cos_pennation    cos α
    tendon_length    lT
    tendon           "rigid" or "elastic"
    numbers          of `muscle`, by its arguments: max_force, optimal_length, ...; curves

    >>> m = sb.Model("pull")
    >>> block = m.body("block", mass=2)
    >>> x = m.prismatic("x", m.ground, block).q
    >>> path = m.path("flexor", [m.ground.point(-0.3, 0, 0), block.point(0, 0, 0)])
    >>> bio = sb.kits.biomechanics
    >>> flexor = bio.muscle(m, "flexor", path, max_force=500, optimal_length=0.1, slack_length=0.2, activation=1)
    >>> sb.evaluate([flexor.moment_arm(x), flexor.fibre_length], {x: 0.02})
    [-1.0, 0.12]

    See also: `kits.biomechanics.muscle`.
    """

    name: str
    path: sb.bodies.LinePath
    force: Any
    excitation: Any
    activation: Any
    fibre_length: Any
    fibre_velocity: Any
    cos_pennation: Any
    tendon_length: Any
    tendon: str
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def _summary(self) -> Summary:
        rows = summary_rows(
            path=self.path.name, tendon=self.tendon, excitation="" if self.excitation is None else str(self.excitation)
        )
        return Summary(f"Muscle {self.name}", (*rows, ("next", "force, length, fibre_length, moment_arm(q)")))

    @property
    def length(self) -> Any:
        """Of fibre and tendon together: that of the path.

        >>> m = sb.Model("pull")
        >>> block = m.body("block", mass=2)
        >>> x = m.prismatic("x", m.ground, block).q
        >>> path = m.path("flexor", [m.ground.point(-0.3, 0, 0), block.point(0, 0, 0)])
        >>> bio = sb.kits.biomechanics
        >>> flexor = bio.muscle(m, "flexor", path, max_force=500, optimal_length=0.1, slack_length=0.2)
        >>> sb.evaluate(flexor.length, {x: 0.02}), flexor.excitation
        (0.32, flexor_excitation)
        >>> sb.evaluate(flexor.power, {x: 0.02, x.dot: 0.1, "flexor_activation": 0.5})
        -27.2638

        See also: `bodies.LinePath`.
        """
        return self.path.length

    @cached_property
    def power(self) -> Any:
        """The power delivered to the bodies: -F l'."""
        return -self.force * self.path.rate

    def moment_arm(self, q: Any) -> Any:
        """-∂l/∂q: the generalised force at the coordinate per newton of muscle force."""
        return -sb.derivative(self.path.length, q)


@answered
def activation_rate(excitation: Any, activation: Any, *, times: Any = (0.015, 0.060), smoothing: Any = 10) -> Any:
    """The rate of an activation a that follows an excitation e (De Groote et al. 2016, equation 1).

        a' = ((½ + s)/(τ₁ (½ + 3a/2)) + (½ + 3a/2)(½ - s)/τ₂) (e - a),   s = ½ tanh(b (e - a))

    times       τ₁ of activation, τ₂ of deactivation [s]
    smoothing   b; 10 here as in SymPy. OpenSim's default is 0.1, of which its documentation says that the times are
                not those that are meant

    >>> sb.evaluate(sb.kits.biomechanics.activation_rate(1.0, 0.2))
    66.6667

    See also: `kits.biomechanics.muscle`.
    """
    rise, fall = times
    level = 0.5 + 1.5 * activation
    s = sb.tanh(smoothing * (excitation - activation)) / 2
    return ((0.5 + s) / (rise * level) + level * (0.5 - s) / fall) * (excitation - activation)


@checked_flags(ModelError)
@sb.bodies.all_or_nothing
def muscle(
    m: sb.Model,
    name: str,
    path: sb.bodies.LinePath,
    *,
    max_force: Any,
    optimal_length: Any,
    slack_length: Any,
    pennation: Any = 0,
    tendon: str = "rigid",
    curves: str | MuscleCurves = "2016",
    max_speed: Any = 10,
    damping: Any = 0.1,
    excitation: Any = None,
    activation: Any = None,
    times: tuple[Any, Any] = (0.015, 0.060),
    smoothing: Any = 10,
    outputs: bool | Sequence[str] = True,
) -> Muscle:
    """A muscle along a path of the model, after De Groote and Fregly (2016).

        F = F₀ (a fl(lM/l₀) fv(v) + fp(lM/l₀) + β v) cos α

    max_force        F₀, the maximal isometric force [N]
    optimal_length   l₀ of the fibre [m]; slack_length lS of the tendon [m]
    pennation        α₀ at the optimal length [rad]; the thickness l₀ sin α₀ stays
    tendon           "rigid": no state; a path shorter than lS has no force. "elastic": the variable
                     `name_tension`, F/F₀, is a state, and `name_speed`, v, is what balances fibre and tendon
    curves           a set by name, or `muscle_curves(...)`
    max_speed        v₀, the velocity of the fastest shortening, in optimal lengths per second
    damping          β; an elastic tendon needs some, since without it nothing says how fast a fibre without activation
                     moves
    excitation       an expression; None: the input `name_excitation`. The activation `name_activation` follows it
    activation       an expression instead, without states; `times` and `smoothing` as in `activation_rate`
    outputs          name_length, name_fibre_length, name_fibre_velocity, name_force, and for each coordinate q that
                     moves the path the moment arm name_arm_q; or some: ("force", "arms"); or False

    Numbers may be expressions in parameters. A start with an elastic tendon: `assemble(eq, name_speed=0, ...)` finds
    the tension of a fibre at rest.

    >>> m = sb.Model("pull")
    >>> block = m.body("block", mass=2)
    >>> x = m.prismatic("x", m.ground, block).q
    >>> path = m.path("flexor", [m.ground.point(-0.3, 0, 0), block.point(0, 0, 0)])
    >>> bio = sb.kits.biomechanics
    >>> flexor = bio.muscle(m, "flexor", path, max_force=500, optimal_length=0.1, slack_length=0.2, pennation=0.2)
    >>> sb.evaluate(flexor.force, {x: 0, x.dot: 0, "flexor_activation": 0.5})
    246.185

    See also: `kits.biomechanics.Muscle`, `kits.biomechanics.muscle_curves`, `Model.path`.
    """
    where = f"muscle {name!r}"
    if not isinstance(path, sb.bodies.LinePath):
        raise ModelError(f"{where}: expected a path made by m.path, got {shown(path)}")
    if tendon not in TENDONS:
        raise unknown(where, "tendon", tendon, TENDONS)
    if excitation is not None and activation is not None:
        raise ModelError(f"{where}: has an excitation or an activation, not both")
    positive = {"max_force": max_force, "optimal_length": optimal_length, "slack_length": slack_length, "max_speed": max_speed}  # fmt: skip
    positive |= {"smoothing": smoothing, "times[0]": times[0], "times[1]": times[1]}
    for what, value in positive.items():
        if (number := _number(value)) is not None and not number > 0:
            raise ModelError(f"{where}: {what} must be positive, got {shown(value)}")
    if (angle := _number(pennation)) is not None and not 0 <= angle < 1.5:
        raise ModelError(
            f"{where}: pennation must be an angle in radians from 0 to less than π/2, got {shown(pennation)}"
        )
    if (beta := _number(damping)) is not None and (beta < 0 or (beta == 0 and tendon == "elastic")):
        raise ModelError(
            f"{where}: damping must be positive with an elastic tendon, where it determines how fast a fibre without activation moves, and not "
            f"negative with a rigid one; got {shown(damping)}"
        )
    laws = muscle_curves(curves)
    if activation is None:
        excitation = m.input(f"{name}_excitation") if excitation is None else excitation
        activation = m.variable(f"{name}_activation")
        m.rate(activation, activation_rate(excitation, activation, times=times, smoothing=smoothing))
    fibre = _Fibre(laws, activation, optimal_length, pennation, max_speed, damping)
    unit = (_rigid if tendon == "rigid" else _elastic)(m, name, path, fibre, max_force, slack_length)
    numbers = positive | {"pennation": pennation, "damping": damping, "curves": laws, "times": times}
    result = Muscle(name, path, unit.pop("force"), excitation, activation, **unit, tendon=tendon, numbers=numbers)
    m.parts.add_load(replace(path.load(name, "tension", m.parts.checked(where, result.force)), element=result))
    _add_outputs(m, result, outputs)
    return result


def _number(value: Any) -> float | None:
    """The value as a number; None if it is an expression of parameters."""
    value = value.value if isinstance(value, sb.Expr) else value
    return None if value is None else float(value)


@dataclass(frozen=True, eq=False)
class _Fibre:
    curves: MuscleCurves
    activation: Any
    optimal_length: Any
    pennation: Any
    max_speed: Any
    damping: Any

    def shape(self, along: Any) -> tuple[Any, Any]:
        """lM and cos α of a fibre whose length along the tendon is given."""
        if self.pennation == 0:
            return along, 1
        length = sb.sqrt(along * along + (self.optimal_length * sb.sin(self.pennation)) ** 2)
        return length, along / length

    def force(self, length: Any, v: Any) -> Any:
        """Along the fibre, in maximal isometric forces."""
        c, l = self.curves, length / self.optimal_length
        return self.activation * c.active_force(l) * c.velocity_factor(v) + c.passive_force(l) + self.damping * v


def _rigid(m: sb.Model, name: str, path: Any, fibre: _Fibre, max_force: Any, slack: Any) -> dict[str, Any]:
    along = path.length - slack
    safe = sb.where(along > 0, along, fibre.optimal_length)
    length, cosine = fibre.shape(safe)
    speed = path.rate * cosine
    force = max_force * fibre.force(length, speed / (fibre.optimal_length * fibre.max_speed)) * cosine
    length, cosine = fibre.shape(along)
    return _muscle_fields(sb.where(along > 0, force, 0), length, path.rate * cosine, cosine, slack)


def rigid_tendon_function(curves: MuscleCurves) -> Any:
    """Active and passive force of one muscle from its length and rate and its numbers, compiled."""
    l, v, F, l0, slack, angle, v0 = sb.symbols("l v F l0 slack angle v0")
    fibre = _Fibre(curves, 1, l0, angle, v0, 0)
    along = l - slack
    length, cosine = fibre.shape(sb.where(along > 0, along, l0))
    factor = curves.velocity_factor(v * cosine / (l0 * v0))
    own = [curves.active_force(length / l0) * factor, curves.passive_force(length / l0)]
    outputs = [sb.where(along > 0, F * x * cosine, 0) for x in own]
    return sb.compile(sb.program("fibre", {"x": [l, v, F, l0, slack, angle, v0]}, {"f": sb.vector(*outputs)}))


def rigid_tendon_forces(function: Any, muscles: Iterable[Any], lengths: Array, rates: Array) -> tuple[Array, Array]:
    """Forces along rigid tendons of fully activated fibres, and passive ones, of many muscles at many times, by a
    `rigid_tendon_function`: rows of lengths and rates of their paths, a column for each muscle."""
    numbers = np.array([(m.max_force, m.optimal_length, m.slack_length, m.pennation, m.max_speed) for m in muscles])
    rows = np.concatenate(
        [lengths[:, :, None], rates[:, :, None], np.broadcast_to(numbers, (*lengths.shape, 5))], axis=2
    )
    found = np.asarray(function.batch(rows.reshape(-1, 7))).reshape(*lengths.shape, 2)
    return found[:, :, 0], found[:, :, 1]


def _elastic(m: sb.Model, name: str, path: Any, fibre: _Fibre, max_force: Any, slack: Any) -> dict[str, Any]:
    f, v = m.variable(f"{name}_tension"), m.variable(f"{name}_speed")
    curves = fibre.curves
    tendon = slack * curves.tendon_length(f)
    length, cosine = fibre.shape(path.length - tendon)
    speed = fibre.optimal_length * fibre.max_speed * v
    m.rate(f, curves.tendon_stiffness * (f + curves.tendon[2]) * (path.rate - speed / cosine) / slack)
    m.equation(f"{name}_balance", f - fibre.force(length, v) * cosine)
    return _muscle_fields(max_force * f, length, speed, cosine, tendon)


def _muscle_fields(force: Any, length: Any, velocity: Any, cosine: Any, tendon: Any) -> dict[str, Any]:
    return {
        "force": force,
        "fibre_length": length,
        "fibre_velocity": velocity,
        "cos_pennation": cosine,
        "tendon_length": tendon,
    }


def _add_outputs(m: sb.Model, made: Muscle, wanted: bool | Sequence[str]) -> None:
    chosen = OUTPUTS if wanted is True else () if wanted is False else wanted
    for what in chosen:
        if what not in OUTPUTS:
            raise unknown(f"muscle {made.name!r}", "output", what, OUTPUTS)
        if what != "arms":
            m.output(f"{made.name}_{what}", getattr(made, what))
            continue
        moved = set(sb.free_symbols(made.length))
        for q in m.symbols_of_kind("coordinate"):
            if q in moved:
                m.output(f"{made.name}_arm_{q.name}", made.moment_arm(q))
