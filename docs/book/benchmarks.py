"""Benchmarks as a page: tables of what `python -m bench ... --record` kept, with machine, versions and date.

A section for each stage says how it was measured, in the words of the benchmark itself. Rows in which a peer was faster are
gathered at the top, so that nobody has to look for them.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .pages import raw
from .reference import as_markdown

BENCH = Path(__file__).parents[2] / "bench"
_HIDDEN = ("peer_limit", "note")  # said below a table where there is something to say
_OPENING = """# Benchmarks

What the benchmarks of the repository measured, and how; each section names its command. `ratio` is how many times longer the
peer took: below 1 the peer is faster. Seconds are CPU seconds unless a section says otherwise. Times of single calls are those
of code that is compiled already; what comes before the first answer has rows of its own under *overhead*: from the description
of a mechanism to its motion, with an empty cache and with a warm one.
"""


def write_benchmarks(page: Path, results: Path = BENCH / "results") -> int:
    """The page; the number of rows in it."""
    kept = [json.loads(p.read_text(encoding="utf-8")) for p in sorted(results.glob("*.json"))]
    parts = [_OPENING, _where_peers_are_faster(kept), *(_section(k) for k in kept)]
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return sum(len(k["rows"]) for k in kept)


def _where_peers_are_faster(kept: Sequence[dict[str, Any]]) -> str:
    slow = [(k["stage"], r) for k in kept for r in k["rows"] if r.get("peer") and 0 < (r.get("ratio") or 0) < 1]
    if not slow:
        return "## Where peers are faster\n\nIn none of the rows below."
    rows = [{"stage": f"[{s}](#{s})", "case": _case(r), "peer": r["peer"], "ratio": r["ratio"]} for s, r in slow]
    return f"## Where peers are faster\n\n{_table(rows)}"


def _case(row: dict[str, Any]) -> str:
    """A row by its name and by what it computes, where one name has several rows."""
    more = (row[k] for k in ("function", "target", "n") if row.get(k) not in (None, row["case"]))
    return ", ".join(map(str, (row["case"], *more)))


def _section(kept: dict[str, Any]) -> str:
    source = (BENCH / f"{kept['stage']}.py").read_text(encoding="utf-8")
    said = as_markdown(ast.get_docstring(ast.parse(source)) or "", {}, "", has_arguments=False)
    versions = ", ".join(f"{name} {v}" for name, v in kept["versions"].items())
    measured = f"<small>`{kept['command']}`, {kept['date']}; {kept['machine']}; {versions}</small>"
    return "\n\n".join([f"({kept['stage']})=\n## {_title(kept['stage'])}", said, *_tables(kept["rows"]), measured])


def _title(stage: str) -> str:
    return stage.upper() if len(stage) == 3 else stage.capitalize()


def _tables(rows: Sequence[dict[str, Any]]) -> list[str]:
    """A table for each set of columns; what a row remarks stands below."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in (r for r in rows if r.get("case") != "machine"):  # which the section names itself
        shown = {k: v for k, v in row.items() if k not in _HIDDEN}
        groups.setdefault(tuple(shown), []).append(shown)
    notes = dict.fromkeys(f"{_case(r)}: {r['note']}" for r in rows if r.get("note") and "case" in r)
    tables = [part for group in groups.values() for part in _folded(group)]
    return [*tables, *(["\n".join(f"- {n}" for n in notes)] if notes else [])]


def _folded(rows: Sequence[dict[str, Any]]) -> list[str]:
    """A table that is summed up ("all 94 cases") opens at a click, below its sums."""
    sums = [r for r in rows if str(r.get("case", "")).startswith("all ")]
    if not sums:
        return [_table(rows)]
    opening = raw(f"<details><summary>All {len(rows) - len(sums)} rows</summary>")
    return [_table(sums), opening, _table([r for r in rows if r not in sums]), raw("</details>")]


def _table(rows: Sequence[dict[str, Any]]) -> str:
    """Columns in which nothing stands are left out; what is the same in all rows is said once, below."""
    columns = [c for c in rows[0] if any(r[c] is not None for r in rows)]
    words = [c for c in columns if all(isinstance(r[c], str) for r in rows)]
    same = [c for c in words if c != "case" and len(rows) > 2 and len({r[c] for r in rows}) == 1]
    columns = [c for c in columns if c not in same]
    numeric = {c for c in columns if all(r[c] is None or isinstance(r[c], (int, float)) for r in rows)}
    line = "|".join("---:" if c in numeric else "---" for c in columns)
    body = ["| " + " | ".join(_shown(r[c]) for c in columns) + " |" for r in rows]
    below = "; ".join(f"{c}: {_shown(rows[0][c])}" for c in same)
    return "\n".join(
        ["| " + " | ".join(columns) + " |", f"|{line}|", *body, *(["", f"In all rows {below}."] if below else [])]
    )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) >= 1000 else f"{value:.3g}"
    return "" if value is None else str(value).replace("|", "\\|")
