"""Random trees of equal links, and scissor lifts, small ones in loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.kinematics import linked_constraints
from symbody.derivation.programs import link_sweeps
from symbody.integrate.forms import projection

ANGLE = 0.6  # of the bars of a scissor lift at rest
JOINTS = ("revolute", "prismatic", "spherical", "free", "euler parameters")


def take_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are taken for trees of any size."""
    monkeypatch.setattr(link_sweeps, "MIN_LINKS", 2)
    for limit in ("MIN_COPIES", "MIN_OPERATIONS", "MIN_REPEATED"):
        monkeypatch.setattr(link_sweeps, limit, 0)


def take_loops_with_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are taken for links of any number and any types that constraints couple."""
    for limit in ("MIN_LINKED", "MANY_UNEQUAL", "MIN_COPIES"):
        monkeypatch.setattr(linked_constraints, limit, 0)
    monkeypatch.setattr(linked_constraints, "FEW_TYPES", 1000)
    for limit in ("MIN_LINKS", "MIN_COPIES", "MANY_UNEQUAL_LINKS"):
        monkeypatch.setattr(link_sweeps, limit, 0)


def scissor(n: int = 5, along: str = "ground", seed: int | None = None, damping: float = 0.1) -> sb.Model:
    """Stages of two crossed bars, the ends of each pinned to the next; `seed`: all bars have other masses.

    along   axes of the conditions on pins: those of the ground, or of the bar
    """
    rng = None if seed is None else np.random.default_rng(seed)
    m = sb.Model("scissor lift")
    m.gravity(0, -9.81, 0)
    below: Any = None
    for k in range(n):
        masses = [1.0, 1.0] if rng is None else rng.uniform(0.5, 2, 2).tolist()
        a, b = (
            m.body(
                f"{x}{k}", mass=masses[i], com=(0.5 - 0.5 * i, 0, 0), inertia=(1e-3, 0.08 * masses[i], 0.08 * masses[i])
            )
            for i, x in enumerate("ab")
        )
        if below is None:
            m.revolute("a0", m.ground, a, damping=damping)
        else:
            m.revolute(f"a{k}", below[1], a, at=(0.5, 0, 0))
        m.revolute(f"b{k}", a, b, at=(0.5, 0, 0), stiffness=2.0)
        if below is not None:
            frame = m.ground if along == "ground" else None
            m.coincide(f"pin{k}", below[0].point(1, 0, 0), b.point(-0.5, 0, 0), along=frame, axes="xy")
        below = a, b
    return m


def scissor_start(n: int) -> dict[str, float]:
    crossing = np.pi - 2 * ANGLE
    return {"a0": ANGLE, **{f"b{k}": crossing for k in range(n)}, **{f"a{k}": -crossing for k in range(1, n)}}


def random_tree(seed: int, n: int = 9, are_unequal: bool = False) -> sb.Model:
    """Links of two or three types on a random tree, with springs, dampers, inputs, own and shared parameters.

    are_unequal   whether lengths, masses and inertias of no two links are the same
    """
    draw = Random(seed)
    m = sb.Model("tree")
    m.gravity(0, -m.parameter("g", 9.81), 0.3)
    shared, tau = m.parameter("k", 2.0), m.input("tau")
    types = [_link_type(draw) for _ in range(draw.choice((2, 3)))]
    on: list[Any] = [m.ground]
    for k in range(n):
        joint, at, axis, mass, has_own = draw.choice(types)
        weight = m.parameter(f"m{k}", 1.0 + k / 10) if has_own else mass
        more = k / 20 if are_unequal else 0
        if are_unequal:
            at, weight = (at[0] + more, at[1], 0), weight + more
        body = m.body(f"b{k}", mass=weight, com=(0.3, 0.1, -0.2 + more), inertia=(0.4, 0.5 - more / 4, 0.6))
        parent = draw.choice(on)
        options: dict[str, Any] = {"at": at}
        if joint in ("revolute", "prismatic"):
            options |= {"axis": axis, "stiffness": shared, "damping": 0.1, "actuation": tau if has_own else None}
            getattr(m, joint)(f"j{k}", parent, body, **{key: v for key, v in options.items() if v is not None})
        elif joint == "euler parameters":
            m.spherical(f"j{k}", parent, body, "euler parameters", at=at)
        else:
            getattr(m, joint)(f"j{k}", parent, body, at=at)
        on.append(body)
    return m


def add_random_loads(m: sb.Model, draw: Random, loads: int) -> None:
    """Springs, drag, forces and torques between bodies, and between them and the ground."""
    made = m.freeze()
    bodies, angles = made.bodies, [s for s, rate in made.rates.items() if rate is s.dot]
    tau = m.symbols["tau"] if "tau" in m.symbols else m.input("tau")
    k, t = m.parameter("stiff", 3.0), m.symbols["t"]

    def place() -> Any:
        on = draw.choice([m.ground, *(b.frame for b in bodies)])
        if draw.random() < 0.3:
            on = on.translate(0.2, draw.uniform(-1, 1), 0).rotate(draw.choice("xyz"), 0.3)
        return on.point(draw.uniform(-1, 1), 0.3, draw.choice((0, 0.5)))

    def part() -> Any:
        return draw.choice(bodies)

    def vector() -> Any:
        moving = (k * angles[0], angles[0].dot) if angles else ()
        size = draw.choice((k, tau, 2.0, sb.sin(3 * t), *moving))
        f = draw.choice([m.ground, part().frame])
        return size * f.vector(draw.uniform(-1, 1), 0, 1) + f.x

    makers: list[Callable[[str], Any]] = [
        lambda name: m.spring(name, place(), part().point(0.1, 0.2, 0), stiffness=k, rest=draw.choice((0, 0.5, k))),
        lambda name: m.spring(name, place(), part().point(1, 0, 0), stiffness=2, rest=1, damping=0.3, actuation=tau),
        lambda name: m.drag(name, part().point(0, 1, 0), linear=draw.choice((0, 0.1)), quadratic=0.2),
        lambda name: m.drag(name, part().mass_centre, linear=k, relative_to=part().frame),
        lambda name: m.force(name, part(), vector(), at=place(), reacting=draw.choice((None, part()))),
        lambda name: m.force(name, part(), vector()),
        lambda name: m.torque(name, part(), vector(), reacting=draw.choice((None, part()))),
        lambda name: m.rotational_spring(
            name, part(), part(), part().frame.z, angle=[*angles, t][0], damping=0.3, actuation=tau
        ),
    ]
    for i in range(loads):
        draw.choice(makers)(f"load{i}")


def _link_type(draw: Random) -> tuple[Any, ...]:
    at = (draw.choice((1, 0.5)), draw.choice((0, 0.2)), 0)
    axis = draw.choice(("x", "y", "z", (1, 2, 2)))
    return draw.choice(JOINTS), at, axis, draw.choice((1, 2.5)), draw.random() < 0.5


def chain_with_laws(laws: Sequence[Callable[[sb.Expr], sb.Expr]], n: int = 4) -> sb.Model:
    """Links on hinges, with a torque by one of some functions of the angle on each of them in turn."""
    m = sb.Model("tree")
    m.gravity(0, -9.81, 0.3)
    on: Any = m.ground
    for k in range(n):
        body = m.body(f"b{k}", mass=1.0, com=(0.3, 0.1, 0), inertia=(0.4, 0.5, 0.6))
        q = m.revolute(f"j{k}", on, body, "yz"[k % 2], at=(1 if k else 0, 0, 0)).q
        m.generalized_force(f"f{k}", q, laws[k % len(laws)](q))
        on = body
    return m


def random_numbers(eq: sb.Equations, seed: int) -> list[Any]:
    """Time, coordinates, speeds, inputs and parameters."""
    rng, inputs = np.random.default_rng(seed), [np.full(len(eq.r), 0.7)] if eq.r else []
    return [0.3, rng.uniform(-1, 1, len(eq.q)), rng.uniform(-1, 1, len(eq.u)), *inputs, sb.compile(eq).p]


def assert_alike(found: Any, wanted: Any, tolerance: float) -> None:
    """Arrays, each relative to the largest entry of the wanted one."""
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * (1 + np.abs(b).max(initial=0.0)))


def chain_of_rods(n: int) -> sb.Equations:
    """Equal rods, one on the tip of the other."""
    link = sb.Model("link")
    rod = link.body("rod", mass=0.1, com=(0.05, 0, 0), inertia=(1e-4, 1e-4, 1e-4))
    link.revolute("a", link.ground, rod, damping=1e-3)
    link.frame("tip", rod.frame.translate(0.1, 0, 0))
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    m.repeat("link", m.ground, link, n, end="tip")
    return sb.derive(m)


def assert_corrections_alike(loops: sb.Equations, written: sb.Equations) -> None:
    """Corrections of positions and speeds, with the violation before, and what they leave of a small change."""
    at, rows = random_numbers(written, 4), tuple(range(len(written.lam)))
    changes = tuple(sb.symbol(f"change_{k}", "variable") for k in range(len(written.state)))
    numbers = dict(zip(changes, np.random.default_rng(5).normal(size=len(changes)).tolist(), strict=True))
    out = []
    for eq in (loops, written):
        q, off = projection.new_positions(eq, rows, "mass")
        u, rate = projection.new_speeds(eq, rows, "mass")
        left = sb.substitute(projection.left_of(eq, rows, changes, "mass"), numbers)
        made = {"positions": q, "off": [off], "speeds": u, "rate": [rate], "left": left}
        out.append(sb.compile(written).function("corrections", made)(*at))
    assert_alike(out[0], out[1], 1e-9)
