"""Code as a page shows it: without the checks that make the page a test, and without notes to tools. Notebooks keep the
checks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

NOTE_TO_TOOLS: Final = re.compile(r"[ \t]*# (?:fmt: \w+|noqa\b.*|type: ignore\b.*)$", re.MULTILINE)


def shown_code(source: str) -> str:
    """Code without its `assert` statements, blocks that contain nothing else, and comments directly above them.

    >>> print(shown_code("x = 2  # fmt: skip\\n# as published\\nassert x == 2\\nx"))
    x = 2
    x
    """
    lines = source.split("\n")
    hidden = {n for c in _checks(ast.parse(source)) for n in range(c.lineno - 1, c.end_lineno or c.lineno)}
    for n in sorted(hidden):
        while n > 0 and n - 1 not in hidden and lines[n - 1].lstrip().startswith("#"):
            n -= 1
            hidden.add(n)
    kept = "\n".join(line for n, line in enumerate(lines) if n not in hidden)
    return re.sub(r"\n{3,}", "\n\n", NOTE_TO_TOOLS.sub("", kept)).strip("\n")


def has_checks(source: str) -> bool:
    """Whether code asserts anything."""
    return any(isinstance(n, ast.Assert) for n in ast.walk(ast.parse(source)))


def _checks(node: ast.AST) -> Iterator[ast.stmt]:
    """Statements to leave out: assertions, and blocks of which nothing would be left. A branch beside one that stays keeps
    its assertion, since it cannot be empty; so do functions."""
    for name in ("body", "orelse", "finalbody"):
        inside = getattr(node, name, [])
        if not isinstance(node, ast.Module) and all(map(_is_check, inside)):
            continue
        for statement in inside:
            if _is_check(statement):
                yield statement
            elif not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Expr):
                yield from _checks(statement)


def _is_check(node: ast.stmt) -> bool:
    if isinstance(node, ast.For | ast.With | ast.If):
        return all(map(_is_check, (*node.body, *getattr(node, "orelse", ()))))
    return isinstance(node, ast.Assert)
