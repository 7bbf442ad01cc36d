"""Mechanisms of equal parts, a vehicle with many axles and a hand: CPU seconds to describe, derive and compile them, what
renaming the symbols of all equations takes, and how much of a right side two cores could share.

Places of parts on the hull and the palm are parameters: links that differ in a number are of different types. `types` are
the types of links that are derived once each, 0 where every link is written out; `accelerations_s` is what the program
of u' takes from equations to machine code, `call_us` one call from Python; `unshared_...` are those of the program in which every
link is written out, from the same description.

`renamed_s` bounds what deriving a part once could save: its equations would have to be written for every copy in the
copy's own symbols, which is a substitution. `path` is the longest chain of instructions that wait for each other, as a
part of all of them; `two_cores` the gain where values pass from core to core in no time.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.algebra.graph.walk import free_symbols, substitute_all
from symbody.derivation.programs import link_sweeps
from symbody.emit.programs.program import Program

from .dynamics import empty_cache
from .timing import Row, fresh, repeated

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
        x = m.parameter(f"x{i + 1}", 3.0 - 0.7 * i)
        m.attach(f"a{i + 1}", hull.frame.translate(x, 0, -0.8), part)
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
        y, angle = m.parameter(f"y{i + 1}", 0.02 * i - 0.04), m.parameter(f"angle{i + 1}", 0.1 * (i - 2))
        m.attach(f"f{i + 1}", palm.frame.translate(0.09, y, 0).rotate("z", angle), part)
    return m


CASES: Final[dict[str, Callable[[], sb.Model]]] = {
    **{f"vehicle, {n} axles": partial(vehicle, n) for n in (1, 2, 5, 10, 20)},
    **{f"hand, {n} fingers": partial(hand, n) for n in (1, 2, 5, 10)},
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
        compiled = sb.compile(eq).rhs
        compile_s = time.process_time() - begun
        shared = accelerations(sb.derive(CASES[name]()))
    with empty_cache(), written_out():
        alone = sb.derive(CASES[name]())
        unshared = accelerations(alone)
        program = sb.compile(alone).rhs.program
    describe, derive, renamed = (round(b - a, 4) for a, b in itertools.pairwise(laps))
    return {
        "case": name, "speeds": len(eq.u), "describe_s": describe, "derive_s": derive, "renamed_s": renamed,
        "compile_s": round(compile_s, 4), **shared, **{f"unshared_{k}": x for k, x in unshared.items() if k != "types"},
        "shared_instructions": len(compiled.program.code), "instructions": len(program.code), **shares(program),
    }  # fmt: skip


@contextlib.contextmanager
def written_out() -> Iterator[None]:
    """No program runs in loops over equal links."""
    before, link_sweeps.MIN_LINKS = link_sweeps.MIN_LINKS, sys.maxsize  # type: ignore[misc]
    try:
        yield
    finally:
        link_sweeps.MIN_LINKS = before  # type: ignore[misc]


def accelerations(eq: sb.Equations) -> Row:
    """u': types of links, CPU seconds to machine code, microseconds of one call from Python."""
    begun = time.process_time()
    f = sb.compile(eq)
    call = partial(f.udot, 0.0, np.full(len(eq.q), 0.1), np.full(len(eq.u), 0.2), f.p)
    call()
    made = time.process_time()
    swept = link_sweeps.swept_accelerations(eq)
    types = 0 if swept is None else len(swept[0].args[0].data.fragments) // 3
    return {"types": types, "accelerations_s": round(made - begun, 4), "call_us": round(1e6 * repeated(call).least, 2)}


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
