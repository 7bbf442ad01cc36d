"""`Artefact`: everything that an exported model consists of, independent of the language it is written in.

A writer turns it into the files of one language. Functions are programs of (t, x, r, p) and of directions, where

    x = (q, u, z)    the state            r    inputs, then those of their rates that the equations contain
    p                parameters           t    time

Algorithms are kernels (`emit/loops`): loops around such functions, which every language prints from the same text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...algebra.graph.functions import ExternalFunction
from ...derivation.equations.variable import Variable
from ...emit import ir
from ...errors import ProgramError, unknown
from ...summary import Introduced

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class ExportedFunction:
    """A function of the artefact: its program, and what it computes as expressions, against which written code is
    checked.

    about   a line for comments and for the README
    names   of the entries of each output, where they have names
    """

    name: str
    about: str
    program: ir.Program
    expressions: Mapping[str, Any]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def directions(self) -> tuple[str, ...]:
        """Inputs after t, x, r, p."""
        return tuple(g.name for g in self.program.inputs[4:])


@dataclass(frozen=True)
class Algorithm:
    """A loop around functions. Every argument of its kernel is one of:

    state       the array that comes in (its name, and how many numbers); `changes` where the result is in its place
    more        other arrays that come in, after r and p
    results     arrays that come out
    scratch     arrays of its own
    constants   numbers that are known
    tables      indices that are known: names of tables of the artefact
    calls       functions of the artefact, by the name that the kernel has for them

    or it is called `rounding`: the unit roundoff of the numbers that it runs on.
    """

    name: str
    about: str
    kernel: ir.Kernel
    state: tuple[str, int]
    results: Mapping[str, int] = field(default_factory=dict)
    more: Mapping[str, int] = field(default_factory=dict)
    scratch: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, int] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, str] = field(default_factory=dict)
    changes: bool = False


@dataclass(frozen=True)
class CheckValues:
    """Numbers that a function must give: inputs after t, x, r, p, and all outputs, one array each."""

    inputs: tuple[Numbers, ...]
    outputs: tuple[Numbers, ...]


@dataclass(frozen=True)
class CheckPoint:
    """Where functions are checked. The state is a generic one, off the constraints, so that no term is zero by
    chance."""

    t: float
    x: Numbers
    r: Numbers
    values: Mapping[str, CheckValues]


@dataclass(frozen=True)
class Reference:
    """A motion to reproduce: states at times, inputs held as they are at the start.

    steps       of the classical Runge-Kutta method between two times, by which it was found to come within `tolerance`
                of these states
    tolerance   of |x - reference| / (1 + largest |reference| of the same variable)
    projects    whether states are projected onto the constraints after every step
    """

    times: Numbers
    states: tuple[Numbers, ...]
    steps: int
    tolerance: float
    projects: bool

    @cached_property
    def scales(self) -> Numbers:
        return tuple(1.0 + max(abs(x[i]) for x in self.states) for i in range(len(self.states[0])))


@dataclass(frozen=True, repr=False)
class Artefact(Introduced):
    """A model prepared for export.

    title        the name of the model, free text
    identifier   its identifier in code and file names
    state        rows of the table of variables, in the order of x; `inputs` and `parameters` likewise
    start        initial t, x, r
    defaults     values of the parameters
    tables       indices by name: patterns of sparse outputs, `compressed`
    notes        parts that could not be exported, with reasons
    labels       names of subexpressions; programs have them in themselves
    event_senses of each event function: the direction of crossings that count (1 rising, -1 falling, 0 both), and
    whether one ends the motion

    version      of the symbody that wrote it
    functions    programs of (t, x, r, p)
    algorithms   loops around them
    check        a state and values there, for the generated check
    reference    a motion to reproduce

    >>> x = sb.symbol("x", "variable")
    >>> made = sb.write.artefact(sb.from_equations({x: -x}, name="decay"), sb.write.ExportOptions(reference=None))
    >>> made.title, [v.name for v in made.state], [f.name for f in made.functions][:2]
    ('decay', ['x'], ['rhs', 'rhs_x'])

    See also: `write.artefact`, `write.export`.
    """

    title: str
    identifier: str
    version: str
    state: tuple[Variable, ...]
    inputs: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    start: tuple[float, Numbers, Numbers]
    defaults: Numbers
    functions: tuple[ExportedFunction, ...]
    algorithms: tuple[Algorithm, ...] = ()
    tables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    check: CheckPoint | None = None
    reference: Reference | None = None
    notes: tuple[str, ...] = ()
    labels: Mapping[str, Any] = field(default_factory=dict)
    event_senses: tuple[tuple[int, bool], ...] = ()

    def __repr__(self) -> str:
        names = ", ".join([*(f.name for f in self.functions), *(a.name for a in self.algorithms)])
        return f"<Artefact {self.identifier}: {len(self.state)} states, {len(self.parameters)} parameters; {names}>"

    @cached_property
    def hash(self) -> str:
        """Hash of the computed content: equal artefacts have equal hashes in all languages."""
        h = hashlib.sha256()
        for f in self.functions:
            h.update(f"{f.name} {f.program.digest}\n".encode())
        for v in (*self.state, *self.inputs, *self.parameters):
            h.update(f"{v.name} {v.unit}\n".encode())
        h.update(repr((self.start, self.defaults, [a.name for a in self.algorithms])).encode())
        return h.hexdigest()[:16]

    @cached_property
    def externals(self) -> tuple[ExternalFunction, ...]:
        """External functions called, each once."""
        found = {f.name: f for g in self.functions for f in g.program.externals}
        for g in self.functions:
            for f in g.program.externals:
                other = found[f.name]
                if (other.arity, other.c, other.table) != (f.arity, f.c, f.table):
                    raise ProgramError(
                        f"export of {self.title!r}: two external functions have the name {f.name!r}; give one "
                        "of them another"
                    )
        return tuple(found.values())

    @property
    def hooks(self) -> tuple[ExternalFunction, ...]:
        """External functions that the user of the artefact supplies."""
        return tuple(f for f in self.externals if f.c is None and f.table is None)

    def function(self, name: str) -> ExportedFunction:
        """A function by its name.

        >>> x = sb.symbol("x", "variable")
        >>> made = sb.write.artefact(sb.from_equations({x: -x}, name="decay"), sb.write.ExportOptions(reference=None))
        >>> made.function("rhs").program.cost.total, made.has("reactions"), made.names[:3], made.cost.total
        (1, False, ['rhs', 'rhs_x', 'linear_system'], 1)
        >>> len(made.hash), made.externals, made.hooks
        (16, (), ())

        See also: `write.artefact`.
        """
        for f in self.functions:
            if f.name == name:
                return f
        raise unknown(f"export of {self.title!r}", "function", name, [f.name for f in self.functions], ProgramError)

    def has(self, name: str) -> bool:
        """Whether there is a function of this name."""
        return name in self.names

    @property
    def names(self) -> list[str]:
        """Functions, then algorithms."""
        return [*(f.name for f in self.functions), *(a.name for a in self.algorithms)]

    @property
    def cost(self) -> ir.Cost:
        """Total number of operations of all functions."""
        total = ir.Cost()
        for f in self.functions:
            total = total + f.program.cost
        return total


def pattern(out: ir.Output) -> tuple[int, ...]:
    """Compressed rows of a sparse output: where each row starts among the entries, and the end; then the columns of the
    entries."""
    return compressed_rows(places(out), out.shape[0])


def places(out: ir.Output) -> list[tuple[int, int]]:
    """Row and column of each entry of a sparse output; one of a single column is a vector."""
    return [(p[0], p[1] if len(p) > 1 else 0) for p in out.nonzeros]


def compressed_rows(places: Sequence[tuple[int, int]], rows: int) -> tuple[int, ...]:
    starts = [0] * (rows + 1)
    for i, _ in places:
        starts[i + 1] += 1
    for i in range(rows):
        starts[i + 1] += starts[i]
    return (*starts, *(j for _, j in places))
