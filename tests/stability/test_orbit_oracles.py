"""Orbits of mechanisms against closed forms, and against each other: whirl, flutter, shimmy, hunting, shaken
pendulums."""

import numpy as np
import pytest
from scipy.special import ellipk, mathieu_b

import symbody as sb
from examples import foucault_pendulum
from tests.amount import dear

# ---------------------------------------------------------------------------------------------------- special orbits


def test_fold_of_cycles():
    """r' = r (μ + r² - r⁴): stable and unstable cycles meet at μ = -1/4 with r² = 1/2; multipliers exp(2π (2 r² - 4
    r⁴))."""
    x, y, mu = sb.symbols("x y mu")
    r2 = x**2 + y**2
    grow = mu + r2 - r2**2
    eq = sb.from_equations({x: grow * x - y, y: grow * y + x}, {mu: 0.1})
    family = sb.orbits(eq, sb.orbit(eq, {"x": 1.05}, period=6.3), mu=(-0.4, 0.2))
    (fold,) = family.special
    assert (fold.kind, fold.value) == ("fold", pytest.approx(-0.25, abs=1e-10))
    small, large = sorted(family.at(-0.2), key=lambda o: o.extremes("x")[1])
    for o, square, is_stable in ((small, (1 - np.sqrt(0.2)) / 2, False), (large, (1 + np.sqrt(0.2)) / 2, True)):
        assert o.extremes("x")[1] == pytest.approx(np.sqrt(square), rel=1e-6)
        assert o.multipliers == pytest.approx([np.exp(2 * np.pi * (2 * square - 4 * square**2))], rel=1e-6)
        assert o.is_stable == is_stable


def test_neimark_sacker_point():
    """Around a cycle of period 2π a second oscillation grows at the rate μ + 0.7 cos t: multipliers exp(2π (μ ±
    iω))."""
    x, y, u, v, mu, w = sb.symbols("x y u v mu w")
    r2, grow = x**2 + y**2, mu + 0.7 * x - u**2 - v**2
    rates = {x: x * (1 - r2) - y, y: y * (1 - r2) + x, u: grow * u - w * v, v: grow * v + w * u}
    eq = sb.from_equations(rates, {mu: -0.1, w: 0.3})
    family = sb.orbits(eq, sb.orbit(eq, {"x": 1.0}, period=6.2), mu=(-0.2, 0.2))
    (point,) = family.special
    assert (point.kind, point.value) == ("Neimark-Sacker", pytest.approx(0, abs=1e-10))
    assert point.multiplier == pytest.approx(np.exp(0.6j * np.pi), abs=1e-7)
    assert not point.opens


def test_branches_of_orbits_cross():
    """Kapitza's pendulum upright: where it loses its stability for slow shaking, orbits that tilt to one side begin."""
    th, a, t = sb.symbol("th", "coordinate"), sb.symbol("a"), sb.symbol("t")
    eq = sb.from_equations({th.dot.dot: -(1 - 900 * a * sb.cos(30 * t)) * sb.sin(th)}, {a: 0.1}, name="Kapitza")
    upright = sb.orbits(eq, sb.orbit(eq, {"th": np.pi}, period=np.pi / 15), a=(0.02, 0.2))
    tilted = upright.switched(0, max_points=15)
    assert tilted["a"][0] == pytest.approx(0.0471633597, abs=1e-5)
    for k in (5, 15):
        o = tilted.orbit(k)
        t = np.linspace(0, o.period, 200, endpoint=False)
        lean, a = np.mean(o.at(t, "th")) - np.pi, tilted["a"][k]
        assert np.cos(lean) == pytest.approx(2 / (30 * a) ** 2, rel=2e-2)  # averaged: -g sin + (a ω)²/2 sin cos = 0


def test_pairs_of_multipliers_cross_together():
    """Foucault's pendulum shaken upright on a planet at rest knows no direction: its multipliers are Kapitza's, each
    twice, and so are its borders."""
    eq = sb.derive(foucault_pendulum.model())
    upright = sb.orbit(eq, {"q1": np.pi, "c": 0.0}, period=2 * sb.pi / sb.symbol("omega"))
    family = sb.orbits(eq, upright, a=(0.02, 0.5))
    assert [(p.kind, p.value) for p in family.special] == [
        ("branch point", pytest.approx(0.0471633597, abs=1e-8)),
        ("period doubling", pytest.approx(0.4558884304, abs=1e-8)),
    ]
    turning = sb.orbit(eq, upright, Omega=0.3, lam=0.7)  # it tells directions apart, and holds the bob aside
    assert turning.is_stable
    assert len({round(abs(m.real), 3) for m in turning.multipliers}) == 2
    assert np.prod(turning.multipliers) == pytest.approx(1, abs=1e-9)


# ---------------------------------------------------------------------------------------------------- machines


def test_whirl_of_a_rotor():
    """Damping that turns along destabilises beyond Ω = ω₀ (1 + ce/ci); then the disc whirls in a circle with ω = Ω
    ci/(ce + ci) and A² = (ω² - 1)/k₃."""
    m = sb.Model("rotor")
    Omega, ci, ce, k3 = m.parameters("Omega ci ce k3", 1.0, 0.1, 0.15, 0.4)
    x, y = m.coordinates("x y")
    m.particle("disc", m.ground.point(x, y, 0), mass=1.0)
    stiffness = 1 + k3 * (x**2 + y**2)
    m.generalized_force("along x", x, -ce * x.dot - ci * (x.dot + Omega * y) - stiffness * x)
    m.generalized_force("along y", y, -ce * y.dot - ci * (y.dot - Omega * x) - stiffness * y)
    eq = sb.derive(m)
    rest = sb.branch(eq, sb.steady(eq), Omega=(1.0, 5.0))
    assert rest.special[0].value == pytest.approx(2.5, rel=1e-12)
    whirl = sb.orbits(eq, sb.orbit(eq, rest), Omega=(2.0, 4.0))
    omega = whirl["Omega"] * 0.1 / 0.25
    assert whirl["period"] == pytest.approx(2 * np.pi / omega, rel=1e-8)
    assert whirl.largest("x") ** 2 == pytest.approx((omega**2 - 1) / 0.4, abs=1e-7)
    assert (whirl.unstable == 0).all()


def towed_wheel() -> sb.Equations:
    """A wheel on a caster of length l, towed at the speed v by a king pin on a spring and a damper across; it rolls
    without slip, the mass is e ahead of its centre."""
    m = sb.Model("towed wheel")
    v, length, b, k, e = m.parameters("v l b k e", 0.5, 0.6, 0.1, 1.0, 0.1)
    mass, J, spin, R = m.parameters("m J Iw R", 1.0, 0.1, 0.02, 0.3)
    q, psi, phi = m.coordinates("q psi phi")
    to_mass = length - e
    along, across = v + to_mass * sb.sin(psi) * psi.dot, q.dot - to_mass * sb.cos(psi) * psi.dot
    m.kinetic_energy("all", mass / 2 * (along**2 + across**2) + J / 2 * psi.dot**2 + spin / 2 * phi.dot**2)
    m.generalized_force("king pin", q, -k * q - b * q.dot)
    m.constrain_speed("no side slip", q.dot * sb.cos(psi) - v * sb.sin(psi) - length * psi.dot)
    m.constrain_speed("rolling", v * sb.cos(psi) + q.dot * sb.sin(psi) - R * phi.dot)
    return sb.derive(m)


def test_shimmy_and_its_isola():
    """Hopf points by Hurwitz, m e b l v² + (m e k l² + b² l³ - J' k l) v + b k l⁴ = 0 with J' = J + m e²; the cycles
    connect them. With more damping straight rolling is stable at every speed, but the cycles are still there, in a
    closed curve (Takács, Stépán, Hogan)."""
    eq = towed_wheel()

    def rolling(**values):
        rest = sb.steady(eq, {"q": 0, "psi": 0, **values}, start={"phi_dot": 3.3})
        return sb.branch(eq, rest, v=(0.02, 10.0))

    b, length = 0.049, 0.8
    straight = rolling(b=b, l=length)
    hurwitz = np.roots([0.1 * b * length, 0.1 * length**2 + b**2 * length**3 - 0.11 * length, b * length**4])
    assert sorted(p.value for p in straight.special) == pytest.approx(sorted(hurwitz), rel=1e-9)
    assert {(p.kind, p.criticality) for p in straight.special} == {("Hopf", "subcritical")}
    cycles = sb.orbits(eq, sb.orbit(eq, straight, amplitude=0.05), v=(0.02, 10.0))
    assert cycles.outcome == ("ends in a steady motion (Hopf point)",) * 2
    assert [p.kind for p in cycles.special] == ["fold", "fold"]
    assert cycles["v"].max() > max(hurwitz) + 1
    stiller = sb.orbits(eq, cycles.orbit(int(np.argmax(cycles.largest("psi")))), b=(0.04, 0.1))
    isola = sb.orbits(eq, stiller.at(0.066)[0], v=(0.02, 10.0))
    assert (rolling(b=0.066, l=length).unstable == 0).all()
    assert isola.outcome == ("returned to its beginning",) * 2
    assert sorted(p.value for p in isola.special) == pytest.approx([0.2434579024, 5.362625908], abs=1e-6)
    assert 0 < (isola.unstable == 0).sum() < len(isola)


def wheelset() -> sb.Equations:
    """A railway wheelset on springs with linear creep, a conicity that grows towards the flange, and flanges that meet
    the rail after 8 mm."""
    m = sb.Model("wheelset")
    V, flange = m.parameters("V flange", 20.0, 2e7)
    y, psi = m.coordinates("y psi")
    creep, half, radius = 1e7, 0.75, 0.45
    m.kinetic_energy("all", 750.0 * y.dot**2 + 400.0 * psi.dot**2)

    def beyond(x):
        return (x + sb.sqrt(x**2 + 1e-8)) / 2

    along, across = half * psi.dot / V + 0.05 * y * (1 + (y / 0.006) ** 2) / radius, y.dot / V - psi
    m.generalized_force("across", y, -2 * creep * across - 4e5 * y - flange * (beyond(y - 0.008) - beyond(-y - 0.008)))
    m.generalized_force("yaw", psi, -2 * creep * half * along - 3.2e5 * psi)
    return sb.derive(m)


def test_nonlinear_critical_speed_of_a_wheelset():
    """Hunting below the Hopf speed: the cycle that begins there is unstable, and turns back at the nonlinear critical
    speed where the flanges hold it. Below that speed a large disturbance dies out, above it hunts."""
    eq = wheelset()
    straight = sb.branch(eq, sb.steady(eq), V=(20.0, 100.0))
    (hopf,) = straight.special
    assert (hopf.kind, hopf.criticality) == ("Hopf", "subcritical")
    hunting = sb.orbits(eq, sb.orbit(eq, straight, amplitude=2e-3), V=(20.0, 55.0))
    critical = min(p.value for p in hunting.special if p.kind == "fold")
    assert critical == pytest.approx(31.0052, abs=1e-3)
    assert hopf.value == pytest.approx(47.3496, abs=1e-3)
    for speed, hunts in ((critical - 1, False), (critical + 1, True)):
        sim = sb.simulate(eq, 20, V=speed, y=0.009)
        assert (np.abs(sim.at(np.linspace(19, 20, 200))["y"]).max() > 1e-3) == hunts
    (stable,) = (o for o in hunting.at(40.0) if o.is_stable)
    assert stable.extremes("y")[1] > 0.008  # on the flange
    fold = next(p for p in hunting.special if p.value == critical)
    border = hunting.curve_of(fold, flange=(5e6, 4e7))
    assert (np.diff(border["V"]) > 0).all()  # with stiffer flanges it hunts later
    assert border["V"][[0, -1]] == pytest.approx([30.57706, 31.3143], abs=1e-4)


@dear
def test_orbits_do_not_depend_on_how_rotations_are_written():
    """A body on a ball joint that swings in a plane, by Euler parameters and by angles: the period of a pendulum, and
    the same multipliers out of the plane."""
    found = []
    for how in ("euler parameters", "xyz"):
        m = sb.Model("body")
        body = m.body("body", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.11, 0.02))
        m.gravity(0, 0, -9.81)
        m.spherical("ball", m.ground, body, how)
        eq = sb.derive(m)
        names = [q.name for q in eq.q]
        start = {names[0]: 1.0} if how == "xyz" else {names[0]: np.cos(0.5), names[1]: np.sin(0.5)}
        found.append(sb.orbit(eq, start, period=1.79))
    for o in found:
        assert o.period == pytest.approx(4 * ellipk(np.sin(0.5) ** 2) * np.sqrt(0.35 / 4.905), rel=1e-10)
        assert o.multipliers == pytest.approx(found[0].multipliers, rel=1e-6)
        assert np.prod(o.multipliers) == pytest.approx(1, abs=1e-6)


def test_hopf_point_of_equations_without_cubic_terms():
    """Linear equations have no criticality, and are printed all the same."""
    x, y, mu = sb.symbols("x y mu")
    eq = sb.from_equations({x: mu * x - y, y: mu * y + x}, {mu: -0.5})
    branch = sb.branch(eq, sb.steady(eq), mu=(-0.5, 0.5))
    assert branch.special[0].criticality == ""
    assert "an oscillation begins or ends" in str(branch)


# ---------------------------------------------------------------------------------------------------- over two values


def test_folds_over_two_values():
    """r' = r (μ + k r² - r⁴): folds at μ = -k²/4."""
    x, y, mu, k = sb.symbols("x y mu k")
    r2 = x**2 + y**2
    grow = mu + k * r2 - r2**2
    eq = sb.from_equations({x: grow * x - y, y: grow * y + x}, {mu: 0.1, k: 1.0})
    family = sb.orbits(eq, sb.orbit(eq, {"x": 1.05}, period=6.3), mu=(-1.0, 0.2))
    curve = family.curve_of(family.special[0], k=(0.2, 1.8))
    assert (curve.kind, curve.outcome) == ("fold", ("reached the bound", "reached the bound"))
    assert curve["mu"] == pytest.approx(-(curve["k"] ** 2) / 4, abs=1e-12)
    assert curve["k"][[0, -1]] == pytest.approx([0.2, 1.8], abs=1e-12)
    o = curve.orbit(3)
    assert o.parameters["k"] == curve["k"][3]
    assert o.multipliers == pytest.approx([1], abs=1e-6)
    assert sb.plot(curve).panels[0].x_label == "mu"
    assert len(curve.to_pandas()) == len(curve)


def test_period_doublings_over_two_values():
    """Kapitza's pendulum: shaken harder than a(ω) it swings at half the frequency, -4/ω² = b₁(2 a) with Mathieu's
    characteristic value."""
    th, a, t, w = sb.symbol("th", "coordinate"), sb.symbol("a"), sb.symbol("t"), sb.symbol("w")
    eq = sb.from_equations({th.dot.dot: -(1 - w**2 * a * sb.cos(w * t)) * sb.sin(th)}, {a: 0.1, w: 30.0})
    family = sb.orbits(eq, sb.orbit(eq, {"th": np.pi}, period=2 * sb.pi / w), a=(0.02, 0.6))
    curve = family.curve_of(family.special[1], w=(4.0, 60.0))
    assert mathieu_b(1, 2 * curve["a"]) == pytest.approx(-4 / curve["w"] ** 2, abs=1e-8)
    assert curve["w"][[0, -1]] == pytest.approx([4, 60])
    assert curve["period"] == pytest.approx(2 * np.pi / curve["w"])
    with pytest.raises(sb.errors.StabilityError, match="got a branch point over a"):
        family.curve_of(family.special[0], w=(4.0, 60.0))


def test_neimark_sacker_points_over_two_values():
    """Growth μ + k² on average: the curve μ = -k² turns back in μ, and ends at the bound of μ on both sides."""
    x, y, u, v, mu, k = sb.symbols("x y u v mu k")
    r2, grow = x**2 + y**2, mu + k**2 + 0.7 * x - u**2 - v**2
    rates = {x: x * (1 - r2) - y, y: y * (1 - r2) + x, u: grow * u - 0.3 * v, v: grow * v + 0.3 * u}
    eq = sb.from_equations(rates, {mu: -0.1, k: 0.0})
    family = sb.orbits(eq, sb.orbit(eq, {"x": 1.0}, period=6.2), mu=(-0.5, 0.2))
    curve = family.curve_of(family.special[0], k=(-1.0, 1.0))
    assert curve["mu"] == pytest.approx(-(curve["k"] ** 2), abs=1e-9)
    assert curve["mu"][[0, -1]] == pytest.approx([-0.5, -0.5], abs=1e-9)
    assert all(np.abs(np.abs(m[m.imag > 0.1]) - 1).max() < 1e-8 for m in curve.multipliers)
