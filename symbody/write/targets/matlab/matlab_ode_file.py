"""ODE files of MATLAB 5, the interface of exmex (Lennartsson 6.7.3): f(t, x, flag, p) for the equations and for their
variational system.

''            x'                                     'init'       [t0, t1], x0, which flags there are
'jacobian'    ∂x'/∂x                                 'events'     values, whether they end the motion, directions
'jpattern'    where the Jacobian is not zero
"""

from __future__ import annotations

from ...artefacts.artefact import Artefact
from ...printers.templates import template
from .matlab_printer import matlab_array, matlab_literal


def ode_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name: the equations, and the variational system where that is written."""
    n = made.identifier
    files = {f"{n}_ode.m": _text(made, f"{n}_ode", "Equations", _plain_cases(made))} if made.has("rhs") else {}
    if made.has("variational"):
        name = f"{n}_variational_ode"
        files[f"{name}.m"] = _text(made, name, "Variational system", _variational_cases(made))
    return files


def _plain_cases(made: Artefact) -> dict[str, list[str]]:
    n, size = made.identifier, len(made.state)
    cases = {"": [f"a = {n}_rhs(t, x, r, p);"], "init": _init(made, f"{n}_start", ["[t, x] = {0}();"])}
    if made.has("events"):
        cases["events"] = [f"a = {n}_events(t, x, r, p);", *_events(made)]
    if made.has("rhs_x"):
        cases["jacobian"] = [f"a = {n}_rhs_x(t, x, r, p);"]
    if made.has("rhs_x_sparse"):
        cases["jpattern"] = _pattern(made, "rhs_x_sparse_xdot_x_pattern", size)
    return cases


def _variational_cases(made: Artefact) -> dict[str, list[str]]:
    """Of X = (x, columns of Φ); its Jacobian by 6.17, sparse."""
    n = made.identifier
    size = len(made.state) * (1 + len(made.state))
    start = ["[t, x] = {0}();", f"x = {n}_variational_start(t, x, r, p);"]
    cases = {"": [f"a = {n}_variational(t, x, r, p);"], "init": _init(made, f"{n}_start", start)}
    if made.has("events"):
        cases["events"] = [f"a = {n}_events(t, x(1:{len(made.state)}), r, p);", *_events(made)]
    if made.has("variational_jacobian"):
        table = "variational_jacobian_values_pattern"
        cases["jpattern"] = _pattern(made, table, size)
        cases["jacobian"] = [
            *_pattern(made, table, size)[:-1],
            f"a = sparse(rows, columns, {n}_variational_jacobian(t, x, r, p), {size}, {size});",
        ]
    return cases


def _init(made: Artefact, start: str, lines: list[str]) -> list[str]:
    seconds = made.reference.times[-1] - made.reference.times[0] if made.reference else 1.0
    return [
        *(line.format(start) for line in lines),
        f"a = [t; t + {matlab_literal(seconds)}];",
        "b = x;",
        "c = flags();",
    ]


def _events(made: Artefact) -> list[str]:
    ends = matlab_array("b", [str(int(ends)) for _, ends in made.event_senses])
    return [*ends, *matlab_array("c", [str(sense) for sense, _ in made.event_senses])]


def _pattern(made: Artefact, table: str, size: int) -> list[str]:
    """A sparse matrix of ones from compressed rows."""
    found = made.tables[table]
    starts, columns = found[: size + 1], found[size + 1 :]
    rows = [i + 1 for i in range(size) for _ in range(starts[i], starts[i + 1])]
    return [
        *matlab_array("rows", [str(i) for i in rows]),
        *matlab_array("columns", [str(j + 1) for j in columns]),
        f"a = sparse(rows, columns, ones({len(rows)}, 1), {size}, {size});",
    ]


def _text(made: Artefact, name: str, title: str, cases: dict[str, list[str]]) -> str:
    lines = [line for flag, body in cases.items() for line in (f"case '{flag}'", *("    " + text for text in body))]
    return template(__package__, "ode.m").filled(
        name=name,
        model=made.identifier,
        title=title,
        cases=lines,
        flags=", ".join(f"'{flag}'" for flag in cases if flag),
        answered=", ".join(f"'{flag}', 'on'" for flag in cases if flag not in ("", "init")),
    )
