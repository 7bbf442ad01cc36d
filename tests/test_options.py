"""Options that several functions share: written once, shown by `help`, refused where they are unknown, and checked by
type checkers."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any, TypedDict, Unpack

import pytest

import symbody as sb
from symbody.bodies.file.keys import joint
from symbody.bodies.joints.joint_options import JointLoads, JointOptions, JointPlacement
from symbody.bodies.joints.joints import KINDS
from symbody.options import meanings, takes_options, with_text

ROOT = Path(__file__).parents[1]


class Sizes(TypedDict, total=False):
    """Of a box:

    width, height   in metres
    colour          a name, or
                    three numbers
    """

    width: float
    height: float
    colour: Any


class Shop:
    @takes_options("box")
    def box(self, name: str, depth: float = 1.0, **options: Unpack[Sizes]) -> dict[str, Any]:
        """A box.

        >>> an example
        """
        return {"name": name, "depth": depth, **options}


def test_meanings_are_the_rows_of_the_tables() -> None:
    assert meanings(Sizes.__doc__ or "") == {
        "width": "in metres",
        "height": "in metres",
        "colour": "a name, or three numbers",
    }


def test_a_function_that_takes_options_shows_them() -> None:
    assert str(inspect.signature(Shop.box)).startswith(
        "(self, name: 'str', depth: 'float' = 1.0, *, width: 'float' = None, height: 'float' = None"
    )
    text = inspect.getdoc(Shop.box) or ""
    assert text.startswith("A box.\n\nOf a box:\n\nwidth, height   in metres\n")
    assert text.endswith("three numbers\n\n>>> an example")
    assert with_text("One line.", "More.") == "One line.\n\nMore."
    assert Shop().box("b", 2.0, width=3.0) == {"name": "b", "depth": 2.0, "width": 3.0}


def test_an_unknown_option_is_refused_with_the_near_one() -> None:
    with pytest.raises(sb.ModelError, match=r"box 'b': there is no option 'widht'; .* Did you mean 'width'\?"):
        Shop().box("b", widht=3.0)  # type: ignore[call-arg]


# ---------------------------------------------------------------------------------------------------------------- joints


@pytest.mark.parametrize("kind", [*KINDS, "joint"])
def test_help_says_what_each_option_of_a_joint_means(kind: str) -> None:
    method = getattr(sb.Model, kind)
    said = meanings(inspect.getdoc(method) or "")
    shared = JointPlacement if kind == "fixed" else JointOptions
    assert shared.__annotations__.keys() <= said.keys()
    assert list(shared.__annotations__) == [
        p for p in inspect.signature(method).parameters if p in JointOptions.__annotations__
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_keyword_of_a_joint_is_refused_with_the_near_one(kind: str) -> None:
    m = sb.Model("m")
    near = "orientation" if kind == "fixed" else "damping"
    given: dict[str, Any] = {near[:-2] + near[-1]: 1, **({"pitch": 1} if kind == "screw" else {})}
    with pytest.raises(sb.ModelError, match=rf"joint 'j': there is no option '\w+'; .*Did you mean '{near}'\?"):
        getattr(m, kind)("j", m.ground, m.body("b", mass=1), **given)


def test_model_files_have_the_options_of_joints() -> None:
    """Names for the rates are given there under `speeds`."""
    for kind, keys in joint.shapes["joint"].kinds.items():  # type: ignore[attr-defined]
        if kind in KINDS:
            assert JointOptions.__annotations__.keys() - keys.keys() == {"speeds"}
            assert all(keys[load].doc for load in JointLoads.__annotations__)


def test_type_checkers_check_calls_of_joints(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    file = tmp_path / "planted.py"
    file.write_text(
        "import symbody as sb\n"
        "m = sb.Model('m')\n"
        "m.revolute('a', m.ground, m.body('b'), axis='z', damping=0.1, at=(1, 0, 0))\n"
        "m.revolute('a', m.ground, m.body('b'), dampng=0.1)\n"
        "m.fixed('a', m.ground, m.body('b'), damping=0.1)\n"
        "m.revolute('a', m.ground, m.body('b'), vectors=3)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    found = [line.split(":")[1] for line in done.stdout.splitlines() if ": error: " in line]
    assert found == ["4", "5", "6"], done.stdout + done.stderr
