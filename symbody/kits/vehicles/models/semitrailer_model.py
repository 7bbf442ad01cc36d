"""A tractor with a semitrailer that rolls, on solid axles with single and dual tyres, at a given speed.

Axes as in `single_track_models.py`. The sprung bodies of tractor and trailer roll about axes along them, at the height of
their roll centres; axles roll on their tyres, whose loads follow:

    Fz = F0 - k_t y θ - c_t y θ'        y: place of the tyre across, θ: roll of the axle

A tyre in the air has none, and the others of its axle carry what it carried.

An axle rolls about a point on the road, and its suspension carries the side force ΣFy at the height of the roll centre:

    J θ'' = Σ Fz y + k (φ - θ) + c (φ' - θ') + h_r Σ Fy - m_a (R - h_r) ay

Loads move to the outer tyres, wheels lift off, and the vehicle may turn over: the motion then ends with `NOT_VALID`,
"upright".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered
from ..data.checked_data import parameter_values
from ..roads.road import Road
from ..tyres.linear_tyre import BrushTyre
from ..tyres.tyre import Tyre, as_tyre
from ..wheels.wheel_contact import wheel_on_road

TRACTOR: Final = {
    "V": 20.0, "g": 9.81, "m1": 6000.0, "J1": 2.2e4, "I1": 4000.0, "x1": 1.3, "h1": 1.05, "wheelbase": 3.7, "fifth": 3.3, "spread": 1.3,
    "hr1": 0.55, "ma": 750.0, "Ja": 450.0, "track": 2.0, "dual": 0.34, "radius": 0.5,
    "kfront": 2.5e5, "kdrive": 4.5e5, "c1": 2.5e4, "kt": 9e5, "ct": 2e3, "k5": 3e6, "h5": 1.1,
}  # fmt: skip
SEMITRAILER: Final = {
    "m2": 26000.0, "J2": 2.6e5, "I2": 2.8e4, "x2": 5.2, "h2": 1.95, "base": 7.8, "hr2": 0.65, "ktrailer": 7e5, "c2": 4e4,
}  # fmt: skip
MOST_ROLL: Final = 0.6  # of a sprung body in radians, beyond which it has turned over
AXLES: Final = (1, 2, 3)  # steered, driven, of the trailer


@answered
def semitrailer(
    tyre: Tyre | None = None, *, axles: Sequence[int] = AXLES, dual: Sequence[bool] = (False, True, True), **parameters: float
) -> sb.Model:  # fmt: skip
    """A tractor with a semitrailer at the speed V: speeds v and r, the angle hitch, the rolls roll1 and roll2 of the sprung
    bodies (to the right), and those of the axles, axle1, axle2, ...

    tyre        of each wheel; by default a brush tyre with stiffnesses in proportion to the load
    axles       numbers of steered, driven and trailer axles; those of a group are `spread` apart
    dual        whether the axles of a group have two tyres on each side, `dual` apart
    parameters  V; of the sprung bodies m1, m2, J1, J2 (yaw), I1, I2 (roll), heights h1, h2 of their centres and hr1, hr2 of
                their roll centres; x1, wheelbase (middle of the driven axles), fifth (wheel) behind the steered axle; x2,
                base (middle of the axles) behind the fifth wheel; ma, Ja (roll) of an axle, track, radius; roll stiffnesses of
                an axle's suspension kfront, kdrive, ktrailer and damping c1, c2 [N m/rad]; kt, ct of a tyre; k5, h5, roll
                stiffness and height of the coupling

    Input: delta. Outputs: ay and ay2 of tractor and trailer, ltr1 and ltr2, the load transfer ratios (FzR - FzL)/(FzR + FzL)
    of the driven axles and of those of the trailer, ±1 where a side lifts off; name_Fy, name_Fz of each tyre.

    >>> sb.derive(vh.semitrailer(axles=(1, 1, 1))).degrees_of_freedom
    8

    See also: `car_and_trailer`, `single_track`, `TyrePair`.
    """
    m = sb.Model("semitrailer")
    p = m.parameters(**parameter_values("semitrailer", {**TRACTOR, **SEMITRAILER}, parameters))
    m.gravity(0, 0, -p.g)
    v, r = m.speeds("v r")
    delta, hitch, roll1, roll2 = m.input("delta"), *m.coordinates("hitch roll1 roll2")
    front = m.moving_frame("tractor heading", velocity=(p.V, v, 0), spin=(0, 0, r))
    across = (p.h5 - p.hr2) * sb.sin(roll2) - (p.h5 - p.hr1) * sb.sin(roll1)  # of the trailer's roll axis at the pin
    rear = front.translate(-p.fifth, across, 0).rotate("z", hitch)
    bodies = (
        _sprung(m, "tractor", front.translate(-p.x1, 0, p.hr1).rotate("x", roll1), p.m1, p.h1 - p.hr1, p.I1, p.J1),
        _sprung(m, "trailer", rear.translate(-p.x2, 0, p.hr2).rotate("x", roll2), p.m2, p.h2 - p.hr2, p.I2, p.J2),
    )
    twist = roll1 - roll2
    for name, q, sign in (("tractor", roll1, -1), ("trailer", roll2, 1)):
        m.generalized_force(f"fifth wheel on {name}", q, sign * p.k5 * twist)
        m.valid_while(f"{name} upright", sb.cos(q) - cos(MOST_ROLL))
    pin = p.m2 * p.g * (1 - p.x2 / p.base)
    driven = (p.m1 * p.g * p.x1 + pin * p.fifth) / p.wheelbase
    groups = (
        ("steered", front, 0, p.m1 * p.g + pin - driven, p.hr1, roll1, p.kfront, p.c1, delta),
        ("driven", front, -p.wheelbase, driven, p.hr1, roll1, p.kdrive, p.c1, 0),
        ("trailer", rear, -p.base, p.m2 * p.g - pin, p.hr2, roll2, p.ktrailer, p.c2, 0),
    )
    number, sides = 0, []
    for (group, frame, x, load, high, roll, k, c, steer), count, is_dual in zip(groups, axles, dual, strict=True):
        loads: list[Any] = [0, 0]
        for j in range(count):
            number += 1
            place = x + p.spread * ((count - 1) / 2 - j)
            axle = _Axle(
                m, f"{group}{j + 1}", frame, m.coordinate(f"axle{number}"), steer, load / count + p.ma * p.g, high
            )
            for side, fz in enumerate(axle.on_road(place, tyre, is_dual, (roll, k, c), p)):
                loads[side] = loads[side] + fz
        sides.append(loads)
    for name, loads in (("ltr1", sides[1]), ("ltr2", sides[2])):
        m.output(name, (loads[1] - loads[0]) / (loads[0] + loads[1]))
    for name, body, frame in (("ay", bodies[0], front), ("ay2", bodies[1], rear)):
        m.output(name, body.mass_centre.acceleration().dot(frame.y))
    return m


def _sprung(m: sb.Model, name: str, frame: sb.Frame, mass: Any, high: Any, roll: Any, yaw: Any) -> sb.Body:
    return m.body(name, frame, mass=mass, com=(0, 0, high), inertia=(roll, yaw, yaw))


@dataclass(frozen=True)
class _Axle:
    """A solid axle with its roll, its load, and the height of the roll centre of its suspension."""

    model: sb.Model
    name: str
    frame: sb.Frame
    roll: sb.Symbol
    steer: Any
    load: Any
    high: Any

    def on_road(self, x: Any, tyre: Tyre | None, is_dual: bool, suspension: tuple[Any, Any, Any], p: Any) -> list[Any]:
        """Put it on its tyres and below its suspension; the loads of its left and right side."""
        m, q, (body, k, c) = self.model, self.roll, suspension
        at = self.frame.translate(x, 0, 0).rotate("x", q).translate(0, 0, p.radius)
        beam = m.body(f"{self.name} axle", at, mass=p.ma, com=(0, 0, -self.high), inertia=(p.Ja, p.Ja, p.Ja))
        count = 2 if is_dual else 1
        moved = _within(count * (p.track / 2) * (p.kt * q + p.ct * q.dot), self.load / 2)
        loads, across = [self.load / 2 - moved, self.load / 2 + moved], sb.fraction(0, 1)
        for side, middle, total in (("l", p.track / 2, loads[0]), ("r", -p.track / 2, loads[1])):
            apart = _within(
                p.dual / 2 * (p.kt * q + p.ct * q.dot), total / 2
            )  # of the inner to the outer tyre of a pair
            for mark, y, Fz in (
                (("1", p.dual / 2, total / 2 - apart), ("2", -p.dual / 2, total / 2 + apart))
                if is_dual
                else (("", 0, total),)
            ):
                place = beam.frame.translate(0, middle + y, 0).rotate("z", self.steer)
                made = wheel_on_road(
                    m,
                    f"{self.name}{side}{mark}",
                    place,
                    _tyre(tyre, p),
                    road=Road(self.frame),
                    load=Fz,
                    forward=True,
                    outputs=("Fy", "Fz"),
                )
                across = across + made.forces.Fy
        spring = k * (body - q) + c * (body.dot - q.dot)
        m.generalized_force(f"{self.name} suspension", q, spring + self.high * across)
        m.generalized_force(f"{self.name} suspension on body", body, -spring)
        return loads


def _within(x: Any, limit: Any) -> Any:
    """A number between -limit and limit."""
    return sb.maximum(sb.minimum(x, limit), -limit)


def _tyre(given: Tyre | None, p: Any) -> Tyre:
    if given is not None:
        return as_tyre("semitrailer: tyre", given)
    return BrushTyre(
        radius=p.radius, cornering=lambda Fz: 6.0 * Fz, along=lambda Fz: 8.0 * Fz, friction=0.8, smooth=1e-4
    )
