"""Inverse kinematics of markers: weighted least squares at each frame, begun with the frame before.

Levenberg's and Marquardt's iteration with exact derivatives; coordinates at a limit of their range that would leave it
are held in a step.

    (Jᵀ W J + C + μ D) dq = Jᵀ W (y - x(q)) + C (q̄ - q),     D = diag(Jᵀ W J + C)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError, listed, shown, unknown
from ....summary import SearchOutcome, Summarized, Summary, counted

if TYPE_CHECKING:
    from .subject_functions import SubjectFunctions

Array = NDArray[np.float64]
STEP: Final = 1e-8  # largest change of a coordinate in the last step [rad, m]
MOST_ITERATIONS: Final = 200
LEAST_DAMPING: Final = 1e-12
FIRST_DAMPING: Final = 1e-3
MOST_DAMPING: Final = 1e10
FREE: Final = 1e-12  # relative size of a diagonal entry below which the markers do not determine a coordinate


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class MarkerKinematics(Summarized):
    """A motion found from markers; made by `Subject.marker_kinematics`.

    outcome        how the search ended; true where every frame converged
    table          coordinates over time, in radians and metres: for `Subject.motion` and `formats.write_motion`
    markers        names of the markers that count
    errors         distances between measured and model markers [m]: a row for each time, nan if one was not seen
    iterations     of each frame
    ignored        markers of the table that the model does not have
    undetermined   coordinates that no marker moves, which keep their start

    >>> m = sb.read_osim('''<OpenSimDocument Version="40000"><Model name="sled"><BodySet><objects><Body name="sled">
    ...   <mass>2</mass><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects>
    ...   <SliderJoint name="rail"><socket_parent_frame>/ground</socket_parent_frame>
    ...   <socket_child_frame>/bodyset/sled</socket_child_frame><coordinates><Coordinate name="x"/></coordinates>
    ...   </SliderJoint></objects></JointSet><MarkerSet><objects><Marker name="M">
    ...   <socket_parent_frame>/bodyset/sled</socket_parent_frame></Marker></objects></MarkerSet>
    ... </Model></OpenSimDocument>''')
    >>> subject = sb.kits.biomechanics.Subject(m)
    >>> table = sb.formats.MotionTable("run", [0.0, 0.1], ["M_x", "M_y", "M_z"], [[0.0, 0, 0], [0.2, 0.03, 0]])
    >>> found = subject.marker_kinematics(table)
    >>> found.table["x"], found.errors[:, 0], found.markers, found.iterations
    (array([0. , 0.2]), array([0.  , 0.03]), ('M',), array([1, 2]))
    >>> found.ignored, found.undetermined, bool(found.outcome)
    ((), (), True)

    See also: `kits.biomechanics.Subject`.
    """

    outcome: SearchOutcome
    table: sb.formats.MotionTable
    markers: tuple[str, ...]
    errors: Array
    iterations: NDArray[np.int64]
    ignored: tuple[str, ...]
    undetermined: tuple[str, ...]

    def _summary(self) -> Summary:
        rows = [("outcome", str(self.outcome)), ("markers", listed(self.markers))]
        rows += [("not in the model", listed(self.ignored))] if self.ignored else []
        rows += [("not determined by markers", listed(self.undetermined))] if self.undetermined else []
        return Summary(f"MarkerKinematics: {counted(len(self.table.times), 'frame')}", tuple(rows))


@dataclass(frozen=True, eq=False)
class MarkerFit:
    """The least-squares problem of a frame."""

    place: Any  # q -> places of markers, and their Jacobian
    weights: Array  # one for each component of a place
    pull: Array  # c
    aim: Array  # q̄
    low: Array
    high: Array

    def cost(self, x: Array, y: Array, q: Array) -> float:
        e = y - x
        return float(self.weights @ (e * e) + self.pull @ (q - self.aim) ** 2)

    def solve(self, y: Array, q: Array) -> tuple[Array, int, bool]:
        """The nearest configuration, the number of iterations, and whether it converged."""
        seen = np.isfinite(y)
        y, w = np.where(seen, y, 0.0), np.where(seen, self.weights, 0.0)
        frame = MarkerFit(self.place, w, self.pull, self.aim, self.low, self.high)
        damping = LEAST_DAMPING
        x, J = self.place(q)
        cost = frame.cost(x, y, q)
        for k in range(1, MOST_ITERATIONS + 1):
            H, g = frame.normal_equations(J, y - x, q)
            while True:
                new = frame._step(H, g, q, damping)
                x2, J2 = self.place(new)
                change = float(np.max(np.abs(new - q), initial=0.0))
                cost2 = frame.cost(x2, y, new)
                if cost2 <= cost or change < STEP:
                    break
                damping = max(10 * damping, FIRST_DAMPING)
                if damping > MOST_DAMPING:
                    return q, k, False
            q, x, J, cost = new, x2, J2, min(cost, cost2)
            if change < STEP:
                return q, k, True
            damping = max(damping / 10, LEAST_DAMPING)
        return q, MOST_ITERATIONS, False

    def normal_equations(self, J: Array, e: Array, q: Array) -> tuple[Array, Array]:
        WJ = self.weights[:, None] * J
        H = J.T @ WJ
        H[np.diag_indices_from(H)] += self.pull
        return H, WJ.T @ e + self.pull * (self.aim - q)

    def _step(self, H: Array, g: Array, q: Array, damping: float) -> Array:
        free = ~(((q <= self.low) & (g < 0)) | ((q >= self.high) & (g > 0)))
        diagonal = np.diag(H)
        free &= diagonal > FREE * np.max(diagonal, initial=0.0)
        if not free.any():
            return q
        A = H[np.ix_(free, free)].copy()
        A[np.diag_indices_from(A)] *= 1 + damping
        try:
            by = cho_solve(cho_factor(A, lower=True, check_finite=False), g[free], check_finite=False)
        except LinAlgError:
            by = np.linalg.lstsq(A, g[free], rcond=1e-12)[0]
        new = q.copy()
        new[free] += by
        return np.clip(new, self.low, self.high)


def marker_kinematics(
    subject: SubjectFunctions,
    table: sb.formats.MotionTable,
    weights: Mapping[str, float],
    towards: Mapping[str, tuple[float, float]],
    start: Mapping[str, float],
    times: Any,
) -> MarkerKinematics:
    """`Subject.marker_kinematics`."""
    measured = _trajectories(subject, table)
    used = _counting_markers(subject, measured, weights, table.name)
    rows = _rows(table, times)
    y = np.hstack([measured[n] for n in used])[rows]
    seen = np.asarray(np.isfinite(y).reshape(len(y), len(used), 3).all(axis=2))
    if unseen := [n for k, n in enumerate(used) if not np.any(seen[:, k])]:
        raise ModelError(f"marker_kinematics: {table.name!r} has markers that are never seen: {listed(unseen)}; give them a weight of 0")  # fmt: skip
    problem = _problem(subject, used, weights, towards)
    q = np.clip(_start(subject, start), problem.low, problem.high)
    free = np.diag(problem.normal_equations(problem.place(q)[1], np.zeros(3 * len(used)), q)[0])
    undetermined = tuple(n for n, d in zip(subject.names, free, strict=True) if d <= FREE * free.max(initial=0.0))
    found, iterations, ended = np.empty((len(y), len(q))), np.empty(len(y), dtype=int), np.empty(len(y), dtype=bool)
    for k, row in enumerate(y):
        q, iterations[k], ended[k] = problem.solve(row, q)
        found[k] = q
    model = np.asarray(_places(subject, used).batch(found)[0])
    errors = np.linalg.norm((model - y).reshape(len(y), len(used), 3), axis=2)
    out = sb.formats.MotionTable(table.name, table.times[rows], subject.names, found)
    return MarkerKinematics(
        _outcome(out.times, used, errors, ended), out, used, errors, iterations,
        tuple(n for n in measured if n not in subject.model.markers), undetermined
    )  # fmt: skip


def _trajectories(subject: SubjectFunctions, table: sb.formats.MotionTable) -> dict[str, Array]:
    if not isinstance(table, sb.formats.MotionTable):
        raise ModelError(f"marker_kinematics: expected a MotionTable of markers, got {shown(table)}")
    if not subject.model.markers:
        raise ModelError(f"marker_kinematics: model {subject.model.name!r} has no markers; add a MarkerSet to its file")
    if not (found := table.markers):
        raise ModelError(
            f"marker_kinematics: {table.name!r} has no markers, which are columns NAME_x, NAME_y and NAME_z; it has {listed(table.names)}"
        )
    return found


def _counting_markers(subject: SubjectFunctions, measured: Mapping[str, Array], weights: Mapping[str, float], name: str) -> tuple[str, ...]:  # fmt: skip
    """Markers that count: those of the table that the model has, without those of weight zero."""
    for marker, w in weights.items():
        if marker not in subject.model.markers:
            raise unknown("marker_kinematics: weights=", "marker", marker, subject.model.markers)
        if not (isinstance(w, (int, float)) and 0 <= w < np.inf):
            raise ModelError(f"marker_kinematics: the weight of marker {marker!r} must be 0 or more, got {shown(w)}")
        if w > 0 and marker not in measured:
            raise unknown(f"marker_kinematics: {name!r}", "marker", marker, measured)
    used = tuple(n for n in subject.model.markers if n in measured and weights.get(n, 1.0) > 0)
    if not used:
        raise ModelError(
            f"marker_kinematics: none of the markers of {name!r} is one of the model, which has {listed(subject.model.markers)}"
        )
    return used


def _rows(table: sb.formats.MotionTable, times: Any) -> NDArray[np.bool_]:
    if times is None:
        return np.ones(len(table.times), dtype=bool)
    first, last = (float(x) for x in times)
    rows = (table.times >= first - 1e-9) & (table.times <= last + 1e-9)
    if not rows.any():
        raise ModelError(
            f"marker_kinematics: {table.name!r} has no frame between {first:zg} and {last:zg} s; it has times from "
            f"{table.times[0]:zg} to {table.times[-1]:zg} s"
        )
    return rows


def _places(subject: SubjectFunctions, used: tuple[str, ...]) -> Any:
    def outputs() -> dict[str, Any]:
        x = [c for n in used for c in subject.model.markers[n].in_ground.entries]
        return {"x": sb.vector(*x), "J": sb.jacobian(sb.vector(*x), list(subject.equations.q))}

    return subject.function(("markers", used), ["q"], outputs)


def _problem(subject: SubjectFunctions, used: tuple[str, ...], weights: Mapping[str, float], towards: Mapping[str, Any]) -> MarkerFit:  # fmt: skip
    n = len(subject.names)
    pull, aim = np.zeros(n), np.zeros(n)
    for name, (c, value) in towards.items():
        k = _index(subject, name, "towards=")
        pull[k], aim[k] = c, value
    w = np.repeat([float(weights.get(m, 1.0)) for m in used], 3)
    return MarkerFit(_places(subject, used), w, pull, aim, *subject.ranges)


def _start(subject: SubjectFunctions, start: Mapping[str, float]) -> Array:
    q = subject.default_pose.copy()
    for name, value in start.items():
        q[_index(subject, name, "start=")] = value
    return q


def _index(subject: SubjectFunctions, name: str, what: str) -> int:
    if name not in subject.names:
        raise unknown(f"marker_kinematics: {what}", "coordinate", name, subject.names)
    return subject.names.index(name)


def _outcome(times: Array, used: tuple[str, ...], errors: Array, ended: NDArray[np.bool_]) -> SearchOutcome:
    k, j = np.unravel_index(np.nanargmax(errors), errors.shape)
    size = (
        f"RMS error of the markers {1e3 * np.sqrt(np.nanmean(errors**2)):z.3g} mm, largest {1e3 * errors[k, j]:z.3g} mm "
        f"({used[j]} at {times[k]:zg} s)"
    )
    if ended.all():
        return SearchOutcome(f"converged at all {len(times)} frames; {size}", True)
    first = times[int(np.argmin(ended))]
    missed = f"{counted(int((~ended).sum()), 'frame')} of {len(times)} did not converge, the first at {first:zg} s"
    return SearchOutcome(f"{missed}: try start= or weights=; {size}", False)
