"""Inverse dynamics: undoes forward dynamics, of trees and of loops; says what is free where it is not unique."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody import Model, ModelError, derive
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.programs.inverse_dynamics import inverse_dynamics, joint_forces
from symbody.errors import DerivationError

from .mechanisms import ALL, BODY, double_pendulum, four_bar, turntable
from .states import close, moving_state, numbers


@pytest.mark.parametrize("route", ["recursive", "kane"])
@pytest.mark.parametrize("model", ALL, ids=lambda m: m.__name__)
def test_joint_forces_are_the_missing_ones(model: Callable[[], Model], route: str) -> None:
    """M u' - f for any u', by the recursion; Jcᵀ lam along the motion."""
    eq = derive(model(), route)
    s = moving_state(eq)
    forces = numbers(joint_forces(eq), s)
    constraint = numbers(eq.Jc.T, s).reshape(len(eq.u), -1) @ [s[x] for x in eq.lam] if eq.lam else np.zeros(len(eq.u))
    scale = np.abs(numbers(eq.f, s)).max()
    assert np.abs(forces - constraint).max() <= 1e-9 * scale
    other = s | {u.dot: 0.3 * k - 1 for k, u in enumerate(eq.u)}
    direct = numbers(eq.M, other) @ [other[u.dot] for u in eq.u] - numbers(eq.f, other)
    assert close(numbers(joint_forces(eq), other), direct)


def test_joint_forces_take_fewer_operations_than_the_mass_matrix() -> None:
    eq = derive(double_pendulum())
    by_matrix = sb.program("matrix", {"x": sb.free_symbols(eq.residual())}, {"y": eq.residual()}).cost
    forces = joint_forces(eq)
    by_recursion = sb.program("recursion", {"x": sb.free_symbols(forces)}, {"y": forces}).cost
    assert by_recursion.total < by_matrix.total


def arm(joints: int, inputs: int) -> Model:
    m = Model("arm")
    m.gravity(0, -9.81, 0)
    taus = [m.input(f"tau{k}") for k in range(1, inputs + 1)]
    parent: Any = m.ground
    for k in range(joints):
        link = m.body(f"link{k}", mass=1.0 + k, **BODY)
        drive = {"actuation": taus[k]} if k < inputs else {"damping": 0.1}
        m.revolute(f"q{k + 1}", parent, link, axis="zxy"[k % 3], at=(0, -0.5, 0), **drive)
        parent = link
    return m


def forward_then_inverse(eq: sb.Equations, seed: int = 1, **given: float) -> tuple[Any, dict[Any, float]]:
    s = moving_state(eq, seed, **given)
    return inverse_dynamics(eq), s


@pytest.mark.parametrize("seed", [1, 2])
def test_inverse_undoes_forward_dynamics_of_a_tree(seed: int) -> None:
    eq = derive(arm(3, 3))
    found, s = forward_then_inverse(eq, seed)
    motion = {k: v for k, v in s.items() if k not in eq.r}
    assert close(numbers(list(found.inputs.values()), motion), [s[r] for r in eq.r])
    assert found.conditions.rows == 0


@pytest.mark.parametrize("change", [lambda eq: eq, minimal], ids=["multipliers", "minimal"])
def test_inverse_of_a_linkage(change: Callable[[sb.Equations], sb.Equations]) -> None:
    """One input drives a four-bar linkage: it and the multipliers follow from the motion."""
    m = four_bar()
    tau = m.input("tau")
    bodies = m.freeze()
    m.torque("motor", bodies.body("bar1"), m.ground.vector(0, 0, tau))
    eq = change(derive(m))
    found, s = forward_then_inverse(eq, tau=1.7)
    motion = {k: v for k, v in s.items() if k not in (*eq.r, *eq.lam)}
    assert close(numbers(found.inputs[tau], motion), 1.7, 1e-8)
    for lam, value in found.multipliers.items():
        assert close(numbers(value, motion), s[lam], 1e-8)


def test_underactuated_system() -> None:
    """Unique, but only for motions that satisfy the balance that no input reaches."""
    eq = derive(arm(3, 2))
    found, s = forward_then_inverse(eq)
    assert close(numbers(list(found.inputs.values()), s), [s[r] for r in eq.r])
    assert found.conditions.rows == 1
    scale = np.abs(numbers(eq.f, s)).max()
    assert abs(numbers(found.conditions[0], s)) <= 1e-9 * scale
    other = s | {eq.u[2].dot: s[eq.u[2].dot] + 1}
    assert abs(numbers(found.conditions[0], other)) > 1e-3


def test_conditions_where_the_input_reaches_every_balance() -> None:
    """A force on the tip of a chain of three: two conditions, which the input's own share is taken from."""
    m = arm(3, 0)
    push = m.input("push")
    tip = m.freeze().body("link2")
    m.force("tip", tip, m.ground.vector(push, 2 * push, 0.5 * push), at=tip.point(0.1, -0.5, 0.2))
    eq = derive(m)
    found, s = forward_then_inverse(eq, push=3.0)
    motion = {k: v for k, v in s.items() if k not in eq.r}
    assert close(numbers(found.inputs[push], motion), 3.0)
    assert found.conditions.rows == 2
    assert np.max(np.abs(numbers(found.conditions, motion))) <= 1e-9 * np.abs(numbers(eq.f, s)).max()


def test_inputs_with_coupling_are_solved_together() -> None:
    """Inputs that act through expressions of the coordinates."""
    m = arm(2, 0)
    a, b = m.inputs("a b")
    q1, q2 = m.freeze().q
    m.generalized_force("first", q1, a * sb.cos(q2) + b)
    m.generalized_force("second", q2, b - 0.5 * a)
    eq = derive(m)
    found, s = forward_then_inverse(eq)
    assert close(numbers(list(found.inputs.values()), s), [s[a], s[b]])


def test_some_inputs_keep_their_symbols() -> None:
    eq = derive(arm(2, 2))
    found = inverse_dynamics(eq, ["tau1"])
    s = moving_state(eq)
    assert list(found.inputs) == [eq.r[0]]
    assert close(numbers(found.inputs[eq.r[0]], s), s[eq.r[0]])


# ------------------------------------------------------------------------------------------------ not unique


def test_overactuated_system_names_the_free_combination() -> None:
    m = arm(2, 2)
    extra = m.input("extra")
    m.generalized_force("second motor", m.freeze().q[0], 2 * extra)
    with pytest.raises(DerivationError, match=r"3 unknowns .* only 2: .*tau1 .*extra can be added .*inputs="):
        inverse_dynamics(derive(m))


def test_input_that_does_nothing() -> None:
    m = arm(2, 2)
    m.input("idle")
    with pytest.raises(DerivationError, match=r"idle does nothing"):
        inverse_dynamics(derive(m))


def test_overactuated_linkage() -> None:
    """Two motors on one degree of freedom."""
    m = four_bar()
    a, b = m.inputs("a b")
    q1, q2, _ = m.freeze().q
    m.generalized_force("one", q1, a)
    m.generalized_force("two", q2, b)
    eq = derive(m)
    with pytest.raises(DerivationError, match=r"4 unknowns .* only 3"):
        inverse_dynamics(eq)
    assert list(inverse_dynamics(eq, [a]).inputs) == [a]


def test_nonlinear_input() -> None:
    m = arm(2, 0)
    a = m.input("a")
    m.generalized_force("motor", m.freeze().q[0], a**2)
    with pytest.raises(DerivationError, match=r"not linear in a"):
        inverse_dynamics(derive(m))


def test_no_inputs_and_unknown_inputs() -> None:
    with pytest.raises(DerivationError, match=r"no inputs; .*joint_forces"):
        inverse_dynamics(derive(turntable()))
    with pytest.raises(ModelError, match=r"no input 'tua1'.*Did you mean 'tau1'"):
        inverse_dynamics(derive(arm(2, 2)), ["tua1"])
