"""The JavaScript target: one module without dependencies, a check by node, README."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import UniqueNames, is_javascript_reserved
from ....derivation.equations.variable import Variable
from ....emit import ir
from ....escaping import as_script_data, in_one_line
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import template, template_parts
from .javascript_check import javascript_check
from .javascript_kernels import JavaScriptKernel, simple_javascript
from .javascript_printer import JavaScriptText, argument_checks
from .javascript_text import javascript_array, javascript_literal

_HELPERS: Final = (
    "checked",
    "checkedParameters",
    "rest",
    *(k.__name__ for k in (*ir.ELIMINATION_KERNELS, ir.on_pieces)),
)
_OFFERED: Final = ("state", "inputs", "parameters", "defaultParameters", "initialState", "tables")


def javascript_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    module = JavaScriptModule(made)
    return {f"{made.identifier}.js": module.text(), **files_beside(made, module)}


def files_beside(made: Artefact, module: JavaScriptModule) -> dict[str, str]:
    """The check, package.json and README of a folder."""
    name = made.identifier
    package = template(__package__, "package.json").filled(package=name.lower(), name=name)
    return {
        f"{name}_check.js": javascript_check(made),
        "package.json": package,
        "README.md": _readme(made, module),
    }


class JavaScriptModule:
    """Text of the module."""

    language = "JavaScript"
    machine_code = ""  # a row of the table of files

    def __init__(self, made: Artefact) -> None:
        self.made, self.parts = made, template_parts(__package__, "module.js")
        names = UniqueNames(is_javascript_reserved)
        self.fields = tuple(names.new(v.name) for v in made.parameters)
        known = frozenset([*_HELPERS, *_OFFERED, *made.names, *(f.name for f in made.externals)])
        self.texts = [JavaScriptText(f.program, f.name, self.fields, known) for f in made.functions]

    @property
    def supplied(self) -> list[ExternalFunction]:
        """External functions that the user of the module writes in JavaScript; text in C is of no use here."""
        return [f for f in self.made.externals if f.table is None]

    @property
    def offered(self) -> list[str]:
        """Names that the module exports."""
        return [*_OFFERED, *self.made.names]

    def text(self) -> str:
        about = [f"{self.made.title}: {self.language}", "", *description_lines(self.made)]
        names = ", ".join(f.name for f in self.supplied)
        imported = f'import {{ {names} }} from "./{self.made.identifier}_functions.js";' if names else ""
        return self.parts["file"].filled(
            about=[f"// {in_one_line(line)}".rstrip() for line in about],
            imported=imported,
            body=self.body(),
            offered=", ".join(self.offered),
        ) + "\n"  # fmt: skip

    def body(self, checks: bool = True) -> str:
        """Everything but imports and exports: also the inside of a function in a page."""
        made = self.made
        definitions = self.definitions()
        kernels = self.kernels() + ([ir.on_pieces] if any(f.table for f in made.externals) else [])
        texts = [simple_javascript(k) for k in kernels]
        texts += [_lookup(f) for f in made.externals if f.table is not None]
        texts += [*definitions, *(_JavaScriptAlgorithm(made, a).definition() for a in made.algorithms)]
        t, x, r = made.start
        defaults = zip(self.fields, made.defaults, strict=True)
        return self.parts["body"].filled(
            checks="true" if checks else "false", state=_variables(made.state), inputs=_variables(made.inputs),
            parameters=_variables(made.parameters, self.fields), defaults=[f"{f}: {javascript_literal(v)}," for f, v in defaults],
            t=javascript_literal(t), x=", ".join(map(javascript_literal, x)), r=", ".join(map(javascript_literal, r)),
            tables=self._tables(), definitions="\n\n".join("\n".join(lines) for lines in texts),
        )  # fmt: skip

    def definitions(self) -> list[list[str]]:
        """The functions."""
        abouts = [in_one_line(f"{f.about}; {f.program.cost}") for f in self.made.functions]
        return [t.definition(a) for t, a in zip(self.texts, abouts, strict=True)]

    def kernels(self) -> list[ir.Kernel]:
        """Loops that functions call, known once these are written."""
        return list(dict.fromkeys(k for t in self.texts for k in t.kernels))

    def _tables(self) -> list[str]:
        """Patterns of compressed rows: where each row starts, the end, then columns."""
        lines = []
        for key, values in self.made.tables.items():
            first, *more, last = javascript_array(values)
            lines += [f"{key}: {first}", *more, f"{last},"]
        return lines


def _variables(rows: Sequence[Variable], fields: Sequence[str] | None = None) -> list[str]:
    return [_variable(f, v) for f, v in zip(fields or [v.name for v in rows], rows, strict=True)]


def _variable(field: str, v: Variable) -> str:
    given = {"name": field, "unit": v.unit, "description": v.description or v.kind}
    return f"{as_script_data({k: in_one_line(t) for k, t in given.items()})},"


def _lookup(f: ExternalFunction) -> list[str]:
    """A piecewise polynomial: constant before the first and after the last time; as a rate zero there."""
    assert f.table is not None
    flat = [c for row in f.table.coefficients for c in row]
    n, terms = len(f.table.times), len(f.table.coefficients[0])
    arrays = []
    for key, values in (("times", f.table.times), ("coefficients", flat)):
        first, *more, last = javascript_array([float(v) for v in values])
        arrays += [f"const {f.name}_{key} = {first}", *more, f"{last};"]
    value = f"on_pieces({n}, {terms}, {f.name}_times, {f.name}_coefficients, x)"
    if f.table.is_rate:
        value = f"x < {f.name}_times[0] || x > {f.name}_times[{n - 1}] ? 0 : {value}"
    return [*arrays, f"function {f.name}(x) {{", f"    return {value};", "}"]


class _JavaScriptAlgorithm(JavaScriptKernel):
    """A kernel around functions of the module."""

    def __init__(self, made: Artefact, algorithm: Algorithm) -> None:
        super().__init__(ir.inlined_form(algorithm.kernel))
        self.made, self.algorithm = made, algorithm

    def definition(self) -> list[str]:
        a, (state, size) = self.algorithm, self.algorithm.state
        results = [f"{k} = new Float64Array({n})" for k, n in a.results.items()]
        inputs = [("t", 1), (state, size), ("r", len(self.made.inputs)), ("p", 0), *a.more.items()]
        head = f"function {a.name}({', '.join([*(k for k, _ in inputs), *results])}) {{"
        lines = [f"// {in_one_line(a.about)}", head, *argument_checks(a.name, inputs)]
        lines += [f"    const {k} = new Float64Array({n});" for k, n in a.scratch.items()]
        lines += [f"    const {k} = {v};" for k, v in a.constants.items()]
        lines += [f"    const {k} = tables.{table};" for k, table in a.tables.items()]
        if any(p.name == ROUNDING for p in self.form.parameters):
            lines.append(f"    const {ROUNDING} = Number.EPSILON;")
        body = self.body()
        out = ", ".join(a.results)
        tail = [] if a.changes else [f"    return {out if len(a.results) == 1 else f'[{out}]'};"]
        return [*lines, *self.locals(), *body, *tail, "}"]

    def run(self, s: ir.ProgramCall) -> None:
        first, *more = [self.expression(e) for e in s.inputs]
        given = ["t", first, "r", "p", *more, *(self.expression(e) for e in s.outputs)]
        self.line(f"{self.algorithm.calls[s.function.name]}({', '.join(given)});")


def _readme(made: Artefact, module: JavaScriptModule) -> str:
    n, first = made.identifier, made.functions[0]
    names = ", ".join(f"`{f.name}`" for f in module.supplied)
    return readme(
        made, template(__package__, "README.md"), "", name=n, language=module.language, function=first.name, result=first.program.outputs[0].name,
        supplied=f"You supply `{n}_functions.js`, which exports {names}: functions of numbers." if names else "", machine_code=module.machine_code,
    )  # fmt: skip
