"""`Pile`: many free bodies that touch each other and walls, described by shapes, masses and places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...argument_kinds import answered_class, checked_flags
from ...bodies.mechanism.frame_places import frame_and_coordinates
from ...bodies.model.model import Model
from ...derivation.entry.derive import derive
from ...derivation.equations.equations import Equations
from ...derivation.programs.link_table import MachineBody
from ...emit.run.callable import Array
from ...emit.run.cuda_callable import REALS
from ...emit.run.dynamics import TARGETS
from ...errors import ModelError, SimulationError, finite_number, shown, unknown
from ...integrate.piles.card.card_runs import CardRunner
from ...integrate.piles.machine_programs import PileMechanism
from ...integrate.piles.pile_programs import PileNumbers, Terrain
from ...integrate.piles.pile_records import BALL, CLUMP, DRUM, LAWS, STATE
from ...integrate.piles.pile_runs import PileRunner, Runner, run_samples
from ...integrate.piles.pile_solids import PileSolid
from ...integrate.start.state import State
from ...progress import Progress
from ...summary import Summarized, Summary, listing, summary_rows
from .pile_motion import PileMotion
from .pile_notes import gravity_notes, start_notes, with_fast_note
from .pile_numbers import (
    laws,
    mass_of,
    numbers,
    optional_laws,
    other_parameters,
    principal_rotations,
    solver_numbers,
    vectors,
    whole_number,
)
from .pile_rows import streamed_rows
from .pile_stepper import stepped_pile
from .solid_shapes import EqualSolids, prism_advice, solid_of

MOST_KEPT: Final = 1.6e10  # bytes of states in memory
FORMS: Final = ("ball", "polyhedron", "cylinder", "clump")


@dataclass(frozen=True)
class PileKind:
    """Equal bodies of a pile: their shape in numbers, mass properties, number, and the laws that were given."""

    name: str
    solid: PileSolid
    mass: float
    states: Array
    is_fixed: bool
    is_carried: bool
    friction: float | None
    restitution: float | None
    compliance: float | None

    @property
    def inertia(self) -> Array:
        return self.mass * self.solid.gyration

    @property
    def remark(self) -> str:
        return " (of the mechanism)" if self.is_carried else " (fixed)" if self.is_fixed else ""


@dataclass(frozen=True)
class Wall:
    """A half-space or a height field."""

    name: str
    plane: Array | None
    friction: float | None
    restitution: float | None
    compliance: float | None
    terrain: tuple[Array, tuple[float, float], tuple[float, float]] | None = None


@answered_class
class Pile(Summarized):
    """Many free bodies that touch each other and walls; touching pairs are found at run time.

    gravity      acceleration, three numbers in m/s²
    friction     coefficient of Coulomb's friction of all pairs; `restitution` is Newton's (0 to 1). `many`, `wall` and `pair`
                 can give others
    compliance   of all contacts, in every direction (m/N): the inverse of their stiffness; 0: rigid. `many`, `wall` and `pair` can
                 give others
    loads        a function of a model and its one body, which adds loads that act on every body: `m.force(...)` and others

    Contacts are exact: rigid or with the compliance that they have, the cone of friction is not a pyramid, and impulses solve the
    contact problem of all contacts of a step. Accelerations of bodies come from one compiled program, whatever their number.

    >>> pile = sb.Pile("two balls", friction=0.3)
    >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 0.1), (0, 0, 0.3)], density=1000)
    >>> pile.wall("floor")
    >>> motion = pile.simulate(0.5, step=0.01)
    >>> motion.positions[-1, :, 2]
    array([0.1, 0.3])

    See also: `study.PileMotion`, `touch`, `Contacts`.
    """

    def __init__(
        self, name: str = "pile", *, gravity: Sequence[float] = (0.0, 0.0, -9.81), friction: float = 0.0, restitution: float = 0.0,
        compliance: float = 0.0, loads: Callable[[Model, Any], Any] | None = None,
    ) -> None:  # fmt: skip
        self.name = str(name)
        self.gravity = numbers(f"{self._where}: gravity", gravity, (3,))
        self.friction, self.restitution, self.compliance = laws(self._where, friction, restitution, compliance)
        self.loads = loads
        self._kinds: dict[str, PileKind] = {}
        self._walls: dict[str, Wall] = {}
        self._pairs: dict[frozenset[str], tuple[float | None, float | None, float | None]] = {}
        self._machine: PileMechanism | None = None

    @property
    def _where(self) -> str:
        return f"pile {self.name!r}"

    def _summary(self) -> Summary:
        number = sum(len(k.states) for k in self._kinds.values())
        rows = summary_rows(
            bodies=listing(f"{len(k.states)} {k.name}{k.remark}" for k in self._kinds.values()),
            walls=listing(self._walls),
        )
        return Summary(f"Pile {self.name}: {number} bodies", rows)

    # --------------------------------------------------------------------------------------------------- description

    @checked_flags(ModelError)
    def many(
        self, name: str, shape: Any, *, at: Any, mass: float | None = None, density: float | None = None, rotations: Any = None,
        velocities: Any = None, angular_velocities: Any = None, friction: float | None = None, restitution: float | None = None,
        compliance: float | None = None, fixed: bool = False, sides: int | None = None,
    ) -> None:  # fmt: skip
        """Equal bodies at many places.

        shape               `sb.sphere`, `sb.box`, `sb.cylinder`, a convex solid of `sb.read_solids`, or the corners of a convex body in
                            rows of three; balls that are fixed to each other, in rows of four: centre and radius (a clump)
        at                  places of their mass centres, in rows of three (m)
        mass, density       of each body, one of both (kg, kg/m³)
        rotations           Euler parameters e0 e1 e2 e3, in rows of four, of any length; none: as drawn
        velocities          in rows of three (m/s); `angular_velocities` in body axes (rad/s)
        friction            with whatever they touch, unless `pair` says otherwise; `restitution` and `compliance` alike
        fixed               bodies that do not move
        sides               a cylinder is a prism with so many sides, which touches boxes and other prisms too

        >>> pile = sb.Pile("blocks")
        >>> pile.many("block", sb.box(0.2, 0.1, 0.1), at=[(0, 0, 0.05), (0, 0, 0.15)], mass=2.0)
        >>> pile
        <Pile blocks: 2 bodies
          bodies: 1 (2 block)>

        See also: `Pile.wall`, `Pile.pair`, `sphere`, `box`.
        """
        where = f"{self._where}, {name!r}"
        self._check_name(name)
        solid = solid_of(where, shape, sides)
        places = numbers(f"{where}: at", at, (None, 3))
        states = np.zeros((len(places), STATE))
        states[:, :3] = places
        states[:, 3:7] = principal_rotations(where, rotations, len(places), solid)
        states[:, 7:10] = vectors(f"{where}: velocities", velocities, len(places))
        states[:, 10:] = vectors(f"{where}: angular_velocities", angular_velocities, len(places)) @ solid.turn
        m = 1.0 if fixed and mass is None and density is None else mass_of(where, mass, density, solid)
        given = optional_laws(where, friction, restitution, compliance)
        self._kinds[name] = PileKind(name, solid, m, states, bool(fixed), False, *given)

    def mechanism(
        self, start: State, surfaces: Mapping[str, tuple[Any, Any]], *, friction: float | None = None, restitution: float | None = None,
        compliance: float | None = None, touching: Sequence[tuple[str, str]] | str = (), sides: int | None = None,
    ) -> None:  # fmt: skip
        """A mechanism with joints in the pile; forces act both ways. A pile has one, which may consist of several machines.

        start        its equations and the state at the start, by `sb.assemble`
        surfaces     by name: a body or frame of its model, and the shape that is fixed there (as of `many`; with `sides=24` cylinders
                     are prisms). They touch free and fixed bodies and walls
        friction     of all surfaces, unless `pair` says otherwise; `restitution` and `compliance` alike
        touching     pairs of surfaces, by name, that touch each other as well; "all": all but those on one link, or on links with
                     no other surface between them

        `simulate` returns its coordinates and speeds in `motion.mechanism`.

        >>> m = sb.Model("paddle")
        >>> m.gravity(0, 0, -9.81)
        >>> paddle = m.body("paddle", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
        >>> joint = m.revolute("swing", m.ground, paddle, axis="y")
        >>> pile = sb.Pile("game", friction=0.2)
        >>> pile.many("ball", sb.sphere(0.1), at=[(0.3, 0, -0.5)], density=500)
        >>> pile.mechanism(sb.assemble(sb.derive(m), swing_dot=-3.0), {"blade": (paddle.frame.translate(0, 0, -0.5), sb.box(0.1, 0.3, 0.4))})
        >>> motion = pile.simulate(0.2, step=0.002)
        >>> bool(motion.velocities[-1, 0, 0] > 0.5)
        True

        See also: `assemble`, `Pile.many`, `study.PileMotion`.
        """
        where = f"{self._where}, mechanism"
        self._check_machine(where, start, surfaces)
        bodies, solids = [], EqualSolids(sides)
        given = optional_laws(where, friction, restitution, compliance)
        for name, (on, shape) in surfaces.items():
            self._check_name(name)
            solid = solids.of(f"{where}, {name!r}", shape)
            frame, at = frame_and_coordinates(f"{where}, {name!r}", on, tuple(float(c) for c in solid.centre))
            if frame.root is not start.equations.mechanism.ground:
                raise ModelError(f"{where}, {name!r}: {shown(on)} is not of the model {start.equations.name!r}")
            bodies.append(MachineBody(frame, at, solid.turn))
            state = np.array([[0.0] * 3 + [1.0] + [0.0] * (STATE - 4)])
            self._kinds[name] = PileKind(name, solid, 1.0, state, True, True, *given)
        machine = PileMechanism(start, tuple(bodies))
        pairs = _all_pairs(where, machine) if touching == "all" else _named_pairs(where, list(surfaces), touching)
        self._machine = replace(machine, pairs=pairs)

    def _check_machine(self, where: str, start: Any, surfaces: Any) -> None:
        if self._machine is not None:
            raise ModelError(f"{where}: there is one already; put all machines into one model")
        if not isinstance(start, State):
            raise ModelError(
                f"{where}: start is a state of equations, sb.assemble(sb.derive(model), ...), got {shown(start)}"
            )
        if start.equations.z:
            raise ModelError(f"{where}: {start.equations.name!r} has additional variables, which do not run in a pile")
        if not surfaces or not all(isinstance(v, tuple) and len(v) == 2 for v in surfaces.values()):
            raise ModelError(
                f"{where}: surfaces are pairs by name, {{'blade': (body, sb.box(...))}}, at least one, got {shown(surfaces)}"
            )

    def wall(
        self, name: str, at: Any = (0.0, 0.0, 0.0), normal: Any = (0.0, 0.0, 1.0), *, friction: float | None = None,
        restitution: float | None = None, compliance: float | None = None,
    ) -> None:  # fmt: skip
        """A half-space through a point; its normal is towards the bodies.

        >>> pile = sb.Pile("box")
        >>> pile.wall("floor")
        >>> pile.wall("side", at=(1, 0, 0), normal=(-1, 0, 0), friction=0.1)
        >>> pile
        <Pile box: 0 bodies
          walls: 2 (floor, side)>

        See also: `Pile.many`, `Pile.terrain`, `HalfSpace`.
        """
        where = f"{self._where}, {name!r}"
        self._check_name(name)
        n, p = numbers(f"{where}: normal", normal, (3,)), numbers(f"{where}: at", at, (3,))
        if not np.linalg.norm(n) > 0:
            raise ModelError(f"{where}: normal = {shown(normal)} has no direction")
        n = n / np.linalg.norm(n)
        self._walls[name] = Wall(name, np.append(n, n @ p), *optional_laws(where, friction, restitution, compliance))

    def terrain(
        self, name: str, heights: Any, *, corner: Any = (0.0, 0.0), spacing: Any = (1.0, 1.0), friction: float | None = None,
        restitution: float | None = None, compliance: float | None = None,
    ) -> None:  # fmt: skip
        """A height field: heights[i, j] over x = corner[0] + i spacing[0], y = corner[1] + j spacing[1] (m), with two triangles
        in each cell. Balls touch its triangles, boxes and other polyhedra touch it with their corners. Nothing holds bodies
        beyond its edges.

        >>> pile = sb.Pile("slope")
        >>> pile.terrain("hill", [[0, 0], [1, 1]], spacing=(2, 2))
        >>> pile
        <Pile slope: 0 bodies
          walls: 1 (hill)>

        See also: `Pile.wall`, `Pile.many`.
        """
        where = f"{self._where}, {name!r}"
        self._check_name(name)
        z = numbers(f"{where}: heights", heights, (None, None))
        c, d = numbers(f"{where}: corner", corner, (2,)), numbers(f"{where}: spacing", spacing, (2,))
        if min(z.shape) < 2 or not (d > 0).all():
            raise ModelError(
                f"{where}: a height field has at least 2 x 2 heights and a positive spacing, got {z.shape}, {shown(spacing)}"
            )
        if any(w.terrain is not None for w in self._walls.values()):
            raise ModelError(f"{where}: a pile has one height field")
        place = (float(c[0]), float(c[1])), (float(d[0]), float(d[1]))
        self._walls[name] = Wall(name, None, *optional_laws(where, friction, restitution, compliance), (z, *place))

    def pair(
        self, one: str, other: str, *, friction: float | None = None, restitution: float | None = None, compliance: float | None = None
    ) -> None:  # fmt: skip
        """Friction, restitution and compliance of two kinds of bodies, or of bodies and a wall.

        >>> pile = sb.Pile("ice", friction=0.5)
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 0.1)], density=1000, velocities=[(1, 0, 0)])
        >>> pile.wall("floor")
        >>> pile.pair("ball", "floor", friction=0)
        >>> pile.simulate(0.1, step=0.01).velocities[-1, 0]
        array([1., 0., 0.])

        See also: `Pile.many`, `Pile.wall`.
        """
        for name in (one, other):
            if name not in self._kinds and name not in self._walls:
                raise unknown(self._where, "part", name, [*self._kinds, *self._walls], ModelError)
        if friction is restitution is compliance is None:
            raise ModelError(
                f"{self._where}: {one} and {other}: give friction=, restitution= or compliance= of this pair"
            )
        self._pairs[frozenset((one, other))] = optional_laws(
            f"{self._where}: {one} and {other}", friction, restitution, compliance
        )

    def _check_name(self, name: str) -> None:
        if name in self._kinds or name in self._walls:
            raise ModelError(f"{self._where}: there is a part {name!r} already")

    # --------------------------------------------------------------------------------------------------- motions

    def simulate(
        self, t: float, *, step: float, every: int = 1, tolerance: float = 1e-6, most_sweeps: int = 500, stabilise: float = 0.0,
        sleep: float = 0.0, target: str = "cpu", real: str = "double", to: str | Path | None = None,
        columns: Sequence[str] | None = None, of: Sequence[str] | None = None,
    ) -> PileMotion:  # fmt: skip
        """A motion of length t by Moreau-Jean steps of one length (s), that which is given or, where t is not a multiple of it, a
        shorter one.

        every        steps between two states that are kept; the last one is kept, too
        tolerance    residual of the contact problem that a step reaches, without unit; at most `most_sweeps` sweeps of an island
        stabilise    part of the penetration that a step takes back (0 to 1): it moves bodies, and changes no speeds
        sleep        speed (m/s) below which touching bodies are put to sleep after 50 steps; 0: never
        target       "cpu", or "cuda": all bodies on one NVIDIA card, which must be balls; `real="float"` computes there in single
                     precision
        to           a .npy file for the states that are kept, a table with t and `columns` (positions and rotations, or also
                     velocities, angular_velocities, as properties of `study.PileMotion`) of the bodies of the kinds `of` (all
                     that move), and "mechanism", its coordinates and speeds; they are written while it moves, in single
                     precision, and the motion that is returned has the first and the last state only.
                     `np.load(path, mmap_mode="r")["positions"]` is times x bodies x 3

        >>> pile = sb.Pile("ball", restitution=1.0)
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 1.1)], density=1000)
        >>> pile.wall("floor")
        >>> motion = pile.simulate(0.4, step=0.01, every=10)
        >>> motion.t
        array([0. , 0.1, 0.2, 0.3, 0.4])

        See also: `Pile.stepper`, `study.PileMotion`.
        """
        h = self._step_length(step)
        if not finite_number(t, "t", SimulationError) > 0:
            raise SimulationError(f"{self._where}: t = {shown(t)}: a motion has a positive length")
        every = whole_number(self._where, "every", every)
        pile = self._in_numbers(tolerance, most_sweeps, stabilise, sleep)
        count = max(1, ceil(t / h * (1 - 1e-9)))
        self._check_kept(count // every, to)
        runner = self._runner(pile, t / count, target, real)
        notes = (
            *start_notes(self._where, runner, self.body_names),
            *gravity_notes(self._machine, runner.n, self.gravity),
        )
        names = [] if self._machine is None else [s.name for s in self._machine.equations.state]
        chosen = streamed_rows(self._where, self.kinds, len(names), to, columns, of)
        with chosen as sink:
            samples = run_samples(runner, count, every, notes, sink, Progress(None, 0.0, self._where))
        samples = with_fast_note(samples, pile, t / count, self.body_names)
        return PileMotion(self, pile.masses[pile.kinds[: runner.n]], samples, names)

    def _check_kept(self, count: int, to: Any) -> None:
        size = 8.0 * count * (STATE * len(self.start) + (0 if self._machine is None else len(self._machine.state)))
        if to is None and size > MOST_KEPT:
            raise SimulationError(
                f"{self._where}: {count} states take {size / 1e9:z.3g} GB; keep fewer with every=, or write them with to='run.npy'"
            )

    def _runner(self, pile: PileNumbers, h: float, target: str, real: str) -> Runner:
        if target not in TARGETS:
            raise unknown(self._where, "target", target, TARGETS, SimulationError)
        if real not in REALS:
            raise unknown(self._where, "real", real, REALS, SimulationError)
        if target == "cuda":
            return CardRunner(pile, h, real)
        if real != "double":
            raise SimulationError(
                f"{self._where}: real={real!r} is for target='cuda'; this computer computes in double precision"
            )
        return PileRunner(pile, h)

    def stepper(
        self, dt: float, *, substeps: int = 1, tolerance: float = 1e-6, most_sweeps: int = 500, stabilise: float = 0.0
    ) -> Callable[..., Any]:
        """A function from states of all bodies (bodies x 13: place, Euler parameters, velocity, angular velocity in principal
        axes) to those after dt; states of many members (members x bodies x 13) are a batch. With a mechanism it takes and
        returns two arrays, of the bodies and of the mechanism (its coordinates and speeds); a member that fails is nan.

        >>> pile = sb.Pile("ball")
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 0.1)], density=1000)
        >>> pile.wall("floor")
        >>> step = pile.stepper(0.01)
        >>> step(pile.start)[0, :3]
        array([0. , 0. , 0.1])

        See also: `Pile.simulate`, `Pile.start`.
        """
        substeps = whole_number(self._where, "substeps", substeps)
        h = self._step_length(dt) / substeps
        pile = self._in_numbers(tolerance, most_sweeps, stabilise, 0.0)
        if pile.laws[..., 2].any():
            raise SimulationError(
                f"{self._where}: compliance= is for simulate(...), which keeps elastic displacements of contacts between steps; steppers keep states alone"
            )
        runner = PileRunner(pile, h)
        return stepped_pile(self._where, runner, substeps)

    @property
    def start(self) -> Array:
        """States of all bodies that move at the start, in the order of `many`: bodies x 13.

        >>> pile = sb.Pile("ball")
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 1)], density=1000)
        >>> pile.start.shape
        (1, 13)

        See also: `Pile.stepper`, `Pile.body_names`.
        """
        moving = [k.states for k in self._kinds.values() if not k.is_fixed]
        return np.concatenate(moving) if moving else np.zeros((0, STATE))

    @property
    def kinds(self) -> list[PileKind]:
        """Kinds of bodies in the order of `start` and `body_names`: those that move, those of the mechanism, fixed ones. Each has a
        name, its mass, its states at the start, and its shape in principal axes.

        >>> pile = sb.Pile("balls")
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 1), (0, 0, 2)], mass=2.0)
        >>> pile.kinds[0].name, pile.kinds[0].mass, pile.kinds[0].solid.radius
        ('ball', 2.0, 0.1)

        See also: `Pile.walls`, `Pile.start`.
        """
        return sorted(self._kinds.values(), key=lambda k: k.is_fixed + (k.is_fixed and not k.is_carried))

    @property
    def walls(self) -> list[Wall]:
        """Half-spaces with their `plane`, the normal and its distance from the origin, and height fields with their `terrain`.

        >>> pile = sb.Pile("box")
        >>> pile.wall("floor", at=(0, 0, -1))
        >>> pile.walls[0].plane
        array([ 0.,  0.,  1., -1.])

        See also: `Pile.wall`, `Pile.terrain`, `Pile.kinds`.
        """
        return list(self._walls.values())

    @property
    def machine(self) -> PileMechanism | None:
        """The mechanism of the pile: its `start` and `bodies`; None without one.

        >>> sb.Pile("balls").machine is None
        True

        See also: `Pile.mechanism`, `Pile.kinds`.
        """
        return self._machine

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies, those that are fixed last.

        >>> pile = sb.Pile("balls")
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 1), (0, 0, 2)], density=1000)
        >>> pile.body_names
        ['ball[0]', 'ball[1]']

        See also: `Pile.start`, `Pile.many`.
        """
        return [f"{k.name}[{i}]" for k in self.kinds for i in range(len(k.states))]

    def _step_length(self, step: float) -> float:
        if not finite_number(step, "step", SimulationError) > 0:
            raise SimulationError(f"{self._where}: step = {shown(step)}: a step has a positive length")
        return float(step)

    def _in_numbers(self, tolerance: float, most_sweeps: int, stabilise: float, sleep: float) -> PileNumbers:
        solver = solver_numbers(self._where, tolerance, most_sweeps, stabilise, sleep)
        kinds, body = self.kinds, self._one_body
        if self._machine is None and not any(len(k.states) and not k.is_fixed for k in kinds):
            raise SimulationError(f"{self._where}: no body moves; add some with many(...)")
        self._check_pairs(kinds)
        names = [k.name for k in kinds] + list(self._walls)
        walls = self.walls
        planes = [w for w in walls if w.plane is not None]
        hills = [w for w in walls if w.terrain is not None]
        ground = [Terrain(*w.terrain, names.index(w.name)) for w in hills if w.terrain is not None]
        return PileNumbers(
            body=body, parameters=other_parameters(body), solids=tuple(k.solid for k in kinds),
            masses=np.array([[k.mass, *k.inertia] for k in kinds]), kinds=np.repeat(np.arange(len(kinds)), [len(k.states) for k in kinds]),
            fixed=sum(len(k.states) for k in kinds if k.is_fixed), start=np.concatenate([k.states for k in kinds]), laws=self._law_table(names),
            planes=np.array([w.plane for w in planes]).reshape(-1, 4), plane_kinds=np.array([names.index(w.name) for w in planes], dtype=int),
            terrain=ground[0] if ground else None, machine=self._machine, **solver,
        )  # fmt: skip

    def _check_pairs(self, kinds: list[PileKind]) -> None:
        """Every pair of kinds that can meet has a gap."""
        free = [k for k in kinds if not k.is_carried]
        met = [(a, b) for i, a in enumerate(free) for b in kinds if b.is_carried or b in free[i:]]
        for a, b in (*met, *self._own_kinds(kinds)):
            is_still = a.is_fixed and b.is_fixed and not (a.is_carried or b.is_carried)
            if is_still or (a is b and len(a.states) < 2):
                continue
            forms = {a.solid.form, b.solid.form}
            if DRUM in forms and not forms & {BALL, CLUMP}:
                raise SimulationError(
                    f"{self._where}: {a.name} ({FORMS[a.solid.form]}) and {b.name} ({FORMS[b.solid.form]}) have no gap here; a cylinder touches "
                    f"balls and walls. {prism_advice((a if a.solid.form == DRUM else b).is_carried)}, which touches boxes and other prisms too"
                )
        if any(w.terrain for w in self._walls.values()):
            self._check_terrain(kinds)

    def _check_terrain(self, kinds: list[PileKind]) -> None:
        for a in kinds:
            if a.solid.form == DRUM and (a.is_carried or not a.is_fixed):
                raise SimulationError(
                    f"{self._where}: {a.name} (cylinder) and a height field have no gap here. {prism_advice(a.is_carried)}"
                )

    def _own_kinds(self, kinds: list[PileKind]) -> list[tuple[PileKind, PileKind]]:
        """Surfaces of the mechanism that touch each other: a pair of each two forms."""
        carried = [k for k in kinds if k.is_carried]
        pairs = () if self._machine is None else self._machine.pairs
        return list(
            {(carried[i].solid.form, carried[j].solid.form): (carried[i], carried[j]) for i, j in pairs}.values()
        )

    def _law_table(self, names: list[str]) -> Array:
        """Friction, restitution and compliance of all pairs: the larger one of those that were given for the parts, or the pile's."""
        parts: dict[str, PileKind | Wall] = {**self._kinds, **self._walls}
        table = np.empty((len(names), len(names), LAWS))
        for r, law in enumerate(("friction", "restitution", "compliance")):
            own = np.array([np.nan if (v := getattr(parts[k], law)) is None else v for k in names], dtype=float)
            table[..., r] = np.fmax(own[:, None], own[None, :])
            table[..., r][np.isnan(table[..., r])] = getattr(self, law)
        number = {name: i for i, name in enumerate(names)}
        for pair, given in self._pairs.items():
            one, other = number[min(pair)], number[max(pair)]
            for r, value in enumerate(given):
                if value is not None:
                    table[one, other, r] = table[other, one, r] = value
        return table

    @property
    def _one_body(self) -> Equations:
        """Equations of one free body, with its mass and moments of inertia as parameters."""
        m = Model(self.name)
        mass, A, B, C = (m.parameter(k) for k in ("body_mass", "body_Ixx", "body_Iyy", "body_Izz"))
        gx, gy, gz = (m.parameter(k, float(v)) for k, v in zip(("g_x", "g_y", "g_z"), self.gravity, strict=True))
        body = m.body("body", mass=mass, inertia=(A, B, C))
        m.gravity(gx, gy, gz)
        m.free("body", m.ground, body, sequence="euler parameters")
        if self.loads is not None:
            self.loads(m, body)
        eq = derive(m)
        if len(eq.state) != STATE or eq.r or eq.lam:
            raise ModelError(
                f"{self._where}: loads= adds loads to the body it is given, and no variables, inputs or constraints"
            )
        return eq


def _named_pairs(where: str, names: list[str], touching: Any) -> tuple[tuple[int, int], ...]:
    """Numbers of the surfaces of a mechanism that touch each other."""
    pairs, number = [], {name: k for k, name in enumerate(names)}
    for pair in touching:
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:
            raise ModelError(
                f'{where}: touching= takes pairs of different surfaces by name, or "all", got {shown(touching if isinstance(touching, str) else pair)}'
            )
        for name in pair:
            if name not in number:
                raise unknown(f"{where}, touching=", "surface", str(name), names, ModelError)
        pairs.append((number[pair[0]], number[pair[1]]))
    return tuple(pairs)


def _all_pairs(where: str, machine: PileMechanism) -> tuple[tuple[int, int], ...]:
    """All but neighbours along the tree."""
    if machine.table is None:
        raise ModelError(
            f'{where}: touching="all" is for trees of links, with or without constraints; name the pairs of this mechanism'
        )
    links, parents = [machine.table.places[b.frame][0] for b in machine.bodies], [x.parent for x in machine.table.links]
    carrying, before = set(links), [0] * len(parents)
    for i in range(1, len(parents)):  # the last link before it that carries a surface
        before[i] = parents[i] if parents[i] in carrying else before[parents[i]]
    return tuple(
        (i, j)
        for i, one in enumerate(links)
        for j, other in enumerate(links[i + 1 :], i + 1)
        if one != other and before[one] != other and before[other] != one
    )
