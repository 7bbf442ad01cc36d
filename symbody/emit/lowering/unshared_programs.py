"""Programs that share less work than the graph: subexpressions written out wherever they are used, and Lynch's three ways
to compute a mass matrix (thesis 4.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.forms.transform import partial_velocities
from ...errors import ProgramError
from ..programs.program import Instruction, Program, require_program
from .lower import program

MOST_OPERATIONS: Final = 1_000_000  # of a program that is written out
_GIVEN: Final = ("input", "const", "true")
_ONCE: Final = ("factor", "solve", "tree", "sweeps")  # blocks, whose results are many


def unshared(program: Program) -> Program:
    """The same program with every subexpression computed anew wherever it is used: each value is read once. Blocks, such as
    the factors of a linear system, are still computed once.

    >>> x, y = sb.symbols("x y")
    >>> f = sb.program("f", {"x": x, "y": y}, {"r": [sb.sin(x) * y, sb.sin(x) + y]})
    >>> f.cost.functions, sb.emit.unshared(f).cost.functions
    (1, 2)

    See also: `emit.mass_matrix_programs`, `algebra.unshared_operations`, `program`.
    """
    return _TreeWriter(require_program("unshared", program)).written()


class _TreeWriter:
    """Copies of the trees that hang on outputs."""

    def __init__(self, p: Program) -> None:
        self.p = p
        self.code: list[Instruction] = []
        self.kept: dict[int, int] = {}  # values of inputs, constants and blocks by their place in p

    def written(self) -> Program:
        total = sum(sizes[v] for sizes in (_tree_sizes(self.p),) for o in self.p.outputs for v in o.values)
        if total > MOST_OPERATIONS:
            raise ProgramError(
                f"program {self.p.name!r}: written out it has {total} operations, more than {MOST_OPERATIONS}; "
                f"with shared subexpressions it has {self.p.cost.total}"
            )
        outputs = tuple(
            replace(o, values=tuple(self._copy(v) for v in o.values), is_symmetric=False) for o in self.p.outputs
        )
        return Program(self.p.name, self.p.inputs, outputs, tuple(self.code))

    def _copy(self, root: int) -> int:
        """The tree of a value, arguments first, without recursion: trees are deep."""
        work, results = [(root, False)], list[int]()
        while work:
            v, has_arguments = work.pop()
            i = _single(self.p.code, self.p.code[v])
            if v in self.kept:
                results.append(self.kept[v])
            elif i.args and not has_arguments:
                work += [(v, True), *((a, False) for a in reversed(i.args))]
            else:
                first = len(results) - len(i.args)
                results[first:] = [self._put(v, i.of(tuple(results[first:])))]
        return results[0]

    def _put(self, v: int, i: Instruction) -> int:
        self.code.append(i)
        if i.op in (*_GIVEN, *_ONCE):
            self.kept[v] = len(self.code) - 1
        return len(self.code) - 1


def _single(code: Sequence[Instruction], i: Instruction) -> Instruction:
    """Sine or cosine alone where an item of both was taken."""
    if i.op == "item" and code[i.args[0]].op == "sincos":
        return Instruction("cos" if i.data else "sin", code[i.args[0]].args)
    return i


def _tree_sizes(p: Program) -> list[int]:
    sizes: list[int] = []
    for i in p.code:
        size = sum(sizes[a] for a in _single(p.code, i).args) + (i.op not in _GIVEN)
        sizes.append(1 if i.op in _ONCE else size)
    return sizes


# ---------------------------------------------------------------------------------------------------------- mass matrix


@dataclass(frozen=True)
class MassMatrixPrograms:
    """Programs for M = Bᵀ diag(m, I) B, from t, q, inputs r and parameters p.

    pure      every entry written out, nothing computed once for several
    numeric   entries of B and of the inertias computed once, then full matrices multiplied, zeros too
    named     entries computed once, then multiplied where they are not zero (Lynch's choice)
    graph     equal subexpressions of everything are one: what this package does

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("q", m.ground, m.body("rod", mass=2.0, com=(0, -1, 0)))
    >>> ways = sb.emit.mass_matrix_programs(sb.derive(m))
    >>> ways.named.cost.total <= ways.numeric.cost.total
    True

    See also: `emit.mass_matrix_programs`.
    """

    pure: Program
    numeric: Program
    named: Program
    graph: Program


@of_equations
def mass_matrix_programs(eq: Equations) -> MassMatrixPrograms:
    """The mass matrix by each of Lynch's ways to share work (4.6), and from the graph, as programs: they can be compiled,
    printed in any language, and timed.

    >>> m = sb.Model("double")
    >>> a, b = (m.body(n, mass=1.0, com=(0, -1, 0)) for n in "ab")
    >>> joints = m.revolute("q1", m.ground, a), m.revolute("q2", a, b, at=(0, -1, 0))
    >>> ways = sb.emit.mass_matrix_programs(sb.derive(m))
    >>> [w.cost.total for w in (ways.pure, ways.numeric, ways.named, ways.graph)]
    [14, 648, 15, 4]

    See also: `derivation.shared_work`, `emit.unshared`, `compile`, `emit.numpy_function`.
    """
    found = partial_velocities(eq)
    B, inertia = found.B, found.inertia
    inputs = {"t": eq.t, "q": eq.q, "r": eq.r, "p": eq.p}
    written = program("mass_matrix", inputs, {"M": B.T @ inertia @ B}, as_written=True)
    return MassMatrixPrograms(
        pure=unshared(written),
        numeric=_by_entries(inputs, B, inertia, are_zeros_multiplied=True),
        named=_by_entries(inputs, B, inertia, are_zeros_multiplied=False),
        graph=program("mass_matrix", inputs, {"M": eq.M}),
    )


def _by_entries(inputs: Mapping[str, Any], B: Matrix, inertia: Matrix, are_zeros_multiplied: bool) -> Program:
    """Entries first, then products of matrices of their names."""
    entries: dict[Symbol, Expr] = {}

    def named(table: Matrix, letter: str) -> Matrix:
        symbols = [symbol(f"{letter}{k}", "parameter") for k in range(len(table.entries))]
        entries.update(zip(symbols, table.entries, strict=True))
        return Matrix(
            table.rows,
            table.cols,
            tuple(s if are_zeros_multiplied or entries[s] is not ZERO else ZERO for s in symbols),
        )

    B_, I_ = named(B, "b"), named(inertia, "i")
    M = B_.T @ (I_ @ B_)
    used = free_symbols(M)
    first = program("entries", inputs, {"entries": [entries[s] for s in used]}, as_written=True)
    return _composed_program(first, program("mass_matrix", {"entries": used}, {"M": M}, as_written=True))


def _composed_program(first: Program, second: Program) -> Program:
    """The second program on the output of the first."""
    code, place = list(first.code), list[int]()
    for i in second.code:
        if i.op == "input":
            place.append(first.outputs[0].values[i.data[1]])
        else:
            code.append(i.of(tuple(place[a] for a in i.args)))
            place.append(len(code) - 1)
    outputs = tuple(replace(o, values=tuple(place[v] for v in o.values)) for o in second.outputs)
    return Program(second.name, first.inputs, outputs, tuple(code))
