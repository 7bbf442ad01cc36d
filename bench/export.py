"""Models as C: seconds to write the right side, size, seconds to compile it by gcc -O2 -march=native, microseconds of a call beside our own machine code.
And an FMU from the command line, compiled.

Times are CPU times. Calls are made from Python by ctypes, of both in the same way; what such a call costs by itself is in both.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.study.sources import find_model
from symbody.write.mockup.build import FLAGS

from .ours import model
from .robots import CASES
from .timing import Row, repeated

MODELS: Final = ("panda", "talos", "bicycle", "chain30")
BUILD: Final = ("gcc", "-std=gnu99", "-O2", "-march=native", "-fPIC", "-shared")


def equations(name: str) -> sb.Equations:
    made: Any = model(CASES[name]) if name in CASES else find_model(name).model
    return sb.derive(made, check=name not in CASES)


def rows() -> Iterator[Row]:
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            yield _row(name, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield _fmu("motorcycle", Path(folder))


def _fmu(name: str, folder: Path) -> Row:
    """The command line, in a process of its own: reading, deriving, writing and compiling (of which the compiler's share is `compile_s`)."""
    before = os.times()
    path = folder / f"{name}.fmu"
    command = [sys.executable, "-m", "symbody", "export", name, "--to", "fmu", "-o", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    write_s = os.times().children_user - before.children_user
    shutil.unpack_archive(path, folder, "zip")
    before = os.times()
    files = sorted(map(str, (folder / "sources").glob("*.c")))
    subprocess.run(["gcc", *FLAGS, "-fPIC", *files, "-o", str(folder / "again.so"), "-lm"], check=True)
    compile_s = os.times().children_user - before.children_user
    return {"case": name, "target": "fmu", "write_s": write_s, "kb": path.stat().st_size / 1024, "compile_s": compile_s}


def _row(name: str, folder: Path) -> Row:
    eq = equations(name)
    begun = time.process_time()
    sb.write.c(eq, folder, functions=["rhs"], reference=None, name="model")
    write_s = time.process_time() - begun
    before = os.times()
    subprocess.run([*BUILD, str(folder / "model.c"), "-o", str(folder / "model.so"), "-lm"], check=True)
    compile_s = os.times().children_user - before.children_user
    x, r, p = _state(eq)
    library = ctypes.CDLL(str(folder / "model.so"))
    out = np.zeros(len(x))
    library.model_rhs.argtypes = [ctypes.c_double, *[ctypes.c_void_p] * 4]
    arguments = [0.1, x.ctypes.data, r.ctypes.data, p.ctypes.data, out.ctypes.data]
    call_us = _microseconds(lambda: library.model_rhs(*arguments))
    f = sb.compile(sb.write.artefact(eq, sb.write.ExportOptions(["rhs"], reference=None)).function("rhs").program)
    peer_us = _jit(f, x, r, p)
    size = (folder / "model.c").stat().st_size / 1024
    return {
        "case": name, "target": "c", "ops": f.program.cost.total, "write_s": write_s, "kb": size, "compile_s": compile_s, "call_us": call_us,
        "peer": "our machine code", "peer_us": peer_us, "ratio": call_us / peer_us,
    }  # fmt: skip


def _state(eq: sb.Equations) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-0.5, 0.5, len(eq.state))
    for quaternion in eq.variables.quaternions:
        places = [v.index for v in quaternion]
        x[places] /= np.linalg.norm(x[places])
    values = eq.variables.of("p").defaults
    return x, np.zeros(max(1, len(eq.r))), np.array([values[s] for s in eq.p] or [0.0])


def _jit(f: Any, x: Any, r: Any, p: Any) -> float:
    """Machine code by its address, in the form in which loops call it."""
    t, out, work = np.array([0.1]), np.zeros(len(x)), np.zeros(max(1, f.work) + 8)
    inputs = (ctypes.c_void_p * 4)(*(a.ctypes.data for a in (t, x, r, p)))
    outputs = (ctypes.c_void_p * 1)(out.ctypes.data)
    code = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(f.address)
    place = -(-work.ctypes.data // 64) * 64
    return _microseconds(lambda: code(inputs, outputs, place))


def _microseconds(call: Any) -> float:
    return repeated(call).least * 1e6
