"""Orbits of codimension two on curves over two values, at closed forms.

A cycle x² + y² = 1 of the period 2π, beside which (w, z) turns by half a turn in a period: with (w, z) = R(t/2) ζ,

    ζ' = (α + v/2 + β J + γ diag(1, -1)) ζ - (s |ζ|² + |ζ|⁴) ζ,   multipliers  -exp(2π (α + v/2 ± √(γ² - β²)))

and v' = κ - v² stands still at √κ = 0.2, with the multiplier exp(-4π √κ).
"""

import numpy as np
import pytest

import symbody as sb

PERIOD = 2 * np.pi


@pytest.fixture(scope="module")
def eq() -> sb.Equations:
    x, y, w, z, v = sb.symbols("x y w z v", "variable")
    alpha, beta, gamma, s, kappa = sb.symbols("alpha beta gamma s kappa")
    inside, size = 1 - x**2 - y**2, w**2 + z**2
    growth, turn = alpha + v / 2 - s * size - size**2, beta + 0.5
    rates = {
        x: inside * x - y,
        y: inside * y + x,
        w: growth * w - turn * z + gamma * (x * w + y * z),
        z: growth * z + turn * w + gamma * (y * w - x * z),
        v: kappa - v**2,
    }
    return sb.from_equations(rates, {alpha: -0.3, beta: 0.0, gamma: 0.1, s: 1.0, kappa: 0.04}, name="twisted cycle")


def cycles(eq: sb.Equations, **values: float) -> sb.stability.OrbitBranch:
    """The family over alpha."""
    start = {"x": 1.0, "y": 0.0, "v": 0.2, **values}
    first = sb.orbit(eq, start, period=PERIOD, intervals=12, tolerance=1e-7)
    return sb.orbits(eq, first, alpha=(-0.35, 0.1), intervals=16, tolerance=1e-6)


def special(family: sb.stability.OrbitBranch, kind: str) -> sb.stability.SpecialOrbit:
    return next(p for p in family.special if p.kind == kind)


def kinds(curve: sb.stability.SpecialOrbitCurve) -> list[str]:
    return [p.kind for p in curve.special]


def test_doubled_orbits_change_their_stability(eq):
    """On α = -v/2 - γ orbits of twice the period begin stable where s > 0; and two multipliers are -1 at γ = 0."""
    family = cycles(eq)
    doubling = special(family, "period doubling")
    over_s = family.curve_of(doubling, s=(-1.0, 1.0))
    assert kinds(over_s) == ["generalised flip"]
    assert over_s.special[0].values == pytest.approx((-0.2, 0.0), abs=1e-5)
    assert "generalised flip at (-0.2" in str(over_s)
    over_gamma = family.curve_of(doubling, gamma=(-0.1, 0.15))
    assert kinds(over_gamma) == ["1:2 resonance"]
    assert over_gamma.special[0].values == pytest.approx((-0.1, 0.0), abs=1e-8)
    assert over_gamma.orbit(over_gamma.special[0]).multipliers[:2] == pytest.approx([-1, -1], abs=1e-6)
    (panel,) = sb.plot([over_gamma, over_gamma]).panels
    assert [n.text for n in panel.notes] == ["1:2 resonance"] * 2


def test_resonances_on_neimark_sacker_points(eq):
    """On α = -v/2 the sum of the pair is -2 cos(2π √(β² - γ²)): -1 at √(β² - 1/36), 0 at √(β² - 1/16), -2 at β."""
    family = cycles(eq, beta=0.3)
    curve = family.curve_of(special(family, "Neimark-Sacker"), gamma=(0.05, 0.35))
    assert kinds(curve) == ["1:4 resonance", "1:3 resonance", "1:2 resonance"]
    expected = [np.sqrt(0.09 - 1 / 16), np.sqrt(0.09 - 1 / 36), 0.3]
    assert [p.values[1] for p in curve.special] == pytest.approx(expected, abs=1e-7)
    assert [p.period for p in curve.special] == pytest.approx([PERIOD] * 3)


def test_folds_meet_period_doublings(eq):
    """α + v/2 = -γ with v = ± √κ: the curve turns back at κ = 0, where another multiplier is 1."""
    family = cycles(eq)
    curve = family.curve_of(special(family, "period doubling"), kappa=(-0.01, 0.05))
    assert kinds(curve) == ["fold-flip"]
    assert curve.special[0].values == pytest.approx((-0.1, 0.0), abs=1e-6)
    v = np.array([curve.orbit(k).state["v"] for k in (0, -1)])
    assert v[0] * v[1] < 0


def test_folds_meet_in_a_cusp():
    """r' = r (μ + k s - s³) with s = r² - 1: folds at 27 μ² = 4 k³ on both sides of the cusp at 0, through which the curve
    goes on."""
    x, y, mu, k = sb.symbols("x y mu k")
    s = x**2 + y**2 - 1
    grow = mu + k * s - s**3
    eq = sb.from_equations({x: grow * x - y, y: grow * y + x}, {mu: 0.0, k: 0.3})
    family = sb.orbits(eq, sb.orbit(eq, {"x": 1.25}, period=6.3), mu=(-0.2, 0.2))
    fold = special(family, "fold")
    curve = family.curve_of(fold, k=(-0.2, 0.4))
    assert 27 * curve["mu"] ** 2 == pytest.approx(4 * curve["k"] ** 3, abs=1e-10)
    assert kinds(curve) == ["cusp"]
    assert curve.special[0].values == pytest.approx((0.0, 0.0), abs=1e-7)
    assert curve["k"][[0, -1]] == pytest.approx([0.4, 0.4])
    assert curve["mu"][0] == pytest.approx(-curve["mu"][-1])
