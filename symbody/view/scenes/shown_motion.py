"""The motion shown by a scene: a trajectory sampled densely enough, one state, or a mode about a state.

A mode is q(t) = q0 + Re(ε shape exp(i ω t)), projected onto the constraints, over one period, at several amplitudes ε.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Symbol
from ...algebra.nonlinear.least_norm import least_norm
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Body, Mechanism
from ...derivation.equations.equations import Equations
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, compile_program
from ...errors import ViewError, in_number, listed, shown, unknown
from ...integrate.result.outcome import Ending, Outcome
from ...integrate.result.segment import Segment
from ...integrate.result.trajectory import Trajectory
from ...integrate.start.assembly import assemble
from ...integrate.start.state import State, named_values
from ...stability.periodic.orbits.orbit import Orbit
from .poses import Placer, column

SAMPLE_RATE: Final = 60  # samples for each second of a motion, within the next two limits
FEWEST, MOST, MOST_OF_FAST = 120, 600, 2400
MAX_ROTATION: Final = 1.0  # rotation of a body between samples, in radians, above which more samples are taken
PHASES: Final = 48  # number of samples of a period
AMPLITUDES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)  # amplitudes of a mode; poses between them are interpolated
MODE_ROTATION: Final = 0.5  # rotation in radians, at amplitude one, of the body that rotates most
MODE_DISPLACEMENT: Final = 0.3  # largest displacement of a body at amplitude one, relative to the mechanism's size
MODE_DEFORMATION: Final = 0.2  # largest deformation of a mesh at amplitude one, relative to its size
# irrational fraction of a sampling interval, so that no vibration is in phase at all of these points
INNER_POINT: Final = 0.381966
TESTED_NODES: Final = 200  # number of nodes of a mesh that are tested for vibrations
VISIBLE_DEFORMATION: Final = 0.01  # deformation of a body, relative to its size, from which it is visible


@dataclass(frozen=True, eq=False)
class ShownMotion:
    """Times and coordinates, for each amplitude: q has the shape (levels, times, coordinates).

    trajectory   at the same times, if forces can be computed from it; of a mode, the state about which it is
    levels       amplitudes of a mode; one level otherwise
    frequency    of a mode, in radians per second
    note         on vibrations too fast for its times
    """

    trajectory: Trajectory
    t: Array
    q: Array
    levels: tuple[float, ...] = (1.0,)
    frequency: float | None = None
    note: str = ""

    @property
    def equations(self) -> Equations:
        """Of the first piece: frames move by coordinates that all pieces have (`same_picture`)."""
        return self.trajectory.segments[0].equations

    @property
    def times_of_frames(self) -> Array:
        """Times for frames with a prescribed motion: those of a mode stand still."""
        return np.full(len(self.t), self.trajectory.t[0]) if self.is_mode else self.t

    @property
    def is_mode(self) -> bool:
        return self.frequency is not None

    @property
    def values(self) -> dict[Any, float]:
        """Numbers of the first time, for `evaluate`."""
        eq, sim = self.equations, self.trajectory
        numbers = np.concatenate([sim.t[:1], sim.y[0], sim.r, sim.segments[0].p])
        return dict(zip(eq.variables.arguments, map(float, numbers), strict=True))

    def held(self, repeat: int = 1) -> dict[str, Array]:
        """Arguments of the placement program besides t and q: additional variables at each time, inputs and
        parameters."""
        z = self.trajectory.z
        rows = np.tile(z, (repeat, 1)) if len(z) == len(self.t) else np.tile(z[:1], (repeat * len(self.t), 1))
        return {"z": rows, "r": self.trajectory.r, "p": self.trajectory.segments[0].p}


def trajectory_of(source: Any, values: Mapping[Any, float]) -> Trajectory:
    """A trajectory, an orbit, a state, or equations with values from which a state is assembled, as a trajectory."""
    if isinstance(source, (Trajectory, Orbit)):
        if values:
            raise ViewError(f"scene: a motion has its values already; {listed(values)} cannot be given with it")
        return same_picture(source if isinstance(source, Trajectory) else source.trajectory())
    if isinstance(source, Equations):
        return standing_still(assemble(source, values))
    if isinstance(source, State):
        changed = named_values(source.equations, values, f"scene of {source.equations.name!r}")
        return standing_still(State.of(source.equations, {**source.values, **changed}) if values else source)
    if isinstance(source, Mapping):
        raise ViewError(
            f"scene: {shown(source)} are values without equations; sb.scene(eq, values={{...}}) draws the "
            "state with these values, and sim.scene() draws a motion"
        )
    raise ViewError(
        f"scene: expected equations, a state, a trajectory or an orbit, got {shown(source)}; derive(model) gives equations, "
        "simulate(equations, end) a trajectory, pile.simulate(end, step=...) the motion of a pile"
    )


def shown_motion_of(given: Trajectory, place: Placer, samples: int | None) -> ShownMotion:
    """A trajectory at times that are near enough to each other to look smooth."""
    sim, note = _sampled_with_note(given, place, samples)
    finite = np.isfinite(sim.y).all(axis=1)
    if not finite.all():
        raise ViewError(
            f"scene of {sim.name!r}: the trajectory has no number at t = {sim.t[int(np.argmin(finite))]:g} "
            f"({sim.outcome})"
        )
    return ShownMotion(sim, sim.t, sim.q[None], note=note)


def standing_still(state: State) -> Trajectory:
    """A state as a trajectory of one time."""
    return Trajectory.of(Segment.of_state(state, Outcome(Ending.REACHED, state.t, "one state")))


def same_picture(sim: Trajectory) -> Trajectory:
    """A trajectory that one picture can show: the same bodies moved by the same coordinates in all modes."""
    first, *others = (s.equations for s in sim.segments)
    for eq, mode in zip(others, sim.modes[1:], strict=True):
        alike = (getattr(eq, g) == getattr(first, g) for g in ("q", "u", "z", "r"))
        own = _have_same_bodies(eq.mechanism, first.mechanism)
        # a mode may have additional parameters without influence on poses: directions of slip
        if not all(alike) or not own:
            raise ViewError(
                f"scene of {sim.name!r}: modes {sim.modes[0]!r} and {mode!r} have different coordinates or bodies, which one picture cannot show; "
                "scene(sim.pieces[k]) shows a stretch in one mode"
            )
    return sim


def _have_same_bodies(one: Mechanism, other: Mechanism) -> bool:
    """Whether two mechanisms are one, or were described by the same words: names, masses, shapes, places."""
    if (one.p, one.bodies) == (other.p, other.bodies):
        return True
    alike = one.p == other.p and not (one.elastic_bodies or other.elastic_bodies)
    return alike and [*map(_appearance_of, one.bodies)] == [*map(_appearance_of, other.bodies)]


def _appearance_of(body: Body) -> tuple[Any, ...]:
    place = body.frame.pose_in(body.frame.root)
    return body.name, body.mass, body.shape, place.rotation.matrix, place.offset


# --------------------------------------------------------------------------------------------------------- trajectories


def _sampled_with_note(sim: Trajectory, place: Placer, samples: int | None) -> tuple[Trajectory, str]:
    """The motion at evenly spaced times, and a note about vibrations for which they are too few."""
    if len(sim) < 2 or not sim.is_dense:
        return (sim if sim.t[0] <= sim.t[-1] else sim.reversed), ""
    if samples is not None:
        if samples < 2:
            raise ViewError(f"scene: samples={samples}; a motion needs two at least")
        taken = _at_even_times(sim, samples)
        return taken, _note_of_vibrations(sim, place, taken)
    n = int(np.clip(abs(sim.t[-1] - sim.t[0]) * SAMPLE_RATE, FEWEST, MOST)) + 1
    bodies = list(dict.fromkeys(b.frame for b in sim.segments[0].equations.mechanism.bodies))
    taken = _at_even_times(sim, n)
    while n < MOST_OF_FAST and (_largest_turn(place, bodies, taken) > MAX_ROTATION or _vibrating(sim, place, taken)):
        n *= 2
        taken = _at_even_times(sim, n)
    return taken, _note_of_vibrations(sim, place, taken)


def _note_of_vibrations(sim: Trajectory, place: Placer, taken: Trajectory) -> str:
    if not (names := _vibrating(sim, place, taken)):
        return ""
    return (
        f"{in_number(map(repr, names), '{} vibrates', '{} vibrate')} faster than its {len(taken)} times show, which may look like a slow vibration: "
        "samples= takes more of them, and a shorter stretch of the motion needs fewer"
    )


def _vibrating(sim: Trajectory, place: Placer, taken: Trajectory) -> list[str]:
    """Bodies whose deformation oscillates between two times: points leave the straight line from one position to the
    next by more than half its length."""
    bodies = [b for b in sim.segments[0].equations.mechanism.bodies if b.line or b.surface is not None]
    if not bodies:
        return []
    between = sim.at(taken.t[:-1] + INNER_POINT * np.diff(taken.t))
    here, there = (_deformed_points(place, bodies, x) for x in (taken, between))
    found = []
    for b in bodies:
        x, step = here[b.name], np.diff(here[b.name], axis=0)
        away = there[b.name] - x[:-1] - INNER_POINT * step
        size = float(np.ptp(x, axis=(0, 1)).max())
        lengths = [np.linalg.norm(d, axis=2) for d in (away, step)]
        if ((lengths[0] > VISIBLE_DEFORMATION * size) & (2 * lengths[0] > lengths[1])).any():
            found.append(b.name)
    return found


def _deformed_points(place: Placer, bodies: list[Body], sim: Trajectory) -> dict[str, Array]:
    """Points of elastic bodies in their frames, (times, points, 3)."""
    poses, _ = place(sim.t, sim.q, z=sim.z, r=sim.r, p=sim.segments[0].p)
    at, out = {x: k for k, x in enumerate(sim.segments[0].equations.q)}, {}
    for b in bodies:
        if (surface := b.surface) is not None:
            q = sim.q[:, [at[x] for x in surface.coordinates]]
            some = slice(None, None, 1 + len(surface.nodes) // TESTED_NODES)
            out[b.name] = surface.nodes[some] + np.tensordot(q, surface.shifts[:, some], axes=1)
        else:
            out[b.name] = np.stack([poses.within(b.frame, poses.r[f]) for f in b.line], axis=1)
    return out


def _at_even_times(sim: Trajectory, n: int) -> Trajectory:
    begin, end = sorted((float(sim.t[0]), float(sim.t[-1])))
    return sim.at(np.linspace(begin, end, n))


def _largest_turn(place: Placer, bodies: list[Frame], sim: Trajectory) -> float:
    poses, _ = place(sim.t, sim.q, z=sim.z, r=sim.r, p=sim.segments[0].p)
    return max((_turns(poses.R[f][:-1], poses.R[f][1:]).max(initial=0.0) for f in bodies), default=0.0)


def _turns(A: Array, B: Array) -> Array:
    """Angles between rotations: cos φ = (tr AᵀB - 1) / 2."""
    trace = np.einsum("nij,nij->n", A, B)
    return np.arccos(np.clip((trace - 1) / 2, -1.0, 1.0))


# ---------------------------------------------------------------------------------------------------------- modes


def mode_about(
    base: ShownMotion, place: Placer, shape: Mapping[str, complex], frequency: float, size: float
) -> ShownMotion:
    """The motion of a mode about the first time of another. `shape`: complex displacements by the names of
    coordinates."""
    eq = base.equations
    names = [q.name for q in eq.q]
    known = {s.name for s in (*eq.state, *eq.whole.u)}
    for name in shape:
        if name not in known:
            raise unknown(f"mode of {eq.name!r}", "coordinate", name, names, ViewError)
    x = np.array([complex(shape.get(n, 0.0)) for n in names])
    if not np.isfinite(x).all() or not np.abs(x).max(initial=0.0):
        raise ViewError(f"mode of {eq.name!r}: its displacements are {shown(dict(shape))}; no coordinate moves")
    omega = abs(frequency) or np.pi  # a mode without frequency is shown at half a hertz
    t = np.linspace(0.0, 2 * np.pi / omega, PHASES + 1)
    wave = np.real(x[None] * np.exp(1j * omega * t)[:, None])
    q0 = base.q[0, 0]
    largest = _largest_amplitude(base, place, q0, x, size)
    level = np.array(AMPLITUDES)[:, None, None]
    q = _on_constraints(base, (q0 + largest * level * wave[None]).reshape(-1, len(q0))).reshape(
        len(AMPLITUDES), len(t), len(q0)
    )
    u, z = np.split(base.trajectory.y[0, len(q0) :], [len(eq.u)])
    still = standing_still(State(eq, float(base.t[0]), q0, u, z, base.trajectory.r, base.trajectory.segments[0].p))
    return ShownMotion(still, t, q, AMPLITUDES, abs(frequency))


def _largest_amplitude(base: ShownMotion, place: Placer, q0: Array, x: Any, size: float) -> float:
    """ε of level one, from what bodies do at a small one: they turn by `MODE_ROTATION` or move by `MODE_DISPLACEMENT`
    of the size at most."""
    small = 1e-5 / float(np.abs(x).max())
    q = np.stack([q0, *(q0 + small * np.real(x * np.exp(1j * a)) for a in np.linspace(0, np.pi, 9)[:-1])])
    mechanism = base.equations.mechanism
    frames = list(dict.fromkeys(f for b in mechanism.bodies for f in (b.frame, *b.line)))
    sim = base.trajectory
    poses, points = place(np.full(len(q), base.t[0]), q, z=sim.z[:1].repeat(len(q), 0), r=sim.r, p=sim.segments[0].p)
    centres = points[:, : len(mechanism.bodies)]
    turn = max(np.linalg.norm(poses.R[f][1:] - poses.R[f][:1], axis=(1, 2)).max() / np.sqrt(2) for f in frames)
    reach = float(np.linalg.norm(centres[1:] - centres[:1], axis=2).max())
    ratio = max(
        turn / MODE_ROTATION,
        reach / (MODE_DISPLACEMENT * size),
        _bending(base.equations, q) / (MODE_DEFORMATION * size),
    )
    if ratio == 0.0:
        raise ViewError(f"mode of {base.equations.name!r}: its displacements move no body")
    return small / ratio


def _bending(eq: Equations, q: Array) -> float:
    """How far nodes of meshes move in the frames of their bodies."""
    at, moved = {x: k for k, x in enumerate(eq.q)}, 0.0
    for s in (s for b in eq.mechanism.bodies if (s := b.surface) is not None):
        change = q[1:, [at[x] for x in s.coordinates]] - q[:1, [at[x] for x in s.coordinates]]
        moved = max(moved, float(np.linalg.norm(np.tensordot(change, s.shifts, axes=1), axis=2).max()))
    return moved


def _on_constraints(base: ShownMotion, q: Array) -> Array:
    """Coordinates moved by minimum-norm steps until the constraints are satisfied: q ← q - φ_q⁺ φ, with Euler
    parameters of norm one."""
    eq = base.equations
    rows = [row.expression for row in eq.rows.positions]
    if not rows:
        return q
    groups: dict[str, Symbol | tuple[Symbol, ...]] = {"t": eq.t, "q": eq.q, "p": eq.p}
    used = {k: v for k, v in groups.items() if isinstance(v, Symbol) or v}
    phi = column(rows)
    f = compile_program(program("closure", used, {"phi": phi, "J": jacobian(phi, eq.q)}), is_quick=True)
    given = {"t": np.full(len(q), base.t[0]), "p": base.trajectory.segments[0].p}
    for _ in range(8):
        value, J = f.batch(*(q if k == "q" else given[k] for k in used))
        step = least_norm(J.reshape(len(q), len(rows), -1), value.reshape(len(q), -1, 1), 1e-9)
        q = q - step[:, :, 0]
        if np.abs(step).max() < 1e-10:
            break
    return q
