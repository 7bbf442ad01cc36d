"""The names that a user meets: everyday ones in `symbody`, all of them in the module of their stage, each documented,
each loaded when it is first used."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest

import symbody
from bench.size import own_answers, wide_classes
from symbody.later import offer

ROOT = Path(__file__).parents[1]
STAGES = (
    "algebra",
    "bodies",
    "derivation",
    "emit",
    "formats",
    "integrate",
    "stability",
    "study",
    "view",
    "write",
    "kits",
)
PACKAGES = (
    "symbody",
    *(f"symbody.{s}" for s in STAGES),
    "symbody.kits.biomechanics",
    "symbody.kits.motions",
    "symbody.kits.robots",
    "symbody.kits.teaching",
    "symbody.kits.vehicles",
)
NAMES = [(p, n) for p in PACKAGES for n in importlib.import_module(p).__all__]
CONSTANTS = ["MANCHESTER", "STRUT", "WISHBONES", "pi"]
NEVER = {"sympy", "scipy", "matplotlib", "yaml", "llvmlite", "numpy", "mpmath"}


def test_public_names_are_documented() -> None:
    """Functions, classes and modules say what they are; constants are listed here."""
    things = {f"{p}.{n}": getattr(importlib.import_module(p), n) for p, n in NAMES}
    explained = {n: t for n, t in things.items() if callable(t) or isinstance(t, ModuleType)}
    assert [n for n, t in explained.items() if not (inspect.getdoc(t) or "").strip()] == []
    assert sorted({n.rpartition(".")[2] for n in things.keys() - explained.keys()}) == CONSTANTS


def test_the_package_has_the_names_of_everyday_scripts() -> None:
    """A new one takes the place of one that scripts use less, which goes to its stage (docs/why/0061)."""
    assert len(dir(symbody)) <= 150


@pytest.mark.parametrize("wide", ["Equations", "LinearSystem"])
def test_the_waists_answer_twenty_questions_at_most(wide: str) -> None:
    """Beside the letters of their equations, which are fields; other answers are functions of the stage
    (docs/why/0061)."""
    found = own_answers(wide_classes()[wide])
    assert len(found) <= 20, sorted(found)
    assert {"Equations": "udot", "LinearSystem": "eigenvalues"}[wide] in found


@pytest.mark.parametrize("package", PACKAGES)
def test_dir_shows_the_public_names_and_nothing_else(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        getattr(module, name)
    assert dir(module) == sorted(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)
    assert not [n for n in module.__all__ if n.startswith("_")]


def test_everyday_names_are_names_of_a_stage() -> None:
    """`symbody` selects; what it offers is the same object there."""
    stages = [importlib.import_module(f"symbody.{s}") for s in STAGES]
    for name in set(symbody.__all__) - set(STAGES) - set(dir_of_errors()):
        offered = [s for s in stages if name in s.__all__]
        assert len(offered) == 1, f"{name} is offered by {[s.__name__ for s in offered]}"
        assert getattr(symbody, name) is getattr(offered[0], name)


def dir_of_errors() -> list[str]:
    return ["errors", *(n for n in symbody.__all__ if n.endswith("Error"))]


def test_special_names_are_not_flat() -> None:
    """Result types that people rarely construct are found at their stage."""
    for package, name in (
        ("stability", "StateSpace"),
        ("emit", "Cost"),
        ("integrate", "Statistics"),
        ("view", "Figure"),
    ):
        assert not hasattr(symbody, name)
        assert getattr(getattr(symbody, package), name).__name__ == name


def test_a_function_is_not_hidden_by_the_folder_of_its_name() -> None:
    """Python sets the attribute of a package to each submodule it imports; `derive`, `steady`, `matrix` stay
    functions."""
    code = """
import inspect, symbody.derivation.questions.audit, symbody.stability.equilibria.steady, symbody.algebra.graph.matrix, symbody as sb
print(*(inspect.isfunction(f) for f in (sb.derive, sb.audit, sb.steady, sb.stability.steady, sb.algebra.matrix, sb.matrix)))
"""
    assert set(python(code).split()) == {"True"}


MODULES = [m.name for m in pkgutil.walk_packages(symbody.__path__, "symbody.") if not m.name.endswith("__main__")]


def test_dotted_paths_lead_to_modules() -> None:
    """`import symbody.derivation.equations.equations as e`, and `mock.patch`, which takes a path to what it replaces."""
    assert len(MODULES) > 700
    behind = []
    for path in MODULES:
        module = importlib.import_module(path)
        space: dict[str, object] = {}
        try:
            exec(f"import {path} as found", space)
        except ImportError:
            behind.append(path)
            continue
        if space["found"] is not module:
            behind.append(path)
        with mock.patch(f"{path}.__name__", "patched"):
            assert module.__name__ == "patched"
    assert all(path.startswith("symbody.write.artefacts") for path in behind), (
        behind
    )  # `sb.write.export` is the function


def test_what_a_module_uses_can_be_patched() -> None:
    with mock.patch("symbody.integrate.run.simulate.simulate", return_value="patched"):
        simulate = importlib.import_module("symbody.integrate.run.simulate")
        assert simulate.simulate() == "patched"
    assert symbody.integrate.simulate is simulate.simulate


def test_a_name_without_an_import_for_type_checkers_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: listed, but imported from nowhere."""
    (tmp_path / "planted.py").write_text("__all__ = ['lost']\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    planted = importlib.import_module("planted")
    offer("planted")
    with pytest.raises(KeyError, match="lost"):
        planted.lost


# ---------------------------------------------------------------------------------------------------- the changelog


def test_the_changelog_says_each_thing_once() -> None:
    """Merging takes lines of both sides, and leaves an entry twice where one side has moved it."""
    lines = [line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("#")]  # each version has its headings
    assert not {line for line in lines if lines.count(line) > 1}, "CHANGELOG.md: keep one of each of these"


def test_names_in_the_changelog_exist() -> None:
    """Users copy them from there."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    written = set(re.findall(r"\bsb\.([a-zA-Z_.]*\w)", text))
    assert not {name for name in written if not reached(name)}
    assert not {name for name in re.findall(r"`m\.(\w+)", text) if not hasattr(symbody.Model, name)}


def reached(path: str) -> bool:
    thing: object = symbody
    for name in path.split("."):
        if not hasattr(thing, name):
            return False
        thing = getattr(thing, name)
    return True


# ---------------------------------------------------------------------------------------------------- what is loaded


def test_loading_the_package_loads_nobody_else() -> None:
    """Each of them takes longer to load than all of ours; they come when a name that needs them is used."""
    assert loaded("import symbody") == set()
    ours = python("import sys, symbody; print(*(m for m in sys.modules if m.startswith('symbody')))")
    assert set(ours.split()) == {"symbody", "symbody.later", "symbody.version"}  # no stage either
    assert loaded("import symbody; symbody.from_sympy") >= {"sympy"}
    assert loaded("import symbody; symbody.Model('m'); symbody.derive; symbody.audit") <= {"numpy"}
    ours = python("import sys, symbody; symbody.Model('m'); symbody.derive; print(*sys.modules)")
    assert "multiprocessing" not in ours.split()


@pytest.mark.parametrize(
    "arguments", [["examples"], ["check", "slider_crank"], ["check", "motorcycle", "--json"]], ids=" ".join
)
def test_checking_a_model_loads_what_it_needs(arguments: list[str]) -> None:
    """`symbody check` describes, derives and audits: no compiler, no SymPy, SciPy, Matplotlib."""
    assert loaded(f"from symbody.command_line.cli import main\nmain({arguments})") <= {"yaml", "numpy"}


def loaded(code: str) -> set[str]:
    """Packages of others that are in memory afterwards."""
    seen = python(f"import sys\n{code}\nprint()\nprint(*sys.modules)").splitlines()[-1]
    return NEVER & {m.split(".")[0] for m in seen.split()}


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
