"""Program -> one Python function on NumPy arrays, vectorised over leading dimensions.

An input group of n numbers is an array of shape (..., n), a scalar one of shape (...); the leading dimensions broadcast
against each other, and every output has these dimensions. What has no value (square root of a negative number, singular
system) is nan, without warnings and without harm to the other members of a batch.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from ...algebra.graph.functions import ExternalFunction
from ...algebra.printing.target_names import UniqueNames, is_python_reserved
from ...errors import ProgramError
from ..loops.kernel_language import Kernel
from ..loops.program_kernels import factor_kernel, has_pivots, solve_kernel
from ..lowering.right_sides import leading_zeros
from ..lowering.straight_line import without_tree_loops
from ..programs.program import Group, Instruction, Output, Program, require_program, right_side_count
from ..programs.sweep_shape import SweepShape
from .infix import ATOM, CHOICE, ENTRY_WIDTH, POWER, SIGN, Infix, Term, TextPlan, comma_lines, entry_places


def numpy_source(program: Program) -> str:
    """Python text that defines the function of a program. It needs NumPy, and the external functions by their names.

    >>> x = sb.symbol("x")
    >>> print(sb.emit.numpy_source(sb.program("f", {"x": x}, {"y": sb.sin(x) / 2})).splitlines()[-2])
        y[...] = 0.5*np.sin(x)

    See also: `emit.numpy_function`, `write.numpy`, `program`.
    """
    return NumpyFunction(require_program("numpy_source", program)).module()


def numpy_function(program: Program) -> Callable[..., Any]:
    """The function of a program on NumPy arrays. Works without LLVM, and slower.

    >>> x, y = sb.symbols("x y")
    >>> f = sb.emit.numpy_function(sb.program("f", {"x": x, "y": y}, {"r": sb.sqrt(x**2 + y**2)}))
    >>> float(f(3.0, 4.0))
    5.0

    See also: `emit.numpy_source`, `compile`, `program`.
    """
    module = NumpyFunction(require_program("numpy_function", program))
    space: dict[str, Any] = {}
    exec(compile(module.module(), f"<symbody {program.name}>", "exec"), space)  # made of checked identifiers
    for f, name in module.externals.items():
        space[name] = _elementwise(f)
    function: Callable[..., Any] = space[module.name]
    return function


def _elementwise(f: ExternalFunction) -> Callable[..., Any]:
    if f.python is None:
        raise ProgramError(f"external function {f.name!r} can only be called by NumPy with python=...")
    return np.vectorize(f.python, otypes=[float])


# ---------------------------------------------------------------------------------------------------- the whole text

_HELPERS: Final = {  # operations that NumPy has not, or not with the same results where numbers are nan
    "min": ("_smaller", "def {0}(a, b):\n    return np.where(a <= b, a, b)\n"),
    "max": ("_larger", "def {0}(a, b):\n    return np.where(a >= b, a, b)\n"),
    "solve": (
        "_solution",
        '''\
def {0}(a, b):
    """Solutions of a stack of linear systems a x = b, for each column of b; those of singular ones are nan."""
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = np.broadcast_to(a, shape + a.shape[-2:]), np.broadcast_to(b, shape + b.shape[-2:])
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = np.full(b.shape, np.nan)
        for k in np.ndindex(shape):
            try:
                x[k] = np.linalg.solve(a[k], b[k])
            except np.linalg.LinAlgError:
                pass
        return x
''',
    ),
    "stack": (
        "_stacked",
        '''\
def {0}(entries, *shape):
    """Arrays that broadcast against each other, as the entries of one array in its last dimensions."""
    a = np.stack(np.broadcast_arrays(*entries), axis=-1)
    return a.reshape(a.shape[:-1] + shape)
''',
    ),
}


class NumpyFunction:
    """The text of a function, `definition`, and of what it calls, `helpers`."""

    def __init__(self, program: Program) -> None:
        self.program = without_tree_loops(program)
        names = self.names = UniqueNames(is_python_reserved)
        self.name = names.new(program.name)
        self.externals = {f: names.new(f.name) for f in program.externals}
        self.inputs = [names.new(g.name) for g in program.inputs]
        self.outputs = [names.new(o.name) for o in program.outputs]
        self.symbols = [
            [a] if g.is_scalar else [names.new(s.name) for s in g.symbols]
            for g, a in zip(program.inputs, self.inputs, strict=True)
        ]
        self.shape = names.new("shape")
        self.function_names: dict[str, str] = {}
        self.helpers: list[str] = []
        body = _FunctionBody(self)
        body.write()
        self.body = body.lines

    def module(self) -> str:
        """Everything that stands in a file of its own."""
        head = ["import numpy as np\n"]
        if self.externals:
            head.append(f"# Define these functions of arrays as well: {', '.join(self.externals.values())}\n")
        return "\n\n".join([*head, *self.helpers, self.definition()])

    def definition(self, about: str = "") -> str:
        lines = [*self._docstring(about), *self._arguments(), *self.body]
        head = ['@np.errstate(all="ignore")', f"def {self.name}({', '.join(self.inputs)}):"]
        return "\n".join([*head, *(f"    {line}".rstrip() for line in lines)]) + "\n"

    def _docstring(self, about: str) -> list[str]:
        lines = [f'"""{about}{self.program.cost}.', ""]
        for group, argument in zip(self.program.inputs, self.inputs, strict=True):
            lines += wrap(f"{argument}: {_input_text(group)}", 112, subsequent_indent="    ")
        for out, name in zip(self.program.outputs, self.outputs, strict=True):
            lines += wrap(f"returns {name}: {_output_text(out)}", 112, subsequent_indent="    ")
        return [*lines, '"""']

    def _arguments(self) -> list[str]:
        """Arguments as arrays whose last dimension is checked, and the shape of the leading ones."""
        lines, shapes = [], []
        for group, a in zip(self.program.inputs, self.inputs, strict=True):
            lines.append(f"{a} = np.asarray({a}, dtype=float)")
            shapes.append(f"{a}.shape" if group.is_scalar else f"{a}.shape[:-1]")
            if not group.is_scalar:
                wrong = f'"{a} has shape %s, expected (..., {len(group)})" % ({a}.shape,)'
                lines.append(f"if {a}.shape[-1:] != ({len(group)},):")
                lines.append(f"    raise ValueError({wrong})")
        return [*lines, f"{self.shape} = np.broadcast_shapes({', '.join(shapes)})"]

    def helper(self, key: str) -> str:
        wish, text = _HELPERS[key]
        return self._function(wish, text.format)

    def kernel(self, kernel: Kernel) -> str:
        return self._function(f"_{kernel.__name__}", lambda name: kernel_text(kernel, name))

    def loop(self, shape: SweepShape) -> str:
        """Name of a function that runs the steps of a schedule on its memory, a list of numbers or arrays."""
        name = self.names.new(f"_{self.name}_loop")
        steps = list[str]()
        for fragment, adds in zip(shape.fragments, shape.adds, strict=True):
            steps.append(self.names.new(f"{name}_step_{len(steps) + 1}"))
            body = _FragmentBody(self, fragment, adds)
            body.write()
            lines = [f"    {line}".rstrip() for line in body.lines]
            self.helpers.append("\n".join([f"def {steps[-1]}(w, at):", *lines]) + "\n")
        self.helpers.append(_loop_text(shape, name, steps))
        return name

    def _function(self, wish: str, text: Callable[[str], str]) -> str:
        if wish not in self.function_names:
            self.function_names[wish] = self.names.new(wish)
            self.helpers.append(text(self.function_names[wish]))
        return self.function_names[wish]


def kernel_text(kernel: Kernel, name: str, called: Mapping[str, str] = MappingProxyType({})) -> str:
    """The kernel as it stands: its loops are over rows and columns, its numbers may be arrays.

    called   other names of kernels that it calls
    """
    tree = ast.parse(inspect.getsource(kernel)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    tree.name, tree.returns = name, None
    for a in tree.args.args:
        a.annotation = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            node.func.id = called.get(node.func.id, node.func.id)
    return ast.unparse(tree) + "\n"


def _loop_text(shape: SweepShape, name: str, steps: list[str]) -> str:
    """Tables of the steps of a schedule, and the function that runs them."""
    widths = [shape.width(k) for k in range(len(steps))]
    n, columns = len(shape.kinds), shape.columns
    tables = {"KINDS": shape.kinds, "PLACES": shape.places}
    if columns is not None:
        tables |= {"SEEDS": columns.seeds, "FOUND": columns.results}
    lines = [f"{name}_{key} = ({', '.join(map(str, values))},)" for key, values in tables.items()]
    lines += [
        f"{name}_STEPS = ({', '.join(f'({f}, {w})' for f, w in zip(steps, widths, strict=True))},)", "", "",
        f"def {name}_some(w, first, at, stop):",
        f"    for kind in {name}_KINDS[first:stop]:",
        f"        step, width = {name}_STEPS[kind]",
        f"        step(w, {name}_PLACES[at:at + width])",
        "        at += width",
        "", "",
        f"def {name}(w):",
    ]  # fmt: skip
    if columns is None:
        return "\n".join([*lines, f"    {name}_some(w, 0, 0, {n})"]) + "\n"
    once, seeds = sum(widths[k] for k in shape.kinds[: columns.first]), len(columns.seeds)
    lines += [
        f"    {name}_some(w, 0, 0, {columns.first})",
        f"    for seed in {name}_SEEDS:",
        "        w[seed] = 0.0",
        f"    for c, seed in enumerate({name}_SEEDS):",
        "        w[seed] = 1.0",
        f"        {name}_some(w, {columns.first}, {once}, {n})",
        "        w[seed] = 0.0",
        f"        for k, at in enumerate({name}_FOUND):",
        f"            w[{shape.size} + {seeds} * k + c] = w[at]",
    ]
    return "\n".join(lines) + "\n"


def _input_text(group: Group) -> str:
    names = ", ".join(s.name for s in group.symbols)
    return f"shape (...), {names}" if group.is_scalar else f"shape (..., {len(group)}), {names or 'nothing'}"


def _output_text(out: Output) -> str:
    sizes = [len(out.values)] if out.is_sparse else out.shape
    entries = f", entries {', '.join(map(str, out.nonzeros))}" if out.is_sparse else ""
    return f"shape ({', '.join(['...', *map(str, sizes)])}){', symmetric' if out.is_symmetric else ''}{entries}"


# ---------------------------------------------------------------------------------------------------- the function


class _FunctionBody(Infix):
    """The statements of the function."""

    def __init__(self, module: NumpyFunction) -> None:
        super().__init__(TextPlan(module.program, module.names))
        self.module = module
        self.arrays: dict[int, str] = {}  # names of blocks

    def write(self) -> None:
        self.statements()
        for out, name in zip(self.program.outputs, self.module.outputs, strict=True):
            self.output(out, name)
        results = [
            f"{n}[()]" if not _sizes(o) else n for o, n in zip(self.program.outputs, self.module.outputs, strict=True)
        ]
        self.lines.append(f"return {', '.join(results)}")

    def statements(self) -> None:
        """All values."""
        for k, i in enumerate(self.code):
            if i.op == "factor":
                self.factor(k, i)
            elif i.op == "solve":
                self.solve(k, i)
            elif i.op == "sweeps":
                self.sweeps(k, i)
            elif i.op == "item":
                if k in self.program.labels:
                    self.term(k)
                    self.give_name(k)
            elif i.op == "input":
                self.term(k)
            elif i.op not in ("const", "true", "sincos"):
                self.define(k)

    def output(self, out: Output, name: str) -> None:
        """An array of zeros with what is not zero put in: so that constants too have the shape of the batch."""
        sizes = "".join(f", {s}" for s in _sizes(out))
        self.lines.append(
            f"{name} = np.zeros((*{self.module.shape}{sizes}))" if sizes else f"{name} = np.zeros({self.module.shape})"
        )
        places = [(k,) for k in range(len(out.values))] if out.is_sparse else entry_places(out)
        for v, place in zip(out.values, places, strict=True):
            if self.code[v] != Instruction("const", (), 0.0):
                self.lines.append(f"{name}[{', '.join(['...', *map(str, place)])}] = {self.finished(v)}")

    # ------------------------------------------------------------------------------------------------ values

    def outside(self, v: int) -> Term:
        i = self.code[v]
        if i.op == "item" and self.code[i.args[0]].op == "sweeps":
            return Term(f"{self.arrays[i.args[0]]}[{self.code[i.args[0]].data.items[i.data]}]")
        if i.op == "item":
            return Term(self.element(i))
        assert i.op == "input"
        group, at = i.data
        name = self.module.symbols[group][at]
        if not self.program.inputs[group].is_scalar:
            self.lines.append(f"{name} = {self.module.inputs[group]}[..., {at}]")
        return Term(name)

    def element(self, item: Instruction) -> str:
        name, solve = self.arrays[item.args[0]], self.code[item.args[0]]
        shape = self.code[solve.args[0]].data
        r, row = divmod(item.data, shape.n)
        if has_pivots(shape):
            return f"{name}[..., {row}, {r}]"
        return f"{name}[{row}][..., {r}]" if right_side_count(self.code, solve) > 1 else f"{name}[{row}]"

    def literal(self, value: float) -> str:
        if math.isfinite(value):
            return repr(float(value))
        return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"

    def truth(self, value: bool) -> Term:
        return Term("np.True_" if value else "np.False_")

    def declaration(self, k: int, name: str, text: str) -> str:
        return f"{name} = {text}"

    # ------------------------------------------------------------------------------------------------ operations

    def function(self, i: Instruction, args: list[Term]) -> Term:
        if i.op == "pow":
            return Term(f"{args[0].within(ATOM)}**{args[1].within(ATOM)}", POWER)
        if i.op in ("and", "or"):  # & and | bind more tightly than comparisons
            return Term((" & " if i.op == "and" else " | ").join(a.within(SIGN) for a in args), CHOICE)
        if i.op == "not":
            return Term(f"np.logical_not({args[0].text})")  # ~ would take a truth value of Python for a number
        if i.op in _HELPERS:
            name = self.module.helper(i.op)
        else:
            name = self.module.externals[i.data] if i.op == "call" else f"np.{_NUMPY.get(i.op, i.op)}"
        return Term(f"{name}({', '.join(a.text for a in args)})")

    # ------------------------------------------------------------------------------------------------ schedules

    def sweeps(self, k: int, i: Instruction) -> None:
        """Arguments as the memory of a schedule, and its loop."""
        name = self.arrays[k] = self.module.names.new("memory")
        entries = [self.finished(v, ENTRY_WIDTH) for v in i.args]
        more = i.data.memory - len(entries)
        self.lines += [f"{name} = [", *comma_lines(entries, "    ", 116), f"] + [0.0] * {more}"]
        self.lines.append(f"{self.module.loop(i.data)}({name})")

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, k: int, i: Instruction) -> None:
        """Factors of a definite matrix, as a list of arrays; others stay as they are: NumPy factors as it solves."""
        shape, n = i.data, i.data.n
        name = self.arrays[k] = self.module.names.new("matrix" if has_pivots(shape) else "factors")
        if has_pivots(shape):
            self.list_of(name, self.matrix_entries(i), f", {n}, {n}")
            return
        self.list_of(name, self.matrix_entries(i))
        self.lines.append(f"{self.module.kernel(factor_kernel(shape))}({n}, {name})")

    def solve(self, k: int, i: Instruction) -> None:
        """Right sides as columns of a matrix; where the factors are known, as a list of its rows."""
        shape, sides, matrix = self.code[i.args[0]].data, right_side_count(self.code, i), self.arrays[i.args[0]]
        n, name = shape.n, self.module.names.new("solution")
        self.arrays[k] = name
        entries = [self.finished(i.args[1 + r * n + row], ENTRY_WIDTH) for row in range(n) for r in range(sides)]
        if has_pivots(shape):
            self.list_of(name, entries, f", {n}, {sides}")
            matrix = f"np.swapaxes({matrix}, -1, -2)" if i.data else matrix
            self.lines.append(f"{name} = {self.module.helper('solve')}({matrix}, {name})")
        elif sides > 1:
            self.list_of(name, entries, f", {n}, {sides}")
            self.lines.append(f"{name} = list(np.moveaxis({name}, -2, 0))")
            arguments = f"{n}, {leading_zeros(self.code, i, range(sides))}, [a[..., None] for a in {matrix}], {name}"
            self.lines.append(f"{self.module.kernel(solve_kernel(shape, i.data, True))}({arguments})")
        else:
            self.list_of(name, entries)
            self.lines.append(f"{self.module.kernel(solve_kernel(shape, i.data))}({n}, {matrix}, {name})")

    def list_of(self, name: str, entries: list[str], stacked: str = "") -> None:
        """Entries as a list of arrays, or stacked into one array."""
        start = f"{self.module.helper('stack')}([" if stacked else "list(map(np.asarray, ["
        self.lines += [f"{name} = {start}", *comma_lines(entries, "    ", 116), f"]{stacked})" if stacked else "]))"]


class _FragmentBody(_FunctionBody):
    """The statements of a fragment, on a memory w and the places of a step."""

    def __init__(self, module: NumpyFunction, program: Program, adds: Sequence[bool]) -> None:
        taken = {"w", "at", *module.externals.values()}
        names = UniqueNames(lambda n: is_python_reserved(n) or n in taken or n.startswith("_"))
        Infix.__init__(self, TextPlan(program, names))
        self.module, self.adds = module, adds
        self.arrays = {}

    def write(self) -> None:
        self.statements()
        for o, (out, adds) in enumerate(zip(self.program.outputs, self.adds, strict=True)):
            for k, v in enumerate(out.values):
                place = f"w[at[{len(self.program.inputs) + o}] + {k}]"
                value = self.finished(v)
                self.lines.append(f"{place} = {place} + ({value})" if adds else f"{place} = {value}")

    def outside(self, v: int) -> Term:
        i = self.code[v]
        if i.op != "input":
            return super().outside(v)
        name = self.name_of(v)
        self.lines.append(f"{name} = w[at[{i.data[0]}] + {i.data[1]}]")
        return Term(name)


_NUMPY: Final = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}


def _sizes(out: Output) -> tuple[int, ...]:
    return (len(out.values),) if out.is_sparse else out.shape
