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
from symbody.derive.kinematics import Kinematics
from symbody.derive.recursive import fewest_operations, generalized_forces

from .peers.building import library
from .peers.driving import Function, aligned, times, values
from .robots import CASES, Case, States, states, tangent
from .timing import Row

Array = Any
AXES: Final = "xyz"


def model(case: Case, snap: bool = True) -> sb.Model:
    """The robot with a force on every speed."""
    robot = sb.read_urdf(
        case.source,
        base="free" if case.free else "fixed",
        parameters="none",
        hold=dict.fromkeys(case.held, 0.0),
        mimic=False,
        gravity=(0, 0, -case.gravity),
        snap=snap,
    )
    if case.free:
        joint = robot.freeze().joints[0]
        for k, axis in enumerate(AXES):
            robot.generalized_force(f"force along {axis}", joint.q[k], robot.input(f"base_f{axis}"))
        inputs = [robot.input(f"base_t{axis}") for axis in AXES]
        robot.torque("torque on the root link", joint.inner.vector(*inputs), joint.inner)
    return robot


# ---------------------------------------------------------------------------------------------------- programs


def inverse_dynamics(case: Case, snap: bool) -> sb.Program:
    mechanism = model(case, snap).freeze()
    with sb.undisturbed():
        kinematics = Kinematics(mechanism)
        forces = generalized_forces(mechanism, kinematics, fewest_operations(mechanism, kinematics))
        inputs = {"q": mechanism.q, "u": mechanism.u, "a": [u.dot for u in mechanism.u]}
        return sb.program("inverse_dynamics", inputs, {"tau": forces})


def mass_matrix(case: Case, snap: bool) -> sb.Program:
    eq = sb.derive(model(case, snap), check=False)
    return sb.program("mass_matrix", {"q": eq.q}, {"M": eq.M})


def forward_dynamics(case: Case, snap: bool) -> sb.Program:
    return sb.compile(sb.derive(model(case, snap), check=False)).udot.program


def forward_derivatives(case: Case, snap: bool) -> sb.Program:
    """Of the solution of M u' = f on the graph, or from the derivatives of inverse dynamics; whichever takes fewer operations."""
    eq = sb.derive(model(case, snap), check=False)
    with sb.undisturbed():
        ways = [_derivatives(eq, way(eq)) for way in (_of_solution, _of_inverse)]
    return min(ways, key=lambda p: p.cost.total)


def _derivatives(eq: sb.Equations, parts: list[sb.Matrix]) -> sb.Program:
    outputs = dict(zip(("a_q", "a_u", "a_r"), parts, strict=True))
    return sb.program("forward_derivatives", {"q": eq.q, "u": eq.u, "r": eq.r}, outputs)


def _of_solution(eq: sb.Equations) -> list[sb.Matrix]:
    return [sb.jacobian(eq.udot, x) for x in (eq.q, eq.u, eq.r)]


def _of_inverse(eq: sb.Equations) -> list[sb.Matrix]:
    """∂u'/∂x = -M⁻¹ ∂(M u' - f)/∂x where u' is the solution."""
    missing, accelerations = sb.joint_forces(eq), [u.dot for u in eq.u]
    factors = sb.factorize(eq.M, "definite")
    solution = dict(zip(accelerations, factors.solve(eq.f).entries, strict=True))
    slopes = [sb.substitute(sb.jacobian(missing, x), solution) for x in (eq.q, eq.u, eq.r)]
    return [factors.solve(-slope) for slope in slopes]


PROGRAMS: Final[dict[str, Callable[[Case, bool], sb.Program]]] = {
    "inverse_dynamics": inverse_dynamics,
    "mass_matrix": mass_matrix,
    "forward_dynamics": forward_dynamics,
    "forward_derivatives": forward_derivatives,
}


# ---------------------------------------------------------------------------------------------------- measuring


def inputs_of(case: Case, program: sb.Program, s: States) -> list[Array]:
    """Values of the program's inputs. Forces are in the order in which the program has them, and known by their names."""
    numbers = {f"{joint}_tau": k for k, joint in enumerate(case.joints(), 6 if case.free else 0)}
    numbers |= {f"base_{kind}{axis}": k for k, (kind, axis) in enumerate((f, a) for f in "ft" for a in AXES)}
    given = {"t": np.zeros((len(s.q), 1)), "q": s.q, "u": s.u, "a": s.a}
    return [s.tau[:, [numbers[r.name] for r in g.symbols]] if g.name == "r" else given[g.name] for g in program.inputs]


def results(case: Case, program: sb.Program, f: Function, s: States) -> Array:
    """In the form of the peers': derivatives along small displacements, forces in order."""
    got = values(f, inputs_of(case, program, s), [len(o.values) for o in program.outputs])
    if program.name != "forward_derivatives":
        return got[0]
    r = next(g for g in program.inputs if g.name == "r")
    places = inputs_of(case, program, s._replace(tau=np.arange(s.tau.shape[1])[None, :] * np.ones((len(s.q), 1))))
    back = np.argsort(places[[g.name for g in program.inputs].index("r")][0])
    n = s.u.shape[1]
    rows = []
    for q, a_q, a_u, a_r in zip(s.q, *got, strict=True):
        assert len(r) == n
        parts = a_q.reshape(n, -1) @ tangent(case, q), a_u, a_r.reshape(n, n)[:, back]
        rows.append(np.hstack([p.ravel() for p in parts]))
    return np.array(rows)


def c_adapter(program: sb.Program) -> str:
    """The generated C, with the signature of `driver.c` behind it."""
    source = sb.c_source(program)
    arguments = [f"*in[{k}]" if g.is_scalar else f"in[{k}]" for k, g in enumerate(program.inputs)]
    arguments += [f"out[{k}]" for k in range(len(program.outputs))]
    include = f'#include "{source.name}.h"'
    call = f"{source.name}({', '.join(arguments)});"
    signature = "void called(const double *const *in, double *const *out, void *own)"
    return f"{source.source.replace(include, source.header)}\n{signature}\n{{\n    (void)own;\n    {call}\n}}\n"


def measured(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds and operations of the machine code, from LLVM and from C; how it was made."""
    case = CASES[robot]
    start = time.perf_counter()
    program = PROGRAMS[function](case, True)
    made = time.perf_counter()
    compiled = sb.compile(program, cache=False)
    done = time.perf_counter()
    inputs, sizes = inputs_of(case, program, states(case, count)), [len(o.values) for o in program.outputs]
    held, work = aligned(compiled.work)
    row = times(Function(compiled.address, work), inputs, sizes, repeats)
    return {**row, "ops": program.cost.total, "make_s": made - start, "compile_s": done - made, "held": len(held)}


def measured_c(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds of the generated C."""
    case = CASES[robot]
    program = PROGRAMS[function](case, True)
    lib = library(f"{robot}-ours-{function}", c_adapter(program))
    address = lib.called  # a function of ctypes
    inputs, sizes = inputs_of(case, program, states(case, count)), [len(o.values) for o in program.outputs]
    return times(Function(_address(address)), inputs, sizes, repeats)
