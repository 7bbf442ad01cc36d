"""Laws of linearisation, on random mechanisms of every kind: nothing here knows how it is done."""

from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, four_bar_spatial, motorcycle
from symbody.derivation.equations.random_states import random_state
from tests.amount import FULL, some
from tests.mechanisms import conservative_tree, random_loop, random_tree

V = sb.symbol("V")


def in_order(eigenvalues):
    return sorted((complex(s) for s in eigenvalues), key=lambda s: (round(s.real, 6), round(s.imag, 6)))


def assert_same_spectrum(one, other, tolerance=1e-8):
    one, other = in_order(one), in_order(other)
    assert len(one) == len(other)
    left = list(other)
    scale = max(map(abs, [*one, 1.0]))
    for s in one:
        nearest = min(left, key=lambda t: abs(s - t))
        assert abs(s - nearest) < tolerance * scale
        left.remove(nearest)


# -------------------------------------------------------------------------------------------- against the motion itself


def along_the_motion(eq, state, lin, direction):
    """Rates of the independent variables of the minimal form, differentiated along a tangent by the complex step."""
    names = {s.name: s for s in (*eq.q, *eq.u)}
    ui = [n for n in lin.x if n in {u.name for u in eq.u}]
    small = sb.minimal(eq, ui, at={s: v for s, v in state.items() if s in (*eq.q, *eq.p)}) if eq.lam else eq
    rates = {s.name: e for s, e in zip((*small.q, *small.u), (*small.rates, *small.udot), strict=True)}
    moved = dict(state)
    for name, part in zip(lin.variables, lin.numbers.recovered({}) @ direction, strict=True):
        if names[name] in (*small.q, *small.u):
            moved[names[name]] = state[names[name]] + 1e-30j * part
    return np.array([complex(x).imag / 1e-30 for x in sb.evaluate([rates[n] for n in lin.x], moved)])


CASES = [("loop", seed) for seed in (2, 3, 4, 5, 6, 9, 11, 12, 13)] + [("tree", seed) for seed in (1, 3, 4, 5, 6)]


@pytest.mark.parametrize(("kind", "seed"), some(CASES, 2))
def test_neighbourhood_of_a_moving_point(kind, seed):
    """E⁻¹ A is the derivative of the motion's right side along the constraints, at states with every speed and
    acceleration."""
    sample = random_loop(seed) if kind == "loop" else random_tree(seed, 3)
    eq = sb.derive(sample.mechanism, check=False)
    values = {k: v for k, v in sample.start.items() if k in {q.name for q in eq.q}}
    state = random_state(eq, seed, values)
    about = {s: v for s, v in state.items() if s in (*eq.q, *eq.u, *eq.r, eq.t)}
    parameters = {s.name: v for s, v in state.items() if s in eq.p}
    lin = sb.linearize(eq, about, moving=True, outputs={}, values=parameters)
    direction = np.random.default_rng(seed).uniform(-1, 1, len(lin.x))
    n = lin.matrices()
    ours, expected = np.linalg.solve(n.E, n.A @ direction), along_the_motion(eq, state, lin, direction)
    scale = np.abs(np.linalg.solve(n.E, n.A)).max(axis=1) + 1.0
    assert ours / scale == pytest.approx(expected / scale, abs=1e-8)


def test_finite_differences_of_the_compiled_motion():
    """The bicycle at 5 m/s: eigenvalues of a finite-difference linearisation of its compiled minimal form."""
    eq = sb.derive(bicycle.model())
    lin = sb.linearize(eq, sb.steady(eq, values={"x_dot": V}, zero=["y", "q3", "q1", "q2"]), drop="cyclic")
    small = sb.minimal(eq, ["q1_dot", "q2_dot", "x_dot"], at={"q1": 0, "q2": 0, "delta": 0, "q3": 0})
    f = sb.compile(small)
    q0, u0 = np.zeros(8), np.array([5.0 if u.name == "x_dot" else 0.0 for u in small.u])
    T, h = lin.numbers.recovered({"V": 5}), 1e-5

    def rates(step, direction):
        by_name = dict(zip(lin.variables, T @ direction, strict=True))
        q = q0 + step * np.array([by_name.get(s.name, 0.0) for s in small.q])
        u = u0 + step * np.array([by_name[s.name] for s in small.u])
        found = dict(
            zip(
                [s.name for s in (*small.q, *small.u)],
                [*f.qdot(0, q, u, f.p), *f.udot(0, q, u, f.p)],
                strict=True,
            )
        )
        return np.array([found[n] for n in lin.x])

    slopes = np.array([(rates(h, e) - rates(-h, e)) / (2 * h) for e in np.eye(len(lin.x))]).T
    assert_same_spectrum(np.linalg.eigvals(slopes), lin.eigenvalues(V=5), 1e-6)


# ------------------------------------------------------------------------------------------------ structure


@pytest.mark.parametrize("seed", [4, 7, 13, 28] if FULL else [13, 28])  # trees whose speeds are rates of coordinates
def test_conservative_systems_are_symmetric(seed):
    """At rest, in coordinates and their rates: M and K symmetric, no damping, no circulation, no gyroscopes."""
    sample = conservative_tree(seed)
    eq = sb.derive(sample.mechanism)
    motion = sb.steady(eq)
    assert motion.is_steady, motion.outcome
    form = sb.linearize(eq, motion).second_order()
    at = {**eq.mechanism.values, **motion.found}
    M, D, G, K, N = (
        np.array(sb.evaluate(X, at), dtype=float).reshape(X.shape) for X in (form.M, form.D, form.G, form.K, form.N)
    )
    assert M == pytest.approx(M.T)
    assert np.linalg.eigvalsh(M).min() > 0
    assert K == pytest.approx(K.T)
    scale = np.abs(K).max()
    assert [np.abs(X).max() / scale for X in (D, G, N)] == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_turning_frame_is_gyroscopic():
    """On a turntable: G = 2 m Ω skew, K = k - m Ω², in parameters; nothing else."""
    m = sb.Model("turntable")
    x, y = m.coordinates("x y")
    mass, k, W = m.parameters("mass k W", 2.0, 30.0, 1.5)
    table = m.ground.rotate("z", W * m.time)
    m.particle("bead", table.point(x, y, 0), mass=mass)
    m.potential("springs", k * (x**2 + y**2) / 2)
    eq = sb.derive(m)
    form = sb.linearize(eq, {}).second_order()
    values = {mass: 2.0, k: 30.0, W: 1.5}
    G, K = (np.array(sb.evaluate(X, values)) for X in (form.G, form.K))
    assert np.abs(G) == pytest.approx(np.array([[0, 6], [6, 0]]))
    assert pytest.approx(-G.T) == G
    assert pytest.approx(np.eye(2) * (30 - 2 * 1.5**2)) == K
    assert all(e is sb.matrix([[0]])[0] for X in (form.D, form.N) for e in X.entries)


# ------------------------------------------------------------------------------------ nothing depends on how it is said


ROUTES = ("kane", "lagrange", "newton-euler", "gibbs-appell")


@pytest.mark.parametrize("route", ROUTES)
def test_routes_agree(route):
    straight: dict[str, Any] = {"values": {"x_dot": V}, "zero": ["y", "psi", "phi", "delta"]}
    spectra = []
    for eq in (sb.derive(motorcycle.model()), sb.derive(motorcycle.model(), route)):
        spectra.append(sb.linearize(eq, sb.steady(eq, **straight), drop="cyclic").eigenvalues(V=20))
    assert_same_spectrum(*spectra)


@pytest.mark.parametrize("independent", [["q1", "q2", "q4"], ["q2", "q5", "q1"], ["q1_dot", "q3_dot", "x_dot"]])
def test_independent_coordinates_do_not_matter(independent):
    eq = sb.derive(bicycle.model())
    motion = sb.steady(eq, values={"x_dot": V}, zero=["y", "q3", "q1", "q2"])
    assert_same_spectrum(
        sb.linearize(eq, motion).eigenvalues(V=4), sb.linearize(eq, motion, independent=independent).eigenvalues(V=4)
    )


@pytest.mark.parametrize("method", ["qz", "qr"])
def test_methods_agree(method):
    """On the equations in all variables, and on the tangent of the constraints: the same eigenvalues."""
    cases: list[tuple[sb.Model, dict[str, Any]]] = [
        (bicycle.model(), {"values": {"x_dot": 5.0}, "zero": ["y", "q3", "q1", "q2"]}),
        (motorcycle.model(), {"values": {"x_dot": 20.0}, "zero": ["y", "psi", "phi", "delta"]}),
        (four_bar_spatial.model(), {}),
    ]  # fmt: skip
    for model, straight in cases:
        eq = sb.derive(model)
        lin = sb.linearize(eq, sb.steady(eq, **straight))
        assert_same_spectrum(
            lin.eigenvalues(), lin.eigenvalues(method=method), 1e-6
        )  # zeros of cyclic coordinates are multiple


def test_minimal_form_has_the_same_spectrum():
    eq = sb.derive(bicycle.model())
    small = sb.minimal(eq, ["q1_dot", "q2_dot", "q4_dot"], at={"q1": 0, "q2": 0, "delta": 0, "q3": 0})
    straight: dict[str, Any] = {"values": {"q4_dot": -5 / 0.354}, "zero": ["y", "q3", "q1", "q2"]}
    spectra = [sb.linearize(e, sb.steady(e, **straight), drop="cyclic").eigenvalues() for e in (eq, small)]
    assert_same_spectrum(*spectra)


def top(speeds: str) -> sb.Model:
    """A body that hangs from a ball joint by angles, by angles with other speeds, or by Euler parameters."""
    m = sb.Model(f"top by {speeds}")
    m.gravity(0, 0, -9.81)
    body = m.body("body", mass=2.0, com=(0.1, 0.05, -0.4), inertia=(0.2, 0.25, 0.1))
    sequence = "euler parameters" if speeds == "euler parameters" else "xyz"
    m.spherical("j", m.ground, body, sequence=sequence)
    m.torque("spring", body, -3.0 * m.symbols_of_kind("coordinate")[-1] * body.frame.z)
    if speeds == "quasi":
        a, b, _ = m.symbols_of_kind("coordinate")
        m.speed("w1", a.dot + 0.3 * b.dot * sb.cos(a))
        m.speed("w2", b.dot * (1 + 0.2 * sb.sin(a)))
    return m


def test_speeds_and_rotation_parameters_do_not_matter():
    spectra = []
    for speeds in ("angles", "quasi"):
        eq = sb.derive(top(speeds))
        motion = sb.steady(eq, start={"j_1": 0.1})
        assert motion.is_steady, motion.outcome
        spectra.append(sb.linearize(eq, motion).eigenvalues())
    assert_same_spectrum(*spectra)


def test_euler_parameters_need_no_care():
    """A hanging body by angles and by Euler parameters, without the spring that only one of them has: norm and all."""
    spectra = []
    for sequence in ("xyz", "euler parameters"):
        m = sb.Model(f"pendulum by {sequence}")
        m.gravity(0, 0, -9.81)
        body = m.body("body", mass=2.0, com=(0, 0, -0.4), inertia=(0.2, 0.25, 0.1))
        m.spherical("j", m.ground, body, sequence=sequence)
        m.spring("s", body.point(0.3, 0, 0), m.ground.point(0.3, 0.5, 0), stiffness=5.0, rest=0.5)
        m.drag("air", body.point(0, 0, -1), linear=0.1)
        eq = sb.derive(m)
        spectra.append(sb.linearize(eq, sb.steady(eq)).eigenvalues())
        assert len(spectra[-1]) == 6
    assert_same_spectrum(*spectra)
