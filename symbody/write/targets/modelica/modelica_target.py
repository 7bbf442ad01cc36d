"""The Modelica target: one flat model, equations of states, outputs and events, and a check by rumoca."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ....algebra.printing.target_names import UniqueNames
from ....derivation.equations.variable import Variable
from ....errors import ProgramError, listed
from ....escaping import as_modelica_string, in_one_line
from ....integrate.events.events import Event
from ...artefacts.artefact import Artefact, Numbers
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import template, template_parts
from .modelica_printer import ModelicaText, is_modelica_reserved, modelica_literal

FUNCTIONS: Final = ("rhs", "outputs", "events", "event_handling")
BY_RUMOCA: Final = 1e-7  # of a motion at rtol = 1e-11: rumoca's own integrators
CROSSED: Final = {"rising": "{0} > 0", "falling": "{0} < 0", "both": "{{{0} > 0, {0} < 0}}"}


def modelica_files(made: Artefact, events: Mapping[str, Any]) -> dict[str, str]:
    """Text of each file, by name."""
    if not made.has("rhs"):
        raise ProgramError(f"export of {made.title!r} as Modelica: {' '.join(made.notes) or 'there is no state'}")
    name, model = made.identifier, ModelicaModel(made, events)
    return {
        f"{name}.mo": model.text(),
        f"{name}_check.mo": model.checks(),
        f"{name}_check.py": _check(made, model),
        "README.md": _readme(made),
    }


class ModelicaModel:
    """Text of the model. Names of the model that Modelica uses itself get an underscore."""

    def __init__(self, made: Artefact, events: Mapping[str, Any]) -> None:
        self.made, self.events = made, events
        self.name = f"{made.identifier}_" if is_modelica_reserved(made.identifier) else made.identifier
        self.parts = template_parts(__package__, "model.mo")
        self.names = UniqueNames(is_modelica_reserved)
        for taken in (self.name, *_supplied_names(made)):
            self.names.take(taken)
        self.x, self.r, self.p = (
            [self.names.new(_plain(v.name)) for v in rows] for rows in (made.state, made.inputs, made.parameters)
        )
        self.equations: list[str] = []
        self.variables: dict[str, str] = {}
        self.rates = self._results("rhs", 0)
        self.outputs = self._named("outputs", "output")
        self.event_values = self._named("events", "event")
        self.guards = self._results("event_handling", 0)
        self.after = self._results("event_handling", 1)

    def _results(self, function: str, output: int) -> list[str]:
        if not self.made.has(function):
            return []
        program = self.made.function(function).program
        text = ModelicaText(program, self.names, [["time"], self.x, self.r, self.p])
        self.equations += text.write()
        self.variables |= text.variables
        return text.results[output]

    def _named(self, function: str, prefix: str) -> dict[str, tuple[str, str]]:
        """A variable for each entry of a result: its expression, and what it is called in the model."""
        found = self._results(function, 0)
        if not found:
            return {}
        (called,) = self.made.function(function).names.values()
        return {self.names.new(_plain(c) or prefix): (e, c) for e, c in zip(found, called, strict=True)}

    # ------------------------------------------------------------------------------------------------ text

    def text(self) -> str:
        made = self.made
        head = [
            f"// {in_one_line(line)}".rstrip() for line in (f"{made.title}: Modelica", "", *description_lines(made))
        ]
        declared = [
            f"parameter Real {n} = {modelica_literal(v)}{_about(row)};"
            for n, v, row in zip(self.p, made.defaults, made.parameters, strict=True)
        ]
        declared += [f"input Real {n}{_about(row)};" for n, row in zip(self.r, made.inputs, strict=True)]
        declared += [
            f"Real {n}(start = {modelica_literal(v)}, fixed = true){_about(row)};"
            for n, v, row in zip(self.x, made.start[1], made.state, strict=True)
        ]
        declared += [f"output Real {n} {as_modelica_string(called)};" for n, (_, called) in self.outputs.items()]
        declared += [f"Real {n} {as_modelica_string(f'event {c}')};" for n, (_, c) in self.event_values.items()]
        equations = [f"der({x}) = {rate};" for x, rate in zip(self.x, self.rates, strict=True)]
        equations += [f"{n} = {e};" for n, (e, _) in (*self.outputs.items(), *self.event_values.items())]
        return self.parts["file"].filled(
            about=head, name=self.name, title=as_modelica_string(made.title), declarations=declared, protected="protected" if self.variables else "",
            hidden=[f"{kind} {n};" for n, kind in self.variables.items()], equations=[*self.equations, *equations, *self._when()],
        ) + "\n"  # fmt: skip

    def _when(self) -> list[str]:
        """What happens at events: resets where guards hold, and the end."""
        out: list[str] = []
        n = len(self.x)
        for k, ((value, _), given) in enumerate(zip(self.event_values.items(), self.events.values(), strict=True)):
            if not isinstance(given, Event) or (given.reset is None and not given.terminal):
                continue
            lines = [f"when {CROSSED[str(given.direction)].format(value)} then"]
            if given.reset is not None:
                after = self.after[k * n : (k + 1) * n]
                changed = [(x, e) for x, e in zip(self.x, after, strict=True) if e != x]
                lines += [f"  reinit({x}, {self._if_guard(k, given, e, x)});" for x, e in changed]
            if given.terminal:
                if given.where is not None:
                    raise ProgramError(
                        f"event {given.name!r} as Modelica: an event that ends the simulation (terminal=True) "
                        "cannot have a guard there; leave out terminal= or where="
                    )
                lines.append(f"  terminate({as_modelica_string(given.name)});")
            out += [*lines, "end when;"]
        return out

    def _if_guard(self, k: int, given: Event, yes: str, no: str) -> str:
        return yes if given.where is None else f"if {self.guards[k]} > 0.5 then {yes} else {no}"

    # ------------------------------------------------------------------------------------------------ checks

    def checks(self) -> str:
        """Models to check by: inputs held, the state at the point or at the start, rates as variables."""
        point, made = self.made.check, self.made
        assert point is not None
        return self._held("at_point", point.x, point.r) + "\n" + self._held("motion", made.start[1], made.start[2])

    def _held(self, ending: str, x: Numbers, r: Numbers) -> str:
        held = [f"{n} = {modelica_literal(v)}" for n, v in zip(self.r, r, strict=True)]
        held += [f"{n}(start = {modelica_literal(v)})" for n, v in zip(self.x, x, strict=True)]
        return self.parts["held"].filled(
            name=self.name, ending=ending, held=", ".join(held), rates=[f"Real rate_of_{k + 1};" for k in range(len(x))],
            equations=[f"rate_of_{k + 1} = der({n});" for k, n in enumerate(self.x)],
        ) + "\n"  # fmt: skip


def _supplied_names(made: Artefact) -> list[str]:
    """External functions, which the user of the model writes as functions of Modelica; text in C is of use to some
    tools only."""
    names = [f.name for f in made.externals if f.table is None]
    if taken := [n for n in names if is_modelica_reserved(n) or n == made.identifier or _plain(n) != n]:
        raise ProgramError(
            f"export of {made.title!r} as Modelica: external function {taken[0]!r} has a name that Modelica "
            "or the model uses; give it another"
        )
    return names


def _plain(name: str) -> str:
    """ASCII letters, digits and underscores, beginning with a letter."""
    if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        return name
    text = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return text if not text or text[0].isalpha() else f"x{text}"


def _about(v: Variable) -> str:
    said = " ".join(
        t for t in (f"[{v.unit}]" if v.unit else "", v.description, v.name if _plain(v.name) != v.name else "") if t
    )
    return f" {as_modelica_string(said)}" if said else ""


# ---------------------------------------------------------------------------------------------------- check


def _check(made: Artefact, model: ModelicaModel) -> str:
    n, point, ref = made.identifier, made.check, made.reference
    assert point is not None
    values: dict[str, tuple[list[str], Numbers]] = {}
    columns = {
        "rhs": [f"rate_of_{k + 1}" for k in range(len(model.x))],
        "outputs": list(model.outputs),
        "events": list(model.event_values),
    }
    for name, names in columns.items():
        if name in point.values:
            values[name] = names, point.values[name].outputs[0]
    reference = None if ref is None else (ref.times, ref.states, ref.scales)
    return template(__package__, "check.py.txt").filled(
        name=n, functions=repr(f"{n}_functions.mo" if _supplied_names(made) else ""), model=repr(model.name), t=point.t, state=repr(model.x),
        values=repr(values), reference=repr(reference), allowed=BY_RUMOCA,
    )  # fmt: skip


def _readme(made: Artefact) -> str:
    n, names = made.identifier, _supplied_names(made)
    text = template_parts(__package__, "readme_parts.md")["supplied"]
    supplied = text.filled(names=listed(f"`{name}`" for name in names), name=n, first=names[0]) if names else ""
    return readme(made, template(__package__, "README.md"), f"{n}.mo: ", name=n, supplied=supplied)
