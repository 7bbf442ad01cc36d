"""Sweeps of a `Study`: requests of the command line for many members at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ....errors import StudyError, finite_number, listed, shown
from ....optional_packages import optional_package
from ...study import Study
from ..questions.motion_questions import MotionQuestion
from ..questions.stability_questions import SpectrumQuestion

ASKS: Final = ("eigenvalues", "end", "extremes")
_CALL: Final = re.compile(r"\s*([a-z_0-9]+)\s*\((.*)\)\s*")


def swept_study(study: Study, ask: str, names: Sequence[str]) -> dict[str, Any]:
    """Arguments of `sweep` for a study: subject, question, and values for all members.

    >>> study = sb.study.Study(sb.study.find_model("double_pendulum"))
    >>> sorted(sb.study.swept_study(study, "end", ["q1"]))
    ['ask', 'values', 'what']

    See also: `sweep`, `study.Study`.
    """
    if ask == "eigenvalues":
        return {"what": study.linear, "ask": SpectrumQuestion(), "values": study.at}
    keep = {"end": "end", "extremes": "extremes"}[ask]
    question = MotionQuestion(study.span, tuple(names), keep, study.start_request, study.simulation_options)
    return {"what": study.without_modes("a sweep"), "ask": question, "values": study.values}


def over_of_texts(texts: Sequence[str]) -> dict[str, Any]:
    """`V=1:10:50` (fifty values), `V=1:10` (an interval), `V=1,2,5` (these), `m=norm(8, 0.5)` (a distribution of
    scipy.stats).

    >>> sb.study.over_of_texts(["V=1:10", "m=1,2,5"])
    {'V': (1.0, 10.0), 'm': [1.0, 2.0, 5.0]}

    See also: `sweep`.
    """
    out: dict[str, Any] = {}
    for text in texts:
        name, equals, said = text.partition("=")
        if not equals or not name.strip():
            raise StudyError(
                f"--vary {text}: write NAME=FROM:TO:POINTS, NAME=FROM:TO, NAME=A,B,C or NAME=norm(MEAN, DEVIATION)"
            )
        if name.strip() in out:
            raise StudyError(f"--vary {name.strip()}: is given twice")
        out[name.strip()] = _parsed_range(f"--vary {name.strip()}", said)
    return out


def _parsed_range(where: str, said: str) -> Any:
    if call := _CALL.fullmatch(said):
        return _distribution(
            where, call[1], [finite_number(x, where, StudyError) for x in call[2].split(",") if x.strip()]
        )
    if ":" not in said:
        return [finite_number(x, where, StudyError) for x in said.split(",")]
    parts = said.split(":")
    low, high = (finite_number(x, where, StudyError) for x in parts[:2])
    if len(parts) == 2:
        return (low, high)
    if len(parts) > 3 or not parts[2].strip().isdigit() or int(parts[2]) < 1:
        raise StudyError(f"{where}: write FROM:TO:POINTS with a whole number of points, got {shown(said)}")
    return np.linspace(low, high, int(parts[2]))


def _distribution(where: str, name: str, arguments: list[float]) -> Any:
    stats = optional_package("scipy.stats", "distributions", StudyError)
    kind = getattr(stats, name, None)
    if not isinstance(kind, stats.rv_continuous):
        known = ("norm", "uniform", "triang", "lognorm", "truncnorm", "beta", "weibull_min")
        raise StudyError(f"{where}: scipy.stats has no distribution {name!r}; there are {listed(known)}, among others")
    try:
        return kind(*arguments)
    except (TypeError, ValueError) as reason:
        raise StudyError(f"{where}: {name}({listed(arguments)}) is not a distribution: {reason}") from None
