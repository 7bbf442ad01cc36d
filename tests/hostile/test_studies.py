"""Studies on disk: another subject is another study, whatever makes it another; damaged answers are computed again, and
said; descriptions lead nowhere else and make nothing large."""

from __future__ import annotations

import collections
import cProfile
import datetime
import json
import re
import sys
import tempfile
import threading
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import symbody as sb
from symbody.study.sweeps.questions.identity import fingerprint
from symbody.study.sweeps.stored.study_folder import CHECKS, StudyFolder

OVER = {"a": [1.0, 2.0, 3.0, 4.0]}


def made(code: str, name: str = "f") -> Any:
    """What a script defines."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(code, names)
    return names[name]


class Scaled:
    def __init__(self, k: float) -> None:
        self.k = k

    def times(self, a: float) -> float:
        return a * self.k


class Slotted:
    __slots__ = ("k",)

    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, a: float) -> float:
        return a * self.k


class Numbers(list[float]):
    def __call__(self, a: float) -> float:
        return a * self[0]


def tabled(s: float) -> sb.Equations:
    x, a = sb.symbol("x", "variable"), sb.symbol("a")
    table = sb.integrate.interpolation("tab", np.arange(5.0), s * np.arange(5.0))
    return sb.from_equations({x: -a * table(x)}, {a: 1.0}, name="e")


def with_output(s: float) -> sb.Equations:
    m = sb.Model("m")
    m.prismatic("x", m.ground, m.particle("p", mass=m.parameter("a", 1.0)), axis="x")
    m.output("y", s * sb.symbol("x", "coordinate"))
    return sb.derive(m)


def nested(value: float, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def external(s: float) -> sb.Expr:
    return sb.algebra.ExternalFunction("g", 1, python=lambda x: s * x)(sb.symbol("x"))


DIFFER = {
    "table of the equations": tabled,
    "output of the equations": with_output,
    "external function": external,
    "state of a bound method": lambda s: Scaled(s).times,
    "state in slots": Slotted,
    "items of a list of one's own": lambda s: Numbers([s]),
    "code of a class": lambda s: made(f"class C:\n    def __call__(self, a): return a * {s}\nf = C()"),
    "keyword default": lambda s: made(f"def f(a, *, k={s}): return a * k"),
    "default": lambda s: made(f"def f(a, k={s}): return a * k"),
    "global number": lambda s: made(f"G = {s}\ndef f(a): return a * G"),
    "global in a nested function": lambda s: made(f"G = {s}\ndef f(a): return (lambda: a * G)()"),
    "helper": lambda s: made(f"def h(a): return a * {s}\ndef f(a): return h(a)"),
    "helper of a helper": lambda s: made(f"def g(a): return a * {s}\ndef h(a): return g(a)\ndef f(a): return h(a)"),
    "helpers that call each other": lambda s: made(f"def g(a): return h(a) * {s}\ndef h(a): return g(a)\ndef f(a): return h(a)"),
    "method of a base": lambda s: made(f"class B:\n    def __call__(self, a): return a * {s}\nclass C(B): pass\nf = C()"),
    "content deep inside": lambda s: nested(s, 60),
    "what is closed over": lambda s: (lambda a: a * s),
    "array of objects": lambda s: np.array([s, None], dtype=object),
    "deque": lambda s: collections.deque([s]),
    "pattern": lambda s: re.compile(f"a{int(s)}"),
    "day": lambda s: datetime.date(2020, 1, int(s)),
    "distribution": lambda s: stats.norm(8, s),
    "keys": lambda s: {(1, s): 2},
}  # fmt: skip


@pytest.mark.parametrize("what", DIFFER)
def test_other_content_has_another_fingerprint(what: str) -> None:
    one, same, other = (fingerprint(DIFFER[what](s)) for s in (1.0, 1.0, 2.0))
    assert one == same != other


def test_a_script_under_a_profiler_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """There `__main__` has the file of the profiler, which is installed."""
    monkeypatch.setattr(sys.modules["__main__"], "__file__", cProfile.__file__, raising=False)
    one, other = (fingerprint(DIFFER["global number"](s)) for s in (1.0, 2.0))
    assert one != other


def test_helpers_in_modules_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By `helpers.scale`, and by what that names in turn."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    found = []
    for k in (1, 2, 1):
        (tmp_path / "helpers_of_a_study.py").write_text(f"K = {k}\ndef scale(a):\n    return K * a\n")
        monkeypatch.delitem(__import__("sys").modules, "helpers_of_a_study", raising=False)
        found.append(fingerprint(made("import helpers_of_a_study as h\ndef f(a): return h.scale(a)")))
    assert found[0] == found[2] != found[1]


def test_circles_end_and_what_cannot_be_told_is_refused() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    assert fingerprint(ring) == fingerprint(ring)
    for thing in (threading.Lock(), (k for k in ()), memoryview(b"a")):
        with pytest.raises(sb.errors.StudyError, match="give version="):
            fingerprint(thing)
    with pytest.raises(sb.errors.StudyError, match="give version="):
        fingerprint(nested(1.0, 10**5))


def test_old_numbers_do_not_come_back(tmp_path: Path) -> None:
    def run(s: float, **more: Any) -> Any:
        return sb.sweep(tabled(s), {"a": [1.0, 2.0]}, sb.study.at_end(1, "x"), values={"x": 1.0}, to=tmp_path / "s.zarr", **more)["x"]  # fmt: skip

    assert run(1.0) == pytest.approx(np.exp([-1.0, -2.0]), abs=1e-5)
    with pytest.raises(sb.errors.StudyError, match="the model or function differs"):
        run(2.0)


def test_version_stands_for_content(tmp_path: Path) -> None:
    lock = threading.Lock()

    def locked(a: float) -> float:
        with lock:
            return a * a

    path = tmp_path / "s.zarr"
    with pytest.raises(sb.errors.StudyError, match="give version="):
        sb.sweep(locked, OVER, to=path)
    assert sb.sweep(locked, OVER)["value"].tolist() == [1, 4, 9, 16]  # without a folder nothing is compared
    for _ in range(2):
        assert sb.sweep(locked, OVER, to=path, version=1)["value"].tolist() == [1, 4, 9, 16]
    with pytest.raises(sb.errors.StudyError, match="the model or function"):
        sb.sweep(locked, OVER, to=path, version=2)
    with pytest.raises(sb.errors.StudyError, match="version= must be a text or a whole number"):
        sb.sweep(locked, OVER, to=path, version=1.5)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------- damage

LOG = Path(tempfile.mkdtemp(prefix="symbody-calls-")) / "calls"


def square(a: float) -> dict[str, float]:
    with LOG.open("a") as file:
        file.write(f"{a}\n")
    return {"v": a * a}


DAMAGE = {
    "garbage": lambda file: file.write_bytes(b"garbage"),
    "half": lambda file: file.write_bytes(file.read_bytes()[:5]),
    "empty": lambda file: file.write_bytes(b""),
    "missing": lambda file: file.unlink(),
    "another number": lambda file: file.write_bytes(zlib.compress(np.array([7.0]).tobytes())),
    "another length": lambda file: file.write_bytes(zlib.compress(np.zeros(5).tobytes())),
    "a bomb": lambda file: file.write_bytes(zlib.compress(bytes(10**8))),
    "a link": lambda file: (file.rename(file.with_name("9")), file.symlink_to("9")),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("where", ["v/1", "status/1", f"{CHECKS}/1"])
def test_damaged_answers_are_computed_again_and_said(damage: str, where: str, tmp_path: Path) -> None:
    path = tmp_path / "c.zarr"
    sb.sweep(square, OVER, to=path, batch=1)
    DAMAGE[damage](path / where)
    if not (where == "status/1" and damage == "missing") and (where, damage) != (f"{CHECKS}/1", "a link"):
        with pytest.warns(UserWarning, match="batch 1 is damaged"):
            seen = sb.study.load_sweep(path)
        assert np.isnan(seen["v"][1])
        assert seen.status.tolist() == [1, 0, 1, 1]
        assert "3 of 4 members" in str(seen)
        assert not seen.is_complete
    LOG.write_text("")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        again = sb.sweep(square, OVER, to=path, batch=1)
    is_harmless = (where, damage) == (f"{CHECKS}/1", "a link")
    assert LOG.read_text().split() == [] if is_harmless else ["2.0"]
    if not is_harmless:
        assert (where, damage) == ("status/1", "missing") or any("damaged, and computed again" in str(w.message) for w in said)  # fmt: skip
    assert again["v"].tolist() == [1, 4, 9, 16]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sb.study.load_sweep(path).status.tolist() == [1, 1, 1, 1]


def changed(path: Path, file: str, change: Any) -> None:
    said = json.loads((path / file).read_text())
    change(said)
    (path / file).write_text(json.dumps(said))


def rename(said: Any) -> None:
    for end in (".zarray", ".zattrs"):
        said["metadata"][f"../../etc/{end}"] = said["metadata"].pop(f"v/{end}")


DESCRIPTIONS = {
    "a name that leads out": (".zmetadata", rename),
    "a size": (".zmetadata", lambda s: s["metadata"]["v/.zarray"].update(shape=[10**13])),
    "a type": (".zmetadata", lambda s: s["metadata"]["v/.zarray"].update(dtype="|O")),
    "values": (".zmetadata", lambda s: s["metadata"]["a/.zarray"].update(dtype="<i8")),
    "dimensions": (".zmetadata", lambda s: s["metadata"]["v/.zattrs"].pop("_ARRAY_DIMENSIONS")),
    "what is varied": (".zattrs", lambda s: s.update(symbody_sweep=s["symbody_sweep"].replace('"a": 4', '"a": 3'))),
    "a name with escapes": (".zattrs", lambda s: s.update(symbody_sweep=s["symbody_sweep"].replace("square", "\\u001b[2J"))),
}  # fmt: skip


@pytest.mark.parametrize("what", DESCRIPTIONS)
def test_damaged_descriptions_are_refused(what: str, tmp_path: Path) -> None:
    path = tmp_path / "c.zarr"
    sb.sweep(square, OVER, to=path, batch=1)
    changed(path, *DESCRIPTIONS[what])
    with pytest.raises(sb.errors.StudyError):
        sb.study.load_sweep(path)
    with pytest.raises(sb.errors.StudyError):
        sb.sweep(square, OVER, to=path, batch=1)


def test_types_of_columns_belong_to_their_numbers(tmp_path: Path) -> None:
    """Numbers read by another type would be others, in silence."""
    path = tmp_path / "c.zarr"
    sb.sweep(square, OVER, to=path, batch=1)
    changed(path, ".zmetadata", lambda s: s["metadata"]["v/.zarray"].update(dtype=">f8"))
    with pytest.warns(UserWarning, match="the batches 0, 1, 2, 3 are damaged"):
        assert np.isnan(sb.study.load_sweep(path)["v"]).all()


def test_sizes_that_are_written_only(tmp_path: Path) -> None:
    """A study of a million million members, of which none is there."""
    path = tmp_path / "c.zarr"
    sb.sweep(square, OVER, to=path, batch=1)

    def enlarge(said: Any) -> None:
        said["symbody_sweep"] = said["symbody_sweep"].replace('"a": 4', '"a": 1000000000').replace('"version": 2', '"version": 1')  # fmt: skip

    changed(path, ".zattrs", enlarge)
    with pytest.raises(sb.errors.StudyError, match=r"but \d+ are available"):
        _ = sb.study.load_sweep(path)["v"]


def test_studies_of_the_first_layout_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.zarr"
    sb.sweep(square, OVER, to=path, batch=1)
    changed(
        path, ".zattrs", lambda s: s.update(symbody_sweep=s["symbody_sweep"].replace('"version": 2', '"version": 1'))
    )
    for file in (path / CHECKS).iterdir():
        file.unlink()
    assert sb.study.load_sweep(path)["v"].tolist() == [1, 4, 9, 16]
    with pytest.raises(sb.errors.StudyError, match=r"without checksums: sb\.load reads it"):
        sb.sweep(square, OVER, to=path, batch=1)
    assert StudyFolder(path).damaged() == []


@pytest.mark.parametrize(
    ("over", "more"),
    [({n: np.arange(1000.0) for n in "abcde"}, {}), ({"a": (0.0, 1.0)}, {"sample": "sobol", "repeat": 2**40}), ({"a": (0.0, 1.0)}, {"repeat": 10**13})],
)  # fmt: skip
def test_more_members_than_can_be(over: Any, more: Any) -> None:
    with pytest.raises(sb.errors.StudyError, match="members"):
        sb.sweep(lambda a, b=0, c=0, d=0, e=0: a, over, **more)
