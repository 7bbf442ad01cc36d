"""Lennartsson's examples of code generation (chapter 6): plain first-order equations as models, exported as C with their variational systems."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from tests.write.test_export_c import Library, flow


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
    """The periodic orbit through y = 0, by Newton's method with the exported variational system: x = 3.1525486, z = 2.6631716, T = 6.1746375.

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
