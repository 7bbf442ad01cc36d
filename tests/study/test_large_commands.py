"""Commands on a chain in loops: what has a number for each pair of speeds is neither built nor printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import symbody as sb
from symbody.algebra.graph.late_matrix import is_unmade
from symbody.command_line import commands
from symbody.command_line.cli import main
from symbody.write.report.first_screen import stability_answer

CHAIN = """
symbody: 1
name: chain
gravity: [0, -9.81, 0]
parts:
  link:
    bodies: {rod: {mass: 0.1, com: [0.05, 0, 0], inertia: [1e-5, 1e-4, 1e-4]}}
    joints: {a: {revolute: [ground, rod], axis: z, damping: 1e-3}}
    frames: {tip: "rod.translate(0.1, 0, 0)"}
repeat: {link: {part: link, count: 160, end: tip}}
start: {link_0_a: -1.5707963267948966}
"""


@pytest.fixture
def chain(tmp_path: Path) -> str:
    path = tmp_path / "chain.yaml"
    path.write_text(CHAIN, encoding="utf-8")
    return str(path)


def test_summaries_do_not_build_matrices(chain: str) -> None:
    eq = sb.derive(sb.read_model(chain).mechanism)
    assert "160 speeds; M and f are built on first access" in str(eq)
    assert eq._repr_html_()
    assert is_unmade(eq.M)
    with pytest.raises(sb.errors.DerivationError, match=r"certify: 'chain' has 160 speeds.*at most 150 links"):
        sb.certify(eq)


def test_commands_are_brief(chain: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_VALUES", 5)
    assert main(["derive", chain]) == 0
    said = capsys.readouterr().out
    assert "are not written out" in said
    assert "accelerations: " in said
    assert len(said) < 2000
    assert main(["derive", chain, "--as", "numpy"]) == 0
    assert "def _accelerations_loop_step_1" in capsys.readouterr().out
    assert main(["simulate", chain, "-t", "0.01"]) == 0
    assert "... and 315 more: -o motion.csv" in capsys.readouterr().out
    assert main(["eig", chain]) == 0
    said = capsys.readouterr().out
    assert "about the start: link_0_a = -1.5708" in said
    assert len(said.split("\n")) < 15


def test_report_is_bounded(chain: str, tmp_path: Path) -> None:
    study = sb.study.Study(sb.study.find_model(chain), options={"t": 0.02})
    made = sb.write.write_report(study, tmp_path / "report")
    assert set(made.missing) == {"certificate"}
    page = made.path.read_text(encoding="utf-8")
    for words in (
        "Energies, written out link by link",
        "too large to run in this page: 160 speeds",
        "24 of 320 columns",
        "not judged",
        "of the 6 slowest eigenvalues",
    ):
        assert words in page
    assert is_unmade(study.equations.M)


def test_rounding_is_no_verdict_on_stability(chain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of six undamped modes among hundreds, whether rounding leaves a real part above or below zero."""
    path = Path(chain)
    path.write_text(CHAIN.replace(", damping: 1e-3", ""), encoding="utf-8")
    for sign in (1e-14, -1e-14):
        study = sb.study.Study(sb.study.find_model(chain))
        modes = tuple(replace(m, eigenvalue=m.eigenvalue.imag * (sign + 1j)) for m in study.spectrum)
        monkeypatch.setitem(study.__dict__, "spectrum", sb.stability.Spectrum(modes, 0))
        assert stability_answer(study).verdict == "not judged"
