"""Paths through the hole of a torus: shortest among all that stay outside, geodesics, limits in closed form, forces that
are slopes of the length, energy of a motion that touches and comes off."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symbody as sb
from symbody.bodies import LinePath, WrapRing, WrapTorus
from tests.amount import some

Places = np.ndarray
A, R = 1.0, 0.25
#        P above,                Q below
TOUCHING = [
    ((2.0, 0.3, 1.0), (1.5, -1.0, -0.8)),
    ((0.2, -0.1, 1.5), (-2.5, 1.0, -0.6)),
    ((-3.0, 2.0, 0.9), (-1.0, 3.0, -0.4)),
    ((0.5, 0.5, 0.4), (1.6, 0.9, -2.0)),
    ((6.0, 1.0, 3.0), (1.0, 5.0, -2.0)),
]
TWICE = [  # over one side of the hole and under the other
    ((3.0, 0.2, 0.3), (-3.0, 0.1, -0.3)),
    ((1.8, -0.9, 0.4), (-2.5, -0.5, -0.35)),
    ((-0.9, 1.6, 0.35), (0.4, -2.9, -0.3)),
]


@pytest.fixture(scope="module")
def eyelet() -> tuple[sb.Model, LinePath]:
    """A string through a torus that moves and turns, between two bodies."""
    m = sb.Model("eyelet")
    a, r = m.parameters("a r")
    places = [m.ground.point(*m.coordinates(f"x_{n} y_{n} z_{n}")) for n in "pq"]
    ends = [m.body(n, m.ground.translate(p), mass=1.0) for n, p in zip("pq", places, strict=True)]
    z, tilt, turn = m.coordinates("z tilt turn")
    ring = m.body("ring", m.ground.translate(0, 0, z).rotate("x", tilt).rotate("y", turn), mass=1.0, inertia=(1, 1, 1))
    path = m.path("string", [ends[0].frame.origin, WrapTorus(ring.frame, a, r), ends[1].frame.origin])
    m.tension("string", path, m.input("T"))
    return m, path


@pytest.fixture(scope="module")
def at(eyelet: tuple[sb.Model, LinePath]):
    """Length, slopes by both ends and contact, for a torus at rest, as a compiled function."""
    m, path = eyelet
    piece: Any = path.pieces[0]
    q = m.symbols_of_kind("coordinate")
    found = piece._contact
    contact = [found.first.place, found.last.place, *found.azimuths, found.moment]
    slopes = [sb.derivative(path.rate, s.dot) for s in q]
    sides = sb.where(piece.touches, sb.where(piece.touches_once, 1, sb.where(piece.touches_twice, 2, 3)), 0)
    f = sb.compile(sb.program("f", {"q": q, "p": [m.symbols["a"], m.symbols["r"]]}, {"l": path.length, "w": slopes, "c": contact, "n": sides}))  # fmt: skip

    def call(p, q, a: float = A, r: float = R, ring=(0.0, 0.0, 0.0)):
        return f(np.array([*p, *q, *ring]), np.array([a, r]))

    return call


def outside(x: Places, a: float, r: float) -> Places:
    """Points, those within the tube moved on to it."""
    across = np.hypot(x[:, 0], x[:, 1])
    centre = np.column_stack([a * x[:, 0] / across, a * x[:, 1] / across, 0 * across])
    d = np.linalg.norm(x - centre, axis=1, keepdims=True)
    return np.where(d < r, centre + (x - centre) * (r / d), x)


def relaxed(p, q, a: float, r: float) -> float:
    """The length of an elastic chain that is pulled tight outside the tube, from a way through the middle of the hole;
    finer and finer, extrapolated."""
    k = np.linspace(0, 1, 33)[:, None]
    x, lengths = np.concatenate([(1 - k) * p, k[1:] * q]), []  # steps shorter than the tube is thick
    while len(lengths) < 3:
        finer = np.empty((2 * len(x) - 1, 3))
        finer[::2], finer[1::2] = x, (x[:-1] + x[1:]) / 2
        x = finer if lengths else x
        for _ in range(6000):
            for j in (1, 2):
                x[j:-1:2] = outside((x[j - 1 : -2 : 2] + x[j + 1 :: 2]) / 2, a, r)
        lengths.append(float(np.linalg.norm(np.diff(x, axis=0), axis=1).sum()))
    return lengths[-1] + (lengths[-1] - lengths[-2]) / 3


@pytest.mark.parametrize("ends", some(TOUCHING + TWICE, 3), ids=str)
def test_shortest_of_all_that_stay_outside(at, ends) -> None:
    length, *_, sides = at(*ends)
    assert sides == 1 + (ends in TWICE)
    assert length > np.linalg.norm(np.subtract(*ends)) + 1e-3
    assert length == pytest.approx(relaxed(ends[0], ends[1], A, R), abs=3e-5)


@pytest.mark.parametrize("ends", TOUCHING, ids=str)
def test_between_the_straight_parts_is_a_geodesic(at, ends) -> None:
    """X'' = -κ n in space from where the path comes on to the tube, in the direction in which it comes, leads to where it
    leaves, towards the other end."""
    length, slopes, (s1, s2, f1, f2, _), _ = at(*ends)

    def place(f: float, s: float) -> Places:
        rho = A - R * math.cos(s)
        return np.array([rho * math.cos(f), rho * math.sin(f), -R * math.sin(s)])

    p, q = map(np.array, ends)
    first, last = place(f1, s1), place(f2, s2)
    rest = length - np.linalg.norm(first - p) - np.linalg.norm(last - q)

    def along(_: float, y: Places) -> Places:
        x, v = y[:3], y[3:]
        across = math.hypot(x[0], x[1])
        n = (x - A * np.array([x[0], x[1], 0]) / across) / R
        e = np.array([x[0], x[1], 0]) / across
        f = np.array([-e[1], e[0], 0])
        curvature = (v @ f) ** 2 * (n @ e) / across + (v @ v - (v @ f) ** 2) / R
        return np.concatenate([v, -curvature * n])

    v = (first - p) / np.linalg.norm(first - p)
    end = solve_ivp(along, (0, rest), np.concatenate([first, v]), rtol=1e-12, atol=1e-13).y[:, -1]
    assert end[:3] == pytest.approx(last, abs=1e-9)
    assert end[3:] == pytest.approx((q - last) / np.linalg.norm(q - last), abs=1e-9)
    assert slopes[:6] == pytest.approx(np.concatenate([-v, end[3:]]), abs=1e-9)


@pytest.mark.parametrize("ends", TOUCHING + TWICE, ids=str)
def test_slopes_are_those_of_the_length(at, ends) -> None:
    x, ring, h = np.concatenate(ends), (0.002, 0.01, -0.007), 1e-5
    w = at(x[:3], x[3:], ring=ring)[1]
    whole = np.concatenate([x, ring])

    def length(y: Places) -> float:
        return at(y[:3], y[3:6], ring=y[6:])[0]

    found = [(length(whole + h * e) - length(whole - h * e)) / (2 * h) for e in np.eye(9)]
    assert w == pytest.approx(found, abs=2e-9)


def test_from_both_ends_and_from_both_sides_it_is_one_path(at) -> None:
    p, q = TOUCHING[2]
    length = at(p, q)[0]
    assert at(q, p)[0] == pytest.approx(length, abs=1e-14)
    assert at((*p[:2], -p[2]), (*q[:2], -q[2]))[0] == pytest.approx(length, abs=1e-14)


def test_in_a_half_plane_through_the_axis(at) -> None:
    """Round a circle: tangents and an arc."""
    for angle in (0.0, 2.0, -3.0):
        (u, z), (v, w) = (2.2, 0.9), (1.4, -0.5)
        e = np.array([math.cos(angle), math.sin(angle)])
        turn = math.atan2(-w, A - v) - math.atan2(-z, A - u)
        d1, d2 = math.hypot(u - A, z), math.hypot(v - A, w)
        closed = sum(math.sqrt(d * d - R * R) - R * math.acos(R / d) for d in (d1, d2)) + R * turn
        assert at((*u * e, z), (*v * e, w))[0] == pytest.approx(closed, abs=1e-14)


def test_over_one_side_and_under_the_other(at) -> None:
    """In a plane through the axis: tangents and arcs of two circles, and the line that touches both between them."""
    (u, z), (v, w) = (3.0, 0.4), (2.0, -0.3)  # v on the other side of the axis
    bend = math.acos(R / A)
    first = math.atan2(-z, A - u) + math.acos(R / math.hypot(u - A, z))
    last = math.atan2(-w, A - v) - math.acos(R / math.hypot(v - A, w))
    straight = sum(math.sqrt(x * x - R * R) for x in (math.hypot(u - A, z), math.hypot(v - A, w)))
    closed = straight + R * (-bend - first) + 2 * math.sqrt(A * A - R * R) + R * (last - bend)
    for angle in (0.0, 2.0, -3.0):
        e = np.array([math.cos(angle), math.sin(angle)])
        length, *_, sides = at((*u * e, z), (*-v * e, w))
        assert sides == 2
        assert length == pytest.approx(closed, abs=1e-13)


def test_from_two_contacts_to_one_to_none(at) -> None:
    """Ends rise from the plane: length and slopes stay next to each other."""
    seen, before = [], None
    for s in np.linspace(0, 1.5, 3001):
        length, slopes, _, sides = at((2.0, 0.4, 0.3 + s), (-2.0, 0.2, -0.27 - 1.4 * s))
        if before is not None:
            assert abs(length - before[0]) < 2e-3
            assert np.abs(slopes - before[1]).max() < 6e-3
        seen += [] if seen and seen[-1] == sides else [sides]
        before = length, slopes
    assert seen == [2, 1, 0]


def test_thin_tubes_are_rings_and_wide_rings_are_cylinders(at) -> None:
    m = sb.Model("limits")
    for p, q in TOUCHING:
        ring = WrapRing(m.ground, A).piece(m.ground.point(*p), m.ground.point(*q), m.ground, m.ground)
        thin = at(p, q, r=1e-6)[0] - float(sb.evaluate(ring.length))
        assert abs(thin) < 3e-6  # in proportion to the tube
        wide, r = 1e6, 0.3
        turn = math.atan2(-q[2], -q[0]) - math.atan2(-p[2], -p[0])
        d1, d2 = (math.hypot(v[0], v[2]) for v in (p, q))
        flat = sum(math.sqrt(d * d - r * r) - r * math.acos(r / d) for d in (d1, d2)) + r * turn
        touches = turn > math.acos(r / d1) + math.acos(r / d2)
        cylinder = math.hypot(flat, q[1] - p[1]) if touches else math.dist(p, q)
        shift = np.array([wide, 0, 0])
        assert at(p + shift, q + shift, a=wide, r=r)[0] == pytest.approx(cylinder, abs=2e-5)


@pytest.mark.parametrize("ratio", [0.01, 0.1, 0.25, 0.5])
def test_found_from_anywhere(at, ratio: float) -> None:
    """Hardly any pair of ends has no value, and neighbours have lengths next to each other: never longer apart than the
    ends are."""
    rng = np.random.default_rng(3)
    none = 0
    for _ in range(300):
        size = rng.choice([1.2, 3.0, 10.0])
        p, q = (np.append(rng.uniform(-size, size, 2), s * (ratio + rng.uniform(0, size))) for s in (1, -1))
        step = rng.normal(size=3) * 1e-3
        here, there = at(p, q, r=ratio)[0], at(p + step, q, r=ratio)[0]
        none += math.isnan(here)
        assert math.isnan(here + there) or abs(here - there) <= np.linalg.norm(step) * (1 + 1e-9) + 1e-12
        assert math.isnan(here) or here >= np.linalg.norm(p - q) * (1 - 1e-15)
    assert none <= {0.01: 0, 0.1: 2, 0.25: 2, 0.5: 5}[ratio]


def test_comes_off_smoothly(at) -> None:
    """Length and slope are continuous where the path begins to touch."""
    p = np.array([0.1, 0.2, 1.2])

    def over(x: float) -> float:
        q = np.array([x, 0.4, -0.9])
        return at(p, q)[0] - np.linalg.norm(p - q)

    low, high = 0.0, 3.0
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (low, middle) if over(middle) > 1e-13 else (middle, high)
    gaps = [over(high + h) for h in (1e-2, 1e-3, 1e-4)]
    assert gaps[0] > 0
    assert np.divide(gaps[1:], gaps[:-1]) == pytest.approx(0.01, rel=0.05)  # of second order
    before, after = (at(p, (x, 0.4, -0.9))[1] for x in (low - 1e-9, high + 1e-9))
    assert before == pytest.approx(after, abs=1e-6)


def test_beside_the_tube_there_is_no_value(at) -> None:
    assert math.isnan(at((2.0, 0, 0.1), (2.0, 0.1, -1.0))[0])  # begins beside the tube
    assert at((3.0, 0, 0.3), (-3.0, 0.1, 0.4))[0] == pytest.approx(math.hypot(6, 0.1, 0.1), abs=1e-15)  # above it


def test_what_is_no_torus() -> None:
    m = sb.Model("none")
    q = m.coordinate("q")
    with pytest.raises(sb.ModelError, match="at most half"):
        WrapTorus(m.ground, 1, 0.6)
    with pytest.raises(sb.ModelError, match="beside its tube"):
        m.path(
            "p", [m.ground.point(3.1, 0.1, 0.2), WrapTorus(m.ground, 1.1, 0.25), m.ground.point(2.3, 0.1, -0.3)]
        ).length
    with pytest.raises(sb.ModelError, match="more than zero"):
        WrapTorus(m.ground, 1, 0)
    with pytest.raises(sb.ModelError, match=r"radius must be a number or made of parameters, got q \+ 2"):
        WrapTorus(m.ground, q + 2, 0.1)


def test_stiffness_in_symmetric_places() -> None:
    """Second derivatives are numbers, and symmetric, where ends lie on the axis, in a plane through it, or above each
    other."""
    m = sb.Model("symmetric")
    q, p = m.coordinates("x y z"), m.parameters("u v w")
    path = m.path("p", [m.ground.point(*p), WrapTorus(m.ground, A, R), m.ground.translate(m.ground.point(*q)).origin])
    stiffness = sb.jacobian([sb.derivative(path.rate, s.dot) for s in q], q)
    below = ((2, 0, -1), (0, 2, -1), (0, 0, -2))
    for above, place in [*((e, x) for e in ((2, 0, 1), (0, 0, 1)) for x in below), ((3, 0, 0.3), (-3, 0, -0.4))]:
        h = np.array(sb.evaluate(stiffness, dict(zip((*q, *p), map(float, (*place, *above)), strict=True))))
        assert np.abs(h - h.T).max() < 1e-12, (above, place)


def test_tension_does_virtual_work(eyelet: tuple[sb.Model, LinePath]) -> None:
    """Forces on the torus and on both ends together are -∂l/∂q."""
    m, path = eyelet
    eq = sb.derive(m)
    ends = np.concatenate(TOUCHING[0])
    values = {**dict.fromkeys(eq.u, 0.0), **dict(zip(eq.q, (*ends, 0.1, 0.2, -0.1), strict=True)), "a": A, "r": R}
    pushed = np.ravel(np.array(sb.evaluate(sb.jacobian(eq.f, eq.r), values), dtype=float))
    slopes = -np.array(sb.evaluate(sb.gradient(path.length, eq.q), values), dtype=float).ravel()
    assert pushed == pytest.approx(slopes, abs=1e-13)
    assert abs(slopes).min() > 1e-3


def test_motion_on_and_off_the_torus() -> None:
    """A mass on an elastic string through a torus: energy is kept while the string touches and comes off; the linear
    system is that of differences."""
    m = sb.Model("swing")
    x, y, z = m.coordinates("x y z")
    ball = m.body("ball", m.ground.translate(x, y, z), mass=0.5)
    m.gravity(0, 0, -9.81)
    path = m.path("string", [m.ground.point(0.1, 0, 0.8), WrapTorus(m.ground, 0.5, 0.12), ball.frame.origin])
    stretch = path.length - 1.2
    m.tension("string", path, 60 * stretch, potential=30 * stretch**2)
    m.output("touching", sb.where(cast(Any, path.pieces[0]).touches, 1, 0))
    eq = sb.derive(m)
    start = {"x": 1.0, "y": 0.2, "z": -0.7, "y_dot": 0.6}
    sim = sb.simulate(eq, 1.5, start, rtol=1e-11, atol=1e-12)
    on = sim["touching"]
    assert 0 < on.mean() < 1
    energy = sim.energy
    assert np.abs(energy - energy[0]).max() < 1e-8

    point = {"x": 1.0, "y": 0.2, "z": -0.7}
    values = {**dict.fromkeys(eq.u, 0.0), **dict(zip(eq.q, point.values(), strict=True))}
    K = np.array(sb.evaluate(sb.jacobian(eq.f, eq.q), values), dtype=float)
    h = 1e-5
    for k, q in enumerate(eq.q):
        f = [np.ravel(np.array(sb.evaluate(eq.f, {**values, q: values[q] + s * h}), dtype=float)) for s in (1, -1)]
        assert K[:, k] == pytest.approx((f[0] - f[1]) / (2 * h), abs=1e-5)
    assert pytest.approx(K.T, abs=1e-9) == K  # of a potential
