"""A study that is killed at any moment goes on where it stopped, loses nothing that was finished, and computes nothing
of it twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.study.sweeps.stored.claims import claim, claims_of
from symbody.study.sweeps.stored.study_folder import StudyFolder

from ..amount import dear

MEMBERS, BATCH = 60, 5
LOG = "SYMBODY_TEST_LOG"


def logged(a: float) -> float:
    """A member that says that it was computed, and takes a while."""
    if LOG in os.environ:
        with open(os.environ[LOG], "a") as file:  # a short line is written in one piece
            file.write(f"{int(a)}\n")
        time.sleep(float(os.environ.get("SYMBODY_TEST_PAUSE", "0")))
    return a * a


def study(path: Path, on: str) -> sb.study.SweepResult:
    return sb.sweep(logged, {"a": list(range(MEMBERS))}, to=path, batch=BATCH, on=on, workers=1)


def begun(path: Path, log: Path, on: str) -> subprocess.Popen[bytes]:
    """A client in a session of its own, so that it can be killed with all that it started."""
    code = (
        f"from tests.study.test_sweep_killed import study; from pathlib import Path; study(Path({str(path)!r}), {on!r})"
    )
    here = {**os.environ, LOG: str(log), "SYMBODY_TEST_PAUSE": "0.02"}
    return subprocess.Popen(
        [sys.executable, "-c", code], env=here, start_new_session=True, cwd=Path(__file__).parents[2]
    )


def finished(path: Path) -> list[int]:
    folder = StudyFolder(path)
    return [k for k in range(len(folder.batches)) if folder.is_finished(k)]


def wait_until(holds: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def descendants(group: int) -> list[int]:
    """Processes of a session that are alive."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == group and fields[0] != "Z":
            found.append(int(place.name))
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at the processes of Linux")
@pytest.mark.parametrize(("on", "who"), [("threads", "client"), ("processes", "client"), ("processes", "everything")])
def test_killed_and_taken_up_again(on: str, who: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, log = tmp_path / "study.zarr", tmp_path / "log"
    client = begun(path, log, on)
    wait_until(lambda: path.exists() and len(finished(path)) >= 3)
    if who == "client":
        client.kill()
    else:
        os.killpg(client.pid, signal.SIGKILL)
    client.wait()
    wait_until(lambda: not descendants(client.pid), 20)  # nobody is left behind
    done = finished(path)
    assert 3 <= len(done) < MEMBERS // BATCH
    kept = {k: StudyFolder(path)._file("value", StudyFolder(path).schema()["value"], k).read_bytes() for k in done}

    monkeypatch.setenv(LOG, str(log))
    found = study(path, "threads")
    assert found["value"].tolist() == [a * a for a in range(MEMBERS)]
    assert found.is_complete
    times = np.bincount([int(line) for line in log.read_text().split()], minlength=MEMBERS)
    batch_of = {a: k for k in range(MEMBERS // BATCH) for a in StudyFolder(path).batches.members(k)}
    assert [int(times[a]) for a in range(MEMBERS) if batch_of[a] in done] == [1] * (BATCH * len(done))
    assert times.min() == 1
    assert times.max() <= 2  # those of the batch that was under way
    for k, content in kept.items():
        assert StudyFolder(path)._file("value", StudyFolder(path).schema()["value"], k).read_bytes() == content
    assert not claims_of(path).exists()


@dear
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at the processes of Linux")
@pytest.mark.parametrize("who", ["worker", "client", "client and workers"])
def test_killed_on_dask(who: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster of real processes. A worker that dies is replaced, and its batch is computed again; a client that dies is
    followed by another one on the same cluster, which may have lost its workers as well."""
    distributed = pytest.importorskip("distributed")
    path, log = tmp_path / "study.zarr", tmp_path / "log"
    monkeypatch.setenv(LOG, str(log))
    monkeypatch.setenv("SYMBODY_TEST_PAUSE", "0.05")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        workers = [w.pid for w in cluster.workers.values()]
        client = begun(path, log, cluster.scheduler_address)
        wait_until(lambda: path.exists() and len(finished(path)) >= 3)
        done = finished(path)
        if who == "worker":
            os.kill(workers[0], signal.SIGKILL)
            assert client.wait(120) == 0
        else:
            client.kill()
            client.wait()
            for worker in workers if who == "client and workers" else ():
                os.kill(worker, signal.SIGKILL)
        found = study(path, cluster.scheduler_address)
    assert found["value"].tolist() == [a * a for a in range(MEMBERS)]
    assert found.is_complete
    times = np.bincount([int(line) for line in log.read_text().split()], minlength=MEMBERS)
    batch_of = {a: k for k in range(MEMBERS // BATCH) for a in StudyFolder(path).batches.members(k)}
    assert {int(times[a]) for a in range(MEMBERS) if batch_of[a] in done} == {1}  # nothing that was finished, twice
    assert times.min() == 1
    assert (times > 1).sum() <= 4 * BATCH  # batches that were under way


def test_half_written_chunks_are_computed_again(tmp_path: Path) -> None:
    """What a loss of power may leave: a chunk of zeros or half of one, or a status without its batch."""
    path = tmp_path / "study.zarr"
    whole = study(path, "threads")
    content = (path / "status" / "4").read_bytes()
    (path / "status" / "2").unlink()
    (path / "status" / "4").write_bytes(content[: len(content) // 2])
    (path / "status" / "5").write_bytes(bytes(len(content)))
    assert sorted(set(range(12)) - set(finished(path))) == [2, 4, 5]
    assert study(path, "threads")["value"].tolist() == whole["value"].tolist()


def test_a_study_that_had_no_columns_yet(tmp_path: Path) -> None:
    """Killed between making the folder and the first answer, or while its columns were made: all descriptions are those
    of the last file."""
    path = tmp_path / "study.zarr"
    study(path, "threads")
    folder = StudyFolder(path)
    complete = (path / ".zmetadata").read_text()
    for k in range(12):
        (path / "status" / str(k)).unlink()
    (path / "value" / ".zarray").unlink()
    said = json.loads(complete)
    said["metadata"] = {k: v for k, v in said["metadata"].items() if not k.startswith("value/")}
    (path / ".zmetadata").write_text(json.dumps(said))
    assert folder.schema() == {}
    assert study(path, "threads")["value"].tolist() == [a * a for a in range(MEMBERS)]


def test_two_at_once_are_refused_and_a_batch_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "study.zarr"
    with claim(path, "study"), pytest.raises(sb.errors.StudyError, match="another process is computing this study"):
        study(path, "threads")
    assert study(path, "threads").is_complete


def test_interrupted_by_the_keyboard(tmp_path: Path) -> None:
    """Ctrl-C says how far it came; what was being computed is finished first, and the same call goes on."""
    path, log = tmp_path / "study.zarr", tmp_path / "log"
    client = begun(path, log, "threads")
    wait_until(lambda: path.exists() and len(finished(path)) >= 2)
    client.send_signal(signal.SIGINT)
    assert client.wait(20) != 0
    computed, batches = {int(line) for line in log.read_text().split()}, StudyFolder(path).batches
    kept = {a for k in finished(path) for a in batches.members(k)}
    assert computed - kept <= set(range(16))  # the first members, by which the size of batches is chosen
    assert study(path, "threads").is_complete
