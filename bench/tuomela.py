"""`python -m bench.tuomela`: steps and evaluations of our projections beside tables 8 to 11 of Tuomela, Arponen and
Normi.

Their runs of 10 s: Dormand-Prince 5(4), steps growing by a factor of at most 3, with and without energy (or balance of
work) as an invariant, and projection at every stage. Ours project at the ends of steps. Their "# dist" are evaluations
of the right side.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import symbody as sb
from examples import quadrangle, spatial_crank, tuomela_pendulum

SYSTEMS: dict[str, tuple[Any, dict[str, float], float]] = {  # model, start, tolerance
    "pendulum": (tuomela_pendulum.model, tuomela_pendulum.START, 1e-6),
    "quadrangle": (quadrangle.model, quadrangle.start(), 1e-8),
    "crank": (spatial_crank.model, spatial_crank.START, 1e-7),
}
PROJECTIONS: dict[str, dict[str, Any]] = {
    "quasi-orthogonal": {"form": "projection", "metric": "unit"},
    "orthogonal": {"form": "orthogonal"},
}


class Printed(NamedTuple):
    """Accepted and rejected steps, evaluations, most Newton iterations, seconds (on a 1.75 GHz machine)."""

    steps: int
    rejected: int
    evaluations: int | None
    most: int
    seconds: float


PRINTED: dict[str, dict[tuple[str, bool], Printed]] = {  # by projection and whether energy is kept: tables 8, 9, 10; 11
    "pendulum": {
        ("quasi-orthogonal", True): Printed(164, 36, 1395, 8, 2.53),
        ("orthogonal", True): Printed(151, 12, 1136, 4, 5.05),
        ("quasi-orthogonal", False): Printed(153, 23, None, 2, 1.98),
        ("orthogonal", False): Printed(152, 13, None, 4, 4.80),
    },
    "quadrangle": {
        ("quasi-orthogonal", True): Printed(1300, 168, 10139, 265, 218.91),
        ("orthogonal", True): Printed(1218, 149, 9427, 4, 499.41),
        ("quasi-orthogonal", False): Printed(1487, 181, None, 2, 95.03),
        ("orthogonal", False): Printed(1226, 161, None, 3, 301.05),
    },
    "crank": {
        ("quasi-orthogonal", True): Printed(2086, 352, 16859, 215, 848.67),
        ("orthogonal", True): Printed(2070, 113, 15175, 6, 3292.00),
        ("quasi-orthogonal", False): Printed(1996, 87, None, 2, 191.27),
        ("orthogonal", False): Printed(2077, 129, None, 5, 2099.30),
    },
}


@cache
def equations(system: str) -> sb.Equations:
    return sb.derive(SYSTEMS[system][0]())


def run(system: str, projection: str, with_energy: bool) -> tuple[sb.Trajectory, Any]:
    """Ten seconds, and T + V less the work of what has no potential, less what that was at the start."""
    _, start, tolerance = SYSTEMS[system]
    eq = equations(system)
    sim = sb.simulate(
        eq, 10.0, start, method="dp5", rtol=tolerance, max_growth=3.0, invariants=["energy"] if with_energy else [], **PROJECTIONS[projection]
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


def main() -> None:
    print(f"{'':36s}{'steps (rejected)':>32s}{'evaluations':>26s}{'seconds':>22s}{'violation':>12s}{'balance/T':>12s}")
    print(f"{'':36s}{'ours':>16s}{'theirs':>16s}{'ours':>14s}{'theirs':>12s}{'ours':>12s}{'theirs':>10s}")
    for system in SYSTEMS:
        for with_energy in (True, False):
            for projection in PROJECTIONS:
                run(system, projection, with_energy)
                sim, balance = run(system, projection, with_energy)
                ours, theirs = sim.statistics, PRINTED[system][projection, with_energy]
                case = f"{system}, {projection}{', energy' if with_energy else ''}"
                print(
                    f"{case:36s}{f'{ours.steps} ({ours.rejected})':>16s}{f'{theirs.steps} ({theirs.rejected})':>16s}"
                    f"{ours.evaluations:>14d}{theirs.evaluations or '':>12}{ours.seconds:>12.5f}{theirs.seconds:>10.2f}"
                    f"{sim.violation.position:>12.1e}{np.abs(balance).max() / np.abs(sim.kinetic_energy).max():>12.1e}"
                )


if __name__ == "__main__":
    main()
