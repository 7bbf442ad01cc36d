"""Costs of OpenSim Moco for the problems of its article, from its model files (SYMBODY_MOCO_PAPER, SYMBODY_FULL)."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bench import motion_gait, motion_moco

MODEL = motion_moco.model_file()
pytestmark = pytest.mark.skipif(
    not os.environ.get("SYMBODY_FULL") or MODEL is None or not find_spec("opensim"),
    reason="takes half a minute; needs SYMBODY_FULL, SYMBODY_MOCO_PAPER and opensim",
)


def test_the_muscles_of_a_gait_have_the_cost_of_moco_inverse_with_its_paths(tmp_path: Path) -> None:
    assert MODEL is not None
    model = motion_moco.in_own_process(motion_gait.walking_model, motion_moco.gait_folder(MODEL), tmp_path)
    walk = motion_gait.measured_gait(motion_moco.gait_folder(MODEL), model)
    given = (walk.subject.names, walk.motion.q, walk.motion.u)
    active, arms = motion_moco.in_own_process(motion_gait.tables_by_opensim, model, *given)
    own_active, own_arms = walk.muscle_tables()
    twice = np.array([name.startswith("gas") for name in walk.subject.model.muscles])  # over two cylinders in a gap
    assert np.all((np.abs(active - own_active).max(axis=0) < 2e-3 * active.max(axis=0))[~twice])
    assert np.abs(arms - own_arms)[:, ~twice].max() < 2e-3
    motion = motion_gait.gait(walk, (active, arms)).solve(motion_gait.GAIT_INTERVALS, method="hermite-simpson")
    assert motion.outcome
    assert 0.99 * motion_gait.MOCO_COST < motion.objective < motion_gait.MOCO_COST  # Moco stops above its minimum


def test_squat_to_stand_has_the_cost_of_moco() -> None:
    assert MODEL is not None
    motion = motion_moco.squat_to_stand(MODEL).solve(motion_moco.INTERVALS, method="hermite-simpson")
    assert motion.outcome
    assert 0.99 * motion_moco.MOCO_COST < motion.objective < motion_moco.MOCO_COST
