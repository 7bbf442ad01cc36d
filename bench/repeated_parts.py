"""Mechanisms of equal parts, a vehicle with many axles and a hand: CPU seconds to describe, derive and compile them, what
renaming the symbols of all equations takes, and how much of a right side two cores could share.

`renamed_s` bounds what deriving a part once could save: its equations would have to be written for every copy in the
copy's own symbols, which is a substitution. `path` is the longest chain of instructions that wait for each other, as a
part of all of them; `two_cores` the gain where values pass from core to core in no time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import symbody as sb
from symbody.algebra.graph.walk import free_symbols, substitute_all
from symbody.emit.programs.program import Program

from .dynamics import empty_cache
from .timing import Row, fresh

COSTLY: Final = {"sin": 15, "cos": 15, "div": 4, "sqrt": 4}  # instructions, in additions; others are 1


def axle() -> sb.Model:
    m = sb.Model("axle")
    p = m.parameters(ma=200.0, Ia=40.0, mw=25.0, Iw=1.2, k=2e5, c=3e3, half=0.9)
    slider, beam = m.body("slider", mass=1.0), m.body("beam", mass=p.ma, inertia=(p.Ia, 5.0, p.Ia))
    m.prismatic("heave", m.ground, slider, "z", stiffness=p.k, damping=p.c)
    m.revolute("roll", slider, beam, "x", stiffness=p.k, damping=p.c)
    for side, y in (("left", p.half), ("right", -p.half)):
        wheel = m.body(side, mass=p.mw, inertia=(p.Iw / 2, p.Iw, p.Iw / 2))
        m.revolute(f"spin_{side}", beam, wheel, "y", at=(0, y, 0))
    return m


def vehicle(n: int) -> sb.Model:
    """A hull on n equal axles."""
    m, part = sb.Model("vehicle"), axle()
    m.gravity(0, 0, -9.81)
    hull = m.body("hull", mass=1e4, inertia=(5e3, 2e4, 2e4))
    m.free("hull", m.ground, hull)
    for i in range(n):
        m.attach(f"a{i + 1}", hull.frame.translate(3.0 - 0.7 * i, 0, -0.8), part)
    return m


def finger() -> sb.Model:
    m = sb.Model("finger")
    lengths, masses = m.parameters(l1=0.045, l2=0.026, l3=0.02), m.parameters(m1=0.03, m2=0.015, m3=0.01)
    last, at = m.body("knuckle", mass=0.005, inertia=(1e-6, 1e-6, 1e-6)), (0, 0, 0)
    m.revolute("spread", m.ground, last, "z")
    for k, (l, mass) in enumerate(zip(lengths, masses, strict=True), start=1):
        link = m.body(f"link {k}", mass=mass, com=(l / 2, 0, 0), inertia=(1e-6, 1e-5, 1e-5))
        m.revolute(f"flex{k}", last, link, "y", at=at, stiffness=0.1, damping=0.01)
        last, at = link, (l, 0, 0)
    return m


def hand(n: int) -> sb.Model:
    """A palm with n equal fingers."""
    m, part = sb.Model("hand"), finger()
    m.gravity(0, 0, -9.81)
    palm = m.body("palm", mass=0.4, inertia=(1e-3, 1e-3, 1e-3))
    m.free("palm", m.ground, palm)
    for i in range(n):
        m.attach(f"f{i + 1}", palm.frame.translate(0.09, 0.02 * i - 0.04, 0).rotate("z", 0.1 * (i - 2)), part)
    return m


CASES: Final[dict[str, Callable[[], sb.Model]]] = {
    **{f"vehicle, {n} axles": partial(vehicle, n) for n in (1, 2, 5, 10, 20)},
    **{f"hand, {n} fingers": partial(hand, n) for n in (1, 2, 5)},
}


def rows() -> Iterator[Row]:
    for name in CASES:
        if (row := fresh("bench.repeated_parts:measured", name)) is not None:
            yield row


def measured(name: str) -> Row:
    """In a process of its own, after a small mechanism that loads all that is needed."""
    with empty_cache():
        sb.compile(sb.derive(vehicle(1))).rhs  # noqa: B018
        laps = [time.process_time()]

        def lap(thing: Any) -> Any:
            laps.append(time.process_time())
            return thing

        eq = lap(sb.derive(lap(CASES[name]())))
        names = {s: sb.symbol(f"copy_{s.name}", s.kind) for s in free_symbols(eq.M, eq.f)}
        lap(substitute_all([eq.M, eq.f], names))
        begun = time.process_time()
        program = sb.compile(eq).rhs.program
        compiled = time.process_time() - begun
    describe, derive, renamed = (round(b - a, 4) for a, b in itertools.pairwise(laps))
    return {
        "case": name, "speeds": len(eq.u), "describe_s": describe, "derive_s": derive, "renamed_s": renamed, "compile_s": round(compiled, 4),
        "instructions": len(program.code), **shares(program),
    }  # fmt: skip


def shares(program: Program) -> Row:
    """Greedy: every instruction goes to the core on which it can begin first."""
    depth, end, free, work = list[float](), list[float](), [0.0, 0.0], 0.0
    for i in program.code:
        cost = float(COSTLY.get(i.op, 1))
        begin = max((end[a] for a in i.args), default=0.0)
        core = min((0, 1), key=lambda c: max(free[c], begin))
        free[core] = max(free[core], begin) + cost
        end.append(free[core])
        depth.append(cost + max((depth[a] for a in i.args), default=0.0))
        work += cost
    return {"path": round(max(depth) / work, 3), "two_cores": round(work / max(free), 2)}
