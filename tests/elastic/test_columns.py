"""Columns that buckle or flutter under an end load, by the names of what finds it: root loci, steady motions, branches."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from scipy.special import ellipk

import symbody as sb


def column(parts: int, modes: int, follows: bool = False) -> sb.Equations:
    """Beams in a row, clamped to each other: large deflections, of which each takes a small part."""
    m = sb.Model("column")
    P = m.parameter("P", 1.0)
    on = m.ground
    for k in range(parts):
        on = m.beam(f"part{k}", on, length=1 / parts, EI=1, rho_A=1, modes=modes).at(1 / parts)
    m.force("load", on, (on if follows else m.ground).vector(-P, 0, 0), at=on.origin)
    m.output("tip", on.origin.in_ground[1])
    return sb.derive(m)


@pytest.mark.parametrize(
    ("follows", "kind", "value"), [(False, "real", pi**2 / 4), (True, "flutter", 20.0509)], ids=["Euler", "Beck"]
)
def test_root_loci(follows, kind, value):
    """A load that keeps its direction buckles a column at π² EI / 4 L², one that follows its end makes it flutter at
    20.05 EI / L² with (βL)² = 11.02 (Beck 1952)."""
    locus = sb.linearize(column(1, 5, follows), {}).root_locus(P=(1, 30 if follows else 4), points=60)
    (found,) = locus.critical
    assert found.kind == kind
    assert found.value == pytest.approx(value, rel=2e-5)
    if follows:
        assert abs(found.eigenvalue.imag) == pytest.approx(11.016, abs=2e-3)


@pytest.fixture(scope="module")
def buckling():
    return column(3, 2)


def test_a_branch_begins_at_the_buckling_load(buckling):
    (point,) = sb.branch(buckling, sb.steady(buckling), P=(2, 3)).special
    assert (point.kind, point.criticality) == ("pitchfork", "supercritical")
    assert point.value == pytest.approx(pi**2 / 4, rel=2e-4)


def test_one_beam_has_motions_of_all_sizes_at_its_buckling_load():
    """Its equations of rest are linear in the deflections, (K - P Kg) q = 0: the branch stands upright on one load, and
    rounding of that load makes neither folds nor divergences of it."""
    eq = column(1, 2)
    straight = sb.branch(eq, sb.steady(eq), P=(2, 4))
    (point,) = straight.special
    assert (point.kind, point.coefficient, point.criticality) == ("pitchfork", 0.0, "")
    assert "motions of all sizes" in str(point)
    bent = straight.switched()
    assert [p.kind for p in bent.special] == ["pitchfork"]
    assert set(bent.outcome) == {"stays at one value, however far it goes"}
    assert bent["P"] == pytest.approx(point.value, rel=1e-12)
    assert np.ptp(bent["part0_y1"]) > 1.0
    assert bent.marginal.all()
    assert not bent.unstable.any()
    assert f"{len(bent.marginal)} points, 0 stable, {len(bent.marginal)} marginal" in str(bent)
    assert not straight.marginal.any()
    assert "marginal" not in str(straight)


@pytest.mark.parametrize("degrees", [20, 60])
def test_steady_motions_beyond_it(buckling, degrees):
    """Euler's elastica: P = K(k)², deflection 2 k / K(k), k = sin α / 2 for an end that is turned by α; three beams are
    2 % off."""
    k = np.sin(np.radians(degrees) / 2)
    K = ellipk(k * k)
    found = sb.steady(buckling, P=K * K, start={f"part{j}_y1": 0.03 * (j + 1) for j in range(3)})
    assert abs(found["tip"]) == pytest.approx(2 * k / K, rel=0.025)
    assert found[buckling.q[0]] == found["part0_y1"] != 0
    assert sb.steady(buckling, P=0.9 * pi**2 / 4, start={"part0_y1": 0.03})["tip"] == pytest.approx(0.0, abs=1e-9)
