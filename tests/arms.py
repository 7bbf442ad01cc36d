"""Random arms as plain numbers: as a model built by hand, and as the text of each format of robots.

A part hangs on an earlier one, or on the ground, at a position with turns about x, y, z of the parent (roll, pitch, yaw),
and turns about an axis of its own, slides along it, or is fixed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import symbody as sb

from .mechanisms import Draw, Three, product, turn

GRAVITY = (0.3, -0.2, -9.81)
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class Part:
    """A body with its joint; `parent` is a number, -1 for the ground."""

    kind: str
    parent: int
    position: Three
    rpy: Three
    axis: Three
    mass: float
    com: Three
    tensor: tuple[float, ...]  # about the mass centre: xx, yy, zz, xy, xz, yz

    @property
    def rotation(self) -> list[list[float]]:
        roll, pitch, yaw = self.rpy
        return product(turn(2, yaw), product(turn(1, pitch), turn(0, roll)))


Arm = list[Part]


def random_arm(seed: int) -> Arm:
    """Three to five parts, two of which move at least."""
    d, random = Draw(seed, "arm", False), Random(seed)
    arm: Arm = []
    for k in range(3 + seed % 3):
        kind = ("revolute", "prismatic")[k] if k < 2 else random.choice(["revolute", "prismatic", "fixed"])
        axis = d.any_axis()
        size = math.sqrt(sum(x * x for x in axis))
        I = d.tensor()
        tensor = (I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2])
        unit = (axis[0] / size, axis[1] / size, axis[2] / size)
        rpy = (random.uniform(-1.4, 1.4), random.uniform(-1.4, 1.4), random.uniform(-1.4, 1.4))
        arm.append(
            Part(
                kind,
                random.randint(max(-1, k - 2), k - 1),
                d.place(),
                rpy,
                unit,
                d.number(0.5, 2),
                d.place(0.4),
                tensor,
            )
        )
    return arm  # fmt: skip


def by_hand(arm: Arm) -> sb.Model:
    m = sb.Model("arm")
    frames: list[sb.Frame] = []
    for k, part in enumerate(arm):
        base = frames[part.parent] if part.parent >= 0 else m.ground
        roll, pitch, yaw = part.rpy
        frame = base.translate(*part.position).rotate("zyx", yaw, pitch, roll)
        if part.kind != "fixed":
            q = m.coordinate(f"j{k}")
            turned = part.kind == "revolute"
            frame = frame.rotate(part.axis, q) if turned else frame.translate(*(x * q for x in part.axis))
        frames.append(frame)
        m.body(f"b{k}", frame, mass=part.mass, com=part.com, inertia=sb.inertia(*part.tensor))
    m.gravity(*GRAVITY)
    return m


# ---------------------------------------------------------------------------------------------------- formats


def words(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def named(part: Part, ground: str) -> str:
    return f"b{part.parent}" if part.parent >= 0 else ground


def urdf(arm: Arm) -> str:
    text = ['<robot name="arm"><link name="base"/>']
    for k, p in enumerate(arm):
        tensor = " ".join(f'i{e}="{x!r}"' for e, x in zip(ENTRIES, p.tensor, strict=True))
        kind = "continuous" if p.kind == "revolute" else p.kind
        text.append(
            f'<link name="b{k}"><inertial><origin xyz="{words(p.com)}"/><mass value="{p.mass!r}"/><inertia {tensor}/></inertial></link>'
            f'<joint name="j{k}" type="{kind}"><parent link="{named(p, "base")}"/><child link="b{k}"/>'
            f'<origin xyz="{words(p.position)}" rpy="{words(p.rpy)}"/><axis xyz="{words(p.axis)}"/></joint>'
        )
    return "".join([*text, "</robot>"])


def sdf(arm: Arm) -> str:
    text = ['<sdf version="1.8"><model name="arm">']
    for k, p in enumerate(arm):
        tensor = "".join(f"<i{e}>{x!r}</i{e}>" for e, x in zip(ENTRIES, p.tensor, strict=True))
        on = f' relative_to="b{p.parent}"' if p.parent >= 0 else ""
        axis = "" if p.kind == "fixed" else f"<axis><xyz>{words(p.axis)}</xyz></axis>"
        text.append(
            f'<link name="b{k}"><pose{on}>{words((*p.position, *p.rpy))}</pose><inertial><pose>{words(p.com)} 0 0 0</pose><mass>{p.mass!r}</mass>'
            f'<inertia>{tensor}</inertia></inertial></link><joint name="j{k}" type="{p.kind}"><parent>{named(p, "world")}</parent><child>b{k}</child>{axis}</joint>'
        )
    return "".join([*text, "</model></sdf>"])


def mjcf(arm: Arm) -> str:
    """Bodies inside the bodies that they hang on."""

    def body(k: int) -> str:
        p = arm[k]
        kind = {"revolute": "hinge", "prismatic": "slide"}.get(p.kind)
        joint = f'<joint name="j{k}" type="{kind}" axis="{words(p.axis)}"/>' if kind else ""
        inner = "".join(body(j) for j, other in enumerate(arm) if other.parent == k)
        return (
            f'<body name="b{k}" pos="{words(p.position)}" euler="{words(reversed(p.rpy))}">{joint}'
            f'<inertial pos="{words(p.com)}" mass="{p.mass!r}" fullinertia="{words(p.tensor)}"/>{inner}</body>'
        )

    roots = "".join(body(k) for k, p in enumerate(arm) if p.parent < 0)
    return (
        f'<mujoco model="arm"><compiler angle="radian" eulerseq="zyx"/><option gravity="{words(GRAVITY)}"/>'
        f"<worldbody>{roots}</worldbody></mujoco>"
    )


def osim(arm: Arm) -> str:
    bodies, joints = [], []
    for k, p in enumerate(arm):
        bodies.append(
            f'<Body name="b{k}"><mass>{p.mass!r}</mass><mass_center>{words(p.com)}</mass_center><inertia>{words(p.tensor)}</inertia></Body>'
        )
        R = p.rotation  # as turns about x, y, z that turn along
        turns = (math.atan2(-R[1][2], R[2][2]), math.asin(R[0][2]), math.atan2(-R[0][1], R[0][0]))
        on = f"/bodyset/b{p.parent}" if p.parent >= 0 else "/ground"
        offset = (
            f'<PhysicalOffsetFrame name="on_parent"><socket_parent>{on}</socket_parent><translation>{words(p.position)}</translation>'
            f"<orientation>{words(turns)}</orientation></PhysicalOffsetFrame>"
        )
        kind, motion = ("WeldJoint", "") if p.kind == "fixed" else ("CustomJoint", _osim_motion(p, f"j{k}"))
        joints.append(
            f'<{kind} name="joint{k}"><socket_parent_frame>on_parent</socket_parent_frame><socket_child_frame>/bodyset/b{k}</socket_child_frame>'
            f"<frames>{offset}</frames>{motion}</{kind}>"
        )
    return (
        f'<OpenSimDocument Version="40000"><Model name="arm"><gravity>{words(GRAVITY)}</gravity><BodySet><objects>{"".join(bodies)}</objects></BodySet>'
        f"<JointSet><objects>{''.join(joints)}</objects></JointSet></Model></OpenSimDocument>"
    )


def _osim_motion(part: Part, coordinate: str) -> str:
    """One of the six functions of a CustomJoint is the coordinate, along its axis; the others are zero."""
    moving = "rotation1" if part.kind == "revolute" else "translation1"
    rest = {"1": "1 0 0", "2": "0 1 0", "3": "0 0 1"}
    axes = []
    for name in (f"{kind}{k}" for kind in ("rotation", "translation") for k in "123"):
        if name == moving:
            inner = f"<coordinates>{coordinate}</coordinates><axis>{words(part.axis)}</axis><LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
        else:
            inner = f"<coordinates></coordinates><axis>{rest[name[-1]]}</axis><Constant><value>0</value></Constant>"
        axes.append(f'<TransformAxis name="{name}">{inner}</TransformAxis>')
    return (
        f'<coordinates><Coordinate name="{coordinate}"><range>-9 9</range></Coordinate></coordinates>'
        f"<SpatialTransform>{''.join(axes)}</SpatialTransform>"
    )
