"""Families that begin in special orbits of others: none of their own special orbits lies before their first."""

import numpy as np
import pytest

import symbody as sb
from symbody.stability.periodic.families.orbit_points import is_next_to

FEIGENBAUM = 4.669201609


def test_cascade_of_period_doublings():
    """Rössler's equations: intervals between doublings shrink by Feigenbaum's number. The fourth family began at
    c = 4.371, beyond its own doubling at 4.187."""
    x, y, z, c = sb.symbols("x y z c")
    eq = sb.from_equations({x: -y - z, y: x + 0.2 * y, z: 0.2 + z * (x - c)}, {c: 2.6})
    family = sb.orbits(eq, sb.orbit(eq, sb.simulate(eq, 300, x=1.0, y=1.0, rtol=1e-9)), c=(2.5, 5.0))
    values = []
    for _ in range(5):
        at = next(s for s in family.special if s.kind == "period doubling")
        values.append(at.value)
        family = family.switched(at, max_points=12)
        assert at.value < family["c"][0]
        assert family.outcome[0] == "period doubling of other orbits"
    assert values[:2] == pytest.approx([2.832445, 3.837358], abs=2e-6)
    d = np.diff(values)
    assert d[2] / d[3] == pytest.approx(FEIGENBAUM, rel=0.02)


@pytest.mark.parametrize(
    ("first", "expected"), [([0.9, 0.1], True), ([-0.9, 0.1], True), ([-1.1, 0.1], False), ([-8.8, 1e-9], False)]
)
def test_orbits_beyond_the_next_doubling_are_told(first, expected):
    """A family that begins with multipliers (-1)² and 0.3²."""
    assert is_next_to(np.array(first, dtype=complex), np.array([-1.0, 0.3], dtype=complex), -1.0) is expected
