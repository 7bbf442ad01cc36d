"""Models as Rust crates without the standard library: each builds without warnings by rustc, and checks itself."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.write.targets.rust.rust_target import rust_files
from tests.installed import good, installed, make_check, run_in

from .hostile_model import hostile
from .models import WRONG_STEP, everything, operations, pendulums, written

STRICT = "-C opt-level=0 -C debug-assertions=on -D warnings"
FUNCTIONS = """\
pub fn damper_force(v: f64) -> f64 {
    v + v * v * v
}

pub fn damper_slope(v: f64) -> f64 {
    1.0 + 3.0 * v * v
}
"""


def checked(folder: Path, flags: str = STRICT) -> subprocess.CompletedProcess[str]:
    installed("rustc", "rustc")
    return make_check(folder, f"RUSTFLAGS={flags}")


def assert_good(folder: Path) -> str:
    return good(checked(folder))


def test_constraints_inputs_samples_and_functions_you_supply(tmp_path: Path) -> None:
    folder = written(tmp_path, rust_files(everything()))
    (folder / "src" / "functions.rs").write_text(FUNCTIONS)
    said = assert_good(folder)
    for name in "rhs project multipliers events rhs_adjoint variational_jacobian variational_residual motion".split():
        assert re.search(rf"^{name} +good", said, re.MULTILINE), name


def test_higher_variations(tmp_path: Path) -> None:
    assert_good(sb.write.rust(pendulums(), tmp_path, functions="all", start={"q1": 0.5}, reference=0.1))


def test_cargo(tmp_path: Path) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed (Debian package cargo)")
    folder = sb.write.rust(pendulums(), tmp_path, functions=["rhs"], reference=0.1)
    good(run_in(folder, ["cargo", "run", "--offline", "--quiet", "--example", "check"]))


FIRMWARE = """\
#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
#[no_mangle]
pub extern "C" fn rates(x: &[f64; 4], out: &mut [f64; 4]) -> i32 {
    match pendulums::rhs(0.0, x, &[], &pendulums::Parameters::default(), out) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}
"""
MAIN = """\
#include <stdio.h>
int rates(const double *, double *);
int main(void)
{
    double x[4] = {0.5, -0.3, 0.2, 1.0}, out[4];
    int status = rates(x, out);
    printf("%d %.17g %.17g %.17g %.17g", status, out[0], out[1], out[2], out[3]);
    return 0;
}
"""


def test_bare_metal(tmp_path: Path) -> None:
    """Without a standard library and without unwinding, as firmware is built: of other code it needs only functions of
    mathematics."""
    folder = sb.write.rust(pendulums(), tmp_path, functions=["rhs"], reference=None)
    checked(folder)  # skips without rustc
    (folder / "firmware.rs").write_text(FIRMWARE)
    (folder / "main.c").write_text(MAIN)
    bare = ["rustc", "--edition", "2021", "-C", "panic=abort", "-C", "opt-level=2", "-D", "warnings"]
    commands = [
        [*bare, "--crate-type", "rlib", "--crate-name", "pendulums", "src/lib.rs"],
        [*bare, "--crate-type", "staticlib", "--extern", "pendulums=libpendulums.rlib", "firmware.rs"],
        ["cc", "main.c", "libfirmware.a", "-lm", "-o", "main"],
        ["nm", "--undefined-only", "libfirmware.a"],
        ["./main"],
    ]
    done = [run_in(folder, c) for c in commands]
    assert [d.returncode for d in done] == [0] * 5, "".join(d.stderr for d in done)
    assert not re.search(r"\b(malloc|_ZN3std|__rust_alloc|_Unwind)", done[3].stdout)
    status, *rates = map(float, done[4].stdout.split())
    assert status == 0
    eq = pendulums()
    wanted = sb.compile(eq).udot(0.0, [0.5, -0.3], [0.2, 1.0], sb.compile(eq).p)
    np.testing.assert_allclose(rates, [0.2, 1.0, *np.ravel(wanted)], rtol=1e-13)


def test_every_operation(tmp_path: Path) -> None:
    folder = sb.write.rust(operations(), tmp_path, functions=["outputs", "outputs_along"], reference=None)
    (folder / "src" / "functions.rs").write_text("pub fn tyre(a: f64, b: f64) -> f64 {\n    a * b\n}\n")
    assert_good(folder)


def test_hostile_names(tmp_path: Path) -> None:
    folder = sb.write.rust(hostile(), tmp_path, functions=("rhs", "outputs"), start={"h": 0.1}, reference=0.02)
    assert "motion" in assert_good(folder)


@pytest.mark.parametrize("planted", ["src/lib.rs", "examples/check.rs"])
def test_wrong_code_is_found(planted: str, tmp_path: Path) -> None:
    folder = sb.write.rust(pendulums(), tmp_path, functions=["rhs"], start={"q1": 0.5}, reference=0.1)
    text = (folder / planted).read_text()
    old, new = ("math::sin(", "math::cos(") if planted == "src/lib.rs" else WRONG_STEP
    assert old in text
    (folder / planted).write_text(text.replace(old, new, 1))
    done = checked(folder)
    assert done.returncode != 0
    assert "WRONG" in done.stdout


def test_arguments_are_looked_at(tmp_path: Path) -> None:
    """What is too short is always refused; what is not finite unless the feature is on."""
    folder = sb.write.rust(pendulums(), tmp_path, functions=["rhs"], reference=None)
    (folder / "examples" / "check.rs").write_text(
        "use pendulums as m;\nfn main() {\n    let (p, mut out) = (m::Parameters::default(), [0.0; 4]);\n"
        "    for x in [&[1.0; 3][..], &[f64::NAN; 4][..], &[1.0; 4][..]] {\n"
        '        println!("{:?}", m::rhs(0.0, x, &[], &p, &mut out));\n    }\n}\n'
    )  # fmt: skip
    assert checked(folder).stdout.splitlines() == ["Err(TooShort)", "Err(NotFinite)", "Ok(())"]
    (folder / "libpendulums.rlib").unlink()
    done = checked(folder, f'{STRICT} --cfg feature=\\"unchecked\\"')
    assert done.stdout.splitlines() == ["Err(TooShort)", "Ok(())", "Ok(())"]
