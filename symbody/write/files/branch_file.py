"""Branches of steady motions on disk, without loss: a NumPy archive (.npz) with a header in JSON.

Any program that reads .npz finds `points`, a row for each motion with the columns that the header names, `eigenvalues`,
and `unstable`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...array_files import ArrayFile, as_complex, as_pairs, read_arrays, write_arrays
from ...errors import StabilityError, listed
from ...stability.branches.branch import Branch
from ...stability.branches.branch_points import SpecialPoint
from ...stability.branches.branch_problem import BranchProblem
from ...stability.branches.hopf_form import HopfForm
from ...stability.equilibria.steady_motion import SteadyMotion

VERSION: Final = 1
KEY: Final = "symbody branch"


def save_branch(branch: Branch, path: str | Path) -> Path:
    """Write a branch; the suffix .npz is added if the file name has none.

    >>> x, mu = sb.symbols("x mu")
    >>> eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0})
    >>> sb.write.save_branch(sb.branch(eq, sb.steady(eq), mu=(-1, 1)), "branch").name
    'branch.npz'

    See also: `write.load_branch`, `stability.Branch`.
    """
    problem = branch.problem
    header = {
        KEY: VERSION,
        "model": branch.equations.name,
        "varied": branch.varied,
        "interval": [problem.low, problem.high],
        "values": problem.given_values,
        "unknowns": list(branch.unknowns),
        "moving": len(problem.moving),
        "outcome": list(branch.outcome),
        "steps": list(branch.steps),
        "special": [_point_header(p) for p in branch.special],
    }
    arrays: dict[str, NDArray[Any]] = {
        "points": branch.points, "tangents": branch.tangents, "eigenvalues": as_pairs(branch.eigenvalues), "unstable": branch.unstable.astype(np.int64),
    }  # fmt: skip
    for k, p in enumerate(branch.special):
        arrays |= {f"special {k} {name}": a for name, a in _point_arrays(p).items()}
    return write_arrays(path, header, arrays)


def load_branch(path: str | Path, motion: SteadyMotion) -> Branch:
    """Read a branch back. The motion must be one of the same equations and conditions as that from which the branch was
    followed; names are compared.

    A mismatch raises `StabilityError`.

    >>> x, mu = sb.symbols("x mu")
    >>> eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0})
    >>> rest = sb.steady(eq)
    >>> path = sb.branch(eq, rest, mu=(-1, 1)).save("branch.npz")
    >>> sb.write.load_branch(path, rest).varied
    'mu'

    See also: `write.save_branch`, `stability.Branch`.
    """
    with read_arrays(path, "branch", StabilityError) as file:
        return _branch(file, motion)


def _branch(file: ArrayFile, motion: SteadyMotion) -> Branch:
    said = file.header(KEY, VERSION)
    low, high = map(float, said["interval"])
    values = {str(k): float(v) for k, v in said["values"].items()}
    problem = BranchProblem(motion, str(said["varied"]), low, high, values)
    own = [s.name for s in problem.problem.unknowns]
    if own != said["unknowns"] or len(problem.moving) != said["moving"]:
        raise StabilityError(
            f"{file.path}: its unknowns ({listed(said['unknowns'])}) are not those of a branch from this motion of {motion.equations.name!r} "
            f"({listed(own)}); it belongs to {said['model']!r}"
        )
    points = file.read("points", (None, len(own)))
    count = len(points)
    special = tuple(_point(file, k, p, len(own), len(problem.moving)) for k, p in enumerate(said["special"]))
    begin, end = map(str, said["outcome"])
    first, largest = map(float, said["steps"])
    return Branch(
        problem, points, str(said["varied"]), file.read("tangents", (count, len(problem.moving))), as_complex(file.read("eigenvalues", (count, None, 2))),
        file.read("unstable", (count,), np.int64).astype(np.intp), special, (begin, end), (first, largest),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------- special points


def _point_header(p: SpecialPoint) -> dict[str, Any]:
    return {
        "kind": p.kind,
        "place": p.place,
        "criticality": p.criticality,
        "directions": len(p.directions),
        "has range": p.range is not None,
        "form": None if p.form is None else list(p.form.shape),
    }


def _point_arrays(p: SpecialPoint) -> dict[str, NDArray[Any]]:
    out: dict[str, NDArray[Any]] = {
        "x": p.x,
        "numbers": np.array([p.value, p.coefficient]),
        "eigenvalue": as_pairs(p.eigenvalue),
    }
    out |= {f"direction {k}": d for k, d in enumerate(p.directions)}
    if p.range is not None:
        out["range"] = p.range
    if p.form is not None:
        numbers = [p.form.omega, p.form.c1, p.form.growth, *p.form.shape.values()]
        out["form"] = as_pairs(np.array(numbers, dtype=complex))
    return out


def _point(file: ArrayFile, k: int, said: Any, count: int, moving: int) -> SpecialPoint:
    def read(name: str, *shape: int | None) -> NDArray[Any]:
        return file.read(f"special {k} {name}", shape)

    value, coefficient = read("numbers", 2)
    form = None
    if said["form"] is not None:
        names = list(map(str, said["form"]))
        omega, c1, growth, *shape = map(complex, as_complex(read("form", 3 + len(names), 2)))
        form = HopfForm(omega.real, c1, growth, dict(zip(names, shape, strict=True)))
    return SpecialPoint(
        str(said["kind"]), float(value), read("x", count), int(said["place"]), complex(as_complex(read("eigenvalue", 2))), str(said["criticality"]),
        float(coefficient), tuple(read(f"direction {j}", moving) for j in range(int(said["directions"]))), read("range", None, None) if said["has range"] else None, form,
    )  # fmt: skip
