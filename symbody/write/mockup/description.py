"""`MockUp`: an exported model in the terms of FMI, the same for both versions: variables, structure, what it can do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import Any, Final

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.walk import reachable_symbols
from ...derivation.equations.equations import Equations
from ...derivation.equations.expression_units import expression_unit
from ...derivation.equations.variable import Variable
from ...errors import ProgramError, unknown
from ...escaping import in_one_line
from ...integrate.events.events import Event
from ...integrate.events.switching_times import Switching, exported_switching_times
from ...units import per_second
from ..artefacts.artefact import Artefact
from ..targets.c.c_library import CLibrary, CVariant
from .dependencies import Dependency, dependencies, graded_dependencies, through

EXCHANGE, STEPS = "model exchange", "co-simulation"
KINDS: Final = (EXCHANGE, STEPS)


@dataclass(frozen=True)
class MockUpVariable:
    """A variable of the FMU.

    reference     its value reference: time, states, their derivatives, inputs, parameters, outputs, event functions,
                  counted through
    initial       exact: given; approx: a guess from which it is found; calculated
    shown_in      the unit in which a person wants to see it, where that is not `unit`
    derivative_of the value reference of the state whose derivative it is
    jumps         whether a state is changed by events or put back onto constraints
    """

    reference: int
    name: str
    causality: str
    variability: str
    initial: str | None = None
    start: float | None = None
    unit: str = ""
    description: str = ""
    derivative_of: int | None = None
    jumps: bool = False
    shown_in: str = ""

    @property
    def display_unit(self) -> str:
        """The unit in which it is shown, where that is another one."""
        return "" if self.shown_in == self.unit else self.shown_in


@dataclass(frozen=True)
class Unknown:
    """An unknown of the model structure and what it depends on: value references, and how."""

    reference: int
    on: tuple[int, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MockUp:
    """A model as FMI sees it.

    identifier   of the FMU: its library and its functions' prefix
    kinds        model exchange, co-simulation
    events       in the order of event functions
    fixed        names of parameters that stay as they are after the initialization
    tolerance    of co-simulation, if the importer requests none; until: end of the default experiment
    is_dae       whether multipliers and residuals are variables too, for importers that solve differential-algebraic
                 equations
    """

    made: Artefact
    eq: Equations
    identifier: str
    kinds: tuple[str, ...]
    events: Mapping[str, Event | None]
    fixed: frozenset[str]
    tolerance: float
    until: float
    is_dae: bool = False

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in KINDS:
                raise unknown(f"FMU of {self.made.title!r}", "interface", kind, KINDS, ProgramError)
        for name in self.fixed:
            if name not in (known := [v.name for v in self.made.parameters]):
                raise unknown(f"FMU of {self.made.title!r}", "parameter", name, known, ProgramError)

    # ------------------------------------------------------------------------------------------------ contents

    @property
    def output_names(self) -> tuple[str, ...]:
        return self.made.function("outputs").names["y"] if self.made.has("outputs") else ()

    @property
    def projects(self) -> bool:
        return self.made.has("project")

    @property
    def switching(self) -> Switching:
        """Times at which functions of time jump or bend."""
        return exported_switching_times(self.eq)

    @property
    def has_derivatives(self) -> bool:
        """Whether all unknowns have directional derivatives."""
        needed = {
            "rhs": "rhs_along",
            "outputs": "outputs_along",
            "events": "events_along",
            "semi_explicit": "semi_explicit_along",
        }
        return all(self.made.has(along) for f, along in needed.items() if self.made.has(f))

    @property
    def has_adjoints(self) -> bool:
        needed = {"rhs": "rhs_adjoint", "outputs": "outputs_adjoint", "events": "events_adjoint"}
        return (
            not self.is_dae
            and self.has_derivatives
            and all(self.made.has(a) for f, a in needed.items() if self.made.has(f))
        )

    @property
    def naming(self) -> str:
        """structured: names are identifiers, der(q), or with indices; flat: any text."""
        pattern = re.compile(r"[A-Za-z_]\w*(\[\d+\])?|der\([A-Za-z_]\w*\)", re.ASCII)
        return "structured" if all(pattern.fullmatch(v.name) for v in self.variables) else "flat"

    @cached_property
    def library_files(self) -> dict[str, str]:
        """Text of the C library of the model, by the names of its files."""
        library = CLibrary(self.made, CVariant())
        source = library.source()  # first: helpers are known once functions are written
        return {f"{self.made.identifier}.h": library.header(), f"{self.made.identifier}.c": source}

    # ------------------------------------------------------------------------------------------------ variables

    @cached_property
    def first(self) -> dict[str, int]:
        """Value reference of the first variable of each group."""
        n = len(self.made.state)
        sizes = {
            "t": 1,
            "x": n,
            "xdot": n,
            "r": len(self.made.inputs),
            "p": len(self.made.parameters),
            "y": len(self.output_names),
        }
        out, at = {}, 0
        sizes |= {
            "g": len(self.events),
            "lam": len(self.multipliers),
            "residuals": sum(map(len, self.residuals.values())),
        }
        for group, size in sizes.items():
            out[group] = at
            at += size
        return out

    # ------------------------------------------------------------------------------ as differential-algebraic equations

    @property
    def multipliers(self) -> tuple[Symbol, ...]:
        return self.eq.lam if self.is_dae else ()

    @cached_property
    def residuals(self) -> dict[str, tuple[Expr, ...]]:
        """phi, Jc u + b and Jc u' + c, by the names of the exported function."""
        if not self.is_dae:
            return {}
        found = self.made.function("semi_explicit").expressions
        return {k: tuple(found[k].entries) if k in found else () for k in ("phi", "psi", "acc")}

    @cached_property
    def formulations(self) -> tuple[tuple[tuple[int, Unknown], ...], ...]:
        """For each constraint its residuals on the levels of positions (index 3), speeds (2) and accelerations (1)."""
        symbols = (*self._everything, *self.multipliers)
        places = self.reference_of | {s: self.first["lam"] + k for k, s in enumerate(self.multipliers)}
        rows: list[list[tuple[int, Unknown]]] = [[] for _ in self.multipliers]
        at = self.first["residuals"]
        for index, entries in zip((3, 2, 1), self.residuals.values(), strict=True):
            for k, found in enumerate(reachable_symbols(entries, symbols)):
                on = tuple(sorted(places[s] for s in found))
                rows[k].append((index, Unknown(at, on, ("dependent",) * len(on))))
                at += 1
        return tuple(map(tuple, rows))

    @cached_property
    def variables(self) -> tuple[MockUpVariable, ...]:
        """In the order of value references."""
        names = _UniqueTexts()
        states = [names.new(v.name) for v in self.made.state]
        inputs = [names.new(v.name) for v in self.made.inputs]
        parameters = [names.new(v.name) for v in self.made.parameters]
        outputs = [names.new(n) for n in self.output_names]
        out = [MockUpVariable(0, names.new("time"), "independent", "continuous", unit="s")]
        out += [self._state(k, n) for k, n in enumerate(states)]
        out += [self._rate(k, names.new(f"der({n})")) for k, n in enumerate(states)]
        out += [self._input(k, n) for k, n in enumerate(inputs)]
        out += [self._parameter(k, n) for k, n in enumerate(parameters)]
        first = self.first["y"]
        out += [
            MockUpVariable(first + k, n, "output", "continuous", "calculated", unit=expression_unit(self.eq, e))
            for k, (n, e) in enumerate(zip(outputs, self._output_expressions, strict=True))
        ]
        first = self.first["g"]
        out += [
            MockUpVariable(first + k, names.new(n), "local", "continuous", "calculated", description="event function")
            for k, n in enumerate(self.events)
        ]
        return (*out, *self._algebraic(names))

    @property
    def _output_expressions(self) -> Sequence[Expr]:
        return self.made.function("outputs").expressions["y"] if self.made.has("outputs") else ()

    def _algebraic(self, names: _UniqueTexts) -> list[MockUpVariable]:
        """Multipliers, and residuals named after them."""
        first = self.first["lam"]
        own = [names.new(s.name) for s in self.multipliers]
        out = [
            MockUpVariable(first + k, n, "local", "continuous", "calculated", description="multiplier")
            for k, n in enumerate(own)
        ]
        kinds = {"phi": "position", "psi": "speed", "acc": "acceleration"}
        for group, entries in self.residuals.items():
            for k, _ in enumerate(entries):
                name = names.new(f"{kinds[group]}_residual_of_{own[k]}")
                out.append(
                    MockUpVariable(
                        first + len(out),
                        name,
                        "local",
                        "continuous",
                        "calculated",
                        description=f"residual of {kinds[group]}s",
                    )
                )
        return out

    def _state(self, k: int, name: str) -> MockUpVariable:
        v = self.made.state[k]
        found = self.projects and v.group != "z"
        jumps = found or any(e is not None and e.reset is not None for e in self.events.values())
        start = self.made.start[1][k]
        return MockUpVariable(
            self.first["x"] + k, name, "output", "continuous", "approx" if found else "exact", start, v.unit, v.description or v.kind, jumps=jumps, shown_in=v.written_in
        )  # fmt: skip

    def _rate(self, k: int, name: str) -> MockUpVariable:
        v = self.made.state[k]
        return MockUpVariable(
            self.first["xdot"] + k, name, "local", "continuous", "calculated", unit=per_second(v.unit), derivative_of=self.first["x"] + k, shown_in=per_second(v.written_in)
        )  # fmt: skip

    def _input(self, k: int, name: str) -> MockUpVariable:
        v = self.made.inputs[k]
        return MockUpVariable(
            self.first["r"] + k,
            name,
            "input",
            "continuous",
            None,
            self.made.start[2][k],
            v.unit,
            v.description or v.kind,
            shown_in=v.written_in,
        )

    def _parameter(self, k: int, name: str) -> MockUpVariable:
        v = self.made.parameters[k]
        variability = "fixed" if v.name in self.fixed else "tunable"
        return MockUpVariable(
            self.first["p"] + k, name, "parameter", variability, "exact", self.made.defaults[k], v.unit, v.description,
            shown_in=v.written_in,
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------ structure

    @cached_property
    def reference_of(self) -> dict[Symbol, int]:
        """Value references of what everything is a function of."""
        out = {self.eq.t: 0}
        groups = (("x", self.made.state), ("r", self.made.inputs), ("p", self.made.parameters))
        for group, rows in groups:
            out |= {v.symbol: self.first[group] + k for k, v in enumerate(rows)}
        return out

    @cached_property
    def _knowns(self) -> tuple[Symbol, ...]:
        return (*_symbols(self.made.state), *_symbols(self.made.inputs), self.eq.t)

    @cached_property
    def _everything(self) -> tuple[Symbol, ...]:
        return (*self._knowns, *_symbols(self.made.parameters))

    @cached_property
    def outputs(self) -> tuple[Unknown, ...]:
        """States are outputs of themselves, and come first."""
        own = [
            self._unknown(self.first["x"] + k, [Dependency(v.symbol, "constant")])
            for k, v in enumerate(self.made.state)
        ]
        return (*own, *self._unknowns("y", self._graded("outputs", "y")))

    @cached_property
    def derivatives(self) -> tuple[Unknown, ...]:
        """Accelerations depend on what they can depend on; kinematics are differentiated for the kind of dependence."""
        rates = list(self.made.function("rhs").expressions["xdot"].entries)
        found = dependencies(rates, self._knowns)
        n = len(self.eq.q)
        found[:n] = graded_dependencies(rates[:n], self._knowns, _symbols(self.made.parameters)) if n else []
        return self._unknowns("xdot", found)

    @cached_property
    def indicators(self) -> tuple[Unknown, ...]:
        return self._unknowns("g", self._graded("events", "g"))

    def _graded(self, function: str, output: str) -> list[list[Dependency]]:
        if not self.made.has(function):
            return []
        return graded_dependencies(
            self.made.function(function).expressions[output], self._knowns, _symbols(self.made.parameters)
        )

    @cached_property
    def initial_unknowns(self) -> tuple[Unknown, ...]:
        """Outputs and derivatives at the start, and the states that are put onto the constraints, in terms of what is
        given exactly."""
        start = self._found_at_start
        out = [self._unknown(self.reference_of[s], found) for s, found in start.items()]
        for group, function, output in (("xdot", "rhs", "xdot"), ("y", "outputs", "y")):
            if self.made.has(function):
                found = dependencies(self.made.function(function).expressions[output], self._everything)
                out += self._unknowns(group, [through(row, start) for row in found])
        return tuple(sorted(out, key=lambda u: u.reference))

    @cached_property
    def _found_at_start(self) -> dict[Symbol, list[Dependency]]:
        """States that the projection finds, and what is given exactly of what they depend on."""
        if not self.projects:
            return {}
        found = [v.symbol for v in self.made.state if v.group != "z"]
        given = [s for s in self._everything if s not in set(found)]
        expressions: list[Any] = []
        for name in ("correct_positions", "correct_speeds"):
            expressions += self.made.function(name).expressions.values()
        used = {d.on for row in dependencies(expressions, given) for d in row}
        return {s: [Dependency(g) for g in given if g in used] for s in found}

    def _unknowns(self, group: str, found: Sequence[Iterable[Dependency]]) -> tuple[Unknown, ...]:
        return tuple(self._unknown(self.first[group] + k, row) for k, row in enumerate(found))

    def _unknown(self, reference: int, found: Iterable[Dependency]) -> Unknown:
        pairs = sorted((self.reference_of[d.on], d.kind) for d in found)
        return Unknown(reference, tuple(r for r, _ in pairs), tuple(k for _, k in pairs))


class _UniqueTexts:
    """Names of variables, each once: one that is taken gets a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, name: str) -> str:
        name = in_one_line(name)
        found = next(n for n in chain([name], (f"{name}_{k}" for k in count(2))) if n not in self._taken)
        self._taken.add(found)
        return found


def _symbols(rows: Sequence[Variable]) -> tuple[Symbol, ...]:
    return tuple(v.symbol for v in rows)
