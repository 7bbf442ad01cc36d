"""Many simulations at once, and trajectories on disk."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb

from .mechanisms import START, double_pendulum, falling, slider_crank

TIMES = np.linspace(0.0, 2.0, 11)


class TestBatch:
    def test_members_are_what_single_simulations_are(self):
        starts = np.linspace(0.1, 2.0, 7)
        lengths = np.linspace(1.0, 2.0, 7)
        batch = sb.simulate_batch(double_pendulum(), TIMES, q1=starts, l1=lengths, q2=0.3)
        assert batch["q1"].shape == (7, 11)
        for k in range(7):
            alone = sb.simulate(double_pendulum(), TIMES, q1=starts[k], l1=lengths[k], q2=0.3)
            assert np.array_equal(batch[k].y, alone.y)

    def test_one_bad_member_does_not_spoil_the_rest(self):
        batch = sb.simulate_batch(
            double_pendulum(), TIMES, q1=[0.1, np.nan, 0.3, 0.4], m1=[1, 1, 0, 1], l1=[1, 1, 0, 1]
        )
        assert batch.failed == [1, 2]
        assert "q1 = nan" in str(batch.outcomes[1])
        assert batch.outcomes[2].ending is sb.integrate.Ending.NOT_FINITE
        assert np.all(np.isfinite(batch["q1"][[0, 3]]))
        assert np.all(np.isnan(batch["q1"][1]))
        assert "2 failed" in repr(batch)

    def test_starts_by_state(self):
        eq = slider_crank()
        starts = [sb.assemble(eq, start=START, beta=b) for b in (1.3, 1.5)]
        batch = sb.simulate_batch(eq, 0.5, starts)
        assert [m["beta"][0] for m in batch] == pytest.approx([1.3, 1.5])
        assert all(m.violation.position < 1e-11 for m in batch)
        with pytest.raises(sb.errors.SimulationError, match="different times"):
            sb.integrate.Batch((batch[0], sb.simulate(eq, 0.1, START)))["beta"]

    def test_numbers_of_members_must_agree(self):
        with pytest.raises(sb.errors.SimulationError, match="q1: 2, q2: 3"):
            sb.simulate_batch(double_pendulum(), 1.0, q1=[0, 1], q2=[0, 1, 2])
        assert len(sb.simulate_batch(double_pendulum(), 1.0, q1=[])) == 0


class TestStorage:
    def test_nothing_is_lost(self, tmp_path):
        eq = double_pendulum()
        sim = sb.simulate(eq, 2.0, q1=1.0, sensitivities=["q1", "g"])
        back = sb.write.load_trajectory(sb.write.save_trajectory(sim, tmp_path / "run"), eq)
        for name in ("t", "y", "p", "r", "variations"):
            assert np.array_equal(getattr(back, name), getattr(sim, name))
        assert (back.outcome, back.statistics, back.choices, back.wrt) == (
            sim.outcome,
            sim.statistics,
            sim.choices,
            sim.wrt,
        )
        assert np.array_equal(back.at(0.77).y, sim.at(0.77).y)
        assert np.array_equal(back.energy, sim.energy)

    def test_columns_are_plain_arrays(self, tmp_path):
        sim = sb.simulate(falling(), TIMES)
        path = sb.write.save_trajectory(sim, tmp_path / "run.npz")
        with np.load(path, allow_pickle=False) as file:
            assert np.array_equal(file["column height"], sim["height"])

    def test_functions_as_inputs(self, tmp_path):
        eq = double_pendulum()
        law = {"tau": 2 * eq.t}
        sim = sb.simulate(eq, 1.0, inputs=law)
        path = sb.write.save_trajectory(sim, tmp_path / "run.npz")
        back = sb.write.load_trajectory(path, eq, law)
        assert np.array_equal(back["q1_ddot"], sim["q1_ddot"])
        with pytest.raises(sb.errors.SimulationError, match="inputs"):
            sb.write.load_trajectory(path, eq)

    def test_another_model_or_no_trajectory(self, tmp_path):
        path = sb.write.save_trajectory(sb.simulate(falling(), 1.0), tmp_path / "run.npz")
        with pytest.raises(sb.errors.SimulationError, match="belongs to 'falling'"):
            sb.write.load_trajectory(path, double_pendulum())
        (tmp_path / "other.npz").write_text("nothing")
        with pytest.raises(sb.errors.SimulationError, match="no trajectory"):
            sb.write.load_trajectory(tmp_path / "other.npz", falling())
        with pytest.raises(FileNotFoundError):
            sb.write.load_trajectory(tmp_path / "missing.npz", falling())
