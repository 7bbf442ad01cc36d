"""Elimination of dependent speeds: the same motion as with multipliers."""

from collections.abc import Callable

import numpy as np
import pytest

import symbody as sb
from symbody import Model, derive
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.forms.transform import diagonalized
from symbody.errors import DerivationError

from .mechanisms import BODY, double_pendulum, four_bar, rolling_disc, turntable
from .states import close, moving_state, numbers


def cart_with_wheel() -> Model:
    """Holonomic, nonholonomic and rheonomic constraints in one."""
    m = Model("cart")
    m.gravity(0, 0, -9.81)
    x, y, heading, angle, s = m.coordinates("x y heading angle s")
    sled = m.body("sled", m.ground.translate(x, y, 0).rotate("z", heading), mass=2.0, **BODY)
    pole = m.body("pole", sled.frame.translate(0.3, 0, 0).rotate("y", angle), mass=1.0, **BODY)
    m.particle("bead", pole.point(0, 0, s), mass=0.4)
    m.constrain_speed("edge", sled.point(0.5, 0, 0).velocity().dot(sled.frame.y) - 0.1 * sb.sin(m.time))
    m.constrain("slot", s - 0.3 - 0.2 * angle**2 - 0.1 * sb.cos(m.time))
    return m


MODELS = (four_bar, rolling_disc, turntable, cart_with_wheel)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_accelerations_are_those_with_multipliers(model: Callable[[], Model], seed: int) -> None:
    """ui', ud', ud, lam and rates at consistent states."""
    eq = derive(model())
    small = minimal(eq)
    s = moving_state(eq, seed)
    assert len(small.u) == eq.degrees_of_freedom
    assert not small.lam
    assert close(numbers(small.udot, s), [s[u.dot] for u in small.u])
    eliminated = {k: v for k, v in s.items() if k not in small.dependent}
    for symbol, value in small.dependent.items():
        assert close(numbers(value, eliminated) + 1, s[symbol] + 1, 1e-8), symbol
    assert close(numbers(small.rates, eliminated), numbers(eq.rates, s))
    assert {*eq.u} == {*small.u, *(x for x in small.dependent if x in eq.u)}


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_mass_matrix_is_symmetric_and_definite(model: Callable[[], Model]) -> None:
    small = minimal(derive(model()))
    M = numbers(small.M, moving_state(small)).reshape(len(small.u), -1)
    assert close(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0


def test_holonomic_constraints_stay_as_invariants() -> None:
    """phi' = 0 whatever the independent speeds."""
    eq = derive(four_bar())
    small = minimal(eq)
    s = moving_state(small)
    change = sb.time_derivative(small.phi, dict(zip(small.q, small.rates.entries, strict=True)))
    assert small.phi == eq.phi
    assert np.max(np.abs(numbers(change, s))) < 1e-12


def test_chosen_speeds_by_symbol_or_name() -> None:
    eq = derive(four_bar())
    for choice in (["q2"], ["q2_dot"], [eq.u[1]], "q2"):
        small = minimal(eq, choice)
        assert small.u == (eq.u[1],)
    s = moving_state(eq)
    assert close(numbers(minimal(eq, ["q3"]).udot, s), s[eq.u[2].dot])


def test_choice_near_a_given_state() -> None:
    """Where the crank is along the coupler, the rocker's speed cannot be independent: another is chosen."""
    small = minimal(derive(four_bar()), at={"q1": 0.4})
    assert len(small.u) == 1


def test_wrong_choices_are_refused() -> None:
    eq = derive(cart_with_wheel())
    with pytest.raises(DerivationError, match=r"5 speeds under 2 constraints leave 3 .* 2 were given: x_dot, y_dot"):
        minimal(eq, ["x", "y"])
    with pytest.raises(DerivationError, match=r"no speed or coordinate 'angel'.*angle"):
        minimal(eq, ["x", "y", "angel"])
    with pytest.raises(
        DerivationError, match=r"x_dot, angle_dot, s_dot are not independent .*determine (angle|s)_dot .* would be"
    ):
        minimal(eq, ["x", "angle", "s"])


def test_nothing_to_eliminate() -> None:
    eq = derive(double_pendulum())
    assert minimal(eq) is eq


def test_minimal_then_diagonal() -> None:
    """Both changes of speeds, one after the other; what they replaced is in terms of the last."""
    eq = derive(cart_with_wheel())
    last = diagonalized(minimal(eq))
    s = moving_state(last)
    for u in eq.u:
        s[u], s[u.dot] = (float(numbers(last.dependent[x], s)) for x in (u, u.dot))
    assert close(numbers(eq.udot, s), [s[u.dot] for u in eq.u], 1e-8)
