"""Batches, gathered places and sparse products in machine code, one after the other: the functions of a sparse nonlinear
program, as solvers written in C call them."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...summary import Introduced
from ..cache import disk_cache as disk
from ..llvm import jit
from ..llvm.nonlinear_text import BATCH, FIELDS, FUNCTIONS, GATHER, PRODUCT, STEP, nonlinear_text
from ..loops.records import address_of
from .callable import Array
from .repeated_batch import RepeatedBatch, TabulatedBatch

Indices = NDArray[np.intp]
Batch = Callable[[], None]
Step = list[int]
_Again = ctypes.CFUNCTYPE(None, ctypes.c_int64)
_OnTable = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_FAILED: Final = FIELDS.index("failed")


class SparseProduct(NamedTuple):
    """y = A x; A has `indptr`, `indices` and `data` of compressed rows, as those of SciPy."""

    A: Any
    x: Array
    y: Array


@cache
def _machine_code() -> tuple[jit.Loaded, Mapping[str, int], Mapping[str, Any]]:
    """One for all programs: addresses for solvers, functions of the table for Python."""
    text = nonlinear_text(jit.rounding())
    key = hashlib.sha256(f"nonlinear|{text}|{jit.identity()}".encode()).hexdigest()
    kept = disk.load(key)
    if kept is None:
        kept = jit.machine_code(text, "", is_plain=True)
        disk.save(key, kept)
    code = jit.Loaded(kept)
    run = {name: _OnTable(code.address(name)) for name in ("gathers", "first", "second")}
    return code, {name: code.address(name) for name in FUNCTIONS}, run


class NonlinearFunctions(Introduced):
    """Functions of a sparse nonlinear program, min c(z) with l <= g(z) <= u, whose parts are batches of states.

        [g, c, ∂c, ∂g] = A y        y: of the batches of first order, and whatever the caller puts there, as z
        w = B [λ, σ]                w: weights of the batches of second order
        ∂²(σ c + λᵀ g) = C h        h: of the batches of second order

    All arrays stay where they are. `first()` reads `z` and fills `numbers`; `second()` reads `z` and `weights` and fills
    `hessian`. `addresses` are eval_f, eval_g, eval_grad_f, eval_jac_g and eval_h in the signatures of IPOPT's C
    interface, for `user_data`: a solver reaches the batches without Python. Begin with `forget()`.

    z, weights         the point, and [λ, σ]
    gathers            pairs (places, v): v = z[places] before all batches
    first, second      batches from `Compiled.repeated`
    sums               A, B and C with their arrays: `SparseProduct`
    patterns           rows and columns of the nonzeros of ∂g, and of the Hessian

    >>> from scipy.sparse import csr_array
    >>> v, mu = sb.symbols("v mu")
    >>> z, lam, at, y, h = np.array([3.0]), np.zeros(2), np.zeros((1, 1)), np.zeros(2), np.zeros(1)
    >>> first = sb.compile(sb.program("f", {"v": [v]}, {"value": sb.vector(v**2), "slope": sb.vector(2 * v)}))
    >>> second = sb.compile(sb.program("h", {"mu": [mu]}, {"curved": sb.vector(2 * mu)}))
    >>> sums = csr_array([[1.0, 0], [0, 0], [0, 0], [0, 1]]), csr_array([[1.0, 0]]), csr_array([[1.0]])
    >>> numbers, w, curved = np.zeros(4), np.zeros((1, 1)), np.zeros(1)
    >>> rows = sb.emit.NonlinearFunctions(  # g = z²
    ...     z, lam, [(np.array([0]), at)], [first.repeated(at, out=(y[:1, None], y[1:, None]))],
    ...     [second.repeated(w, out=h[:, None])], ((sums[0], y, numbers), (sums[1], lam, w), (sums[2], h, curved)),
    ...     (([0], [0]), ([0], [0])))
    >>> lam[0] = 5.0
    >>> rows.first().tolist(), rows.second().tolist(), sorted(rows.addresses)
    ([9.0, 0.0, 0.0, 6.0], [10.0], ['eval_f', 'eval_g', 'eval_grad_f', 'eval_h', 'eval_jac_g'])
    >>> rows.user_data > 0, rows.failure
    (True, None)
    >>> rows.forget()

    See also: `emit.Compiled`, `kits.motions.Problem`.
    """

    def __init__(
        self,
        z: Array,
        weights: Array,
        gathers: Sequence[tuple[Indices, Array]],
        first: Sequence[Batch],
        second: Sequence[Batch],
        sums: Sequence[tuple[Any, Array, Array]],
        patterns: Sequence[tuple[Any, Any]],
    ) -> None:
        self.z, self.weights = z, weights
        of_first, of_weights, of_second = (SparseProduct(*s) for s in sums)
        self.numbers, self.hessian = of_first.y, of_second.y
        self.failure: BaseException | None = None
        code, self.addresses, self._run = _machine_code()
        again = _Again(self._run_in_python)
        places = [np.ascontiguousarray(x, dtype=np.intc) for pair in patterns for x in pair]
        self._keep: list[Any] = [code, again, places]
        self._batches: list[tuple[Batch, Any]] = []  # each with its step
        lists = {
            "gather": [self._gather(*pair) for pair in gathers],
            "first": [*map(self._batch, first), self._product(of_first)],
            "second": [self._product(of_weights), *map(self._batch, second), self._product(of_second)],
        }
        values = {"known": 0, "failed": 0, "n": len(z), "m": len(weights) - 1}
        values |= {"slopes": len(places[0]), "curved": len(places[2])}
        arrays: dict[str, Any] = {"z": z, "weights": weights, "numbers": self.numbers, "hessian": self.hessian}
        arrays |= dict(zip(("slope_rows", "slope_columns", "curved_rows", "curved_columns"), places, strict=True))
        for name, steps in lists.items():
            arrays[f"{name}s"], values[f"{name}_count"] = self._table_of(steps), len(steps)
        values |= {name: address_of(a) for name, a in arrays.items()}
        values["again"] = ctypes.cast(again, ctypes.c_void_p).value or 0
        self._table = np.array([values[name] for name in FIELDS], dtype=np.int64)
        self._keep.append(arrays)
        self.user_data = address_of(self._table)
        self._argument = ctypes.c_void_p(self.user_data)

    def __repr__(self) -> str:
        return f"<NonlinearFunctions of {len(self.z)} unknowns: {len(self.weights) - 1} rows>"

    def _gather(self, places: Indices, v: Array) -> Step:
        at = np.ascontiguousarray(places, dtype=np.int64)
        self._keep += [at, v]
        return [GATHER, at.size, address_of(at), address_of(self.z), address_of(v)]

    def _product(self, product: SparseProduct) -> Step:
        A, x, y = product
        starts, columns = (np.ascontiguousarray(i, dtype=np.int64) for i in (A.indptr, A.indices))
        factors = np.ascontiguousarray(A.data, dtype=np.float64)
        self._keep += [starts, columns, factors, x, y]
        return [PRODUCT, len(starts) - 1, *map(address_of, (starts, columns, factors, x, y))]

    def _batch(self, batch: Batch) -> Step:
        self._batches.append((batch, None))
        return [BATCH, 0, 0, 0, 0, 0, len(self._batches) - 1]

    def _table_of(self, steps: Sequence[Step]) -> NDArray[np.int64]:
        out = np.array([[*step, *[0] * (STEP - len(step))] for step in steps], dtype=np.int64).reshape(-1, STEP)
        for row in out:
            if row[0] == BATCH:
                self._batches[row[-2]] = self._batches[row[-2]][0], row
        return out

    def _run_in_python(self, which: int) -> None:
        """Run a batch, and note how many of the next ones need no Python."""
        batch, step = self._batches[which]
        try:
            batch()
            if isinstance(batch, (RepeatedBatch, TabulatedBatch)):
                step[1:6] = batch.ahead()
        except BaseException as reason:  # raised again when machine code has returned
            self.failure = self.failure or reason
            self._table[_FAILED] = 1

    def _run_list(self, *names: str) -> None:
        for name in names:
            self._run[name](self._argument)
        if self.failure is not None:
            reason = self.failure
            self.forget()
            raise reason

    def forget(self) -> None:
        """Begin anew: nothing is known at the next point, and nothing has failed."""
        self._table[:2], self.failure = 0, None

    def first(self) -> Array:
        """`numbers` at z: rows, cost, gradient of the cost, nonzeros of the Jacobian."""
        self._run_list("gathers", "first")
        return self.numbers

    def second(self) -> Array:
        """`hessian` at z, with `weights`."""
        self._run_list("gathers", "second")
        return self.hessian
