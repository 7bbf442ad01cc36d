"""Models as MJCF files, for MuJoCo: bodies with their joints, loads on coordinates, springs between points, loops.

A moving part becomes a body whose reference pose is that of zero coordinates. Its joints act in the order of their
elements, each about an axis that is fixed in the body at the reference pose: for the steps T = C₀ M₁ C₁ ... M_n C_n, the
joint k has the axis and anchor of M_k seen through S_k = C_k M_{k+1}(0) ... C_n. Coordinates of both programs agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ...argument_kinds import answered
from ...errors import ModelError, listed
from ...escaping import in_xml
from ..robot.coupled_coordinates import coupled_coordinate
from ..robot.linear_loads import PointLoad
from ..robot.moving_parts import ConstantPose, Move, MovingPart
from ..robot.rotation_numbers import quaternion_of
from ..robot.written_model import WrittenModel, number_text, numbers_text, saved_text

WHAT: Final = "write_mjcf"
SMALLEST_INERTIA: Final = 1e-12  # kg m²: MuJoCo refuses moving bodies whose inertia is below 1e-15
JOINTS: Final = {"slide": "slide", "turn": "hinge", "ball": "ball"}
GEOMS: Final = {"box": "box", "cylinder": "cylinder", "disc": "cylinder", "sphere": "sphere", "shell": "sphere"}


@answered
def write_mjcf(
    model: Any, path: str | Path | None = None, *, values: Mapping[str, float] | None = None, omit: Sequence[str] = ()
) -> str:
    """The text of an MJCF file of a model, for MuJoCo; with a path, the file is written too.

    Names are kept: `qpos` of a joint is the coordinate of its name, and a ball joint is named after its first Euler
    parameter. MuJoCo's accelerations `qacc` without contacts are those of the model.

    values   of parameters, by name, instead of their default values
    omit     names of loads and constraints to leave out; a comment in the file lists them

    Bodies, joints with coordinates of their own, gravity, linear springs, dampers and inputs on coordinates, springs and
    dampers between two points, spherical and fixed joints that close loops, and constraints that make a coordinate a polynomial of another
    are written. Other parts raise an error that names them.

    >>> m = sb.Model("pendulum")
    >>> rod = m.body("rod", mass=2, com=(0, -0.5, 0), inertia=(0.2, 0.01, 0.2))
    >>> joint = m.revolute("a", m.ground, rod, damping=0.1)
    >>> m.gravity(0, -9.81, 0)
    >>> print(sb.formats.write_mjcf(m))
    <mujoco model="pendulum">
      <compiler angle="radian" inertiafromgeom="false"/>
      <option gravity="0 -9.81 0"/>
      <worldbody>
        <body name="rod">
          <inertial mass="2" pos="0 -0.5 0" fullinertia="0.2 0.01 0.2 0 0 0"/>
          <joint name="a" type="hinge" axis="0 0 1" damping="0.1"/>
        </body>
      </worldbody>
    </mujoco>
    >>> sb.derive(sb.read_mjcf(sb.formats.write_mjcf(m), parameters="none")).M
    vector(0.7)

    See also: `read_mjcf`, `formats.write_osim`, `write_model`.
    """
    return saved_text(MjcfWriter(model, values, omit).text(), path)


class MjcfWriter:
    """Collects the elements of one file."""

    def __init__(self, model: Any, values: Mapping[str, float] | None, omit: Sequence[str]) -> None:
        self.model = WrittenModel(WHAT, model, values, omit)
        self.parts, self.mechanism = self.model.parts, self.model.mechanism
        self.sites: dict[MovingPart, list[str]] = {}
        self.joints: list[sb.Symbol] = []
        self.tendons: list[str] = []
        self.actuators: list[str] = []
        self.equalities: list[str] = []
        self.is_thin = False

    def text(self) -> str:
        for load in self.model.points:
            self._tendon(load)
        self._loops()
        lines = self._bodies(self.parts.ground, "    ")
        limit = f' boundinertia="{SMALLEST_INERTIA:g}"' if self.is_thin else ""
        out = [
            f'<mujoco model="{in_xml(self.mechanism.name)}">',
            *([f"  <!-- left out: {in_xml(listed(self.model.omitted))} -->"] if self.model.omitted else []),
            f'  <compiler angle="radian" inertiafromgeom="false"{limit}/>',
            f'  <option gravity="{numbers_text(self.model.gravity)}"/>',
            "  <worldbody>",
            *lines,
            "  </worldbody>",
        ]
        for tag, elements in (("tendon", self.tendons), ("equality", self.equalities), ("actuator", self.actuators)):
            out += [f"  <{tag}>", *(f"    {e}" for e in elements), f"  </{tag}>"] if elements else []
        return "\n".join([*out, "</mujoco>", ""])

    # ---------------------------------------------------------------------------------------------------- bodies

    def _bodies(self, part: MovingPart, indent: str) -> list[str]:
        """What the body of a part contains: bodies fixed to it, its sites, and the parts that it carries."""
        lines = [indent + s for s in self.sites.get(part, [])]
        for body in part.bodies[0 if part is self.parts.ground else 1 :]:
            lines += self._body(body.name, self._in(part).inverse @ self.parts.pose(body.frame, part), [self._inertial(body), *self._geom(body)], indent)  # fmt: skip
        for child in self.parts.with_bodies:
            if child.carrier is part:
                first = child.bodies[0]
                inside = [self._inertial(first), *self._joints(child), *self._geom(first)]
                pose = self._in(part).inverse @ self._rest(child)
                lines += self._body(first.name, pose, inside, indent, self._bodies(child, indent + "  "))
        return lines

    def _body(
        self, name: str, pose: ConstantPose, inside: list[str], indent: str, more: list[str] | None = None
    ) -> list[str]:
        opening = f'{indent}<body name="{in_xml(name)}"{_pose_attributes(pose)}>'
        return [opening, *(f"{indent}  {line}" for line in inside), *(more or []), f"{indent}</body>"]

    def _in(self, part: MovingPart) -> ConstantPose:
        """The pose of the element of a part, whose frame is that of its first body, in the frame of the part."""
        return ConstantPose() if part is self.parts.ground else self.parts.pose(part.bodies[0].frame, part)

    def _rest(self, part: MovingPart) -> ConstantPose:
        """The reference pose of a part's element in the frame of its carrier."""
        pose = ConstantPose()
        for step in part.steps:
            pose = pose @ step if isinstance(step, ConstantPose) else pose
        return pose @ self._in(part)

    def _joints(self, part: MovingPart) -> list[str]:
        lines, after = [], self._in(part)
        for step in reversed(part.steps):
            if isinstance(step, ConstantPose):
                after = step @ after
            else:
                lines.append(self._joint(step, after.inverse))
        return lines[::-1]

    def _joint(self, move: Move, seen: ConstantPose) -> str:
        q = move.coordinates[0]
        if q in self.joints:
            raise ModelError(
                f"{WHAT}: coordinate {q.name} moves several frames; a joint of MuJoCo has a coordinate of its own"
            )
        self.joints.append(q)
        pos = "" if move.kind == "slide" else _attribute("pos", seen.d)
        axis = "" if move.kind == "ball" else _attribute("axis", seen.R @ move.axis, is_always=True)
        return f'<joint name="{in_xml(q.name)}" type="{JOINTS[move.kind]}"{pos}{axis}{self._forces(q)}/>'

    def _forces(self, q: sb.Symbol) -> str:
        """Spring and damper of a joint as attributes; inputs and constant forces as actuators."""
        load = self.model.coordinates.get(q)
        if load is None:
            return ""
        for name, gain in load.gains.items():
            self.actuators.append(f'<motor name="{in_xml(name)}" joint="{in_xml(q.name)}" gear="{number_text(gain)}"/>')
        rest = load.constant / load.stiffness if load.stiffness else 0.0
        if load.constant and not load.stiffness:
            self.actuators.append(
                f'<general name="{in_xml(q.name)} constant" joint="{in_xml(q.name)}" gainprm="0" biastype="affine" '
                f'biasprm="{number_text(load.constant)}"/>'
            )
        pairs = (("damping", load.damping), ("stiffness", load.stiffness), ("springref", rest))
        return "".join(f' {name}="{number_text(x)}"' for name, x in pairs if x)

    def _inertial(self, body: sb.Body) -> str:
        m, com, inertia = (self.parts.numbers(x) for x in (body.mass.m, body.mass.p_BoBcm, body.mass.I_BBcm))
        self.is_thin = self.is_thin or bool(np.min(np.linalg.eigvalsh(inertia)) < SMALLEST_INERTIA)
        six = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        return f'<inertial mass="{number_text(m)}" pos="{numbers_text(com)}" fullinertia="{numbers_text(six)}"/>'

    def _geom(self, body: sb.Body) -> list[str]:
        """The shape of a body, to draw: it has no mass and touches nothing."""
        shape = body.shape
        if shape is None or shape.kind not in GEOMS:
            return []
        size, centre = [self.parts.numbers(s) for s in shape.size], self.parts.numbers(shape.centre)
        if shape.kind == "disc":
            size = [size[0], size[0] / 50]
        elif shape.kind in ("box", "cylinder"):
            size = [s / 2 for s in size] if shape.kind == "box" else [size[0], size[1] / 2]
        R = {"x": [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], "y": [[1, 0, 0], [0, 0, 1], [0, -1, 0]]}.get(shape.axis)
        turn = (
            ConstantPose(np.array(R, float), centre)
            if R and shape.kind in ("cylinder", "disc")
            else ConstantPose(d=centre)
        )
        return [
            f'<geom type="{GEOMS[shape.kind]}" size="{numbers_text(size)}"{_pose_attributes(turn)} mass="0" contype="0" conaffinity="0"/>'
        ]

    # ----------------------------------------------------------------------------------------------------- springs

    def _site(self, name: str, point: sb.Point) -> str:
        part = self.parts.part_of(point.frame)
        place = self._in(part).inverse @ ConstantPose(d=self.parts.place(point, part))
        self.sites.setdefault(part, []).append(f'<site name="{in_xml(name)}" pos="{numbers_text(place.d)}"/>')
        return name

    def _tendon(self, load: PointLoad) -> None:
        ends = [self._site(f"{load.name}.{k}", p) for k, p in enumerate((load.a, load.b), start=1)]
        terms = (("springlength", load.rest), ("stiffness", load.stiffness), ("damping", load.damping))
        given = "".join(f' {name}="{number_text(x)}"' for name, x in terms if x or name == "springlength")
        sites = "".join(f'<site site="{in_xml(e)}"/>' for e in ends)
        self.tendons.append(f'<spatial name="{in_xml(load.name)}"{given}>{sites}</spatial>')
        for name, gain in load.gains.items():
            self.actuators.append(
                f'<motor name="{in_xml(name)}" tendon="{in_xml(load.name)}" gear="{number_text(gain)}"/>'
            )

    # ------------------------------------------------------------------------------------------------------- loops

    def _loops(self) -> None:
        closed = {j.name: j for j in self.mechanism.joints if j.closes_loop}
        for joint in closed.values():
            if joint.name not in self.model.omitted:
                self._loop(joint)
        for c in self.mechanism.constraints:
            if c.name not in self.model.omitted and c.joint not in closed:
                self._coupling(c)

    def _loop(self, joint: sb.bodies.Joint) -> None:
        tag = {"spherical": "connect", "fixed": "weld"}.get(joint.kind)
        if tag is None:
            raise ModelError(
                f"{WHAT}: joint {joint.name!r} closes a loop as {joint.kind}; MuJoCo closes loops by spherical (connect) and "
                f"fixed joints (weld). Replace it, or leave it out: omit=[{joint.name!r}]"
            )
        sites = [self._site(f"{joint.name}.{k}", f.origin) for k, f in enumerate((joint.outer, joint.inner), start=1)]
        if tag == "weld":
            self._orient(joint)
        self.equalities.append(
            f'<{tag} name="{in_xml(joint.name)}" site1="{in_xml(sites[0])}" site2="{in_xml(sites[1])}"/>'
        )

    def _orient(self, joint: sb.bodies.Joint) -> None:
        """The sites of a weld have the orientation of the frames of the joint."""
        for frame in (joint.outer, joint.inner):
            part = self.parts.part_of(frame)
            pose = self._in(part).inverse @ self.parts.pose(frame, part)
            self.sites[part][-1] = (
                self.sites[part][-1].removesuffix("/>") + f"{_attribute('quat', quaternion_of(pose.R))}/>"
            )

    def _coupling(self, c: sb.bodies.Constraint) -> None:
        coupled = coupled_coordinate(c, self.parts, self.mechanism.q)
        first, second = coupled.dependent, coupled.independent
        other = f' joint2="{in_xml(second.name)}"' if second is not None else ""
        poly = numbers_text([*coupled.coefficients, 0, 0, 0, 0][:5])
        self.equalities.append(
            f'<joint name="{in_xml(c.name)}" joint1="{in_xml(first.name)}"{other} polycoef="{poly}"/>'
        )


# --------------------------------------------------------------------------------------------------------- text


def _attribute(name: str, values: Any, is_always: bool = False) -> str:
    return f' {name}="{numbers_text(values)}"' if is_always or np.any(np.asarray(values)) else ""


def _pose_attributes(pose: ConstantPose) -> str:
    turn = "" if np.allclose(pose.R, np.eye(3), rtol=0, atol=1e-15) else _attribute("quat", quaternion_of(pose.R))
    return _attribute("pos", pose.d) + turn
