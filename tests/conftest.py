"""Options of the test run."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import WorkStealingScheduling

from .durations import Durations

TESTS = Path(__file__).parent
QUICK = (TESTS / "laws", TESTS / "contracts", TESTS / "test_architecture.py")


def pytest_configure(config: pytest.Config) -> None:
    """Durations are kept with every run. A shell starts its background jobs with Ctrl-C ignored, and their children inherit that: tests of interruption
    would then wait for motions to end. Bytecode is kept, since a hundred tests start Python, and without it each of them, and each worker, compiles
    the package anew."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    config.pluginmanager.register(Durations(config))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and cases stay until the end: the collector of garbage looks through them neither while they are made nor
    afterwards, and then looks less often."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 50, 50)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Types are checked first: nothing else takes half a minute in one piece, in which the other workers would have nothing
    left to do at the end."""
    items.sort(key=lambda item: item.path.name != "test_checks.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Workers begin with a stretch of files each, and one that is done takes over half of what another has left: what a file makes for
    all its tests is made once. (`--dist` chooses another way.)"""
    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the committed generated code (tests/generated)")
    parser.addoption(
        "--record", metavar="FILE", help="write durations by file as JSON (python -m bench.tests compares)"
    )


def is_quick(path: Path) -> bool:
    """Whether a file is of the quick tier: laws, contracts and architecture."""
    return path.parent in QUICK or path in QUICK


def is_left_out(path: Path, asked: str) -> bool:
    """Whether `-m` asks for other files alone; to import all of them takes longer than the laws."""
    is_test = path.suffix == ".py" and path.name.startswith("test_")
    return asked == "quick" and is_test and not is_quick(path)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if is_left_out(collection_path, config.getoption("markexpr") or "") else None


def pytest_itemcollected(item: pytest.Item) -> None:
    if is_quick(item.path):
        item.add_marker("quick")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether committed files are rewritten rather than compared."""
    return bool(request.config.getoption("--update"))
