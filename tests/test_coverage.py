"""docs/coverage.md cannot rot: its setting runs, and in it the call of every row, which gives the value that is shown; its
counts are those of its rows."""

import re
from collections import Counter

from .table_rows import ROOT, call_rows, faults, faults_in_a_fresh_process

PATH = ROOT / "docs" / "coverage.md"
PAGE = PATH.read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]\d+) \| (.+?) \| ([YPN]) \| (?:`(.+?)`)? ?\| (.*?) ?\|$", re.MULTILINE)
ROWS = [(name, status, call, remark) for name, _, status, call, remark in ROW.findall(PAGE)]


def test_calls_give_what_their_rows_show() -> None:
    assert faults_in_a_fresh_process(PATH) == []


def test_every_call_has_a_value() -> None:
    assert [row.name for row in call_rows(PAGE) if row.value is None] == []


def test_every_row_says_what_it_is() -> None:
    """What is there has a call; what is there in part says what is missing; all 288 rows are read."""
    names = [name for name, *_ in ROWS]
    assert len(ROWS) == len(set(names)) == len(re.findall(r"^\| [A-Z]\d+ \|", PAGE, re.MULTILINE)) == 288
    assert [row.name for row in call_rows(PAGE)] == [name for name, _, call, _ in ROWS if call]
    assert not [name for name, status, call, _ in ROWS if status == "Y" and not call]
    assert not [name for name, status, _, remark in ROWS if status == "P" and not remark]


def test_counts_are_those_of_the_rows() -> None:
    counted = Counter(status for _, status, _, _ in ROWS)
    assert f"| all | {len(ROWS)} | {counted['Y']} | {counted['P']} | {counted['N']} |" in PAGE


def test_wrong_values_are_found() -> None:
    """The check itself."""
    page = """```python
x = 2
```

| A1 | right | Y | `x / 3  # -> 0.666667` |  |
| A2 | wrong | Y | `x / 3  # -> 0.666668` |  |
| A3 | assigned | Y | `y = [x, 3]  # -> [2, 3]` |  |
| A4 | cut, wrong | Y | `[x, 3.0, 5]  # -> [2, 4.0, ...` |  |
| A5 | cut | Y | `[x, 3.0, 5]  # -> [2, 3.0 ...` |  |
| A6 | fails | Y | `x / 0` |  |
"""
    assert faults(page) == [
        "A2: x / 3: shown '0.666668', got '0.6666666666666666'",
        "A4: [x, 3.0, 5]: shown '[2, 4.0, ...', got '[2, 3.0, 5]'",
        "A6: x / 0: ZeroDivisionError: division by zero",
    ]
