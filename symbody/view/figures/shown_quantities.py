"""Quantities shown in figures of motions: their labels, their units, and keywords for groups of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr
from ...derivation.equations.equations import Equations
from ...derivation.equations.named_quantities import named_quantities
from ...emit.run.callable import Array
from ...errors import SymbodyError, ViewError, listed
from ...integrate.result.trajectory import Trajectory
from .quantity_labels import given_label, label_of

MAX_NAMES: Final = 24  # largest number of characters of the names of quantities in the label of an axis
NAMES_OF_UNITS: Final = {
    "J": "energy", "W": "power", "rad": "angle", "deg": "angle", "rad/s": "angular velocity", "deg/s": "angular velocity",
    "rad/s^2": "angular acceleration", "m": "length", "mm": "length", "m/s": "velocity", "m/s^2": "acceleration", "N": "force",
    "N m": "torque", "N m s": "angular momentum",
}  # fmt: skip  # of an axis whose quantities have long names
ROUNDING: Final = 2.0**-52  # of numbers near 1: smaller violations are drawn there, since they are rounding


@dataclass(frozen=True)
class Shown:
    """A quantity along a motion.

    what       a name or an expression, to be evaluated; or
    measured   (motion, the same at many times) -> times and values
    alone      its label outside of a group
    factor     one of its unit, in SI: values are divided by it
    floor      level at which smaller values are drawn, on a logarithmic scale
    """

    label: str
    unit: str = ""
    what: Any = None
    measured: Callable[[Trajectory, Trajectory], tuple[Array, Array]] | None = None
    scale: str = "linear"
    kind: str = "line"
    alone: str = ""
    factor: float = 1.0
    floor: float = 0.0

    @property
    def with_unit(self) -> str:
        name = self.alone or self.label
        return f"{name} [{self.unit}]" if self.unit else name


@dataclass(frozen=True)
class ShownTogether:
    """Quantities in one panel, under a common name.

    is_kept   asked for in one pair of axes: also those of several motions
    """

    name: str
    quantities: tuple[Shown, ...]
    is_kept: bool = False

    @property
    def label(self) -> str:
        """Label of the vertical axis: the name of a single quantity, the common name, a few names, or what the unit is of."""
        if len(self.quantities) == 1:
            return self.quantities[0].with_unit
        names = ", ".join(x.label for x in self.quantities)
        name = self.name or (names if len(names) <= MAX_NAMES else NAMES_OF_UNITS.get(self.unit, ""))
        return f"{name} [{self.unit}]".strip() if self.unit else name

    @property
    def unit(self) -> str:
        """That of all quantities; empty if they differ."""
        units = {x.unit for x in self.quantities}
        return units.pop() if len(units) == 1 else ""

    def legend(self, x: Shown) -> str:
        """The label of one of the quantities; with its unit where they differ, so that the axis has none."""
        return x.label if len({each.unit for each in self.quantities}) == 1 else x.with_unit

    @property
    def scale(self) -> str:
        return "log" if all(x.scale == "log" for x in self.quantities) else "linear"


# ------------------------------------------------------------------------------------------------------ requested quantities


def usual(sim: Trajectory) -> list[ShownTogether]:
    """Coordinates, speeds, variables, inputs that follow laws and scalar outputs that all modes have, by unit."""
    constant = {s.name for s in sim.segments[0].equations.r}
    found = []
    for word in ("coordinates", "speeds", "variables", "inputs", "outputs"):
        names = [n for n in _names(sim, word) if word != "inputs" or n not in constant]
        found += _by_unit([quantity(sim.segments[0].equations, n, k) for k, n in enumerate(names)], word)
    if not any(_names(sim, word) for word in ("coordinates", "speeds", "variables")):
        raise SymbodyError(
            f"plot of {sim.name!r}: it has modes ({listed(dict.fromkeys(sim.modes))}) with no coordinates in common; "
            "plot(sim.pieces[k]) shows a stretch"
        )
    return found


def asked_for(sim: Trajectory, what: Sequence[Any]) -> list[ShownTogether]:
    """A panel for each list, mapping and keyword; quantities named one by one are grouped by unit, at the position
    of the first."""
    found, single, place = list[ShownTogether](), list[Shown](), 0
    for some in panels_asked_for(f"plot of {sim.name!r}", sim.segments[0].equations, what, lambda w: _word(sim, w)):
        if some.is_kept or some.name:
            found.append(some)
        else:
            place = place if single else len(found)
            single += some.quantities
    found[place:place] = _by_unit(single, "")
    return found


def panels_asked_for(
    where: str, eq: Equations, what: Sequence[Any], word: Callable[[Any], ShownTogether | None] = lambda _: None, zeros: Sequence[Expr] = ()
) -> list[ShownTogether]:  # fmt: skip
    """A panel for each list or mapping, each keyword, and each quantity that stands alone.

    zeros   expressions that vanish, from which units follow
    """
    found, place = [], 0
    for w in what:
        if isinstance(w, list | tuple | Mapping):
            if not w:
                raise ViewError(f"{where}: a panel is empty; give at least one quantity")
            labels = w if isinstance(w, Mapping) else {}
            some = [(n, w[n]) for n in labels] if labels else [("", x) for x in w]
            found.append(ShownTogether("", tuple(quantity(eq, x, k, n, zeros) for k, (n, x) in enumerate(some)), True))
        elif (group := word(w)) is not None:
            found.append(group)
        else:
            found.append(ShownTogether("", (quantity(eq, w, place, "", zeros),)))
            place += 1
    return found


def quantity(eq: Equations, what: Any, place: int = 0, given: str = "", zeros: Sequence[Expr] = ()) -> Shown:
    """A name or an expression with its label and unit; `given` is a label of the user's."""
    usual = label_of(eq, what, place, zeros)
    label = given_label(given, usual) if given else usual
    return Shown(label.name, label.unit, what, factor=label.factor)


def _by_unit(quantities: Sequence[Shown], name: str) -> list[ShownTogether]:
    by_unit: dict[str, list[Shown]] = {}
    for x in quantities:
        by_unit.setdefault(x.unit, []).append(x)
    return [ShownTogether(name, tuple(some)) for some in by_unit.values()]


# ------------------------------------------------------------------------------------------------------ words for groups


def _word(sim: Trajectory, word: Any) -> ShownTogether | None:
    """The group that a word stands for, unless the model has something of that name."""
    if not isinstance(word, str) or word in named_quantities(sim.segments[0].equations):
        return None
    if word in MEASURED:
        return MEASURED[word](sim)
    if word in GROUPS:
        names = _names(sim, word)
        if not names:
            raise ViewError(f"plot of {sim.name!r}: it has no {word}")
        return ShownTogether(word, tuple(quantity(sim.segments[0].equations, n, k) for k, n in enumerate(names)))
    return None


def _names(sim: Trajectory, word: str) -> list[str]:
    eq, common = sim.segments[0].equations, sim.names
    if word == "inputs":
        return sim.input_names
    if word == "outputs":
        return [n for n in sim.output_names if isinstance(eq.outputs[n], Expr)]
    symbols = getattr(eq, GROUPS[word])
    return [s.name for s in symbols if word == "multipliers" or s.name in common]


GROUPS: Final = {
    "coordinates": "q", "speeds": "u", "variables": "z", "multipliers": "lam", "inputs": "r", "outputs": "outputs",
}  # fmt: skip


def _energies(_: Trajectory) -> ShownTogether:
    parts = {"kinetic": "kinetic_energy", "potential": "potential_energy", "total": "energy"}

    def shown(label: str, attribute: str) -> Shown:
        alone = attribute.replace("_", " ")
        return Shown(label, "J", measured=lambda _, fine: (fine.t, getattr(fine, attribute)), alone=alone)

    return ShownTogether("energy", tuple(shown(k, v) for k, v in parts.items()))


def _powers(sim: Trajectory) -> ShownTogether:
    def shown(load: str) -> Shown:
        return Shown(load, "W", measured=lambda _, fine: (fine.t, fine.load_powers[load]), alone=f"power of {load}")

    if not sim.load_powers:
        raise ViewError(f"plot of {sim.name!r}: it has no loads, so there are no powers")
    return ShownTogether("power", tuple(shown(n) for n in sim.load_powers))


def _unit_of_rows(sim: Trajectory, level: str) -> str:
    """That of all constraints, where they have the same; others are mixed, each in its own SI unit."""
    eq = sim.segments[0].equations
    units = {quantity(eq, row.expression).unit for row in getattr(eq.rows, level)}
    return (units.pop() if len(units) == 1 else "") or "SI units"


def _violations(sim: Trajectory) -> ShownTogether:
    def shown(label: str, attribute: str) -> Shown:
        def measured(sim: Trajectory, _: Trajectory) -> tuple[Array, Array]:
            missed = getattr(sim.violation, attribute)
            return sim.t, np.maximum(np.max(np.abs(missed), axis=1, initial=0.0), ROUNDING)

        name = f"violation of {attribute}"
        return Shown(label, _unit_of_rows(sim, attribute), measured=measured, scale="log", alone=name, floor=ROUNDING)

    return ShownTogether("largest violation", (shown("position", "positions"), shown("speed", "speeds")))


def _steps(_: Trajectory) -> ShownTogether:
    def measured(sim: Trajectory, _: Trajectory) -> tuple[Array, Array]:
        runs = [d for s in sim.segments for d in s.dense]
        if not runs:
            raise ViewError(
                f"plot of {sim.name!r}: only states at given times are stored, so the steps are unknown; "
                "simulate(eq, end) keeps them"
            )
        ends = [np.concatenate([[d.start], d.ends]) for d in runs]
        return np.concatenate([x[1:] for x in ends]), np.concatenate([np.abs(np.diff(x)) for x in ends])

    return ShownTogether("step size", (Shown("step size", "s", measured=measured, scale="log", kind="joined"),))


MEASURED: Final[dict[str, Callable[[Trajectory], ShownTogether]]] = {
    "energies": _energies, "powers": _powers, "violations": _violations, "steps": _steps,
}  # fmt: skip
