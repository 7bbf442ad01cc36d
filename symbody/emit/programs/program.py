"""`Program`: straight-line operations in order, from named inputs to named outputs. Printing and compiling start here.

Instruction i defines value i, and refers to earlier values only:

    input    data = (group, position)               neg, add, sub, mul, div, pow, sqrt, exp, ... the operations of the
             graph
    const    data = float                           lt, le, eq, and, or, not, where       conditions and choice
    sincos   sine and cosine of one angle           factor   data = FactorShape, args = entries of the matrix
    item     data = which output of a block         solve    data = transposed, args = (factor, *right sides)
    call     data = ExternalFunction                tree     data = TreeShape: derivatives of the motion of a tree of
             bodies, in loops
    sweeps   data = SweepShape: steps of fragments over a memory that begins with the arguments
    fma, fms, fnma     a b + c, a b - c, c - a b, rounded once: on the way to machine code alone (`fused_products.py`)

The right sides of a solve stand one after the other, n numbers each; item r * n + i is unknown i of the solution of
right side r.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Final, NamedTuple

from ...algebra.graph.functions import ExternalFunction
from ...algebra.graph.graph import Symbol
from ...algebra.graph.linear import FactorShape
from ...algebra.graph.names import check_name
from ...errors import ProgramError, in_number, listed, shown
from ...summary import Introduced
from .sweep_shape import SweepShape
from .tree_shape import TreeShape


class Instruction(NamedTuple):
    """One operation on earlier values."""

    op: str
    args: tuple[int, ...] = ()
    data: Any = None

    def of(self, args: tuple[int, ...]) -> Instruction:
        """The same operation on other values. (`_replace` takes four times as long.)"""
        return Instruction(self.op, args, self.data)


class InstructionWriter:
    """Instructions in the order in which they were put, each written once."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.known: dict[Instruction, int] = {}

    def put(self, op: str, args: tuple[int, ...] = (), data: Any = None) -> int:
        instruction = Instruction(op, args, data)
        if instruction not in self.known:
            self.known[instruction] = len(self.code)
            self.code.append(instruction)
        return self.known[instruction]


@dataclass(frozen=True)
class Group:
    """A named input: an array of symbols, or one symbol where it is scalar."""

    name: str
    symbols: tuple[Symbol, ...]
    is_scalar: bool = False

    def __len__(self) -> int:
        return len(self.symbols)


@dataclass(frozen=True)
class Output:
    """A named output. `values` are the values of its entries, row after row; of a sparse one those that are not
    zero."""

    name: str
    shape: tuple[int, ...]
    values: tuple[int, ...]
    nonzeros: tuple[tuple[int, ...], ...]  # indices of the entries that are not zero everywhere
    is_symmetric: bool = False
    is_sparse: bool = False


@dataclass(frozen=True)
class Cost(Introduced):
    """Arithmetic in a program. Negations, comparisons and choices count as additions; loops of linear solves
    included.

    functions   sines, roots and others, each as one; `additions`, `multiplications` and `divisions` are counted one by
                one

    >>> x = sb.symbol("x")
    >>> cost = sb.program("f", {"x": x}, {"y": sb.sin(x) * x + 1}).cost
    >>> cost.multiplications, cost.functions, cost.additions
    (1, 1, 1)

    See also: `emit.Program`, `algebra.operations`.
    """

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0

    @property
    def total(self) -> int:
        """All operations together.

        >>> x = sb.symbol("x")
        >>> sb.program("f", {"x": x}, {"y": sb.sin(x) * x + 1}).cost.total
        3
        """
        return self.additions + self.multiplications + self.divisions + self.functions

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.additions + other.additions,
            self.multiplications + other.multiplications,
            self.divisions + other.divisions,
            self.functions + other.functions,
        )

    def __str__(self) -> str:
        return (
            f"{self.total} operations: {self.additions} additions, {self.multiplications} multiplications, "
            f"{self.divisions} divisions, {self.functions} functions"
        )


_ADDITIONS: Final = frozenset("neg add sub abs sign min max lt le eq and or not where".split())
_FREE: Final = frozenset(("input", "const", "item", "true"))

# Types of arguments and results of each operation: a number, a truth value, or a block of many numbers.
_NUMBER: Final = "a number"
_TRUTH: Final = "a condition"
_TAKES: Final = {
    op: kinds
    for ops, kinds in (
        ("input const true", []),
        ("neg sqrt exp log sin cos tan asin acos atan sinh cosh tanh abs sign sincos", [_NUMBER]),
        ("add sub mul div pow atan2 min max lt le eq", [_NUMBER, _NUMBER]),
        ("and or", [_TRUTH, _TRUTH]),
        ("not", [_TRUTH]),
        ("where", [_TRUTH, _NUMBER, _NUMBER]),
        ("fma fms fnma", [_NUMBER, _NUMBER, _NUMBER]),
    )
    for op in ops.split()
}
_WITH_DATA: Final = ("input", "const", "true")
_GIVES: Final = {
    **dict.fromkeys("lt le eq and or not true".split(), _TRUTH),
    **{block: f"a {block} block" for block in ("sincos", "factor", "solve", "tree", "sweeps")},
}


_COUNTED: Final = {  # operations by what they count as; the others have a cost of their own
    **dict.fromkeys(_ADDITIONS, "additions"), **dict.fromkeys(_FREE, ""), "mul": "multiplications", "div": "divisions",
}  # fmt: skip


def _cost_of(code: tuple[Instruction, ...], i: Instruction) -> Cost:
    if i.op == "factor":
        return factor_cost(i.data)
    if i.op == "solve":
        n, sides = code[i.args[0]].data.n, right_side_count(code, i)
        return Cost(additions=sides * n * (n - 1), multiplications=sides * n * n)
    if i.op == "tree":
        return tree_cost(i.data)
    if i.op == "sweeps":
        return sweep_cost(i.data)
    return Cost(functions=2 if i.op == "sincos" else 1)


def right_side_count(code: Sequence[Instruction], solve: Instruction) -> int:
    """Number of right sides of a solve."""
    return (len(solve.args) - 1) // code[solve.args[0]].data.n


def factor_cost(shape: FactorShape) -> Cost:
    """Arithmetic of the loops in `algebra/elimination/elimination.py`."""
    n = shape.n
    updates = (n**3 - n) // 6 if shape.kind == "definite" else (n - 1) * n * (2 * n - 1) // 6
    return Cost(additions=updates, multiplications=updates + n * (n - 1) // 2, divisions=n)


def tree_cost(shape: TreeShape) -> Cost:
    """Arithmetic of the loops in `emit/loops/tree_kernels.py`."""
    additions, multiplications = shape.operations
    return Cost(additions, multiplications, shape.n)


def sweep_cost(shape: SweepShape) -> Cost:
    """Arithmetic of all steps."""
    out, of_fragments = Cost(), [f.cost for f in shape.fragments]
    times = Counter[int]()
    for kind, runs in zip(shape.kinds, shape.runs(), strict=True):
        times[kind] += runs
    for kind, count in times.items():
        c = of_fragments[kind]
        out = out + Cost(*(count * n for n in (c.additions, c.multiplications, c.divisions, c.functions)))
    return out


@dataclass(frozen=True)
class Program(Introduced):
    """Straight-line code with named inputs and outputs; made by `program(...)`.

    inputs, outputs   groups of arguments, and results with their shapes
    code              instructions, each of which defines one value
    labels            names of values, where a subexpression has one; `name` is that of the function

    >>> x, y = sb.symbols("x y")
    >>> f = sb.program("f", {"x": x, "y": y}, {"s": x + y, "p": x * y})
    >>> f.name, [g.name for g in f.inputs], [o.name for o in f.outputs]
    ('f', ['x', 'y'], ['s', 'p'])

    See also: `program`, `compile`, `emit.Cost`.
    """

    name: str
    inputs: tuple[Group, ...]
    outputs: tuple[Output, ...]
    code: tuple[Instruction, ...]
    labels: dict[int, str] = field(default_factory=dict)  # meaning of values, where known

    def __post_init__(self) -> None:
        check(self)

    @cached_property
    def cost(self) -> Cost:
        """Operations by kind.

        >>> x, y = sb.symbols("x y")
        >>> f = sb.program("f", {"x": x, "y": y}, {"s": x + y, "p": x * y})
        >>> f.cost.total, f.externals, len(f.digest) > 20
        (2, (), True)
        >>> f.output_places(), f.last_uses()
        ({2: [(0, 0)], 3: [(1, 0)]}, [3, 3, 4, 4])

        See also: `emit.Cost`, `algebra.operations`.
        """
        simple = Counter(_COUNTED.get(i.op) for i in self.code)
        total = Cost(**{name: n for name, n in simple.items() if name})
        for i in self.code:
            if i.op not in _COUNTED:
                total = total + _cost_of(self.code, i)
        return total

    @cached_property
    def externals(self) -> tuple[ExternalFunction, ...]:
        """External functions called, each once, in order of first call."""
        found = ([i.data] if i.op == "call" else i.data.externals if i.op == "sweeps" else () for i in self.code)
        return tuple(dict.fromkeys(f for functions in found for f in functions))

    @cached_property
    def digest(self) -> str:
        """Hash of what the program computes: equal programs have equal machine code."""
        seen = {f: k for k, f in enumerate(self.externals)}
        h = hashlib.sha256()
        h.update(repr([self.name, [(g.name, len(g)) for g in self.inputs]]).encode())
        h.update(repr([(o.name, o.values) for o in self.outputs]).encode())
        rows = [(i.op, i.args, seen[i.data] if i.op == "call" else i.data) for i in self.code]
        h.update(repr(rows).encode())
        for fragment in (f for i in self.code if i.op == "sweeps" for f in i.data.fragments if f.externals):
            h.update(repr([seen[f] for f in fragment.externals]).encode())
        return h.hexdigest()

    def __repr__(self) -> str:
        ins = ", ".join(g.name if g.is_scalar else f"{g.name}[{len(g)}]" for g in self.inputs)
        outs = ", ".join(f"{o.name}{list(o.shape) if o.shape else ''}" for o in self.outputs)
        return f"<Program {self.name}: ({ins}) -> ({outs}), {self.cost}>"

    def output_places(self) -> dict[int, list[tuple[int, int]]]:
        """For each value the outputs, and the places in them, that it is stored to."""
        out: dict[int, list[tuple[int, int]]] = {}
        for o, output in enumerate(self.outputs):
            for at, v in enumerate(output.values):
                out.setdefault(v, []).append((o, at))
        return out

    def last_uses(self) -> list[int]:
        """For each value the last instruction that reads it (outputs count as read after the end)."""
        last = list(range(len(self.code)))
        for k, (_, args, _) in enumerate(self.code):
            for a in args:
                last[a] = k
        for o in self.outputs:
            for v in o.values:
                last[v] = len(self.code)
        return last


def check(p: Program) -> None:
    """Invariants of a program: names usable and distinct; values defined before they are used, of the kind and number
    that each operation takes; outputs that fit their shapes; nothing dead."""
    _check_names(p)
    kinds = [_GIVES.get(op, _NUMBER) for op, _, _ in p.code]
    sizes, is_sweeps = [len(g) for g in p.inputs], _GIVES["sweeps"]
    for k, (op, args, data) in enumerate(p.code):
        if op == "input":  # most instructions of loops are inputs and items
            group, at = data
            if not args and 0 <= group < len(sizes) and 0 <= at < sizes[group]:
                continue
        elif op == "item" and len(args) == 1 and 0 <= args[0] < k and kinds[args[0]] == is_sweeps:
            if 0 <= data < len(p.code[args[0]].data.items):
                continue
        elif op not in _WITH_DATA and [kinds[a] if 0 <= a < k else "" for a in args] == _TAKES.get(op):
            continue  # nothing is left to be wrong
        i = p.code[k]
        if wrong := _wrong_arguments(p, k, i, kinds) or _wrong_data(p, i):
            raise ProgramError(f"program {p.name!r}: instruction {k} ({op}) {wrong}")
    for o in p.outputs:
        if wrong := _wrong_output(p, o):
            raise ProgramError(f"program {p.name!r}: output {o.name!r} {wrong}")
    if wrong_labels := [k for k in p.labels if not 0 <= k < len(p.code)]:
        raise ProgramError(f"program {p.name!r}: there are no values {listed(wrong_labels)} to have labels")
    if dead := [k for k, last in enumerate(p.last_uses()) if last == k]:
        raise ProgramError(f"program {p.name!r}: {in_number(dead, 'instruction {} is', 'instructions {} are')} dead")


def _check_names(p: Program) -> None:
    names = [p.name, *(g.name for g in p.inputs), *(o.name for o in p.outputs), *p.labels.values()]
    for n in names:
        check_name(n, f"program {p.name!r}")
    for what, used in (("input", [g.name for g in p.inputs]), ("output", [o.name for o in p.outputs])):
        if twice := _first_repeated(used):
            raise ProgramError(f"program {p.name!r}: two {what}s have the name {twice!r}")
    if both := {g.name for g in p.inputs} & {o.name for o in p.outputs}:
        raise ProgramError(
            f"program {p.name!r}: {in_number(sorted(both), '{} is the name', '{} are names')} of an input and of an output"
        )
    if wrong := [g.name for g in p.inputs if g.is_scalar and len(g) != 1]:
        raise ProgramError(f"program {p.name!r}: scalar inputs {listed(wrong)} must hold one symbol")


def _wrong_arguments(p: Program, k: int, i: Instruction, kinds: Sequence[str]) -> str | None:
    """The fault in the arguments of an instruction, or None."""
    if early := [a for a in i.args if not 0 <= a < k]:
        return f"refers to values {listed(early)} that are not defined before it"
    got = [kinds[a] for a in i.args]
    if i.op in _TAKES:
        return _wrong_kinds(got, _TAKES[i.op])
    if i.op == "item":
        return (
            None
            if got in (["a sincos block"], ["a solve block"], ["a tree block"], ["a sweeps block"])
            else f"takes an item of {listed(got)}"
        )
    if i.op == "solve":
        fits = got[:1] == ["a factor block"] and len(got) > 1 and (len(got) - 1) % p.code[i.args[0]].data.n == 0
        return _wrong_kinds(got[1:], [_NUMBER] * (len(got) - 1)) if fits else "does not fit its factors"
    if i.op == "factor":
        if len(got) != len(i.data.places()):
            return f"has {len(got)} entries for a {i.data.kind} matrix of size {i.data.n}"
        return _wrong_kinds(got, [_NUMBER] * len(got))
    if i.op == "call":
        return _wrong_kinds(got, [_NUMBER] * i.data.arity)
    if i.op == "tree":
        return _wrong_kinds(got, [_NUMBER] * sum(i.data.sizes().values()))
    if i.op == "sweeps":
        return _wrong_kinds(got, [_NUMBER] * len(got)) if len(got) <= i.data.size else "has more arguments than memory"
    return "is not an operation"


def _wrong_kinds(got: list[str], wanted: list[str]) -> str | None:
    if got == wanted:
        return None
    if len(got) != len(wanted):
        return f"has {len(got)} arguments, takes {len(wanted)}"
    g, w = next((g, w) for g, w in zip(got, wanted, strict=True) if g != w)
    return f"got {g} where it takes {w}"


def _wrong_data(p: Program, i: Instruction) -> str | None:
    """The fault in the data of an instruction, or None."""
    if i.op == "const" and type(i.data) is not float:
        return f"holds {shown(i.data)}, which is not a float"
    if i.op in ("true", "solve") and type(i.data) is not bool:
        return f"holds {shown(i.data)}, which is not a truth value"
    if i.op == "input":
        group, at = i.data
        if not 0 <= group < len(p.inputs):
            return f"reads input {group} of {len(p.inputs)}"
        if not 0 <= at < len(p.inputs[group]):
            return f"reads position {at} of an input with {len(p.inputs[group])}"
    if i.op == "item":
        block = p.code[i.args[0]]
        size = _item_count(block)
        return None if 0 <= i.data < size else f"takes item {i.data} of {size}"
    return None


def _item_count(block: Instruction) -> int:
    if block.op == "sincos":
        return 2
    if block.op == "sweeps":
        return len(block.data.items)
    return int(block.data.results) if block.op == "tree" else len(block.args) - 1


def _wrong_output(p: Program, o: Output) -> str | None:
    if wrong := [v for v in o.values if not 0 <= v < len(p.code)]:
        return f"refers to values {listed(wrong)} of {len(p.code)}"
    if wrong := [v for v in o.values if p.code[v].op in _GIVES]:
        return f"holds {_GIVES[p.code[wrong[0]].op]} where it takes a number"
    if not _lie_in(o.nonzeros, o.shape):
        outside = [place for place in o.nonzeros if not _lie_in([place], o.shape)]
        return f"has entries at {listed(outside)}, outside its shape {o.shape}"
    size = len(o.nonzeros) if o.is_sparse else prod(o.shape)
    if len(o.values) != size:
        return f"has {len(o.values)} values where its shape needs {size}"
    if o.is_symmetric and not _is_mirrored(o):
        return "is called symmetric and is not"
    return None


def _lie_in(places: Sequence[tuple[int, ...]], shape: tuple[int, ...]) -> bool:
    if not {len(shape)}.issuperset(map(len, places)):
        return False
    return all(
        0 <= min(column) and max(column) < n for column, n in zip(zip(*places, strict=True), shape, strict=False)
    )


def _is_mirrored(o: Output) -> bool:
    """Whether entries (i, j) and (j, i) are the same value."""
    if len(o.shape) != 2 or o.shape[0] != o.shape[1]:
        return False
    places = o.nonzeros if o.is_sparse else [divmod(k, o.shape[1]) for k in range(len(o.values))]
    value = dict(zip(places, o.values, strict=True))
    return all(value.get((j, i)) == v for (i, j), v in value.items())


def _first_repeated(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for n in names:
        if n in seen:
            return n
        seen.add(n)
    return None


def require_program(where: str, thing: Any) -> Program:
    """Refuse an object that is not a program, and name the functions that create one."""
    if not isinstance(thing, Program):
        raise ProgramError(
            f"{where}: takes a program, got {shown(thing)}; program(name, inputs, outputs) makes one of "
            "expressions, compile(eq).udot.program is one"
        )
    return thing
