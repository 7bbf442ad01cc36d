"""The files of a package, parsed, and their imports."""

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Import:
    """One imported module, as an absolute dotted name."""

    file: str
    line: int
    module: str
    in_function: bool = False
    for_types_only: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def folder(file: str) -> str:
    """`emit` for symbody/emit/llvm/jit.py, nothing for symbody/units.py."""
    parts = file.split("/")
    return parts[1] if len(parts) > 2 else ""


@cache
def sources(root: Path) -> dict[str, ast.Module]:
    """The files of the package, parsed, by path; the collector of garbage would look through a million nodes that stay,
    again and again: in this function, and for every test after it that calls `gc.collect`."""
    files = sorted((root / "symbody").rglob("*.py"))
    gc.collect()
    gc.disable()
    try:
        return {f.relative_to(root).as_posix(): ast.parse(f.read_text(encoding="utf-8")) for f in files}
    finally:
        gc.freeze()
        gc.enable()


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a file: walked once for all rules."""
    return tuple(ast.walk(tree))


def called_name(call: ast.Call) -> str:
    """The last part of the name of what is called: `load` of np.load(path)."""
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def is_name(node: ast.expr, *names: str) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def imports(file: str, tree: ast.Module, files: set[str]) -> Iterator[Import]:
    """Every import statement of a file. `from . import name` is an import of the module `name` where there is one."""

    def visit(node: ast.AST, in_function: bool, for_types_only: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for module in modules(node):
                yield Import(file, node.lineno, module, in_function, for_types_only)
        in_function = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for_types_only = True
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):  # which holds no statements
                yield from visit(child, in_function, for_types_only)

    def modules(node: ast.Import | ast.ImportFrom) -> list[str]:
        if isinstance(node, ast.Import):
            return [a.name for a in node.names]
        base = file.split("/")[: -node.level] if node.level else []
        base += node.module.split(".") if node.module else []
        inner = [".".join([*base, a.name]) for a in node.names]
        found = [m for m in inner if path_of(m, files)]
        rest = len(found) < len(inner) or not inner
        return found + ([".".join(base)] if rest else [])

    yield from visit(tree, False, False)


def path_of(module: str, files: set[str]) -> str | None:
    """The file that holds a module of the package."""
    stem = module.replace(".", "/")
    return next((f for f in (f"{stem}.py", f"{stem}/__init__.py") if f in files), None)


@cache
def all_imports(root: Path) -> list[Import]:
    trees = sources(root)
    return [i for file, tree in trees.items() for i in imports(file, tree, set(trees))]
