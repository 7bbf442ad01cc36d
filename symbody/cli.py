"""`python -m symbody`: a chain of spherical pendulums, described, derived by every route, printed, compiled, run and checked."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .algebra.printing import text
from .bodies.frames import Frame
from .bodies.mass import bar
from .bodies.mechanism import Body
from .bodies.model import Model
from .derive.certify import certify
from .derive.derive import ROUTES, derive
from .emit.dynamics import compile


def spherical_pendulums(n: int) -> Model:
    """n bars, each hanging on the one before by a universal joint."""
    m = Model(f"{n} spherical pendulums")
    p = m.parameters(m=1.0, l=1.0, g=9.81)
    m.gravity(0, 0, -p.g)
    parent: Body | Frame = m.ground
    at: tuple[Any, ...] = (0, 0, 0)
    for k in range(1, n + 1):
        link = m.body(f"bar{k}", mass=p.m, shape=bar(p.l, axis="z", at=(0, 0, -p.l / 2)))
        m.universal(f"q{k}", parent, link, at=at)
        parent, at = link, (0, 0, -p.l)
    return m


def demonstrate(n: int) -> None:
    """Describe, derive, print, certify, compile, run."""
    two = derive(spherical_pendulums(2))
    print("Two bars of mass m and length l, each on two angles; their mass matrix:\n")
    print("    " + text(two.M).replace("\n", "\n    "))

    print(f"\n{n} such bars in a chain, {2 * n} degrees of freedom:\n")
    mechanism = spherical_pendulums(n).freeze()
    for route in ROUTES:
        start = time.perf_counter()
        derive(mechanism, route)
        print(f"    derived by {route:14} in {time.perf_counter() - start:.3f} s")
    equations = derive(mechanism)

    f = compile(equations, cache=False)
    start = time.perf_counter()
    f.udot  # noqa: B018  (compiled when it is first asked for)
    print(f"\n    accelerations compiled in {time.perf_counter() - start:.3f} s: {f.udot.program.cost}")
    q, u, p = 0.3 + 0.1 * np.arange(2 * n), np.linspace(-1, 1, 2 * n), f.p
    calls = 1000
    start = time.perf_counter()
    for _ in range(calls):
        f.udot(0, q, u, p)
    print(f"    one call from Python: {(time.perf_counter() - start) / calls * 1e6:.1f} microseconds")
    print(f"    u' = {np.array2string(f.udot(0, q, u, p), precision=4, max_line_width=100, prefix=' ' * 9)}\n")
    print(certify(equations))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="symbody", description=__doc__)
    parser.add_argument("--bars", type=int, default=5, help="length of the chain (5)")
    bars = parser.parse_args(arguments).bars
    if bars < 1:
        parser.error(f"--bars must be at least 1, got {bars}")
    demonstrate(bars)
