"""The cache never costs a result, and nothing is run from it that this user's processes did not put there."""

import hashlib
import hmac
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import symbody as sb
from symbody.algebra.graph.linear import FactorShape
from symbody.emit.cache import cache_secret
from symbody.emit.cache import disk_cache as cache
from symbody.emit.cache.program_json import program_of_text, text_of_program
from symbody.emit.lowering.tree_program import tree_program
from symbody.emit.programs.program import Group, Instruction, Output, Program

x = sb.symbol("x")


def value(name: str = "f") -> float:
    return sb.compile(sb.program(name, {"x": x}, {"y": sb.sin(x) + 2 * x}))(0.0)


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("SYMBODY_CACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture(
    params=["no home", "over-long", "not a directory", "a loop", "denied", "relative home", "bad limit", "no unix user"]
)
def bad_machine(request, home, monkeypatch, tmp_path):
    """Ways in which there may be no place for a cache."""
    if request.param == "no home":
        monkeypatch.setattr(
            Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("Could not determine home directory."))
        )
    elif request.param == "over-long":
        monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / ("a" * 5000)))
    elif request.param == "not a directory":
        (home / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(home / "file"))
    elif request.param == "a loop":
        (home / "a").symlink_to(home / "b")
        (home / "b").symlink_to(home / "a")
        monkeypatch.setenv("SYMBODY_CACHE", str(home / "a"))
    elif request.param == "denied":
        monkeypatch.setattr(
            Path, "stat", lambda *a, **k: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
        )
    elif request.param == "relative home":
        monkeypatch.setenv("HOME", "somewhere")
    elif request.param == "bad limit":
        monkeypatch.setenv("SYMBODY_CACHE_LIMIT", "much")
    else:
        monkeypatch.setattr(os, "getuid", lambda: 12345)


def test_a_machine_without_a_place_for_it_costs_time_only(bad_machine):
    with pytest.warns(UserWarning, match="not cached"):
        assert value() == 0.0


def test_whole_run_without_a_home(tmp_path):
    """A home that cannot be made, in a process of its own: results as ever, and nothing written to the working
    directory."""
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME", "SYMBODY_CACHE")}
    environment |= {"PYTHONPATH": str(Path(sb.__file__).parents[1]), "HOME": f"{os.devnull}/home", "XDG_CACHE_HOME": ""}
    code = "import symbody as sb; x = sb.symbol('x'); print(sb.compile(sb.program('f', {'x': x}, {'y': 2*x}))(3.0))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.stdout.strip() == "6.0", done.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("said", ["", ".", "cache", "../cache"])
def test_the_working_directory_is_never_the_cache(said, home, monkeypatch, tmp_path):
    """By the XDG specification a path that is not absolute says nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", said)
    assert cache.directory() == home / ".cache" / "symbody"
    assert value() == 0.0
    assert os.listdir(tmp_path) == ["home"]


BAD_ENTRIES = {
    "the digest of nothing": lambda key, content: hashlib.sha256(b"").digest(),
    "the digest of the key": lambda key, content: hashlib.sha256(key.encode()).digest(),
    "of another key": lambda key, content: hashlib.sha256(b"0" * 64 + content).digest() + content,
    "without a key": lambda key, content: hashlib.sha256(content).digest() + content,
    "empty": lambda key, content: b"",
    "short": lambda key, content: b"\0" * 20,
    "cut": lambda key, content: (hashlib.sha256(key.encode() + content).digest() + content)[:-1],
    "as it was before signatures": lambda key, content: hashlib.sha256(key.encode() + content).digest() + content,
    "signed by another": lambda key, content: hmac.digest(b"x" * 32, key.encode() + content, "sha256") + content,
    "a folder": None,
}


@pytest.mark.parametrize("bad", BAD_ENTRIES)
def test_entries_that_are_not_whole_are_not_run(bad, home):
    value()
    folder = cache.directory()
    (kept,) = folder.iterdir()
    content = kept.read_bytes()[32:]
    kept.unlink()
    if BAD_ENTRIES[bad] is None:
        kept.mkdir()
    else:
        kept.write_bytes(BAD_ENTRIES[bad](kept.stem, content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cache.load(kept.stem) is None
        assert value() == 0.0


def test_what_was_planted_while_the_folder_was_open_is_not_run(home, monkeypatch):
    """An entry in the words of the cache, of another user and then of this one, after chmod 700 as the warning advises:
    it is not loaded, and what is compiled takes its place."""
    value()
    (kept,) = cache.directory().iterdir()
    signed = kept.read_bytes()
    content = signed[32:]
    for mode, data in ((0o666, signed), (0o620, signed), (0o600, hashlib.sha256(kept.stem.encode() + content).digest() + content)):  # fmt: skip
        kept.write_bytes(data)
        kept.chmod(mode)
        assert cache.load(kept.stem) is None
        assert not kept.exists()
        assert value() == 0.0
        assert kept.stat().st_mode & 0o777 == 0o600
    assert cache.load(kept.stem) == content
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    assert cache.load(kept.stem) is None


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="gives files to another user")
def test_entries_of_other_users_are_not_run(home):
    value()
    (kept,) = cache.directory().iterdir()
    os.chown(kept, 65534, 65534)
    assert cache.load(kept.stem) is None
    assert value() == 0.0
    assert kept.stat().st_uid == 0


def test_the_secret_is_known_to_the_user_alone(home):
    value()
    place = home / ".config" / "symbody" / "cache_key"
    assert place.stat().st_mode & 0o777 == 0o600
    assert len(place.read_bytes()) == 32
    assert place.parent not in (cache.directory(), *cache.directory().parents)
    cache_secret._secret_at.cache_clear()
    for spoil in (lambda: place.chmod(0o644), lambda: place.write_bytes(b"short")):
        spoil()
        with pytest.warns(UserWarning, match="remove it, and symbody creates it again"):
            assert value("other") == 0.0
        place.unlink()
        assert value("other") == 0.0  # with another secret
        cache_secret._secret_at.cache_clear()


def test_no_pickles(home, monkeypatch):
    """Programs and tables are kept as plain text and numbers; a pickle that is signed, even, is not opened."""
    monkeypatch.setattr(pickle, "loads", lambda *_: (_ for _ in ()).throw(AssertionError("a pickle was opened")))
    eq = sb.from_equations({x: -x})
    first = sb.simulate(eq, 1.0, x=1.0).y
    assert any(e.path.read_bytes()[32:].startswith(b'{"name"') for e in cache.entries())
    assert (sb.simulate(sb.from_equations({x: -x}), 1.0, x=1.0).y == first).all()
    assert not any(e.path.read_bytes()[32:33] == b"\x80" for e in cache.entries())


def test_programs_are_restored_whole():
    """All kinds of instructions, among them factors of matrices and motions of trees; equal in all, digest and cost among
    it."""
    m = sb.Model("chain")
    before = m.ground
    for k in range(3):
        body = m.body(f"b{k}", mass=m.parameter(f"m{k}", 1.0), com=(0, -1, 0), inertia=(1, 1, 1))
        m.revolute(f"q{k}", before, body, axis="xyz"[k % 3], at=(0, -1, 0))
        before = body
    eq = sb.derive(m, check=False)
    groups = {"t": eq.t, "q": eq.q, "u": eq.u, "p": eq.p}
    a, b = sb.symbols("a b")
    asked = {"y": sb.where(a < b, sb.sin(a) / sb.cos(a), sb.sqrt(b) - 2.5), "z": sb.maximum(a, 1) ** 3}
    x1, x2 = (Instruction("input", (), (0, k)) for k in range(2))
    solves = (x1, x2, Instruction("factor", (0, 1, 0), FactorShape("definite", 2, (1.0, 0.5))), Instruction("solve", (2, 0, 1), False), Instruction("item", (3,), 0), Instruction("item", (3,), 1))  # fmt: skip
    by_hand = Program("g", (Group("x", (a, b)),), (Output("y", (2,), (4, 5), ((0,), (1,))),), solves, {4: "first"})
    programs = [
        by_hand,
        tree_program("slopes", groups, eq, {"q": eq.q, "u": eq.u}),
        sb.program("f", {"a": a, "b": [b]}, asked),
    ]
    assert {"factor", "tree"} <= {i.op for p in programs for i in p.code}
    for p in programs:
        found = program_of_text(text_of_program(p))
        assert (found, found.digest, found.cost) == (p, p.digest, p.cost)
        assert [type(i.data) for i in found.code] == [type(i.data) for i in p.code]
        del found.__dict__["digest"]
        assert found.digest == p.digest


def test_unfinished_entries_of_killed_processes_go(home):
    value()
    folder = cache.directory()
    left = folder / f".{'a' * 64}.01234567.part.o"
    left.write_bytes(b"half")
    assert len(cache.entries()) == 1
    os.utime(left, (1, 1))
    cache.clear()
    assert list(folder.iterdir()) == []
