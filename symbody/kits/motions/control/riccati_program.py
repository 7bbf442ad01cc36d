"""An interior-point iteration of a whole horizon as one program, by the recursion of Riccati.

With multiple shooting x⁺ = F(x, u), costs l(x, u) of the intervals and inequalities h(x, u) = s >= 0 with multipliers z,
an iteration solves the linear system of s z = μ and the other optimality conditions, with the curvature of the costs
(Gauss and Newton; Rao, Wright and Rawlings 1998):

    H = ∂²l + ∂hᵀ (z/s) ∂h        g = ∂l - ∂hᵀ (μ - z (h - s)) / s        c = F(x, u) - x⁺
    V_k = H_xx + Aᵀ V A + (H_ux + Bᵀ V A)ᵀ K          K = -(H_uu + Bᵀ V B)⁻¹ (H_ux + Bᵀ V A)

backwards in time, then the step forwards. Without inequalities and with c = 0 this is iLQR. Every number is written out:
the program has no loops, takes the same time in every call and allocates nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import symbody as sb

from ..parts.problem_parts import Phase, range_at
from ..transcription.multiple_shooting import CLASSICAL

INSIDE: Final = 0.995  # part of the way to a bound that a step may go


@dataclass(frozen=True, eq=False)
class HorizonStage:
    """An interval, or the end: its symbols, the next state, its cost and inequalities h >= 0."""

    x: tuple[sb.Symbol, ...]
    u: tuple[sb.Symbol, ...]
    time: sb.Symbol
    next: sb.Matrix
    cost: sb.Expr
    inequalities: tuple[sb.Expr, ...]


def phase_stages(phase: Phase, intervals: int) -> tuple[HorizonStage, HorizonStage, HorizonStage]:
    """The first interval, whose state is given, an interval, and the end. Inputs are constant in an interval."""
    form, t, h = phase.form, phase.equations.t, phase.duration_range[0] / intervals
    numbers: dict[Any, Any] = dict(phase.parameters)
    numbers |= {phase.begin: 0.0, phase.duration: phase.duration_range[0]}
    x, u, n = form.states, form.inputs, len(form.states)
    running = sum((c.weight * c.expression for c in phase.costs if not c.at), sb.algebra.as_expr(0))
    rates = sb.vector(*form.rates, running)

    def slopes(time: Any, y: list[Any]) -> list[Any]:
        return list(sb.substitute(rates, {**dict(zip(x, y[:n], strict=True)), t: time}).entries)

    after = CLASSICAL.step(slopes, t, [*x, sb.algebra.as_expr(0)], h)
    own = _sides((s, range_at(phase, s, "path")) for s in u)
    states = _sides((s, range_at(phase, s, "path")) for s in x)
    ends = _sides((s, range_at(phase, s, "end")) for s in x)
    mixed = _sides((p.expression, p.range) for p in phase.paths)
    last = sum((c.weight * c.expression for c in phase.costs if c.at == "end"), sb.algebra.as_expr(0))
    of_states = tuple(e for e in mixed if set(u).isdisjoint(sb.free_symbols(e)))

    def made(cost: Any, inequalities: Sequence[sb.Expr]) -> HorizonStage:
        values = sb.substitute(sb.vector(*after[:n], cost, *inequalities), numbers).entries
        return HorizonStage(x, u, t, sb.vector(*values[:n]), values[n], values[n + 1 :])

    first = (*own, *(e for e in mixed if e not in of_states))
    return made(after[n], first), made(after[n], (*own, *states, *mixed)), made(last, (*ends, *of_states))


def _sides(pairs: Any) -> tuple[sb.Expr, ...]:
    """e - low and high - e, for the ends of ranges that are finite."""
    out = []
    for e, (low, high) in pairs:
        out += [e - low] if low > -float("inf") else []
        out += [high - e] if high < float("inf") else []
    return tuple(sb.algebra.as_expr(e) for e in out)


class LinearStage:
    """A stage at the variables of an interval, linear and condensed."""

    def __init__(
        self, stage: HorizonStage, places: Mapping[Any, Any], slack: Sequence[Any], dual: Sequence[Any], mu: Any
    ):
        n, v = len(stage.x), (*stage.x, *(stage.u if stage.u[0] in places else ()))
        h = sb.vector(*stage.inequalities) if stage.inequalities else sb.zeros(0, 1)
        first = sb.gradient(stage.cost, v)
        # all parts in one substitution, which shares what they share
        parts = [sb.jacobian(stage.next, v), sb.jacobian(first, v), first, stage.next, sb.vector(stage.cost)]
        parts += [sb.jacobian(h, v), h] if len(slack) else []
        entries = iter(sb.substitute(sb.vector(*(e for p in parts for e in p.entries)), places).entries)
        found = [sb.Matrix(*p.shape, tuple(next(entries) for _ in range(len(p.entries)))) for p in parts]
        J, H, g, self.next, self.cost = found[:5]
        self.A, self.B = J[:, :n], J[:, n:]
        self.G, self.h = (found[5], found[6]) if len(slack) else (sb.zeros(0, len(v)), sb.zeros(0, 1))
        self.off = self.h - sb.vector(*slack) if len(slack) else sb.zeros(0, 1)
        if len(slack):
            ratio = sb.vector(*(z / s for z, s in zip(dual, slack, strict=True)))
            push = sb.vector(*((mu - z * r) / s for z, s, r in zip(dual, slack, self.off.entries, strict=True)))
            H = H + self.G.T @ (sb.diagonal(*ratio.entries) @ self.G)
            g = g - self.G.T @ push
        self.xx, self.ux, self.uu = H[:n, :n], H[n:, :n], H[n:, n:]
        self.gx, self.gu = g[:n], g[n:]


@dataclass(frozen=True, eq=False)
class RiccatiProgram:
    """The program, and how many inequalities each interval and the end have."""

    program: sb.emit.Program
    inequalities: tuple[int, ...]


def riccati_program(phase: Phase, intervals: int) -> RiccatiProgram:
    """Inputs x0, X (states after it), U, S (slacks), Z (multipliers), mu; outputs X_new, U_new, S_new, Z_new, and cost,
    violation and least curvature at the inputs."""
    stages = phase_stages(phase, intervals)
    n, m, N = len(phase.form.states), len(phase.form.inputs), intervals
    kinds = [stages[0], *[stages[1]] * (N - 1), stages[2]]
    counts = [len(k.inequalities) for k in kinds]
    total, mu = sum(counts), sb.symbol("mu")
    x0, X, U, S, Z = (_unknowns(k, size) for k, size in (("x0", n), ("X", N * n), ("U", N * m), ("S", total), ("Z", total)))  # fmt: skip
    x = [x0, *(X[k * n : (k + 1) * n] for k in range(N))]
    u = [U[k * m : (k + 1) * m] for k in range(N)]
    at = [sum(counts[:k]) for k in range(N + 2)]
    rows = []
    for k, kind in enumerate(kinds):
        places: dict[Any, Any] = dict(zip(kind.x, x[k], strict=True))
        places |= dict(zip(kind.u, u[k], strict=True)) if k < N else {}
        places[kind.time] = k * phase.duration_range[0] / N
        here = slice(at[k], at[k + 1])
        rows.append(LinearStage(kind, places, S[here], Z[here], mu))
    gaps = [rows[k].next - sb.vector(*x[k + 1]) for k in range(N)]
    gains, curved = _backwards(rows, gaps)
    dx, du = _forwards(rows, gaps, gains, n)
    ds, dz = _slack_steps(rows, dx, du, S, Z, mu)
    length, dual = _to_boundary(zip(S, ds, strict=True)), _to_boundary(zip(Z, dz, strict=True))
    new = {
        "X": [a + length * b for a, b in zip(X, (e for d in dx[1:] for e in d.entries), strict=True)],
        "U": [a + length * b for a, b in zip(U, (e for d in du for e in d.entries), strict=True)],
        "S": [a + length * b for a, b in zip(S, ds, strict=True)],
        "Z": [a + dual * b for a, b in zip(Z, dz, strict=True)],
    }
    worst = sb.algebra.as_expr(0)
    for e in (*(e for g in gaps for e in g.entries), *(e for r in rows for e in r.off.entries)):
        worst = sb.maximum(worst, abs(e))
    least = curved[0]
    for e in curved[1:]:
        least = sb.minimum(least, e)
    cost = sum((r.cost.entries[0] for r in rows), sb.algebra.as_expr(0))
    outputs: dict[str, Any] = {f"{k}_new": sb.vector(*e) for k, e in new.items() if e}
    outputs |= {"cost": cost, "violation": worst, "curvature": least}
    groups = {"x0": list(x0), "X": list(X), "U": list(U), "S": list(S), "Z": list(Z), "mu": [mu] if total else []}
    program = sb.program("iteration", {k: g for k, g in groups.items() if g}, outputs)
    return RiccatiProgram(program, tuple(counts))


def _unknowns(name: str, size: int) -> tuple[sb.Symbol, ...]:
    return tuple(sb.symbol(f"{name}_of_{k}", "variable") for k in range(size))


def _backwards(
    rows: Sequence[LinearStage], gaps: Sequence[sb.Matrix]
) -> tuple[list[tuple[sb.Matrix, sb.Matrix]], list[sb.Expr]]:
    """Gains and feed-forward of each interval, and the curvatures of the cost with each input."""
    V, v, gains, curved = rows[-1].xx, rows[-1].gx, [], []
    for r, c in zip(reversed(rows[:-1]), reversed(gaps), strict=True):
        pull = v + V @ c
        VA = V @ r.A
        ux = r.ux + r.B.T @ VA
        uu, gu = r.uu + r.B.T @ (V @ r.B), r.gu + r.B.T @ pull
        curved += [uu[i, i] for i in range(uu.shape[0])]
        factors = sb.algebra.factorize(uu, "definite")
        K = _gain(factors, ux)
        k = -factors.solve(gu)
        gains.append((K, k))
        V = _mirror_image(r.xx + r.A.T @ VA + ux.T @ K)
        v = r.gx + r.A.T @ pull + ux.T @ k
    return gains[::-1], curved


def _gain(factors: Any, right: sb.Matrix) -> sb.Matrix:
    """-A⁻¹ B, column by column with the same factors."""
    columns = [factors.solve(sb.vector(*right.column(j))).entries for j in range(right.shape[1])]
    rows = zip(*columns, strict=True)
    return sb.matrix([[-e for e in row] for row in rows])


def _mirror_image(a: sb.Matrix) -> sb.Matrix:
    n = a.shape[0]
    return sb.matrix([[a[min(i, j), max(i, j)] for j in range(n)] for i in range(n)])


def _forwards(
    rows: Sequence[LinearStage], gaps: Sequence[sb.Matrix], gains: Sequence[tuple[sb.Matrix, sb.Matrix]], n: int
) -> tuple[list[sb.Matrix], list[sb.Matrix]]:
    dx, du = [sb.zeros(n)], []
    for r, c, (K, k) in zip(rows[:-1], gaps, gains, strict=True):
        du.append(K @ dx[-1] + k)
        dx.append(r.A @ dx[-1] + r.B @ du[-1] + c)
    return dx, du


def _slack_steps(
    rows: Sequence[LinearStage], dx: Sequence[sb.Matrix], du: Sequence[sb.Matrix], S: Any, Z: Any, mu: Any
) -> tuple[list[sb.Expr], list[sb.Expr]]:
    """δs = ∂h δ + h - s,   δz = (μ - z δs) / s - z."""
    ds: list[sb.Expr] = []
    for k, r in enumerate(rows):
        if r.off.entries:
            change = sb.vector(*dx[k].entries, *(du[k].entries if k < len(du) else ()))
            ds += (r.G @ change + r.off).entries
    dz = [(mu - z * d) / s - z for s, z, d in zip(S, Z, ds, strict=True)]
    return ds, dz


def _to_boundary(pairs: Any) -> sb.Expr:
    """The longest step up to 1 that keeps all of them positive."""
    out = sb.algebra.as_expr(1)
    for value, step in pairs:
        out = sb.minimum(out, sb.where(step < 0, -INSIDE * value / sb.where(step < 0, step, -1), 1))
    return out
