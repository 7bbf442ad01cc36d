"""The normal form of a Hopf point: growth of the oscillation that begins there.

The equations are used in implicit form, G(Y', Y) = 0 in all variables Y = (q, u, z, lam), with constraints and their
rates as rows; nothing is eliminated. With the eigenvector v, (iω P + Q) v = 0 for P = ∂G/∂Y' and Q = ∂G/∂Y, motions on
the centre manifold are

    Y = Y₀ + ζ v + ζ̄ v̄ + ½ ζ² h₂₀ + ζ ζ̄ h₁₁ + ½ ζ̄² h̄₂₀ + ...,    ζ' = (iω + λ' Δ) ζ + c₁ ζ² ζ̄

and order by order (Kuznetsov, *Elements of Applied Bifurcation Theory*, 5.4, there for x' = f(x)), with W = (Y', Y) of
each term,

    (2iω P + Q) h₂₀ = -∂²G[W₁, W₁]
    P d + Q h₁₁     = -∂²G[W₁, W̄₁]           d: drift of cyclic coordinates
    (iω P + Q) h₂₁ + 2 c₁ P v = -∂³G[W₁, W₁, W̄₁] - 2 ∂²G[W₁, W₁₁] - ∂²G[W̄₁, W₂₀]

λ' = dλ/dΔ along the branch follows from (iω P + Q) w + λ' P v = -∂²G[W₁, W_Δ]. Redundant rows are consistent, so that
least squares solve each line. If motions form families (energy is conserved), h₁₁ is the one of the same energy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.calculus.jets import directional_forms
from ...algebra.graph.graph import Expr, Symbol, symbol
from ...derivation.equations.energies import energy, external_power
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ..spectra.pencil import Complex
from ..variation.condition_rows import acceleration_rows, position_rows, speed_rows
from ..variation.parameter_samples import substituted_and_folded, vanishing

RANK_TOLERANCE: Final = 1e-9  # singular value, relative to the largest, below which an unknown is undetermined
MAX_ACCELERATION: Final = 1e-9  # largest acceleration of a motion that counts as steady
MAX_RESIDUAL: Final = 1e-6  # largest residual of a line, relative to its terms, that counts as solved


@dataclass(frozen=True)
class HopfForm:
    """The normal form ζ' = (iω + λ' Δ) ζ + c₁ ζ² ζ̄, and the eigenvector by name of the variables.

    lyapunov   l₁ = Re c₁ / ω: negative where the oscillation is stable beside a steady motion that was (supercritical)
    growth     λ': complex rate of change of the eigenvalue with the varied value
    shape      v
    """

    omega: float
    c1: complex
    growth: complex
    shape: dict[str, complex]

    @property
    def lyapunov(self) -> float:
        """The first Lyapunov coefficient."""
        return self.c1.real / self.omega

    @property
    def amplitude(self) -> float:
        """|ζ|² over Δ: the oscillation lives where Δ has its sign; nan if equations are linear to third order."""
        return -self.growth.real / self.c1.real if self.c1.real else np.nan

    @property
    def frequency(self) -> float:
        """dω/dΔ of the oscillation."""
        return self.growth.imag + self.c1.imag * self.amplitude


class FullRows:
    """G(Y', Y) of some equations at fixed values, with ∂²G and ∂³G in any directions; variables are (Y', Y, varied
    value)."""

    def __init__(self, eq: Equations, fixed: Mapping[Symbol, Expr], varied: Symbol) -> None:
        self.eq, self.varied = eq, varied
        rates = tuple(symbol(f"rate_of_{q.name}", "variable") for q in eq.q)
        dots = eq.variables.of("u' z'").symbols
        self.states = eq.variables.of("q u z").symbols
        self.rates = (*rates, *dots)
        self.levels = (*self.states, *eq.lam)
        moving = {*self.rates, *self.levels, varied}
        held = {s: e for s, e in fixed.items() if s not in moving}
        kinematics = [r - e for r, e in zip(rates, eq.rates.entries, strict=True)]
        rows = [*position_rows(eq), *speed_rows(eq), *acceleration_rows(eq)]
        exprs = [*kinematics, *(r.expression for r in rows), *eq.residual().entries, *eq.h.entries]
        self.rows = substituted_and_folded(exprs, held)
        self.energy = substituted_and_folded([energy(eq)], held)[0]
        self.power = external_power(eq)

    @property
    def variables(self) -> tuple[Symbol, ...]:
        return (*self.rates, *self.levels, self.varied)

    def slopes(self, at: Mapping[Symbol, float]) -> Array:
        """∂G/∂(Y', Y, varied), and of the energy last."""
        entries = jacobian([*self.rows, self.energy], self.variables).entries
        return np.array(evaluate(list(entries), at), dtype=float).reshape(len(self.rows) + 1, len(self.variables))

    def second(self, at: Mapping[Symbol, float], a: Complex, b: Complex) -> Complex:
        """∂²G[a, b], the energy last."""
        return directional_forms([*self.rows, self.energy], at, [self._by_symbol(a), self._by_symbol(b)])

    def third(self, at: Mapping[Symbol, float], a: Complex, b: Complex, c: Complex) -> Complex:
        """∂³G[a, b, c]."""
        return directional_forms(self.rows, at, [self._by_symbol(x) for x in (a, b, c)])

    def _by_symbol(self, direction: Complex) -> dict[Symbol, complex]:
        return {s: complex(x) for s, x in zip(self.variables, direction, strict=True) if x}

    def keeps_energy(self, near: Mapping[Symbol, float]) -> bool:
        """Whether no load does work on the mechanism from outside."""
        return bool(vanishing([self.power], near)[0])


def hopf_form(
    full: FullRows, at: Mapping[Symbol, float], direction: Mapping[Symbol, float], eigenvalue: complex
) -> HopfForm | None:
    """The normal form where a pair of eigenvalues is imaginary; None if a line has no solution, or where the motion
    accelerates along axes of the ground: then other speeds (m.speed) would give rows with constant coefficients.

    at          numbers of all variables and parameters
    direction   of the branch: dY/dΔ
    """
    if any(abs(at.get(s, 0.0)) > MAX_ACCELERATION for s in full.rates[len(full.eq.q) :]):
        return None
    at = {**dict.fromkeys(full.rates, 0.0), **at}  # rates of what drifts do not count: only their own rows have them
    n, m = len(full.rates), len(full.levels)
    S = full.slopes(at)
    place = {s: k for k, s in enumerate(full.levels)}
    P = np.zeros((len(full.rows), m))
    P[:, [place[s] for s in full.states]] = S[:-1, :n]
    Q = S[:-1, n : n + m]
    omega = abs(eigenvalue.imag)
    lines = _HomologicalEquations(full, P, Q, S[-1, n : n + m])
    v = lines.eigenvector(omega)
    W1 = lines.term(1j * omega * v, v)
    h20 = lines.solved(2j * omega * P + Q, -full.second(at, W1, W1)[:-1])
    mean = lines.mean(full.second(at, W1, W1.conj()), full.keeps_energy(at))
    if h20 is None or mean is None:
        return None
    W20, W11 = lines.term(2j * omega * h20, h20), lines.term(*mean)
    right = (
        -full.third(at, W1, W1, W1.conj()) - 2 * full.second(at, W1, W11)[:-1] - full.second(at, W1.conj(), W20)[:-1]
    )
    along = np.array([direction.get(s, 0.0) for s in full.levels])
    moved = np.concatenate([np.zeros(n), along, [1.0]]).astype(complex)
    turned = -full.second(at, W1, moved)[:-1]
    c1, growth = lines.resonant(omega, v, right), lines.resonant(omega, v, turned)
    if c1 is None or growth is None:
        return None
    return HopfForm(omega, c1 / 2, growth, dict(zip((s.name for s in full.levels), map(complex, v), strict=True)))


@dataclass(frozen=True)
class _HomologicalEquations:
    """The linear systems of a Hopf point."""

    full: FullRows
    P: Array
    Q: Array
    energy: Array

    def term(self, rate: Complex, level: Complex) -> Complex:
        """W of a term: its rates and its values, without the varied value."""
        place = {s: k for k, s in enumerate(self.full.levels)}
        own = rate[[place[s] for s in self.full.states]]
        return np.concatenate([own, level, [0.0]]).astype(complex)

    def eigenvector(self, omega: float) -> Complex:
        """v with (iω P + Q) v = 0, its largest coordinate one. Redundant constraints leave multipliers open: of all
        null vectors the one in which states take the largest part."""
        _, s, V = np.linalg.svd(self._scaled_matrix(1j * omega * self.P + self.Q))
        count = max(1, len(V) - int(np.sum(s > RANK_TOLERANCE * s[0])))
        null = V[-count:].conj().T
        part = np.linalg.svd(null[: len(self.full.states)])[2][0].conj()
        v = self._columns * (null @ part)
        states = v[: len(self.full.states)]
        largest = states[np.argmax(np.abs(states))]
        return np.asarray(v / largest, dtype=complex)

    @cached_property
    def _columns(self) -> Array:
        sizes = np.abs(self.P).max(axis=0) + np.abs(self.Q).max(axis=0)
        return 1 / np.where(sizes > 0, sizes, 1.0)

    @cached_property
    def _rows(self) -> Array:
        sizes = (np.abs(self.P) + np.abs(self.Q)) @ self._columns
        return 1 / np.where(sizes > 0, sizes, 1.0)

    def _scaled_matrix(self, A: Any) -> Any:
        return self._rows[:, None] * A * self._columns

    def solved(self, A: Any, right: Any) -> Complex | None:
        """A h = right by least squares; None if it has no solution."""
        scaled, b = self._scaled_matrix(A), self._rows * right
        h = np.linalg.lstsq(scaled, b, rcond=RANK_TOLERANCE)[0]
        return self._columns * h if _vanishes(scaled @ h - b, b) else None

    def mean(self, second: Complex, keeps_energy: bool) -> tuple[Complex, Complex] | None:
        """d and h₁₁; where the rows leave a family open, that of the same energy."""
        _, s, V = np.linalg.svd(self._scaled_matrix(self.Q))
        rank = int(np.sum(s > RANK_TOLERANCE * s[0]))
        idle = self._columns[:, None] * V[rank:].T
        A = np.hstack([self._scaled_matrix(self.Q), self._rows[:, None] * (self.P @ idle)])
        b = -self._rows * second[:-1].real
        if keeps_energy:
            row = np.concatenate([self.energy * self._columns, np.zeros(idle.shape[1])])
            size = np.abs(row).max(initial=0.0) or 1.0
            A, b = np.vstack([A, row / size]), np.append(b, -second[-1].real / size)
        x = np.linalg.lstsq(A, b, rcond=RANK_TOLERANCE)[0]
        if not _vanishes(A @ x - b, b):
            return None
        m = len(self._columns)
        return (idle @ x[m:]).astype(complex), (self._columns * x[:m]).astype(complex)

    def resonant(self, omega: float, v: Complex, right: Complex) -> complex | None:
        """c with (iω P + Q) h + c P v = right."""
        A = np.column_stack([self._scaled_matrix(1j * omega * self.P + self.Q), self._rows * (self.P @ v)])
        b = self._rows * right
        x = np.linalg.lstsq(A, b, rcond=RANK_TOLERANCE)[0]
        return complex(x[-1]) if _vanishes(A @ x - b, b) else None


def _vanishes(left: Any, terms: Any) -> bool:
    return bool(np.abs(left).max(initial=0.0) <= MAX_RESIDUAL * max(np.abs(terms).max(initial=0.0), 1e-300))
