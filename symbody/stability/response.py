"""Responses of a linear system: over frequency, over time, and their zeros."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import expm, svd

from ..algebra.graph import Symbol
from ..emit.run.callable import Array
from ..errors import StabilityError, shown
from ..summary import Summarized, Summary, filled, listing
from .pencil import Complex, is_regular, pencil_spectrum

if TYPE_CHECKING:
    from .linear_system import LinearSystem


@dataclass(frozen=True)
class FrequencyResponse:
    """G(iω) = C (iω E - A)⁻¹ B + D from one input to one output."""

    input: str
    output: str
    hertz: Array
    values: Complex

    @property
    def omega(self) -> Array:
        return 2 * np.pi * self.hertz

    @property
    def magnitude(self) -> Array:
        return np.abs(self.values)

    @property
    def decibels(self) -> Array:
        return 20 * np.log10(np.maximum(self.magnitude, 1e-300))

    @property
    def phase(self) -> Array:
        """In degrees, without jumps."""
        return np.degrees(np.unwrap(np.angle(self.values)))

    def __repr__(self) -> str:
        peak = int(np.argmax(self.magnitude))
        return (
            f"<FrequencyResponse of {self.output} to {self.input}: {len(self.hertz)} points, {self.hertz[0]:.4g} ... "
            f"{self.hertz[-1]:.4g} Hz, largest {self.magnitude[peak]:.5g} at {self.hertz[peak]:.5g} Hz>"
        )


@dataclass(frozen=True)
class TimeResponse:
    """An output over time after a unit step or impulse of an input at t = 0, from rest."""

    kind: str
    input: str
    output: str
    times: Array
    values: Array

    def __repr__(self) -> str:
        return f"<{self.kind} response of {self.output} to {self.input}: {len(self.times)} times, 0 ... {self.times[-1]:.4g} s>"


@dataclass(frozen=True, repr=False)
class StateSpace(Summarized):
    """x' = A x + B r, y = C x + D r with numbers; `states` are combinations of the system's where algebraic ones were eliminated."""

    A: Any
    B: Any
    C: Any
    D: Any
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def _summary(self) -> Summary:
        sizes = ", ".join(f"{k} {getattr(self, k).shape[0]} by {getattr(self, k).shape[1]}" for k in "ABCD")
        rows = filled(
            states=listing(self.states), inputs=listing(self.inputs), outputs=listing(self.outputs), matrices=sizes
        )
        return Summary("StateSpace x' = A x + B r, y = C x + D r in numbers", rows)


# ---------------------------------------------------------------------------------------------------- over frequency


def frequency_response(
    lin: LinearSystem, r: str | Symbol, y: str | Symbol, hertz: Any, values: Mapping[str, float]
) -> FrequencyResponse:
    k, seen = lin.input(r), lin.with_outputs(y)
    n = seen.matrices(values)
    f = _frequencies(n.E, n.A, lin.x) if hertz is None else np.atleast_1d(np.asarray(hertz, dtype=float))
    if f.ndim != 1 or not len(f) or not np.isfinite(f).all():
        raise StabilityError(f"linear system {lin.name!r}: frequencies are finite numbers in Hz, got {shown(hertz)}")
    return FrequencyResponse(lin.r[k], seen.y[0], f, transfer(n, 2 * np.pi * f, k)[:, 0])


def transfer(n: Any, omega: Array, k: int) -> Complex:
    """G(iω) from one input to all outputs, one row for each frequency."""
    pencil = 1j * omega[:, None, None] * n.E - n.A
    x = np.linalg.solve(pencil, np.broadcast_to(n.B[:, [k]], (len(omega), len(n.A), 1)))
    return (n.C @ x)[:, :, 0] + n.D[:, k]


def frequency_grid(begin: float, end: float, points: int = 400) -> Array:
    """Frequencies for `frequency_response`, evenly spaced on a logarithmic scale."""
    return np.geomspace(begin, end, points)


def _frequencies(E: Array, A: Array, names: tuple[str, ...]) -> Array:
    """Two decades around the oscillations of the system, from a tenth of the slowest to ten times the fastest."""
    s = np.abs(pencil_spectrum(E, A, names).s)
    s = s[s > 1e-6 * s.max(initial=1.0)] / (2 * np.pi)
    low, high = (s.min() / 10, s.max() * 10) if len(s) else (0.01, 100.0)
    return frequency_grid(low, high)


# ---------------------------------------------------------------------------------------------------- over time


def explicit(lin: LinearSystem, values: Mapping[str, float]) -> StateSpace:
    """E x' = A x + B r solved for the rates. Where E is singular, E = U S Vᵀ splits off what has no rate of its own:

    S1 w1' = A11 w1 + A12 w2 + B1 r,   0 = A21 w1 + A22 w2 + B2 r,   x = V w
    """
    n = lin.matrices(values)
    if is_regular(n.E):
        return StateSpace(np.linalg.solve(n.E, n.A), np.linalg.solve(n.E, n.B), n.C, n.D, lin.x, lin.r, lin.y)
    U, S, Vt = svd(n.E)
    rank = int((S > 1e-11 * S[0]).sum()) if S.size and S[0] else 0
    A, B, C = U.T @ n.A @ Vt.T, U.T @ n.B, n.C @ Vt.T
    fast = A[rank:, rank:]
    if np.linalg.svd(fast, compute_uv=False)[-1] <= 1e-12 * max(np.abs(A).max(), 1e-300):
        raise StabilityError(
            f"linear system {lin.name!r}: its algebraic equations do not determine its algebraic variables, so that there is no form "
            "x' = A x + B r of it; eigenvalues and frequency responses need none"
        )
    w_w, w_r = -np.linalg.solve(fast, A[rank:, :rank]), -np.linalg.solve(fast, B[rank:])
    scale = S[:rank, None]
    return StateSpace(
        (A[:rank, :rank] + A[:rank, rank:] @ w_w) / scale, (B[:rank] + A[:rank, rank:] @ w_r) / scale,
        C[:, :rank] + C[:, rank:] @ w_w, n.D + C[:, rank:] @ w_r, tuple(f"w{k + 1}" for k in range(rank)), lin.r, lin.y,
    )  # fmt: skip


def time_response(
    lin: LinearSystem, r: str | Symbol, y: str | Symbol, times: Any, values: Mapping[str, float], kind: str
) -> TimeResponse:
    """By the exponential of the system with the input as a further state: exact at the times asked for."""
    k, seen = lin.input(r), lin.with_outputs(y)
    space = explicit(seen, values)
    A, b, c, d = space.A, space.B[:, [k]], space.C[0], float(space.D[0, k])
    if kind == "impulse" and d:
        raise StabilityError(
            f"linear system {lin.name!r}: {seen.y[0]} follows {lin.r[k]} directly; its impulse response has an impulse"
        )
    t = _times(A) if times is None else np.asarray(times, dtype=float)
    if t.ndim != 1 or not len(t) or (np.diff(t) <= 0).any() or t[0] < 0:
        raise StabilityError(f"linear system {lin.name!r}: times must grow from 0, got {t}")
    n = len(A)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n:] = A, b if kind == "step" else 0.0
    state = np.append(np.zeros(n), 1.0) if kind == "step" else np.append(b[:, 0], 0.0)
    rows, now, kept = [], 0.0, (-1.0, whole)
    for time in t:
        step = float(time - now)
        if abs(step - kept[0]) > 1e-14 * max(step, 1e-300):
            kept = (step, expm(whole * step))
        state, now = (kept[1] @ state if step else state), float(time)
        rows.append(c @ state[:n] + d * state[n])
    return TimeResponse(kind, lin.r[k], seen.y[0], t, np.array(rows))


def _times(A: Array) -> Array:
    """Until the slowest decay or growth has done five times its time constant, or twenty of the slowest oscillation."""
    s = np.linalg.eigvals(A)
    rates, turns = np.abs(s.real), np.abs(s.imag)
    scale = np.abs(s).max(initial=1e-300)
    slow = rates[rates > 1e-6 * scale]
    turning = turns[turns > 1e-6 * scale]
    end = 5 / slow.min() if len(slow) else 20 * 2 * np.pi / turning.min() if len(turning) else 10.0
    return np.linspace(0.0, float(end), 1001)


# ---------------------------------------------------------------------------------------------------- zeros


def zeros(lin: LinearSystem, r: str | Symbol, y: str | Symbol, values: Mapping[str, float]) -> Complex:
    """Finite s at which [A - s E, B; C, D] loses rank: a nonzero input gives zero output."""
    k, seen = lin.input(r), lin.with_outputs(y)
    n = seen.matrices(values)
    A = np.block([[n.A, n.B[:, [k]]], [n.C, n.D[:, [k]]]])
    E = np.zeros_like(A)
    E[: len(n.E), : len(n.E)] = n.E
    try:
        return pencil_spectrum(E, A, (*lin.x, lin.r[k])).s
    except StabilityError:
        raise StabilityError(f"linear system {lin.name!r}: {seen.y[0]} does not respond to {lin.r[k]} at all") from None
