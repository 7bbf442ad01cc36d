"""Motions of a subject: coordinates with speeds and accelerations, from tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline
from scipy.signal import butter, sosfiltfilt

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError, listed, shown
from ....summary import Summarized, Summary, counted

if TYPE_CHECKING:
    from .subject_functions import SubjectFunctions

Array = NDArray[np.float64]
DEGREE: Final = 5  # of the spline: accelerations have two continuous derivatives
ORDER: Final = 3  # of the Butterworth filter
EVEN: Final = 0.2  # deviation from equal time steps that a filter accepts, relative to a step: rounded times
ENDS: Final = (3, 4)  # derivatives that are zero at both ends


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class CoordinateMotion(Summarized):
    """Coordinates of a model at some times, with speeds and accelerations; made by `Subject.motion`.

    t         times [s]
    names     of the coordinates
    q, u, a   values, speeds and accelerations: a row for each time
    ignored   columns of the table that are not coordinates, or not free ones

    >>> motion = sb.kits.biomechanics.CoordinateMotion(
    ...     np.array([0.0]), ("knee",), np.array([[0.1]]), np.array([[2.0]]), np.array([[0.0]]))
    >>> motion["knee"], motion.speed("knee")
    (array([0.1]), array([2.]))

    See also: `kits.biomechanics.Subject`.
    """

    t: Array
    names: tuple[str, ...]
    q: Array
    u: Array
    a: Array
    ignored: tuple[str, ...] = ()

    def _summary(self) -> Summary:
        rows = [("coordinates", listed(self.names))]
        rows += [("columns not used", listed(self.ignored))] if self.ignored else []
        span = f"{self.t[0]:zg} to {self.t[-1]:zg} s, {counted(len(self.t), 'row')}"
        return Summary(f"CoordinateMotion: {span}", tuple(rows))

    def __getitem__(self, name: str) -> Array:
        return self.table[name]

    def speed(self, name: str) -> Array:
        """The speed of a coordinate."""
        return sb.formats.MotionTable("speeds", self.t, self.names, self.u)[name]

    @property
    def table(self) -> sb.formats.MotionTable:
        """The coordinates as a table, for `formats.write_motion`.

        >>> motion = sb.kits.biomechanics.CoordinateMotion(
        ...     np.array([0.0]), ("knee",), np.array([[0.1]]), np.array([[2.0]]), np.array([[0.0]]))
        >>> motion.table.names
        ('knee',)

        See also: `formats.MotionTable`.
        """
        return sb.formats.MotionTable("coordinates", self.t, self.names, self.q)


def coordinate_motion(
    subject: SubjectFunctions, table: sb.formats.MotionTable, cutoff: float | None, times: Any
) -> CoordinateMotion:
    """`Subject.motion`."""
    if not isinstance(table, sb.formats.MotionTable):
        raise ModelError(f"motion: expected a MotionTable, such as that of read_motion, got {shown(table)}")
    values, ignored = coordinate_values(subject, table)
    if len(table.times) <= DEGREE:
        raise ModelError(
            f"motion {table.name!r}: a spline needs {DEGREE + 1} rows or more for accelerations, got {len(table.times)}"
        )
    knots, curve = table.times, _spline(table.times, values)
    if cutoff is not None:
        knots = even_times(table)
        curve = _spline(knots, low_pass(table.name, knots, curve(knots), float(cutoff)))
    at = table.times if times is None else np.asarray(times, dtype=float)
    if at.ndim != 1 or not len(at) or at.min() < table.times[0] - 1e-9 or at.max() > table.times[-1] + 1e-9:
        raise ModelError(
            f"motion {table.name!r}: has times from {table.times[0]:zg} to {table.times[-1]:zg} s, got times={shown(times)}"
        )
    return CoordinateMotion(at, subject.names, curve(at), curve(at, 1), curve(at, 2), ignored)


def coordinate_values(subject: SubjectFunctions, table: sb.formats.MotionTable) -> tuple[Array, tuple[str, ...]]:
    """Columns of all coordinates in radians and metres, and the columns that are not used."""
    columns = {_coordinate_name(n): n for n in table.names}
    out, used = [], set()
    for name, what in subject.coordinates:
        if name not in columns:
            raise ModelError(
                f"motion {table.name!r}: there is no column for coordinate {name!r}; it has {listed(table.names)}. "
                "Hold the coordinate with read_osim(..., hold={...}), or add the column"
            )
        used.add(columns[name])
        values = table[columns[name]]
        if not np.all(np.isfinite(values)):
            row = int(np.argmin(np.isfinite(values)))
            raise ModelError(
                f"motion {table.name!r}: column {columns[name]!r} has no number at {table.times[row]:zg} s (row {row + 1})"
            )
        out.append(np.radians(values) if table.in_degrees and what.is_angle else values)
    return np.column_stack(out), tuple(n for n in table.names if n not in used)


def _coordinate_name(column: str) -> str:
    """knee of "knee" and of "/jointset/knee_r/knee/value"."""
    return column.split("/")[-2] if column.startswith("/") and column.endswith("/value") else column


def _spline(times: Array, values: Array) -> Any:
    ends = [(k, np.zeros(values.shape[1])) for k in ENDS]
    return make_interp_spline(times, values, k=DEGREE, bc_type=(ends, ends))


def even_times(table: sb.formats.MotionTable) -> Array:
    """As many times at equal steps; refused where a row is missing. Files round their times."""
    times, n = table.times, len(table.times)
    step = float(times[-1] - times[0]) / (n - 1)
    steps = np.diff(times)
    if np.max(np.abs(steps - step)) > EVEN * step:
        k = int(np.argmax(np.abs(steps - step)))
        raise ModelError(
            f"motion {table.name!r}: cutoff= needs rows at equal time steps, got a step of {steps[k]:zg} s at {times[k]:zg} s among "
            f"steps of {step:zg} s; use table.at(...) first"
        )
    return np.linspace(times[0], times[-1], n)


def low_pass(name: str, times: Array, values: Array, cutoff: float) -> Array:
    """A Butterworth filter forwards and backwards, which does not delay; the ends are continued by point reflection."""
    step = float(times[-1] - times[0]) / (len(times) - 1)
    if not 0 < cutoff < 0.5 / step:
        raise ModelError(
            f"motion {name!r}: cutoff= must be between 0 and half the sampling frequency, {0.5 / step:zg} Hz; got {cutoff:zg}"
        )
    sections = butter(ORDER, cutoff, fs=1 / step, output="sos")
    return np.asarray(sosfiltfilt(sections, values, axis=0, padlen=min(len(times) - 1, int(3 / (cutoff * step)))))
