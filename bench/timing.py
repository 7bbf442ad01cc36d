"""How time and memory are measured.

Times are CPU times of the thread, in many repetitions, minimum and median: the minimum is what the code costs, a median
far above it says that a neighbour disturbed. `calibration` is a fixed piece of work to be timed beside everything else,
so that rows of different runs can be compared. Anything whose first run differs from later ones (caches of SymPy, warm
memory) is run in a fresh process, by `fresh`.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import math
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .limits import USUAL, Limit, confine, ended_by_time, ending, too_large, too_long

Row = dict[str, Any]


class Times(NamedTuple):
    """Seconds for one execution."""

    least: float
    median: float


def repeated(
    act: Callable[[], Any], repeats: int = 15, at_least: float = 0.02, clock: Callable[[], float] = time.thread_time
) -> Times:
    """Time of one execution, from `repeats` batches that take `at_least` seconds each."""
    act()
    start = clock()
    act()
    once = max(clock() - start, 1e-8)
    count = max(1, round(at_least / once))
    times = []
    for _ in range(repeats):
        start = clock()
        for _ in range(count):
            act()
        times.append((clock() - start) / count)
    return Times(min(times), statistics.median(times))


def warm_up(act: Callable[[], Any], seconds: float = 2.0) -> None:
    """Call until machine code is that of full effort: code begins as what is quick to have, and is made better when it
    has run for about as long as that takes (`symbody/integrate/forms/compile_effort.py`)."""
    begun = time.process_time()
    act()
    while time.process_time() < begun + seconds:
        act()


def alternately(acts: Mapping[str, Callable[[], Any]], rounds: int = 40, at_least: float = 0.004) -> dict[str, float]:
    """The least CPU time of each of several executions, measured in turn: on a machine whose clock changes, ratios of
    times that were measured one after the other say little."""
    counts, least = {}, dict.fromkeys(acts, math.inf)
    for name, act in acts.items():
        act()
        start = time.thread_time()
        act()
        counts[name] = max(1, round(at_least / max(time.thread_time() - start, 1e-8)))
    for _ in range(rounds):
        for name, act in acts.items():
            start = time.thread_time()
            for _ in range(counts[name]):
                act()
            least[name] = min(least[name], (time.thread_time() - start) / counts[name])
    return least


def calibration() -> float:
    """Microseconds for a fixed loop of Python: rows measured while this was high were disturbed."""

    def work() -> float:
        x = 0.5
        for _ in range(10_000):
            x = x * 0.999 + 0.001
        return x

    return repeated(work).least * 1e6


# ---------------------------------------------------------------------------------------------------- fresh processes


def fresh(place: str, *arguments: Any, limit: Limit = USUAL) -> Row | None:
    """The result of `module:function` called in a new process, with its `peak_mb`; None where a package is missing.

    Raises `StoppedError` at a limit, RuntimeError where the process fails otherwise.
    """
    command = [sys.executable, "-m", "bench.timing", place, json.dumps(arguments), json.dumps(limit)]
    try:
        done = subprocess.run(
            command,
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            check=False,
            timeout=limit.wall_seconds,
        )
    except subprocess.TimeoutExpired:
        raise too_long(limit) from None
    if ended_by_time(done.returncode):
        raise too_long(limit)
    if done.returncode:
        if "MemoryError" in done.stderr:
            raise too_large(limit)
        if "ModuleNotFoundError: No module named" in done.stderr:
            return None
        crash = f"\n{ending(done.returncode)}" if done.returncode < 0 else ""
        raise RuntimeError(f"{place}{arguments} failed:\n{done.stderr}{crash}")
    return json.loads(done.stdout.splitlines()[-1])


def peak_mb() -> float:
    """Largest memory that this process has had, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss also counts the process that started this one
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)


# ---------------------------------------------------------------------------------------------------- calls from C

_DRIVER = """
#include <time.h>
typedef void (*Function)(const double *const *in, double *const *out, double *work);

/* Calls f for each state in turn, each with its own input and output; CPU seconds of the thread. */
double drive(Function f, const double *q, const double *u, double *out, double *work,
             long states, long n_in, long n_out, long passes)
{
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (long p = 0; p < passes; p++)
        for (long s = 0; s < states; s++) {
            const double *in[3] = {q + s * n_in, u + s * n_in, 0};
            double *to[1] = {out + s * n_out};
            f(in, to, work);
        }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}
"""


@cache
def _driver() -> Any:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as place:
        source, library = Path(place, "driver.c"), Path(place, "driver.so")
        source.write_text(_DRIVER)
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        drive = ctypes.CDLL(str(library)).drive
    drive.restype = ctypes.c_double
    drive.argtypes = [*[ctypes.c_void_p] * 5, *[ctypes.c_long] * 4]
    return drive


def machine_seconds(address: int, q: Any, u: Any, out: Any, work: Any, repeats: int = 15) -> Times | None:
    """Time of machine code for one state, called for one state after the other from C; None without a C compiler.

    q and u have a state in each row, and out has room for the results; all are contiguous arrays of doubles.
    """
    drive = _driver()
    if drive is None:
        return None
    pointers = [address, q.ctypes.data, u.ctypes.data, out.ctypes.data, -(-work.ctypes.data // 64) * 64]
    sizes = [len(q), q.shape[1], out.shape[1]]
    once = max(drive(*pointers, *sizes, 1), 1e-8)
    passes = max(1, round(0.02 / once))
    times = [drive(*pointers, *sizes, passes) / passes / len(q) for _ in range(repeats)]
    return Times(min(times), statistics.median(times))


if __name__ == "__main__":
    confine(Limit(*json.loads(sys.argv[3])))
    module, function = sys.argv[1].split(":")
    result = getattr(importlib.import_module(module), function)(*json.loads(sys.argv[2]))
    print(json.dumps({**result, "peak_mb": round(peak_mb(), 1)}))
