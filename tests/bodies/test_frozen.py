"""A mechanism is frozen: whatever is done to its model afterwards, or tried on its parts, its equations, names and file
text stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any

import pytest

import symbody as sb
from symbody.algebra.graph.graph import Node
from symbody.bodies.frames.dyads import Dyad
from symbody.bodies.frames.frames import Frame
from symbody.bodies.frames.points import Point
from symbody.bodies.frames.vectors import Vector
from symbody.errors import ModelError


def built() -> tuple[sb.Model, list[Any]]:
    """An arm with everything that a model can have, and the list that one of its outputs was given as."""
    m = sb.Model("arm")
    p = m.parameters(mass=2.0, length=0.5, k=3.0)
    m.gravity(0, 0, -9.81)
    tau, z = m.input("tau"), m.variable("z")
    stand = m.frame("stand", m.ground.translate(0, 0, 1))
    upper = m.body("upper", mass=p.mass, com=(0, 0, -p.length / 2), inertia=(0.1, 0.1, 0.01))
    lower = m.body("lower", mass=1.0, inertia=(0.1, 0.2, 0.15))
    shoulder = m.revolute("shoulder", stand, upper, axis="y", damping=0.1).q
    elbow = m.universal("elbow", upper, lower, at=(0, 0, -p.length)).coordinates
    m.spring("spring", stand.point(0.1, 0, 0), lower.point(0, 0, -0.2), stiffness=p.k, rest=0.3)
    m.torque("motor", upper, stand.vector(0, tau, 0), reacting=stand)
    m.constrain("tie", shoulder - 2 * elbow[1])
    m.equation("lag", z.dot + z - shoulder)
    values = [shoulder, elbow[0] + z]
    m.output("seen", values)
    m.label("stretch", shoulder - elbow[0])
    m.small(elbow[1])
    return m, values


def shown(mechanism: sb.bodies.Mechanism) -> tuple[str, str, str, str]:
    """Everything that is read of a mechanism, as text: its file, its equations, the names of its frames, its own
    lines."""
    eq = sb.derive(mechanism)
    equations = str([eq.M, eq.f, eq.c, eq.b, eq.h, *eq.outputs.values(), eq.rates])
    frames = str([(f.name, f.parent and f.parent.name, f.depth) for f in mechanism.frames])
    return (
        sb.write.model_text(mechanism),
        equations,
        frames,
        repr(mechanism) + str(mechanism.values) + str(mechanism.notes),
    )


LATER: dict[str, Callable[[sb.Model, list[Any]], Any]] = {
    "another name for the model": lambda m, values: setattr(m, "name", "leg"),
    "a name for a frame": lambda m, values: m.frame("base", m.frames["stand"]),
    "another name for a body's frame": lambda m, values: m.frame("thigh", m.bodies["upper"].frame),
    "a name for a frame of a joint": lambda m, values: m.frame("pin", m.joints["elbow"].outer),
    "a frame placed again": lambda m, values: m.frames["stand"].hang_on(m.ground, m.ground.rotation, m.ground.offset),
    "a name assigned": lambda m, values: setattr(m.frames["stand"], "name", "base"),
    "an offset assigned": lambda m, values: setattr(m.frames["stand"], "offset", m.ground.offset),
    "an output's list": lambda m, values: values.append(m.symbols["tau"]),
    "a body": lambda m, values: m.revolute("wrist", m.bodies["lower"], m.body("hand", mass=1.0, inertia=(1, 1, 1))),
    "a joint": lambda m, values: m.spherical("loop", m.bodies["lower"], m.ground, at=(0, 0, -0.2), on=(0.1, 0, 0)),
    "a load": lambda m, values: m.force("push", m.bodies["lower"], m.ground.vector(1, 0, 0)),
    "attraction": lambda m, values: m.central_gravity("planet", 3.0),
    "a constraint": lambda m, values: m.constrain("more", m.symbols["shoulder"] - 1),
    "a constraint on rates": lambda m, values: m.constrain_speed("more", m.symbols["shoulder"].dot - 1),
    "a variable": lambda m, values: m.equation("slow", m.variable("y").dot),
    "an output": lambda m, values: m.output("other", m.symbols["tau"]),
    "a label": lambda m, values: m.label("other", m.symbols["tau"] + 1),
    "a speed": lambda m, values: m.speed("w", 2 * m.symbols["shoulder"].dot),
    "a rate": lambda m, values: m.rate(m.symbols["shoulder"], m.speed("w")),
    "a parameter": lambda m, values: m.parameter("drag", 0.1, unit="kg"),
    "a small coordinate": lambda m, values: m.small(m.symbols["shoulder"]),
    "a norm": lambda m, values: m.unit_norm(m.symbols["shoulder"]),
    "a note": lambda m, values: m.note("to be checked"),
    "the order of bodies": lambda m, values: m.parts.order_bodies(["lower"]),
    "a part": lambda m, values: m.attach("second", m.ground, built()[0]),
    "a second mechanism": lambda m, values: m.freeze(),
}


@pytest.mark.parametrize("what", LATER)
def test_what_is_done_to_the_model_later_does_not_show(what: str) -> None:
    m, values = built()
    mechanism = m.freeze()
    before = shown(mechanism)
    with suppress(ModelError):  # refused: that leaves it as it was, too
        LATER[what](m, values)
    assert shown(mechanism) == before


@pytest.mark.parametrize("what", [w for w in LATER if "name" in w and "model" not in w])
def test_frames_of_a_mechanism_keep_their_names(what: str) -> None:
    m, values = built()
    m.freeze()
    with pytest.raises(ModelError, match=r"keeps its name|cannot be changed"):
        LATER[what](m, values)


def test_frames_outside_the_mechanism_can_still_be_named() -> None:
    m, _ = built()
    tip = m.bodies["lower"].frame.translate(0, 0, -0.2)
    m.freeze()
    assert m.frame("tip", tip).name == "tip"


# --------------------------------------------------------------------------------------- everything that can be reached


def reached(thing: Any, path: str, seen: dict[int, str]) -> None:
    """All objects behind the public attributes of a mechanism, by where they are."""
    if id(thing) in seen or isinstance(thing, (Node, str, int, float, type(None))):
        return
    seen[id(thing)] = path
    KEPT.append(thing)
    if isinstance(thing, Mapping):
        for k, v in thing.items():
            reached(k, f"{path} key {k}", seen)
            reached(v, f"{path}[{k}]", seen)
    elif isinstance(thing, (tuple, list)):
        for k, v in enumerate(thing):
            reached(v, f"{path}[{k}]", seen)
    else:
        names = {*getattr(thing, "__dict__", ()), *getattr(type(thing), "__slots__", ())}
        if isinstance(thing, sb.bodies.Mechanism):  # with what it computes of itself
            names |= {n for n in dir(thing) if not callable(getattr(thing, n))}
        for n in sorted(n for n in names if not n.startswith("_")):
            reached(getattr(thing, n), f"{path}.{n}", seen)


KEPT: list[Any] = []  # so that no id is used twice while a test runs


def test_nothing_that_can_be_reached_can_be_written() -> None:
    """Mappings are views, sequences are tuples, and attributes of everything else cannot be assigned."""
    mechanism = built()[0].freeze()
    sb.derive(mechanism)  # which fills what is computed when it is first asked for
    reached(mechanism, "mechanism", seen := {})
    assert len(seen) > 100
    by_id = {id(x): x for x in KEPT}
    for key, path in seen.items():
        thing = by_id[key]
        assert isinstance(thing, MappingProxyType) if isinstance(thing, Mapping) else not isinstance(thing, list), path
        if isinstance(thing, (Frame, Vector, Dyad, Point)) or is_dataclass(thing):
            name = fields(thing)[0].name if is_dataclass(thing) else "terms" if isinstance(thing, Vector) else "frame"
            with pytest.raises((ModelError, AttributeError)):
                setattr(thing, name, None)
    assert {type(by_id[k]) for k in seen} >= {Frame, Vector, Point}
    KEPT.clear()
