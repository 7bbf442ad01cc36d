"""The SymPy target: a module whose functions give expressions with their shared parts, as `sympy.cse` does, and a check
of their numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....algebra.graph.labels import Labels
from ....algebra.graph.matrix import Matrix
from ....algebra.graph.walk import scalars
from ....algebra.printing.target_names import UniqueNames
from ....algebra.sympy_border.source import reserved_in_sympy, sympy_steps
from ....errors import ProgramError, in_number, listed
from ....escaping import as_python_docstring, as_python_literal, in_one_line
from ...artefacts.artefact import Artefact, ExportedFunction
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import Template, template, template_parts
from .python_check import python_check
from .python_module import CORRECTIONS

OWN = (
    "TIME",
    "STATE",
    "INPUTS",
    "PARAMETERS",
    "DIRECTIONS",
    "OF_TIME",
    "numeric",
    "written_out",
    "project",
    "default_parameters",
    "initial_state",
    "share",
    "shared",
)


def sympy_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    if made.externals:
        names = listed(f.name for f in made.externals)
        raise ProgramError(
            f"export of {made.title!r}: external functions and samples ({names}) have no expression in SymPy; "
            "write them in expressions"
        )
    made, n = _dense(made), made.identifier
    check = python_check(made, "sympy", "as_array({0!r})", ("from sympy.core.function import AppliedUndef",))
    page = readme(made, template(__package__, "sympy_README.md"), f"{n}_sympy.", name=n)
    return {f"{n}_sympy.py": sympy_module(made), f"{n}_check.py": check, "README.md": page}


def _dense(made: Artefact) -> Artefact:
    """Without functions that give entries of compressed rows, and without loops but the projection."""
    kept = tuple(f for f in made.functions if not any(o.is_sparse for o in f.program.outputs))
    left = [f.name for f in made.functions if f not in kept]
    notes = (f"{in_number(left, '{} is', '{} are')} left out: a matrix of SymPy has all its entries",) if left else ()
    loops = tuple(a for a in made.algorithms if a.name == "project")
    return replace(made, functions=kept, algorithms=loops, notes=(*made.notes, *notes))


def sympy_module(made: Artefact) -> str:
    """The text of the module."""
    head = [f"{made.title}: expressions of SymPy", "", *description_lines(made)]
    names = UniqueNames(reserved_in_sympy)
    for own in (*OWN, *(f.name for f in made.functions)):
        names.take(own)
    groups = {"STATE": made.state, "INPUTS": made.inputs, "PARAMETERS": made.parameters}
    variables = {"t": names.new("t")}
    variables |= {v.name: names.new(v.name) for rows in groups.values() for v in rows}
    moved = {s.name: names.new(s.name) for f in made.functions for g in f.program.inputs[4:] for s in g.symbols}
    parts, (t, x, r) = template_parts(__package__, "sympy_module.py.txt"), made.start
    of_time = [
        (variables[v.name], _of_time(v.symbol, variables["t"])) for rows in (made.state, made.inputs) for v in rows
    ]
    return parts["file"].filled(
        about=as_python_docstring(head), symbols=[f"{v} = Symbol({as_python_literal(n)})" for n, v in {**variables, **moved}.items()],
        time=variables["t"], groups=[f"{group} = ({''.join(f'{variables[v.name]}, ' for v in rows)})" for group, rows in groups.items()],
        directions=[_directions(f, moved) for f in made.functions if f.directions], of_time=[f"{v}: {function}," for v, function in of_time],
        defaults=repr(list(made.defaults)), start=f"{t!r}, {list(x)!r}, {list(r)!r}",
        project=_project(made, parts["project"]) if made.has("project") else "",
        functions="\n\n\n".join(_function(f, {**variables, **moved}, made.labels, parts["function"]) for f in made.functions),
    ) + "\n"  # fmt: skip


def _directions(f: ExportedFunction, moved: dict[str, str]) -> str:
    inside = ", ".join(moved[s.name] for g in f.program.inputs[4:] for s in g.symbols)
    return f"{f.name!r}: ({inside},),"


def _of_time(s: Any, t: str) -> str:
    function = f"Function({as_python_literal(s.stem)})({t})"
    return f"Derivative({function}, ({t}, {s.order}))" if s.order else function


def _project(made: Artefact, text: Template) -> str:
    n_q = len(made.function("correct_positions").program.outputs[0].values)
    n_x = n_q + len(made.function("correct_speeds").program.outputs[0].values)
    return text.filled(corrections=CORRECTIONS, n_q=n_q, n_x=n_x)


def _function(f: ExportedFunction, variables: dict[str, str], labels: Labels, text: Template) -> str:
    parts = {name: x if isinstance(x, Matrix) else _column(x) for name, x in f.expressions.items()}
    found = sympy_steps(parts, variables, (*OWN, f.name), labels)
    about = in_one_line(f"{f.about}; gives {', '.join(parts)}").replace('"', "'").replace("\\", "/")
    steps = [f"{v} = share(shared, {as_python_literal(name)}, {value})" for v, name, value in found.steps]
    return text.filled(name=f.name, about=about, steps=steps, results=[f"{e}," for e in found.results.values()])


def _column(x: Any) -> Matrix:
    entries = scalars(x)
    return Matrix(len(entries), 1, tuple(entries))
