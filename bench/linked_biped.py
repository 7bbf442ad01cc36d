"""A biped in space whose knees are driven through four-bars: each leg has a thigh and a crank on one hip axis, a shank and a
rod from the crank to a lever of the shank, which closes a loop. It stands on heels and toes of both feet under control at
hips and cranks."""

from __future__ import annotations

import math
from typing import Any, Final

import symbody as sb

MU: Final = 0.8
THIGH: Final = 0.4
CRANK: Final = 0.06
LEVER: Final = 0.08  # of the shank
HEEL: Final = -0.1
TOE: Final = 0.1
BENT: Final = 0.3
STIFFNESS: Final = 300.0
DAMPING: Final = 15.0


def standing_biped() -> tuple[sb.Contacts, dict[str, float], dict[str, Any]]:
    """Contacts, the start, and the laws of its motors."""
    m = sb.Model("biped with loops")
    m.gravity(0, 0, -9.81)
    trunk = m.body("trunk", mass=20, inertia=(0.8, 0.6, 0.3), com=(0, 0, 0.25))
    m.free("base", m.ground, trunk, sequence="euler parameters")
    floor, contacts, laws, cranks = sb.HalfSpace(m.ground), [], {}, {}
    for side, y in (("l", 0.1), ("r", -0.1)):
        thigh = m.body(f"{side} thigh", mass=4, inertia=(0.06, 0.06, 0.01), com=(0, 0, -THIGH / 2))
        shank = m.body(f"{side} shank", mass=2, inertia=(0.03, 0.03, 0.004), com=(0, 0, -THIGH / 2))
        crank = m.body(f"{side} crank", mass=0.3, inertia=(2e-4, 3e-4, 2e-4), com=(-CRANK / 2, 0, 0))
        rod = m.body(f"{side} rod", mass=0.4, inertia=(5e-3, 5e-3, 1e-4), com=(0, 0, -THIGH / 2))
        hip = m.revolute(f"{side}_hip", trunk, thigh, axis="y", at=(0, y, 0))
        m.revolute(f"{side}_knee", thigh, shank, axis="y", at=(0, 0, -THIGH))
        turn = m.revolute(f"{side}_crank", trunk, crank, axis="y", at=(0, y, 0))
        m.revolute(f"{side}_rod", crank, rod, axis="y", at=(-CRANK, 0, 0))
        m.coincide(f"{side} loop", shank.point(-LEVER, 0, 0), rod.point(0, 0, -THIGH), along=trunk, axes="xz")
        cranks[side] = turn
        for name, joint in (("hip", hip), ("crank", turn)):
            m.generalized_force(f"{side} {name} motor", joint.q, m.input(f"{side}_{name}_tau"))
        laws[f"{side}_hip_tau"] = STIFFNESS * (-BENT - hip.q) - DAMPING * hip.q.dot
        for end, x in (("heel", HEEL), ("toe", TOE)):
            at = shank.point(x * math.cos(BENT), 0, -THIGH + x * math.sin(BENT))
            contacts.append(sb.Contact(f"{side} {end}", sb.touch(at, floor), friction=MU))
    eq = sb.derive(m)
    near = {
        f"{s}_{k}": v
        for s in "lr"
        for k, v in (("hip", -BENT), ("knee", 2 * BENT), ("rod", -2 * BENT), ("crank", BENT))
    }
    fixed = {"base_e0": 1.0, "base_z": 0.78, "l_hip": -BENT, "r_hip": -BENT, "l_knee": 2 * BENT, "r_knee": 2 * BENT}
    found = sb.assemble(eq, fixed, start=near)
    start = {s.name: float(x) for s, x in zip(eq.q, found.q, strict=True)}
    for side in "lr":
        tau, crank = f"{side}_crank_tau", start[f"{side}_crank"]
        laws[tau] = STIFFNESS * (crank - cranks[side].q) - DAMPING * cranks[side].q.dot
    return sb.Contacts(eq, *contacts), start, laws
