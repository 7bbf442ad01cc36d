"""Branches of steady motions: folds, branch points and Hopf points at their closed forms, through constraints, there
and back."""

import pickle

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.nonlinear.continuation import SolutionCurve

from .columns import ziegler


def _hoop(cartesian: bool) -> sb.Equations:
    """A bead on a hoop that turns about its vertical diameter: upright branches leave the bottom at Ω² = g/R."""
    m = sb.Model("hoop")
    g, R, w = m.parameter("g", 9.81), m.parameter("R", 0.8), m.parameter("w", 1.0)
    m.gravity(0, 0, -g)
    turned = m.ground.rotate("z", w * m.time)
    if cartesian:
        x, z = m.coordinates("x z")
        place = turned.point(x, 0, z)
        m.constrain("on the hoop", x**2 + z**2 - R**2)
        m.generalized_force("damping", x, -0.3 * x.dot)
    else:
        (a,) = m.coordinates("a")
        place = turned.rotate("y", -a).point(0, 0, -R)
        m.generalized_force("damping", a, -0.2 * a.dot)
        m.output("x", R * sb.sin(a))
    m.particle("bead", place, mass=1.0)
    return sb.derive(m)


@pytest.fixture(scope="module", params=[False, True], ids=["angle", "constrained"])
def hoop(request) -> sb.stability.Branch:
    eq = _hoop(request.param)
    bottom = sb.steady(eq, w=1.0, start={"z": -0.8} if request.param else None)
    return sb.branch(eq, bottom, w=(0.5, 8))


def test_pitchfork_is_where_theory_has_it(hoop):
    (point,) = hoop.special
    assert (point.kind, point.criticality) == ("pitchfork", "supercritical")
    assert point.value == pytest.approx(np.sqrt(9.81 / 0.8), rel=1e-13)
    w = hoop["w"]
    assert ((hoop.unstable == 0) == (w < point.value)).all()


def test_switched_branch_is_the_one_off_the_axis(hoop):
    """cos θ = g / (R Ω²), both ways, stable; the pitchfork is in the middle of it."""
    side = hoop.switched()
    c = 9.81 / (0.8 * side["w"] ** 2)
    assert side["x"] ** 2 == pytest.approx(0.64 * (1 - c**2), abs=1e-12)
    assert side["x"].min() == pytest.approx(-side["x"].max(), abs=1e-12)
    assert [p.kind for p in side.special] == ["pitchfork"]
    assert (side.unstable == 0).all()
    assert side["w"].max() == 8.0
    wider = side.extended(w=(0.5, 9))
    assert ([p.kind for p in wider.special], wider["w"].max()) == (["pitchfork"], 9.0)


def test_parabola_of_the_pitchfork():
    """Ω ≈ Ω₀ + bend a² with θ = a: from cos θ = g / (R Ω²), Ω₀/4 θ²."""
    eq = _hoop(False)
    b = sb.branch(eq, sb.steady(eq, w=1.0), w=(0.5, 8))
    (point,) = b.special
    (direction,) = point.directions
    a = dict(zip(b.unknowns, b.problem.whole(direction), strict=True))["a"]
    assert point.coefficient / a**2 == pytest.approx(point.value / 4, rel=1e-9)


def _particle(force) -> sb.Equations:
    """x'' = force(x, mu) - x' / 2."""
    m = sb.Model("particle")
    mu = m.parameter("mu", 0.0)
    (x,) = m.coordinates("x")
    m.particle("p", m.ground.point(x, 0, 0), mass=1.0)
    m.generalized_force("force", x, force(x, mu) - x.dot / 2)
    return sb.derive(m)


def test_folds_of_a_snap_through():
    """Load against position of a shallow truss, mu = x³ - x: limit loads ±2/(3√3), unstable between."""
    eq = _particle(lambda x, mu: mu - x**3 + x)
    b = sb.branch(eq, sb.steady(eq, mu=-1.0, start={"x": -1.3}), mu=(-1, 1))
    assert [p.kind for p in b.special] == ["fold", "fold"]
    assert [p.value for p in b.special] == pytest.approx([2 / np.sqrt(27), -2 / np.sqrt(27)], rel=1e-13)
    assert b["mu"] == pytest.approx(b["x"] ** 3 - b["x"], abs=1e-12)
    assert ((b.unstable == 1) == (np.abs(b["x"]) < 1 / np.sqrt(3))).all()
    assert b.outcome == ("reached the bound", "reached the bound")


def test_transcritical():
    eq = _particle(lambda x, mu: mu * x - x**2)
    b = sb.branch(eq, sb.steady(eq, mu=-1.0), mu=(-1, 2))
    (point,) = b.special
    assert (point.kind, point.value) == ("transcritical", pytest.approx(0, abs=1e-13))
    other = b.switched()
    assert other["x"] == pytest.approx(other["mu"], abs=1e-12)
    assert (other.unstable[other["mu"] > 0.01] == 0).all()


def test_an_isola_closes():
    eq = _particle(lambda x, mu: 1 - x**2 - mu**2)
    b = sb.branch(eq, sb.steady(eq, mu=0.0, start={"x": 0.9}), mu=(-3, 3))
    assert b.outcome[1] == "returned to its beginning"
    assert b["x"] ** 2 + b["mu"] ** 2 == pytest.approx(np.ones(len(b)), abs=1e-12)
    assert sorted(p.value for p in b.special) == pytest.approx([-1, 1], abs=1e-13)


def test_there_and_back():
    """From the other end the same curve: as many special points, in the same places."""
    eq = _particle(lambda x, mu: mu - x**3 + x)
    ends = [sb.steady(eq, mu=m, start={"x": 1.3 * m}) for m in (-1.0, 1.0)]
    one, other = (sb.branch(eq, end, mu=(-1, 1)) for end in ends)
    assert sorted(p.value for p in one.special) == pytest.approx(sorted(p.value for p in other.special), abs=1e-13)
    assert one["x"][0] == pytest.approx(other["x"][0], abs=1e-12)


@pytest.mark.parametrize("b", [0.1, 0.5])
def test_flutter_of_ziegler_column(b):
    """P = 41/28 + b²/2 (Ziegler 1952, Herrmann and Jong 1965); at b = 0.1 the period is 11.7547633590."""
    eq = ziegler(b)
    found = sb.branch(eq, sb.steady(eq), P=(0, 2))
    (flutter,) = [p for p in found.special if p.kind == "Hopf"]
    assert flutter.value == pytest.approx(41 / 28 + b**2 / 2, rel=1e-12)
    if b == 0.1:
        assert 2 * np.pi / abs(flutter.eigenvalue.imag) == pytest.approx(11.7547633590, abs=1e-9)
        assert flutter.criticality == "supercritical"


def test_cycles_of_ziegler_column_grow_as_the_normal_form_says():
    """Of the cycles at P = 1.5 and 1.6 (AUTO-07p) amplitude² and period, extrapolated to the Hopf point."""
    eq = ziegler(0.1)
    (flutter,) = [p for p in sb.branch(eq, sb.steady(eq), P=(0, 2)).special if p.kind == "Hopf"]
    form, P = flutter.form, np.array([1.5, 1.6])
    off, computed = P - flutter.value, np.array([[0.2380113, 0.4243561], [0.4760152, 0.8331387]]) ** 2
    for k, name in enumerate(("q1", "q2")):
        ratio = computed[:, k] / (4 * form.amplitude * abs(form.shape[name]) ** 2 * off)
        assert ratio[0] - off[0] * (ratio[1] - ratio[0]) / (off[1] - off[0]) == pytest.approx(1, abs=1e-2)
    period = np.array([11.6853964, 11.4580812])
    slopes = (2 * np.pi / period - form.omega) / off
    assert slopes[0] - off[0] * (slopes[1] - slopes[0]) / (off[1] - off[0]) == pytest.approx(form.frequency, rel=1e-2)


def test_van_der_pol_has_amplitude_two():
    """x'' - (mu - x²) x' + x = 0: x = 2 √mu cos t to lowest order, supercritical."""
    eq = _particle(lambda x, mu: mu * x.dot - x**2 * x.dot - x + x.dot / 2)
    (hopf,) = sb.branch(eq, sb.steady(eq, mu=-0.5), mu=(-0.5, 0.5)).special
    assert (hopf.kind, hopf.criticality, hopf.value) == ("Hopf", "supercritical", pytest.approx(0, abs=1e-14))
    assert 2 * np.sqrt(hopf.form.amplitude) * abs(hopf.form.shape["x"]) == pytest.approx(2, rel=1e-12)


def test_inputs_and_given_values_can_be_varied():
    m = sb.Model("spring")
    F = m.input("F")
    (x,) = m.coordinates("x")
    m.particle("p", m.ground.point(x, 0, 0), mass=2.0)
    m.generalized_force("spring", x, F - 5 * x - x**3 - x.dot)
    m.output("stretch", 3 * x)
    eq = sb.derive(m)
    by_input = sb.branch(eq, sb.steady(eq, F=0.0), F=(-8, 8))
    assert by_input["F"] == pytest.approx(5 * by_input["x"] + by_input["x"] ** 3, abs=1e-12)
    by_value = sb.branch(eq, sb.steady(eq, x=0.1, free=["F"]), x=(0, 1))
    assert by_value["F"] == pytest.approx(5 * by_value["x"] + by_value["x"] ** 3, abs=1e-12)
    by_output = sb.branch(eq, sb.steady(eq, stretch=0.3, free=["F"]), stretch=(0, 3))
    assert by_output["stretch"] == pytest.approx(3 * by_output["x"], abs=1e-12)
    assert by_output["F"][-1] == pytest.approx(6.0, abs=1e-12)


def test_stability_lost_to_motions_that_were_not_asked_for():
    """The bead at the bottom, asked to stay there: the pitchfork is not on the branch, the zero eigenvalue is."""
    eq = _hoop(False)
    b = sb.branch(eq, sb.steady(eq, w=1.0, zero=["a"]), w=(0.5, 8))
    (point,) = b.special
    assert (point.kind, point.value) == ("divergence", pytest.approx(np.sqrt(9.81 / 0.8), rel=1e-12))


def test_a_motion_at_a_value():
    eq = _particle(lambda x, mu: mu - x**3 + x)
    b = sb.branch(eq, sb.steady(eq, mu=-1.0, start={"x": -1.3}), mu=(-1, 1))
    three = b.at(0.0)
    assert [m["x"] for m in three] == pytest.approx([-1, 0, 1], abs=1e-13)
    assert sb.linearize(eq, three[1]).eigenvalues().real.max() > 0


def test_a_branch_travels():
    """Pickled and read back it has the same points, and goes on from them."""
    eq = _particle(lambda x, mu: mu * x - x**2)
    b = sb.branch(eq, sb.steady(eq, mu=-1.0), mu=(-1, 2))
    same = pickle.loads(pickle.dumps(b))
    assert (same.points == b.points).all()
    assert same.switched()["x"] == pytest.approx(b.switched()["x"], abs=1e-13)


def test_a_branch_is_kept_in_a_file(tmp_path):
    """Bit for bit, with its special points; it goes on from them. A file of something else is told apart."""
    eq = _particle(lambda x, mu: mu * x.dot - x**2 * x.dot - x + mu * x + x.dot / 2)
    motion = sb.steady(eq, mu=-0.5)
    b = sb.branch(eq, motion, mu=(-0.5, 1.5))
    same = sb.write.load_branch(b.save(tmp_path / "branch"), motion)
    for name in ("points", "tangents", "eigenvalues", "unstable"):
        assert np.array_equal(getattr(same, name), getattr(b, name))
    assert str(same) == str(b)
    hopf, own = (next(p for p in x.special if p.kind == "Hopf") for x in (same, b))
    assert hopf.form == own.form
    assert np.array_equal(same.switched().points, b.switched().points)
    other = _hoop(False)
    with pytest.raises(sb.errors.StabilityError, match="no value to vary 'mu'"):
        sb.write.load_branch(tmp_path / "branch.npz", sb.steady(other))
    (tmp_path / "torn.npz").write_bytes((tmp_path / "branch.npz").read_bytes()[:600])
    with pytest.raises(sb.errors.StabilityError, match="no branch could be read from it"):
        sb.write.load_branch(tmp_path / "torn.npz", motion)
    with pytest.raises(sb.errors.StabilityError, match="'symbody branch' is missing"):
        sb.write.load_branch(sb.simulate(eq, 0.1).save(tmp_path / "run"), motion)


def test_a_branch_goes_on_where_it_ended(monkeypatch):
    """In a wider interval, and after Ctrl-C: the same curve as at once, with the same special points."""
    eq = _particle(lambda x, mu: mu - x**3 + x)
    motion = sb.steady(eq, mu=-1.0, start={"x": -1.3})
    whole, part = sb.branch(eq, motion, mu=(-1, 1)), sb.branch(eq, motion, mu=(-1, 0.2))
    wider = part.extended(mu=(-1, 1))
    assert [p.value for p in wider.special] == pytest.approx([p.value for p in whole.special], abs=1e-12)
    assert wider["mu"] == pytest.approx(wider["x"] ** 3 - wider["x"], abs=1e-12)
    assert (wider["mu"].max(), wider.outcome) == (1.0, ("reached the bound", "reached the bound"))
    calls = iter(range(10**6))

    def interrupted(self, x, *rest, after=SolutionCurve.corrected):
        if next(calls) == 20:
            raise KeyboardInterrupt
        return after(self, x, *rest)

    monkeypatch.setattr(SolutionCurve, "corrected", interrupted)
    torn = sb.branch(eq, motion, mu=(-1, 1))
    assert torn.outcome[1] == "was interrupted"
    assert 5 < len(torn) < len(whole)
    assert torn.connected() == (torn,)
    again = torn.extended()
    assert [p.value for p in again.special] == pytest.approx([p.value for p in whole.special], abs=1e-12)


def test_wrong_questions():
    eq = _particle(lambda x, mu: mu - x)
    here = sb.steady(eq)
    with pytest.raises(sb.errors.StabilityError, match="one value must have an interval"):
        sb.branch(eq, here)
    with pytest.raises(sb.errors.StabilityError, match="low < high"):
        sb.branch(eq, here, mu=(1, 0))
    with pytest.raises(sb.errors.StabilityError, match=r"no value to vary 'nu'.*mu"):
        sb.branch(eq, here, values={"nu": (0, 1)})
    with pytest.raises(sb.errors.StabilityError, match="starts from a steady motion"):
        sb.branch(eq, {"x": 0}, mu=(0, 1))  # type: ignore[arg-type]
    with pytest.raises(sb.errors.StabilityError, match="no branch point 0; there are 0"):
        sb.branch(eq, here, mu=(0, 1)).switched()
