"""Phases with contacts that hold, and impacts between them."""

import numpy as np
import pytest

from bench.motion_cases import CASES, hopper, walker
from bench.motions import BY_HAND, by_hand
from tests.amount import dear

pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")


def test_hopper_keeps_the_balance_of_momentum():
    """Over a hop, the forces of the ground and the impulse of landing carry the weight: ∫ λ dt + Λ = m g T."""
    motion = hopper().solve(8)
    assert motion.outcome
    weights = motion.transcription.weights["stance"] * motion.durations["stance"]
    carried = weights @ motion.values("lam_foot", "stance") + motion.impulses["stance: lam_foot"]
    assert carried == pytest.approx(1.1 * 9.81 * sum(motion.durations.values()), rel=1e-9)
    assert motion.impulses["stance: lam_foot"] > 0
    assert motion.values("lam_foot", "stance").min() > -1e-6
    assert np.abs(motion.values("y", "stance") - motion.values("l", "stance")).max() < 1e-9
    assert motion.check().relative < 1e-3


@dear
def test_step_of_a_walker_with_five_links():
    """After the impact, with the legs exchanged, the step begins again; the impact takes energy and does not pull."""
    motion = walker().solve(12)
    assert motion.outcome
    assert motion["swing_x"][-1] == pytest.approx(0.4)
    assert motion["swing_y"][-1] == pytest.approx(0, abs=1e-8)
    assert motion["hip_left"][0] == pytest.approx(motion["hip_right"][-1])
    assert motion["knee_right"][0] == pytest.approx(motion["knee_left"][-1])
    assert motion.impulses["step: lam_foot_y"] > 0
    assert motion["lam_foot_y"].min() > -1e-6


@dear
@pytest.mark.parametrize("case", [c for c in CASES if c.name in BY_HAND], ids=lambda c: c.name)
def test_same_optimum_as_casadi_by_hand(case):
    """Equations, transcription and derivatives written by hand for CasADi."""
    problem = case.make()
    made = problem.transcription(case.intervals, case.method)
    assert by_hand(case, made)[2] == pytest.approx(
        problem.solve(case.intervals, method=case.method).objective, rel=1e-7
    )
