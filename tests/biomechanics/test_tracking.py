"""Computed muscle control and residual reduction: simulations that follow a motion, beside `simulate` with the same inputs."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.kits import biomechanics as bio

from .planar_leg import leg_text, swing

T = np.linspace(0, 0.2, 21)
RESERVES = {"*": 1.0, "pelvis_*": 1000.0, "hip_*": 20.0}


@pytest.fixture(scope="module")
def subject() -> bio.Subject:
    return bio.Subject(sb.read_osim(leg_text()))


@pytest.fixture(scope="module")
def motion(subject: bio.Subject) -> bio.CoordinateMotion:
    return subject.motion(sb.formats.MotionTable("walk", T, subject.names, swing(subject.names, T)))


def test_muscles_follow_a_motion(subject: bio.Subject, motion: bio.CoordinateMotion) -> None:
    """The same excitations and reserves, held in each interval, in a simulation of the model with muscles."""
    found = subject.computed_muscle_control(motion, reserves=RESERVES)
    assert found.outcome
    assert np.abs(found.errors.values).max() < 0.05
    values = found.excitations.values
    assert values.min() >= 0
    assert values.max() <= 1
    m = sb.read_osim(leg_text())
    bio.add_muscles(m, tendon="rigid", curves="opensim", damping=0, outputs=False)
    for n in subject.names:
        m.generalized_force(f"R_{n}", m.symbols[n], m.input(f"r_{n}"))
    eq = sb.derive(m)
    t = found.excitations.times
    inputs = {f"{n}_excitation": (t, found.excitations[n], "held") for n in m.muscles}
    inputs |= {f"r_{n}": (t, found.reserves[n], "held") for n in subject.names}
    start = {n: float(motion[n][0]) for n in subject.names} | {
        f"{n}_dot": float(motion.speed(n)[0]) for n in subject.names
    }
    start |= {f"{n}_activation": float(found.activations[n][0]) for n in m.muscles}
    sim = sb.simulate(eq, float(T[-1]), start, inputs=inputs)
    assert sim.outcome
    for n in subject.names:
        assert sim.final[n] == pytest.approx(found.coordinates[n][-1], abs=1e-5)
    for n in m.muscles:
        assert sim.final[f"{n}_activation"] == pytest.approx(found.activations[n][-1], abs=1e-5)


def test_measured_forces_act_in_the_simulation(subject: bio.Subject, motion: bio.CoordinateMotion) -> None:
    """A force under the foot that the simulation did not feel, or felt elsewhere, would turn the foot by radians."""
    names = ["vx", "vy", "vz", "px", "py", "pz"]
    under = np.array([30.0, 300.0, 0.0, 0.1, 0.0, 0.08])
    plate = sb.formats.MotionTable("plate", T, names, under + np.outer(T, [0, 200, 0, 0.8, 0, 0]))
    loads = [bio.ExternalForce("foot", plate, "v", "p")]
    wanted = subject.inverse_dynamics(motion, loads)
    found = subject.residual_reduction(motion, {"pelvis_tx": 1000.0}, loads)
    assert found.outcome
    assert np.abs(found.errors.values).max() < 0.05
    assert found.before.values == pytest.approx(wanted.values, abs=1e-9)
    for n in subject.names:
        assert found.forces[n] == pytest.approx(wanted[n], abs=0.1 * np.abs(wanted[n]).max() + 3)


def test_residuals_become_smaller(subject: bio.Subject, motion: bio.CoordinateMotion) -> None:
    """In the new motion inverse dynamics finds the small residuals again."""
    small = {"pelvis_tilt": 2.0, "pelvis_tx": 5.0, "pelvis_ty": 5.0}
    found = subject.residual_reduction(motion, small, weights=dict.fromkeys(subject.names, 1.0))
    assert found.outcome
    assert found.residuals == tuple(small)
    for n in small:
        assert found.rms(n) < 0.7 * found.rms(n, before=True)
    again = subject.inverse_dynamics(subject.motion(found.coordinates))
    inside = slice(3, -3)
    assert np.sqrt(np.mean(again["pelvis_ty"][inside] ** 2)) < 0.8 * found.rms("pelvis_ty", before=True)
    assert np.abs(found.errors.values).max() < 0.3


def test_what_is_refused(subject: bio.Subject, motion: bio.CoordinateMotion) -> None:
    with pytest.raises(sb.ModelError, match=r"step= must be a time in seconds between 0 and 0.2, got 3"):
        subject.computed_muscle_control(motion, step=3)
    with pytest.raises(sb.ModelError, match="no coordinate 'pelvis'"):
        subject.residual_reduction(motion, {"pelvis": 1.0})
    with pytest.raises(sb.ModelError, match="the value of 'pelvis_tx' must be positive, got -1"):
        subject.residual_reduction(motion, {"pelvis_tx": -1.0})
    with pytest.raises(sb.ModelError, match="must name the coordinates that nothing moves"):
        subject.residual_reduction(motion, {})


def test_a_motion_that_is_lost(subject: bio.Subject, motion: bio.CoordinateMotion) -> None:
    """Without feedback and with no strength at all the leg falls; what was computed is kept."""
    far = bio.CoordinateMotion(motion.t, motion.names, motion.q, motion.u, motion.a - 4e4)
    found = subject.residual_reduction(far, {"pelvis_ty": 1000.0}, gains=(0.0, 0.0), weights={"pelvis_ty": 1e6})
    assert not found.outcome
    assert "the motion was lost at" in found.outcome
    assert 1 <= len(found.coordinates.times) < 21
