"""Forms by independent speeds, projection onto invariants, and singular configurations."""

from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, four_bars, sleigh, slider_crank, spatial_crank
from symbody.emit.loops.kernel_language import Function, Numbers
from symbody.emit.run.loop_callee import LoopCallee
from symbody.integrate.elimination_kernels.orthogonal_factors import scale_rows
from symbody.integrate.forms.null_space import (
    FACTORS,
    Space,
    directions,
    factors,
    meeting,
    space_form,
    space_of,
)
from symbody.integrate.result.outcome import Ending
from tests.amount import some

# ------------------------------------------------------------------------------------------------ factors


def solved(space: Space, Z: Numbers) -> int:
    """Everything that the forms ask of a Jacobian."""
    scale_rows(space.m, space.n, space.J, space.r, space.lengths)
    rank = factors(space, 1)
    directions(space, rank, Z)
    meeting(space, rank)
    return rank


def found(kind, J, r, given=(), compiled=True, most=None):
    """Rank, Z and G r."""
    m, n = J.shape
    most = int(np.linalg.matrix_rank(J / np.linalg.norm(J, axis=1)[:, None])) if most is None else most
    space, Z = space_of(kind, m, n, 0, n, most, given, lambda ins, outs: None), np.zeros(n * n)
    space.J[:], space.r[:] = J.ravel(), r
    is_quick = len(J) != 4  # code that knows no sizes, but for one of them
    rank = LoopCallee(solved, {}, (), is_quick, space=space, Z=Z).run() if compiled else solved(space, Z)
    return rank, Z.reshape(n, n)[: n - rank], space.x


def jacobian(seed: int, m: int, n: int, rank: int):
    draw = np.random.default_rng(seed)
    J = draw.normal(size=(m, rank)) @ draw.normal(size=(rank, n)) * 10.0 ** draw.uniform(-3, 3, size=(m, 1))
    return J, J @ draw.normal(size=n)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize(("m", "n", "rank"), [(1, 3, 1), (5, 8, 5), (5, 8, 3), (9, 6, 4), (4, 4, 4), (17, 18, 17)])
def test_space_of_a_jacobian(kind, m, n, rank, compiled):
    """Jc Z = 0 with as many independent vectors as are left, Jc G r = r; rows that follow from others do not
    disturb."""
    J, r = jacobian(m + n + rank, m, n, rank)
    seen, Z, x = found(kind, J, r, compiled=compiled)
    sizes = np.linalg.norm(J, axis=1)
    assert seen == rank
    assert np.linalg.matrix_rank(Z) == n - rank if n > rank else not Z.size
    assert pytest.approx(0, abs=1e-11) == (J @ Z.T) / sizes[:, None]
    assert (J @ x - r) / sizes == pytest.approx(0, abs=1e-11)
    if kind > 0:
        assert pytest.approx(np.eye(n - rank), abs=1e-13) == Z @ Z.T
        assert Z @ x == pytest.approx(0, abs=1e-12)  # the shortest


@pytest.mark.parametrize("kind", range(3))
def test_rows_that_follow_may_come_first(kind):
    J, r = jacobian(1, 2, 6, 2)
    J, r = np.vstack([J[0], 2 * J[0], -J[0], J[1]]), np.array([r[0], 2 * r[0], -r[0], r[1]])
    rank, Z, x = found(kind, J, r)
    assert rank == 2
    assert pytest.approx(0, abs=1e-11) == (J @ Z.T) / np.linalg.norm(J, axis=1)[:, None]
    assert J @ x == pytest.approx(r, rel=1e-11)


def test_independent_speeds_are_kept_where_they_can_be():
    J = np.array([[1.0, 0.9, 0.0, 0.0, 0.2], [0.0, 0.3, 0.8, 0.0, 0.9], [0.0, 0.9, 0.0, 0.7, 0.9]])
    _, Z, x = found(0, J, np.array([1.0, 2.0, 3.0]), given=(1, 4))
    assert Z[:, [1, 4]] == pytest.approx(np.eye(2))
    assert x[[1, 4]] == pytest.approx(0)


def test_independent_speeds_are_left_where_they_determine_nothing():
    """Two rows that fix speeds 0 and 1 beside each other: these cannot be the independent ones."""
    J = np.array([[1.0, 0.0, 1e-4, 0.0], [0.0, 1.0, 0.0, 1e-4]])
    _, Z, x = found(0, J, np.array([1.0, 2.0]), given=(0, 1))
    assert np.abs(Z).max() <= 1.0
    assert J @ x == pytest.approx([1, 2])


# ------------------------------------------------------------------------------------------------ forms

STARTS = {
    "slider crank": (slider_crank.model, slider_crank.START),
    "spatial crank": (spatial_crank.model, spatial_crank.START | {"crank_wz": 1.0}),
    "sleigh": (sleigh.model, sleigh.START | {"q1_dot": 0.7, "q3_dot": -0.2}),
    "bicycle": (bicycle.model, bicycle.START),
}


@pytest.fixture(scope="module", params=STARTS)
def moving(request):
    model, rough = STARTS[request.param]
    equations = sb.derive(model())
    return equations, sb.assemble(equations, start=rough)


@pytest.mark.parametrize("name", FACTORS)
def test_rates_are_those_of_the_multipliers(moving, name):
    """The same u' as by [M Jcᵀ; Jc 0], also where the speeds that come in are off the constraints."""
    equations, state = moving
    form: Any = space_form(name, equations, len(equations.lam))
    y, p = form.start(state.t, np.concatenate([state.q, state.u]), np.concatenate([state.p, state.r]))
    expected = form.rhs_program(state.t, y, p)
    off = y.copy()
    J, _ = form.constraints_program(state.t, y, p)
    if name != "partition":
        off[len(state.q) :] += J.reshape(-1, len(state.u)).T @ np.full(len(equations.lam), 0.1)
    dy, callee = np.zeros(form.n), form.rhs(p)
    evaluate(callee, state.t, off, dy)
    assert dy == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())


def once(t: float, y: Numbers, dy: Numbers, f: Function) -> None:
    f((t, y), (dy,))


def evaluate(callee, t, y, dy) -> None:
    LoopCallee(once, {}, t=t, y=y, dy=dy, f=callee).run()


@pytest.mark.parametrize("name", some(FACTORS, 2))
def test_motion_is_that_of_projection(moving, name):
    equations, state = moving
    a = sb.simulate(equations, 1.0, state, form="projection", rtol=1e-11)
    b = sb.simulate(equations, 1.0, state, form=name, rtol=1e-11)
    c = sb.simulate(equations, 1.0, state, form=name, rtol=1e-11, project=True)
    assert b.y[-1] == pytest.approx(a.y[-1], rel=1e-7, abs=1e-7)
    assert c.y[-1] == pytest.approx(a.y[-1], rel=1e-7, abs=1e-7)
    assert b.violation.speed < 1e-12
    assert c.violation.position < 2e-13


def test_choice_changes_by_itself():
    """The slider stands still at its dead centres: there it cannot be the independent one, and the crank takes over."""
    equations = sb.derive(slider_crank.model())
    for independent in (["x"], [equations.u[0]], ["alpha_dot"], ()):
        sim = sb.simulate(equations, 5.0, slider_crank.START, form="partition", independent=independent, rtol=1e-9)
        assert sim.outcome
        assert np.abs(sim.energy - sim.energy[0]).max() < 1e-6
        assert sim.violation.position < 1e-7


def test_wrong_independent_speeds():
    equations = sb.derive(slider_crank.model())
    with pytest.raises(
        sb.errors.SimulationError, match=r"leave 1 speeds independent, but independent = x_dot, beta_dot names 2"
    ):
        sb.simulate(equations, 1.0, slider_crank.START, form="partition", independent=["x", "beta"])
    with pytest.raises(sb.errors.SimulationError, match="alpah"):
        sb.simulate(equations, 1.0, slider_crank.START, form="partition", independent=["alpah"])
    with pytest.raises(sb.errors.SimulationError, match="independent= is for form='partition'"):
        sb.simulate(equations, 1.0, slider_crank.START, form="qr", independent=["x"])
    with pytest.raises(sb.errors.SimulationError, match="not for form='projection'"):
        sb.simulate(equations, 1.0, slider_crank.START, form="projection", independent=["x"])
    free = sb.minimal(equations, ["beta_dot"])
    with pytest.raises(sb.errors.SimulationError, match="is for constraints"):
        sb.simulate(free, 1.0, {q: slider_crank.START[q.name] for q in free.q}, form="qr")


def door(second: bool) -> sb.Equations:
    """A swinging bar held twice at the same hinge: the second time says nothing new."""
    m = sb.Model("door")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    bar = m.body("bar", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.2))
    m.joint("bar", m.ground, bar, "planar")
    m.coincide("hinge", bar.point(), m.ground.point(), along=bar.frame, axes="xy")
    if second:
        m.coincide("second hinge", bar.point(), m.ground.point(), along=m.ground, axes="xy")
    return sb.derive(m, check=False)


@pytest.mark.parametrize("name", [*FACTORS, "projection", "orthogonal", "baumgarte"])
def test_rows_that_follow_from_others_are_left_out(name):
    one, two = (sb.simulate(door(second), 3.0, form=name, rtol=1e-10) for second in (False, True))
    assert two.outcome
    assert two.y[-1] == pytest.approx(one.y[-1], abs=1e-7)


# ---------------------------------------------------------------------------------------------- singular configurations


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10, 1e-11, 1e-12])
@pytest.mark.parametrize("method", ["dp5", "dp8"])
def test_row_of_four_bars_passes_its_singular_position(method, rtol):
    """Through the position where every loop could go on in two ways, ten times; the level rods stay level. Below 1e-11,
    where rounding next to the position is as large as the tolerance, it may come to a stop there, and says so."""
    n = 4
    equations = sb.derive(four_bars.model(n), check=False)
    sim = sb.simulate(equations, 10.0, four_bars.start(n), method=method, rtol=rtol, max_steps=4000)
    if rtol < 1e-11 and not sim.outcome:
        assert "singular" in str(sim.outcome)
        return
    assert sim.outcome, str(sim.outcome)
    assert np.sum(np.diff(np.floor(sim["a0"] / np.pi)) != 0) >= 8
    assert np.abs(sim["b2"]).max() < 1e-9
    assert np.abs(sim.energy - sim.energy[0]).max() < 2e3 * rtol + 1e-6
    assert sim.statistics.steps < 3000


def test_start_in_a_singular_position_is_named():
    n = 2
    equations = sb.derive(four_bars.model(n), check=False)
    flat = dict.fromkeys((f"a{k}" for k in range(n + 1)), 0.0)
    sim = sb.simulate(equations, 1.0, flat)
    assert sim.outcome.ending is Ending.SINGULAR
    assert "closing" in str(sim.outcome)


# ------------------------------------------------------------------------------------------------ invariants


@pytest.fixture(scope="module")
def crank() -> sb.Equations:
    return sb.derive(spatial_crank.model())


@pytest.fixture(scope="module")
def exact(crank: sb.Equations) -> sb.Trajectory:
    return sb.simulate(crank, 2.0, spatial_crank.START, rtol=1e-12)


@pytest.mark.parametrize(
    "options", some([{"metric": "mass"}, {"metric": "unit"}, {"form": "orthogonal"}, {"form": "qr"}], 2), ids=str
)
def test_balance_of_work_is_kept(crank, exact, options):
    """T + V less the work of the drive, in few corrections for each step, and no worse at the constraints."""
    sim = sb.simulate(crank, 2.0, spatial_crank.START, invariants=["energy"], rtol=1e-7, method="dp5", **options)
    assert sim.outcome
    assert sim.violation.position < 1e-12
    assert sim.violation.speed < 1e-11
    assert sim.statistics.corrections <= 4 * (sim.statistics.steps + sim.statistics.rejected)
    assert sim.energy[-1] == pytest.approx(exact.energy[-1], rel=1e-6)
