"""Lowering, graph -> Program: constant folding, small systems unrolled, right sides joined, powers as products, dead
code eliminated, order fixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, Final

from ...algebra.calculus.evaluate import evaluate
from ...algebra.elimination.elimination_order import Work, elimination_order, elimination_work
from ...algebra.graph.functions import maximum, minimum, value_where
from ...algebra.graph.graph import ONE, ZERO, Block, Condition, Expr, Node, Symbol, as_expr, intern
from ...algebra.graph.labels import Labels, labels_by_node, substituted_labels
from ...algebra.graph.linear import MIN_PIVOT, FactorShape, solve_block
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.node_table import gc_paused
from ...algebra.graph.sweeps import Fragment, Schedule
from ...algebra.graph.walk import evaluation_order, scalars, substitute_all, with_arguments
from ...argument_kinds import checked_flags
from ...errors import ProgramError, in_number, listed, shown
from ...progress import begin_stage
from ..programs.instruction_order import depth_first
from ..programs.program import Group, Instruction, Output, Program, _first_repeated, factor_cost
from ..programs.sweep_shape import SweepShape
from .argument_order import canonical_arguments
from .common_factors import with_common_factors
from .constant_factors import with_shared_constant_factors
from .reciprocals import without_single_reciprocals
from .reused_places import with_reused_places
from .right_sides import with_joined_solves
from .shared_products import with_shared_products
from .signs import with_fewest_negations
from .tree_solves import Branches

UNROLLED_OPERATIONS: Final = 1500  # operations up to which a definite system is unrolled
UNROLLED_SPARSE: Final = 20_000  # operations of a sparse system, where the loop over all entries takes twice as many
MAX_REWRITTEN: Final = 5000  # instructions: rewriting longer programs doubles the time to make them, and saves one or two percent; eight  # percent by products with shared parts, which rows of a solver (as_written) do without


@checked_flags(ProgramError)
def program(
    name: str,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    *,
    bake: Mapping[Any, Any] | None = None,
    sparse: Iterable[str] = (),
    labels: Labels | None = None,
    as_written: bool = False,
    factored: bool = True,
    matrices: Iterable[str] = (),
) -> Program:
    """A program that computes `outputs` from `inputs`.

    inputs       for each name a symbol, or a sequence of symbols: `{"t": t, "q": [q1, q2], "p": [m, l]}`
    outputs      for each name an expression, a vector or a matrix
    bake         numbers (or expressions) for symbols, folded through the graph
    sparse       names of outputs of which only the structural nonzeros are returned, in order of rows
    labels       names for subexpressions, which generated code then uses: `{"swing": m * l * sin(q)}`
    as_written   leave sums, signs and divisions as they are written, rather than the fewest operations: rows of a
                 solver, of which the last bit decides between zeros that are equally near to a symmetric start
    factored     take common factors out of sums: fewer operations, but sums wait for their factors, which costs
                 registers where those are scarce
    matrices     names of outputs that are matrices also with one column, which else is a vector

    >>> x, y = sb.symbols("x y")
    >>> f = sb.program("f", {"x": x, "y": y}, {"r": sb.sqrt(x**2 + y**2)})
    >>> f.cost
    Cost(additions=1, multiplications=2, divisions=0, functions=1)
    >>> sb.compile(f)(3.0, 4.0)
    5.0

    See also: `compile`, `emit.numpy_function`, `c_source`, `emit.Program`.
    """
    with gc_paused():
        begin_stage(f"operations of {name}")
        found = _as_written(name, inputs, outputs, bake or {}, set(sparse), labels, set(matrices), not as_written)
        return with_joined_solves(found if as_written else _fewer_operations(found, factored))


def _as_written(
    name: str,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    bake: Mapping[Any, Any],
    wanted: set[str],
    labels: Labels | None,
    matrices: set[str],
    always_regrouped: bool,
) -> Program:
    groups = tuple(_group(name, k, v) for k, v in inputs.items())
    _check_groups(name, groups, bake)
    things = [o if isinstance(o, (Matrix, Expr)) else _column(name, k, o) for k, o in outputs.items()]
    if bake:
        things, labels = substitute_all(things, bake), substituted_labels(labels or {}, bake)
    things, label, nodes = _unrolled_solves(things, labels_by_node(labels))
    if always_regrouped or len(nodes) <= MAX_REWRITTEN:
        things, label, nodes = _regrouped_products(things, label, nodes)
    _refuse_strays(name, nodes, groups)
    if unknown := wanted - set(outputs):
        raise ProgramError(
            f"program {name!r}: {in_number(unknown, 'sparse output {} is', 'sparse outputs {} are')} not among {listed(outputs)}"
        )
    lowered = _Lowering(groups, scalars(*things), nodes, label)
    made = [_output(k, t, k in wanted, k in matrices, lowered.value) for k, t in zip(outputs, things, strict=True)]
    return _without_dead_code(name, groups, made, lowered)


def _fewer_operations(p: Program, factored: bool) -> Program:
    if len(p.code) > MAX_REWRITTEN:
        return p
    steps = (with_shared_constant_factors, without_single_reciprocals, with_fewest_negations)
    for step in (with_common_factors, *steps) if factored else steps:
        p = step(p)
    return p


Written = tuple[
    list[Any], dict[Node, str], list[Node]
]  # expressions, their labels, and their nodes in order of evaluation


def _regrouped_products(things: list[Any], label: dict[Node, str], nodes: list[Node]) -> Written:
    """Products with shared parts; a node that stands for another takes over its label."""
    new = with_shared_products(nodes, {*scalars(*things), *(n for n in nodes if n in label)})
    if not new:
        return things, label, nodes
    written = [t.map(new.__getitem__) if isinstance(t, Matrix) else new[t] for t in things]
    labels = {new[n]: name for n, name in label.items() if n in new}
    return written, labels, evaluation_order(scalars(*written))


def _column(name: str, key: str, value: Any) -> Expr | Matrix:
    if isinstance(value, (list, tuple)) and not any(isinstance(v, (list, tuple)) for v in value):
        return Matrix(len(value), 1, tuple(as_expr(v) for v in value))
    try:
        return as_expr(value)
    except TypeError as reason:
        raise ProgramError(f"program {name!r}: output {key!r}: {reason}") from None


def _group(name: str, key: str, value: Any) -> Group:
    symbols = tuple(value) if isinstance(value, (list, tuple, Matrix)) else (value,)
    if wrong := [s for s in symbols if not isinstance(s, Symbol)]:
        raise ProgramError(
            f"program {name!r}: input {key!r} must be a symbol or a list of symbols, got {shown(wrong[0])}"
        )
    return Group(key, symbols, isinstance(value, Symbol))


def _check_groups(name: str, groups: Sequence[Group], bake: Mapping[Any, Any]) -> None:
    symbols = [s for g in groups for s in g.symbols]
    if twice := _first_repeated(s.name for s in symbols):
        raise ProgramError(f"program {name!r}: {twice!r} appears twice among the inputs")
    if both := [s.name for s in symbols if s in bake]:
        raise ProgramError(f"program {name!r}: {listed(both)} cannot be an input and be baked in")


def _refuse_strays(name: str, nodes: Iterable[Node], groups: Sequence[Group]) -> None:
    known = {s for g in groups for s in g.symbols}
    stray = [n.name for n in nodes if isinstance(n, Symbol) and n not in known]
    if stray:
        raise ProgramError(
            f"program {name!r}: its outputs depend on {listed(stray)}, not among the inputs; add to these, as in inputs={{..., 'p': [{stray[0]}]}}, or give numbers by bake={{{stray[0]}: ...}}"
        )


# -------------------------------------------------------------------------------------------------------- small systems


_UNROLLED: Final = ("factor", "settled")  # nodes that may be written out


def _unrolled_solves(things: list[Any], label: Mapping[Node, str]) -> Written:
    """Write out the definite systems that are small or sparse; others stay blocks. Results of iterations are what they
    are. A node that stands for another takes over its label."""
    new: dict[Node, Any] = {}
    systems: dict[Node, _SolveSystem] = {}
    guards: dict[Node, Expr] = {}
    nodes = evaluation_order(scalars(*things))
    if not any(n.op in _UNROLLED for n in nodes):
        return things, dict(label), nodes
    right_sides = _right_sides(nodes)
    for n in nodes:
        args = tuple(new[a] for a in n.args)
        if n.op == "factor" and (order := _plan(n.data, args)[0]) is not None:
            systems[n] = _SolveSystem(n.data, order, args, right_sides[n])
            new[n] = n
        elif n.op == "factor" and n.data.is_guarded:
            guards[n], new[n] = _guarded_loop(n.data, args)
        elif n.op == "solve" and n.args[0] in guards:
            new[n] = intern("solve", (args[0], *(e + guards[n.args[0]] for e in args[1:])), n.data)
        elif n.op == "solve" and n.args[0] in systems:
            new[n] = systems[n.args[0]].solution(args[1:])
        elif n.op == "item" and isinstance(args[0], list):
            new[n] = args[0][n.data]
        elif n.op == "settled":
            new[n] = args[0]
        else:
            new[n] = n if args == n.args else with_arguments(n, args)
    written = [t.map(new.__getitem__) if isinstance(t, Matrix) else new[t] for t in things]
    labels = {new[n]: label[n] for n in reversed(nodes) if n in label}
    return written, labels, evaluation_order(scalars(*written))


def _right_sides(nodes: Iterable[Node]) -> dict[Node, list[list[int]]]:
    """For each factorisation the places of the entries of its right sides."""
    out: dict[Node, list[list[int]]] = {}
    for n in nodes:
        if n.op == "factor":
            out[n] = []
        elif n.op == "solve":
            out[n.args[0]].append([i for i, e in enumerate(n.args[1:]) if e is not ZERO])
    return out


def _plan(shape: FactorShape, entries: Sequence[Expr]) -> tuple[list[int] | None, Work]:
    """Order of elimination, or None where the system is better solved by a loop; and its cost."""
    n = shape.n
    loop = Work(factor_cost(shape).total, n * (2 * n - 1))
    if n == 1:
        return [0], Work(1, 1)
    if shape.kind != "definite":
        return None, loop
    pattern = {(i, j) for (i, j), e in zip(shape.places(), entries, strict=True) if e is not ZERO}
    entry = dict(zip(shape.places(), entries, strict=True))
    order = elimination_order(n, pattern, [i for i in range(n) if entry[i, i].value is not None])
    work = elimination_work(n, pattern, order)
    cost, dense = sum(work), loop.factor + 2 * n**2
    is_small = cost <= UNROLLED_OPERATIONS or (cost <= UNROLLED_SPARSE and 2 * cost <= dense)
    return (order, work) if is_small else (None, loop)


class _SolveSystem:
    """A definite system, written out in an order of elimination."""

    def __init__(
        self, shape: FactorShape, order: list[int], entries: Sequence[Expr], patterns: list[list[int]]
    ) -> None:
        full, n = shape.full(entries), shape.n
        factors = [full[i * n + j] for i in order for j in order]
        diagonal = factors[:: n + 1]
        _factor_sparse(n, factors)
        if shape.is_guarded:
            _guard_roots(factors, diagonal, [shape.sizes[i] for i in order])
        self.order = order
        self.place = {i: k for k, i in enumerate(order)}
        self.branches = Branches(n, factors, ([self.place[i] for i in p] for p in patterns))

    def solution(self, b: Sequence[Expr]) -> list[Expr]:
        x = self.branches.solution([b[i] for i in self.order])
        return [x[self.place[i]] for i in range(len(x))]


def _factor_sparse(n: int, a: list[Expr]) -> None:
    """`definite_factor` along the entries that are not zero: of n³/6 steps those that do something."""
    for k in range(n):
        row = [j for j in range(k + 1, n) if a[k * n + j] is not ZERO]
        pivot = a[k * n + k] = 1 / a[k * n + k]
        for i in range(k + 1, n):
            a[i * n + k] = ZERO
        for at, i in enumerate(row):
            t = a[i * n + k] = a[k * n + i] * pivot
            for j in row[at:]:
                a[i * n + j] = a[i * n + j] - t * a[k * n + j]


def _guarded_loop(shape: FactorShape, entries: tuple[Expr, ...]) -> tuple[Expr, Block]:
    """Factors without a guard, and the guard to be added to right sides: zero where A is regular, else without a value.
    Pivots stay inside the loop, so that this is seen from one more right side:

        A x = d,   level max |d_i x_i| < 1        d_i = ±√size_i
    """
    factor = intern("factor", entries, replace(shape, sizes=()))
    d = [s**0.5 if (5 * i) % 7 < 4 else -(s**0.5) for i, s in enumerate(shape.sizes)]
    largest: Expr = ZERO
    for e, size in zip(solve_block(factor, d), d, strict=True):
        largest = maximum(largest, abs(e * size))
    level = _level(shape.sizes, [e for (i, j), e in zip(shape.places(), entries, strict=True) if i == j])
    return value_where(level * largest < 1, ZERO, of=level if level.value is None else largest), factor


def _guard_roots(factors: list[Expr], diagonal: Sequence[Expr], sizes: Sequence[float]) -> None:
    """Pivots at the roots of the elimination, on which all solutions hang, have no value where any pivot is no more
    than rounding."""
    n, level = len(sizes), _level(sizes, diagonal)
    pivots = [1 / e / s for e, s in zip(factors[:: n + 1], sizes, strict=True)]
    least = pivots[0]
    for pivot in pivots[1:]:
        least = minimum(least, pivot)
    if least.value is not None:  # a matrix of numbers, which is regular or not once for all
        return
    for k in range(n):
        if all(factors[i * n + k] is ZERO for i in range(k + 1, n)):
            factors[k * n + k] = value_where(least > level, factors[k * n + k], of=level)


def _level(sizes: Sequence[float], diagonal: Sequence[Expr]) -> Expr:
    """LEAST_PIVOT Σ A_ii / size_i"""
    total: Expr = ZERO
    for e, size in zip(diagonal, sizes, strict=True):
        total = total + e / size
    return MIN_PIVOT * total


def operations(things: Any) -> int:
    """Estimated cost of a program of these expressions, without making it: nodes of the graph, and linear systems as
    they would be solved."""
    nodes = evaluation_order(scalars(things))
    work = {n: _plan(n.data, n.args)[1] for n in nodes if n.op == "factor"}
    blocks = sum(w.factor for w in work.values()) + sum(work[n.args[0]].solve for n in nodes if n.op == "solve")
    fragments = sum(n.data.operations[1] for n in nodes if n.op == "sweeps")
    return blocks + fragments + sum(1 for n in nodes if n.args and n.op not in ("factor", "solve", "sweeps", "item"))


# --------------------------------------------------------------------------------------------------------- instructions


def _number(n: Expr) -> float:
    """The value of an expression without symbols, as a double."""
    try:
        return float(n.data) if n.op == "const" else evaluate(n)
    except OverflowError:
        raise ProgramError("a constant is larger than any number of the machine") from None


def sweep_shape(schedule: Schedule) -> SweepShape:
    """The same schedule with a program for each fragment."""
    return schedule.cached("programs", (), lambda: _sweep_shape(schedule))


def _sweep_shape(schedule: Schedule) -> SweepShape:
    programs = tuple([f.cached("program", (), partial(_fragment_program, f)) for f in schedule.fragments])
    adds = tuple(f.adds for f in schedule.fragments)
    tables = schedule.kinds, schedule.places, schedule.size, schedule.results, schedule.columns
    return SweepShape(programs, adds, *tables)


def _small_shape(schedule: Schedule, arguments: int) -> SweepShape:
    """The shape in programs."""
    return schedule.cached("small shape", arguments, lambda: with_reused_places(_sweep_shape(schedule), arguments))


def _fragment_program(f: Fragment) -> Program:
    return program(
        "fragment",
        {f"x{g}": list(group) for g, group in enumerate(f.inputs)},
        {f"y{g}": list(group) for g, group in enumerate(f.outputs)},
    )


class _Lowering:
    """Instructions for a graph, each made once."""

    def __init__(
        self, groups: Sequence[Group], roots: list[Expr], nodes: list[Node], label: Mapping[Node, str]
    ) -> None:
        self.code: list[Instruction] = []
        self.labels: dict[int, str] = {}
        self.known: dict[Instruction, int] = {}
        self.value: dict[Node, int] = {}
        self.place = {s: (g, k) for g, group in enumerate(groups) for k, s in enumerate(group.symbols)}
        self.arguments = canonical_arguments(nodes, self.place)
        order = depth_first(roots, self.arguments)
        self.angles = {n.args[0] for n in order if n.op == "sin"} & {n.args[0] for n in order if n.op == "cos"}
        variable: set[Node] = set()
        for n in order:
            if n.op == "symbol" or n.op == "call" or not variable.isdisjoint(n.args):
                variable.add(n)
            self.value[n] = self._node(n, n in variable)
            if n in label and self.code[self.value[n]].op not in ("const", "input"):
                self.labels.setdefault(self.value[n], label[n])

    def put(self, op: str, args: tuple[int, ...] = (), data: Any = None) -> int:
        instruction = Instruction(op, args, data)
        at = self.known.get(instruction)
        if at is None:
            at = self.known[instruction] = len(self.code)
            self.code.append(instruction)
        return at

    def _node(self, n: Node, has_symbol: bool) -> int:
        if isinstance(n, Symbol):
            self.code.append(Instruction("input", (), self.place[n]))  # which no other node has
            return len(self.code) - 1
        if not has_symbol and isinstance(n, Expr):
            return self.put("const", (), _number(n))
        if not has_symbol and isinstance(n, Condition):
            return self.put("true", (), evaluate(intern("where", (n, ONE, ZERO))) == 1)
        args = tuple(self.value[a] for a in self.arguments[n])
        if n.op == "where" and self.code[args[0]].op == "true":
            return args[1] if self.code[args[0]].data else args[2]
        if n.op in ("sin", "cos") and n.args[0] in self.angles:
            return self.put("item", (self.put("sincos", args),), 0 if n.op == "sin" else 1)
        if n.op == "pow" and isinstance(exponent := n.args[1].data, int) and 0 < exponent <= 64:
            return self._integer_power(args[0], exponent)
        return self.put(n.op, args, _small_shape(n.data, len(args)) if n.op == "sweeps" else n.data)

    def _integer_power(self, base: int, n: int) -> int:
        if n == 1:
            return base
        if n % 2:
            return self.put("mul", (self._integer_power(base, n - 1), base))
        half = self._integer_power(base, n // 2)
        return self.put("mul", (half, half))


def _without_dead_code(name: str, groups: tuple[Group, ...], outputs: list[Output], lowered: _Lowering) -> Program:
    """Dead code elimination: the instructions that the outputs depend on, renumbered. (Constant exponents, for one, are
    dead after lowering.)"""
    needed = [False] * len(lowered.code)
    for o in outputs:
        for v in o.values:
            needed[v] = True
    for k in range(len(lowered.code) - 1, -1, -1):
        if needed[k]:
            for a in lowered.code[k].args:
                needed[a] = True
    if all(needed):
        return Program(name, groups, tuple(outputs), tuple(lowered.code), lowered.labels)
    number = list(accumulate(needed, initial=0))
    code = tuple(i.of(tuple(number[a] for a in i.args)) for k, i in enumerate(lowered.code) if needed[k])
    kept = tuple(replace(o, values=tuple(number[v] for v in o.values)) for o in outputs)
    return Program(name, groups, kept, code, {number[k]: label for k, label in lowered.labels.items() if needed[k]})


def _output(key: str, thing: Any, is_sparse: bool, is_matrix: bool, value: Mapping[Node, int]) -> Output:
    rows, cols = thing.shape if isinstance(thing, Matrix) else (1, 1)
    entries = scalars(thing)
    shape = () if isinstance(thing, Expr) else (rows,) if cols == 1 and not is_matrix else (rows, cols)
    index = [tuple(divmod(k, cols)) if len(shape) == 2 else (k,) * len(shape) for k in range(len(entries))]
    kept = [k for k, e in enumerate(entries) if e is not ZERO]
    mirrored = (
        len(shape) == 2 and rows == cols and all(entries[j * rows + i] is entries[i * rows + j] for i, j in index)
    )
    values = tuple(value[entries[k]] for k in (kept if is_sparse else range(len(entries))))
    return Output(key, shape, values, tuple(index[k] for k in kept), mirrored, is_sparse)
