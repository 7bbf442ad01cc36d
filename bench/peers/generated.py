"""The C code that Pinocchio generates with CasADi, compiled as everything else."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Final

from ..robots import CASES
from ..timing import Row
from .building import HERE, LONGEST, address, built, installed, kept, library, pinocchio_words
from .driving import Function, times, values
from .prepared import WAYS, Prepared, prepared

TRACED: Final = "forward_derivatives_traced"
LONG: Final = 400_000  # operations in one function; above that a compiler takes more memory than most machines have
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
    """Functions that the generator knows for this; CasADi can differentiate by itself only where coordinates are rates'
    integrals."""
    flat = function == "forward_derivatives" and not CASES[robot].free
    return [*WAYS[function], TRACED] if flat else WAYS[function]


def generated(robot: str, function: str, archive: str) -> list[Row]:
    """Text and operations of every way to a function."""
    program, names = _generator(), ways(robot, function)

    def make(target: Path) -> None:
        target.mkdir()
        model = target / "model.txt"
        model.write_text(archive)
        command = [str(program), str(model), str(target), *names]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONGEST)
        (target / "operations.json").write_text(done.stdout)

    place = kept(f"{robot}-{function}", [program.name, version("casadi"), archive, *names], make)
    rows = [json.loads(line) for line in (place / "operations.json").read_text().splitlines()]
    return [{**r, "text": (place / f"{r['name']}.c").read_text()} for r in rows]


def measured(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds and operations of the fastest way."""
    known = prepared(robot, function, count)
    made = sorted(generated(robot, function, known.archive), key=lambda r: r["ops"])
    if made[0]["ops"] > LONG:
        return {"ops": made[0]["ops"], "message": f"not compiled: more than {LONG} operations in one function"}
    rows = [_timed(robot, function, known, r, repeats) for r in made if r["ops"] < 2 * made[0]["ops"]]
    return min(rows, key=lambda r: r["us"])


def _timed(robot: str, function: str, known: Prepared, made: Row, repeats: int) -> Row:
    lib = library(f"{robot}-{made['name']}", made["text"] + _ADAPTER % made["name"])
    f, sizes = Function(address(lib, "called")), known.sizes(function)
    error = known.error(function, values(f, known.inputs, sizes))
    return {**times(f, known.inputs, sizes, repeats), "ops": made["ops"], "way": made["name"], "error": error}
