"""The Rust target: a crate without the standard library, a check, Cargo.toml, Makefile, README."""

from __future__ import annotations

from typing import Final

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import UniqueNames, is_rust_reserved
from ....emit.loops.checked import basic_types, checked
from ....emit.loops.form import Run
from ....emit.loops.kernels import ELIMINATION, on_pieces
from ....emit.loops.language import Kernel
from ....escaping import as_rust_string, in_one_line
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.describe import described
from ...artefacts.readme import LanguageWords, readme
from .rust_check import rust_check
from .rust_kernels import RustKernel, simple_rust
from .rust_printer import RustText, rust_array, rust_head, rust_literal

_TEXTS: Final = {"STATE_NAMES": "name", "STATE_UNITS": "unit"}
_HELPERS: Final = (*_TEXTS, "initial_state", *(k.__name__ for k in (*ELIMINATION, on_pieces)))
_OWN: Final = {  # functions of mathematics that need no C library
    "abs": "if x < 0.0 { -x } else { x }",
    "sign": "if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }",
    "min": "if x <= y { x } else { y }",
    "max": "if x >= y { x } else { y }",
}
_TWO: Final = ("min", "max", "pow", "atan2")  # arguments


def rust_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    crate = RustCrate(made)
    library = crate.text()
    files = {"src/lib.rs": library, "src/math.rs": _mathematics(crate.mathematics)}
    files |= {"examples/check.rs": rust_check(made, crate.name), "Cargo.toml": _manifest(crate.name)}
    return {**files, "Makefile": _makefile(crate.name), "README.md": readme(made, _words(made, crate))}


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
        """External functions that whoever uses the crate writes in Rust."""
        return [f for f in self.made.externals if f.table is None]

    def text(self) -> str:
        made = self.made
        definitions = [
            t.definition(in_one_line(f"{f.about}; {f.program.cost}"))
            for t, f in zip(self.texts, made.functions, strict=True)
        ]
        kernels: list[Kernel] = list(dict.fromkeys(k for t in self.texts for k in t.kernels))
        kernels += [on_pieces] if any(f.table for f in made.externals) else []
        loops = [_RustAlgorithm(made, a) for a in made.algorithms]
        self.mathematics.update(*(t.mathematics for t in self.texts), *(a.functions for a in loops))
        parts = [self._head(), self._parameters(), self._start(), *self._tables(), _FINITE]
        parts += [*map(simple_rust, kernels), *(_lookup(f) for f in made.externals if f.table is not None)]
        parts += [*definitions, *(a.definition() for a in loops)]
        return "\n\n".join("\n".join(p) for p in parts) + "\n"

    def _head(self) -> list[str]:
        about = [f"{self.made.title}: Rust", "", *described(self.made), "", *_ABOUT]
        lines = [f"//! {in_one_line(line)}".rstrip() for line in about]
        lines += ["", "#![no_std]", f"#![allow({', '.join(_ALLOWED)})]", "", "mod math;"]
        if self.supplied:
            lines += ["mod functions;", f"use functions::{{{', '.join(f.name for f in self.supplied)}}};"]
        sizes = {"NX": self.made.state, "NR": self.made.inputs}
        lines += ["", 'const CHECKS: bool = cfg!(not(feature = "unchecked"));']
        lines += [f"pub const {k}: usize = {len(v)};" for k, v in sizes.items()]
        for key, field in _TEXTS.items():
            texts = [as_rust_string(getattr(v, field)) for v in self.made.state]
            lines += [f"pub static {key}: [&str; NX] = [", *(f"    {t}," for t in texts), "];"]
        return [*lines, "", *_ERROR]

    def _parameters(self) -> list[str]:
        rows = list(zip(self.fields, self.made.parameters, self.made.defaults, strict=True))
        abouts = [in_one_line(", ".join(t for t in (v.with_unit, v.description) if t)) for _, v, _ in rows]
        fields = [
            line for (f, _, _), a in zip(rows, abouts, strict=True) for line in (f"    /// {a}", f"    pub {f}: f64,")
        ]
        values = ", ".join(f"self.{f}" for f in self.fields)
        return [
            "#[derive(Clone, Copy, Debug, PartialEq)]", "pub struct Parameters {", *fields, "}", "",
            "impl Default for Parameters {", "    /// As in the model.", "    fn default() -> Parameters {",
            "        Parameters {", *(f"            {f}: {rust_literal(v)}," for f, _, v in rows), "        }", "    }", "}", "",
            "impl Parameters {", "    fn is_finite(&self) -> bool {", f"        finite(&[{values}])", "    }", "}",
        ]  # fmt: skip

    def _start(self) -> list[str]:
        t, x, r = self.made.start
        xs, rs = (", ".join(map(rust_literal, v)) for v in (x, r))
        return [
            "/// t, x, r where motions begin.",
            "pub fn initial_state() -> (f64, [f64; NX], [f64; NR]) {",
            f"    ({rust_literal(t)}, [{xs}], [{rs}])",
            "}",
        ]

    def _tables(self) -> list[list[str]]:
        """Patterns of compressed rows: where each row starts, the end, then columns."""
        return [
            ["pub " + head, *more] for head, *more in (rust_array(k.upper(), v) for k, v in self.made.tables.items())
        ]


_ABOUT: Final = (
    (
        "Functions write into slices that they are given, allocate nothing and have no state. They look at "
        "lengths, and at numbers that are not"
    ),
    "finite unless the feature `unchecked` is on. Matrices are flat, row after row; a single number is a slice of one.",
)
_ALLOWED: Final = (
    "non_snake_case", "non_upper_case_globals", "unused_parens", "unused_mut", "unused_variables", "unused_assignments", "dead_code",
    "confusable_idents", "clippy::all",
)  # fmt: skip
_ERROR: Final = [
    "#[derive(Clone, Copy, Debug, PartialEq, Eq)]", "pub enum Error {", "    /// A slice has fewer numbers than are read or written.", "    TooShort,",
    "    /// An argument is infinite or not a number.", "    NotFinite,", "    /// Corrections of a state do not end.", "    Diverged,", "}",
]  # fmt: skip
_FINITE: Final = [
    "fn finite(numbers: &[f64]) -> bool {",
    "    numbers.iter().all(|v| v.is_finite())",
    "}",
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
        super().__init__(checked(algorithm.kernel, basic_types(algorithm.kernel)))
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

    def run(self, s: Run) -> None:
        first, *more = [self.expression(e) for e in s.inputs]
        given = ["t", first, "r", "p", *more, *(self.expression(e) for e in s.outputs)]
        self.line(f"{self.algorithm.calls[s.function.name]}({', '.join(given)})?;")


# ---------------------------------------------------------------------------------------------------- other files


def _mathematics(names: set[str]) -> str:
    lines = [
        (
            "//! Functions of mathematics that the crate calls: those of the C library. Where there is none, put "
            "others here, such as those of the"
        ),
        "//! crate libm (`pub use libm::{sin, cos, sqrt};`).",
        "",
    ]
    theirs = sorted(names - set(_OWN))
    if theirs:
        lines += [
            "mod library {",
            '    #[cfg_attr(all(unix, not(target_vendor = "apple")), link(name = "m"))]',
            '    extern "C" {',
        ]
        lines += [f"        pub fn {n}({_typed(n)}) -> f64;" for n in theirs] + ["    }", "}", ""]
    for n in sorted(names):
        given = "x, y" if n in _TWO else "x"
        value = _OWN.get(n) or f"unsafe {{ library::{n}({given}) }}"
        lines += ["#[inline]", f"pub fn {n}({_typed(n)}) -> f64 {{", f"    {value}", "}", ""]
    return "\n".join(lines)


def _typed(name: str) -> str:
    return "x: f64, y: f64" if name in _TWO else "x: f64"


def _manifest(name: str) -> str:
    return f"""\
[package]
name = "{name}"
version = "1.0.0"
edition = "2021"

[features]
unchecked = [] # functions do not look whether numbers are finite

[workspace]
"""


def _makefile(name: str) -> str:
    return f"""\
# make check builds the crate and its check by rustc alone, and runs it. With cargo: cargo run --release --example check
RUSTC ?= rustc
RUSTFLAGS ?= -O

check: check_{name}
	./check_{name}

check_{name}: lib{name}.rlib examples/check.rs
	$(RUSTC) $(RUSTFLAGS) --edition 2021 --crate-name check_{name} --extern {name}=lib{name}.rlib examples/check.rs -o $@

lib{name}.rlib: $(wildcard src/*.rs)
	$(RUSTC) $(RUSTFLAGS) --edition 2021 --crate-type rlib --crate-name {name} src/lib.rs -o $@

clean:
	rm -f lib{name}.rlib check_{name}

.PHONY: check clean
"""


def _words(made: Artefact, crate: RustCrate) -> LanguageWords:
    n, first = crate.name, made.functions[0]
    out = first.program.outputs[0]
    example = f"""\
let (t, x, r) = {n}::initial_state();
let p = {n}::Parameters::default();
let mut {out.name} = [0.0; {len(out.values)}];
{n}::{first.name}(t, &x, &r, &p, &mut {out.name})?;"""
    more = [
        (
            "With cargo: `cargo run --release --example check`. The crate needs neither the standard library nor "
            "an allocator."
        )
    ]
    files = {
        "src/lib.rs": "the crate", "src/math.rs": "sine, cosine and so on, from the C library", "examples/check.rs": "checks it",
        "Cargo.toml, Makefile": "build files",
    }  # fmt: skip
    if crate.supplied:
        shown = ", ".join(f"`pub fn {f.name}({', '.join(['f64'] * f.arity)}) -> f64`" for f in crate.supplied)
        more.append(f"You supply `src/functions.rs` with {shown}.")
    return LanguageWords("a Rust crate (`no_std`)", "make check", example, "rust", f"{n}::", files, tuple(more))
