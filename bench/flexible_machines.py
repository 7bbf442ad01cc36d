"""Two machines with flexible links, for which Exudyn's ANCF elements compute the same paths (`elastic_peers.py`): a
four-bar that falls, and a manipulator that two motors move. Plane, without damping."""

from __future__ import annotations

from math import atan2
from typing import Any, Final

import numpy as np

import symbody as sb

Made = tuple[sb.Equations, Any, dict[str, float]]

LINKS: Final = {"rho_A": 0.5, "EI": 1.0, "EA": 2e4}  # of the four-bar
PINS: Final = {"A": (0.0, 0.0), "B": (0.0, 0.2), "C": (0.459164027781648, 0.397910069454119), "D": (0.5, 0.0)}
FALLS: Final = np.linspace(0, 1, 11)

ARMS: Final = {"rho_A": 0.6, "EI": 20.0, "EA": 1e5}  # of the manipulator
UPPER, FORE = 1.0, 0.8
INERTIA: Final = {"hub": 0.05, "motor": 0.02, "rotor": 0.01}
MASS: Final = {"hub": 1.0, "motor": 1.0, "rotor": 0.5, "load": 0.3}
TORQUES: Final = (1.5, -0.5)
WORKS: Final = np.linspace(0, 2, 11)


def _beam(section: dict[str, float], modes: int, stretch: int, **more: Any) -> dict[str, Any]:
    """Of a section; without modes of stretch it keeps its length."""
    if stretch:
        return {**section, "modes": {"y": modes, "x": stretch}, **more}
    return {"rho_A": section["rho_A"], "EI": section["EI"], "modes": {"y": modes}, **more}


def four_bar(modes: int, stretch: int) -> Made:
    """Three flexible links that fall from rest; the middle of the coupler, and angles at the start."""
    m = sb.Model("flexible four-bar")
    A, B, C, D = (np.array(PINS[p]) for p in "ABCD")
    given = _beam(LINKS, modes, stretch, ends=("pinned", "pinned"))
    lengths = [float(np.linalg.norm(q - p)) for p, q in ((A, B), (B, C), (D, C))]
    crank, coupler, rocker = (
        m.beam(n, length=x, **given) for n, x in zip(("crank", "coupler", "rocker"), lengths, strict=True)
    )
    m.revolute("A", m.ground, crank, axis="z")
    m.revolute("B", crank, coupler, axis="z", at=(lengths[0], 0, 0))
    m.revolute("D", m.ground, rocker, axis="z", at=(*PINS["D"], 0))
    ends = coupler.at(lengths[1]).origin.in_ground, rocker.at(lengths[2]).origin.in_ground
    for k, axis in enumerate("xy"):
        m.constrain(f"C along {axis}", ends[0][k] - ends[1][k])
    m.gravity(0, -9.81, 0)
    m.output("sag", coupler.displacement(lengths[1] / 2)[1])
    first, second, third = (atan2(*(q - p)[::-1]) for p, q in ((A, B), (B, C), (D, C)))
    return sb.derive(m), coupler.at(lengths[1] / 2).origin, {"A": first, "B": second - first, "D": third}


def manipulator(modes: int, stretch: int) -> Made:
    """Two flexible links with motors at the shoulder and at the elbow, which give constant torques; the load at its
    end."""
    m = sb.Model("flexible manipulator")
    given = _beam(ARMS, modes, stretch)
    hub, rotor = (m.body(n, mass=MASS[n], inertia=(INERTIA[n],) * 3) for n in ("hub", "rotor"))
    m.revolute("shoulder", m.ground, hub, axis="z")
    upper = m.beam("upper", hub.frame, length=UPPER, **given)
    elbow = upper.at(UPPER)
    m.body("motor", elbow, mass=MASS["motor"], inertia=(INERTIA["motor"],) * 3)
    m.revolute("elbow", elbow, rotor, axis="z")
    fore = m.beam("fore", rotor.frame, length=FORE, **given)
    load = fore.at(FORE).origin
    m.particle("load", load, mass=MASS["load"])
    m.torque("drive", hub, m.ground.vector(0, 0, TORQUES[0]))
    m.torque("lift", rotor, m.ground.vector(0, 0, TORQUES[1]))
    m.torque("reaction", elbow, m.ground.vector(0, 0, -TORQUES[1]))
    m.output("bend", upper.displacement(UPPER)[1])
    return sb.derive(m), load, {}
