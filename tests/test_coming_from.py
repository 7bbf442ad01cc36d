"""docs/coming-from/sympy-names.md: no name of SymPy's mechanics is missing, and what it says to write runs."""

import re
from pathlib import Path
from typing import Any

import pytest
import sympy.physics.biomechanics as bio
import sympy.physics.mechanics as me

PAGE = (Path(__file__).parents[1] / "docs" / "coming-from" / "sympy-names.md").read_text(encoding="utf-8")
ROWS = [
    (re.findall(r"`([\w.]+)`", left), re.search(r"`(.+)`", call)[1].replace("\\|", "|"))
    for left, call in re.findall(r"^\| (`.+?) \| (`.+?`) \| .*\|$", PAGE, re.MULTILINE)
]
CLASSES = (
    *(me.ReferenceFrame, me.Point, me.Vector, me.Dyadic, me.RigidBody, me.Particle, me.Inertia, me.KanesMethod),
    *(
        me.LagrangesMethod,
        me.Linearizer,
        me.SymbolicSystem,
        me.System,
        me.PinJoint,
        me.LinearPathway,
        me.WrappingCylinder,
    ),
)


def listed() -> set[str]:
    """Names, and of classes their methods: one that follows `Class.method` is of the same class unless it names another."""
    found = set()
    for names, _ in ROWS:
        owner = ""
        for name in names:
            owner = (
                name.partition(".")[0] if "." in name else name if hasattr(me, name) and name[0].isupper() else owner
            )
            found |= {name, f"{owner}.{name}"}
    return found


def test_no_name_is_missing() -> None:
    methods = {f"{c.__name__}.{n}" for c in CLASSES for n in dir(c) if not n.startswith("_")}
    assert sorted({*me.__all__, *bio.__all__} - listed()) == []
    assert sorted(methods - listed()) == []


@pytest.fixture(scope="module")
def setting() -> dict[str, Any]:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    made: dict[str, Any] = {}
    exec(block, made)
    return made


@pytest.mark.parametrize("call", [call for _, call in ROWS], ids=lambda c: c[:40])
def test_what_it_says_runs(setting: dict[str, Any], call: str) -> None:
    exec(call, dict(setting))
