"""Questions to motions: that they solve the equations, keep the balance of power, and are the same by every form and
method."""

from __future__ import annotations

from typing import Any

import numpy as np

import symbody as sb

from .oracle import Numbers
from .subject import DisagreementError, NotComparableError, Subject, agree

FORMS = ("orthogonal", "partition", "qr", "svd", "baumgarte", "explicit")


def _values(sim: Any, k: int) -> dict[Any, float]:
    eq = sim.equations
    groups = ((eq.q, sim.q[k]), (eq.u, sim.u[k]), (eq.z, sim.z[k]), (eq.r, sim.r), (eq.p, sim.p))
    return {eq.t: float(sim.t[k])} | {x: float(v) for g, row in groups for x, v in zip(g, row, strict=True)}


def solves(s: Subject) -> None:
    """Rates of the motion by differences of its polynomials are those of the equations by NumPy; it stays on the
    constraints; outputs are those of the state."""
    sim, eq = s.motion, s.closed
    h = (1e-5 if _has_kinks(s) else 1e-4) * s.span
    times = np.array([0.3, 0.7]) * s.span
    middle, ahead, back = (sim.at(times + d) for d in (0.0, h, -h))
    slope = (ahead.y - back.y) / (2 * h)
    for k in range(len(times)):
        at = Numbers(eq, _values(middle, k))
        want = np.concatenate([at.rates, at.udot, *([at.zdot] if _is_explicit(eq) else [])])
        agree("rates of the motion", slope[k][: len(want)], want, 2e-5, np.abs(want).max(initial=0.0) + 1.0)
        for row in (*eq.rows.positions, *eq.rows.speeds):
            agree(f"constraint {row.name} along the motion", sb.evaluate(row.expression, at.values), 0.0, 1e-6, 1.0)
        _outputs(middle, k, at)


def _is_explicit(eq: Any) -> bool:
    return bool(eq.z) and all(
        any(x.order == 1 and x.kind == "variable" for x in sb.free_symbols(e)) for e in eq.h.entries
    )


def _outputs(sim: Any, k: int, at: Numbers) -> None:
    known = {u.dot: x for u, x in zip(at.eq.u, at.udot, strict=True)}
    for name, thing in at.eq.outputs.items():
        want = np.array(sb.evaluate(thing, {**at.values, **known}), dtype=float).reshape(-1)
        agree(
            f"output {name} along the motion",
            np.asarray(sim[name][k]).reshape(-1),
            want,
            1e-6,
            np.abs(want).max(initial=0.0) + 1.0,
        )


def _has_kinks(s: Subject) -> bool:
    """Whether a load may jump along the motion, which differences and quadrature over a jump do not see: dampers of end
    stops do too."""
    return bool(s.jumps) or any(word in s.text for word in ("friction", "abs", "limits"))


def power(s: Subject) -> None:
    """T at the end less T at the start is the integral of all powers, by Gauss's rule."""
    sim, eq = s.motion, s.closed
    if s.is_redundant:
        raise NotComparableError("powers of constraints that are not determined")
    nodes, weights = np.polynomial.legendre.leggauss(5)
    rough = _has_kinks(s)
    edges = np.linspace(0.0, s.span, 401 if rough else 41)
    half = np.diff(edges) / 2
    times = (edges[:-1, None] + half[:, None] * (1 + nodes)).reshape(-1)
    wide = (half[:, None] * weights).reshape(-1)
    powers = {**sb.derivation.load_powers(eq), "prescribed motion": sb.derivation.constraint_power(eq)}
    terms = dict(zip(powers, sim.at(times).values(list(powers.values())), strict=True))
    work = {name: float(wide @ p) for name, p in terms.items()}
    T = sim.kinetic_energy
    size = np.abs(T).max() + sum(float(wide @ np.abs(p)) for p in terms.values()) + 1.0
    error = abs(T[-1] - T[0] - sum(work.values())) / size
    if not error < (1e-3 if rough else 1e-6):
        raise DisagreementError(f"power: T grows by {T[-1] - T[0]:.9g}, work is {work}, off by {error:.2g}")


def forms(s: Subject) -> None:
    """The same end by every form and method, and of the minimal form."""
    sim = s.motion
    runs: dict[str, dict[str, Any]] = {
        "dp5": {"method": "dp5"},
        "radau": {"method": "radau", "rtol": 1e-8, "atol": 1e-8},
    }
    if s.closed.lam:
        runs |= {name: {"form": name} for name in s.draw.sample(FORMS, 2)}
        runs |= {"ggl": {"form": "ggl", "method": "radau", "rtol": 1e-7, "atol": 1e-7}} if s.draw.random() < 0.4 else {}
    for name, how in runs.items():
        try:
            other = s.run(**how)
        except sb.errors.SimulationError as reason:
            if "radau" in str(reason) or "z'" in str(reason):  # algebraic variables are for radau alone
                continue
            raise
        if not other.outcome:
            raise DisagreementError(f"{name}: ended, while the default reached its end: {other.outcome}")
        agree(f"the end by {name}", other.y[-1], sim.y[-1], 2e-5, np.abs(sim.y).max(initial=0.0) + 1.0)


def requested_times(s: Subject) -> None:
    """States at requested times are those of the polynomials; going back returns to the start; a batch is its
    members."""
    sim = s.motion
    times = np.linspace(0.0, s.span, 5)
    asked = s.run(times)
    agree("requested times", asked.y, sim.at(times).y, 1e-6, np.abs(sim.y).max() + 1.0)
    batch = sb.simulate_batch(s.closed, times, [s.start, s.start], threads=1, rtol=1e-10, atol=1e-10)
    for member in batch:
        agree("a member of a batch", member.y, asked.y, 1e-9, np.abs(asked.y).max() + 1.0)
    if not any(x.kind in ("friction", "drag", "damping") for x in s.closed.mechanism.loads):
        back = sb.simulate(s.closed, (s.span, 0.0), asked, progress=False, options={"rtol": 1e-10, "atol": 1e-10})
        if back.outcome:
            agree("there and back", back.y[-1], sim.y[0], 1e-4, np.abs(sim.y).max() + 1.0)


def sensitivities(s: Subject) -> None:
    """Derivatives of the end with respect to a parameter and to an initial value, against differences of motions whose
    starts are on the constraints."""
    eq = s.closed
    if s.is_redundant:
        raise NotComparableError("sensitivities on redundant constraints")
    if s.jumps:
        raise NotComparableError("sensitivities do not know when a load jumps")
    quaternions = {v.name for e in eq.variables.quaternions for v in e}
    choices = [[p.name for p in eq.p], [x.name for x in eq.state if x.name not in quaternions]]
    names = [s.draw.choice(group) for group in choices if group]
    varied = s.run(sensitivities=names)
    if not varied.outcome:
        raise NotComparableError(f"the varied motion ended: {varied.outcome.ending.value}")
    for name in names:
        _slope(s, varied, name)


def _slope(s: Subject, varied: Any, name: str) -> None:
    """Central differences of two widths: where they differ, the motion is too sensitive to be compared."""
    column = list(varied.wrt).index(name)
    wide, slope = (_difference(s, varied.variations[0][:, column], name, h) for h in (4e-5, 1e-5))
    size = np.abs(slope).max() + 1.0
    if np.abs(wide - slope).max() > 2e-5 * size:
        raise NotComparableError("differences of motions depend on their width")
    agree(f"sensitivity to {name}", varied.variations[-1][:, column], slope, 1e-4, size)


def _difference(s: Subject, first: np.ndarray, name: str, h: float) -> np.ndarray:
    """Of the ends of two motions; what does not change at the start is held there, and the rest follows by Newton's
    method."""
    eq, ends = s.closed, []
    held = {x for x, d in zip((*eq.q, *eq.u), first, strict=False) if d == 0.0 or x.name == name}
    values = dict(zip(eq.variables.arguments, s.start.values.values(), strict=True))
    (varied,) = (x for x in eq.variables.arguments if x.name == name)
    for sign in (1, -1):
        start = Numbers(eq, {**values, varied: values[varied] + sign * h}).completed(held)
        known = {x: start.values[x] for x in eq.variables.arguments}
        other = sb.simulate(eq, s.span, known, progress=False, options={"rtol": 1e-11, "atol": 1e-11})
        if not other.outcome:
            raise NotComparableError("a neighbour of the motion ended")
        ends.append(other.y[-1])
    return (ends[0] - ends[1]) / (2 * h)
