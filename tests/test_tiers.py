"""Tiers of the tests: `-m quick` runs laws, contracts and architecture; without it everything, SYMBODY_FULL=1 all cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.scheduler import WorkStealingScheduling

from .conftest import QUICK, is_left_out, is_quick, pytest_xdist_make_scheduler

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


@pytest.mark.parametrize(("asked", "is_ours"), [("load", True), ("loadfile", False), ("each", False)])
def test_workers_take_stretches_of_files_unless_another_way_is_asked_for(
    asked: str, is_ours: bool, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """`-n 2` alone means "load"."""
    monkeypatch.setattr(request.config.option, "dist", asked, raising=False)
    monkeypatch.setattr(request.config.option, "tx", ["popen"], raising=False)
    made = pytest_xdist_make_scheduler(request.config, None)
    assert isinstance(made, WorkStealingScheduling) == is_ours
    assert made is None or is_ours
