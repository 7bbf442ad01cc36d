"""The PUMA 560 robot: six hinges, in the frames of Armstrong, Khatib and Burdick (1986) and Craig's convention.

Link k is turned about the x axis of link k - 1 by α and moved along it by a, then moved along its own z axis by d and
turned about it by q. Inertial parameters are those about the origins of the link frames: mass m, first moments l,
inertia L; so inverse dynamics is linear in them.
"""

from __future__ import annotations

from typing import Any, Final

import symbody as sb

QUARTER: Final = sb.pi / 2
TURNS: Final = (0, -QUARTER, 0, -QUARTER, QUARTER, -QUARTER)
MASS_CENTRES: Final = ("", "xyz", "yz", "z", "", "z")  # components that are not zero in the published parameters


def model(as_published: bool = False) -> sb.Model:
    """Every inertial parameter symbolic; or only those that are not zero as published, with diagonal inertias."""
    m = sb.Model("PUMA560")
    m.gravity(0, 0, -m.parameter("g", 9.81))
    a2, a3, d3, d4 = m.parameters("a2 a3 d3 d4", 0.4318, -0.0203, 0.1254, 0.4318)
    places = ((0, 0), (0, 0), (a2, d3), (a3, d4), (0, 0), (0, 0))
    frame = m.ground
    for k, (alpha, (a, d)) in enumerate(zip(TURNS, places, strict=True), start=1):
        q = m.coordinate(f"q{k}")
        frame = frame.translate(a, -sb.sin(alpha) * d, sb.cos(alpha) * d).rotate("xz", alpha, q)
        _add_link(m, k, frame, as_published)
        m.generalized_force(f"motor {k}", q, m.input(f"tau{k}"))
    return m


def _add_link(m: sb.Model, k: int, frame: sb.Frame, as_published: bool) -> None:
    name = f"link {k}"
    if not as_published:
        mass, *l = m.parameters(f"m{k} lx{k} ly{k} lz{k}", 2.0, 0.1, 0.2, 0.3)
        tensor = " ".join(f"L{ij}{k}" for ij in "xx yy zz xy xz yz".split())
        I = sb.inertia(*m.parameters(tensor, 1.0, 1.1, 0.9, 0.1, 0.05, 0.02))
        m.body(name, frame, mass=mass, com=[x / mass for x in l], inertia=I, about=(0, 0, 0))
    elif k == 1:
        m.body(name, frame, inertia=(0, 0, m.parameter("Izz1", 1.0)), physical=False)
    else:
        com: list[Any] = [m.parameter(f"r{x}{k}", 0.1) if x in MASS_CENTRES[k - 1] else 0 for x in "xyz"]
        inertia = m.parameters(f"Ixx{k} Iyy{k} Izz{k}", 0.1, 0.1, 0.1)
        m.body(name, frame, mass=m.parameter(f"m{k}", 1.0), com=com, inertia=inertia)
