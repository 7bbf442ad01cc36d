"""One choice of elimination for constrained motion: all give the same, and the fast one is taken where it can be."""

import numpy as np
import pytest

import symbody as sb
from symbody import Equations, Model, derive
from symbody.derivation.equations.random_states import random_state
from symbody.derivation.programs.forward_dynamics import ways_to_accelerations
from symbody.derivation.rank.saddle_point import Elimination, SaddlePoint, is_definite
from symbody.emit.lowering.lower import program
from symbody.study.sources import find_model

from .mechanisms import ALL

CONSTRAINED = [make for make in ALL if derive(make()).lam]
BUILT_IN = ("bicycle", "slider_crank", "spatial_crank", "four_bar_spatial", "quadrangle")


def numbers(expressions: list[sb.Expr], at: dict[sb.Symbol, float]) -> np.ndarray:
    return np.array(sb.evaluate(expressions, at), dtype=float)


def both(eq: Equations, elimination: Elimination, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """u' and -lam by an elimination, and by pivoting over the whole."""
    right, at = [*eq.f.entries, *(-e for e in eq.c.entries)], random_state(eq, seed)
    ways = [SaddlePoint(eq.M, eq.Jc, e).solve(right) for e in (elimination, Elimination.PIVOTED)]
    first, second = (numbers(list(w.entries), at) for w in ways)
    return first, second


@pytest.mark.parametrize("make", CONSTRAINED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("elimination", [Elimination.SCHUR, Elimination.AUGMENTED])
def test_eliminations_agree(make, elimination) -> None:
    eq = derive(make())
    for seed in range(5):
        fast, pivoted = both(eq, elimination, seed)
        assert fast == pytest.approx(pivoted, rel=1e-8, abs=1e-8 * np.abs(pivoted).max())


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_pivoting_where_inertia_is_definite(name) -> None:
    """Also in compiled accelerations: a pivoting solve is an instruction of its own, which is not there."""
    eq = derive(find_model(name).model)
    assert eq.augmented.factors.elimination is Elimination.SCHUR
    made = program("udot", {"x": [*eq.q, *eq.u, *eq.z, *eq.r, *eq.p], "t": eq.t}, {"a": eq.udot, "lam": eq.multipliers})
    assert not [i for i in made.code if i.op == "factor" and i.data.kind == "indefinite"]


def test_no_pivoting_of_a_floating_base_with_a_loop() -> None:
    """Its inertia is definite where Euler parameters have norm 1, and need not be elsewhere."""
    m = Model("floating loop")
    trunk = m.body("trunk", mass=20, inertia=(0.8, 0.6, 0.3), com=(0, 0, 0.25))
    m.free("base", m.ground, trunk, sequence="euler parameters")
    links = [m.body(n, mass=2, inertia=(0.03, 0.03, 0.004), com=(0, 0, -0.2)) for n in "abc"]
    for name, parent, link, at in (
        ("a", trunk, links[0], 0),
        ("b", links[0], links[1], -0.4),
        ("c", trunk, links[2], 0),
    ):
        m.revolute(name, parent, link, axis="y", at=(0.1 * (name == "c"), 0, at))
    m.coincide("loop", links[1].point(0, 0, -0.2), links[2].point(0, 0, -0.5), along=trunk, axes="xz")
    assert derive(m).augmented.factors.elimination is Elimination.SCHUR


def singular_inertia() -> Equations:
    m = Model("wire")
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, 0, 0), mass=2.0)
    m.constrain("track", y - x**2)  # y has no inertia of its own
    m.spring("pull", m.ground.point(0, 0, 0), m.ground.point(x, y, 0.5), stiffness=3.0)
    return derive(m)


def test_singular_inertia_is_augmented_and_said() -> None:
    eq = singular_inertia()
    assert eq.augmented.factors.elimination is Elimination.AUGMENTED
    assert Elimination.AUGMENTED.value in eq.notes
    assert not is_definite(eq.M, {})
    for seed in range(5):
        fast, pivoted = both(eq, Elimination.AUGMENTED, seed)
        assert fast == pytest.approx(pivoted, rel=1e-9)


def test_motion_without_inertia_is_left_to_pivoting() -> None:
    """Not even the constraints give w an inertia: such equations are refused, and where they are wanted all the same
    they say so."""
    m = Model("loose end")
    x, y, w = m.coordinates("x y w")
    m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    m.constrain("track", y - x)
    m.potential("trap", w**2)
    with pytest.raises(sb.errors.DerivationError):
        derive(m)
    eq = derive(m, check=False)
    assert eq.augmented.factors.elimination is Elimination.PIVOTED
    assert Elimination.PIVOTED.value in eq.notes


def test_definiteness_does_not_depend_on_units() -> None:
    """Scaling coordinates by 1e9 leaves a definite matrix definite, and a singular one singular."""
    for scale in (1.0, 1e9, 1e-9):
        d = sb.diagonal(1.0, scale)
        assert is_definite(d @ sb.matrix([[2.0, 1.0], [1.0, 2.0]]) @ d, {})
        assert not is_definite(d @ sb.matrix([[1.0, 1.0], [1.0, 1.0]]) @ d, {})
    assert not is_definite(sb.matrix([[1.0, 0.0], [0.0, 0.0]]), {})


def test_early_linearised_equations_are_compiled_as_they_are() -> None:
    """Articulated bodies know nothing of what was dropped, however short they are."""
    m = Model("chain with a small angle")
    m.gravity(0, -9.81, 0)
    parent = m.ground
    for k in range(12):
        link = m.body(f"link{k}", mass=1.0, com=(0, -0.3, 0), inertia=sb.inertia(0.1, 0.1, 0.1))
        m.revolute(f"q{k}", parent, link, axis="zx"[k % 2], at=(0, -0.6 if k else 0, 0))
        parent = link
    m.small(m.freeze().q[-1])
    eq = derive(m, small=True)
    assert len(ways_to_accelerations(eq)) == 1
    q, u = np.linspace(0.1, 0.6, 12), np.linspace(-1, 1, 12)
    wanted = numbers(
        list(eq.udot.entries),
        eq.values(otherwise=0, **{f"q{k}": x for k, x in enumerate(q)}, **{f"q{k}_dot": x for k, x in enumerate(u)}),
    )
    assert sb.compile(eq).udot(0.0, q, u) == pytest.approx(wanted, rel=1e-9)
