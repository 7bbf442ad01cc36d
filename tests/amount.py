"""How much is run: a part of the random and of the dear cases by default, all of them with SYMBODY_FULL=1."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")

FULL = bool(os.environ.get("SYMBODY_FULL"))
dear = pytest.mark.skipif(not FULL, reason="takes seconds; SYMBODY_FULL=1 runs it")


def some(cases: Iterable[T], every: int) -> list[T]:
    """Every n-th of the cases, beginning with the first; all of them where everything is run."""
    return list(cases)[:: 1 if FULL else every]
