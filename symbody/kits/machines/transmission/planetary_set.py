"""Planetary gear sets: sun, ring, carrier and planets, with the ratio of Willis (1841).

ω_sun - ω_carrier = -(z_ring / z_sun) (ω_ring - ω_carrier)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import ModelError, unknown
from ....summary import Summarized, Summary
from .gear_mesh import Teeth, gear_mesh

PARTS = ("sun", "ring", "carrier")


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Planetary(Summarized):
    """A planetary set in a model: joints name_sun, name_ring, name_carrier and name_planet1, ...

    model     to which it belongs
    name      with which its joints begin
    teeth     of sun, planet and ring
    module    pitch diameter over teeth, m

    See also: `kits.machines.planetary`.
    """

    model: sb.Model
    name: str
    teeth: tuple[int, int, int]
    module: float

    def _summary(self) -> Summary:
        return Summary(
            f"Planetary {self.name}: {self.teeth[0]}, {self.teeth[1]} and {self.teeth[2]} teeth of sun, planets, ring"
        )

    def angle(self, part: str) -> sb.Symbol:
        """The coordinate of the sun, ring or carrier."""
        if part not in PARTS:
            raise unknown(f"planetary {self.name!r}", "part", part, PARTS, ModelError)
        return self.model.joints[f"{self.name}_{part}"].q

    def ratio(self, driving: str, driven: str, held: str) -> sb.Expr:
        """Speed of the driving part over that of the driven one, with the third held (Willis), as a fraction."""
        if sorted((driving, driven, held)) != sorted(PARTS):
            raise ModelError(f"planetary {self.name!r}: driving, driven and held are sun, ring and carrier, each once")
        i = sb.fraction(self.teeth[2], self.teeth[0])  # w_s + i w_r = (1 + i) w_c
        weight = {"sun": sb.fraction(1, 1) + 0, "ring": i + 0, "carrier": -(1 + i)}
        return -weight[driven] / weight[driving]


@answered
@sb.bodies.all_or_nothing
def planetary(
    m: sb.Model,
    name: str,
    *,
    teeth: tuple[int, int],
    module: float,
    planets: int = 3,
    masses: Mapping[str, Any] | None = None,
    mesh: Teeth | None = None,
) -> Planetary:
    """A planetary set about z of the ground: bodies "name sun", "name ring", "name carrier", "name planet 1", ..., their
    joints, and the meshes of teeth.

    teeth       of sun and ring; planets have half the difference
    module      pitch diameter over teeth, m
    planets     how many
    masses      of "sun", "planet", "ring" and "carrier", kg; discs of their pitch circles; 1 by default
    mesh        `Teeth` of each mesh; with a stiffness planets share the load as they deform; of rigid teeth only the
                first planet meshes with the ring, since the others would be redundant

    >>> m = sb.Model("gearbox")
    >>> gears = sb.kits.machines.planetary(m, "g", teeth=(30, 72), module=0.002)
    >>> gears, gears.ratio("sun", "carrier", "ring"), sb.derive(m).degrees_of_freedom
    (<Planetary g: 30, 21 and 72 teeth of sun, planets, ring>, 17/5, 2)

    See also: `kits.machines.gear_mesh`, `Model.gear`.
    """
    where = f"planetary {name!r}"
    sun, ring = teeth
    if not (isinstance(sun, int) and isinstance(ring, int) and 0 < sun < ring and (ring - sun) % 2 == 0):
        raise ModelError(
            f"{where}: teeth must be two whole numbers, sun and ring, whose difference is even; got {teeth!r}"
        )
    if not isinstance(planets, int) or planets < 1:
        raise ModelError(f"{where}: planets must be a whole number, got {planets!r}")
    if (sun + ring) % planets:
        raise ModelError(f"{where}: {planets} equally spaced planets cannot be assembled with teeth {teeth!r}: their sum must divide by {planets}")  # fmt: skip
    if not module > 0:
        raise ModelError(f"{where}: module must be positive, got {module:g}")
    given = {"sun": 1.0, "planet": 1.0, "ring": 1.0, "carrier": 1.0, **(masses or {})}
    if wrong := [k for k in given if k not in (*PARTS, "planet")]:
        raise unknown(f"{where}, masses=", "part", wrong[0], (*PARTS, "planet"), ModelError)
    planet = (ring - sun) // 2
    rs, rp, rr = (module * z / 2 for z in (sun, planet, ring))
    bodies = {}
    for part, radius in (("sun", rs), ("ring", rr), ("carrier", rs + rp)):
        bodies[part] = m.body(f"{name} {part}", mass=given[part], shape=sb.disc(radius, "z"))
        m.revolute(f"{name}_{part}", m.ground, bodies[part])
    carrier = m.joints[f"{name}_carrier"].q
    for k in range(planets):
        arm = bodies["carrier"].frame.rotate("z", 2 * sb.pi * k / planets).translate(rs + rp, 0, 0)
        body = m.body(f"{name} planet {k + 1}", mass=given["planet"], shape=sb.disc(rp, "z"))
        joint = m.revolute(f"{name}_planet{k + 1}", arm, body)
        _planet_mesh(m, f"{name}.sun {k + 1}", joint, f"{name}_sun", (rp, rs), -1, carrier, mesh)
        if (mesh is not None and mesh.stiffness is not None) or k == 0:
            _planet_mesh(m, f"{name}.ring {k + 1}", joint, f"{name}_ring", (rp, rr), 1, carrier, mesh)
    return Planetary(m, name, (sun, planet, ring), float(module))


def _planet_mesh(
    m: sb.Model,
    name: str,
    planet: Any,
    wheel: str,
    radii: tuple[float, float],
    side: int,
    carrier: Any,
    teeth: Teeth | None,
) -> None:
    """Planet and sun at the inner side (-1), planet and ring at the outer side; angles are those on the carrier."""
    gear_mesh(
        m, name, planet, wheel, radii=radii, towards="x" if side > 0 else "-x", internal=side > 0, carried=carrier, teeth=teeth
    )  # fmt: skip
