"""Static optimisation: activations that make the moments of a motion with the least effort.

With the forces Fᵢ of fully activated muscles, their moment arms rᵢⱼ and reserves rⱼ = wⱼ cⱼ:

    min Σ |xᵢ|ᵖ,   A x = τ,   x = (a, c),   A = (rᵢⱼ Fᵢ, diag w),   0 ≤ a ≤ 1

Effort is a sum of terms in one unknown each, so multipliers λ of the balances give the unknowns,

    xᵢ(λ) = clip(sign(sᵢ) (|sᵢ|/p)^(1/(p-1))),   s = Aᵀ λ

and A x(λ) = τ is solved for λ by Newton's method, which is uphill in the dual; for all times at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError, shown, unknown
from ....summary import SearchOutcome, Summarized, Summary, counted
from ..characteristic_curves import muscle_curves
from ..hill_muscle import rigid_tendon_forces, rigid_tendon_function
from .coordinate_motion import CoordinateMotion
from .external_forces import ExternalForce
from .measured_moments import joint_moments

if TYPE_CHECKING:
    from .subject_functions import SubjectFunctions

Array = NDArray[np.float64]
MOST_ITERATIONS: Final = 200
RESIDUAL: Final = 1e-9  # of the balances, relative to 1 + |τ|
LEAST_ACTIVATION: Final = 1e-9  # below which the slope of x(s) is that at this activation (p > 2: it is infinite at 0)
UPHILL: Final = 1e-4  # share of the expected gain that a step must have


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class MuscleForces(Summarized):
    """Forces of muscles along a motion; made by `Subject.static_optimisation`.

    outcome       how the search ended; true where all moments are met at every time
    activations   a table with a column for each muscle, 0 to 1
    forces        of the tendons [N]
    reserves      of the reserve actuators, a column for each coordinate [N m, N]
    moments       that muscles and reserves make together
    effort        Σ |xᵢ|ᵖ at each time

    >>> m = sb.read_osim('''<OpenSimDocument Version="40000"><Model name="sled"><BodySet><objects><Body name="sled">
    ...   <mass>2</mass><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects>
    ...   <SliderJoint name="rail"><socket_parent_frame>/ground</socket_parent_frame>
    ...   <socket_child_frame>/bodyset/sled</socket_child_frame><coordinates><Coordinate name="x"/></coordinates>
    ...   </SliderJoint></objects></JointSet><ForceSet><objects><Thelen2003Muscle name="pull"><GeometryPath>
    ...   <PathPointSet><objects><PathPoint><socket_parent_frame>/ground</socket_parent_frame>
    ...   <location>1 0 0</location></PathPoint><PathPoint><socket_parent_frame>/bodyset/sled</socket_parent_frame>
    ...   <location>0 0 0</location></PathPoint></objects></PathPointSet></GeometryPath>
    ...   <max_isometric_force>100</max_isometric_force><optimal_fiber_length>0.5</optimal_fiber_length>
    ...   <tendon_slack_length>0.4</tendon_slack_length></Thelen2003Muscle></objects></ForceSet>
    ... </Model></OpenSimDocument>''')
    >>> subject = sb.kits.biomechanics.Subject(m)
    >>> t = np.linspace(0, 1, 11)  # 2 kg at 5 m/s²
    >>> motion = subject.motion(sb.formats.MotionTable("run", t, ["x"], 2.5 * t[:, None] ** 2))
    >>> found = subject.static_optimisation(motion, reserves=0.1, isometric=True)
    >>> at = [round(float(x.values[5, 0]), 4) for x in (found.activations, found.forces, found.reserves, found.moments)]
    >>> at, round(float(found.effort[5]), 4), bool(found.outcome)
    ([0.1, 10.0, 0.0, 10.0], 0.01, True)

    See also: `kits.biomechanics.Subject`.
    """

    outcome: SearchOutcome
    activations: sb.formats.MotionTable
    forces: sb.formats.MotionTable
    reserves: sb.formats.MotionTable
    moments: sb.formats.MotionTable
    effort: Array

    def _summary(self) -> Summary:
        most = np.abs(self.reserves.values).max(axis=0)
        names = sorted(zip(self.reserves.names, most, strict=True), key=lambda x: -x[1])[:4]
        rows = (
            ("outcome", str(self.outcome)),
            ("largest reserves", ", ".join(f"{n} {x:z.3g}" for n, x in names)),
        )
        title = f"MuscleForces: {counted(len(self.activations.names), 'muscle')}, {counted(len(self.effort), 'time')}"
        return Summary(title, rows)


def static_optimisation(
    subject: SubjectFunctions,
    motion: CoordinateMotion,
    loads: Sequence[ExternalForce],
    reserves: float | Mapping[str, float],
    exponent: float,
    curves: Any,
    isometric: bool,
    passive: bool,
    between: tuple[float, float],
) -> MuscleForces:
    """`Subject.static_optimisation`."""
    where = "static_optimisation"
    if not subject.model.muscles:
        raise ModelError(f"{where}: model {subject.model.name!r} has no muscles")
    if not 1 < exponent < 20:
        raise ModelError(f"{where}: exponent= must be more than 1, such as 2, got {exponent:zg}")
    lowest, highest = (float(x) for x in between)
    if not 0 <= lowest < highest <= 1:
        raise ModelError(
            f"{where}: between= must be two activations from 0 to 1, the lower one first; got {shown(between)}"
        )
    w = reserve_sizes(subject, reserves, where)
    moments = joint_moments(subject, motion, loads, where)
    active, relaxed, arms = muscle_functions(subject, motion, curves, isometric)
    rest = relaxed if passive else np.zeros_like(relaxed)
    wanted = moments - np.einsum("tij,ti->tj", arms, rest)
    A = np.concatenate(
        [np.swapaxes(arms * active[:, :, None], 1, 2), np.broadcast_to(np.diag(w), (len(w),) * 2)[None].repeat(len(wanted), 0)],
        axis=2,
    )  # fmt: skip
    n = active.shape[1]
    low, high = np.full(A.shape[2], -np.inf), np.full(A.shape[2], np.inf)
    low[:n], high[:n] = lowest, highest
    x, left = least_effort(A, wanted, low, high, exponent)
    names = tuple(subject.model.muscles)

    def table(name: str, columns: Sequence[str], values: Array) -> sb.formats.MotionTable:
        return sb.formats.MotionTable(name, motion.t, columns, values)

    a, made = x[:, :n], np.einsum("tij,tj->ti", A, x)
    return MuscleForces(
        _outcome(motion.t, left, names, a),
        table("activations", names, a),
        table("muscle forces", names, a * active + rest),
        table("reserves", subject.names, x[:, n:] * w),
        table("moments", subject.names, made + moments - wanted),
        np.sum(np.abs(x) ** exponent, axis=1),
    )


def reserve_sizes(subject: SubjectFunctions, reserves: float | Mapping[str, float], where: str) -> Array:
    """w of each coordinate, by names or patterns; later ones win."""
    by_name = reserves if isinstance(reserves, Mapping) else {"*": reserves}
    out = np.ones(len(subject.names))
    for pattern, size in by_name.items():
        hit = [k for k, n in enumerate(subject.names) if fnmatchcase(n, pattern)]
        if not hit:
            raise unknown(f"{where}: reserves=", "coordinate", pattern, subject.names)
        if not (isinstance(size, (int, float)) and 0 < size < np.inf):
            raise ModelError(f"{where}: the reserve of {pattern!r} must be positive, got {shown(size)}")
        out[hit] = size
    return out


def muscle_functions(
    subject: SubjectFunctions, motion: CoordinateMotion, curves: Any, isometric: bool
) -> tuple[Array, Array, Array]:
    """Active forces at full activation, passive forces, and moment arms -∂l/∂q at each time."""
    m, laws = subject.model, muscle_curves(curves)

    def paths() -> dict[str, Any]:
        lengths, rates = (sb.vector(*(getattr(m.paths[n], x) for n in m.muscles)) for x in ("length", "rate"))
        return {"l": lengths, "J": sb.jacobian(rates, [q.dot for q in subject.equations.q])}

    lengths, slopes = subject.function("paths", ["q"], paths).batch(motion.q)
    slopes = np.asarray(slopes).reshape(len(motion.t), len(m.muscles), -1)
    strongest = np.array([x.max_force for x in m.muscles.values()])
    if isometric:
        active, relaxed = np.tile(strongest, (len(motion.t), 1)), np.zeros((len(motion.t), len(strongest)))
    else:
        rates = np.einsum("tij,tj->ti", slopes, motion.u)
        fibre = subject.kept(("fibre", laws), lambda: rigid_tendon_function(laws))
        active, relaxed = rigid_tendon_forces(fibre, m.muscles.values(), lengths, rates)
    on = np.array([x.applies for x in m.muscles.values()], dtype=float)
    return active * on, relaxed * on, -slopes


def least_effort(A: Array, b: Array, low: Array, high: Array, p: float) -> tuple[Array, Array]:
    """x of least Σ |x|ᵖ with A x = b within bounds, for a stack of problems; and what is left of the balances."""
    lam = np.zeros_like(b)
    size = 1 + np.abs(b)
    x, value = _unknowns(A, b, lam, low, high, p)
    left = b - np.einsum("tij,tj->ti", A, x)
    for _ in range(MOST_ITERATIONS):
        active = np.max(np.abs(left) / size, axis=1) > RESIDUAL
        if not active.any():
            break
        lam[active], x[active], value[active] = _newton_step(
            A[active], b[active], lam[active], x[active], value[active], left[active], low, high, p
        )
        left = b - np.einsum("tij,tj->ti", A, x)
    return x, np.max(np.abs(left) / size, axis=1)


def _unknowns(A: Array, b: Array, lam: Array, low: Array, high: Array, p: float) -> tuple[Array, Array]:
    """x(λ), and the dual λᵀ b - Σ (sᵢ xᵢ - |xᵢ|ᵖ)."""
    s = np.einsum("tij,ti->tj", A, lam)
    x = np.clip(np.sign(s) * (np.abs(s) / p) ** (1 / (p - 1)), low, high)
    return x, np.einsum("ti,ti->t", lam, b) - np.sum(s * x - np.abs(x) ** p, axis=1)


def _newton_step(
    A: Array, b: Array, lam: Array, x: Array, value: Array, left: Array, low: Array, high: Array, p: float
) -> tuple[Array, Array, Array]:
    inside = (x > low) & (x < high)
    slope = np.where(inside, 1 / (p * (p - 1) * np.maximum(np.abs(x), LEAST_ACTIVATION) ** (p - 2)), 0.0)
    H = np.einsum("tij,tj,tkj->tik", A, slope, A, optimize=True)
    by = np.linalg.solve(H, left[:, :, None])[:, :, 0]
    gain = np.einsum("ti,ti->t", left, by)
    share = np.ones(len(b))
    new, best = lam.copy(), value.copy()
    found = x.copy()
    waiting = np.ones(len(b), dtype=bool)
    for _ in range(40):
        trial = lam[waiting] + share[waiting, None] * by[waiting]
        x2, v2 = _unknowns(A[waiting], b[waiting], trial, low, high, p)
        slack = 1e-12 * (1 + np.abs(value[waiting]))
        good = v2 >= value[waiting] + UPHILL * share[waiting] * gain[waiting] - slack
        places = np.flatnonzero(waiting)
        done = places[good]
        new[done], found[done], best[done] = trial[good], x2[good], v2[good]
        waiting[done] = False
        if not waiting.any():
            break
        share[waiting] /= 2
    return new, found, best


def _outcome(times: Array, left: Array, names: Sequence[str], a: Array) -> SearchOutcome:
    full = [n for n, top in zip(names, a.max(axis=0), strict=True) if top > 1 - 1e-9]
    said = f"largest activation {a.max():z.3g}"
    if full:
        said += f"; fully activated at some time: {', '.join(full[:6])}{' ...' if len(full) > 6 else ''}"
    if np.all(left <= 10 * RESIDUAL):
        return SearchOutcome(f"moments are met at all {len(times)} times; {said}", True)
    k = int(np.argmax(left))
    return SearchOutcome(
        f"the search did not converge at {times[k]:zg} s, where {left[k]:z.2g} of the moments are left: try larger reserves=; {said}",
        False,
    )
