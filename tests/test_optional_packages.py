"""One way to load packages that not everybody has, and one wording where they are missing."""

import sys

import pytest

import symbody as sb
from symbody.optional_packages import optional_package


def test_package_that_is_there():
    assert optional_package("numpy.linalg", "a test", sb.ModelError).__name__ == "numpy.linalg"


def test_package_that_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "nothing_of_the_kind", None)
    with pytest.raises(sb.errors.StudyError, match=r"a test: needs the package 'nothing_of_the_kind', which is not installed: pip install nothing_of_the_kind$"):  # fmt: skip
        optional_package("nothing_of_the_kind.inner", "a test", sb.errors.StudyError)
    with pytest.raises(sb.errors.ViewError, match=r"pip install its-other-name$"):
        optional_package("nothing_of_the_kind", "a test", sb.errors.ViewError, "its-other-name")


def test_every_door_has_the_wording(monkeypatch):
    """A result as a table, a linear system for python-control: each names what needs the package."""
    m = sb.Model("cart")
    m.prismatic("x", m.ground, m.body("cart", mass=1.0), stiffness=1.0)
    eq = sb.derive(m)
    for package in ("pandas", "control"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(sb.errors.SimulationError, match=r"table: needs the package 'pandas', which is not installed"):
        sb.simulate(eq, 1.0, x=1.0).to_pandas()
    with pytest.raises(
        sb.errors.StabilityError, match=r"to_control: needs the package 'control', which is not installed"
    ):
        sb.stability.to_control(sb.linearize(eq, {"x": 0.0}))
