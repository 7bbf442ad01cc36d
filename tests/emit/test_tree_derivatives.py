"""Derivatives of forward dynamics in loops over a tree: those of a complex step, on every width of vectors, for many
states, and written out."""

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

import symbody as sb
from symbody import Model, derive
from symbody.emit.llvm import jit
from symbody.emit.llvm.program_text import entry_name, llvm_text
from symbody.emit.lowering.straight_line import straight_line_program
from symbody.emit.lowering.tree_program import tree_program
from symbody.emit.programs.program import Program
from symbody.emit.run.batch_memory import aligned_address
from symbody.emit.run.callable import compile_program
from symbody.emit.text.numpy_text import numpy_function

from ..amount import some
from ..derive.mechanisms import BODY, chain, double_pendulum, four_bar, quasi, turntable
from ..derive.states import close, moving_state, numbers
from ..derive.test_slopes import complex_step


def walker() -> Model:
    """A free body with limbs that fork, of every joint that loops know, with springs, dampers, a coupling, a torque and
    drives."""
    m = Model("walker")
    m.gravity(1.0, -2.0, -9.0)
    mass, length = m.parameters("mass length", 1.3, 0.4)
    base = m.body("base", mass=4.0, **BODY)
    m.free("base", m.ground, base, sequence="euler parameters")
    hip = m.body("hip", mass=mass, **BODY)
    m.universal("hip", base, hip, axes=("x", "y"), at=(0.2, length, 0), damping=(0.1, 0.2))
    knee = m.body("knee", mass=0.7, **BODY)
    m.revolute("knee", hip, knee, axis=(1, 2, 0.5), at=(0, 0, -length), actuation=m.input("drive"))
    foot = m.body("foot", mass=0.2, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02))
    m.revolute("foot", knee, foot, axis="y", at=(0, 0.1, -0.3), stiffness=2.0)
    claw = m.body("claw", mass=0.3, **BODY)
    m.revolute("toe", foot, m.body("toe", mass=0.1, **BODY), axis="z", at=(0, 0.1, 0))
    slide = m.prismatic("claw", hip, claw, axis=(0, 0.6, 0.8), at=(0.1, 0, 0), stiffness=5.0, actuation=m.input("push"))
    head = m.body("head", mass=0.9, **BODY)
    m.spherical("head", base, head, at=(0, 0, 0.5), sequence="euler parameters")
    swing = m.revolute("tail", base, m.body("tail", mass=0.4, **BODY), axis="z", at=(-0.3, 0, 0)).coordinates[0]
    m.generalized_force("coupling", swing, -slide.coordinates[0] * mass + sb.sin(swing.dot))
    m.torque("twist", head, head.vector(m.input("twist"), 0.3, 0))
    return m


def two_chains() -> Model:
    """Two arms on the ground, one on a slide; nothing between them."""
    m = Model("two chains")
    m.gravity(0, -9.81, 0)
    for name, axes in (("a", "xzy"), ("b", "zyx")):
        parent, at = m.ground, (0.5, 0.1, 0)
        if name == "b":
            slider = m.body("slider", mass=2.0, **BODY)
            m.prismatic("slider", parent, slider, axis="x", damping=0.4)
            parent = slider
        for k, axis in enumerate(axes):
            link = m.body(f"{name}{k}", mass=1.0 - 0.2 * k, **BODY)
            m.revolute(f"{name}{k}", parent, link, axis=axis, at=at, actuation=m.input(f"{name}{k}_drive"), damping=0.1)
            parent, at = link, (0.1, -0.5, 0.2)
    return m


def pendulums(n: int) -> Model:
    m = Model("pendulums")
    m.gravity(0, -9.81, 0)
    parent = m.ground
    for k in range(n):
        link = m.body(f"link{k}", mass=1.0, com=(0, -1, 0))
        m.revolute(f"q{k}", parent, link, axis="z", at=(0, -1, 0))
        parent = link
    return m


MODELS = (walker, two_chains)


def loops_of(eq: sb.Equations) -> Program:
    groups = {"t": eq.t, "q": list(eq.q), "u": list(eq.u), "r": list(eq.r), "p": list(eq.p)}
    made = tree_program("slopes", groups, eq, {k: getattr(eq, k) for k in "qur"})
    assert made is not None
    return made


def inputs_of(eq: sb.Equations, at: dict[sb.Symbol, float]) -> list[np.ndarray]:
    return [np.array([at[s] for s in x]) for x in ((eq.t,), eq.q, eq.u, eq.r, eq.p)]


@pytest.fixture(scope="module", params=MODELS, ids=lambda m: m.__name__)
def case(request: pytest.FixtureRequest) -> tuple[sb.Equations, dict[sb.Symbol, float], list[np.ndarray]]:
    """Equations, a state, and the derivatives there by complex steps; those by q along motions."""
    eq = derive(request.param())
    at = moving_state(eq)
    expected = [complex_step(eq.udot, getattr(eq, k), at) for k in "qur"]
    expected[0] = expected[0] @ numbers(eq.N, at).reshape(len(eq.q), len(eq.u))
    return eq, at, expected


def agrees(case: tuple[sb.Equations, dict[sb.Symbol, float], list[np.ndarray]], got: list[np.ndarray]) -> bool:
    eq, at, expected = case
    along = numbers(eq.N, at).reshape(len(eq.q), len(eq.u))
    return all(close(x, e, 1e-9) for x, e in zip((got[0] @ along, *got[1:]), expected, strict=True))


@pytest.mark.parametrize(("lanes", "register"), some([(2, 8), (1, 4), (1, 8), (1, 2)], 4))
def test_every_width_of_vectors_gives_the_derivatives(case, lanes: int, register: int) -> None:
    """Also for states side by side. On uninitialised scratch memory: every number is written before it is read."""
    program = loops_of(case[0])
    text = llvm_text(program, lanes, register)
    code = jit.Loaded(jit.machine_code(text.kernels, text.pieces))
    inputs = [np.repeat(x, lanes) for x in inputs_of(*case[:2])]
    outputs = [np.full(lanes * len(o.values), np.nan) for o in program.outputs]
    work = np.full(lanes * text.work + 8, np.nan)
    pointers = [(ctypes.c_void_p * len(x))(*(a.ctypes.data for a in x)) for x in (inputs, outputs)]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(code.address(entry_name(program)))(*pointers, aligned_address(work))
    for lane in range(lanes):
        assert agrees(case, [x[lane::lanes].reshape(o.shape) for x, o in zip(outputs, program.outputs, strict=True)])


def test_many_states(case) -> None:
    eq, at, _ = case
    f = compile_program(loops_of(eq), cache=False)
    rows = [np.tile(x, (11, 1)) for x in inputs_of(eq, at)]
    rows[2][3] = 0.0  # one state differs, and only there results do
    got = f.batch(rows[0][:, 0], *rows[1:])
    assert agrees(case, [x[10] for x in got])
    assert agrees(case, [x[4] for x in got])
    for x, alone in zip(got, f(0.0, *(r[3] for r in rows[1:])), strict=True):
        assert close(x[3], alone, 1e-12)


def test_written_out(case) -> None:
    eq, at, _ = case
    straight = straight_line_program(loops_of(eq))
    assert all(i.op != "tree" for i in straight.code)
    assert agrees(case, list(numpy_function(loops_of(eq))(0.0, *inputs_of(eq, at)[1:])))


def with_a_rotor() -> Model:
    m = two_chains()
    m.kinetic_energy("rotor", 0.3 * m.freeze().u[1] ** 2)
    return m


@pytest.mark.parametrize("model", [chain, quasi, four_bar, turntable, with_a_rotor])
def test_other_mechanisms_are_left_to_elimination(model: Callable[[], Model]) -> None:
    """A screw moves by one speed what turns and what shifts; speeds that are no rates; constraints; a motion given in
    time; inertia that is no body's."""
    eq = derive(model())
    assert tree_program("slopes", {}, eq, {"q": eq.q, "u": eq.u}) is None


def test_loops_are_for_all_coordinates_and_speeds() -> None:
    eq = derive(double_pendulum())
    for groups in ({"q": eq.q}, {"x": (*eq.u, *eq.q)}, {"q": eq.q, "u": eq.u, "g": eq.p}):
        if all(groups.values()):
            assert tree_program("slopes", {}, eq, groups) is None


def test_only_large_trees_are_compiled_to_loops() -> None:
    small, large = (sb.compile(derive(m)).derivatives(("q", "u")).program for m in (two_chains(), pendulums(20)))
    assert [any(i.op == "tree" for i in p.code) for p in (small, large)] == [False, True]
    assert "tree" not in sb.c_source(large).source
