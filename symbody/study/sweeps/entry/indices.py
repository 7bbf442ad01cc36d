"""Sensitivity indices of a sweep by SALib: the share of an answer's variance due to each varied quantity (Sobol), or
its effect on the answer (Morris)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....argument_kinds import answered
from ....emit.run.callable import Array
from ....errors import StudyError, in_number, unknown
from ....optional_packages import optional_package
from ..questions.varied import varied_values
from ..stored.sweep_result import SweepResult
from .sweep import sweep


@answered
def sobol_indices(
    what: Any,
    over: Mapping[Any, Any],
    ask: Any = None,
    *,
    answer: str = "value",
    repeat: int = 256,
    seed: int = 0,
    **options: Any,
) -> dict[str, dict[str, float]]:
    """First-order and total Sobol indices, by name: `sobol_indices(lin, {"V": (4, 6), "m3": norm(8, 1)}, spectrum(),
    answer="growth")["V"]["total"]`.

    over     intervals and distributions
    answer   name of the answer
    repeat   number of points, a power of two; `repeat * (2 + len(over))` members are computed
    options  of `sweep`: on, to, values, ...

    `first` is the share of the variance due to that quantity alone, `total` the share due to it and its interactions;
    `first_error` and `total_error` are half the widths of their 95 % confidence intervals (Saltelli's scheme).

    >>> try:
    ...     found = sb.study.sobol_indices(lambda a, b: 2 * a + b, {"a": (0, 1), "b": (0, 1)}, repeat=64)
    ...     share = found["a"]["total"]
    ... except sb.errors.StudyError:  # needs the package SALib
    ...     share = 0.8
    >>> abs(share - 0.8) < 0.1
    True

    See also: `study.morris_indices`, `sweep`.
    """
    sample, analyze = (
        optional_package(f"SALib.{part}.sobol", "Sobol's indices", StudyError) for part in ("sample", "analyze")
    )
    problem = _problem(over)
    unit = sample.sample(problem, repeat, calc_second_order=False, seed=seed)
    y = _answers(unit, what, over, ask, answer, options)[0]
    found = analyze.analyze(problem, y, calc_second_order=False, seed=seed)
    parts = {"first": "S1", "total": "ST", "first_error": "S1_conf", "total_error": "ST_conf"}
    return {n: {key: float(found[its][k]) for key, its in parts.items()} for k, n in enumerate(problem["names"])}


@answered
def morris_indices(
    what: Any,
    over: Mapping[Any, Any],
    ask: Any = None,
    *,
    answer: str = "value",
    repeat: int = 20,
    levels: int = 8,
    seed: int = 0,
    **options: Any,
) -> dict[str, dict[str, float]]:
    """Morris elementary effects, by name: the `mean` of their absolute values, and the `deviation`, which is large if a
    quantity acts nonlinearly or interacts with others.

    repeat   number of trajectories; `repeat * (1 + len(over))` members are computed
    levels   number of levels of the grid

    The other arguments are those of `sobol_indices`. This screening needs far fewer members than Sobol indices.

    >>> try:
    ...     found = sb.study.morris_indices(lambda a, b: 2 * a + b, {"a": (0, 1), "b": (0, 1)})
    ...     effect = float(found["a"]["mean"])
    ... except sb.errors.StudyError:  # needs the package SALib
    ...     effect = 2.0
    >>> abs(effect - 2.0) < 0.01
    True

    See also: `study.sobol_indices`, `sweep`.
    """
    sample, analyze = (
        optional_package(f"SALib.{part}.morris", "Morris's effects", StudyError) for part in ("sample", "analyze")
    )
    problem = _problem(over)
    unit = sample.sample(problem, repeat, num_levels=levels, seed=seed)
    inside = 1e-3 + (1 - 2e-3) * unit  # distributions without ends have no value at 0 and 1
    y = _answers(inside, what, over, ask, answer, options)[0]
    found = analyze.analyze(problem, unit, y, num_levels=levels, seed=seed)
    return {
        n: {"mean": float(found["mu_star"][k]), "deviation": float(found["sigma"][k])}
        for k, n in enumerate(problem["names"])
    }


def _problem(over: Mapping[Any, Any]) -> dict[str, Any]:
    """In the words of SALib: quantities that are drawn from the unit interval each."""
    names = [str(getattr(k, "name", k)) for k in over]
    return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def _answers(
    unit: Array, what: Any, over: Mapping[Any, Any], ask: Any, answer: str, options: Mapping[str, Any]
) -> tuple[Array, SweepResult]:
    """The answer at points of the unit cube."""
    kinds = varied_values(over, "random", 1, 0).drawn
    if fixed := [str(k) for k in over if str(getattr(k, "name", k)) not in kinds]:
        raise StudyError(
            f"indices: {in_number(fixed, '{} must be an interval or a distribution', '{} must be intervals or distributions')}, as in over={{'k': (1, 2)}}"
        )
    points = {name: kind.at(np.asarray(u)) for (name, kind), u in zip(kinds.items(), np.asarray(unit).T, strict=True)}
    study = sweep(what, points, ask, sample="paired", **options)
    if answer not in study.names:
        raise unknown("indices", "answer", answer, study.names, StudyError)
    if study.failed:
        k = study.failed[0]
        raise StudyError(
            f"indices: {len(study.failed)} of {len(study)} members failed, and indices need all: {study.outcome(k)}"
        )
    y = np.asarray(study[answer], dtype=np.float64)
    if y.ndim != 1:
        raise StudyError(f"indices: {answer} is not one number for each member")
    return y, study
