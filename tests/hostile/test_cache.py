"""The cache never costs a result, and nothing is run from it that this user's processes did not put there."""

import hashlib
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import symbody as sb
from symbody.emit.run import disk_cache as cache

x = sb.symbol("x")


def value(name: str = "f") -> float:
    return sb.compile(sb.program(name, {"x": x}, {"y": sb.sin(x) + 2 * x}))(0.0)


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("SYMBODY_CACHE", "XDG_CACHE_HOME"):
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
    with pytest.warns(UserWarning, match="not kept"):
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
    "a folder": None,
}


@pytest.mark.parametrize("bad", BAD_ENTRIES)
def test_entries_that_are_not_whole_are_not_run(bad, home):
    value()
    folder = cache.directory()
    (kept,) = folder.iterdir()
    content = kept.read_bytes()[32:]
    assert kept.read_bytes()[:32] == hashlib.sha256(kept.stem.encode() + content).digest()
    kept.unlink()
    if BAD_ENTRIES[bad] is None:
        kept.mkdir()
    else:
        kept.write_bytes(BAD_ENTRIES[bad](kept.stem, content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cache.load(kept.stem) is None
        assert value() == 0.0


def test_unfinished_entries_of_killed_processes_go(home):
    value()
    folder = cache.directory()
    left = folder / f".{'a' * 64}.01234567.part.o"
    left.write_bytes(b"half")
    assert len(cache.entries()) == 1
    os.utime(left, (1, 1))
    cache.clear()
    assert list(folder.iterdir()) == []
