"""Programs as plain text and back: JSON, from which nothing can be made but a program.

Instructions are columns: operations, arguments, and data of those that have some. A program that was written here is
not checked again (its entry is signed, `disk_cache.py`); digest and cost are kept with it.
"""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

from ...algebra.graph.graph import Symbol, symbol
from ...algebra.graph.linear import FactorShape
from ...algebra.graph.sweeps import Columns
from ..programs.program import Cost, Group, Instruction, Output, Program
from ..programs.sweep_shape import SweepShape
from ..programs.tree_shape import TreeShape


def text_of_program(p: Program) -> bytes:
    """For programs that call no functions of Python."""
    rows = {
        "name": p.name,
        "inputs": [[g.name, [[s.stem, s.kind, s.order] for s in g.symbols], g.is_scalar] for g in p.inputs],
        "outputs": [[o.name, o.shape, o.values, o.nonzeros, o.is_symmetric, o.is_sparse] for o in p.outputs],
        "ops": [i.op for i in p.code],
        "args": [i.args for i in p.code],
        "data": [[k, _plain(i.data)] for k, i in enumerate(p.code) if i.data is not None],
        "labels": [[k, name] for k, name in p.labels.items()],
        "cost": astuple(p.cost),
        "digest": p.digest,
    }
    return json.dumps(rows, separators=(",", ":")).encode()


def _plain(data: Any) -> Any:
    if isinstance(data, SweepShape):
        made = [json.loads(text_of_program(f)) for f in data.fragments]
        columns = data.columns and astuple(data.columns)
        return [made, data.adds, list(data.kinds), list(data.places), data.size, data.results, columns]
    return astuple(data) if isinstance(data, (FactorShape, TreeShape)) else data


def program_of_text(text: bytes) -> Program:
    return program_of_rows(json.loads(text))


def program_of_rows(found: Any) -> Program:
    """A program from what its text contains."""
    data: list[Any] = [None] * len(found["ops"])
    for k, value in found["data"]:
        data[k] = _data(found["ops"][k], value)
    made = object.__new__(Program)
    made.__dict__.update(
        name=found["name"],
        inputs=tuple(Group(name, tuple(map(_symbol, symbols)), scalar) for name, symbols, scalar in found["inputs"]),
        outputs=tuple(_output(*row) for row in found["outputs"]),
        code=tuple(map(Instruction, found["ops"], map(tuple, found["args"]), data)),
        labels=dict(map(tuple, found["labels"])),
        cost=Cost(*found["cost"]),
        digest=found["digest"],
    )
    return made


def _symbol(row: tuple[str, str, int]) -> Symbol:
    return symbol(*row)


def _output(name: str, shape: Any, values: Any, nonzeros: Any, is_symmetric: bool, is_sparse: bool) -> Output:
    return Output(name, tuple(shape), tuple(values), tuple(map(tuple, nonzeros)), is_symmetric, is_sparse)


def _data(op: str, value: Any) -> Any:
    if op == "factor":
        kind, n, sizes = value
        return FactorShape(kind, n, tuple(sizes))
    if op == "tree":
        return TreeShape(*map(_tuples, value))
    if op == "sweeps":
        made, *tables, columns = value
        adds, kinds, places, size, results = map(_tuples, tables)
        repeated = None if columns is None else Columns(*map(_tuples, columns))
        fragments = tuple(program_of_rows(rows) for rows in made)
        return SweepShape(fragments, adds, kinds, places, size, results, repeated)
    return tuple(value) if isinstance(value, list) else value


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
