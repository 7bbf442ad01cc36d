"""Benchmarks as a page: what `python -m bench ... --record` kept, as figures of ratios and as tables in words, with machine,
versions and date.

A section for each stage says how it was measured, in the words of the benchmark itself. Rows in which a peer was faster are
gathered at the top.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from .bars import bars
from .measured_words import BEFORE, COLUMNS, HIDDEN, heading, is_hidden, written
from .pages import raw
from .reference import as_markdown

BENCH = Path(__file__).parents[2] / "bench"
MOST_BARS: Final = 24  # of a figure: the rows of a stage that has more are summed up by peers
_OPENING = """# Benchmarks

Each section describes what was measured, with the command and the machine. *Times faster* is the time of the other program
divided by the time of symbody; below 1 the other program is faster. Seconds are CPU seconds unless a section states otherwise.
Calls are timed after compilation; [overhead](#overhead) has the time from the description of a mechanism to its first motion,
with an empty and with a warm cache.
"""


def write_benchmarks(page: Path, results: Path = BENCH / "results") -> int:
    """The page; the number of rows in it."""
    kept = [json.loads(p.read_text(encoding="utf-8")) for p in sorted(results.glob("*.json"))]
    parts = [_OPENING, _overview(kept), _where_peers_are_faster(kept), *(_section(k) for k in kept)]
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return sum(len(k["rows"]) for k in kept)


def _where_peers_are_faster(kept: Sequence[dict[str, Any]]) -> str:
    slow = [(k["stage"], r) for k in kept for r in k["rows"] if r.get("peer") and 0 < (r.get("ratio") or 0) < 1]
    if not slow:
        return "## Where peers are faster\n\nNone of the rows below."
    rows = [{"stage": f"[{s}](#{s})", "case": _case(r), "peer": r["peer"], "ratio": r["ratio"]} for s, r in slow]
    return f"## Where peers are faster\n\n{_table(rows)}"


def _overview(kept: Sequence[dict[str, Any]]) -> str:
    """The median ratio of each stage that has peers."""
    ratios = {_title(k["stage"]): [r["ratio"] for r in _compared(k["rows"])] for k in kept}
    rows = [(f"{title}, {len(found)} comparisons", median(found)) for title, found in ratios.items() if found]
    if not rows:
        return ""
    figure = raw(bars(rows, "median ratio of each stage"))
    return (
        f"## At a glance\n\nHow many times faster symbody is: the median of all comparisons of a section.\n\n{figure}"
    )


def _compared(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [r for r in rows if r.get("peer") and (r.get("ratio") or 0) > 0]


def _figure(rows: Sequence[dict[str, Any]], title: str) -> str:
    """Ratios of a stage, row by row; by peers where there are many."""
    found = _compared(rows)
    if not found:
        return ""
    shown = [(f"{_case(r)}: {written('peer', r['peer'])}", float(r["ratio"])) for r in found]
    if len(found) > MOST_BARS:
        peers = dict.fromkeys(r["peer"] for r in found)
        by_peer = {p: [float(r["ratio"]) for r in found if r["peer"] == p] for p in peers}
        shown = [(f"{written('peer', p)}, median of {len(found)}", median(found)) for p, found in by_peer.items()]
    return raw(bars(shown[:MOST_BARS], f"{title}: times faster than peers"))


def _case(row: dict[str, Any]) -> str:
    """A row by its name and by what it computes, where one name has several rows."""
    more = (row[k] for k in ("function", "target", "n") if row.get(k) not in (None, row["case"]))
    return ", ".join(map(str, (row["case"], *more)))


def _section(kept: dict[str, Any]) -> str:
    source = (BENCH / f"{kept['stage']}.py").read_text(encoding="utf-8")
    said = as_markdown(_in_words(ast.get_docstring(ast.parse(source)) or ""), {}, "", has_arguments=False)
    versions = ", ".join(f"{name} {v}" for name, v in kept["versions"].items())
    measured = f"<small>`{kept['command']}`, {kept['date']}; {kept['machine']}; {versions}</small>"
    title = f"({kept['stage']})=\n## {_title(kept['stage'])}"
    figure = _figure(kept["rows"], _title(kept["stage"]))
    return "\n\n".join(p for p in [title, said, figure, *_tables(kept["rows"]), measured] if p)


def _in_words(docstring: str) -> str:
    """How it was measured, with columns as the page calls them; columns that it leaves out are not explained."""
    blocks = [
        " ".join(s for s in re.split(r"(?<=\.)\s+(?=\S)", b) if BEFORE not in s) if BEFORE in b else b
        for b in docstring.split("\n\n")
    ]
    words = {name: column.heading for name, column in COLUMNS.items()} | {h: h.replace("_", " ") for h in HIDDEN}
    text = "\n\n".join(filter(None, blocks))
    in_ticks = re.sub(r"`(\w+)`", lambda m: f'"{words[m[1]]}"' if m[1] in words else m[0], text)
    return re.sub(r"\b[a-z]+_\w+\b(?!`)", lambda m: f'"{words[m[0]]}"' if m[0] in words else m[0], in_ticks)


def _title(stage: str) -> str:
    return stage.upper() if len(stage) == 3 else stage.replace("_", " ").capitalize()


def _tables(rows: Sequence[dict[str, Any]]) -> list[str]:
    """A table for each set of columns; what a row remarks stands below."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in (r for r in rows if r.get("case") != "machine"):  # which the section names itself
        shown = {k: v for k, v in row.items() if not is_hidden(k)}
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
    told_once = [c for c in columns if all(isinstance(r[c], str | int) for r in rows)]
    same = [c for c in told_once if c != "case" and len(rows) > 2 and len({r[c] for r in rows}) == 1]
    columns = [c for c in columns if c not in same]
    numeric = {c for c in columns if all(r[c] is None or isinstance(r[c], (int, float)) for r in rows)}
    line = "|".join("---:" if c in numeric else "---" for c in columns)
    body = ["| " + " | ".join(written(c, r[c]) for c in columns) + " |" for r in rows]
    below = "; ".join(f"{heading(c)}: {written(c, rows[0][c])}" for c in same)
    return "\n".join(
        [
            "| " + " | ".join(map(heading, columns)) + " |",
            f"|{line}|",
            *body,
            *(["", f"In all rows, {below}."] if below else []),
        ]
    )
