"""Stiff systems and algebraic equations: our Radau IIA beside SUNDIALS (BDF) on the same compiled right side and exact
Jacobian.

SUNDIALS is reached through scikit-sundae, whose callbacks go through Python. `least` is what its evaluations and
Jacobians alone would take without Python between, linear algebra not counted: no way of calling it could be faster than
that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

import symbody as sb
from examples import motorcycle, slider_crank
from symbody.emit.loops.kernel_language import Function, Numbers
from symbody.emit.run.loop_callee import LoopCallee, program_callee
from symbody.integrate import SimulationOptions, simulate
from symbody.integrate.run.form_and_method import form_of
from symbody.integrate.run.newton_matrix import slopes_program
from symbody.integrate.start.state import State

from . import stiff_rods
from .limits import Limit, StoppedError, limited
from .timing import Row, repeated

Array = Any
TOLERANCES: Final = (1e-4, 1e-6, 1e-8)
REPEATS: Final = 5
LIMIT: Final = Limit(300.0, 2000.0)  # for all runs of a peer in one row


@dataclass(frozen=True)
class Case:
    name: str
    model: Callable[[], sb.Model]
    end: float
    forms: tuple[str, ...]
    start: dict[str, float] = field(default_factory=dict)


def van_der_pol() -> sb.Model:
    """x'' = μ (1 - x²) x' - x as additional equations."""
    m = sb.Model("van der Pol")
    x, v = m.variables("x v")
    mu = m.parameter("mu", 1000.0)
    m.equation("position", x.dot - v)
    m.equation("speed", v.dot - (mu * (1 - x**2) * v - x))
    return m


def stiff_pendulum() -> sb.Model:
    """Two masses of 1 kg, on springs of 1e6 N/m and 1 m with dampers of 1e3 N s/m."""
    m = sb.Model("pendulum on stiff springs")
    a, b, r, s = m.coordinates("a b r s")
    m.gravity(0, -9.81, 0)
    first = m.ground.rotate("z", a).point(0, -1 - r, 0)
    second = m.ground.translate(first).rotate("z", b).point(0, -1 - s, 0)
    m.particle("first", first, mass=1)
    m.particle("second", second, mass=1)
    k, d = m.parameters("k d", 1e6, 1e3)
    for q in (r, s):
        m.generalized_force(f"spring_{q}", q, -k * q - d * q.dot)
    return m


CASES: Final = (
    Case("van der Pol, mu = 1e3", van_der_pol, 2000.0, ("minimal",), {"x": 2.0}),
    Case("double pendulum, springs 1e6", stiff_pendulum, 10.0, ("minimal",), {"a": 1.0, "b": 0.5}),
    Case("motorcycle, tyre relaxation", motorcycle.model, 2.0, ("implicit", "ggl")),
    Case("slider crank", slider_crank.model, 10.0, ("projection", "implicit", "ggl"), slider_crank.START),
)


def start_of(case: Case, eq: sb.Equations) -> State:
    if case.model is not motorcycle.model:
        return sb.assemble(eq, start=case.start)
    v = 20.0
    wanted = {"x_dot": v, "theta1_dot": -v / 0.3048, "theta4_dot": -v / 0.3048, "phi": 0.02, "phi4": 0.02}
    return sb.assemble(eq, start=wanted)


@dataclass(frozen=True)
class Functions:
    """Right side, Jacobian and mass of a form, called from Python, and what each takes without it."""

    form: Any
    y: Array
    p: Array

    slopes: Any = field(init=False)
    at: tuple[Any, Any] = field(init=False)
    mass: Array = field(init=False)

    def __post_init__(self) -> None:
        slopes, places = slopes_program(self.form)
        rows, cols = (np.array(x) for x in zip(*places, strict=True))
        object.__setattr__(self, "slopes", slopes)
        object.__setattr__(self, "at", (rows, cols))
        object.__setattr__(self, "mass", np.where(self.form.algebraic, 0.0, 1.0))

    def rate(self, t: float, y: Array, out: Array) -> None:
        out[:] = self.form.rhs_program(t, y, self.p)

    def jacobian(self, t: float, y: Array, out: Array) -> None:
        out[:] = 0.0
        out[self.at] = self.slopes(t, y, self.p)

    def least(self) -> tuple[float, float]:
        """Seconds of one evaluation and of one Jacobian, in a compiled loop."""
        out = []
        for f in (self.form.rhs_program, self.slopes):
            callee, values = program_callee(f, {"p": self.p}), np.zeros(self.form.n**2 + 1)
            loop = LoopCallee(again, {}, times=1000, y=self.y, out=values, f=callee)
            out.append(repeated(loop.run, 5).least / 1000)
        return out[0], out[1]


def again(times: int, y: Numbers, out: Numbers, f: Function) -> None:
    for _ in range(times):
        f((0.0, y), (out,))


def cvode(f: Functions, end: float, rtol: float) -> tuple[Array, int, int]:
    from sksundae.cvode import CVODE

    solver = CVODE(
        f.rate, method="BDF", rtol=rtol, atol=rtol, jacfn=lambda t, y, yp, J: f.jacobian(t, y, J), max_num_steps=10**7
    )
    done = solver.solve(np.array([0.0, end]), f.y)
    return done.y[-1], int(done.nfev), int(done.njev)


def ida(f: Functions, end: float, rtol: float) -> tuple[Array, int, int]:
    from sksundae.ida import IDA

    rates = f.form.rhs_program(0.0, f.y, f.p)

    def residual(t: float, y: Array, yp: Array, r: Array) -> None:
        r[:] = f.mass * yp - f.form.rhs_program(t, y, f.p)

    def jacobian(t: float, y: Array, yp: Array, r: Array, c: float, J: Array) -> None:
        f.jacobian(t, y, J)
        J *= -1.0
        J[np.diag_indices(len(y))] += c * f.mass

    solver = IDA(
        residual,
        rtol=rtol,
        atol=rtol,
        jacfn=jacobian,
        max_num_steps=10**7,
        algebraic_idx=list(np.flatnonzero(f.mass == 0.0)),
    )
    done = solver.solve(np.array([0.0, end]), f.y, np.where(f.mass > 0, rates, 0.0))
    return done.y[-1], int(done.nfev), int(done.njev)


# ----------------------------------------------------------------------------------------- sparse and dense elimination


def masses(n: int) -> sb.Model:
    """A row of masses with stiff springs and dampers between neighbours: few couplings."""
    m = sb.Model(f"row of {n} masses")
    k, d = m.parameters("k d", 1e6, 1e4)
    q = [m.coordinate(f"x{i}") for i in range(n)]
    for i, x in enumerate(q):
        m.particle(f"mass{i}", m.ground.point(x, 0, 0), mass=1 + i % 3)
        stretch, rate = (x - q[i - 1], x.dot - q[i - 1].dot) if i else (x, x.dot)
        force = -k * stretch * (1 + stretch**2) - d * rate
        m.generalized_force(f"spring{i}", x, force)
        if i:
            m.generalized_force(f"reaction{i}", q[i - 1], -force)
    return m


def rods(n: int) -> sb.Model:
    """A chain of rods in a plane, each with three coordinates of its own."""
    m = sb.Model(f"chain of {n} rods")
    m.gravity(0, -9.81, 0)
    parent: Any = m.ground
    at = (0.0, 0, 0)
    for i in range(n):
        x, y, angle = m.coordinates(f"x{i} y{i} a{i}")
        rod = m.body(f"rod{i}", m.ground.translate(x, y, 0).rotate("z", angle), mass=1, inertia=(0.1, 0.1, 0.1))
        m.coincide(f"pin{i}", parent.point(*at), rod.point(-0.5, 0, 0), axes="xy")
        parent, at = rod, (0.5, 0, 0)
    return m


def sparse_rows() -> Iterator[Row]:
    """The same runs with sparse elimination, and without: `ratio` is how much faster it is."""
    models = [(masses(n), "minimal", {"x0": 0.3}, 5.0) for n in (2, 5, 20, 60)]
    chains = [(n, {f"x{i}": i + 0.5 for i in range(n)}) for n in (3, 10, 20)]
    models += [(rods(n), form, start, 0.5) for n, start in chains for form in ("projection", "implicit", "ggl")]
    models.append((motorcycle.model(), "ggl", {}, 0.2))
    for model, form, start, end in models:
        spent: dict[bool, float] = {}
        for is_dense in (False, True):
            eq = sb.derive(model, check=False)
            made = form_of(eq, SimulationOptions(form=form))
            if is_dense:
                made.cached("elimination", (), lambda: None)
            runs = [
                simulate(eq, [0.0, end], start, method="radau", form=form, rtol=1e-6, progress=False)
                for _ in range(4 * REPEATS)
            ]
            spent[is_dense] = min(r.statistics.seconds for r in runs)
        yield {
            "case": model.name, "n": made.n, "method": f"radau, {form}", "rtol": 1e-6, "seconds": spent[False],
            "dense_seconds": spent[True], "ratio": spent[True] / spent[False], "factorizations": runs[0].statistics.factorizations,
        }  # fmt: skip


# ------------------------------------------------------------------------------- methods on a motion that becomes stiff


def governor() -> sb.Model:
    """A ball on an arm that a motor turns, and a stiff stop that the arm rests on between t = 1 and t = 15; then the
    motor slows down."""
    m = sb.Model("governor")
    p = m.parameters(k=1e6, d=1e4, l=0.5, stop=0.8)
    phi, a = m.coordinates("phi a")
    m.gravity(0, 0, -9.81)
    shaft = m.ground.rotate("z", phi)
    m.body("shaft", shaft, mass=1, inertia=(1, 1, 0.5))
    m.particle("ball", shaft.rotate("y", -a).point(0, 0, -p.l), mass=1.0)
    over = (a - p.stop + sb.sqrt((a - p.stop) ** 2 + 1e-8)) / 2
    m.generalized_force("stop", a, -p.k * over - p.d * a.dot * over / (over + 1e-4))
    m.generalized_force("motor", phi, 20 * (1 - phi.dot / 12 * sb.where(m.time < 15, 1, 6)))
    return m


def adaptation_rows() -> Iterator[Row]:
    eq = sb.derive(governor())
    for method in ("auto", "radau", "dp8", "dp5"):
        runs = [simulate(eq, [0.0, 40.0], a=0.2, method=method, progress=False) for _ in range(REPEATS)]
        s = runs[0].statistics
        yield {
            "case": "governor", "n": 4, "method": method, "rtol": 1e-8, "seconds": min(r.statistics.seconds for r in runs), "steps": s.steps,
            "evaluations": s.evaluations, "jacobians": s.jacobians, "note": "; ".join(runs[0].outcome.notes),
        }  # fmt: skip


def rows(cases: tuple[Case, ...] = CASES) -> Iterator[Row]:
    yield from adaptation_rows()
    yield from sparse_rows()
    yield from stiff_rods.rows()
    for case in cases:
        eq = sb.derive(case.model(), check=False)
        state = start_of(case, eq)
        n = len(state.q) + len(state.u) + len(state.z)
        best = simulate(eq, case.end, state, method="radau", form=case.forms[0], rtol=1e-13)
        other = simulate(eq, case.end, state, method="radau", form=case.forms[-1], rtol=1e-12)
        yield {
            "case": case.name,
            "n": n,
            "method": "reference",
            "error": float(np.max(np.abs(best.y[-1] - other.y[-1]))),
        }
        for form in case.forms:
            made = form_of(eq, SimulationOptions(form=form))
            y, p = made.start(state.t, np.concatenate([state.q, state.u, state.z]), np.concatenate([state.p, state.r]))
            f = Functions(made, y, p)
            t_f, t_j = f.least()
            for rtol in TOLERANCES:
                runs = [simulate(eq, case.end, state, method="radau", form=form, rtol=rtol) for _ in range(REPEATS)]
                s = runs[0].statistics
                yield {
                    "case": case.name, "n": made.n, "method": f"radau, {form}", "rtol": rtol,
                    "seconds": min(r.statistics.seconds for r in runs), "least": None, "evaluations": s.evaluations,
                    "jacobians": s.jacobians, "error": float(np.max(np.abs(runs[0].y[-1] - best.y[-1]))),
                }  # fmt: skip
                if form == "ggl":  # index 2: not for IDA
                    continue
                name, peer = ("IDA", ida) if not np.all(f.mass) else ("CVODE BDF", cvode)
                row: Row = {
                    "case": case.name,
                    "n": made.n,
                    "method": f"{name}, {form}",
                    "rtol": rtol,
                    "peer_limit": str(LIMIT),
                }
                try:
                    seconds, found, nf, nj = limited(partial(_spent, peer, f, case.end, rtol), LIMIT)
                except (StoppedError, RuntimeError) as reason:
                    yield row | {"note": str(reason)}
                    continue
                yield row | {
                    "seconds": seconds, "least": nf * t_f + nj * t_j, "evaluations": nf, "jacobians": nj,
                    "error": float(np.max(np.abs(found[:n] - best.y[-1]))),
                }  # fmt: skip


def _spent(peer: Any, f: Functions, end: float, rtol: float) -> tuple[float, Array, int, int]:
    """The least time of several runs, and what they give."""
    spent = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        found, nf, nj = peer(f, end, rtol)
        spent.append(time.perf_counter() - begin)
    return min(spent), found, nf, nj
