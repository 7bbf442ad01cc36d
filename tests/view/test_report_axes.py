"""Axes of a report have units: as declared, inferred, or as SI units where rows of several kinds are drawn together."""

from __future__ import annotations

import re
from pathlib import Path

from symbody.study.sources import find_model
from symbody.study.study import Study
from symbody.write.report.report import write_report


def test_every_axis_has_a_unit(tmp_path: Path) -> None:
    study = Study(find_model("motorcycle"), options={"t": 0.2})
    page = write_report(study, tmp_path).path.read_text(encoding="utf-8")
    axes = set(re.findall(r'"[xy]Text": ?"(.*?)"', page))
    assert {"time [s]", "V [m/s]", "magnitude [rad/(N m)]", "largest violation [SI units]"} <= axes
    assert {a for a in axes if "[" not in a} == set()
