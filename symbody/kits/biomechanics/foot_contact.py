"""Contact of feet with the ground: spheres on half-spaces after Hunt and Crossley.

With the depth d of a sphere of radius R, its rate d', and the slip speed v of the point of contact:

    f = 4/3 k √R d^(3/2) (1 + 3/2 c d'),    not less than zero
    friction = f (min(v/vₜ, 1) (μd + 2 (μs - μd)/(1 + (v/vₜ)²)) + μv v)

K. H. Hunt, F. R. E. Crossley: Coefficient of restitution interpreted as damping in vibroimpact. Journal of Applied
Mechanics 42 (1975). The friction is that of OpenSim's engine (M. Sherman, A. Seth, S. Delp 2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import symbody as sb

from ...argument_kinds import answered, answered_class, checked_flags
from ...errors import ModelError, shown, unknown
from ...summary import Summarized, Summary

AT_REST: Final = 1e-12  # [m²/s²] added to v² so that the direction of slip has derivatives at rest


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class SphereContact(Summarized):
    """A sphere of a body on the ground, by expressions; made by `add_contacts`.

    depth        of the sphere in the half-space [m], negative above it
    force        normal force [N]
    friction     its size [N]
    slip         speed of the point of contact along the plane [m/s]

    >>> from symbody.kits.biomechanics.foot_contact import BALL
    >>> m = sb.read_osim(BALL)
    >>> ball = sb.kits.biomechanics.add_contacts(m)["ball"]
    >>> state = {"x": 0, "y": 0.098, "turn": 0, "x_dot": 0.2, "y_dot": 0, "turn_dot": 0}
    >>> [sb.evaluate(e, state) for e in (ball.depth, ball.force, ball.friction, ball.slip)]
    [0.002, 13.333333, 11.333333, 0.2]

    See also: `kits.biomechanics.add_contacts`.
    """

    name: str
    depth: Any
    force: Any
    friction: Any
    slip: Any

    def _summary(self) -> Summary:
        return Summary(f"SphereContact {self.name}", (("next", "depth, force, friction, slip"),))


@answered
@checked_flags(ModelError)
@sb.bodies.all_or_nothing
def add_contacts(
    m: sb.formats.OsimModel, names: Sequence[str] | str | None = None, *, outputs: bool = True
) -> dict[str, SphereContact]:
    """Forces of the contact spheres of a model from `read_osim`, on their bodies and on those of the half-spaces.

    names     of some spheres; None: of all
    outputs   name_depth, name_force and name_friction

    >>> from symbody.kits.biomechanics.foot_contact import BALL
    >>> m = sb.read_osim(BALL)
    >>> ball = sb.kits.biomechanics.add_contacts(m)["ball"]
    >>> rest = sb.steady(sb.derive(m), start={"y": 0.098}, x=0, turn=0)
    >>> sb.evaluate(ball.force, {"y": rest["y"], "x": 0, "x_dot": 0, "y_dot": 0, "turn_dot": 0})  # 2 kg
    19.6133

    See also: `kits.biomechanics.SphereContact`, `read_osim`, `Contact`.
    """
    if not isinstance(m, sb.formats.OsimModel):
        raise ModelError(f"add_contacts: expected a model from read_osim, got {shown(m)}")
    chosen = list(m.contacts_of_file) if names is None else names.split() if isinstance(names, str) else list(names)
    made = {}
    for name in chosen:
        if name not in m.contacts_of_file:
            raise unknown("add_contacts", "contact sphere", name, m.contacts_of_file)
        made[name] = _sphere_contact(m, m.contacts_of_file[name])
        if outputs:
            for what in ("depth", "force", "friction"):
                m.output(f"{name}_{what}", getattr(made[name], what))
    return made


def _sphere_contact(m: sb.formats.OsimModel, c: Any) -> SphereContact:
    plane, body = c.plane, m.links.get(c.body, m.ground)
    x, y, z = (c.centre - plane.origin).components(plane).entries
    depth = c.radius + x  # the x axis points into the half-space
    point = plane.point(depth / 2, y, z)  # in the middle of the overlap, as both sides are equally stiff
    ground = m.links.get(c.ground_body, m.ground)
    velocity = (_velocity_of_place(body, point) - _velocity_of_place(ground, point)).components(plane)
    inward, across, along = velocity.entries
    size = 4 * c.stiffness / 3 * c.radius**0.5 * sb.maximum(depth, 0) ** 1.5
    normal = sb.where(depth > 0, sb.maximum(size * (1 + 1.5 * c.dissipation * inward), 0), 0)
    slip = sb.sqrt(across * across + along * along + AT_REST)
    ratio = slip / c.transition_speed
    us, ud, uv = c.static_friction, c.dynamic_friction, c.viscous_friction
    friction = normal * (sb.minimum(ratio, 1) * (ud + 2 * (us - ud) / (1 + ratio * ratio)) + uv * slip)
    pull = plane.vector(-normal, -friction * across / slip, -friction * along / slip)
    reacting = None if ground is m.ground else ground
    m.force(f"{c.name}_contact", body, pull, at=point, reacting=reacting)
    return SphereContact(c.name, depth, normal, friction, slip)


def _velocity_of_place(frame: sb.Frame, point: sb.Point) -> sb.Vector:
    """The velocity of the point of a frame that is at this place."""
    ground = frame.path[0]
    arm = point - frame.origin
    return frame.origin.velocity(ground) + frame.angular_velocity(ground).cross(arm)


BALL: Final = """<OpenSimDocument Version="40000"><Model name="ball"><gravity>0 -9.80665 0</gravity>
<BodySet><objects><Body name="ball"><mass>2</mass><mass_center>0 0 0</mass_center><inertia>0.01 0.01 0.01 0 0 0</inertia>
</Body></objects></BodySet>
<JointSet><objects><PlanarJoint name="plane"><socket_parent_frame>/ground</socket_parent_frame>
  <socket_child_frame>/bodyset/ball</socket_child_frame><coordinates><Coordinate name="turn"/><Coordinate name="x"/>
  <Coordinate name="y"><default_value>0.2</default_value></Coordinate></coordinates></PlanarJoint></objects></JointSet>
<ContactGeometrySet><objects>
  <ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame><location>0 0 0</location>
    <orientation>0 0 -1.5707963267948966</orientation></ContactHalfSpace>
  <ContactSphere name="ball"><socket_frame>/bodyset/ball</socket_frame><location>0 0 0</location>
    <orientation>0 0 0</orientation><radius>0.1</radius></ContactSphere></objects></ContactGeometrySet>
<ForceSet><objects><HuntCrossleyForce name="touch">
  <HuntCrossleyForce::ContactParametersSet><objects><HuntCrossleyForce::ContactParameters>
    <geometry>floor ball</geometry><stiffness>1000000</stiffness><dissipation>0.5</dissipation>
    <static_friction>0.9</static_friction><dynamic_friction>0.8</dynamic_friction>
    <viscous_friction>0.05</viscous_friction></HuntCrossleyForce::ContactParameters></objects>
  </HuntCrossleyForce::ContactParametersSet><transition_velocity>0.1</transition_velocity></HuntCrossleyForce>
</objects></ForceSet></Model></OpenSimDocument>"""
