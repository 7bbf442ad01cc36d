"""Seconds of the tests by file, as `python -m pytest` keeps them with every run.

`python -m bench.tests` compares the last run with the one that `bench/results/tests.json` has of the same tier, and
names files that have become slower; `python -m bench.tests old.json new.json` compares two that were written by
`python -m pytest --record new.json`. `--keep` writes the last run into `bench/results/tests.json`, with the part of the
package that was covered where `coverage json` has left its report (CONTRIBUTING.md).

CPU seconds are compared: they change by a tenth or so from run to run, wall-clock time by whatever else the machine does.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from .record import RESULTS, record
from .timing import Row

ROOT = Path(__file__).parents[1]
LAST = ROOT / ".pytest_cache" / "v" / "symbody" / "durations"
COVERAGE = ROOT / "coverage.json"
NOTICED = 1.25, 1.0  # slower by this ratio and by this many CPU seconds
TIERS = ("quick", "default", "full")


def run_of(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise SystemExit(f"{path.name}: there is no such record; python -m pytest --record {path.name} writes one")
    return json.loads(path.read_text(encoding="utf-8"))


def rows_of(run: dict[str, Any], covered: float | None = None) -> list[Row]:
    """One for the whole run, and one for each file."""
    cases = sum(n for n, *_ in run["files"].values())
    whole = _row(f"all {cases} cases", run["tier"], cases, run["seconds"], run["cpu_seconds"], run["workers"], covered)
    files = [_row(f, run["tier"], n, s, c, None, None) for f, (n, s, c) in run["files"].items()]
    return [whole, *sorted(files, key=lambda r: -r["cpu_seconds"])]


def _row(
    case: str, tier: str, cases: int, seconds: float, cpu: float, workers: int | None, covered: float | None
) -> Row:
    return {
        "case": case, "tier": tier, "cases": cases, "seconds": seconds, "cpu_seconds": cpu, "workers": workers, "covered_percent": covered,
    }  # fmt: skip


def slower(old: list[Row], new: list[Row]) -> list[str]:
    """Files, and the whole, that take clearly more CPU seconds than before; the largest difference first."""
    before = {_place(r): r["cpu_seconds"] for r in old}
    ratio, least = NOTICED
    found = [
        (r["cpu_seconds"] - before[_place(r)], r)
        for r in new
        if _place(r) in before and r["cpu_seconds"] > max(ratio * before[_place(r)], before[_place(r)] + least)
    ]
    return [
        f"{r['case']}: {before[_place(r)]:.1f} -> {r['cpu_seconds']:.1f} CPU s"
        for _, r in sorted(found, key=lambda f: -f[0])
    ]


def _place(row: Row) -> str:
    return "all" if row["case"].startswith("all ") else row["case"]


def kept(tier: str) -> list[Row]:
    path = RESULTS / "tests.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    return [r for r in rows if r["tier"] == tier]


def comparison(old: list[Row], new: list[Row]) -> str:
    told = [
        f"{w}: {r[0]['case']}, {r[0]['seconds']:.0f} s, {r[0]['cpu_seconds']:.0f} CPU s"
        for w, r in (("old", old), ("new", new))
        if r
    ]
    known = {_place(r) for r in old}
    more = [
        f"new file: {r['case']}, {r['cpu_seconds']:.1f} CPU s"
        for r in new
        if _place(r) not in known and r["cpu_seconds"] >= 1
    ]
    return "\n".join([*told, *(slower(old, new) or ["nothing is clearly slower"]), *more])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.tests", description=__doc__)
    parser.add_argument("records", nargs="*", type=Path, help="two files of --record: old and new")
    parser.add_argument("--keep", action="store_true", help="write the last run into bench/results/tests.json")
    asked = parser.parse_args()
    if len(asked.records) == 2:
        print(comparison(*(rows_of(run_of(p)) for p in asked.records)))
        return 0
    run = run_of(asked.records[0] if asked.records else LAST)
    new = rows_of(run, _covered())
    print(comparison(kept(run["tier"]), new))
    if asked.keep:
        if run["tier"] not in TIERS or run["outcomes"].get("failed"):
            raise SystemExit(
                f"the last run was {run['tier']}, {run['outcomes']}: only whole runs without failures are kept"
            )
        record(
            "tests", "python -m bench.tests --keep", [*(r for t in TIERS if t != run["tier"] for r in kept(t)), *new]
        )
    return 0


def _covered() -> float | None:
    """Per cent of lines and branches of the package."""
    return (
        round(json.loads(COVERAGE.read_text(encoding="utf-8"))["totals"]["percent_covered"], 1)
        if COVERAGE.exists()
        else None
    )


if __name__ == "__main__":
    sys.exit(main())
