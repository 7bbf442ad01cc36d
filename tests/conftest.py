"""Options of the test run."""

from __future__ import annotations

import signal

import pytest

from .durations import Durations


def pytest_configure(config: pytest.Config) -> None:
    """Durations are kept with every run. A shell starts its background jobs with Ctrl-C ignored, and their children inherit that: tests of interruption
    would then wait for motions to end."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(Durations(config))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the committed generated code (tests/generated)")
    parser.addoption(
        "--record", metavar="FILE", help="write durations by file as JSON (python -m bench.tests compares)"
    )


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether committed files are rewritten rather than compared."""
    return bool(request.config.getoption("--update"))
