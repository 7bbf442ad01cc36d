"""The contract of targets: whatever a program is compiled to gives the numbers of the graph, to 1e-13.

The reference is `evaluate`, which never sees a program. Differences are measured in units of the numbers that were
added up on the way (for solves: times the condition of the matrix), since a result may cancel.

Compilers take longer than programs: what can stand in one program does, and its code is made once for all states.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from typing import Any

import numpy as np
import pytest

from symbody.algebra.calculus.derivatives import jacobian
from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph import functions as fn
from symbody.algebra.graph import graph
from symbody.algebra.graph.functions import ExternalFunction, cos, sin, where
from symbody.algebra.graph.graph import PI, Expr, Symbol, as_expr, symbol, symbols
from symbody.algebra.graph.linear import factorize
from symbody.algebra.graph.matrix import Matrix, matrix
from symbody.algebra.graph.walk import evaluation_order, scalars
from symbody.emit.llvm import program_text as llvm_text
from symbody.emit.lowering.lower import program
from symbody.emit.programs.program import Program
from symbody.write.targets.c import c_printer as c

from ..amount import FULL, some
from .targets import TARGETS, Target

AGREEMENT = 1e-13
x, y, z = symbols("x y z")
t = symbol("t", "time")


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> Target:
    return TARGETS[request.param]


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every program in many pieces, so that all kinds of values pass from one to another."""
    whole = llvm_text.instruction_ranges
    monkeypatch.setattr(llvm_text, "instruction_ranges", lambda module, size=7: whole(module, 7))
    monkeypatch.setattr(c, "PIECE", 7)


# ---------------------------------------------------------------------------------------------------- cases


@dataclass
class Case:
    """Expressions, where to evaluate them, and how large the numbers on the way are (`scale`, at least; by output where they
    differ)."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]
    states: Sequence[Sequence[Any]]
    scale: float | dict[str, float] = 0.0
    sparse: tuple[str, ...] = ()
    name: str = "f"
    labels: dict[str, Expr] = field(default_factory=dict)
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        self.program = program(self.name, self.inputs, self.outputs, sparse=self.sparse, labels=self.labels)

    def values(self, state: Sequence[Any]) -> dict[Symbol, float]:
        pairs = zip(self.program.inputs, state, strict=True)
        return {s: float(v) for g, a in pairs for s, v in zip(g.symbols, np.ravel(a), strict=True)}

    @cached_property
    def reference(self) -> list[np.ndarray]:
        """What `evaluate` says, stacked over the states."""
        things = [t if isinstance(t, (Matrix, Expr)) else _column(t) for t in self.outputs.values()]
        rows = [evaluate(things, self.values(s)) for s in self.states]
        out = []
        for k, o in enumerate(self.program.outputs):
            full = np.array([np.reshape(r[k], o.shape) for r in rows], dtype=float)
            entries = [[row[place] for row in full] for place in o.nonzeros]
            out.append(np.array(entries).reshape(-1, len(rows)).T if o.is_sparse else full)
        return out

    def largest(self) -> float:
        """The largest number on the way, over all states."""
        nodes = [n for n in evaluation_order(scalars(*self.outputs.values())) if isinstance(n, Expr)]
        return max(float(abs(v)) for s in self.states for v in evaluate(nodes, self.values(s)))


def _column(value: Any) -> Expr | Matrix:
    return Matrix(len(value), 1, tuple(map(as_expr, value))) if isinstance(value, (list, tuple)) else as_expr(value)


def check(target: Target, case: Case) -> None:
    """The contract."""
    reference = case.reference
    for way, run in target(case.program).items():
        for out, got, want in zip(case.program.outputs, run(case.states), reference, strict=True):
            assert got.shape == want.shape, (way, out.name)
            scale = case.scale[out.name] if isinstance(case.scale, dict) else case.scale
            error = np.abs(got - want) / np.maximum(np.maximum(np.abs(want), scale), 1e-300)
            worst = float(np.max(error, initial=0.0))
            assert worst <= AGREEMENT, f"{way}: {out.name}: off by {worst:.2g}\n{got}\n{want}"


_shared: dict[str, Case] = {}


def shared(name: str, make: Callable[[], Case]) -> Case:
    """One case for all targets: programs and reference take longer to make than numbers of a target to compare."""
    if name not in _shared:
        _shared[name] = make()
    return _shared[name]


def numbers(seed: int, *sizes: int, low: float = -2.0, high: float = 2.0, states: int = 11) -> list[list[np.ndarray]]:
    """Random states: one array for each size, a number for size 0. Eleven of them do not fill whole registers."""
    rng = np.random.default_rng(seed)
    return [[rng.uniform(low, high, n or ()) for n in sizes] for _ in range(states)]


# ---------------------------------------------------------------------------------------------------- every operation

DAMPER = ExternalFunction(
    "damper",
    1,
    python=lambda v: v * abs(v) + 1,
    c="double damper(double v)\n{\n    return v * (v < 0 ? -v : v) + 1;\n}",
)
TYRE = ExternalFunction(
    "tyre",
    2,
    derivatives=[lambda a, b: b, lambda a, b: a],
    python=lambda a, b: a * b,
    c="static double tyre(double a, double b)\n{\n    return a * b;\n}",
)
ERF = ExternalFunction("erf", 1, python=math.erf)  # C has it in <math.h>

ANYWHERE: dict[str, Expr] = {
    "neg": -x,
    "add": x + y,
    "sub": x - y,
    "mul": x * y,
    "div": x / (3 + y),
    "grouping": (x + (y + z)) * (x - (y - z)) - (x - (z + 5)) / ((3 + y) / (4 + z)) + x * (y * z),
    "signs": x - -(y * z) + (-x) * (-2 * y) - (-z),
    "sqrt": fn.sqrt(5 + x),
    "exp": fn.exp(x),
    "log": fn.log(3 + x),
    "sin": sin(x),
    "cos": cos(x),
    "sin and cos": sin(x) * cos(x),
    "sin and cos of one sum": sin(x + y) + 3 * cos(x + y),
    "sin and cos of different angles": sin(x) + cos(y) * sin(2 * x),
    "tan": fn.tan(x / 2),
    "asin": fn.asin(x / 3),
    "acos": fn.acos(x / 3),
    "atan": fn.atan(x),
    "atan2": fn.atan2(x, y),
    "sinh": fn.sinh(x),
    "cosh": fn.cosh(x),
    "tanh": fn.tanh(x),
    "abs": abs(x) - abs(y),
    "sign": fn.sign(x) + 2 * fn.sign(y),
    "min": fn.minimum(x, y),
    "max": fn.maximum(x * y, z),
    "square": x**2,
    "high power": (x / 2) ** 13,
    "higher power": (x / 2) ** 64,
    "highest power": (x / 2) ** 67,
    "negative power": (4 + x) ** -3,
    "reciprocal": (4 + x) ** -1,
    "root": (3 + x) ** 0.5,
    "cubic root": (3 + x) ** Fraction(1, 3),
    "real power": (3 + x) ** 2.7,
    "variable power": (3 + x) ** y,
    "power of a number": as_expr(2) ** x,
    "pi": PI * x + sin(PI * y / 3),
    "fractions": x / 12 + Fraction(1, 3) * y,
    "lt": where(x < y, x, y),
    "le": where(x <= y, x, 2 * y),
    "gt": where(x > y, 1, x),
    "ge": where(x >= y, 1, z),
    "eq": where(fn.equal(x, y), 7, z),
    "and": where((x < y) & (y < z), x, z),
    "or": where((x < y) | (y < z), x, z),
    "not": where(~(x < y), x, z),
    "logic": where(((x < y) & ~(y < z)) | (~((x < z) & (y < 1)) & ((z < 0) | fn.equal(x, 0))), x * z, y + 2),
    "nested choice": where(x < 0, where(y < 0, x, y), where(z < 0, -x, -y)) * where(x < 1, 2, 3),
    "choice in a comparison": where(where(x < y, x, z) < 0, fn.minimum(x, where(y < z, y, z)), x),
    "call": DAMPER(x) * DAMPER(x) + y,
    "call of two": TYRE(x + 1, y) - TYRE(y, x),
    "call of calls": TYRE(DAMPER(x), TYRE(2, y)),
    "call of numbers": DAMPER(3) * x,
    "call of the library": ERF(x),
    "number": as_expr(Fraction(1, 3)),
    "zero": as_expr(0),
    "large number": as_expr(123456789012345678),
    "small number": as_expr(1.5e-300),
    "number that needs all digits": as_expr(0.1) + as_expr(1e-17) * x,
    "folded": fn.sqrt(2) * fn.exp(1) * sin(PI / 7),
    "input": x,
    "negated input": -y,
}
SPECIAL = list(product((-1.0, 0.0, 1.0), (-1.0, 0.0, 1.0), (0.0, 1.0)))  # ties and zeros


LOT = 1 if FULL else 64  # operations in one program


def lots(keys: Sequence[str]) -> list[list[str]]:
    return [list(keys[k : k + LOT]) for k in range(0, len(keys), LOT)]


def outputs_of(keys: Sequence[str]) -> dict[str, Expr]:
    return {key.replace(" ", "_"): ANYWHERE[key] for key in keys}


@pytest.mark.parametrize("keys", lots(list(ANYWHERE)), ids=lambda keys: f"{keys[0]} and {len(keys) - 1} more")
def test_operations(target: Target, keys: list[str]) -> None:
    states = numbers(1, 3) + [[np.array(s)] for s in SPECIAL]
    check(target, Case({"p": [x, y, z]}, outputs_of(keys), states, scale=1e-2))


def test_list_has_every_operation() -> None:
    """What the graph can do and what a program is made of: each stands in the list at least once."""
    used = {n.op for n in evaluation_order(ANYWHERE.values())}
    assert used >= (graph.UNARY | graph.BINARY | graph.CONDITIONS | {"where", "call", "pi", "const", "symbol"}) - {
        "true"
    }
    code = {i.op for e in ANYWHERE.values() for i in program("f", {"p": [x, y, z]}, {"e": e}).code}
    assert code >= {"sincos", "item", "sin", "cos", "input", "const", "pow", "mul", "div"}


def test_all_operations_at_once(target: Target, small_pieces: None) -> None:
    """The same in one program of many pieces."""
    outputs = {f"out{k}": e for k, e in enumerate(ANYWHERE.values())}
    check(target, Case({"x": x, "p": [y, z]}, outputs, numbers(2, 0, 2), scale=1e-2))


# ---------------------------------------------------------------------------------------------------- random programs


class Random:
    """A random program: many nodes that share, several outputs of all sorts."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.symbols = symbols(f"a{k}" for k in range(self.rng.randint(3, 9)))
        self.pool: list[Expr] = [t, *self.symbols, as_expr(2), as_expr(Fraction(1, 3)), PI]
        self.labels: dict[str, Expr] = {}
        for k in range(self.rng.choice([15, 60, 250])):
            self.pool.append(self.node())
            if k % 5 == 0:
                self.labels.setdefault(self.rng.choice(["w", "force", "double", "I", f"s{k}"]), self.pool[-1])

    def pick(self) -> Expr:
        """Rather a young node than an old one, so that programs are deep as well as wide."""
        return self.pool[max(self.rng.randrange(len(self.pool)), self.rng.randrange(len(self.pool)))]

    def node(self) -> Expr:
        """Functions that neither grow nor lose digits, and are defined everywhere."""
        a, b, d = self.pick(), self.pick(), self.pick()
        choices: list[Callable[[], Expr]] = [
            lambda: a + b,
            lambda: a - b,
            lambda: sin(a) * cos(b),
            lambda: sin(a) - cos(a) * b / (1 + b * b),
            lambda: a / (1 + abs(b)),
            lambda: fn.tanh(a) * fn.tanh(b),
            lambda: fn.atan2(a, 2 + sin(b)),
            lambda: fn.sqrt(1 + a**2),
            lambda: fn.log(2 + cos(a)) - fn.exp(sin(b)),
            lambda: fn.minimum(a, b) - fn.maximum(b, d),
            lambda: fn.asin(sin(a) / 2) + fn.acos(cos(b) / 2),
            lambda: fn.atan(a) * fn.sign(d),
            lambda: where((a < b) | ~(b < d), a, d),
            lambda: where((a <= b) & (d < 1), fn.tanh(a) ** 3, fn.cosh(fn.tanh(b))),
            lambda: TYRE(fn.tanh(a), fn.tanh(b)) + DAMPER(sin(d)),
            lambda: fn.tan(fn.tanh(a)) + fn.sinh(fn.tanh(b)),
            lambda: (2 + sin(a)) ** fn.tanh(b),
            lambda: -a,
        ]
        return self.rng.choice(choices)()

    def outputs(self) -> dict[str, Any]:
        last = [fn.atan(e) for e in self.pool[-12:]]
        off = last[3]
        return {
            "scalar": last[0],
            "vector": [last[1], self.symbols[0], last[1], 0, as_expr(Fraction(2, 7))],
            "symmetric": matrix([[last[2], off], [off, t]]),
            "full": matrix([last[4:7], [self.symbols[1], -last[7], 0]]),
            "constant": as_expr(3),
            "again": last[0],
            "sparse": matrix([[0, last[8], 0], [last[9], 0, 0], [0, 0, 1]]),
            "nothing": matrix([[0, 0], [0, 0]]),
        }

    def case(self) -> Case:
        inputs = {"t": t, "a": list(self.symbols), "empty": []}
        states = [[*s, np.zeros(0)] for s in numbers(self.rng.randrange(1000), 0, len(self.symbols), states=20)]
        case = Case(
            inputs, self.outputs(), states, sparse=("sparse", "nothing"), name="random_program", labels=self.labels
        )
        case.states = [s for s in states if is_clear_cut(case, s)][:5]
        return case


def is_clear_cut(case: Case, state: Sequence[Any]) -> bool:
    """Whether rounding decides no comparison at this state: after a jump there is nothing to compare."""
    jumps = [n for n in evaluation_order(scalars(*case.outputs.values())) if n.op in ("lt", "le", "eq", "sign")]
    sides = [n.args if len(n.args) == 2 else (n.args[0], as_expr(0)) for n in jumps]
    return all(abs(a - b) > 1e-6 for a, b in evaluate(sides, case.values(state)))


@cache
def random_case(seed: int) -> Case:
    """A random program whose choices are clear at some states. (Two equal values may be compared, one in disguise.)"""
    case = Random(seed).case()
    while not case.states:
        seed += 1000
        case = Random(seed).case()
    case.scale = case.largest()
    return case


@pytest.mark.parametrize("seed", range(24 if FULL else 5))
def test_random_program(target: Target, seed: int) -> None:
    check(target, random_case(seed))


@pytest.mark.parametrize("seed", range(100, 108 if FULL else 102))
def test_random_program_in_pieces(target: Target, small_pieces: None, seed: int) -> None:
    check(target, random_case(seed))


def test_long_program(target: Target) -> None:
    """Cut by the sizes that are built in."""
    e: Expr = x
    total = as_expr(0)
    for k in range(500):
        e = sin(e + k) * y + where(e < y, cos(e + k), z)
        total = total + e if k % 7 == 0 else total
    states = numbers(3, 3, low=-0.5, high=0.5)
    case = shared("long", lambda: Case({"p": [x, y, z]}, {"out": [e / 100, total]}, states, scale=100.0))
    assert len(llvm_text.instruction_ranges(llvm_text.LlvmModule(case.program, 1, 4, "double", "free"))) > 9
    assert "_part_2" in c.c_source(case.program).source
    check(target, case)


# ---------------------------------------------------------------------------------------------------- linear systems

SIZES = (1, 2, 5, 13, 24) if FULL else (1, 2, 5, 18)  # the last ones by loops: they are not written out
KINDS = ("definite", "indefinite", "general")


def entries_matrix(n: int, kind: str) -> Matrix:
    """Matrices that vary with x, y, z; a good half of the entries is not zero."""
    rng = random.Random(n)

    def entry(i: int, j: int) -> Expr:
        i, j = (min(i, j), max(i, j)) if kind != "general" else (i, j)
        return (
            as_expr(0)
            if (i + 2 * j) % 5 == 3
            else rng.choice([x, y, z]) * Fraction(1 + (i * j) % 4, n) + (i - j) % 3 * z / 8
        )

    full = [[entry(i, j) for j in range(n)] for i in range(n)]
    if kind != "general":
        full = [[full[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    if kind == "definite":
        return matrix(
            [[e + (n + 2 + sin(x * i) if i == j else 0) for j, e in enumerate(r)] for i, r in enumerate(full)]
        )
    if kind == "indefinite":  # of a constrained system: [M Jᵀ; J 0]
        free = max(1, 2 * n // 3)
        for i in range(n):
            for j in range(n):
                if i >= free and j >= free:
                    full[i][j] = as_expr(0)
                elif i == j:
                    full[i][j] = full[i][j] + n + 2
                elif abs(i - j) == free:
                    full[i][j] = full[i][j] + 3
        return matrix(full)
    shift = 1 if n > 1 else 0  # the large entries lie beside the diagonal: the first pivot is zero
    for i in range(n):
        full[i][(i + shift) % n] = full[i][(i + shift) % n] + n + 2
    full[0][0] = as_expr(0) if n > 1 else full[0][0]
    return matrix(full)


def condition(a: Matrix, case: Case) -> float:
    return max(
        float(np.linalg.cond(np.array(evaluate(a, case.values(s)), dtype=float).reshape(a.shape))) for s in case.states
    )


@dataclass
class Solved:
    """Outputs that solve with one matrix; `times`: how often its condition multiplies their errors."""

    a: Matrix
    outputs: dict[str, Any]
    times: int = 1

    def scale(self, states: Sequence[Sequence[Any]]) -> float:
        alone = Case({"p": [x, y, z]}, self.outputs, states)
        worst = condition(self.a, alone)
        assert worst < 1e4
        return worst**self.times * alone.largest()


def solved(systems: dict[str, Solved], seed: int) -> Case:
    """Several systems in one program, each with errors in units of its own."""
    states = numbers(seed, 3)
    outputs = {f"{key}_{name}": e for key, s in systems.items() for name, e in s.outputs.items()}
    scales = {key: s.scale(states) for key, s in systems.items()}
    scale = {f"{key}_{name}": scales[key] for key, s in systems.items() for name in s.outputs}
    return Case({"p": [x, y, z]}, outputs, states, scale, name="solved")


def right_side(n: int) -> list[Expr]:
    return [sin(x) + k * y for k in range(n)]


def of_every_kind(system: Callable[[str, int], Solved], sizes: Sequence[int]) -> dict[str, Solved]:
    return {f"{kind}{n}": system(kind, n) for kind in KINDS for n in sizes}


def test_solve(target: Target) -> None:
    """Several right sides share the factors; one is solved with the transpose."""

    def system(kind: str, n: int) -> Solved:
        a = entries_matrix(n, kind)
        f, b = factorize(a, kind), right_side(n)
        several = f.solve(matrix([[k + z, cos(y * k)] for k in range(n)]))
        return Solved(a, {"first": f.solve(b), "several": several, "transposed": f.solve(b, transposed=True)})

    check(target, shared("solve", lambda: solved(of_every_kind(system, SIZES), seed=1)))


def many_right_sides(n: int, count: int) -> Matrix:
    """Full ones, ones with a single entry, and ones with zeros in front."""

    def entry(i: int, r: int) -> Expr:
        if r % 3 == 1:
            return as_expr(int(i == r % n))
        return as_expr(0) if r % 3 == 2 and i < r % n else (1 + i * r % 5) * x + (i - r) * y / n

    return matrix([[entry(i, r) for r in range(count)] for i in range(n)])


LOOP = 17  # rows of a definite system that is not written out

MANY = [("definite", LOOP + 1, 3), ("definite", LOOP, 66), ("definite", LOOP + 1, 18), ("definite", LOOP, 7)]
MANY += [
    (kind, 5, count) for kind in ("indefinite", "general") for count in (3, 66)[:: 1 if kind == "indefinite" else -1]
]


@pytest.mark.parametrize(("kind", "n", "count"), some(MANY, 3))
def test_many_right_sides(target: Target, kind: str, n: int, count: int) -> None:
    """Solved together, side by side, in lots of all widths."""
    a = entries_matrix(n, kind)
    f = factorize(a, kind)
    outputs = {"X": f.solve(many_right_sides(n, count)), "Y": f.solve(many_right_sides(n, 3), transposed=True)}
    case = shared(f"many {kind} {n} {count}", lambda: solved({kind: Solved(a, outputs)}, seed=n))
    assert 1 <= sum(i.op == "solve" for i in case.program.code) <= 4
    check(target, case)


def test_many_right_sides_in_pieces(target: Target, small_pieces: None) -> None:
    """Memory of blocks is used again; the second right sides need the first solutions."""

    def system(kind: str, count: int) -> Solved:
        n = LOOP if kind == "definite" else 5
        a = entries_matrix(n, kind)
        f = factorize(a, kind)
        first = f.solve(many_right_sides(n, count))
        second = f.solve(first * x + many_right_sides(n, count))
        later = [fn.tanh(first[i, i % count]) + second[i, 0] for i in range(n)]
        return Solved(a, {"second": second, "first": first[:, :2], "later": later}, times=2)

    check(target, shared("many in pieces", lambda: solved(of_every_kind(system, [17]), seed=17)))


def test_solve_in_pieces(target: Target, small_pieces: None) -> None:
    """Factors and solutions are read far from where they were made."""

    def system(kind: str, n: int) -> Solved:
        a = entries_matrix(n, kind)
        f = factorize(a, kind)
        first = f.solve(right_side(n))
        far = sum((sin(x + k) * cos(x + k) for k in range(9)), as_expr(0))
        second = f.solve([far + e for e in first], transposed=True)
        return Solved(a, {"second": second, "first": first, "later": [fn.tanh(e) + first[0] for e in second]})

    check(target, shared("in pieces", lambda: solved(of_every_kind(system, [2, 5, 13] if FULL else [2, 13]), seed=13)))


def test_solve_inside_solve(target: Target) -> None:
    """Entries of a matrix and right sides that are themselves solutions."""

    def system(kind: str, n: int) -> Solved:
        v = factorize(entries_matrix(14, "definite"), "definite").solve([x + k for k in range(14)])
        a = entries_matrix(n, kind) + matrix([[v[0] if i == j == 2 else 0 for j in range(n)] for i in range(n)])
        f = factorize(a, kind)
        w = f.solve([v[1], 1, v[2]])
        return Solved(a, {"w": w, "sum": f.solve(list(w))})

    check(target, shared("inside", lambda: solved(of_every_kind(system, [3]), seed=5)))


def test_derivative_of_solve(target: Target) -> None:
    def system(kind: str, n: int) -> Solved:
        a = entries_matrix(n, kind)
        solution = factorize(a, kind).solve(right_side(n))
        some_rows = solution[:2, :] if n > 2 else solution
        slopes = {mode: jacobian(some_rows, [x, y, z], mode) for mode in ("forward", "reverse")}
        return Solved(a, slopes, times=2)

    check(target, shared("derivative", lambda: solved(of_every_kind(system, [2, 13]), seed=13)))


def test_symmetric_entry_that_is_an_expression(target: Target) -> None:
    """Both triangles of an indefinite matrix get the value of an entry that is used nowhere else."""
    a = matrix([[0, x * y + sin(z), 1], [x * y + sin(z), z, 2], [1, 2, 3 + x]])
    f = factorize(a, "indefinite")
    check(target, solved({"s": Solved(a, {"x": f.solve([1, x, y])})}, seed=3))


def test_singular_member_leaves_the_others_alone(target: Target) -> None:
    """Where there is no solution there is no number, and the neighbours in a batch do not notice."""
    for kind in ("definite", "general"):
        rows = [[x, 1, 0, 0], [1, y, 0, 0], [0, 0, x, 1], [0, 0, 1, 3]] if kind == "general" else [[x]]
        f = factorize(matrix(rows), kind)
        p = program("f", {"p": [x, y]}, {"s": f.solve([1] * len(rows))})
        states = [[np.array([k / 4.0, 1.0 + k])] for k in range(1, 9)]
        broken = [*states[:3], [np.array([0.0 if kind == "definite" else 1.0, 1.0])], *states[4:]]
        for run in target(p).values():
            (good,), (got,) = run(states), run(broken)
            assert not np.isfinite(got[3][:2]).any()
            others = [0, 1, 2, 4, 5, 6, 7]
            np.testing.assert_allclose(got[others], good[others], rtol=1e-12)


# ---------------------------------------------------------------------------------------------------- choices


CHOICES: list[tuple[Expr, Any]] = [  # an expression whose other branch has no value, and what it is
    (where(x > 0, fn.sqrt(x), 0), lambda v: math.sqrt(v) if v > 0 else 0.0),
    (where(x < 0, fn.log(-x), fn.log(x)), lambda v: math.log(abs(v))),
    (where(abs(x) <= 1, fn.asin(x), fn.sign(x) * 9), lambda v: math.asin(v) if abs(v) <= 1 else math.copysign(9, v)),
    (
        where(x > 0, x**1.5, 2 * where(x < -1, 3, fn.acos(x))),
        lambda v: v**1.5 if v > 0 else 6 if v < -1 else 2 * math.acos(v),
    ),
    (where(fn.equal(x, 2), 5, 1 / (x - 2)), lambda v: 5.0 if v == 2 else 1 / (v - 2)),
]


def test_branch_without_value_is_not_seen(target: Target) -> None:
    states = [[v] for v in (-3.0, -1.5, -0.5, 0.25, 0.5, 1.0, 2.0, 2.5, 1e3)]
    p = program("f", {"x": x}, {f"e{k}": e for k, (e, _) in enumerate(CHOICES)})
    for run in target(p).values():
        for (_, want), got in zip(CHOICES, run(states), strict=True):
            np.testing.assert_allclose(got, [want(*s) for s in states], rtol=AGREEMENT)


# ---------------------------------------------------------------------------------------------------- large angles

ANGLES = [
    *(s * v for v in (1e3, 1e5, 1599999.9, 1600000.1, 1e7, 1e15, 1e22) for s in (1, -1)),
    *(float(k * math.pi / 2) for k in (1, 2, 3, 4, 101, 1001, 99_999, 1_000_000, 1_018_000)),
    *(float(k * math.pi / 4) for k in (1, 3, 5, 7, 12345)),
    0.0, 1e-300, -1e-10, 0.785398, math.nextafter(math.pi / 4, 1),
]  # fmt: skip


def test_angles(target: Target) -> None:
    """Sine and cosine, apart and together, of angles small and huge and at the zeros of both."""
    outputs = {"s": sin(x), "c": cos(y), "both": [sin(z), cos(z)], "tan": fn.tan(x)}
    check(target, Case({"p": [x, y, z]}, outputs, [[np.full(3, v)] for v in ANGLES]))


def ieee(p: Program, state: Sequence[Any]) -> list[np.ndarray]:
    """The program by the rules of IEEE arithmetic, instruction by instruction: for numbers that `evaluate` refuses."""
    value: list[Any] = []
    for i in p.code:
        args = [value[a] for a in i.args]
        if i.op == "input":
            value.append(np.float64(np.ravel(state[i.data[0]])[i.data[1]]))
        elif i.op in ("const", "true"):
            value.append(np.float64(i.data))
        elif i.op == "sincos":
            value.append((np.sin(args[0]), np.cos(args[0])))
        elif i.op == "item":
            value.append(args[0][i.data])
        else:
            value.append(IEEE[i.op](*args))
    return [np.array([value[v] for v in o.values]).reshape(o.shape) for o in p.outputs]


IEEE: dict[str, Any] = {
    "neg": np.negative, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power,
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "abs": np.abs, "sign": np.sign, "lt": np.less, "le": np.less_equal, "eq": np.equal, "and": np.logical_and,
    "or": np.logical_or, "not": np.logical_not, "where": lambda c, a, b: a if c else b,
    "min": lambda a, b: a if a <= b else b, "max": lambda a, b: a if a >= b else b,
}  # fmt: skip
NO_NUMBERS = [
    (a, b, c)
    for a in (math.nan, math.inf, -math.inf, 1.5)
    for b in (math.nan, -math.inf, 0.0, 2.0)
    for c in (1.0, math.nan)
]


WITHOUT_CALLS = [k for k, e in ANYWHERE.items() if not any(n.op == "call" for n in evaluation_order([e]))]


@pytest.mark.parametrize("keys", lots(WITHOUT_CALLS), ids=lambda keys: f"{keys[0]} and {len(keys) - 1} more")
def test_nan_and_infinity_propagate(target: Target, keys: list[str]) -> None:
    p = program("f", {"p": [x, y, z]}, outputs_of(keys))
    states = [[np.array(s)] for s in NO_NUMBERS]
    with np.errstate(all="ignore"):
        want = [ieee(p, s) for s in states]
    for run in target(p).values():
        for k, (out, got) in enumerate(zip(p.outputs, run(states), strict=True)):
            expected = np.array([row[k] for row in want])
            np.testing.assert_allclose(got, expected, rtol=AGREEMENT, equal_nan=True, err_msg=out.name)


# ---------------------------------------------------------------------------------------------------- names


NAMES = "double sin for y0 lambda I exp def main None malloc math print np index".split()


@pytest.mark.parametrize("name", some(NAMES, 4))
def test_names_that_languages_use(target: Target, name: str) -> None:
    """Program, group, symbol, output and label may have names that mean something to a language or its library."""
    known = {n: symbol(n) for n in NAMES}
    others = {n: symbol(f"{n}_") for n in NAMES}
    outputs: dict[str, Expr] = {"work": known[name] * others[name], "shape": known[name]}
    labels: dict[str, Expr] = {}
    for n, s in known.items():
        labels |= {n: fn.exp(s) * others[n], f"{n}_2": fn.tanh(s)}
        outputs[f"{n}_out"] = labels[n] + sin(s) * cos(s) + labels[f"{n}_2"] * fn.minimum(s, others[n])
    inputs: dict[str, Any] = {n: s if k % 3 else [s] for k, (n, s) in enumerate(known.items())}
    state = [np.array([0.5]) if isinstance(g, list) else 0.5 for g in inputs.values()]
    inputs["p"] = list(others.values())
    check(target, Case(inputs, outputs, [[*state, np.full(len(others), 0.25)]] * 3, name=name, labels=labels))
