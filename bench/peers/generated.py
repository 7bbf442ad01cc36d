"""The C code that Pinocchio generates with CasADi, compiled as everything else."""

from __future__ import annotations

import json
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from ..robots import CASES
from ..timing import Row
from .building import HERE, LONGEST, address, built, installed, kept, library, pinocchio_words
from .driving import Function, times, values
from .pinocchio import WAYS, archive, inputs_of, own_error, sizes_of

TRACED: Final = "forward_derivatives_traced"
LONG: Final = 60_000  # operations in one function; above that a compiler takes more memory and time than it is given
_ADAPTER: Final = """
void called(const double *const *in, double *const *out, void *own)
{
    %s((const double **)in, (double **)out, 0, own, 0);
}
"""


def _generator() -> Path:
    before, after = pinocchio_words()
    package = installed("casadi", "casadi")
    words = ["-O1", *before, f"-I{package / 'include'}"]
    link = [*after, f"-L{package}", f"-Wl,-rpath,{package}", "-lcasadi"]
    text = (HERE / "casadi_generator.cpp").read_text()
    return built("casadi_generator", "c++", text, words, link, packages=["pin", "casadi"])


def ways(robot: str, function: str) -> list[str]:
    """Functions that the generator knows for this; CasADi can differentiate by itself only where coordinates are rates' integrals."""
    flat = function == "forward_derivatives" and not CASES[robot].free
    return [*WAYS[function], TRACED] if flat else WAYS[function]


def generated(robot: str, function: str) -> list[Row]:
    """Text and operations of every way to a function."""
    program, names = _generator(), ways(robot, function)
    with tempfile.TemporaryDirectory() as folder:
        source = archive(CASES[robot], folder)

        def make(target: Path) -> None:
            target.mkdir()
            command = [str(program), str(source), str(target), *names]
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONGEST)
            (target / "operations.json").write_text(done.stdout)

        key = [program.name, source.read_text(), version("casadi"), *names]
        place = kept(f"{robot}-{function}", key, make)
    rows = [json.loads(line) for line in (place / "operations.json").read_text().splitlines()]
    return [{**r, "text": (place / f"{r['name']}.c").read_text()} for r in rows]


def measured(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds and operations of the fastest way."""
    inputs = inputs_of(robot, function, count)
    made = sorted(generated(robot, function), key=lambda r: r["ops"])
    if made[0]["ops"] > LONG:
        return {
            "us": None,
            "ops": made[0]["ops"],
            "message": f"not compiled: more than {LONG} operations in one function",
        }
    rows = [_timed(robot, function, inputs, r, repeats) for r in made if r["ops"] < 2 * made[0]["ops"]]
    return min(rows, key=lambda r: r["us"])


def _timed(robot: str, function: str, inputs: list[Any], made: Row, repeats: int) -> Row:
    lib = library(f"{robot}-{made['name']}", made["text"] + _ADAPTER % made["name"])
    f, sizes = Function(address(lib, "called")), sizes_of(function, inputs[1].shape[1])
    error = own_error(robot, function, inputs, values(f, inputs, sizes))
    return {**times(f, inputs, sizes, repeats), "ops": made["ops"], "way": made["name"], "error": error}
