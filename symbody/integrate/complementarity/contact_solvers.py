"""Solvers of contact problems, behind one signature: a problem -> forces, residual, and whether they are a solution.

    enumeration   all assignments, as long as they are few; the first solution
    active-set    without friction (Lawson and Hanson)
    pivoting      from the assignment that an iteration finds
    newton        sweeps and Newton steps on the branch (`semismooth_newton.py`)
    sweeps        projected Gauss-Seidel alone
    blocks        sweeps over contacts on their graph, for many (`block_sweeps.py`); piles call its kernel

The caller judges `is_converged`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from ...emit.run.loop_callee import LoopCallee
from ...errors import SimulationError, unknown
from .active_set import complementary_forces
from .assignment_enumeration import all_solutions, first_solution, is_enumerable, is_exhaustive
from .assignment_pivoting import assignment_of_forces, pivoted_solution
from .block_sweeps import solve_graph
from .contact_arrays import ContactArrays
from .contact_graph import ContactGraph, set_diagonals
from .contact_problem import STICKS, ContactForces, ContactProblem, ContactSolution
from .gauss_seidel import solve_by_sweeps
from .semismooth_newton import STEADY, TOLERANCE, ContactBranch, contact_branch, solve_by_newton

ENUMERATION: Final = "enumeration"
ACTIVE_SET: Final = "active-set"
PIVOTING: Final = "pivoting"
NEWTON: Final = "newton"
SWEEPS: Final = "sweeps"
BLOCKS: Final = "blocks"
MOST_BLOCK_SWEEPS: Final = 20000


def solve(problem: ContactProblem, solver: str | None = None) -> ContactForces:
    """Forces of a contact problem, by a solver of this name; by default active-set without friction, enumeration where
    assignments are few, else pivoting; and newton where these find nothing."""
    if solver is not None and solver not in SOLVERS:
        raise unknown("contact problem", "solver", solver, SOLVERS, SimulationError)
    if solver is not None:
        return SOLVERS[solver](problem)
    if not problem.cones:
        return by_active_set(problem)
    found = by_enumeration(problem) if is_enumerable(problem) else by_pivoting(problem)
    if found.is_converged or is_exhaustive(problem):
        return found
    return by_newton(problem)


def solutions(problem: ContactProblem) -> list[ContactSolution]:
    """All solutions that differ in motion where assignments are few; else one, where pivoting finds one."""
    found = all_solutions(problem) if is_enumerable(problem) else []
    if found or is_exhaustive(problem):
        return found
    one = by_pivoting(problem).solution
    return [] if one is None else [one]


# ------------------------------------------------------------------------------------------------------- one solver each


def by_enumeration(problem: ContactProblem) -> ContactForces:
    return _exact_forces(problem, first_solution(problem), ENUMERATION)


def by_active_set(problem: ContactProblem) -> ContactForces:
    if problem.cones:
        raise SimulationError(f"contact problem: solver {ACTIVE_SET!r} is for contacts without friction")
    found = complementary_forces(problem.A, problem.b)
    if found is None:
        return _failure(problem, ACTIVE_SET)
    residual = problem.residual(found, ())
    return ContactForces(found, residual, residual <= TOLERANCE, ACTIVE_SET)


def by_pivoting(problem: ContactProblem) -> ContactForces:
    """From the forces of newton, or of sweeps where those do not converge."""
    for run in (_run_newton, _run_sweeps):
        arrays, _ = _iterated_arrays(problem, run)
        near = assignment_of_forces(problem, np.array(arrays.x[: arrays.n]), arrays.mu[: arrays.cones])
        if (found := pivoted_solution(problem, near)) is not None:
            return _exact_forces(problem, found, PIVOTING)
    return _failure(problem, PIVOTING)


def by_newton(problem: ContactProblem) -> ContactForces:
    return _approximate_forces(problem, _run_newton, NEWTON)


def by_sweeps(problem: ContactProblem) -> ContactForces:
    return _approximate_forces(problem, _run_sweeps, SWEEPS)


def by_blocks(problem: ContactProblem) -> ContactForces:
    """For contacts whose cones are under their own normal rows; each speed is a body of the graph."""
    graph, rows = problem.graph()
    graph.tolerance, graph.most = STEADY, MOST_BLOCK_SWEEPS
    LoopCallee(store_by_blocks, {}, (), True, g=graph).run()
    forces = np.array([graph.x[i] for i in rows])
    near = assignment_of_forces(problem, forces, [c.limit for c in problem.cones])
    residual = problem.residual(forces, [c.limit for c in problem.cones])
    return ContactForces(forces, residual, bool(residual <= TOLERANCE), BLOCKS, near)


SOLVERS: Final[dict[str, Callable[[ContactProblem], ContactForces]]] = {
    ENUMERATION: by_enumeration, ACTIVE_SET: by_active_set, PIVOTING: by_pivoting, NEWTON: by_newton, SWEEPS: by_sweeps,
    BLOCKS: by_blocks,
}  # fmt: skip


def _exact_forces(problem: ContactProblem, found: ContactSolution | None, solver: str) -> ContactForces:
    """Forces of an assignment whose equations and inequalities hold."""
    if found is None:
        return _failure(problem, solver)
    states = zip(problem.cones, found.cones, strict=True)
    coefficients = [c.static if s is not None and s.kind == STICKS else c.kinetic for c, s in states]
    residual = problem.residual(found.forces, coefficients)
    return ContactForces(found.forces, residual, residual <= TOLERANCE, solver, found)


def _failure(problem: ContactProblem, solver: str) -> ContactForces:
    return ContactForces(np.zeros(len(problem.b)), np.inf, False, solver)


# ------------------------------------------------------------------------------------------------------- iterations


def _approximate_forces(problem: ContactProblem, run: Callable[[ContactArrays], float], solver: str) -> ContactForces:
    arrays, residual = _iterated_arrays(problem, run)
    forces: Array = np.array(arrays.x[: arrays.n])
    near = assignment_of_forces(problem, forces, arrays.mu[: arrays.cones])
    return ContactForces(forces, residual, bool(residual <= TOLERANCE), solver, near)


def _iterated_arrays(problem: ContactProblem, run: Callable[[ContactArrays], float]) -> tuple[ContactArrays, float]:
    """Cones that may stick begin with the static coefficient; those at that limit go on with the kinetic one."""
    arrays, cones = problem.arrays(), problem.cones
    residual = run(arrays)
    while broken := [
        i for i, c in enumerate(cones)
        if arrays.mu[i] > c.kinetic and not c.is_inside(np.array(arrays.x[: arrays.n]), arrays.mu[i])
    ]:  # fmt: skip
        for i in broken:
            arrays.mu[i] = cones[i].kinetic
        residual = run(arrays)
    return arrays, residual


def _run_sweeps(p: ContactArrays) -> float:
    LoopCallee(store_by_sweeps, {}, (), True, p=p).run()
    return p.residual


def _run_newton(p: ContactArrays) -> float:
    LoopCallee(store_by_newton, {}, (), True, p=p, b=contact_branch(p.n, p.cones)).run()
    return p.residual


def store_by_sweeps(p: ContactArrays) -> None:
    p.residual = solve_by_sweeps(p)


def store_by_newton(p: ContactArrays, b: ContactBranch) -> None:
    p.residual = solve_by_newton(p, b, 0)


def store_by_blocks(g: ContactGraph) -> None:
    set_diagonals(g)
    solve_graph(g)
