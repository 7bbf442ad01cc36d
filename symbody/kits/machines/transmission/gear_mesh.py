"""Gears: involute meshes with tooth forces (ISO 21771), rigid or with stiffness, damping, backlash and transmission error.

With the centre line u from the first gear to the second, the axis a and t = a × u, the tangential force Ft acts on the
second gear as

    F = Ft (t + tan αn / cos β u + tan β a),   tan αt = tan αn / cos β

and -F on the first. The teeth meet along the line of action by δ = cos αt (r1 θ1 ± r2 θ2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import ModelError, finite_number, shown, unknown
from ....summary import Introduced

PRESSURE_ANGLE: Final = np.deg2rad(20.0)
Components = tuple[int, int, int]
AXES: Final = ("x", "y", "z")
WAYS: Final = (*AXES, "-x", "-y", "-z")


@answered_class
@dataclass(frozen=True, eq=False)
class Teeth(Introduced):
    """Teeth of a gear mesh.

    pressure_angle   normal αn, rad; 20° by default
    helix            angle β of the first gear, rad
    stiffness        of the mesh along the line of action, N/m, a number or an expression of the angle (a table with
                     `sb.integrate.interpolation(..., period=)`); None is rigid
    damping          N s/m
    backlash         between the flanks along the line of action, m
    error            transmission error, m, an expression of the angle

    >>> sb.kits.machines.Teeth(helix=0.3, stiffness=2e8, backlash=1e-4).helix
    0.3

    See also: `kits.machines.gear_mesh`.
    """

    pressure_angle: float = PRESSURE_ANGLE
    helix: float = 0.0
    stiffness: Any = None
    damping: Any = 0
    backlash: Any = 0
    error: Any = 0

    def __post_init__(self) -> None:
        for what, least, most in (("pressure_angle", 0.0, np.pi / 4), ("helix", -np.pi / 3, np.pi / 3)):
            value = finite_number(getattr(self, what), f"teeth: {what}", ModelError)
            if not least <= value <= most:
                raise ModelError(f"teeth: {what} must be between {least:z.3f} and {most:z.3f} rad, got {value:g}")
        if self.stiffness is not None:
            positive("teeth", "stiffness", self.stiffness)
        for what in ("damping", "backlash"):
            if (number := sb.algebra.as_expr(getattr(self, what)).value) is not None and number < 0:
                raise ModelError(f"teeth: {what} must not be negative, got {float(number):g}")


@dataclass(frozen=True, eq=False)
class GearMesh(Introduced):
    """A mesh of two gears.

    approach      δ of the teeth along the line of action, m: positive where the first gear drives forward
    tangential    force Ft on the second gear, N; of a rigid mesh its multiplier
    radial        force that pushes the gears apart, N
    axial         along the axis, N, on the second gear
    """

    approach: sb.Expr
    tangential: sb.Expr
    radial: sb.Expr
    axial: sb.Expr


@answered
@sb.bodies.all_or_nothing
def gear_mesh(
    m: sb.Model,
    name: str,
    first: Any,
    second: Any,
    *,
    radii: tuple[Any, Any],
    axis: str = "z",
    towards: str = "x",
    teeth: Teeth | None = None,
    internal: bool = False,
    carried: Any = 0,
) -> GearMesh:
    """A mesh between two gears on revolute joints with parallel axes. Tooth forces act at the pitch point, so that
    bearings (`sim.reaction`) carry tangential, radial and axial parts.

    first, second    joints by name; of an internal mesh the second is the ring
    radii            of the pitch circles, m
    axis             of both joints, in the frame of the first joint: "x", "y" or "z"
    towards          axis of that frame which points from the first centre to the second (of an internal mesh away from
                     the centre of the ring); "-x" is the other way
    teeth            their angles, stiffness, damping and backlash; 20° and rigid by default
    internal         the second gear is a ring around the first
    carried          angle by which the frame of the first joint turns with respect to the second joint's: that of the
                     carrier, for a planet on the ring

    A rigid mesh is a constraint whose multiplier is the tangential force. The radial force of a rigid mesh is that of
    the driving flank. Outputs: name_tangential, and of an elastic mesh name_approach.

    >>> m = sb.Model("pair")
    >>> pinion, wheel = (m.body(n, mass=1.0, inertia=(1, 1, J)) for n, J in (("pinion", 0.01), ("wheel", 0.04)))
    >>> a = m.revolute("a", m.ground, pinion)
    >>> b = m.revolute("b", m.ground, wheel, at=m.ground.point(0.3, 0, 0))
    >>> mesh = sb.kits.machines.gear_mesh(m, "mesh", "a", "b", radii=(0.1, 0.2))
    >>> motor = m.generalized_force("motor", a.q, 2.0)
    >>> eq = sb.derive(m)
    >>> sim = sb.simulate(eq, 1.0)
    >>> round(float(sim["a"][-1] / sim["b"][-1]), 6), round(float(sim["mesh_tangential"][-1]), 6)  # 2 · 0.01 / (0.01 + 0.01) / 0.1
    (-2.0, 10.0)

    See also: `kits.machines.planetary`, `Model.gear`, `reaction`.
    """
    where = f"gear mesh {name!r}"
    a, b = (revolute_joint(m, where, j) for j in (first, second))
    r1, r2 = (positive(where, f"radii[{k}]", r) for k, r in enumerate(radii))
    cut = teeth or Teeth()
    alpha, beta = cut.pressure_angle, cut.helix
    across, up, along = _directions(where, a, axis, towards)
    push, lead = np.tan(alpha) / np.cos(beta), np.tan(beta)
    cosine = 1 / np.sqrt(1 + push**2)
    way = -1 if internal else 1
    approach = r1 * a.q + way * r2 * (b.q - carried)
    contact = a.outer.point(*(r1 * e for e in across))
    t, u, z = (a.outer.vector(*d) for d in (up, across, along))
    if cut.stiffness is None:
        force = t + push * u + lead * z
        actions = (
            sb.bodies.Action(b.inner, force=force, at=contact),
            sb.bodies.Action(a.inner, force=-1 * force, at=contact),
        )
        row = -approach
        m.parts.add_constraint(sb.bodies.Constraint(name, row, True, None, actions), True)
        Ft: Any = m.multiplier(name)
        m.output(f"{name}_tangential", Ft)
        return GearMesh(cosine * approach, Ft, push * Ft, lead * Ft)
    stiffness, backlash = cut.stiffness, cut.backlash
    deflection = cosine * approach - cut.error
    rate = sb.time_derivative(deflection)
    drive = sb.maximum(deflection - backlash / 2, 0)
    coast = sb.maximum(-deflection - backlash / 2, 0)
    touches = sb.where(sb.algebra.as_expr(deflection) ** 2 > sb.algebra.as_expr(backlash) ** 2 / 4, 1, 0)
    normal = stiffness * (drive - coast) + cut.damping * touches * rate
    Ft = cosine * normal
    Fr = push * cosine * (stiffness * (drive + coast))
    m.force(name, b.inner, Ft * t + Fr * u + (lead * Ft) * z, at=contact, reacting=a.inner)
    m.output(f"{name}_tangential", Ft)
    m.output(f"{name}_approach", deflection)
    return GearMesh(deflection, Ft, Fr, lead * Ft)


def _directions(where: str, joint: Any, axis: str, towards: str) -> tuple[Components, Components, Components]:
    """u, t = a × u and a, as components."""
    for what, value, known in (("axis", axis, AXES), ("towards", towards, WAYS)):
        if value not in known:
            raise unknown(where, what, str(value), known, ModelError)
    if axis == towards[-1]:
        raise ModelError(f"{where}: towards= is across the axis, got {towards!r} for both")
    one = np.eye(3, dtype=int)
    u, a = one[AXES.index(towards[-1])] * (-1 if towards[0] == "-" else 1), one[AXES.index(axis)]
    made = [(int(d[0]), int(d[1]), int(d[2])) for d in (u, np.cross(a, u), a)]
    return made[0], made[1], made[2]


def revolute_joint(m: sb.Model, where: str, joint: Any) -> Any:
    found = m.joints.get(joint) if isinstance(joint, str) else joint
    if found is None or not isinstance(found, sb.bodies.Joint):
        raise unknown(where, "joint", shown(joint) if not isinstance(joint, str) else joint, m.joints, ModelError)
    if found.kind != "revolute":
        raise ModelError(f"{where}: joint {found.name!r} is {found.kind}; gears turn on revolute joints")
    return found


def positive(where: str, what: str, value: Any) -> Any:
    number = sb.algebra.as_expr(value).value
    if number is not None and not number > 0:
        raise ModelError(f"{where}: {what} must be positive, got {float(number):g}")
    return value
