"""The Rust target: a crate without the standard library, a check, Cargo.toml, Makefile, README."""

from __future__ import annotations

from typing import Final

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import UniqueNames, is_rust_reserved
from ....emit import ir
from ....escaping import as_rust_string, in_one_line
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import template, template_parts
from .rust_check import rust_check
from .rust_kernels import RustKernel, simple_rust
from .rust_printer import RustText, rust_head
from .rust_text import rust_array, rust_literal

_HELPERS: Final = (
    "STATE_NAMES",
    "STATE_UNITS",
    "initial_state",
    *(k.__name__ for k in (*ir.ELIMINATION_KERNELS, ir.on_pieces)),
)
_WITHOUT_C_LIBRARY: Final = {  # functions of mathematics that need no C library
    "abs": "if x < 0.0 { -x } else { x }",
    "sign": "if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }",
    "min": "if x <= y { x } else { y }",
    "max": "if x >= y { x } else { y }",
}
_OF_TWO_ARGUMENTS: Final = ("min", "max", "pow", "atan2")  # arguments


def rust_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    crate = RustCrate(made)
    library = crate.text()
    return {
        "src/lib.rs": library,
        "src/math.rs": _mathematics(crate.mathematics),
        "examples/check.rs": rust_check(made, crate.name),
        "Cargo.toml": template(__package__, "Cargo.toml").filled(name=crate.name),
        "Makefile": template(__package__, "Makefile").filled(name=crate.name),
        "README.md": _readme(made, crate),
    }


class RustCrate:
    """Text of the crate."""

    def __init__(self, made: Artefact) -> None:
        self.made, self.name = made, UniqueNames(is_rust_reserved).new(made.identifier)
        names = UniqueNames(is_rust_reserved)
        self.fields = tuple(names.new(v.name) for v in made.parameters)
        known = [*_HELPERS, *made.names, *map(str.upper, made.tables)]
        known += [n for f in made.externals for n in (f.name, *_constants(f))]
        self.texts = [RustText(f.program, f.name, self.fields, frozenset(known)) for f in made.functions]
        self.mathematics: set[str] = set()

    @property
    def supplied(self) -> list[ExternalFunction]:
        """External functions that the user of the crate writes in Rust."""
        return [f for f in self.made.externals if f.table is None]

    def text(self) -> str:
        made = self.made
        definitions = [
            t.definition(in_one_line(f"{f.about}; {f.program.cost}"))
            for t, f in zip(self.texts, made.functions, strict=True)
        ]
        kernels: list[ir.Kernel] = list(dict.fromkeys(k for t in self.texts for k in t.kernels))
        kernels += [ir.on_pieces] if any(f.table for f in made.externals) else []
        loops = [_RustAlgorithm(made, a) for a in made.algorithms]
        self.mathematics.update(*(t.mathematics for t in self.texts), *(a.functions for a in loops))
        parts = [*map(simple_rust, kernels), *(_lookup(f) for f in made.externals if f.table is not None)]
        parts += [*definitions, *(a.definition() for a in loops)]
        t, x, r = made.start
        return template(__package__, "lib.rs").filled(
            about=self._about(), supplied=self._supplied_lines(), n_x=len(made.state), n_r=len(made.inputs),
            state_names=[f"{as_rust_string(v.name)}," for v in made.state],
            state_units=[f"{as_rust_string(v.unit)}," for v in made.state],
            fields=self._field_lines(), values=", ".join(f"self.{f}" for f in self.fields),
            defaults=[f"{f}: {rust_literal(v)}," for f, v in zip(self.fields, made.defaults, strict=True)],
            t=rust_literal(t), x=", ".join(map(rust_literal, x)), r=", ".join(map(rust_literal, r)),
            tables="\n\n".join("\n".join(lines) for lines in self._tables()), definitions="\n\n".join("\n".join(p) for p in parts),
        )  # fmt: skip

    def _about(self) -> list[str]:
        about = [f"{self.made.title}: Rust", "", *description_lines(self.made)]
        return [f"//! {in_one_line(line)}".rstrip() for line in about]

    def _supplied_lines(self) -> list[str]:
        names = ", ".join(f.name for f in self.supplied)
        return ["mod functions;", f"use functions::{{{names}}};"] if self.supplied else []

    def _field_lines(self) -> list[str]:
        rows = zip(self.fields, self.made.parameters, strict=True)
        abouts = [(f, in_one_line(", ".join(t for t in (v.with_unit, v.description) if t))) for f, v in rows]
        return [line for f, about in abouts for line in (f"/// {about}", f"pub {f}: f64,")]

    def _tables(self) -> list[list[str]]:
        """Patterns of compressed rows: where each row starts, the end, then columns."""
        return [
            ["pub " + head, *more] for head, *more in (rust_array(k.upper(), v) for k, v in self.made.tables.items())
        ]


def _constants(f: ExternalFunction) -> tuple[str, str]:
    return f"{f.name.upper()}_TIMES", f"{f.name.upper()}_COEFFICIENTS"


def _lookup(f: ExternalFunction) -> list[str]:
    """A piecewise polynomial: constant before the first and after the last time; as a rate zero there."""
    assert f.table is not None
    (times, coefficients), n, terms = _constants(f), len(f.table.times), len(f.table.coefficients[0])
    lines = rust_array(times, [float(v) for v in f.table.times])
    lines += rust_array(coefficients, [float(c) for row in f.table.coefficients for c in row])
    outside = (
        [f"    if x < {times}[0] || x > {times}[{n - 1}] {{", "        return 0.0;", "    }"] if f.table.is_rate else []
    )
    value = f"    on_pieces({n}, {terms}, &{times}, &{coefficients}, x)"
    return [*lines, f"fn {f.name}(x: f64) -> f64 {{", *outside, value, "}"]


class _RustAlgorithm(RustKernel):
    """A kernel around functions of the crate."""

    def __init__(self, made: Artefact, algorithm: Algorithm) -> None:
        super().__init__(ir.inlined_form(algorithm.kernel))
        self.made, self.algorithm = made, algorithm

    def definition(self) -> list[str]:
        a, (state, size) = self.algorithm, self.algorithm.state
        inputs = [("t", 1), (state, size), ("r", len(self.made.inputs)), ("p", 0), *a.more.items()]
        head = rust_head(a.name, inputs, list(a.results.items()), state if a.changes else "")
        lines = [f"/// {in_one_line(a.about)}", *head]
        lines += [f"    let {k}: &mut [f64] = &mut [0.0; {n}];" for k, n in a.scratch.items()]
        lines += [f"    let {k}: usize = {v};" for k, v in a.constants.items()]
        lines += [f"    let {k} = &{table.upper()};" for k, table in a.tables.items()]
        if any(p.name == ROUNDING for p in self.form.parameters):
            lines.append(f"    let {ROUNDING} = f64::EPSILON;")
        return [*lines, *self.locals(), *self.body(), *([] if a.changes else ["    Ok(())"]), "}"]

    def returned(self, value: str | None) -> None:
        self.line("return Ok(());" if value in (None, "0") else "return Err(Error::Diverged);")

    def run(self, s: ir.ProgramCall) -> None:
        first, *more = [self.expression(e) for e in s.inputs]
        given = ["t", first, "r", "p", *more, *(self.expression(e) for e in s.outputs)]
        self.line(f"{self.algorithm.calls[s.function.name]}({', '.join(given)})?;")


# ---------------------------------------------------------------------------------------------------- other files


def _mathematics(names: set[str]) -> str:
    parts = template_parts(__package__, "math_parts.rs")
    theirs = [f"pub fn {n}({_typed_arguments(n)}) -> f64;" for n in sorted(names - set(_WITHOUT_C_LIBRARY))]
    definitions = []
    for n in sorted(names):
        value = _WITHOUT_C_LIBRARY.get(n) or f"unsafe {{ library::{n}({'x, y' if n in _OF_TWO_ARGUMENTS else 'x'}) }}"
        definitions.append(parts["definition"].filled(name=n, arguments=_typed_arguments(n), value=value) + "\n")
    return template(__package__, "math.rs").filled(
        library=parts["library"].filled(declarations=theirs) if theirs else "", definitions="\n".join(definitions)
    )


def _typed_arguments(name: str) -> str:
    return "x: f64, y: f64" if name in _OF_TWO_ARGUMENTS else "x: f64"


def _readme(made: Artefact, crate: RustCrate) -> str:
    first = made.functions[0]
    out = first.program.outputs[0]
    shown = ", ".join(f"`pub fn {f.name}({', '.join(['f64'] * f.arity)}) -> f64`" for f in crate.supplied)
    return readme(
        made, template(__package__, "README.md"), f"{crate.name}::", name=crate.name, function=first.name, result=out.name, size=len(out.values),
        supplied=f"You supply `src/functions.rs` with {shown}." if shown else "",
    )  # fmt: skip
