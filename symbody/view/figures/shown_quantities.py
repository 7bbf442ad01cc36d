"""Quantities shown in figures of motions: their labels, their units, and keywords for groups of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.printing.printing import text, unshared_operations
from ...derivation.equations.energies import energy, kinetic_energy, potential_energy
from ...derivation.equations.equations import Equations
from ...derivation.equations.named_quantities import named_quantities
from ...emit.run.callable import Array
from ...errors import SymbodyError, ViewError, listed
from ...integrate.result.trajectory import Trajectory

MAX_LABEL: Final = 36  # largest number of characters of a formula in a label
MAX_OPERATIONS: Final = 12  # largest number of operations of a formula in a label
VIOLATION_FLOOR: Final = 1e-17  # smallest violation shown on a logarithmic scale


@dataclass(frozen=True)
class Shown:
    """A quantity along a motion.

    what       a name or an expression, to be evaluated; or
    measured   (motion, the same at many times) -> times and values
    alone      its label outside of a group
    factor     one of its unit, in SI: values are divided by it
    """

    label: str
    unit: str = ""
    what: Any = None
    measured: Callable[[Trajectory, Trajectory], tuple[Array, Array]] | None = None
    scale: str = "linear"
    kind: str = "line"
    alone: str = ""
    factor: float = 1.0

    @property
    def with_unit(self) -> str:
        name = self.alone or self.label
        return f"{name} [{self.unit}]" if self.unit else name


@dataclass(frozen=True)
class ShownTogether:
    """Quantities in one panel, under a common name."""

    name: str
    quantities: tuple[Shown, ...]

    @property
    def label(self) -> str:
        """Label of the vertical axis: the name of a single quantity, or the common name."""
        if len(self.quantities) == 1:
            return self.quantities[0].with_unit
        units = {x.unit for x in self.quantities}
        unit = f"[{units.pop()}]" if len(units) == 1 and units != {""} else ""
        return f"{self.name} {unit}".strip()

    @property
    def scale(self) -> str:
        return "log" if all(x.scale == "log" for x in self.quantities) else "linear"


# ------------------------------------------------------------------------------------------------------ what is asked for


def usual(sim: Trajectory) -> list[ShownTogether]:
    """Coordinates, speeds, variables, inputs that follow laws and scalar outputs that all modes have, by unit."""
    constant = {s.name for s in sim.segments[0].equations.r}
    found = []
    for word in ("coordinates", "speeds", "variables", "inputs", "outputs"):
        names = [n for n in _names(sim, word) if word != "inputs" or n not in constant]
        found += _by_unit([quantity(sim, n, k) for k, n in enumerate(names)], word)
    if not any(_names(sim, word) for word in ("coordinates", "speeds", "variables")):
        raise SymbodyError(
            f"plot of {sim.name!r}: it has modes ({listed(dict.fromkeys(sim.modes))}) with no coordinates in common; "
            "plot(sim.pieces[k]) shows a stretch"
        )
    return found


def asked_for(sim: Trajectory, what: Sequence[Any]) -> list[ShownTogether]:
    """A panel for each list, mapping and keyword; quantities named one by one are grouped by unit, at the position
    of the first."""
    found: list[ShownTogether] = []
    single: list[Any] = []
    place = 0
    for w in what:
        if isinstance(w, Mapping):
            found.append(ShownTogether("", tuple(_with_label(sim, label, x) for label, x in w.items())))
        elif isinstance(w, (list, tuple)):
            found += _listed_panel(sim, w)
        elif (group := _word(sim, w)) is not None:
            found.append(group)
        else:
            place = place if single else len(found)
            single.append(w)
    found[place:place] = _by_unit([quantity(sim, w, k) for k, w in enumerate(single)], "")
    return found


def _listed_panel(sim: Trajectory, wanted: Sequence[Any]) -> list[ShownTogether]:
    if not wanted:
        raise ViewError(f"plot of {sim.name!r}: a panel without a quantity; a list names what is in it")
    return [ShownTogether("", tuple(quantity(sim, w, k) for k, w in enumerate(wanted)))]


def _with_label(sim: Trajectory, label: str, what: Any) -> Shown:
    """A quantity with a label given by the user, with a unit in brackets if it has one: "height [m]"."""
    name, bracket, unit = label.partition(" [")
    usual = quantity(sim, what, 0)
    return Shown(name, unit.removesuffix("]"), what) if bracket else replace(usual, label=name)


def _by_unit(quantities: Sequence[Shown], name: str) -> list[ShownTogether]:
    by_unit: dict[str, list[Shown]] = {}
    for x in quantities:
        by_unit.setdefault(x.unit, []).append(x)
    return [ShownTogether(name, tuple(some)) for some in by_unit.values()]


# ------------------------------------------------------------------------------------------------------ labels and units


def quantity(sim: Trajectory, what: Any, place: int) -> Shown:
    """A name or an expression with a short label and its unit; `place` numbers formulas that are too long."""
    eq = sim.segments[0].equations
    return Shown(*label_and_unit_of(eq, what, place), what, factor=_factor(eq, what))


def label_and_unit_of(eq: Equations | None, what: Any, place: int) -> tuple[str, str]:
    """Label and unit of a name or an expression, also without equations."""
    if isinstance(what, str) and eq is not None:
        return what, _unit_of(eq, what) or _unit_of_sum(eq, named_quantities(eq).get(what))
    if isinstance(what, Symbol):
        return what.name, "" if eq is None else _unit_of(eq, what.name)
    if not isinstance(what, Expr):
        return getattr(what, "name", "") or f"vector {place + 1}", ""
    name, unit = ("", "") if eq is None else _known_name_and_unit(eq, what)
    return name or _short(what, place), unit or ("" if eq is None else _unit_of_sum(eq, what))


def label_and_unit(eq: Equations | None, what: Any, place: int) -> str:
    """As one text: `theta [rad]`."""
    label, unit = label_and_unit_of(eq, what, place)
    return f"{label} [{unit}]" if unit else label


def _short(e: Expr, place: int) -> str:
    """The formula where it is short enough to be read in a legend."""
    written = text(e) if unshared_operations(e) <= MAX_OPERATIONS else ""
    return written if 0 < len(written) <= MAX_LABEL else f"expression {place + 1}"


def _known_name_and_unit(eq: Equations, e: Expr) -> tuple[str, str]:
    """Name and unit of an expression for which the model has a name."""
    for name, meaning in (*eq.labels.items(), *eq.outputs.items()):
        if meaning is e:
            return name, ""
    if e.args:
        for name, made in (
            ("energy", energy),
            ("kinetic energy", kinetic_energy),
            ("potential energy", potential_energy),
        ):
            if made(eq) is e:
                return name, "J"
    return "", ""


def _unit_of(eq: Equations, name: str) -> str:
    return eq.variables[name].shown_in if name in eq.variables else ""


def _factor(eq: Equations, what: Any) -> float:
    """One of the unit in which a variable is shown, in SI; expressions are shown in SI."""
    if isinstance(what, str) and what in eq.outputs:
        return 1.0
    return eq.variables[what].factor if isinstance(what, str | Symbol) and what in eq.variables else 1.0


def _unit_of_sum(eq: Equations, e: Any) -> str:
    """The unit shared by all terms of a sum, each a symbol or a multiple of one; empty otherwise."""
    units, waiting = set(), [e] if isinstance(e, Expr) else []
    while waiting:
        term = waiting.pop()
        if term.op in ("add", "sub", "neg"):
            waiting += term.args
        elif term.op in ("mul", "div") and sum(a.op == "const" for a in term.args) == 1:
            waiting += [a for a in term.args if a.op != "const"]
        elif isinstance(term, Symbol):
            units.add(eq.variables[term.name].unit if term.name in eq.variables else "")
        else:
            return ""
    return units.pop() if len(units) == 1 else ""


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
        return ShownTogether(word, tuple(quantity(sim, n, k) for k, n in enumerate(names)))
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


def _violations(_: Trajectory) -> ShownTogether:
    def shown(label: str, attribute: str) -> Shown:
        def measured(sim: Trajectory, _: Trajectory) -> tuple[Array, Array]:
            missed = getattr(sim.violation, attribute)
            return sim.t, np.maximum(np.max(np.abs(missed), axis=1, initial=0.0), VIOLATION_FLOOR)

        return Shown(label, measured=measured, scale="log", alone=f"violation of {attribute}")

    return ShownTogether("largest violation", (shown("position", "positions"), shown("speed", "speeds")))


def _steps(_: Trajectory) -> ShownTogether:
    def measured(sim: Trajectory, _: Trajectory) -> tuple[Array, Array]:
        runs = [d for s in sim.segments for d in s.dense]
        if not runs:
            raise ViewError(
                f"plot of {sim.name!r}: states were asked for at given times, so the steps are not known; "
                "simulate(eq, end) keeps them"
            )
        ends = [np.concatenate([[d.start], d.ends]) for d in runs]
        return np.concatenate([x[1:] for x in ends]), np.concatenate([np.abs(np.diff(x)) for x in ends])

    return ShownTogether("", (Shown("step size", "s", measured=measured, scale="log", kind="joined"),))


MEASURED: Final[dict[str, Callable[[Trajectory], ShownTogether]]] = {
    "energies": _energies, "powers": _powers, "violations": _violations, "steps": _steps,
}  # fmt: skip
