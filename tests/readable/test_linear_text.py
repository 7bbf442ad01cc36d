"""Linear equations of the motorcycle print as Lot and Da Lio have them; those of the bicycle come tidy in closed
form."""

from __future__ import annotations

from random import Random

import pytest

import symbody as sb
from examples import bicycle, motorcycle
from symbody.algebra.normal_forms.tidy import tidied_entries
from symbody.algebra.normal_forms.written_form import effort

STATES = ("y1_dot", "delta", "phi", "Yr", "Yf", "psi_dot", "delta_dot", "phi_dot")
ENTRIES = {
    ("E", "y1_dot", "y1_dot"): "mf + mr",
    ("E", "y1_dot", "psi_dot"): "mf*(f*sin(eps) + (a + e)*cos(eps))",
    ("E", "y1_dot", "delta_dot"): "mf*e",
    ("E", "y1_dot", "phi_dot"): "mf*((a + e)*sin(eps) - f*cos(eps)) + mr*h",
    ("E", "delta_dot", "psi_dot"): "Ifz*cos(eps) + mf*e*(f*sin(eps) + (a + e)*cos(eps))",
    ("E", "delta_dot", "delta_dot"): "Ifz + mf*e**2",
    ("E", "Yf", "Yf"): "sigma/V",
    ("A", "y1_dot", "psi_dot"): "-(mf + mr)*V",
    ("A", "Yr", "psi_dot"): "Cr1*b/V",
    ("A", "Yf", "delta"): "Cf1*cos(eps) + Cf2*sin(eps)",
    ("A", "psi_dot", "phi_dot"): "V*(ify/Rf + iry/Rr)",
    ("A", "delta_dot", "delta"): "(mf*e*g - Zf*an)*sin(eps)",
    ("A", "delta_dot", "phi"): "mf*e*g - Zf*an",
    ("A", "delta_dot", "psi_dot"): "-(mf*e + ify*sin(eps)/Rf)*V",
    ("A", "delta_dot", "phi_dot"): "V*ify*cos(eps)/Rf",
}


@pytest.fixture(scope="module")
def sharp() -> sb.LinearSystem:
    return sb.tidy(motorcycle.straight_running().with_states(*STATES))


@pytest.mark.parametrize("entry", ENTRIES, ids=" ".join)
def test_entries_of_the_motorcycle(sharp: sb.LinearSystem, entry: tuple[str, str, str]) -> None:
    part, row, column = entry
    assert str(getattr(sharp, part)[STATES.index(row), STATES.index(column)]) == ENTRIES[entry]


def test_bicycle_is_tidied_whole() -> None:
    """No entry is beyond the budget, all keep their value, and they are shorter together."""
    lin = bicycle.straight_running(sb.derive(bicycle.model()))
    entries = [*lin.E.entries, *lin.A.entries]
    found = tidied_entries(entries)
    assert found.left == []
    draw = Random(1)
    values = {s: draw.uniform(0.5, 1.5) for s in sb.free_symbols(entries)}
    before, after = sb.evaluate(entries, values), sb.evaluate(found.entries, values)
    assert after == pytest.approx(before, rel=1e-8, abs=1e-8)
    assert sum(map(effort, found.entries)) < sum(map(effort, entries))


def test_entries_are_tidy_by_default() -> None:
    """A bead on springs on a turning planet: (Ω sin λ)² + (Ω cos λ)² is Ω², also where the place of equilibrium is known
    in numbers only."""
    m = sb.Model("bead on a planet")
    x, y = m.coordinates("x y")
    p = m.parameters(Omega=0.1, lam=0.5, k=9.81, g=9.81)
    site = m.ground.rotate("z", p.Omega * m.time).rotate("y", p.lam)
    m.particle("bead", site.point(x, y, 0), mass=1)
    m.gravity(0, 0, -p.g)
    m.potential("springs", p.k * (x**2 + y**2) / 2)
    equations = sb.derive(m)
    lin = sb.linearize(equations, sb.steady(equations))
    assert str(lin.A[3, 1]) == "Omega**2 - k"
    assert str(lin.A[2, 0]) == "Omega**2*cos(lam)**2 - k"
