"""Old names work for one release and warn with the new one; docs/stability-of-names.md lists them."""

import copy
import importlib
import inspect
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from types import ModuleType
from typing import Any, cast, get_type_hints

import pytest

import symbody as sb
from docs.book.renamed import classes, old_names, packages, table
from symbody.later import GONE_IN, OldMembers, RenamedWarning, offer

from .repository import tracked_files

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "stability-of-names.md"
INIT = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .inside import thing
__all__ = ["thing"]
"""


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package that offers `thing` and has renamed two names."""
    (tmp_path / "planted_package").mkdir()
    (tmp_path / "planted_package" / "__init__.py").write_text(INIT, encoding="utf-8")
    (tmp_path / "planted_package" / "inside.py").write_text("thing = 7\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module("planted_package")
    offer("planted_package", renamed={"jet": "algebra.Matrix", "lost": "derivation.no_such_name"})
    yield made
    del sys.modules["planted_package"]
    sys.modules.pop("planted_package.inside", None)


def warned(use: Any) -> tuple[Any, warnings.WarningMessage]:
    """What a use of an old name gives, and its one warning."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = use()
    assert [w.category for w in said] == [RenamedWarning]
    return found, said[0]


# ----------------------------------------------------------------------------------------------------------- packages


def test_an_old_name_is_the_new_thing_and_warns_at_the_line_of_its_use(planted: ModuleType) -> None:
    found, said = warned(lambda: planted.jet)
    assert found is sb.Matrix
    assert said.filename == __file__
    assert f"is now sb.algebra.Matrix; the old name stops working in symbody {GONE_IN}" in str(said.message)
    assert warned(lambda: planted.jet)[0] is sb.Matrix  # warns wherever it is used, not only the first time


def test_an_old_name_that_is_imported_warns_at_the_import(planted: ModuleType) -> None:
    space: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        exec(compile("\n\nfrom planted_package import jet", "script.py", "exec"), space)
    assert space["jet"] is sb.Matrix
    assert {(w.filename, w.lineno) for w in said} == {("script.py", 3)}


def test_old_names_are_not_shown(planted: ModuleType) -> None:
    assert dir(planted) == ["thing"]
    assert "jet" not in dict(inspect.getmembers(planted))
    assert planted.thing == 7


def test_an_old_name_without_a_new_one_is_noticed(planted: ModuleType) -> None:
    with pytest.warns(RenamedWarning), pytest.raises(AttributeError, match="no_such_name"):
        planted.lost


def test_a_script_shows_the_warning_to_its_user(tmp_path: Path) -> None:
    """With the filters that Python has by default."""
    old, new = next((old, new) for old, new in old_names() if re.fullmatch(r"sb\.\w+", old))
    script = tmp_path / "script.py"
    script.write_text(f"import symbody as sb\n\n{old}\n", encoding="utf-8")
    run = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"script.py:3: RenamedWarning: {old} is now {new}" in run.stderr


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("simulat", ". Did you mean 'simulate'?"),
        ("Simulate", ". Did you mean 'simulate'?"),
        ("StateSpace", "; there is sb.stability.StateSpace"),
        ("MagicFormula", "; there is sb.kits.vehicles.MagicFormula"),
        ("zxzxzx", ""),
        ("_private", ""),
        ("__wrapped__", ""),
    ],
)
def test_a_name_that_does_not_exist_is_refused_with_advice(name: str, advice: str) -> None:
    assert not hasattr(sb, name)
    with pytest.raises(AttributeError) as caught:
        getattr(sb, name)
    assert str(caught.value) == f"module 'symbody' has no attribute {name!r}{advice}"


def test_the_advice_is_given_once() -> None:
    """Python adds a suggestion of its own to errors that carry a name."""
    run = subprocess.run(
        [sys.executable, "-c", "import symbody as sb; sb.simulat"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr.count("Did you mean") == 1


def test_inspect_and_pickle_treat_the_package_as_any_other() -> None:
    assert inspect.getmodule(sb.simulate).__name__ == "symbody.integrate.run.simulate"
    assert inspect.unwrap(cast(Any, sb)) is sb  # asks for __wrapped__
    assert pickle.loads(pickle.dumps(sb.simulate)) is sb.simulate
    assert inspect.getdoc(sb).startswith("symbody: ")


# ------------------------------------------------------------------------------------------------------------ classes


@dataclass(frozen=True)
class Planted(
    OldMembers,
    renamed={"length": "size", "first": "items.index", "norm": "algebra.tidy(e)", "swap": "algebra.substitute(e, ...)"},
):
    items: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.items)

    @cached_property
    def fails(self) -> int:
        return self.items.no_such  # type: ignore[attr-defined]


@pytest.fixture
def things() -> Any:
    return Planted((3, 4))


def test_an_old_member_is_a_member_of_another_name(things: Any) -> None:
    found, said = warned(lambda: things.length)
    assert found == 2
    assert said.filename == __file__
    assert str(said.message).startswith("Planted.length is now Planted.size; ")
    assert warned(lambda: things.first)[0](4) == 1


def test_an_old_member_is_a_function_of_the_object(monkeypatch: pytest.MonkeyPatch, things: Any) -> None:
    monkeypatch.setattr(sb.algebra, "tidy", lambda thing: ("tidy", thing))
    monkeypatch.setattr(sb.algebra, "substitute", lambda thing, *more: ("substitute", thing, *more))
    found, said = warned(lambda: things.norm)
    assert found == ("tidy", things)
    assert str(said.message).startswith("Planted.norm is now sb.algebra.tidy(e); ")
    assert warned(lambda: things.swap(1, 2))[0] == ("substitute", things, 1, 2)


def test_old_members_are_not_shown(things: Any) -> None:
    assert [n for n in dir(things) if not n.startswith("_")] == ["fails", "items", "size"]


def test_errors_inside_members_stay_as_they_are(things: Any) -> None:
    """A class with `__getattr__` easily reports an AttributeError inside a property as one of the property."""
    with pytest.raises(AttributeError, match="'tuple' object has no attribute 'no_such'"):
        things.fails
    with pytest.raises(AttributeError, match="'Planted' object has no attribute 'sise'") as caught:
        things.sise
    assert (caught.value.name, caught.value.obj) == ("sise", things)  # of which Python makes "Did you mean"
    assert not hasattr(things, "sise")


def test_objects_with_old_members_are_copied_and_pickled(things: Any) -> None:
    assert pickle.loads(pickle.dumps(things)) == copy.deepcopy(things) == copy.copy(things) == things


# --------------------------------------------------------------------------------------------------- what is renamed now


def test_there_is_a_new_name_for_every_old_one() -> None:
    """Nothing is both an old and a present name; renamed members are members of their class, or functions."""
    for written, package in packages("sb", sb):
        assert not set(package._renamed) & set(package.__all__), written
        for new in package._renamed.values():
            assert callable(reached(new)), f"{written}: {new}"
    for cls in classes().values():
        fields = getattr(cls, "__dataclass_fields__", {})
        for old, new in cls._renamed.items():
            path, _, arguments = new.partition("(")
            first = path.split(".")[0]
            assert not hasattr(cls, old), f"{cls.__name__}.{old} exists and is renamed"
            assert callable(reached(path)) if arguments else first in fields or hasattr(cls, first), (
                f"{cls.__name__}: {new}"
            )
            if not arguments and "." in path:
                member = inspect.getattr_static(cls, first)
                inner = get_type_hints(getattr(member, "fget", None) or member.func)["return"]
                assert hasattr(inner, path.split(".")[1]), f"{cls.__name__}: {new}"


def reached(path: str) -> Any:
    return reduce(getattr, path.split("."), sb)


def test_old_names_go_with_the_release_that_was_announced() -> None:
    version = [tuple(map(int, v.split(".")[:2])) for v in (sb.__version__, GONE_IN)]
    assert version[0] < version[1] or not old_names(), (
        f"symbody {sb.__version__}: take out the old names and the page's table"
    )


def test_the_page_lists_the_old_names() -> None:
    """`python -m docs.book.renamed` writes the table."""
    assert table() in PAGE.read_text(encoding="utf-8")


def test_no_page_and_no_file_uses_an_old_name() -> None:
    old = [re.escape(name) for name, _ in old_names() if name.startswith("sb.")]
    assert old
    written = re.compile(rf"\b(?:{'|'.join(old)})(?![\w.])")
    for file in tracked_files():
        if file.endswith((".py", ".md", ".yaml")) and file != "docs/stability-of-names.md":
            found = written.findall((ROOT / file).read_text(encoding="utf-8"))
            assert not found, f"{file}: {found}"
