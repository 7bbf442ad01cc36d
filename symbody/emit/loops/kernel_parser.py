"""Kernels as typed forms: Python's syntax -> `kernel_nodes.py`. Whatever does not fit is refused, with the kernel, its line,
and the reason."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from ...errors import CompileError, SymbodyError, in_number, listed, unknown
from . import kernel_nodes as ir
from .kernel_language import Kernel
from .records import HINTS, Struct, fields_of

SIGNS: Final = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
INDEX_ONLY: Final = ("//", "%")
LIBRARY: Final = dict.fromkeys("tan asin acos atan sinh cosh tanh exp log".split(), 1) | {
    "atan2": 2,
    "value_at_address": 2,
}  # of tables only
MATHEMATICS: Final = {
    "abs": 1, "sqrt": 1, "sin": 1, "cos": 1, "pow": 2, "is_finite": 1, "min": None, "max": None, **LIBRARY,
}  # fmt: skip


@cache
def _syntax(file: str) -> ast.Module:
    return ast.parse("".join(linecache.getlines(file)))


@cache
def _functions(file: str, inside_others: bool = False) -> dict[int, ast.FunctionDef]:
    """The functions of a file by their first lines: read at once, which takes less time than to look for each of them;
    including nested ones on request."""
    nodes = ast.walk(_syntax(file)) if inside_others else _syntax(file).body
    found = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    return {min([f.lineno, *(d.lineno for d in f.decorator_list)]): f for f in found}


class KernelText:
    """The text of a kernel: its syntax, the types that it declares, and where it stands."""

    def __init__(self, kernel: Kernel) -> None:
        self._code = inspect.unwrap(kernel).__code__
        self.kernel, self.file = kernel, Path(self._code.co_filename).name
        self.names: dict[str, Any] = getattr(kernel, "__globals__", {})
        plain = inspect.unwrap(kernel)
        self.hints = {a: _hint(said, plain.__globals__) for a, said in plain.__annotations__.items()}
        self.parameters = self._code.co_varnames[: self._code.co_argcount]
        if untyped := [a for a in self.parameters if a not in self.hints]:
            raise self.refused(self.tree, f"{in_number(untyped, '{} has', '{} have')} no type")

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """Its syntax tree, parsed lazily: not needed where its machine code is in the disk cache."""
        code = self._code
        file, line = code.co_filename, code.co_firstlineno
        tree = _functions(file).get(line) or _functions(file, inside_others=True).get(line)
        if tree is None:
            raise CompileError(f"kernel {self.kernel.__name__}: its source is not in {file}; define it in a file")
        return tree

    def where(self, node: ast.AST) -> str:
        return f"kernel {self.tree.name}, {self.file} line {getattr(node, 'lineno', self.tree.lineno)}"

    def refused(self, node: ast.AST, why: str) -> SymbodyError:
        return CompileError(f"{self.where(node)}: {why}")

    @property
    def result(self) -> ir.Type:
        hint = self.hints.get("return", type(None))
        if HINTS.get(hint) not in (ir.INDEX, ir.NUMBER, ir.NOTHING):
            raise self.refused(self.tree, "a kernel returns a number, an index or nothing")
        return HINTS[hint]

    @property
    def basic_types(self) -> tuple[ir.Type, ...]:
        """Types of the arguments of a kernel that takes no records."""
        declared = {name: self.declared(name) for name in self.parameters}
        if others := [name for name, t in declared.items() if not isinstance(t, ir.BasicType)]:
            raise self.refused(self.tree, f"the record behind {listed(others)} must be given")
        return tuple(t for t in declared.values() if isinstance(t, ir.BasicType))

    def declared(self, name: str) -> ir.BasicType | type[Struct] | None:
        """The type that an argument is declared with; None for kernels."""
        hint = self.hints[name]
        if hint in HINTS:
            return HINTS[hint]
        if isinstance(hint, type) and issubclass(hint, Struct):
            return hint
        return None


def _hint(said: Any, names: dict[str, Any]) -> Any:
    """The type that an annotation names. (`typing.get_type_hints` takes ten times as long.)"""
    if not isinstance(said, str):
        found = said
    else:
        found = names[said] if said in names else vars(builtins).get(said) or eval(said, names)
    return type(None) if found is None else found


@cache
def kernel_source(kernel: Kernel) -> KernelText:
    return KernelText(kernel)


@cache
def kernel_form(kernel: Kernel, types: tuple[ir.Type, ...] | None = None) -> ir.KernelForm:
    """The typed form of a kernel; `types` are those of its arguments, which a kernel that takes no records declares
    itself."""
    text = kernel_source(kernel)
    return _Checker(text, text.basic_types if types is None else types).form()


class _Checker:
    def __init__(self, text: KernelText, types: tuple[ir.Type, ...]) -> None:
        self.text = text
        self.types: dict[str, ir.Type] = dict(zip(text.parameters, types, strict=True))
        self.paths: dict[str, str] = {name: name for name in text.parameters}  # of records: what they are called

    def form(self) -> ir.KernelForm:
        body = self.block(self.text.tree.body)
        parameters = tuple(ir.Parameter(name, self.types[name]) for name in self.text.parameters)
        about = ast.get_docstring(self.text.tree) or ""
        return ir.KernelForm(self.text.tree.name, parameters, self.text.result, body, about)

    def refused(self, node: ast.AST, why: str) -> SymbodyError:
        return self.text.refused(node, f"{ast.unparse(node)!r}: {why}")

    # ------------------------------------------------------------------------------------------------ expressions

    def expression(self, e: ast.expr) -> ir.Expression:
        read = self.READERS.get(type(e))
        if read is None:
            raise self.refused(e, "this is outside the language of kernels")
        return read(self, e)

    def number(self, e: ast.expr) -> ir.Expression:
        return self.converted(self.expression(e), ir.NUMBER, e)

    def index(self, e: ast.expr) -> ir.Expression:
        return self.converted(self.expression(e), ir.INDEX, e)

    def truth(self, e: ast.expr) -> ir.Expression:
        return self.converted(self.expression(e), ir.TRUTH, e)

    def converted(self, value: ir.Expression, wanted: ir.Type, e: ast.AST) -> ir.Expression:
        """A value as another type; an index is a number too, and nothing else is converted implicitly."""
        if value.type == wanted:
            return value
        if value.type is ir.INDEX and wanted is ir.NUMBER:
            return (
                ir.Constant(ir.NUMBER, float(value.value))
                if isinstance(value, ir.Constant)
                else ir.Conversion(ir.NUMBER, value)
            )
        raise self.refused(e, f"this is {value.type}, where {wanted} is needed")

    def constant(self, e: ast.Constant) -> ir.Expression:
        return self.literal(e, e.value)

    def literal(self, e: ast.expr, value: Any) -> ir.Expression:
        """A number or a table of the module."""
        if isinstance(value, bool):
            return ir.Constant(ir.TRUTH, value)
        if isinstance(value, int | float):
            return ir.Constant(ir.INDEX if isinstance(value, int) else ir.NUMBER, value)
        if isinstance(value, tuple):
            is_index = all(isinstance(x, int) for x in value)
            return ir.Constant(ir.INDICES if is_index else ir.NUMBERS, value)
        if callable(value):
            return ir.LocalVariable(ir.KernelType(value), value.__name__)
        raise self.refused(e, "kernels know numbers, tables of numbers and other kernels only")

    def name(self, e: ast.Name) -> ir.Expression:
        if e.id in self.types:
            return ir.LocalVariable(self.types[e.id], self.paths.get(e.id, e.id))
        if e.id in self.text.names:
            return self.literal(e, self.text.names[e.id])
        names = [*self.types, *(n for n, v in self.text.names.items() if isinstance(v, int | float | tuple))]
        raise unknown(self.text.where(e), "name", e.id, names, CompileError)

    def attribute(self, e: ast.Attribute) -> ir.Expression:
        owner = self.expression(e.value)
        if not isinstance(owner.type, ir.RecordType) or not isinstance(owner, ir.LocalVariable):
            raise self.refused(e, f"{ast.unparse(e.value)!r} is {owner.type}, which has no fields")
        fields = dict(owner.type.fields)
        if e.attr not in fields:
            where = f"{self.text.where(e)}: {ast.unparse(e)!r}: in {owner.type}"
            raise unknown(where, "field", e.attr, fields, CompileError)
        declared = fields_of(owner.type.record)[e.attr]
        return ir.LocalVariable(fields[e.attr], f"{owner.name}.{e.attr}", declared.is_mutable)

    def subscript(self, e: ast.Subscript) -> ir.Expression:
        array = self.expression(e.value)
        if array.type not in ir.ELEMENTS:
            raise self.refused(e, f"{ast.unparse(e.value)!r} is {array.type}, not an array")
        if not isinstance(e.slice, ast.Slice):
            return ir.ArrayElement(ir.ELEMENTS[array.type], array, self.index(e.slice))
        if e.slice.upper is not None or e.slice.step is not None:
            raise self.refused(e, "the rest of an array is a[n:]")
        return ir.ArrayTail(array.type, array, self.index(e.slice.lower) if e.slice.lower else ir.Constant(ir.INDEX, 0))

    def binary(self, e: ast.BinOp) -> ir.Expression:
        if type(e.op) not in SIGNS:
            raise self.refused(e, "this operation is outside the language of kernels")
        return self.operation(SIGNS[type(e.op)], self.expression(e.left), self.expression(e.right), e)

    def operation(self, sign: str, left: ir.Expression, right: ir.Expression, e: ast.AST) -> ir.Expression:
        both = ir.INDEX if left.type is right.type is ir.INDEX and sign != "/" else ir.NUMBER
        if sign in INDEX_ONLY and both is ir.NUMBER:
            raise self.refused(e, f"{sign} is for indices")
        return ir.Operation(both, sign, self.converted(left, both, e), self.converted(right, both, e))

    def unary(self, e: ast.UnaryOp) -> ir.Expression:
        if isinstance(e.op, ast.Not):
            return ir.Not(ir.TRUTH, self.truth(e.operand))
        value = self.expression(e.operand)
        if not isinstance(e.op, ast.USub) or value.type not in (ir.INDEX, ir.NUMBER):
            raise self.refused(e, f"{value.type} has no such sign")
        if isinstance(value, ir.Constant):
            return ir.Constant(value.type, -value.value)
        return ir.Operation(value.type, "-", ir.Constant(value.type, 0 if value.type is ir.INDEX else -0.0), value)

    def comparison(self, e: ast.Compare) -> ir.Expression:
        if len(e.ops) > 1:
            raise self.refused(e, "one comparison at a time")
        op, other = e.ops[0], e.comparators[0]
        left = self.expression(e.left)
        if isinstance(op, ast.Is | ast.IsNot):
            if left.type is not ir.FUNCTION or not isinstance(left, ir.LocalVariable):
                raise self.refused(e, f"{left.type} is always there")
            gone = ir.IsAbsent(ir.TRUTH, left)
            return gone if isinstance(op, ast.Is) else ir.Not(ir.TRUTH, gone)
        if type(op) not in SIGNS:
            raise self.refused(e, "this comparison is outside the language of kernels")
        right = self.expression(other)
        both = ir.INDEX if left.type is right.type is ir.INDEX else ir.NUMBER
        return ir.Operation(
            ir.TRUTH, SIGNS[type(op)], self.converted(left, both, e.left), self.converted(right, both, other)
        )

    def connected(self, e: ast.BoolOp) -> ir.Expression:
        word = "and" if isinstance(e.op, ast.And) else "or"
        return ir.BooleanOperation(ir.TRUTH, word, tuple(self.truth(v) for v in e.values))

    def choice(self, e: ast.IfExp) -> ir.Expression:
        test, yes, no = self.truth(e.test), self.expression(e.body), self.expression(e.orelse)
        both = ir.INDEX if yes.type is no.type is ir.INDEX else ir.NUMBER
        return ir.Select(both, test, self.converted(yes, both, e.body), self.converted(no, both, e.orelse))

    def call(self, e: ast.Call) -> ir.Expression:
        name = e.func.id if isinstance(e.func, ast.Name) else ""
        if e.keywords:
            raise self.refused(e, "arguments are given by their places")
        if name in ("float", "int") and len(e.args) == 1:
            wanted, value = (ir.NUMBER if name == "float" else ir.INDEX), self.expression(e.args[0])
            return (
                ir.Conversion(ir.INDEX, value)
                if wanted is ir.INDEX and value.type is ir.NUMBER
                else self.converted(value, wanted, e)
            )
        if name in MATHEMATICS and name not in self.types:
            if MATHEMATICS[name] not in (None, len(e.args)):
                raise self.refused(e, f"{name} takes {MATHEMATICS[name]} arguments, got {len(e.args)}")
            return ir.MathCall(ir.TRUTH if name == "is_finite" else ir.NUMBER, name, tuple(map(self.number, e.args)))
        target = self.expression(e.func)
        if not isinstance(target.type, ir.KernelType):
            raise self.refused(e, f"{ast.unparse(e.func)!r} is {target.type}, which gives no value")
        return self.kernel_call(e, target.type.kernel)

    def kernel_call(self, e: ast.Call, kernel: Kernel) -> ir.KernelCall:
        try:
            called = kernel_source(kernel)
        except (OSError, TypeError, AssertionError):
            raise self.refused(e, f"{ast.unparse(e.func)!r} is not a kernel") from None
        if len(e.args) != len(called.parameters):
            raise self.refused(e, f"it takes {listed(called.parameters)}, got {len(e.args)} arguments")
        given = tuple(self.argument(called, name, a) for name, a in zip(called.parameters, e.args, strict=True))
        return ir.KernelCall(called.result, kernel, tuple(g.type for g in given), given)

    def argument(self, called: KernelText, name: str, e: ast.expr) -> ir.Expression:
        value, wanted = self.expression(e), called.declared(name)
        if isinstance(wanted, ir.BasicType):
            return self.converted(value, wanted, e)
        is_right = (
            isinstance(value.type, ir.KernelType) if wanted is None
            else isinstance(value.type, ir.RecordType) and issubclass(value.type.record, wanted)
        )  # fmt: skip
        if not is_right:
            what = "a kernel" if wanted is None else f"a {wanted.__name__}"
            raise self.refused(e, f"{name} of {called.tree.name} is {what}, got {value.type}")
        return value

    READERS: Final[dict[type, Any]] = {
        ast.Constant: constant, ast.Name: name, ast.Attribute: attribute, ast.Subscript: subscript, ast.BinOp: binary,
        ast.UnaryOp: unary, ast.Compare: comparison, ast.BoolOp: connected, ast.IfExp: choice, ast.Call: call,
    }  # fmt: skip

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, statements: Sequence[ast.stmt]) -> ir.Block:
        return tuple(done for s in statements if (done := self.statement(s)) is not None)

    def statement(self, s: ast.stmt) -> ir.Statement | None:
        """A statement; None for those that only Python needs."""
        match s:
            case ast.Expr(ast.Constant()) | ast.Pass():
                return None
            case ast.For():
                return self.loop(s)
            case ast.While():
                return ir.While(self.truth(s.test), self.block(s.body))
            case ast.If():
                return ir.If(self.truth(s.test), self.block(s.body), self.block(s.orelse))
            case ast.Break() | ast.Continue():
                return ir.Jump("break" if isinstance(s, ast.Break) else "continue")
            case ast.Return():
                return self.returned(s)
            case ast.Expr(ast.Call() as called):
                return self.effect(called)
            case ast.Assign(targets=[target]):
                return self.assigned(s, target, self.expression(s.value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.annotated(s, target, self.expression(value))
            case ast.AugAssign(op=op) if type(op) in SIGNS:
                changed = self.operation(SIGNS[type(op)], self.expression(s.target), self.expression(s.value), s)
                return self.assigned(s, s.target, changed)
        raise self.refused(s, "this is outside the language of kernels")

    def loop(self, s: ast.For) -> ir.Loop:
        match s:
            case ast.For(target=ast.Name(name), iter=ast.Call(ast.Name("range" | "unrolled" as word), bounds)):
                start, stop = (ast.Constant(0), bounds[0]) if len(bounds) == 1 else bounds[:2]
                step = ast.literal_eval(bounds[2]) if len(bounds) == 3 else 1
                self.declare(s, name, ir.INDEX)
                first, end = self.index(start), self.index(stop)
                where = f"{self.text.where(s)}: {ast.unparse(s.iter)!r}" if word == "unrolled" else ""
                return ir.Loop(name, first, end, step, self.block(s.body), where)
        raise self.text.refused(s, "loops go over range(...) or unrolled(...)")

    def declare(self, node: ast.AST, name: str, wanted: ir.Type) -> None:
        known = self.types.setdefault(name, wanted)
        if known != wanted:
            raise self.refused(node, f"{name!r} is {known} already, and cannot become {wanted}")

    def annotated(self, s: ast.AnnAssign, target: ast.expr, value: ir.Expression) -> ir.Statement | None:
        text = ast.unparse(s.annotation)
        wanted = HINTS.get(eval(text, self.text.names))
        if wanted is None or not isinstance(target, ast.Name):
            raise self.refused(s, f"{text} is not a valid type of a local name")
        self.declare(s, target.id, wanted)
        return self.assigned(s, target, value)

    def assigned(self, s: ast.stmt, target: ast.expr, value: ir.Expression) -> ir.Statement | None:
        if isinstance(target, ast.Name):
            return self.named(s, target, value)
        place = self.expression(target)
        if isinstance(place, ir.ArrayElement):
            return ir.Store(place, self.converted(value, place.type, s))
        if isinstance(place, ir.LocalVariable) and place.is_place:
            return ir.Assign(place, self.converted(value, place.type, s))
        raise self.refused(s, f"{ast.unparse(target)!r} is not declared Mutable, and cannot be changed")

    def named(self, s: ast.stmt, target: ast.Name, value: ir.Expression) -> ir.Statement | None:
        if isinstance(value.type, ir.RecordType | ir.KernelType) or value.type in (ir.FUNCTION, ir.NOTHING):
            if target.id in self.types or not isinstance(value, ir.LocalVariable):
                raise self.refused(s, f"{value.type} gets a name once, and keeps it")
            self.types[target.id], self.paths[target.id] = value.type, value.name
            return None
        wanted = self.types.get(target.id, value.type)
        if isinstance(wanted, ir.RecordType | ir.KernelType):
            raise self.refused(s, f"{target.id!r} is {wanted}, and cannot be changed")
        self.types[target.id] = wanted
        return ir.Assign(ir.LocalVariable(wanted, target.id), self.converted(value, wanted, s))

    def returned(self, s: ast.Return) -> ir.Return:
        wanted = self.text.result
        if (s.value is None) != (wanted is ir.NOTHING):
            raise self.refused(s, f"the kernel is declared to return {wanted}")
        return ir.Return(None if s.value is None else self.converted(self.expression(s.value), wanted, s))

    def effect(self, e: ast.Call) -> ir.Statement:
        target = self.expression(e.func)
        if target.type is not ir.FUNCTION:
            value = self.call(e)
            if not isinstance(value, ir.KernelCall):
                raise self.refused(e, "its value is lost")
            return ir.CallStatement(value)
        match e.args:
            case [ast.Tuple(inputs), ast.Tuple(outputs)] if isinstance(target, ir.LocalVariable):
                ins, outs = tuple(map(self.passed, inputs)), tuple(map(self.expression, outputs))
                if any(o.type is not ir.NUMBERS for o in outs):
                    raise self.refused(e, "a compiled function writes to arrays of numbers")
                return ir.ProgramCall(target, ins, outs)
        raise self.refused(e, "a compiled function is called with its inputs and its outputs, f((t, y), (dy,))")

    def passed(self, e: ast.expr) -> ir.Expression:
        value = self.expression(e)
        return value if value.type is ir.NUMBERS else self.converted(value, ir.NUMBER, e)
