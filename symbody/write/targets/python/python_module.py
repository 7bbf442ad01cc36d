"""What modules of Python have in common, whatever package their arrays are of: names, numbers of the model, samples."""

from __future__ import annotations

from typing import Final

from ....errors import ProgramError, listed
from ....escaping import as_python_docstring, in_one_line
from ...artefacts.artefact import Artefact, Numbers
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import template, template_parts
from .array_python import CASADI, HELPERS, ArrayDialect, ArrayText, ModuleDialect

CORRECTIONS: Final = 4  # of positions in a projection: each squares what is left
OWN_NAMES: Final = (
    "np", "jax", "jnp", "casadi", "torch", "lookup", "function", "default_parameters", "initial_state", "traced_rhs", "QUICK", "_Rhs", *HELPERS,
)  # fmt: skip


def module_text(made: Artefact, dialect: ModuleDialect, imports: str, definitions: list[str]) -> str:
    """A module: what it is about, names, numbers of the model, samples, then its functions."""
    parameters = ", ".join(repr(v.name) for v in made.parameters)
    t, x, r = made.start
    return template_parts(__package__, "module.py.txt")["file"].filled(
        about=as_python_docstring([f"{made.title}: {dialect.title}", "", *description_lines(made)]), imports=imports, supplied=_import_of_supplied(made),
        state=", ".join(repr(v.name) for v in made.state), parameters=f"{parameters}{',' if parameters else ''}",
        defaults=_array(made.defaults, dialect), start=f"{t!r}, {_array(x, dialect)}, {_array(r, dialect)}",
        samples="\n\n\n".join(_samples(made, dialect)), definitions="\n\n\n".join(definitions),
    ) + "\n"  # fmt: skip


def array_functions(made: Artefact, dialect: ArrayDialect) -> list[str]:
    """The functions as text on arrays, and the projection."""
    texts = []
    for f in made.functions:
        name = "traced_rhs" if f.name == "rhs" and dialect is not CASADI else f.name
        lines = ArrayText(f.program, name, dialect).definition(f"{in_docstring(f.about)}; {f.program.cost}")
        texts.append("\n".join(lines))
    return [*texts, _project(made, dialect)] if made.has("project") else texts


def in_docstring(text: str) -> str:
    return in_one_line(text).replace('"', "'").replace("\\", "/")


def python_readme(made: Artefact, package: str, written_with: str, purpose: str = "so that they can be traced") -> str:
    """The README of a module; external functions are `written_with` something, for a `purpose`."""
    n, names = made.identifier, [f"`{f.name}`" for f in made.externals if f.table is None]
    supplied = f"You supply {listed(names)} in a file `{n}_functions.py` beside the module, written with {written_with}, {purpose}."
    page = template(__package__, f"{package}_README.md")
    return readme(made, page, f"{n}_{package}.", name=n, supplied=supplied if names else "")


def _import_of_supplied(made: Artefact) -> str:
    """The import of external functions, whose traceable form the user of the module must write."""
    names = [f.name for f in made.externals if f.table is None]
    if taken := [n for n in names if n in (*made.names, *OWN_NAMES)]:
        raise ProgramError(
            f"export of {made.title!r}: external function {taken[0]!r} has a name that the module uses "
            "itself; give it another"
        )
    return f"from {made.identifier}_functions import {', '.join(names)}" if names else ""


def _samples(made: Artefact, dialect: ModuleDialect) -> list[str]:
    """Piecewise polynomials: constant before the first and after the last time; as rates zero there."""
    found = [f for f in made.externals if f.table is not None]
    texts = [template_parts(__package__, "lookup.py.txt")[dialect.lookup].filled()] if found else []
    for f in found:
        assert f.table is not None
        times, coefficients = list(f.table.times), [list(row) for row in f.table.coefficients]
        value = f"lookup({f.name}_TIMES, {f.name}_COEFFICIENTS, x)"
        if f.table.is_rate:
            inside = dialect.both[0].format(f"x >= {times[0]!r}", f"x <= {times[-1]!r}")
            value = dialect.where.format(inside, value, "0.0")
        text = template_parts(__package__, "module.py.txt")["sample"]
        texts.append(text.filled(name=f.name, times=repr(times), coefficients=repr(coefficients), value=value))
    return texts


def _array(values: Numbers, dialect: ModuleDialect) -> str:
    return dialect.array.format(", ".join(map(repr, values))) if values else dialect.nothing


def _project(made: Artefact, dialect: ArrayDialect) -> str:
    n_q = len(made.function("correct_positions").program.outputs[0].values)
    n_u = len(made.function("correct_speeds").program.outputs[0].values)
    before, after, rest = (dialect.entry.format("x", k) for k in (f":{n_q}", f"{n_q}:", f"{n_q + n_u}:"))
    return template_parts(__package__, "module.py.txt")["project"].filled(
        corrections=CORRECTIONS,
        positions=dialect.join.format(f"correct_positions(t, x, r, p)[0], {after}"),
        speeds=dialect.join.format(f"{before}, correct_speeds(t, x, r, p)[0], {rest}"),
    )
