"""A call that adds to a model adds everything or nothing: where it fails, the model is what it was, and the corrected call
gives the model that it would have given at once.

Over all methods of `Model`, each with every wrong value for every argument, and over functions of kits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import symbody as sb
from symbody.kits import biomechanics as bio
from symbody.kits import vehicles as vh

from ..bodies.test_wrong_arguments import arguments, methods, parameters_of, sample
from ..wrong_values import WRONG


def described(m: sb.Model) -> list[Any]:
    """Everything that a model has, as text and identities: tables, and where the frames of its bodies hang."""
    p = m.parts
    tables = [list(getattr(p, name).items()) for name in _tables(p)]
    frames = [(f, f.name, f.parent) for f in (*p.frames.values(), *(b.frame for b in p.bodies.values()))]
    return [tables, p.kinematics, p.fields, p.notes, frames, m.name]


def _tables(parts: Any) -> list[str]:
    """Names of the public views of a builder that are tables."""
    names = [n for n, member in inspect.getmembers(type(parts)) if isinstance(member, property)]
    return [n for n in names if hasattr(getattr(parts, n), "items")]


def test_the_description_has_every_table() -> None:
    own = {name.strip("_") for name, v in vars(sample().parts).items() if isinstance(v, dict)}
    assert own - {"written", "rate_variables", "values", "owners", "rates", "in_a_norm", "held"} <= set(
        _tables(sample().parts)
    )
    assert {"default_values", "outputs", "labels", "equations"} <= set(_tables(sample().parts))


@pytest.mark.parametrize("method", methods())
def test_a_refused_call_leaves_nothing_behind(method: str) -> None:
    refused = 0
    for parameter in parameters_of(method):
        for value in WRONG.values():
            m = sample()
            args, given = arguments(m, method, parameter, value)
            before = described(m)
            try:
                getattr(m, method)(*args, **given)
            except sb.SymbodyError:
                refused += 1
                assert described(m) == before, f"{method}({parameter.name}={value!r})"
    assert refused or method in ("freeze", "note")


CORRECTED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # of a joint: options that are refused, and right ones
    "revolute": ({"axis": "w"}, {}),
    "prismatic": ({"damping": "k"}, {"damping": 2}),
    "cylindrical": ({"speeds": "v"}, {"speeds": "v w"}),
    "planar": ({"body_speeds": True, "speeds": "u"}, {"body_speeds": True}),
    "spherical": ({"sequence": "xyx", "limits": (1, 2)}, {"sequence": "zxz"}),
    "free": ({"sequence": "euler parameters", "stiffness": 3}, {"sequence": "euler parameters"}),
}


@pytest.mark.parametrize("kind", CORRECTED)
def test_the_corrected_joint_is_that_of_a_new_model(kind: str) -> None:
    """Also for frames that hang on the child, and were looked at in between."""
    wrong, right = CORRECTED[kind]
    places = []
    for tries in ((wrong, right), (right,)):
        m = sb.Model("m")
        child = m.body("b", mass=1, inertia=(1, 2, 3))
        P = child.frame.translate(1, 2, 3).rotate("x", 1).point(1, 0, 0)
        for k, options in enumerate(tries, start=1):
            if k < len(tries):
                with pytest.raises(sb.ModelError):
                    getattr(m, kind)("j", m.ground, child, at=(5, 0, 0), **options)
                assert child.frame.parent is None
            else:
                getattr(m, kind)("j", m.ground, child, at=(0, 0, 7), **options)
        places.append((P.in_ground, P.velocity().in_ground, sb.derive(m).f))
    assert places[0] == places[1]


def test_what_was_kept_of_a_place_is_forgotten() -> None:
    """A frame on the child is asked for its velocity within the call that fails."""

    @sb.bodies.all_or_nothing
    def build(m: sb.Model, at: Any, name: Any) -> None:
        m.revolute("q", m.ground, m.bodies["b"], at=at)
        seen.append((P.in_ground, P.velocity().in_ground, P.frame.dcm(m.ground)))
        m.output("height", P.in_ground[1] if name else None)

    m = sb.Model("m")
    P = m.body("b", mass=1).frame.translate(1, 0, 0).point(0, 1, 0)
    seen: list[Any] = []
    with pytest.raises(sb.ModelError, match="output 'height'"):
        build(m, (5, 0, 0), "")
    with pytest.raises(sb.ModelError, match="is not connected to the ground"):
        P.velocity()
    build(m, (0, 0, 0), "height")
    assert P.in_ground == seen[1][0] == seen[0][0] - sb.vector(5, 0, 0)
    assert P.velocity().in_ground == seen[1][1]


def test_names_units_and_order_come_back() -> None:
    @sb.bodies.all_or_nothing
    def change(m: sb.Model) -> None:
        m.show_in("deg", "theta")
        m.frame("tool", tool)
        m.gravity(0, 0, -9.81)
        m.parts.order_bodies(["second"])
        m.body("third", mass=1)
        m.add_nothing  # type: ignore[attr-defined]

    m = sample()
    m.body("second", mass=1)
    m.show_in("rad", "theta")
    tool = m.ground.translate(1, 0, 0, name="before")
    before = described(m)
    with pytest.raises(AttributeError, match="add_nothing"):
        change(m)
    assert described(m) == before
    assert tool.name == "before"


def _car_with_a_wheel() -> tuple[sb.Model, sb.Body, sb.Body]:
    m = sb.Model("car")
    carrier, wheel = m.body("carrier", mass=10), m.body("wheel", mass=10, inertia=(1, 2, 1))
    m.prismatic("z", m.ground, carrier, "z")
    m.revolute("spin", carrier, wheel, "y")
    return m, carrier, wheel


TYRE = vh.LinearTyre(radius=0.3, cornering=1e4, relaxation=(0.3, 0.3))
OF_KITS: dict[str, Callable[[sb.Model, Any, Any, bool], object]] = {  # the last argument: rightly called
    "wheel_on_road": lambda m, c, w, right: vh.wheel_on_road(m, "t", w, TYRE, carrier=c, outputs=True if right else ["typo"]),
    "brake": lambda m, c, w, right: vh.brake(m, "b", w, c, 100 if right else sb.symbol("T")),
    "differential": lambda m, c, w, right: vh.differential(m, "d", (w, c), (w, c), 5 if right else "x", chassis=c, lock=1),
    "anti_roll_bar": lambda m, c, w, right: vh.anti_roll_bar(m, "a", m.symbols["z"], 0, 10 if right else sb.symbol("k")),
    "bushing": lambda m, c, w, right: vh.bushing(m, "b", m.ground, m.bodies["box"], stiffness=[1] * 6, damping=1 if right else "d"),
    "muscle": lambda m, c, w, right: bio.muscle(
        m, "biceps", m.path("biceps", [m.ground.point(), c.point(1, 0, 0)]), max_force=100, optimal_length=0.5,
        slack_length=0.2, outputs=True if right else ["typo"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_KITS)
def test_functions_of_kits_are_whole(name: str) -> None:
    m, carrier, wheel = _car_with_a_wheel()
    m.free("box", m.ground, m.body("box", mass=1))
    before = described(m)
    with pytest.raises((sb.SymbodyError, TypeError)):
        OF_KITS[name](m, carrier, wheel, False)
    assert described(m) == before
    OF_KITS[name](m, carrier, wheel, True)


def test_every_function_of_a_kit_that_adds_to_a_model_is_whole() -> None:
    """By their signatures: those that take a model, or hardpoints of one."""
    for kit in (vh, bio):
        for name in kit.__all__:
            function = getattr(kit, name)
            if inspect.isfunction(function) and _adds(function):
                assert _is_whole(function), f"{name} is not all_or_nothing"


def _adds(function: Any) -> bool:
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and str(first.annotation) in ("sb.Model", "Hardpoints", "sb.formats.OsimModel")


def _is_whole(function: Any) -> bool:
    while function is not None:
        if function.__code__.co_qualname.startswith("all_or_nothing."):
            return True
        function = getattr(function, "__wrapped__", None)
    return False
