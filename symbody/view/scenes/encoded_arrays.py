"""Numbers of a scene as text of a page: arrays in base64, others with six digits."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np


def base64_array(x: Any, kind: Any = np.float32) -> dict[str, Any]:
    """The shape of an array, and its little-endian numbers in base64."""
    a = np.ascontiguousarray(x, dtype=kind)
    return {"shape": list(a.shape), "data": base64.b64encode(a.astype(a.dtype.newbyteorder("<")).tobytes()).decode()}


def short(x: float) -> float:
    """With six digits."""
    return float(f"{x:z.6g}")


def shorts(xs: Any) -> list[float]:
    return [short(float(x)) for x in xs]
