"""From markers and force plates to joint moments, muscle forces and joint loads: laws on a planar leg."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import symbody as sb
from symbody.kits import biomechanics as bio

from .planar_leg import leg_text, marker_table, swing

T = np.linspace(0, 0.6, 37)


@pytest.fixture(scope="module")
def subject() -> bio.Subject:
    return bio.Subject(sb.read_osim(leg_text()))


@pytest.fixture(scope="module")
def walk(subject: bio.Subject) -> sb.formats.MotionTable:
    return sb.formats.MotionTable("walk", T, subject.names, swing(subject.names, T))


@pytest.fixture(scope="module")
def seen(subject: bio.Subject, walk: sb.formats.MotionTable) -> sb.formats.MotionTable:
    return marker_table(subject.model, walk)


@pytest.fixture(scope="module")
def plate() -> sb.formats.MotionTable:
    rng = np.random.default_rng(3)
    values = np.column_stack([30 * np.sin(9 * T), 250 + 20 * np.cos(5 * T), 0 * T, 1.2 * T, 0 * T, 0 * T + 0.08])
    turning = rng.normal(size=(len(T), 3))
    return sb.formats.MotionTable(
        "plate", T, ["vx", "vy", "vz", "px", "py", "pz", "mx", "my", "mz"], np.hstack([values, turning])
    )


# ------------------------------------------------------------------------------------------------- marker kinematics


def test_markers_give_back_the_motion(subject: bio.Subject, walk: Any, seen: Any) -> None:
    found = subject.marker_kinematics(seen)
    assert found.outcome
    assert np.abs(found.table.values - walk.values).max() < 1e-9
    assert np.abs(found.errors).max() < 1e-9
    assert found.undetermined == ()


def test_noise_weights_and_markers_that_were_not_seen(subject: bio.Subject, seen: Any) -> None:
    """Where the sum of squares is least, its gradient is zero; by differences."""
    rng = np.random.default_rng(1)
    values = seen.values + rng.normal(scale=0.01, size=seen.values.shape)
    values[5, 3:6] = np.nan  # PSIS
    noisy = sb.formats.MotionTable("noisy", T, [*seen.names, "EXTRA_x", "EXTRA_y", "EXTRA_z"], np.hstack([values, values[:, :3]]))  # fmt: skip
    weights, aim = {"ASIS": 5.0, "KNEE": 0.0, "TOE": 2.0}, {"hip_flexion": (0.3, 0.1)}
    found = subject.marker_kinematics(noisy, weights=weights, towards=aim, times=(0.05, 0.2))
    assert found.outcome
    assert (found.ignored, "KNEE" in found.markers) == (("EXTRA",), False)
    assert (found.table.times[0], found.table.times[-1]) == pytest.approx((0.05, 0.2))
    places = {n: p.in_ground for n, p in subject.model.markers.items()}
    hip = subject.names.index("hip_flexion")
    for k in (0, 2):  # the second of these without PSIS
        row = int(np.searchsorted(T, found.table.times[k] - 1e-9))

        def cost(q: Any, row: int = row) -> float:
            at = {subject.model.symbols[n]: float(x) for n, x in zip(subject.names, q, strict=True)}
            total = 0.3 * (q[hip] - 0.1) ** 2
            for n, p in places.items():
                e = np.array(sb.evaluate(list(p.entries), at), dtype=float) - noisy.vector(n)[row]
                total += 0.0 if np.isnan(e).any() else weights.get(n, 1.0) * float(e @ e)
            return total

        q = found.table.values[k]
        slopes = [(cost(q + d) - cost(q - d)) / 2e-5 for d in 1e-5 * np.eye(len(q))]
        assert np.abs(slopes).max() < 1e-7
    assert np.isnan(found.errors[2, found.markers.index("PSIS")])


def test_clamped_coordinates_stay_in_their_range(seen: Any) -> None:
    m = sb.read_osim(leg_text("true").replace("-2.1 0.2", "-0.6 0.2"))
    found = bio.Subject(m).marker_kinematics(seen)
    assert found.outcome
    assert found.table["knee_angle"].min() == -0.6
    assert 1e-3 < found.errors.max() < 0.1


def test_what_markers_do_not_determine(subject: bio.Subject, seen: Any) -> None:
    found = subject.marker_kinematics(seen, weights={"HEEL": 0, "TOE": 0}, start={"ankle_angle": 0.3})
    assert found.outcome
    assert found.undetermined == ("ankle_angle",)
    assert np.all(found.table["ankle_angle"] == 0.3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"weights": {"HEAL": 1}}, "no marker 'HEAL'.*Did you mean 'HEEL'"),
        ({"weights": {"HEEL": -1}}, "weight of marker 'HEEL' must be 0 or more, got -1"),
        ({"start": {"knee": 1}}, "no coordinate 'knee'"),
        ({"times": (7, 8)}, "no frame between 7 and 8 s; it has times from 0 to 0.6 s"),
    ],
)
def test_markers_that_are_refused(subject: bio.Subject, seen: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(sb.ModelError, match=words):
        subject.marker_kinematics(seen, **given)


def test_tables_that_are_refused(subject: bio.Subject, seen: Any, walk: Any) -> None:
    values = seen.values.copy()
    values[:, 3:6] = np.nan
    with pytest.raises(sb.ModelError, match="never seen: PSIS"):
        subject.marker_kinematics(sb.formats.MotionTable("hidden", T, seen.names, values))
    with pytest.raises(sb.ModelError, match="no markers, which are columns NAME_x"):
        subject.marker_kinematics(walk)
    keep = [n for n in walk.names if n != "knee_angle"]
    less = sb.formats.MotionTable("walk", T, keep, np.column_stack([walk[n] for n in keep]))
    with pytest.raises(sb.ModelError, match="no column for coordinate 'knee_angle'"):
        subject.motion(less)
    values = walk.values.copy()
    values[4, 2] = np.nan
    with pytest.raises(sb.ModelError, match=f"column '{walk.names[2]}' has no number at 0.0666667 s .row 5"):
        subject.motion(sb.formats.MotionTable("walk", T, walk.names, values))
    with pytest.raises(sb.ModelError, match="half the sampling frequency, 30 Hz; got 40"):
        subject.motion(walk, cutoff=40)
    m = sb.read_osim(leg_text())
    bio.add_muscles(m, "soleus", outputs=False)
    with pytest.raises(sb.ModelError, match="without muscle forces"):
        bio.Subject(m)


# ------------------------------------------------------------------------------------------------- inverse dynamics


def test_speeds_and_accelerations_of_a_table(subject: bio.Subject) -> None:
    """Of a quintic, exactly; in degrees too, where only angles are converted."""
    t = np.linspace(0, 1, 41)
    law = np.polynomial.Polynomial([0.1, -0.3, 0.5, 0.2])
    values = np.column_stack([law(t)] * 6)
    angle = np.array([subject.model.coordinates_of_file[n].is_angle for n in subject.names])
    table = sb.formats.MotionTable("d", t, subject.names, np.where(angle, np.degrees(values), values), in_degrees=True)
    motion = subject.motion(table, times=[0.3, 0.5])
    assert motion.q == pytest.approx(np.tile(law([[0.3], [0.5]]), 6), abs=1e-12)
    assert motion.u == pytest.approx(np.tile(law.deriv()([[0.3], [0.5]]), 6), abs=1e-4)
    assert motion.a == pytest.approx(np.tile(law.deriv(2)([[0.3], [0.5]]), 6), abs=1e-2)


def test_filter_keeps_the_slow_and_drops_the_fast(subject: bio.Subject) -> None:
    t = np.linspace(0, 2, 201)
    slow, fast = np.sin(2 * np.pi * t), 0.1 * np.sin(2 * np.pi * 30 * t)
    table = sb.formats.MotionTable("f", t, subject.names, np.column_stack([slow + fast] * 6))
    found = subject.motion(table, cutoff=6)["knee_angle"]
    assert np.abs(found - slow)[20:-20].max() < 1e-3


def test_moments_are_those_of_the_equations(subject: bio.Subject, walk: Any, plate: Any) -> None:
    """M u' - f - Jᵀ F by the mass matrix, and by an external force that is a load of the model."""
    load = bio.ExternalForce("foot", plate, "v", "p", "m")
    motion = subject.motion(walk)
    found = subject.inverse_dynamics(motion, [load])
    m = sb.read_osim(leg_text())
    F, p, c = ([m.input(f"{x}{k}") for k in "xyz"] for x in ("F", "P", "C"))
    foot = m.links["foot"]
    m.force("plate", foot, m.ground.vector(*F), at=m.ground.point(*p))
    m.torque("twist", foot, m.ground.vector(*c))
    eq = sb.derive(m)
    rest = sb.joint_forces(eq)
    for k in (3, 20):
        values = {q.name: x for q, x in zip(eq.q, motion.q[k], strict=True)}
        values |= {u.name: x for u, x in zip(eq.u, motion.u[k], strict=True)}
        values |= {u.dot.name: x for u, x in zip(eq.u, motion.a[k], strict=True)}
        rows = [plate.vector(n)[k] for n in ("v", "p", "m")]
        values |= {s.name: x for group, row in zip((F, p, c), rows, strict=True) for s, x in zip(group, row, strict=True)}  # fmt: skip
        assert found.values[k] == pytest.approx(np.ravel(np.array(sb.evaluate(rest, values), dtype=float)), abs=1e-9)


# ------------------------------------------------------------------------------------------------- static optimisation


@pytest.mark.parametrize("exponent", [2.0, 3.0, 1.5])
def test_least_effort_beside_another_optimiser(subject: bio.Subject, walk: Any, plate: Any, exponent: float) -> None:
    motion = subject.motion(walk, times=T[[5, 30]])
    loads = [bio.ExternalForce("foot", plate, "v", "p")]
    found = subject.static_optimisation(motion, loads, reserves={"*": 10.0, "pelvis_*": 100.0}, exponent=exponent)
    assert found.outcome
    moments = subject.inverse_dynamics(motion, loads)
    assert found.moments.values == pytest.approx(moments.values, abs=1e-6)
    w = np.array([100.0 if n.startswith("pelvis") else 10.0 for n in subject.names])
    for k in range(2):
        a, r = found.activations.values[k], found.reserves.values[k] / w
        arms, strength = _arms_and_strengths(subject, motion, k)

        def effort(x: Any) -> float:
            left = (moments.values[k] - arms.T @ (x * strength)) / w  # noqa: B023
            return float(np.sum(np.abs(x) ** exponent) + np.sum(np.abs(left) ** exponent))

        other = minimize(effort, np.full(len(a), 0.2), bounds=[(0, 1)] * len(a), method="L-BFGS-B", options={"maxiter": 20000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-10})  # fmt: skip
        assert np.sum(np.abs(a) ** exponent) + np.sum(np.abs(r) ** exponent) <= other.fun * (1 + 1e-9)
        assert a == pytest.approx(other.x, abs=2e-3)


def _arms_and_strengths(subject: bio.Subject, motion: Any, k: int) -> tuple[Any, Any]:
    """By expressions of the muscles, which are another way to them than the compiled functions."""
    m = sb.read_osim(leg_text())
    made = bio.add_muscles(m, tendon="rigid", curves="opensim", activation=1, outputs=False, damping=0)
    at = {m.symbols[n]: float(x) for n, x in zip(subject.names, motion.q[k], strict=True)}
    at |= {m.symbols[n].dot: float(x) for n, x in zip(subject.names, motion.u[k], strict=True)}  # type: ignore[attr-defined]
    arms = [[float(sb.evaluate(x.moment_arm(m.symbols[n]), at)) for n in subject.names] for x in made.values()]
    laws = bio.muscle_curves("opensim")
    forces = []
    for n, x in made.items():
        given = m.muscles[n]
        passive = given.max_force * laws.passive_force(x.fibre_length / given.optimal_length) * x.cos_pennation
        forces.append(float(sb.evaluate(x.force - passive, at)))
    return np.array(arms), np.array(forces)


def test_muscles_and_reserves_make_the_motion(subject: bio.Subject, walk: Any) -> None:
    """Accelerations of the model with these activations and reserves as inputs are those of the motion."""
    motion = subject.motion(walk)
    found = subject.static_optimisation(motion, reserves=5.0, passive=True)
    assert found.outcome
    m = sb.read_osim(leg_text())
    for n in m.muscles:
        bio.add_muscles(m, n, tendon="rigid", curves="opensim", damping=0, activation=m.input(f"a_{n}"), outputs=False)
    for n in subject.names:
        m.generalized_force(f"R_{n}", m.symbols[n], m.input(f"r_{n}"))
    eq = sb.derive(m)
    f = sb.compile(eq)
    for k in (0, 17):
        inputs = {f"a_{n}": x for n, x in zip(m.muscles, found.activations.values[k], strict=True)}
        inputs |= {f"r_{n}": x for n, x in zip(subject.names, found.reserves.values[k], strict=True)}
        a = f.udot(0.0, motion.q[k], motion.u[k], [inputs[r.name] for r in eq.r])
        assert a == pytest.approx(motion.a[k], abs=1e-6)


def test_what_static_optimisation_refuses(subject: bio.Subject, walk: Any) -> None:
    motion = subject.motion(walk)
    for given, words in (
        ({"reserves": {"knee": 1.0}}, "no coordinate 'knee'"),
        ({"reserves": {"knee_*": -1.0}}, "reserve of 'knee_\\*' must be positive, got -1"),
        ({"exponent": 1.0}, "more than 1, such as 2, got 1"),
        ({"between": (0.5, 0.1)}, "two activations from 0 to 1"),
        ({"curves": "2017"}, "no set of curves"),
    ):
        with pytest.raises(sb.ModelError, match=words):
            subject.static_optimisation(motion, **given)  # type: ignore[arg-type]
    table = sb.formats.MotionTable("p", T, ["vx", "vy", "vz"], np.zeros((len(T), 3)))
    with pytest.raises(sb.ModelError, match="no body 'foots'"):
        subject.static_optimisation(motion, [bio.ExternalForce("foots", table, "v", "v")])


# ------------------------------------------------------------------------------------------------- joint loads


def test_joint_loads_carry_what_muscles_do_not(subject: bio.Subject, walk: Any, plate: Any) -> None:
    """The moment about the axis of a pin is what its coordinate needs from reserves; the whole is Newton's and Euler's."""
    motion, loads = subject.motion(walk), [bio.ExternalForce("foot", plate, "v", "p", "m")]
    moments = subject.inverse_dynamics(motion, loads)
    muscles = subject.static_optimisation(motion, loads, reserves=20.0)
    bare, loaded = (subject.joint_loads(motion, None, loads, f) for f in (None, muscles))
    for joint, q in (("hip", "hip_flexion"), ("knee", "knee_angle"), ("ankle", "ankle_angle")):
        assert bare[f"{joint}_mz"] == pytest.approx(moments[q], abs=1e-7)
        assert loaded[f"{joint}_mz"] == pytest.approx(muscles.reserves[q], abs=1e-5)
        crossing = np.hypot(*(loaded[f"{joint}_f{k}"] - bare[f"{joint}_f{k}"] for k in "xy"))
        assert crossing.max() > 100
    for k in "xy":
        assert bare[f"ground_pelvis_f{k}"] == pytest.approx(moments[f"pelvis_t{k}"], abs=1e-7)
        assert loaded[f"ground_pelvis_f{k}"] == pytest.approx(moments[f"pelvis_t{k}"], abs=1e-5)
    with pytest.raises(sb.ModelError, match="no joint 'kne'"):
        subject.joint_loads(motion, "kne")
