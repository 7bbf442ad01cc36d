"""`Trajectory`: what a simulation found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.graph import Expr, Symbol
from ..algebra.matrix import Matrix
from ..derive.energies import energy, kinetic_energy, potential_energy, powers
from ..derive.equations import Equations
from ..derive.reactions import reaction
from ..derive.variables import ARGUMENTS
from ..emit.program.lower import program
from ..emit.run.callable import Array, compile_program
from ..errors import SimulationError, listed, unknown
from .constraint_rows import rows_of
from .dense import Dense
from .outcome import Outcome, Statistics
from .sensitivities import sensitivity_of, variations_in
from .state import State
from .tables import data_frame, data_set


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, when, the state before and after (q, u, z), and the impulses that made the difference, by name."""

    name: str
    t: float
    before: Array
    after: Array
    impulses: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        impulses = f", impulses {listed(f'{k} {v:.4g}' for k, v in self.impulses.items())}" if self.impulses else ""
        return f"<{self.name} at t = {self.t:.9g}{impulses}>"


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """Times and states, and everything that follows from them.

    sim["q1"], sim[x * y]     a coordinate, speed, variable, output or multiplier by name, or any expression, at the times sim.t
    sim.at(times)             the same motion at other times, by the method's own polynomials
    sim.energy, sim.violation energies, and how far the constraints are missed
    sim.outcome               how it ended; true where it went as asked
    sim.choices               what was picked: form, method, tolerances
    """

    equations: Equations
    t: Array
    y: Array  # q, u, z in a row for each time
    p: Array  # parameters
    r: Array  # inputs that were constant
    outcome: Outcome
    statistics: Statistics = field(default_factory=Statistics)
    choices: Mapping[str, str] = field(default_factory=dict)
    events: tuple[Occurrence, ...] = ()
    pieces: tuple[Dense, ...] = ()
    variations: Array | None = None  # ∂(q, u, z)/∂x at each time, one column for each x in `wrt`
    wrt: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        chosen = ", ".join(self.choices.values())
        lines = [f"<Trajectory of {self.equations.name}: {self.outcome}", f"  {len(self)} times; {self.statistics}"]
        if chosen:
            lines.append(f"  {chosen}")
        if self.events:
            lines.append(f"  events: {listed(f'{e.name} at {e.t:.6g}' for e in self.events)}")
        return "\n".join(lines) + ">"

    # ------------------------------------------------------------------------------------------------ state

    @property
    def q(self) -> Array:
        return self.y[:, : len(self.equations.q)]

    @property
    def u(self) -> Array:
        n = len(self.equations.q)
        return self.y[:, n : n + len(self.equations.u)]

    @property
    def z(self) -> Array:
        return self.y[:, self.y.shape[1] - len(self.equations.z) :]

    @property
    def final(self) -> dict[str, float]:
        """The last state by name."""
        return {s.identifier: float(x) for s, x in zip(self.equations.state, self.y[-1], strict=True)}

    @property
    def state(self) -> State:
        """The last state, to go on from: `simulate(eq, 20, start=sim)`."""
        n, k = len(self.equations.q), len(self.equations.u)
        if not len(self):
            raise SimulationError(f"trajectory of {self.equations.name!r}: it has no state; {self.outcome}")
        q, u, z = np.split(self.y[-1], [n, n + k])
        return State(self.equations, float(self.t[-1]), q, u, z, self.r, self.p, outcome="end of a trajectory")

    def at(self, times: ArrayLike) -> Trajectory:
        """The motion at other times between its first and last."""
        wanted = np.atleast_1d(np.asarray(times, dtype=np.float64))
        if not self.pieces:
            raise SimulationError(
                "this trajectory has states at the requested times only; simulate with t=end to get all between"
            )
        low, high = sorted((self.pieces[0].start, self.pieces[-1].end))
        if len(wanted) and (wanted.min() < low or wanted.max() > high):
            bad = wanted.min() if wanted.min() < low else wanted.max()
            raise SimulationError(f"t = {bad:g} is outside the trajectory, which goes from {low:g} to {high:g}")
        n = self.y.shape[1]
        y = np.empty((len(wanted), self.pieces[0].coefficients.shape[2]))
        for piece in self.pieces:  # where an event made a jump, the state after it counts
            low, high = sorted((piece.start, piece.end))
            inside = (wanted >= low) & (wanted <= high)
            if len(piece.ends):
                y[inside] = piece(wanted[inside])
        return replace(self, t=wanted, y=y[:, :n], variations=variations_in(y, n, len(self.wrt)), pieces=())

    # ------------------------------------------------------------------------------------------------ values

    def __getitem__(self, what: str | Expr | Matrix) -> Array:
        """Values at the times of the trajectory: a name, an expression, a vector or matrix of expressions."""
        return self.values([what])[0]

    def values(self, wanted: Sequence[str | Expr | Matrix]) -> list[Array]:
        """Several at once, which shares the work between them."""
        return self._evaluated(self.equations.in_own_terms([self._meaning(w) for w in wanted], solved=True), {}, {})

    def _evaluated(self, things: list[Any], more: Mapping[str, Any], numbers: Mapping[str, Array]) -> list[Array]:
        eq = self.equations
        groups = {"t": eq.t, "q": list(eq.q), "u": list(eq.u), "z": list(eq.z), "r": list(eq.r), "p": list(eq.p)}
        groups |= more
        given = {"t": self.t, "q": self.q, "u": self.u, "z": self.z, "r": self.r, "p": self.p, **numbers}
        names = [k for k, symbols in groups.items() if isinstance(symbols, Symbol) or symbols]
        f = compile_program(
            program("values", {k: groups[k] for k in names}, {f"y{i}": x for i, x in enumerate(things)})
        )
        out = f.batch(*(given[k] for k in names))
        return [out] if len(things) == 1 else list(out)

    def sensitivity(self, what: str | Expr | Matrix, wrt: str | Symbol) -> Array:
        """The derivative of a name or an expression with respect to a value at the start or a parameter, along the motion."""
        name = str(wrt)
        if self.variations is None or name not in self.wrt:
            raise unknown(f"trajectory of {self.equations.name!r}", "sensitivity to", name, self.wrt, SimulationError)
        eq = self.equations
        (meant,) = eq.in_own_terms([self._meaning(what)], solved=True)
        slope, moved = sensitivity_of(eq, meant, name)
        given = {"s": self.variations[:, :, self.wrt.index(name)]}
        return self._evaluated([slope], {"s": moved}, given)[0]

    def _meaning(self, what: Any) -> Any:
        if not isinstance(what, str):
            return what
        eq = self.equations
        known: dict[str, Any] = {v.identifier: v.symbol for v in eq.variables.of(f"{ARGUMENTS} lam u'")} | dict(
            eq.outputs
        )
        if what not in known:
            raise unknown(f"trajectory of {eq.name!r}", "quantity", what, known, SimulationError)
        return known[what]

    @cached_property
    def energy(self) -> Array:
        """T + V."""
        return self[energy(self.equations)]

    @cached_property
    def kinetic_energy(self) -> Array:
        return self[kinetic_energy(self.equations)]

    @cached_property
    def potential_energy(self) -> Array:
        return self[potential_energy(self.equations)]

    @cached_property
    def powers(self) -> dict[str, Array]:
        """The power of each load."""
        found = powers(self.equations)
        return dict(zip(found, self.values(list(found.values())), strict=True)) if found else {}

    @cached_property
    def lam(self) -> Array:
        """Multipliers, one column for each."""
        eq = self.equations
        return self[Matrix(len(eq.lam), 1, eq.lam)].reshape(len(self), -1) if eq.lam else np.zeros((len(self), 0))

    def reaction(self, joint: str) -> tuple[Array, Array]:
        """Force and moment in a joint; see `symbody.reaction`."""
        found = reaction(self.equations, joint, solved=True)
        force, moment = self.values([found.force, found.moment])
        return force, moment

    @cached_property
    def violation(self) -> Violations:
        """How far the constraints are missed, at the level of positions and of speeds."""
        eq, rows = self.equations, rows_of(self.equations)
        speeds = eq.Jc @ Matrix(len(eq.u), 1, eq.u) + eq.b if eq.lam else Matrix(0, 1, ())
        positions = [row.expression for row in rows.positions]
        wanted = [Matrix(len(x), 1, tuple(x)) for x in (positions, speeds.entries) if x]
        found = iter(self.values(wanted)) if wanted else iter(())
        empty = np.zeros((len(self), 0))
        phi = next(found).reshape(len(self), -1) if positions else empty
        psi = next(found).reshape(len(self), -1) if speeds.entries else empty
        return Violations(phi, psi, tuple(r.name for r in rows.positions), tuple(r.name for r in rows.speeds))

    # ------------------------------------------------------------------------------------------------ to other tools

    def columns(self, more: Iterable[str | Expr] = ()) -> dict[str, Array]:
        """Coordinates, speeds, variables, and what else is asked for, each as an array."""
        out = {s.identifier: self.y[:, i] for i, s in enumerate(self.equations.state)}
        wanted = list(more)
        for what, values in zip(wanted, self.values(wanted) if wanted else (), strict=True):
            out[str(what)] = values
        return out

    def to_pandas(self, more: Iterable[str | Expr] = ()) -> Any:
        """A pandas DataFrame with time as its index."""
        return data_frame(self.t, self.columns(more))

    def to_xarray(self, more: Iterable[str | Expr] = ()) -> Any:
        """An xarray Dataset over time, with parameters and the outcome as attributes."""
        parameters = {s.identifier: float(v) for s, v in zip(self.equations.p, self.p, strict=True)}
        attributes = {"model": self.equations.name, "outcome": str(self.outcome), **parameters}
        return data_set(self.t, self.columns(more), attributes)


@dataclass(frozen=True)
class Violations:
    """phi (and norms of Euler parameters less one) and Jc u + b at each time, a column for each constraint."""

    positions: Array
    speeds: Array
    position_names: tuple[str, ...]
    speed_names: tuple[str, ...]

    @property
    def position(self) -> float:
        """The largest of all."""
        return float(np.max(np.abs(self.positions), initial=0.0))

    @property
    def speed(self) -> float:
        return float(np.max(np.abs(self.speeds), initial=0.0))

    def __repr__(self) -> str:
        return f"<Violations: at most {self.position:.1e} in position, {self.speed:.1e} in speed>"
