"""Laws of motion for every method of integration with every form of the equations, on random mechanisms.

Nothing outside acts on the mechanisms and no load takes energy from them: each motion keeps energy, momentum and angular
momentum, and returns when time runs backwards. With fixed steps, errors fall as the order of the method says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.equations.energies import angular_momentum, kinetic_energy, momentum
from symbody.derivation.equations.random_states import random_state
from symbody.integrate.forms.form_kinds import FORMS
from symbody.integrate.kernels.tableaux import TABLEAUX
from symbody.integrate.run.methods import METHODS
from symbody.integrate.run.variational import COMPOSITIONS
from tests.amount import FULL
from tests.isolated_mechanisms import isolated_loop, isolated_tree

SEEDS: Final = range(1, 10 if FULL else 2)
LONG: Final = 0.6  # of a motion
RTOL: Final = 1e-10
FINE: Final = LONG / 256  # step of methods without error control
GROWTH: Final = 20.0  # of local errors along a motion
ROUNDING: Final = 1e-12  # of whole motions, in units of the largest number
COARSE: Final = 1e-3  # largest error, relative to the state, from which orders are measured
RADAU_ORDER: Final = 5


@dataclass(frozen=True)
class Scheme:
    """A method of integration with a form of the equations that it solves."""

    method: str
    form: str
    order: int

    def __str__(self) -> str:
        return f"{self.method}{self.order if self.is_variational else ''}-{self.form}"

    @property
    def is_variational(self) -> bool:
        return self.method == "variational"

    @property
    def is_adaptive(self) -> bool:
        return not self.is_variational and (self.method not in TABLEAUX or bool(TABLEAUX[self.method].errors))

    @property
    def options(self) -> dict[str, Any]:
        chosen = {"method": self.method, "form": self.form}
        return chosen | ({"order": self.order} if self.is_variational else {})

    @property
    def backward_growth(self) -> float:
        """Of errors when time runs backwards: Baumgarte's terms damp deviations from the constraints as
        (1 + α t) exp(-α t), and amplify them on the way back."""
        alpha = sb.integrate.SimulationOptions().alpha * LONG
        return (1 + alpha) * math.exp(alpha) if self.form == "baumgarte" else 1.0


def orders(method: str, form: str) -> tuple[int, ...]:
    """Of a method with a form; none where `simulate` refuses the pair."""
    kind = FORMS[form]
    if kind.is_discrete or method == "variational":
        return tuple(COMPOSITIONS) if kind.is_discrete and method == "variational" else ()
    if method in TABLEAUX:
        return () if kind.is_algebraic else (TABLEAUX[method].order,)
    return (RADAU_ORDER,) if kind.has_rates else ()


def is_chosen(method: str, form: str) -> bool:
    """All pairs with SYMBODY_FULL=1; by default every form with an explicit and an implicit method, and every method with two forms: what
    a step does and what a form does are compiled into one loop, but know nothing of each other."""
    return FULL or method in ("dp5", "radau", "variational") or form in ("minimal", "projection")


SCHEMES: Final = [Scheme(m, f, order) for f in FORMS for m in METHODS if is_chosen(m, f) for order in orders(m, f)]


@pytest.fixture(scope="module", params=SCHEMES, ids=str)
def scheme(request: pytest.FixtureRequest) -> Scheme:
    """Of the module, so that the laws of one form follow each other, and its machine code is made once."""
    return request.param


@cache
def sample(is_loop: bool, seed: int) -> tuple[sb.Equations, dict[Any, float]]:
    """Equations of a mechanism, and a state of it."""
    made = (isolated_loop if is_loop else isolated_tree)(seed)
    eq = sb.derive(made.mechanism, check=False)
    state = random_state(eq, seed, made.start)
    return eq, {s: state[s] for s in (*eq.q, *eq.u, *eq.p)}


@cache
def accurate(is_loop: bool, seed: int) -> np.ndarray:
    """The end of the motion, to rounding."""
    eq, start = sample(is_loop, seed)
    found: np.ndarray = sb.simulate(eq, LONG, start, rtol=1e-13, method="dp8").y[-1]
    return found


@lru_cache(maxsize=16)
def tried(scheme: Scheme, seed: int, step: float | None) -> sb.Trajectory:
    eq, start = sample(scheme.form != "minimal", seed)
    return sb.simulate(eq, LONG, start, step=step, rtol=RTOL if step is None else 1e-13, **scheme.options)


def moved(scheme: Scheme, seed: int, step: float | None) -> sb.Trajectory:
    sim = tried(scheme, seed, step)
    assert sim.outcome, sim.outcome
    return sim


def error(scheme: Scheme, seed: int, step: float | None) -> float:
    """Of the state at the end, relative to its largest number; infinite where Newton's method finds no step so long."""
    sim, want = tried(scheme, seed, step), accurate(scheme.form != "minimal", seed)
    return float(np.abs(sim.y[-1] - want).max() / np.abs(want).max()) if sim.outcome else math.inf


def step_of(scheme: Scheme) -> float | None:
    return None if scheme.is_adaptive else FINE


def bound(scheme: Scheme, seed: int) -> float:
    """Of relative errors: what the tolerance asks for; with fixed steps, the error of the motion itself."""
    return GROWTH * (RTOL if scheme.is_adaptive else max(RTOL, error(scheme, seed, FINE)))


# ---------------------------------------------------------------------------------------------------- what is kept


def change(rows: np.ndarray, size: float | None = None) -> float:
    """The largest difference from the start, in units of the size of the terms."""
    return float(np.abs(rows - rows[:1]).max() / (size or np.abs(rows).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_is_kept(scheme: Scheme, seed: int) -> None:
    sim = moved(scheme, seed, step_of(scheme))
    terms = [sim[kinetic_energy(sim.equations)], *(sim[x] for x in potentials(sim.equations))]
    size = float(max(np.abs(x).max() for x in terms))
    assert size > 0.1
    assert change(sim.energy, size) < bound(scheme, seed)


def potentials(eq: sb.Equations) -> list[sb.Expr]:
    return [sb.derivation.potential_energy(eq, load.name) for load in eq.mechanism.loads if load.potential is not None]


@pytest.mark.parametrize("seed", SEEDS)
def test_momenta_are_kept(scheme: Scheme, seed: int) -> None:
    """p and L about the origin of the ground; p to rounding by variational steps, which know that nothing depends on
    where the mechanism is."""
    sim = moved(scheme, seed, step_of(scheme))
    p, L = (columns(sim, v.in_ground) for v in (momentum(sim.equations), angular_momentum(sim.equations)))
    assert np.abs(p).max() > 0.1
    assert change(p) < (ROUNDING if scheme.is_variational else bound(scheme, seed))
    assert change(L) < bound(scheme, seed)


def columns(sim: sb.Trajectory, entries: Any) -> np.ndarray:
    return np.array([sim[x] for x in entries]).T


# ---------------------------------------------------------------------------------------------------- time backwards


@pytest.mark.parametrize("seed", SEEDS)
def test_time_backwards_returns_to_the_start(scheme: Scheme, seed: int) -> None:
    """By variational steps, which are symmetric, to rounding, whatever their length."""
    step = LONG / 16 if scheme.is_variational else step_of(scheme)
    there = moved(scheme, seed, step)
    back = sb.simulate(there.equations, (LONG, 0.0), there.final, step=step, rtol=RTOL, **scheme.options)
    assert back.outcome, back.outcome
    gap = np.abs(back.y[-1] - there.y[0]).max() / np.abs(there.y).max()
    limit = 100 * ROUNDING if scheme.is_variational else scheme.backward_growth * bound(scheme, seed)
    assert gap < limit


# ---------------------------------------------------------------------------------------------------- order


@pytest.mark.parametrize("seed", SEEDS)
def test_errors_fall_as_the_order_says(scheme: Scheme, seed: int) -> None:
    """By 2^order with half the step: over up to three halvings, between steps that are too coarse and rounding, or in the
    last of these."""
    step = LONG
    while not (first := error(scheme, seed, step)) < COARSE:
        step /= 2
    errors = [first, *(error(scheme, seed, step / 2**k) for k in (1, 2, 3))]
    rates = -np.diff(np.log2([e for e in errors if e > ROUNDING / 10]))
    assert len(rates)
    assert max(rates.mean(), rates[-1]) > scheme.order - 0.5, errors


def test_every_method_and_form_is_here() -> None:
    assert {s.method for s in SCHEMES} == set(METHODS)
    assert {s.form for s in SCHEMES} == set(FORMS)
    eq, start = sample(True, SEEDS[0])
    for method, form in ((m, f) for m in METHODS for f in FORMS if f != "minimal" and not orders(m, f)):
        with pytest.raises(sb.errors.SimulationError):
            sb.simulate(eq, LONG, start, method=method, form=form, step=FINE)
