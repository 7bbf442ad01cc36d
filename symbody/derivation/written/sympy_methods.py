"""Equations of motion from SymPy: `KanesMethod`, `LagrangesMethod` and `System` as `Equations`.

    KanesMethod       Fr + Fr* = 0 for all speeds, also dependent ones: with v, ω of its bodies in the inertial frame,
                      M = Σ m vuᵀ vu + ωuᵀ I ωu,   f = Σ vuᵀ (F - m v') + ωuᵀ (T - (I ω)')   at u' = 0
    LagrangesMethod   its Lagrangian, forces and constraints (`from_lagrangian`); its multipliers are the negatives of
                      ours
    System            by the method that it formed, or by Kane's

Dynamicsymbols that are neither coordinates nor speeds are inputs. Forces that only auxiliary equations contain are
outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, Particle, Point, System
from sympy.physics.vector import dynamicsymbols

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix, sum_of_products, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...algebra.sympy_border.from_sympy import from_sympy, meanings
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.sympy_frames import SympyFrames, geometry
from ...bodies.model.model import Model
from ...errors import ModelError, shown
from ..entry.derive import derive
from ..equations.equations import Equations
from ..equations.random_states import numbers, random_state
from ..rank.small_matrices import pivoted_elimination
from .from_lagrangian import from_lagrangian

Given = Mapping[Any, Any] | Iterable[Symbol] | None


def mechanics(x: Any, symbols: Given) -> Any:
    """Anything of sympy.physics.mechanics: equations, or geometry."""
    for kind, convert in _METHODS:
        if isinstance(x, kind):
            return convert(x, symbols)
    return geometry(x, symbols)


# ---------------------------------------------------------------------------------------------------------- Lagrange


def _from_lagrange(method: Any, symbols: Given) -> Equations:
    given = meanings(symbols)
    q, dots = list(method.q), list(method.q.diff(dynamicsymbols._t))
    holonomic = list(method._hol_coneqs)
    others = list(method.coneqs)[len(holonomic) :]
    L, N = method._L[0], method.inertial
    forces = {x: _generalized_force(method.forcelist, d, N) for x, d in zip(q, dots, strict=True)}
    names = [_name(x) for x in q]
    inputs = _inputs([L, *forces.values(), *holonomic, *others], q)

    def taken(e: Any) -> Expr:
        found: Expr = from_sympy(sympy.sympify(e), {**inputs, **given})
        return found

    return from_lagrangian(
        taken(L), names, forces={n: taken(Q) for n, Q in zip(names, forces.values(), strict=True) if Q != 0},
        constraints={**_by_number("holonomic", map(taken, holonomic)), **_by_number("nonholonomic", map(taken, others))}, name="LagrangesMethod",
    )  # fmt: skip


def _generalized_force(loads: Iterable[Any], rate: Any, N: Any) -> Any:
    """Σ ∂v/∂q' · F + ∂ω/∂q' · T."""
    total = sympy.Integer(0)
    for at, vector in loads:
        total += _velocity(at, N).diff(rate, N, var_in_dcm=False).dot(vector)
    return total


def _velocity(at: Any, N: Any) -> Any:
    return at.vel(N) if isinstance(at, Point) else at.ang_vel_in(N)


def _by_number(what: str, things: Iterable[Any]) -> dict[str, Any]:
    return {f"{what} {k}": e for k, e in enumerate(things, start=1)}


# ---------------------------------------------------------------------------------------------------------- Kane


class _KanesParts(NamedTuple):
    """The parts of a KanesMethod, for which SymPy has no public names."""

    frame: Any
    auxiliary: list[Any]
    configuration: list[Any]
    velocity: list[Any]
    is_formed: bool


def _kanes_parts(method: Any) -> _KanesParts:
    velocity = list(method._k_nh * method.u + method._f_nh) if len(method._k_nh) else []
    return _KanesParts(method._inertial, list(method._uaux), list(method._f_h), velocity, method._fr is not None)


def _from_kane(method: Any, symbols: Given) -> Equations:
    return _Kane(method, symbols).equations()


class _Kane:
    """Kane's equations on the graph, from the velocities of SymPy's points and frames."""

    def __init__(self, method: Any, symbols: Given) -> None:
        if not method.bodies:
            raise ModelError(
                "from_sympy: this KanesMethod has no bodies yet; call kanes_equations(bodies, loads) on it "
                "first, or give bodies= to it"
            )
        self.method, self.parts = method, _kanes_parts(method)
        self.N, self.aux = self.parts.frame, self.parts.auxiliary
        self.q, self.u = list(method.q), list(method.u)
        self.model = Model("KanesMethod")
        self.loads = [(x[0], x[1]) for x in method.forcelist or ()]
        self.unknown = self._unknown_forces()
        table = {_name(x): self.model.coordinate(_name(x)) for x in self.q}
        table |= {_name(x): self.model.speed(_name(x)) for x in self.u}
        helpers = {_name(x): symbol(f"auxiliary_{_name(x)}", "speed") for x in self.aux}
        self.aux_symbols = tuple(helpers.values())
        inputs = _inputs(self._everything(), [*self.q, *self.u, *self.aux])
        self.frames = SympyFrames({self.N: self.model.ground, **inputs, **table, **helpers, **meanings(symbols)})
        self.rates: dict[Symbol, Expr] = {
            table[_name(d.args[0])]: self.frames.scalar(e) for d, e in method.kindiffdict().items()
        }

        self._follow_idle_speeds()

    def _follow_idle_speeds(self) -> None:
        """Speeds that are in no kinematic equation (spins of wheels) are rates of coordinates of their own, on which
        nothing depends."""
        used = set(free_symbols(*self.rates.values()))
        for u in self.model.symbols_of_kind("speed"):
            if u not in used:
                self.rates[self.model.coordinate(f"{u.name}_integral")] = u

    def _unknown_forces(self) -> list[Any]:
        """Dynamicsymbols that drop out of the equations of motion: forces that do work on auxiliary speeds only."""
        if not self.aux:
            return []
        inside = _of_time([*self.method.auxiliary_eqs]) if self.parts.is_formed else set()
        known = {*self.q, *self.u, *self.aux, *_of_time([*self.method.mass_matrix, *self.method.forcing])}
        return sorted(inside - known, key=str)

    def _everything(self) -> list[Any]:
        m = self.method
        vectors = [v for _, v in self.loads] + [_velocity(at, self.N) for at, _ in self.loads]
        entries = [e for v in vectors for c, _ in getattr(v, "args", ()) for e in c]
        held = [*self.parts.configuration, *self.parts.velocity]
        return [*entries, *m.kindiffdict().values(), *held, *(b.mass for b in m.bodies)]

    def equations(self) -> Equations:
        self._declare()
        m, all_u = self.model, self._speeds
        for q, rate in self.rates.items():
            m.rate(q, rate)
        M, f = self.inertia_and_forces
        n = len(self.u)
        for j in range(n):
            m.balance(all_u[j], sum_of_products(M.row(j)[:n], [x.dot for x in all_u[:n]]) - f[j])
        for name, e in _by_number("configuration", map(self.frames.scalar, self.parts.configuration)).items():
            m.constrain(name, e)
        for name, e in self._velocity_constraints().items():
            m.constrain_speed(name, e)
        self._add_outputs(M, f)
        return derive(m, "kane")

    def _declare(self) -> None:
        """Parameters and inputs that the equations contain."""
        self._speeds = [*self.model.symbols_of_kind("speed"), *self.aux_symbols]
        used = {
            symbol(s.stem, s.kind) for s in free_symbols(*self._graph_expressions()) if s.kind in ("parameter", "input")
        }
        for s in sorted(used, key=lambda s: (s.kind, s.name)):
            if s.name not in {_name(x) for x in self.unknown}:
                self.model.parts.declare(s.name, s.kind)

    def _graph_expressions(self) -> list[Expr]:
        M, f = self.inertia_and_forces
        constraints = [*map(self.frames.scalar, self.parts.configuration), *self._speed_rows()]
        return [*M.entries, *f.entries, *self.rates.values(), *constraints]

    def _speed_rows(self) -> list[Expr]:
        still = dict.fromkeys((x.dot for x in self.aux_symbols), ZERO) | dict.fromkeys(self.aux_symbols, ZERO)
        return substitute_all([self.frames.scalar(e) for e in self.parts.velocity], still)

    def _velocity_constraints(self) -> dict[str, Expr]:
        """The velocity constraints that are not rates of configuration constraints."""
        rows = self._speed_rows()
        if not self.parts.configuration or not rows:
            return _by_number("velocity", rows)
        eq = derive(self.model, "kane", check=False)
        state = random_state(eq, 1)
        J = jacobian(rows, eq.u)
        held, more = numbers([eq.Jc, J], state)
        kept: list[int] = []
        rank = len(pivoted_elimination(held, len(eq.u)).columns)
        for k, row in enumerate(more):
            if len(pivoted_elimination([*held, row], len(eq.u)).columns) > rank:
                held, rank, kept = [*held, row], rank + 1, [*kept, k]
        return _by_number("velocity", [rows[k] for k in kept])

    # ------------------------------------------------------------------------------------------------ Fr + Fr*

    @cached_property
    def inertia_and_forces(self) -> tuple[Matrix, Matrix]:
        """M and f for speeds and auxiliary speeds, the latter zero."""
        u = [*self.model.symbols_of_kind("speed"), *self.aux_symbols]
        M, f = zeros(len(u), len(u)), zeros(len(u))
        for body in self.method.bodies:
            v, w, mass, I = self._motion(body)
            Jv = jacobian(v, u)
            M, f = M + mass * (Jv.T @ Jv), f - mass * (Jv.T @ self._rate(v))
            if I is not None:
                Jw, angular = jacobian(w, u), I @ w
                M, f = M + Jw.T @ (I @ Jw), f - Jw.T @ self._rate(angular)
        for at, vector in self.loads:
            J = jacobian(self._in_speeds(self._components(_velocity(at, self.N))), u)
            f = f + J.T @ self._in_speeds(self._components(vector))
        still = dict.fromkeys(self.aux_symbols, ZERO)
        if still:
            M, f = substitute_all([M, f], still)
        return M, f

    def _motion(self, body: Any) -> tuple[Matrix, Matrix, Expr, Matrix | None]:
        """v and ω in components of the inertial frame, mass, inertia there."""
        ground: Frame = self.model.ground
        centre = body.point if isinstance(body, Particle) else body.masscenter
        v = self._in_speeds(self._components(centre.vel(self.N)))
        if isinstance(body, Particle):
            return v, zeros(3), self.frames.scalar(body.mass), None
        w = self._in_speeds(self._components(body.frame.ang_vel_in(self.N)))
        return v, w, self.frames.scalar(body.mass), self.frames.dyad(body.central_inertia).components(ground)

    def _components(self, v: Any) -> Matrix:
        return self.frames.vector(v).components(self.model.ground) if v != 0 else zeros(3)

    def _in_speeds(self, m: Matrix) -> Matrix:
        found: Matrix = substitute_all([m], {q.dot: r for q, r in self.rates.items()})[0]
        return found

    def _rate(self, m: Matrix) -> Matrix:
        """Time derivative at u' = 0."""
        still = dict.fromkeys((*self.model.symbols_of_kind("speed"), *self.aux_symbols), ZERO)
        return self._in_speeds(time_derivative(m, {**self.rates, **still}))

    def _add_outputs(self, M: Matrix, f: Matrix) -> None:
        """Forces that auxiliary equations determine: their balances, linear in these forces."""
        n, forces = len(self.u), [symbol(_name(x), "input") for x in self.unknown]
        if not forces or len(forces) != len(self.aux):
            return
        dots = [x.dot for x in self._speeds[:n]]
        balance = [sum_of_products(M.row(n + k)[:n], dots) - f[n + k] for k in range(len(self.aux))]
        A = jacobian(balance, forces)
        rest = substitute_all(balance, dict.fromkeys(forces, ZERO))
        for s, e in zip(forces, solve(A, [-e for e in rest]).entries, strict=True):
            self.model.output(s.name, e)


# ---------------------------------------------------------------------------------------------------------- System


def _from_system(system: Any, symbols: Given) -> Equations:
    try:
        method = system.eom_method
    except AttributeError:
        method = None
    if method is None:
        system.form_eoms()
        method = system.eom_method
    found: Equations = mechanics(method, symbols)
    return found


_METHODS: Final[tuple[tuple[type, Callable[[Any, Given], Equations]], ...]] = (
    (LagrangesMethod, _from_lagrange),
    (KanesMethod, _from_kane),
    (System, _from_system),
)


# ------------------------------------------------------------------------------------------------------- dynamicsymbols


def _name(x: Any) -> str:
    """The name of a dynamicsymbol."""
    if not isinstance(x, AppliedUndef):
        raise ModelError(
            f"from_sympy: {shown(x)} is not a dynamicsymbol; coordinates and speeds must be functions of time"
        )
    return str(x.func.__name__)


def _of_time(things: Sequence[Any]) -> set[Any]:
    t = dynamicsymbols._t
    return {f for e in things for f in sympy.sympify(e).atoms(AppliedUndef) if f.args == (t,)}


def _inputs(things: Sequence[Any], known: Sequence[Any]) -> dict[Any, Symbol]:
    """Dynamicsymbols that are neither coordinates nor speeds."""
    return {_name(f): symbol(_name(f), "input") for f in sorted(_of_time(things) - set(known), key=str)}
