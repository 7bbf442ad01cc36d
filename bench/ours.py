"""What symbody makes of the robots: programs, machine code by LLVM, and C.

Numbers of the file are folded into the code. Forces act on every speed, those of a free root link included, as in the
peers: functions have the same inputs and results everywhere, but for derivatives with respect to the four Euler
parameters of a free root link, where peers have three small rotations.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.formats.urdf.read_urdf import read_urdf

from .peers.building import address, library
from .peers.driving import Function, aligned, times, values
from .robots import CASES, Case, States, relative_error, states, tangent
from .timing import Row

Array = Any
AXES: Final = "xyz"


def model(case: Case, snap: bool = True) -> sb.Model:
    """The robot with a force on every speed."""
    robot = read_urdf(
        case.source,
        base="free" if case.free else "fixed",
        parameters="none",
        hold=dict.fromkeys(case.held, 0.0),
        mimic=False,
        gravity=(0, 0, -case.gravity),
        snap=snap,
    )
    if case.free:
        joint = robot.freeze().joint("base")
        for k, axis in enumerate(AXES):
            robot.generalized_force(f"force along {axis}", joint.coordinates[k], robot.input(f"base_f{axis}"))
        inputs = [robot.input(f"base_t{axis}") for axis in AXES]
        robot.torque("torque on the root link", joint.inner, joint.inner.vector(*inputs))
    return robot


# ---------------------------------------------------------------------------------------------------- functions


def inverse_dynamics(case: Case, snap: bool) -> sb.emit.Compiled:
    return sb.compile(equations(case, snap)).inverse


def mass_matrix(case: Case, snap: bool) -> sb.emit.Compiled:
    return sb.compile(equations(case, snap)).M


def forward_dynamics(case: Case, snap: bool) -> sb.emit.Compiled:
    return sb.compile(equations(case, snap)).udot


def forward_derivatives(case: Case, snap: bool) -> sb.emit.Compiled:
    return sb.compile(equations(case, snap)).derivatives(("q", "u", "r"))


def equations(case: Case, snap: bool = True) -> sb.Equations:
    return sb.derive(model(case, snap), check=False)


FUNCTIONS: Final[dict[str, Callable[[Case, bool], sb.emit.Compiled]]] = {
    "inverse_dynamics": inverse_dynamics,
    "mass_matrix": mass_matrix,
    "forward_dynamics": forward_dynamics,
    "forward_derivatives": forward_derivatives,
}


# ---------------------------------------------------------------------------------------------------- order


def _numbers(case: Case) -> dict[str, dict[str, int]]:
    """Of each kind of symbol: name -> column in the arrays of `robots.py`. Symbols are in the order of the tree, those
    in the file's."""
    joints = case.joints()
    pose = ["base_x", "base_y", "base_z", "base_e0", "base_e1", "base_e2", "base_e3"] if case.free else []
    twist = ["base_x", "base_y", "base_z", "base_wx", "base_wy", "base_wz"] if case.free else []
    wrench = [f"base_{kind}{axis}" for kind in "ft" for axis in AXES] if case.free else []
    named = {"q": [*pose, *joints], "u": [*twist, *joints], "r": [*wrench, *(f"{j}_tau" for j in joints)]}
    return {kind: {name: k for k, name in enumerate(names)} for kind, names in named.items()}


class Order:
    """Columns of the states in the order of a program's symbols, and results back in the order of states."""

    def __init__(self, case: Case) -> None:
        mechanism, numbers = model(case).freeze(), _numbers(case)
        self.case = case
        self.q, self.u, self.r = ([numbers[k][x.stem] for x in getattr(mechanism, k)] for k in "qur")

    def inputs(self, program: sb.emit.Program, s: States) -> list[Array]:
        given = {"q": s.q[:, self.q], "u": s.u[:, self.u], "a": s.a[:, self.u], "r": s.tau[:, self.r]}
        given["t"] = np.zeros((len(s.q), 1))
        return [given[g.name] for g in program.inputs]

    def results(self, function: str, s: States, got: list[Array]) -> Array:
        """One row for each state, as in `peers.pinocchio.reference`: derivatives are those along small
        displacements."""
        n = len(self.u)
        q, u, r = (np.argsort(x) for x in (self.q, self.u, self.r))
        if function == "mass_matrix":
            return got[0].reshape(-1, n, n)[:, u][:, :, u]
        if function == "inverse_dynamics":
            return got[0][:, r]
        if function == "forward_dynamics":
            return got[0][:, u]
        a_q, a_u, a_r = (x.reshape(len(x), n, -1)[:, u] for x in got)
        a_s = np.array([J[:, q] @ tangent(self.case, at) for J, at in zip(a_q, s.q, strict=True)])
        return np.hstack([x.reshape(len(x), -1) for x in (a_s, a_u[:, :, u], a_r[:, :, r])])


# ---------------------------------------------------------------------------------------------------- measuring


def _sizes(program: sb.emit.Program) -> list[int]:
    return [len(o.values) for o in program.outputs]


def measured(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds and operations of the machine code made by LLVM."""
    case = CASES[robot]
    f = FUNCTIONS[function](case, True)
    _memory, work = aligned(f.work)
    inputs = Order(case).inputs(f.program, states(case, count))
    taken = times(Function(f.address, work), inputs, _sizes(f.program), repeats)
    return {**taken, "ops": f.program.cost.total}


def measured_c(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds of the generated C."""
    case = CASES[robot]
    program = FUNCTIONS[function](case, True).program
    lib = library(f"{robot}-ours-{function}", c_text(program))
    inputs = Order(case).inputs(program, states(case, count))
    return times(Function(address(lib, "called")), inputs, _sizes(program), repeats)


def c_text(program: sb.emit.Program) -> str:
    """The generated C in one file, with the signature of `driver.c` behind it."""
    made = sb.c_source(program)
    arguments = [f"*in[{k}]" if g.is_scalar else f"in[{k}]" for k, g in enumerate(program.inputs)]
    arguments += [f"out[{k}]" for k in range(len(program.outputs))]
    whole = made.source.replace(f'#include "{made.name}.h"', made.header)
    signature = "void called(const double *const *in, double *const *out, void *own)"
    return f"{whole}\n{signature}\n{{\n    (void)own;\n    {made.name}({', '.join(arguments)});\n}}\n"


def checked(robot: str, function: str, count: int) -> Row:
    """Errors against Pinocchio, without snapping of angles (`error`) and with it; operations without."""
    from .peers.pinocchio import reference  # pin may be missing; times are measured without it

    case, expected = CASES[robot], np.array(reference(robot, count)[function])
    s, order = states(case, count), Order(case)

    def error(f: sb.emit.Compiled) -> float:
        _memory, work = aligned(f.work)
        got = values(Function(f.address, work), order.inputs(f.program, s), _sizes(f.program))
        return relative_error(order.results(function, s, got), expected)

    as_printed, snapped = (FUNCTIONS[function](case, snap) for snap in (False, True))
    return {
        "error": error(as_printed),
        "error_snapped": error(snapped),
        "ops_unsnapped": as_printed.program.cost.total,
    }


# ------------------------------------------------------------------------------------------------ from file to function


def from_file(robot: str, function: str) -> Row:
    """Seconds from the file to the first result, loading of packages not included, with the cache on disk as it is."""
    case = CASES[robot]
    wall, cpu = time.perf_counter(), time.process_time()
    f = FUNCTIONS[function](case, True)
    f(*(0.0 if g.is_scalar else np.zeros(len(g)) for g in f.program.inputs))
    return {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
