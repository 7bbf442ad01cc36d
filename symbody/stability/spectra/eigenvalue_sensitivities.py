"""Derivatives of eigenvalues, modes and frequency responses with respect to parameters.

With A x = s E x, yᴴ A = s yᴴ E and yᴴ E x = 1, for any regular pencil and a simple eigenvalue

    ds = yᴴ (dA - s dE) x
    (A - s E) dx = ds E x - (dA - s dE) x,   with the component that normalises x fixed

which is Lynch eq. 6.18 for E and A from symmetric M and K. E and A are those of the independent coordinates, so they
include the constraints; if the operating point depends on the parameter, dE and dA include its derivative.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algebra.graph.graph import Symbol
from ...derivation.equations.keywords import values_by_name
from ...errors import StabilityError
from ...summary import Tabular
from .pencil import Complex, neat, pencil_spectrum

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem


@dataclass(frozen=True, repr=False)
class EigenvalueSensitivities(Tabular):
    """eigenvalues[k], their derivatives[k, j] with respect to parameters[j], and those of the states' shapes.

    shapes[:, k]           right vector k, its largest entry 1
    shape_derivatives[j]   its derivative with respect to parameters[j], one column for each eigenvalue

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]])
    >>> found = sb.stability.eigenvalue_sensitivities(lin, "k", k=4.0, c=0.4)
    >>> found.parameters, found.derivatives.imag
    (('k',), array([[-0.251259],
           [ 0.251259]]))

    See also: `stability.eigenvalue_sensitivities`.
    """

    parameters: tuple[str, ...]
    states: tuple[str, ...]
    eigenvalues: Complex
    derivatives: Complex
    shapes: Complex
    shape_derivatives: Complex

    def __str__(self) -> str:
        lines = ["eigenvalue".rjust(26) + "".join(f"d/d{n}".rjust(26) for n in self.parameters)]
        for s, row in zip(self.eigenvalues, self.derivatives, strict=True):
            lines.append("".join(neat(v).rjust(26) for v in (s, *row)))
        return "\n".join(lines)


@values_by_name(StabilityError)
def eigenvalue_sensitivities(
    lin: LinearSystem, *parameters: str | Symbol, values: Mapping[Any, Any] | None = None, **named: float
) -> EigenvalueSensitivities:
    """Derivatives of eigenvalues and modes with respect to parameters (Lynch eq. 6.18 for any pencil).

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> sb.stability.eigenvalue_sensitivities(lin, "k", k=4.0, c=0.0).derivatives.imag  # of ±√k: ±1 / (2 √k)
    array([[-0.25],
           [ 0.25]])

    See also: `stability.design_parameters`, `LinearSystem.modes`, `stability.response_sensitivities`.
    """
    varied = [lin.numbers.parameter(n) for n in parameters] or list(lin.parameters)
    rows, points = lin.numbers.sets({k: [v] for k, v in _one_value_at_least(lin, values or {}).items()})
    n = lin.numbers.matrices_at(rows, points)
    E, A = n.E[0], n.A[0]
    found = pencil_spectrum(E, A, lin.x)
    _refuse_multiple(lin, found.s)
    largest = np.argmax(np.round(np.abs(found.x) / np.abs(found.x).max(axis=0), 9), axis=0)
    factor = found.x[largest, np.arange(len(found.s))]
    x, y = found.x / factor, found.y * factor.conj()
    slopes, shapes = [], []
    for p in varied:
        d = lin.numbers.derivatives_at(p, rows, points)
        change = d.A[0] @ x - (d.E[0] @ x) * found.s
        ds = np.einsum("ij,ij->j", y.conj(), change)
        slopes.append(ds)
        shapes.append(np.column_stack([
            _shape_slope(E, A, found.s[k], x[:, k], ds[k], change[:, k], int(largest[k])) for k in range(len(found.s))
        ]) if len(found.s) else np.zeros_like(x))  # fmt: skip
    return EigenvalueSensitivities(
        tuple(p.name for p in varied), lin.x, found.s, np.array(slopes).T, x, np.array(shapes)
    )


def _one_value_at_least(lin: LinearSystem, values: Mapping[str, float]) -> dict[str, float]:
    """The values, with at least one in them: a sweep of length one."""
    return dict(values) or {s.name: v for s, v in list(lin.numbers.values({}).items())[:1]}


def _refuse_multiple(lin: LinearSystem, s: Complex) -> None:
    """Eigenvalues that coincide have no derivative."""
    gaps = np.abs(s[:, None] - s[None, :]) + np.diag(np.full(len(s), np.inf))
    bad = np.flatnonzero(gaps.min(axis=1, initial=np.inf) < 1e-7 * np.abs(s).max(initial=0.0))
    if len(bad):
        raise StabilityError(
            f"linear system {lin.name!r}: the eigenvalue {s[bad[0]]:z.6g} is multiple and has no derivative; drop cyclic coordinates, or "
            "move a parameter a little"
        )


def _shape_slope(E: Any, A: Any, s: complex, x: Complex, ds: complex, change: Complex, fixed: int) -> Complex:
    """[A - s E, -E x; eᵀ, 0] [dx; *] = [-change; 0]: the last unknown comes out as ds."""
    n = len(A)
    whole = np.zeros((n + 1, n + 1), dtype=complex)
    whole[:n, :n], whole[:n, n], whole[n, fixed] = A - s * E, -(E @ x), 1.0
    return np.linalg.solve(whole, np.append(-change, 0.0))[:n]


@values_by_name(StabilityError)
def response_sensitivities(
    lin: LinearSystem, r: str | Symbol, y: str | Symbol, hertz: Any, /, *parameters: str | Symbol, values: Mapping[Any, Any] | None = None,
    **named: float,
) -> dict[str, Complex]:  # fmt: skip
    """Derivatives of a frequency response with respect to parameters.

        dG = dC X + C (iω E - A)⁻¹ (dB - (iω dE - dA) X) + dD,   X = (iω E - A)⁻¹ B

    B and D have rates of inputs in them, at iω.

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> sb.stability.response_sensitivities(lin, "F", "x", [0.0], "k", k=4.0, c=0.0)["k"].real  # of 1/k: -1/k²
    array([-0.0625])

    See also: `LinearSystem.frequency_response`, `stability.eigenvalue_sensitivities`.
    """
    k, seen = lin.numbers.input(r), lin.with_outputs(y)
    varied = [seen.numbers.parameter(n) for n in parameters] or list(seen.parameters)
    rows, points = seen.numbers.sets({k: [v] for k, v in _one_value_at_least(seen, values or {}).items()})
    n = seen.numbers.matrices_at(rows, points)
    omega = 2 * np.pi * np.atleast_1d(np.asarray(hertz, dtype=float))[:, None, None]
    s = 1j * omega
    pencil = s * n.E - n.A
    X = np.linalg.solve(pencil, n.b_at(s)[:, :, [k]])
    out: dict[str, Complex] = {}
    for p in varied:
        d = seen.numbers.derivatives_at(p, rows, points)
        inner: Any = np.linalg.solve(pencil, d.b_at(s)[:, :, [k]] - (s * d.E - d.A) @ X)
        out[p.name] = (d.C @ X + n.C @ inner + d.d_at(s)[:, :, [k]])[:, 0, 0]
    return out
