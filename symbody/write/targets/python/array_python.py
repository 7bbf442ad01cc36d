"""Program -> a Python function on arrays of another package: JAX, PyTorch, CasADi. One state at a time; the packages
provide batching."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ....algebra.printing.target_names import UniqueNames, is_python_reserved
from ....emit import ir
from ...printers.flat_text import FlatText

_ALIKE: Final = {op: op for op in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt".split()}


HELPERS: Final = ("_vector", "_matrix", "_number", "_tensors")  # of a module of PyTorch


@dataclass(frozen=True, kw_only=True)
class ModuleDialect:
    """Words of a package for what a module has beside its functions.

    title       of the language
    where       choice, with places for condition and both values
    both        conjunction and disjunction of two conditions, and negation
    lookup      the part of `templates/lookup.py.txt` with `lookup(times, coefficients, x)`: the polynomial of the piece that holds x
    array       of known numbers, and `nothing` one of none
    """

    title: str
    where: str
    both: tuple[str, str, str]
    lookup: str
    array: str
    nothing: str


@dataclass(frozen=True, kw_only=True)
class ArrayDialect(ModuleDialect):
    """Words of a package for functions as well.

    module      by which functions are called
    functions   names of operations in it
    vector      an array of entries; `matrix` one of rows and columns whose entries lie row after row
    solve       A \\ b
    join        arrays, one after the other
    entry       of a vector: a number or a slice
    constant    a number as an argument of a function, where that takes arrays only
    begin       statements at the head of a function
    """

    module: str
    functions: Mapping[str, str]
    vector: str
    matrix: str
    solve: str
    transposed: str
    item: str
    join: str
    entry: str = "{0}[{1}]"
    constant: str = "{0}"
    begin: str = ""


NUMPY: Final = ModuleDialect(
    title="NumPy",
    where="np.where({0}, {1}, {2})",
    both=("np.logical_and({0}, {1})", "np.logical_or({0}, {1})", "np.logical_not({0})"),
    lookup="numpy",
    array="np.array([{0}])",
    nothing="np.zeros(0)",
)
JAX: Final = ArrayDialect(
    title="JAX",
    module="jnp",
    functions={
        **_ALIKE,
        "asin": "arcsin",
        "acos": "arccos",
        "atan": "arctan",
        "atan2": "arctan2",
        "abs": "abs",
        "sign": "sign",
    },
    where="jnp.where({0}, {1}, {2})",
    both=("jnp.logical_and({0}, {1})", "jnp.logical_or({0}, {1})", "jnp.logical_not({0})"),
    vector="jnp.array([{0}])",
    matrix="jnp.array([{0}]).reshape({1}, {2})",
    solve="jnp.linalg.solve({0}, {1})",
    transposed="{0}.T",
    item="{0}[{1}, {2}]",
    lookup="jax",
    array="jnp.array([{0}])",
    nothing="jnp.array([])",
    join="jnp.concatenate([{0}])",
)
CASADI: Final = ArrayDialect(
    title="CasADi",
    module="casadi",
    functions={**_ALIKE, "abs": "fabs", "sign": "sign"},
    where="casadi.if_else({0}, {1}, {2})",
    both=("casadi.logic_and({0}, {1})", "casadi.logic_or({0}, {1})", "casadi.logic_not({0})"),
    vector="casadi.vertcat({0})",
    matrix="casadi.reshape(casadi.vertcat({0}), {2}, {1}).T",
    solve="casadi.solve({0}, {1})",
    transposed="{0}.T",
    item="{0}[{1}, {2}]",
    lookup="casadi",
    array="casadi.DM([{0}])",
    nothing="casadi.DM(0, 1)",
    join="casadi.vertcat({0})",
)
TORCH: Final = ArrayDialect(
    title="PyTorch",
    module="torch",
    functions={**_ALIKE, "abs": "abs", "sign": "sign"},
    where="torch.where({0}, {1}, {2})",
    both=("torch.logical_and({0}, {1})", "torch.logical_or({0}, {1})", "torch.logical_not({0})"),
    vector="_vector(x, [{0}])",
    matrix="_matrix(x, [{0}], {1}, {2})",
    solve="torch.linalg.solve({0}, {1})",
    transposed="{0}.mT",
    item="{0}[..., {1}, {2}]",
    lookup="torch",
    array="torch.tensor([{0}], dtype=torch.float64)",
    nothing="torch.zeros(0, dtype=torch.float64)",
    join="torch.cat([{0}], dim=-1)",
    entry="{0}[..., {1}]",
    constant="_number(x, {0})",
    begin="t, x, r, p = _tensors(t, x, r, p)",
)


class ArrayText(FlatText):
    """The function of a program."""

    def __init__(self, program: ir.Program, name: str, dialect: ArrayDialect) -> None:
        names = UniqueNames(
            lambda n: is_python_reserved(n) or n in ("jnp", "jax", "casadi", "torch", "lookup", *HELPERS)
        )
        for taken in ("t", "x", "r", "p", *(f.name for f in program.externals)):
            names.take(taken)
        self.name, self.dialect = name, dialect
        self.arguments = ["t", "x", "r", "p", *(names.new(g.name) for g in program.inputs[4:])]
        symbols = [["t"], *([names.new(s.name) for s in g.symbols] for g in program.inputs[1:])]
        super().__init__(program, names, symbols)
        self.results: dict[int, list[str]] = {o: [] for o in range(len(program.outputs))}
        self.sides: dict[str, int] = {}

    def definition(self, about: str) -> list[str]:
        statements = self.write()
        made = [self._result(o, out) for o, out in enumerate(self.program.outputs)]
        returned = made[0] if len(made) == 1 else f"(\n        {(',' + chr(10) + '        ').join(made)},\n    )"
        head = [f"def {self.name}({', '.join(self.arguments)}):", f'    """{about}"""']
        head += [f"    {self.dialect.begin}"] if self.dialect.begin else []
        return [*head, *("    " + line for line in statements), f"    return {returned}"]

    def _result(self, o: int, out: ir.Output) -> str:
        entries = ", ".join(self.results[o])
        if not out.shape and not out.is_sparse:
            return self.dialect.constant.format(entries) if self.code[out.values[0]].op == "const" else entries
        if len(out.shape) == 2 and not out.is_sparse:
            return self.dialect.matrix.format(entries, *out.shape)
        return self.dialect.vector.format(entries)

    def outside(self, v: int) -> ir.Term:
        i = self.code[v]
        if i.op == "input" and i.data[0] > 0:
            group, at = i.data
            self.lines.append(f"{self.inputs[group][at]} = {self.dialect.entry.format(self.arguments[group], at)}")
        return super().outside(v)

    def literal(self, value: float) -> str:
        if math.isfinite(value):
            return repr(float(value))
        return 'float("nan")' if math.isnan(value) else 'float("inf")' if value > 0 else '-float("inf")'

    def truth(self, value: bool) -> ir.Term:
        return ir.Term("True" if value else "False")

    def declaration(self, k: int, name: str, text: str) -> str:
        return f"{name} = {text}"

    def function(self, i: ir.Instruction, args: list[ir.Term]) -> ir.Term:
        texts, d = [a.text for a in args], self.dialect
        if i.op == "where":
            return ir.Term(d.where.format(*texts))
        if i.op in ("and", "or", "not"):
            return ir.Term(d.both[("and", "or", "not").index(i.op)].format(*texts))
        if i.op in ("min", "max"):
            test = f"{args[0].within(ir.COMPARISON)} {'<=' if i.op == 'min' else '>='} {args[1].within(ir.COMPARISON)}"
            return ir.Term(d.where.format(test, *texts))
        if i.op == "pow":
            return ir.Term(f"{args[0].within(ir.ATOM)}**{args[1].within(ir.ATOM)}", ir.POWER)
        if i.op == "call":
            return ir.Term(f"{i.data.name}({', '.join(texts)})")
        given = [d.constant.format(x) if self.code[a].op == "const" else x for a, x in zip(i.args, texts, strict=True)]
        return ir.Term(f"{d.module}.{d.functions[i.op]}({', '.join(given)})")

    def store(self, o: int, out: ir.Output, at: int, text: str) -> None:
        self.results[o].append(text)

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, i: ir.Instruction) -> str:
        n = i.data.n
        entries = self.matrix_entries(i)
        if not ir.has_pivots(i.data):  # only the upper triangle was written
            entries = [entries[min(a, b) * n + max(a, b)] for a in range(n) for b in range(n)]
        return self.matrix("A", entries, n, n)

    def matrix_entries(self, factor: ir.Instruction) -> list[str]:
        """Entries stand twice: each gets a name, or is one."""
        for v in factor.args:
            self.repeatable(v)
        return super().matrix_entries(factor)

    def solve(self, i: ir.Instruction, factors: str, right: list[str], sides: int) -> str:
        n = self.code[i.args[0]].data.n
        name = self.matrix("b", [right[s * n + k] for k in range(n) for s in range(sides)], n, sides)
        A = self.dialect.transposed.format(factors) if i.data else factors
        self.lines.append(f"{name} = {self.dialect.solve.format(A, name)}")
        self.sides[name] = n
        return name

    def matrix(self, wish: str, entries: list[str], rows: int, cols: int) -> str:
        name = self.plan.names.new(wish)
        before, after = self.dialect.matrix.split("{0}")
        tail = after.format(None, rows, cols)
        self.lines += [f"{name} = {before}", *ir.comma_lines(entries, "    ", 110), tail]
        return name

    def item(self, block: str, at: int) -> str:
        side, row = divmod(at, self.sides[block])
        return self.dialect.item.format(block, row, side)
