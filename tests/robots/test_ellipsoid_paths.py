"""Paths over ellipsoids: a sphere, the shortest plane section by trial, geodesics by minimisation, forces that do the work of
the length, and ends that come off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import symbody as sb
from symbody.bodies import WrapEllipsoid, WrapSphere

AXES = (0.03, 0.02, 0.045)
ENDS = (
    ((-0.08, 0.006, 0.002), (0.07, 0.004, 0.012)),
    ((-0.05, 0.012, -0.03), (0.06, -0.002, 0.05)),
    ((0.004, -0.05, 0.03), (-0.006, 0.06, 0.01)),
    ((0.01, -0.02, -0.08), (0.012, 0.018, 0.07)),
)


class Pull:
    """A path between two points that move along all axes, over an ellipsoid that turns."""

    def __init__(self, axes: tuple[float, float, float] = AXES, beside: Any = None) -> None:
        m = sb.Model("pull")
        self.x, turn = m.coordinates("a b c d e f"), m.coordinate("turn")
        a, b, c, d, e, f = self.x
        p, q = m.ground.translate(a, b, c), m.ground.translate(d, e, f)
        solid = m.body("solid", m.ground.rotate(sb.vector(0.6, 0, 0.8), turn), mass=1, inertia=(1, 1, 1))
        side = None if beside is None else solid.point(*beside)
        self.turn = turn
        self.path = m.path("pull", [p.origin, WrapEllipsoid(solid.frame, axes, beside=side), q.origin])
        m.tension("pull", self.path, 1)
        for name, frame in (("p", p), ("q", q)):
            m.body(name, frame, mass=1)
        self.equations = sb.derive(m)

    def state(self, p: Any, q: Any, turn: float = 0.0) -> dict[sb.Symbol, float]:
        return {**dict(zip(self.x, (*p, *q), strict=True)), self.turn: turn}

    def length(self, p: Any, q: Any, turn: float = 0.0) -> float:
        return float(sb.evaluate(self.path.length, self.state(p, q, turn)))


@pytest.fixture(scope="module")
def pull() -> Pull:
    return Pull()


def plane_lengths(p: Any, q: Any, axes: Any, angles: np.ndarray) -> np.ndarray:
    """Of taut strings in the planes through both ends, by polygons of the convex hull of the section and both ends."""
    a, p, q = np.array(axes), np.array(p), np.array(q)
    d = (q - p) / np.linalg.norm(q - p)
    foot = (
        p - (p / a**2) @ d / ((d / a**2) @ d) * d
    )  # of the line, nearest to the centre of the sphere that A maps to it
    u = foot - foot @ d * d
    u /= np.linalg.norm(u)
    lengths = []
    for angle in angles:
        w = np.cos(angle) * u + np.sin(angle) * np.cross(d, u)
        direction = np.linspace(0, np.pi, 2001)[1:-1, None]
        middle = (p + q) / 2
        rays = np.cos(direction) * d + np.sin(direction) * w
        # the section from the middle of the ends: points of the ellipsoid along the rays
        A, B, C = ((rays / a) ** 2).sum(1), ((rays / a) * (middle / a)).sum(1), ((middle / a) ** 2).sum() - 1
        root = B**2 - A * C
        far = (-B + np.sqrt(np.maximum(root, 0))) / A
        flat = np.column_stack([np.cos(direction[:, 0]) * far, np.sin(direction[:, 0]) * far])[root > 0]
        half = np.linalg.norm(q - p) / 2
        chain = [np.array([half, 0.0])]
        for point in [*flat, np.array([-half, 0.0])]:
            while len(chain) > 1:
                one, two = chain[-1] - chain[-2], point - chain[-1]
                if one[0] * two[1] - one[1] * two[0] > 0:
                    break
                chain.pop()
            chain.append(point)
        lengths.append(np.linalg.norm(np.diff(chain, axis=0), axis=1).sum())
    return np.array(lengths)


@pytest.mark.parametrize("ends", ENDS[:2])
def test_a_sphere_is_an_ellipsoid(ends: Any) -> None:
    m = sb.Model("m")
    for side in (None, m.ground.point(0, -1, 0.2)):
        p, q = (m.ground.point(*e) for e in ends)
        sphere = m.path("a", [p, WrapSphere(m.ground, 0.025, beside=side), q]).length
        ellipsoid = m.path("b", [p, WrapEllipsoid(m.ground, (0.025,) * 3, beside=side), q]).length
        assert sb.evaluate(ellipsoid) == pytest.approx(sb.evaluate(sphere), rel=1e-12)


def test_it_is_the_shortest_plane_section(pull: Pull) -> None:
    for p, q in ENDS[:3]:
        angles = np.linspace(-1.5, 1.5, 31)
        best = angles[np.argmin(plane_lengths(p, q, AXES, angles))]
        fine = plane_lengths(p, q, AXES, np.linspace(best - 0.1, best + 0.1, 41)).min()
        assert pull.length(p, q) == pytest.approx(fine, abs=2e-8)
        assert pull.length(p, q) > np.linalg.norm(np.subtract(p, q)) + 1e-4


def test_geodesics_are_hardly_shorter(pull: Pull) -> None:
    """Polygons with bent points on the surface, of least length."""
    a = np.array(AXES)
    for p, q in ENDS[:2]:
        p, q = np.array(p), np.array(q)
        s = np.linspace(0, 1, 81)[1:-1]

        def polygon(v: np.ndarray, p: np.ndarray = p, q: np.ndarray = q, s: np.ndarray = s) -> np.ndarray:
            waves = np.sin(np.pi * np.outer(np.arange(1, 9), s))
            points = p + np.outer(s, q - p) + (v.reshape(3, 8) @ waves).T
            size = np.sqrt(((points / a) ** 2).sum(1))
            return np.vstack([p, points / np.minimum(size, 1)[:, None], q])

        def length(v: np.ndarray, polygon: Any = polygon) -> float:
            return float(np.linalg.norm(np.diff(polygon(v), axis=0), axis=1).sum())

        foot = p - np.dot(p, q - p) / np.dot(q - p, q - p) * (q - p)
        start = np.zeros(24)
        start[[0, 8, 16]] = 0.03 * foot / np.linalg.norm(foot)
        found = minimize(length, start, method="Powell", options={"maxiter": 30, "xtol": 1e-7, "ftol": 1e-10}).fun
        assert -2e-4 < pull.length(p, q) - found < 5e-5


@pytest.mark.parametrize("beside", [None, (0.0, -1.0, 0.3)])
def test_forces_do_the_work_of_the_length(pull: Pull, beside: Any) -> None:
    """Generalised forces of a unit tension, and the rate, are those of differences of the length."""
    made = pull if beside is None else Pull(beside=beside)
    f = sb.compile(made.equations)
    for p, q in ENDS[:3]:
        x = np.array([*p, *q, 0.3])
        at = lambda v, made=made: made.length(v[:3], v[3:6], v[6])  # noqa: E731
        slopes = np.array([(at(x + h) - at(x - h)) / 2e-6 for h in 1e-6 * np.eye(7)])
        masses = np.array([1, 1, 1, 1, 1, 1, 0.36 + 0.64])
        assert -f.udot(0.0, x, np.zeros(7)) * masses == pytest.approx(slopes, abs=1e-6)
        rates = {s.dot: v for s, v in zip((*made.x, made.turn), np.arange(1.0, 8.0), strict=True)}
        rate = float(sb.evaluate(made.path.rate, {**made.state(p, q, 0.3), **rates}))
        assert rate == pytest.approx(slopes @ np.arange(1.0, 8.0), abs=2e-6)


def test_it_comes_off_smoothly_and_leaves_ends_inside_alone(pull: Pull) -> None:
    lengths = [pull.length((-0.08, y, 0.01), (0.07, y, 0.01)) for y in np.linspace(0.0175, 0.0215, 41)]
    straight = 0.15
    assert lengths[-1] == pytest.approx(straight, rel=1e-14)
    assert np.all(np.diff(lengths[:20]) < 0)
    assert np.abs(np.diff(lengths, 2)).max() < 1e-6
    assert pull.length((-0.01, 0, 0), (0.07, 0, 0)) == pytest.approx(0.08)


def test_the_other_side(pull: Pull) -> None:
    p, q = ENDS[0]
    other = Pull(beside=(0, -1, 0))
    assert other.length(p, q) > pull.length(p, q) + 1e-3
    assert Pull(beside=(0, 1, 0)).length(p, q) == pytest.approx(pull.length(p, q), rel=1e-9)
    assert other.length((-0.08, -0.03, 0), (0.07, -0.03, 0)) == pytest.approx(0.15)
    assert other.length((-0.08, 0.03, 0), (0.07, 0.03, 0)) > 0.17


def test_wrong_ellipsoids_are_refused() -> None:
    m = sb.Model("m")
    for axes in (0.3, (1, 2), (1, -1, 1), (1, 1, m.coordinate("x"))):
        with pytest.raises(sb.ModelError, match="half_axes"):
            WrapEllipsoid(m.ground, axes)
