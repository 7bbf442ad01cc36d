"""Linkages that are driven: between steps too, motions stay on constraints that move by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb

TIMES = np.linspace(0, 1, 101)


def lambda_linkage(free: bool) -> sb.Equations:
    """Chebyshev's linkage, its crank turned at a given rate; with a pendulum that swings freely from its rod, or
    without."""
    m = sb.Model("lambda linkage")
    a = 0.1
    m.gravity(0, -9.81, 0)
    crank, rod, rocker = (
        m.body(n, mass=1.0, shape=sb.bar(k * a, "x", at=(k * a / 2, 0, 0)))
        for n, k in (("crank", 1), ("rod", 5), ("rocker", 2.5))
    )
    turn = m.revolute("turn", m.ground, crank)
    m.revolute("elbow", crank, rod, at=(a, 0, 0))
    m.revolute("swing", m.ground, rocker, at=(2 * a, 0, 0))
    m.revolute("joint", rod, rocker, at=(2.5 * a, 0, 0), on=(2.5 * a, 0, 0))
    m.prescribe("drive", turn.q, 2 * sb.pi * m.time)
    if free:
        m.revolute("hang", rod, m.particle("bob", mass=0.01), on=(0, 5.0, 0))
    return sb.derive(m)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("options", [{}, {"form": "partition"}, {"form": "orthogonal"}, {"method": "dp5"}], ids=str)
def test_driven_linkage_is_on_its_constraints_at_every_time(free: bool, options: dict) -> None:
    """With no freedom left, nothing of a step's error lies along the constraints: what lies across them counts."""
    eq = lambda_linkage(free)
    held: dict[str, Any] = {"hang": 0.0, "hang_dot": 0.0} if free else {}
    start = sb.assemble(eq, start={"elbow": 1.0, "swing": 1.5}, **held)
    sim = sb.simulate(eq, TIMES, start, **options)
    assert sim.outcome
    assert sim.violation.position < 1e-7
    dense = sb.simulate(eq, 1, start, **options).at(TIMES)
    assert dense.violation.position < 1e-6
    assert np.abs(dense["turn"] - 2 * np.pi * TIMES).max() < 1e-6
