"""A sweep of 100 000 bicycles, stability over five parameters, killed twice on the way; and what a task costs.

    case, members, seconds, members_per_s      all of it, with starting again
    faults                                     kills: of the client alone, then of the client with all its workers
    lost, twice                                batches that were finished before a kill and are not as they were, and
                                               those that were written again
    error                                      the largest difference to members that were computed by themselves
    rates: workers, members_per_s; overhead: seconds of a task of Dask that does nothing

The picture (`bicycles.svg` in the current folder) has the share of stable bicycles over speed and trail.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from .timing import Row

MEMBERS: Final = 100_000
OVER: Final = {"V": (0.5, 10.0), "b": (0.01, 0.09), "m3": (6.0, 12.0), "L2": (0.2, 0.5), "sigma": (0.2, 0.5)}


def bicycles(to: Path | None, on: Any = "processes", workers: int = 2, members: int = MEMBERS) -> sb.study.SweepResult:
    lin = sb.study.Study(sb.study.find_model("bicycle")).linear
    return sb.sweep(
        lin, OVER, sb.study.spectrum(), sample="latin hypercube", repeat=members, seed=1, on=on, workers=workers, to=to,
        batch=2000 if members == MEMBERS else None,
    )  # fmt: skip


def rows() -> Iterator[Row]:
    """The study that is killed, rates of places, and the overhead of a task."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bicycles.zarr"
        yield killed(path)
        picture(sb.study.load_sweep(path), Path("bicycles.svg"))
    for on, workers in (("threads", 1), ("processes", 1), ("processes", 2)):
        begun = time.perf_counter()
        bicycles(None, on, workers, 20_000)
        seconds = time.perf_counter() - begun
        yield {"case": f"20 000 on {on}", "workers": workers, "seconds": seconds, "members_per_s": 20_000 / seconds}
    yield from of_dask()


def killed(path: Path) -> Row:
    begun, kept, faults = time.perf_counter(), dict[Path, tuple[int, bytes]](), 0
    for share, whole in ((0.3, False), (0.65, True)):
        client = started(path)
        while not path.exists() or len(finished(path)) < share * (MEMBERS // 2000):
            time.sleep(0.01)
        os.killpg(client.pid, signal.SIGKILL) if whole else client.kill()
        client.wait()
        faults += 1
        kept |= {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in finished(path) if p not in kept}
    found = bicycles(path)
    seconds = time.perf_counter() - begun
    lost = sum(p.read_bytes() != content for p, (_, content) in kept.items())
    twice = sum(p.stat().st_mtime_ns != when for p, (when, _) in kept.items())
    return {
        "case": "100 000 bicycles, killed twice", "members": int((found.status == 1).sum()), "failed": len(found.failed), "seconds": seconds,
        "members_per_s": MEMBERS / seconds, "faults": faults, "finished_before_kills": len(kept), "lost": lost, "twice": twice, "error": error(found),
    }  # fmt: skip


def started(path: Path) -> subprocess.Popen[bytes]:
    code = f"from pathlib import Path; from bench.sweep import bicycles; bicycles(Path({str(path)!r}))"
    return subprocess.Popen([sys.executable, "-c", code], start_new_session=True)


def finished(path: Path) -> list[Path]:
    return list((path / "status").glob("[0-9]*"))


def error(found: sb.study.SweepResult) -> float:
    """Of 200 members, against the eigenvalues of each by itself."""
    lin = sb.study.Study(sb.study.find_model("bicycle")).linear
    some, all_values = np.random.default_rng(1).integers(0, len(found), 200), found["eigenvalues"]
    off = [
        np.abs(np.sort_complex(all_values[k]) - np.sort_complex(lin.eigenvalues(values=found.values(int(k))))).max()
        for k in some
    ]
    return float(max(off))


def of_dask() -> Iterator[Row]:
    """A cluster of several processes on this computer: rate, and the overhead of a task."""
    try:
        import distributed
    except ImportError:
        return
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        begun = time.perf_counter()
        client.gather(client.map(abs, range(2000), pure=False))
        overhead = (time.perf_counter() - begun) / 2000
        for turn in ("first", "again"):
            begun = time.perf_counter()
            found = bicycles(None, client, 2, 20_000)
            seconds = time.perf_counter() - begun
            yield {
                    "case": f"20 000 on dask, {turn}", "workers": 2, "seconds": seconds, "members_per_s": len(found) / seconds, "overhead": overhead,
                }  # fmt: skip


def picture(found: sb.study.SweepResult, path: Path) -> None:
    """The share of stable bicycles over speed and trail."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    shown = axes.hexbin(
        found["V"], found["b"], (found["unstable"] == 0).astype(float), gridsize=40, cmap="viridis", mincnt=1
    )
    shown.set_rasterized(True)  # thousands of hexagons are a large file otherwise
    figure.colorbar(shown, label="share of stable bicycles")
    axes.set(xlabel="speed V [m/s]", ylabel="trail b [m]", title=f"{len(found)} bicycles, five parameters")
    figure.savefig(path, bbox_inches="tight", dpi=120)
