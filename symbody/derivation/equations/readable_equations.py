"""Equations in the form in which a person would write them, line by line, and the symbols that do not appear in them.

(M + m)*x_ddot + m*l*cos(theta)*theta_ddot = F + m*l*sin(theta)*theta_dot**2
m*l*cos(theta)*x_ddot + m*l**2*theta_ddot = -m*g*l*sin(theta)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.matrix import sum_of_products
from ...algebra.graph.walk import free_symbols, substitute
from ...algebra.normal_forms.tidy import entries_without_common_factor, tidied_entries
from ...algebra.normal_forms.written_form import effort
from ...algebra.printing.formulas import STYLES
from ...algebra.printing.printing import one_line, operations
from ...algebra.printing.styles import LATEX, TEXT, Style
from ...display import Displayed, DisplayPart, EquationLines, LabelledRows, aligned_latex, terminal_width, text
from ...printed_lines import at_width, broken_latex
from ...summary import MOST_CHARACTERS, first_lines
from .ground_loops import position_constraints

if TYPE_CHECKING:
    from .equations import Equations

MAX_SOLVED = 300  # largest reading effort of a solution for an acceleration
MOST_SPEEDS, MOST_OPERATIONS = 4, 300  # of equations that introduce themselves line by line


@dataclass(frozen=True)
class EquationLine:
    """One scalar equation: coefficients of unknowns on the left, the rest on the right."""

    left: tuple[tuple[Expr, Symbol], ...]
    right: Expr

    def written(self, style: Style) -> str:
        """The equation in a style: text, LaTeX, MathML."""
        left, right = self.sides(style)
        return left + style.between("=") + right

    def sides(self, style: Style) -> tuple[str, str]:
        """What is left and right of the equals sign, in a style: of a condition that is a sum, terms of either sign."""
        if not self.left and (both := _balance(self.right)):
            return _one_line(both[0], style), _one_line(both[1], style)
        parts = [_one_line(c * s, style) for c, s in self.left] or [_one_line(ZERO, style)]
        left = parts[0]
        for p in parts[1:]:
            is_negative = p.startswith(style.minus)
            left += style.between("-" if is_negative else "+") + (p.removeprefix(style.minus) if is_negative else p)
        return left, _one_line(self.right, style)

    @property
    def symbols(self) -> set[Symbol]:
        return {*free_symbols([c for c, _ in self.left], self.right), *(s for _, s in self.left)}


@dataclass(frozen=True, repr=False)
class ReadableEquations(Displayed):
    """Lines of the equations in tidy form. A notebook draws them, `print` writes text that can be copied into a program,
    `latex()` typesets them.

    kinematics     q' where it is not simply a speed
    motion         M u' = f + Jcᵀ lam, line by line
    constraints    phi = 0, and constraints on speeds that have no phi
    additional     equations of additional variables, solved for the rates z' that stand in them linearly
    left           how many entries were too large to be tidied and are as they were derived
    absent         coordinates that appear in no line (cyclic ones, and those that only forces of constant size move
                   along)
    unused         parameters that appear in no line
    blocks         speeds whose equations belong together; several blocks are decoupled from each other
    accelerations  u' as linear solves, of which `solved` writes the solution
    """

    kinematics: tuple[EquationLine, ...]
    motion: tuple[EquationLine, ...]
    constraints: tuple[EquationLine, ...]
    additional: tuple[EquationLine, ...]
    left: int
    absent: tuple[Symbol, ...]
    unused: tuple[Symbol, ...]
    blocks: tuple[tuple[Symbol, ...], ...]
    accelerations: Mapping[Symbol, Expr] = field(default_factory=dict, repr=False)

    @property
    def reduced(self) -> ReadableEquations:
        """The same with each line of the motion divided by the factors that all its terms have in common, which are
        taken to be nonzero.

        >>> m = sb.Model("pendulum")
        >>> l, g = m.parameters("l g")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=m.parameter("m"), com=(0, -l, 0)))
        >>> m.gravity(0, -g, 0)
        >>> print(sb.derive(m).readable.reduced)
        l*theta_ddot = -g*sin(theta)
        >>> print(sb.derive(m).readable.solved)
        theta_ddot = -g*sin(theta)/l

        See also: `tidy`, `Equations`.
        """
        return replace(self, motion=tuple(map(_reduced_line, self.motion)))

    @property
    def solved(self) -> ReadableEquations:
        """The same with the equations of motion solved for the accelerations, one line for each; multipliers are
        eliminated. Where a solution takes more than 300 operations to write, the lines stay as they are."""
        given = list(self.accelerations.values())
        made = tidied_entries(given)
        if made.left or any(effort(e) > MAX_SOLVED for e in made.entries):
            return self
        lines = zip(self.accelerations, made.entries, strict=True)
        return replace(self, motion=tuple(EquationLine(((ONE, s),), e) for s, e in lines))

    @property
    def lines(self) -> tuple[EquationLine, ...]:
        return (*self.kinematics, *self.motion, *self.constraints, *self.additional)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Coordinates and parameters that do not appear, in sentences."""
        out = []
        if self.absent:
            out.append(f"{_names(self.absent)} {'appears' if len(self.absent) == 1 else 'appear'} in no equation")
        if self.unused:
            out.append(f"without influence: {_names(self.unused)}")
        if len(self.blocks) > 1:
            out.append(f"decoupled: {'; '.join(map(_names, self.blocks))}")
        if self.left:
            one = self.left == 1
            out.append(f"{self.left} {'entry is' if one else 'entries are'} as derived, being too large to be tidied")
        return tuple(out)

    def text(self, width: int | None = None) -> str:
        """All lines as text, broken at sums where they are longer than `width` columns.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=m.parameter("m"), com=(0, -1, 0)))
        >>> m.gravity(0, -9.81, 0)
        >>> print(sb.derive(m).readable.text(22))
        m*theta_ddot
            = -9.81*m*sin(theta)

        See also: `text`, `sequence`.
        """
        return "\n".join(at_width(line.written(TEXT), width) for line in self.lines)

    def __str__(self) -> str:
        return self.text(terminal_width())

    def __repr__(self) -> str:
        """As mathematics in the characters of a terminal: m l² θ̈ = −m g l sin(θ)."""
        return first_lines(text(self._display(), terminal_width() or MOST_CHARACTERS))

    def _display(self) -> Iterable[DisplayPart]:
        remarks = "; ".join(self.remarks)
        shown = EquationLines(lambda kind: [line.sides(STYLES[kind]) for line in self.lines])
        return (shown, LabelledRows((("remarks", remarks),))) if remarks else (shown,)

    def latex(self) -> str:
        """All lines, aligned at the equals sign; long ones are broken at sums."""
        sides = (line.sides(LATEX) for line in self.lines)
        return aligned_latex((left, broken_latex(left, right)) for left, right in sides)


def _balance(e: Expr) -> tuple[Expr, Expr] | None:
    """A sum that is zero as an equation of two sums: terms of one sign on the left, those of the other on the right,
    with them those that nothing moves. None where all have one sign."""
    added: list[Expr] = []
    subtracted: list[Expr] = []
    stack = [(e, False)]
    while stack:
        n, is_minus = stack.pop()
        if n.op in ("add", "sub"):
            stack += [(n.args[1], is_minus != (n.op == "sub")), (n.args[0], is_minus)]
        elif n.op == "neg":
            stack.append((n.args[0], not is_minus))
        else:
            is_negative = n.op == "mul" and n.args[0].op == "const" and n.args[0].data < 0
            (added if is_minus == is_negative else subtracted).append(-n if is_negative else n)
    if not added or not subtracted:
        return None
    one, other = (
        (sum(all(s.kind == "parameter" for s in free_symbols(t)) for t in terms), -len(terms))
        for terms in (added, subtracted)
    )
    left, right = (added, subtracted) if one <= other else (subtracted, added)
    return sum(left, ZERO), sum(right, ZERO)


def _names(symbols: Iterable[Symbol]) -> str:
    return ", ".join(s.name for s in symbols)


def _one_line(e: Expr, style: Style) -> str:
    found = one_line(e, style)
    return "; ".join([*(f"{name}{style.between('=')}{value}" for name, value in found.definitions), *found.results])


def is_readable(eq: Equations) -> bool:
    """Whether equations are small enough to be shown line by line without being asked for."""
    return len(eq.u) + len(eq.z) <= MOST_SPEEDS and operations(eq.M, eq.f, eq.Jc, eq.phi, eq.h) <= MOST_OPERATIONS


def readable_equations(eq: Equations) -> ReadableEquations:
    """The lines of equations in tidy form."""
    n = len(eq.u)
    right = [f + sum_of_products(eq.Jc.column(i), eq.lam) for i, f in enumerate(eq.f.entries)]
    own = [k for k, rate in enumerate(eq.rates.entries) if rate is not eq.q[k].dot]
    speed_rows = [r.expression for r in eq.rows.speeds[len(eq.phi.entries) :]] if eq.lam else []
    additional = [_line_of(h, [z.dot for z in eq.z]) for h in eq.h.entries]
    beside = [e for line in additional for e in (*(c for c, _ in line.left), line.right)]
    parts = [list(eq.M.entries), right, [eq.rates[k] for k in own], [*position_constraints(eq), *speed_rows], beside]
    made = tidied_entries(e for p in parts for e in p)
    rest = iter(made.entries)
    M, f, rates, constraints, beside = ([next(rest) for _ in p] for p in parts)
    motion = [_line(M[i * n : (i + 1) * n], [u.dot for u in eq.u], f[i]) for i in range(n)]
    lines = (
        tuple(EquationLine(((ONE, eq.q[k].dot),), r) for k, r in zip(own, rates, strict=True)),
        tuple(motion),
        tuple(EquationLine((), c) for c in constraints),
        tuple(_line_with_entries(line, beside) for line in additional),
    )
    return ReadableEquations(*lines, len(made.left), *_missing(eq, lines), LateAccelerations(eq))


class LateAccelerations(Mapping[Symbol, Expr]):
    """u' by symbol; equations are solved when they are first asked for."""

    def __init__(self, eq: Equations) -> None:
        self.equations = eq

    def __getitem__(self, s: Symbol) -> Expr:
        return self.equations.udot[[u.dot for u in self.equations.u].index(s)]

    def __iter__(self) -> Iterator[Symbol]:
        return (u.dot for u in self.equations.u)

    def __len__(self) -> int:
        return len(self.equations.u)


def _reduced_line(line: EquationLine) -> EquationLine:
    entries = entries_without_common_factor([*(c for c, _ in line.left), line.right])
    return EquationLine(tuple((c, s) for c, (_, s) in zip(entries, line.left, strict=False)), entries[-1])


def _line(coefficients: Sequence[Expr], unknowns: Sequence[Expr], right: Expr) -> EquationLine:
    return EquationLine(tuple((c, s) for c, s in zip(coefficients, unknowns, strict=True) if c is not ZERO), right)  # type: ignore[misc]


def _line_of(h: Expr, rates: Sequence[Symbol]) -> EquationLine:
    """h = 0 with its rates on the left, each with its coefficient; everything on the right where it is not linear in
    them."""
    present = [s for s in free_symbols(h) if s in rates]
    coefficients = jacobian([h], present).entries if present else ()
    if not present or set(present) & set(free_symbols(*coefficients)):
        return EquationLine((), h)
    rest = -substitute(h, dict.fromkeys(present, ZERO))
    return EquationLine(tuple(zip(coefficients, present, strict=True)), rest)


def _line_with_entries(line: EquationLine, entries: list[Expr]) -> EquationLine:
    """The same line with the next entries as its coefficients and right side."""
    left = tuple((entries.pop(0), s) for _, s in line.left)
    return EquationLine(left, entries.pop(0))


def _missing(
    eq: Equations, lines: tuple[tuple[EquationLine, ...], ...]
) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...], tuple[tuple[Symbol, ...], ...]]:
    of_motion = [line.symbols for line in lines[1]]
    others = [line.symbols for group in (lines[0], *lines[2:]) for line in group]
    everywhere = set[Symbol]().union(*of_motion, *others)
    absent = tuple(q for q in eq.q if q not in everywhere)
    unused = tuple(p for p in eq.p if p not in everywhere)
    return absent, unused, _blocks(eq, of_motion)


def _blocks(eq: Equations, motion: Sequence[set[Symbol]]) -> tuple[tuple[Symbol, ...], ...]:
    """Speeds joined by the lines in which they, their coordinates or their accelerations meet."""
    belongs: dict[Expr, int] = {s: k for k, u in enumerate(eq.u) for s in (u, u.dot)}
    for q, rate in zip(eq.q, eq.rates.entries, strict=True):
        speeds = [s for s in free_symbols(rate) if s in eq.u]
        if speeds:
            belongs[q] = eq.u.index(speeds[0])
    block = list(range(len(eq.u)))
    joined = [{k, *(belongs[s] for s in symbols if s in belongs)} for k, symbols in enumerate(motion)]
    if eq.lam:
        joined.append(set(range(len(eq.u))))
    for group in joined:
        first = min(block[k] for k in group)
        old = {block[k] for k in group}
        block = [first if b in old else b for b in block]
    return tuple(tuple(u for u, b in zip(eq.u, block, strict=True) if b == k) for k in dict.fromkeys(block))
