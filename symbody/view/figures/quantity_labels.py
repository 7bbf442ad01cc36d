"""Labels and units of quantities in figures: names of the model, names of mechanics, short formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.walk import free_symbols
from ...algebra.printing.printing import one_line, unshared_operations
from ...bodies.mechanism.inferred_units import declared_unit
from ...derivation.equations.energies import angular_momentum, energy, kinetic_energy, momentum, potential_energy
from ...derivation.equations.equations import Equations
from ...derivation.equations.expression_units import expression_unit
from ...derivation.equations.named_quantities import named_quantities
from ...errors import SymbodyError
from ...integrate.inputs.meanings import plain
from ...units import unit_factor

MAX_LABEL: Final = 36  # largest number of characters of a formula in a label
MAX_OPERATIONS: Final = 12  # largest number of operations of a formula in a label
MAX_PRINTED: Final = 200  # largest number of operations of a formula of which a label has the beginning


@dataclass(frozen=True)
class QuantityLabel:
    """Name and unit of a quantity.

    factor   one of its unit, in SI: values are divided by it
    """

    name: str
    unit: str = ""
    factor: float = 1.0

    @property
    def with_unit(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def shown(self, values: Any) -> Any:
        """Numbers in SI, in the unit of the label."""
        return values if self.factor == 1.0 else values / self.factor


def label_of(eq: Equations | None, what: Any, place: int = 0, zeros: Sequence[Expr] = ()) -> QuantityLabel:
    """Of a name or an expression, also without equations.

    place   numbers formulas that are too long
    zeros   expressions that vanish, from which units of symbols follow that the equations do not have
    """
    if eq is None:
        return QuantityLabel(_name_alone(what, place))
    if isinstance(what, str | Symbol):
        return _label_of_name(eq, str(what), zeros)
    if not isinstance(what, Expr):
        name, unit = _known_vector(eq, what)
        return QuantityLabel(name or _name_alone(what, place), unit)
    name, unit = _known_name_and_unit(eq, what)
    return QuantityLabel(name or _short(what, place), unit or expression_unit(eq, what, zeros))


def given_label(label: str, usual: QuantityLabel) -> QuantityLabel:
    """A label of the user's, with a unit in brackets if it has one: "height [m]"."""
    name, bracket, unit = label.partition(" [")
    return QuantityLabel(name, unit.removesuffix("]")) if bracket else QuantityLabel(name, usual.unit, usual.factor)


def _name_alone(what: Any, place: int) -> str:
    if isinstance(what, str | Symbol):
        return str(what)
    return _short(what, place) if isinstance(what, Expr) else getattr(what, "name", "") or f"vector {place + 1}"


def _label_of_name(eq: Equations, name: str, zeros: Sequence[Expr]) -> QuantityLabel:
    if name in eq.variables and name not in eq.outputs:
        row = eq.variables[name]
        return QuantityLabel(name, row.shown_in, row.factor)
    meaning = named_quantities(eq).get(name)
    if not isinstance(meaning, Expr):
        alone = next((s for s in free_symbols(*zeros) if s.name == name), None)
        return QuantityLabel(name, "" if alone is None else expression_unit(eq, alone, zeros))
    if isinstance(meaning, Symbol) and (declared := declared_unit(eq.mechanism.units, name)):
        return QuantityLabel(name, declared, unit_factor(declared))
    return QuantityLabel(name, expression_unit(eq, meaning))


# ------------------------------------------------------------------------------------------------------ names


def _known_name_and_unit(eq: Equations, e: Expr) -> tuple[str, str]:
    """Name and unit of an expression for which the model or mechanics has a name."""
    for name, meaning in (*eq.labels.items(), *eq.outputs.items()):
        if meaning is e:
            return name, ""
    return _names_of_mechanics(eq).get(e, ("", "")) if e.args else ("", "")


def _known_vector(eq: Equations, what: Any) -> tuple[str, str]:
    """Name and unit of a vector for which mechanics has one."""
    entries = tuple(getattr(plain(what), "entries", ()))
    names = ((name, unit) for (name, unit), made in VECTORS.items() if entries and entries == _in_ground(eq, made))
    return next(names, ("", ""))


def _names_of_mechanics(eq: Equations) -> dict[Expr, tuple[str, str]]:
    """Energies, and components of momentum and angular momentum in the ground, with their units."""
    return eq.cached("names of mechanics", (), lambda: dict(_mechanics(eq)))


def _mechanics(eq: Equations) -> Iterator[tuple[Expr, tuple[str, str]]]:
    for (name, unit), made in VECTORS.items():
        axes = zip("xyz", _in_ground(eq, made), strict=False)
        yield from ((e, (f"{name}, {axis}", unit)) for axis, e in axes if e.args)
    yield from ((made(eq), (name, "J")) for name, made in ENERGIES.items())


def _in_ground(eq: Equations, made: Callable[[Equations], Any]) -> tuple[Expr, ...]:
    try:
        return tuple(made(eq).in_ground.entries)
    except SymbodyError:  # equations that were written have no bodies
        return ()


ENERGIES: Final[dict[str, Callable[[Equations], Expr]]] = {
    "potential energy": potential_energy, "kinetic energy": kinetic_energy, "energy": energy,
}  # fmt: skip
VECTORS: Final[dict[tuple[str, str], Callable[[Equations], Any]]] = {
    ("momentum", "N s"): momentum, ("angular momentum", "N m s"): angular_momentum,
}  # fmt: skip


def _short(e: Expr, place: int) -> str:
    """The formula where it is short enough to be read in a legend; of a long sum its first terms, of a function of
    something long its name."""
    written = str(one_line(e)) if unshared_operations(e) <= MAX_PRINTED else ""
    if 0 < len(written) <= MAX_LABEL and unshared_operations(e) <= MAX_OPERATIONS:
        return written
    ends = [found.end() - 1 for found in re.finditer(r" [+-] ", written[:MAX_LABEL])]
    whole = [written[:end] for end in ends if written.count("(", 0, end) == written.count(")", 0, end)]
    outer = f"{e.op}(…)" if len(e.args) == 1 and e.op != "neg" else f"expression {place + 1}"
    return f"{whole[-1]} …" if whole else outer
