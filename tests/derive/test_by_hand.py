"""Equations of motion put together by hand, as Sophia has them: projections of vectors, labels of vectors, implicit rates."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, spherical_chain, string_with_particles
from examples.documents import sophia_bicycle, sophia_pendulums, sophia_string


def test_string_by_vectors_is_the_string() -> None:
    """Kane's equations of the program in appendix B.1 are those of the model with particles and loads."""
    made, eq = sophia_string.particle_system(), sb.derive(string_with_particles.model())
    draw = np.random.default_rng(1)
    numbers = {s.name: draw.uniform(0.05, 0.2) for s in (*eq.q, *eq.u, *(u.dot for u in eq.u))}
    numbers |= {"t": 0.3, "omega": 3.0}
    theirs = {s: numbers.get(s.name, v) for s, v in made.m.parts.default_values.items()} | _by_symbol(
        made.kane_eqs, numbers
    )
    ours = eq.values(numbers | {"shake": 0.01, "drag": 0.2})
    by_name = {s.name: s for s in theirs}
    theirs |= {by_name["wa"]: 0.01, by_name["vd"]: 0.2}
    assert sb.evaluate(made.kane_eqs, theirs) == pytest.approx(
        [-x for x in sb.evaluate(eq.residual(), ours)], rel=1e-11
    )


def _by_symbol(thing, numbers):
    return {s: numbers[s.name] for s in sb.free_symbols(thing) if s.name in numbers}


def test_components_of_vectors_have_names() -> None:
    labels = list(sophia_string.particle_system().m.parts.labels)
    assert len(labels) == 22
    assert labels[:3] == ["r1s_1", "r1s_2", "r1s_3"]
    assert labels[12:14] == ["magw2s", "offset"]
    assert not sophia_string.particle_system(subexpressions=False).m.parts.labels


@pytest.mark.parametrize("absolute", [True, False])
def test_pendulums_by_vectors_are_the_chain(absolute: bool) -> None:
    n = 2
    made, eq = sophia_pendulums.pendulums(n, absolute).equations, sb.derive(spherical_chain.model(n, absolute))
    draw = np.random.default_rng(2)
    state = {s.name: draw.uniform(-1, 1) for s in (*eq.q, *eq.u)}
    rates = sb.first_order(made)
    theirs = {k.replace("_dot", "_rate"): v for k, v in state.items()}
    values = sb.evaluate(rates.rates, made.values(theirs | {"t": 0.7}))
    by_name = dict(zip((s.name for s in rates.x), values, strict=True))
    found = [by_name[f"q{k}_rate"] for k in range(1, 2 * n + 1)]
    assert found == pytest.approx(sb.evaluate(eq.udot, eq.values(state | {"t": 0.7})), rel=1e-10)


def test_bicycle_by_vectors_is_the_bicycle() -> None:
    """Accelerations in a turn of six states with implicit ones, against the model with rolling constraints."""
    eq = sb.derive(bicycle.model())
    state = sb.assemble(eq, q1=0.1, q2=0.2, q1_dot=0.3, q2_dot=-0.4, q4_dot=-5 / 0.354)
    udot = sb.evaluate(eq.udot, eq.values({s.name: state[s.name] for s in (*eq.q, *eq.u)}))
    expected = dict(zip((u.name for u in eq.u), udot, strict=True))
    small = sophia_bicycle.bkdyn556
    at = {"q1": 0.1, "q2": 0.2, "q1_rate": 0.3, "q2_rate": -0.4, "u5": -state["q5_dot"], "delta": state["delta"]}
    rates = sb.evaluate(sb.first_order(small).rates, small.values(at))
    found = dict(zip((s.name for s in small.state), rates, strict=True))
    assert found["delta"] == pytest.approx(state["delta_dot"], abs=1e-12)
    for name, speed, sign in (("q1_rate", "q1_dot", 1), ("q2_rate", "q2_dot", 1), ("u5", "q5_dot", -1)):
        assert found[name] == pytest.approx(sign * expected[speed], rel=1e-11)


def test_rates_of_higher_order_take_the_place_of_rates_in_all_equations() -> None:
    m = sb.Model("chain")
    x, y = m.variables("x y")
    m.equation("first", y.dot - x.dot**2)
    m.equation("second", x.dot.dot + x.dot)
    m.equation("third", x.dot * y.dot - 1)
    assert [sb.text(h) for h in m.parts.equations.values()][::3] == ["y_dot - x_rate**2", "x_rate*y_dot - 1"]


def test_implicit_states_are_refused_where_they_are_given_twice() -> None:
    a, b = sb.symbols("a b", "variable")
    with pytest.raises(sb.ModelError, match="'a' is given twice"):
        sb.from_equations({a: -a}, implicit={a: a.dot + b.dot, b: b.dot - a})
    with pytest.raises(sb.ModelError, match="expected a mapping"):
        sb.from_equations({})


def test_mass_centre_by_a_point() -> None:
    m = sb.Model("two frames")
    T = m.ground.rotate("z", m.coordinate("q"))
    body = m.body("body", T, mass=2.0, com=T.rotate("x", sb.pi / 2).point(1, 0, 3))
    assert sb.evaluate(body.mass.p_BoBcm, {}) == pytest.approx([1, -3, 0], abs=1e-15)
    with pytest.raises(sb.ModelError, match="'free': com= is a point"):
        m.body("free", mass=1.0, com=T.point(1, 0, 0))


def test_energies_before_equations() -> None:
    m = bicycle.model()
    eq = sb.derive(m)
    state = eq.values({"q1": 0.1, "q4_dot": -3.0, "q3_dot": 0.4}, otherwise=0.2)
    for of in ("fork", ["frame", "rear wheel"], None):
        assert sb.evaluate(sb.kinetic_energy(m, of), state) == pytest.approx(
            sb.evaluate(sb.kinetic_energy(eq, of), state)
        )
    assert sb.evaluate(sb.potential_energy(m), state) == pytest.approx(sb.evaluate(sb.potential_energy(eq), state))


@pytest.mark.parametrize("modified", [True, False])
def test_denavit_hartenberg(modified: bool) -> None:
    """Products of four elementary transformations."""
    a, alpha, d, theta = 0.3, 0.4, 0.5, 0.6
    c, s, C, S = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    about_z = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, d], [0, 0, 0, 1]])
    about_x = np.array([[1, 0, 0, a], [0, C, -S, 0], [0, S, C, 0], [0, 0, 0, 1]])
    N = sb.Model("arm").ground
    found = N.denavit_hartenberg(a, alpha, d, theta, modified=modified).pose_in(N).matrix
    assert np.array(sb.evaluate(found, {})) == pytest.approx(about_x @ about_z if modified else about_z @ about_x)
