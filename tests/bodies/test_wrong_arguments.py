"""Every argument of every method of a model, given something that makes no sense there, is refused by an error of ours
or taken: none ends in an AttributeError, KeyError or TypeError from somewhere inside."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody import Model, SymbodyError

WRONG: dict[str, Any] = {
    "nothing": None, "text": "what", "number": 3, "list": [1, 2], "table": {"a": 1}, "object": object(), "array": np.ones((2, 2)), "nan": float("nan"),
}  # fmt: skip
INSIDE = "add_ order_bodies note declare before checked refuse_twice own_frame frame_of point_of owner joint_coordinates moved_frame unit_norm symbols_of_kind"
FLAGS = ("physical", "gradient", "slip", "stiffening", "follows")


X = sb.material("x")
OF_ELASTIC: dict[str, dict[str, Any]] = {
    "beam": {"length": 2, "rho_A": 1, "EI": 1, "EA": 1, "modes": 1},
    "elastic": {"modes": [(0, X**2, 0)], "over": {X: (0, 1)}, "density": 1},
    "line_load": {"per_length": (0, 1, 0)},
}


def beam_of(m: Model) -> sb.ElasticBody:
    return m.beam("beam", m.ground, length=1, EI=1, rho_A=1, modes=1)


def sample() -> Model:
    m = Model("sample")
    arm = m.body("arm", mass=1, com=(m.parameter("l", 1.0), 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("theta", m.ground, arm)
    return m


def sensible(m: Model, method: str) -> dict[str, Any]:
    """Arguments that make sense, by name."""
    arm, theta, has_sides = (
        m.bodies["arm"],
        m.symbols["theta"],
        "child" in inspect.signature(getattr(Model, method)).parameters,
    )
    return {
        "name": "new", "parent": m.ground, "child": m.body("other", mass=1, inertia=(1, 1, 1)), "kind": "revolute", "on": arm, "vector": m.ground.x,
        "a": m.ground.point(1, 2, 3), "b": arm.point(1, 1, 1), "axis": m.ground.x if method == "rotational_spring" else "z", "angle": theta,
        "at": (0, 0, 0) if has_sides else arm.point(), "energy": theta, "q": theta, "value": 1, "expression": theta, "motion": m.time, "wheel": arm,
        "radius": 1, "strength": 1, "x": 0, "first": "theta", "second": "theta", "ratio": 2, "pitch": 0.1, "frame": m.ground.rotate("x", 1),
        "names": "r s", "equals": 1, "sub": sample(), "contact": arm.point(), "heading": m.ground, "camber": 0, "mass": 1, "relaxation": 1,
        "stiffness": (1, 2) if method == "tyre" else 1, **OF_ELASTIC.get(method, {}), **({"on": beam_of(m)} if method == "line_load" else {}),
    }  # fmt: skip


def methods() -> list[str]:
    found = [n for n, _ in inspect.getmembers(Model, inspect.isfunction)]
    return [n for n in found if not n.startswith(("_", *INSIDE.split()))]


@pytest.mark.parametrize("method", methods())
def test_wrong_arguments_are_refused_in_words(method: str) -> None:
    parameters = list(inspect.signature(getattr(Model, method)).parameters.values())[1:]
    for wrong in parameters:
        for what, value in WRONG.items():
            if wrong.kind is wrong.VAR_KEYWORD or (wrong.name in FLAGS and what == "array"):
                continue
            m = sample()
            good = sensible(m, method)
            given = {
                p.name: good.get(p.name)
                for p in parameters
                if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
            }
            given |= OF_ELASTIC.get(method, {})
            given[wrong.name] = value
            by_place = [
                given.pop(p.name)
                for p in parameters
                if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL) and p.name in given
            ]
            try:
                getattr(m, method)(*by_place, **given)
            except SymbodyError:
                continue
            except Exception as reason:
                pytest.fail(f"{method}({wrong.name}={what}): {type(reason).__name__}: {reason}")


def test_names_may_be_listed() -> None:
    m = Model("names")
    assert m.coordinates(["x", "y"]) == (m.symbols["x"], m.symbols["y"])
    assert m.parameters("a, b", 1, 2) == (m.symbols["a"], m.symbols["b"])
    with pytest.raises(sb.ModelError, match="speeds: names are a text such as 'a b c', or a list of texts; got 3"):
        m.speeds(3)  # type: ignore[arg-type]
