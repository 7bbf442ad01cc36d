"""Blocks, discs, tops, wheels and a slider crank on rough ground: closed forms, invariants, and time stepping as a
second route."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.emit.run.loop_callee import LoopCallee
from symbody.integrate.complementarity.contact_problem import Cone, ContactProblem
from symbody.integrate.complementarity.contact_solvers import solutions
from symbody.integrate.forms import compile_effort
from symbody.integrate.kernels.march import march

from .test_friction_contacts import woodpecker

g = 9.81


def block(width: float, height: float, mu: float, turning: Any = 0) -> sb.Contacts:
    """A block with two corners on a floor that turns by an angle."""
    m = sb.Model("block")
    x, y, th = m.coordinates("x y th")
    tilt = turning * m.time
    m.gravity(g * sb.sin(tilt), -g * sb.cos(tilt), 0)
    f = m.ground.translate(x, y, 0).rotate("z", th)
    m.body("block", f, mass=1.0, inertia=(0, 0, (width**2 + height**2) / 12))
    left, right = (
        sb.Contact(n, sb.touch(corner, sb.HalfSpace(m.ground, "y"), across=m.ground.z), friction=mu)
        for n, corner in zip(("left", "right"), sb.corners(f, (width, 0, 0), at=(0, -height / 2, 0)), strict=True)
    )
    return sb.Contacts(sb.derive(m), left, right)


def test_rocking_block_loses_speed_as_housner_says() -> None:
    """ω⁺/ω⁻ = 1 - 1.5 sin² α in every impact, with feet that stick; the first quarter cycle has the time of the
    pendulum."""
    b, h, R = 0.2, 1.0, np.hypot(0.1, 0.5)
    alpha = np.arctan(b / h)
    th = 0.3 * alpha
    x, y = -b / 2 + b / 2 * np.cos(th) - h / 2 * np.sin(th), b / 2 * np.sin(th) + h / 2 * np.cos(th)
    sim = sb.simulate_modes(block(b, h, 0.6), 1.2, x=float(x), y=float(y), th=th)
    hits = [e for e in sim.events if e.impulses]
    assert len(hits) == 3
    for e in hits:
        assert abs(e.after[5] / e.before[5] - (1 - 1.5 * np.sin(alpha) ** 2)) < 1e-7
    slender = np.arccosh(1 / (1 - 0.3)) / np.sqrt(3 * g / (4 * R))
    assert abs(hits[0].t / slender - 1) < 0.01


def test_block_on_two_corners_begins_to_slide_at_the_angle_of_friction() -> None:
    """Forces of two sticking corners are not determined, the motion is: on a floor that is turned slowly it slides from
    tan β = μ on."""
    turned = sb.simulate_modes(block(1.0, 0.2, 0.6, turning=1), 0.6, y=0.1)
    slides = next(t for t, mode in zip(turned.t, turned.mode, strict=True) if mode.count("slips backwards") == 2)
    assert turned.modes[0] == "left sticks + right sticks"
    assert abs(slides - np.arctan(0.6)) < 1e-8


# ---------------------------------------------------------------------------------------------------------- in space


def test_thin_disc_precesses_with_its_centre_at_rest() -> None:
    """Ω² = 4 g / (R sin α) (Euler's disc, rolling)."""
    R, alpha = 0.1, 0.5
    m = sb.Model("disc")
    m.gravity(0, 0, -g)
    disc = m.body("disc", mass=0.4, inertia=(0.4 * R**2 / 4, 0.4 * R**2 / 4, 0.4 * R**2 / 2))
    m.free("d", m.ground, disc, sequence="euler parameters")
    edge = sb.Contact("edge", sb.touch(sb.Ring(disc, R), sb.HalfSpace(m.ground)), friction=0.8)
    W = np.sqrt(4 * g / (R * np.sin(alpha)))
    start = {"d_e0": np.cos(alpha / 2), "d_e1": np.sin(alpha / 2), "d_z": R * np.sin(alpha), "d_wy": W * np.sin(alpha)}
    sim = sb.simulate_modes(sb.Contacts(sb.derive(m), edge), 0.25, start, rtol=1e-9)
    assert sim.modes == ("edge sticks",)
    assert np.abs(np.c_[sim["d_x"], sim["d_y"], sim["d_z"] - R * np.sin(alpha)]).max() < 1e-6
    e0, e1, e2, e3 = (sim[f"d_e{k}"] for k in range(4))
    turned = np.unwrap(np.arctan2(2 * (e1 * e3 + e0 * e2), -2 * (e2 * e3 - e0 * e1)))
    assert abs((turned[-1] - turned[0]) / (W * 0.25) - 1) < 1e-6


@dataclass(frozen=True)
class Contensou:
    """Slip friction beside spin, F = -μ N v / (|v| + ε |ω|) (Leine and Glocker 2003, to first order): no sticking while
    it spins."""

    mu: float
    patch: float
    spin: sb.Expr

    sticking = sb.zeros(1)[0]
    damping = sb.zeros(1)[0]

    def coefficient(self, v: sb.Expr) -> sb.Expr:
        return self.mu * v / (v + self.patch * abs(self.spin))


def test_tippe_top_turns_over_and_keeps_jelletts_integral() -> None:
    """Spun at 180 rad/s it rises beyond the horizontal, until its stem would touch; L · (R n - a e) stays on the
    way."""
    R, a, I1, I3 = 0.015, 0.003, 8e-7, 7e-7
    m = sb.Model("tippe top")
    m.gravity(0, 0, -g)
    top = m.body("top", mass=6e-3, inertia=(I1, I1, I3))
    m.free("t", m.ground, top, sequence="euler parameters")
    near = sb.touch(sb.Ball(top, R, at=(0, 0, a)), sb.HalfSpace(m.ground))
    bowl = sb.Contact("bowl", near, friction=Contensou(0.3, 5e-4, near.spin[0]))
    th = 0.1
    start = {"t_e0": np.cos(th / 2), "t_e1": np.sin(th / 2), "t_z": R - a * np.cos(th), "t_wz": 180.0}
    sim = sb.simulate_modes(sb.Contacts(sb.derive(m), bowl), 1.6, start, rtol=1e-6)
    e0, e1, e2, e3 = (sim[f"t_e{k}"] for k in range(4))
    n = np.array([2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), e0**2 - e1**2 - e2**2 + e3**2])
    L = np.array([I1 * sim["t_wx"], I1 * sim["t_wy"], I3 * sim["t_wz"]])
    jellett = (L * (R * n - a * np.array([[0.0], [0.0], [1.0]]))).sum(axis=0)
    assert np.abs(jellett / jellett[0] - 1).max() < 1e-4
    assert n[2][0] > 0.99
    assert n[2][-1] < 0


# ---------------------------------------------------------------------------------------------------------- walking


def rimless(mu: float) -> sb.Contacts:
    """Three neighbouring spokes of a wheel with eight, of length one, on a slope of 0.1."""
    m = sb.Model("rimless wheel")
    x, y, th = m.coordinates("x y th")
    m.gravity(g * np.sin(0.1), -g * np.cos(0.1), 0)
    f = m.ground.translate(x, y, 0).rotate("z", th)
    m.body("wheel", f, mass=1.0, inertia=(0, 0, 0.3))
    feet = []
    for k in range(3):
        angle = np.pi / 4 * k
        foot = f.point(float(np.sin(angle)), -float(np.cos(angle)), 0)
        near = sb.touch(foot, sb.HalfSpace(m.ground, "y"), across=-m.ground.z)
        feet.append(sb.Contact(f"foot{k}", near, friction=mu))
    return sb.Contacts(sb.derive(m), *feet)


def test_rimless_wheel_walks_on_feet_that_hold_and_slips_on_ice() -> None:
    """ω⁺/ω⁻ = (J + m l² cos 2β)/(J + m l²) with 2β = π/4 between spokes; friction that is too small lets the foot slip
    in the impact."""
    start = {"y": 1.0, "th_dot": -1.0, "x_dot": 1.0}
    rough, ice = (sb.simulate_modes(rimless(mu), 0.6, start) for mu in (1.0, 0.05))
    hit = next(e for e in rough.events if e.impulses)
    assert abs(hit.after[5] / hit.before[5] - (0.3 + np.cos(np.pi / 4)) / 1.3) < 1e-7
    assert all("sticks" in mode for mode in rough.modes)
    assert any("slips" in mode for mode in ice.modes)


# -------------------------------------------------------------------------------------------------------- time stepping


@pytest.fixture(scope="module")
def thrown() -> tuple[sb.Contacts, dict[str, float]]:
    """A hoop thrown with backspin that bounces, slips and rolls back."""
    r = 0.1
    m = sb.Model("hoop")
    x, y, th = m.coordinates("x y th")
    m.gravity(0, -g, 0)
    m.body("hoop", m.ground.translate(x, y, 0).rotate("z", th), mass=1.0, inertia=(0, 0, r**2))
    floor = sb.Contact("floor", y - r, restitution=0.4, friction=0.3, slip=x.dot + r * th.dot)
    return sb.Contacts(sb.derive(m), floor), {"y": 0.15, "x_dot": 1.0, "th_dot": 30.0}


def test_time_stepping_agrees_with_events_through_bouncing_without_end(
    thrown: tuple[sb.Contacts, dict[str, float]],
) -> None:
    """Order one: half the step, about half the difference, past the time at which bounces accumulate."""
    contacts, start = thrown
    exact = sb.simulate_modes(contacts, 1.0, start)
    errors = []
    for h in (2e-3, 5e-4):
        sim = sb.simulate_modes(contacts, 1.0, start, method="moreau", step=h)
        errors.append(max(abs(sim[k][-1] - exact[k][-1]) for k in ("x", "th_dot")))
        assert abs(sim["y"][-1] - 0.1) < 2 * h
    assert exact.mode[-1] == "floor sticks"
    assert errors[1] < 0.5 * errors[0]
    assert errors[1] < 5e-2


def test_time_stepping_of_the_woodpecker_follows_events() -> None:
    """Both routes through impacts of three contacts that stick and slip, two pecks long; with the step of Siconos'
    reference, both are off by what such a step is worth."""
    start = {"a": -0.0006 / 0.0058, "b": -0.2788, "y_dot": -0.3411, "b_dot": -7.4583}
    toy = woodpecker()
    exact = sb.simulate_modes(toy, 0.29998, start, rtol=1e-9)
    coarse, fine = (
        sb.simulate_modes(toy, [0, 0.29998], start, method="moreau", step=h).q[-1] - exact.q[-1] for h in (2e-5, 1e-6)
    )
    siconos = np.array([-0.041348187, -0.103468468, -0.340933976]) - exact.q[-1]
    assert np.abs(fine).max() < 1e-4
    assert np.abs(coarse).max() < 3e-3
    assert np.abs(siconos).max() < 3e-3


@pytest.mark.parametrize("kind", ["viscous", "of a rail"])
def test_time_stepping_has_the_friction_of_events(kind: str) -> None:
    """Viscous parts of friction, and friction under the force of a constraint that other frictions change."""
    m = sb.Model("sledge")
    x, y = m.coordinates("x y")
    m.gravity(0, -g, 0)
    m.particle("block", m.ground.translate(x, y, 0).origin, mass=1.0)
    m.potential("spring", 40 * x**2)
    m.constrain("rail", y - 0.2 * x**2)
    law = sb.Coulomb(0.2, viscous=0.5 * (kind == "viscous"))
    normal = 2.0 if kind == "viscous" else m.multiplier("rail")
    sledge = sb.Contacts(sb.derive(m), sb.Friction("rub", x.dot, law, normal=normal))
    exact = sb.simulate_modes(sledge, 1.0, x=0.5, y=0.05)
    stepped = sb.simulate_modes(sledge, 1.0, x=0.5, y=0.05, method="moreau", step=1e-5)
    assert abs(exact["x"][-1] - stepped["x"][-1]) < 1e-4
    assert np.ptp(exact["x"]) > 0.3


def test_many_contacts_come_to_rest() -> None:
    """Nine feet under a plate that falls askew: forces of so many are found by iteration, and carry it."""
    m = sb.Model("plate")
    m.gravity(0, 0, -g)
    plate = m.body("plate", mass=2.0, inertia=(0.1, 0.1, 0.2))
    m.free("p", m.ground, plate, sequence="euler parameters")
    eq = sb.derive(m)
    floor = sb.HalfSpace(m.ground)
    feet = [plate.point(0.3 * i, 0.3 * j, -0.05) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    contacts = [sb.Contact(f"foot{k}", sb.touch(p, floor), friction=0.4) for k, p in enumerate(feet)]
    start = {"p_z": 0.1, "p_e0": 1.0, "p_x_dot": 0.5, "p_wx": 0.4}
    sim = sb.simulate_modes(sb.Contacts(eq, *contacts), 0.4, start, method="moreau", step=4e-3)
    assert sim.outcome
    assert np.abs(sim.u[-1]).max() < 1e-6
    assert abs(sim["p_z"][-1] - 0.05) < 4e-3
    assert np.diff(sim.energy).max() < 1e-6


# ----------------------------------------------------------------------------------------- static and kinetic friction


@pytest.fixture(scope="module")
def belt() -> sb.Contacts:
    m = sb.Model("belt")
    s = m.coordinate("s")
    m.particle("block", m.ground.translate(s, 0, 0).origin, mass=1)
    m.potential("spring", s**2 / 2)
    return sb.Contacts(sb.derive(m), sb.Friction("belt", s.dot - 0.2, sb.Coulomb(0.5, static=1.0), normal=1.0))


def test_time_stepping_sticks_up_to_the_static_coefficient(belt: sb.Contacts) -> None:
    """The period and the largest deflection of the belt's closed form, to a step."""
    h = 1e-3
    sim = sb.simulate_modes(belt, 30, s_dot=0.2, method="moreau", step=h)
    sticks = np.abs(sim["s_dot"] - 0.2) < 1e-9
    begins = sim.t[1:][sticks[1:] & ~sticks[:-1]]
    assert np.abs(np.diff(begins) - 8.902605407815).max() < h
    assert abs(sim["s"].max() - (0.5 + np.hypot(0.5, 0.2))) < h


@pytest.mark.parametrize("force", [4.5, 6.5])
def test_both_routes_break_away_in_space_at_the_static_coefficient(force: float) -> None:
    """A crate on a floor, pulled askew: below the static limit it stays, beyond it it slips under the kinetic one."""
    m = sb.Model("crate")
    x, y, z = m.coordinates("x y z")
    F = m.parameter("F", force)
    m.gravity(0, 0, -10)
    crate = m.particle("crate", m.ground.translate(x, y, z).origin, mass=1)
    m.force("pull", crate, F * (0.6 * m.ground.x + 0.8 * m.ground.y))
    floor = sb.Contact("floor", z, friction=sb.Coulomb(0.4, static=0.6), slip=(x.dot, y.dot))
    contacts = sb.Contacts(sb.derive(m), floor)
    exact = sb.simulate_modes(contacts, 0.5)
    stepped = sb.simulate_modes(contacts, 0.5, method="moreau", step=1e-3)
    gone = 0.0 if force < 6 else 0.5 * (force - 4) * 0.5**2
    for sim, tolerance in ((exact, 1e-6), (stepped, 2e-3)):
        assert abs(0.6 * sim["x"][-1] + 0.8 * sim["y"][-1] - gone) < tolerance
        assert abs(0.8 * sim["x"][-1] - 0.6 * sim["y"][-1]) < tolerance


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_feet_that_carry_nothing_do_not_let_the_others_slip(share: float) -> None:
    """A plate on nine feet, pushed: how they share the load is undetermined, but not whether it slips."""
    m = sb.Model("plate")
    m.gravity(0, 0, -g)
    plate = m.body("plate", mass=2.0, inertia=(0.1, 0.1, 0.2))
    m.free("p", m.ground, plate, sequence="euler parameters")
    m.force("push", plate, share * 2 * g * m.ground.x, at=plate.point(0, 0, -0.05))
    feet = [plate.point(0.3 * i, 0.3 * j, -0.05) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    law, floor = sb.Coulomb(0.4, static=0.6), sb.HalfSpace(m.ground)
    contacts = [sb.Contact(f"foot{k}", sb.touch(p, floor), friction=law) for k, p in enumerate(feet)]
    start = {"p_z": 0.05, "p_e0": 1.0}
    sim = sb.simulate_modes(sb.Contacts(sb.derive(m), *contacts), 0.2, start, method="moreau", step=1e-3)
    assert sim["p_x"][-1] == pytest.approx(0.0 if share < 0.6 else (share - 0.4) * g * 0.02, abs=1e-5)


def test_a_slip_in_space_goes_where_its_friction_lets_it() -> None:
    """An impact of two ellipsoids whose normal and tangential impulses move each other: plain steps towards the
    direction of slip went to and fro."""
    A = np.array([[5.630, -0.303, 2.134], [-0.303, 7.947, 1.252], [2.134, 1.252, 8.146]])
    b = np.array([-2.828, -0.071, 0.663])
    cone = Cone((1, 2), 0, 0.3, 0.3, np.array([1.0, 0.0, 0.0]))
    (found,) = solutions(ContactProblem(np.linalg.cholesky(A).T, b, (0,), (cone,)))
    N, friction, slip = found.forces[0], found.forces[1:], found.motions[1:]
    assert found.motions[0] == pytest.approx(0, abs=1e-12)
    assert np.linalg.norm(friction) == pytest.approx(0.3 * N)
    assert friction / np.linalg.norm(friction) == pytest.approx(-slip / np.linalg.norm(slip), abs=1e-9)


@pytest.mark.parametrize("push", [5.0, 7.0])
def test_many_contacts_stick_up_to_the_static_coefficient(push: float) -> None:
    """Six blocks beside each other: too many assignments to try them all, each goes as it would alone."""
    n = 6
    cones = tuple(Cone((n + k,), k, 0.4, 0.6, np.eye(2 * n)[k]) for k in range(n))
    b = np.concatenate([np.full(n, -10.0), np.full(n, push)])
    (found,) = solutions(ContactProblem(np.eye(2 * n), b, tuple(range(n)), cones))
    assert found.forces[n:] == pytest.approx(np.full(n, -push if push < 6 else -4.0))


def test_a_mode_that_ends_when_it_begins_makes_no_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A motion that begins in contact passes through the mode without contacts; only others get a loop."""
    made: list[int] = []

    def loop(kernel: Any, *rest: Any, **arguments: Any) -> LoopCallee:
        made.extend([len(arguments["s"].y)] if kernel is march else [])
        return LoopCallee(kernel, *rest, **arguments)

    monkeypatch.setattr(compile_effort, "LoopCallee", loop)
    m = sb.Model("resting")
    y = m.coordinate("y")
    m.particle("block", m.ground.translate(0, y, 0).origin, mass=1)
    m.gravity(0, -g, 0)
    sim = sb.simulate_modes(sb.Contacts(sb.derive(m), sb.Contact("floor", y)), 0.5)
    assert sim.modes == ("floor",)
    assert len(made) == 1


@pytest.mark.parametrize("law", ["newton", "poisson"])
@pytest.mark.parametrize("slope", [0.2, 0.5, 1.0])
def test_what_sticks_takes_a_blow_up_to_the_static_coefficient(slope: float, law: str) -> None:
    """A wedge at rest is hit by a mass that falls on its slope: the blow is askew by the slope, and the wedge stays where
    that is below the static coefficient; else it is pushed by what kinetic friction leaves."""
    kinetic, static, c = 0.3, 0.8, float(np.hypot(1, slope))
    m = sb.Model("wedge")
    x, z, bx, bz = m.coordinates("x z bx bz")
    m.gravity(0, 0, -g)
    m.particle("wedge", m.ground.translate(x, 0, z).origin, mass=1)
    m.particle("ball", m.ground.translate(bx, 0, bz).origin, mass=1)
    floor = sb.Contact("floor", z, friction=sb.Coulomb(kinetic, static=static), slip=x.dot)
    slide = sb.Contact("slide", (bz - z + slope * (bx - x)) / c)
    contacts = sb.Contacts(sb.derive(m), floor, slide, impacts=law)
    sim = sb.simulate_modes(contacts, 0.2, bz=0.1)
    blow = next(e for e in sim.events if e.name == "slide")
    after = dict(zip(sim.names, blow.after, strict=True))
    v = np.sqrt(2 * g * 0.1)
    pushed = max(0.0, slope - kinetic) if slope > static else 0.0  # of the wedge, for each unit of vertical impulse
    vertical = v / (1 + slope**2 + slope * pushed)
    assert after["x_dot"] == pytest.approx(-pushed * vertical, abs=1e-9)
