"""Kinematics of suspensions: wheel angles over travel or steering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....argument_kinds import answered
from ....errors import AssemblyError, StudyError, unknown
from ....summary import Tabular

SIDES = {"left": 1, "right": -1}


@answered
@sb.bodies.all_or_nothing
def wheel_angles(
    m: sb.Model,
    name: str,
    carrier: Any,
    side: str,
    *,
    vehicle: Any = None,
    axis: tuple[sb.Point, sb.Point] | None = None,
) -> dict[str, Any]:
    """Angles and place of a wheel relative to the vehicle, as outputs and as expressions by name:

        name_toe       positive where the wheels point inwards in front
        name_camber    positive where the wheels lean outwards at the top
        name_steer     positive to the left
        name_x, name_y, name_z     of the wheel's centre
        name_caster, name_kingpin  of the steering axis: positive where its upper end is behind, inwards
        name_trail, name_scrub     of the axis on the level z = 0: how far it is ahead of the wheel's centre, and inwards

    carrier   its origin is the wheel's centre, its y axis (to the left) the spin axis
    axis      lower and upper point of the steering axis
    """
    if side not in SIDES:
        raise unknown(f"wheel {name!r}", "side", side, list(SIDES))
    out = SIDES[side]
    frame = m.ground if vehicle is None else sb.bodies.frame_at(vehicle)
    held = sb.bodies.frame_at(carrier)
    e, c = held.y.components(frame).entries, (held.origin - frame.origin).components(frame).entries
    steer = sb.atan2(-e[0], e[1])
    found = {"toe": -out * steer, "camber": -out * sb.asin(e[2]), "steer": steer, **dict(zip("xyz", c, strict=True))}
    if axis is not None:
        low, high = ((p - frame.origin).components(frame) for p in axis)
        found |= _steering_axis(low, high, c, out)
    for key, value in found.items():
        m.output(f"{name}_{key}", value)
    return found


def _steering_axis(low: sb.Matrix, high: sb.Matrix, centre: tuple[Any, ...], out: int) -> dict[str, Any]:
    a = high - low
    ground = low - (low[2] / a[2]) * a  # where the axis meets z = 0
    return {
        "caster": sb.atan2(-a[0], a[2]), "kingpin": sb.atan2(-out * a[1], a[2]),
        "trail": ground[0] - centre[0], "scrub": out * (centre[1] - ground[1]),
    }  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class KinematicCurves(Tabular):
    """Outputs over a motion that is given: `curves["left_toe"]` is an array.

    over   what was moved, `values` its values
    """

    over: str
    values: np.ndarray
    columns: Mapping[str, np.ndarray]

    def __str__(self) -> str:
        rows = zip(self.values, *self.columns.values(), strict=True)
        head = " ".join(f"{name:>12}" for name in (self.over, *self.columns))
        return "\n".join([head, *(" ".join(f"{x:z12.5g}" for x in row) for row in rows)])

    def __getitem__(self, name: str) -> np.ndarray:
        if name == self.over:
            return self.values
        if name not in self.columns:
            raise unknown("kinematics", "output", name, [self.over, *self.columns])
        return self.columns[name]

    def slope(self, name: str) -> np.ndarray:
        """∂output/∂travel along the curve, of the cubic spline through it."""
        spline = sb.integrate.interpolation("curve", self.values, self[name])
        x = sb.symbol("x")
        return np.array([float(sb.evaluate(sb.derivative(spline(x), x), {x: float(v)})) for v in self.values])


@answered
def kinematics(
    eq: sb.Equations,
    travel: Mapping[str, Sequence[float] | NDArray[Any]],
    outputs: Sequence[str],
    *,
    start: Any = None,
    **values: float,
) -> KinematicCurves:
    """Outputs of a mechanism moved along: one coordinate, input or output takes its values in order, and each position
    is the one next to the last.

        kinematics(eq, {"left_z": np.linspace(-0.08, 0.08, 41)}, ["left_toe", "left_camber"], rack=0.0)

    values   of what is held besides: coordinates, inputs, parameters
    start    of the first position, in which values= not given are rough ones
    """
    if len(travel) != 1:
        raise StudyError(f"kinematics: travel= varies one quantity, {{name: values}}; got {len(travel)}")
    ((name, places),) = travel.items()
    found: dict[str, list[float]] = {o: [] for o in outputs}
    first = sb.assemble(eq, dict(values), start=start)
    middle = int(np.argmin(np.abs(np.asarray(places) - float(first[name]))))
    by_place: dict[int, Any] = {}
    for way in (range(middle, len(places)), range(middle - 1, -1, -1)):  # from the position at rest, both ways
        last = by_place.get(middle, first)
        for k in way:
            try:
                last = by_place[k] = sb.assemble(eq, {**values, name: float(places[k])}, start=last)
            except AssemblyError as reason:
                raise StudyError(
                    f"kinematics of {eq.name!r}: no position next to {name} = {float(last[name]):z.6g} has {name} = "
                    f"{float(places[k]):z.6g}; end the travel there, or use smaller steps. {reason}"
                ) from reason
    for k in range(len(places)):
        for o in outputs:
            found[o].append(float(by_place[k][o]))
    return KinematicCurves(name, np.asarray(places, dtype=float), {k: np.array(v) for k, v in found.items()})


@answered
def compliance(
    eq: sb.Equations,
    load: Mapping[str, Sequence[float] | NDArray[Any]],
    outputs: Sequence[str],
    *,
    start: Any = None,
    **values: float,
) -> KinematicCurves:
    """Outputs of a suspension in static equilibrium under a load that takes its values in order: the part C of a K&C table, as
    `kinematics` is the part K. `curves.slope("left_toe")` is compliance steer.

    load     an input, such as a force at the contact, or a parameter: {"Fy": np.linspace(-3000, 3000, 13)}
    outputs  toe, camber, travel: names of outputs or coordinates
    start    of the first equilibrium
    values   of other inputs and parameters

    >>> m = sb.Model("hub on a bushing")
    >>> hub = m.body("hub", mass=20.0, inertia=(1, 1, 1))
    >>> joint = m.free("hub", m.ground, hub)
    >>> soft = vh.bushing(m, "bush", m.ground, hub, stiffness=[1e6, 2e6, 1e6, 1e5, 1e5, 5e4])
    >>> Fy = m.input("Fy")
    >>> side = m.force("side force", hub, m.ground.vector(0, Fy, 0), at=hub.point(-0.03, 0, -0.3))
    >>> place = m.output("y", m.symbols["hub_y"])
    >>> curves = vh.compliance(sb.derive(m), {"Fy": [-1000.0, 500.0, 1000.0]}, ["y"])
    >>> curves["y"].round(6).tolist()
    [-0.0005, 0.00025, 0.0005]

    See also: `kits.vehicles.kinematics`, `kits.vehicles.bushing`, `steady`.
    """
    if len(load) != 1:
        raise StudyError(f"compliance: load= varies one quantity, {{name: values}}; got {len(load)}")
    ((name, places),) = load.items()
    columns: dict[str, list[float]] = {o: [] for o in outputs}
    last: Any = start
    for place in places:
        last = sb.steady(eq, {**values, name: float(place)}, start=last)
        if not last.is_steady:
            raise StudyError(
                f"compliance: no equilibrium at {name} = {float(place):g}: {last.outcome}; begin nearer, or take smaller loads"
            )
        for o in outputs:
            columns[o].append(float(last[o]))
    return KinematicCurves(name, np.asarray(places, dtype=float), {k: np.array(v) for k, v in columns.items()})
