"""SymPy's equations of the same mechanism give the same accelerations: what the benchmarks compare is the same
thing."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
import sympy.physics.mechanics as me

import symbody as sb
from bench import mechanisms, puma560, sympy_twin
from symbody.bodies.mechanism.mechanism import Mechanism
from symbody.derivation.equations.random_states import random_state
from tests.amount import FULL, some


def example(name: str, *arguments: Any) -> Mechanism:
    return importlib.import_module(f"examples.{name}").model(*arguments).freeze()


MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "relative chain": lambda: example("spherical_chain", 2),
    "absolute chain": lambda: example("spherical_chain", 2, True),
    "Stanford arm": lambda: example("stanford_arm"),
    "satellite": lambda: example("satellite"),
    "planar chain": lambda: mechanisms.planar_chain(3).freeze(),
    "random tree": lambda: mechanisms.random_tree(4, seed=3).freeze(),
    "PUMA560": lambda: puma560.model(as_published=True).freeze(),
    "slider crank": lambda: example("slider_crank"),
    "sleigh": lambda: example("sleigh"),
    "four-bar": lambda: example("four_bar_spatial"),
    "motorcycle": lambda: example("motorcycle"),
}
BY_LAGRANGE = ("planar chain", "absolute chain")


def accelerations_of_sympy(mechanism: Mechanism, method: str, state: dict[sb.Symbol, float]) -> Any:
    """u' at a state; all symbols by the names that the twin gives them."""
    made, _ = sympy_twin.cold(mechanism, method)
    t = me.dynamicsymbols._t
    names = {sympy_twin.speed(u) if method == "kane" else sb.to_sympy(u, expand=True): u for u in mechanism.u}
    names |= {sb.to_sympy(s, expand=True): s for s in (*mechanism.q, *mechanism.r, *mechanism.z, *mechanism.p)}
    order = sorted([*names, t], key=lambda x: (not isinstance(x, sympy.Derivative), str(x)))
    plain = {x: sympy.Symbol(f"x{k}") for k, x in enumerate(order)}
    M, f = (_replaced(m, plain) for m in (made.mass_matrix, made.forcing))
    numbers = [state[names[x]] if x in names else state[mechanism.t] for x in order]
    A, b = sympy.lambdify(list(plain.values()), [M, f], "numpy", cse=True)(*numbers)
    solution = np.linalg.solve(np.array(A, float), np.array(b, float)[:, 0])
    follow = sympy_twin.dependent(mechanism).u  # these stand last
    found = dict(zip([*(u for u in mechanism.u if u not in follow), *follow], solution, strict=True))
    return np.array([found[u] for u in mechanism.u])


def _replaced(m: Any, plain: dict[Any, Any]) -> Any:
    rates = {x: p for x, p in plain.items() if isinstance(x, sympy.Derivative)}
    return m.xreplace(rates).xreplace(plain)


def compare(mechanism: Mechanism, method: str) -> None:
    eq = sb.derive(mechanism)
    state = random_state(eq, 5)
    mine = np.array(sb.evaluate(eq.udot, state), float)
    found = accelerations_of_sympy(mechanism, method, state)
    assert found == pytest.approx(mine, abs=1e-9 * np.abs(mine).max())


@pytest.mark.parametrize(
    "name", [n for n in some(MECHANISMS, 2) if FULL or n != "PUMA560"]
)  # dear, and an arm as Stanford's
def test_kane(name: str) -> None:
    compare(MECHANISMS[name](), "kane")


@pytest.mark.parametrize("name", BY_LAGRANGE)
def test_lagrange(name: str) -> None:
    compare(MECHANISMS[name](), "lagrange")


def test_what_sympy_cannot_say_is_refused() -> None:
    m = mechanisms.planar_chain(2)
    m.potential("field", sb.sin(m.coordinate("x")))
    with pytest.raises(NotImplementedError, match="field"):
        sympy_twin.cold(m.freeze(), "kane")
    with pytest.raises(NotImplementedError, match="chosen speeds"):
        sympy_twin.cold(example("satellite"), "lagrange")
