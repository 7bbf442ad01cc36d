"""The Scilab target: the C library, entries for Scilab's `call`, which passes everything by its address, and functions
of Scilab around them."""

from __future__ import annotations

from dataclasses import dataclass

from ....errors import listed
from ....escaping import as_scilab_string, in_scilab_comment
from ...artefacts.artefact import Algorithm, Artefact, ExportedFunction
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import Template, template, template_parts
from ..c.c_library import CLibrary, CVariant
from .scilab_check import scilab_check
from .scilab_printer import continued_lines, scilab_array, scilab_column


def scilab_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    name, library = made.identifier, CLibrary(made, CVariant())
    entries = [*map(_function_entry, made.functions), *map(_algorithm_entry, made.algorithms)]
    source = library.source()  # first: helpers are known once functions are written
    return {
        f"{name}.h": library.header(),
        f"{name}.c": source,
        f"{name}_scilab.c": _gateway(made, library, entries),
        f"{name}.sci": _functions(made, entries),
        f"{name}_check.sce": scilab_check(made),
        "Makefile": template(__package__, "Makefile").filled(name=name),
        "README.md": _readme(made),
    }


@dataclass(frozen=True)
class ScilabEntry:
    """A function as Scilab calls it: arrays that come in after t, x, r, p, and matrices that come out (rows, columns,
    numbers).

    changes   the result takes the place of the state
    """

    name: str
    about: str
    state: int
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[int, int, int], ...]
    changes: bool = False

    @property
    def read(self) -> list[str]:
        """Names of the arrays that come in."""
        return [f"in_{k}" for k in range(len(self.inputs))]

    @property
    def written(self) -> list[str]:
        """Names of those that come out."""
        return [f"out_{k}" for k in range(len(self.outputs))]


def _function_entry(f: ExportedFunction) -> ScilabEntry:
    outputs = []
    for o in f.program.outputs:
        rows, columns = o.shape if len(o.shape) == 2 and not o.is_sparse else (len(o.values), 1)
        outputs.append((int(rows), int(columns), len(o.values)))
    inputs = tuple((g.name, len(g)) for g in f.program.inputs[4:])
    return ScilabEntry(f.name, f"{f.about}; {f.program.cost}", len(f.program.inputs[1]), inputs, tuple(outputs))


def _algorithm_entry(a: Algorithm) -> ScilabEntry:
    sizes = [a.state[1]] if a.changes else list(a.results.values())
    return ScilabEntry(a.name, a.about, a.state[1], tuple(a.more.items()), tuple((n, 1, n) for n in sizes), a.changes)


# ---------------------------------------------------------------------------------------------------- C


def _gateway(made: Artefact, library: CLibrary, entries: list[ScilabEntry]) -> str:
    parts = template_parts(__package__, "gateway.c")
    fields = library.fields if made.parameters else ()
    return parts["file"].filled(
        name=made.identifier,
        fields=[f"p->{f} = values[{k}];" for k, f in enumerate(fields)] or ["(void)values;"],
        entries="\n\n".join(_c_entry(made.identifier, e, parts) for e in entries),
    ) + "\n"  # fmt: skip


def _c_entry(name: str, e: ScilabEntry, parts: dict[str, Template]) -> str:
    read, written = ["t", "x", "r", "p", *e.read], e.written
    declared = [*(f"const double *{k}" for k in read), *(f"double *{k}" for k in written), "int *status"]
    given = ["*t", "out_0", "r", "&held", *e.read] if e.changes else ["*t", "x", "r", "&held", *e.read, *written]
    copied = parts["copied"].filled(state=e.state) if e.changes else ""
    return parts["entry"].filled(
        name=name, function=e.name, declared=", ".join(declared), copied=copied, arguments=", ".join(given)
    )


# ---------------------------------------------------------------------------------------------------- Scilab


def _functions(made: Artefact, entries: list[ScilabEntry]) -> str:
    n, (t, x, r), parts = made.identifier, made.start, template_parts(__package__, "functions.sci")
    about = (f"{made.title}: Scilab", "", *description_lines(made))
    names = {what: [as_scilab_string(v.name) for v in rows] for what, rows in (("state", made.state), ("parameter", made.parameters))}  # fmt: skip
    return parts["file"].filled(
        name=n, about=[f"// {in_scilab_comment(line)}".rstrip() for line in about], entries=continued_lines([f'"{n}_{e.name}_call"' for e in entries]),
        p=scilab_array("p", made.defaults), **{f"{what}_names": scilab_column("names", texts) for what, texts in names.items()},
        t=t, x=scilab_array("x", x), r=scilab_array("r", r),
        functions="\n\n".join(_scilab_function(made, e, parts["function"]) for e in entries),
    ) + "\n"  # fmt: skip


def _scilab_function(made: Artefact, e: ScilabEntry, text: Template) -> str:
    sizes = {"x": e.state, "r": len(made.inputs), "p": len(made.parameters)}
    sizes |= {k: size for k, (_, size) in zip(e.read, e.inputs, strict=True)}
    passed = [f'{k}, {place}, "d"' for place, k in enumerate(("t", *sizes), 1)]
    places = len(passed) + len(e.written)
    shapes = enumerate(e.outputs, len(passed) + 1)
    out = [
        f'[{max(1, columns)}, {max(1, rows)}], {k}, "d"' for k, (rows, columns, _) in shapes
    ]  # rows of C are columns
    results = zip(e.written, e.outputs, strict=True)
    return text.filled(
        name=made.identifier, function=e.name, about=in_scilab_comment(e.about), results=", ".join(e.written),
        arguments=", ".join(["t", "x", "r", "p", *e.read]), numbers=[f'{k} = {made.identifier}_numbers({k}, {n}, "{k}");' for k, n in sizes.items()],
        passed=continued_lines([*passed, '"out"', *out, f'[1, 1], {places + 1}, "i"']),
        transposed=[f"{k} = {k}.';" if size else f"{k} = [];" for k, (_, _, size) in results],
    )  # fmt: skip


def _readme(made: Artefact) -> str:
    supplied = f"You supply {listed(f'`{f.name}`' for f in made.hooks)}: `make check HOOKS=my_functions.c`."
    return readme(
        made, template(__package__, "README.md"), f"{made.identifier}_", name=made.identifier, supplied=supplied if made.hooks else ""
    )  # fmt: skip
