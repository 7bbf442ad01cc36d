"""Options of the test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the committed generated code (tests/generated)")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether committed files are rewritten rather than compared."""
    return bool(request.config.getoption("--update"))
