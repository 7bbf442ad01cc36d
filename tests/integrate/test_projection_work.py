"""Statistics of projections: what is counted agrees with how projections work, and options change the counts as they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.emit.run.clock import clock_callee


def _linkage(on_ground: bool = True) -> sb.Equations:
    """Two bars on ball joints, free bodies with Euler parameters: six constraints, of which those of the second joint are
    quadratic along the axes of the ground and of higher order along those of the first bar."""
    m = sb.Model("two bars")
    m.gravity(0, -9.81, 0)
    bars = [m.body(name, mass=1.0, inertia=(0.01, 0.1, 0.1)) for name in ("a", "b")]
    for bar in bars:
        m.free(bar.name, m.ground, bar, sequence="euler parameters")
    m.coincide("pin", m.ground.origin, bars[0].point(-1, 0, 0))
    m.coincide("knee", bars[0].point(1, 0, 0), bars[1].point(-1, 0, 0), along=m.ground if on_ground else None)
    return sb.derive(m)


START = {"a_x": 1.0, "a_e0": 1.0, "b_x": 3.0, "b_e0": 1.0}
OPTIONS: dict[str, Any] = {"method": "dp5", "rtol": 1e-7}


@pytest.fixture(scope="module")
def linkage() -> sb.Equations:
    return _linkage()


def test_every_step_is_projected_once_and_every_stage_where_asked(linkage):
    ends = sb.simulate(linkage, 0.5, START, **OPTIONS).statistics
    assert ends.projections == ends.steps + ends.rejected
    stages = sb.simulate(linkage, 0.5, START, project_stages=True, **OPTIONS).statistics
    assert stages.projections == 6 * (stages.steps + stages.rejected)  # five stages between and the end
    assert stages.corrections > 4 * ends.corrections


def test_counts_of_derivatives(linkage):
    """Each evaluation takes the Jacobian matrix once and six second derivatives; no correction takes a second one."""
    found = sb.simulate(linkage, 0.5, START, **OPTIONS).statistics
    assert found.constraint_hessians == 6 * found.evaluations
    calls = found.constraint_jacobians - found.evaluations
    assert found.corrections <= calls <= found.corrections + 2 * found.projections
    assert (found.constraint_third_derivatives, found.invariant_gradients, found.invariant_hessians) == (0, 0, 0)
    kept = sb.simulate(linkage, 0.5, START, invariants=["energy"], **OPTIONS).statistics
    assert kept.invariant_gradients >= kept.projections
    assert kept.invariant_hessians == 0


@pytest.mark.parametrize(("on_ground", "cubic"), [(True, 0), (False, 3)])
def test_orthogonal_projections_take_third_derivatives_where_there_are_any(on_ground, cubic):
    found = sb.simulate(_linkage(on_ground), 0.2, START, form="orthogonal", **OPTIONS).statistics
    newton = found.constraint_jacobians - found.evaluations
    assert newton >= found.corrections > 0
    assert found.constraint_hessians == 6 * (found.evaluations + newton)
    assert found.constraint_third_derivatives == cubic * newton


def test_runs_count_anew_and_add_up(linkage):
    first, second = (sb.simulate(linkage, 0.3, START, **OPTIONS).statistics for _ in range(2))
    counts = ("projections", "constraint_jacobians", "constraint_hessians")
    assert [getattr(first, n) for n in counts] == [getattr(second, n) for n in counts]
    both = first + second
    assert [getattr(both, n) for n in counts] == [2 * getattr(first, n) for n in counts]
    assert both.most_corrections == first.most_corrections


@pytest.mark.skipif(clock_callee() is None, reason="machine code cannot read a clock here")
def test_time_in_projections_is_part_of_the_whole(linkage):
    found = sb.simulate(linkage, 2.0, START, **OPTIONS).statistics
    assert 0 < found.projection_seconds < found.seconds


def test_minimal_motions_have_no_projections():
    x = sb.symbol("x", "variable")
    found = sb.simulate(sb.from_equations({x: -x}), 1.0, x=1.0).statistics
    assert (found.projections, found.constraint_jacobians, found.projection_seconds) == (0, 0, 0.0)


@pytest.mark.parametrize("form", ["projection", "orthogonal"])
def test_motions_with_projected_stages_are_the_same(linkage, form):
    plain, staged = (
        sb.simulate(linkage, 1.0, START, method="dp8", rtol=1e-11, form=form, project_stages=s) for s in (False, True)
    )
    np.testing.assert_allclose(staged.final["b_y"], plain.final["b_y"], atol=1e-8)
    assert staged.violation.position < 1e-12


def test_a_wider_tolerance_of_constraints_saves_corrections(linkage):
    exact, loose = (sb.simulate(linkage, 1.0, START, constraint_tolerance=c, **OPTIONS) for c in (1e-13, 1e-5))
    assert loose.statistics.corrections < exact.statistics.corrections
    assert 1e-12 < loose.violation.position < 2e-5
    assert exact.violation.position < 1e-12


def test_options_of_projections_are_checked(linkage):
    with pytest.raises(sb.SymbodyError, match=r"constraint_tolerance = 2\.0 is not between 0 and 1"):
        sb.simulate(linkage, 1.0, START, constraint_tolerance=2)
    with pytest.raises(sb.SymbodyError, match="project_stages= is for the forms projection, orthogonal, not for"):
        sb.simulate(linkage, 1.0, START, form="baumgarte", project_stages=True)
