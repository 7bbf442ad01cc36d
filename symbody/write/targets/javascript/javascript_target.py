"""The JavaScript target: one module without dependencies, a check by node, README."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import UniqueNames, is_javascript_reserved
from ....derivation.equations.variables import Variable
from ....emit.loops.checked import basic_types, checked
from ....emit.loops.form import Run
from ....emit.loops.kernels import ELIMINATION, on_pieces
from ....emit.loops.language import Kernel
from ....escaping import as_script_data, in_one_line
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.describe import described
from ...artefacts.readme import LanguageWords, readme
from .javascript_check import javascript_check
from .javascript_kernels import JavaScriptKernel, simple_javascript
from .javascript_printer import JavaScriptText, argument_checks, javascript_array, javascript_literal

_HELPERS: Final = ("checked", "checkedParameters", "rest", *(k.__name__ for k in (*ELIMINATION, on_pieces)))
_OFFERED: Final = ("state", "inputs", "parameters", "defaultParameters", "initialState", "tables")


def javascript_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    name, module = made.identifier, JavaScriptModule(made)
    files = {
        f"{name}.js": module.text(),
        f"{name}_check.js": javascript_check(made),
        "package.json": package_file(name),
    }
    return {**files, "README.md": readme(made, javascript_words(made, module.supplied))}


def package_file(name: str) -> str:
    """The package.json of a folder."""
    package = {"name": name.lower(), "version": "1.0.0", "type": "module", "main": f"{name}.js", "private": True}
    return json.dumps(package | {"scripts": {"check": f"node {name}_check.js"}}, indent=2) + "\n"


class JavaScriptModule:
    """Text of the module."""

    language = "JavaScript"

    def __init__(self, made: Artefact) -> None:
        self.made = made
        names = UniqueNames(is_javascript_reserved)
        self.fields = tuple(names.new(v.name) for v in made.parameters)
        known = frozenset([*_HELPERS, *_OFFERED, *made.names, *(f.name for f in made.externals)])
        self.texts = [JavaScriptText(f.program, f.name, self.fields, known) for f in made.functions]

    @property
    def supplied(self) -> list[ExternalFunction]:
        """External functions that whoever uses the module writes in JavaScript; text in C is of no use here."""
        return [f for f in self.made.externals if f.table is None]

    @property
    def offered(self) -> list[str]:
        """Names that the module exports."""
        return [*_OFFERED, *self.made.names]

    def text(self) -> str:
        imported = []
        if self.supplied:
            names = ", ".join(f.name for f in self.supplied)
            imported = [f'import {{ {names} }} from "./{self.made.identifier}_functions.js";', ""]
        return "\n".join([*self._head(), *imported, self.body(), "", f"export {{ {', '.join(self.offered)} }};", ""])

    def body(self, checks: bool = True) -> str:
        """Everything but imports and exports: also the inside of a function in a page."""
        made = self.made
        definitions = self.definitions()
        kernels = self.kernels() + ([on_pieces] if any(f.table for f in made.externals) else [])
        parts = [self._variables(checks), self._defaults(), self._start(), self._tables(), _CHECKED]
        parts += [simple_javascript(k) for k in kernels]
        parts += [_lookup(f) for f in made.externals if f.table is not None]
        parts += [*definitions, *(_JavaScriptAlgorithm(made, a).definition() for a in made.algorithms)]
        return "\n\n".join("\n".join(p) for p in parts)

    def definitions(self) -> list[list[str]]:
        """The functions."""
        abouts = [in_one_line(f"{f.about}; {f.program.cost}") for f in self.made.functions]
        return [t.definition(a) for t, a in zip(self.texts, abouts, strict=True)]

    def kernels(self) -> list[Kernel]:
        """Loops that functions call, known once these are written."""
        return list(dict.fromkeys(k for t in self.texts for k in t.kernels))

    def _head(self) -> list[str]:
        about = [f"{self.made.title}: {self.language}", "", *described(self.made)]
        about += ["", "Functions refuse arguments that are too short or not finite by a RangeError, unless CHECKS is false.",
                  (
                          "They write into arrays that they are given, or make new ones, and return them. project "
                          "returns 0, or 4 where it does not end.")]  # fmt: skip
        return [f"// {in_one_line(line)}".rstrip() for line in about] + [""]

    def _variables(self, checks: bool) -> list[str]:
        made = self.made
        groups = {"state": made.state, "inputs": made.inputs, "parameters": made.parameters}
        lines = [f"const CHECKS = {'true' if checks else 'false'}; // whether functions look at their arguments"]
        for key, rows in groups.items():
            fields = self.fields if key == "parameters" else tuple(v.name for v in rows)
            lines += [f"const {key} = [", *(_variable(f, v) for f, v in zip(fields, rows, strict=True)), "];"]
        return lines

    def _defaults(self) -> list[str]:
        values = zip(self.fields, self.made.defaults, strict=True)
        pairs = [f"        {f}: {javascript_literal(v)}," for f, v in values]
        return ["function defaultParameters() {", "    return {", *pairs, "    };", "}"]

    def _start(self) -> list[str]:
        t, x, r = self.made.start
        xs, rs = (", ".join(map(javascript_literal, v)) for v in (x, r))
        return [
            "function initialState() {",
            f"    return {{ t: {javascript_literal(t)}, x: Float64Array.of({xs}), r: Float64Array.of({rs}) }};",
            "}",
        ]

    def _tables(self) -> list[str]:
        """Patterns of compressed rows: where each row starts, the end, then columns."""
        lines = ["const tables = {"]
        for key, values in self.made.tables.items():
            first, *more, last = javascript_array(values)
            lines += [f"    {key}: {first}", *(f"    {line}" for line in more), f"    {last},"]
        return [*lines, "};"]


def _variable(field: str, v: Variable) -> str:
    given = {"name": field, "unit": v.unit, "description": v.description or v.kind}
    return f"    {as_script_data({k: in_one_line(t) for k, t in given.items()})},"


_CHECKED: Final = [
    "function checked(name, key, values, size) {",
    "    if (values.length < size) throw new RangeError(`${name}: ${key} has ${size} numbers, got ${values.length}`);",
    "    for (let k = 0; k < size; k++) {",
    "        if (!Number.isFinite(values[k])) throw new RangeError(`${name}: ${key}[${k}] is ${values[k]}`);",
    "    }",
    "}",
    "",
    "function checkedParameters(name, p) {",
    "    for (const { name: key } of parameters) {",
    "        if (!Number.isFinite(p[key])) throw new RangeError(`${name}: parameter ${key} is ${p[key]}`);",
    "    }",
    "}",
    "",
    "function rest(array, start) {",
    "    return Array.isArray(array) ? array.slice(start) : array.subarray(start);",
    "}",
]


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
        super().__init__(checked(algorithm.kernel, basic_types(algorithm.kernel)))
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

    def run(self, s: Run) -> None:
        first, *more = [self.expression(e) for e in s.inputs]
        given = ["t", first, "r", "p", *more, *(self.expression(e) for e in s.outputs)]
        self.line(f"{self.algorithm.calls[s.function.name]}({', '.join(given)});")


def javascript_words(
    made: Artefact, supplied: list[ExternalFunction], title: str = "a JavaScript module", beside: Mapping[str, str] | None = None
) -> LanguageWords:  # fmt: skip
    n, first = made.identifier, made.functions[0]
    example = f"""\
import * as model from "./{n}.js";

const {{ t, x, r }} = model.initialState();
const p = model.defaultParameters();             // an object: names and values
const {first.program.outputs[0].name} = model.{first.name}(t, x, r, p);     // last arguments: arrays to write into"""
    more = [
        (
            "Nothing else is needed, in node or in a browser. Matrices are flat, row after row; a single number "
            "is an array of one."
        )
    ]
    files = {f"{n}.js": "the module", f"{n}_check.js": "checks it", "package.json": "for node"} | dict(beside or {})
    if supplied:
        names = ", ".join(f"`{f.name}`" for f in supplied)
        more.append(f"You supply `{n}_functions.js`, which exports {names}: functions of numbers.")
    return LanguageWords(title, f"node {n}_check.js", example, "js", "", files, tuple(more))
