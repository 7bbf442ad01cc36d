"""Cells are run in one namespace, and what each shows is kept: its output, and the value of its last expression."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from symbody.later import RenamedWarning
from symbody.view import Figure, FigureGrid, Scene

from .cells import Cell


@dataclass(frozen=True)
class Shown:
    """What a cell shows: text that it printed, a value (or None), and the cell itself."""

    cell: Cell
    printed: str = ""
    value: Any = None


@dataclass(frozen=True)
class Run:
    """A page that was run. `scenes` and `figures` in order of appearance; `named`: what its names mean at the end."""

    name: str
    shown: list[Shown] = field(default_factory=list)
    named: dict[str, Any] = field(default_factory=dict)

    @property
    def scenes(self) -> list[Scene]:
        return [s.value for s in self.shown if isinstance(s.value, Scene)]

    @property
    def figures(self) -> list[Figure | FigureGrid]:
        return [s.value for s in self.shown if isinstance(s.value, Figure | FigureGrid)]


def run(name: str, path: Path, cells: Sequence[Cell]) -> Run:
    """Run all code in order, in a folder of its own; an error says in which line of the file it arose."""
    page = ModuleType("__page__")  # among the modules: dataclasses look their own one up
    sys.modules[page.__name__] = page
    try:
        with _elsewhere(), warnings.catch_warnings():
            warnings.simplefilter("error", RenamedWarning)
            shown = [_run_cell(c, vars(page), path) if c.is_code else Shown(c) for c in cells]
            return Run(name, shown, dict(vars(page)))
    finally:
        del sys.modules[page.__name__]


def _run_cell(cell: Cell, space: dict[str, Any], path: Path) -> Shown:
    tree = ast.parse(cell.source, str(path))
    ast.increment_lineno(tree, cell.line - 1)
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        for statement in tree.body:
            value = None
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), str(path), "eval"), space)
            else:
                exec(compile(ast.Module([statement], []), str(path), "exec"), space)
    return Shown(cell, printed.getvalue(), value)


def unrun(name: str, cells: Sequence[Cell]) -> Run:
    """The page without what its code shows."""
    return Run(name, [Shown(c) for c in cells])


def in_processes(workers: int, call: Callable[..., None], arguments: Sequence[tuple[Any, ...]]) -> None:
    """One call after the other, each in a process of its own: pages share nothing, not even the ages of symbols."""
    if not workers:
        for a in arguments:
            call(*a)
        return
    with ProcessPoolExecutor(workers, max_tasks_per_child=1) as pool:
        for done in [pool.submit(call, *a) for a in arguments]:
            done.result()


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """Files that pages write end with the page."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)
