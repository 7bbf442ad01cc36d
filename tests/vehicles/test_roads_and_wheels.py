"""Wheels on roads: contact, slip and lag against closed forms; roads against their spectrum, samples and OpenCRG."""

from __future__ import annotations

from math import atan, cos, exp, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh

from .passenger_tyre import NUMBERS, OLD_NUMBERS, tir

R, TUBE = 0.32, 0.07


def value(x: Any, at: Any = None) -> float:
    return float(sb.evaluate(sb.fraction(0, 1) + x, at or {}))


# ---------------------------------------------------------------------------------------------------- contact


@pytest.mark.parametrize("tube", [0.0, TUBE])
@pytest.mark.parametrize("seed", range(3))
def test_contact_is_the_lowest_point_of_the_torus(tube: float, seed: int) -> None:
    """On an inclined plane, at a height where it just touches: of all points of the torus the one deepest along the
    normal, found by brute force."""
    rng = np.random.default_rng(seed)
    yaw, lean, sx, sy = rng.uniform(-0.6, 0.6, 4)
    m = sb.Model("wheel")
    height = m.coordinate("height")
    held = m.ground.translate(0.4, -0.2, height).rotate("z", yaw).rotate("x", lean)
    road = vh.Road(m.ground, lambda x, y: sx * x + sy * y)
    g = vh.contact_geometry(held, road, R, tube)
    n = np.array([-sx, -sy, 1]) / np.sqrt(1 + sx**2 + sy**2)
    free = value(g.deflection, {height: 0.0}) / n[2]  # the deflection falls with the height by n_z
    at = {height: free}
    assert abs(value(g.deflection, at)) < 1e-14
    point = np.array([value(x, at) for x in g.point.in_ground.entries])
    assert abs(n @ point) < 1e-14  # on the plane
    rot = np.array([[value(x) for x in m.ground.dcm(held).row(i)] for i in range(3)])
    a, b = np.meshgrid(np.linspace(0, 2 * np.pi, 361), np.linspace(0, 2 * np.pi, 361))
    ring = R - tube + tube * np.cos(b)
    torus = np.stack([ring * np.cos(a), tube * np.sin(b), ring * np.sin(a)]).reshape(3, -1)
    depth = n @ (rot @ torus + np.array([[0.4], [-0.2], [free]]))
    assert depth.min() == pytest.approx(0, abs=5e-5)
    lowest = (rot @ torus)[:, depth.argmin()] + [0.4, -0.2, free]
    assert np.allclose(lowest, point, atol=1e-2)


@pytest.mark.parametrize("seed", range(3))
def test_torus_on_an_uneven_road_beside_its_lowest_point(seed: int) -> None:
    """On waves, with lean and heading: deflection, contact point, camber and loaded radius beside the point of the torus
    that is deepest below the road, by brute force. The tangent plane is that under the wheel's centre, so they differ
    by the road's curvature κ: ½ κ d² in deflection, d being how far slope and lean put the contact from there."""
    rng = np.random.default_rng(seed)
    yaw, lean = rng.uniform(-0.5, 0.5, 2)
    x0, y0 = rng.uniform(-2, 2, 2)
    wave, height = 2 * np.pi / 8.0, 0.06

    def surface(x: Any, y: Any, f: Any) -> Any:
        return height * f.sin(wave * x) * f.cos(0.5 * wave * y)

    m = sb.Model("wheel")
    z0 = float(surface(x0, y0, np)) + (R - TUBE) * cos(lean) + TUBE - 0.02
    held = m.ground.translate(x0, y0, z0).rotate("z", yaw).rotate("x", lean)
    g = vh.contact_geometry(held, vh.Road(m.ground, lambda x, y: surface(x, y, sb)), R, TUBE)
    rot = np.array([[value(x) for x in m.ground.dcm(held).row(i)] for i in range(3)])
    a, b = np.meshgrid(np.linspace(-2.4, -0.7, 700), np.linspace(-1.2, 1.2, 600))  # of the lower part
    for around in (np.zeros_like(b), np.full_like(b, np.pi)):
        ring = R - TUBE + TUBE * np.cos(b + around)
        torus = np.stack([ring * np.cos(a), TUBE * np.sin(b + around), ring * np.sin(a)]).reshape(3, -1)
        p = rot @ torus + np.array([[x0], [y0], [z0]])
        sx = height * wave * np.cos(wave * p[0]) * np.cos(0.5 * wave * p[1])
        sy = -0.5 * height * wave * np.sin(wave * p[0]) * np.sin(0.5 * wave * p[1])
        below = (surface(p[0], p[1], np) - p[2]) / np.sqrt(1 + sx**2 + sy**2)
        if around[0, 0] == 0:
            deepest, k = below.max(), below.argmax()
            lowest, n = p[:, k], np.array([-sx[k], -sy[k], 1]) / np.sqrt(1 + sx[k] ** 2 + sy[k] ** 2)
        else:
            assert below.max() < deepest  # the inside of the tube is above
    curvature, reach = height * wave**2, R * (np.hypot(n[0], n[1]) + abs(sin(lean)))
    radial = n - (n @ rot[:, 1]) * rot[:, 1]
    radial /= np.linalg.norm(radial)
    pressed = lowest + deepest / (n @ radial) * radial  # the carcass gives way in the plane of the wheel
    assert value(g.deflection) == pytest.approx(deepest, abs=0.7 * curvature * reach**2 + 1e-5)
    point = np.array([value(x) for x in g.point.in_ground.entries])
    assert np.linalg.norm(point - pressed) < 2 * curvature * R * reach + 1e-3
    assert np.arcsin(value(g.sin_camber)) == pytest.approx(np.arcsin(rot[:, 1] @ n), abs=2 * curvature * reach)
    loaded = np.linalg.norm([value(x) for x in g.arm.entries])
    assert loaded == pytest.approx(np.linalg.norm(pressed - [x0, y0, z0]), abs=curvature * reach**2 + 1e-4)


def rolling(tyre: vh.Tyre, **options: Any) -> tuple[sb.Model, vh.WheelContact]:
    """A wheel with steer and camber on a carrier that moves along x."""
    m = sb.Model("wheel")
    x, y, z, steer, lean, turn = m.coordinates("x y z steer lean turn")
    carrier = m.ground.translate(x, y, z).rotate("z", steer).rotate("x", lean)
    wheel = m.body("wheel", carrier.rotate("y", turn), mass=20.0, inertia=(0.5, 0.9, 0.5))
    return m, vh.wheel_on_road(m, "w", wheel, tyre, carrier=carrier, **options)


def test_slips_of_a_wheel_that_is_steered_and_leans() -> None:
    """Sideways slip is minus the steer angle, camber the lean, driving slip (Re Ω - Vx)/Vx; a wheel that sinks rolls
    with R - d/3."""
    tyre = vh.LinearTyre(radius=R, cornering=5e4, along=8e4, camber=3e3, stiffness=2e5, damping=1e3)
    m, w = rolling(tyre)
    at = {q: 0.0 for s in m.symbols_of_kind("coordinate") for q in (s, s.dot)}
    q = m.symbols
    sunk = 0.02
    at |= {q["z"]: R - sunk, q["x"].dot: 20.0, q["turn"].dot: 70.0, q["steer"]: 0.05, q["z"].dot: -0.1}
    Vx = 20 * cos(0.05)
    assert value(w.tan_alpha, at) == pytest.approx(-np.tan(0.05), rel=1e-14)
    assert value(w.kappa, at) == pytest.approx(((R - sunk / 3) * 70 - Vx) / Vx, rel=1e-13)
    assert value(w.load, at) == pytest.approx(2e5 * sunk + 100, rel=1e-13)
    assert value(w.forces.Fy, at) > 0  # steered to the left, pushed to the left
    leaning = {**at, q["steer"]: 0.0, q["lean"]: 0.3, q["z"]: 0.3}
    assert value(w.camber, leaning) == pytest.approx(0.3, rel=1e-14)
    assert value(w.forces.Fy, leaning) == pytest.approx(
        -900, rel=1e-12
    )  # y of a wheel turned about x rises: it leans right
    assert value(w.load, {**at, q["z"]: R + 0.01}) == 0


@pytest.mark.parametrize("tube", [0.0, TUBE])
def test_magic_formula_under_a_wheel(tube: float) -> None:
    """Forces of the wheel are those of the tyre at its slips, which are the states of its carcass over the relaxation
    lengths; with a tube its overturning moment is that of the contact's place."""
    tyre = vh.read_tyre(tir(NUMBERS), smooth=0.01)
    m, w = rolling(tyre, tube=tube, pressure=2.4e5)
    q = m.symbols
    at = {s: 0.0 for c in m.symbols_of_kind("coordinate") for s in (c, c.dot)}
    at |= {
        q["z"]: 0.28,
        q["lean"]: 0.1,
        q["x"].dot: 18.0,
        q["turn"].dot: 60.0,
        q["w_kappa_slip"]: 0.01,
        q["w_alpha_slip"]: -0.02,
    }
    load, camber = value(w.load, at), 0.1
    assert load > 1000
    along, across = (value(s) for s in tyre.relaxation_lengths(vh.Slip(load, 0, 0, camber, 2.4e5, 18.0)))
    expected = tyre.forces(vh.Slip(load, 0.01 / along, -0.02 / across, camber, 2.4e5, 18.0))
    for name in ("Fx", "Fy", "My", "Mz"):
        assert value(getattr(w.forces, name), at) == pytest.approx(value(getattr(expected, name)), rel=1e-9)
    assert value(w.forces.Mx, at) == (pytest.approx(value(expected.Mx), rel=1e-9) if tube == 0 else 0)


def test_a_file_without_relaxation_has_no_lag() -> None:
    """Slips are those of the contact, without variables; a formula that is zero at any load was divided by."""
    given = {k: v for k, v in OLD_NUMBERS.items() if not k.startswith(("PTX", "PTY"))}
    m, w = rolling(vh.read_tyre(tir(given)))
    q = m.symbols
    at = {s: 0.0 for c in m.symbols_of_kind("coordinate") for s in (c, c.dot)}
    at |= {q["z"]: 0.28, q["x"].dot: 18.0, q["y"].dot: 0.9, q["turn"].dot: 60.0}
    assert not m.symbols_of_kind("variable")
    assert value(w.tan_alpha, at) == pytest.approx(0.05, rel=1e-12)


def test_side_slip_builds_up_over_the_relaxation_length() -> None:
    """α(x) = α (1 - exp(-x/σ)) behind a step, whatever the speed."""
    sigma, angle = 0.6, 0.03
    tyre = vh.LinearTyre(radius=R, cornering=5e4, relaxation=(0, sigma))
    m = sb.Model("trailing wheel")
    V = m.parameter("V", 12.0)
    carrier = m.ground.translate(V * m.time, 0, R).rotate("z", angle)
    wheel = m.body("wheel", carrier, mass=20.0)
    slide = m.body("mass", mass=1.0)
    m.prismatic("s", m.ground, slide)
    vh.wheel_on_road(m, "w", wheel, tyre, load=3000.0)
    eq = sb.derive(m)
    sim = sb.simulate(eq, [0.0, 0.05, 0.2], s=0.0, rtol=1e-10, atol=1e-12)
    expected = [-np.tan(angle) * (1 - exp(-12 * t * cos(angle) / sigma)) for t in (0, 0.05, 0.2)]
    assert np.allclose(np.tan(sim["w_alpha"]), expected, rtol=1e-7, atol=1e-10)


def test_a_spinning_wheel_comes_to_rolling() -> None:
    """A wheel put down with Ω: I Ω' = -R Fx, m V' = Fx keeps I Ω + m R V, and ends with V = R Ω."""
    tyre = vh.BrushTyre(radius=R, cornering=5e4, along=8e4, friction=0.8)
    m = sb.Model("put down")
    x, turn = m.coordinates("x turn")
    carrier = m.ground.translate(x, 0, R)
    wheel = m.body("wheel", carrier.rotate("y", turn), mass=20.0, inertia=(0.5, 0.9, 0.5))
    vh.wheel_on_road(m, "w", wheel, tyre, carrier=carrier, load=20 * 9.81)
    sim = sb.simulate(sb.derive(m), 2, x_dot=1.0, turn_dot=40.0, rtol=1e-10, atol=1e-10)
    kept = 0.9 * sim["turn_dot"] + 20 * R * sim["x_dot"]
    assert np.allclose(kept, kept[0], rtol=1e-8)
    end = (0.9 * 40 + 20 * R) / (0.9 + 20 * R**2)
    assert sim["turn_dot"][-1] == pytest.approx(end, rel=1e-6)
    sliding = 0.8 * 9.81  # until it rolls, by Coulomb's law
    assert np.interp(0.1, sim.t, sim["x_dot"]) == pytest.approx(1 + 0.1 * sliding, rel=1e-3)


# ---------------------------------------------------------------------------------------------------- roads


def test_spectrum_of_a_random_road() -> None:
    """rms in a band is √(Gd n0² (1/n1 - 1/n2)), and a fit through the periodogram finds Gd(n0) within 5 %."""
    profile = vh.random_profile("C", waves=1500, seed=2)
    whole = np.sqrt(256e-6 * 0.1**2 * (1 / 0.011 - 1 / 2.83))
    assert profile.rms(0, 10) == pytest.approx(whole, rel=1e-12)
    x = np.arange(0, 1000, 0.2)
    z = profile(x)
    n, power = np.fft.rfftfreq(len(x), 0.2), np.abs(np.fft.rfft(z * np.hanning(len(x)))) ** 2
    density = 2 * power * 0.2 / (np.hanning(len(x)) ** 2).sum()
    band = (n > 0.05) & (n < 1.5)
    assert np.mean(density[band] * (n[band] / 0.1) ** 2) == pytest.approx(256e-6, rel=0.05)


def test_shaping_filter_has_the_variance_of_the_spectrum() -> None:
    """z' = -a z + b w with one-sided density one has the variance b²/(4 a): Gd n0² (π/2) / n_min."""
    m = sb.Model("road")
    w, V = m.input("w"), m.parameter("V", 20.0)
    m.prismatic("s", m.ground, m.body("mass", mass=1.0))
    z = vh.shaping_filter(m, "zr", "C", V, w)
    lin = sb.linearize(sb.derive(m), {"s": 0.0})
    a = -min(lin.eigenvalues().real)
    gain = abs(lin.frequency_response("w", z.name, 1e-9).values[0]) * a
    assert gain**2 / (4 * a) == pytest.approx(256e-6 * 0.1**2 * np.pi / 2 / 0.011, rel=1e-9)


def test_sampled_roads_go_through_their_samples() -> None:
    m = sb.Model("road")
    x, y = np.linspace(0, 4, 9), np.linspace(-1, 1, 3)
    z = np.sin(x)[:, None] * (1 + 0.3 * y**2)
    road = vh.sampled_road(m.ground, x, y, z)
    for i, j in ((0, 0), (3, 1), (8, 2)):
        height, _ = road.at(x[i], y[j])
        assert value(height) == pytest.approx(z[i, j], abs=1e-14)
    height, (sx, sy) = road.at(1.7, 0.2)
    for slope, dx, dy in ((sx, 1e-6, 0), (sy, 0, 1e-6)):
        numeric = (value(road.at(1.7 + dx, 0.2 + dy)[0]) - value(road.at(1.7 - dx, 0.2 - dy)[0])) / 2e-6
        assert value(slope) == pytest.approx(numeric, abs=1e-8)
    with pytest.raises(sb.ModelError, match="it is \\(9, 3\\)"):
        vh.sampled_road(m.ground, x, y, z.T)


GRID = """$CT
a straight road of three sections
$
$ROAD_CRG
REFERENCE_LINE_START_U   = 2.0
REFERENCE_LINE_END_U     = 3.5
REFERENCE_LINE_INCREMENT = 0.5
LONG_SECTION_V_RIGHT     = -1.0
LONG_SECTION_V_LEFT      = 1.0
LONG_SECTION_V_INCREMENT = 1.0
REFERENCE_LINE_START_PHI = 0.3
REFERENCE_LINE_START_B   = 0.02
REFERENCE_LINE_START_S   = 0.01
$
$KD_DEFINITION
#:LRFI
D:long section 1,m
D:long section 2,m
D:long section 3,m
$
$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$
 0.0010000 0.0020000 0.0030000
 0.0040000-0.0050000 0.0060000
 0.0070000 0.0080000 0.0090000
 0.0100000 0.0110000 0.0120000
"""


def test_an_opencrg_file(tmp_path: Path) -> None:
    """Slope, banking and heights add; the line starts in the origin and heads by 0.3 rad."""
    path = tmp_path / "road.crg"
    path.write_text(GRID, encoding="ascii")
    found = vh.read_crg(path)
    assert found.z[1, 1] == pytest.approx(0.01 * 0.5 - 0.005)
    assert found.z[2, 0] == pytest.approx(0.01 * 1.0 - 0.02 + 0.007)
    m = sb.Model("road")
    road = found.road(m.ground)
    place = road.frame.point(0.5, 1.0, 0).in_ground.entries
    assert value(place[0]) == pytest.approx(0.5 * cos(0.3) - sin(0.3))
    assert value(road.at(0.5, 1.0)[0]) == pytest.approx(found.z[1, 2], abs=1e-15)
    path.write_text(GRID.replace("INCREMENT = 0.5", "INCREMENT = 0"), encoding="ascii")
    with pytest.raises(sb.ModelError, match="longitudinal sections and reference_line_increment"):
        vh.read_crg(path)
    path.write_text(GRID.replace("END_U     = 3.5", "END_U     = 9.5"), encoding="ascii")
    with pytest.raises(sb.ModelError, match="4 cross sections, but its reference line has 16"):
        vh.read_crg(path)


@pytest.mark.parametrize("kind", ["KRBI", "KDBI", "LRFI", "LDFI"])
@pytest.mark.parametrize("v", [[-1.0, 0, 1.0], [-1.5, 0.1, 0.7, 1.0, 1.3, 1.6, 2.0, 2.2, 2.4]], ids=["even", "uneven"])
def test_opencrg_beside_its_library(kind: str, v: list[float], tmp_path: Path) -> None:
    """Files that OpenCRG's C library writes and evaluates, in all four formats: the same heights at the same places."""
    pycrg = pytest.importorskip("pycrg", reason="pycrg is not installed")
    path, rng = tmp_path / "road.crg", np.random.default_rng(0)
    z = rng.normal(size=(7, len(v))) * 0.01
    more = {"slope": rng.normal(size=6) * 0.1, "banking": rng.normal(size=7) * 0.02}
    pycrg.write(path, z, 0.5, v, 0.3, u0=2.0, x0=1.0, y0=-1.0, z0=0.2, fmt=kind, mods={}, **more)
    found = vh.read_crg(path)
    turn = np.array([[cos(0.3), -sin(0.3)], [sin(0.3), cos(0.3)]])
    with pycrg.RoadSurface.open(path) as contact:
        for i, j in ((0, 0), (3, 1), (6, 2), (5, len(v) - 1)):
            theirs = contact.uv_to_z(2.0 + 0.5 * i, v[j])
            assert found.z[i, j] == pytest.approx(theirs, abs=3e-7)  # heights of 4 bytes
            ours = found.start + turn @ [found.u[i] - found.u[0], found.v[j]]
            assert np.allclose(ours, contact.uv_to_xy(2.0 + 0.5 * i, v[j]), atol=1e-6)
    assert np.allclose(found.heading, 0.3, atol=1e-7)


def banked_circle(path: Path, kind: str = "KDBI") -> vh.CrgFile:
    """A half circle to the left, R = 40 m, banked by 0.05 and rising by 0.02, with a grid of waves, written by hand: the
    first phi is not used, and headings are those of chords."""
    u = np.arange(0, 126, 0.5)
    v = np.linspace(-3, 3, 7)
    phi = np.concatenate([[0.0], (u[1:] - 0.25) / 40.0])
    z = 0.01 * np.sin(2 * np.pi * u / 20)[:, None] * (1 + 0.1 * v**2)
    names = ["reference line phi,rad", "reference line slope,m/m", "reference line banking,m/m"]
    head = [
        "$ROAD_CRG", "REFERENCE_LINE_START_U = 0.0", f"REFERENCE_LINE_END_U = {u[-1]}", "REFERENCE_LINE_INCREMENT = 0.5",
        "LONG_SECTION_V_RIGHT = -3.0", "LONG_SECTION_V_LEFT = 3.0", "LONG_SECTION_V_INCREMENT = 1.0", "$",
        "$KD_DEFINITION", "#:KDBI", *(f"D:{n}" for n in names), *(f"D:long section {k + 1},m" for k in range(7)), "$", "$" * 72, "",
    ]  # fmt: skip
    rows = np.column_stack([phi, np.full(len(u), 0.02), np.full(len(u), 0.05), z])
    path.write_bytes("\n".join(head).encode() + rows.astype(">f8").tobytes())
    return vh.read_crg(path)


def test_a_curved_reference_line(tmp_path: Path) -> None:
    """Heading, curvature, slope and bank of a half circle; a wheel carried along a circle 1 m to the left finds its place
    on the line, begun 5 cm beside it, and sees the height and the slopes of the exact surface there."""
    found = banked_circle(tmp_path / "circle.crg")
    assert np.allclose(found.curvature, 1 / 40, rtol=1e-9)
    assert np.allclose(np.hypot(found.line[:, 0], found.line[:, 1] - 40), 40, atol=1e-3)
    assert found.nearest(*found.line[100]) == pytest.approx((50.0, 0.0))
    m = sb.Model("along a curve")
    V = 10.0
    angle = V * m.time / 39
    held = m.ground.translate(39 * sb.sin(angle), 40 - 39 * sb.cos(angle), 0.3).rotate("z", angle)
    wheel = m.body("wheel", held, mass=20.0)
    m.prismatic("s", m.ground, m.body("mass", mass=1.0))
    w = vh.wheel_on_road(
        m, "w", wheel, vh.LinearTyre(radius=R, cornering=5e4), road=found.road(m.ground), outputs=["Fz", "camber"]
    )
    m.output("normal", list(w.geometry.normal.entries))
    m.output("height", w.geometry.centre[2] - (w.geometry.centre + w.geometry.arm)[2])
    sim = sb.simulate(sb.derive(m), np.linspace(0, 5, 6), w_u=0.05, rtol=1e-9, atol=1e-9)
    for k in range(1, 6):
        theta = V * sim.t[k] / 39
        u = 40 * theta
        assert sim["w_u"][k] == pytest.approx(u, abs=1e-3)  # chords are shorter than arcs by 7e-6
        rise = 0.02 + 0.01 * 2 * np.pi / 20 * np.cos(2 * np.pi * u / 20) * 1.1
        across = 0.05 + 0.01 * np.sin(2 * np.pi * u / 20) * 0.2
        slope = rise * 40 / 39 * np.array([cos(theta), sin(theta)]) + across * np.array([-sin(theta), cos(theta)])
        n = np.array([-slope[0], -slope[1], 1]) / np.sqrt(1 + slope @ slope)
        assert np.allclose([sim[f"normal[{i}]"][k] for i in range(3)], n, atol=2e-5)
        z = 0.02 * u + 0.05 + 0.01 * np.sin(2 * np.pi * u / 20) * 1.1
        lift = (0.3 - z) * n[2]
        assert sim["w_Fz"][k] == pytest.approx(
            max(0, 2e5 * (R * np.sqrt(1 - np.sin(sim["w_camber"][k]) ** 2) - lift)), abs=10
        )


def test_a_curved_line_beside_its_library(tmp_path: Path) -> None:
    """OpenCRG's C library at places beside the curve: the same u, v and, on a surface that is linear between its points,
    the same heights."""
    pycrg = pytest.importorskip("pycrg", reason="pycrg is not installed")
    path, v = tmp_path / "curve.crg", np.linspace(-2, 2, 5)
    phi = 0.3 + 0.2 * np.sin(np.arange(120) * 0.05)
    z = 0.03 * np.outer(np.arange(121) * 0.5, np.ones(5)) + 0.02 * v
    pycrg.write(path, z, 0.5, v, phi, x0=1.0, y0=-1.0, fmt="KDBI", mods={})
    found = vh.read_crg(path)
    with pycrg.RoadSurface.open(path) as theirs:
        for u, side in ((10.2, 0.7), (25.0, -1.4), (48.3, 1.9)):
            x, y = theirs.uv_to_xy(u, side)
            assert found.nearest(x, y) == pytest.approx((u, side), abs=1e-2)
        assert np.allclose(found.line[60], theirs.uv_to_xy(30.0, 0.0), atol=1e-5)


def test_a_wheel_runs_over_a_bump() -> None:
    """Along z = a (1 - cos 2πx)/2 the load is stiffness times deflection, with the wheel held at a height."""
    m = sb.Model("bump")
    x = m.coordinate("x")
    held = m.ground.translate(x, 0, R).rotate("z", 0)
    wheel = m.body("wheel", held, mass=20.0)
    road = vh.Road(m.ground, lambda x, _: 0.01 * (1 - sb.cos(2 * sb.pi * x)) / 2)
    w = vh.wheel_on_road(m, "w", wheel, vh.LinearTyre(radius=R, cornering=5e4), road=road)
    for place in (0.1, 0.5, 0.8):
        slope = atan(0.01 * np.pi * sin(2 * np.pi * place))
        h = cos(slope) * (R - 0.005 * (1 - cos(2 * np.pi * place)))
        assert value(w.load, {x: place, x.dot: 0.0}) == pytest.approx(max(0, 2e5 * (R - h)), rel=1e-9)


def test_a_wheel_on_a_moving_frame_asks_for_its_road() -> None:
    m = sb.Model("w")
    u, r = m.speeds("u r")
    heading = m.moving_frame("heading", velocity=(u, 0, 0), spin=(0, 0, r))
    wheel = m.body("wheel", heading.translate(0, 0, m.coordinate("z")), mass=10, inertia=(1, 1, 1))
    tyre = vh.LinearTyre(radius=0.3, cornering=1e4, relaxation=(0, 0.2))
    with pytest.raises(sb.ModelError, match=r"wheel 't' is carried by the frame 'heading'.*road=vh.Road\(heading\)"):
        vh.wheel_on_road(m, "t", wheel, tyre)
    vh.wheel_on_road(m, "t", wheel, tyre, road=vh.Road(heading))


def test_slip_of_a_wheel_that_cannot_move_is_refused() -> None:
    m = sb.Model("w")
    carrier, wheel = m.body("carrier", mass=1), m.body("wheel", mass=1, inertia=(1, 1, 1))
    m.prismatic("z", m.ground, carrier, "z")
    m.revolute("spin", carrier, wheel, "y")
    with pytest.raises(sb.ModelError, match=r"cannot move along the road.*relaxation="):
        vh.wheel_on_road(m, "t", wheel, vh.LinearTyre(radius=0.3, cornering=1e4), carrier=carrier)
    tyre = vh.LinearTyre(radius=0.3, cornering=1e4, relaxation=(0.2, 0.3))
    vh.wheel_on_road(m, "t", wheel, tyre, carrier=carrier)
