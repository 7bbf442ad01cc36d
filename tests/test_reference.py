"""The reference: every public function and class has an example that runs, and says what else to look at; every method
and property of a public class is explained, and used in an example on the page of its class."""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import symbody as sb
from docs.book import member_groups
from docs.book.examples import AsShown, faults, unshown
from docs.book.reference import members, named_things, places

ROOT = Path(__file__).parents[1]
THINGS = dict(named_things())
MEMBERS = {f"{name}.{m.name}": m for name, cls in THINGS.items() if inspect.isclass(cls) for m in members(cls)}
SAY_THEMSELVES = {"name", "equations"}  # fields that are what their name says
FIELDS = [
    f"{name}.{f.name}"
    for name, cls in THINGS.items()
    if inspect.isclass(cls) and dataclasses.is_dataclass(cls)
    for f in dataclasses.fields(cls)
    if not f.name.startswith("_") and f.name not in SAY_THEMSELVES
]
SEE_ALSO = re.compile(r"^See also: ((?:`[\w.]+`,?\s?)+)\.$", re.MULTILINE)


def text_of(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def lacks(thing: Any) -> list[str]:
    """Which of the two a docstring does not have."""
    text = text_of(thing)
    return [what for what, found in (("an example", ">>> " in text), ("See also", SEE_ALSO.search(text))) if not found]


def test_everything_has_an_example_and_see_also() -> None:
    """In its docstring; CONTRIBUTING.md says how."""
    assert [f"{n} lacks {' and '.join(lacks(t))}" for n, t in THINGS.items() if lacks(t)] == []


def dead_ends(name: str, text: str) -> list[str]:
    """References of "See also" to what is neither a public name nor a member of a public class, or to itself."""
    known = {n.removeprefix("sb."): t for n, t in THINGS.items()} | {"pi": sb.pi}
    others = [other for found in SEE_ALSO.findall(text) for other in re.findall(r"`([\w.]+)`", found)]
    is_known = {o: o in known or hasattr(known.get(o.rpartition(".")[0]), o.rpartition(".")[2]) for o in others}
    return [f"{name}: {o}" for o in others if not is_known[o] or o == name.removeprefix("sb.")]


def test_see_also_leads_somewhere_else() -> None:
    assert [fault for name, thing in THINGS.items() for fault in dead_ends(name, text_of(thing))] == []
    planted = "See also: `derive`, `Model.gravitate`, `Model.gravity`, `Model`."
    assert dead_ends("sb.Model", planted) == ["sb.Model: Model.gravitate", "sb.Model: Model"]


LARGE_CLASSES = {
    name: cls for name, cls in THINGS.items() if inspect.isclass(cls) and len(list(members(cls))) >= member_groups.LARGE
}


@pytest.mark.parametrize("name", LARGE_CLASSES)
def test_members_of_large_classes_are_in_groups(name: str) -> None:
    """Each in one group, and groups name nothing else; pages begin with a table of them."""
    cls = LARGE_CLASSES[name]
    names = [m.name for m in members(cls)]
    grouped = member_groups.member_groups(cls, names)
    assert "Others" not in grouped, f"{grouped.get('Others')}: name their group in docs/book/member_groups.py"
    assert sorted(n for inside in grouped.values() for n in inside) == sorted(names)
    declared = [
        n for owner in cls.__mro__ for g in member_groups.GROUPS.get(owner.__name__, {}).values() for n in g.split()
    ]
    assert sorted(declared) == sorted(names)


def test_a_member_without_a_group_is_found() -> None:
    assert member_groups.member_groups(sb.Model, ["revolute", "planted"])["Others"] == ["planted"]


def test_places_of_names_are_places_of_their_own() -> None:
    """Also where names differ only in case; members that a class inherits from a public one are at that one's."""
    found = list(places())
    assert len({(p.page, p.anchor) for p in found}) == len(found)
    names = {p.name: p for p in found}
    assert names["sb.linearize"].rank < names["sb.Model.revolute"].rank < names["sb.formats.Robot.link"].rank
    assert "sb.formats.Robot.revolute" not in names
    assert names["sb.Equations.N"].anchor != names["sb.Equations.n"].anchor


@pytest.fixture(scope="module")
def said() -> str:
    """What running all examples says, each by itself, in a process where nothing else was computed."""
    done = subprocess.run(
        [sys.executable, "-m", "docs.book.examples"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_examples_run(said: str) -> None:
    found = re.search(r"^(\d+) examples, 0 of them with faults$", said, re.MULTILINE)
    assert found, said
    assert int(found[1]) >= len(THINGS)


def test_every_member_is_shown(said: str) -> None:
    """An example of its own, or of its class or another member of it, uses each method and property of public classes."""
    assert "\n0 methods and properties that no example of their class shows" in said, said


def test_members_are_explained() -> None:
    """Each in words of its own: the reference would leave out one that is not."""
    words = {name: text_of(m.thing).split(">>> ")[0].split() for name, m in MEMBERS.items()}
    assert [name for name, own in words.items() if not own or own[0] == "What"] == []


def test_fields_are_explained() -> None:
    """In the text of their class, or of one that this inherits from: `help` shows no more of a field than its type."""
    owners = [name.rpartition(".") for name in FIELDS]
    assert [f"{o}.{field}" for o, _, field in owners if not is_explained(field, THINGS[o])] == []


def is_explained(field: str, cls: type) -> bool:
    ours = [c for c in cls.__mro__ if c.__module__.startswith("symbody")]
    prose = "\n".join(b for c in ours for b in re.split(r"\n\s*\n", text_of(c)) if ">>> " not in b)
    return re.search(rf"(?<!\w){field}(?!\w)", prose) is not None


def test_a_field_that_only_an_example_shows_is_not_explained() -> None:
    planted = type("Planted", (), {"__doc__": "Of a\n\nb   told\n\n>>> c\n", "__module__": "symbody.planted"})
    assert [is_explained(f, planted) for f in "abcd"] == [True, True, False, False]


def test_members_that_are_not_shown_are_found() -> None:
    """None is, without examples; an example on another page, or of another class's member, shows nothing."""
    assert set(unshown([])) <= set(MEMBERS)
    owner = MEMBERS["sb.Model.gravity"].owner
    assert "sb.Model.gravity" in unshown([(sb.Equations, owner, "gravity"), (None, owner, "gravity")])
    assert "sb.Model.gravity" not in unshown([(sb.Model, owner, "gravity")])
    assert "sb.formats.Robot.gravity" not in unshown([(sb.Model, owner, "gravity")])  # which it inherits


def test_attributes_are_told_with_their_class() -> None:
    used: list[tuple[type, str]] = []
    assert not faults("planted", '>>> sb.Model("m").ground.x\nground.vector(1, 0, 0)\n', lambda *use: used.append(use))
    assert [name for owner, name in used if owner is sb.Frame] == ["x"]
    assert "ground" not in [name for _, name in used]  # an attribute of the object, not of its class


def test_a_fault_in_an_example_is_found() -> None:
    assert faults("planted", ">>> 1 + 1\n3\n")
    assert not faults("planted", ">>> 1 + 1\n2\n")


@pytest.mark.parametrize(
    ("want", "got", "is_same"),
    [
        ("0.333333\n", "0.3333333333\n", True),
        ("0.333333\n", "0.333335\n", False),
        ("(1.5, 2)\n", "(1.5, 3)\n", False),
        ("1.2e-05\n", "1.24e-05\n", True),
        ("array([ 0.5, 1. ])\n", "array([ 0.5, 1. ])\n", True),
        ("x**2 + 0.5\n", "x**3 + 0.5\n", False),
    ],
)
def test_numbers_agree_as_shown(want: str, got: str, is_same: bool) -> None:
    assert AsShown().check_output(want, got, 0) == is_same
