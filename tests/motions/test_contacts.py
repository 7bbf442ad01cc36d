"""Phases with contacts that hold, and impacts between them."""

import numpy as np
import pytest

import symbody as sb
from bench.motion_bodies import HOUND, bound
from bench.motion_cases import CASES, LUUS, hopper, luus_arm, walker
from bench.motion_peers import by_casadi
from bench.motion_walker import by_casadi as walker_by_casadi
from bench.motion_walker import walker as walker_of_kelly
from bench.motions import BY_HAND
from symbody.kits import motions
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


def test_bound_keeps_weight_speed_and_friction():
    motion = bound().solve(6)
    assert motion.outcome
    total, stances = sum(motion.durations.values()), ("hind", "fore")
    carried = sum(motion.transcription.weights[k] @ motion.values("up", k) * motion.durations[k] for k in stances)
    assert carried == pytest.approx(HOUND["mass"] * 9.81 * total, rel=1e-6)
    assert motion["x"][-1] == pytest.approx(HOUND["speed"] * total)
    for k in stances:
        assert (np.abs(motion.values("along", k)) <= 0.6 * motion.values("up", k) + 1e-6).all()
    assert motion.check().relative < 1e-6  # phases have parameters of their own: their footholds


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


def test_gait_of_kellys_walker():
    """The least cost of the program of CasADi, with equations and impact by hand: 390.7905 with 50 intervals of its own
    method."""
    motion = walker_of_kelly().solve(12)
    assert motion.outcome
    assert motion.objective == pytest.approx(390.7905, rel=3e-6)
    assert motion["thigh_1"][0] == pytest.approx(motion["thigh_2"][-1])
    assert motion["swing_x"][-1] == pytest.approx(0.5)
    assert motion["swing_y"].min() > -1e-9


@dear
def test_kellys_walker_by_casadi():
    assert walker_by_casadi(25).objective == pytest.approx(390.7905, rel=1e-6)


@dear
@pytest.mark.parametrize("case", [c for c in CASES if c.name in BY_HAND], ids=lambda c: c.name)
def test_same_optimum_as_casadi_by_hand(case):
    """Equations, transcription and derivatives written by hand for CasADi."""
    problem = case.make()
    made = problem.transcription(case.intervals, case.method)
    assert by_casadi(*BY_HAND[case.name], made).objective == pytest.approx(
        problem.solve(case.intervals, method=case.method).objective, rel=1e-7
    )


def test_order_of_contacts_is_found():
    """A block is hit, pushed and left alone by another one, which nobody told when: the contact force acts at no gap, and
    it alone moves the block."""
    x1, v1, x2, v2, F, N = sb.symbols("x1 v1 x2 v2 F N", kind="variable")
    eq = sb.from_equations({x1: v1, v1: F - N, x2: v2, v2: N / 2}, inputs=[F, N])
    problem = motions.Problem("push")
    go = problem.phase("go", eq, 2.0).start(x1=0, v1=0, x2=1, v2=0).end(x2=2).bounds(F=(-20, 20))
    go.complementary("touch", N, x2 - x1).cost("effort", integral=F**2)
    motion = problem.solve(30, method="radau", degree=1)
    assert motion.outcome
    gap = motion["x2"] - motion["x1"]
    assert (motion["N"] * gap)[1:].max() <= 1.1e-6
    assert gap.min() > -1e-7
    impulse = motion.transcription.weights["go"] * motion.durations["go"] @ motion["N"]
    assert 2 * motion["v2"][-1] == pytest.approx(impulse)
    assert motion["N"][:10] == pytest.approx(0, abs=1e-4)
    assert motion["N"].max() > 10 * np.median(motion["N"][motion["N"] > 1e-3])  # the impact, in one interval


def test_fastest_arm_by_its_switching_times():
    """Luus' arm with torques at their bounds, as one phase between switches: four durations for four conditions, to the
    accuracy of the method; the minimum by collocation is the same."""
    eq = luus_arm().phases["reach"].equations
    problem, before = motions.Problem("arm"), None
    pieces = {"a": (1, 1, 0.7), "b": (1, -1, 0.7), "c": (-1, -1, 0.7), "d": (-1, 1, 0.7)}
    for name, (shoulder, elbow, guess) in pieces.items():
        phase = problem.phase(name, eq, (0.01, 3)).bounds(at_shoulder=shoulder, at_elbow=elbow).guess(duration=guess)
        phase.guess(shoulder=0.25, elbow=0.5).cost("time", integral=1)
        if before is not None:
            problem.link(before, phase)
        before = phase
    problem.phases["a"].start(shoulder=0, elbow=0.5, shoulder_dot=0, elbow_dot=0)
    problem.phases["d"].end(shoulder=0.522, elbow=0.5, shoulder_dot=0, elbow_dot=0)
    motion = problem.solve(8, method="radau", degree=5)
    assert motion.outcome
    assert motion.objective == pytest.approx(LUUS, abs=1e-6)
    assert motion.check().relative < 1e-5


def test_friction_of_impulses():
    """A stone that is to stay where it lands may be thrown with the speed that friction takes, mu times that of falling."""
    m = sb.Model("stone")
    x, y = m.coordinates("x y")
    m.particle("stone", m.ground.point(x, y, 0), mass=2.0)
    m.gravity(0, -9.81, 0)
    floor = sb.Contacts(sb.derive(m), sb.Contact("floor", y, friction=0.5, slip=x.dot))
    problem = motions.Problem("throw")
    fall = problem.phase("fall", floor.equations("free"), (0.1, 2)).start(x=0, y=1, y_dot=0).bounds(x_dot=(0, 50))
    fall.cost("speed", start=-x.dot).guess(x_dot=1)
    rest = problem.phase("rest", floor.equations("floor sticks"), 0.1)
    names = {"lam_floor": (0, None)}
    with pytest.raises(sb.ModelError, match="there is no multiplier 'lam_flor'"):
        problem.link(fall, rest, impact=names, friction={"lam_floor_friction": ("lam_flor", 0.5)})
    with pytest.raises(sb.ModelError, match="a coefficient must not be negative, got -1"):
        problem.link(fall, rest, impact=names, friction={"lam_floor_friction": ("lam_floor", -1)})
    with pytest.raises(sb.ModelError, match="expected a multiplier and a coefficient"):
        problem.link(fall, rest, impact=names, friction={"lam_floor_friction": 0.5})  # type: ignore[dict-item]
    problem.link(fall, rest, impact=names, friction={"lam_floor_friction": ("lam_floor", 0.5)})
    motion = problem.solve(4)
    assert motion.outcome
    assert motion["x_dot"][0] == pytest.approx(0.5 * np.sqrt(2 * 9.81), rel=1e-6)
    assert abs(motion.impulses["rest: lam_floor_friction"]) == pytest.approx(0.5 * motion.impulses["rest: lam_floor"])
