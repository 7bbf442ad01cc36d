"""Models for exports: together they have everything that can be written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb
from tests.contracts.test_targets import ANYWHERE, TYRE
from tests.contracts.test_targets import x as first
from tests.contracts.test_targets import y as second
from tests.contracts.test_targets import z as third

SLOPE = sb.algebra.ExternalFunction(
    "damper_slope", 1, [lambda v: 6 * v], python=lambda v: 1 + 3 * v**2, c="static double damper_slope(double v)\n{\n    return 1 + 3 * v * v;\n}"
)  # fmt: skip
DAMPER = sb.algebra.ExternalFunction(
    "damper_force", 1, [SLOPE], python=lambda v: v + v**3, c="static double damper_force(double v)\n{\n    return v + v * v * v;\n}"
)  # fmt: skip
WRONG_STEP = "0.16666666666666666", "0.1666"  # a weight of the Runge-Kutta method, and what is planted in its place
SAMPLES = (np.linspace(0, 2, 7), np.array([0.0, 0.4, 0.1, -0.3, 0.2, 0.5, 0.0]))


def crank() -> sb.Equations:
    """Constraints, an input with its rate, one that will follow samples, an additional equation, an external function,
    outputs."""
    m = sb.Model("crank")
    l, g = m.parameter("l", 0.5), m.parameter("g", 9.81)
    crank = m.body("crank", mass=m.parameter("m1", 1.0), inertia=(0.01, 0.01, 0.02), com=(l / 4, 0, 0))
    rod = m.body("rod", mass=2, inertia=(0.01, 0.02, 0.03), com=(l / 2, 0, 0))
    slider = m.body("slider", mass=1)
    m.revolute("a", m.ground, crank)
    m.revolute("b", crank, rod, at=(0.2, 0, 0))
    m.prismatic("s", m.ground, slider, axis="x")
    m.coincide("pin", rod.point(l, 0, 0), slider.point(0, 0, 0), along=m.ground, axes="xy")
    m.gravity(0, -g, 0)
    wind, motor, z = m.input("wind"), m.input("motor"), m.variable("z")
    a, s = (m.symbols[n] for n in ("a", "s"))
    m.torque("drive", crank, m.ground.z * (motor - z))
    m.force("push", slider, m.ground.x * (wind + 0.1 * wind.dot - DAMPER(s.dot)))
    m.equation("filter", z.dot + 3 * z - a.dot)
    m.output("pin_x", 0.2 * sb.cos(a) + s)
    m.output("both", [s * s, a.dot])
    return sb.derive(m)


@cache
def everything() -> sb.write.Artefact:
    """The crank with the whole catalogue but higher variations, ready to be written by any target."""
    eq, laws = crank(), {"motor": SAMPLES}
    start = sb.assemble(eq, a=0.4, a_dot=1.0, inputs=laws)
    groups = ("core", "reactions", "implicit", "sparse", "products", "variational")
    options = sb.write.ExportOptions(groups, start, events={"end": "s"}, reference=0.1)
    return sb.write.artefact(sb.closed_loop(eq, laws), options)


def written(folder: Path, files: Mapping[str, Any]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def top() -> sb.Equations:
    """Euler parameters, whose norm is kept by projection, and a parameter with a unit."""
    m = sb.Model("top")
    body = m.body("top", mass=m.parameter("m", 1.5, unit="kg"), inertia=(0.2, 0.3, 0.1), com=(0, 0, 0.4))
    m.spherical("ball", m.ground, body, "euler parameters")
    m.gravity(0, 0, -9.81)
    return sb.derive(m)


def pendulums() -> sb.Equations:
    """Two coupled degrees of freedom and nothing else: small enough for third variations."""
    m = sb.Model("pendulums")
    l = m.parameter("l", 1.0)
    first = m.body("first", mass=1, com=(0, -l, 0))
    second = m.body("second", mass=m.parameter("m", 0.7), com=(0, -l, 0))
    m.revolute("q1", m.ground, first)
    m.revolute("q2", first, second, at=(0, -l, 0))
    m.gravity(0, -9.81, 0)
    return sb.derive(m)


def operations(with_external: bool = True) -> sb.Equations:
    """Every operation that targets know, as outputs."""
    m = sb.Model("operations")
    m.prismatic("q", m.ground, m.body("mass", mass=2.0), axis="x")
    q = m.symbols["q"]
    table = {first: q, second: q.dot, third: m.parameter("k", 0.3)}
    found = {k: e for k, e in ANYWHERE.items() if not any(f in sb.text(e) for f in ("damper", "erf", "tyre"))}
    for k, e in found.items():
        m.output(k, sb.substitute(e, table))
    if with_external:
        m.output("external", TYRE(q, q.dot))
    return sb.derive(m)
