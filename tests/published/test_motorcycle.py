"""Sharp's motorcycle in the form of Lot and Da Lio: symbolic pieces, and the linear model at 20 m/s."""

import math

import numpy as np
import pytest
from scipy.linalg import eigvals
from scipy.optimize import brentq

import symbody as sb
from examples import motorcycle

from .numbers import at, published


@pytest.fixture(scope="module")
def equations() -> sb.Equations:
    return sb.derive(motorcycle.model())


def random_state(equations, seed):
    draw = np.random.default_rng(seed)
    moving = (*equations.q, *equations.u, *equations.z, *(z.dot for z in equations.z), *equations.r)
    return {s.identifier: draw.uniform(0.2, 1.2) for s in moving}


def constraint(equations, name):
    (found,) = (c.expression for c in equations.mechanism.constraints if c.name == name)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_constraints(equations, seed):
    """spin_X, spin_Z and no_slip_rear as printed (2.5)."""
    s = random_state(equations, seed)
    sin, cos, eps = math.sin, math.cos, 0.4715
    d, psi, phi, psi4, phi4 = (s[k] for k in "delta psi phi psi4 phi4".split())
    spin_x = sin(d) * cos(psi) * cos(eps) - sin(d) * sin(psi) * sin(phi) * sin(eps) + sin(psi) * cos(phi) * cos(d)
    spin_z = -cos(phi) * sin(eps) * sin(d) - sin(phi) * cos(d) + sin(phi4)
    rear = cos(psi) * s["x_dot"] + 0.3048 * s["theta1_dot"] + sin(psi) * s["y_dot"]
    assert at(equations, constraint(equations, "spin_x"), s) == pytest.approx(-(spin_x - sin(psi4) * cos(phi4)))
    assert at(equations, constraint(equations, "spin_z"), s) == pytest.approx(-spin_z)
    assert at(equations, constraint(equations, "no_slip_rear"), s) == pytest.approx(rear)


@pytest.mark.parametrize("seed", range(3))
def test_tyre_equation(equations, seed):
    """The rear tyre's equation as printed (2.6)."""
    s = random_state(equations, seed)
    along = math.cos(s["psi"]) * s["x_dot"] + math.sin(s["psi"]) * s["y_dot"]
    across = -s["psi_dot"] * 0.4798 - math.sin(s["psi"]) * s["x_dot"] + math.cos(s["psi"]) * s["y_dot"]
    printed = 0.2438 * s["Yr_dot"] / along + s["Yr"] + 15831 * math.atan(across / along) - 1325.6 * s["phi"]
    assert at(equations, equations.h[0], s) == pytest.approx(printed)


@pytest.mark.parametrize("seed", range(3))
def test_generalised_forces(equations, seed):
    """cos(ψ4) Yf on y from the front tyre, τ - Cδ δ' on δ from the steering torque (3.2)."""
    s = random_state(equations, seed)
    y, delta = (equations.q.index(sb.symbol(name, "coordinate")) for name in ("y", "delta"))
    by_force = {name: at(equations, sb.derivative(equations.f, sb.symbol(name, kind)), s) for name, kind in
                (("Yf", "variable"), ("tau", "input"))}  # fmt: skip
    damping = at(equations, sb.derivative(equations.f, sb.symbol("Cdelta")), s)
    assert by_force["Yf"][y] == pytest.approx(math.cos(s["psi4"]))
    assert by_force["tau"] == pytest.approx(np.eye(9)[delta], abs=1e-14)
    assert damping == pytest.approx(-s["delta_dot"] * np.eye(9)[delta], abs=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_wheel_energy(equations, seed):
    """T of the rear wheel: ½ iry (θ1' + sin φ ψ')² (3.1)."""
    s = random_state(equations, seed)
    wheel = equations.mechanism.body("rear wheel")
    w = wheel.frame.angular_velocity_components
    energy = at(equations, w.dot(wheel.mass.I_BBcm @ w) / 2, s)
    assert energy == pytest.approx(1.0508 / 2 * (s["theta1_dot"] + math.sin(s["phi"]) * s["psi_dot"]) ** 2)


# ------------------------------------------------------------------------------------------------ linear model


class Linear:
    """A x' = B x + C τ about running straight at V, for x = (y1', δ, φ, Yr, Yf, ψ', δ', φ') with y' = ψ V + y1'.

    The conditions leave q = R (x, y, ψ, δ, φ); near straight running the same R serves speeds and accelerations.
    """

    def __init__(self, equations: sb.Equations) -> None:
        self.equations = equations
        everything = sb.stack(equations.residual(), equations.h)
        q, u, z, r = equations.q, equations.u, equations.z, equations.r
        groups = (q, u, [s.dot for s in u], z, [s.dot for s in z], r)
        self.slopes = [sb.jacobian(everything, group) for group in groups]
        self.free = [q.index(sb.symbol(n, "coordinate")) for n in "x y psi delta phi".split()]

    def at(self, V: float):
        eq, R = self.equations, np.eye(9)[:, self.free]
        state = {"x_dot": V, "theta1_dot": -V / 0.3048, "theta4_dot": -V / 0.3048}
        assert at(eq, eq.multipliers, state) == pytest.approx([0, 0, 0, 0], abs=1e-8)
        Jc = at(eq, eq.Jc, state)
        tied = [k for k in range(9) if k not in self.free]
        R[tied] = -np.linalg.solve(Jc[:, tied], Jc[:, self.free])
        project = np.zeros((7, 11))
        project[:5, :9], project[5:, 9:] = R.T, np.eye(2)
        K, D, M, Z, Zdot, torque = (project @ at(eq, X, state) for X in self.slopes)
        K, D, M = (X @ R for X in (K, D, M))
        return self._arranged(V, *(X[1:] for X in (K, D, M, Z, Zdot, torque)))  # the equation along x stands apart

    @staticmethod
    def _arranged(V, K, D, M, Z, Zdot, torque):
        y, psi, delta, phi = range(1, 5)
        assert K[:, y] == pytest.approx(0, abs=1e-9)
        assert K[:, psi] + V * D[:, y] == pytest.approx(0, abs=1e-9)  # heading does not matter
        A, B = np.zeros((8, 8)), np.zeros((8, 8))
        A[:6] = np.column_stack([M[:, y], 0 * M[:, :2], Zdot, M[:, psi], M[:, delta], M[:, phi]])
        turning = D[:, psi] + V * M[:, y]
        B[:6] = -np.column_stack([D[:, y], K[:, delta], K[:, phi], Z, turning, D[:, delta], D[:, phi]])
        A[[6, 7], [1, 2]] = B[[6, 7], [6, 7]] = -1
        return A, B, -np.append(torque, [0, 0])


@pytest.fixture(scope="module")
def linear(equations) -> Linear:
    return Linear(equations)


def in_order(eigenvalues):
    return sorted((complex(w) for w in eigenvalues), key=lambda w: (round(w.real, 6), w.imag))


def test_linear_model_at_20(linear):
    A, B, C = linear.at(20)
    value = published("sharp71_matrices_V20")
    for ours, printed in ((A, np.array(value["A"])), (B, np.array(value["B"]))):
        scale = np.abs(printed).max(axis=1, keepdims=True)
        assert ours / scale == pytest.approx(printed / scale, abs=1e-9)
    assert C == pytest.approx(np.eye(8)[2], abs=1e-12)


def test_eigenvalues_at_20(linear):
    A, B, _ = linear.at(20)
    printed = [complex(*pair) for pair in published("sharp71_eigs_V20")]
    assert in_order(eigvals(B, A)) == pytest.approx(in_order(printed), rel=1e-7)


def test_root_locus(linear):
    for speed, pairs in published("sharp71_eig_table").items():
        A, B, _ = linear.at(float(speed))
        assert in_order(eigvals(B, A)) == pytest.approx(in_order(complex(*p) for p in pairs), rel=1e-7, abs=1e-7)


def test_frequency_response(linear):
    A, B, C = linear.at(20)
    for frequency, pairs in published("sharp71_frf_table").items():
        response = np.linalg.solve(2j * math.pi * float(frequency) * A - B, C)
        assert response == pytest.approx(np.array([complex(*p) for p in pairs]), rel=1e-8, abs=1e-10)


@pytest.mark.parametrize(
    ("name", "low", "high", "is_real"),
    [
        ("weave_stable_above", 5, 7, False),
        ("capsize_unstable_above", 9, 12, True),
        ("wobble_unstable_above", 50, 55, False),
    ],
)
def test_critical_speeds(linear, name, low, high, is_real):
    def growth(V: float) -> float:
        A, B, _ = linear.at(V)
        return max(w.real for w in eigvals(B, A) if (abs(w.imag) < 1e-6) == is_real)

    assert brentq(growth, low, high, xtol=1e-9) == pytest.approx(published("sharp71_critical_speeds")[name], abs=1e-6)
