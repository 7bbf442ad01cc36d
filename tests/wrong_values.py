"""Values that make no sense for most arguments, and whether a call takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symbody import SymbodyError

WRONG: dict[str, Any] = {
    "nothing": None,
    "text": "what",
    "number": 3,
    "list": [1, 2],
    "table": {"a": 1},
    "object": object(),
    "array": np.ones((2, 2)),
    "nan": float("nan"),
}


def is_taken(call: Callable[[], object], where: str) -> bool:
    """Whether a call goes through. One that ends in an error from somewhere inside fails the test."""
    try:
        call()
    except SymbodyError:
        return False
    except Exception as reason:
        pytest.fail(f"{where}: {type(reason).__name__}: {reason}")
    return True
