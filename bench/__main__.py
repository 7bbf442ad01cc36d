"""`python -m bench derive [--json] [--full]`: the benchmarks of one stage, as a table or as JSON lines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator

from . import derive, graph
from .timing import Row

STAGES: dict[str, Callable[..., Iterator[Row]]] = {"graph": graph.rows, "derive": derive.rows}
CAN_BE_FULL = ("derive",)


def shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def width(column: str) -> int:
    return 24 if column == "peer" else max(12, len(column) + 2)


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
    parser.add_argument("--full", action="store_true", help="let slow peers finish (derive)")
    chosen = parser.parse_args()
    if chosen.full and chosen.stage not in CAN_BE_FULL:
        parser.error(f"--full is for {', '.join(CAN_BE_FULL)}; {chosen.stage} is always whole")
    rows = STAGES[chosen.stage](**({"full": True} if chosen.full else {}))
    if chosen.json:
        for row in rows:
            print(json.dumps(row), flush=True)
    else:
        print_table(rows)


if __name__ == "__main__":
    main()
