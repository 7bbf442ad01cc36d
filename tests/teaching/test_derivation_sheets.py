"""Sheets of derivations: their steps add up to the equations, and their files can be read."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import symbody as sb
from symbody.kits import teaching
from symbody.kits.teaching.derivation_steps import MOST_FORMULAS, inertia_forces, lagrange_rows

from . import mechanisms_of_courses as course

ALL = [
    course.cart_pendulum, course.double_pendulum, course.spring_pendulum, course.sleigh, course.slider_crank, course.spinning_top,
    course.bead_on_hoop,
]  # fmt: skip
ROUTES = ("lagrange", "kane", "newton-euler")


def values(rows: list[sb.Expr], eq: sb.Equations, seed: int = 1) -> list[float]:
    state = sb.derivation.random_state(eq, seed)
    unknown = {s: 0.3 + 0.4 * k for k, s in enumerate((*(u.dot for u in eq.u), *eq.lam))}
    return list(sb.evaluate(rows, {**state, **unknown}))


@pytest.mark.parametrize("mechanism", ALL, ids=lambda m: m.__name__)
def test_steps_of_lagrange_add_up_to_the_equations(mechanism: Callable[[], sb.Equations]) -> None:
    eq = mechanism()
    rows = [r["rate"] - r["slope"] - r["right"] for r in lagrange_rows(eq)]
    assert values(rows, eq) == pytest.approx(values(list(eq.residual().entries), eq), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("mechanism", ALL, ids=lambda m: m.__name__)
def test_steps_of_kane_add_up_to_the_equations(mechanism: Callable[[], sb.Equations]) -> None:
    eq = mechanism()
    rows = [-f for f in inertia_forces(eq)]
    for load in eq.mechanism.loads:
        rows = [r - q for r, q in zip(rows, sb.derivation.generalized_force(eq, load.name).entries, strict=True)]
    for k, lam in enumerate(eq.lam):
        rows = [r - eq.Jc[k, i] * lam for i, r in enumerate(rows)]
    assert values(rows, eq) == pytest.approx(values(list(eq.residual().entries), eq), rel=1e-10, abs=1e-10)


def test_speeds_of_ones_own() -> None:
    """Kane's steps in chosen speeds; Lagrange's are refused there."""
    m = sb.Model("disc")
    a, b = m.coordinates("a b")
    m.body("disc", m.ground.rotate("z", a).rotate("x", b), mass=1, inertia=(2, 2, 3))
    m.speed("u", a.dot * sb.cos(b))
    m.speed("w", b.dot + a.dot)
    eq = sb.derive(m)
    rows = [-f for f in inertia_forces(eq)]
    assert values(rows, eq) == pytest.approx(values(list(eq.residual().entries), eq), rel=1e-10)
    with pytest.raises(sb.ModelError, match="route='kane'"):
        teaching.derivation(eq, "lagrange")
    assert teaching.derivation(eq, "kane").formulas


class Balance(HTMLParser):
    """Open elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("route", ROUTES)
def test_files_are_well_formed(route: str, tmp_path: Path) -> None:
    sheet = teaching.derivation(course.cart_pendulum(), route)
    page = sheet.save(tmp_path / "a.html").read_text(encoding="utf-8")
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert "http://" not in page.replace("http-equiv", "")
    assert "https://" not in page
    tex = sheet.save(tmp_path / "a.tex").read_text(encoding="utf-8")
    assert tex.isascii()
    assert tex.count("{") == tex.count("}")
    assert re.findall(r"\\begin\{(\w+)", tex).count("bmatrix") == re.findall(r"\\end\{(\w+)", tex).count("bmatrix")
    book = json.loads(sheet.save(tmp_path / "a.ipynb").read_text(encoding="utf-8"))
    assert [c["cell_type"] for c in book["cells"]] == ["markdown"] * len(book["cells"])
    text = sheet.save(tmp_path / "a.md").read_text(encoding="utf-8")
    assert text.count("$$") == 2 * len(sheet.formulas)
    with pytest.raises(sb.ModelError, match=r"no ending '\.doc'"):
        sheet.save(tmp_path / "a.doc")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_latex_compiles(tmp_path: Path) -> None:
    for k, mechanism in enumerate((course.double_pendulum, course.sleigh)):
        teaching.derivation(mechanism(), ROUTES[k]).save(tmp_path / "a.tex")
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_a_large_system_is_bounded() -> None:
    """A chain of bodies: formulas beyond the bounds are counted in a remark."""
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    last: Any = m.ground
    for k in range(5):
        link = m.body(f"link{k}", mass=1, com=(0, -0.5, 0), inertia=(0.1, 0.1, 0.1))
        m.revolute(f"q{k}", last, link, at=(0, -1, 0) if k else (0, 0, 0))
        last = link
    sheet = teaching.derivation(sb.derive(m), "kane")
    assert len(sheet.formulas) <= MOST_FORMULAS
    assert len(sheet.html()) < 2_000_000
    assert "too long for a sheet" in sheet.markdown()


def test_what_has_no_derivation_is_refused() -> None:
    with pytest.raises(sb.ModelError, match=r"no route 'hamilton'; there are lagrange, kane, newton-euler"):
        teaching.derivation(course.pendulum(), "hamilton")
    q = sb.symbol("q", "coordinate")
    with pytest.raises(sb.ModelError, match="equations were given"):
        teaching.derivation(sb.from_lagrangian(q.dot**2 / 2, [q]))
