"""Models as C: seconds to write the right side, size, seconds to compile it by gcc -O2 -march=native, microseconds of a
call beside our own machine code and other generators (`export_peers.py`); the variational systems of table 6.2
(Lennartsson); and an FMU from the command line, compiled.

Times are CPU times. `ratio` is theirs by ours. Calls are made in a loop of C (PyDy's from Python).
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
from examples import spherical_chain
from symbody.study.sources import find_model
from symbody.write.mockup.build import FLAGS

from .export_peers import Generated, address, casadi_c, compiled, microseconds, pydy_c, sympy_c
from .ours import model
from .robots import CASES
from .timing import Row

MODELS: Final = ("panda", "talos", "bicycle", "chain30")
PEERS: Final = {
    **{name: {"CasADi's C of our expressions": casadi_c} for name in MODELS},
    "double_pendulum": {"CasADi's C of our expressions": casadi_c, "SymPy codegen": sympy_c, "PyDy, Cython": pydy_c},
}
CHAINS: Final = {
    4: 1.3e3,
    8: 8.9e3,
    12: 34e3,
}  # spherical pendulums, and microseconds of exmex in table 6.2 (a Pentium II of 266 MHz)


def equations(name: str) -> sb.Equations:
    made: Any = model(CASES[name]) if name in CASES else find_model(name).model
    return sb.derive(made, check=name not in CASES)


def rows() -> Iterator[Row]:
    for name, peers in PEERS.items():
        with tempfile.TemporaryDirectory() as folder:
            yield from _rows(name, peers, Path(folder))
    for n, published in CHAINS.items():
        with tempfile.TemporaryDirectory() as folder:
            yield _variational(n, published, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield _fmu("motorcycle", Path(folder))


def _fmu(name: str, folder: Path) -> Row:
    """The command line, in a process of its own: reading, deriving, writing and compiling (of which the compiler's
    share is `compile_s`)."""
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


def _rows(name: str, peers: dict[str, Any], folder: Path) -> Iterator[Row]:
    eq = equations(name)
    begun = time.process_time()
    sb.write.c(eq, folder, functions=["rhs"], reference=None, name="model")
    write_s = time.process_time() - begun
    library, compile_s = compiled(folder / "model.c")
    x, r, p = _state(eq)
    out = np.zeros(len(x))
    call_us = microseconds("loop_of_c", address(library.model_rhs), 0.1, *(a.ctypes.data for a in (x, r, p, out)))
    f = sb.compile(sb.write.artefact(eq, sb.write.ExportOptions(["rhs"], reference=None)).function("rhs").program)
    size = (folder / "model.c").stat().st_size / 1024
    ours: Row = {
        "case": name,
        "target": "c",
        "ops": f.program.cost.total,
        "write_s": write_s,
        "kb": size,
        "compile_s": compile_s,
        "call_us": call_us,
    }
    yield _beside(ours, "our machine code", _jit(f, x, r, p))
    for title, peer in peers.items():
        yield _beside_generated(ours, title, peer(eq, folder, x, r, p), out)


def _beside(ours: Row, peer: str, peer_us: float, **more: Any) -> Row:
    return {**ours, "peer": peer, "peer_us": peer_us, "ratio": peer_us / ours["call_us"], **more}


def _beside_generated(ours: Row, peer: str, made: Generated, wanted: Any) -> Row:
    """A row, once the peer gives the same rates."""
    np.testing.assert_allclose(made.value, wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max())
    return _beside(ours, peer, made.call_us, peer_write_s=made.write_s, peer_compile_s=made.compile_s)


def _variational(n: int, published: float, folder: Path) -> Row:
    """x' and Φ' of a chain of spherical pendulums, 4 n (4 n + 1) numbers."""
    eq = sb.derive(spherical_chain.model(n))
    begun = time.process_time()
    sb.write.c(eq, folder, functions=["rhs_and_jacobian"], reference=None, name="model")
    write_s = time.process_time() - begun
    library, compile_s = compiled(folder / "model.c")
    x, r, p = _state(eq)
    size = len(x) * (len(x) + 1)
    X, Xdot = np.zeros(size), np.zeros(size)
    X[: len(x)] = x
    X[len(x) :: len(x) + 1] = 1.0
    call_us = microseconds(
        "loop_of_c", address(library.model_variational), 0.0, *(a.ctypes.data for a in (X, r, p, Xdot))
    )
    kb = (folder / "model.c").stat().st_size / 1024
    ours: Row = {
        "case": f"{n} spherical pendulums, {size} variables",
        "target": "c, variational",
        "write_s": write_s,
        "kb": kb,
        "compile_s": compile_s,
    }
    return _beside({**ours, "call_us": call_us}, "exmex, table 6.2", published)


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
    place = -(-work.ctypes.data // 64) * 64
    return microseconds("loop_of_three", f.address, ctypes.addressof(inputs), ctypes.addressof(outputs), place)
