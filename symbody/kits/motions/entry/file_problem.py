"""Problems that are stated in model files, under `motion`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import symbody as sb

from ....argument_kinds import answered
from ....errors import shown, unknown
from ....given_files import file_text
from ..parts.problem_parts import Phase
from .problem import Problem


@answered
def read_problem(model: Any) -> Problem:
    """The problem under `motion:` of a model file, of a built-in model by name, or of a `study.Study`. Phases follow each
    other in the order of the file; a phase with a `mode` has the equations of `contacts` in that mode. `options` of the
    problem has intervals, method, degree and accuracy of the file.

    >>> text = '''
    ... symbody: 1
    ... name: cart
    ... inputs: F
    ... bodies: {cart: {mass: 1}}
    ... joints: {x: {prismatic: [ground, cart], axis: x, actuation: F}}
    ... motion:
    ...   intervals: 10
    ...   phases:
    ...     push:
    ...       duration: 1
    ...       start: {x: 0, x_dot: 0}
    ...       end: {x: 1, x_dot: 0}
    ...       costs: {effort: {integral: F^2}}
    ... '''
    >>> with open("cart.yaml", "w") as file:
    ...     count = file.write(text)
    >>> problem = sb.kits.motions.read_problem("cart.yaml")
    >>> problem.options, problem.solve(**problem.options).objective
    ({'intervals': 10}, 12.0)

    See also: `kits.motions.Problem`, `study.Study`.
    """
    study = model
    if isinstance(model, (str, Path)):
        study = sb.study.Study(sb.study.find_model(str(model)))
    if not isinstance(study, sb.study.Study):
        raise sb.ModelError(f"read_problem: expected a file, the name of a model or a study, got {shown(model)}")
    stated = study.source.requests.motion
    if stated is None:
        raise sb.ModelError(f"{study.source.name!r} states no motion: write its phases under `motion:`")
    problem = Problem(study.source.name)
    problem.options.update(stated.options)
    before: Phase | None = None
    for own in stated.phases:
        phase = problem.phase(own.name, _equations(study, own), own.duration, values=_numbers(study))
        _state(phase, own)
        if before is not None:
            problem.link(before, phase, impact=own.impact and _pushes(study, phase))
        elif own.impact:
            raise sb.ModelError(f"{phase.where}: the first phase has no impact; there is no motion before it")
        before = phase
    if stated.choose:
        problem.choose(stated.choose)
    if stated.periodic is not None:
        _repeat(problem, dict(stated.periodic), study)
    return problem


def _repeat(problem: Problem, options: dict[str, Any], study: sb.study.Study) -> None:
    """The motion ends as it begins, or with an impact after which it begins again."""
    phases = list(problem.phases.values())
    if not options.pop("impact", False):
        problem.periodic(**options)
        return
    problem.link(phases[-1], phases[0], impact=_pushes(study, phases[0]), **options)


def _pushes(study: sb.study.Study, phase: Phase) -> dict[str, Any]:
    """Ranges of impulses: contacts push and do not pull."""
    gaps = {f"lam_{c.name}" for c in study.contacts.contacts} if study.contacts is not None else set()
    return {s.name: (0.0, None) for s in phase.equations.lam if s.name in gaps}


def _numbers(study: sb.study.Study) -> dict[str, float]:
    known = {s.name for s in study.equations.p}
    return {k: v for k, v in study.values.items() if k in known}


def _equations(study: sb.study.Study, own: Any) -> sb.Equations:
    if not own.mode:
        return study.equations
    if study.contacts is None:
        raise sb.ModelError(
            f"{study.source.name!r}, phase {own.name!r}: mode {own.mode!r} is one of `contacts`, and there are none"
        )
    return study.contacts.equations(own.mode)


def _state(phase: Phase, own: Any) -> None:
    """The statements of a phase."""
    ranges = {"start": phase.start, "end": phase.end, "bounds": phase.bounds, "rates": phase.rates}
    for which in ("rates", "bounds", "start", "end"):
        if own.ranges.get(which):
            ranges[which](own.ranges[which])
    for name, term in own.path.items():
        phase.path(name, term.expression, *term.limits)
    for name, term in own.conditions.items():
        value = 0.0 if term.limits == (None, None) else term.limits
        phase.condition(name, term.expression, value, at=term.at or "end")
    for name, term in own.costs.items():
        phase.cost(name, **{term.at or "integral": term.expression}, weight=term.weight)
    for name, term in own.integrals.items():
        phase.integral(name, term.expression, term.limits)
    for name, (first, second) in own.complementary.items():
        phase.complementary(name, first, second)
    for name, obstacle in own.obstacles.items():
        phase.avoid(name, obstacle.point, obstacle.centre, obstacle.radius)
    for name, track in own.tracked.items():
        table = (track.times, track.values) if track.file is None else _table(track.file, track.column, phase)
        phase.track(name, {track.expression: table}, weight=track.weight)
    phase.guess(own.guess)


def _table(file: Path, column: str, phase: Phase) -> tuple[list[float], list[float]]:
    """Times and a column of a .csv file with names in its first line."""
    where = f"{phase.where}, track: {file.name}"
    rows = list(csv.reader(file_text(file, where).splitlines()))
    names = [n.strip() for n in rows[0]] if rows else []
    for name in ("t", column):
        if name not in names:
            raise unknown(where, "column", name, names, sb.ModelError)
    try:
        t, y = ([float(row[names.index(n)]) for row in rows[1:] if row] for n in ("t", column))
    except (ValueError, IndexError):
        raise sb.ModelError(
            f"{where}: expected numbers in the columns t and {column}, one line for each time"
        ) from None
    return t, y
