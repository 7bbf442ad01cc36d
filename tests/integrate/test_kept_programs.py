"""Programs on disk: made once for equations of some content, and made anew where that is another."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import symbody as sb
from examples import slider_crank
from symbody.emit.cache import disk_cache
from symbody.errors import SymbodyError
from symbody.integrate.forms import forms, projection

from ..repository import ROOT

TIMES = np.linspace(0.0, 0.1, 3)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "code"))


def motion(eq):
    return sb.simulate(eq, TIMES, sb.assemble(eq, start=slider_crank.START), rtol=1e-5, progress=False).y


def refuse(*_, **__):
    raise SymbodyError("this was to be on disk")


def test_nothing_is_derived_again(own_cache, monkeypatch):
    first = motion(sb.derive(slider_crank.model()))
    for module, name in ((projection, "new_positions"), (projection, "left_of"), (forms, "all_accelerations")):
        monkeypatch.setattr(module, name, refuse)
    assert np.array_equal(motion(sb.derive(slider_crank.model())), first)
    with pytest.raises(SymbodyError, match="was to be on disk"):  # another form is another program
        sb.simulate(sb.derive(slider_crank.model()), 0.1, slider_crank.START, form="baumgarte")
    disk_cache.clear()
    with pytest.raises(SymbodyError, match="was to be on disk"):
        motion(sb.derive(slider_crank.model()))


def test_other_equations_have_other_programs(own_cache):
    def swinging(power):
        m = sb.Model("pendulum")
        bob = m.particle("bob", mass=1)
        x = m.prismatic("x", m.ground, bob, axis="x").q
        m.force("spring", bob, m.ground.vector(-(x**power), 0, 0))
        return sb.derive(m)

    found = [sb.simulate(swinging(k), 1.0, x=1.0).y[-1, 0] for k in (1, 3, 1)]
    assert found[0] == found[2] == pytest.approx(np.cos(1.0), abs=1e-7)
    assert abs(found[1] - found[0]) > 0.01


def test_functions_of_python_are_called_and_not_kept(own_cache):
    m = sb.Model("driven")
    bob = m.particle("bob", mass=1)
    m.prismatic("x", m.ground, bob, axis="x", actuation=m.input("push"))
    eq = sb.derive(m)
    for size in (1.0, 2.0):
        sim = sb.simulate(eq, 1.0, inputs={"push": lambda t, size=size: size})
        assert sim.y[-1, 0] == pytest.approx(size / 2, rel=1e-6)


def test_a_first_motion_loads_no_more_of_numpy_than_it_needs():
    """Its random numbers and masked arrays take as long to load as a small mechanism takes to derive."""
    text = (
        "import sys, symbody as sb\n"
        "from examples import slider_crank\n"
        "eq = sb.derive(slider_crank.model(), check=False)\n"
        "assert sb.simulate(eq, 0.1, sb.assemble(eq, start=slider_crank.START)).outcome\n"
        "print([m for m in ('numpy.random', 'numpy.ma', 'scipy') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
