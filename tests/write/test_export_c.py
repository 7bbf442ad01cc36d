"""Models as C: each folder builds without warnings, checks itself, and computes what the compiled equations compute."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from tests.contracts.targets import c_compiler
from tests.installed import good, make_check, run_in

from .hostile_model import hostile
from .models import SAMPLES, WRONG_STEP, crank, operations, pendulums, top

STRICT = "-std=c99 -Wall -Wextra -pedantic -Wshadow -Werror"
SANITIZED = f"{STRICT} -O0 -fsanitize=address,undefined -fno-sanitize-recover=all"
MATHEMATICS = {"sin", "cos", "sqrt", "fabs"}


def checked(folder: Path, flags: str = f"{STRICT} -O0", compiler: str = "gcc") -> subprocess.CompletedProcess[str]:
    c_compiler()
    return make_check(folder, f"CC={compiler}", f"CFLAGS={flags}")


def assert_good(folder: Path, flags: str = f"{STRICT} -O0", compiler: str = "gcc") -> str:
    return good(checked(folder, flags, compiler))


# ---------------------------------------------------------------------------------------------------- whole folders


@pytest.fixture(scope="module")
def crank_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything of the catalogue but higher variations."""
    eq = crank()
    groups = ("core", "reactions", "implicit", "derivatives", "sparse", "products", "variational")
    start = sb.assemble(eq, a=0.4, a_dot=1.0, inputs={"motor": SAMPLES})
    folder = tmp_path_factory.mktemp("crank")
    return sb.write.c(
        eq, folder, functions=groups, start=start, inputs={"motor": SAMPLES}, events={"top": eq.q[0] - 1, "end": "s"}, reference=0.2
    )  # fmt: skip


def test_everything_with_sanitizers(crank_folder: Path) -> None:
    """Constraints, inputs with rates, samples, external functions, additional equations, outputs, events, derivatives,
    variations."""
    said = assert_good(crank_folder, SANITIZED)
    for name in (
        "rhs project multipliers reactions outputs events rhs_x_sparse rhs_adjoint variational_jacobian motion".split()
    ):
        assert re.search(rf"^{name} +good", said, re.MULTILINE), name


def test_many_states_on_all_cores(tmp_path: Path) -> None:
    """By OpenMP, to the last digit what one call after the other gives; a fault in it is found."""
    folder = sb.write.c(pendulums(), tmp_path, functions=["rhs"], start={"q1": 0.5}, reference=None)
    if "fopenmp" in checked(folder, f"{STRICT} -O1 -fopenmp").stderr:
        pytest.skip("no OpenMP (Debian package libgomp1)")
    assert re.search("^rhs_of_many +good", assert_good(folder, f"{STRICT} -O1 -fopenmp"), re.MULTILINE)
    (folder / "pendulums.c").write_text(
        (folder / "pendulums.c").read_text().replace("x + k * PENDULUMS_NX, r", "x + (k / 2) * PENDULUMS_NX, r")
    )
    assert re.search("^rhs_of_many +WRONG", checked(folder, f"{STRICT} -O1 -fopenmp").stdout, re.MULTILINE)


def test_events_are_tables(tmp_path: Path) -> None:
    """Names, directions and ends, which a program around the library needs to find and handle them."""
    eq = pendulums()
    low = sb.Event("low", eq.q[0] - 0.1, direction="falling", terminal=True)
    folder = sb.write.c(eq, tmp_path, functions=["events"], events={"low": low, "turn": eq.u[1]}, reference=None)
    library = Library(folder, "pendulums")
    assert list((ctypes.c_int * 2).in_dll(library.library, "pendulums_event_directions")) == [-1, 0]
    assert list((ctypes.c_int * 2).in_dll(library.library, "pendulums_event_ends")) == [1, 0]
    assert list((ctypes.c_char_p * 2).in_dll(library.library, "pendulums_events_g_names")) == [b"low", b"turn"]


def test_friction_under_forces_of_constraints(tmp_path: Path) -> None:
    """Multipliers push in other directions than they hold, so the matrix is not symmetric: u', multipliers, derivatives
    and a motion."""
    m = sb.Model("rubbing")
    x, y = m.coordinates("x y")
    m.gravity(0, -9.81, 0)
    m.particle("bar", m.ground.translate(x, y, 0).origin, mass=2.0)
    m.constrain("rail", y - 0.1 * x**2)
    m.friction("rub", x.dot, sb.Coulomb(0.3), normal=m.multiplier("rail"), smooth=0.1)
    eq = sb.derive(m)
    assert eq.augmented.W is not None
    groups = ("core", "reactions", "derivatives", "variational")
    said = assert_good(sb.write.c(eq, tmp_path, functions=groups, start={"x": 1.0, "y": 0.1}, reference=0.2))
    for name in ("rhs", "multipliers", "rhs_x", "motion"):
        assert re.search(rf"^{name} +good", said, re.MULTILINE), said


def test_clang(tmp_path: Path) -> None:
    compiler = shutil.which("clang")
    if compiler is None:
        pytest.skip("clang is not installed (Debian package clang)")
    eq = top()
    assert_good(
        sb.write.c(eq, tmp_path, functions=("core", "sparse", "variational"), start={"ball_wx": 3.0}, reference=0.2),
        compiler=compiler,
    )


@pytest.mark.parametrize("variant", [{"single_precision": True}, {"embedded": True}])
def test_variants(variant: dict[str, Any], tmp_path: Path) -> None:
    """Floats; and code that calls sine, cosine and square root only."""
    start = sb.assemble(crank(), a=0.4)
    eq = sb.closed_loop(crank(), {"wind": 0})
    folder = sb.write.c(eq, tmp_path, functions=("core", "rhs_x"), start=start, reference=0.1, **variant)
    assert_good(folder)
    text = (folder / "crank.c").read_text()
    assert ("double" in re.sub(r"double damper\w+\(double v\)|\(double\)|/\*.*?\*/", "", text)) != (
        "single_precision" in variant
    )


def test_cmake(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed (Debian package cmake)")
    folder = sb.write.c(pendulums(), tmp_path / "code", functions=["rhs"], reference=0.1)
    for command in (["cmake", "-B", "build"], ["cmake", "--build", "build"], ["ctest", "--test-dir", "build"]):
        done = run_in(folder, command)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["rhs", "variational", "motion"])
def test_wrong_code_is_found(name: str, tmp_path: Path) -> None:
    """The driver is a check: a sign changed in the library, or a number in the motion, makes it fail."""
    folder = sb.write.c(pendulums(), tmp_path, functions=["rhs", "rhs_and_jacobian"], start={"q1": 0.5}, reference=0.1)
    path = folder / ("pendulums_driver.c" if name == "motion" else "pendulums.c")
    text = path.read_text()
    if name == "motion":
        text = text.replace(*WRONG_STEP)
    else:
        at = text.index(f"int pendulums_{name}(")
        at = text.index(" + ", text.index("Jx[e]", at) - 40 if name == "variational" else at)
        text = text[:at] + " - " + text[at + 3 :]
    path.write_text(text)
    done = checked(folder)
    assert done.returncode != 0
    assert re.search(rf"^{name} +WRONG", done.stdout, re.MULTILINE)


# ------------------------------------------------------------------------------------------- against other computations


class Library:
    """An exported library, loaded; `rhs(x)` calls a function at the time, inputs and parameters of the start."""

    def __init__(self, folder: Path, name: str) -> None:
        path = folder / f"lib{name}.so"
        command = [
            c_compiler(),
            *STRICT.split(),
            "-O1",
            "-fPIC",
            "-shared",
            str(folder / f"{name}.c"),
            "-o",
            str(path),
            "-lm",
        ]
        subprocess.run(command, check=True, capture_output=True)
        self.library, self.name = ctypes.CDLL(str(path)), name
        self.sizes = {
            k: int(v) for k, v in re.findall(rf"#define {name.upper()}_(\w+) (\d+)", (folder / f"{name}.h").read_text())
        }
        self.p, self.x, self.r = (
            np.zeros(self.sizes["NP"]),
            np.zeros(self.sizes["NX"]),
            np.zeros(max(1, self.sizes["NR"])),
        )
        self.t = ctypes.c_double()
        self.get("default_parameters")(_at(self.p))
        self.get("initial_state")(ctypes.byref(self.t), _at(self.x), _at(self.r))

    def get(self, function: str) -> Any:
        return getattr(self.library, f"{self.name}_{function}")

    def status(self, function: str, *arrays: Any) -> int:
        return self.get(function)(self.t, *arrays)

    def __call__(self, function: str, x: Any, *more: Any, out: Sequence[str]) -> Any:
        results = [np.full(self.sizes[f"{function}_{o}_SIZE".upper()], np.nan) for o in out]
        inputs = [np.array(v, dtype=float) for v in (x, *more)]
        status = self.status(function, _at(inputs[0]), _at(self.r), _at(self.p), *map(_at, (*inputs[1:], *results)))
        assert status == 0
        return results[0] if len(results) == 1 else results


def _at(a: Any) -> Any:
    return a.ctypes.data_as(ctypes.c_void_p)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = sb.write.c(
        pendulums(), tmp_path_factory.mktemp("small"), functions="all", start={"q1": 0.5, "q2_dot": 1.0}, reference=None
    )
    return Library(folder, "pendulums")


def test_rates_are_those_of_compiled_equations(small: Library) -> None:
    f = sb.compile(pendulums())
    x = np.array([0.3, -0.4, 1.1, 0.7])
    expected = np.concatenate([x[2:], f.udot(0.0, x[:2], x[2:], f.p)])
    np.testing.assert_allclose(small("rhs", x, out=["xdot"]), expected, rtol=1e-13)


def flow(library: Library, function: str, X: np.ndarray, seconds: float, steps: int) -> np.ndarray:
    """Runge-Kutta steps of an exported system."""
    h = seconds / steps
    for _ in range(steps):
        k1 = library(function, X, out=["Xdot"])
        k2 = library(function, X + h / 2 * k1, out=["Xdot"])
        k3 = library(function, X + h / 2 * k2, out=["Xdot"])
        k4 = library(function, X + h * k3, out=["Xdot"])
        X = X + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return X


def test_variations_are_those_of_simulate(small: Library) -> None:
    """Φ by the exported variational system, and by the sensitivities of `simulate`."""
    eq = pendulums()
    X = flow(small, "variational", small("variational_start", small.x, out=["X"]), 0.4, 200)
    names = [s.name for s in eq.state]
    sim = sb.simulate(eq, np.array([0.0, 0.4]), start={"q1": 0.5, "q2_dot": 1.0}, sensitivities=names, rtol=1e-11)
    expected = np.array([[sim.sensitivity(s, n)[-1] for s in names] for n in names])
    np.testing.assert_allclose(X[4:].reshape(4, 4), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("order", [2, 3])
def test_higher_variations_are_differences_of_lower_ones(small: Library, order: int) -> None:
    """Ψ and Ω by central differences of the variations one order below, in the values at the start."""
    n, h = 4, 1e-4
    before, after = ("", "2", "3")[order - 2], str(order)
    start = small(f"variational{after}_start", small.x, out=["X"])
    found = flow(small, f"variational{after}", start, 0.2, 20)
    size = n ** (order)
    tail = sum(n**k for k in range(1, order + 1))
    for j in range(n):
        moved = []
        for sign in (1, -1):
            x = small.x.copy()
            x[j] += sign * h
            moved.append(
                flow(small, f"variational{before}", small(f"variational{before}_start", x, out=["X"]), 0.2, 20)[-size:]
            )
        expected = (moved[0] - moved[1]) / (2 * h)
        got = found[tail:].reshape((n,) * (order + 1))[j].ravel()
        np.testing.assert_allclose(got, expected, atol=1e-5 * (1 + np.abs(expected).max()))


def test_jacobian_of_the_variational_system(small: Library) -> None:
    """Compressed rows against differences, and the pattern holds all that is not zero."""
    X = np.concatenate([[0.3, -0.4, 1.1, 0.7], np.linspace(-1, 1, 16)])
    values = small("variational_jacobian", X, out=["values"])
    J = dense(small, "variational_jacobian_values", values, 20)
    h = 1e-6
    for k, e in enumerate(np.eye(20)):
        slope = (small("variational", X + h * e, out=["Xdot"]) - small("variational", X - h * e, out=["Xdot"])) / (
            2 * h
        )
        np.testing.assert_allclose(J[:, k], slope, atol=1e-7 * (1 + np.abs(slope).max()))


def dense(library: Library, pattern: str, values: np.ndarray, n: int) -> np.ndarray:
    whole = np.array(
        (ctypes.c_int * (n + 1 + len(values))).in_dll(library.library, f"{library.name}_{pattern}_pattern")
    )
    start, column = whole[: n + 1], whole[n + 1 :]
    out = np.zeros((n, n))
    for i in range(n):
        out[i, column[start[i] : start[i + 1]]] = values[start[i] : start[i + 1]]
    return out


def test_products_are_those_of_matrices(small: Library) -> None:
    x, dx, dp = np.array([0.3, -0.4, 1.1, 0.7]), np.array([1.0, 2.0, -1.0, 0.5]), np.array([0.3, -0.7])
    J, Jp = small("rhs_x", x, out=["xdot_x"]).reshape(4, 4), small("rhs_p", x, out=["xdot_p"]).reshape(4, 2)
    np.testing.assert_allclose(small("rhs_along", x, dx, dp, out=["dxdot"]), J @ dx + Jp @ dp, rtol=1e-11)
    by_x, by_p = small("rhs_adjoint", x, dx, out=["x_adjoint", "p_adjoint"])
    np.testing.assert_allclose(by_x, dx @ J, rtol=1e-11)
    np.testing.assert_allclose(by_p, dx @ Jp, rtol=1e-11)


def test_implicit_form_is_zero_along_motions(small: Library) -> None:
    """With the rates of the explicit form; and E x' = F."""
    X = np.concatenate([[0.3, -0.4, 1.1, 0.7], np.linspace(-1, 1, 16)])
    Xdot = small("variational", X, out=["Xdot"])
    np.testing.assert_allclose(small("variational_residual", X, Xdot, out=["residual"]), 0, atol=1e-11)
    E, F = small("mass_form", X[:4], out=["E", "F"])
    np.testing.assert_allclose(E.reshape(4, 4) @ Xdot[:4], F, atol=1e-12)


def test_projection_and_multipliers_of_constraints(crank_folder: Path) -> None:
    """A rough state is assembled, and the mass form with the multipliers is met by rates and multipliers."""
    library = Library(crank_folder, "crank")
    x = library.x + 0.02
    assert library.status("project", _at(x), _at(library.r), _at(library.p)) == 0
    phi, psi = library("constraints", x, out=["phi", "psi"])
    assert max(np.abs(phi).max(), np.abs(psi).max()) < 1e-13
    E, F = library("mass_form", x, out=["E", "F"])
    unknowns = np.concatenate([library("rhs", x, out=["xdot"]), library("multipliers", x, out=["lam"])])
    np.testing.assert_allclose(E.reshape(len(F), -1) @ unknowns, F, atol=1e-11)


# ---------------------------------------------------------------------------------------------------- good manners


def test_arguments_are_looked_at(small: Library) -> None:
    x, out, r, p = (np.zeros(4) for _ in range(4))
    p[:2] = small.p
    good = [_at(x), _at(r), _at(p), _at(out)]
    assert small.status("rhs", *good) == 0
    for k in (0, 2, 3):
        assert small.status("rhs", *(None if i == k else a for i, a in enumerate(good))) == 1
    assert small.status("rhs", *good[:3], _at(x)) == 2
    x[1] = np.nan
    assert small.status("rhs", *good) == 3
    assert small.status("variational", _at(np.full(20, np.inf)), *good[1:3], _at(np.zeros(20))) == 3


def test_no_state_and_no_allocation(small: Library, tmp_path: Path) -> None:
    """The object file has no data that could change, and calls mathematics only; with checks left out it has no code
    for them."""
    folder = sb.write.c(pendulums(), tmp_path, functions=["core", "sparse", "variational"], reference=None)
    sizes = []
    for more in ([], ["-DPENDULUMS_NO_CHECKS"]):
        command = [c_compiler(), "-std=c99", "-O1", "-fno-pic", *more, "-c", "pendulums.c", "-o", "pendulums.o"]
        subprocess.run(command, cwd=folder, check=True)
        symbols = subprocess.run(["nm", "pendulums.o"], cwd=folder, capture_output=True, text=True, check=True).stdout
        kinds = {line.split()[-2] for line in symbols.splitlines()}
        called = {line.split()[-1] for line in symbols.splitlines() if line.split()[-2] == "U"}
        assert not kinds & set("bBdDC"), symbols
        assert called <= {"sin", "cos", "sincos", "sqrt"}
        sizes.append((folder / "pendulums.o").stat().st_size)
    assert sizes[1] < sizes[0]


def test_threads(small: Library) -> None:
    states = np.random.default_rng(0).uniform(-1, 1, (64, 20))
    alone = [small("variational", x, out=["Xdot"]) for x in states]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda x: small("variational", x, out=["Xdot"]), [*states] * 4))
    assert np.array_equal(np.array(together), np.array(alone * 4))


def test_the_same_model_gives_the_same_text(tmp_path: Path) -> None:
    first, second = (sb.write.c(pendulums(), tmp_path / n, functions=["rhs"], reference=None) for n in "ab")
    for path in first.iterdir():
        assert path.read_text() == (second / path.name).read_text()


@pytest.mark.parametrize("single_precision", [False, True])
def test_every_operation(single_precision: bool, tmp_path: Path) -> None:
    """All functions of mathematics, choices, comparisons and powers, as outputs of a model."""
    functions = ["outputs", "outputs_along"]
    assert_good(
        sb.write.c(operations(), tmp_path, functions=functions, reference=None, single_precision=single_precision)
    )


def test_hostile_names(tmp_path: Path) -> None:
    """Free text with quotes and comment ends, and symbols that are words of C or names of the library itself."""
    folder = sb.write.c(
        hostile(),
        tmp_path,
        functions=("rhs", "outputs", "reactions"),
        start={"h": 0.1},
        reference=0.02,
        events={'"*/': "h"},
    )
    said = assert_good(folder)
    assert "motion" in said
    (source,) = (p for p in folder.glob("*.c") if "driver" not in p.name)
    assert "owned = 1" not in re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"', "", source.read_text(), flags=re.DOTALL)


def test_functions_you_supply(tmp_path: Path) -> None:
    """A function without C text is a hook: it is declared, and the folder builds with the file that has it."""
    drag = sb.algebra.ExternalFunction("drag", 1, [lambda v: 2 * v], python=lambda v: v * v)
    m = sb.Model("sled")
    body = m.body("sled", mass=2.0)
    m.prismatic("s", m.ground, body, axis="x")
    m.force("air", body, m.ground.x * (1 - drag(m.symbols["s"].dot)))
    folder = sb.write.c(sb.derive(m), tmp_path, reference=0.5)
    assert checked(folder).returncode != 0
    (folder / "mine.c").write_text("double drag(double v);\ndouble drag(double v) { return v * v; }\n")
    done = subprocess.run(
        ["make", "-s", "check", "HOOKS=mine.c"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_unknown_functions_and_impossible_variants_are_refused(tmp_path: Path) -> None:
    with pytest.raises(sb.errors.ProgramError, match=r"no function or group of functions 'rsh'.*Did you mean 'rhs'"):
        sb.write.c(pendulums(), tmp_path, functions=["rsh"])
    with pytest.raises(sb.errors.ProgramError, match="no language 'cobol'"):
        sb.write.export(pendulums(), "cobol", tmp_path)
    m = sb.Model("soft")
    body = m.body("soft", mass=2.0)
    m.prismatic("s", m.ground, body, axis="x")
    m.force("spring", body, m.ground.x * sb.exp(-m.symbols["s"]))
    with pytest.raises(
        sb.errors.ProgramError,
        match=r"embedded variant calls sin, cos, sqrt and nothing else, but the equations contain exp",
    ):
        sb.write.c(sb.derive(m), tmp_path, embedded=True)
    assert not list(tmp_path.iterdir())
