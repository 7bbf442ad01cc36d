"""How long the tests of a run took, by file: kept with every run, so that two runs can be compared (`python -m bench.tests`).

Seconds are those of set-up, call and tear-down. CPU seconds are those of the process that ran a test and of the processes
that it has waited for: they say what a test costs where other work slows the machine down.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from . import forked
from .amount import FULL

KEPT = "symbody/durations"  # in pytest's cache
SLOWEST = 40
CPU = "cpu_seconds"
BEGUN = pytest.StashKey[float]()


def cpu_seconds() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system + sum(forked.used)


def tier(config: pytest.Config) -> str:
    """What was asked to run: "quick", "default" or "full", or a part of that."""
    chosen = "full" if FULL else config.getoption("markexpr") or "default"
    is_part = config.getoption("keyword") or config.args_source is pytest.Config.ArgsSource.ARGS
    return f"a part of {chosen}" if is_part else chosen


class Durations:
    """The plugin: it measures where a test runs, and adds up where the reports arrive."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.begun, self.load = time.time(), os.getloadavg()[0]
        self.tests: dict[str, list[float]] = {}  # by name: seconds, CPU seconds
        self.outcomes: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool | None, bool | None]:
        item.stash[BEGUN] = cpu_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            report.user_properties.append((CPU, cpu_seconds() - item.stash[BEGUN]))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        row = self.tests.setdefault(report.nodeid, [0.0, 0.0])
        row[0] += report.duration
        if report.when == "teardown":
            row[1] += dict(report.user_properties).get(CPU, 0.0)  # type: ignore[operator]
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.outcome] += 1

    def pytest_sessionfinish(self) -> None:
        if hasattr(self.config, "workerinput") or not self.tests:  # a worker hands its reports on
            return
        if cache := getattr(self.config, "cache", None):
            cache.set(KEPT, self.record())
        if path := self.config.getoption("record"):
            Path(path).write_text(json.dumps(self.record(), indent=1) + "\n", encoding="utf-8")

    def record(self) -> dict[str, Any]:
        files: dict[str, list[float]] = {}
        for name, (seconds, cpu) in self.tests.items():
            row = files.setdefault(name.partition("::")[0], [0, 0.0, 0.0])
            row[0] += 1
            row[1] += seconds
            row[2] += cpu
        slowest = sorted(self.tests.items(), key=lambda t: -t[1][1])[:SLOWEST]
        return {
            "tier": tier(self.config),
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.begun)),
            "workers": self.config.getoption("numprocesses", None) or 1,
            "load": [round(self.load, 2), round(os.getloadavg()[0], 2)],
            "seconds": round(time.time() - self.begun, 1),
            "cpu_seconds": round(sum(cpu for _, cpu in self.tests.values()), 1),
            "outcomes": dict(self.outcomes),
            "files": {f: [int(n), round(s, 2), round(c, 2)] for f, (n, s, c) in sorted(files.items())},
            "slowest": {name: [round(s, 2), round(c, 2)] for name, (s, c) in slowest},
        }
