"""Frames, points, vectors and dyads against matrices of NumPy: random trees of frames, every pair of frames."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.graph import Symbol
from symbody.bodies.frames import vectors
from symbody.bodies.frames.dyads import Dyad
from symbody.bodies.frames.frames import Frame

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
    return (8 * (f(Q + h) - f(Q - h)) - (f(Q + 2 * h) - f(Q - 2 * h))) / (12 * STEP)


def twice_in_time(f: Any) -> np.ndarray:
    h = 10 * STEP * RATES
    return (-f(Q + 2 * h) + 16 * f(Q + h) - 30 * f(Q) + 16 * f(Q - h) - f(Q - 2 * h)) / (12 * (10 * STEP) ** 2)


PAIRS = [(k, to) for k in range(6) for to in range(6)]
POINT = np.array([0.2, -0.3, 0.5])


@pytest.mark.parametrize("seed", range(4))
def test_points_seen_from_every_frame(seed: int) -> None:
    """Position, velocity, acceleration and the place in another frame, for every pair of frames of the tree."""
    tree = random_tree(seed)
    for k, to in PAIRS:
        point, home = tree.frames[k].point(*POINT), tree.frames[to]

        def place(x: np.ndarray, k: int = k, to: int = to) -> np.ndarray:
            return (tree.relative(k, to, x) @ [*POINT, 1])[:3]

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
    model = sb.study.read_model_text(text).model
    assert sb.evaluate(model.parts.outputs["seen"], {"q": 0.3}) == pytest.approx([-4, 0, 0])
    assert sb.evaluate(model.parts.outputs["turned"], {"q": 0.3}) == pytest.approx([-np.sin(0.3), -np.cos(0.3), 0])


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
            return R @ [2 * x[0], 1 + x[0] * x[1], -0.4] + [x[1], 0, 1]

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
    same(one.cross(c), np.cross(One, C))  # rows: a (b × c)
    same(c.cross(one), np.cross(C, One, axisb=0, axisc=0))  # columns: (c × a) b
    same(a.skew().dot(b), np.cross(A, B))
    same(sb.bodies.axial(a.skew()), A)
    same(sb.bodies.axial(one), -np.cross(A, B) / 2)
    same(a.normalize(), A / np.linalg.norm(A))
    same(a.angle_between(b), np.arccos(A @ B / np.linalg.norm(A) / np.linalg.norm(B)))


@pytest.mark.parametrize("seed", range(3))
def test_identities_of_vectors_and_dyads(seed: int) -> None:
    """Laws of the algebra, with operators and free functions, for terms in different frames."""
    tree, rng = random_tree(seed), random.Random(seed)
    q1, q2 = tree.q

    def random_vector() -> sb.Vector:
        parts = (rng.choice(tree.frames).vector(rng.uniform(-1, 1) * q1, rng.uniform(-1, 1), q2) for _ in range(2))
        return sum(parts)  # type: ignore[return-value]

    a, b, c, d = (random_vector() for _ in range(4))
    D, E = a | b, (c | d) + 2 * (b | c)
    home = rng.choice(tree.frames)

    def same(one: Any, other: Any) -> None:
        x, y = (e.components(home) if hasattr(e, "components") else e for e in (one, other))
        assert numbers(tree, x) == pytest.approx(numbers(tree, y), abs=1e-10)

    same(a ^ (b ^ c), b * (a & c) - c * (a & b))
    same(a & (b ^ c), b & (c ^ a))
    same(a.skew() & b, a ^ b)
    same((D ^ c) & d, D & (c ^ d))
    same((c ^ D) & d, c ^ (D & d))
    same((D & E) & c, D & (E & c))
    same(c & D, D.transposed() & c)
    same(sb.bodies.axial(D - D.transposed()), 2 * sb.bodies.axial(D))
    same(sb.dot(a, b), a & b)
    same(sb.cross(a, D), a ^ D)
    same(sb.outer(a, b), D)
    same(sb.skew(a), a.skew())
    same(sb.bodies.express(a, home), a)
    for frame in (home, None):  # product rules
        same((D & c).dt(frame), (D.dt(frame) & c) + (D & c.dt(frame)))
        same(D.dt(frame), (a.dt(frame) | b) + (a | b.dt(frame)))
        same(a.skew().dt(frame), a.dt(frame).skew())


@pytest.mark.parametrize("seed", range(3))
def test_system_vectors(seed: int) -> None:
    """Sums, multiples, fat dot products, momenta and derivatives are those of the vectors in them."""
    tree, rng = random_tree(seed), random.Random(seed)
    q1, q2 = tree.q
    f = [rng.choice(tree.frames) for _ in range(4)]
    v = sb.bodies.SystemVector(f[0].origin.velocity(), f[0].angular_velocity(), f[1].point(1, q1, 0).velocity())
    F = sb.bodies.SystemVector(f[2].vector(1, 2, q1), f[3].vector(q2, 0, 1), f[2].vector(0, q1 * q2, 3))
    I = f[0].dyad(sb.inertia(1, 2, 3, 0.1, 0.2, 0.3))
    home = f[3]

    def same(one: sb.bodies.SystemVector, other: sb.bodies.SystemVector) -> None:
        for a, b in zip(one, other, strict=True):
            assert numbers(tree, a.components(home)) == pytest.approx(numbers(tree, b.components(home)), abs=1e-10)

    beta = v.partial([q1.dot, q2.dot])
    same(sum(b * q.dot for b, q in zip(beta, tree.q, strict=True)), v)  # type: ignore[arg-type]
    same((v - F) + F, v)
    same(-(v / 2), v * -0.5)
    same(v.express(home), v)
    p = v.momentum((2.0, I, 3.0))
    same(p, sb.bodies.SystemVector(2 * v[0], I.dot(v[1]), 3 * v[2]))
    assert numbers(tree, v & F) == pytest.approx(sum(numbers(tree, a.dot(b)) for a, b in zip(v, F, strict=True)))
    rate = numbers(tree, sb.time_derivative(v.dot(p)))
    assert rate == pytest.approx(numbers(tree, v.dt().dot(p) + v.dot(p.dt())), abs=1e-9)
    with pytest.raises(sb.ModelError, match="system vector of 3 vectors"):
        v.dot(sb.bodies.SystemVector(v[0]))
    with pytest.raises(sb.ModelError, match="3 vectors need as many masses"):
        v.momentum([1.0])


def test_tangent_vectors_are_system_vectors() -> None:
    """M = β · (inertia on β) for every pair, and differences of tangent vectors."""
    m = sb.Model("double pendulum")
    upper, lower = (m.body(n, mass=2.0, com=(0, -0.5, 0), inertia=(0.1, 0.2, 0.3)) for n in ("upper", "lower"))
    m.revolute("a", m.ground, upper)
    m.universal("b", upper, lower, at=(0, -1, 0))
    eq = sb.derive(m)
    beta, values = sb.derivation.tangent_vectors(eq), eq.values(a=0.3, b_1=0.7, b_2=-0.4)
    M = [[sb.evaluate(x.velocities.dot(y.momentum()), values) for y in beta] for x in beta]
    assert np.array(M) == pytest.approx(np.array(sb.evaluate(eq.M, values)), abs=1e-13)
    apart = 2 * beta[0] - beta[1]
    assert sb.evaluate(apart.dot(beta[2]), values) == pytest.approx(2 * M[0][2] - M[1][2], abs=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_poses_are_matrices_of_four(seed: int) -> None:
    """X_AC = X_AB X_BC, X⁻¹, points, and frames made of a pose or of its matrix."""
    tree = random_tree(seed)
    for k, to in PAIRS[seed::3]:
        f, home = tree.frames[k], tree.frames[to]
        X, expected = f.pose_in(home), tree.relative(k, to, Q)
        assert numbers(tree, X.matrix) == pytest.approx(expected, abs=1e-12)
        assert numbers(tree, X.inverse.matrix) == pytest.approx(np.linalg.inv(expected), abs=1e-12)
        back = home.pose_in(f) @ X
        assert numbers(tree, back.matrix) == pytest.approx(np.eye(4), abs=1e-12)
        assert numbers(tree, X @ sb.vector(*POINT)) == pytest.approx((expected @ [*POINT, 1])[:3], abs=1e-12)
        for place in (X, X.matrix):
            again = home.place(place)
            assert numbers(tree, again.pose_in(tree.frames[0]).matrix) == pytest.approx(tree.matrix(k, Q), abs=1e-12)
        assert numbers(tree, home.dcm(f)) == pytest.approx(expected[:3, :3], abs=1e-12)
    with pytest.raises(sb.ModelError, match="4 by 4 matrix"):
        tree.frames[0].place([[1, 2], [3, 4]])


def test_space_fixed_sequence_turns_about_axes_of_the_first_frame() -> None:
    m = sb.Model("frames")
    frame = m.ground.rotate("zxy", 0.3, -0.7, 1.1, space_fixed=True)
    one_by_one = rotation(AXES[1], 1.1) @ rotation(AXES[0], -0.7) @ rotation(AXES[2], 0.3)
    assert np.array(sb.evaluate(m.ground.dcm(frame), {})) == pytest.approx(one_by_one, abs=1e-15)


@pytest.mark.parametrize("about", [(0, 0, 0), (0.3, -0.2, 0.5)])
def test_inertia_of_a_body_as_a_dyad(about: tuple[float, float, float]) -> None:
    """I_P · ω is the moment of momentum about a point P of the body that does not move."""
    m = sb.Model("top")
    body = m.body("top", mass=2.0, com=(0.1, 0.2, 0.3), inertia=sb.inertia(1, 2, 2.5, 0.1, 0.2, 0.3))
    m.spherical("pivot", m.ground, body, on=about)
    eq = sb.derive(m)
    values = eq.values({s: 0.3 + 0.2 * k for k, s in enumerate((*eq.q, *eq.u))})
    w = body.frame.angular_velocity()
    one, other = body.inertia(body.point(*about)).dot(w), sb.angular_momentum(eq)
    assert sb.evaluate(one.in_ground, values) == pytest.approx(sb.evaluate(other.in_ground, values), abs=1e-13)
    centre = body.inertia().components(body.frame)
    assert sb.evaluate(centre, {}) == [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]


def test_vectors_as_text_and_in_functions_of_expressions() -> None:
    """substitute, free_symbols, tidy, simplified, text and LaTeX take vectors, dyads and points."""
    m = sb.Model("frames")
    q1, q2 = m.coordinates("q1 q2")
    A = m.frame("A", m.ground.rotate("z", q1))
    v = A.vector(q1 - q2, -1, 0) + m.ground.vector(0, 0, q2.dot)
    assert str(v) == "(q1 - q2)*A.x - A.y + q2_dot*ground.z"
    assert str(A.x | m.ground.y) == "(A.x|ground.y)"
    assert sb.latex(A.x) == r"\hat{\mathbf{x}}_{\mathrm{A}}"
    assert sb.latex(2 * A.x | A.z) == r"2\,\hat{\mathbf{x}}_{\mathrm{A}}\,\hat{\mathbf{z}}_{\mathrm{A}}"
    assert sb.latex(A) == r"\mathrm{A}"
    assert sb.latex(A.point(q1, 0, 0)).endswith(r"_{\mathrm{A}}")
    assert str(A.vector(0, 0, 0)) == "0"
    assert repr(A.vector(0, 0, 0)) == "vector(0)"
    at_rest = sb.substitute(v, {q2.dot: 0})
    assert list(at_rest.terms) == [A]
    assert sb.substitute([A.point(q1, 0, 0), v.outer(v)], {q1: 2})[0].coordinates == sb.vector(2, 0, 0)
    assert sb.free_symbols(v) == [q1, q2, q2.dot]
    assert sb.free_symbols(A.point(q1, 0, 0), sb.bodies.SystemVector(v)) == [q1, q2, q2.dot]
    c, s = sb.cos(q2 + q1), sb.sin(q2 + q1)
    long = A.vector(sb.cos(q1) * c + sb.sin(q1) * s, 0, 0)
    assert sb.tidy(long) == sb.tidy(long.express(A)) == A.vector(sb.cos(q2), 0, 0)
    assert sb.simplified(A.vector(q1 * (q2 + 1) - q1, 0, 0)) == A.vector(q1 * q2, 0, 0)


def test_wrong_operands_of_vectors_and_dyads_are_refused() -> None:
    m = sb.Model("frames")
    v, D = m.ground.vector(1, 2, 3), m.ground.dyad([1, 0, 0, 0, 1, 0, 0, 0, 1])
    wrong = {
        "a vector cannot be added to": lambda: v + D,
        "cannot be taken from a dyad": lambda: D - v,
        "use a.dot": lambda: v * D,
        "cross: expected a vector": lambda: D ^ D,  # type: ignore[operator]
        "dot: expected a vector": lambda: D & 3,
        "normalize: the zero vector": (v - v).normalize,
        "axial: expected a dyad": lambda: sb.bodies.axial(v),  # type: ignore[arg-type]
        "express: expected a vector or a dyad": lambda: sb.bodies.express(3, m.ground),
        "3 by 3 components": lambda: m.ground.dyad([1, 2, 3]),
        "expected a frame": lambda: D.express(3),  # type: ignore[arg-type]
    }
    for message, call in wrong.items():
        with pytest.raises(sb.ModelError, match=message):
            call()


@pytest.mark.parametrize("seed", range(3))
def test_many_terms_are_gathered_along_the_tree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Components in every frame, products and magnitudes are those of terms that are turned one by one."""
    draw = random.Random(seed)
    m = sb.Model("tree")
    q = m.coordinates("a b")
    frames = [m.ground]
    for _ in range(9):
        angle = draw.choice(q) * draw.uniform(-1, 1)
        frames.append(
            draw.choice(frames[-3:]).rotate(draw.choice("xyz"), angle).translate(draw.uniform(-1, 1), q[0], 0)
        )
    at = {s: draw.uniform(-1, 1) for s in (*q, *(s.dot for s in q))}
    v, w = (
        sum((f.vector(*(draw.uniform(-1, 1) for _ in range(3))) for f in draw.sample(frames, 6)), start=0 * m.ground.x)
        for _ in range(2)
    )
    speed = frames[-1].point(1, 2, 3).velocity()

    def numbers() -> list[float]:
        asked = [*(e for x in (v, speed) for f in frames for e in x.components(f).entries), v.dot(w), w.dot(v)]
        return list(sb.evaluate([*asked, v.magnitude(), speed.dot(speed), *v.cross(w).in_ground.entries], at))

    wanted = numbers()
    monkeypatch.setattr(vectors, "MANY_TERMS", 1)
    np.testing.assert_allclose(numbers(), wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())


def test_many_terms_of_two_models_do_not_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "MANY_TERMS", 1)
    one, other = sb.Model("one").ground, sb.Model("other").ground
    v = one.x + one.rotate("z", 0.1).y
    with pytest.raises(sb.errors.ModelError, match="different models"):
        v.components(other)
