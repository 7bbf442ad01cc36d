"""Every argument of every method of a model, given something that makes no sense there, is refused by an error of ours:
none is taken without a word, and none ends in an AttributeError, KeyError or TypeError from somewhere inside.

Of values as different as None, a text, a number and a table some make sense by chance: the text "what" is a good name.
They stand in a table, RIGHT, which is held in both directions.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody import Model

from ..wrong_values import WRONG, is_taken

INSIDE = "add_ order_bodies note declare before checked refuse_twice own_frame frame_of point_of owner joint_coordinates moved_frame unit_norm symbols_of_kind"
VARIADIC = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
RIGHT: dict[str, dict[str, str]] = {  # by value and parameter: methods for which it makes sense, * for all that have it
    "nothing": {"axis": "cylindrical planar prismatic revolute screw", "values": "parameters"},  # as if not given
    "text": {
        "coordinates": "elastic joint prismatic revolute screw",
        "name": "attach auxiliary_speed beam body central_gravity coincide constrain constrain_speed coordinate cylindrical drag elastic elastic_from equation "
        "fixed force frame free friction gear generalized_force input joint kinetic_energy label line_load moving_frame orthogonal output parameter particle "
        "path planar potential prescribe prismatic repeat revolute rolling rotational_spring screw speed spherical spring tension torque tyre universal valid_while variable",
        "names": "*",
        "speeds": "joint prismatic revolute screw",
    },
    "number": {  # quantities, and how many
        **dict.fromkeys(
            "EA EI angle camber energy equals law length linear load mass motion normal order potential quadratic quadrature radius ratio relaxation rho_A "
            "rho_I smooth strength tension tube value".split(), "*"
        ),
        **dict.fromkeys(("actuation", "rest"), "joint prismatic revolute rotational_spring screw spherical spring universal"),
        **dict.fromkeys(("damping", "stiffness"), "elastic joint prismatic revolute rotational_spring screw spherical spring universal"),
        "coordinates": "joint prismatic revolute screw",  # a constant
        "count": "repeat",
        "density": "elastic",
        "expression": "balance equation kinematic_equation label valid_while",
        "modal_damping": "beam elastic_from",
        "modes": "beam",
        "pitch": "screw",
        "points": "line_load",
        "values": "parameters",
    },
    "list": {  # two quantities
        **dict.fromkeys("actuation coordinates damping rest".split(), "cylindrical universal"),
        "stiffness": "cylindrical tyre universal",
        "EI": "*",
        "friction": "joint prismatic revolute screw spherical universal",  # force and speed
        "modal_damping": "beam elastic_from",
        "rayleigh": "*",
        "rho_I": "*",
        "value": "output",
    },
    "array": {"damping": "elastic_from"},  # a matrix for two elastic coordinates
}  # fmt: skip
NEEDED = {
    ("beam", "modes"),
    *(("elastic", p) for p in ("modes", "over", "density")),
    ("friction", "smooth"),
}  # unless given otherwise


X = sb.bodies.material("x")
OF_ELASTIC: dict[str, dict[str, Any]] = {
    "beam": {"length": 2, "rho_A": 1, "EI": 1, "EA": 1, "modes": 1},
    "elastic": {"modes": [(0, X**2, 0)], "over": {X: (0, 1)}, "density": 1},
    "line_load": {"per_length": (0, 1, 0)},
}


def beam_of(m: Model) -> sb.bodies.ElasticBody:
    return m.beam("beam", m.ground, length=1, EI=1, rho_A=1, modes=1)


def sample() -> Model:
    m = Model("sample")
    arm = m.body("arm", mass=1, com=(m.parameter("l", 1.0), 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("theta", m.ground, arm)
    return m


@cache
def reduced_body() -> sb.formats.ReducedBody:
    """Four nodes, and a spring between any two."""
    nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    K = np.zeros((12, 12))
    for i, j in itertools.combinations(range(4), 2):
        b = np.kron(np.eye(4)[j] - np.eye(4)[i], (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i]))
        K += 1000.0 * np.outer(b, b)
    return sb.finite_elements(mass=np.eye(12), stiffness=K, nodes=nodes).reduced(frame="mean", method="free", modes=2)


def sensible(m: Model, method: str) -> dict[str, Any]:
    """Arguments that make sense, by name."""
    arm, theta = m.bodies["arm"], m.symbols["theta"]
    has_sides = "child" in inspect.signature(getattr(Model, method)).parameters
    if method == "freeze":
        return {}
    of_methods: dict[str, Callable[[], dict[str, Any]]] = {
        "constrain_speed": lambda: {"expression": theta.dot - 1},
        "gravity": lambda: {"x": m.ground.vector(0, -9.81, 0)},
        "line_load": lambda: {"on": beam_of(m)},
        "multiplier": lambda: {"constraint": m.constrain("held", theta - 1)},
        "orthogonal": lambda: {"a": m.ground.x, "b": arm.frame.y},
        "tension": lambda: {"path": m.path("rope", [m.ground.point(0, 1, 0), arm.point(1, 0, 0)]), "value": 1},
        "unlabel": lambda: {"name": (m.label("known", theta), "known")[1]},
        "tyre": lambda: {"contact": arm.point(0, -1, 0), "stiffness": (1, 2)},
    }
    return {
        "name": "new", "parent": m.ground, "child": m.body("other", mass=1, inertia=(1, 1, 1)), "kind": "revolute", "on": arm, "vector": m.ground.x,
        "a": m.ground.point(1, 2, 3), "b": arm.point(1, 1, 1), "axis": m.ground.x if method == "rotational_spring" else "z", "angle": theta,
        "at": (0, 0, 0) if has_sides else arm.point(), "energy": theta, "q": theta, "value": 1, "expression": theta, "motion": m.time, "wheel": arm,
        "radius": 1, "strength": 1, "x": 0, "first": "theta", "second": "theta", "ratio": 2, "pitch": 0.1, "frame": m.ground.rotate("x", 1),
        "names": "r s", "unit": "deg", "equals": 1, "sub": sample(), "count": 2, "contact": arm.point(), "heading": m.ground, "camber": 0, "mass": 1, "relaxation": 1,
        "stiffness": 1, "speed": theta.dot, "slip": theta.dot, "law": 0.3, "normal": 1, "reduced": reduced_body() if method == "elastic_from" else None,
        "stations": [m.ground.point(0, 1, 0), arm.point(1, 0, 0)], **OF_ELASTIC.get(method, {}), **of_methods.get(method, dict)(),
    }  # fmt: skip


def methods() -> list[str]:
    found = [n for n, _ in inspect.getmembers(Model, inspect.isfunction)]
    return [n for n in found if not n.startswith(("_", *INSIDE.split()))]


def arguments(
    m: Model, method: str, wrong: inspect.Parameter | None = None, value: Any = None
) -> tuple[list[Any], dict[str, Any]]:
    """Those that make sense, positional and by name, but for one."""
    parameters, good = parameters_of(method), sensible(m, method)
    given = {p.name: good[p.name] for p in parameters if p.default is p.empty and p.kind not in VARIADIC}
    given |= OF_ELASTIC.get(method, {}) | ({"smooth": 1e-3} if method == "friction" else {})
    if wrong is not None:
        if wrong.kind is wrong.VAR_POSITIONAL:
            given |= {p.name: "what" for p in parameters if p.kind is p.POSITIONAL_ONLY}
        given[wrong.name] = value
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    return [given.pop(p.name) for p in parameters if p.kind in positional and p.name in given], given


def parameters_of(method: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(Model, method)).parameters.values())[1:]


def takes(method: str, wrong: inspect.Parameter, value: Any) -> bool:
    m = sample()
    args, given = arguments(m, method, wrong, value)
    return is_taken(lambda: getattr(m, method)(*args, **given), f"{method}({wrong.name}={value!r})")


def is_right(method: str, parameter: inspect.Parameter, what: str) -> bool:
    """By the table; a default may always be given."""
    methods_with = RIGHT.get(what, {}).get(parameter.name, "")
    return (
        methods_with == "*"
        or method in methods_with.split()
        or (parameter.default is WRONG[what] and (method, parameter.name) not in NEEDED)
    )


@pytest.mark.parametrize("method", methods())
def test_sensible_arguments_are_taken(method: str) -> None:
    """Else all that follows would be refused for another reason."""
    m = sample()
    args, given = arguments(m, method)
    getattr(m, method)(*args, **given)
    assert method in dir(m)


@pytest.mark.parametrize("method", methods())
def test_wrong_arguments_are_refused_in_words(method: str) -> None:
    """Each is refused by an error of ours, unless the table says that it is right."""
    tried = [(p, what) for p in parameters_of(method) if p.kind is not p.VAR_KEYWORD for what in WRONG]
    taken = {f"{p.name}={what}" for p, what in tried if takes(method, p, WRONG[what])}
    right = {f"{p.name}={what}" for p, what in tried if is_right(method, p, what)}
    assert taken - right == set(), "taken, though it makes no sense there"
    assert right - taken == set(), "refused, though the table RIGHT says that it makes sense"


def test_the_table_of_right_values_speaks_of_what_exists() -> None:
    known = {method: {p.name for p in parameters_of(method)} for method in methods()}
    assert set(RIGHT) <= set(WRONG)
    for rows in RIGHT.values():
        for parameter, names in rows.items():
            listed = [n for n, own in known.items() if parameter in own] if names == "*" else names.split()
            assert listed
            assert all(parameter in known[n] for n in listed)


def test_names_may_be_listed() -> None:
    m = Model("names")
    assert m.coordinates(["x", "y"]) == (m.symbols["x"], m.symbols["y"])
    assert m.parameters("a, b", 1, 2) == (m.symbols["a"], m.symbols["b"])
    with pytest.raises(sb.ModelError, match="speeds: names must be a text such as 'a b c', or a list of texts; got 3"):
        m.speeds(3)  # type: ignore[arg-type]
