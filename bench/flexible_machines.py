"""Two machines with flexible links, for which Exudyn's ANCF elements compute the same paths (`elastic_peers.py`): a
four-bar that falls, and a manipulator that two motors move. Plane, without damping."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Modes:
    """How many shapes each link has for its bending, how many for its stretch (none: it keeps its length), the order of
    its bending strain, what the shapes are, and how many of them foreshortening has (None: all)."""

    bending: tuple[int, ...]
    stretch: tuple[int, ...]
    order: int = 2
    shapes: str = "polynomials"
    shortening: int | None = None

    def __str__(self) -> str:
        bending, stretch = ("-".join(map(str, n)) for n in (self.bending, self.stretch))
        shortening = "" if self.shortening is None else f", {self.shortening} of foreshortening"
        strain = ", strain to third order" if self.order == 3 else ""
        return f"{bending} bending and {stretch} axial {self.shapes}{shortening}{strain}"

    def beams(self, section: dict[str, float], **more: Any) -> list[dict[str, Any]]:
        """Arguments of `Model.beam` for each link."""
        common = {"rho_A": section["rho_A"], "EI": section["EI"], "order": self.order, "shapes": self.shapes, **more}
        out = []
        for bending, stretch in zip(self.bending, self.stretch, strict=True):
            modes = {"y": bending} if self.shortening is None else {"y": bending, "shortening": self.shortening}
            axial = {"EA": section["EA"], "modes": {**modes, "x": stretch}} if stretch else {"modes": modes}
            out.append({**common, **axial})
        return out


def four_bar(modes: Modes) -> Made:
    """Three flexible links that fall from rest; the middle of the coupler, and angles at the start."""
    m = sb.Model("flexible four-bar")
    A, B, C, D = (np.array(PINS[p]) for p in "ABCD")
    lengths = [float(np.linalg.norm(q - p)) for p, q in ((A, B), (B, C), (D, C))]
    given = modes.beams(LINKS, ends=("pinned", "pinned"))
    names = ("crank", "coupler", "rocker")
    crank, coupler, rocker = (m.beam(n, length=x, **b) for n, x, b in zip(names, lengths, given, strict=True))
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


def manipulator(modes: Modes) -> Made:
    """Two flexible links with motors at the shoulder and at the elbow, which give constant torques; the load at its
    end."""
    m = sb.Model("flexible manipulator")
    of_upper, of_fore = modes.beams(ARMS)
    hub, rotor = (m.body(n, mass=MASS[n], inertia=(INERTIA[n],) * 3) for n in ("hub", "rotor"))
    m.revolute("shoulder", m.ground, hub, axis="z")
    upper = m.beam("upper", hub.frame, length=UPPER, **of_upper)
    elbow = upper.at(UPPER)
    m.body("motor", elbow, mass=MASS["motor"], inertia=(INERTIA["motor"],) * 3)
    m.revolute("elbow", elbow, rotor, axis="z")
    fore = m.beam("fore", rotor.frame, length=FORE, **of_fore)
    load = fore.at(FORE).origin
    m.particle("load", load, mass=MASS["load"])
    m.torque("drive", hub, m.ground.vector(0, 0, TORQUES[0]))
    m.torque("lift", rotor, m.ground.vector(0, 0, TORQUES[1]))
    m.torque("reaction", elbow, m.ground.vector(0, 0, -TORQUES[1]))
    m.output("bend", upper.displacement(UPPER)[1])
    return sb.derive(m), load, {}
