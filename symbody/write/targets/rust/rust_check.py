"""The check of a Rust crate: it calls every function and compares, then integrates and compares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ....emit.text.infix import filled
from ...artefacts.artefact import Artefact

AGREEMENT: Final = 1e-9


def rust_check(made: Artefact, crate: str) -> str:
    """Text of the main program."""
    point = made.check
    assert point is not None
    names = [n for n in made.names if n in point.values]
    head = [f"//! Checks the crate {crate}.", f"#![allow({_ALLOWED})]", "", f"use {crate} as model;"]
    main = ["fn main() {", "    let mut wrong = 0;", *(f"    check_{n}(&mut wrong);" for n in names)]
    main += ["    check_motion(&mut wrong);"] if made.reference else []
    parts = [head, [*main, *_END], _VERDICT, *(_one(made, n) for n in names)]
    parts += [_step(made), _motion(made)] if made.reference else []
    return "\n\n".join("\n".join(p) for p in parts) + "\n"


_ALLOWED: Final = "non_snake_case, unused_parens, unused_mut, unused_variables, clippy::all"
_END: Final = [
    '    println!("{}", if wrong > 0 { "SOMETHING IS WRONG" } else { "all good" });',
    "    std::process::exit(if wrong > 0 { 1 } else { 0 });",
    "}",
]
_VERDICT: Final = """\
fn difference(got: &[f64], wanted: &[f64]) -> f64 {
    let mut off = 0.0;
    let mut size = 0.0;
    for (g, w) in got.iter().zip(wanted) {
        let d = (g - w).abs();
        if !(d <= off) {
            off = d; // NaN stays
        }
        size = f64::max(size, w.abs());
    }
    off / (1.0 + size)
}

fn verdict(what: &str, status: Result<(), model::Error>, off: f64, allowed: f64, wrong: &mut usize) {
    let good = status.is_ok() && off <= allowed;
    println!("{:28} {} {:?}, off by {:.2e} of at most {:.2e}", what, if good { "good " } else { "WRONG" }, status, off, allowed);
    if !good {
        *wrong += 1;
    }
}""".splitlines()


def _array(name: str, values: Sequence[float]) -> list[str]:
    lines = filled([repr(v) for v in values], "        ", 110)
    return [f"    let {name}: [f64; {len(values)}] = [", *lines, "    ];"]


def _one(made: Artefact, name: str) -> list[str]:
    assert made.check is not None
    check = made.check.values[name]
    loop = next((a for a in made.algorithms if a.name == name), None)
    lines = [f"fn check_{name}(wrong: &mut usize) {{", *_array("x", made.check.x), *_array("r", made.check.r)]
    lines += ["    let p = model::Parameters::default();"]
    for key, arrays in (("in", check.inputs), ("wanted", check.outputs)):
        lines += [line for k, values in enumerate(arrays) for line in _array(f"{key}_{k}", values)]
    inputs = [f"&in_{k}" for k in range(len(check.inputs))]
    outputs = [f"&mut out_{k}" for k in range(len(check.outputs))]
    if loop is not None and loop.changes:
        lines += ["    let mut out_0 = in_0;"]
        given = [outputs[0], "&r", "&p"]
    else:
        lines += [f"    let mut out_{k} = [0.0; {len(v)}];" for k, v in enumerate(check.outputs)]
        first, *more = inputs if loop is not None else ["&x", *inputs]
        given = [first, "&r", "&p", *more, *outputs]
    worst = [f"    let off = f64::max(off, difference(&out_{k}, &wanted_{k}));" for k in range(1, len(outputs))]
    return [
        *lines, f"    let status = model::{name}({', '.join([_number(made.check.t), *given])});",
        "    let off = difference(&out_0, &wanted_0);", *worst,
        f'    verdict("{name}", status, off, {_number(AGREEMENT)}, wrong);', "}",
    ]  # fmt: skip


def _number(value: float) -> str:
    return f"{value!r}_f64"


def _step(made: Artefact) -> list[str]:
    n = len(made.state)
    project = ["    model::project(t + h, x, r, p)?;"] if made.has("project") else []
    return [
        f"fn along(x: &[f64; {n}], h: f64, k: &[f64; {n}]) -> [f64; {n}] {{", "    let mut y = *x;", f"    for i in 0..{n} {{",
        "        y[i] += h * k[i];", "    }", "    y", "}", "", "/// One step of the classical Runge-Kutta method.",
        f"fn step(t: f64, h: f64, x: &mut [f64; {n}], r: &[f64], p: &model::Parameters) -> Result<(), model::Error> {{",
        f"    let (mut k1, mut k2, mut k3, mut k4) = ([0.0; {n}], [0.0; {n}], [0.0; {n}], [0.0; {n}]);",
        "    model::rhs(t, &*x, r, p, &mut k1)?;", "    model::rhs(t + h / 2.0, &along(x, h / 2.0, &k1), r, p, &mut k2)?;",
        "    model::rhs(t + h / 2.0, &along(x, h / 2.0, &k2), r, p, &mut k3)?;", "    model::rhs(t + h, &along(x, h, &k3), r, p, &mut k4)?;",
        f"    for i in 0..{n} {{", "        x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);", "    }", *project, "    Ok(())", "}",
    ]  # fmt: skip


def _motion(made: Artefact) -> list[str]:
    ref, n = made.reference, len(made.state)
    assert ref is not None
    return [
        "/// The reference motion, by steps of a fixed length.", "fn check_motion(wrong: &mut usize) {", *_array("times", ref.times),
        *_array("states", [v for row in ref.states for v in row]), *_array("scales", ref.scales),
        "    let (t, mut x, r) = model::initial_state();", "    let p = model::Parameters::default();", "    let mut status = Ok(());",
        "    let mut worst: f64 = 0.0;", f"    for k in 0..{len(ref.times) - 1} {{", f"        let h = (times[k + 1] - times[k]) / {float(ref.steps)!r};",
        f"        for s in 0..{ref.steps} {{", "            if status.is_ok() {", "                status = step(times[k] + h * s as f64, h, &mut x, &r, &p);",
        "            }", "        }", f"        for i in 0..{n} {{", f"            let off = (x[i] - states[(k + 1) * {n} + i]).abs() / scales[i];",
        "            if !(off <= worst) {", "                worst = off;", "            }", "        }", "    }",
        f'    verdict("motion", status, worst, {_number(ref.tolerance)}, wrong);', "}",
    ]  # fmt: skip
