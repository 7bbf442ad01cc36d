"""The recursive route has several ways to the same equations and takes the shortest: all of them are right."""

import pytest

import symbody as sb
from bench import puma560
from symbody.algebra.graph import ZERO
from symbody.bodies.mechanism import Mechanism
from symbody.bodies.urdf.read_urdf import read_urdf
from symbody.derive.frame_motions import accelerations, hinges_on_bodies
from symbody.derive.kinematics import Kinematics
from symbody.derive.random_states import random_state
from symbody.derive.recursive import Recursion, operations_from, recursive, subspaces_of
from symbody.derive.regrouping import lumps, masses_to_keep
from tests.derive.states import close, numbers
from tests.mechanisms import random_tree


def recursion(mechanism: Mechanism) -> Recursion:
    k = Kinematics(mechanism)
    return Recursion(mechanism, k, subspaces_of(mechanism, k), mechanism.loads)


def values(mechanism: Mechanism, seed: int) -> dict[sb.Expr, float]:
    eq = sb.derive(mechanism, check=False)
    state = random_state(eq, seed)
    return {**state, **{u.dot: 0.3 + 0.1 * k for k, u in enumerate(eq.u)}}


@pytest.mark.parametrize("seed", [1, 7, 14, 23, 31, 48])
@pytest.mark.parametrize("symbolic", [False, True])
def test_composites_give_what_bodies_give(seed: int, symbolic: bool) -> None:
    """Mass matrix and forces at u' = 0, by inertias of bodies and by second moments of composites."""
    mechanism = random_tree(seed, n_bodies=5, symbolic=symbolic).mechanism
    s, problem = values(mechanism, seed), recursion(mechanism)
    (M, f), (N, g) = problem.by_bodies(None), problem.by_composites(None)
    assert close(numbers(M, s), numbers(N, s))
    assert close(numbers(f, s), numbers(g, s))


@pytest.mark.parametrize("seed", [2, 9, 16, 25, 33, 41])
def test_columns_give_what_angular_accelerations_give(seed: int) -> None:
    mechanism = random_tree(seed, n_bodies=5, symbolic=False).mechanism
    s, problem, carried = values(mechanism, seed), recursion(mechanism), lumps(mechanism)
    plain, by_columns = (accelerations(mechanism, problem.kinematics, False, way) for way in (None, carried))
    a, b = problem.forces(carried, plain)[0], problem.forces(carried, by_columns)[0]
    assert close(numbers(a, s), numbers(b, s))


def arm() -> Mechanism:
    """Hinges about different axes, with offsets in one and in two directions, and bodies without symmetry."""
    text, parent = ['<robot name="arm"><link name="ground"/>'], "ground"
    for k, (axis, at) in enumerate([("0 0 1", "0 0 1"), ("0 1 0", "0 0 0"), ("0 0 1", ".1 0 .2"), ("0 1 0", ".2 0 0")]):
        text.append(
            f'<link name="l{k}"><inertial><origin xyz=".1 -.2 {0.05 * k}"/><mass value="{1 + k}"/>'
            f'<inertia ixx="1" iyy="1.2" izz=".9" ixy=".1" ixz="-.05" iyz="{0.02 * k}"/></inertial></link>'
            f'<joint name="j{k}" type="continuous"><origin xyz="{at}"/><axis xyz="{axis}"/><parent link="{parent}"/>'
            f'<child link="l{k}"/></joint>'
        )
        parent = f"l{k}"
    return read_urdf("".join([*text, "</robot>"]), base="fixed", parameters="none", gravity=(0, 0, -9.81)).freeze()


def test_masses_may_stay_on_hinges() -> None:
    """Mass at the origin of a hinge belongs to both of its bodies: any division leaves forces as they were."""
    mechanism = arm()
    s, problem = values(mechanism, 3), recursion(mechanism)
    motions = accelerations(mechanism, problem.kinematics, False)
    carried = lumps(mechanism)
    expected = numbers(problem.forces(carried, motions)[0], s)
    choices = masses_to_keep(mechanism, carried)
    assert choices
    for f, axis in choices:
        kept = lumps(mechanism, kept={f: axis})
        assert f.parent is not None
        assert kept[f.parent].h[axis] is ZERO
        assert kept[f].m is not ZERO
        for at_joints in ((), (f,)):
            assert close(numbers(problem.forces(kept, motions, at_joints)[0], s), expected)


def test_the_shortest_way_is_taken() -> None:
    mechanism = puma560.model().freeze()
    problem = recursion(mechanism)
    assert hinges_on_bodies(mechanism)
    M, f = recursive(mechanism, problem.kinematics)
    ways = problem.by_bodies(None), problem.by_composites(None)
    counts = [operations_from(set(), (*m.entries, *e)) for m, e in ways]
    assert operations_from(set(), (*M.entries, *f.entries)) <= 1.03 * min(counts)
    assert counts[1] < 0.95 * counts[0]
