"""A whole gait analysis: markers or coordinates, with force plates, to moments, muscle forces and joint loads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError, shown
from ....summary import Summarized, Summary
from .external_forces import ExternalForce
from .marker_kinematics import MarkerKinematics
from .static_optimisation import MuscleForces

if TYPE_CHECKING:
    from .subject import Subject


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class GaitAnalysis(Summarized):
    """Results of `Subject.analysis`.

    kinematics    of the markers; None if coordinates were measured
    coordinates   filtered, in radians and metres
    moments       generalised forces of inverse dynamics [N m, N]
    muscles       of static optimisation; None if the model has no muscles
    joint_loads   forces and moments that joints transmit [N, N m], with those of the muscles

    >>> m = sb.read_osim('''<OpenSimDocument Version="40000"><Model name="arm"><gravity>0 -10 0</gravity>
    ... <BodySet><objects><Body name="arm"><mass>2</mass><mass_center>0 -0.5 0</mass_center>
    ...   <inertia>0.1 0.01 0.1 0 0 0</inertia></Body></objects></BodySet>
    ... <JointSet><objects><PinJoint name="shoulder"><socket_parent_frame>/ground</socket_parent_frame>
    ...   <socket_child_frame>/bodyset/arm</socket_child_frame>
    ...   <coordinates><Coordinate name="raise"/></coordinates></PinJoint></objects></JointSet></Model></OpenSimDocument>''')
    >>> table = sb.formats.MotionTable("hold", np.linspace(0, 1, 11), ["raise"], np.full((11, 1), 0.3))
    >>> found = sb.kits.biomechanics.Subject(m).analysis(table, cutoff=None)
    >>> round(float(found.moments["raise"][5]), 6), round(float(found.joint_loads["shoulder_fy"][5]), 6)
    (2.955202, 20.0)
    >>> found.kinematics, found.muscles, float(found.coordinates["raise"].max()), found.is_good
    (None, None, 0.3, True)
    >>> [name for name, table in found.tables()]
    ['coordinates.mot', 'moments.sto', 'joint_loads.sto']
    >>> found.save("gait")[0].name
    'coordinates.mot'

    See also: `kits.biomechanics.Subject`, `formats.read_motion`.
    """

    coordinates: sb.formats.MotionTable
    moments: sb.formats.MotionTable
    joint_loads: sb.formats.MotionTable
    kinematics: MarkerKinematics | None = None
    muscles: MuscleForces | None = None

    @property
    def is_good(self) -> bool:
        """Whether the markers were followed in every frame, and the moments met at every time."""
        return all(bool(found.outcome) for found in (self.kinematics, self.muscles) if found is not None)

    def tables(self) -> Iterator[tuple[str, sb.formats.MotionTable]]:
        """All tables, with the names of their files."""
        yield "coordinates.mot", self.coordinates
        if self.kinematics is not None:
            k = self.kinematics
            yield "marker_errors.sto", sb.formats.MotionTable("marker errors", k.table.times, k.markers, k.errors)
        yield "moments.sto", self.moments
        if self.muscles is not None:
            yield "activations.sto", self.muscles.activations
            yield "muscle_forces.sto", self.muscles.forces
            yield "reserves.sto", self.muscles.reserves
        yield "joint_loads.sto", self.joint_loads

    def save(self, folder: str | Path) -> list[Path]:
        """Write every table into a folder, as files of OpenSim; returns their paths."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        return [sb.formats.write_motion(table, place / name) for name, table in self.tables()]

    def _summary(self) -> Summary:
        t = self.coordinates.times
        rows = [("time", f"{t[0]:zg} to {t[-1]:zg} s, {len(t)} rows")]
        if (k := self.kinematics) is not None:
            most = np.nanmax(k.errors, axis=0)
            worst = int(np.argmax(most))
            rows += [("markers", str(k.outcome)), ("worst marker", f"{k.markers[worst]}, {1e3 * most[worst]:z.3g} mm")]
        rows += [("largest moment", _largest(self.moments))]
        if self.muscles is not None:
            rows += [("muscles", str(self.muscles.outcome)), ("most active", _largest(self.muscles.activations))]
            rows += [("largest reserve", _largest(self.muscles.reserves))]
        return Summary("GaitAnalysis", tuple(rows))


def _largest(table: sb.formats.MotionTable) -> str:
    size = np.abs(table.values)
    row, column = divmod(int(np.argmax(size)), size.shape[1])
    return f"{table.names[column]} {table.values[row, column]:z.4g} at {table.times[row]:zg} s"


def gait_analysis(
    subject: Subject,
    measured: sb.formats.MotionTable,
    loads: Sequence[ExternalForce],
    *,
    weights: Mapping[str, float] | None,
    cutoff: float | None,
    times: Any,
    reserves: float | Mapping[str, float],
) -> GaitAnalysis:
    """The analyses of `Subject` one after the other."""
    if not isinstance(measured, sb.formats.MotionTable):
        raise ModelError(
            f"analysis: expected a table of markers or coordinates from read_motion, got {shown(measured)}"
        )
    kinematics = None
    if set(subject.model.markers) & set(measured.markers):
        kinematics = subject.marker_kinematics(measured, weights=weights, times=times)
        motion = subject.motion(kinematics.table, cutoff=cutoff)
    elif weights:
        raise ModelError(f"analysis: {measured.name!r} contains coordinates, not markers; weights= is for markers")
    else:
        motion = subject.motion(measured, cutoff=cutoff, times=_inside(measured, times))
    muscles = subject.static_optimisation(motion, loads, reserves=reserves) if subject.model.muscles else None
    coordinates = sb.formats.MotionTable("coordinates", motion.t, subject.names, motion.q)
    return GaitAnalysis(
        coordinates,
        subject.inverse_dynamics(motion, loads),
        subject.joint_loads(motion, None, loads, muscles),
        kinematics,
        muscles,
    )


def _inside(table: sb.formats.MotionTable, times: Any) -> Any:
    """Times of the rows between a first and a last one."""
    if times is None:
        return None
    first, last = times
    inside = table.times[(table.times >= first) & (table.times <= last)]
    if not len(inside):
        raise ModelError(f"analysis: {table.name!r} has no row between {first:zg} and {last:zg} s")
    return inside
