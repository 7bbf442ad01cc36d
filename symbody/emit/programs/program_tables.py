"""Program -> tables of its instructions, which one loop runs for all programs (`emit/loops/table_kernels.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..loops.table_kernels import KINDS
from .program import Instruction, Program

_GIVEN: Final = ("const", "true", "input")


@dataclass(frozen=True)
class ProgramTables:
    """Places count from the beginning of w: constants, the groups of inputs one after the other, addresses of functions,
    results."""

    constants: list[float]
    first: int  # place of the first result
    kinds: list[int]
    stops: list[int]
    arguments: tuple[list[int], list[int], list[int]]
    outputs: list[list[int]]

    @property
    def size(self) -> int:
        """Numbers of scratch memory."""
        return self.first + len(self.arguments[0])


def is_tabulated(p: Program) -> bool:
    """Whether tables can hold a program: one without linear systems in loops, trees, and functions of others that take
    several numbers."""
    return all(_is_tabulated(p.code, i) for i in p.code)


def _is_tabulated(code: Sequence[Instruction], i: Instruction) -> bool:
    if i.op == "call":
        return bool(i.data.arity == 1)
    if i.op == "item":
        return code[i.args[0]].op == "sincos"
    return i.op in KINDS or i.op in (*_GIVEN, "sincos")


def program_tables(p: Program) -> ProgramTables:
    constants = [float(i.data) for i in p.code if i.op in ("const", "true")]
    starts = [len(constants)]
    for g in p.inputs:
        starts.append(starts[-1] + len(g))
    address = {f: starts[-1] + k for k, f in enumerate(p.externals)}
    starts.append(starts[-1] + len(address))
    place, kinds, stops, order = _given_places(p, starts), list[int](), list[int](), list[int]()
    operations = [_operation(p.code, i) for i in p.code]
    for kind, run in _runs(operations):
        for k in run:
            place[k] = starts[-1] + len(order)
            order.append(k)
        kinds.append(KINDS[kind])
        stops.append(len(order))
    arguments: tuple[list[int], list[int], list[int]] = ([], [], [])
    for k in order:
        i = operations[k]
        args = [*([address[i.data]] if i.op == "call" else []), *(place[v] for v in i.args)]
        for column, at in zip(arguments, args + [0] * (3 - len(args)), strict=True):
            column.append(at)
    return ProgramTables(
        constants, starts[-1], kinds, stops, arguments, [[place[v] for v in o.values] for o in p.outputs]
    )


def _given_places(p: Program, starts: Sequence[int]) -> list[int]:
    """Places of constants and inputs; those of results come later."""
    out, constants = [0] * len(p.code), 0
    for k, i in enumerate(p.code):
        if i.op == "input":
            group, at = i.data
            out[k] = starts[group] + at
        elif i.op in _GIVEN:
            out[k] = constants
            constants += 1
    return out


def _operation(code: Sequence[Instruction], i: Instruction) -> Instruction:
    """Sine and cosine are two instructions."""
    return Instruction("cos" if i.data else "sin", code[i.args[0]].args) if i.op == "item" else i


def _runs(code: Sequence[Instruction]) -> list[tuple[str, list[int]]]:
    """Instructions in an order of evaluation in which many of one kind follow each other: of those that have all their
    arguments, the kind with most."""
    users: list[list[int]] = [[] for _ in code]
    missing = [0] * len(code)
    ready: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for k, i in enumerate(code):
        if i.op in KINDS:
            waits = [a for a in i.args if code[a].op in KINDS]
            missing[k] = len(waits)
            for a in waits:
                users[a].append(k)
            if not waits:
                ready[i.op].append(k)
    out: list[tuple[str, list[int]]] = []
    while True:
        kind = max(ready, key=lambda kind: len(ready[kind]))
        run = ready[kind]
        if not run:
            return out
        ready[kind] = []
        out.append((kind, run))
        for k in run:
            for user in users[k]:
                missing[user] -= 1
                if not missing[user]:
                    ready[code[user].op].append(user)
