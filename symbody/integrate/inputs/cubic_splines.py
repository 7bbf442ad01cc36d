"""Cubic splines through samples. Loaded by `later` when the first samples arrive: SciPy's interpolation takes longer to
load than a motion without samples takes altogether."""

from __future__ import annotations

from typing import Any

from scipy.interpolate import CubicSpline

from ...emit.run.callable import Array


def cubic_spline(times: Array, values: Array) -> Any:
    """The spline through values at times, which are the last axis of `values`; its third derivative is continuous at
    the second and the last but one of them."""
    return CubicSpline(times, values, axis=-1)
