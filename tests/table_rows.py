"""Tables whose rows show a call, and behind `# ->` what it gives: docs/coverage.md, docs/coming-from/sympy-names.md.

The value is that of the last statement, an expression or an assignment; `...` stands for anything, and numbers agree to the
digits that are shown. `python -m tests.table_rows docs/coverage.md` runs the page, in a process where nothing else was
computed: symbols that exist already would decide the order in which sums are printed.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docs.book.examples import AsShown

ROOT = Path(__file__).parents[1]
ARROW = "# ->"


class CallRow(NamedTuple):
    """A row: what names it, the code of its call, and the value that is shown, if any."""

    name: str
    code: str
    value: str | None


def call_rows(page: str) -> Iterator[CallRow]:
    """The rows of tables in which a cell is code and nothing else, in the second column or after the status Y, P or N."""
    for name, call in re.findall(r"^\| ([^|]+?) \| (?:[^|]+ \| [YPN] \| )?`(.+?)` \| .*\|$", page, re.MULTILINE):
        code, arrow, value = call.replace("\\|", "|").partition(ARROW)
        yield CallRow(name, code.strip(), value.strip() if arrow else None)


def setting(page: str) -> dict[str, Any]:
    """What the one Python block of the page makes, in which its calls run."""
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    made: dict[str, Any] = {"__name__": "page"}
    exec(block, made)
    return made


def shown_by(code: str, space: dict[str, Any]) -> str:
    """Run the code; the text of the value of its last statement, or what it printed."""
    *before, last = ast.parse(code).body
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Module(before, []), code, "exec"), space)
        if isinstance(last, (ast.Expr, ast.Assign)):
            value = eval(compile(ast.Expression(last.value), code, "eval"), space)
        else:
            exec(compile(ast.Module([last], []), code, "exec"), space)
            value = None
    text = " ".join((out.getvalue() if value is None else repr(value)).split())
    return re.sub(r"np\.(?:float64|int64|bool_?|complex128)\(([^()]*)\)", r"\1", text)  # as NumPy 1 prints numbers


def agrees(shown: str, got: str) -> bool:
    """Numbers to the digits shown; a value that ends in `...` is compared as far as it is shown."""
    if shown.endswith(" ..."):
        words = shown.removesuffix(" ...").split()
        shown, got = " ".join(words), " ".join(got.split()[: len(words)]).rstrip(",;:")
        shown = shown.rstrip(",;:")
    return AsShown().check_output(shown, got, doctest.ELLIPSIS)


def faults(page: str) -> list[str]:
    """Rows whose call fails, or gives another value than the one shown."""
    space, found = setting(page), []
    for row in call_rows(page):
        try:
            got = shown_by(row.code, dict(space))
        except Exception as reason:
            found.append(f"{row.name}: {row.code}: {type(reason).__name__}: {reason}")
            continue
        if row.value is not None and not agrees(row.value, got):
            found.append(f"{row.name}: {row.code}: shown {row.value!r}, got {got!r}")
    return found


def faults_in_a_fresh_process(path: Path) -> list[str]:
    command = [sys.executable, "-m", "tests.table_rows", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


if __name__ == "__main__":
    print(*faults(Path(sys.argv[1]).read_text(encoding="utf-8")), sep="\n", end="")
