"""Figure 7.6 of Lennartsson's thesis whole: the model derived, straight running and both families of turns followed with
their stability, special points located, the picture drawn.

`python -m bench.bicycle_turns` is one run, in a process of its own: its row has the number of motions and the largest
error of the special speeds, against numbers to ten digits. `rows` measures such processes, with bytecode at hand: CPU
seconds from the first import on, with an empty cache of machine code and with a filled one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from .timing import Row

SPEEDS: Final = (3.2065462078, 5.3962493384, 2.1793178614, 3.2450855357, 3.8119366099)  # Hopf, pitchfork, three folds
ACROSS: Final = {"q3_dot": 1.9, "q4_dot": 0.87, "q5_dot": -6.17, "x_dot": -0.3}  # near a turn with the wheel across


def branches() -> list[Any]:
    """Straight running, the turns that leave it at the capsize speed, and those with the wheel across."""
    import symbody as sb
    from examples import bicycle

    eq = sb.derive(bicycle.model())
    V, R = sb.symbols("V R")
    rolling = {"q5_dot": -V / R, "q3": 0}
    straight = sb.branch(eq, sb.steady(eq, rolling, free=["q3_dot"], V=4.0), V=(0.3, 10))
    across = sb.steady(eq, {"q2": 1.76, "q3": 0}, free=["q3_dot"], start=ACROSS)
    turn = sb.steady(eq, rolling, free=["q3_dot"], V=-0.354 * across["q5_dot"], start=across.values)
    return [straight, straight.switched(), sb.branch(eq, turn, V=(1, 10))]


def figure(path: Path) -> Row:
    """The picture in a file, and what is in it."""
    import symbody as sb

    found = branches()
    sb.plot(found, ["q1", "q2"]).save(path)
    speeds = [p.value for b in found for p in b.special]
    error = max(min(abs(v - known) for v in speeds) for known in SPEEDS)
    return {"points": sum(map(len, found)), "error": error}


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        _run(environment | {"SYMBODY_CACHE": f"{folder}/before"})  # bytecode, fonts of the picture
        for name in ("empty", "filled"):
            seconds, made = _run(environment | {"SYMBODY_CACHE": f"{folder}/machine code"})
            yield {"case": f"thesis bicycle, fig. 7.6, {name} cache", "seconds": seconds, **made}


def _run(environment: dict[str, str]) -> tuple[float, Row]:
    """User and system seconds of one process, and its row."""
    begun = os.times()
    command = [sys.executable, "-m", "bench.bicycle_turns"]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[1], env=environment, check=True, capture_output=True, text=True
    )
    ended = os.times()
    spent = ended.children_user + ended.children_system - begun.children_user - begun.children_system
    return round(spent, 3), json.loads(done.stdout)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as kept:
        print(json.dumps(figure(Path(kept) / "turns.svg")))
