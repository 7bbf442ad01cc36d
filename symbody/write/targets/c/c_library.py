"""The C99 library of an artefact: one header, one source file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ....algebra.printing.target_names import UniqueNames, is_c_reserved
from ....derivation.equations.variable import Variable
from ....emit import ir
from ....escaping import as_c_string, in_block_comment
from ...artefacts.algorithms import DIVERGED
from ...artefacts.artefact import Artefact
from ...artefacts.describe import description_lines
from ...printers.templates import Template, template_parts
from .c_algorithm import CAlgorithm
from .c_arguments import check_externals, is_declared
from .c_helpers import CHelpers
from .c_printer import CUnit
from .c_style import DOUBLE, EMBEDDED, SINGLE, CRecord, CStyle

_SENSES: Final = {
    "event_directions": "Crossings of event functions that count: 1 rising, -1 falling, 0 both",
    "event_ends": "Whether a crossing ends the motion",
}


@dataclass(frozen=True)
class CVariant:
    """single: floats; embedded: nothing of the C library but sine, cosine and square root, which may be replaced; no
    texts."""

    single: bool = False
    embedded: bool = False

    @property
    def title(self) -> str:
        parts = ["single precision" if self.single else "double precision", "embedded" if self.embedded else ""]
        return ", ".join(p for p in parts if p)


class CLibrary:
    """Text of `name.h` and `name.c`."""

    def __init__(self, made: Artefact, variant: CVariant) -> None:
        self.made, self.variant = made, variant
        self.name, self.upper = made.identifier, made.identifier.upper()
        self.real = "float" if variant.single else "double"
        self.names = UniqueNames(is_c_reserved)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        names = UniqueNames(is_c_reserved)
        return tuple(names.new(v.name) for v in self.made.parameters) or ("unused",)

    @cached_property
    def style(self) -> CStyle:
        number = SINGLE if self.variant.single else DOUBLE
        functions = {f: f"{self.upper}_{f.upper()}" for f in EMBEDDED} if self.variant.embedded else {}
        records = {"p": CRecord(f"{self.name}_parameters", self.fields)}
        return CStyle(number, self.name, records, f"{self.upper}_NO_CHECKS", functions)

    @cached_property
    def helpers(self) -> CHelpers:
        return CHelpers(self.style, self.names)

    @cached_property
    def units(self) -> list[CUnit]:
        return [CUnit(f.program, self.style, self.helpers) for f in self.made.functions]

    @cached_property
    def algorithms(self) -> list[CAlgorithm]:
        return [CAlgorithm(self.made, a, self.style) for a in self.made.algorithms]

    # ------------------------------------------------------------------------------------------------ header

    def header(self) -> str:
        parts, made = template_parts(__package__, "header.h"), self.made
        tables = [f"extern const int {self.name}_{k}[{max(1, len(v))}];" for k, v in made.tables.items()]
        about = [f"{made.title}: C99, {self.variant.title}", "", *description_lines(made)]
        return parts["file"].filled(
            about=[f" * {in_block_comment(line)}".rstrip() for line in about], name=self.name, upper=self.upper, sizes=self._sizes(),
            diverged=DIVERGED, fields=self._field_lines(), hooks=self._hooks(), start=self._start(), functions=self._prototypes(),
            many=parts["many"].filled(prototype=self._of_many()) if made.has("rhs") else "", algorithms=self._algorithm_prototypes(),
            patterns=parts["patterns"].filled(tables=tables) if tables else "",
            senses="\n\n".join(f"/* {_SENSES[k]} */\nextern const int {self.name}_{k}[{len(v)}];" for k, v in self._senses().items()),
            texts=[f"extern const char *const {self.name}_{k}[{len(v)}];" for k, v in self._texts().items()],
        ) + "\n"  # fmt: skip

    def _sizes(self) -> list[str]:
        m = self.made
        sizes = {"NX": len(m.state), "NR": len(m.inputs), "NP": len(m.parameters)}
        for f in m.functions:
            for out in f.program.outputs:
                sizes[f"{f.name}_{out.name}_SIZE".upper()] = len(out.values)
        for a in m.algorithms:
            sizes |= {f"{a.name}_{k}_SIZE".upper(): n for k, n in (a.state, *a.results.items(), *a.more.items())}
        return [f"#define {self.upper}_{k} {n}" for k, n in sizes.items()]

    def _field_lines(self) -> list[str]:
        lines = []
        rows: Sequence[Variable | None] = self.made.parameters or (None,)
        for name, v in zip(self.fields, rows, strict=True):
            about = "" if v is None else " ".join(t for t in (f"[{v.unit}]" if v.unit else "", v.description) if t)
            lines.append(f"{self.real} {name};" + (f" /* {in_block_comment(about)} */" if about else ""))
        return lines

    def _hooks(self) -> list[str]:
        hooks = [f for f in self.made.externals if is_declared(f)]
        declared = [f"double {f.name}({', '.join(['double'] * f.arity)});" for f in hooks]
        return ["/* Functions that you supply */", *declared] if hooks else []

    def _start(self) -> str:
        n_r, real = len(self.made.inputs), self.real
        inputs = f"r[{n_r}]" if n_r else "*r"
        return f"void {self.name}_initial_state({real} *t, {real} x[{max(1, len(self.made.state))}], {real} {inputs})"

    def _prototypes(self) -> str:
        functions = zip(self.made.functions, self.units, strict=True)
        texts = [f"/* {in_block_comment(f.about)}; {f.program.cost} */\n{unit.prototype()};" for f, unit in functions]
        return "\n\n".join(texts)

    def _algorithm_prototypes(self) -> str:
        algorithms = zip(self.made.algorithms, self.algorithms, strict=True)
        return "\n\n".join(f"/* {in_block_comment(a.about)} */\n{text.prototype()};" for a, text in algorithms)

    def _of_many(self) -> str:
        n, real = self.name, self.real
        return (
            f"int {n}_rhs_of_many(long count, {real} t, const {real} *x, const {real} *r, const {n}_parameters "
            f"*p, {real} *xdot)"
        )

    def _senses(self) -> dict[str, list[int]]:
        """Of each event function the direction that counts, and whether a crossing ends the motion."""
        if not self.made.has("events"):
            return {}
        senses = self.made.event_senses
        return {"event_directions": [s for s, _ in senses], "event_ends": [int(ends) for _, ends in senses]}

    def _texts(self) -> dict[str, list[str]]:
        """Names and units, in order."""
        if self.variant.embedded:
            return {}
        m = self.made
        out: dict[str, list[str]] = {}
        for what, rows in (("state", m.state), ("input", m.inputs), ("parameter", m.parameters)):
            out |= {f"{what}_names": [v.name for v in rows], f"{what}_units": [v.unit for v in rows]}
        for f in m.functions:
            out |= {f"{f.name}_{k}_names": list(names) for k, names in f.names.items()}
        return {k: v for k, v in out.items() if v}

    # ------------------------------------------------------------------------------------------------ source

    def source(self) -> str:
        for f in self.made.functions:
            check_externals(f.program)
        definitions = [text for unit in self.units for text in unit.definitions()]
        algorithms = [a.definition() for a in self.algorithms]
        parts = template_parts(__package__, "library.c")
        many = (
            [parts["many"].filled(prototype=self._of_many(), name=self.name, upper=self.upper) + "\n"]
            if self.made.has("rhs")
            else []
        )
        helpers = [
            *self.helpers.texts.values(),
            *self._tables(),
            *dict.fromkeys(text for u in self.units for text in u.macros),
        ]
        literal, (t, x, r) = self.style.number.literal, self.made.start
        defaults = zip(self.fields, self.made.defaults or (0.0,), strict=True)
        start = [f"*t = {literal(t)};", *([f"x[{k}] = {literal(v)};" for k, v in enumerate(x)] or ["(void)x;"])]
        return parts["file"].filled(
            title=in_block_comment(self.made.title), hash=self.made.hash, version=self.made.version, name=self.name, upper=self.upper,
            mathematics=self._mathematics(parts), written="\n\n".join(f.c.strip() for f in self.made.externals if f.c is not None), real=self.real,
            zero=literal(0.0), helpers="\n".join(helpers), defaults=[f"p->{f} = {literal(v)};" for f, v in defaults], start=self._start(),
            start_values=[*start, *([f"r[{k}] = {literal(v)};" for k, v in enumerate(r)] or ["(void)r;"])],
            definitions="\n".join([*definitions, *many, *algorithms]),
        ) + "\n"  # fmt: skip

    def _mathematics(self, parts: dict[str, Template]) -> str:
        if not self.variant.embedded:
            return "#include <math.h>"
        text, ending = parts["embedded_function"], self.style.number.ending
        functions = [text.filled(upper=self.upper, macro=f.upper(), function=f"{f}{ending}") for f in EMBEDDED]
        return parts["embedded"].filled(upper=self.upper, functions=functions)

    def _tables(self) -> list[str]:
        out = []
        for name, values in (*self.made.tables.items(), *self._senses().items()):
            entries = [str(v) for v in values] or ["0"]
            out.append(
                "\n".join(
                    [f"const int {self.name}_{name}[{len(entries)}] = {{", *ir.comma_lines(entries, "    "), "};", ""]
                )
            )
        for name, texts in self._texts().items():
            quoted = [as_c_string(t) for t in texts]
            out.append(
                "\n".join(
                    [
                        f"const char *const {self.name}_{name}[{len(texts)}] = {{",
                        *ir.comma_lines(quoted, "    "),
                        "};",
                        "",
                    ]
                )
            )
        return out
