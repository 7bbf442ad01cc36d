"""URDF files: real robots against Pinocchio, what reading keeps and merges, angles taken for exact ones, hostile and
broken files."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.graph import PI
from symbody.bodies.frames.rotations import Turn
from symbody.derivation.kinematics.kinematics import Kinematics
from symbody.derivation.programs.articulated_bodies import articulated_accelerations
from symbody.derivation.programs.shortest_forms import shortest_equations, shortest_forces
from symbody.derivation.questions.reactions import reaction
from symbody.derivation.routes.recursive import generalized_forces
from symbody.emit.run.callable import compile_program
from symbody.errors import ModelError
from symbody.formats.robot.robot import Robot, exact_multiple
from symbody.formats.robot.robot_text import Printed
from symbody.formats.urdf.read_urdf import read_urdf
from tests.amount import FULL, some

ROBOTS = {  # file, and whether the base is free
    "panda": ("panda.urdf", False),
    "ur5": ("ur5_robot.urdf", False),
    "hyq": ("hyq_no_sensors.urdf", True),
    "anymal_b": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "solo12": ("solo12.urdf", True),
    "talos": ("talos_full_v2.urdf", True),
}
SOLID = '<inertial><origin xyz="0.1 0.2 -0.3"/><mass value="2"/><inertia ixx="1" iyy="1.2" izz="0.8" ixy="0.1" ixz="0" iyz="0"/></inertial>'


def robot_file(name: str) -> Path:
    try:
        found = [f for f in files("example-robot-data") or () if str(f).endswith(ROBOTS[name][0])]
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    return Path(str(found[0].locate()))


def link(name: str, inside: str = SOLID) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = '<axis xyz="0 0 1"/>') -> str:
    limit = "" if "<limit" in inside else '<limit effort="1" velocity="1"/>'
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}{limit}</joint>'


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


def arm(*inside: str, kind: str = "revolute") -> str:
    """A chain of as many joints as there are insides."""
    links = [link(f"l{k}") for k in range(len(inside) + 1)]
    return robot(*links, *(joint(f"j{k + 1}", f"l{k}", f"l{k + 1}", kind, x) for k, x in enumerate(inside)))


# ------------------------------------------------------------------------------------------------ against Pinocchio


class Both:
    """A robot here and in Pinocchio, and maps between their states: v = G u, and v' = G u' + bias."""

    def __init__(self, source: Any, free: bool, **how: Any) -> None:
        self.pin = pin = pytest.importorskip("pinocchio")
        self.free = free
        self.model = read_urdf(source, base="free" if free else "fixed", **how)
        self.eq = sb.derive(self.model)
        build = pin.buildModelFromXML if str(source).startswith("<") else pin.buildModelFromUrdf
        args = [str(source)] + ([pin.JointModelFreeFlyer()] if free else [])
        self.peer = build(*args, mimic=True) if how.get("mimic", True) else build(*args)
        self.data = self.peer.createData()
        self.peer.gravity.linear = np.array([0, 0, -9.81])

    def compare(self, seed: int) -> tuple[float, float, float, float]:
        """Differences of inverse dynamics, mass matrix, forward dynamics by composite and by articulated bodies;
        relative."""
        pin, eq, rng = self.pin, self.eq, np.random.default_rng(seed)
        q, u, a = (rng.uniform(-1, 1, n) for n in (len(eq.q), len(eq.u), len(eq.u)))
        r = rng.uniform(-9, 9, len(eq.r))
        if self.free:
            at = [x.name for x in eq.q].index("base_e0")
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
        Q, G, bias = self.mapped(q, u)
        peer, data = self.peer, self.data
        tau = G.T @ pin.rnea(peer, data, Q, G @ u, G @ a + bias)
        M = pin.crba(peer, data, Q)
        M = G.T @ (np.triu(M) + np.triu(M, 1).T) @ G
        load = np.zeros(len(eq.u))
        for x, s in zip(r, eq.r, strict=True):
            load[[y.name for y in eq.u].index(s.name.replace("_tau", "_dot"))] = x
        acceleration = np.linalg.solve(G, pin.aba(peer, data, Q, G @ u, np.linalg.solve(G.T, load)) - bias)
        found = self.functions(*(x for x in (q, u, a, r, sb.compile(eq).p) if len(x)))
        return tuple(
            np.abs(np.ravel(x) - np.ravel(y)).max() / np.abs(y).max()
            for x, y in zip(found, (tau, M, acceleration, tau, acceleration, acceleration)[: len(found)], strict=True)
        )

    @cached_property
    def functions(self) -> Any:
        """Compiled: generalised forces, mass matrix, accelerations; forces and accelerations by the other ways."""
        eq = self.eq
        groups = {"q": list(eq.q), "u": list(eq.u), "a": [x.dot for x in eq.u], "r": list(eq.r), "p": list(eq.p)}
        kinematics = Kinematics(eq.mechanism)
        outputs = {"tau": generalized_forces(eq.mechanism, kinematics), "M": eq.M, "udot": eq.udot}
        outputs |= {
            "shortest": shortest_forces(eq.mechanism, kinematics),
            "aba": articulated_accelerations(eq.mechanism, kinematics),
        }
        if (fewest := shortest_equations(eq.mechanism, kinematics)) is not None:
            outputs["fewest"] = sb.solve(*fewest, "definite")
        made = sb.program("all", {k: v for k, v in groups.items() if v}, outputs)
        return compile_program(made, cache=False, is_quick=True)  # it is called a few times

    def mapped(self, q: Any, u: Any) -> tuple[Any, Any, Any]:
        eq, peer = self.eq, self.peer
        Q, G, bias = np.zeros(peer.nq), np.zeros((peer.nv, len(eq.u))), np.zeros(peer.nv)
        at = {x.name: k for k, x in enumerate(eq.q)} | {x.name: k for k, x in enumerate(eq.u)}
        if self.free:
            e = q[[at[f"base_e{k}"] for k in range(4)]]
            Q[:7] = [*(q[at[f"base_{k}"]] for k in "xyz"), *e[1:], e[0]]
            Rt = self.pin.Quaternion(*e).matrix().T
            v, w = ([at[f"base_{k}"] for k in names] for names in (("x_dot", "y_dot", "z_dot"), ("wx", "wy", "wz")))
            G[:3, v], G[3:6, w], bias[:3] = Rt, np.eye(3), -np.cross(u[w], Rt @ u[v])
        for name, j in zip(peer.names, peer.joints, strict=True):
            if name in self.model.joints and j.nv == 1 and j.idx_q < peer.nq:
                (coordinate,) = self.model.joints[name].coordinates
                value = q[at[coordinate.name]]
                Q[j.idx_q : j.idx_q + j.nq] = [value] if j.nq == 1 else [math.cos(value), math.sin(value)]
                G[j.idx_v, at[f"{coordinate.name}_dot"]] = 1
        return Q, G, bias


@pytest.mark.parametrize("name", ROBOTS if FULL else [n for n in ROBOTS if n not in ("hyq", "solo12")])
def test_real_robot_agrees_with_pinocchio(name: str) -> None:
    """Inverse dynamics, mass matrix and forward dynamics at random states, every angle as it is printed."""
    both = Both(robot_file(name), ROBOTS[name][1], parameters="none", snap=False, mimic=False)
    assert len(both.eq.u) == both.peer.nv
    assert max(max(both.compare(seed)) for seed in range(3)) < 1e-10


@pytest.mark.parametrize(
    "parameters", some(["all", "bodies", "everything", "none", ["*_m", "*_c?", "*_pz"]], 4), ids=str
)
@pytest.mark.parametrize("name", some(["panda", "anymal_b"], 2))
def test_parameters_with_their_defaults_are_the_robot(name: str, parameters: Any) -> None:
    both = Both(robot_file(name), ROBOTS[name][1], parameters=parameters, snap=False, mimic=False)
    assert bool(both.eq.p) == (parameters != "none")
    assert max(both.compare(0)) < 1e-10


@pytest.mark.parametrize("name", some(ROBOTS, 3))
def test_snapped_robot_differs_by_the_digits_that_were_cut(name: str) -> None:
    both = Both(robot_file(name), ROBOTS[name][1], parameters="none", mimic=False, snap=True)
    assert max(both.compare(0)) < 1e-9
    assert all(s.off <= 5e-12 for s in both.model.report.snapped)


ODD = {  # frames that no coordinate axis fits
    "tilted axes": [
        '<origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.9"/><axis xyz="0 0.7071 0.7071"/>',
        '<origin xyz="0.2 -0.1 0.4" rpy="0.1 0.7 -1.2"/><axis xyz="1 -2 0.5"/>',
        '<origin xyz="0 0.3 0" rpy="0 0.5 0"/><axis xyz="0 -1 0"/>',
        '<origin xyz="0.3 0 0.2" rpy="-0.4 0 0.2"/><axis xyz="-1 0 0"/>',
    ],
    "printed multiples of pi": [
        '<origin xyz="0.1 0 0.3" rpy="0 0 0.785398163397"/><axis xyz="1 0 0"/>',
        '<origin xyz="0.2 -0.1 0.4" rpy="1.57079632679 0 1.0471975512"/><axis xyz="0 0 1"/>',
        '<origin xyz="0.2 0 0.1" rpy="3.14159265359 0 -1.57079632679"/><axis xyz="0 1 0"/>',
    ],
}


@pytest.mark.parametrize(
    ("free", "snap"), [(True, True), (False, False), (True, False), (False, True)][: 4 if FULL else 2]
)
@pytest.mark.parametrize("inside", ODD.values(), ids=ODD)
def test_arms_in_odd_directions(inside: list[str], free: bool, snap: bool) -> None:
    for parameters in some(("none", "all", "everything"), 3 if free else 2):
        both = Both(arm(*inside), free, parameters=parameters, snap=snap)
        assert max(both.compare(1)) < 1e-10


def test_sliding_turning_and_branching() -> None:
    """Two branches on a slide, inertial frames of their own, fixed links on the way."""
    turned = SOLID.replace('xyz="0.1 0.2 -0.3"', 'xyz="0.1 0.2 -0.3" rpy="0.4 -0.7 1.1"')
    text = robot(
        *(link(n, turned) for n in "abcdef"), link("empty", ""),
        joint("slide", "a", "b", "prismatic", '<origin xyz="0.1 0.2 0" rpy="0.3 0 0"/><axis xyz="1 1 0"/>'),
        joint("weld", "b", "empty", "fixed", '<origin xyz="0 0.2 0.1" rpy="0.3 0.1 -0.2"/>'),
        joint("weld2", "empty", "c", "fixed", '<origin xyz="0.3 0.2 0.1" rpy="-0.3 0.1 2"/>'),
        joint("left", "c", "d", "continuous", '<origin xyz="0.3 0 0.1" rpy="0 0.1 0"/><axis xyz="0 1 0"/>'),
        joint("right", "b", "e", "revolute", '<origin xyz="0 0.5 0.1"/><axis xyz="0 0 -1"/>'),
        joint("tip", "e", "f", "prismatic", '<origin xyz="0 0.5 0.1" rpy="0.2 0.3 0.4"/><axis xyz="0 0 1"/>'),
    )  # fmt: skip
    for parameters in some(("none", "all", "bodies", "everything"), 3):
        both = Both(text, True, parameters=parameters)
        assert max(both.compare(2)) < 1e-10
    assert both.model.report.merged == {"empty": "b", "c": "b"}


def test_planar_joint_moves_across_its_axis() -> None:
    m = read_urdf(arm('<origin xyz="0.1 0 0" rpy="0.5 0 0"/><axis xyz="0 0 1"/>', kind="planar"))
    x, y, a = m.freeze().q
    place = (m.link("l1").origin - m.ground.origin).components(m.ground)
    at = {x: 0.2, y: 0.3, a: 0.7}
    assert sb.evaluate(place, at) == pytest.approx([0.3, 0.3 * math.cos(0.5), 0.3 * math.sin(0.5)])
    assert sb.derive(m).M.shape == (3, 3)


def test_floating_joint_inside_the_tree() -> None:
    m = read_urdf(robot(link("w"), link("b"), joint("f", "w", "b", "floating", '<origin xyz="1 2 3"/>')))
    assert [q.name for q in m.freeze().q] == ["f_x", "f_y", "f_z", "f_e0", "f_e1", "f_e2", "f_e3"]
    assert max(Both(robot(link("b")), True).compare(0)) < 1e-12


# ------------------------------------------------------------------------------------------------ what is kept


def test_mimic_joint_follows() -> None:
    """A second coordinate is none: both joints move by the first; the values are those of Pinocchio."""
    tied = '<origin xyz="0 0 0.4"/><axis xyz="0 1 0"/><mimic joint="j1" multiplier="-2" offset="0.3"/>'
    text = arm('<axis xyz="1 0 0"/>', tied, '<origin xyz="0.2 0 0"/><axis xyz="0 0 1"/>')
    m = read_urdf(text)
    assert [q.name for q in m.freeze().q] == ["j1", "j3"]
    M = sb.derive(m).M
    loose = read_urdf(text, mimic=False)
    q1, q2, q3 = loose.freeze().q
    values = {q1: 0.4, q2: 0.3 - 0.8, q3: -0.2}
    J = np.array([[1, 0], [-2, 0], [0, 1]])
    own = {**{s: values[s] for s in m.freeze().q}, **m.freeze().values}
    expected = J.T @ np.array(sb.evaluate(sb.derive(loose).M, values | dict(loose.freeze().values))) @ J
    assert np.array(sb.evaluate(M, own)) == pytest.approx(expected, rel=1e-12)


def test_mimic_of_a_mimic_and_of_one_that_is_held() -> None:
    def text(of: str) -> str:
        return arm(
            '<axis xyz="1 0 0"/>', '<axis xyz="0 1 0"/><mimic joint="j1" multiplier="3" offset="1"/>',
            f'<axis xyz="0 0 1"/><mimic joint="{of}" multiplier="2" offset="-1"/>',
        )  # fmt: skip

    m = read_urdf(text("j2")).freeze()
    turn = m.joint("j3").inner.rotation_in(m.joint("j3").outer).matrix
    assert sb.evaluate(turn, {m.q[0]: 0.2})[1][0] == pytest.approx(math.sin(6 * 0.2 + 1))
    held = read_urdf(text("j2"), hold={"j1": 0.5})
    assert not held.freeze().q
    assert len(held.report.merged) == 4


def test_massless_link_may_follow_or_be_held() -> None:
    """What a coordinate moves has mass, but not each link that it moves needs some."""
    tied = '<axis xyz="0 0 1"/><mimic joint="i"/>'
    parts = [link("a"), link("b"), link("c", ""), joint("i", "a", "b")]
    assert len(read_urdf(robot(*parts, joint("j", "a", "c", inside=tied))).freeze().q) == 1
    assert len(read_urdf(robot(*parts, joint("j", "a", "c")), hold={"j": 0}).freeze().q) == 1


def test_held_joint_is_a_fixed_one_at_that_value() -> None:
    inside = ['<origin xyz="0 0 0.4"/><axis xyz="0 1 1"/>', '<origin xyz="0.1 0 0.2"/><axis xyz="0 1 0"/>']
    moving, held = read_urdf(arm(*inside)).freeze(), read_urdf(arm(*inside), hold={"j1": 0.7}).freeze()
    free = read_urdf(arm(*inside), free=["j2"]).freeze()
    assert [[q.name for q in m.q] for m in (held, free)] == [["j2"], ["j2"]]
    weight = []
    for m, at in ((moving, (0.7, 0.3)), (held, (0.3,))):
        still = dict.fromkeys((*m.u, *m.r), 0.0) | dict(zip(m.q, at, strict=True)) | dict(m.values)
        weight.append(sb.evaluate(sb.derive(m).f.entries[-1], still))
    assert abs(weight[0]) > 1
    assert weight[1] == pytest.approx(weight[0], rel=1e-12)


def test_links_that_are_merged_keep_names_and_frames() -> None:
    m = read_urdf(robot_file("panda"), parameters="bodies")
    assert [b.name for b in m.freeze().bodies if "hand" in b.name] == []
    assert m.report.merged["panda_hand"] == "panda_link7"
    position = (m.link("panda_hand_tcp").origin - m.ground.origin).components(m.ground)
    pin = pytest.importorskip("pinocchio")
    peer = pin.buildModelFromUrdf(str(robot_file("panda")))
    data, q = peer.createData(), np.linspace(-0.5, 0.5, 9)
    q[8] = q[7]
    pin.framesForwardKinematics(peer, data, q)
    expected = data.oMf[peer.getFrameId("panda_hand_tcp")].translation
    assert sb.evaluate(position, dict(zip(m.freeze().q, q, strict=False))) == pytest.approx(expected, abs=1e-14)
    with pytest.raises(ModelError, match=r"no link 'panda_hnd'.*Did you mean 'panda_hand'"):
        m.link("panda_hnd")


def test_shapes_limits_and_materials_are_kept() -> None:
    visual = """<visual name="v"><origin xyz="1 2 3" rpy="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual>
    <visual><geometry><mesh filename="package://no/such.dae" scale="1 1 2"/></geometry></visual>
    <visual><geometry><cylinder radius="0.1" length="2"/></geometry><material name="x"><color rgba="1 0 0 1"/></material></visual>
    <visual><geometry><torus/></geometry></visual><collision><geometry><sphere radius="3"/></geometry></collision>"""
    limit = '<axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="30"/><dynamics damping="0.5" friction="0.1"/>'
    blue = '<material name="blue"><color rgba="0 0 1 0.5"/></material>'
    m = read_urdf(robot(blue, link("a", visual), link("b"), joint("j", "a", "b", inside=limit)))
    box, mesh, cylinder = m.visuals["a"]
    assert (box.kind, box.size, box.position, box.rpy) == ("box", (1, 2, 3), (1, 2, 3), (0, 0, 1))
    assert (box.colour, cylinder.colour, mesh.colour) == ((0, 0, 1, 0.5), (1, 0, 0, 1), None)
    assert (mesh.file, mesh.scale) == ("package://no/such.dae", (1, 1, 2))
    assert (cylinder.size, m.collisions["a"][0].size) == ((0.1, 2), (3,))
    assert m.report.left_out == {"<visual> without a known shape": 1}
    limits = m.details["j"].limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-1, 2, 30, None)


def test_damping_and_friction_act_when_asked_for() -> None:
    inside = '<axis xyz="0 0 1"/><dynamics damping="0.5" friction="0.1"/>'
    tied = f'{inside}<mimic joint="j1" multiplier="2"/>'
    assert {x.kind for x in read_urdf(arm(inside)).freeze().loads} == {"gravity", "actuator"}
    m = read_urdf(
        arm(inside, tied), damping=True, friction=0.01, gravity=None, actuators=None, parameters=["*_damping"]
    )
    mechanism = m.freeze()
    (q,) = mechanism.q
    assert [s.name for s in mechanism.p] == ["j1_damping", "j2_damping"]
    power = sum(sb.evaluate(x.on_rates[q], {q.dot: 0.3, **mechanism.values}) for x in mechanism.loads)
    dry = 0.1 * math.tanh(0.3 / 0.01) + 2 * 0.1 * math.tanh(0.6 / 0.01)
    assert power == pytest.approx(-(0.5 + 4 * 0.5) * 0.3 - dry)


def test_reaction_is_at_the_joint_of_the_file() -> None:
    """Where the body frame slid along the axis, the reaction is still about the origin of the joint."""
    m = read_urdf(arm('<origin xyz="0.1 0.2 0.3"/><axis xyz="0 0 1"/>', '<origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>'))
    eq = sb.derive(m)
    found = reaction(eq, "j1")
    place = (found.at - m.ground.origin).components(m.ground)
    assert sb.evaluate(place, dict.fromkeys(eq.q, 0.4)) == pytest.approx([0.1, 0.2, 0.3])
    still = dict.fromkeys((*eq.q, *eq.u, *(u.dot for u in eq.u), *eq.r), 0.0) | dict(eq.mechanism.values)
    assert sb.evaluate(found.force, still) == pytest.approx([0, 0, 4 * 9.81])
    assert sb.evaluate(found.moment, still) == pytest.approx([4 * 9.81 * 0.2, -4 * 9.81 * 0.1, 0], abs=1e-9)


# ------------------------------------------------------------------------------------------------ parameters


def test_zeros_stay_zeros_and_the_rest_has_names() -> None:
    m = read_urdf(
        arm('<origin xyz="0 0 0.3" rpy="0.2 0 1.5708"/><axis xyz="0 0 1"/>'), parameters="everything", snap=True
    )
    values = {s.name: x for s, x in m.freeze().values.items()}
    assert values == {
        "j1_pz": 0.3, "j1_roll": 0.2, "l1_m": 2, "l1_cx": 0.1, "l1_cy": 0.2, "l1_cz": -0.3,
        "l1_Ixx": 1, "l1_Iyy": 1.2, "l1_Izz": 0.8, "l1_Ixy": 0.1,
    }  # fmt: skip


def test_chosen_parameters() -> None:
    m = read_urdf(robot_file("panda"), parameters=["panda_hand_m", "panda_link?_Izz"])
    names = [s.name for s in m.freeze().p]
    assert set(names) == {"panda_hand_m", *(f"panda_link{k}_Izz" for k in range(1, 8))}
    bodies = [b.name for b in m.freeze().bodies]
    assert "panda_hand" in bodies  # apart, in the frame of the body that it is part of
    with pytest.raises(ModelError, match=r"no parameter 'panda_hnd_m'.*Did you mean 'panda_hand_m'"):
        read_urdf(robot_file("panda"), parameters="panda_hnd_m")


@pytest.mark.parametrize(("name", "most"), [("panda", 541), ("ur5", 254)])
def test_operations_of_inverse_dynamics(name: str, most: int) -> None:
    """At most half of what Pinocchio generates through CasADi (1230 and 574), hand and fingers as one body."""
    m = read_urdf(
        robot_file(name), parameters="none", snap=True, free=["*_joint"] if name == "ur5" else ["panda_joint*"]
    )
    eq = sb.derive(m)
    k = Kinematics(eq.mechanism)
    tau = shortest_forces(eq.mechanism, k)
    groups = {"q": list(eq.q), "u": list(eq.u), "a": [u.dot for u in eq.u]}
    assert sb.program("tau", groups, {"tau": tau}).cost.total <= most


# ------------------------------------------------------------------------------------------------ angles


@pytest.mark.parametrize(
    ("text", "multiple"),
    [
        ("1.5708", Fraction(1, 2)), ("1.57079632679", Fraction(1, 2)), ("-1.5707963267948966", Fraction(-1, 2)),
        ("3.14159", Fraction(1)), ("3.1416", None), ("3.141593", Fraction(1)), ("0.785398", Fraction(1, 4)),
        ("1.0472", Fraction(1, 3)), ("0.523599", Fraction(1, 6)), ("-4.71238898038", Fraction(-3, 2)),
        ("1.570800", Fraction(1, 2)), ("15.708e-1", Fraction(1, 2)), ("6.123e-17", Fraction(0)),
        ("1.57", None), ("1.5709", None), ("1.570801", None), ("1.57079", None), ("0.1", None), ("3e-6", None), ("2", None),
    ],
)  # fmt: skip
def test_printed_multiples_of_pi(text: str, multiple: Fraction | None) -> None:
    assert exact_multiple(Printed(float(text), text), 5e-6) == multiple


def test_angles_are_read_as_they_stand_unless_snapping_is_asked_for() -> None:
    text = arm(
        '<origin rpy="1.5708 0 -0.785398"/><axis xyz="1e-12 0 1"/>', '<origin rpy="1.5708 0 0.3"/><axis xyz="0 0 1"/>'
    )
    assert not read_urdf(text).report.snapped
    m = read_urdf(text, snap=True)
    assert [(s.text, s.multiple) for s in m.report.snapped] == [
        ("1.5708", Fraction(1, 2)), ("-0.785398", Fraction(-1, 4)), ("1.5708", Fraction(1, 2)),
    ]  # fmt: skip
    assert "angle 1.5708 is read as pi/2 (2 times, off by 3.7e-06)" in str(m.report)
    assert any("1.5708 is read as pi/2" in note for note in m.freeze().notes)
    assert len(read_urdf(text, snap=True, tolerance=1e-6).report.snapped) == 1


@pytest.mark.parametrize("snap", [True, False])
def test_angles_with_all_digits_are_exact_and_no_remark(snap: bool) -> None:
    """Nothing is changed by taking pi/2 for 1.5707963267948966."""
    for k in (-6, -4, -1, 1, 2, 3, 5, 12, 18):
        for printed in (k * math.pi / 12, float(Fraction(k, 12)) * math.pi):
            m = read_urdf(arm(f'<origin rpy="{printed!r} 0 0"/><axis xyz="0 0 1"/>'), snap=snap, parameters="none")
            assert "angle" not in str(m.report)
            at_rest = sb.substitute(m.link("l1").rotation_in(m.ground).matrix, {m.freeze().q[0]: 0})
            assert k % 6 or all(e.value in (0, 1, -1) for e in at_rest.entries), at_rest


def test_exact_angles_leave_exact_numbers() -> None:
    """Quarter turns leave 0 and ±1, others cosines of exact angles."""
    m = read_urdf(arm('<origin rpy="1.5708 0 -1.5708"/><axis xyz="0 0 1"/>'), snap=True)
    mechanism = m.freeze()
    R = m.link("l1").rotation_in(m.ground).matrix
    at_rest = sb.substitute(R, {mechanism.q[0]: 0})
    assert [e.value for e in at_rest.entries] == [0, 0, -1, -1, 0, 0, 0, 1, 0]
    tilted = read_urdf(arm('<origin rpy="0.785398 0 0"/><axis xyz="0 0 1"/>'), snap=True).freeze()
    turn = tilted.frames[0].rotation.factors[0]
    assert isinstance(turn, Turn)
    assert turn.angle in (PI / 4, -PI / 4)


# ------------------------------------------------------------------------------------------------ names


def test_names_become_identifiers_and_stay_apart() -> None:
    links = [link(n) for n in ("base", "a b", "a-b", "1st", "t_", "x" * 200)]
    inside = '<origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>'
    joints = [
        joint("j 1", "base", "a b", inside=inside), joint("j-1", "a b", "a-b", inside=inside),
        joint("t", "a-b", "1st", inside=inside), joint("j_1_dot", "1st", "t_", inside=inside),
        joint("a_b_m", "t_", "x" * 200, inside=inside),
    ]  # fmt: skip
    m = read_urdf(robot(*links, *joints), base="free")
    names = [q.name for q in m.freeze().q][7:]
    assert len(set(names)) == 5
    assert names[:3] == ["j_1", "j_1_2", "t_2"]
    assert m.report.renamed["j-1"] == "j_1_2"
    f = sb.compile(sb.derive(m), cache=False)
    assert f.udot(0.0, *(np.full(n, 0.5) for n in (12, 11, 5)), f.p).shape == (11,)


# --------------------------------------------------------------------------------------------- hostile and broken files


BOMB = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>' + robot(link("&b;"))
EXTERNAL = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + robot(link("&x;"))
REMOTE = '<?xml version="1.0"?><!DOCTYPE robot SYSTEM "http://example.invalid/robot.dtd">' + robot(link("a"))
TWO = (link("a"), link("b"))
BROKEN: dict[str, tuple[Any, str]] = {
    "entity bomb": (BOMB, "DOCTYPE or entity is declared"),
    "external entity": (EXTERNAL, "DOCTYPE or entity is declared"),
    "remote document type": (REMOTE, "DOCTYPE or entity is declared"),
    "undeclared entity": (robot(link("&x;")), "not XML: undefined entity"),
    "no such file": ("no/such/robot.urdf", "no such file"),
    "directory": (".", "not a plain file"),
    "zero in a path": ("a\0b", "cannot be read|no such file"),
    "address": ("https://example.invalid/r.urdf", "nothing is fetched"),
    "nothing at all": (None, "expected the path of a file"),
    "not XML": ("<robot", "not XML"),
    "empty": (b"", "not XML: no element"),
    "binary": (b"\x00\xff\xfe\x01", "not XML"),
    "unknown encoding": (b'<?xml version="1.0" encoding="martian"?><robot/>', "not XML: unknown encoding"),
    "unpaired surrogate": ('<robot name="\ud800"/>', "not XML"),
    "deep nesting": ("<robot>" + "<a>" * 100_000, "nested more than 64 deep"),
    "SDF": ("<sdf/>", "an SDF file"),
    "xacro": ('<robot name="r"><xacro:macro/></robot>', "expand it with `xacro`"),
    "no links": ('<robot name="r"/>', "no <link>"),
    "link without a name": (robot("<link/>"), "a <link> without a name"),
    "two links of one name": (robot(link("a"), link("a")), "two links 'a'"),
    "two joints of one name": (robot(*TWO, link("c"), joint("j", "a", "b"), joint("j", "b", "c")), "two joints 'j'"),
    "two roots": (robot(*TWO), r"2 links have no parent \(a, b\)"),
    "unknown parent": (robot(*TWO, joint("j", "aa", "b")), "parent: there is no link 'aa'"),
    "unknown child": (robot(*TWO, joint("j", "a", "c")), "child: there is no link 'c'"),
    "no child": (robot(link("a"), '<joint name="j" type="fixed"><parent link="a"/></joint>'), "names no child link"),
    "two parents": (robot(*TWO, link("c"), joint("i", "a", "c"), joint("j", "b", "c")), "'c' has two parent joints"),
    "loop of all": (robot(*TWO, joint("i", "a", "b"), joint("j", "b", "a")), "a, b form a loop"),
    "loop beside": (
        robot(*TWO, link("c"), joint("i", "b", "c"), joint("j", "c", "b")),
        "b, c form a loop",
    ),
    "link on itself": (robot(*TWO, joint("i", "a", "a"), joint("j", "a", "b")), "form a loop"),
    "unknown type": (robot(*TWO, joint("j", "a", "b", "elastic")), "no type 'elastic'; types are fixed"),
    "zero axis": (robot(*TWO, joint("j", "a", "b", inside='<axis xyz="0 0 0"/>')), "axis is zero"),
    "missing inertia": (robot(link("a"), link("b", ""), joint("j", "a", "b")), "'j' moves link 'b' .*<inertial>.*hold="),
    "mass without inertia": (robot(link("a", '<inertial><mass value="1"/></inertial>')), "no <inertia>"),
    "inertia without mass": (
        robot(link("a", '<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>')), "no <mass>",
    ),
    "negative mass": (robot(link("a", SOLID.replace('"2"', '"-2"'))), "mass is negative: -2"),
    "not a number": (robot(link("a", SOLID.replace('"2"', '"nan"'))), "'nan' is not a finite number"),
    "infinite": (robot(link("a", SOLID.replace('"2"', '"1e999"'))), "'1e999' is not a finite number"),
    "two numbers for three": (robot(link("a", SOLID.replace("0.1 0.2 -0.3", "0.1 0.2"))), "needs 3 numbers"),
    "underscored number": (robot(link("a", SOLID.replace('"2"', '"1_0"'))), "'1_0' is not a finite number"),
    "mimics nobody": (arm('<mimic joint="j9"/>'), "mimics: there is no joint of one coordinate 'j9'"),
    "mimics itself": (arm('<mimic joint="j1"/>'), "mimic each other in a cycle"),
    "mimic circle": (arm('<mimic joint="j2"/>', '<mimic joint="j1"/>'), "mimic each other in a cycle"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "says"), BROKEN.values(), ids=BROKEN)
def test_broken_file_gets_a_clear_error(source: Any, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        read_urdf(source)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"base": "loose"}, "base= is 'fixed' or 'free'"),
    ({"tolerance": 1.0}, "tolerance= must be an angle"),
    ({"free": ["j9"]}, "no joint that moves 'j9'"),
    ({"hold": {"j9": 1}}, "no joint that moves 'j9'"),
    ({"hold": {"j1": math.nan}}, "not a finite number"),
    ({"actuators": ["j9"]}, "no joint to actuate 'j9'"),
    ({"parameters": [3]}, "expected names or patterns, got 3"),
]


@pytest.mark.parametrize(("how", "says"), WRONG, ids=lambda x: str(x)[:30])
def test_wrong_options_are_refused(how: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        read_urdf(arm('<axis xyz="0 0 1"/>'), **how)


def test_inertia_that_no_body_has_is_reported_or_refused() -> None:
    bad = arm('<axis xyz="0 0 1"/>').replace('izz="0.8"', 'izz="8"')
    m = read_urdf(bad)
    assert len(m.report.doubtful) == 1
    assert "link 'l1': no body has the principal inertias" in m.report.doubtful[0]
    with pytest.raises(ModelError, match=r"link 'l1': no body has .*strict=False"):
        read_urdf(bad, strict=True)


def test_what_is_not_read_is_reported() -> None:
    text = arm('<axis xyz="0 0 1"/><safety_controller k_velocity="1"/>').replace(
        "</robot>", "<gazebo/><gazebo/></robot>"
    )
    assert read_urdf(text).report.left_out == {"<gazebo> in <robot>": 2, "<safety_controller> in <joint>": 1}


def test_text_bytes_and_paths_are_read_alike(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="latin-1"?>' + arm('<axis xyz="0 0 1"/>').replace('"r"', '"r\u00e9"')
    file = tmp_path / "r.urdf"
    file.write_bytes(text.encode("latin-1"))
    assert {read_urdf(x).name for x in (text, text.encode("latin-1"), file, str(file))} == {"r\u00e9"}


@pytest.mark.parametrize(
    ("kind", "parent"),
    [("revolute", lambda k: k - 1), ("fixed", lambda k: k - 1), ("prismatic", lambda k: min(k - 1, 1))],
    ids=["chain of hinges", "chain of welds", "star of sliders"],
)
def test_ten_thousand_links(kind: str, parent: Callable[[int], int]) -> None:
    n, inside = (
        10_000 if FULL else 1_100,  # deeper than Python's calls may be
        '<origin xyz="0.1 0 0.2" rpy="1.5708 0 0.3"/><axis xyz="0 0 1"/>',
    )
    joints = (joint(f"j{k}", f"l{parent(k)}", f"l{k}", kind, inside) for k in range(1, n))
    m = read_urdf(robot(*(link(f"l{k}") for k in range(n)), *joints), base="free", parameters="none")
    assert isinstance(m, Robot)
    assert len(m.links) == n
    assert len(m.symbols_of_kind("coordinate")) == 7 + (kind != "fixed") * (n - 1)
