"""The size of the package: `python -m bench.size` counts files and lines of code by room, in the core and beside it, and
public names.

A line of code holds a token of the program: docstrings, comments, blank lines, imports and module-level literal tables do not count.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import symbody as sb

PACKAGE = Path(sb.__file__).parent
BESIDE = ("formats", "kits")  # the flow; everything else is the core
PROTOCOLS = ("kinds", "map", "latex")  # by which calls with names, `sb.tidy` and `sb.latex` ask every object
WIDE = ("Model", "Equations", "LinearSystem", "Trajectory", "Study", "Orbit", "Mechanism")
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(text: str) -> int:
    """Lines that hold a token, without docstrings, imports and tables of literals at module level."""
    tree = ast.parse(text)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in _left_out(tree):
        lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def _left_out(tree: ast.Module) -> Iterator[ast.stmt]:
    """Docstrings and imports anywhere, literal tables at module level."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            yield node.body[0]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield node
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _is_table(statement.value):
            yield statement


def _is_table(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Dict | ast.List | ast.Tuple | ast.Set) and all(
        isinstance(n, ast.Constant | ast.Dict | ast.List | ast.Tuple | ast.Set | ast.Load | ast.UnaryOp | ast.USub)
        for n in ast.walk(value)
    )


def room(file: Path) -> str:
    """`integrate/forms` for symbody/integrate/forms/forms.py."""
    return "/".join(file.relative_to(PACKAGE).parent.parts[:2]) or "root"


def sizes() -> dict[str, Counter[str]]:
    """Files and lines of code by room."""
    found: dict[str, Counter[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        row = found.setdefault(room(file), Counter())
        text = file.read_text(encoding="utf-8")
        row.update(files=1, lines=text.count("\n"), code=code_lines(text))
    return found


def parts(rows: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    """The core, formats, kits and all together."""
    found = {name: Counter[str]() for name in ("core", *BESIDE, "all")}
    for name, row in rows.items():
        first = name.split("/")[0]
        found[first if first in BESIDE else "core"].update(row)
        found["all"].update(row)
    return found


def wide_classes() -> dict[str, type]:
    stages = (sb, sb.bodies, sb.stability, sb.study)
    return {c: next(getattr(stage, c) for stage in stages if c in dir(stage)) for c in WIDE}


def public_names() -> dict[str, int]:
    """Names that tab completion shows, of the package and of its widest classes."""
    return {"sb": len(dir(sb))} | {c: len(_members(t)) for c, t in wide_classes().items()}


def own_answers(kind: type) -> set[str]:
    """Methods and properties of a class, without its fields and the protocols that it shares with others."""
    return _members(kind) - set(getattr(kind, "__dataclass_fields__", {})) - set(PROTOCOLS)


def _members(kind: type) -> set[str]:
    fields = getattr(kind, "__dataclass_fields__", {})
    return {n for n in {*dir(kind), *fields} if not n.startswith("_")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    rows, names = sizes(), public_names()
    total = parts(rows)
    if parser.parse_args().json:
        print(json.dumps({"rooms": rows, "parts": total, "names": names}))
        return
    print(f"{'room':32}{'files':>7}{'lines':>9}{'code':>9}")
    for name, row in [*rows.items(), *total.items()]:
        print(f"{name:32}{row['files']:7}{row['lines']:9}{row['code']:9}")
    print("public names: " + ", ".join(f"{k} {v}" for k, v in names.items()))
    print("methods and properties: " + ", ".join(f"{k} {len(own_answers(t))}" for k, t in wide_classes().items()))


if __name__ == "__main__":
    main()
