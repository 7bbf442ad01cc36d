"""Expressions as text and as LaTeX.

Small expressions print on one line. Large ones print as a numbered sequence: every node that is used more than once
gets a line of its own, as do labelled nodes, linear solves, and parts that would make a line too long. Printing takes
three steps: `intermediates` decides which nodes get a line, from widths that it only estimates; a `Style` (text or
LaTeX) writes the lines, node by node from the arguments up; `Sequence` holds them. All steps are linear in the nodes of
the graph, and only the lines that are shown are written, so that the `repr` of a huge expression stays quick and short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from operator import attrgetter
from typing import Any, Final

from ...argument_kinds import answered, checked_flags
from ...errors import ExpressionError
from ...summary import Introduced, counted, first_lines
from ..graph import graph
from ..graph.graph import ONE, ZERO, Expr, Node, Symbol, as_expr
from ..graph.labels import Labels, labels_by_node
from ..graph.matrix import Matrix
from ..graph.walk import evaluation_order
from .printed_numbers import digits
from .styles import EXACT_TEXT, LATEX, LINE_WIDTH, TEXT, Definitions, Piece, Style

MAX_ON_ONE_LINE: Final = 100  # largest number of nodes, as a tree, of an expression that is printed on one line
ENTRY_WIDTH: Final = 40  # approximate width in characters of a matrix entry inside a sequence
MAX_LINES: Final = 60  # largest number of intermediates shown by `print`; `sequence` gives them all
SCREEN_LINES, SCREEN_CHARACTERS, MOST_OPERATIONS = 14, 1400, 400  # what `repr` writes out; what it does not try to
MAX_REPR_OPERATIONS: Final = 20  # largest number of operations of an expression whose `repr` is its text
MAX_TREE: Final = 2000  # largest number of nodes, as a tree, that `one_line` writes

MINUS_ONE: Final = -ONE
_age = attrgetter("serial")

# -------------------------------------------------------------------------------------------------------- intermediates


def intermediates(things: Iterable[Any], labels: Labels | None = None, width: int = LINE_WIDTH) -> dict[Node, str]:
    """The nodes that get a line of their own and their names, in order of evaluation, so that no line is much wider
    than `width` characters."""
    things, label = list(things), labels_by_node(labels)
    roots = nodes_of(things)
    nodes = evaluation_order(roots)
    uses = Counter(a for n in nodes for a in n.args)
    uses.update(roots)
    tops = set(roots)
    own_line: set[Node] = set()
    widths: dict[Node, int] = {}
    for n in nodes:
        widths[n] = _cut_to_fit(n, widths, own_line, width, label)
        if _earns_a_line(n, uses[n], n in label, is_top=n in tops):
            own_line.add(n)
    for thing in things:
        if isinstance(thing, Matrix):
            own_line.update(e for e in thing.entries if widths[e] > ENTRY_WIDTH and not _is_trivial(e))
    return _names(nodes, own_line, label)


def nodes_of(things: Iterable[Any]) -> list[Node]:
    """The nodes that expressions, conditions and matrices stand for."""
    out: list[Node] = []
    for thing in things:
        if isinstance(thing, Matrix):
            out.extend(thing.entries)
        else:
            out.append(thing if isinstance(thing, Node) else as_expr(thing))
    return out


def _is_trivial(n: Node) -> bool:
    """Whether a name would not be shorter than the node."""
    return n.op in ("symbol", "const", "pi", "true", "item") or (n.op == "neg" and _is_trivial(n.args[0]))


def _earns_a_line(n: Node, uses: int, is_labelled: bool, is_top: bool) -> bool:
    if n.op == "solve":
        return True
    if is_labelled:
        return uses > 1 or not is_top  # a result that nothing else uses stands on the last line
    return uses > 1 and not _is_trivial(n)


def _cut_to_fit(n: Node, widths: dict[Node, int], own_line: set[Node], width: int, label: Mapping[Node, str]) -> int:
    """Estimated width of a node, after its widest arguments were given lines of their own where it was too wide."""

    def shown(a: Node) -> int:
        return len(label.get(a, "z1234")) if a in own_line else widths[a]

    def total() -> int:
        return _own_width(n) + sum(map(shown, n.args))

    if n.op in ("factor", "solve"):
        own_line.update(a for a in n.args if widths[a] > ENTRY_WIDTH and not _is_trivial(a) and a.op != "factor")
    elif total() > width:
        for a in sorted(set(n.args) - own_line, key=lambda a: (-widths[a], a.serial)):
            if not _is_trivial(a):
                own_line.add(a)
            if total() <= width:
                break
    return total()


def _own_width(n: Node) -> int:
    if isinstance(n, Symbol):
        return len(n.name)
    if n.op == "const":
        return len(digits(n.data))
    if n.op == "call":
        return len(n.data.name) + 2 * len(n.args)
    return 4 + 2 * len(n.args) if n.op not in ("add", "sub", "mul", "div", "neg", "pow") else 3


_RESERVED: Final = frozenset((*graph.UNARY, *"atan2 minimum maximum equal where solve factor pi True False".split()))


def _names(nodes: list[Node], own_line: set[Node], label: Mapping[Node, str]) -> dict[Node, str]:
    """Labels, made unique, and z1, z2, ... for nodes without one, distinct from all symbols and functions."""
    taken = set(_RESERVED)
    taken.update(name for n in nodes if isinstance(n, Symbol) for name in (n.name, n.stem))
    taken.update(n.data.name for n in nodes if n.op == "call")
    numbered = map("z{}".format, count(1))
    labelled = {n: _unique(label[n], taken) for n in nodes if n in own_line and n in label}
    return {n: labelled.get(n) or next(name for name in numbered if name not in taken) for n in nodes if n in own_line}


def _unique(name: str, taken: set[str]) -> str:
    free = next(c for c in (name, *map(f"{name}_{{}}".format, range(2, len(taken) + 3))) if c not in taken)
    taken.add(free)
    return free


def tree_size_up_to(most: int, things: Iterable[Any]) -> int:
    """Nodes of expressions written out as a tree, but at most `most`: exact numbers could have a million digits."""
    roots = nodes_of(things)
    if len(nodes := _nodes_up_to(roots, most)) > most:
        return most
    size: dict[Node, int] = {}
    for n in sorted(nodes, key=_age):
        size[n] = min(most, 1 + sum(size[a] for a in n.args))
    return min(most, sum(size[r] for r in roots))


def _nodes_up_to(roots: list[Node], most: int) -> set[Node]:
    """The nodes of a graph; the search stops once there are more than `most`."""
    stack, seen = list(roots), set(roots)
    while stack and len(seen) <= most:
        fresh = set(stack.pop().args) - seen
        seen |= fresh
        stack.extend(fresh)
    return seen


# ---------------------------------------------------------------------------------------------------------- sequences


@dataclass(frozen=True, repr=False)
class Sequence(Introduced):
    """Expressions written with intermediates: definitions (name, value) in order of evaluation, then the results.

    left_out   definitions that are not shown
    style      of text: plain or LaTeX

    >>> x = sb.symbol("x")
    >>> found = sb.sequence(sb.sin(x + 1) * sb.cos(x + 1))
    >>> found.definitions, found.results
    ((('z1', 'x + 1'),), ('cos(z1)*sin(z1)',))

    See also: `sequence`.
    """

    definitions: Definitions
    results: tuple[str, ...]
    left_out: int = 0  # definitions that are not shown
    style: Style = field(default=TEXT, repr=False, compare=False)

    def __repr__(self) -> str:
        return first_lines(str(self))

    def __str__(self) -> str:
        return self.style.page(self.definitions, self.left_out, self.results)


@answered
def sequence(*things: Any, labels: Labels | None = None, style: Style = TEXT) -> Sequence:
    """Expressions and matrices as a complete sequence of intermediates: `print(sequence(M, f))`.

    labels   names for subexpressions, each of which gets a line: `sequence(M, f, labels={"swing": m * l * sin(q)})`

    >>> x, y = sb.symbols("x y")
    >>> e = (x + y)**3
    >>> print(sb.sequence(sb.sin(e), sb.cos(e)))
    z1 = (x + y)**3
    sin(z1)
    cos(z1)

    See also: `text`, `algebra.operations`, `program`.
    """
    flat = _flat(things)
    return _sequence(flat, intermediates(flat, labels), style, None)


@checked_flags(ExpressionError)
def text(thing: Any, lines: int | None = MAX_LINES, labels: Labels | None = None, *, exact: bool = False) -> str:
    """An expression, condition or matrix as text, with a limited number of lines of intermediates (None: all).

    exact   write floats with all digits, so that parsing the text gives the same expression; otherwise at most twelve

    >>> x, y = sb.symbols("x y")
    >>> sb.text(sb.sin(x)**2 + y / 2)
    'y/2 + sin(x)**2'

    See also: `latex`, `sequence`, `tidy`.
    """
    return str(short_or_long(thing, EXACT_TEXT if exact else TEXT, lines, labels))


@answered
def latex(thing: Any, lines: int | None = MAX_LINES, labels: Labels | None = None) -> str:
    r"""An expression, condition, matrix, vector, dyad, point or frame as LaTeX, with at most so many lines of
    intermediates (None: all).

    >>> theta = sb.symbol("theta", "coordinate")
    >>> print(sb.latex(theta.dot**2 / 2))
    \frac{\dot{\theta}^{2}}{2}

    See also: `text`, `sequence`, `tidy`.
    """
    if hasattr(thing, "latex"):
        return str(thing.latex())
    return str(short_or_long(thing, LATEX, lines, labels))


def text_or_outline(thing: Any) -> str:
    """The text where it fits a screen, else an outline: `repr` of a long expression is short, `print` writes all of
    it."""
    if operations(thing) <= MOST_OPERATIONS:
        found = text(thing, None)
        if found.count("\n") < SCREEN_LINES and len(found) <= SCREEN_CHARACTERS:
            return found
    return f"<{outline(thing)}; print, sequence(...) and latex(...) write it out>"


def outline(thing: Any) -> str:
    """A small expression or matrix on one line, of a large one its kind and size: `Matrix 38 by 38, 5321
    operations`."""
    count = operations(thing)
    if count <= MAX_REPR_OPERATIONS:
        found = text(thing, None)
        if "\n" not in found and len(found) <= LINE_WIDTH:
            return found
    shape = f" {thing.rows} by {thing.cols}" if isinstance(thing, Matrix) else ""
    symbols = [n.name for n in evaluation_order(nodes_of([thing])) if isinstance(n, Symbol)]
    on = ", ".join(symbols) if len(symbols) <= 4 else f"{len(symbols)} symbols"
    return f"{type(thing).__name__}{shape}: {counted(count, 'operation')} on {on or 'numbers'}"


def operations(*things: Any) -> int:
    """Number of operations in expressions and matrices; shared operations are counted once.

    >>> x = sb.symbol("x")
    >>> e = sb.sin(x)
    >>> for _ in range(10):
    ...     e = sb.sin(e) * sb.cos(e)
    >>> sb.algebra.operations(e), sb.algebra.unshared_operations(e)
    (31, 4093)

    See also: `algebra.unshared_operations`, `sequence`, `emit.Cost`.
    """
    return sum(1 for n in evaluation_order(nodes_of(_flat(things))) if n.args)


def unshared_operations(*things: Any) -> int:
    """Number of operations in expressions and matrices written out as trees; shared operations are counted each time
    they are used.

    >>> x = sb.symbol("x")
    >>> e = (x + 1) * sb.sin(x + 1)
    >>> sb.algebra.operations(e), sb.algebra.unshared_operations(e)
    (3, 4)

    See also: `algebra.operations`.
    """
    roots = nodes_of(_flat(things))
    count: dict[Node, int] = {}
    for n in evaluation_order(roots):
        count[n] = bool(n.args) + sum(count[a] for a in n.args)
    return sum(count[r] for r in roots)


def short_or_long(thing: Any, style: Style, lines: int | None, labels: Labels | None = None) -> Sequence:
    """On one line where it fits, else as a sequence."""
    return _sequence([thing], {} if _fits_one_line(thing) else intermediates([thing], labels), style, lines)


def one_line(thing: Any, style: Style = TEXT) -> Sequence:
    """Text without intermediates, for short expressions without solves."""
    if (
        any(n.op == "solve" for n in evaluation_order(nodes_of([thing])))
        or tree_size_up_to(MAX_TREE, [thing]) >= MAX_TREE
    ):
        return short_or_long(thing, style, MAX_LINES)
    return _sequence([thing], {}, style, None)


def linear_combination(pairs: Iterable[tuple[Expr, str]], style: Style, lines: int | None) -> str:
    """Σ coefficient · unit, where units are texts: `2*A.x + (q1 - q2)*A.y`."""
    pairs = list(pairs)
    coefficients, units = [c for c, _ in pairs], [unit for _, unit in pairs]
    names = {} if all(map(_fits_one_line, coefficients)) else intermediates(coefficients)
    found = _sequence(coefficients, names, style, lines)
    out = ""
    for c, written, unit in zip(coefficients, found.results, units, strict=True):
        is_sum = c.op in ("add", "sub") and c not in names
        factor = style.bracketed(written) if is_sum else written
        term = {ONE: unit, MINUS_ONE: style.minus + unit}.get(c, factor + style.before_unit + unit)
        is_negative = term.startswith(style.minus)
        sign = style.between("-" if is_negative else "+")
        out += (sign + term.removeprefix(style.minus) if is_negative else sign + term) if out else term
    return style.page(found.definitions, found.left_out, (out or _one_line_text(ZERO, {}, style),))


def _fits_one_line(thing: Any) -> bool:
    if tree_size_up_to(MAX_ON_ONE_LINE + 1, [thing]) > MAX_ON_ONE_LINE:
        return False
    return all(n.op != "solve" for n in evaluation_order(nodes_of([thing])))


def _flat(things: Iterable[Any]) -> list[Any]:
    out: list[Any] = []
    for thing in things:
        out.extend(_flat(thing) if isinstance(thing, (list, tuple)) else [thing])
    return out


def _sequence(things: list[Any], names: Mapping[Node, str], style: Style, lines: int | None) -> Sequence:
    shown = list(names)[:lines]
    definitions = tuple((style.name(names[n]).text, _one_line_text(n, names, style)) for n in shown)
    results = tuple(_result(t, names, style) for t in things)
    return Sequence(definitions, results, len(names) - len(shown), style)


def _result(thing: Any, names: Mapping[Node, str], style: Style) -> str:
    def entry(n: Node) -> str:
        return style.name(names[n]).text if n in names else _one_line_text(n, names, style)

    if isinstance(thing, Matrix):
        return style.matrix([[entry(e) for e in thing.row(i)] for i in range(thing.rows)])
    return entry(nodes_of([thing])[0])


def _one_line_text(top: Node, names: Mapping[Node, str], style: Style) -> str:
    """One line: a node with the names of other lines in it."""
    pieces: dict[Node, Piece] = {}
    for n in _own_part(top, names):
        is_other = n is not top and n in names
        pieces[n] = style.placed(n, style.name(names[n])) if is_other else style.piece(n, [pieces[a] for a in n.args])
    return style.done(pieces[top]).text


def _own_part(top: Node, names: Mapping[Node, str]) -> list[Node]:
    """The nodes down to the names of other lines, arguments first."""
    stack, seen = [top], {top}
    while stack:
        n = stack.pop()
        if n is top or n not in names:
            fresh = set(n.args) - seen
            seen |= fresh
            stack.extend(fresh)
    return sorted(seen, key=_age)


graph.PRINTERS[:] = [text, latex, text_or_outline]
