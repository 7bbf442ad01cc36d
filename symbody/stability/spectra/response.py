"""Responses of a linear system: over frequency, over time, and their zeros."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import expm, svd

from ...algebra.calculus.rounding import UNIT_ROUNDOFF
from ...algebra.graph.graph import Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.names import rate_name
from ...argument_kinds import answered
from ...derivation.equations.keywords import values_by_name
from ...display import DisplayPart, ShownPicture, Title
from ...emit.run.callable import Array
from ...errors import StabilityError, shown
from ...small_figures import SmallCurve, small_figure
from ...summary import Introduced, Summarized, Summary, listing, summary_rows
from .pencil import Complex, is_regular, pencil_spectrum

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem


@dataclass(frozen=True)
class FrequencyResponse(Introduced):
    """G(s) = C (s E - A)⁻¹ (B + s B1 + s² B2) + D + s D1 + s² D2 at s = iω, from one input to one output.

    hertz, values   frequencies in Hz, and G at each, complex
    input, output   their names

    >>> lin = sb.linear_system([[-1]], B=[[1]], x=["x"], r=["F"])
    >>> response = lin.frequency_response("F", "x", [1 / (2 * np.pi)])
    >>> response.magnitude, response.phase
    (array([0.707107]), array([-45.]))

    See also: `LinearSystem.frequency_response`, `plot`.
    """

    input: str
    output: str
    hertz: Array
    values: Complex

    def _display(self) -> Iterable[DisplayPart]:
        """Magnitude over frequency, both by powers of ten."""
        x, y = np.log10(np.maximum(self.hertz, 1e-300)), self.decibels
        curve = SmallCurve("", x.tolist(), y.tolist())
        return Title(f"Frequency response of {self.output} to {self.input}"), ShownPicture(
            lambda: small_figure([curve], "log10 of the frequency in Hz", "magnitude [dB]")
        )

    @property
    def omega(self) -> Array:
        """Angular frequencies ω in rad/s.

        >>> lin = sb.linear_system([[-1]], B=[[1]], x=["x"], r=["F"])
        >>> response = lin.frequency_response("F", "x", [1 / (2 * np.pi)])
        >>> response.omega, response.decibels  # 20 log10 |G|
        (array([1.]), array([-3.0103]))
        """
        return 2 * np.pi * self.hertz

    @property
    def magnitude(self) -> Array:
        """|G|."""
        return np.abs(self.values)

    @property
    def decibels(self) -> Array:
        """Magnitude in dB: 20 log10 |G|."""
        return 20 * np.log10(np.maximum(self.magnitude, 1e-300))

    @property
    def phase(self) -> Array:
        """Phase in degrees, unwrapped."""
        return np.degrees(np.unwrap(np.angle(self.values)))

    def __repr__(self) -> str:
        peak = int(np.argmax(self.magnitude))
        return (
            f"<FrequencyResponse of {self.output} to {self.input}: {len(self.hertz)} points, {self.hertz[0]:z.4g} ... "
            f"{self.hertz[-1]:z.4g} Hz, largest {self.magnitude[peak]:z.5g} at {self.hertz[peak]:z.5g} Hz>"
        )


@dataclass(frozen=True)
class TimeResponse(Introduced):
    """An output over time after a unit step or impulse of an input at t = 0, from rest.

    kind            step or impulse
    times, values   in s, and the output at each
    input, output   their names

    >>> lin = sb.linear_system([[-1]], B=[[1]], x=["x"], r=["F"])
    >>> lin.step_response("F", "x", [0.0, 1.0]).values
    array([0.      , 0.632121])

    See also: `LinearSystem.step_response`, `plot`.
    """

    kind: str
    input: str
    output: str
    times: Array
    values: Array

    def _display(self) -> Iterable[DisplayPart]:
        curve = SmallCurve("", self.times.tolist(), self.values.tolist())
        return *super()._display(), ShownPicture(lambda: small_figure([curve], "t [s]", self.output))

    def __repr__(self) -> str:
        return (
            f"<{self.kind} response of {self.output} to {self.input}: {len(self.times)} times, 0 ... "
            f"{self.times[-1]:z.4g} s>"
        )


@dataclass(frozen=True, repr=False)
class StateSpace(Summarized):
    """x' = A x + B r, y = C x + D r with numbers, or expressions; `states` are combinations of the system's where algebraic ones were
    eliminated, and less a multiple of the inputs (`z_dot_shifted`) where rates of inputs act. An input whose rate
    stands in an output is a state, and its rate the input.

    states, inputs, outputs   names of the entries of x, r and y

    >>> lin = sb.linear_system([[0, 1], [-4, -1]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> found = lin.state_space()
    >>> found.A, found.states
    (array([[ 0.,  1.],
           [-4., -1.]]), ('x', 'v'))

    See also: `LinearSystem.state_space`, `stability.to_scipy`.
    """

    A: Any
    B: Any
    C: Any
    D: Any
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def _summary(self) -> Summary:
        sizes = ", ".join(f"{k} {' by '.join(map(str, _shape(getattr(self, k))))}" for k in "ABCD")
        rows = summary_rows(
            states=listing(self.states), inputs=listing(self.inputs), outputs=listing(self.outputs), matrices=sizes
        )
        kind = "expressions" if isinstance(self.A, Matrix) else "numbers"
        return Summary(f"StateSpace x' = A x + B r, y = C x + D r in {kind}", rows)


def _shape(m: Any) -> tuple[int, int]:
    return (m.rows, m.cols) if isinstance(m, Matrix) else m.shape


# ---------------------------------------------------------------------------------------------------- over frequency


def frequency_response(
    lin: LinearSystem, r: str | Symbol, y: str | Symbol, hertz: Any, values: Mapping[str, float]
) -> FrequencyResponse:
    k, seen = lin.numbers.input(r), lin.with_outputs(y)
    n = seen.matrices(values)
    f = _frequencies(n.E, n.A, lin.x) if hertz is None else checked_frequencies(lin, hertz)
    return finite_response(lin, k, seen.y[0], f, transfer(n, 2 * np.pi * f, k)[:, 0])


def finite_response(lin: LinearSystem, k: int, y: str, hertz: Array, values: Complex) -> FrequencyResponse:
    """The response to input k; refused at frequencies where it has no value."""
    if len(poles := hertz[~np.isfinite(values)]):
        raise StabilityError(
            f"linear system {lin.name!r}: the response of {y} to {lin.r[k]} has no value at {poles[0]:z.6g} Hz, where an eigenvalue is on the "
            "imaginary axis; pass other frequencies, or add damping"
        )
    return FrequencyResponse(lin.r[k], y, hertz, values)


def checked_frequencies(lin: LinearSystem, hertz: Any) -> Array:
    """As an array."""
    f = np.atleast_1d(np.asarray(hertz, dtype=float))
    if f.ndim != 1 or not len(f) or not np.isfinite(f).all():
        raise StabilityError(
            f"linear system {lin.name!r}: frequencies must be finite numbers in Hz, got {shown(hertz)}"
        )
    return f


def transfer(n: Any, omega: Array, k: int) -> Complex:
    """G(iω) from one input to all outputs, one row for each frequency; NaN where iω is an eigenvalue."""
    s = 1j * omega[:, None, None]
    try:
        x = np.linalg.solve(s * n.E - n.A, n.b_at(s)[:, :, [k]])
    except np.linalg.LinAlgError:
        if len(omega) == 1:
            return np.full((1, len(n.C)), np.nan)
        return np.concatenate([transfer(n, omega[i : i + 1], k) for i in range(len(omega))])
    y: Complex = (n.C @ x + n.d_at(s)[:, :, [k]])[:, :, 0]
    return y


@answered
def frequency_grid(begin: float, end: float, points: int = 400) -> Array:
    """Frequencies for `frequency_response`, evenly spaced on a logarithmic scale.

    >>> sb.stability.frequency_grid(0.1, 10.0, 3)
    array([ 0.1,  1. , 10. ])

    See also: `LinearSystem.frequency_response`.
    """
    return np.geomspace(begin, end, points)


def _frequencies(E: Array, A: Array, names: tuple[str, ...]) -> Array:
    """Two decades around the oscillations of the system, from a tenth of the slowest to ten times the fastest."""
    s = np.abs(pencil_spectrum(E, A, names).s)
    s = s[s > 1e-6 * s.max(initial=1.0)] / (2 * np.pi)
    low, high = (s.min() / 10, s.max() * 10) if len(s) else (0.01, 100.0)
    return frequency_grid(low, high)


# ---------------------------------------------------------------------------------------------------- over time


def explicit(lin: LinearSystem, values: Mapping[str, float]) -> StateSpace:
    """E x' = A x + B r + B1 r' + B2 r'' solved for the rates, without rates of inputs."""
    return with_inputs_as_states(without_input_rates(solved_for_rates(lin, values)))


@dataclass(frozen=True)
class WithRates:
    """x' = A x + Σ B_k r⁽ᵏ⁾,  y = C x + Σ D_k r⁽ᵏ⁾, k being the order of the rate."""

    A: Any
    B: tuple[Any, ...]
    C: Any
    D: tuple[Any, ...]
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def solved_for_rates(lin: LinearSystem, values: Mapping[str, float]) -> WithRates:
    """Where E is singular, E = U S Vᵀ separates the states without a rate:

    S1 w1' = A11 w1 + A12 w2 + B1 r,   0 = A21 w1 + A22 w2 + B2 r,   x = V w
    """
    n = lin.matrices(values)
    B, D, names = (n.B, n.B1, n.B2), (n.D, n.D1, n.D2), (lin.r, lin.y)
    if is_regular(n.E):
        return WithRates(np.linalg.solve(n.E, n.A), tuple(np.linalg.solve(n.E, b) for b in B), n.C, D, lin.x, *names)
    U, S, Vt = svd(n.E)
    rank = int((S > 1e-11 * S[0]).sum()) if S.size and S[0] else 0
    A, C = U.T @ n.A @ Vt.T, n.C @ Vt.T
    fast, scale = A[rank:, rank:], S[:rank, None]
    if np.linalg.svd(fast, compute_uv=False)[-1] <= 1e-12 * max(np.abs(A).max(), 1e-300):
        raise StabilityError(
            f"linear system {lin.name!r}: its algebraic equations do not determine its algebraic variables, so that there is no form "
            "x' = A x + B r of it; eigenvalues and frequency responses need none"
        )
    w_w, turned = -np.linalg.solve(fast, A[rank:, :rank]), [U.T @ b for b in B]
    w_r = [-np.linalg.solve(fast, b[rank:]) for b in turned]
    return WithRates(
        (A[:rank, :rank] + A[:rank, rank:] @ w_w) / scale,
        tuple((b[:rank] + A[:rank, rank:] @ w) / scale for b, w in zip(turned, w_r, strict=True)), C[:, :rank] + C[:, rank:] @ w_w,
        tuple(d + C[:, rank:] @ w for d, w in zip(D, w_r, strict=True)), tuple(f"w{k + 1}" for k in range(rank)), *names,
    )  # fmt: skip


def without_input_rates(n: WithRates) -> WithRates:
    """The same for ξ = x - G1 r - G2 r', in whose rates no rate of an input stands:

    G2 = B2,  G1 = B1 + A G2;   ξ' = A ξ + (B + A G1) r,   y = C ξ + (D + C G1) r + (D1 + C G2) r' + D2 r''
    """
    (B, B1, B2), (D, D1, D2), none = n.B, n.D, np.zeros_like(n.B[0])
    G1 = B1 + n.A @ B2
    moved: Any = (np.abs(G1) + np.abs(B2)).any(axis=1)
    states = tuple(f"{name}_shifted" if m else name for name, m in zip(n.states, moved, strict=True))
    return replace(n, B=(B + n.A @ G1, none, none), D=(D + n.C @ G1, D1 + n.C @ B2, D2), states=states)


def with_inputs_as_states(n: WithRates) -> StateSpace:
    """Inputs of which y contains rates become states, driven by their last rate."""
    A, C, states = n.A, n.C, list(n.states)
    columns: list[tuple[Any, Any]] = []
    inputs: list[str] = []
    for k, name in enumerate(n.inputs):
        b, d = n.B[0][:, [k]], [m[:, [k]] for m in n.D]
        order = _last_rate(d, n.D)
        if not order:
            columns.append((b, d[0]))
            inputs.append(name)
            continue
        size = len(A)
        A = np.block(
            [[A, _padded_column(b, size), np.zeros((size, order - 1))], [np.zeros((order, size)), np.eye(order, k=1)]]
        )
        C = np.hstack([C, *d[:order]])
        states += [rate_name(name, i) for i in range(order)]
        columns.append((np.eye(len(A))[:, [-1]], d[order]))
        inputs.append(rate_name(name, order))
    B, D = (
        np.hstack([_padded_column(c[i], m) for c in columns]) if columns else np.zeros((m, 0))
        for i, m in enumerate((len(A), len(C)))
    )
    return StateSpace(A, B, C, D, tuple(states), tuple(inputs), n.outputs)


def _last_rate(d: list[Array], whole: tuple[Array, ...]) -> int:
    """The highest order of which more than rounding is there."""
    size = max((np.abs(m).max(initial=0.0) for m in whole), default=0.0)
    return max((i for i, m in enumerate(d) if np.abs(m).max(initial=0.0) > 1e-13 * size), default=0)


def _padded_column(column: Array, rows: int) -> Array:
    return np.vstack([column, np.zeros((rows - len(column), column.shape[1]))])


@values_by_name(StabilityError)
def impulse_response(
    lin: LinearSystem, r: str | Symbol, y: str | Symbol, /, times: Any = None, *, values: Mapping[Any, Any] | None = None,
    options: Mapping[str, Any] | None = None, **named: float,
) -> TimeResponse:  # fmt: skip
    """Response of an output to a unit impulse of an input.

    r, y     names of an input, and of an output or any variable
    times    in seconds; by default chosen from the spectrum
    values   of parameters, by name or symbol, or as keywords

    >>> lin = sb.linear_system([[-2]], B=[[1]], x=["x"], r=["F"])
    >>> sb.stability.impulse_response(lin, "F", "x", [0.0, 0.5]).values  # exp(-2 t)
    array([1.      , 0.367879])

    See also: `LinearSystem.step_response`, `LinearSystem.frequency_response`.
    """
    return time_response(lin, r, y, times, values or {}, "impulse")


def time_response(
    lin: LinearSystem, r: str | Symbol, y: str | Symbol, times: Any, values: Mapping[str, float], kind: str
) -> TimeResponse:
    """By the exponential of the system with the input as a further state: exact at the times asked for."""
    k, seen = lin.numbers.input(r), lin.with_outputs(y)
    space = without_input_rates(solved_for_rates(seen, values))
    A, b, c, d = space.A, space.B[0][:, [k]], space.C[0], float(space.D[0][0, k])
    follows = _last_rate([m[:, [k]] for m in space.D], space.D)
    if follows or (kind == "impulse" and d):
        raise StabilityError(
            f"linear system {lin.name!r}: {seen.y[0]} follows {rate_name(lin.r[k], follows)} directly; its "
            f"{kind} response has an impulse"
        )
    t = _times(A) if times is None else np.asarray(times, dtype=float)
    if t.ndim != 1 or not len(t) or (np.diff(t) <= 0).any() or t[0] < 0:
        raise StabilityError(f"linear system {lin.name!r}: times must grow from 0, got {shown(t)}")
    n = len(A)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n:] = A, b if kind == "step" else 0.0
    state = np.append(np.zeros(n), 1.0) if kind == "step" else np.append(b[:, 0], 0.0)
    rows, before, step, across = [], 0.0, 0.0, np.eye(n + 1)
    for time in t.tolist():
        if abs(before + step - time) > 8 * UNIT_ROUNDOFF * time:  # equal steps differ by rounding
            step = time - before
            across = expm(whole * step)
        state, before = across @ state, time
        rows.append(c @ state[:n] + d * state[n])
    return TimeResponse(kind, lin.r[k], seen.y[0], t, np.array(rows))


def _times(A: Array) -> Array:
    """Until every mode has decayed or grown for five times its time constant, or turned twenty times."""
    s = np.linalg.eigvals(A)
    least = 1e-6 * np.abs(s).max(initial=1e-300)
    s = s[(np.abs(s.real) > least) | (np.abs(s.imag) > least)]
    with np.errstate(divide="ignore"):
        ends = np.fmin(5 / np.abs(s.real), 20 * 2 * np.pi / np.abs(s.imag))
    return np.linspace(0.0, float(ends.max(initial=0.0)) or 10.0, 1001)


# ---------------------------------------------------------------------------------------------------- zeros


def zeros(lin: LinearSystem, r: str | Symbol, y: str | Symbol, values: Mapping[str, float]) -> Complex:
    """Finite s at which [A - s E, B + s B1 + s² B2; C, D + s D1 + s² D2] loses rank: a nonzero input gives zero output.

    With v = s r as a further unknown the rows are linear in s.
    """
    k, seen = lin.numbers.input(r), lin.with_outputs(y)
    n = seen.matrices(values)
    size = len(n.A)
    B, B1, B2 = (m[:, [k]] for m in (n.B, n.B1, n.B2))
    D, D1, D2 = (m[:, [k]] for m in (n.D, n.D1, n.D2))
    A = np.block([[n.A, B, B1], [n.C, D, D1], [np.zeros((1, size + 1)), np.ones((1, 1))]])
    E = np.block([[n.E, 0 * B, -B2], [0 * n.C, 0 * D, -D2], [np.zeros((1, size)), np.ones((1, 1)), np.zeros((1, 1))]])
    try:
        return pencil_spectrum(E, A, (*lin.x, lin.r[k], rate_name(lin.r[k], 1))).s
    except StabilityError:
        raise StabilityError(f"linear system {lin.name!r}: {seen.y[0]} does not respond to {lin.r[k]} at all") from None
