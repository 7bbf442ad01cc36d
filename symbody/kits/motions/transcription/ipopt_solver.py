"""IPOPT (Wächter and Biegler 2006) on the compiled functions of a sparse program.

The library is the one in CasADi's wheel, or one of the system. It is called by its C interface, and calls machine code:
one batch over the nodes and one sparse product. Cost, rows and first derivatives at a point are computed together.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import signal
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ....errors import finite_number, shown
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

_number, _index, _flag, _pointer = ctypes.c_double, ctypes.c_int, ctypes.c_bool, ctypes.c_void_p
_STEP = ctypes.CFUNCTYPE(_flag, _index, _index, *[_number] * 8, _index, _pointer)
_FUNCTIONS: Final = ("eval_f", "eval_g", "eval_grad_f", "eval_jac_g", "eval_h")  # in the order of the C interface


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


class _IterationCount:
    """What IPOPT calls in each iteration; it stops the search after Ctrl-C.

    An exception at the beginning of a function that a library calls is lost, so that Ctrl-C only leaves a note meanwhile."""

    def __init__(self) -> None:
        self.iterations, self.is_stopped = 0, False
        self.call = _STEP(self._count)

    def _count(self, mode: int, iteration: int, *_: Any) -> bool:
        self.iterations = iteration
        return not self.is_stopped

    def _stop(self, *_: Any) -> None:
        self.is_stopped = True

    @contextmanager
    def counting(self) -> Iterator[None]:
        self.iterations, self.is_stopped = 0, False
        usual = signal.default_int_handler
        hears = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is usual
        if hears:
            signal.signal(signal.SIGINT, self._stop)
        try:
            yield
        finally:
            if hears:
                signal.signal(signal.SIGINT, usual)
        if self.is_stopped:
            raise KeyboardInterrupt


class _IpoptProblem:
    """A program with options in the memory of IPOPT, for one search after the other: to make it takes as long as an
    iteration of a small problem."""

    def __init__(self, program: SparseProgram, options: Mapping[str, Any]) -> None:
        self._library, (m, n), self._count = _library(), program.linear.shape, _IterationCount()
        ends = (program.low, program.high, program.row_low, program.row_high)
        bounds = [np.ascontiguousarray(np.clip(b, -1e20, 1e20)) for b in ends]
        at = [_pointer(a.ctypes.data) for a in bounds]
        sizes = [_index(len(p.rows)) for p in (program.jacobian_pattern, program.hessian_pattern)]
        with program.functions() as made:
            functions = [_pointer(made.addresses[k]) for k in _FUNCTIONS]
        self._handle = _pointer(self._library.CreateIpoptProblem(n, *at[:2], m, *at[2:], *sizes, 0, *functions))
        weakref.finalize(self, self._library.FreeIpoptProblem, self._handle).atexit = False
        for name, value in options.items():
            _set_option(self._library, self._handle, name, value)
        self._library.SetIntermediateCallback(self._handle, self._count.call)

    def solve(self, program: SparseProgram, start: Array, multipliers: tuple[Array, Array] | None) -> IpoptResult:
        m, n = program.linear.shape
        x, lam, low, high = np.array(start, dtype=float), np.zeros(m), np.zeros(n), np.zeros(n)
        cost, rows = np.zeros(1), np.zeros(m)
        if multipliers is not None:
            lam[:] = multipliers[0]
            low[:], high[:] = np.maximum(-multipliers[1], 0), np.maximum(multipliers[1], 0)
        results = [_pointer(a.ctypes.data) for a in (x, rows, cost, lam, low, high)]
        with program.functions() as made, self._count.counting():
            status = self._library.IpoptSolve(self._handle, *results, _pointer(made.user_data))
            if made.failure is not None:
                raise made.failure
        word = STATUSES.get(status, UNKNOWN_STATUS)
        return IpoptResult(x, float(cost[0]), lam, high - low, word, self._count.iterations)


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
    every = {**OPTIONS, **({} if multipliers is None else WARM), **options}
    idle = program.solvers.setdefault(repr(every), [])
    problem = idle.pop() if idle else _IpoptProblem(program, every)
    found = problem.solve(program, start, multipliers)
    idle.append(problem)
    return found


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
