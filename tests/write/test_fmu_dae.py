"""Constrained mechanisms as differential-algebraic equations (fmi-ls-dae): an importer finds the multipliers from the
residuals."""

from __future__ import annotations

import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from tests.contracts.targets import c_compiler

from .fmus import begin, directional, opened, problems
from .models import crank, pendulums

MANIFEST = "extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml"


@pytest.fixture(scope="module")
def dae(tmp_path_factory: pytest.TempPathFactory) -> Path:
    c_compiler()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        eq = crank()
        start = sb.assemble(eq, a=0.4, a_dot=1.0, z=0.3)
        return sb.write.fmu(eq, tmp_path_factory.mktemp("dae") / "crank.fmu", version=3, dae=True, start=start)


class Manifest:
    """What an importer reads: algebraic variables, and residuals by their index, as names."""

    def __init__(self, path: Path, it: Any) -> None:
        with zipfile.ZipFile(path) as content:
            root = ET.fromstring(content.read(MANIFEST))
        names = {reference: name for name, reference in it.vr.items()}
        self.algebraic = [names[int(e.get("valueReference"))] for e in root.iter("AlgebraicVariable")]
        self.residuals: dict[int, list[str]] = {1: [], 2: [], 3: []}
        self.depends: dict[str, set[str]] = {}
        for e in root.iter("Formulation"):
            name = names[int(e.get("valueReference"))]
            self.residuals[int(e.get("index"))].append(name)
            self.depends[name] = {names[int(r)] for r in e.get("dependencies").split()}
        for e in root.iter("ContinuousStateDerivative"):
            self.depends[names[int(e.get("valueReference"))]] = {names[int(r)] for r in e.get("dependencies").split()}


def test_importers_that_know_nothing_of_it(dae: Path) -> None:
    """Derivatives keep the constraints, and all residuals are zero."""
    assert problems(dae) == []
    eq = crank()
    with opened(dae) as it:
        begin(it)
        found = Manifest(dae, it)
        assert found.algebraic == [s.name for s in eq.lam]
        for names in found.residuals.values():
            assert len(names) == 2
            np.testing.assert_allclose(it.read(*names), 0, atol=1e-12)


def test_multipliers_from_residuals(dae: Path) -> None:
    """Newton's method on accelerations, linear in the multipliers, finds those of the equations, and with them the
    derivatives that keep the constraints."""
    eq = crank()
    with opened(dae) as it:
        begin(it)
        found = Manifest(dae, it)
        rates = [f"der({s.name})" for s in eq.state]
        kept, solved = it.read(*rates), it.read(*found.algebraic)
        it.put(**dict.fromkeys(found.algebraic, 0.0))
        assert np.abs(it.read(*rates) - kept).max() > 0.1
        level = found.residuals[1]
        slopes = np.array([directional(it, level, [n], [1.0]) for n in found.algebraic]).T
        lam = -np.linalg.solve(slopes, it.read(*level))
        it.put(**dict(zip(found.algebraic, lam, strict=True)))
        np.testing.assert_allclose(it.read(*level), 0, atol=1e-9)
        np.testing.assert_allclose(it.read(*found.algebraic), solved, rtol=1e-9)
        np.testing.assert_allclose(it.read(*rates), kept, rtol=1e-9, atol=1e-9)


def test_derivatives_with_multipliers(dae: Path) -> None:
    """Of residuals and rates, by states, inputs, parameters and multipliers; what is not a dependency has no
    influence."""
    eq = crank()
    with opened(dae) as it:
        begin(it)
        found = Manifest(dae, it)
        it.put(**dict(zip(found.algebraic, (3.0, -2.0), strict=True)))
        unknowns = [*(n for names in found.residuals.values() for n in names), *(f"der({s.name})" for s in eq.state)]
        knowns = [*(s.name for s in (*eq.state, *eq.r)), *found.algebraic]
        for name in (*knowns, "l", "m1"):
            at, sides = it.read(name)[0], []
            for sign in (1, -1):
                it.put(**{name: at + sign * 1e-6})
                sides.append(it.read(*unknowns))
            it.put(**{name: at})
            difference = (sides[0] - sides[1]) / 2e-6
            exact = directional(it, unknowns, [name], [1.0])
            np.testing.assert_allclose(exact, difference, rtol=1e-6, atol=1e-6 * (1 + np.abs(difference).max()))
            if name in knowns:
                assert {n for n, s in zip(unknowns, exact, strict=True) if s != 0} <= {
                    n for n in unknowns if name in found.depends[n]
                }


def test_what_has_no_such_form(tmp_path: Path) -> None:
    with pytest.raises(sb.errors.ProgramError, match="is for constraints"):
        sb.write.fmu(pendulums(), tmp_path / "x.fmu", version=3, dae=True)
    with pytest.raises(sb.errors.ProgramError, match="write version=3"):
        sb.write.fmu(crank(), tmp_path / "x.fmu", dae=True)
