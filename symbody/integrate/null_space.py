"""Forms that go by independent speeds, found anew at every evaluation (Neweul-M² 4.2 to 4.5): partition, qr, svd.

The state is the full one. At every evaluation its speeds are put onto the constraints, then the accelerations follow from the equations of
motion in the directions Z that the constraints allow (`orthogonal_factors.py`):

    u ← u - G (Jc u + b)                             eq. 14, 30
    γ = -G c,   Zᵀ M Z a = Zᵀ (f - M γ)              eq. 16, 29
    u' = Z a + γ                                     eq. 18, 31 (whose sign in print is wrong)

So speeds cannot drift, and positions do so only by the error of integrating them. Rows of Jc that follow from others are left out, in each
configuration those that do there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ..algebra.elimination import definite_factor, definite_solve
from ..derive.equations import Equations
from ..emit.loops.language import Function, Indices, Numbers
from ..emit.run.callable import Array, Compiled
from ..emit.run.loop_callee import LoopCallee, program_callee
from ..errors import SimulationError, listed
from .forms import NOTHING_KEPT, Form, Kept, explicit_form
from .orthogonal_factors import (
    RANK,
    partition,
    partition_basis,
    partition_solve,
    reflect,
    reflect_basis,
    reflect_solve,
    rotate,
    rotate_basis,
    rotate_solve,
    scale_rows,
)

SPACES: Final = ("partition", "qr", "svd")
PARTITION: Final = 0
QR: Final = 1
GOOD: Final = 0.1  # smallest pivot, with rows of length one, down to which given independent speeds are used
HELD: Final = 1e-10  # speeds that miss the constraints by no more than this are those at the end of a step
KNOWN_SIZE: Final = 48


# ---------------------------------------------------------------------------------------------------------- kernels


def factors(kind: int, m: int, n: int, given: int, decides: int, J: Numbers, a: Numbers, d: Numbers, U: Numbers, quality: Numbers,
            rows: Indices, columns: Indices, kept: Indices) -> int:  # fmt: skip
    """The rank of Jc, and its factors in one of three ways."""
    if kind == PARTITION:
        return partition(m, n, given, decides, J, a, rows, columns, kept, quality)
    if kind == QR:
        return reflect(m, n, J, a, rows, d)
    return rotate(m, n, J, a, U, d, columns)


def directions(
    kind: int, m: int, n: int, rank: int, a: Numbers, d: Numbers, U: Numbers, columns: Indices, Z: Numbers
) -> None:
    """Z."""
    if kind == PARTITION:
        partition_basis(n, rank, a, columns, Z)
    elif kind == QR:
        reflect_basis(m, n, rank, a, d, Z)
    else:
        rotate_basis(n, rank, U, columns, Z)


def meeting(kind: int, m: int, n: int, rank: int, a: Numbers, d: Numbers, U: Numbers, rows: Indices, columns: Indices, r: Numbers,
            x: Numbers) -> None:  # fmt: skip
    """x = G r."""
    if kind == PARTITION:
        partition_solve(n, rank, a, rows, columns, r, d, x)
    elif kind == QR:
        reflect_solve(m, n, rank, a, rows, d, r, x)
    else:
        rotate_solve(m, n, rank, a, U, d, columns, r, x)


def allowed(
    kind: int, m: int, n: int, n_q: int, size: int, given: int, t: float, y: Numbers, out: Numbers, J: Numbers, r: Numbers,
    x: Numbers, lengths: Numbers, a: Numbers, d: Numbers, U: Numbers, quality: Numbers, rows: Indices, columns: Indices,
    kept: Indices, constraints: Function,
) -> int:  # fmt: skip
    """The state with its speeds on the constraints; returns the rank of Jc."""
    constraints((t, y), (J, r))
    for i in range(m):
        for j in range(n):
            r[i] = r[i] + J[i * n + j] * y[n_q + j]
    scale_rows(m, n, J, r, lengths)
    decides: int = 1
    for i in range(m):
        if abs(r[i]) > HELD:
            decides = 0
    rank: int = factors(kind, m, n, given, decides, J, a, d, U, quality, rows, columns, kept)
    meeting(kind, m, n, rank, a, d, U, rows, columns, r, x)
    for i in range(size):
        out[i] = y[i]
    for j in range(n):
        out[n_q + j] = out[n_q + j] - x[j]
    return rank


def reduced_rates(
    t: float, y: Numbers, dy: Numbers, kind: int, m: int, n: int, n_q: int, size: int, given: int, w: Numbers, J: Numbers, r: Numbers,
    x: Numbers, lengths: Numbers, a: Numbers, d: Numbers, U: Numbers, quality: Numbers, rows: Indices, columns: Indices,
    kept: Indices, Z: Numbers, M: Numbers, f: Numbers, A: Numbers, e: Numbers, constraints: Function, dynamics: Function,
) -> None:  # fmt: skip
    """y' as at the head of this file."""
    rank: int = allowed(
        kind, m, n, n_q, size, given, t, y, w, J, r, x, lengths, a, d, U, quality, rows, columns, kept, constraints
    )
    directions(kind, m, n, rank, a, d, U, columns, Z)
    dynamics((t, w), (M, f, r, dy, dy[n_q + n :]))
    for i in range(m):
        r[i] = -r[i] / lengths[i]
    meeting(kind, m, n, rank, a, d, U, rows, columns, r, x)
    for i in range(n):
        for j in range(n):
            f[i] = f[i] - M[i * n + j] * x[j]
    free: int = n - rank
    for k in range(free):
        e[k] = 0.0
        for i in range(n):
            e[k] = e[k] + Z[k * n + i] * f[i]
        for i in range(n):
            w[i] = 0.0
            for j in range(n):
                w[i] = w[i] + M[i * n + j] * Z[k * n + j]
        for l in range(k + 1):
            s = 0.0
            for i in range(n):
                s = s + Z[l * n + i] * w[i]
            A[l * free + k] = s
    definite_factor(free, A)
    definite_solve(free, A, e)
    for i in range(n):
        s = x[i]
        for k in range(free):
            s = s + Z[k * n + i] * e[k]
        dy[n_q + i] = s


def settle_speeds(
    t: float, y: Numbers, out: Numbers, note: Numbers, kind: int, m: int, n: int, n_q: int, size: int, given: int, J: Numbers,
    r: Numbers, x: Numbers, lengths: Numbers, a: Numbers, d: Numbers, U: Numbers, quality: Numbers, rows: Indices, columns: Indices,
    kept: Indices, constraints: Function,
) -> None:  # fmt: skip
    """Speeds onto the constraints after a step: what every evaluation does by itself, for the eye of whoever reads them."""
    allowed(
        kind, m, n, n_q, size, given, t, y, out, J, r, x, lengths, a, d, U, quality, rows, columns, kept, constraints
    )
    note[0] = 1.0


# ---------------------------------------------------------------------------------------------------------- forms


@dataclass(frozen=True, eq=False)
class SpaceForm(Form):
    """Form by independent speeds.

    independent   places of speeds to be taken as independent where they are good for it (partition only)
    projects      whether positions are brought back to the constraints after every step
    """

    independent: tuple[int, ...] = ()
    projects: bool = False

    @property
    def settles(self) -> bool:
        return bool(self.chosen)

    @cached_property
    def constraints_program(self) -> Compiled:
        return self.compiled("constraints", {"Jc": self.equations.Jc, "b": self.equations.b})

    @cached_property
    def terms_program(self) -> Compiled:
        eq = self.equations
        n_q, n = len(eq.q), len(eq.u)
        rates = list(self.rates)
        outputs = {"M": eq.M, "f": eq.f, "c": eq.c, "dq": rates[:n_q], "dz": rates[n_q + n :]}
        return self.compiled("terms", {name: thing for name, thing in outputs.items() if name != "dz" or thing})

    def start(self, t: float, state: Array, parameters: Array) -> tuple[Array, Array]:
        y, p = super().start(t, state, parameters)
        if self.independent:
            J, _ = self.constraints_program(t, y, p)
            free = len(self.equations.u) - int(np.linalg.matrix_rank(J.reshape(-1, len(self.equations.u)), RANK))
            if free != len(self.independent):
                names = listed(self.equations.u[j].name for j in self.independent)
                raise SimulationError(
                    f"simulate {self.equations.name!r}: the constraints leave {free} speeds independent, but "
                    f"independent = {names} names {len(self.independent)}"
                )
        return y, p

    def rhs(self, p: Array) -> LoopCallee:
        n, m = len(self.equations.u), len(self.chosen)
        memory, fixed = self._memory()
        return LoopCallee(
            reduced_rates, fixed, ("dy",), m=m, n=n, w=np.zeros(max(self.n, n)), Z=np.zeros(n * n), M=np.zeros(n * n), f=np.zeros(n),
            A=np.zeros(n * n), e=np.zeros(n), constraints=program_callee(self.constraints_program, {"p": p}),
            dynamics=program_callee(self.terms_program, {"p": p}), **memory,
        )  # fmt: skip

    def along(self, p: Array) -> Any:
        return super().along(p) if self.projects or self.invariants else None

    def raise_pending(self) -> None:
        self.constraints_program.raise_pending()
        self.terms_program.raise_pending()

    def settle(self, p: Array) -> Any:
        if not self.settles:
            return None
        if self.projects or self.invariants:
            return self._quasi_orthogonal(p)
        memory, fixed = self._memory()
        return LoopCallee(
            settle_speeds, fixed, ("out", "note"), m=len(self.chosen), n=len(self.equations.u),
            constraints=program_callee(self.constraints_program, {"p": p}), **memory,
        )  # fmt: skip

    def _memory(self) -> tuple[dict[str, Any], dict[str, int]]:
        """Numbers for the factors, and what is known of their sizes beforehand."""
        m, n = len(self.chosen), len(self.equations.u)
        order = [j for j in range(n) if j not in self.independent] + list(self.independent)
        memory = {
            "J": np.zeros(m * n), "r": np.zeros(m), "x": np.zeros(n), "lengths": np.zeros(m), "a": np.zeros(m * n), "d": np.zeros(2 * max(m, n)),
            "U": np.zeros(n * n), "quality": np.array([0.0, GOOD, 0.0]), "rows": np.zeros(m, dtype=np.int64),
            "columns": np.zeros(n, dtype=np.int64), "kept": np.array([*range(n), -1, *order], dtype=np.int64),
        }  # fmt: skip
        fixed = {
            "kind": SPACES.index(self.name), "n_q": len(self.equations.q), "size": self.n, "given": len(self.independent)
        } | ({"m": m, "n": n} if n <= KNOWN_SIZE else {})  # fmt: skip
        return memory, fixed


def space_form(
    name: str,
    eq: Equations,
    *,
    independent: Sequence[Any] = (),
    projects: bool = False,
    metric: str = "mass",
    kept: Kept = NOTHING_KEPT,
) -> Form:
    """Form `partition`, `qr` or `svd`."""
    chosen = tuple(range(len(eq.lam)))
    base = explicit_form("projection", eq, chosen, metric=metric, kept=kept)
    if not chosen:
        raise SimulationError(f"simulate {eq.name!r}: form {name!r} is for constraints, and there are none")
    if independent and name != "partition":
        raise SimulationError(
            f"simulate {eq.name!r}: independent= is for form='partition'; {name!r} finds its own combinations"
        )
    where = f"simulate {eq.name!r}, independent"
    return SpaceForm(
        name, eq, base.y, base.rates, chosen, metric, invariants=base.invariants, scales=base.scales, own=base.own,
        independent=tuple(eq.speed_index(s, where, SimulationError) for s in independent), projects=projects,
    )  # fmt: skip
