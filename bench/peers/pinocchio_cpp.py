"""Pinocchio's algorithms in C++, compiled here."""

from __future__ import annotations

import ctypes
import tempfile
from pathlib import Path

from ..timing import Row
from .building import FLAGS, HERE, address, built, pinocchio_words
from .driving import Function, times, values
from .prepared import WAYS, prepared


def _library() -> ctypes.CDLL:
    before, after = pinocchio_words()
    text = (HERE / "pinocchio.cpp").read_text()
    words = [*FLAGS, "-shared", "-fPIC", *before]
    made = ctypes.CDLL(str(built("pinocchio", "c++", text, words, after, packages=["pin", "casadi"])))
    made.opened.restype, made.opened.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    return made


def measured_second_derivatives(robot: str, count: int, repeats: int) -> Row:
    """Microseconds of the second derivatives of inverse dynamics, and their values at the first state: by q q, v v, q v and
    a q, of each force."""
    lib, known = _library(), prepared(robot, "inverse_dynamics", count)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "model.txt")
        place.write_text(known.archive)
        own = lib.opened(str(place).encode())
    f = Function(address(lib, "inverse_second_derivatives"), own)
    found = values(f, [x[:1] for x in known.inputs], [known.n**3] * 4)
    return {**times(f, known.inputs, [None] * 4, repeats), "values": [x[0].tolist() for x in found]}


def measured(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds of the faster way; `error` of what was compiled here against Pinocchio's own library."""
    lib, known = _library(), prepared(robot, function, count)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "model.txt")
        place.write_text(known.archive)
        own = lib.opened(str(place).encode())
    rows = []
    for way in WAYS[function]:
        f, sizes = Function(address(lib, way), own), known.sizes(function)
        error = known.error(function, values(f, known.inputs, sizes))
        rows.append({**times(f, known.inputs, [None] * len(sizes), repeats), "way": way, "error": error})
    return min(rows, key=lambda r: r["us"])
