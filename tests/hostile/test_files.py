"""Files appear whole or not at all, whatever happens while they are written."""

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import symbody as sb
from symbody import whole_files
from symbody.command_line.cli import main
from symbody.study.sources import find_model
from symbody.study.study import Study

from ..amount import some

GOOD = b"what was there before"


@pytest.fixture(scope="module")
def eq():
    m = sb.Model("pendulum")
    bob = m.body("bob", mass=1, com=(0, -1, 0), inertia=(1, 1, 1))
    m.revolute("q", m.ground, bob)
    m.gravity(0, -9.81, 0)
    m.output("y", bob.mass_centre.position().dot(m.ground.y))
    return sb.derive(m)


@pytest.fixture(scope="module")
def sim(eq):
    return sb.simulate(eq, 1, q=1)


# ---------------------------------------------------------------------------------------------------- every writer

WRITERS = {
    "run.npz": lambda eq, sim, path: sb.write.save_trajectory(sim, path),
    "plot.svg": lambda eq, sim, path: sb.plot(sim).save(path),
    "plot.png": lambda eq, sim, path: sb.plot(sim).save(path),
    "plot.pdf": lambda eq, sim, path: sb.plot(sim).save(path),
    "plot.csv": lambda eq, sim, path: sb.plot(sim).save(path),
    "plot.json": lambda eq, sim, path: sb.plot(sim).save(path),
    "view.html": lambda eq, sim, path: sb.scene(sim).save(path),
    "view.glb": lambda eq, sim, path: sb.scene(sim).save(path),
    "view.svg": lambda eq, sim, path: sb.scene(sim).save(path),
    "film.gif": lambda eq, sim, path: sb.write.film(sb.scene(sim), path, width=32, height=32, rate=1),
    "model.yaml": lambda eq, sim, path: sb.write_model(eq.mechanism, path),
    "f.c": lambda eq, sim, path: sb.c_source(sb.program("f", {"p": eq.p, "q": eq.q}, {"M": eq.M})).write(path.parent),
    "run.csv": lambda eq, sim, path: main(["simulate", "double_pendulum", "-t", "0.1", "-o", str(path)]),
    "run.json": lambda eq, sim, path: main(["simulate", "double_pendulum", "-t", "0.1", "-o", str(path)]),
    "equations.tex": lambda eq, sim, path: main(["derive", "double_pendulum", "--as", "latex", "-o", str(path)]),
    "new.yaml": lambda eq, sim, path: main(["new", "a", "-o", str(path)]),
    "index.html": lambda eq, sim, path: sb.write.write_report(Study(find_model("double_pendulum"), {}, options={"t": 0.1}), path.parent),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_file_that_was_there(name, eq, sim, tmp_path, monkeypatch):
    """Whatever is written goes through one function; when its last step fails, the good file is untouched and nothing
    else is left."""
    path = tmp_path / name
    if name != "new.yaml":  # which never overwrites
        path.write_bytes(GOOD)
    seen = []

    def full(part, target):
        seen.append(Path(target).name)
        if Path(target).name == name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.rename(part, target)

    monkeypatch.setattr("symbody.whole_files.os.replace", full)
    if name in ("run.csv", "run.json", "equations.tex", "new.yaml"):
        assert WRITERS[name](eq, sim, path) == 4
    else:
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            WRITERS[name](eq, sim, path)
    assert name in seen
    assert name == "new.yaml" or path.read_bytes() == GOOD
    assert not [p for p in tmp_path.rglob("*") if whole_files.is_unfinished(p)]


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_no_room_for_a_trajectory(eq, tmp_path):
    """A real limit, in a process of its own: the good file stays, byte for byte."""
    path = tmp_path / "run.npz"
    sb.write.save_trajectory(sb.simulate(eq, 0.1, q=1), path)
    before = path.read_bytes()
    code = f"""
import resource, signal, symbody as sb
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
m = sb.Model("pendulum")
bob = m.body("bob", mass=1, com=(0, -1, 0), inertia=(1, 1, 1))
m.revolute("q", m.ground, bob)
m.gravity(0, -9.81, 0)
sim = sb.simulate(sb.derive(m), 200, q=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
try: sb.write.save_trajectory(sim, {str(path)!r})
except OSError as reason: print("OSError")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=_environment())
    assert (done.stdout.strip(), done.returncode) == ("OSError", 0), done.stderr
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.npz"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 8192


def test_an_exception_while_writing(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(GOOD)

    def half() -> None:
        with whole_files.whole_file(path) as file:
            file.write(b"half")
            file.flush()
            assert path.read_bytes() == GOOD
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert path.read_bytes() == GOOD
    assert os.listdir(tmp_path) == ["a.txt"]


def test_permissions_links_and_devices(tmp_path):
    (tmp_path / "real.txt").write_bytes(GOOD)
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    whole_files.write_text(tmp_path / "link.txt", "new\n")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == b"new\n"
    assert stat.S_IMODE((tmp_path / "real.txt").stat().st_mode) == 0o640
    whole_files.write_text(os.devnull, "gone")
    with pytest.raises(OSError, match="directory"):
        whole_files.write_text(tmp_path, "x")
    mask = os.umask(0o027)
    try:
        whole_files.write_text(tmp_path / "fresh.txt", "x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "fresh.txt").stat().st_mode) == 0o640


def test_what_killed_processes_left_is_removed_later(tmp_path):
    old, new, other = (tmp_path / f".{n}.part.txt" for n in ("a.00000000", "a.11111111", "b.22222222"))
    for p in (old, new, other):
        p.write_bytes(b"half")
    for p in (old, other):
        os.utime(p, (time.time() - 7200,) * 2)
    whole_files.write_text(tmp_path / "a.txt", "x")
    assert sorted(os.listdir(tmp_path)) == sorted([new.name, other.name, "a.txt"])


def test_many_writers_at_once(tmp_path):
    """Readers see one of the contents, never a mixture."""
    path, contents = tmp_path / "a.bin", [bytes([k]) * 200_000 for k in range(4)]

    def write(content):
        for _ in range(10):
            whole_files.write_bytes(path, content)

    whole_files.write_bytes(path, contents[0])
    threads = [threading.Thread(target=write, args=(c,)) for c in contents]
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == ["a.bin"]


# ---------------------------------------------------------------------------------------------------- signals


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(sb.__file__).parents[1]), **more}


LONG = """
symbody: 1
name: long
bodies: {b: {mass: 1, com: [0, -1, 0], inertia: [1, 1, 1]}}
joints: {q: {revolute: [ground, b]}}
gravity: [0, -9.81, 0]
start: {q: 1}
"""


HEED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""A shell may have started this run with Ctrl-C ignored, which its children inherit."""


def _started(code: str, ready: Path | str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", HEED + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_environment(),
    )  # fmt: skip
    end = time.monotonic() + 60
    while not Path(ready).exists() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.02)
    time.sleep(0.3)
    return process


RUN = """
import sys, pathlib, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a test run in the background does not hand on
from symbody.command_line.cli import main
from symbody.integrate.run import run
original = run.Progress.show
def show(self, *a):
    pathlib.Path({ready!r}).touch()
    return original(self, *a)
run.Progress.show = show
sys.exit(main({arguments!r}))
"""


@pytest.mark.parametrize(
    ("what", "sent"),
    some(
        [
            ("simulate", signal.SIGINT),
            ("simulate", signal.SIGTERM),
            ("report", signal.SIGINT),
            ("report", signal.SIGTERM),
        ],
        3,
    ),
)
def test_an_interrupted_command_says_so_and_writes_nothing(tmp_path, sent, what):
    """Exit code 130, as documented; the file of an earlier run is as it was."""
    model, ready = tmp_path / "long.yaml", tmp_path / "ready"
    model.write_text(LONG, encoding="utf-8")
    target = tmp_path / ("run.csv" if what == "simulate" else "out")
    if what == "simulate":
        target.write_bytes(GOOD)
    arguments = [what, str(model), "-t", "100000", "-o", str(target)]
    process = _started(RUN.format(ready=str(ready), arguments=arguments), ready)
    process.send_signal(sent)
    out, said = process.communicate(timeout=60)
    assert process.returncode == 130, (out, said)
    assert "interrupted" in said or "terminated" in said
    if what == "simulate":
        assert target.read_bytes() == GOOD
    else:
        assert not (target / "index.html").exists()
    assert not [p for p in tmp_path.rglob("*") if whole_files.is_unfinished(p)]


LOADING = """
import os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Sender:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), {sent})
sys.meta_path.insert(0, Sender())
sys.argv = ["symbody", "examples"]
runpy.run_module("symbody", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("module", ["symbody.command_line.cli", "symbody.command_line.commands"])
def test_a_command_interrupted_while_it_loads(sent, module):
    """130 and one line, as when it runs."""
    text = LOADING.format(module=module, sent=int(sent))
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=_environment(), check=False)
    assert done.returncode == 130, done.stderr
    assert done.stderr.startswith("symbody: interrupted")
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout


KILLED = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from symbody import whole_files
from symbody.command_line.cli import _ending_like_ctrl_c
with _ending_like_ctrl_c(), whole_files.whole_file({path!r}) as file:
    for k in range(100000):
        file.write(b"half" * 1000); file.flush()
        pathlib.Path({ready!r}).touch()
        time.sleep(0.01)
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_process_killed_while_it_writes(tmp_path, sent):
    path, ready = tmp_path / "a.bin", tmp_path / "ready"
    path.write_bytes(GOOD)
    process = _started(KILLED.format(path=str(path), ready=str(ready)), ready)
    process.send_signal(sent)
    process.communicate(timeout=60)
    assert path.read_bytes() == GOOD
    left = [p for p in tmp_path.iterdir() if whole_files.is_unfinished(p)]
    assert len(left) == (sent == signal.SIGKILL)


def test_terminals_without_unicode(tmp_path):
    """Every command's text and help can be printed in ASCII."""
    model = tmp_path / "model.yaml"
    model.write_text(LONG.replace("name: long", "name: größer ↯"), encoding="utf-8")
    environment = _environment(PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0")
    motion = ["simulate", str(model), "-t", "0.1", "-o", str(tmp_path / "a.csv")]
    commands = [["check", str(model)], ["eig", str(model)], motion, ["certify", str(model)], ["--help"]]
    code = f"from symbody.command_line.cli import main\nfor arguments in {commands!r}:\n    assert not main(arguments), arguments"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode("ascii")
    assert all(f"{name} " in said for name, *_ in commands[:-1])  # in the help, which comes last
