"""Folds and Hopf points over two values, and where they degenerate, at closed forms."""

import pickle

import numpy as np
import pytest

import symbody as sb

from .columns import ziegler


def _oscillator(force, **others) -> sb.Equations:
    """x'' = force(x, x', mu, k), and other coordinates likewise."""
    m = sb.Model("oscillator")
    mu, k = m.parameter("mu", 0.0), m.parameter("k", 1.0)
    for name, law in {"x": force, **others}.items():
        (x,) = m.coordinates(name)
        m.particle(f"of {name}", m.ground.point(x, 0, 0), mass=1.0)
        m.generalized_force(f"on {name}", x, law(x, x.dot, mu, k))
    return sb.derive(m)


def _kinds(curve: sb.stability.SpecialCurve) -> list[str]:
    return [p.kind for p in curve.special]


def test_folds_meet_in_a_cusp():
    """mu = x³ - k x has folds at 27 mu² = 4 k³."""
    eq = _oscillator(lambda x, v, mu, k: mu - x**3 + k * x - v / 2)
    b = sb.branch(eq, sb.steady(eq, mu=-1.0, start={"x": -1.3}), mu=(-1, 1))
    folds = b.curve_of(b.special[0], k=(-1, 1.5))
    assert 27 * folds["mu"] ** 2 == pytest.approx(4 * folds["k"] ** 3, abs=1e-12)
    assert _kinds(folds) == ["cusp"]
    assert folds.special[0].values == pytest.approx((0, 0), abs=1e-12)
    assert folds["mu"].min() < -0.5 < 0.5 < folds["mu"].max()  # both folds: the curve went through the cusp


@pytest.fixture(scope="module")
def takens() -> sb.stability.Branch:
    """x'' = mu + k x + x² - x x': folds at k² = 4 mu, Hopf points at mu = 0, k < 0 with ω² = -k, both ending in the
    origin (Bogdanov 1975)."""
    eq = _oscillator(lambda x, v, mu, k: mu + k * x + x**2 - x * v)
    return sb.branch(eq, sb.steady(eq, mu=-0.5, k=-1.0, start={"x": -0.3}), mu=(-0.5, 0.4), k=-1.0)


def test_folds_and_hopf_points_meet(takens):
    fold, hopf = (next(p for p in takens.special if p.kind == kind) for kind in ("fold", "Hopf"))
    folds, hopfs = takens.curve_of(fold, k=(-1, 1)), takens.curve_of(hopf, k=(-1, 1))
    assert folds["k"] ** 2 == pytest.approx(4 * folds["mu"], abs=1e-12)
    assert hopfs["mu"] == pytest.approx(np.zeros(len(hopfs)), abs=1e-12)
    assert hopfs.omega**2 == pytest.approx(-hopfs["k"], abs=1e-12)
    for curve in (folds, hopfs):
        assert _kinds(curve) == ["Bogdanov-Takens"]
        assert curve.special[0].values == pytest.approx((0, 0), abs=1e-12)


def test_the_oscillation_changes_its_side():
    """x'' = -x + (mu + k x² - x⁴) x': l₁ has the sign of k."""
    eq = _oscillator(lambda x, v, mu, k: -x + (mu + k * x**2 - x**4) * v)
    b = sb.branch(eq, sb.steady(eq, mu=-0.5, k=1.0), mu=(-0.5, 0.5), k=1.0)
    curve = b.curve_of(b.special[0], k=(-1, 1.2))
    assert _kinds(curve) == ["generalised Hopf"]
    assert curve.special[0].values == pytest.approx((0, 0), abs=1e-10)


@pytest.mark.parametrize(
    ("other", "kind"),
    [(lambda y, v, mu, k: -4 * y + k * v, "double Hopf"), (lambda y, v, mu, k: k * y - v, "zero-Hopf")],
)
def test_a_second_eigenvalue_crosses(other, kind):
    eq = _oscillator(lambda x, v, mu, k: -x + (mu - x**2) * v, y=other)
    b = sb.branch(eq, sb.steady(eq, mu=-0.5, k=-1.0), mu=(-0.5, 0.5), k=-1.0)
    curve = b.curve_of(next(p for p in b.special if p.kind == "Hopf"), k=(-1, 1))
    assert _kinds(curve) == [kind]
    assert curve.special[0].values == pytest.approx((0, 0), abs=1e-10)


def test_flutter_of_ziegler_column_over_damping():
    """P = 41/28 + b²/2 (Ziegler 1952): one curve for all dampings."""
    eq = ziegler(0.1)
    found = sb.branch(eq, sb.steady(eq), P=(0, 4))
    flutter = found.curve_of(found.special[0], b=(0.01, 2))
    assert flutter["P"] == pytest.approx(41 / 28 + flutter["b"] ** 2 / 2, rel=1e-12)
    assert flutter.outcome == ("reached the bound", "reached the bound")
    assert sb.linearize(eq, flutter.motion(3)).eigenvalues().real.max() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("times", [1, 2])
def test_constraints_and_redundant_ones(times):
    """A bead that is kept on a hoop once, or twice over: the Hopf point of a negative damping is at mu = k,
    supercritical, with the hoop's frequency."""
    m = sb.Model("bead")
    mu, k = m.parameter("mu", 0.0), m.parameter("k", 0.5)
    x, y = m.coordinates("x y")
    m.gravity(0, -9.81, 0)
    m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    for n in range(times):
        m.constrain(f"on the hoop, {n}", (n + 1) * (x**2 + y**2 - 1))
    m.generalized_force("damping", x, (mu - k - x**2) * x.dot)
    eq = sb.derive(m, redundant=times > 1)
    b = sb.branch(eq, sb.steady(eq, mu=0.0, start={"y": -1.0}), mu=(0, 2))
    (hopf,) = [p for p in b.special if p.kind == "Hopf"]
    assert hopf.criticality == "supercritical"
    curve = b.curve_of(hopf, k=(0.1, 1.5))
    assert curve["mu"] == pytest.approx(curve["k"], abs=1e-11)
    assert curve.omega == pytest.approx(np.full(len(curve), np.sqrt(9.81)), rel=1e-11)


def test_all_branches_of_a_whirling_double_pendulum():
    """Two equal rods hanging on a turning axis: branches leave the hanging position at Ω² = (2 ∓ √2) g/l, and each is
    found once."""
    m = sb.Model("whirl")
    w = m.parameter("w", 1.0)
    m.gravity(0, 0, -1)
    a, b = m.coordinates("a b")
    turned = m.ground.rotate("z", w * m.time)
    knee = turned.rotate("y", -a).point(0, 0, -1)
    m.particle("knee", knee, mass=1.0)
    m.particle("tip", knee + turned.rotate("y", -b).vector(0, 0, -1), mass=1.0)
    eq = sb.derive(m)
    found = sb.branch(eq, sb.steady(eq), w=(0.3, 3)).connected()
    hanging = [p.value**2 for p in found[0].special if p.kind == "pitchfork"]
    assert hanging == pytest.approx([2 - np.sqrt(2), 2 + np.sqrt(2)], rel=1e-12)
    assert len(found) == 3
    assert all(np.abs(other["a"]).max() > 0.1 for other in found[1:])


def test_as_tables_pictures_and_pickles(takens):
    curve = takens.curve_of(next(p for p in takens.special if p.kind == "fold"), k=(-1, 1))
    same = pickle.loads(pickle.dumps(curve))
    assert (same["k"] == curve["k"]).all()
    assert list(curve.to_pandas()["mu"]) == list(curve["mu"])
    assert takens.to_xarray().attrs["model"] == "oscillator"
    (panel,) = sb.plot([curve]).panels
    assert (panel.x_label, panel.y_label) == ("mu", "k")
    assert [n.text for n in panel.notes] == ["Bogdanov-Takens"]


def test_wrong_questions(takens):
    fold = takens.special[0]
    with pytest.raises(sb.errors.StabilityError, match="one value must have an interval"):
        takens.curve_of(fold)
    with pytest.raises(sb.errors.StabilityError, match="no value to vary 'mu'"):
        takens.curve_of(fold, mu=(0, 1))
    eq = _oscillator(lambda x, v, mu, k: mu * x - x**3 - v)
    b = sb.branch(eq, sb.steady(eq, mu=-1.0), mu=(-1, 1))
    with pytest.raises(sb.errors.StabilityError, match="those of folds and Hopf points; got a pitchfork"):
        b.curve_of(b.special[0], k=(0, 1))
