"""`python -m bench derive [--json] [--full]`: the benchmarks of one stage, as a table or as JSON lines.

`python -m bench dynamics [--json] [--quick] [--robots panda ur5] [--functions forward_dynamics]`

With `--record` the rows are kept in `bench/results`, of which the book makes a page.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Iterable

from .dynamics import FUNCTIONS
from .record import record
from .robots import CASES
from .timing import Row

STAGES = (
    "startup",
    "overhead",
    "graph",
    "derive",
    "scale",
    "scale_machines",
    "repeated_parts",
    "operations",
    "dynamics",
    "batch",
    "simulate",
    "stiff",
    "linear",
    "export",
    "traced",
    "equilibria",
    "branches",
    "gpu",
    "learning",
    "sweep",
    "readable",
    "elastic",
    "contact",
    "piles",
    "card_piles",
    "regressors",
    "mjcf_survey",
    "motions",
    "biomechanics",
    "vehicles",
)  # a file each, loaded when chosen: each has peers of its own
OPTIONS: dict[str, tuple[str, ...]] = {
    "full": ("derive",),
    "quick": ("dynamics", "simulate", "overhead", "batch", "contact", "gpu"),
    "robots": ("dynamics",),
    "functions": ("dynamics",),
    "only": ("equilibria", "mjcf_survey", "motions"),
    "keep": ("equilibria", "mjcf_survey", "motions"),
    "folders": ("mjcf_survey",),
}


def shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def width(column: str) -> int:
    return 44 if column == "peer" else max(12, len(column) + 2)


def print_table(rows: Iterable[Row]) -> None:
    """Rows under a heading; a new heading where the columns change."""
    heading: list[str] = []
    for row in rows:
        case, *columns = row
        if columns != heading:
            print(f"\n{case:34s}" + "".join(f"{c:>{width(c)}s}" for c in columns))
            heading = columns
        cells = (f"{shown(row[c]):>{width(c)}s}" for c in columns)
        print(f"{row[case]!s:34s}" + "".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("--json", action="store_true", help="one JSON object in each line")
    parser.add_argument("--record", action="store_true", help="keep the rows in bench/results, for the book")
    parser.add_argument("--full", action="store_true", help="let slow peers finish (derive)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="fewer repeats (dynamics), runs of peers (simulate), models (overhead), members (batch), cases (contact)",
    )
    parser.add_argument("--robots", nargs="+", choices=CASES, help="only these (dynamics)")
    parser.add_argument("--functions", nargs="+", choices=FUNCTIONS, help="only these (dynamics)")
    parser.add_argument(
        "--only", nargs="+", help="cases with one of these words in their name (equilibria, mjcf_survey, motions)"
    )
    parser.add_argument(
        "--keep",
        help="a file for rows as they come; cases that are in it are not run again (equilibria, mjcf_survey, motions)",
    )
    parser.add_argument("--folders", nargs="+", help="with MJCF files below them (mjcf_survey)")
    chosen = parser.parse_args()
    if chosen.record and (chosen.robots or chosen.functions or chosen.only or chosen.folders):
        parser.error("--record keeps all rows of a stage, not some of them")
    given = {name: value for name in OPTIONS if (value := getattr(chosen, name))}
    for name in given:
        if chosen.stage not in OPTIONS[name]:
            parser.error(f"--{name} is for {' and '.join(OPTIONS[name])}, not for {chosen.stage}")
    rows = importlib.import_module(f"bench.{chosen.stage}").rows(**given)
    if chosen.record:
        command = " ".join(["python -m bench", chosen.stage, *(f"--{name}" for name in given if name != "keep")])
        print(record(chosen.stage, command, rows))
    elif chosen.json:
        for row in rows:
            print(json.dumps(row), flush=True)
    else:
        print_table(rows)


if __name__ == "__main__":
    main()
