"""Energy and momentum of bodies that deform, loads along them, and how they are written down."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import symbody as sb

from .models import swinging_arm
from .test_routes import numbers


def test_energy_is_kept():
    """A pendulum of a soft beam, with large deflections: the whole energy is kept to the accuracy of the motion."""
    m = sb.Model("pendulum")
    L = m.parameter("L", 1.0)
    arm = m.beam("arm", length=L, EI=2.0, rho_A=0.5, modes=2)
    m.revolute("hinge", m.ground, arm, axis="z")
    m.gravity(9.81, 0, 0)
    sim = sb.simulate(sb.derive(m), np.linspace(0, 4, 81), hinge=1.2, rtol=1e-11)
    E = sim[sb.energy(sim.equations)]
    assert np.abs(sim["arm_y1"]).max() > 0.05
    assert np.ptp(E) < 1e-8 * np.abs(E).max()


@pytest.fixture(scope="module")
def floating():
    """A beam in free space on mean axes."""
    m = sb.Model("floating")
    arm = m.beam("arm", length=1.0, EI=(3.0, 2.0), rho_A=0.7, rho_I=0.01, modes=1, ends=("free", "free"))
    m.free("motion", m.ground, arm)
    return sb.derive(m)


def test_momentum_of_a_free_body(floating):
    """Momentum, and moment of momentum, do not change; nor does energy."""
    eq = floating
    start = {u.name: 0.3 + 0.1 * k for k, u in enumerate(eq.u)}
    sim = sb.simulate(eq, np.linspace(0, 1, 11), start, rtol=1e-11)
    for quantity in (sb.momentum(eq), sb.angular_momentum(eq)):
        values = np.array(sim[quantity])
        assert np.abs(values).max() > 0.1
        assert np.ptp(values, axis=0).max() < 1e-9


def test_mean_axes(floating):
    """Modes of free ends have no momentum of their own, to first order: no entry of M ties them to the motion of the
    frame at rest."""
    eq = floating
    at = dict.fromkeys(eq.q, 0.0) | dict(eq.mechanism.values)
    M = np.array(sb.evaluate(eq.M, at))
    elastic = [k for k, u in enumerate(eq.u) if u.name.startswith("arm")]
    others = [k for k in range(len(eq.u)) if k not in elastic]
    assert np.abs(M[np.ix_(elastic, others)]).max() < 1e-15


def test_line_loads():
    """A dead load by its resultant, by points of Gauss, and one that follows, against the closed form of a cantilever
    to first order."""
    x = sb.bodies.material("x")
    m = sb.Model("loaded")
    L, w = m.parameters(L=2.0, w=1e-3)
    arm = m.beam("arm", m.ground, length=L, EI=5.0, rho_A=1.0, modes=3)
    m.line_load("snow", arm, m.ground.vector(0, -w, 0))
    m.output("tip", arm.displacement(L)[1])
    tip = sb.steady(sb.derive(m))["tip"]
    assert tip == pytest.approx(-1e-3 * 16 / (8 * 5), rel=1e-4)

    def with_load(*load, **how) -> float:
        m = sb.Model("loaded")
        arm = m.beam("arm", m.ground, length=2.0, EI=5.0, rho_A=1.0, modes=3)
        m.line_load("load", arm, *load, **how)
        m.output("tip", arm.displacement(2.0)[1])
        return float(sb.steady(sb.derive(m))["tip"])

    assert with_load((0, -1e-3, 0), follows=True) == pytest.approx(float(tip), rel=1e-4)
    assert with_load((0, -1e-3 * x / 2, 0)) == pytest.approx(-1e-3 * 11 * 2**4 / (120 * 5), rel=2e-3)


def test_gravity_and_a_force_do_the_work_of_their_points():
    """A force on the body acts where it is said to, with the deformation; a torque must say where."""
    m, arm = swinging_arm(modes=1)
    L = m.symbols["L"]
    m.force("push", arm, m.ground.vector(0, 1, 0), at=arm.point(L / 2))
    eq = sb.derive(m)
    assert sb.derivation.generalized_force(eq, "push", "arm_y1") is not sb.derivation.generalized_force(
        eq, "push", "arm_z1"
    )
    with pytest.raises(sb.ModelError, match=r"the body 'arm' deforms; state where it acts"):
        m.torque("twist", arm, m.ground.z)
    assert sb.certify(eq, routes=["lagrange"]).passed


TEXT = """
symbody: 1
name: arm
parameters: {L: 1.3, EI: 2.0, mu: 0.7, g: 9.81}
bodies:
  hub: {mass: 1.0, inertia: [0.1, 0.2, 0.3]}
  arm: {beam: {length: L, EI: [EI, 2*EI], rho_A: mu, modes: {y: 1, z: 1}}}
  tip: {mass: 0.3, inertia: [0.01, 0.02, 0.03], com: [0.1, 0, 0.05]}
joints:
  shoulder: {revolute: [ground, hub], axis: z}
  elbow: {revolute: [hub, arm], axis: y, at: [0.2, 0.1, 0]}
  wrist: {revolute: [arm, tip], axis: x, at: [L, 0, 0]}
gravity: [0, 0.3*g, -g]
outputs: {deflection: arm_y1, height: "arm.at(L/2).origin.position().dot(ground.z)"}
"""


@pytest.fixture(scope="module")
def small_arm():
    return sb.derive(swinging_arm(modes=1)[0])


def by_name(eq, like):
    """Numbers of equations whose coordinates stand in another order."""
    order = [[u.name for u in eq.u].index(u.name) for u in like.u]
    values = {s.name: v for s, v in {**like.mechanism.values, **_state(like)}.items()}
    M, f = sb.evaluate([eq.M, eq.f], {s: values[s.name] for s in (*eq.q, *eq.u, *eq.p)})
    return np.concatenate([np.array(M)[np.ix_(order, order)].ravel(), np.ravel(f)[order]])


def _state(eq):
    return {s: 0.1 + 0.05 * k for k, s in enumerate((*eq.q, *eq.u))}


def test_files_pickles_and_copies(small_arm):
    """A beam in a model file, the mechanism written to one, its equations pickled, and the model as a part of another
    are the same."""
    eq = small_arm
    M, f = sb.evaluate([eq.M, eq.f], {**eq.mechanism.values, **_state(eq)})
    expected = np.concatenate([np.ravel(M), np.ravel(f)])
    read = sb.derive(sb.study.read_model_text(TEXT).model)
    written = sb.derive(sb.study.read_model_text(sb.write.model_text(eq.mechanism)).model)
    for other in (read, written, pickle.loads(pickle.dumps(eq))):
        assert by_name(other, eq) == pytest.approx(expected, rel=1e-13, abs=1e-13)
    whole = sb.Model("whole")
    part = whole.attach("a", whole.ground, swinging_arm(modes=1)[0])
    whole.gravity(0, 0.3 * part.symbol("g"), -part.symbol("g"))
    copied = sb.derive(whole)
    assert numbers(copied, 3) == pytest.approx(numbers(eq, 3), rel=1e-13, abs=1e-13)
    assert part.bodies["arm"].at(part.symbol("L")).origin.in_ground is not None


def test_batches_sensitivities_and_exports(small_arm, tmp_path):
    """Members of a batch are their motions, the derivative by the stiffness is that of motions, and exported functions
    give the numbers of the graph."""
    eq, times, start, h = small_arm, np.linspace(0, 0.4, 5), {"elbow": 0.3}, 1e-3

    def tips(EI, **how):
        return sb.simulate(eq, times, start, EI=EI, rtol=1e-10, **how)

    below, here, above = tips(2.0 - h), tips(2.0, sensitivities=["EI"]), tips(2.0 + h)
    batch = sb.simulate_batch(eq, times, start, EI=[2.0 - h, 2.0 + h], rtol=1e-10)
    assert batch["arm_y1"] == pytest.approx(np.array([below["arm_y1"], above["arm_y1"]]), abs=1e-12)
    slope = (above["arm_y1"] - below["arm_y1"]) / (2 * h)
    assert np.abs(slope).max() > 1e-3
    assert here.sensitivity("arm_y1", "EI") == pytest.approx(slope, rel=1e-5, abs=1e-8)
    folder = sb.write.export(eq, "numpy", tmp_path / "code", start=start)
    (script,) = folder.glob("*_check.py")
    done = subprocess.run([sys.executable, script.name], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("all good\n"), done.stdout + done.stderr


def test_tapered_beams_in_files():
    """x is the material coordinate of quantities along a beam; a wedge vibrates at 5.3151 (Kirchhoff)."""
    text = """
symbody: 1
name: wedge
parameters: {L: 1.0}
bodies:
  arm: {frame: ground, beam: {length: L, EI: (1 - x/L)**3, rho_A: 1 - x/L, modes: 5}}
"""
    eq = sb.derive(sb.study.read_model_text(text).model)
    assert np.abs(sb.linearize(eq, {}).eigenvalues().imag).min() == pytest.approx(5.3151, abs=2e-4)
    with pytest.raises(sb.errors.ModelFileError, match="no name 'x'"):
        sb.study.read_model_text(text.replace("length: L", "length: L + x"))


@pytest.mark.parametrize("is_read", [False, True])
def test_drawn_deformed(small_arm, is_read):
    """A beam is drawn as rods between points that move apart from their body's frame; also after it went through a
    file."""
    eq = sb.derive(sb.study.read_model_text(sb.write.model_text(small_arm.mechanism)).model) if is_read else small_arm
    straight, bent = (sb.scene(eq, arm_y1=y) for y in (0.0, 0.4))
    rods = [s for s in bent.spans if s.name == "arm"]
    assert len(rods) == 12
    tip = {t.name: t.position for t in bent.frames}[rods[-1].end.frame]
    before = {t.name: t.position for t in straight.frames}[rods[-1].end.frame]
    assert np.linalg.norm(tip - before) == pytest.approx(np.hypot(0.4, 0.4**2 * 2 / 3 / 1.3), rel=1e-6)


def test_vibrations_between_the_times_of_a_scene():
    """As many times as a vibration needs; where these are too many, a sentence."""
    m = sb.Model("fork")
    m.beam("arm", m.ground, length=1.0, EI=m.parameter("EI", 1.0), rho_A=1.0, modes=1)
    eq = sb.derive(m)

    def shown(hertz, **how):
        EI = (2 * np.pi * hertz) ** 2 / 20  # of this one mode, 4 EI / (1/5)
        return sb.scene(sb.simulate(eq, 1.0, arm_y1=0.05, EI=EI), **how)

    slow, fast, faster = shown(3), shown(100), shown(4000)
    assert (len(slow.t), slow.notes) == (121, ())
    assert len(fast.t) > 400
    assert fast.notes == ()
    (said,) = faster.notes
    assert "'arm' vibrates faster than its" in said
    assert "samples=" in said
    assert shown(100, samples=100).notes
    assert shown(4000, mode={"arm_y1": 1.0}, frequency=1.0).notes == ()


def test_modal_damping():
    """Every mode of the free beam decays at the ratio asked for, with symbols as parameters."""
    m = sb.Model("damped")
    L, EI, mu = m.parameters(L=1.3, EI=2.0, mu=0.7)
    m.beam("arm", m.ground, length=L, EI=EI, rho_A=mu, modes=2, modal_damping=0.02)
    found = sb.linearize(sb.derive(m), {}).eigenvalues(L=0.7, EI=5.0, mu=2.0)
    assert -found.real / np.abs(found) == pytest.approx(0.02, rel=1e-8)


def test_pressure_turns_with_the_sections():
    """Its force along the axis of the frame is -p ∫ sin v' dx; that of a load which keeps its direction is zero."""
    force = {}
    for follows in (True, False):
        m = sb.Model("flap")
        arm = m.beam("arm", length=1.0, EI=1.0, rho_A=1.0, modes=1)
        m.prismatic("slide", m.ground, arm, axis="x")
        m.line_load("pressure", arm, (0, 2.0, 0), follows=follows)
        eq = sb.derive(m)
        at = {s.name: 0.0 for s in (*eq.q, *eq.u)} | {"arm_y1": 0.3}
        row = [u.name for u in eq.u].index("slide_dot")
        force[follows] = sb.evaluate(eq.f[row], at)
    x = np.linspace(0, 1, 2001)
    assert force[True] == pytest.approx(-2.0 * np.trapezoid(np.sin(0.6 * x), x), rel=1e-6)
    assert force[False] == pytest.approx(0.0, abs=1e-12)


def test_central_gravity():
    """Attraction at the mass centre of what deforms: all routes agree; its gradient is refused."""
    m = sb.Model("orbit")
    arm = m.beam("arm", length=1.0, EI=1.0, rho_A=1.0, modes=1)
    m.planar("motion", m.ground, arm)
    m.central_gravity("attraction", 3.0, m.ground.point(-2, -1, 0))
    assert sb.certify(sb.derive(m)).passed
    m.central_gravity("gradient", 3.0, m.ground.point(-2, -1, 0), gradient=True)
    with pytest.raises(sb.ModelError, match="the gradient is available only for rigid bodies, and 'arm' deforms"):
        sb.derive(m)


def test_a_mode_that_moves_no_mass_centre_is_drawn():
    """The second mode of a beam on mean axes turns its sections and leaves its mass centre where it is."""
    m = sb.Model("free")
    m.beam("beam", m.ground, length=1.0, EI=1.0, rho_A=1.0, modes=2, ends=("free", "free"), stiffening=False)
    eq = sb.derive(m)
    made = sb.scene(eq, mode={"beam_y2": 1.0}, frequency=1.0)
    end = {t.name: t.position for t in made.frames}[made.spans[-1].end.frame]
    assert np.ptp(end[-1], axis=0)[1] > 0.01
