"""`python -m bench.tuomela`: what projections take, beside tables 8 to 11 of Tuomela, Arponen and Normi, and what their two
wishes would save: fewer updates of differentials, and preconditioning.

Their runs of 10 s: Dormand-Prince 5(4), steps growing by a factor of at most 3, with and without energy (or balance of
work) as an invariant, and projection at every stage. Ours are run so, too ("stages"), and with projection at the ends of
steps. Their "# dist" are evaluations of the right side.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import symbody as sb
from docs.documents.tuomela_tables import ORTHOGONAL, PRINTED, QUASI
from examples import quadrangle, spatial_crank, tuomela_pendulum

SYSTEMS: dict[str, tuple[Any, dict[str, float], float]] = {  # model, start, tolerance
    "pendulum": (tuomela_pendulum.model, tuomela_pendulum.START, 1e-6),
    "quadrangle": (quadrangle.model, quadrangle.start(), 1e-8),
    "crank": (spatial_crank.model, spatial_crank.START, 1e-7),
}
PROJECTIONS: dict[str, dict[str, Any]] = {
    QUASI: {"form": "projection", "metric": "unit"},
    ORTHOGONAL: {"form": "orthogonal", "metric": "unit"},
}
STAGES = {"project_stages": True, "constraint_tolerance": 1e-5}  # as in the report
SAMPLES = 60  # steps at which projections are replayed
PATIENCE = 4  # corrections after which differentials are updated
KEPT = 1e-12  # violation at which a replayed projection ends


@cache
def equations(system: str) -> sb.Equations:
    return sb.derive(SYSTEMS[system][0]())


def run(system: str, projection: str, with_energy: bool, **others: Any) -> tuple[sb.Trajectory, Any]:
    """Ten seconds, and T + V less the work of what has no potential, less what that was at the start."""
    _, start, tolerance = SYSTEMS[system]
    eq = equations(system)
    sim = sb.simulate(
        eq, 10.0, start, method="dp5", rtol=tolerance, max_growth=3.0, invariants=["energy"] if with_energy else [],
        **PROJECTIONS[projection], **others,
    )  # fmt: skip
    return sim, sim.energy - sim.energy[0] - work(sim)


def work(sim: sb.Trajectory) -> Any:
    """The drive's torque is constant about the crank's axis: its work is torque times the angle that the crank has
    turned."""
    if "tau" not in {s.name for s in sim.equations.p}:
        return np.zeros(len(sim))
    if sim.equations.name == "spatial crank":
        angle = np.unwrap(np.arctan2(sim["crank_y"], -sim["crank_z"]))
    else:
        angle = np.unwrap(2 * np.arctan2(sim["crank_e3"], sim["crank_e0"]), period=2 * np.pi)
    return sim["tau"] * (angle - angle[0])


# ------------------------------------------------------------------------------------------------ differentials kept


class Replay(NamedTuple):
    """Updates of differentials and corrections of a projection, on average; how many of them did not end."""

    updates: float
    corrections: float
    failures: int


class Constraints:
    """Positions q: violations c(q) with the lengths of Euler parameters, and their differentials."""

    def __init__(self, eq: sb.Equations) -> None:
        c = sb.vector(*eq.phi.entries, *(row.expression for row in eq.rows.norms))
        groups = {"q": list(eq.q), "p": list(eq.p)}
        self.p = np.array([float(eq.values(otherwise=0.0)[s]) for s in eq.p])
        self._c = sb.compile(sb.program("c", groups, {"c": c}))
        self._dc = sb.compile(sb.program("dc", groups, {"dc": sb.jacobian(c, eq.q)}))

    def violation(self, q: Any) -> Any:
        return np.ravel(self._c(q, self.p))

    def way_back(self, q: Any) -> Any:
        """dcᵀ (dc dcᵀ)⁻¹ at a state, applied to violations by factors that are kept."""
        J = np.asarray(self._dc(q, self.p))
        factors = np.linalg.cholesky(J @ J.T)
        return lambda c: J.T @ np.linalg.solve(factors.T, np.linalg.solve(factors, c))


def predicted(system: str) -> Iterator[tuple[Any, Any]]:
    """States at the beginning of steps of a run, and what a step without projection makes of them."""
    sim, _ = run(system, QUASI, True)
    eq, n = equations(system), len(equations(system).q)
    for k in np.linspace(1, len(sim.t) - 3, SAMPLES).astype(int):
        start = dict(zip((s.name for s in eq.state), sim.y[k, : len(eq.state)], strict=True))
        h = float(sim.t[k + 1] - sim.t[k])
        end = sb.simulate(eq, h, start, form="explicit", method="dp5", step=h)
        yield sim.y[k, :n], end.y[-1, :n]


def replays(system: str) -> dict[str, Replay]:
    """Projections of positions with differentials of different age."""
    c = Constraints(equations(system))
    steps = list(predicted(system))
    kept: list[Any] = [None]

    def project(q: Any, way: Any, renew: int) -> tuple[int, int, bool, Any]:
        updates = corrections = 0
        while np.abs(v := c.violation(q)).max() > KEPT:
            if way is None or (renew and corrections and corrections % renew == 0):
                way, updates = c.way_back(q), updates + 1
            q, corrections = q - way(v), corrections + 1
            if corrections > 40 or not np.isfinite(q).all():
                return updates, corrections, False, way
        return updates, corrections, True, way

    def old(end: Any) -> tuple[int, int, bool]:
        updates, corrections, ok, kept[0] = project(end, kept[0], PATIENCE)
        return updates, corrections, ok

    ways = {
        "at every correction": lambda begin, end: project(end, None, 1)[:3],
        "once for a projection": lambda begin, end: project(end, None, 0)[:3],
        "of the beginning of the step": lambda begin, end: _and_one(project(end, c.way_back(begin), 0)),
        f"kept until {PATIENCE} corrections do not suffice": lambda begin, end: old(end),
    }  # fmt: skip
    out = {}
    for name, way in ways.items():
        kept[0] = None
        found = [way(begin, end) for begin, end in steps]
        updates, corrections = np.mean([f[:2] for f in found], axis=0).tolist()
        out[name] = Replay(updates, corrections, sum(not f[2] for f in found))
    return out


def _and_one(found: tuple[int, int, bool, Any]) -> tuple[int, int, bool]:
    return found[0] + 1, found[1], found[2]


# ------------------------------------------------------------------------------------------------ preconditioning


class Conditioning(NamedTuple):
    """Of S = Jc W⁻¹ Jcᵀ along a run, at most: its condition number, and iterations of conjugate gradients to 1e-8."""

    condition: float
    iterations: int


def conditioning(system: str) -> dict[str, Conditioning]:
    eq = equations(system)
    sim, _ = run(system, QUASI, True)
    f = sb.compile(sb.program("S", {"q": list(eq.q), "p": list(eq.p)}, {"M": eq.M, "Jc": eq.Jc}))
    p = np.array([float(eq.values(otherwise=0.0)[s]) for s in eq.p])
    out: dict[str, Conditioning] = {}
    right = np.random.default_rng(1).normal(size=len(eq.lam))
    for k in np.linspace(0, len(sim.t) - 1, SAMPLES).astype(int):
        M, Jc = (np.asarray(x) for x in f(sim.y[k, : len(eq.q)], p))
        for name, S in (("unit", Jc @ Jc.T), ("mass", Jc @ np.linalg.solve(M, Jc.T))):
            scale = 1 / np.sqrt(np.diag(S))
            for how, A, b in ((name, S, right), (f"{name}, diagonal", scale[:, None] * S * scale, scale * right)):
                before = out.get(how, Conditioning(0.0, 0))
                out[how] = Conditioning(
                    max(before.condition, float(np.linalg.cond(A))), max(before.iterations, iterations(A, b))
                )
    return out


def iterations(A: Any, b: Any) -> int:
    """Of conjugate gradients, until the residual is 1e-8 of the right side."""
    x, r = np.zeros(len(b)), b.copy()
    d, count = r.copy(), 0
    while np.linalg.norm(r) > 1e-8 * np.linalg.norm(b) and count < 1000:
        step = (r @ r) / (d @ A @ d)
        x, after = x + step * d, r - step * (A @ d)
        d, r, count = after + (after @ after) / (r @ r) * d, after, count + 1
    return count


# ------------------------------------------------------------------------------------------------ tables


def main() -> None:
    print(
        f"{'':44}{'steps (rej.)':>14}{'Newton':>11}{'dist':>8}{'proj':>8}{'dg':>8}{'d2g':>9}{'d3g':>7}{'df':>8}{'s':>10}{'in proj':>9}"
    )
    for system in SYSTEMS:
        for (projection, with_energy), t in PRINTED[system].items():
            case = f"{system}, {projection}{', energy' if with_energy else ''}"
            print(
                f"{case + ', printed':44}{f'{t.steps} ({t.rejected})':>14}{f'{t.mean} ({t.most})':>11}{t.evaluations or '':>8}{t.projections:>8}{t.dg:>8}"
                f"{t.d2g or '':>9}{t.d3g or '':>7}{t.df or '':>8}{t.seconds:>10.2f}{'' if t.proj is None else f'{t.proj / t.seconds:.0%}':>9}"
            )
            for name, others in (("stages", STAGES), ("ends", {})):
                run(system, projection, with_energy, **others)
                s = run(system, projection, with_energy, **others)[0].statistics
                print(
                    f"{'    ' + name:44}{f'{s.steps} ({s.rejected})':>14}{f'{s.corrections / s.projections:.2f} ({s.most_corrections})':>11}"
                    f"{s.evaluations:>8}{s.projections:>8}{s.constraint_jacobians:>8}{s.constraint_hessians:>9}{s.constraint_third_derivatives:>7}"
                    f"{s.invariant_gradients:>8}{s.seconds:>10.4f}{f'{s.projection_seconds / s.seconds:.0%}':>9}"
                )
    print(
        f"\n{'differentials updated':56}{'updates':>9}{'corrections':>13}{'failures':>10}   of a projection, to {KEPT:g}"
    )
    for system in SYSTEMS:
        for name, r in replays(system).items():
            print(f"{f'{system}: {name}':56}{r.updates:>9.2f}{r.corrections:>13.2f}{r.failures:>10}")
    print(f"\n{'metric and preconditioner':56}{'condition':>12}{'iterations':>12}   of S, at most")
    for system in SYSTEMS:
        for name, found in conditioning(system).items():
            print(f"{f'{system}: {name}':56}{found.condition:>12.1e}{found.iterations:>12}")


if __name__ == "__main__":
    main()
