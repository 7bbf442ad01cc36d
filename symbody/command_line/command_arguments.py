"""The parser of a command, and what its arguments mean: the model, its numbers in SI, ranges of parameters."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..bodies.mechanism.inferred_units import declared_unit
from ..errors import ModelError, finite_number, shown
from ..study.requests import Range
from ..study.sources import ModelSource, find_model
from ..study.study import Study
from ..units import quantity, unit_factor


class CommandParser(argparse.ArgumentParser):
    """The parser of a command, with a list of its arguments."""

    def __init__(self, *words: Any, **options: Any) -> None:
        self.arguments: list[argparse.Action] = []
        super().__init__(*words, **options)

    def add_argument(self, *words: Any, **options: Any) -> argparse.Action:
        self.arguments.append(super().add_argument(*words, **options))
        return self.arguments[-1]


def source_of(asked: Any) -> ModelSource:
    return find_model(asked.model, asked.meshes)


def study_of(asked: Any, source: ModelSource | None = None, **more: Any) -> Study:
    source = source or source_of(asked)
    return Study(source, values_of(asked.set, source), **more)


def values_of(pairs: Sequence[str], source: ModelSource) -> dict[str, float]:
    """Numbers in SI by name; a number without a unit is in the declared one."""
    out = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ModelError(f"--set {pair}: write NAME=VALUE, as in --set V=20")
        out[name.strip()] = _in_si(text, source, name.strip(), f"--set {name}")
    return out


def _in_si(text: str, source: ModelSource, name: str, where: str) -> float:
    unit = declared_unit(source.units, name)
    given = quantity(text, where, ModelError, unit)
    return finite_number(text, where, ModelError) * unit_factor(unit) if given is None else given


def ranges_of(texts: Sequence[str], source: ModelSource) -> dict[str, Range]:
    out = {}
    for text in texts:
        name, equals, span = text.partition("=")
        if not equals:
            raise ModelError(f"--vary {text}: write NAME=FROM:TO or NAME=FROM:TO:POINTS, as in --vary V=1:40:200")
        where = f"--vary {name}"
        out[name.strip()] = range_of(where, span, partial(_in_si, source=source, name=name.strip(), where=where))
    if len(out) > 2:
        raise ModelError(f"--vary: one parameter or two, got {len(out)}")
    return out


def range_of(where: str, text: str, number: Callable[[str], float]) -> Range:
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise ModelError(f"{where}: write FROM:TO or FROM:TO:POINTS, got {shown(text)}")
    begin, end = map(number, parts[:2])
    points = None
    if len(parts) == 3:
        if not parts[2].isdigit() or not 2 <= int(parts[2]) <= 1_000_000:
            raise ModelError(
                f"{where}: the number of points must be a whole number of at least 2, got {shown(parts[2])}"
            )
        points = int(parts[2])
    if begin == end:
        raise ModelError(f"{where}: the range from {begin:g} to {end:g} is empty")
    return Range(begin, end, points)


def hertz_of(text: str) -> float:
    return finite_number(text, "--hertz", ModelError)
