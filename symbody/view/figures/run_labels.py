"""Labels of several motions in one figure, by the values in which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...errors import ViewError
from ...integrate.result.trajectory import Trajectory
from ...integrate.run.form_and_method import OTHER_CHOICES, option_in_words
from ...simulation_options import SimulationOptions

MAX_DIFFERENCES: Final = 2  # largest number of differences in a label


def labels_of_runs(runs: Sequence[Trajectory], given: Sequence[str] | None) -> list[str]:
    """The given labels; names of models that differ; else form, method and other options, parameters or starts that
    differ: "l = 1.5", "without invariants"; else numbers."""
    if given is not None:
        if len(given) != len(runs):
            raise ViewError(f"plot of {len(runs)} motions: labels= has {len(given)} labels; give one for each")
        return [str(x) for x in given]
    names = [sim.name for sim in runs]
    if len(set(names)) == len(runs):
        return names
    found = list(_differences(runs))
    for count in range(1, MAX_DIFFERENCES + 1):
        labels = [", ".join(x[k] for x in found[:count]) for k in range(len(runs))]
        if len(set(labels)) == len(runs):
            return labels
    return [str(k + 1) for k in range(len(runs))]


def _differences(runs: Sequence[Trajectory]) -> Iterator[list[str]]:
    """A text for each motion, for each property in which they differ; those that separate all of them first."""
    choices = [{k: v.split(" (")[0] for k, v in sim.choices.items()} for sim in runs]
    starts = [
        dict(zip(sim.segments[0].names, sim.segments[0].y[0].tolist(), strict=True)) if len(sim) else {} for sim in runs
    ]
    tables: list[list[dict[str, str]]] = [
        choices,
        [_numbers(sim.parameters) for sim in runs],
        [_numbers(s) for s in starts],
    ]
    rows = [
        [table[key] if key in table else _absent(key) for table in tables_of_runs]
        for tables_of_runs in tables
        for key in dict.fromkeys(k for table in tables_of_runs for k in table)
    ]
    yield from sorted((r for r in rows if len(set(r)) > 1), key=lambda r: -len(set(r)))


def _absent(key: str) -> str:
    """An option that was not given has its default; other models do not have a variable at all."""
    return option_in_words(key, getattr(SimulationOptions, key)) if key in OTHER_CHOICES else f"without {key}"


def _numbers(values: Mapping[str, float]) -> dict[str, str]:
    return {name: f"{name} = {x:z.4g}" for name, x in values.items()}
