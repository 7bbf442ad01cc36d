"""Columns of measurements in words: what each is called on the page of benchmarks, and how its numbers are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Column:
    """A heading, and the unit of the numbers: seconds are written with the prefix that suits them."""

    heading: str
    unit: str = ""


COLUMNS: Final = {
    "case": Column("case"),
    "method": Column("method"),
    "function": Column("function"),
    "target": Column("target"),
    "describe_s": Column("description, CPU time", "s"),
    "derive_s": Column("derivation, CPU time", "s"),
    "compile_s": Column("compilation, CPU time", "s"),
    "first_step_s": Column("first step, CPU time", "s"),
    "eval_us": Column("one evaluation", "us"),
    "ended_s": Column("ended before its end, at", "s"),
    "mb": Column("memory, MB"),
    "exponent": Column("exponent of the growth with the number of bodies"),
    "peer_s": Column("its time", "s"),
    "peer": Column("compared with"),
    "ratio": Column("times faster"),
    "seconds": Column("time", "s"),
    "peer_seconds": Column("its time", "s"),
    "error": Column("error"),
    "peer_error": Column("its error"),
    "ratio_at_equal_error": Column("times faster at equal error"),
    "points": Column("points"),
    "peer_points": Column("its points"),
    "states": Column("states"),
    "members": Column("motions"),
    "scalar_ns": Column("one state, machine code", "ns"),
    "python_ns": Column("one state, from Python", "ns"),
    "one_core_ns": Column("one of many, one core", "ns"),
    "lanes": Column("gain on one core"),
    "single_ns": Column("the same in single precision", "ns"),
    "single_lanes": Column("its gain"),
    "cores": Column("cores"),
    "all_cores_ns": Column("one of many, all cores", "ns"),
    "cores_and_lanes": Column("gain on all cores"),
    "few_on_all_cores_ns": Column("one of 4096, all cores", "ns"),
    "scalar_us": Column("one motion by simulate", "us"),
    "one_core_us": Column("one of many, one core", "us"),
    "all_cores_us": Column("one of many, all cores", "us"),
    "failed": Column("failed"),
    "steps": Column("steps"),
    "first": Column("first call", "s"),
    "derive_ms": Column("derivation", "ms"),
    "operations": Column("operations"),
    "loop_seconds": Column("time in the compiled loop", "s"),
    "loop_ratio": Column("times faster in the loop"),
    "evaluations": Column("evaluations"),
    "starts": Column("starts"),
    "solved": Column("solved"),
    "nearest": Column("nearest solution found"),
    "slowest": Column("slowest start", "s"),
    "peer_solved": Column("solved by it"),
    "peer_nearest": Column("nearest found by it"),
    "peer_evaluations": Column("its evaluations"),
    "ours": Column("limit"),
    "real": Column("precision"),
    "n": Column("size"),
    "states_per_s": Column("states per second"),
    "bound_states_per_s": Column("bound by the chip"),
    "peer_states_per_s": Column("its states per second"),
    "registers": Column("registers"),
    "loops": Column("largest gap of a loop, m"),
    "iterations": Column("iterations"),
    "first_s": Column("first iteration", "s"),
    "reward_first": Column("reward at first"),
    "reward_last": Column("reward at last"),
    "steps_per_s": Column("steps per second"),
    "local_bytes": Column("bytes spilled"),
    "us": Column("time", "us"),
    "cpu_s": Column("CPU time", "s"),
    "from_description_s": Column("of these from the description on", "s"),
    "reached": Column("reached the end"),
    "peak_mb": Column("peak memory [MB]"),
    "nodes": Column("nodes"),
    "nodes_after": Column("nodes after"),
    "transcription": Column("transcription"),
    "solve_s": Column("solution, CPU time", "s"),
    "objective": Column("least cost"),
    "known": Column("known optimum"),
    "error_by_simulation": Column("difference from simulate"),
    "hessian_over_values": Column("operations of the Hessian, in values"),
    "hessian_time_over_values": Column("time of the Hessian, in values"),
    "peer_build_s": Column("its time to make the problem", "s"),
    "peer_objective": Column("its least cost"),
    "peer_iterations": Column("its iterations"),
    "ratio_with_build": Column("times faster from the model on"),
    "resident_mb": Column("memory [MB]"),
    "resident_mb_half": Column("memory half way [MB]"),
    "resident_mb_after": Column("memory after [MB]"),
    "ops": Column("operations"),
    "sympy_ops": Column("operations, SymPy"),
    "sympy_s": Column("time of SymPy", "s"),
    "ms": Column("time", "ms"),
    "parameters": Column("parameters"),
    "base": Column("base parameters"),
    "minimal": Column("operations of the minimal one"),
    "multiplications": Column("multiplications"),
    "additions": Column("additions"),
    "us_minimal": Column("time of the minimal one", "us"),
    "peer_us": Column("its time", "us"),
    "call_seconds": Column("time of the whole call", "s"),
    "rtol": Column("rtol"),
    "jacobians": Column("Jacobians"),
    "dense_seconds": Column("time with dense matrices", "s"),
    "factorizations": Column("factorisations"),
    "least": Column("least time of its calls", "s"),
    "members_per_s": Column("motions per second"),
    "faults": Column("kills"),
    "finished_before_kills": Column("chunks finished before"),
    "lost": Column("lost"),
    "twice": Column("computed twice"),
    "workers": Column("workers"),
    "overhead": Column("overhead per chunk", "s"),
    "step_us": Column("one step", "us"),
    "step_ratio": Column("times faster per step"),
    "compliance": Column("compliance, m/N"),
    "fall_ms": Column("step in the fall", "ms"),
    "rest_ms": Column("step at rest", "ms"),
    "depth": Column("penetration, sizes of a body"),
    "corners": Column("corners of a body"),
    "pair_us": Column("contacts of a pair", "us"),
    "patch_us": Column("contact patch of a pair", "us"),
    "excess": Column("overlap above the least, in sizes"),
    "depth_error": Column("error of the depth, in sizes"),
    "patch": Column("area of a contact patch, in ours"),
    "find_ms": Column("contacts and colours", "ms"),
    "solve_ms": Column("sweeps of a step, time", "ms"),
    "last_residual": Column("residual of the last step"),
    "drift": Column("change of momentum"),
    "same_bits": Column("same bits twice"),
    "given": Column("energy given to the mechanism"),
    "energy_error": Column("error of the energy"),
    "work_error": Column("error of the work of contacts"),
    "contacts": Column("contacts"),
    "missed": Column("steps above the tolerance"),
    "residual": Column("residual"),
    "sweeps": Column("sweeps of a step"),
    "stopped": Column("stopped"),
    "route": Column("route"),
    "recursive": Column("recursive", "s"),
    "kane": Column("Kane", "s"),
    "lagrange": Column("Lagrange", "s"),
    "newton-euler": Column("Newton-Euler", "s"),
    "gibbs-appell": Column("Gibbs-Appell", "s"),
    "peer_ops": Column("its operations"),
    "wanted": Column("wanted"),
    "found": Column("found"),
    "build_s": Column("building the graph", "s"),
    "build_median_s": Column("median of processes", "s"),
    "mass_matrix_ops": Column("operations of the mass matrix"),
    "bias_ops": Column("operations of the right side"),
    "lower_s": Column("expressions to program", "s"),
    "call_us": Column("a call from Python", "us"),
    "machine_us": Column("machine code", "us"),
    "one_state_us": Column("one state, machine code", "us"),
    "batch_us": Column("one of many, two cores", "us"),
    "times_faster": Column("gain"),
    "largest_difference": Column("largest difference"),
    "code": Column("instructions"),
    "s_per_1000": Column("for 1000 instructions", "s"),
    "s_per_1000_ops": Column("for 1000 operations", "s"),
    "scalar_ops": Column("operations of the energy"),
    "times_scalar": Column("in terms of these"),
    "times_one_evaluation": Column("in evaluations"),
    "overhead_us": Column("the call itself", "us"),
    "stage": Column("stage"),
    "date": Column("measured on"),
    "difference": Column("largest difference"),
    "simulated_s": Column("simulated time", "s"),
    "times_real_time": Column("times as fast as real time"),
    "outcome": Column("outcome"),
}
HIDDEN: Final = ("peer_limit", "note", "load", "calibration_us", "curve")  # notes stand below a table
PEERS: Final = {"pinocchio": "Pinocchio", "mujoco": "MuJoCo"}  # as they call themselves
BEFORE: Final = "before_"  # columns of earlier versions, which the page leaves out
_TIMES: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_PREFIXES: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def is_hidden(column: str) -> bool:
    """Whether the page leaves a column out."""
    return column in HIDDEN or column.startswith(BEFORE)


def heading(column: str) -> str:
    """What a column is called; a column without words is an error."""
    if column not in COLUMNS:
        raise ValueError(f"measurements have a column {column!r} without words: add it to {__name__}.COLUMNS")
    return COLUMNS[column].heading


def written(column: str, value: Any) -> str:
    """A value as the page has it: three digits, seconds as s, ms, µs or ns."""
    if value is None:
        return ""
    if column == "peer":
        value = PEERS.get(value, value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) and (unit := COLUMNS[column].unit):
        return _time(value * _TIMES[unit])
    if isinstance(value, float):
        return f"{value:,.0f}".replace(",", " ") if abs(value) >= 1000 else f"{value:.3g}"
    if isinstance(value, int) and abs(value) >= 10_000:
        return f"{value:,}".replace(",", " ")
    return str(value).replace("|", "\\|")


def _time(seconds: float) -> str:
    size, unit = next((p for p in _PREFIXES if abs(seconds) >= p[0]), _PREFIXES[-1])
    return f"{seconds / size:.3g} {unit}"
