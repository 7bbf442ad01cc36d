"""Digests of sources: those of their content, found by size and time where they were read before."""

from __future__ import annotations

import os

import pytest

from symbody.emit.cache import source_digests as sources


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "code"))
    (tmp_path / "package" / "inner").mkdir(parents=True)
    (tmp_path / "package" / "a.py").write_text("a = 1\n")
    (tmp_path / "package" / "inner" / "b.py").write_text("b = 1\n")
    return tmp_path / "package"


def digest(folder):
    """As a new process finds it."""
    for function in (sources.sources_of, sources.digest_of, sources._stamps):
        function.cache_clear()
    try:
        return sources.sources_of(str(folder))
    finally:
        sources.sources_of.cache_clear()


def test_what_was_read_once_is_not_read_again(folder, monkeypatch):
    first = digest(folder)
    digest_of = sources.digest_of
    monkeypatch.setattr(sources, "digest_of", lambda file: pytest.fail(f"{file} was read"))
    sources._stamps.cache_clear()
    assert sources.sources_of(str(folder)) == first
    monkeypatch.setattr(sources, "digest_of", digest_of)
    sources.sources_of.cache_clear()


@pytest.mark.parametrize("name", ["a.py", "inner/b.py"])
def test_content_counts_and_times_do_not(folder, name):
    first, file = digest(folder), folder / name
    os.utime(file, ns=(0, 12345))
    assert digest(folder) == first
    file.write_text(file.read_text().replace("1", "2"))  # as long as before
    changed = digest(folder)
    assert changed != first
    file.write_text(file.read_text().replace("2", "1"))
    assert digest(folder) == first
