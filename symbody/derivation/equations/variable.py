"""`Variable`: one named quantity of the equations that can have a number, and groups of many, whose rows are made on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from ...algebra.graph.graph import Symbol
from ...bodies.mechanism.inferred_units import InferredUnits
from ...summary import Introduced
from ...units import si_unit, unit_factor

KINDS: Final = {
    "t": "time", "q": "coordinate", "u": "speed", "z": "variable", "r": "input", "p": "parameter", "lam": "multiplier",
    "q'": "rate", "u'": "acceleration", "z'": "rate of variable", "r'": "rate of input", "r''": "second rate of input",
}  # fmt: skip
"""Groups of variables in the letters of docs/notation.md, and the kind of variable in each. q' has those rates that are not speeds themselves,
r' and r'' those that the equations do not contain: what they contain is in r, after the inputs."""
ARGUMENTS: Final = "t q u z r p"
"""The groups that every expression of the equations is a function of, in the order in which functions take them."""


@dataclass(frozen=True)
class Variable(Introduced):
    """One row of the table of variables.

    group         q, u, z, r, p, t, lam, or rates q', u', z', r', r''; `kind` is the same as a word
    index         its position in the group: the index in arrays and the column in Jacobians
    written_in    the declared unit, in which it is displayed: mm; rad, rad/s, rad/s^2 for angles; empty without a
                  declaration
    default       the default value: 0 for t, q, u, z, r, but 1 for the first Euler parameter; the value in the model
                  for a parameter. None: it must be given (a parameter) or follows from the others (a multiplier, a
                  rate)
    is_angle      whether it is an angle of rotation of a frame
    quaternion    which set of Euler parameters it belongs to, counted from 0
    rate_of       the symbol whose time derivative it is
    description   its origin: its joint or its constraint
    turns         the joint or body that it rotates as one of three angles
    direction     of a joint coordinate: the direction of motion, such as "along x of ground"
    inferred      units that follow from the parts of the mechanism

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> row = sb.derive(m).variables["theta"]
    >>> row.kind, row.unit, row.is_angle, row.description
    ('coordinate', 'rad', True, "angle of revolute joint 'theta'")
    >>> row.direction
    'about z of ground'
    >>> row.name, row.with_unit, row.neutral
    ('theta', 'theta [rad]', 0.0)
    >>> m.show_in("deg", "theta")
    >>> row = sb.derive(m).variables["theta"]
    >>> row.unit, row.shown_in, round(1 / row.factor, 6)
    ('rad', 'deg', 57.29578)

    See also: `derivation.Variables`, `Equations`.
    """

    symbol: Symbol
    group: str
    index: int
    written_in: str = ""
    default: float | None = None
    is_angle: bool = False
    quaternion: int | None = None
    rate_of: Symbol | None = None
    description: str = ""
    turns: str = ""
    direction: str = ""
    inferred: InferredUnits | None = field(default=None, repr=False, compare=False)

    @property
    def unit(self) -> str:
        """The SI unit of its values: as declared, or inferred from the parts of the model in which it appears; empty if
        unknown."""
        if self.written_in:
            return self.written_in if self.factor == 1.0 else si_unit(self.written_in)
        return "" if self.inferred is None else self.inferred.of(self.symbol)

    @property
    def shown_in(self) -> str:
        """The unit in which it is displayed: as declared, or `unit`."""
        return self.written_in or self.unit

    @property
    def factor(self) -> float:
        """The factor from `shown_in` to SI: 0.001 for mm."""
        return unit_factor(self.written_in)

    @property
    def name(self) -> str:
        """Its name in messages, files and generated code: q1, q1_dot."""
        return self.symbol.name

    @property
    def kind(self) -> str:
        """The name of the group: coordinate, speed, parameter, ..."""
        if self.group == "r" and self.rate_of is not None:
            return KINDS["r'" if self.symbol.order == 1 else "r''"]
        return KINDS[self.group]

    @property
    def neutral(self) -> float:
        """The initial guess of searches: the default, or 1 for a parameter without one and 0 for everything else."""
        if self.default is not None:
            return self.default
        return 1.0 if self.group == "p" else 0.0

    @property
    def with_unit(self) -> str:
        """Name and unit, for a message: `m1 [kg]`."""
        return f"{self.name} [{self.shown_in}]" if self.shown_in else self.name


class VariableFacts:
    """Properties of symbols besides their groups: none here."""

    @property
    def turns(self) -> Mapping[Symbol, str]:
        """The joint or body that each of three angles rotates."""
        return {}

    @property
    def quaternions(self) -> Mapping[Symbol, int]:
        """The set of each Euler parameter."""
        return {}

    def row(self, s: Symbol, group: str, index: int) -> Variable:
        """The row of a symbol."""
        return Variable(s, group, index)

    def defaults(self, symbols: Sequence[Symbol], group: str) -> dict[Symbol, float]:
        """Default values of those that have one."""
        return {}


@dataclass(frozen=True, eq=False)
class VariableGroup:
    """Variables of one group.

    name        of the group, as in `KINDS`
    symbols     in order
    positions   of each in the whole group
    facts       what their rows are made of
    """

    name: str
    symbols: tuple[Symbol, ...]
    positions: Sequence[int]
    facts: VariableFacts

    @cached_property
    def _rows(self) -> dict[int, Variable]:
        return {}

    def row(self, k: int) -> Variable:
        """Row of symbol k, made when it is first requested."""
        if k not in self._rows:
            self._rows[k] = self.facts.row(self.symbols[k], self.name, self.positions[k])
        return self._rows[k]

    @property
    def kinds(self) -> list[str]:
        """The kind of each variable."""
        if self.name == "r":
            return [self.row(k).kind for k in range(len(self.symbols))]
        return [KINDS[self.name]] * len(self.symbols)

    def only(self, kept: frozenset[Symbol]) -> VariableGroup:
        """The same without other symbols."""
        chosen = [k for k, s in enumerate(self.symbols) if s in kept]
        symbols = tuple([self.symbols[k] for k in chosen])
        return VariableGroup(self.name, symbols, [self.positions[k] for k in chosen], self.facts)
