"""Programs take the shortest of several ways to the same equations: all of them are right."""

import pytest

import symbody as sb
from bench import puma560
from symbody.algebra.graph.graph import ZERO
from symbody.bodies.mechanism.mechanism import Mechanism
from symbody.derivation.equations.random_states import random_state
from symbody.derivation.kinematics.frame_motions import hinges_on_bodies, shortened_accelerations
from symbody.derivation.kinematics.kinematics import Kinematics, loads_besides_gravity
from symbody.derivation.kinematics.parameter_regrouping import lumps, masses_to_keep
from symbody.derivation.programs.forward_dynamics import ways_to_accelerations
from symbody.derivation.programs.shortest_forms import Recursion, operations, shortest_equations, shortest_forces
from symbody.derivation.routes.recursive import generalized_forces, recursive
from symbody.formats.urdf.read_urdf import read_urdf
from tests.derive.states import close, numbers
from tests.mechanisms import random_tree

from ..amount import some


def recursion(mechanism: Mechanism) -> Recursion:
    return Recursion(mechanism, Kinematics(mechanism), tuple(loads_besides_gravity(mechanism)))


def values(mechanism: Mechanism, seed: int) -> dict[sb.Expr, float]:
    eq = sb.derive(mechanism, check=False)
    state = random_state(eq, seed)
    return {**state, **{u.dot: 0.3 + 0.1 * k for k, u in enumerate(eq.u)}}


@pytest.mark.parametrize("seed", some([1, 7, 14, 23, 31, 48], 2))
@pytest.mark.parametrize("symbolic", [False, True])
def test_all_ways_give_the_equations_that_are_read(seed: int, symbolic: bool) -> None:
    """M and f by inertias of bodies and by second moments of composites; forces of inverse dynamics."""
    mechanism = random_tree(seed, n_bodies=5, symbolic=symbolic).mechanism
    s, problem = values(mechanism, seed), recursion(mechanism)
    M, f = recursive(mechanism, problem.kinematics)
    for N, forces in (problem.by_bodies(), problem.by_composites()):
        assert close(numbers(M, s), numbers(N, s))
        assert close(numbers(f, s), numbers([-e for e in forces], s))
    expected = generalized_forces(mechanism, problem.kinematics, loads=problem.loads)
    found = shortest_forces(mechanism, problem.kinematics, loads=problem.loads)
    assert close(numbers(expected, s), numbers(found, s))


@pytest.mark.parametrize("seed", [2, 9, 16, 25, 33, 41])
def test_columns_give_what_angular_accelerations_give(seed: int) -> None:
    mechanism = random_tree(seed, n_bodies=5, symbolic=False).mechanism
    s, problem, carried = values(mechanism, seed), recursion(mechanism), lumps(mechanism)
    a, b = (
        problem.forces(carried, shortened_accelerations(mechanism, problem.kinematics, False, way))
        for way in (None, carried)
    )
    assert close(numbers(a, s), numbers(b, s))


HINGES = (("0 0 1", "0 0 1"), ("0 1 0", "0 0 0"), ("0 0 1", ".1 0 .2"), ("0 1 0", ".2 0 0"))


def arm(*hinges: tuple[str, str], turned: str = "0 0 0") -> Mechanism:
    """Hinges about different axes, with offsets in one and in two directions, and bodies without symmetry."""
    text, parent = ['<robot name="arm"><link name="ground"/>'], "ground"
    for k, (axis, at) in enumerate(hinges):
        text.append(
            f'<link name="l{k}"><inertial><origin xyz=".1 -.2 {0.05 * k}"/><mass value="{1 + k}"/>'
            f'<inertia ixx="1" iyy="1.2" izz=".9" ixy=".1" ixz="-.05" iyz="{0.02 * k}"/></inertial></link>'
            f'<joint name="j{k}" type="continuous"><origin xyz="{at}" rpy="{turned}"/><axis xyz="{axis}"/>'
            f'<parent link="{parent}"/><child link="l{k}"/></joint>'
        )
        parent = f"l{k}"
    return read_urdf("".join([*text, "</robot>"]), base="fixed", parameters="none", gravity=(0, 0, -9.81)).freeze()


def test_masses_may_stay_on_hinges() -> None:
    """Mass at the origin of a hinge belongs to both of its bodies: any division leaves forces as they were."""
    mechanism = arm(*HINGES)
    s, problem = values(mechanism, 3), recursion(mechanism)
    motions = shortened_accelerations(mechanism, problem.kinematics, False)
    carried = lumps(mechanism)
    expected = numbers(problem.forces(carried, motions), s)
    choices = masses_to_keep(mechanism, carried)
    assert choices
    for f, axis in choices:
        kept = lumps(mechanism, kept={f: axis})
        assert f.parent is not None
        assert kept[f.parent].h[axis] is ZERO
        assert kept[f].m is not ZERO
        for at_joints in ((), (f,)):
            assert close(numbers(problem.forces(kept, motions, at_joints), s), expected)


@pytest.mark.parametrize("turned", ["1.57079632679 0 0", "0 1.5707963 3.14159265359", "1.5708 0 -1.57079632679"])
def test_angles_that_are_nearly_right(turned: str) -> None:
    """The sine of 1.57079632679 rounds to 1, its cosine is 5e-12: no right angle. Offsets of that size hold no mass
    that would make up for a first moment: it would be 10¹² times that of the bodies."""
    mechanism = arm(*HINGES, ("0 0 1", "5e-12 .1 .3"), ("0 1 0", ".1 3e-9 0"), turned=turned)
    eq = sb.derive(mechanism, check=False)
    s = values(mechanism, 5)
    expected = generalized_forces(mechanism, Kinematics(mechanism))
    assert close(numbers(shortest_forces(mechanism, Kinematics(mechanism)), s), numbers(expected, s))
    first, *others = (numbers(way, s) for way in ways_to_accelerations(eq))
    assert len(others) == 2
    assert all(close(way, first) for way in others)


def test_the_shortest_way_is_taken() -> None:
    mechanism = puma560.model().freeze()
    problem = recursion(mechanism)
    assert hinges_on_bodies(mechanism)
    found = shortest_equations(mechanism, problem.kinematics)
    assert found is not None
    M, f = found
    counts = [operations(m.entries, e) for m, e in (problem.by_bodies(), problem.by_composites())]
    assert operations(M.entries, f.entries) <= 1.03 * min(counts)
    plain = recursive(mechanism, problem.kinematics)
    assert counts[1] < 0.95 * counts[0] < operations(*(m.entries for m in plain))


def test_equations_that_are_read_have_no_second_moments() -> None:
    """P = ½ tr(I) 1 - I, and what counting makes of it, is for programs only."""
    m = sb.Model("top")
    A, B, C = m.parameters("A B C")
    m.gravity(0, 0, -1)
    m.spherical("q", m.ground, m.body("b", mass=1, inertia=(A, B, C)), sequence="zxz")
    eq = sb.derive(m)
    assert "/2" not in f"{eq.M} {eq.f} {sb.joint_forces(eq)} {sb.derivation.inverse_derivatives(eq)}"
