"""Orders of the explicit methods, measured: of steps, of dense output, with constraints; reversed time; 30 digits."""

from collections.abc import Callable

import mpmath
import numpy as np
import pytest

import symbody as sb
from tests.amount import dear

from .mechanisms import START, double_pendulum, slider_crank

ORDERS = {"rk4": 4, "dp5": 5, "dp8": 8}
STEPS = {"rk4": 0.01, "dp5": 0.02, "dp8": 0.04}
DENSE = {"rk4": 3, "dp5": 4, "dp8": 7}

# q1, q2, q1', q2' of the double pendulum at t = 2, from q1 = 1, q2 = 1/2 at rest: `by_extrapolation`, 40 and 80 steps
# agree.
AT_2 = (
    "-0.100143441383880914410839276102",
    "-0.519544796198787703578809158477",
    "0.756869353927935982589348176942",
    "4.21746273614228111305715686398",
)
BEGIN = {"q1": 1.0, "q2": 0.5}


def by_extrapolation(steps: int) -> list[mpmath.mpf]:
    """The same motion with 45 digits, from equations written by hand in absolute angles, by Gragg's method extrapolated
    14 times."""

    def rates(y):
        (a, b, v, w), g = y, mpmath.mpf("9.81")
        s, c = mpmath.sin(a - b), mpmath.cos(a - b)
        first, second = -s * w**2 - 2 * g * mpmath.sin(a), s * v**2 - g * mpmath.sin(b)
        return [v, w, (first - c * second) / (2 - c * c), (2 * second - c * first) / (2 - c * c)]

    def midpoints(y, h, n):
        k = h / n
        a, b = y, [x + k * d for x, d in zip(y, rates(y), strict=True)]
        for _ in range(n - 1):
            a, b = b, [x + 2 * k * d for x, d in zip(a, rates(b), strict=True)]
        return [(x + z + k * d) / 2 for x, z, d in zip(a, b, rates(b), strict=True)]

    def step(y, h):
        rows: list[list[list[mpmath.mpf]]] = []
        for i in range(14):
            row = [midpoints(y, h, 2 * (i + 1))]
            for j in range(i):
                ratio = mpmath.mpf(i + 1) ** 2 / mpmath.mpf(i - j) ** 2 - 1
                row.append([x + (x - z) / ratio for x, z in zip(row[j], rows[i - 1][j], strict=True)])
            rows.append(row)
        return rows[-1][-1]

    with mpmath.workdps(45):
        y = [mpmath.mpf(1), mpmath.mpf(3) / 2, mpmath.mpf(0), mpmath.mpf(0)]
        for _ in range(steps):
            y = step(y, mpmath.mpf(2) / steps)
        return [y[0], y[1] - y[0], y[2], y[3] - y[2]]


@dear
def test_digits_of_the_reference():
    with mpmath.workdps(45):
        for found, kept in zip(by_extrapolation(40), AT_2, strict=True):
            assert abs(found - mpmath.mpf(kept)) < mpmath.mpf("1e-28")


@pytest.mark.parametrize("method", ["dp5", "dp8"])
def test_double_pendulum_to_rounding(method):
    sim = sb.simulate(double_pendulum(), 2.0, BEGIN, method=method, rtol=1e-14, atol=1e-14)
    assert np.abs(sim.y[-1] - np.array(AT_2, dtype=float)).max() < 2e-12


def measured(error: Callable[[float], float], step: float) -> float:
    """Order from errors with a step, and with half of it."""
    return float(np.log2(error(step) / error(step / 2)))


@pytest.mark.parametrize("method", ORDERS)
def test_order_of_steps(method):
    exact = np.array(AT_2, dtype=float)

    def error(step: float) -> float:
        return float(np.abs(sb.simulate(double_pendulum(), 2.0, BEGIN, method=method, step=step).y[-1] - exact).max())

    assert measured(error, STEPS[method]) == pytest.approx(ORDERS[method], abs=0.45)


@pytest.mark.parametrize("method", ORDERS)
def test_order_between_steps(method):
    """The polynomial inside the first step, where nothing has accumulated: one order more than its uniform one."""

    def error(step: float) -> float:
        inside = np.linspace(0.1, 0.9, 9) * step
        ours = sb.simulate(double_pendulum(), step, BEGIN, method=method, step=step).at(inside)
        exact = sb.simulate(
            double_pendulum(), np.array([0.0, *inside]), BEGIN, rtol=1e-14, atol=1e-15, max_step=step / 20
        )
        return float(np.abs(ours.y - exact.y[1:]).max())

    assert measured(error, 10 * STEPS[method]) > DENSE[method] + 0.6


def powers_of_time(order: int) -> sb.Equations:
    """Variables that are t, t², ..., each power by several right sides: one for each kind of tree in the order conditions
    (`tall`, `bushy`, and both at a knee)."""
    t = sb.symbol("t1", "variable")
    rates, tall = {t: sb.algebra.as_expr(1)}, [t]
    for k in range(2, order + 1):
        sides = {"tall": k * tall[-1], "bushy": k * t ** (k - 1)} | ({"knee": k * t * tall[-2]} if k > 2 else {})
        made = {name: sb.symbol(f"{name}{k}", "variable") for name in sides}
        rates |= {made[name]: side for name, side in sides.items()}
        tall.append(made["tall"])
    return sb.from_equations(rates)


@pytest.mark.parametrize("method", ORDERS)
def test_powers_of_time_between_steps_to_rounding(method):
    """Within one step, the dense output of order p is exact for powers of time up to p, whose coefficients it takes all:
    an order that is measured does not see 5e-9 in one of them."""
    eq, at = powers_of_time(DENSE[method]), np.linspace(0.05, 1.0, 20)
    sim = sb.simulate(eq, 1.0, {}, method=method, step=1.0).at(at)
    for name in map(str, eq.z):
        np.testing.assert_allclose(sim[name], at ** int(name[-1]), rtol=0, atol=2e-13, err_msg=name)


@pytest.mark.parametrize("form", ["projection", "orthogonal", "partition", "qr", "svd", "explicit"])
@pytest.mark.parametrize("method", ["dp5", "rk4"])
def test_order_with_constraints(form, method):
    """Projection and changes of the independent combination leave the order as it is."""
    exact = sb.simulate(slider_crank(), 0.5, START, rtol=1e-13).y[-1]

    def error(step: float) -> float:
        sim = sb.simulate(slider_crank(), 0.5, START, method=method, step=step, form=form)
        return float(np.abs(sim.y[-1] - exact).max())

    assert (measured(error, 0.02) + measured(error, 0.01)) / 2 > ORDERS[method] - 0.6


@pytest.mark.parametrize("form", ["projection", "qr", "svd"])
def test_reversed_time_returns(form):
    there = sb.simulate(slider_crank(), 1.0, START, form=form, rtol=1e-12)
    back = sb.simulate(slider_crank(), (1.0, 0.0), there.final, form=form, rtol=1e-12)
    assert back.y[-1] == pytest.approx(there.y[0], abs=1e-9)


@pytest.mark.parametrize("method", ["dp5", "dp8"])
def test_double_pendulum_returns(method):
    there = sb.simulate(double_pendulum(), 2.0, BEGIN, method=method, rtol=1e-13)
    back = sb.simulate(double_pendulum(), (2.0, 0.0), there.final, method=method, rtol=1e-13)
    assert back.y[-1] == pytest.approx(there.y[0], abs=1e-10)


def test_tighter_tolerances_give_smaller_errors():
    """In proportion, about: the local error is what is controlled."""
    exact = np.array(AT_2, dtype=float)
    errors = [
        np.abs(sb.simulate(double_pendulum(), 2.0, BEGIN, rtol=r).y[-1] - exact).max()
        for r in (1e-5, 1e-7, 1e-9, 1e-11)
    ]
    assert np.all(np.diff(np.log10(errors)) < -1.0)
    assert errors[-1] < 1e-9


@pytest.mark.parametrize("rtol", [1e-3, 1e-4, 1e-6])
@pytest.mark.parametrize("method", ["dp5", "dp8"])
def test_few_steps_are_rejected_where_stability_bounds_them(method, rtol):
    """A stiff spring that vibrates little bounds the steps; a controller without memory has every third rejected."""
    x, v, y, w = sb.symbols("x v y w", "variable")
    eq = sb.from_equations({x: v, v: -x, y: w, w: -(300.0**2) * (y - 0.1 * x)})
    sim = sb.simulate(eq, [0.0, 20.0], x=1.0, y=0.1, method=method, rtol=rtol)
    done = sim.statistics
    assert sim.outcome
    assert done.rejected < 0.13 * done.steps
    assert 20.0 * 300.0 / done.steps > (1.0 if method == "dp5" else 3.0)  # nor are they short for it
    assert sim.final["x"] == pytest.approx(np.cos(20.0), abs=20 * rtol)
