"""Lennartsson's examples of code generation (chapter 6): plain first-order equations as models, exported as C with
their variational systems."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, foucault_pendulum
from tests.write.test_export_c import Library, flow

from .numbers import published


def van_der_pol() -> sb.Equations:
    """x' = v, v' = (1 - x²) v - x."""
    m = sb.Model("van der Pol")
    x, v = m.variables("x v")
    m.equation("position", x.dot - v)
    m.equation("velocity", v.dot - (m.parameter("epsilon", 1.0) * (1 - x**2) * v - x))
    return sb.derive(m)


def roessler() -> sb.Equations:
    """x' = -y - z, y' = x + a y, z' = b + z (x - c), with (a, b, c) = (0.3, 2, 4)."""
    m = sb.Model("roessler")
    x, y, z = m.variables("x y z")
    a, b, c = m.parameters("a b c", 0.3, 2.0, 4.0)
    m.equation("x", x.dot + y + z)
    m.equation("y", y.dot - x - a * y)
    m.equation("z", z.dot - b - z * (x - c))
    return sb.derive(m)


def test_van_der_pol(tmp_path: Path) -> None:
    """Eigenvalues at the origin are 0.5 ± 0.8660254 i."""
    library = Library(sb.write.c(van_der_pol(), tmp_path, reference=None), "van_der_Pol")
    A = library("linear_system", np.zeros(2), out=["A"]).reshape(2, 2)
    found = np.linalg.eigvals(A)
    assert sorted(found, key=lambda e: e.imag) == pytest.approx([0.5 - 0.8660254j, 0.5 + 0.8660254j], abs=5e-8)


def test_roessler(tmp_path: Path) -> None:
    """The periodic orbit through y = 0, by Newton's method with the exported variational system: x = 3.1525486, z =
    2.6631716, T = 6.1746375.

    Unknowns x, z, T; F = flow_T(x, 0, z) - (x, 0, z), ∂F = (Φ - 1, f).
    """
    folder = sb.write.c(
        roessler(), tmp_path, functions=["rhs", "variational"], start={"x": 3.0, "z": 2.5}, reference=None
    )
    library = Library(folder, "roessler")
    x, T = library.x.copy(), 6.2
    for _ in range(8):
        X = flow(library, "variational", library("variational_start", x, out=["X"]), T, 400)
        Phi = X[3:].reshape(3, 3).T
        F = X[:3] - x
        slopes = np.column_stack([(Phi - np.eye(3))[:, [0, 2]], library("rhs", X[:3], out=["xdot"])])
        step = np.linalg.solve(slopes, -F)
        x, T = x + np.array([step[0], 0.0, step[1]]), T + step[2]
    assert (x[0], x[2], T) == pytest.approx((3.1525486, 2.6631716, 6.1746375), abs=5e-7)
    assert np.abs(np.linalg.eigvals(Phi) - 1).min() < 1e-6, "along the orbit a variation comes back as it was"


# --------------------------------------------------------------------------------------- Foucault and the bicycle, in C


@pytest.fixture(scope="module")
def foucault() -> sb.Equations:
    return sb.derive(foucault_pendulum.model())


@pytest.fixture(scope="module")
def riding() -> sb.Equations:
    return sb.derive(bicycle.model())


WEAVE = {
    "speed": 3.206546207782,
    "frequency": 3.1004685,
}  # of the bicycle, where its oscillation is neither damped nor grows


def straight(speed: float) -> dict[str, float]:
    return {"x_dot": speed, "q4_dot": -speed / 0.354, "q5_dot": -speed / 0.354}


def test_foucault(foucault: sb.Equations, tmp_path: Path) -> None:
    """The shaken pendulum after 1 s, by Runge-Kutta steps of the explicit system; explicit rates leave nothing of the
    implicit system, nor of its variations."""
    groups = ["rhs", "residual", "variational"]
    folder = sb.write.c(foucault, tmp_path, functions=groups, start={"q1": 0.5, "q2": 0.8}, reference=None)
    library = Library(folder, "Foucault_pendulum")
    X = library("variational_start", library.x, out=["X"])
    for at in np.linspace(0.1, 1.0, 4):
        library.t.value = at
        x = library.x + 0.1 * at
        xdot, Xdot = library("rhs", x, out=["xdot"]), library("variational", np.r_[x, X[4:]], out=["Xdot"])
        assert np.abs(library("residual", x, xdot, out=["residual"])).max() < 1e-12
        assert np.abs(library("variational_residual", np.r_[x, X[4:]], Xdot, out=["residual"])).max() < 1e-10
    x, h, steps = library.x, 1 / 2000, 2000
    for k in range(steps):
        slopes = []
        for c in (0.0, 0.5, 0.5, 1.0):
            library.t.value = h * (k + c)
            slopes.append(library("rhs", x + c * h * slopes[-1] if slopes else x, out=["xdot"]))
        x = x + h / 6 * (slopes[0] + 2 * slopes[1] + 2 * slopes[2] + slopes[3])
    assert [*x[2:], *x[:2]] == pytest.approx(published("foucault_pendulum_sim")["1"], abs=1e-6)


def test_bicycle(riding: sb.Equations, tmp_path: Path) -> None:
    """The Jacobian of the exported equations has the weave among its eigenvalues; printed 3.207 m/s."""
    folder = sb.write.c(riding, tmp_path, functions=["rhs_x"], start=straight(WEAVE["speed"]), reference=None)
    library = Library(folder, "bicycle")
    J = library("rhs_x", library.x, out=["xdot_x"]).reshape(16, 16)
    found = np.linalg.eigvals(J)
    assert np.abs(found - 1j * WEAVE["frequency"]).min() < 1e-6


# -------------------------------------------------------------------------------- normal forms, by exported derivatives


def test_normal_form_of_a_hopf_point(tmp_path: Path) -> None:
    """x'' = (mu - x² + s x) x' - x - k x² at mu = 0, ω = 1: with g = -k x² + s x v - x² v, by hand 16 a = g_xxv + g_xv
    g_xx = -2 - 2 k s (Guckenheimer and Holmes, 3.4.11); Kuznetsov's coefficient (5.62) is 2 a for |q| = 1."""
    x, v = sb.symbols("x v")
    k, s, mu = sb.symbols("k s mu")
    eq = sb.from_equations({x: v, v: (mu - x**2 + s * x) * v - x - k * x**2}, {mu: 0.0, k: 0.7, s: 0.4}, name="hopf")
    library = Library(sb.write.c(eq, tmp_path, functions=["rhs_x", "higher"], reference=None), "hopf")
    at = np.zeros(2)
    A = library("rhs_x", at, out=["xdot_x"]).reshape(2, 2)
    q, p = np.array([1.0, 1j]) / np.sqrt(2), np.array([1.0, 1j]) / np.sqrt(2)
    np.testing.assert_allclose(A @ q, 1j * q, atol=1e-15)

    def second(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """f'' is bilinear: of complex directions by real ones."""
        parts = [(a.real, b.real, 1), (a.real, b.imag, 1j), (a.imag, b.real, 1j), (a.imag, b.imag, -1)]
        return sum(w * library("rhs_second", at, y, z, out=["d2xdot"]) for y, z, w in parts)

    def third(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        out = np.zeros(2, dtype=complex)
        for (y, wy), (z, wz), (r, wr) in ((i, j, m) for i in _parts(a) for j in _parts(b) for m in _parts(c)):
            out = out + wy * wz * wr * library("rhs_third", at, y, z, r, out=["d3xdot"])
        return out

    h11, h20 = np.linalg.solve(A, -second(q, q.conj())), np.linalg.solve(2j * np.eye(2) - A, second(q, q))
    g = third(q, q, q.conj()) + 2 * second(q, h11) + second(q.conj(), h20)
    found = float(np.real(np.vdot(p, g))) / 2
    assert found == pytest.approx((-2 - 2 * 0.7 * 0.4) / 8, rel=1e-12)


def _parts(a: np.ndarray) -> list[tuple[np.ndarray, complex]]:
    return [(a.real, 1), (a.imag, 1j)]


# ------------------------------------------------------------------------------- all four in Octave, by their ODE files


@pytest.fixture(scope="module")
def asked(
    tmp_path_factory: pytest.TempPathFactory, foucault: sb.Equations, riding: sb.Equations
) -> dict[str, list[float]]:
    """One script asks the ODE files of all four; it prints numbers by name."""
    if shutil.which("octave") is None:
        pytest.skip("octave is not installed (Debian package octave)")
    folder = tmp_path_factory.mktemp("octave")
    sb.write.matlab(van_der_pol(), folder, name="vdp", functions=["rhs", "rhs_x"], reference=None)
    start = {"x": 3.1525486, "z": 2.6631716}
    crossing = {"section": sb.Event("section", roessler().z[1], "falling", terminal=True)}
    sb.write.matlab(
        roessler(), folder, name="roe", functions=["rhs", "variational", "sparse", "events"], start=start, events=crossing, reference=None
    )  # fmt: skip
    sb.write.matlab(foucault, folder, name="pend", functions=["rhs"], start={"q1": 0.5, "q2": 0.8}, reference=None)
    sb.write.matlab(
        riding, folder, name="bike", functions=["rhs", "rhs_x"], start=straight(WEAVE["speed"]), reference=None
    )
    done = subprocess.run(
        ["octave", "--no-gui", "--quiet", "--eval", _SCRIPT], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {k: [float(v) for v in rest.split()] for k, rest in re.findall(r"^(\w+):(.*)$", done.stdout, re.MULTILINE)}


_SCRIPT = """
say = @(name, v) printf('%s:%s\\n', name, sprintf(' %.15g', v));
e = eig(vdp_ode(0, [0; 0], 'jacobian', 1));
say('vdp', [real(e); sort(imag(e))]);
[span, x0, flags] = roe_variational_ode([], [], 'init');
o = odeset('RelTol', 1e-8, 'AbsTol', 1e-9);
[~, X] = ode45(@(t, x) roe_variational_ode(t, x, '', [0.3, 2, 4]), [0, 6.1746375], x0, o);
say('roe_end', X(end, 1:3)); say('roe_floquet', sort(abs(eig(reshape(X(end, 4:12), 3, 3)))));
J = roe_variational_ode(0, x0, 'jacobian'); P = roe_variational_ode(0, x0, 'jpattern');
d = 1e-6; D = zeros(12);
for k = 1:12
    s = zeros(12, 1); s(k) = d;
    D(:, k) = (roe_variational_ode(0, x0 + s) - roe_variational_ode(0, x0 - s)) / (2 * d);
end
say('roe_jacobian', [max(max(abs(J - D))), nnz(P), nnz(D & ~P)]);
[value, ends, sense] = roe_ode(0, [1; 2; 3], 'events');
say('roe_events', [value, ends, sense]); say('roe_flags', [isfield(flags, 'jacobian'), isfield(flags, 'jpattern')]);
[~, x0] = pend_ode([], [], 'init');
[~, x] = ode45(@(t, x) pend_ode(t, x, '', [0 1 1 1 30 0.2 0 0.2]), [0, 1], x0, odeset('RelTol', 1e-8, 'AbsTol', 1e-9));
say('pend', x(end, [3, 4, 1, 2]));
[~, x0] = bike_ode([], [], 'init');
e = eig(bike_ode(0, x0, 'jacobian'));
say('bike', min(abs(e - 3.1004685i)));
"""


def test_in_octave(asked: dict[str, list[float]]) -> None:
    """Numbers of the thesis, and of this folder, by f(t, x, flag, p)."""
    assert asked["vdp"] == pytest.approx([0.5, 0.5, -0.8660254, 0.8660254], abs=5e-8)
    assert asked["roe_end"] == pytest.approx([3.1525486, 0, 2.6631716], abs=2e-6)
    assert asked["roe_floquet"] == pytest.approx([0, 0.600539138, 1], abs=1e-5)
    worst, entries, outside = asked["roe_jacobian"]
    assert worst < 1e-7
    assert (entries, outside) == (4 * 6 + 3 * 2, 0)
    assert asked["roe_events"] == [2, 1, -1]
    assert asked["roe_flags"] == [1, 1]
    assert asked["pend"] == pytest.approx(published("foucault_pendulum_sim")["1"], abs=1e-5)
    assert asked["bike"][0] < 1e-6
