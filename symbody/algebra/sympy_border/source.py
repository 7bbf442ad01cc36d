"""Expressions as Python source that builds them in SymPy: `sympy_source` a file, `sympy_steps` the statements of a
function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.vector import dynamicsymbols
from sympy.printing.str import StrPrinter

from ...argument_kinds import answered
from ...escaping import as_python_literal
from ..graph.graph import symbol
from ..graph.labels import Labels
from ..graph.matrix import Matrix
from ..graph.walk import free_symbols, substitute_all
from ..printing.target_names import UniqueNames, is_python_reserved
from .to_sympy import to_sympy

_SYMPY_WORDS: Final = frozenset(sympy.__all__)


class _Source(StrPrinter):  # type: ignore[misc]
    """SymPy's printer, with symbols and functions replaced by the variables that hold them, and exact fractions."""

    def __init__(self, variables: Mapping[tuple[str, str], str]) -> None:
        super().__init__()
        self.variables = variables
        self.renamed = {f: v for (kind, f), v in variables.items() if kind == "function" and f != v}

    def text(self, e: sympy.Basic) -> str:
        """Functions are renamed before, because SymPy distinguishes kinds of expressions by the names of their
        classes."""
        if self.renamed:
            e = e.replace(
                lambda x: isinstance(x, AppliedUndef) and x.func.__name__ in self.renamed,
                lambda x: sympy.Function(self.renamed[x.func.__name__])(*x.args),
            )
        return str(self.doprint(e))

    def _print_Symbol(self, s: sympy.Symbol) -> str:  # noqa: N802
        return self.variables["symbol", s.name]

    def _print_Rational(self, x: sympy.Rational) -> str:  # noqa: N802
        return f"Rational({x.p}, {x.q})"


class SympySteps(NamedTuple):
    """Expressions as text in SymPy.

    steps     variable, name and text of each shared part, in order of evaluation
    results   text of each part
    """

    steps: list[tuple[str, str, str]]
    results: dict[str, str]


def reserved_in_sympy(name: str) -> bool:
    """Whether a variable of a module that imports everything from SymPy cannot have this name."""
    return is_python_reserved(name) or name in _SYMPY_WORDS


def sympy_steps(
    parts: Mapping[str, Any], variables: Mapping[str, str], taken: Iterable[str], labels: Labels | None = None
) -> SympySteps:
    """Text of expressions and matrices, in variables that hold their symbols.

    variables   the variable that holds each symbol, by the symbol's name; symbols of all kinds are plain symbols there
    taken       names that no variable of a shared part may have
    """
    shapes = {name: x if isinstance(x, Matrix) else Matrix(1, 1, (x,)) for name, x in parts.items()}
    entries, given = [e for m in shapes.values() for e in m.entries], dict(labels or {})
    symbols = [s for s in free_symbols(*entries, *given.values()) if s.kind not in ("parameter", "time")]
    plain = {s: symbol(s.name) for s in symbols}
    entries, named = (
        substitute_all([entries, list(given.values())], plain) if plain else (entries, list(given.values()))
    )
    form = to_sympy(Matrix(len(entries), 1, tuple(entries)), labels=dict(zip(given, named, strict=True)))
    names = UniqueNames(reserved_in_sympy)
    for name in (*variables.values(), *taken):
        names.take(name)
    held = {("symbol", s): v for s, v in variables.items()}
    held |= {("symbol", s.name): names.new(s.name) for s, _ in form.intermediates}
    printer = _Source(held)
    steps = [(held["symbol", s.name], s.name, printer.text(value)) for s, value in form.intermediates]
    results = iter(form.result)
    texts = {
        name: f"Matrix({m.rows}, {m.cols}, [{', '.join(printer.text(next(results)) for _ in m.entries)}])"
        for name, m in shapes.items()
    }
    return SympySteps(steps, texts)


@answered
def sympy_source(parts: Mapping[str, Any], about: str = "", labels: Labels | None = None) -> str:
    """Python source that builds expressions and matrices in SymPy, under the given names: a readable file to run, not a
    pickle.

    A symbol, function or intermediate whose name is a word of Python or SymPy, or of a result, is assigned to a
    variable with a similar name: `lambda_ = Symbol('lambda')`.

    >>> x = sb.symbol("x")
    >>> print(sb.algebra.sympy_source({"f": sb.sin(x) / x}).splitlines()[-1])
    f = Matrix(1, 1, [sin(x)/x])

    See also: `to_sympy`, `write.sympy`.
    """
    shapes = {name: x if isinstance(x, Matrix) else Matrix(1, 1, (x,)) for name, x in parts.items()}
    entries = tuple(e for m in shapes.values() for e in m.entries)
    form = to_sympy(Matrix(len(entries), 1, entries), labels=labels)
    values = [value for _, value in form.intermediates] + list(form.result)
    named = {s for s, _ in form.intermediates}
    symbols = sorted({s.name for v in values for s in v.free_symbols - named} | {dynamicsymbols._t.name})
    functions = sorted({f.func.__name__ for v in values for f in v.atoms(AppliedUndef)})
    names = UniqueNames(reserved_in_sympy)
    for name in shapes:
        names.take(name)
    held = {("symbol", s): names.new(s) for s in symbols} | {("function", f): names.new(f) for f in functions}
    lines = [as_python_literal(about), "from sympy import *", ""]
    lines += [f"{held['symbol', s]} = Symbol('{s}')" for s in symbols]
    lines += [f"{held['function', f]} = Function('{f}')" for f in functions]
    held |= {("symbol", s.name): names.new(s.name) for s, _ in form.intermediates}
    printer = _Source(held)
    lines += [f"{held['symbol', s.name]} = {printer.text(value)}" for s, value in form.intermediates]
    results = iter(form.result)
    for name, m in shapes.items():
        inner = ", ".join(printer.text(next(results)) for _ in m.entries)
        lines.append(f"{name} = Matrix({m.rows}, {m.cols}, [{inner}])")
    return "\n".join(lines) + "\n"
