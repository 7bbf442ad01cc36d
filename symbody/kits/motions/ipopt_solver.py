"""IPOPT (Wächter and Biegler 2006) on the compiled functions of a sparse program.

The library is the one in CasADi's wheel, or one of the system. It is called by its C interface: between IPOPT and machine
code are one batch over the nodes and one sparse product. Cost, rows and first derivatives at a point are computed together.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ...errors import finite_number, shown
from .node_functions import Array
from .sparse_program import SparseProgram

OPTIONS: Final = {"print_level": 0, "sb": "yes", "diverging_iterates_tol": 1e12}
_CLOSE: Final = ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
WARM: Final = {"warm_start_init_point": "yes", "mu_init": 1e-6, **{f"warm_start_{k}": 1e-8 for k in _CLOSE}}
SOLVER_WORDS: Final = ("tolerance", "max_iterations", "options")  # arguments of `Problem.solve` for IPOPT
UNKNOWN_STATUS: Final = "Internal_Error"
SUCCESS: Final = ("Solve_Succeeded", "Solved_To_Acceptable_Level")
STATUSES: Final = {
    0: "Solve_Succeeded",
    1: "Solved_To_Acceptable_Level",
    2: "Infeasible_Problem_Detected",
    3: "Search_Direction_Becomes_Too_Small",
    4: "Diverging_Iterates",
    5: "User_Requested_Stop",
    6: "Feasible_Point_Found",
    -1: "Maximum_Iterations_Exceeded",
    -2: "Restoration_Failed",
    -3: "Error_In_Step_Computation",
    -4: "Maximum_CpuTime_Exceeded",
    -5: "Maximum_WallTime_Exceeded",
    -10: "Not_Enough_Degrees_Of_Freedom",
    -11: "Invalid_Problem_Definition",
    -12: "Invalid_Option",
    -13: "Invalid_Number_Detected",
    -102: "Insufficient_Memory",
}

_REAL: Final = ctypes.sizeof(ctypes.c_double)
_number, _index, _flag, _pointer = ctypes.c_double, ctypes.c_int, ctypes.c_bool, ctypes.c_void_p
_F = ctypes.CFUNCTYPE(_flag, _index, _pointer, _flag, _pointer, _pointer)
_G = ctypes.CFUNCTYPE(_flag, _index, _pointer, _flag, _index, _pointer, _pointer)
_JAC = ctypes.CFUNCTYPE(_flag, _index, _pointer, _flag, _index, _index, *[_pointer] * 4)
_HESS = ctypes.CFUNCTYPE(_flag, _index, _pointer, _flag, _number, _index, _pointer, _flag, _index, *[_pointer] * 4)
_STEP = ctypes.CFUNCTYPE(_flag, _index, _index, *[_number] * 8, _index, _pointer)


@dataclass(frozen=True, eq=False)
class IpoptResult:
    """Where the solver ended: unknowns, multipliers of rows and bounds, its status and its number of iterations."""

    z: Array
    cost: float
    row_multipliers: Array
    bound_multipliers: Array
    status: str
    iterations: int

    @property
    def is_success(self) -> bool:
        return self.status in SUCCESS


def solver_options(
    name: str, tolerance: Any = 1e-8, max_iterations: Any = 1000, options: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Options of IPOPT for arguments of `solve`, checked before it prints what it refuses."""
    where = f"motion {name!r}"
    if finite_number(tolerance, f"{where}, tolerance", sb.ModelError) <= 0:
        raise sb.ModelError(f"{where}: tolerance= must be positive, got {shown(tolerance)}")
    most = finite_number(max_iterations, f"{where}, max_iterations", sb.ModelError)
    if most < 0 or most != int(most):
        raise sb.ModelError(f"{where}: max_iterations= must be a whole number, got {shown(max_iterations)}")
    return {"tol": tolerance, "max_iter": int(most), **(options or {})}


@cache
def _library() -> Any:
    """IPOPT's shared library."""
    spec, names = find_spec("casadi"), ("libipopt.so*", "libipopt*.dylib", "*ipopt*.dll")
    folders = [Path(p) for p in (spec.submodule_search_locations or [])] if spec else []
    found = [str(f) for d in folders for n in names for f in sorted(d.glob(n)) if "casadi" not in f.name]
    if not found and (own := ctypes.util.find_library("ipopt")):
        found = [own]
    for path in found:
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        library.CreateIpoptProblem.restype = _pointer
        library.AddIpoptStrOption.restype = library.AddIpoptNumOption.restype = _flag
        library.AddIpoptIntOption.restype = library.SetIntermediateCallback.restype = _flag
        library.IpoptSolve.restype = _index
        return library
    raise sb.ModelError(
        "motions: solving by IPOPT: needs its library, which the package 'casadi' has: pip install casadi"
    )


class _Callbacks:
    """Functions of a program in the signatures of the C interface; the first exception is kept and stops the search."""

    def __init__(self, program: SparseProgram) -> None:
        self.program, (m, n) = program, program.linear.shape
        self._first = np.zeros(m + 1 + n + len(program.jacobian_pattern.rows))  # at the last point
        begin = self._first.ctypes.data
        self._rows_at, self._cost_at = begin, begin + _REAL * m
        self._gradient_at, self._jacobian_at = begin + _REAL * (m + 1), begin + _REAL * (m + 1 + n)
        self._is_known = False
        self.failure: BaseException | None = None
        self.iterations = 0
        pairs = (
            (_F, self._cost),
            (_G, self._rows),
            (_F, self._gradient),
            (_JAC, self._jacobian),
            (_HESS, self._hessian),
        )
        self.functions = [kind(self._guarded(f)) for kind, f in pairs]
        self.step = _STEP(self._guarded(self._count))

    def _guarded(self, f: Callable[..., None]) -> Callable[..., bool]:
        def call(*given: Any) -> bool:
            try:
                f(*given)
            except BaseException as reason:  # raised again when the library has returned
                self.failure = self.failure or reason
            return self.failure is None

        return call

    def _evaluate(self, n: int, x: int, new: bool) -> None:
        if new or not self._is_known:
            self._first[:] = self.program.first(_view(x, n)).numbers
            self._is_known = True

    def _cost(self, n: int, x: int, new: bool, out: int, _: Any) -> None:
        self._evaluate(n, x, new)
        ctypes.memmove(out, self._cost_at, _REAL)

    def _rows(self, n: int, x: int, new: bool, m: int, out: int, _: Any) -> None:
        self._evaluate(n, x, new)
        ctypes.memmove(out, self._rows_at, _REAL * m)

    def _gradient(self, n: int, x: int, new: bool, out: int, _: Any) -> None:
        self._evaluate(n, x, new)
        ctypes.memmove(out, self._gradient_at, _REAL * n)

    def _jacobian(self, *given: Any) -> None:
        n, x, new, _, count, row, column, out, _ = given
        if not out:
            _put_places(self.program.jacobian_pattern, row, column)
        else:
            self._evaluate(n, x, new)
            ctypes.memmove(out, self._jacobian_at, _REAL * count)

    def _hessian(self, *given: Any) -> None:
        n, x, new, cost, m, lam, _, count, row, column, out, _ = given
        self._is_known = self._is_known and not new
        if not out:
            _put_places(self.program.hessian_pattern, row, column)
        elif count:
            _view(out, count)[:] = self.program.hessian(_view(x, n), cost, _view(lam, m))

    def _count(self, mode: int, iteration: int, *_: Any) -> None:
        self.iterations = iteration


def _view(address: int | None, n: int, kind: Any = _number) -> Any:
    if not n or not address:
        return np.zeros(0)
    return np.frombuffer((kind * n).from_address(address), dtype=np.float64 if kind is _number else np.intc)


def _put_places(pattern: Any, row: int, column: int) -> None:
    n = len(pattern.rows)
    _view(row, n, _index)[:] = pattern.columns if pattern.shape[0] == pattern.shape[1] else pattern.rows
    _view(column, n, _index)[:] = pattern.rows if pattern.shape[0] == pattern.shape[1] else pattern.columns


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
    library, calls = _library(), _Callbacks(program)
    m, n = program.linear.shape
    sizes = (len(program.jacobian_pattern.rows), len(program.hessian_pattern.rows))
    x = np.array(start, dtype=float)
    bounds = [np.ascontiguousarray(np.clip(b, -1e20, 1e20)) for b in (program.low, program.high)]
    limits = [np.ascontiguousarray(np.clip(b, -1e20, 1e20)) for b in (program.row_low, program.row_high)]
    at = [_pointer(a.ctypes.data) for a in (*bounds, *limits)]
    handle = _pointer(
        library.CreateIpoptProblem(n, *at[:2], m, *at[2:], _index(sizes[0]), _index(sizes[1]), 0, *calls.functions)
    )
    lam, low, high, cost, rows = np.zeros(m), np.zeros(n), np.zeros(n), np.zeros(1), np.zeros(m)
    if multipliers is not None:
        lam[:] = multipliers[0]
        low[:], high[:] = np.maximum(-multipliers[1], 0), np.maximum(multipliers[1], 0)
    try:
        for name, value in {**OPTIONS, **({} if multipliers is None else WARM), **options}.items():
            _set_option(library, handle, name, value)
        library.SetIntermediateCallback(handle, calls.step)
        results = [_pointer(a.ctypes.data) for a in (x, rows, cost, lam, low, high)]
        status = library.IpoptSolve(handle, *results, None)
    finally:
        library.FreeIpoptProblem(handle)
    if calls.failure is not None:
        raise calls.failure
    return IpoptResult(x, float(cost[0]), lam, high - low, STATUSES.get(status, UNKNOWN_STATUS), calls.iterations)


def _set_option(library: Any, handle: Any, name: str, value: Any) -> None:
    key = name.encode()
    if isinstance(value, str):
        fits = library.AddIpoptStrOption(handle, key, value.encode())
    else:
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        fits = whole and library.AddIpoptIntOption(handle, key, _index(int(value)))
        if not fits and isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
            fits = library.AddIpoptNumOption(handle, key, _number(float(value)))
    if not fits:
        raise sb.ModelError(f"motions: IPOPT has no option {name!r} that takes {shown(value)}; see its documentation")
