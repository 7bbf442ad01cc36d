"""Factors of the bodies of a person, from distances of markers in a static trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import symbody as sb

from ....errors import ModelError, shown, unknown
from .subject_functions import SubjectFunctions

AXES = ("x", "y", "z")


def scale_factors(
    subject: SubjectFunctions, static: sb.formats.MotionTable, measurements: Mapping[str, Any]
) -> dict[str, tuple[float, float, float]]:
    """`Subject.scale_factors`."""
    if not isinstance(static, sb.formats.MotionTable):
        raise ModelError(f"scale_factors: expected a MotionTable of markers, got {shown(static)}")
    out = {}
    for body, given in measurements.items():
        if body not in subject.model.links:
            raise unknown("scale_factors: measurements=", "body", body, subject.model.links)
        by_axis = given if isinstance(given, Mapping) else dict.fromkeys(AXES, given)
        for axis in by_axis:
            if axis not in AXES:
                raise unknown(f"scale_factors: body {body!r}", "axis", axis, AXES)
        x, y, z = (_factor(subject, static, body, by_axis[k]) if k in by_axis else 1.0 for k in AXES)
        out[body] = (x, y, z)
    return out


def _factor(subject: SubjectFunctions, static: sb.formats.MotionTable, body: str, pairs: Sequence[Any]) -> float:
    ratios = []
    for pair in pairs:
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
            raise ModelError(f"scale_factors: body {body!r} needs pairs of markers, got {shown(pair)}")
        for marker in pair:
            if marker not in subject.model.markers:
                raise unknown(f"scale_factors: body {body!r}, model", "marker", marker, subject.model.markers)
            if marker not in static.markers:
                raise unknown(f"scale_factors: body {body!r}, table {static.name!r}", "marker", marker, static.markers)
        ends = [static.markers[n] for n in pair]
        seen = np.linalg.norm(ends[0] - ends[1], axis=1)
        if not np.isfinite(seen).any():
            raise ModelError(
                f"scale_factors: markers {pair[0]!r} and {pair[1]!r} are never seen together in {static.name!r}"
            )
        a, b = (subject.model.markers[n] for n in pair)
        at = dict(zip(subject.equations.q, subject.default_pose, strict=True))
        ratios.append(float(np.nanmean(seen)) / float(sb.evaluate((b - a).magnitude(), at)))
    if not ratios:
        raise ModelError(f"scale_factors: body {body!r} has no pair of markers")
    return float(np.mean(ratios))
