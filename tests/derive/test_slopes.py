"""Derivatives of forward and inverse dynamics are those of a complex step through what they are the derivatives of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody import Model, ModelError, derive
from symbody.algebra.graph.walk import evaluation_order, scalars
from symbody.derivation import forward_derivatives, inverse_derivatives
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.programs.inverse_dynamics import joint_forces
from symbody.errors import DerivationError

from .mechanisms import ALL, BODY, chain, double_pendulum, four_bar
from .states import close, moving_state, numbers

STEP = 1e-40


def floating_arm() -> Model:
    """A free body with two arms; masses and lengths are parameters, both have drives, one a friction that changes
    sign."""
    m = Model("floating arm")
    m.gravity(0, 0, -9.81)
    m1, m2, length, friction = m.parameters("m1 m2 length friction", 2.0, 0.7, 0.4, 0.3)
    drive, turn, push = m.inputs("drive turn push")
    base = m.body("base", mass=3.0, **BODY)
    m.free("base", m.ground, base, sequence="euler parameters")
    left, right = (
        m.body("left", mass=m1, **BODY),
        m.body("right", mass=m2, com=(0, length, 0), inertia=(0.1, 0.02, 0.1)),
    )
    swing = m.revolute("swing", base, left, axis="x", at=(length, 0, 0.1), actuation=drive).coordinates[0]
    m.revolute("twist", base, right, axis=(0, 1, 1), at=(0, -length, 0), actuation=turn)
    m.force("push", right, m.ground.vector(push, 0, 1), at=right.point(0, length, 0))
    m.generalized_force("friction", swing, sb.where(swing.dot < 0, friction, -friction * sb.sqrt(1 + swing.dot**2)))
    return m


def relaxing() -> Model:
    """Two links with a spring whose force is a variable of its own, and a loop that is closed by a rod."""
    m = Model("relaxing")
    m.gravity(0, -9.81, 0)
    rate = m.parameter("rate", 3.0)
    s = m.variable("s")
    a, b = m.body("a", mass=1.0, **BODY), m.body("b", mass=0.6, **BODY)
    q1 = m.revolute("q1", m.ground, a, axis="z").coordinates[0]
    m.revolute("q2", a, b, axis="z", at=(0, -0.8, 0))
    m.generalized_force("memory", q1, -s * sb.cos(q1))
    m.equation("relaxation", s.dot + rate * (s - q1))
    m.constrain("rail", (b.point(0, -0.5, 0) - m.ground.origin).dot(m.ground.x) - 0.2)
    return m


def complex_step(thing: Any, wrt: Sequence[Any], at: Mapping[Any, float]) -> np.ndarray:
    columns = [
        np.imag(np.ravel(np.array(sb.evaluate(thing, {**at, s: at[s] + 1j * STEP}), dtype=complex))) / STEP for s in wrt
    ]
    return np.array(columns).T


def along_motions(eq: sb.Equations, J: np.ndarray, at: Mapping[Any, float]) -> np.ndarray:
    """Of Euler parameters only what lies along motions is defined."""
    return J @ numbers(eq.N, at).reshape(len(eq.q), len(eq.u))


MODELS = (*ALL, floating_arm, relaxing)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_forward_derivatives(model: Callable[[], Model]) -> None:
    eq = derive(model())
    at = moving_state(eq)
    groups = {k: x for k in "quzrp" if (x := getattr(eq, k))} | {"t": (eq.t,)}
    found = forward_derivatives(eq, groups)
    for k, symbols in groups.items():
        for got, of in ((found.udot[k], eq.udot), (found.multipliers[k], eq.multipliers)):
            assert got.shape == (of.rows, len(symbols))
            J, expected = numbers(got, at).reshape(got.shape), complex_step(of, symbols, at).reshape(got.shape)
            if k == "q":
                J, expected = along_motions(eq, J, at), along_motions(eq, expected, at)
            assert close(J, expected, 1e-9), k


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_inverse_derivatives(model: Callable[[], Model]) -> None:
    eq = derive(model())
    accelerations = [u.dot for u in eq.u]
    at = moving_state(eq) | {a: 0.4 * k - 0.7 for k, a in enumerate(accelerations)}
    forces = joint_forces(eq)
    groups = {k: x for k in "quzrp" if (x := getattr(eq, k))} | {"a": accelerations}
    found = inverse_derivatives(eq, groups)
    for k, symbols in groups.items():
        J, expected = numbers(found[k], at).reshape(len(eq.u), -1), complex_step(forces, symbols, at)
        if k == "q":
            J, expected = along_motions(eq, J, at), along_motions(eq, expected, at)
        assert close(J, expected, 1e-9), k


@pytest.mark.parametrize("make", [lambda: minimal(derive(four_bar()), ["q1_dot"]), lambda: derive(chain(), "kane")])
def test_of_equations_by_other_ways(make: Callable[[], sb.Equations]) -> None:
    eq = make()
    at = moving_state(eq)
    found = forward_derivatives(eq, ("q", "u"))
    assert close(numbers(found.udot["q"], at).reshape(len(eq.u), -1), complex_step(eq.udot, eq.q, at))
    assert close(numbers(found.udot["u"], at).reshape(len(eq.u), -1), complex_step(eq.udot, eq.u, at))


def test_of_linearised_equations() -> None:
    """The derivatives are those of what is left after dropping, not of the mechanism."""
    m = double_pendulum()
    q1, q2 = m.freeze().q
    m.small(q1, q2)
    eq = derive(m, small=True)
    assert eq.dropped
    at = moving_state(eq)
    found = forward_derivatives(eq, ("q",)).udot["q"]
    assert close(numbers(found, at).reshape(2, 2), complex_step(eq.udot, eq.q, at))


def test_compiled() -> None:
    """By name, in the order asked for; parameters that are baked in can still be differentiated by."""
    eq = derive(floating_arm())
    f = sb.compile(eq, bake={"m1": 2.5})
    slopes = f.derivatives(("u", "m1", "length", "p"))
    assert [o.name for o in slopes.program.outputs] == ["a_u", "a_m1", "a_length", "a_p"]
    at = moving_state(eq, m1=2.5)
    given = [[at[s] for s in x] for x in (eq.q, eq.u, eq.r)]
    p = f.parameters(**{s.name: at[s] for s in eq.p if s.name != "m1"})
    a_u, a_m1, a_length, a_p = slopes(at[eq.t], *given, p)
    symbol = {s.name: s for s in eq.p}
    assert close(a_u, complex_step(eq.udot, eq.u, at))
    assert close(a_m1, complex_step(eq.udot, [symbol["m1"]], at)[:, 0])
    assert close(a_p, complex_step(eq.udot, [s for s in eq.p if s.name != "m1"], at))
    assert close(a_length, a_p[:, f.parameter_names.index("length")])


def test_compiled_derivatives_of_a_loop_have_those_of_its_multipliers() -> None:
    eq = derive(relaxing())
    f = sb.compile(eq)
    slopes = f.derivatives()
    names = ["a_q", "a_u", "a_z", "lam_q", "lam_u", "lam_z"]
    assert [o.name for o in slopes.program.outputs] == names
    at = moving_state(eq)
    got = dict(zip(names, slopes(at[eq.t], *([at[s] for s in x] for x in (eq.q, eq.u, eq.z)), f.p), strict=True))
    assert close(got["lam_q"].reshape(1, 2), complex_step(eq.multipliers, eq.q, at))
    assert close(got["a_z"].reshape(2, 1), complex_step(eq.udot, eq.z, at))
    assert [o.name for o in f.jacobian.program.outputs] == ["a_q", "a_u"]


def test_compiled_inverse_undoes_forward_dynamics() -> None:
    eq = derive(double_pendulum())
    f = sb.compile(eq)
    at = moving_state(eq)
    t, q, u, r, a = at[eq.t], *([at[s] for s in x] for x in (eq.q, eq.u, eq.r, [u.dot for u in eq.u]))
    tau, conditions = f.inverse(t, q, u, a)
    assert close(tau, r)
    assert np.abs(conditions).max() < 1e-9
    slopes = f.inverse_derivatives(("q", "a"))(t, q, u, a, r)
    assert close(slopes[0], complex_step(joint_forces(eq), eq.q, at))
    assert close(slopes[1], numbers(eq.M, at).reshape(2, 2))


def test_one_factorisation_serves_all() -> None:
    """Factors of M and of its Schur complement, whatever the number of right sides."""
    eq = derive(four_bar())
    found = forward_derivatives(eq, ("q", "u"))
    graph = evaluation_order(scalars([eq.udot, *found.udot.values(), *found.multipliers.values()]))
    assert sum(n.op == "factor" for n in graph) == 2


def test_bad_requests_are_named() -> None:
    eq = derive(double_pendulum())
    with pytest.raises(ModelError, match=r"derivatives of 'double pendulum': there is no symbol 'q3'.*q1"):
        forward_derivatives(eq, ("q", "q3"))
    with pytest.raises(DerivationError, match="it has no z; leave that out"):
        sb.compile(eq).derivatives(("q", "z"))
    with pytest.raises(ModelError, match="no symbol 'a'"):
        forward_derivatives(eq, ("a",))
