"""How far a call travels through the package: `python -m bench.hops derive | simulate | again | report`.

A walk is traced with `sys.setprofile`. Counted are files and functions of the package that it passes (comprehensions and
lambdas left out, and assignments to fields of records), calls of these, functions that only forward (their body is one call of plain names), and pairs of files
that call each other. Where a walk runs a compiled loop,

    chain   the functions on the call stack when a loop is entered, the longest of them: what a debugger shows there
    stops   these, and each function that one of them has called directly by then: what a reader opens to follow the walk
    back    functions that one of the chain calls directly afterwards, on the way back to the result

`--list` prints them in the order in which they are first reached.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

import symbody as sb
from symbody.command_line.cli import main as command_line

from .dynamics import empty_cache

PACKAGE: Final = Path(sb.__file__).parent
UNNAMED: Final = ("<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<module>")


class Stop(NamedTuple):
    """A function of the package, by its file and its name there."""

    file: str
    name: str

    def __str__(self) -> str:
        return f"{self.file}:{self.name}"


FIELD: Final = Stop("emit/loops/records.py", "_place.put")  # assigns to a field of a record: nobody opens it
LOOP: Final = Stop("emit/run/loop_callee.py", "LoopCallee.run")


@cache
def stop_of(code: CodeType) -> Stop | None:
    """The function to which code belongs; None for what is not of the package, or has no name."""
    path = Path(code.co_filename)
    if code.co_name in UNNAMED or not path.is_relative_to(PACKAGE):
        return None
    stop = Stop(path.relative_to(PACKAGE).as_posix(), code.co_qualname.replace(".<locals>", ""))
    return None if stop == FIELD else stop


@dataclass
class Walk:
    """What a traced call passed."""

    calls: Counter[Stop] = field(default_factory=Counter)
    pairs: Counter[tuple[Stop, Stop]] = field(default_factory=Counter)
    chain: tuple[Stop, ...] = ()
    passed: frozenset[Stop] = frozenset()  # when the loop of the chain was entered
    _stack: list[Stop | None] = field(default_factory=list)
    _codes: dict[Stop, CodeType] = field(default_factory=dict)

    def trace(self, call: Callable[[], Any]) -> Walk:
        sys.setprofile(self._profile)
        try:
            call()
        finally:
            sys.setprofile(None)
        return self

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            stop = stop_of(frame.f_code)
            self._stack.append(stop)
            if stop is not None:
                self._arrive(stop, frame)
        elif event == "return" and self._stack:
            self._stack.pop()

    def _arrive(self, stop: Stop, frame: FrameType) -> None:
        self.calls[stop] += 1
        self._codes[stop] = frame.f_code
        above = [s for s in self._stack[:-1] if s is not None]
        if above:
            self.pairs[above[-1], stop] += 1
        if stop == LOOP and len(chain := tuple(dict.fromkeys((*above, stop)))) > len(self.chain):
            self.chain, self.passed = chain, frozenset(self.calls)

    # ------------------------------------------------------------------------------------------------ what is counted

    @property
    def files(self) -> set[str]:
        return {s.file for s in self.calls}

    @property
    def around(self) -> tuple[Stop, ...]:
        """Functions of the chain and those that they call, as they are first reached."""
        called = {stop for (above, stop) in self.pairs if above in self.chain}
        return tuple(s for s in self.calls if s in called or s in self.chain)

    @property
    def stops(self) -> tuple[Stop, ...]:
        return tuple(s for s in self.around if s in self.passed)

    @property
    def forwarding(self) -> list[Stop]:
        return [s for s, code in self._codes.items() if only_forwards(code)]

    @property
    def mutual(self) -> set[frozenset[str]]:
        """Pairs of files that call each other."""
        across = {(a.file, b.file) for a, b in self.pairs if a.file != b.file}
        return {frozenset(p) for p in across if (p[1], p[0]) in across}

    def row(self, name: str) -> dict[str, Any]:
        row = {
            "walk": name, "files": len(self.files), "functions": len(self.calls), "calls": sum(self.calls.values()),
            "forward_only": len(self.forwarding), "mutual_files": len(self.mutual),
        }  # fmt: skip
        if self.chain:
            row |= {"chain": len(self.chain), "stops": len(self.stops), "stop_files": len({s.file for s in self.stops})}
            row |= {"back": len(self.around) - len(self.stops)}
        return row


# ------------------------------------------------------------------------------------------------- functions that forward


def only_forwards(code: CodeType) -> bool:
    """Whether the body of a function is one call that passes names and constants on."""
    for node in _functions(code.co_filename):
        lines = (node.lineno, *(d.lineno for d in node.decorator_list))
        if node.name == code.co_name and code.co_firstlineno in lines:
            return _is_one_plain_call(node)
    return False


@cache
def _functions(file: str) -> tuple[ast.FunctionDef, ...]:
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    return tuple(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def _is_one_plain_call(node: ast.FunctionDef) -> bool:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if len(body) != 1 or not isinstance(body[0], (ast.Return, ast.Expr)) or not isinstance(body[0].value, ast.Call):
        return False
    call = body[0].value
    return all(map(_is_plain, (*call.args, *(k.value for k in call.keywords))))


def _is_plain(node: ast.expr) -> bool:
    if isinstance(node, (ast.Attribute, ast.Starred)):
        return _is_plain(node.value)
    return isinstance(node, (ast.Name, ast.Constant))


# ---------------------------------------------------------------------------------------------------------------- walks


def double_pendulum() -> sb.Model:
    m = sb.Model("double pendulum")
    upper, lower = (m.body(name, mass=1.0, com=(0, -1, 0)) for name in ("upper", "lower"))
    m.revolute("q1", m.ground, upper)
    m.revolute("q2", upper, lower, at=(0, -1, 0))
    m.gravity(0, -9.81, 0)
    return m


def four_bar() -> sb.Model:
    """Crank, coupler and rocker on two pivots: one degree of freedom."""
    m = sb.Model("four-bar")
    crank, coupler, rocker = (
        m.body(name, mass=1.0, shape=sb.bar(length, "x", at=(length / 2, 0, 0)))
        for name, length in (("crank", 1.0), ("coupler", 3.0), ("rocker", 2.5))
    )
    m.revolute("q1", m.ground, crank)
    m.revolute("q2", crank, coupler, at=(1.0, 0, 0))
    m.revolute("q3", m.ground, rocker, at=(3.0, 0, 0))
    m.revolute("loop", coupler, rocker, at=(3.0, 0, 0), on=(2.5, 0, 0))
    m.gravity(0, -9.81, 0)
    return m


def derived() -> Walk:
    model = double_pendulum()
    return Walk().trace(lambda: sb.derive(model))


def simulated(is_cold: bool = True) -> Walk:
    eq = sb.derive(four_bar())
    state = sb.assemble(eq, q1=0.5, start={"q2": 0.5, "q3": 1.5})
    if not is_cold:
        sb.simulate(eq, 10, state, progress=False)
    return Walk().trace(lambda: sb.simulate(eq, 10, state, progress=False))


def reported() -> Walk:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        return Walk().trace(lambda: command_line(["report", "motorcycle", "-o", folder]))


WALKS: Final[dict[str, Callable[[], Walk]]] = {
    "derive": derived,
    "simulate": simulated,
    "again": lambda: simulated(is_cold=False),
    "report": reported,
}


def printed(walk: Walk, row: dict[str, Any], as_list: bool) -> Iterator[str]:
    yield "  ".join(f"{k}={v}" for k, v in row.items())
    if as_list:
        yield from (f"  {'*' if s in walk.chain else ' '} {s}" for s in walk.around)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hops", description=__doc__.splitlines()[0])
    parser.add_argument("walk", choices=WALKS)
    parser.add_argument("--list", action="store_true", help="print the stops; * those on the call stack of the loop")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    chosen = parser.parse_args()
    with empty_cache():
        walk = WALKS[chosen.walk]()
    row = walk.row(chosen.walk)
    print(json.dumps(row) if chosen.json else "\n".join(printed(walk, row, chosen.list)))


if __name__ == "__main__":
    main()
