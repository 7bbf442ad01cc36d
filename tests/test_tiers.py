"""Tiers of the tests: `-m quick` runs laws, contracts and architecture; without it everything, SYMBODY_FULL=1 all cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import QUICK, is_left_out, is_quick

TESTS = Path(__file__).parent
FILES = sorted(TESTS.rglob("test_*.py"))


def test_every_law_and_contract_is_quick(request: pytest.FixtureRequest) -> None:
    """By its folder, so that a new one cannot be forgotten."""
    assert all(path.exists() for path in QUICK)
    quick = {p.relative_to(TESTS).as_posix() for p in FILES if is_quick(p)}
    assert {p.split("/")[0] for p in quick} == {"laws", "contracts", "test_architecture.py"}
    assert {f"laws/{p.name}" for p in (TESTS / "laws").glob("test_*.py")} <= quick
    collected = {i.path for i in request.session.items}
    marked = {i.path for i in request.session.items if i.get_closest_marker("quick")}
    assert marked == {p for p in collected if is_quick(p)}


def test_the_quick_tier_imports_no_other_file() -> None:
    assert [p for p in FILES if not is_left_out(p, "quick")] == [p for p in FILES if is_quick(p)]
    assert [p for asked in ("", "not quick") for p in FILES if is_left_out(p, asked)] == []
    assert not is_left_out(TESTS / "algebra", "quick")  # a folder may have some
    assert not is_left_out(TESTS / "mechanisms.py", "quick")
