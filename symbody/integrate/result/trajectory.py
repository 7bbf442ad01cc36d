"""`Trajectory`: what a simulation found, in one set of equations or switching between several."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...argument_kinds import answered_class
from ...derivation.equations.energies import energy, kinetic_energy, load_powers, potential_energy
from ...derivation.equations.equations import Equations
from ...derivation.equations.undetermined_forces import Share
from ...derivation.questions.reactions import reaction
from ...emit.run.callable import Array
from ...errors import SimulationError, SymbodyError, in_number, shown
from ...later import later
from ..inputs.meanings import Quantity, plain
from . import quantities
from .extremes import Extremes, extremes_along
from .segment import Segment
from .stored_motion import StoredMotion, concatenation
from .tables import data_frame, data_set
from .violations import Violations, joined_violations, violations

if TYPE_CHECKING:
    from ..run.singular_configurations import Passage


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(StoredMotion):
    """A motion: its times, its states, and all quantities that follow from them.

    sim[-1]                   the last `State`; iterating over sim yields all of them
    sim["q1"], sim[x * y]     a coordinate, speed, variable, output or multiplier by name, or any expression, at the
                              times sim.t
    sim.at(times)             the motion at other times, from the interpolation polynomials of the method
    sim.energy, sim.violation total energy, and violation of the constraints
    sim.events, sim.outcome   events in order; how the run ended, true if it reached its end as requested
    sim.choices               selected form, method and tolerances
    sim.plot(), sim.scene()   figures and the animated scene; sim.save("run.npz"), sim.to_pandas(), sim.to_xarray()
    for state in sim          the `State` at each time

    A motion that switches between sets of equations (`simulate_modes`) has all of this for quantities that exist in
    all modes. A switch has two rows, before and after it.

    sim.mode                  the mode at each time
    sim.pieces, sim.modes     a trajectory for each interval in one mode, with all quantities of that mode; and the
                              names of these modes
    sim.segments              its parts as they were stored

    >>> x, v = sb.symbols("x v", "variable")
    >>> k = sb.symbol("k")
    >>> eq = sb.from_equations({x: v, v: -k * x}, {k: 4.0})
    >>> sim = sb.simulate(eq, 3.0, x=1.0)
    >>> sim.at([0.0, 1.0])[x**2 + v**2 / k]  # is conserved
    array([1., 1.])
    >>> len(sim) == len(sim.t), sim.outcome.t, list(sim.columns())
    (True, 3.0, ['x', 'v'])
    >>> sim.state["x"] == sim["x"][-1]
    np.True_

    See also: `simulate`, `State`, `plot`, `scene`, `write.save_trajectory`.
    """

    # ------------------------------------------------------------------------------------------------ values

    def __getitem__(self, what: Any) -> Any:
        """Values at the times of the trajectory: a name, an expression, a vector or matrix of expressions. A whole
        number counts states, as a loop over the trajectory does: sim[-1] is the last `State`."""
        if isinstance(what, (int, np.integer)) and not isinstance(what, bool):
            k, first = range(len(self))[what], np.cumsum([0, *map(len, self.segments)])
            which = int(np.searchsorted(first, k, side="right")) - 1
            return self.segments[which].state(k - int(first[which]))
        if isinstance(what, (float, slice)):
            raise SimulationError(
                f"trajectory of {self.name!r}: sim[name] has values, sim[3] is a state by its number, sim.at(times) the motion at "
                f"times; got {shown(what)}"
            )
        return self.values([what])[0]

    def values(self, wanted: Sequence[Quantity]) -> list[Array]:
        """Several quantities at once, which shares the work. Stored arrays are returned without a copy and are read-only.

        >>> x, v = sb.symbols("x v", "variable")
        >>> sim = sb.simulate(sb.from_equations({x: v, v: -x}), [0.0, 0.5, 1.0], x=1.0)
        >>> cosine, unit = sim.values(["x", x**2 + v**2])
        >>> cosine, unit
        (array([1.      , 0.877583, 0.540302]), array([1., 1., 1.]))
        >>> sorted(sim.choices)
        ['form', 'method', 'tolerance']

        See also: `Trajectory.columns`, `evaluate`.
        """
        if not isinstance(wanted, (list, tuple)):
            raise SimulationError(
                f"trajectory of {self.name!r}: values() takes a list of names and expressions, got {shown(wanted)}"
            )
        return values_along(self, wanted)

    def max(self, what: Quantity) -> float:
        """The largest value of a name or an expression along the motion, also between steps. sim["x"].max() considers
        the times sim.t only.

        >>> x, v = sb.symbols("x v", "variable")
        >>> sim = sb.simulate(sb.from_equations({x: v, v: -x}), 20.0, v=1.0)
        >>> round(sim.max("x"), 7), round(sim.min(x + v), 7), sim["x"].max() < 0.99
        (1.0, -1.4142136, np.True_)

        See also: `Trajectory.extremes`, `study.extremes`.
        """
        return self.extremes(what).max

    def min(self, what: Quantity) -> float:
        """The smallest value along the motion, also between steps."""
        return self.extremes(what).min

    def extremes(self, what: Quantity) -> Extremes:
        """Local extremes of a name or an expression along the motion, from the polynomials of the method: their times
        and values.

        >>> x, v = sb.symbols("x v", "variable")
        >>> sim = sb.simulate(sb.from_equations({x: v, v: -x - 0.2 * v}), 10.0, x=1.0)
        >>> found = sim.extremes("x")
        >>> found.t.round(3), found.values.round(4)
        (array([ 0.   ,  3.157,  6.315,  9.472, 10.   ]), array([ 1.    , -0.7292,  0.5318, -0.3878, -0.3369]))

        See also: `Trajectory.max`, `Trajectory.at`, `Event`.
        """
        return extremes_along(self.segments, plain(what))

    def sensitivity(self, what: Quantity, *wrt: str | Symbol) -> Array:
        """The derivative of a name or an expression with respect to a value at the start or a parameter, along the
        motion; with several names that of higher order, as far as `sensitivity_order` goes.

        >>> x, k = sb.symbols("x k")
        >>> eq = sb.from_equations({x: -k * x}, {k: 2.0})
        >>> sim = sb.simulate(eq, 1.0, x=1.0, sensitivities=["k"], sensitivity_order=2)
        >>> round(float(sim.sensitivity("x", "k")[-1]), 6)  # -t exp(-k t)
        -0.135335
        >>> round(float(sim.sensitivity(x**2, "k", "k")[-1]), 6)  # 4 t² exp(-2 k t)
        0.073263

        See also: `simulate`.
        """
        return concatenation([quantities.sensitivity(s, what, tuple(map(str, wrt))) for s in self.segments])

    @property
    def variations(self) -> Array | None:
        """∂(q, u, z)/∂x at each time, one column for each x in `wrt`; None without sensitivities.
        Derivatives of higher order are had by `sensitivity`.

        >>> x, k = sb.symbols("x k")
        >>> sim = sb.simulate(sb.from_equations({x: -k * x}, {k: 2.0}), [0.0, 0.5, 1.0], x=1.0, sensitivities=["x", "k"])
        >>> sim.wrt, sim.variations[-1]  # exp(-k t), -t exp(-k t)
        (('x', 'k'), array([[ 0.135335, -0.135335]]))

        See also: `Trajectory.sensitivity`.
        """
        if self.segments[0].variations is None:
            return None
        found = [s.variations for s in self._alike("q", "u", "z") if s.variations is not None]
        return concatenation([v[:, :, : len(self.wrt)] for v in found])

    @property
    def wrt(self) -> tuple[str, ...]:
        """Names of the initial values and parameters with respect to which `variations` are derivatives."""
        return self.segments[0].wrt

    def _derived(self, name: str, make: Callable[[Equations], Expr]) -> Array:
        """A quantity that follows from equations; they keep the expression, and so the program for it."""
        return concatenation([quantities.derived_quantity(s, name, make) for s in self.segments])

    @cached_property
    def energy(self) -> Array:
        """Kinetic plus potential energy, T + V, at each time; in joules if the model is in SI units.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)), damping=0.1)
        >>> m.gravity(0, -10.0, 0)
        >>> sim = sb.simulate(sb.derive(m), [0.0, 0.5, 1.0], a_dot=2.0)
        >>> float(sim.kinetic_energy[0]), float(sim.potential_energy[0]), float(sim.energy[0])
        (2.0, -10.0, -8.0)
        >>> {name: float(power[0].round(6)) + 0.0 for name, power in sim.load_powers.items()}  # -0.1 · 2²
        {'gravity': 0.0, 'a.damper': -0.4}

        See also: `energy`, `derivation.load_powers`, `plot`.
        """
        return self._derived("energy", energy)

    @cached_property
    def kinetic_energy(self) -> Array:
        """Kinetic energy T at each time."""
        return self._derived("kinetic energy", kinetic_energy)

    @cached_property
    def potential_energy(self) -> Array:
        """Potential energy V at each time."""
        return self._derived("potential energy", potential_energy)

    @cached_property
    def load_powers(self) -> dict[str, Array]:
        """The power of each load that all modes have: force times speed where it acts, at each time."""
        of_modes = [_load_powers(s.equations) for s in self.segments]
        names = [n for n in of_modes[0] if all(n in other for other in of_modes)]
        parts = [
            quantities.values(s, [found[n] for n in names]) for s, found in zip(self.segments, of_modes, strict=True)
        ]
        return {n: concatenation(x) for n, x in zip(names, zip(*parts, strict=True), strict=True)}

    @cached_property
    def lam(self) -> Array:
        """Multipliers, one column for each, where all modes have the same.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=2.0)
        >>> name = m.constrain("floor", y)
        >>> m.gravity(0, -9.81, 0)
        >>> sim = sb.simulate(sb.derive(m), 1.0, x_dot=1.0)
        >>> sim.lam[-1], sim.violation.position
        (array([19.62]), 0.0)
        >>> sim.singular_positions
        ()

        See also: `Equations.multipliers`, `integrate.violation`.
        """
        return concatenation([_multipliers(s) for s in self._alike("lam")])

    def reaction(self, joint: str, frame: Any = None, *, share: Share | None = None) -> tuple[Array, Array]:
        """Force and moment that the parent exerts on the child of a joint, a row of three components for each time.

        frame   of the components: a frame, a body, or the name of a body or "ground"; by default the joint's frame on
                the parent side, whose axes are those of the parent, in which `axis=` of the joint is given too

        share   how to distribute components that redundant constraints leave undetermined (NaN without it); see
                `symbody.reaction`

        The moment is about the position of the joint on the child; `symbody.reaction(eq, joint, at=point)` takes others.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
        >>> m.gravity(0, -9.81, 0)
        >>> sim = sb.simulate(sb.derive(m), 1.0)
        >>> force, moment = sim.reaction("theta", frame="ground")
        >>> force[-1].round(6) + 0.0
        array([0.  , 9.81, 0.  ])

        See also: `reaction`, `Trajectory.reactions`.
        """
        return self.reactions([joint], frame, share=share)[joint]

    def reactions(
        self, joints: Iterable[str], frame: Any = None, *, share: Share | None = None
    ) -> dict[str, tuple[Array, Array]]:
        """Forces and moments in several joints at once, which shares the work between them; see `reaction`.

        >>> m = sb.Model("chain")
        >>> upper, lower = (m.body(n, mass=1.0, com=(0, -1, 0)) for n in ("upper", "lower"))
        >>> joints = m.revolute("a", m.ground, upper), m.revolute("b", upper, lower, at=(0, -1, 0))
        >>> m.gravity(0, -9.81, 0)
        >>> found = sb.simulate(sb.derive(m), 0.1).reactions(["a", "b"], "ground")
        >>> {joint: float(force[-1, 1].round(6)) for joint, (force, moment) in found.items()}
        {'a': 19.62, 'b': 9.81}

        See also: `Trajectory.reaction`, `derivation.reactions`.
        """
        names = tuple(joints) if isinstance(joints, Iterable) and not isinstance(joints, str) else (joints,)
        if wrong := [n for n in names if not isinstance(n, str)]:
            raise SimulationError(f"trajectory of {self.name!r}: expected the name of a joint, got {shown(wrong[0])}")
        parts = [quantities.values(s, _reactions(s.equations, names, frame, share)) for s in self.segments]
        found = [concatenation(x) for x in zip(*parts, strict=True)]
        return {n: (force, moment) for n, force, moment in zip(names, found[::2], found[1::2], strict=True)}

    @cached_property
    def singular_positions(self) -> tuple[Passage, ...]:
        """Singular positions that were passed between the times of this trajectory: when and where, which joints became
        dependent, and states just beyond on each branch, from which another motion can start."""
        passages_along = later("integrate.run.singular_configurations", "passages_along")
        return tuple(p for s in self.segments if len(s) for p in passages_along(s.t, s.y, s.state(0), s.between))

    @cached_property
    def violation(self) -> Violations:
        """Violation of the constraints, at the level of positions and of speeds."""
        return joined_violations([violations(s) for s in self.segments])

    # ------------------------------------------------------------------------------------------------ onwards

    @property
    def names(self) -> list[str]:
        """Coordinates, speeds and variables that all modes have."""
        first, *others = (s.names for s in self.segments)
        return [n for n in first if all(n in other for other in others)]

    def columns(self, more: Iterable[str | Expr] = ()) -> dict[str, Array]:
        """Coordinates, speeds, variables, inputs and outputs that all modes have, and further requested quantities,
        each as an array.

        Entries of vectors and matrices among the outputs are columns of their own: place[0], place[1].
        """
        if isinstance(more, str) or not isinstance(more, Iterable):
            raise SimulationError(
                f"trajectory of {self.name!r}: more columns must be a list of names and expressions, got {shown(more)}"
            )
        wanted = list(dict.fromkeys([*self.names, *self.input_names, *self.output_names, *more]))
        out: dict[str, Array] = {}
        for name, x in zip(map(str, wanted), self.values(wanted), strict=True):
            rows = x.reshape(len(x), -1).T if x.ndim > 1 else ()
            out |= {f"{name}[{k}]": row for k, row in enumerate(rows)} if x.ndim > 1 else {name: x}
        return out

    @property
    def input_names(self) -> list[str]:
        """Inputs that all modes have, constant ones and those that follow laws."""
        return self._common(
            lambda eq: [s.name for s in (*eq.variables.inputs, *eq.dependent) if s.kind == "input" and not s.order]
        )

    @property
    def output_names(self) -> list[str]:
        """Outputs that all modes have."""
        return self._common(lambda eq: list(eq.outputs))

    def _common(self, names: Callable[[Equations], list[str]]) -> list[str]:
        first, *others = (names(s.equations) for s in self.segments)
        return [n for n in first if all(n in other for other in others)]

    def to_pandas(self, more: Iterable[str | Expr] = ()) -> Any:
        """A pandas DataFrame with time as its index; where equations switch, with a column `mode`.

        >>> x = sb.symbol("x", "variable")
        >>> sim = sb.simulate(sb.from_equations({x: -x}), [0.0, 0.5, 1.0], x=1.0)
        >>> sim.columns(["x", x**2])["x**2"]
        array([1.      , 0.367879, 0.135335])
        >>> frame = sim.to_pandas()  # needs pandas
        >>> list(frame.columns), frame.index.name
        (['x'], 't')
        >>> sim.to_xarray().attrs["outcome"]  # needs xarray
        'reached the end at t = 1'

        See also: `write.save_trajectory`, `Trajectory.columns`.
        """
        return data_frame("t", self.t, self._table(more))

    def to_xarray(self, more: Iterable[str | Expr] = ()) -> Any:
        """An xarray Dataset over time, with parameters and the outcome as attributes."""
        attributes = {"model": self.name, "outcome": str(self.outcome), **self.parameters}
        return data_set("t", self.t, self._table(more), attributes)

    def _table(self, more: Iterable[str | Expr]) -> dict[str, Any]:
        return self.columns(more) | ({"mode": self.mode} if len(self.segments) > 1 else {})

    @property
    def parameters(self) -> Mapping[str, float]:
        """Parameters by name, of all modes."""
        return {n.name: x for s in self.segments for n, x in zip(s.equations.p, s.p.tolist(), strict=True)}

    def plot(self, *what: Any, **options: Any) -> Any:
        """A figure of coordinates and speeds, or of the named quantities; see `symbody.plot`.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
        >>> sim = sb.simulate(sb.derive(m), 1.0, a_dot=1.0)
        >>> sim.plot("a", "a_dot")
        <Figure 'pendulum': 2 panels, 2 curves>
        >>> len(sim.scene().t) > 1
        True
        >>> sim.save("run.npz").name
        'run.npz'

        See also: `plot`, `scene`, `load`.
        """
        return later("view.figures.plots", "plot")(self, *what, **options)

    def scene(self, **options: Any) -> Any:
        """The animated scene; see `symbody.scene`."""
        return later("view.scenes.scene", "scene")(self, **options)

    def save(self, path: str | Path) -> Path:
        """Write it without loss, as .npz; `load` reads it back."""
        return later("write.files.trajectory_file", "save_trajectory")(self, path)


def values_along(sim: Trajectory, wanted: Sequence[Quantity], is_drawn: bool = False) -> list[Array]:
    """Quantities in all segments; is_drawn as in `quantities.values`."""
    found = []
    for s in sim.segments:
        try:
            found.append(quantities.values(s, wanted, is_drawn))
        except SymbodyError as reason:
            if not sim.is_switched:
                raise
            raise SimulationError(
                f"trajectory of {sim.name!r}: {in_number(map(shown, wanted), '{} does', '{} do')} not exist in mode {s.mode!r} ({reason}); "
                "sim.pieces has each stretch for itself"
            ) from None
    return [concatenation(parts) for parts in zip(*found, strict=True)]


def _multipliers(s: Segment) -> Array:
    eq = s.equations
    return (
        quantities.values(s, [Matrix(len(eq.lam), 1, eq.lam)])[0].reshape(len(s), len(eq.lam))
        if eq.lam
        else np.zeros((len(s), 0))
    )


def _load_powers(eq: Equations) -> dict[str, Expr]:
    return eq.cached("load powers", (), lambda: load_powers(eq))


def _reactions(eq: Equations, joints: Sequence[str], frame: Any, share: Share | None) -> list[Quantity]:
    is_one = isinstance(frame, Hashable)
    if not is_one:
        raise SimulationError(
            f"reactions of {eq.name!r}: frame= must be a frame, a body, the name of a body, or 'ground'; got {shown(frame)}"
        )
    how = tuple(sorted(share.items())) if isinstance(share, Mapping) else share
    found = [
        eq.cached("reaction", (j, frame, how), lambda j=j: reaction(eq, j, frame, solved=True, share=share))  # type: ignore[misc]
        for j in joints
    ]
    return [v for r in found for v in (r.force, r.moment)]
