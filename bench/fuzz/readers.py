"""`python -m bench.fuzz --readers [--mutants 400] [--minutes 10] [--seed 1] [--reader mtx] [--case 12] [--json]`: damaged
files through every reader of the package.

Of each reader, a sample that it accepts is damaged `--mutants` times (bytes, numbers, lines, members of archives). A
mutant is read, or refused by an error of the package. Anything else is a finding: a raw exception, a killed process, more
than 10 s or 250 MB, control characters in what is printed. The files of a finding are written to a folder.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .reader_samples import READERS, put
from .reader_trials import ENDINGS, Trial, Verdict, verdicts

SHOWN_LINES = 12


def run_readers(o: argparse.Namespace) -> int:
    counts: Counter[tuple[str, str]] = Counter()
    findings = 0
    refused = {n: why for n in o.reader or READERS if (why := READERS[n].refusal())}
    if refused:
        raise SystemExit(f"samples that are refused as they are: {refused}")
    for verdict in verdicts(_trials(o), o.workers or os.cpu_count() or 1):
        counts[verdict.trial.reader.name, verdict.ending] += 1
        if verdict.is_finding:
            findings += 1
            _report(verdict, Path(o.findings), o.json)
    _summary(counts, o.seed, o.json)
    return 1 if findings else 0


def _trials(o: argparse.Namespace) -> Iterator[Trial]:
    """Readers take turns, so that all have had as many when time is over."""
    until = time.monotonic() + 60 * o.minutes
    numbers = range(o.mutants) if o.case is None else [o.case]
    for number in numbers:
        for name in o.reader or READERS:
            if time.monotonic() > until:
                return
            yield Trial(READERS[name], o.seed, number)


def _report(verdict: Verdict, folder: Path, as_json: bool) -> None:
    trial = verdict.trial
    place = folder / f"{trial.reader.name}_seed{trial.seed}_{trial.number}"
    put(trial.files(), place)
    again = f"python -m bench.fuzz --readers --reader {trial.reader.name} --seed {trial.seed} --case {trial.number}"
    if as_json:
        print(json.dumps({"reader": trial.reader.name, "seed": trial.seed, "number": trial.number, "ending": verdict.ending, "text": verdict.text, "files": str(place)}), flush=True)  # fmt: skip
        return
    lines = [line[:200] for line in verdict.text.strip().splitlines()]
    print(f"FINDING {trial.reader.name} {trial.number}: {verdict.ending}\n    again: {again}, files: {place}")
    print("\n".join(f"    {line!r}" for line in lines[:1] + lines[1:][-SHOWN_LINES:]), flush=True)


def _summary(counts: Counter[tuple[str, str]], seed: int, as_json: bool) -> None:
    names = dict.fromkeys(name for name, _ in counts)
    if as_json:
        print(json.dumps({"seed": seed, **{n: {e: counts[n, e] for e in ENDINGS} for n in names}}))
        return
    head = "".join(f"{e:>12s}" for e in ENDINGS)
    print(f"\n{sum(counts.values())} mutants from seed {seed}\n{'reader':16s}{'mutants':>9s}{head}")
    for name in sorted(names):
        own = [counts[name, e] for e in ENDINGS]
        print(f"{name:16s}{sum(own):9d}{''.join(f'{n:12d}' for n in own)}")
    total = [sum(counts[n, e] for n in names) for e in ENDINGS]
    print(f"{'all':16s}{sum(total):9d}{''.join(f'{n:12d}' for n in total)}")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of `--readers`, beside those that both fuzzers have."""
    parser.add_argument("--readers", action="store_true", help="damaged files in place of random models")
    parser.add_argument("--mutants", type=int, default=400, help="of each reader (400)")
    parser.add_argument("--reader", action="append", default=[], choices=sorted(READERS), help="this reader alone; may be repeated")  # fmt: skip
    parser.add_argument("--workers", type=int, help="processes that read (as many as cores)")


if __name__ == "__main__":
    sys.exit("python -m bench.fuzz --readers")
