"""The C99 library of an artefact: one header, one source file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ....algebra.printing.target_names import UniqueNames, is_c_reserved
from ....derivation.equations.variables import Variable
from ....emit import ir
from ....escaping import as_c_string, in_block_comment
from ...artefacts.algorithms import DIVERGED
from ...artefacts.artefact import Artefact
from ...artefacts.describe import described
from .c_algorithm import CAlgorithm
from .c_arguments import check_externals, is_declared
from .c_printer import NOT_INLINE, CHelpers, CUnit
from .c_style import DOUBLE, EMBEDDED, SINGLE, CRecord, CStyle

STATUS: Final = {
    "OK": 0,
    "NULL_ARGUMENT": 1,
    "OVERLAPPING_ARGUMENTS": 2,
    "ARGUMENT_NOT_FINITE": 3,
    "DIVERGED": DIVERGED,
}


_SENSES: Final = {
    "event_directions": "Crossings of event functions that count: 1 rising, -1 falling, 0 both",
    "event_ends": "Whether a crossing ends the motion",
}
_OF_MANY: Final = (
    "x' of many states, which lie one after the other; inputs and parameters are the same for all. Compiled with "
    "OpenMP: on all cores. Returns the largest status"
)
_MANY: Final = """\
{0}
{{
    int status = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(max : status)
#endif
    for (long k = 0; k < count; k++) {{
        const int found = {n}_rhs(t, x + k * {N}_NX, r, p, xdot + k * {N}_NX);
        if (found > status) {{
            status = found;
        }}
    }}
    return status;
}}
"""


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
        guard = f"SYMBODY_{self.upper}_H"
        parts = [
            self._comment(), f"#ifndef {guard}", f"#define {guard}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
            *self._sizes(), "", *self._status(), "", *self._parameters(), "", *self._hooks(), *self._declarations(), "",
            "#ifdef __cplusplus", "}", "#endif", "", "#endif", "",
        ]  # fmt: skip
        return "\n".join(parts)

    def _comment(self) -> str:
        lines = [f"{self.made.title}: C99, {self.variant.title}", "", *described(self.made)]
        lines += [
            "",
            (
                "Every function returns 0, or a status that says what is wrong with its arguments. They allocate "
                "nothing, have no state of"
            ),
            (
                "their own and may run in several threads at once. Results may not overlap what is read. "
                "Matrices lie row after row."
            ),
            f"Compiled with -D{self.upper}_NO_CHECKS, functions do not look at their arguments.",
        ]
        return "\n".join(["/*", *(f" * {in_block_comment(line)}".rstrip() for line in lines), " */"])

    def _sizes(self) -> list[str]:
        m = self.made
        sizes = {"NX": len(m.state), "NR": len(m.inputs), "NP": len(m.parameters)}
        for f in m.functions:
            for out in f.program.outputs:
                sizes[f"{f.name}_{out.name}_SIZE".upper()] = len(out.values)
        for a in m.algorithms:
            sizes |= {f"{a.name}_{k}_SIZE".upper(): n for k, n in (a.state, *a.results.items(), *a.more.items())}
        return ["/* How many numbers */", *(f"#define {self.upper}_{k} {n}" for k, n in sizes.items())]

    def _status(self) -> list[str]:
        names = [f"    {self.upper}_{k} = {v}" for k, v in STATUS.items()]
        return ["/* What functions return */", "enum {", ",\n".join(names), "};"]

    def _parameters(self) -> list[str]:
        lines = ["/* Parameters */", "typedef struct {"]
        rows: Sequence[Variable | None] = self.made.parameters or (None,)
        for name, v in zip(self.fields, rows, strict=True):
            about = "" if v is None else " ".join(t for t in (f"[{v.unit}]" if v.unit else "", v.description) if t)
            lines.append(f"    {self.real} {name};" + (f" /* {in_block_comment(about)} */" if about else ""))
        return [*lines, f"}} {self.name}_parameters;"]

    def _hooks(self) -> list[str]:
        hooks = [f for f in self.made.externals if is_declared(f)]
        if not hooks:
            return []
        declared = [f"double {f.name}({', '.join(['double'] * f.arity)});" for f in hooks]
        return ["/* Functions that you supply */", *declared, ""]

    def _declarations(self) -> list[str]:
        n, real, n_r = self.name, self.real, len(self.made.inputs)
        out = [
            "/* Parameters as in the model */", f"void {n}_default_parameters({n}_parameters *p);", "",
            "/* Where motions begin */",
            (
                    f"void {n}_initial_state({real} *t, {real} x[{max(1, len(self.made.state))}], {real} "
                    f"{f'r[{n_r}]' if n_r else '*r'});"), "",
        ]  # fmt: skip
        for f, unit in zip(self.made.functions, self.units, strict=True):
            out += [f"/* {in_block_comment(f.about)}; {f.program.cost} */", f"{unit.prototype()};", ""]
        if self.made.has("rhs"):
            out += [f"/* {_OF_MANY} */", f"{self._of_many()};", ""]
        for a, text in zip(self.made.algorithms, self.algorithms, strict=True):
            out += [f"/* {in_block_comment(a.about)} */", f"{text.prototype()};", ""]
        if self.made.tables:
            out.append(
                "/* Compressed rows of sparse results: where each row starts among the entries, and the end; "
                "then the column of each entry */"
            )
            out += [f"extern const int {n}_{k}[{max(1, len(v))}];" for k, v in self.made.tables.items()]
            out.append("")
        for name, values in self._senses().items():
            out += [f"/* {_SENSES[name]} */", f"extern const int {n}_{name}[{len(values)}];", ""]
        for name, texts in self._texts().items():
            out.append(f"extern const char *const {n}_{name}[{len(texts)}];")
        return out

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
        many = [_MANY.format(self._of_many(), n=self.name, N=self.upper)] if self.made.has("rhs") else []
        written = [f.c.strip() + "\n" for f in self.made.externals if f.c is not None]
        parts = [
            (
                    f"/* {in_block_comment(self.made.title)}: {self.made.hash}, symbody {self.made.version}; see "
                    f"{self.name}.h */\n"),
            f'#include "{self.name}.h"\n', self._mathematics(), *written, self._finite(), *self.helpers.texts.values(), *self._tables(),
            *([NOT_INLINE] if any(u.is_in_pieces for u in self.units) else []), *self._constants(), *definitions, *many, *algorithms,
        ]  # fmt: skip
        return "\n".join(parts)

    def _mathematics(self) -> str:
        if not self.variant.embedded:
            return "#include <math.h>\n"
        ending = self.style.number.ending
        lines = [f"/* Define {self.upper}_{EMBEDDED[0].upper()} and the others to use functions of your own. */"]
        lines += ["#include <math.h>"]
        for f in EMBEDDED:
            lines += [f"#ifndef {self.upper}_{f.upper()}", f"#define {self.upper}_{f.upper()} {f}{ending}", "#endif"]
        return "\n".join([*lines, ""])

    def _finite(self) -> str:
        zero = self.style.number.literal(0.0)
        return "\n".join(
            [
                f"#ifndef {self.upper}_NO_CHECKS",
                f"static int {self.name}_is_finite(const {self.real} *v, int n)",
                "{",
                "    for (int k = 0; k < n; k++) {",
                f"        if (!(v[k] - v[k] == {zero})) {{",
                "            return 0;",
                "        }",
                "    }",
                "    return 1;",
                "}",
                "#endif",
                "",
            ]
        )

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

    def _constants(self) -> list[str]:
        m, literal = self.made, self.style.number.literal
        t, x, r = m.start
        n_r = len(m.inputs)
        defaults = [f"    p->{f} = {literal(v)};" for f, v in zip(self.fields, m.defaults or (0.0,), strict=True)]
        start = [f"    *t = {literal(t)};", *(f"    x[{k}] = {literal(v)};" for k, v in enumerate(x))]
        start += [] if x else ["    (void)x;"]
        start += [f"    r[{k}] = {literal(v)};" for k, v in enumerate(r)] or ["    (void)r;"]
        first = f"void {self.name}_default_parameters({self.name}_parameters *p)"
        second = (
            f"void {self.name}_initial_state({self.real} *t, {self.real} x[{max(1, len(x))}], {self.real} "
            f"{f'r[{n_r}]' if n_r else '*r'})"
        )
        return ["\n".join([first, "{", *defaults, "}", ""]), "\n".join([second, "{", *start, "}", ""])]
