"""Frames, points, vectors and dyads against matrices of NumPy: random trees of frames, every pair of frames."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph import Symbol
from symbody.bodies.frames import Dyad, Frame

AXES = np.eye(3)


@dataclass
class Tree:
    """Frames that move with two coordinates, and the same frames as 4 by 4 matrices computed by NumPy."""

    frames: list[Frame]
    q: tuple[Symbol, ...]
    placements: list[
        Any
    ]  # for each frame: its parent's number, and a function from the numbers of q to a 4 by 4 matrix

    def matrix(self, k: int, q: np.ndarray) -> np.ndarray:
        if k == 0:
            return np.eye(4)
        parent, place = self.placements[k]
        return self.matrix(parent, q) @ place(q)

    def relative(self, k: int, to: int, q: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.matrix(to, q), self.matrix(k, q))


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    n = axis / np.linalg.norm(axis)
    skew = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def block(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    return np.block([[R, r[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


def random_tree(seed: int, n: int = 6) -> Tree:
    rng = random.Random(seed)
    m = sb.Model("frames")
    q = m.coordinates("q1 q2")
    tree = Tree([m.ground], q, [None])
    for k in range(1, n):
        parent, c = rng.randrange(k), rng.randrange(2)
        a, b = rng.uniform(-2, 2), rng.uniform(-2, 2)
        angle, offset = a * q[c] + b, [rng.uniform(-1, 1) for _ in range(3)]
        axis = rng.choice([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [rng.uniform(-1, 1) for _ in range(3)]])
        on = tree.frames[parent].translate(offset[0], offset[1] + q[1 - c], offset[2])

        def place(x: np.ndarray, a=a, b=b, c=c, axis=axis, offset=offset) -> np.ndarray:
            return block(rotation(np.array(axis), a * x[c] + b), np.array([offset[0], offset[1] + x[1 - c], offset[2]]))

        half, n_ = angle / 2, np.array(axis) / np.linalg.norm(axis)
        e = (sb.cos(half), *(sb.sin(half) * float(x) for x in n_))
        made = on.rotate(axis, angle) if rng.random() < 0.7 else on.rotate_by_euler_parameters(e)
        tree.frames.append(made)
        tree.placements.append((parent, place))
    return tree


Q, RATES = np.array([0.3, -0.7]), np.array([0.9, 0.4])
STEP = 1e-4


def numbers(tree: Tree, thing: Any) -> np.ndarray:
    q1, q2 = tree.q
    rates = {q1.dot: RATES[0], q2.dot: RATES[1], q1.dot.dot: 0.0, q2.dot.dot: 0.0}  # along straight lines in q
    return np.array(sb.evaluate(thing, {q1: Q[0], q2: Q[1], **rates}), dtype=float)


def in_time(f: Any) -> np.ndarray:
    """Time derivative of a function of q, with errors of the fourth order in the step."""
    h = STEP * RATES
    return (8 * (f(Q + h) - f(Q - h)) - (f(Q + 2 * h) - f(Q - 2 * h))) / (12 * STEP)  # type: ignore[no-any-return]


def twice_in_time(f: Any) -> np.ndarray:
    h = 10 * STEP * RATES
    return (-f(Q + 2 * h) + 16 * f(Q + h) - 30 * f(Q) + 16 * f(Q - h) - f(Q - 2 * h)) / (12 * (10 * STEP) ** 2)  # type: ignore[no-any-return]


PAIRS = [(k, to) for k in range(6) for to in range(6)]
POINT = np.array([0.2, -0.3, 0.5])


@pytest.mark.parametrize("seed", range(4))
def test_points_seen_from_every_frame(seed: int) -> None:
    """Position, velocity, acceleration and the place in another frame, for every pair of frames of the tree."""
    tree = random_tree(seed)
    for k, to in PAIRS:
        point, home = tree.frames[k].point(*POINT), tree.frames[to]

        def place(x: np.ndarray, k: int = k, to: int = to) -> np.ndarray:
            return (tree.relative(k, to, x) @ [*POINT, 1])[:3]  # type: ignore[no-any-return]

        assert numbers(tree, point.position(home).components(home)) == pytest.approx(place(Q), abs=1e-12)
        assert numbers(tree, point.in_frame(home).coordinates) == pytest.approx(place(Q), abs=1e-12)
        assert numbers(tree, point.velocity(home).components(home)) == pytest.approx(in_time(place), abs=1e-9)
        assert numbers(tree, point.acceleration(home).components(home)) == pytest.approx(twice_in_time(place), abs=1e-7)


def test_positions_on_another_branch_from_a_file() -> None:
    """Frames of a file are the same frames."""
    text = """symbody: 1
name: frames
coordinates: q
frames:
  side: ground.translate(5, 0, 0).rotate(z, q)
bodies:
  b: {frame: side, mass: 1}
outputs:
  seen: ground.point(1, 0, 0).position(side).components(ground)
  turned: ground.x.partial(q, side).components(side)
"""
    model = sb.read_model_text(text).model
    assert sb.evaluate(model.outputs["seen"], {"q": 0.3}) == pytest.approx([-4, 0, 0])
    assert sb.evaluate(model.outputs["turned"], {"q": 0.3}) == pytest.approx([-np.sin(0.3), -np.cos(0.3), 0])


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_vectors_seen_from_every_frame(seed: int) -> None:
    """dt, partial and angular velocity: the axes of the frame that looks on are held."""
    tree = random_tree(seed)
    q1, q2 = tree.q
    for k, to in PAIRS:
        f, home = tree.frames[k], tree.frames[to]
        v = f.vector(q1 * 2, 1 + q2 * q1, -0.4) + home.vector(q2, 0, 1)

        def components(x: np.ndarray, k: int = k, to: int = to) -> np.ndarray:
            R = tree.relative(k, to, x)[:3, :3]
            return R @ [2 * x[0], 1 + x[0] * x[1], -0.4] + [x[1], 0, 1]  # type: ignore[no-any-return]

        assert numbers(tree, v.dt(home).components(home)) == pytest.approx(in_time(components), abs=1e-9)
        for j, found in enumerate(v.partial([q1, q2], home)):
            h = STEP * AXES[j, :2]
            slope = (components(Q + h) - components(Q - h)) / (2 * STEP)
            assert numbers(tree, found.components(home)) == pytest.approx(slope, abs=1e-6)
        R, rate = tree.relative(k, to, Q)[:3, :3], in_time(lambda x, k=k, to=to: tree.relative(k, to, x)[:3, :3])
        spin = rate @ R.T
        w = numbers(tree, f.angular_velocity(home).components(home))
        assert w == pytest.approx([spin[2, 1], spin[0, 2], spin[1, 0]], abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_products_of_vectors_and_dyads(seed: int) -> None:
    """Dot, cross and outer products, of terms in different frames, are those of their components in any one frame."""
    tree, rng = random_tree(seed), random.Random(seed)
    ground = tree.frames[0]

    def random_vector() -> sb.Vector:
        terms = [rng.choice(tree.frames).vector(*(rng.uniform(-1, 1) for _ in range(3))) for _ in range(2)]
        return terms[0] + terms[1]

    a, b, c, d = (random_vector() for _ in range(4))
    A, B, C, D = (numbers(tree, v.components(ground)) for v in (a, b, c, d))
    one, other = a.outer(b), c.outer(d) + b.outer(a)
    One, Other = np.outer(A, B), np.outer(C, D) + np.outer(B, A)

    def same(found: Any, expected: np.ndarray) -> None:
        columns = found.components(ground) if isinstance(found, (sb.Vector, Dyad)) else found
        assert numbers(tree, columns) == pytest.approx(expected, abs=1e-12)

    same(a.dot(b), A @ B)
    same(a.cross(b), np.cross(A, B))
    same(one, One)
    same(one.dot(c), One @ C)
    same(c.dot(one), C @ One)
    same(one.dot(other), One @ Other)
    same(one.dot(other).dot(c), One @ Other @ C)
    same((one - other * 2 / 3).transposed(), (One - Other * 2 / 3).T)
    same(sum([one, other]), One + Other)
