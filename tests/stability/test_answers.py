"""Spectra, loci, responses, sensitivities and design, on small systems whose answers are known."""

import importlib.util
import math

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.signal import StateSpace, lsim

import symbody as sb
from symbody.stability.spectra import response
from symbody.stability.spectra.pencil import pencil_spectrum

k, c, m = sb.symbols("k c m")


def oscillator(**defaults: float) -> sb.LinearSystem:
    """m x'' + c x' + k x = r, y = x."""
    values = {"k": 4.0, "c": 0.4, "m": 1.0} | defaults
    return sb.linear_system(
        [[0, 1], [-k, -c]], [[0], [1]], [[1, 0]], E=[[1, 0], [0, m]], x=["x", "v"], r=["force"], y=["place"],
        defaults={sb.symbol(n): v for n, v in values.items()},
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------ spectra


def test_damping_and_frequency():
    mode = oscillator().modes()[1]
    assert mode.natural_frequency == pytest.approx(1 / math.pi)
    assert mode.damping_ratio == pytest.approx(0.1)
    assert mode.frequency == pytest.approx(math.sqrt(4 - 0.04) / (2 * math.pi))
    assert mode.is_oscillatory
    assert "0.1000" in repr(oscillator().modes())


@pytest.mark.parametrize("chain", [1, 2, 3])
def test_infinite_eigenvalues_are_counted(chain):
    """Nilpotent E of any chain length beside a regular part, mixed by random matrices: finite ones to all digits, none
    at 1e17."""
    draw = np.random.default_rng(chain)
    n = 3 + chain
    E, A = np.zeros((n, n)), np.eye(n)
    E[:3, :3], A[:3, :3] = np.eye(3), np.diag([-1.0, -2.0, 0.5])
    for i in range(chain - 1):
        E[3 + i, 4 + i] = 1.0
    P, Q = draw.normal(size=(n, n)), draw.normal(size=(n, n))
    lin = sb.linear_system(P @ A @ Q, E=P @ E @ Q)
    spectrum = lin.modes()
    assert spectrum.infinite == chain
    assert spectrum.eigenvalues == pytest.approx([-2, -1, 0.5], abs=1e-9)


def test_singular_pencil_is_refused():
    lin = sb.linear_system([[1, 2], [2, 4]], E=[[1, 1], [2, 2]], x=["a", "b"])
    with pytest.raises(
        sb.errors.StabilityError, match=r"singular for every s.*the equations of a, b are linearly dependent"
    ):
        lin.eigenvalues()


def test_left_and_right_vectors():
    draw = np.random.default_rng(0)
    E, A = draw.normal(size=(5, 5)) * [[1], [100], [1], [0.01], [1]], draw.normal(size=(5, 5))
    found = pencil_spectrum(E, A)
    assert A @ found.x == pytest.approx(E @ found.x * found.s, abs=1e-9)
    assert found.y.conj().T @ A == pytest.approx(found.s[:, None] * (found.y.conj().T @ E), abs=1e-6)
    assert np.diag(found.y.conj().T @ E @ found.x) == pytest.approx(np.ones(5))


def test_shapes_are_checked():
    with pytest.raises(sb.errors.StabilityError, match="B has shape"):
        sb.LinearSystem(
            "s",
            ("a",),
            ("r",),
            (),
            *(sb.matrix([[1]]),) * 2,
            sb.zeros(2, 1),
            *(sb.zeros(0, 1),) * 2,
            ("a",),
            sb.matrix([[1]]),
        )


# ------------------------------------------------------------------------------------------------ loci


def test_critical_damping_is_where_branches_meet():
    """c² = 4 k m, found to 1e-9; and c = 0, where the oscillation begins to decay."""
    locus = oscillator().root_locus(points=50, c=(-1.0, 6.0))
    kinds = [(x.kind, x.how) for x in locus.critical]
    assert kinds == [("oscillatory", "gains stability"), ("meeting", "splits")]
    assert [x.value for x in locus.critical] == pytest.approx([0, 4], abs=1e-9)
    assert locus.critical[0].eigenvalue == pytest.approx(2j)
    assert locus.stable_ranges() == [pytest.approx((0, 6.0), abs=1e-9)]


def test_divergence_is_real():
    locus = oscillator().root_locus(points=40, k=(-2.0, 2.0))
    (found,) = (x for x in locus.critical if x.kind == "real")
    assert found.value == pytest.approx(0, abs=1e-9)
    assert found.how == "gains stability"


def test_flutter_of_two_undamped_oscillations():
    """x'' + [[1, p], [-p, 4]] x = 0: ω² = (5 ± sqrt(9 - 4 p²)) / 2 meet at p = 3/2."""
    p = sb.symbol("p")
    A = sb.matrix([[0, 0, 1, 0], [0, 0, 0, 1], [-1, -p, 0, 0], [p, -4, 0, 0]])
    locus = sb.linear_system(A).root_locus(points=37, p=(0.0, 3.0))
    (found,) = (x for x in locus.critical if x.kind == "flutter")
    assert found.value == pytest.approx(1.5, abs=1e-9)
    assert found.eigenvalue == pytest.approx(1j * math.sqrt(2.5), abs=1e-6)
    assert locus.stable_ranges() == [pytest.approx((0.0, 1.5), abs=1e-9)]


def test_branches_go_through_each_other():
    """Two uncoupled oscillations whose frequencies cross: each branch keeps its own law, on a coarse grid too."""
    p = sb.symbol("p")
    A = sb.matrix([[0, 0, 1, 0], [0, 0, 0, 1], [-p * p, 0, -0.2, 0], [0, -9, 0, -0.1]])
    locus = sb.linear_system(A).root_locus(points=15, p=(1.0, 6.0))
    still = [np.allclose(branch, branch[0]) for branch in locus.eigenvalues.T]
    moving = [np.allclose(b.real, -0.1) and np.allclose(np.abs(b), locus.values) for b in locus.eigenvalues.T]
    assert (sum(still), sum(moving)) == (2, 2)


def test_slow_crossings_beside_fast_decay():
    """A real part of less than 1e-8 of the largest eigenvalue for several steps changes its sign; one that stays zero,
    to rounding, does not."""
    p = sb.symbol("p")
    slow = sb.linear_system([[1e-6 * p, 0], [0, -10]]).root_locus(points=101, p=(-1.0, 1.05))
    assert [(x.kind, x.how) for x in slow.critical] == [("real", "loses stability")]
    assert slow.critical[0].value == pytest.approx(0, abs=1e-9)
    flat = sb.linear_system([[sb.minimum(p + 0.3, 0) + sb.maximum(p - 0.3, 0), 0], [0, -10]]).root_locus(
        points=100, p=(-1.0, 1.0)
    )
    assert flat.stable_ranges() == [(-1.0, pytest.approx(0.0, abs=0.31))]
    mixed = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    still = sb.matrix(mixed.T) @ sb.matrix([[0, 0, 0], [0, -10, p], [0, 0, -20]]) @ sb.matrix(mixed)
    assert sb.linear_system(still).root_locus(points=101, p=(-1.0, 1.0)).critical == ()


def test_crossings_beside_eigenvalues_that_stay_zero():
    """A heading that nothing depends on adds a zero, two of them a double one: the crossing is found as exactly as
    without."""
    p = sb.symbol("p")
    A = sb.matrix([[p * p - 2, 0, 0], [1, 0, 0], [0, 1, 0]])
    for n in (2, 3):
        locus = sb.linear_system([[A[i, j] for j in range(n)] for i in range(n)]).root_locus(points=40, p=(1.0, 2.0))
        (found,) = locus.critical
        assert (found.kind, found.how) == ("real", "loses stability")
        assert found.value == pytest.approx(math.sqrt(2), abs=1e-9)


def test_a_locus_of_constant_states_only():
    """Nothing moves, nothing grows."""
    p = sb.symbol("p")
    locus = sb.linear_system([[0, p], [0, 0]]).root_locus(points=11, p=(-1.0, 1.0))
    assert not locus.eigenvalues.any()
    assert (locus.critical, locus.stable_ranges()) == ((), [(-1.0, 1.0)])


def test_a_part_that_leaves_the_axis_with_a_kink():
    """max(p, 0): no sign changes, but growth begins at 0."""
    p = sb.symbol("p")
    locus = sb.linear_system([[sb.maximum(p, 0), 2], [-2, sb.maximum(p, 0)]]).root_locus(points=40, p=(-1.0, 1.0))
    assert [(c.kind, c.how) for c in locus.critical] == [("oscillatory", "loses stability")]
    assert locus.stable_ranges() == [(-1.0, pytest.approx(0.0, abs=1e-9))]


def test_a_chart_beside_constant_rates():
    """A double zero, mixed into all states, does not grow."""
    p, c = sb.symbol("p"), sb.symbol("c")
    A = sb.matrix([[0, 1, 0, 0], [-p, -c, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    Q = sb.matrix(np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0])
    chart = sb.linear_system(Q @ A @ Q.T).stability_chart(points=(20, 20), p=(-1.1, 1.0), c=(-1.05, 1.0))
    assert (chart.is_stable == ((chart.first[:, None] > 0) & (chart.second[None, :] > 0))).all()


def test_a_locus_of_a_singular_pencil():
    lin = sb.linear_system(
        [[0, 1, 0], [-k, -c, -1], [1, 0, -1]], E=[[1, 0, 0], [0, 1, 0], [0, 0, 0]], defaults={c: 0.2}
    )
    locus = lin.root_locus(points=30, k=(-3.0, 3.0))
    assert locus.infinite == 1
    (found,) = (x for x in locus.critical if x.kind == "real")
    assert found.value == pytest.approx(-1, abs=1e-9)


def test_chart():
    chart = oscillator().stability_chart(points=(11, 5), k=(-1.1, 1.0), c=(-0.5, 0.6))
    expected = (chart.first[:, None] > 0) & (chart.second[None, :] > 0)
    assert (chart.is_stable == expected).all()
    assert "% stable" in repr(chart)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"k": 1.0}, "one parameter must have a range"),
        ({"k": (2.0, 1.0)}, "the range of k must grow"),
        ({"q": (1.0, 2.0)}, "'q' is neither a name of the model nor an option"),
    ],
)
def test_bad_ranges(values, says):
    with pytest.raises(sb.errors.StabilityError, match=says):
        oscillator().root_locus(points=10, **values)


# ------------------------------------------------------------------------------------------------ responses


def test_frequency_response():
    response = oscillator().frequency_response("force", "place", [0.1, 1.0])
    w = 2 * math.pi * np.array([0.1, 1.0])
    assert response.values == pytest.approx(1 / (4 - w**2 + 0.4j * w))
    assert response.decibels == pytest.approx(20 * np.log10(response.magnitude))
    assert response.phase[1] == pytest.approx(np.degrees(np.angle(response.values[1])))


def test_frequencies_are_chosen_from_the_spectrum():
    response = oscillator().frequency_response("force", "v")
    peak = response.hertz[np.argmax(response.magnitude)]
    assert peak == pytest.approx(1 / math.pi, rel=0.02)


def test_step_and_impulse():
    """Against the closed form, on times that are not even."""
    times = np.array([0.0, 0.3, 0.35, 1.0, 4.0])
    w, d = math.sqrt(4 - 0.04), 0.2
    impulse = np.exp(-d * times) * np.sin(w * times) / w
    step = (1 - np.exp(-d * times) * (np.cos(w * times) + d / w * np.sin(w * times))) / 4
    assert sb.stability.impulse_response(oscillator(), "force", "place", times).values == pytest.approx(
        impulse, abs=1e-12
    )
    assert oscillator().step_response("force", "place", times).values == pytest.approx(step, abs=1e-12)
    default = oscillator().step_response("force", "place")
    assert default.values[-1] == pytest.approx(0.25, abs=0.01)


def test_light_damping_does_not_make_responses_long():
    """Twenty turns of an oscillation that takes 4e5 turns to decay, each of them resolved; and one exponential for all
    steps, whose differences are not the same to rounding."""
    lin = sb.linear_system([[0, 1], [-4, -1e-5]], B=[[0], [1]], x=["x", "v"], r=["F"])
    found = lin.step_response("F", "x")
    assert found.times[-1] == pytest.approx(20 * np.pi, rel=1e-6)
    np.testing.assert_allclose(found.values, (1 - np.cos(2 * found.times)) / 4, atol=1e-4)


def test_equal_steps_take_one_exponential(monkeypatch):
    asked = []
    monkeypatch.setattr(response, "expm", lambda A: asked.append(A) or expm(A))
    lin = sb.linear_system([[0, 1], [-4, -0.1]], B=[[0], [1]], x=["x", "v"], r=["F"])
    for times in (np.linspace(0, 38_461.3, 1001), np.arange(1, 500) * 0.1, np.linspace(1e3, 1e3 + 1, 101)):
        asked.clear()
        lin.step_response("F", "x", times)
        assert len(asked) <= 2


def test_scipy_agrees():
    system = sb.stability.to_scipy(oscillator())
    assert isinstance(system, StateSpace)
    times = np.linspace(0, 5, 200)
    _, y, _ = lsim(system, np.ones(200), times)
    assert oscillator().step_response("force", "place", times).values == pytest.approx(np.ravel(y), abs=1e-6)


def test_control_is_optional():
    if importlib.util.find_spec("control") is None:
        with pytest.raises(sb.errors.StabilityError, match="pip install control"):
            sb.stability.to_control(oscillator())
    else:
        assert np.sort_complex(sb.stability.to_control(oscillator()).poles()) == pytest.approx(
            oscillator().eigenvalues()
        )


def test_zeros():
    """y = x + v / 2 has a zero at -2; places have none; what cannot respond is refused."""
    lin = sb.linear_system([[0, 1], [-4, -0.4]], [[0], [1]], [[1, 0.5]], y=["both"])
    assert lin.zeros("r1", "both") == pytest.approx([-2])
    assert len(oscillator().zeros("force", "place")) == 0
    deaf = sb.linear_system([[-1, 0], [0, -2]], [[1], [0]], x=["a", "b"])
    with pytest.raises(sb.errors.StabilityError, match="b does not respond to r1 at all"):
        deaf.zeros("r1", "b")


def test_unknown_names():
    with pytest.raises(sb.errors.StabilityError, match="there is no input 'forse'; there is only force"):
        oscillator().frequency_response("forse", "place")
    with pytest.raises(sb.errors.StabilityError, match="there is no output or variable 'plase'"):
        oscillator().frequency_response("force", "plase")


# ------------------------------------------------------------------------------------------------ sensitivities


def random_system(seed: int) -> tuple[sb.LinearSystem, sb.Symbol]:
    """Damped, not symmetric, E not the identity: everything depends on p."""
    p, draw = sb.symbol("p"), np.random.default_rng(seed)
    E0, E1, A0, A1 = (draw.normal(size=(4, 4)) for _ in range(4))
    B, C = draw.normal(size=(4, 1)), draw.normal(size=(1, 4))
    X = [[[float(x) + float(y) * f for x, y in zip(a, b, strict=True)] for a, b in zip(M, N, strict=True)] for M, N, f in
         ((E0 + 4 * np.eye(4), E1, sb.sin(p) / 3), (A0, A1, p))]  # fmt: skip
    return sb.linear_system(
        X[1], [[float(b[0]) * sb.cos(p)] for b in B], [[float(x) + p for x in C[0]]], E=X[0], y=["y"]
    ), p


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_eigenvalues_and_modes(seed):
    lin, _ = random_system(seed)
    h, at = 1e-6, 0.7
    slopes, low, high = (sb.stability.eigenvalue_sensitivities(lin, "p", p=x) for x in (at, at - h, at + h))
    assert slopes.derivatives[:, 0] == pytest.approx((high.eigenvalues - low.eigenvalues) / (2 * h), rel=1e-5, abs=1e-6)
    assert slopes.shape_derivatives[0] == pytest.approx((high.shapes - low.shapes) / (2 * h), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_of_responses(seed):
    lin, _ = random_system(seed)
    h, at, hertz = 1e-6, 0.7, [0.1, 0.5]
    found = sb.stability.response_sensitivities(lin, "r1", "y", hertz, "p", p=at)["p"]
    low, high = (lin.frequency_response("r1", "y", hertz, p=x).values for x in (at - h, at + h))
    assert found == pytest.approx((high - low) / (2 * h), rel=1e-5, abs=1e-6)


def test_multiple_eigenvalues_have_no_derivative():
    with pytest.raises(sb.errors.StabilityError, match="is multiple and has no derivative"):
        sb.stability.eigenvalue_sensitivities(oscillator(c=4.0), "k")


# ------------------------------------------------------------------------------------------------ design


def test_design_reaches_a_pair():
    """s = -1 ± 3i for m = 1 needs c = 2, k = 10; more parameters than targets leave the nearest."""
    design = sb.stability.design_parameters(oscillator(), [-1 + 3j], ["k", "c"])
    assert design.is_reached
    assert list(design.values.values()) == pytest.approx([10, 2])
    free = sb.stability.design_parameters(oscillator(), [-1 + 3j], ["k", "c", "m"])
    assert free.is_reached
    assert "reached in" in repr(free)


def test_design_that_cannot_be_reached():
    """One parameter for one place in the plane: least squares, said so; bounds stop it earlier."""
    design = sb.stability.design_parameters(oscillator(), [-1 + 3j], ["k"])
    assert not design.is_reached
    assert "not reached" in design.outcome
    bounded = sb.stability.design_parameters(
        oscillator(), [-1 + 3j], ["k", "c"], bounds={"k": (0.0, 6.0)}, max_steps=60
    )
    assert bounded.values["k"] == pytest.approx(6.0, abs=1e-6)
    assert not bounded.is_reached


def test_design_refusals():
    with pytest.raises(sb.errors.StabilityError, match="there is no kind of target 'poles'"):
        sb.stability.design_parameters(oscillator(), [1], ["k"], of="poles")
    with pytest.raises(sb.errors.StabilityError, match="there is no parameter to vary 'm'"):
        sb.stability.design_parameters(oscillator(), [1], ["k"], bounds={"m": (0, 1)})
