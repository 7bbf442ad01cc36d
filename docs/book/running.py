"""Cells are run in one namespace, and what each shows is kept: its output, and the value of its last expression."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import Any

from symbody.later import RenamedWarning
from symbody.view import Diagram, Figure, FigureGrid, Scene

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
    def figures(self) -> list[Figure | FigureGrid | Diagram]:
        return [s.value for s in self.shown if isinstance(s.value, Figure | FigureGrid | Diagram)]


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


@dataclass(frozen=True)
class Workers:
    """Processes that run the code of pages. Without any, pages come without what their code shows.

    number    how many run at a time
    wanted    patterns of pages to run, as `gallery/stick_slip` or `tutorials/*`; all where there are none
    tell      called with a line of progress
    """

    number: int
    wanted: tuple[str, ...] = ()
    tell: Callable[[str], None] = lambda _: None

    def runs(self, page: str) -> bool:
        """Whether the code of a page is to be run."""
        return self.number > 0 and is_wanted(page, self.wanted)

    def write(self, call: Callable[..., None], pages: Mapping[str, tuple[Any, ...]]) -> None:
        """`call(*arguments, is_run)` for each page, by its name: those that are run each in a process of its own, so that
        pages share nothing, not even the ages of symbols."""
        for name, arguments in pages.items():
            if not self.runs(name):
                call(*arguments, False)
        if not (run_ones := [name for name in pages if self.runs(name)]):
            return
        began = time.monotonic()
        with ProcessPoolExecutor(self.number, max_tasks_per_child=1) as pool:
            under_way = {pool.submit(call, *pages[name], True): name for name in run_ones}
            for count, done in enumerate(as_completed(under_way), 1):
                done.result()
                self.tell(f"[{count}/{len(run_ones)}] {under_way[done]}, after {time.monotonic() - began:.0f} s")


def is_wanted(page: str, wanted: Sequence[str]) -> bool:
    """Whether a page, by its path without suffix, is among patterns; every one is where there are none."""
    return not wanted or any(fnmatch(page, pattern) for pattern in wanted)


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
