"""Second derivatives of inverse dynamics of arms, all of M u' - f by q, u and u', beside Pinocchio's
`ComputeRNEASecondOrderDerivatives` (Singh, Russell and Wensing 2022), and products of the Hessian of w · u' with a vector.

Both are called from C for one random state after the other, each in a process of its own on one core. `error` is the largest
relative difference. Ours writes its results out, Pinocchio's stay in its data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

import symbody as sb

from .limits import Limit, StoppedError
from .ours import Order, equations
from .peers.driving import Function, aligned, times, values
from .robots import CASES, relative_error, states
from .timing import Row, fresh

ROBOTS: Final = ("panda", "ur5")
STATES: Final = 100
REPEATS, QUICK_REPEATS = 31, 5
LIMIT: Final = Limit(1800.0, 16000.0)  # the first also compiles the peer
GROUPS: Final = ("q", "u", "a")


def rows(robots: Iterable[str] = ROBOTS, quick: bool = False) -> Iterator[Row]:
    """Of robots whose files are there, two rows for each."""
    for robot in robots:
        yield compared(robot, QUICK_REPEATS if quick else REPEATS)
        product = fresh(
            "bench.second_derivatives:measured_product", robot, QUICK_REPEATS if quick else REPEATS, limit=LIMIT
        )
        yield {"robot": robot, "function": "hessian_product", **_ours(product)}


def _ours(row: Row | None) -> Row:
    row = row or {}
    return {"ours_us": row.get("us"), "ours_ops": row.get("ops"), "ours_median_us": row.get("median_us")}


def compared(robot: str, repeats: int) -> Row:
    ours = fresh("bench.second_derivatives:measured", robot, repeats, limit=LIMIT) or {}
    row: Row = {"robot": robot, "function": "inverse_second_derivatives", **_ours(ours)}
    try:
        theirs = fresh("bench.peers.pinocchio_cpp:measured_second_derivatives", robot, STATES, repeats, limit=LIMIT)
    except (StoppedError, RuntimeError) as reason:
        return {**row, "message": str(reason).strip().splitlines()[-1]}
    if theirs is None:
        return {**row, "message": "Pinocchio is not installed"}
    error = relative_error(np.array(ours["values"]), np.array(theirs["values"]))
    return {**row, "pin_us": theirs["us"], "ratio_pin": theirs["us"] / ours["us"], "error": error}


def measured(robot: str, repeats: int) -> Row:
    """Microseconds, operations, and the values at the first state in Pinocchio's blocks."""
    case = CASES[robot]
    f = sb.compile(equations(case, snap=False)).inverse_second_derivatives(GROUPS)
    _memory, work = aligned(f.work)
    inputs, sizes = Order(case).inputs(f.program, states(case, STATES)), [len(o.values) for o in f.program.outputs]
    function = Function(f.address, work)
    n = len(inputs[1][0])
    flat = values(function, [x[:1] for x in inputs], sizes)[0].reshape(n, 3 * n, 3 * n)
    q, u, a = slice(0, n), slice(n, 2 * n), slice(2 * n, 3 * n)
    blocks = [flat[:, q, q], flat[:, u, u], flat[:, q, u], flat[:, a, q]]
    taken = times(function, inputs, sizes, repeats)
    return {**taken, "ops": f.program.cost.total, "values": [b.ravel().tolist() for b in blocks]}


def measured_product(robot: str, repeats: int) -> Row:
    """Microseconds of ∂²(w · u')/∂(q, u)² v."""
    case = CASES[robot]
    f = sb.compile(equations(case)).hessian_product(("q", "u"))
    _memory, work = aligned(f.work)
    s, rng, order = states(case, STATES), np.random.default_rng(0), Order(case)
    given = {"t": np.zeros((STATES, 1)), "q": s.q[:, order.q], "u": s.u[:, order.u], "r": s.tau[:, order.r]}
    inputs = [given[g.name] if g.name in given else rng.normal(size=(STATES, len(g))) for g in f.program.inputs]
    sizes = [len(o.values) for o in f.program.outputs]
    return {**times(Function(f.address, work), inputs, sizes, repeats), "ops": f.program.cost.total}
