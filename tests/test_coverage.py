"""docs/coverage.md cannot rot: its setting runs, and in it the call of every row; its counts are those of its rows."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "coverage.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]\d+) \| (.+?) \| ([YPN]) \| (?:`(.+?)`)? ?\| (.*?) ?\|$", re.MULTILINE)
ROWS = [(name, status, call.replace("\\|", "|"), remark) for name, _, status, call, remark in ROW.findall(PAGE)]


@pytest.fixture(scope="module")
def setting() -> dict[str, Any]:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    made: dict[str, Any] = {}
    exec(block, made)
    return made


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, _, call, _ in ROWS if call], ids=lambda x: x[:4])
def test_call_of_the_row_runs(setting: dict[str, Any], name: str, call: str) -> None:
    exec(call, dict(setting))


def test_every_row_says_what_it_is() -> None:
    """What is there has a call; what is there in part says what is missing; all 288 rows are read."""
    assert (
        len(ROWS) == len({name for name, *_ in ROWS}) == len(re.findall(r"^\| [A-Z]\d+ \|", PAGE, re.MULTILINE)) == 288
    )
    assert not [name for name, status, call, _ in ROWS if status == "Y" and not call]
    assert not [name for name, status, _, remark in ROWS if status == "P" and not remark]


def test_counts_are_those_of_the_rows() -> None:
    counted = Counter(status for _, status, _, _ in ROWS)
    assert f"| all | {len(ROWS)} | {counted['Y']} | {counted['P']} | {counted['N']} |" in PAGE
