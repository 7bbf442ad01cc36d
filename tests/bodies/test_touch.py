"""Surfaces that touch: gaps against distances found by search, their rates against velocities, in random places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import symbody as sb
from symbody.bodies import Ball, Ellipsoid, HalfSpace, Ring, Tube


@dataclass(frozen=True)
class Pair:
    """Two surfaces on two bodies, and points of each surface by parameters, in the frame of its body."""

    first: Callable[[Any], Any]
    second: Callable[[Any], Any]
    one: Callable[..., Any] | None
    other: Callable[..., Any] | None
    apart: float = 3.0
    inside: bool = False


def on_ball(r: float, at: Any) -> Callable[..., Any]:
    return lambda a, b: np.array(at) + r * np.array([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)])


def on_ring(R: float, r: float, at: Any) -> Callable[..., Any]:
    return lambda a, b: np.array(at) + np.array([(R + r * np.cos(b)) * np.cos(a), (R + r * np.cos(b)) * np.sin(a), r * np.sin(b)])  # fmt: skip


def on_tube(r: float, at: Any) -> Callable[..., Any]:
    return lambda a, b: np.array(at) + np.array([r * np.cos(a), r * np.sin(a), b])


def on_ellipsoid(axes: Any, at: Any) -> Callable[..., Any]:
    return lambda a, b: np.array(at) + np.array(axes) * on_ball(1.0, (0, 0, 0))(a, b)


P, Q = (0.1, -0.2, 0.15), (-0.1, 0.05, 0.2)
AXES = (0.5, 0.3, 0.8)
PLANE = lambda f: HalfSpace(f, "z", Q)  # noqa: E731
PAIRS = {
    "point on plane": Pair(lambda f: f.point(*P), PLANE, on_ball(0.0, P), None),
    "ball on plane": Pair(lambda f: Ball(f, 0.4, P), PLANE, on_ball(0.4, P), None),
    "edge of a disc on plane": Pair(lambda f: Ring(f, 0.5, at=P), PLANE, on_ring(0.5, 0.0, P), None),
    "torus on plane": Pair(lambda f: Ring(f, 0.5, 0.2, at=P), PLANE, on_ring(0.5, 0.2, P), None),
    "ellipsoid on plane": Pair(lambda f: Ellipsoid(f, AXES, P), PLANE, on_ellipsoid(AXES, P), None),
    "ball on ball": Pair(lambda f: Ball(f, 0.4, P), lambda f: Ball(f, 0.7, Q), on_ball(0.4, P), on_ball(0.7, Q)),
    "point on torus": Pair(lambda f: f.point(*P), lambda f: Ring(f, 0.6, 0.2, at=Q), on_ball(0, P), on_ring(0.6, 0.2, Q)),
    "ball on tube": Pair(lambda f: Ball(f, 0.4, P), lambda f: Tube(f, 0.3, at=Q), on_ball(0.4, P), on_tube(0.3, Q)),
    "ball on ellipsoid": Pair(lambda f: Ball(f, 0.2, P), lambda f: Ellipsoid(f, AXES, Q), on_ball(0.2, P), on_ellipsoid(AXES, Q)),
    "ellipsoid on ellipsoid": Pair(lambda f: Ellipsoid(f, AXES, P), lambda f: Ellipsoid(f, (0.9, 0.4, 0.2), Q), on_ellipsoid(AXES, P), on_ellipsoid((0.9, 0.4, 0.2), Q)),
    "ellipsoid on ball": Pair(lambda f: Ellipsoid(f, AXES, P), lambda f: Ball(f, 0.7, Q), on_ellipsoid(AXES, P), on_ball(0.7, Q)),
    "tube on tube": Pair(lambda f: Tube(f, 0.2, at=P), lambda f: Tube(f, 0.3, at=Q), on_tube(0.2, P), on_tube(0.3, Q)),
    "ball in a bore": Pair(lambda f: Ball(f, 0.4, P), lambda f: Tube(f, 2.0, at=Q, inside=True), on_ball(0.4, P), on_tube(2.0, Q), 0.3, True),
    "ball in a bowl": Pair(lambda f: Ball(f, 0.4, P), lambda f: Ball(f, 2.0, Q, inside=True), on_ball(0.4, P), on_ball(2.0, Q), 0.3, True),
}  # fmt: skip


def posed(name: str) -> tuple[sb.Model, Any, Any, sb.bodies.Touch, list[Any]]:
    """Both surfaces on frames that move in all directions."""
    m = sb.Model("pair")
    frames = []
    for k in "ab":
        x, y, z, r, s, t = m.coordinates(" ".join(f"{k}{n}" for n in "xyzrst"))
        frames.append(m.ground.translate(x, y, z).rotate("x", r).rotate("y", s).rotate("z", t))
    pair = PAIRS[name]
    found = sb.touch(pair.first(frames[0]), pair.second(frames[1]))
    return m, frames[0], frames[1], found, list(m.symbols_of_kind("coordinate"))


def nearest(f: Callable[..., float], tries: int, n: int, rng: np.random.Generator) -> float:
    starts = [rng.uniform(-3, 3, n) for _ in range(tries)]
    return min(minimize(lambda x: f(*x), x0, method="BFGS", options={"gtol": 1e-10}).fun for x0 in starts)


@pytest.mark.parametrize("name", PAIRS)
def test_gap_is_the_least_distance_and_its_rate_the_normal_speed(name: str) -> None:
    m, a, b, found, q = posed(name)
    rng = np.random.default_rng(len(name))
    pair = PAIRS[name]
    values = dict(zip(q, rng.uniform(-0.6, 0.6, 12), strict=True))
    for k, c in enumerate("xyz"):
        values[m.symbols[f"a{c}"]] = pair.apart * (0.5, 0.3, 0.8)[k] + values[m.symbols[f"b{c}"]]
    rates = {s.dot: float(rng.normal()) for s in q}
    X = [
        (np.array(sb.evaluate(f.pose_in(m.ground).rotation.matrix, values), dtype=float), np.ravel(sb.evaluate(f.origin.in_ground, values)))
        for f in (a, b)
    ]  # fmt: skip

    def at(k: int, p: Any) -> np.ndarray:
        return X[k][0] @ np.array(p) + X[k][1]

    gap = float(sb.evaluate(found.gap, values))
    if pair.other is None:
        normal = X[1][0][:, 2]
        searched = nearest(lambda u, v: float(normal @ (at(0, pair.one(u, v)) - at(1, Q))), 6, 2, rng)
    elif pair.inside:  # the ball's centre to the wall
        searched = nearest(lambda u, v: float(np.linalg.norm(at(0, P) - at(1, pair.other(u, v)))), 6, 2, rng) - 0.4
    else:
        searched = nearest(
            lambda u, v, s, t: float(np.linalg.norm(at(0, pair.one(u, v)) - at(1, pair.other(s, t)))), 6, 4, rng
        )
    assert gap == pytest.approx(searched, abs=1e-7)
    everything = values | rates
    rate = float(sb.evaluate(sb.time_derivative(found.gap), everything))
    n, slip = found.normal, found.slip
    point = np.ravel(sb.evaluate(found.point.in_ground, values))
    v = []
    for k, f in enumerate((a, b)):
        vo, w = (
            np.ravel(np.array(sb.evaluate(e.components(m.ground), everything), dtype=float))
            for e in (f.origin.velocity(), f.angular_velocity())
        )
        v.append(vo + np.cross(w, point - X[k][1]))
    unit = np.ravel(np.array(sb.evaluate(n.components(m.ground), values), dtype=float))
    tangents = [np.ravel(np.array(sb.evaluate(t.components(m.ground), values), dtype=float)) for t in found.tangents]
    assert np.allclose(np.array([unit, *tangents]) @ np.array([unit, *tangents]).T, np.eye(3), atol=1e-12)
    assert float(sb.evaluate(slip[0], everything)) == pytest.approx(tangents[0] @ (v[0] - v[1]), abs=1e-12)
    # the gap's rate has the velocities of the nearest points of both surfaces, a gap apart along the normal
    ahead = point if pair.other is None else point + gap * unit
    va = np.ravel(np.array(sb.evaluate(a.origin.velocity().components(m.ground), everything), dtype=float))
    wa = np.ravel(np.array(sb.evaluate(a.angular_velocity().components(m.ground), everything), dtype=float))
    assert rate == pytest.approx(unit @ (va + np.cross(wa, ahead - X[0][1]) - v[1]), abs=1e-10)


@pytest.mark.parametrize("gap", [0.0, 0.4, 3.0, -0.02])
def test_ellipsoids_touch_to_rounding_where_their_common_normal_is_known(gap: float) -> None:
    """Placed with a given normal and gap, half axes in ratios up to four, also a little inside each other."""
    rng = np.random.default_rng(3)
    m = sb.Model("pair")
    turned = m.ground
    for axis, angle in zip("xyz", rng.uniform(-3, 3, 3), strict=True):
        turned = turned.rotate(axis, float(angle))
    R = np.array([sb.evaluate(v.components(m.ground), {}) for v in (turned.x, turned.y, turned.z)], float).reshape(3, 3)
    one, other, n = *rng.uniform(1.0, 4.0, (2, 3)), rng.normal(size=3)
    n /= np.linalg.norm(n)
    S = [R.T @ np.diag(one**2) @ R, np.diag(other**2)]
    d = gap * n + sum(Q @ n / np.sqrt(n @ Q @ n) for Q in S)
    x = m.coordinate("x")
    dx, dy, dz = (float(e) for e in R @ d)
    moved = turned.translate(dx, dy, dz).translate(x, 0, 0)
    found = sb.touch(Ellipsoid(moved, tuple(map(float, one))), Ellipsoid(m.ground, tuple(map(float, other))))
    numbers = np.ravel(np.array(sb.evaluate([found.gap, *found.normal.in_ground.entries], {x: 0.0}), dtype=float))
    assert numbers == pytest.approx([gap, *n], abs=1e-12)


def test_what_is_in_the_middle_of_the_other_has_no_gap() -> None:
    """Two surfaces of one part, which nothing moves."""
    m = sb.Model("m")
    for other in (Tube(m.ground, 0.5, inside=True), Ball(m.ground, 0.2)):
        with pytest.raises(sb.ModelError, match=r"always in the middle of the (Tube|Ball)"):
            sb.touch(Ball(m.ground, 0.1), other)
