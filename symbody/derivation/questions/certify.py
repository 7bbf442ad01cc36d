"""`certify`: checks of a derived model at random states, by computations independent of those they check.

route against route      M, f and M u' - f by every other route
M                        symmetric, and definite on the motions that the constraints leave
forward dynamics         M u' - f - Jcᵀ lam = 0 and Jc u' + c = 0 at the solution
energy                   T' = power of loads, and of constraints that depend on time (Lennartsson eq. 4.38)
reactions                do no work on the motions that their joints allow
constraint forces        virtual power of the forces that go with a multiplier, against the row of Jc
derivatives              of f, phi and constraint rates on the graph, against the complex step
reduced equations        (`minimal`, `diagonalized`) the same accelerations as the whole ones
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.elimination.elimination import definite_pivots
from ...algebra.graph.graph import Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import external_functions, free_symbols
from ...bodies.frames.rotations import Cosines
from ...errors import DerivationError, EvaluationError, ModelError, listed, shown, unknown
from ...summary import Summarized, Summary, counted, listing, summary_rows
from ..entry.derive import ROUTES, inertia_and_forces, routes_for
from ..equations.additional_rates import is_explicit, variable_rates
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..equations.own_terms import in_own_terms
from ..equations.random_states import condition, numbers, random_state
from ..kinematics.kinematics import Kinematics
from ..programs.forward_dynamics import has_many_pairs
from ..rank.loop_closure import Values
from ..rank.small_matrices import Rows, least_norm, tangent_basis
from .power_balance import power_terms, powers_of_reactions, rows_of_actions

MOST_SPEEDS: Final = 150  # of large mechanisms in loops; certificates of more take minutes to hours
TOLERANCE: Final = 1e-9  # largest relative error of a check that passes
COMPLEX_STEP: Final = 1e-30  # imaginary step of complex-step differentiation
DIFFERENCE_STEP: Final = 1e-6  # step of central differences, for functions without complex arguments
TINY: Final = 1e-300  # smallest scale, against division by zero


@dataclass(frozen=True)
class Check:
    """One check: the worst relative error over all states, where it occurred, and that state (coordinates and
    speeds)."""

    what: str
    error: float
    where: str
    tolerance: float = TOLERANCE
    state: Mapping[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.error <= self.tolerance  # nan does not pass

    def __str__(self) -> str:
        mark = "ok  " if self.passed else "FAIL"
        at = "" if self.passed else f"\n       at {listed((f'{k} = {v:z.6g}' for k, v in self.state.items()), 24)}"
        return f"{mark} {self.what:<38} {self.error:z8.1e} of {self.tolerance:z.0e}  {self.where}{at}"


@dataclass(frozen=True, repr=False)
class Certificate(Summarized):
    """Result of `certify`, printed as a table.

    condition   the largest condition number of the constraints at these states, with rows of unit length
    checks      each states the quantities compared, the largest difference, and whether it passed
    route       of the derivation
    states      number of random states

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> found = sb.certify(sb.derive(m), 1)
    >>> found.checks[0].what, found.checks[0].error
    ('M, f by kane', 0.0)

    See also: `certify`.
    """

    name: str
    route: str
    states: int
    checks: tuple[Check, ...]
    condition: float = 1.0

    @property
    def passed(self) -> bool:
        """Whether all checks are within their tolerances.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
        >>> found = sb.certify(sb.derive(m), 1)
        >>> found.passed, found.failed, found.worst in found.checks
        (True, (), True)

        See also: `certify`.
        """
        return all(c.passed for c in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """Checks that exceed their tolerances."""
        return tuple(c for c in self.checks if not c.passed)

    @property
    def worst(self) -> Check:
        """The check closest to, or furthest beyond, its tolerance."""
        return max(self.checks, key=lambda c: c.error / c.tolerance if c.error == c.error else float("inf"))

    def _summary(self) -> Summary:
        verdict = "holds" if self.passed else f"{len(self.failed)} of {counted(len(self.checks), 'check')} FAILED"
        shown = self.failed or (self.worst,) if self.checks else ()
        rows = [
            (f"{'FAIL' if not c.passed else 'worst'}: {c.what}", f"{c.error:z.1e} of {c.tolerance:z.0e}, {c.where}")
            for c in shown
        ]
        checked = summary_rows(checked=listing(c.what.replace(", ", " and ") for c in self.checks))
        title = f"Certificate of {self.name} by {self.route} at {counted(self.states, 'random state')}: {verdict}"
        return Summary(title, (*rows, *checked))

    def __str__(self) -> str:
        verdict = "holds" if self.passed else f"{len(self.failed)} of {len(self.checks)} checks FAILED"
        constraints = f", condition of the constraints at most {self.condition:z.1e}" if self.condition > 1 else ""
        lines = [
            f"{self.name} by {self.route}, {self.states} random states{constraints}: {verdict}",
            *map(str, self.checks),
        ]
        return "\n  ".join(lines)


@of_equations
def certify(
    equations: Equations,
    seeds: int | Iterable[int] = 3,
    *,
    values: Mapping[Any, float] | None = None,
    routes: Iterable[str] | None = None,
    tolerance: float = TOLERANCE,
) -> Certificate:
    """Check a derived model at random states away from singular positions; the certificate contains their condition
    number.

    seeds       how many states, or their seeds
    values      values of parameters, or of coordinates as guesses for the assembly of loops
    routes      to compare with; all others by default
    tolerance   relative to the size of the terms compared

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> m.gravity(0, -9.81, 0)
    >>> found = sb.certify(sb.derive(m), 1)
    >>> bool(found), found.states
    (True, 1)

    See also: `derivation.Certificate`, `derive`, `audit`.
    """
    if not tolerance > 0:
        raise ModelError(f"certify: tolerance= must be a positive number, got {shown(tolerance)}")
    chosen = _other_routes(equations) if routes is None else list(routes)
    for r in chosen:
        if r not in ROUTES:
            raise unknown("certify", "route", r, ROUTES)
    if len(equations.u) > MOST_SPEEDS and has_many_pairs(equations):
        raise DerivationError(
            f"certify: {equations.name!r} has {len(equations.u)} speeds, and the other routes write out every link: 100 links take half a "
            f"minute, twice as many six times as long. Certify the same model with at most {MOST_SPEEDS} links"
        )
    probe = _Probe(equations.whole, chosen)
    worst: dict[str, Check] = {}
    numbered = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    largest = 1.0
    for seed in numbered:
        state = random_state(equations, seed, values)
        largest = max(largest, condition(equations, state))
        shown_state = {s.name: state[s] for s in (*equations.q, *equations.u)}
        for what, error, where in _reduced_findings(equations, state) + probe.findings(state):
            limit = max(tolerance, 1e-5) if "by differences" in what else tolerance
            found = Check(what, error, f"{where}, state {seed}", limit, shown_state)
            if what not in worst or not found.error <= worst[what].error:
                worst[what] = found
    return Certificate(equations.name, equations.route, len(numbered), tuple(worst.values()), largest)


def _other_routes(eq: Equations) -> list[str]:
    """Routes independent of the one used; none where there are no bodies."""
    return [r for r in routes_for(eq.mechanism) if r != eq.route] if eq.mechanism.bodies else []


Finding = tuple[str, float, str]  # the check, its relative error, its location


def _reduced_findings(eq: Equations, state: Values) -> list[Finding]:
    """Compare the accelerations of reduced equations with those of the whole equations, whose speeds are added to
    the state."""
    if eq.source is None:
        return []
    whole, n = eq.whole, len(eq.whole.u)
    speeds = in_own_terms(eq, [Matrix(1, n, whole.u)])
    rates = in_own_terms(eq, [Matrix(1, n, tuple(u.dot for u in whole.u))], solved=True)
    (u,), (mine,) = numbers([*speeds, *rates], state)
    state.update(zip(whole.u, u, strict=True))
    (theirs,) = numbers([whole.udot.T], state)[0]
    size = max(map(abs, theirs), default=0.0) + TINY
    cells = [(abs(a - b) / size, x.name) for a, b, x in zip(mine, theirs, whole.u, strict=True)]
    return [("accelerations of the whole equations", *_largest(cells))]


class _Probe:
    """The expressions that the checks need, built once for all states."""

    def __init__(self, equations: Equations, routes: Iterable[str]) -> None:
        eq = self.eq = equations
        kinematics = Kinematics(eq.mechanism)
        self.others = {r: inertia_and_forces(r, eq.mechanism, Kinematics(eq.mechanism)) for r in routes}
        self.u_dot: list[Symbol] = [u.dot for u in eq.u]
        self.residual = eq.residual().T
        self.balance = power_terms(eq, kinematics)
        self.joints = powers_of_reactions(eq, kinematics)
        self.rows = rows_of_actions(eq, kinematics)
        self.things = Matrix(1, eq.f.rows + eq.phi.rows, (*eq.f.entries, *eq.phi.entries))
        self.slope = directional_derivative(self.things, _direction(eq))
        self.psi = self.psi_rate = Matrix(1, 0, ())
        if eq.lam:
            self.psi = (eq.Jc @ list(eq.u) + eq.b).T
            self.psi_rate = (eq.Jc @ self.u_dot + eq.c).T

    def findings(self, state: Values) -> list[Finding]:
        eq = self.eq
        return [*(self._motion(state) if eq.u or not eq.z else ()), *self._additional(state)]

    def _motion(self, state: Values) -> list[Finding]:
        eq = self.eq
        M, (f,), Jc = numbers([eq.M, eq.f.T, eq.Jc], state)
        out = self._routes(state, M, f, Jc) + _symmetric(eq, M)
        definite, rank = _definite(M, Jc)
        out += [definite, *self._derivatives(state), *self._actions(state, Jc)]
        if rank < eq.rows.rank or (rank < len(Jc) and eq.border is None):
            return [*out, ("constraints are independent", float(len(Jc) - rank), f"rank {rank} of {len(Jc)}")]
        try:
            (udot,), (lam,) = numbers([eq.udot.T, eq.multipliers.T], state)
        except EvaluationError as reason:
            return [*out, ("forward dynamics", float("inf"), str(reason))]
        moving = {**state, **dict(zip(self.u_dot, udot, strict=True)), **dict(zip(eq.lam, lam, strict=True))}
        return out + self._forward(moving, M, f, Jc) + self._rates(moving, Jc) + self._powers(moving, M, f)

    def _additional(self, state: Values) -> list[Finding]:
        """z' satisfies the additional equations, and its derivatives are those of the complex step."""
        eq = self.eq
        if not eq.z or not is_explicit(eq):
            return []
        rates, along = variable_rates(eq).T, dict.fromkeys((*eq.q, *eq.u, *eq.z), 1.0)
        (zdot,), (exact,) = numbers([rates, directional_derivative(rates, along)], state)
        moving = {**state, **dict(zip((z.dot for z in eq.z), zdot, strict=True))}
        (h,) = numbers([eq.h.T], moving)[0]
        scale, size = 1 + _size(zdot), max(map(abs, exact), default=0.0) + TINY
        held = [(abs(e) / scale, name) for e, name in zip(h, eq.mechanism.equations, strict=True)]
        slopes = zip(exact, _directional_derivative(rates, state, along), eq.z, strict=True)
        return [
            ("z' satisfies the additional equations", *_largest(held)),
            (f"derivatives of z' {_kind(rates)}", *_largest((abs(a - b) / size, z.name) for a, b, z in slopes)),
        ]

    # ---------------------------------------------------------------------------------------- route against route

    def _routes(self, state: Values, M: Rows, f: list[float], Jc: Rows) -> list[Finding]:
        out, view = [], self._view(state, Jc)
        M, f = view.seen(M, f)
        sizes = _sizes(M)
        level = _level(f, [state[u] for u in self.eq.u], sizes)
        for route, (M_other, f_other) in self.others.items():
            A, (g,) = numbers([M_other, f_other.T], state)
            cells = _differences(view.names, sizes, level, (M, f), view.seen(A, g))
            out.append((f"M, f by {route}", *_largest(cells)))
        return out

    def _view(self, state: Values, Jc: Rows) -> _View:
        rows = _rows_of_orientations(self.eq)
        if not rows:
            return _View([u.name for u in self.eq.u])
        (c,) = numbers([self.eq.c.T], state)[0]
        Z, _ = tangent_basis([Jc[k] for k in rows], len(self.eq.u))
        particular = least_norm([Jc[k] for k in rows], [-c[k] for k in rows])
        return _View([f"direction {k + 1}" for k in range(len(Z))], Z, particular)

    # ---------------------------------------------------------------------------------------- forward dynamics, rates

    def _forward(self, moving: Values, M: Rows, f: list[float], Jc: Rows) -> list[Finding]:
        cells = []
        (residual,), (held_rates,) = numbers([self.residual, self.psi_rate], moving)
        for i, u in enumerate(self.eq.u):
            inertia = [M[i][j] * moving[a] for j, a in enumerate(self.u_dot)]
            held = [row[i] * moving[x] for row, x in zip(Jc, self.eq.lam, strict=True)]
            turning = self._gyroscopic(M[i], moving)
            cells.append((abs(residual[i]) / _size([*inertia, f[i], *held, turning]), f"row {u.name}"))
        rates = [moving[x] for x in (*self.u_dot, *self.eq.u)]
        for row, rest, x in zip(Jc, held_rates, self.eq.lam, strict=True):
            cells.append((abs(rest) / _row_size(row, rates), _name(x)))
        return [("forward dynamics", *_largest(cells))]

    def _gyroscopic(self, row: list[float], moving: Values) -> float:
        """Size of the terms that are quadratic in speeds; where all of them cancel, the remainder is their rounding."""
        fastest = max((abs(moving[u]) for u in self.eq.u), default=0.0)
        return sum(map(abs, row)) * fastest**2

    def _rates(self, moving: Values, Jc: Rows) -> list[Finding]:
        """Jc u + b is the rate of phi, and Jc u' + c the rate of Jc u + b: by the complex step along the motion."""
        eq, out = self.eq, []
        if not eq.lam:
            return []
        things = Matrix(1, eq.phi.rows + self.psi.cols, (*eq.phi.entries, *self.psi.entries))
        (q_dot,), (psi,), (psi_rate,) = numbers([eq.rates.T, self.psi, self.psi_rate], moving)
        udot = [moving[a] for a in self.u_dot]
        along = {**dict(zip(eq.q, q_dot, strict=True)), **dict(zip(eq.u, udot, strict=True)), eq.t: 1.0}
        along |= {s: moving[s.dot] for s in eq.variables.of("r r'").symbols if s.dot in moving}
        stepped = _directional_derivative(things, moving, along)
        names, k, kind = [_name(x) for x in eq.lam], eq.phi.rows, _kind(things)
        u = [moving[x] for x in eq.u]
        first = [(abs(stepped[i] - psi[i]) / _row_size(Jc[i], u), names[i]) for i in range(k)]
        seconds = zip(stepped[k:], psi_rate, Jc, names, strict=True)
        second = [(abs(x - y) / _row_size(row, udot, u), n) for x, y, row, n in seconds]
        if k:
            out = [(f"rate of phi {kind}", *_largest(first))]
        return [*out, (f"rate of Jc u + b {kind}", *_largest(second))]

    def _derivatives(self, state: Values) -> list[Finding]:
        """f and phi on the graph, along one direction."""
        if not self.eq.q and not self.eq.u:
            return []
        (exact,) = numbers([self.slope], state)[0]
        stepped = _directional_derivative(self.things, state, _direction(self.eq))
        names = [f"f[{u.name}]" for u in self.eq.u] + [c.name for c in self.eq.mechanism.holonomic]
        size = max(map(abs, exact), default=0.0) + TINY
        cells = [(abs(a - b) / size, n) for a, b, n in zip(exact, stepped, names, strict=True)]
        return [(f"derivatives {_kind(self.things)}", *_largest(cells))]

    # ---------------------------------------------------------------------------------------- power

    def _powers(self, moving: Values, M: Rows, f: list[float]) -> list[Finding]:
        """T' is the sum of powers; reactions do no work on the motions that their joints allow. Relative to the powers
        of all parts of M u' - f."""
        (terms,) = numbers([Matrix(1, len(self.balance), tuple(e for _, e in self.balance))], moving)[0]
        size = _size(terms)
        for x, row, force in zip((moving[u] for u in self.eq.u), M, f, strict=True):
            inertia = (m * moving[a] for m, a in zip(row, self.u_dot, strict=True))
            size += abs(x) * _size([force, *inertia, self._gyroscopic(row, moving)])
        largest = max(range(len(terms)), key=lambda k: abs(terms[k]))
        error = abs(terms[0] - sum(terms[1:])) / size
        out = [("energy rate is power", error, f"largest term {self.balance[largest][0]}")]
        if not self.joints:
            return out
        parts = numbers([Matrix(1, len(e), tuple(e)) for _, e in self.joints], moving)
        cells = [(abs(sum(p)) / (_size(p) + size), name) for (name, _), (p,) in zip(self.joints, parts, strict=True)]
        return [*out, ("reactions do no virtual power", *_largest(cells))]

    def _actions(self, state: Values, Jc: Rows) -> list[Finding]:
        """The virtual power of the forces of unit multipliers, from the geometry of the joints, is that of the rows of Jc."""
        if not self.rows:
            return []
        found = numbers([Matrix(1, len(self.eq.u), r.forces) for r in self.rows], state)
        pairs = [(r.constraint, Jc[r.row], forces) for r, (forces,) in zip(self.rows, found, strict=True)]
        cells = [(max(abs(a - b) for a, b in zip(x, y, strict=True)) / _size(x), name) for name, x, y in pairs]
        return [("constraint forces are Jcᵀ lam", *_largest(cells))]


# ---------------------------------------------------------------------------------------------------- what has to agree


@dataclass(frozen=True)
class _View:
    """The part of M and f that must agree between routes: all of it; or Zᵀ M Z and Zᵀ (f - M a), where coordinates
    are redundant.

    Off the constraint |e| = 1 of Euler parameters that were given as plain coordinates there is no motion, and routes
    may differ: Z spans the motions along it, a is an acceleration that keeps it.
    """

    names: list[str]
    Z: Rows | None = None
    a: list[float] | None = None

    def seen(self, M: Rows, f: list[float]) -> tuple[Rows, list[float]]:
        if self.Z is None or self.a is None:
            return M, f
        rest = [x - _dot(row, self.a) for x, row in zip(f, M, strict=True)]
        MZ = [[_dot(row, z) for row in M] for z in self.Z]
        return [[_dot(z, y) for y in MZ] for z in self.Z], [_dot(z, rest) for z in self.Z]


def _rows_of_orientations(eq: Equations) -> list[int]:
    """Constraints in nothing but the coordinates of one rotation matrix, of which there are several."""
    factors = [f for frame in eq.mechanism.frames for f in frame.rotation.factors if isinstance(f, Cosines)]
    sets = [s for s in (_coordinates(f.matrix) for f in factors) if len(s) > 1]
    used = [_coordinates(c.expression) for c in eq.mechanism.holonomic]
    return [k for k, found in enumerate(used) if any(found <= s for s in sets)]


def _coordinates(thing: Any) -> set[Symbol]:
    return {s for s in free_symbols(thing) if s.kind == "coordinate"}


Sides = tuple[Rows, list[float]]


def _differences(
    names: list[str], sizes: list[float], level: float, one: Sides, other: Sides
) -> list[tuple[float, str]]:
    """Entries of M, of f, and of M u' - f for accelerations of the size that occurs."""
    (M, f), (A, g) = one, other
    trial, cells = [level / s for s in sizes], []
    for i, name in enumerate(names):
        rows = zip(A[i], M[i], sizes, names, strict=True)
        cells += [(abs(a - x) / (sizes[i] * s), f"M[{name}, {n}]") for a, x, s, n in rows]
        cells.append((abs(g[i] - f[i]) / (sizes[i] * level), f"f[{name}]"))
        rest = _dot(A[i], trial) - g[i] - (_dot(M[i], trial) - f[i])
        cells.append((abs(rest) / (sizes[i] * level * (1 + len(trial))), f"(M u' - f)[{name}]"))
    return cells


def _symmetric(eq: Equations, M: Rows) -> list[Finding]:
    sizes, names = _sizes(M), [u.name for u in eq.u]
    pairs = [(i, j) for i in range(len(M)) for j in range(i)]
    cells = [(abs(M[i][j] - M[j][i]) / (sizes[i] * sizes[j]), f"M[{names[i]}, {names[j]}]") for i, j in pairs]
    return [("M is symmetric", *_largest(cells))]


def _definite(M: Rows, Jc: Rows) -> tuple[Finding, int]:
    """Pivots of Zᵀ M Z, Z being the motions that constraints leave; and the rank of Jc. Error 1: one is not
    positive."""
    sizes = _sizes(M)
    scaled = [[x / (s * t) for x, t in zip(row, sizes, strict=True)] for row, s in zip(M, sizes, strict=True)]
    Z, rank = tangent_basis([[x / s for x, s in zip(row, sizes, strict=True)] for row in Jc], len(M))
    MZ = [[_dot(row, z) for row in scaled] for z in Z]
    least = min(definite_pivots(len(Z), [_dot(y, z) for z in Z for y in MZ]), default=float("inf"))
    where = f"{counted(len(Z), 'degree')} of freedom, least pivot {least:z.1e}"
    return ("M is definite", 0.0 if least > 1e-13 else 1.0, where), rank


# ----------------------------------------------------------------------------------------- derivatives by steps


def _direction(eq: Equations) -> dict[Symbol, float]:
    """A direction in q and u without symmetry."""
    return {s: 1.0 + 0.37 * k % 1.7 for k, s in enumerate((*eq.q, *eq.u))}


def _directional_derivative(row: Matrix, state: Mapping[Symbol, float], along: Mapping[Symbol, float]) -> list[float]:
    """d row/ds along a direction, by the complex step; by central differences where external functions are called."""
    needed = [s for s in free_symbols(row) if s in along]
    if not external_functions(row):
        shifted = {s: complex(state[s], COMPLEX_STEP * along[s]) for s in needed}
        return [complex(v).imag / COMPLEX_STEP for v in numbers([row], {**state, **shifted})[0][0]]
    h = DIFFERENCE_STEP
    ahead, back = (numbers([row], {**state, **{s: state[s] + k * along[s] for s in needed}})[0][0] for k in (h, -h))
    return [(a - b) / (2 * h) for a, b in zip(ahead, back, strict=True)]


def _kind(thing: Matrix) -> str:
    return "by differences" if external_functions(thing) else "by complex step"


# ---------------------------------------------------------------------------------------------------- sizes


def _dot(a: Iterable[float], b: Iterable[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _size(terms: Iterable[float]) -> float:
    return sum(map(abs, terms)) + TINY


def _row_size(row: list[float], *rates: list[float]) -> float:
    """The size of the terms of row · rates."""
    return sum(abs(x) for x in row) * max((abs(x) for r in rates for x in r), default=0.0) + TINY


def _name(multiplier: Symbol) -> str:
    return multiplier.name.removeprefix("lam_")


def _largest(cells: Iterable[tuple[float, str]]) -> tuple[float, str]:
    """The largest error, a nan before all."""
    return max(cells, key=lambda c: c[0] if c[0] == c[0] else float("inf"), default=(0.0, "nothing to compare"))


def _sizes(M: Rows) -> list[float]:
    """√M_ii, or what rounding of the largest leaves to compare where it is small: makes entries of M comparable."""
    largest = max((abs(row[i]) for i, row in enumerate(M)), default=0.0)
    return [max(abs(row[i]), 1e-6 * largest, TINY) ** 0.5 for i, row in enumerate(M)]


def _level(f: list[float], u: list[float], sizes: list[float]) -> float:
    """The size of f in these units: of f itself, and of inertia forces M u²."""
    largest = max((abs(x) / s for x, s in zip(f, sizes, strict=True)), default=0.0)
    return largest + max(sizes, default=0.0) * max(map(abs, u), default=0.0) ** 2 + TINY
