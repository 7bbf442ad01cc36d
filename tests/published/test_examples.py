"""Every example runs, is listed, can be read on one screen, and has the same equations by every route."""

import ast
import importlib
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.entry.derive import ROUTES
from symbody.derivation.questions.audit import audit
from symbody.derivation.questions.certify import certify

from ..amount import dear
from .numbers import at

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(p.stem for p in FOLDER.glob("*.py"))


def test_every_example_is_listed():
    listed = (FOLDER / "README.md").read_text()
    assert [name for name in EXAMPLES if f"`{name}.py`" not in listed] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_prints_something(name, capsys, monkeypatch, tmp_path):
    """Pictures go into the folder that it is told; importing it writes nothing."""
    monkeypatch.setattr(sys, "argv", [name, str(tmp_path / "figures")])
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert printed.strip()
    saved = re.findall(r"^saved (.*)$", printed, re.MULTILINE)
    assert sorted(map(str, tmp_path.rglob("*.*"))) == sorted(saved)
    assert all(Path(f).stat().st_size > 5000 for f in saved)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_fits_a_screen(name):
    """The model itself, without the docstring, data and what is printed."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    assert ast.get_docstring(tree)
    (model,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "model")
    assert model.end_lineno - model.lineno < 60


@dear
@pytest.mark.parametrize("name", EXAMPLES)
def test_routes_agree(name):
    """M and f at a random state, to rounding; certificates compare them too, below."""
    mechanism = importlib.import_module(f"examples.{name}").model().freeze()
    first, *others = (sb.derive(mechanism, route) for route in ROUTES)
    draw = np.random.default_rng(7)
    moving = (*first.q, *first.u, *first.z, *first.r, first.t)
    state = {s.name: draw.uniform(0.02, 0.12) for s in moving}
    for e in mechanism.norms:
        length = np.linalg.norm([state[s.name] for s in e])
        state |= {s.name: state[s.name] / length for s in e}
    M, f = at(first, first.M, state), at(first, first.f, state)
    for other in others:
        assert at(other, other.M, state) == pytest.approx(M, rel=1e-10, abs=1e-10 * np.abs(M).max()), other.route
        assert at(other, other.f, state) == pytest.approx(f, rel=1e-10, abs=1e-10 * np.abs(f).max()), other.route


FREEDOM = {
    "bicycle": 3, "column": 2, "foucault_pendulum": 2, "four_bar_spatial": 1, "four_bars": 1, "hoop": 1, "motorcycle": 5, "quadrangle": 1, "satellite": 8, "sleigh": 2,
    "slider_crank": 1, "spatial_crank": 1, "spinning_blade": 3, "spherical_chain": 6, "stanford_arm": 6, "string_with_particles": 3,
    "swinging_legs": 3, "triple_pendulum": 3, "tuomela_pendulum": 3,
}  # fmt: skip
NEAR = {  # where random states are regular: strings straight, loops of equal rods not folded onto each other
    "string_with_particles": {"q1": 0.2, "q2": 0.05, "q3": 0.1},
    "four_bars": {"a0": 1.3, "a1": 1.3, "a2": 1.3, "a3": 1.3},
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_certified(name):
    """Routes, energy against power, reactions, derivatives, at random states; and the degrees of freedom are as
    documented."""
    model = importlib.import_module(f"examples.{name}").model()
    certificate = certify(sb.derive(model), values=NEAR.get(name, {}))
    assert certificate.passed, str(certificate)
    found = audit(model)
    assert found.passed, str(found)
    assert found.degrees_of_freedom == FREEDOM[name]
