"""Forms that go by independent speeds, found anew at every evaluation (Neweul-M² 4.2 to 4.5): partition, qr, svd.

The state is the full one. At every evaluation its speeds are put onto the constraints, then the accelerations follow
from the equations of motion in the directions Z that the constraints allow (`orthogonal_factors.py`):

    u ← u - G (Jc u + b)                             eq. 14, 30
    γ = -G c,   Zᵀ M Z a = Zᵀ (f - M γ)              eq. 16, 29
    u' = Z a + γ                                     eq. 18, 31 (whose sign in print is wrong)

So speeds cannot drift, and positions do so only by the error of integrating them. Rows of Jc that follow from others
are left out: as many as its rank is short of them where the constraints hold and are regular, whatever it is at stages
beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.elimination.elimination import definite_factor, definite_solve
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import speed_index
from ...emit.loops.kernel_language import Function, Indices, Known, Numbers
from ...emit.loops.records import Struct
from ...emit.run.callable import Array, Compiled
from ...emit.run.loop_callee import LoopCallee, program_callee
from ...errors import SimulationError, listed
from ..elimination_kernels.complete_pivoting import solve_eliminated
from ..elimination_kernels.orthogonal_factors import (
    partition,
    partition_basis,
    reflect,
    reflect_basis,
    reflect_solve,
    rotate,
    rotate_basis,
    rotate_solve,
    scale_rows,
)
from .forms import NOTHING_KEPT, Form, Kept, explicit_form
from .projection_work import ProjectionWork

FACTORS: Final = ("partition", "qr", "svd")  # by the number that kernels know each by
PARTITION: Final = 0
QR: Final = 1
GOOD_PIVOT: Final = 0.1  # smallest pivot, with rows of length one, down to which given independent speeds are used
HELD: Final = 1e-10  # speeds with a smaller constraint violation are those at the end of a step
KNOWN_SIZE: Final = 48


# ---------------------------------------------------------------------------------------------------------- kernels


class Space(Struct):
    """Jc and its factors.

    kind      PARTITION, QR, or singular values
    m, n      numbers of constraints and of speeds, which come after n_q coordinates in a state of `size` variables
    given     how many speeds were given as independent
    most      the rank of Jc where it is regular: no more rows count, also where those that follow from others do not
              quite do so
    J, r      Jc with rows of length one, right sides that go with them, and the `lengths` that the rows had
    x         G r
    a, d, U, quality, rows, columns, kept   as in `orthogonal_factors.py`
    """

    kind: Known[int]
    m: int
    n: int
    n_q: Known[int]
    size: Known[int]
    given: Known[int]
    most: Known[int]
    J: Numbers
    r: Numbers
    lengths: Numbers
    x: Numbers
    a: Numbers
    d: Numbers
    U: Numbers
    quality: Numbers
    rows: Indices
    columns: Indices
    kept: Indices
    constraints: Function


class Reduction(Struct):
    """Memory for the equations of motion in the directions Z: w a state, M and f those of all speeds, A and e those of
    the independent ones."""

    space: Space
    w: Numbers
    Z: Numbers
    M: Numbers
    f: Numbers
    A: Numbers
    e: Numbers
    dynamics: Function


def factors(s: Space, decides: int) -> int:
    """The rank of Jc, and its factors in one of three ways."""
    if s.kind == PARTITION:
        return partition(s.m, s.n, s.given, decides, s.J, s.a, s.rows, s.columns, s.kept, s.quality)
    if s.kind == QR:
        return reflect(s.m, s.n, s.most, s.J, s.a, s.rows, s.d)
    return rotate(s.m, s.n, s.most, s.J, s.a, s.U, s.d, s.columns)


def directions(s: Space, rank: int, Z: Numbers) -> None:
    """Z."""
    if s.kind == PARTITION:
        partition_basis(s.n, rank, s.a, s.columns, Z)
    elif s.kind == QR:
        reflect_basis(s.m, s.n, rank, s.a, s.d, Z)
    else:
        rotate_basis(s.n, rank, s.U, s.columns, Z)


def meeting(s: Space, rank: int) -> None:
    """x = G r."""
    if s.kind == PARTITION:
        solve_eliminated(s.n, rank, 1, s.a, s.rows, s.columns, s.r, s.d, s.x)
    elif s.kind == QR:
        reflect_solve(s.m, s.n, rank, s.a, s.rows, s.d, s.r, s.x)
    else:
        rotate_solve(s.m, s.n, rank, s.a, s.U, s.d, s.columns, s.r, s.x)


def settle_on_constraints(s: Space, t: float, y: Numbers, out: Numbers) -> int:
    """The state with its speeds on the constraints; returns the rank of Jc."""
    s.constraints((t, y), (s.J, s.r))
    for i in range(s.m):
        for j in range(s.n):
            s.r[i] = s.r[i] + s.J[i * s.n + j] * y[s.n_q + j]
    scale_rows(s.m, s.n, s.J, s.r, s.lengths)
    decides = 1
    for i in range(s.m):
        if abs(s.r[i]) > HELD:
            decides = 0
    rank = factors(s, decides)
    meeting(s, rank)
    for i in range(s.size):
        out[i] = y[i]
    for j in range(s.n):
        out[s.n_q + j] = out[s.n_q + j] - s.x[j]
    return rank


def reduced_rates(t: float, y: Numbers, dy: Numbers, reduction: Reduction) -> None:
    """y' as at the head of this file."""
    e = reduction
    s = e.space
    rank = settle_on_constraints(s, t, y, e.w)
    directions(s, rank, e.Z)
    e.dynamics((t, e.w), (e.M, e.f, s.r, dy, dy[s.n_q + s.n :]))
    for i in range(s.m):
        s.r[i] = -s.r[i] / s.lengths[i]
    meeting(s, rank)
    for i in range(s.n):
        for j in range(s.n):
            e.f[i] = e.f[i] - e.M[i * s.n + j] * s.x[j]
    free = s.n - rank
    reduced_equations(e, s.n, free)
    definite_factor(free, e.A)
    definite_solve(free, e.A, e.e)
    for i in range(s.n):
        x = s.x[i]
        for k in range(free):
            x = x + e.Z[k * s.n + i] * e.e[k]
        dy[s.n_q + i] = x


def reduced_equations(e: Reduction, n: int, free: int) -> None:
    """A = Zᵀ M Z, its upper triangle, and e = Zᵀ f."""
    for k in range(free):
        e.e[k] = 0.0
        for i in range(n):
            e.e[k] = e.e[k] + e.Z[k * n + i] * e.f[i]
        for i in range(n):
            e.w[i] = 0.0
            for j in range(n):
                e.w[i] = e.w[i] + e.M[i * n + j] * e.Z[k * n + j]
        for l in range(k + 1):
            x = 0.0
            for i in range(n):
                x = x + e.Z[l * n + i] * e.w[i]
            e.A[l * free + k] = x


def settle_speeds(t: float, y: Numbers, out: Numbers, note: Numbers, space: Space) -> None:
    """Speeds onto the constraints after a step, so that stored speeds satisfy them; every evaluation of the rates
    does the same."""
    settle_on_constraints(space, t, y, out)
    note[0] = 1.0


# ---------------------------------------------------------------------------------------------------------- forms


@dataclass(frozen=True, eq=False)
class SpaceForm(Form):
    """Form by independent speeds.

    rank          of Jc where it is regular
    independent   places of speeds to be taken as independent where they are good for it (partition only)
    projects      whether positions are brought back to the constraints after every step
    """

    rank: int = 0
    independent: tuple[int, ...] = ()
    projects: bool = False

    @property
    def settles(self) -> bool:
        return bool(self.chosen)

    @property
    def remembers(self) -> bool:
        """The choice of speeds of the state before."""
        return True

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
            free = len(self.equations.u) - self.rank
            if free != len(self.independent):
                names = listed(self.equations.u[j].name for j in self.independent)
                raise SimulationError(
                    f"simulate {self.equations.name!r}: the constraints leave {free} speeds independent, but "
                    f"independent = {names} names {len(self.independent)}"
                )
        return y, p

    def rhs(self, p: Array) -> LoopCallee:
        n = len(self.equations.u)
        reduction = Reduction(
            space=self._space(p), w=np.zeros(max(self.n, n)), Z=np.zeros(n * n), M=np.zeros(n * n), f=np.zeros(n), A=np.zeros(n * n),
            e=np.zeros(n), dynamics=program_callee(self.terms_program, {"p": p}),
        )  # fmt: skip
        return self._loop(reduced_rates, "dy", reduction=reduction)

    @property
    def projects_positions(self) -> bool:
        return self.projects or bool(self.invariants)

    def raise_pending(self) -> None:
        self.constraints_program.raise_pending()
        self.terms_program.raise_pending()

    def settle(self, p: Array, work: ProjectionWork | None = None) -> Any:
        if not self.settles:
            return None
        if self.projects or self.invariants:
            return self._followed(self._quasi_orthogonal(p, self.tolerance, work=work), p)
        made = self._loop(settle_speeds, space=self._space(p))
        return made if work is None else work.projection(made)

    def _space(self, p: Array) -> Space:
        """Memory for the factors; small systems get machine code of their own."""
        n, n_q, callee = (
            len(self.equations.u),
            len(self.equations.q),
            program_callee(self.constraints_program, {"p": p}),
        )
        sizes = (len(self.chosen), n, n_q, self.n)
        out = space_of(FACTORS.index(self.name), *sizes, self.rank, self.independent, callee)
        return out.know("m", "n") if n <= KNOWN_SIZE else out


def space_of(
    kind: int, m: int, n: int, n_q: int, size: int, most: int, independent: Sequence[int], constraints: Any
) -> Space:
    """Memory for the factors of m by n matrices of a rank of `most`, with some columns to be taken as independent."""
    order = [j for j in range(n) if j not in independent] + list(independent)
    return Space(
        kind=kind, m=m, n=n, n_q=n_q, size=size, given=len(independent), most=most, J=np.zeros(m * n), r=np.zeros(m), x=np.zeros(n),
        lengths=np.zeros(m), a=np.zeros(m * n), d=np.zeros(2 * max(m, n)), U=np.zeros(n * n), quality=np.array([0.0, GOOD_PIVOT, 0.0]),
        rows=np.zeros(m, dtype=np.int64), columns=np.zeros(n, dtype=np.int64), kept=np.array([*range(n), -1, *order, most], dtype=np.int64),
        constraints=constraints,
    )  # fmt: skip


def space_form(
    name: str,
    eq: Equations,
    rank: int,
    *,
    independent: Sequence[Any] = (),
    projects: bool = False,
    metric: str = "mass",
    kept: Kept = NOTHING_KEPT,
) -> Form:
    """Form `partition`, `qr` or `svd`, for constraints of a rank."""
    chosen = tuple(range(len(eq.lam)))
    base = explicit_form("projection", eq, chosen, metric=metric, kept=kept)
    if not chosen:
        raise SimulationError(f"simulate {eq.name!r}: form {name!r} is for constraints, and there are none")
    if eq.augmented.multipliers_in_loads:
        raise SimulationError(
            f"simulate {eq.name!r}: loads contain {listed(eq.augmented.multipliers_in_loads)}, which form {name!r} "
            "eliminates; use 'projection', 'ggl', ..."
        )
    if independent and name != "partition":
        raise SimulationError(
            f"simulate {eq.name!r}: independent= is for form='partition'; {name!r} finds its own combinations"
        )
    where = f"simulate {eq.name!r}, independent"
    return SpaceForm(
        name, eq, base.y, base.rates, chosen, metric, invariants=base.invariants, scales=base.scales, own=base.own,
        rank=rank, independent=tuple(speed_index(eq, s, where, SimulationError) for s in independent), projects=projects,
    )  # fmt: skip
