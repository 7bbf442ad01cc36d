"""x' = A x + B r as expressions: E⁻¹ A and E⁻¹ B."""

import numpy as np
import pytest
import sympy as sm

import symbody as sb

VALUES = {"l": 0.7, "g": 9.81, "m": 1.3, "M": 2.1, "k": 5.0}


def cart_and_pole():
    m = sb.Model("cart and pole")
    mass, big, l, g, k = m.parameters("m M l g k")
    cart = m.body("cart", mass=big)
    m.prismatic("x", m.ground, cart, axis="x", stiffness=k, actuation=m.input("F"))
    m.revolute("th", cart, m.body("bob", mass=mass, com=(0, -l, 0)))
    m.gravity(0, -g, 0)
    return sb.linearize(sb.derive(m), {})


def test_it_is_the_one_in_numbers():
    lin = cart_and_pole()
    words, numbers = lin.state_space(symbolic=True), lin.state_space(VALUES)
    at = {s: VALUES[s.name] for s in lin.parameters}
    for part in "AB":
        found, known = getattr(words, part), getattr(numbers, part)
        values = np.array(sb.evaluate(list(found.entries), at)).reshape(known.shape)
        assert values == pytest.approx(known, rel=1e-12, abs=1e-12)
    assert (words.states, words.inputs, words.outputs) == (numbers.states, numbers.inputs, numbers.outputs)


def test_it_is_that_of_sympy():
    """M⁻¹ of the linear equations of cart and pole, by SymPy."""
    found = cart_and_pole().state_space(symbolic=True)
    m, M, l, g, k = sm.symbols("m M l g k")
    masses = sm.Matrix([[M + m, m * l], [m * l, m * l**2]])
    expected = -masses.inv() * sm.diag(k, m * g * l)
    form = sb.to_sympy(found.A)
    own = sm.Matrix(form.result)
    for z, value in reversed(form.intermediates):
        own = own.subs(z, value)
    assert (
        (own[2:, :2].subs({s: sm.Symbol(s.name) for s in own.free_symbols}) - expected)
        .applyfunc(sm.simplify)
        .is_zero_matrix
    )


def test_algebraic_variables_and_rates_of_inputs_need_numbers():
    algebraic = sb.linear_system([[0, 1], [1, 1]], E=[[1, 0], [0, 0]], x=["x", "v"])
    with pytest.raises(sb.errors.StabilityError, match=r"v has no rate in it .E is singular"):
        algebraic.state_space(symbolic=True)
    driven = sb.linear_system([[0, 1], [-1, -1]], B=[[0], [1]], B1=[[0], [1]], x=["x", "v"], r=["F"])
    with pytest.raises(sb.errors.StabilityError, match="rates of inputs"):
        driven.state_space(symbolic=True)
