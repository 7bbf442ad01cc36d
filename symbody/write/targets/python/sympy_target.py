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
from ...artefacts.describe import described
from ...artefacts.readme import LanguageWords, readme
from .python_target import CORRECTIONS, VERDICT, motion_lines

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
    words = LanguageWords(
        "expressions of SymPy", f"python {n}_check.py", _EXAMPLE.format(n), "python", f"{n}_sympy.",
        {f"{n}_sympy.py": "the module: all you need", f"{n}_check.py": "compares every function with numbers, and a motion"}, _MORE,
    )  # fmt: skip
    return {f"{n}_sympy.py": sympy_module(made), f"{n}_check.py": _check(made), "README.md": readme(made, words)}


def _dense(made: Artefact) -> Artefact:
    """Without functions that give entries of compressed rows, and without loops but the projection."""
    kept = tuple(f for f in made.functions if not any(o.is_sparse for o in f.program.outputs))
    left = [f.name for f in made.functions if f not in kept]
    notes = (f"{in_number(left, '{} is', '{} are')} left out: a matrix of SymPy has all its entries",) if left else ()
    loops = tuple(a for a in made.algorithms if a.name == "project")
    return replace(made, functions=kept, algorithms=loops, notes=(*made.notes, *notes))


_EXAMPLE = """\
import {0}_sympy as model

shared, (xdot,) = model.rhs()          # expressions: shared parts [(symbol, value), ...], then the results
model.written_out("mass_matrix")       # with the shared parts put in
model.numeric("rhs")(*model.initial_state(), model.default_parameters())"""
_MORE = (
    "Symbols are plain: `STATE`, `INPUTS`, `PARAMETERS` and `t`; `OF_TIME` has the functions of time and derivatives that they stand for, to be put in by `xreplace`. Linear systems are "
    "written out as steps of elimination, in an order of pivots that suits generic numbers.",
)


def sympy_module(made: Artefact) -> str:
    """The text of the module."""
    head = [f"{made.title}: expressions of SymPy", "", *described(made)]
    names = UniqueNames(reserved_in_sympy)
    for own in (*OWN, *(f.name for f in made.functions)):
        names.take(own)
    groups = {"STATE": made.state, "INPUTS": made.inputs, "PARAMETERS": made.parameters}
    variables = {"t": names.new("t")}
    variables |= {v.name: names.new(v.name) for rows in groups.values() for v in rows}
    moved = {s.name: names.new(s.name) for f in made.functions for g in f.program.inputs[4:] for s in g.symbols}
    lines = [
        as_python_docstring(head),
        "",
        "from functools import lru_cache",
        "",
        "from sympy import *",
        "",
    ]
    lines += [f"{v} = Symbol({as_python_literal(n)})" for n, v in {**variables, **moved}.items()]
    lines += [f"TIME = {variables['t']}"]
    lines += [f"{group} = ({''.join(f'{variables[v.name]}, ' for v in rows)})" for group, rows in groups.items()]
    lines += ["DIRECTIONS = {", *(_directions(f, moved) for f in made.functions if f.directions), "}"]
    lines += [
        "OF_TIME = {",
        *(
            f"    {variables[v.name]}: {_of_time(v.symbol, variables['t'])},"
            for rows in (made.state, made.inputs)
            for v in rows
        ),
        "}",
    ]
    lines += _HELPERS.splitlines()
    lines += [
        *_numbers(made),
        *(_PROJECT.format(CORRECTIONS, *_sizes(made)).splitlines() if made.has("project") else ()),
    ]
    for f in made.functions:
        lines += ["", "", *_function(f, {**variables, **moved}, made.labels)]
    return "\n".join([*lines, ""])


def _directions(f: ExportedFunction, moved: dict[str, str]) -> str:
    inside = ", ".join(moved[s.name] for g in f.program.inputs[4:] for s in g.symbols)
    return f"    {f.name!r}: ({inside},),"


def _of_time(s: Any, t: str) -> str:
    function = f"Function({as_python_literal(s.stem)})({t})"
    return f"Derivative({function}, ({t}, {s.order}))" if s.order else function


def _numbers(made: Artefact) -> list[str]:
    t, x, r = made.start
    return [
        "", "", "def default_parameters():", '    """Parameters as in the model."""', f"    return {list(made.defaults)!r}",
        "", "", "def initial_state():", '    """t, x, r where motions begin."""', f"    return {t!r}, {list(x)!r}, {list(r)!r}",
    ]  # fmt: skip


def _sizes(made: Artefact) -> tuple[int, int]:
    n_q = len(made.function("correct_positions").program.outputs[0].values)
    return n_q, n_q + len(made.function("correct_speeds").program.outputs[0].values)


def _function(f: ExportedFunction, variables: dict[str, str], labels: Labels) -> list[str]:
    parts = {name: x if isinstance(x, Matrix) else _column(x) for name, x in f.expressions.items()}
    text = sympy_steps(parts, variables, (*OWN, f.name), labels)
    about = in_one_line(f"{f.about}; gives {', '.join(parts)}").replace('"', "'").replace("\\", "/")
    lines = [f"def {f.name}():", f'    """{about}"""', "    shared = []"]
    lines += [f"    {v} = share(shared, {as_python_literal(name)}, {value})" for v, name, value in text.steps]
    return [*lines, "    return shared, [", *(f"        {e}," for e in text.results.values()), "    ]"]


def _column(x: Any) -> Matrix:
    entries = scalars(x)
    return Matrix(len(entries), 1, tuple(entries))


_HELPERS = '''

def share(shared, name, value):
    """A symbol for a value that is used several times."""
    shared.append((Symbol(name), value))
    return shared[-1][0]


def written_out(name):
    """The results of a function with its shared parts put in: for small models."""
    shared, results = globals()[name]()
    known = {}
    for symbol, value in shared:
        known[symbol] = value.xreplace(known)
    return [result.xreplace(known) for result in results]


@lru_cache(maxsize=None)
def numeric(name, modules="numpy"):
    """A function, by its name, of numbers: f(t, x, r, p, *directions), results in a list."""
    shared, results = globals()[name]()
    symbols = [TIME, *STATE, *INPUTS, *PARAMETERS, *DIRECTIONS.get(name, ())]
    plain = {s: Dummy() for s, _ in shared}
    shared = [(plain[s], value.xreplace(plain)) for s, value in shared]
    results = [result.xreplace(plain) for result in results]
    f = lambdify(symbols, results, modules=modules, cse=lambda expressions: (shared, expressions), dummify=True)
    return lambda t, *groups: f(t, *(v for group in groups for v in group))
'''
_PROJECT = '''

def project(t, x, r, p):
    """The state onto the constraints, by {0} corrections of positions and one of speeds."""
    positions, speeds = numeric("correct_positions"), numeric("correct_speeds")
    x = [float(v) for v in x]
    for _ in range({0}):
        x[:{1}] = [float(v) for v in positions(t, x, r, p)[0].ravel()]
    x[{1}:{2}] = [float(v) for v in speeds(t, x, r, p)[0].ravel()]
    return x
'''


def _check(made: Artefact) -> str:
    n, point = made.identifier, made.check
    assert point is not None
    values = {f.name: point.values[f.name] for f in made.functions if f.name in point.values}
    lines = [
        f'"""Checks {n}_sympy.py."""',
        "",
        "import sys",
        "",
        "import numpy as np",
        "from sympy.core.function import AppliedUndef",
        "",
        f"import {n}_sympy as model",
        "",
    ]
    lines += [f"T, X, R = {point.t!r}, {list(point.x)!r}, {list(point.r)!r}", "VALUES = {"]
    lines += [
        f"    {k!r}: ({[list(a) for a in v.inputs]!r}, {[list(a) for a in v.outputs]!r})," for k, v in values.items()
    ]
    lines += ["}", "wrong = 0", "", "", *VERDICT, "", "", *_CHECK.splitlines(), *motion_lines(made, "as_array({0!r})")]
    return "\n".join(
        [*lines, 'print("SOMETHING IS WRONG" if wrong else "all good")', "sys.exit(1 if wrong else 0)", ""]
    )


_CHECK = """def as_array(name):
    f = getattr(model, name) if name == "project" else model.numeric(name)
    return lambda *args: np.concatenate([np.ravel(np.array(o, dtype=float)) for o in f(*args)])


t, x, r, p = T, np.array(X), np.array(R), model.default_parameters()
for name, (inputs, outputs) in VALUES.items():
    pairs, results = getattr(model, name)()
    undefined = [f for e in [*(v for _, v in pairs), *results] for f in e.atoms(AppliedUndef)]
    verdict(name + ", undefined", len(undefined), 0)
    verdict(name, as_array(name)(t, x, r, p, *inputs), np.concatenate(outputs))
"""
