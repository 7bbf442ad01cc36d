"""Tables of numbers over time: `MotionTable`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...argument_kinds import answered_class, checked_flags_of_class
from ...errors import ModelError, listed, shown, unknown
from ...summary import Summarized, Summary, counted

Array = NDArray[np.float64]
AXES: Final = ("x", "y", "z")


@checked_flags_of_class(ModelError)
@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class MotionTable(Summarized):
    """Columns of numbers over time, as motion files contain them.

    name         of the data
    times        increasing [s]
    names        of the columns
    values       one row for each time, one column for each name
    in_degrees   whether columns that are angles are in degrees

    The trajectory of a marker, a force or a point is three columns, `HEEL_x`, `HEEL_y`, `HEEL_z` or `force_vx`,
    `force_vy`, `force_vz`: `table.vector("HEEL")`, `table.vector("force_v")`. A marker that was not seen is nan.

    >>> table = sb.formats.MotionTable("walk", [0.0, 0.1], ["knee"], [[10.0], [12.0]], in_degrees=True)
    >>> table["knee"]
    array([10., 12.])
    >>> table
    <MotionTable walk
      time: 0 to 0.1 s, 2 rows
      columns: knee
      angles: degrees>

    See also: `formats.read_motion`, `formats.write_motion`.
    """

    name: str
    times: Array
    names: Sequence[str]
    values: Array = field(repr=False)
    in_degrees: bool = False

    def __post_init__(self) -> None:
        where = f"MotionTable {self.name!r}"
        times, values = (np.asarray(x, dtype=float) for x in (self.times, self.values))
        names = tuple(self.names)
        if times.ndim != 1 or values.shape != (len(times), len(names)):
            raise ModelError(
                f"{where}: {len(times) if times.ndim else 0} times and {len(names)} names need values of as many rows and columns, got an "
                f"array of shape {values.shape}"
            )
        if not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0):
            k = int(np.argmax(~(np.diff(times, prepend=-np.inf) > 0)))
            raise ModelError(f"{where}: times must increase; time {shown(float(times[k]))} of row {k + 1} does not")
        if len(set(names)) < len(names):
            twice = sorted({n for n in names if names.count(n) > 1})
            raise ModelError(f"{where}: two columns have the same name: {listed(twice)}")
        for attribute, value in (("times", times), ("values", values), ("names", names)):
            object.__setattr__(self, attribute, value)

    def _summary(self) -> Summary:
        rows = [("time", f"{self.times[0]:zg} to {self.times[-1]:zg} s, {counted(len(self.times), 'row')}")] if len(self.times) else []  # fmt: skip
        rows += [("columns", listed(self.names)), ("angles", "degrees" if self.in_degrees else "radians")]
        return Summary(f"MotionTable {self.name}", tuple(rows))

    def __getitem__(self, name: str) -> Array:
        return self.values[:, self._at(name)]

    def _at(self, name: str) -> int:
        if name not in self.names:
            raise unknown(f"MotionTable {self.name!r}", "column", name, self.names)
        return list(self.names).index(name)

    def vector(self, name: str) -> Array:
        """Three columns as an array of one row for each time: those that begin with the name and end with x, y, z.

        >>> table = sb.formats.MotionTable("walk", [0.0], ["f_vx", "f_vy", "f_vz"], [[1.0, 2.0, 3.0]])
        >>> table.vector("f_v")
        array([[1., 2., 3.]])

        See also: `formats.MotionTable`.
        """
        for joined in (f"{name}_", name):
            if all(f"{joined}{k}" in self.names for k in AXES):
                return self.values[:, [self._at(f"{joined}{k}") for k in AXES]]
        ends = [n[:-2] for n in self.names if n.endswith("_x")]
        raise unknown(f"MotionTable {self.name!r}", "vector", name, ends or self.names)

    @property
    def markers(self) -> dict[str, Array]:
        """Trajectories of all points that have columns _x, _y and _z.

        >>> table = sb.formats.MotionTable("walk", [0.0], ["HEEL_x", "HEEL_y", "HEEL_z"], [[1.0, 2.0, 3.0]])
        >>> table.markers
        {'HEEL': array([[1., 2., 3.]])}

        See also: `kits.biomechanics.marker_kinematics`.
        """
        known = set(self.names)
        found = [n[:-2] for n in self.names if n.endswith("_x") and {n[:-1] + "y", n[:-1] + "z"} <= known]
        return {n: self.vector(n) for n in found}

    def at(self, times: Any) -> MotionTable:
        """The table at other times inside its own, by linear interpolation.

        >>> table = sb.formats.MotionTable("walk", [0.0, 0.1], ["knee"], [[10.0], [12.0]])
        >>> table.at([0.05])["knee"]
        array([11.])

        See also: `formats.MotionTable`.
        """
        wanted = np.asarray(times, dtype=float)
        slack = 1e-9 * (1 + float(np.abs(self.times).max(initial=0.0)))
        if len(wanted) and (wanted.min() < self.times[0] - slack or wanted.max() > self.times[-1] + slack):
            raise ModelError(
                f"MotionTable {self.name!r}: holds times from {self.times[0]:zg} to {self.times[-1]:zg} s, asked for "
                f"{wanted.min():zg} to {wanted.max():zg} s"
            )
        columns = [np.interp(wanted, self.times, c) for c in self.values.T]
        return MotionTable(
            self.name, wanted, self.names, np.array(columns).reshape(len(self.names), -1).T, self.in_degrees
        )
