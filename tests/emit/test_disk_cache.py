"""The cache on disk stays below its limit, whoever writes to it, and is shown and cleared by a command."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import time

import pytest

from symbody.command_line.cli import main
from symbody.emit.cache import disk_cache as cache
from symbody.errors import ProgramError


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "code"))
    return tmp_path / "code"


def kept(folder):
    return sorted(p.stem for p in folder.glob("*.o"))


def fill(folder, ages):
    """Files of 1000 bytes, named by their keys, last used so many seconds ago."""
    for key, age in ages.items():
        cache.save(key, bytes(1000 - 32))
        os.utime(folder / f"{key}.o", (time.time() - age,) * 2)


def test_least_recently_used_files_go_first(own_cache, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE_LIMIT", "4000")
    fill(own_cache, {f"{k:064x}": 100 - k for k in range(4)})
    assert len(kept(own_cache)) == 4
    assert cache.load(f"{0:064x}") is not None  # the oldest is used again
    cache.save(f"{9:064x}", bytes(968))
    assert kept(own_cache) == [f"{k:064x}" for k in (0, 3, 9)]  # 90 % of the limit: room for more than one file


def test_the_directory_is_looked_through_once_in_a_while(own_cache, monkeypatch):
    """About sixteen times while as much as the limit is written, whichever keys the files have."""
    monkeypatch.setenv("SYMBODY_CACHE_LIMIT", "1000K")
    looks = []
    monkeypatch.setattr(cache, "trim", lambda *a: looks.append(a))
    for k in range(1024):
        cache.save(hashlib.sha256(bytes([k % 256, k // 256])).hexdigest(), bytes(1000))
    assert 8 <= len(looks) <= 32


def test_abandoned_temporary_files_go_too(own_cache, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE_LIMIT", "100")
    own_cache.mkdir(mode=0o700)
    old, new = (f".{c * 64}.0123abcd.part.o" for c in "ab")
    for name, age in ((old, 7200), (new, 10), ("notes.txt", 7200)):
        (own_cache / name).write_bytes(b"x")
        os.utime(own_cache / name, (time.time() - age,) * 2)
    cache.save("0" * 64, b"y")
    assert sorted(p.name for p in own_cache.iterdir()) == [new, "0" * 64 + ".o", "notes.txt"]


def test_files_that_another_process_removes_do_no_harm(own_cache, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE_LIMIT", "2000")
    fill(own_cache, {f"{k:064x}": 100 - k for k in range(2)})
    found = cache.entries()
    monkeypatch.setattr(cache, "entries", lambda *_: found)
    (own_cache / f"{0:064x}.o").unlink()
    cache.trim(own_cache, 1500)
    assert kept(own_cache) == [f"{1:064x}"]


@pytest.mark.parametrize(("text", "size"), [("500M", 500 * 2**20), ("2 GiB", 2**31), ("1.5k", 1536), ("4096", 4096)])
def test_limits(monkeypatch, text, size):
    monkeypatch.setenv("SYMBODY_CACHE_LIMIT", text)
    assert cache.limit() == size


def test_no_limit(monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE_LIMIT", "much")
    with pytest.raises(ProgramError, match=r"such as 500M.*'much'"):
        cache.limit()


def _fill_in_other_process(folder, limit, first):
    os.environ |= {"SYMBODY_CACHE": folder, "SYMBODY_CACHE_LIMIT": limit}
    for k in range(first, first + 200):
        key = hashlib.sha256(str(k).encode()).hexdigest()
        cache.save(key, bytes(1000))
        found = cache.load(key)
        assert found is None or found == bytes(1000)


def test_bounded_with_several_processes(own_cache):
    """Each may look when it is a little over, and drop what the other has just seen; what is read is whole or
    nothing."""
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_fill_in_other_process, args=(str(own_cache), "20K", 1000 * k)) for k in range(2)]
    for p in others:
        p.start()
    for p in others:
        p.join()
    assert all(p.exitcode == 0 for p in others)
    assert 0 < sum(e.size for e in cache.entries(own_cache)) < 2 * 20 * 1024


# ------------------------------------------------------------------------------------------------------- the command


def test_command_shows_and_clears(own_cache, monkeypatch, capsys):
    monkeypatch.setenv("SYMBODY_CACHE_LIMIT", "3M")
    fill(own_cache, {f"{k:064x}": 0 for k in range(3)})
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == f"{own_cache}: 3 files, 0.0 MiB of at most 3.0 MiB\n"
    assert main(["cache", "--clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "place": str(own_cache), "entries": 0, "bytes": 0, "limit": 3 * 2**20, "removed": 3, "freed": 3000,
    }  # fmt: skip
    assert kept(own_cache) == []


def test_command_without_a_cache(own_cache, capsys):
    assert main(["cache"]) == 0
    assert "0 files" in capsys.readouterr().out
    assert not own_cache.exists()
