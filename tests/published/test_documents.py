"""The chapters on the source documents: every printed number, equation and figure that they compare is met."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.documents import Document, printed
from docs.documents.records import line_of, tolerance_of, value_of
from docs.documents.running import chapters, report, run_chapter
from tests.amount import some


@pytest.mark.parametrize("path", some(chapters(), 3), ids=lambda p: p.stem)  # all of them: python -m docs.documents
def test_what_a_document_prints_is_met(path: Path) -> None:
    _, records = run_chapter(path)
    assert records
    assert [line_of(r) for r in records if r.verdict == "off"] == []


def test_digits_are_the_tolerance() -> None:
    assert printed("p. 1", "x", "0.20135", 0.201346).verdict == "all digits"
    assert printed("p. 1", "x", "0.20135", 0.201344).verdict == "off"
    assert printed("p. 1", "x", "0.5 ± 0.866i", 0.5 + 0.8660254j).verdict == "all digits"
    assert (value_of("about 90 deg"), tolerance_of("1.5e-3")) == (90, pytest.approx(5e-5))


def test_a_number_that_is_not_met_is_held_and_explained() -> None:
    with pytest.raises(ValueError, match="say `because`"):
        printed("p. 1", "x", "5.3984", 5.39712, instead="5.39712")
    assert printed("p. 1", "x", "5.3984", 5.39712, instead="5.39712", because="a misprint").verdict == "instead"
    assert printed("p. 1", "x", "5.3984", 5.3972, instead="5.39712", because="a misprint").verdict == "off"


def test_what_is_off_is_reported() -> None:
    paper = Document("paper")
    paper.compare(printed("p. 1", "x", "1.0", 1.2))
    assert "1 off" in report(paper.records)


def test_errors_of_documents_and_figures_are_counted_and_named() -> None:
    paper = Document("MBSymba")
    paper.compare(printed("p. 1", "speed", "5.3984", 5.39712, instead="5.39712", because="a misprint"))
    for _ in range(2):
        paper.figure("figure 2", "eigenvalues", None)
    last = report(paper.records).splitlines()
    assert "1 of 2 figures drawn" in last[-1]
    assert last[-4] == "Printed differently, or without its data"
    assert "speed" in last[-3]
    assert "a misprint" in last[-3]
