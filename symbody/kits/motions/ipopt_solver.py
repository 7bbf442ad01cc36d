"""IPOPT, as CasADi's wheel contains it, on the compiled functions of a sparse program.

CasADi's `Callback` hands over pointers: between IPOPT and machine code are one batch and one sparse product. Functions
at the same point are computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np

import symbody as sb

from ...optional_packages import optional_package
from .node_functions import Array
from .sparse_program import SparsePattern, SparseProgram

OPTIONS: Final = {"print_level": 0, "sb": "yes", "diverging_iterates_tol": 1e12}


@dataclass(frozen=True, eq=False)
class IpoptResult:
    """Where the solver ended: unknowns, multipliers of rows and bounds, its status and its number of iterations."""

    z: Array
    cost: float
    row_multipliers: Array
    bound_multipliers: Array
    status: str
    iterations: int


@dataclass(eq=False)
class _LastResults:
    """The last results at a point."""

    program: SparseProgram
    _at: Array | None = None
    _found: dict[str, Any] = field(default_factory=dict)

    def __call__(self, what: str, z: Array) -> Any:
        if self._at is None or not np.array_equal(self._at, z):
            self._at, self._found = z.copy(), {}
        if what not in self._found:
            p = self.program
            self._found[what] = p.values(self._at) if what == "values" else p.jacobians(self._at)
        return self._found[what]


@cache
def _callback() -> Any:
    casadi = optional_package("casadi", "motions: solving by IPOPT", sb.ModelError)

    class IpoptFunctions(casadi.Callback):  # type: ignore[misc, name-defined]
        """A function of arrays in memory, by names of arguments and results."""

        def __init__(self, name: str, given: Mapping[str, Any], results: Mapping[str, Any], f: Callable[..., None]):
            casadi.Callback.__init__(self)
            self._given, self._results, self._f = list(given.items()), list(results.items()), f
            self.construct(name, {})

        def get_n_in(self) -> int:
            return len(self._given)

        def get_n_out(self) -> int:
            return len(self._results)

        def get_name_in(self, i: int) -> str:
            return self._given[i][0]

        def get_name_out(self, i: int) -> str:
            return self._results[i][0]

        def get_sparsity_in(self, i: int) -> Any:
            return self._given[i][1]

        def get_sparsity_out(self, i: int) -> Any:
            return self._results[i][1]

        def has_eval_buffer(self) -> bool:
            return True

        def eval_buffer(self, given: Sequence[Any], results: Sequence[Any]) -> int:
            arrays = [None if a is None else np.frombuffer(a) for a in (*given, *results)]
            self._f(arrays[: len(given)], arrays[len(given) :])
            return 0

    return IpoptFunctions


def _sparsity(casadi: Any, pattern: SparsePattern) -> Any:
    """Nonzeros are in the order of columns already."""
    m, n = pattern.shape
    starts = np.searchsorted(pattern.columns, np.arange(n + 1))
    return casadi.Sparsity(m, n, starts.tolist(), pattern.rows.tolist())


def ipopt(
    program: SparseProgram,
    start: Array,
    options: Mapping[str, Any],
    multipliers: tuple[Array, Array] | None = None,
) -> IpoptResult:
    """A local minimum near a start.

    options       of IPOPT, by its own names
    multipliers   of rows and of bounds, for a warm start
    """
    casadi = optional_package("casadi", "motions: solving by IPOPT", sb.ModelError)
    kept, functions, dense = _LastResults(program), _callback(), casadi.Sparsity.dense
    m, n = program.linear.shape
    x, none = dense(n, 1), dense(0, 1)

    def values(given: Any, results: Any) -> None:
        cost, rows = kept("values", given[0])
        for target, value in zip(results, (cost, rows), strict=True):
            if target is not None:
                target[:] = value

    def gradient(given: Any, results: Any) -> None:
        if results[0] is not None:
            results[0][:] = kept("values", given[0])[0]
        if results[1] is not None:
            results[1][:] = program.gradient(kept("jacobians", given[0]))

    def jacobian(given: Any, results: Any) -> None:
        if results[0] is not None:
            results[0][:] = kept("values", given[0])[1]
        if results[1] is not None:
            results[1][:] = program.jacobian_pattern.values(kept("jacobians", given[0]))

    def hessian(given: Any, results: Any) -> None:
        z, _, cost, rows = given
        rows = np.zeros(m) if rows is None else rows
        parts = program.hessian(z, 0.0 if cost is None else float(cost[0]), rows)
        results[0][:] = program.hessian_pattern.values(parts)

    point = {"x": x, "p": none}
    f, g = dense(1, 1), dense(m, 1)
    jac, hess = _sparsity(casadi, program.jacobian_pattern), _sparsity(casadi, program.hessian_pattern)
    nlp = functions("nlp", point, {"f": f, "g": g}, values)
    given = {
        "grad_f": functions("nlp_grad_f", point, {"f": f, "grad_f_x": x}, gradient),
        "jac_g": functions("nlp_jac_g", point, {"g": g, "jac_g_x": jac}, jacobian),
        "hess_lag": functions("nlp_hess_l", {**point, "lam_f": f, "lam_g": g}, {"hess_gamma_x_x": hess}, hessian),
    }
    warm = {} if multipliers is None else {"lam_g0": multipliers[0], "lam_x0": multipliers[1]}
    chosen = {**OPTIONS, **options}
    solver = casadi.nlpsol("solver", "ipopt", nlp, {**given, "ipopt": chosen, "print_time": False, "no_nlp_grad": True})
    found = solver(x0=start, lbx=program.low, ubx=program.high, lbg=program.row_low, ubg=program.row_high, **warm)
    stats = solver.stats()
    arrays = {k: np.asarray(found[k]).ravel() for k in ("x", "lam_g", "lam_x")}
    return IpoptResult(
        arrays["x"],
        float(found["f"]),
        arrays["lam_g"],
        arrays["lam_x"],
        stats["return_status"],
        int(stats["iter_count"]),
    )
