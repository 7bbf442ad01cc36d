"""`python -m bench.fuzz --minutes 10 [--seed 1] [--case 12] [--check forms] [--file finding.yaml] [--json]`: the
differential fuzzer.

Prints every finding with its seed and case, the numbers that differ and the smallest model that still fails, and writes
that model to a folder. At the end: how many answers agreed, how many were refused and why. An interruption keeps what
was found. The exit code is 1 where there are findings.

`python -m bench.fuzz --readers [--mutants 400] [--reader mtx]`: damaged files through every reader (readers.py).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import yaml

from ..limits import Limit
from .catalogue import CHECKS
from .readers import add_options, run_readers
from .shrink import shrunk
from .tally import Finding, Tally
from .trial import LIMIT, Case, case_of, findings, own_cache, tried


def main() -> int:
    o = _options()
    if o.readers:
        return run_readers(o)
    with own_cache():
        return _run(o)


def _run(o: argparse.Namespace) -> int:
    tally = Tally(o.seed, Path(o.findings), o.json)
    limit, until = Limit(o.limit, LIMIT.megabytes), time.monotonic() + 60 * o.minutes
    try:
        for number, case in _cases(o):
            if time.monotonic() > until:
                break
            answers = tried(case, limit)
            tally.add(answers)
            for answer in findings(answers):
                tally.report(Finding(o.seed, number, answer, shrunk(case, answer, o.shrink)))
    except KeyboardInterrupt:
        print("interrupted; what was found so far:", file=sys.stderr)
    tally.summary()
    return 1 if tally.findings else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="no case begins after so long (10)")
    parser.add_argument("--seed", type=int, default=1, help="of all cases (1)")
    parser.add_argument("--case", type=int, help="this case alone")
    parser.add_argument("--cases", type=int, help="so many cases from the first")
    parser.add_argument(
        "--check", action="append", default=[], choices=CHECKS, help="this check alone; may be repeated"
    )
    parser.add_argument("--file", help="a model file in place of random ones")
    parser.add_argument(
        "--limit", type=float, default=LIMIT.seconds, help="seconds of CPU time that one case may take (120)"
    )
    parser.add_argument(
        "--shrink",
        type=float,
        default=60.0,
        help="seconds of CPU time to look for a smaller model of each finding (60)",
    )
    parser.add_argument("--findings", default="out/findings", help="folder for models that fail (out/findings)")
    parser.add_argument("--json", action="store_true", help="one JSON object in each line")
    add_options(parser)
    return parser.parse_args()


def _cases(o: argparse.Namespace) -> Iterator[tuple[int, Case]]:
    if o.file:
        sections = yaml.safe_load(Path(o.file).read_text(encoding="utf-8"))
        yield o.case or 0, Case(sections, o.case or 0, tuple(o.check or CHECKS))
        return
    numbers = [o.case] if o.case is not None else range(o.cases) if o.cases else count()
    for number in numbers:
        yield number, case_of(o.seed, number, o.check)


if __name__ == "__main__":
    sys.exit(main())
