"""Programs for targets without loops over trees: the kernels run on instructions, which writes them out. Zeros of the
structure take nothing."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from ..loops.tree_kernels import in_rows, tree_derivatives
from ..programs.program import InstructionWriter, Program
from ..programs.sweep_shape import SweepShape
from ..programs.tree_shape import TreeShape
from .right_sides import in_order


def straight_line_program(p: Program) -> Program:
    """The same program in straight lines; itself if it is in straight lines already."""
    return _without_blocks(p, ("tree", "sweeps"))


def without_tree_loops(p: Program) -> Program:
    """The same program with derivatives of trees in straight lines, and schedules of fragments as they are."""
    return _without_blocks(p, ("tree",))


def _without_blocks(p: Program, blocks: tuple[str, ...]) -> Program:
    if all(i.op not in blocks for i in p.code):
        return p
    writer = _Writer()
    place: list[int] = []  # of each instruction among those that are written
    results: dict[int, list[_Value]] = {}
    for k, i in enumerate(p.code):
        if i.op == "sweeps" and i.op in blocks:
            results[k] = [_Value(writer, v) for v in _step_values(writer, i.data, [place[a] for a in i.args])]
            place.append(-1)
        elif i.op == "tree" and i.op in blocks:
            results[k] = _results(i.data, [_Value(writer, place[a]) for a in i.args])
            place.append(-1)
        elif i.op == "item" and i.args[0] in results:
            place.append(results[i.args[0]][i.data].at)
        else:
            place.append(writer.put(i.op, tuple(place[a] for a in i.args), i.data))
    labels = {place[k]: label for k, label in p.labels.items()}
    outputs = [[place[v] for v in o.values] for o in p.outputs]
    return in_order(p, writer.code, outputs, labels)


def _results(shape: TreeShape, inputs: list[_Value]) -> list[_Value]:
    """Items of a tree block."""
    writer = inputs[0].writer
    zero = writer.number(0.0)
    memory = {name: np.full(max(size, 1), zero, dtype=object) for name, size in shape.memory(1).items()}
    at = 0
    for name, size in shape.sizes().items():
        memory[name][:size], at = inputs[at : at + size], at + size
    tree: Any = SimpleNamespace(**memory, **shape.known(1))
    tree_derivatives(tree)
    out: list[_Value] = []
    for first, count in shape.groups:
        rows: Any = np.full(shape.n * count, zero, dtype=object)
        in_rows(shape.n, shape.blocks(1), first, count, list(shape.rows), tree.columnwise, rows)
        out += list(rows)
    return [writer.value(x) for x in out]


def _step_values(writer: _Writer, shape: SweepShape, arguments: list[int]) -> list[int]:
    """Items of a sweeps block: the instructions of every step."""
    memory = [*arguments, *[-1] * (shape.size - len(arguments))]
    steps, columns = list(shape.steps()), shape.columns
    for kind, places in steps if columns is None else steps[: columns.first]:
        _run_fragment(writer, shape, kind, places, memory)
    out, found = [memory[at] for at in shape.results], list[list[int]]()
    if columns is not None:
        zero, one = writer.put("const", (), 0.0), writer.put("const", (), 1.0)
        for seed in columns.seeds:
            memory[seed] = zero
        for seed in columns.seeds:
            memory[seed] = one
            for kind, places in steps[columns.first :]:
                _run_fragment(writer, shape, kind, places, memory)
            found.append([memory[at] for at in columns.results])
            memory[seed] = zero
    return [*out, *(x for row in zip(*found, strict=True) for x in row)]


def _run_fragment(writer: _Writer, shape: SweepShape, kind: int, places: Sequence[int], memory: list[int]) -> None:
    p, made = shape.fragments[kind], list[_Value | int]()
    for i in p.code:
        if i.op == "input":
            group, at = i.data
            made.append(_Value(writer, memory[places[group] + at]))
        elif i.op in _FOLDED:
            made.append(_FOLDED[i.op](*(made[a] for a in i.args)))
        else:
            args = tuple(_number_of(made[a]) for a in i.args)
            at = writer.put(i.op, args, i.data)
            made.append(at if i.op in ("sincos", "lt", "le", "eq", "and", "or", "not", "true") else _Value(writer, at))
    for o, at, adds in zip(p.outputs, places[len(p.inputs) :], shape.adds[kind], strict=True):
        for k, v in enumerate(o.values):
            new = made[v]
            memory[at + k] = _number_of(_Value(writer, memory[at + k]) + new if adds else new)


_FOLDED: Final[dict[str, Any]] = {  # operations on zeros and ones, of which columns of Jacobians have many
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul,
}  # fmt: skip


def _number_of(x: _Value | int) -> int:
    """Number of the instruction."""
    return x.at if isinstance(x, _Value) else x


class _Writer(InstructionWriter):
    """Values as the kernels see them, written as instructions."""

    def number(self, x: float) -> _Value:
        return _Value(self, self.put("const", (), float(x)))

    def value(self, x: Any) -> _Value:
        return x if isinstance(x, _Value) else self.number(x)


class _Value:
    """A number of a program, on which kernels compute."""

    def __init__(self, writer: _Writer, at: int) -> None:
        self.writer, self.at = writer, at
        i = writer.code[at]
        self.constant: float | None = i.data if i.op == "const" else None

    def _result(self, op: str, other: _Value) -> _Value:
        return _Value(self.writer, self.writer.put(op, (self.at, other.at)))

    def __neg__(self) -> _Value:
        if self.constant is not None:
            return self.writer.number(-self.constant or 0.0)
        return _Value(self.writer, self.writer.put("neg", (self.at,)))

    def __add__(self, other: Any) -> _Value:
        other = self.writer.value(other)
        if self.constant is not None and other.constant is not None:
            return self.writer.number(self.constant + other.constant)
        if self.constant == 0 or other.constant == 0:
            return other if self.constant == 0 else self
        return self._result("add", other)

    def __sub__(self, other: Any) -> _Value:
        other = self.writer.value(other)
        if self.constant is not None and other.constant is not None:
            return self.writer.number(self.constant - other.constant)
        if self.constant == 0 or other.constant == 0:
            return -other if self.constant == 0 else self
        return self.writer.number(0.0) if self.at == other.at else self._result("sub", other)

    def __mul__(self, other: Any) -> _Value:
        other = self.writer.value(other)
        if self.constant is not None and other.constant is not None:
            return self.writer.number(self.constant * other.constant)
        if self.constant == 0 or other.constant == 0:
            return self.writer.number(0.0)
        if self.constant in (1, -1) or other.constant in (1, -1):
            one, rest = (self, other) if self.constant in (1, -1) else (other, self)
            return rest if one.constant == 1 else -rest
        return self._result("mul", other)

    def __truediv__(self, other: Any) -> _Value:
        return self._result("div", self.writer.value(other))

    def __radd__(self, other: Any) -> _Value:
        return self.writer.value(other) + self

    def __rsub__(self, other: Any) -> _Value:
        return self.writer.value(other) - self

    def __rmul__(self, other: Any) -> _Value:
        return self.writer.value(other) * self

    def __rtruediv__(self, other: Any) -> _Value:
        return self.writer.value(other) / self
