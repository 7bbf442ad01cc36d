"""Laws of energy, momentum and power on mechanisms of every kind of joint, at random states along the motion."""

from collections.abc import Callable

import numpy as np
import pytest

import symbody as sb
from symbody import Model, ModelError, derive
from symbody.algebra.graph.graph import ZERO
from symbody.derivation.equations.energies import (
    angular_momentum,
    centre_of_mass,
    constraint_power,
    energy,
    external_power,
    is_fed,
    kinetic_energy,
    load_powers,
    momentum,
    potential_energy,
    power,
)
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.forms.transform import diagonalized

from ..published.numbers import published
from .mechanisms import ALL, chain, double_pendulum, four_bar, turntable
from .states import close, moving_state, numbers, rate


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("model", ALL, ids=lambda m: m.__name__)
def test_kinetic_energy_changes_by_all_powers(model: Callable[[], Model], seed: int) -> None:
    """T' = Σ P + Pc, to rounding of its own terms."""
    eq = derive(model())
    s = moving_state(eq, seed)
    change = numbers(rate(eq, kinetic_energy(eq)), s)
    terms = numbers([*load_powers(eq).values(), constraint_power(eq)], s)
    assert abs(change - terms.sum()) <= 1e-9 * (abs(change) + np.abs(terms).sum())


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("model", ALL, ids=lambda m: m.__name__)
def test_energy_changes_by_what_is_fed_in(model: Callable[[], Model], seed: int) -> None:
    """(T + V)' is the power of loads without potential and of prescribed motions, along the motion."""
    eq = derive(model())
    s = moving_state(eq, seed)
    change, fed = numbers(rate(eq, energy(eq)), s), numbers(external_power(eq), s)
    terms = numbers([*load_powers(eq).values(), constraint_power(eq)], s)
    assert abs(change - fed) <= 1e-9 * (abs(change) + np.abs(terms).sum())
    assert is_fed(eq) == (external_power(eq) is not ZERO)


def test_constraint_power_is_zero_where_nothing_is_prescribed() -> None:
    assert constraint_power(derive(chain())) is sb.matrix([0])[0]
    assert abs(numbers(constraint_power(eq := derive(turntable()), solved=True), moving_state(eq))) > 0.01


@pytest.mark.parametrize("seed", [1, 2])
def test_conservative_power_is_the_rate_of_potential_energy(seed: int) -> None:
    """P = -V' of loads whose potential has no explicit time."""
    eq = derive(double_pendulum())
    s = moving_state(eq, seed)
    conservative = [x.name for x in eq.mechanism.loads if x.potential is not None]
    assert conservative == ["gravity", "q1.spring"]
    assert close(sum(numbers(power(eq, n), s) for n in conservative), -numbers(rate(eq, potential_energy(eq)), s))


def free_chain() -> Model:
    m = Model("free chain")
    a, b = (m.body(n, mass=1.3, com=(0.1, 0.2, -0.1), inertia=(0.3, 0.2, 0.25)) for n in "ab")
    m.free("float", m.ground, a)
    m.spherical("ball", a, b, at=(0, 0.5, 0), on=(0.1, -0.3, 0), stiffness=2.0)
    return m


def test_momenta_of_a_free_system_are_kept() -> None:
    """Without outer forces p, L about a fixed point and L about the mass centre do not change; T + V neither."""
    eq = derive(free_chain())
    s = moving_state(eq)
    about_centre = angular_momentum(eq, centre_of_mass(eq)).in_ground
    for kept in (momentum(eq).in_ground, angular_momentum(eq).in_ground, about_centre):
        value, change = numbers(kept, s), numbers(rate(eq, kept), s)
        assert np.max(np.abs(change)) <= 1e-9 * max(1.0, np.max(np.abs(value)))
        assert np.max(np.abs(value)) > 0.01
    assert abs(numbers(rate(eq, energy(eq)), s)) <= 1e-9
    assert not close(numbers(about_centre, s), numbers(angular_momentum(eq).in_ground, s), 1e-3)


def test_momentum_is_mass_times_velocity_of_the_mass_centre() -> None:
    eq = derive(chain())
    s = moving_state(eq)
    mass = sum(float(b.mass.m) for b in eq.mechanism.bodies)
    velocity = rate(eq, centre_of_mass(eq).coordinates)
    assert close(numbers(momentum(eq).in_ground, s), mass * numbers(velocity, s))


def test_angular_momentum_about_a_moving_point() -> None:
    """L_P = L_O - r_P × p."""
    m = double_pendulum()
    eq = derive(m)
    point = eq.mechanism.body("b").point(0.1, 0.2, 0.3)
    s = moving_state(eq)
    r = numbers(point.position().components(eq.mechanism.ground), s)
    expected = numbers(angular_momentum(eq).in_ground, s) - np.cross(r, numbers(momentum(eq).in_ground, s))
    assert close(numbers(angular_momentum(eq, point).in_ground, s), expected)


@pytest.mark.parametrize("change", [minimal, diagonalized], ids=["minimal", "diagonalized"])
def test_energies_in_other_speeds(change: Callable[[sb.Equations], sb.Equations]) -> None:
    """T' = Σ P + Pc also where speeds were eliminated or transformed."""
    eq = change(derive(turntable() if change is minimal else four_bar()))
    s = moving_state(eq)
    change_of_T = numbers(rate(eq, kinetic_energy(eq)), s)
    terms = numbers([*load_powers(eq).values(), constraint_power(eq)], s)
    assert abs(change_of_T - terms.sum()) <= 1e-9 * (abs(change_of_T) + np.abs(terms).sum())


def sleigh() -> Model:
    m = Model("sleigh")
    q1, q2, q3 = m.coordinates("q1 q2 q3")
    table = m.ground.rotate("z", m.time)
    sleigh = m.body("sleigh", table.translate(q1, q2, 0).rotate("z", q3), mass=1, inertia=(0, 0, 25), physical=False)
    m.constrain_speed("runner", sleigh.point(1, 0, 0).velocity(table).dot(sleigh.frame.y))
    m.spring("spring", sleigh.point(2, 0, 0), table.origin, stiffness=10)
    return m


def test_sleigh_on_a_turntable() -> None:
    """T, V and the constraint power of Lennartsson's example 4.4 at the start."""
    eq = derive(sleigh())
    value = published("sleigh_acc")
    start = {"q1": 5, "q2": 5, "q3": 1, "q1_dot": 0, "q2_dot": 0, "q3_dot": 0, "t": 0}
    found = numbers([kinetic_energy(eq), potential_energy(eq), constraint_power(eq, solved=True)], start)
    assert close(found, [value["T0"], value["V0"], value["Pc0"]])


def test_power_of_an_unknown_load() -> None:
    with pytest.raises(ModelError, match=r"no load 'winds'.*Did you mean 'wind'"):
        power(derive(double_pendulum()), "winds")
