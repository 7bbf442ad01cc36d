"""The targets, each as one function: program -> the ways in which its code is called, made once for all states.

A way takes states and gives the outputs, stacked over the states. A state holds one array for each input group. A new
target joins the contract by adding itself to `TARGETS`.
"""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbody.emit.programs.program import Output, Program
from symbody.emit.run.callable import compile_program as compile
from symbody.emit.text.numpy_text import numpy_function
from symbody.write.targets.c.c_printer import CSource, c_source
from tests.installed import installed

Array = NDArray[np.float64]
State = Sequence[Any]
Way = Callable[[Sequence[State]], list[Array]]
Target = Callable[[Program], dict[str, Way]]

WARNINGS = "-Wall -Wextra -pedantic -Wconversion -Wshadow -Wdouble-promotion -Werror".split()


def shape_of(out: Output) -> tuple[int, ...]:
    return (len(out.values),) if out.is_sparse else out.shape


def _stacked(program: Program, results: Sequence[Any]) -> list[Array]:
    """Results of one call for each state, as one array for each output."""
    rows = [r if len(program.outputs) > 1 else (r,) for r in results]
    return [np.stack([np.asarray(row[k], dtype=float) for row in rows]) for k in range(len(program.outputs))]


def _batch(program: Program, states: Sequence[State]) -> list[Array]:
    return [np.stack([np.asarray(s[g], dtype=float) for s in states]) for g in range(len(program.inputs))]


def called_both_ways(program: Program, f: Callable[..., Any], batch: Callable[..., Any]) -> dict[str, Way]:
    """State by state, and all of them at once."""

    def at_once(states: Sequence[State]) -> list[Array]:
        out = batch(*_batch(program, states))
        return list(out) if len(program.outputs) > 1 else [out]

    return {"one by one": lambda states: _stacked(program, [f(*s) for s in states]), "batch": at_once}


def llvm(program: Program) -> dict[str, Way]:
    made = compile(program, cache=False)
    return called_both_ways(program, made, made.batch)


def numpy(program: Program) -> dict[str, Way]:
    made = numpy_function(program)
    return called_both_ways(program, made, made)


def numpy_scalar(program: Program, states: Sequence[State]) -> list[Array]:
    return numpy(program)["one by one"](states)


def c_compiler() -> str:
    return installed("gcc", "gcc")


_scratch = tempfile.TemporaryDirectory(prefix="symbody-c-")


def c_library(source: CSource) -> ctypes.CDLL:
    """Generated C, compiled with all warnings as errors, and loaded."""
    folder = Path(_scratch.name) / hashlib.sha256((source.header + source.source).encode()).hexdigest()
    library = folder / "generated.so"
    if not library.exists():
        folder.mkdir()
        _, path = source.write(folder)
        command = [c_compiler(), "-std=c99", *WARNINGS, "-O1", "-fPIC", "-shared", str(path), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def c_by_gcc(program: Program) -> dict[str, Way]:
    c_compiler()
    source = c_source(program)
    function = getattr(c_library(source), source.name)
    function.restype = None
    return {"one by one": lambda states: _stacked(program, [_called(function, program, s) for s in states])}


def _called(function: Any, program: Program, state: State) -> Any:
    arguments: list[Any] = []
    for group, value in zip(program.inputs, state, strict=True):
        a = np.array(value, dtype=float, order="C")
        assert a.shape == (() if group.is_scalar else (len(group),))
        arguments.append(ctypes.c_double(float(a)) if group.is_scalar else a)
    outs = [np.full(shape_of(o), 1e99) for o in program.outputs]
    arguments += outs
    function(*(a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else a for a in arguments))
    return outs if len(outs) > 1 else outs[0]


TARGETS: dict[str, Target] = {"llvm": llvm, "numpy": numpy, "c": c_by_gcc}
