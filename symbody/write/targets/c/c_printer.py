"""Program -> C99: one source file and its header.

    void name(double t, const double q[2], const double p[5], double M[4], double *E);

One argument for each input group and each output. The function allocates nothing, keeps nothing between calls, and may
run in several threads at once. Long programs are cut into static functions, so that the time to compile stays in proportion to their
length; values that a later one needs pass through an array on the stack of the first. Equal links run in loops
(`c_sweeps.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ....algebra.printing.target_names import UniqueNames, is_c_reserved
from ....emit import ir
from ....summary import Introduced
from ....whole_files import write_text
from .c_arguments import (
    CArgument,
    check_externals,
    checks,
    each_once,
    functions_in,
    input_argument,
    is_declared,
    output_argument,
    signature,
)
from .c_comment import comment
from .c_helpers import CHelpers
from .c_style import PLAIN, CStyle
from .c_sweeps import THREAD, loop_text

PIECE: Final = 1500  # statements in a function, about
SIDE_BY_SIDE: Final = 32  # right sides in one call of a kernel; compilers unroll loops over fewer and do not vectorise
FEWEST: Final = 16  # fewer are solved as fast one after the other


@dataclass(frozen=True, repr=False)
class CSource(Introduced):
    """Generated C: text of the header `name.h` and of the source `name.c`.

    >>> x = sb.symbol("x")
    >>> source = sb.c_source(sb.program("f", {"x": x}, {"y": x * x}))
    >>> "void f(double x, double *y);" in source.header
    True
    >>> [path.name for path in source.write("code")]
    ['f.h', 'f.c']

    See also: `c_source`, `write.c`.
    """

    name: str
    header: str
    source: str

    def __repr__(self) -> str:
        lines = self.source.count("\n") + 1
        return (
            f"<CSource {self.name}: {lines} lines; .header and .source are the text, .write(folder) makes "
            f"{self.name}.h and {self.name}.c>"
        )

    def write(self, directory: str | Path) -> tuple[Path, Path]:
        """Write header and source into a directory, which is created if necessary; returns their paths."""
        Path(directory).mkdir(parents=True, exist_ok=True)
        paths = Path(directory) / f"{self.name}.h", Path(directory) / f"{self.name}.c"
        for path, text in zip(paths, (self.header, self.source), strict=True):
            write_text(path, text)
        return paths


def c_source(program: ir.Program) -> CSource:
    """C99 text of a program; compiles without warnings, as C++ too, and needs nothing but <math.h>.

    >>> x = sb.symbol("x")
    >>> source = sb.c_source(sb.program("f", {"x": x}, {"y": sb.sin(x) / 2}))
    >>> print(source.source)
    /* f: 2 operations: 0 additions, 1 multiplications, 0 divisions, 1 functions */
    <BLANKLINE>
    #include "f.h"
    <BLANKLINE>
    #include <math.h>
    <BLANKLINE>
    void f(double x, double *y)
    {
        *y = 0.5*sin(x);
    }

    See also: `write.c`, `program`, `write.CSource`.
    """
    return CUnit(ir.require_program("c_source", program)).source()


# ----------------------------------------------------------------------------------------------------- the whole text

NOT_INLINE: Final = """\
#if defined(__GNUC__)
#define SYMBODY_PIECE __attribute__((noinline)) static
#else
#define SYMBODY_PIECE static
#endif
"""


class CUnit:
    """One function: names, pieces and what they share.

    helpers   of a file with several functions; otherwise it has its own
    fragment  of a schedule: names that the file has, and of each output whether it is added to what is there
    """

    def __init__(
        self, program: ir.Program, style: CStyle = PLAIN, helpers: CHelpers | None = None,
        fragment: tuple[UniqueNames | None, tuple[bool, ...]] = (None, ()),
    ) -> None:  # fmt: skip
        program = ir.without_tree_loops(program)
        check_externals(program)
        self.program, self.style, self.real = program, style, style.number.type
        known, self.adds = fragment
        names = self.names = UniqueNames(self._is_reserved) if known is None else known
        for f in (f for f in program.externals if f.table is None):
            for name in (f.name, *functions_in(f.c or "")):
                names.take(name)
        self.name = names.take(program.name) if style.prefix else names.new(program.name)
        self.inputs = [input_argument(g, names.new(g.name), style) for g in program.inputs]
        self.outputs = [output_argument(o, names.new(o.name), style) for o in program.outputs]
        self.arguments = [*self.inputs, *self.outputs]
        self.symbols = [
            [a.name] if g.is_scalar else [names.new(s.name) for s in g.symbols]
            for g, a in zip(program.inputs, self.inputs, strict=True)
        ]
        self.helpers = CHelpers(style, names) if helpers is None else helpers
        self.plan, self.runs = ir.TextPlan(program, names), ir.copied_runs(program)
        schedules = [k for k, i in enumerate(program.code) if i.op == "sweeps"]
        self.loops = {k: self._own_name("loop", n) for n, k in enumerate(schedules)}  # functions that run schedules
        self.index = names.new("entry") if schedules else ""
        self.work = CArgument(names.new("work"), "")
        self.rows = CArgument(names.new("rows"), "")
        self.numbers, self.indices = ir.ScratchMemory(), ir.ScratchMemory()
        self.place: dict[int, tuple[int, int]] = {}  # of values and blocks that later pieces read: numbers, indices
        self.blocks: dict[int, tuple[str, str]] = {}  # names of the arrays of a block: numbers, indices
        self.layouts = {
            k: ir.right_side_layout(
                program.code[i.args[0]].data.n, ir.right_side_count(program.code, i), [SIDE_BY_SIDE], FEWEST
            )
            for k, i in enumerate(program.code)
            if i.op == "solve"
        }
        self.spans = ir.ranges_by_weight(map(self._weight, self.plan.code), PIECE)
        self.piece_of = [k for k, span in enumerate(self.spans) for _ in span]
        self.last_piece = self._last_pieces()

    def _is_reserved(self, name: str) -> bool:
        """Words reserved by C and by the head of the file: every name with its prefix."""
        prefix = self.style.prefix
        return is_c_reserved(name) or (prefix != "" and name.lower().startswith(f"{prefix.lower()}_"))

    def _own_name(self, wish: str, number: int) -> str:
        """Name of a function that belongs to this one; with a prefix, names that begin with it are the file's own."""
        name = f"{self.name}_{wish}" + (f"_{number + 1}" if number else "")
        return name if self.style.prefix else self.names.new(name)

    # ------------------------------------------------------------------------------------------------ pieces

    def _weight(self, i: ir.Instruction) -> int:
        if i.op in ("input", "const", "item", "true", "sincos", "sweeps"):
            return 0
        return len(i.args) if i.op in ("factor", "solve") else 1

    def _last_pieces(self) -> list[int]:
        """The piece in which each value is read last; a solve is read when its items are."""
        code, last = self.plan.code, list(self.piece_of)
        for k in range(len(code) - 1, -1, -1):
            i = code[k]
            for a in i.args if i.op != "sincos" else ():
                last[a] = max(last[a], last[k] if i.op == "item" else self.piece_of[k])
        return last

    def crosses(self, k: int) -> bool:
        """Whether a piece after its own reads value k."""
        return self.last_piece[k] > self.piece_of[k]

    def keep(self, k: int, numbers: int = 1, indices: int = 0) -> tuple[int, int]:
        """Places in the shared arrays, until the last piece that reads value k is done."""
        self.place[k] = self.numbers.take(numbers), self.indices.take(indices) if indices else 0
        return self.place[k]

    def _give_back(self, piece: int) -> None:
        for k in [k for k in self.place if self.last_piece[k] == piece]:
            number, index = self.place.pop(k)
            i = self.plan.code[k]
            if i.op == "factor":
                self.numbers.give(number, i.data.n**2)
                if ir.has_pivots(i.data):
                    self.indices.give(index, i.data.n)
            else:
                self.numbers.give(number, self.layouts[k].size if i.op == "solve" else 1)

    # ------------------------------------------------------------------------------------------------ text

    def source(self) -> CSource:
        """A file of its own."""
        body = self.definitions(is_alone=True)
        texts = [f.c.strip() + "\n" for f in each_once(self.program.externals) if f.c is not None]
        parts = [
            f"/* {self.name}: {self.program.cost} */\n",
            f'#include "{self.name}.h"\n\n#include <math.h>\n',
            *texts,
            *self.helpers.texts.values(),
            *body,
        ]
        return CSource(self.name, self._header(), "\n".join(parts))

    def definitions(self, is_alone: bool = False) -> list[str]:
        """The function, after the loops and the pieces that it consists of."""
        found = [*(text for k in self.loops for text in self._loop(k)), *self._own_definitions()]
        return [*self.macros, *found] if is_alone else found

    @property
    def macros(self) -> list[str]:
        """That the definitions need."""
        return [NOT_INLINE] * (self.is_in_pieces or bool(self.loops)) + [THREAD] * bool(self.loops)

    def _loop(self, k: int) -> list[str]:
        """Functions of the fragments of a schedule, and of its loop."""
        shape, texts, functions = self.program.code[k].data, list[str](), list[str]()
        style = replace(self.style, records={}, guard="")
        for number, (fragment, adds) in enumerate(zip(shape.fragments, shape.adds, strict=True)):
            named = replace(fragment, name=f"{self.loops[k]}_step_{number + 1}")
            unit = CUnit(named, style, self.helpers, (None if style.prefix else self.names, adds))
            *parts, own = unit.definitions()
            texts += [*parts, f"SYMBODY_PIECE {own}"]
            functions.append(unit.name)
        zero, one = self.style.number.literal(0.0), self.style.number.literal(1.0)
        return [*texts, loop_text(shape, self.loops[k], functions, self.real, zero, one)]

    def _own_definitions(self) -> list[str]:
        pieces = []
        for k, span in enumerate(self.spans):
            pieces.append(_CPiece(self, k, span))
            pieces[-1].write()
            self._give_back(k)
        if len(pieces) == 1:
            return [self._in_one(pieces[0])]
        return self._in_pieces(pieces)

    @property
    def is_in_pieces(self) -> bool:
        return len(self.spans) > 1

    @property
    def _checks(self) -> list[str]:
        return checks(self.arguments, self.style) if self.style.guard else []

    @property
    def _end(self) -> list[str]:
        return ["    return 0;"] if self.style.guard else []

    def _in_one(self, piece: _CPiece) -> str:
        unused = [f"    (void){a.name};" for a in self.arguments if a.name not in piece.used]
        return self._definition(self.prototype(), [*unused, *self._checks, *self._scope(piece.body()), *self._end])

    def _scope(self, lines: list[str]) -> list[str]:
        """Statements after checks: declarations stay at the beginning of a block."""
        if not self.style.guard:
            return lines
        return ["    {", *("    " + line if line else line for line in lines), "    }"]

    def _in_pieces(self, pieces: list[_CPiece]) -> list[str]:
        used = {name for p in pieces for name in p.used}
        body = [f"    (void){a.name};" for a in self.arguments if a.name not in used]
        if self.numbers.size:
            body.append(f"    {self.real} {self.work.name}[{self.numbers.size}];")
        if self.indices.size:
            body.append(f"    int {self.rows.name}[{self.indices.size}];")
        texts = []
        shared = [
            *self.arguments,
            CArgument(self.work.name, f"{self.real} *{self.work.name}"),
            CArgument(self.rows.name, f"int *{self.rows.name}"),
        ]
        calls = []
        for p in pieces:
            name = self.names.new(f"{self.name}_part_{p.number + 1}")
            arguments = [a for a in shared if a.name in p.used]
            start = signature(f"SYMBODY_PIECE void {name}", [a.declaration for a in arguments])
            texts.append(self._definition(start, p.body()))
            calls.append(f"    {name}({', '.join(a.name for a in arguments)});")
        # Declarations come first: C++ and old habits both like it, and (void) is a statement.
        body.sort(key=lambda line: not line.startswith((f"    {self.real} ", "    int ")))
        return [*texts, self._definition(self.prototype(), [*body, *self._checks, *calls, *self._end])]

    @staticmethod
    def _definition(start: str, lines: list[str]) -> str:
        return "\n".join([start, "{", *lines, "}"]) + "\n"

    def prototype(self) -> str:
        start = f"{'int' if self.style.guard else 'void'} {self.name}"
        return signature(start, [a.declaration for a in self.arguments])

    def _header(self) -> str:
        guard = f"SYMBODY_{self.name}_H"
        declared = [
            f"double {f.name}({', '.join(['double'] * f.arity)});"
            for f in each_once(self.program.externals)
            if is_declared(f)
        ]
        if declared:
            declared = ["/* Functions that you supply */", *declared, ""]
        return "\n".join(
            [
                comment(self.program, self.name, [a.name for a in self.inputs], [a.name for a in self.outputs]),
                f"#ifndef {guard}",
                f"#define {guard}",
                "",
                "#ifdef __cplusplus",
                'extern "C" {',
                "#endif",
                "",
                *declared,
                f"{self.prototype()};",
                "",
                "#ifdef __cplusplus",
                "}",
                "#endif",
                "",
                "#endif",
                "",
            ]
        )


# ------------------------------------------------------------------------------------------------------- one function


class _CPiece(ir.Infix):
    """The statements of one function."""

    def __init__(self, unit: CUnit, number: int, span: range) -> None:
        super().__init__(unit.plan)
        self.real, self.style = unit.real, unit.style
        self.unit, self.number, self.span = unit, number, span
        self.used: set[str] = set()  # arguments
        self.inputs: dict[tuple[int, int], str] = {}  # what is fetched from them
        self.fetched: list[str] = []  # what is fetched from earlier pieces
        self.pointers: dict[int, tuple[str, str]] = {}  # arrays of blocks, as they are called here

    def write(self) -> None:
        for k in self.span:
            self.instruction(k, self.code[k])
        copied = self.unit.runs.outputs
        for o, out in enumerate(self.program.outputs):
            sign = "+=" if self.unit.adds and self.unit.adds[o] else "="
            for at, v in enumerate(out.values):
                if v in self.span and (o, at) not in copied:
                    self.line(f"{self.target(o, out, at)} {sign} {self.finished(v)};")
        if self.span.stop == len(self.code):
            self.copied_results()

    def copied_results(self) -> None:
        """Loops over entries of outputs that are only copied."""
        for block, runs in self.unit.runs.results.items():
            for o, at, count, place in runs:
                self.copy(self.use(self.unit.outputs[o].name), at, f"{self.unit.loops[block]}_memory", place, count)
        for o, at, count, (group, first) in self.unit.runs.inputs:
            self.copy(self.use(self.unit.outputs[o].name), at, self.array_of(group), first, count)

    def array_of(self, group: int) -> str:
        """An input as an array."""
        argument = self.unit.inputs[group]
        self.use(argument.name)
        return f"((const {self.real} *){argument.name})" if argument.record else argument.name

    def copy(self, to: str, at: int, source: str, first: int, count: int) -> None:
        k = self.unit.index
        left, right = (f"{name}[{f'{n} + ' if n else ''}{k}]" for name, n in ((to, at), (source, first)))
        self.lines += [f"    for (int {k} = 0; {k} < {count}; {k}++) {{", f"        {left} = {right};", "    }"]

    def sweeps(self, k: int, i: ir.Instruction) -> None:
        """Arguments into the memory of a schedule, and its loop."""
        loop = self.unit.loops[k]
        for at, count, (group, first) in self.unit.runs.arguments[k]:
            self.copy(f"{loop}_memory", at, self.array_of(group), first, count)
        for at in self.unit.runs.arguments_left(k, len(i.args)):
            self.line(f"{loop}_memory[{at}] = {self.finished(i.args[at])};")
        self.line(f"{loop}();")

    def body(self) -> list[str]:
        return [*(text for _, text in sorted(self.inputs.items())), *self.fetched, *self.lines]

    def target(self, o: int, out: ir.Output, at: int) -> str:
        name = self.use(self.unit.outputs[o].name)
        return f"{name}[{at}]" if out.shape or out.is_sparse else f"*{name}"

    def line(self, text: str) -> None:
        self.lines.append("    " + text)

    def use(self, argument: str) -> str:
        self.used.add(argument)
        return argument

    def fetch(self, text: str) -> None:
        self.fetched.append("    " + text)

    # ------------------------------------------------------------------------------------------------ values

    def instruction(self, k: int, i: ir.Instruction) -> None:
        if i.op in ("input", "const", "true", "sincos"):
            return
        if i.op == "item":
            if k in self.program.labels:
                self.term(k)
                self.give_name(k)
        elif i.op == "factor":
            self.factor(k, i)
        elif i.op == "solve":
            self.solve(k, i)
        elif i.op == "sweeps":
            self.sweeps(k, i)
        else:
            self.define(k)
            if self.unit.crosses(k):
                place, _ = self.unit.keep(k)
                value = self.terms[k].text
                if i.op in ir.CONDITIONS:
                    value = f"{value} ? {self.literal(1.0)} : {self.literal(0.0)}"
                self.line(f"{self.use(self.unit.work.name)}[{place}] = {value};")

    def may_wait(self, k: int) -> bool:
        return super().may_wait(k) and self.stays_inside(k)

    def stays_inside(self, k: int) -> bool:
        return not self.unit.crosses(k)

    def outside(self, v: int) -> ir.Term:
        i = self.code[v]
        if i.op == "input":
            return ir.Term(self.symbol(*i.data))
        if i.op == "item" and i.args[0] in self.unit.loops:
            return ir.Term(f"{self.unit.loops[i.args[0]]}_memory[{self.code[i.args[0]].data.items[i.data]}]")
        if i.op == "item":
            return ir.Term(f"{self.arrays(i.args[0])[0]}[{self.unit.layouts[i.args[0]].place(i.data)}]")
        name, kept = self.name_of(v), f"{self.use(self.unit.work.name)}[{self.unit.place[v][0]}]"
        zero = self.literal(0.0)
        self.fetch(
            f"const int {name} = {kept} != {zero};" if i.op in ir.CONDITIONS else f"const {self.real} {name} = {kept};"
        )
        return ir.Term(name)

    def symbol(self, group: int, at: int) -> str:
        argument, name = self.unit.inputs[group], self.unit.symbols[group][at]
        self.use(argument.name)
        if not self.program.inputs[group].is_scalar:
            self.inputs[group, at] = f"    const {self.real} {name} = {argument.entry(at)};"
        return name

    def literal(self, value: float) -> str:
        return self.style.number.literal(value)

    def truth(self, value: bool) -> ir.Term:
        return ir.Term("1" if value else "0")

    def declaration(self, k: int, name: str, text: str) -> str:
        return f"    const {'int' if self.code[k].op in ir.CONDITIONS else self.real} {name} = {text};"

    # ------------------------------------------------------------------------------------------------ operations

    def function(self, i: ir.Instruction, args: list[ir.Term]) -> ir.Term:
        if i.op == "where":
            return ir.Term(
                f"{args[0].within(ir.COMPARISON)} ? {args[1].within(ir.SUM)} : {args[2].within(ir.SUM)}", ir.CHOICE
            )
        if i.op in ("and", "or"):
            return self.junction(*((" && ", ir.AND) if i.op == "and" else (" || ", ir.OR)), args)
        if i.op == "not":
            return ir.Term("!" + args[0].within(ir.SIGN), ir.SIGN)
        if i.op == "call":
            return self.external(self.unit.helpers.lookup(i.data) if i.data.table else i.data.name, args)
        if i.op in self.unit.helpers.operations:
            name = self.unit.helpers.operation(i.op)
        else:
            name = self.style.call("fabs" if i.op == "abs" else i.op, f"program {self.program.name!r}")
        return ir.Term(f"{name}({', '.join(a.text for a in args)})")

    def external(self, name: str, args: list[ir.Term]) -> ir.Term:
        """A call of a function on doubles, whatever the type of numbers here."""
        if self.real == "double":
            return ir.Term(f"{name}({', '.join(a.text for a in args)})")
        return ir.Term(f"({self.real}){name}({', '.join(f'(double){a.within(ir.ATOM)}' for a in args)})", ir.SIGN)

    @staticmethod
    def junction(sign: str, binds: int, args: list[ir.Term]) -> ir.Term:
        """`&&` and `||`, with the parentheses between them that compilers require."""
        return ir.Term(sign.join(a.text if a.binds == binds else a.within(ir.COMPARISON) for a in args), binds)

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, k: int, i: ir.Instruction) -> None:
        shape, n, entries = i.data, i.data.n, self.matrix_entries(i)
        numbers, rows = self.new_arrays(k, "factors", entries, n if ir.has_pivots(shape) else 0)
        self.call(
            self.unit.helpers.kernel(ir.factor_kernel(shape)), n, [numbers, rows] if ir.has_pivots(shape) else [numbers]
        )

    def solve(self, k: int, i: ir.Instruction) -> None:
        shape = self.code[i.args[0]].data
        factors, rows = self.arrays(i.args[0])
        right = self.unit.layouts[k]
        entries = [self.literal(0.0)] * right.size
        for v, place in zip(i.args[1:], right.places(), strict=True):
            entries[place] = self.finished(v, ir.ENTRY_WIDTH)
        numbers, _ = self.new_arrays(k, "solution", entries, 0)
        for lot in right.lots:
            kernel = self.unit.helpers.kernel(ir.solve_kernel(shape, i.data, lot.width > 1), lot.width)
            skipped = [] if ir.has_pivots(shape) or lot.width == 1 else [str(ir.leading_zeros(self.code, i, lot.sides))]
            at = f"&{numbers}[{lot.at}]" if lot.at else numbers
            self.call(kernel, shape.n, [*skipped, factors, *([rows] if ir.has_pivots(shape) else []), at])

    def call(self, kernel: str, n: int, arguments: list[str]) -> None:
        self.line(f"{kernel}({n}, {', '.join(arguments)});")

    def new_arrays(self, k: int, wish: str, entries: list[str], indices: int) -> tuple[str, str]:
        """Arrays for a block: of its own, or in the shared memory where a later piece reads them."""
        names = self.unit.names
        numbers, rows = names.new(wish), names.new("pivots") if indices else ""
        self.unit.blocks[k] = self.pointers[k] = numbers, rows
        if self.unit.crosses(k):
            place, index = self.unit.keep(k, len(entries), indices)
            self.fetch(f"{self.real} *const {numbers} = &{self.use(self.unit.work.name)}[{place}];")
            if indices:
                self.fetch(f"int *const {rows} = &{self.use(self.unit.rows.name)}[{index}];")
            self.lines += [f"    {numbers}[{at}] = {e};" for at, e in enumerate(entries)]
        else:
            self.line(f"{self.real} {numbers}[{len(entries)}] = {{")
            self.lines += [*_in_rows(entries, self.code[k]), "    };"]
            if indices:
                self.line(f"int {rows}[{indices}];")
        return numbers, rows

    def arrays(self, k: int) -> tuple[str, str]:
        """Names of the arrays of a block, fetched from the shared memory where another piece made it."""
        if k not in self.pointers:
            (numbers, rows), (place, index) = self.unit.blocks[k], self.unit.place[k]
            self.fetch(f"const {self.real} *const {numbers} = &{self.use(self.unit.work.name)}[{place}];")
            if rows:
                self.fetch(f"const int *const {rows} = &{self.use(self.unit.rows.name)}[{index}];")
            self.pointers[k] = numbers, rows
        return self.pointers[k]


def _in_rows(entries: list[str], block: ir.Instruction) -> list[str]:
    """Entries of an initialiser, a matrix with one row after the other."""
    n = block.data.n if block.op == "factor" else len(entries)
    rows = [ir.comma_lines(entries[k : k + n], "        ") for k in range(0, len(entries), n)]
    return [line for row in rows[:-1] for line in (*row[:-1], row[-1] + ",")] + rows[-1]
