"""The benchmarks: every file of them can be loaded, and runs of peers end at their limits."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bench.limits import Limit, StoppedError, limited
from bench.timing import fresh

BENCH = Path(__file__).parents[1] / "bench"
FILES = sorted(p.relative_to(BENCH.parent).with_suffix("") for p in BENCH.rglob("*.py"))
OURS = ("symbody", "bench", "examples")


@pytest.mark.parametrize("file", FILES, ids=str)
def test_every_file_can_be_loaded(file: Path) -> None:
    """What is missing is a peer, never something of ours."""
    try:
        importlib.import_module(".".join(file.parts))
    except ModuleNotFoundError as reason:
        if (reason.name or "").startswith(OURS):
            raise
        pytest.skip(str(reason))


def endless() -> None:
    time.sleep(60)


def greedy(megabytes: int) -> int:
    return len(bytearray(megabytes * 2**20))


def failing() -> dict[str, Any]:
    raise ValueError("no convergence")


def test_a_run_ends_at_its_limit_of_time() -> None:
    begun = time.monotonic()
    with pytest.raises(StoppedError, match=r"more than 0\.2 s"):
        limited(endless, Limit(0.2))
    assert time.monotonic() - begun < 20


def test_limits_of_time_are_of_computing() -> None:
    """A run that waits for its turn is not slow; one that computes ends, also where Python does not look at signals."""

    def waiting() -> str:
        time.sleep(1.0)
        return "there"

    def computing() -> int:
        return sum(range(10**12))

    assert limited(waiting, Limit(0.5)) == "there"
    begun = time.process_time()
    with pytest.raises(StoppedError, match=r"more than 0\.5 s"):
        limited(computing, Limit(0.5))
    assert time.process_time() - begun < 5.0


def test_a_run_ends_at_its_limit_of_memory() -> None:
    with pytest.raises(StoppedError, match="more than 50 MB"):
        limited(lambda: greedy(200), Limit(20.0, 50.0))
    assert limited(lambda: greedy(20), Limit(20.0, 50.0)) == 20 * 2**20


def test_a_fresh_process_ends_at_its_limits() -> None:
    with pytest.raises(StoppedError, match="more than 50 MB"):
        fresh("tests.test_bench:greedy", 2000, limit=Limit(60.0, 50.0))
    with pytest.raises(StoppedError, match=r"more than 0\.1 s"):
        fresh("tests.test_bench:endless", limit=Limit(0.1))


def crashing() -> None:
    print("imported", file=sys.stderr)
    os.kill(os.getpid(), signal.SIGKILL)


def test_crashes_are_reported() -> None:
    """In the last line, which rows show; what the peer printed before is above it."""
    with pytest.raises(RuntimeError, match="imported") as reason:
        fresh("tests.test_bench:crashing", limit=Limit(60.0))
    assert str(reason.value).splitlines()[-1] == "ended by signal SIGKILL (Killed)"
    with pytest.raises(RuntimeError, match="ended by signal SIGKILL"):
        limited(crashing, Limit(60.0))


def test_what_a_peer_raises_is_said() -> None:
    with pytest.raises(RuntimeError, match="ValueError: no convergence"):
        limited(failing, Limit(20.0))
