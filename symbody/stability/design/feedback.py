"""State feedback for a linear system: r = r0 - K (x - x0), by LQR or by placing poles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, solve_continuous_are
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Expr, Symbol, as_expr
from ...argument_kinds import answered_class
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import StabilityError, in_number, listed, shown
from ...later import later
from ...summary import Summarized, Summary, counted, listing, summary_rows
from ..spectra.pencil import Complex, is_regular, neat, sorted_order
from .reach import constant_directions, constant_quantities, unreachable_modes

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem

STABILITY_MARGIN = 1e-9  # real part, relative to the largest eigenvalue, above which a mode counts as not decaying


@answered_class
@dataclass(frozen=True, repr=False, eq=False)
class Feedback(Summarized, Mapping[str, Expr]):
    """Laws r = r0 - K (x - x0) by name of the input, about the operating point (x0, r0); pass this mapping as
    `inputs=`.

    K                gains, one row for each input, one column for each state
    eigenvalues      of the closed loop
    inputs, states   names of the rows and columns of K
    conserved        quantities that no input changes to first order, by name (the energy in a steady turn): their
                     gradients with respect to the states. The closed loop keeps an eigenvalue 0 for each
    laws             expressions by input; None if the system is not that of equations about a steady motion

    >>> lin = sb.linear_system([[0, 1], [0, 0]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> law = lin.place([-1, -2])
    >>> law.K, law.eigenvalues.real
    (array([[2., 3.]]), array([-2., -1.]))

    See also: `LinearSystem.lqr`, `LinearSystem.place`, `closed_loop`.
    """

    name: str
    inputs: tuple[str, ...]
    states: tuple[str, ...]
    K: Array
    eigenvalues: Complex
    laws: Mapping[str, Expr] | None
    conserved: Mapping[str, Array] = field(default_factory=dict)

    def _summary(self) -> Summary:
        rows = [
            (r, " ".join(f"{-x:+z.6g} {s}" for x, s in zip(row, self.states, strict=True) if x != 0) or "0")
            for r, row in zip(self.inputs, self.K, strict=True)
        ]
        closed = summary_rows(
            eigenvalues=listing(map(neat, self.eigenvalues)),
            conserved=f"{listed(list(self.conserved))} (to first order, whatever the inputs do)"
            if self.conserved
            else "",
            next="simulate(eq, ..., inputs=feedback)",
        )
        return Summary(f"Feedback of {self.name}: {counted(len(self.states), 'state')}", (*rows, *closed))

    def __getitem__(self, name: str) -> Expr:
        return self._laws[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._laws)

    def __len__(self) -> int:
        return len(self._laws)

    @property
    def _laws(self) -> Mapping[str, Expr]:
        if self.laws is None:
            raise StabilityError(
                f"feedback of {self.name!r}: its states ({listed(self.states)}) are not those of equations about a steady motion, so that there are "
                "gains K, but no laws in them"
            )
        return self.laws


def lqr(
    lin: LinearSystem, Q: Any, R: Any, inputs: Iterable[str | Symbol] | None, values: Mapping[str, float]
) -> Feedback:
    """The feedback with the least ∫ xᵀ Q x + rᵀ R r dt:  K = R⁻¹ Bᵀ S,  Aᵀ S + S A - S B R⁻¹ Bᵀ S + Q = 0.

    Conserved quantities c = Wᵀ x with Wᵀ A = 0, Wᵀ B = 0 stay as they are. With x = V z + W c, V orthogonal to W, the
    equation holds for z alone, and what follows from c is the limit of that for a mode that decays ever more slowly:
    (A_zz - B_z K_z)ᵀ S_zc + S_zz A_zc + Q_zc = 0.
    """
    plant = _plant(lin, inputs, values)
    weights, costs = _weights(lin, "Q", Q, lin.x), _weights(lin, "R", R, plant.inputs)
    if np.linalg.eigvalsh(costs).min(initial=1.0) <= 0:
        raise StabilityError(f"lqr of {lin.name!r}: R must be positive definite, got {shown(R)}")
    if np.linalg.eigvalsh(weights).min(initial=0.0) < -1e-12 * np.abs(weights).max(initial=0.0):
        raise StabilityError(f"lqr of {lin.name!r}: Q must not be negative, got {shown(Q)}")
    V, W = constant_directions(plant.A, plant.B)
    plant.refuse_unreachable(lambda s, scale: s.real > -STABILITY_MARGIN * scale, V)
    A, B = V.T @ plant.A, V.T @ plant.B

    def gains() -> Array:
        S = solve_continuous_are(A @ V, B, V.T @ weights @ V, costs)
        closed = A @ V - B @ np.linalg.solve(costs, B.T @ S)
        beside = np.linalg.solve(closed.T, -(S @ A + V.T @ weights) @ W)
        K: Array = np.linalg.solve(costs, B.T @ (S @ V.T + beside @ W.T))
        return np.where(_are_coupled(plant.A, plant.B, weights, costs), K, 0.0)

    return plant.feedback(gains, "lqr", "give every mode that is not already stable a weight in Q", W)


def _are_coupled(A: Array, B: Array, Q: Array, R: Array) -> NDArray[np.bool_]:
    """Whether input i and state j are in one part of a system, which its matrices do not couple with other parts:
    gains between parts are zero, and what is computed of them is rounding."""
    n = len(A)
    links = np.block([[(A != 0) | (Q != 0), B != 0], [np.zeros_like(B.T, dtype=bool), R != 0]])
    part = connected_components(csr_array(links), directed=False)[1]
    return np.asarray(part[n:, None] == part[None, :n])


def place(
    lin: LinearSystem, poles: Sequence[complex], inputs: Iterable[str | Symbol] | None, values: Mapping[str, float]
) -> Feedback:
    """The feedback with which the closed loop has given eigenvalues (Tits and Yang's method in SciPy's
    `place_poles`)."""
    plant, wanted = _plant(lin, inputs, values), np.asarray(poles)
    if wanted.ndim != 1 or not np.issubdtype(wanted.dtype, np.number) or not np.isfinite(wanted).all():
        raise StabilityError(
            f"place of {lin.name!r}: poles are {len(lin.x)} numbers, one for each state, got {shown(poles)}"
        )
    if len(wanted) != len(lin.x):
        raise StabilityError(f"place of {lin.name!r}: {len(wanted)} poles for {len(lin.x)} states ({listed(lin.x)})")
    plant.refuse_unreachable(lambda s, scale: True, np.eye(len(lin.x)))
    return plant.feedback(
        lambda: later("stability.design.pole_placement", "gains")(plant.A, plant.B, wanted),
        "place",
        f"complex poles come in pairs, and none more often than there are inputs ({len(plant.inputs)})",
    )


@dataclass(frozen=True)
class _Plant:
    """x' = A x + B r for the inputs that are used."""

    lin: LinearSystem
    values: Mapping[str, float]
    A: Any
    B: Any
    inputs: tuple[str, ...]

    def refuse_unreachable(self, matters: Callable[[complex, float], bool], V: Array) -> None:
        """Modes that no input reaches, among the states V z."""
        for mode in unreachable_modes(V.T @ self.A @ V, V.T @ self.B):
            if matters(mode.s, mode.scale):
                part = np.abs(V @ mode.left)
                moved = [x for x, y in zip(self.lin.x, part, strict=True) if y > 0.1 * part.max()]
                raise StabilityError(
                    f"linear system {self.lin.name!r}: {in_number(self.inputs, '{} does', '{} do')} not reach the mode s = {neat(mode.s)} (of {listed(moved)}); "
                    f"{self._advice()}"
                )

    def _advice(self) -> str:
        _, W = constant_directions(self.A, self.B)
        if not W.size:
            return "leave these states out (without(...), drop='cyclic'), or use another input"
        kept = listed(list(constant_quantities(self.lin, W, self.values, self.numbers)))
        return f"no input changes {kept} to first order: lqr(...) holds the other modes and leaves this one as it is, or use another input"

    @cached_property
    def numbers(self) -> dict[Symbol, float]:
        """Numbers of parameters and of the operating point."""
        about, given = self.lin.about, self.lin.numbers.values(self.values)
        if about is None:
            return dict(given)
        numbers = {**about.defaults, **given, **self.lin.numbers.operating_point(given)}
        return numbers | {s: float(evaluate(e, numbers)) for s, e in about.expressions.items()}

    def feedback(self, gains: Callable[[], Array], call: str, advice: str, W: Array | None = None) -> Feedback:
        try:
            K = gains()
        except (LinAlgError, ValueError) as reason:
            raise StabilityError(f"{call} of {self.lin.name!r}: no feedback was found ({reason}); {advice}") from None
        s = np.linalg.eigvals(self.A - self.B @ K).astype(complex)
        kept = {} if W is None or not W.size else constant_quantities(self.lin, W, self.values, self.numbers)
        return Feedback(self.lin.name, self.inputs, self.lin.x, K, s[sorted_order(s)], _laws(self, K), kept)


def _plant(lin: LinearSystem, inputs: Iterable[str | Symbol] | None, values: Mapping[str, float]) -> _Plant:
    n = lin.matrices(values)
    columns = range(len(lin.r)) if inputs is None else [lin.numbers.input(r) for r in inputs]
    names = tuple(lin.r[k] for k in columns)
    if not names:
        raise StabilityError(f"linear system {lin.name!r}: feedback needs an input; it has {listed(lin.r)}")
    if moving := [lin.r[k] for k in columns if np.abs(n.B1[:, k]).max() or np.abs(n.B2[:, k]).max()]:
        raise StabilityError(
            f"linear system {lin.name!r}: {in_number(moving, '{} acts by its rate', '{} act by their rates')} too and cannot follow "
            "the state; name others with inputs=[...]"
        )
    if not is_regular(n.E):
        raise StabilityError(
            f"linear system {lin.name!r}: some states are algebraic ({listed(lin.x)}), so that there is no x' = A x "
            "+ B r in these states"
        )
    return _Plant(lin, values, np.linalg.solve(n.E, n.A), np.linalg.solve(n.E, n.B[:, list(columns)]), names)


def _weights(lin: LinearSystem, what: str, given: Any, names: Sequence[str]) -> Array:
    """A matrix; from one number, from numbers on the diagonal, or from numbers by name, others being zero."""
    if isinstance(given, Mapping):
        keys = {k.name if isinstance(k, Symbol) else k: v for k, v in given.items()}
        if strange := [k for k in keys if k not in names]:
            raise StabilityError(f"lqr of {lin.name!r}: {what} has {listed(strange)}; it weighs {listed(names)}")
        given = [keys.get(n, 0.0) for n in names]
    try:
        W = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        W = np.full(1, np.nan)
    W = np.diag(np.broadcast_to(W, (len(names),))) if W.ndim < 2 and W.size in (1, len(names)) else W
    is_symmetric = W.shape == (len(names),) * 2 and np.abs(W - W.T).max(initial=0.0) <= 1e-12 * np.abs(W).max(
        initial=0.0
    )
    if not is_symmetric:  # nor is NaN
        raise StabilityError(
            f"lqr of {lin.name!r}: {what} must be a number, one for each of {listed(names)}, or a symmetric matrix "
            f"of them, got {shown(given)}"
        )
    return W


def _laws(plant: _Plant, K: Array) -> dict[str, Expr] | None:
    """The laws in the symbols of the equations; None if the states are not symbols of the equations."""
    lin, about = plant.lin, plant.lin.about
    if about is None:
        return None
    known = about.equations.variables.of("q u z r")
    if any(n not in known for n in (*lin.x, *plant.inputs)):
        return None
    at = plant.numbers
    if moving := [n for n in lin.x if n in about.drifting and _grows(about.equations, n, at)]:
        raise StabilityError(
            f"linear system {lin.name!r}: {in_number(moving, '{} grows', '{} grow')} in the motion, so that there is no value to hold; leave out what grows "
            "(drop='cyclic')"
        )
    symbols = {n: known[n].symbol for n in (*lin.x, *plant.inputs)}
    out: dict[str, Expr] = {}
    for r, row in zip(plant.inputs, K, strict=True):
        terms = (-float(k) * (symbols[n] - at[symbols[n]]) for k, n in zip(row, lin.x, strict=True))
        out[r] = sum(terms, as_expr(at[symbols[r]]))
    return out


def _grows(eq: Equations, name: str, at: Mapping[Symbol, float]) -> bool:
    (rate,) = (e for q, e in zip(eq.q, eq.rates.entries, strict=True) if q.name == name)
    return bool(abs(evaluate(rate, at)) > 0)
