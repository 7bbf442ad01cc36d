"""One order of arguments: name, then parent, child; and signatures that `help` shows in full."""

import inspect
import pydoc
from typing import Any

import pytest

import symbody as sb
from symbody.bodies.joints.joints import KINDS

JOINTS = [*KINDS, "joint"]
NAMED = [  # methods of a model that add a part, which has a name
    "frame", "body", "particle", *JOINTS, "central_gravity", "force", "torque", "spring", "rotational_spring", "drag", "potential",
    "generalized_force", "tyre", "constrain", "constrain_speed", "coincide", "orthogonal", "gear", "prescribe", "rolling", "equation",
    "output", "label", "attach", "moving_frame", "auxiliary_speed",
]  # fmt: skip
BETWEEN_TWO = [*JOINTS, "rotational_spring"]


def parameters(owner: type, method: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(owner, method)).parameters.values())[1:]


@pytest.mark.parametrize("method", NAMED)
def test_name_comes_first_and_must_be_given(method: str) -> None:
    first = parameters(sb.Model, method)[0]
    assert first.name == "name"
    assert first.default is inspect.Parameter.empty


@pytest.mark.parametrize("method", BETWEEN_TWO)
def test_parent_and_child_follow(method: str) -> None:
    assert [p.name for p in parameters(sb.Model, method)[1:3]] == ["parent", "child"]


@pytest.mark.parametrize("event", [sb.Event, sb.Contact])
def test_events_and_contacts_begin_with_their_name(event: type) -> None:
    first = next(iter(inspect.signature(event).parameters.values()))
    assert first.name == "name"
    assert first.default is inspect.Parameter.empty


def public_methods() -> list[str]:
    return [n for n, f in inspect.getmembers(sb.Model, inspect.isfunction) if not n.startswith("_")]


@pytest.mark.parametrize("method", public_methods())
def test_no_keyword_is_hidden(method: str) -> None:
    """Only `parameters` takes any keyword: there they are names of parameters."""
    hidden = [p for p in parameters(sb.Model, method) if p.kind is inspect.Parameter.VAR_KEYWORD]
    assert not hidden or method == "parameters"
    assert inspect.getdoc(getattr(sb.Model, method)), f"Model.{method} has no docstring"


@pytest.mark.parametrize("kind", KINDS)
def test_help_shows_the_keywords_of_a_joint(kind: str) -> None:
    text = pydoc.plain(pydoc.render_doc(getattr(sb.Model, kind)))
    for keyword in ("at", "on", "orientation", *([] if kind == "fixed" else ["coordinates", "damping", "limits"])):
        assert f"{keyword}: " in text


GIVEN = {
    "at": (0.1, 0.2, 0.3), "on": (0.3, 0.1, 0.2), "axis": (1, 2, 2), "axes": ("y", "z"), "sequence": "zxz", "pitch": 0.2, "damping": 0.1,
    "stiffness": 2.0, "rest": 0.3, "actuation": 0.5, "friction": (1.0, 0.1), "limits": (-1, 1, 100, 5), "body_speeds": True,
    "orientation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
}  # fmt: skip


def pair(kind: str, by_general_method: bool, **how: Any) -> str:
    m = sb.Model("pair")
    a, b = m.body("a", mass=1.0, inertia=(1, 1, 1)), m.body("b", mass=2.0, inertia=(1, 2, 2))
    m.revolute("base", m.ground, a)
    if by_general_method:
        m.joint("j", a, b, kind, **how)
    else:
        getattr(m, kind)("j", a, b, **how)
    return sb.write.model_text(m)


def _for_each(kind: str, option: str, value: object) -> object:
    """A load of a joint that has lengths and angles is given for each coordinate."""
    n = {"cylindrical": 2, "planar": 3, "free": 6}.get(kind)
    return (
        (value,) * n if n and option in ("damping", "stiffness", "rest", "actuation", "friction", "limits") else value
    )


@pytest.mark.parametrize("kind", KINDS)
def test_joint_methods_pass_everything_on(kind: str) -> None:
    """Each keyword of a kind's own method arrives where that of the general one does, and makes a difference."""
    own = {p.name: p for p in parameters(sb.Model, kind)}
    assert own.keys() <= {p.name for p in parameters(sb.Model, "joint")}
    how = {k: _for_each(kind, k, v) for k, v in GIVEN.items() if k in own}
    text = pair(kind, False, **how)
    assert text == pair(kind, True, **how)
    for key in how.keys() - {"pitch"}:
        assert pair(kind, False, **{k: v for k, v in how.items() if k != key}) != text, key


@pytest.mark.parametrize("turns", [("z", 0.3), ("zx", 0.3, 0.2), ("cardan", 0.1, 0.2, 0.3)])
def test_orientation_by_turns(turns: tuple[str | float, ...]) -> None:
    """A joint's orientation as turns is that of a frame that makes them."""
    m = sb.Model("mount")
    hand = m.body("hand", mass=1.0, inertia=(1, 1, 1))
    m.fixed("mount", m.ground, hand, orientation=turns)
    like = m.ground.rotate(*turns)
    assert [float(e) for e in hand.frame.dcm(m.ground).entries] == pytest.approx(
        [float(e) for e in like.dcm(m.ground).entries]
    )
