"""The intermediate form of kernels: statements and expressions, each expression with its type.

Records are gone here: a field is a variable with a dotted name, `steps.counts.rows`, so that targets see numbers,
indices, arrays and functions only. `kernel_parser.py` makes this form from Python, `specialisation.py` rewrites it for what is
known, and printers write it down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cached_property
from typing import Any, Final, get_args

from .kernel_language import Kernel


class BasicType(Enum):
    """Types without parts; the value is what messages call them."""

    INDEX = "an index"
    NUMBER = "a number"
    TRUTH = "a condition"
    NUMBERS = "an array of numbers"
    INDICES = "an array of indices"
    FUNCTION = "a compiled function"
    NOTHING = "nothing"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class KernelType:
    """A kernel that is known by name."""

    kernel: Kernel

    def __str__(self) -> str:
        return f"kernel {self.kernel.__name__}"


@dataclass(frozen=True, eq=False)
class RecordType:
    """A record: its class, and the types of its fields by name. Made by `records.type_of`, once for each type."""

    record: type
    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return f"a {self.record.__name__}"


Type = BasicType | KernelType | RecordType
INDEX, NUMBER, TRUTH, NOTHING = BasicType.INDEX, BasicType.NUMBER, BasicType.TRUTH, BasicType.NOTHING
NUMBERS, INDICES, FUNCTION = BasicType.NUMBERS, BasicType.INDICES, BasicType.FUNCTION
ELEMENTS = {NUMBERS: NUMBER, INDICES: INDEX}


# ---------------------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, an index, a truth value, or a table of numbers."""

    type: Type
    value: Any


@dataclass(frozen=True, slots=True)
class LocalVariable:
    """An argument, a local name, or the field of a record: that is in memory where `is_place`, and can be changed
    there."""

    type: Type
    name: str
    is_place: bool = False


@dataclass(frozen=True, slots=True)
class ArrayElement:
    """array[at]"""

    type: Type
    array: Expression
    at: Expression


@dataclass(frozen=True, slots=True)
class ArrayTail:
    """array[start:]"""

    type: Type
    array: Expression
    start: Expression


@dataclass(frozen=True, slots=True)
class Operation:
    """left sign right: + - * / // % of indices or numbers; < <= > >= == != of either give a truth value."""

    type: Type
    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conversion:
    """An index as a number, or a number, cut off, as an index."""

    type: Type
    value: Expression


@dataclass(frozen=True, slots=True)
class BooleanOperation:
    """`and` or `or`: what follows is looked at only where it matters."""

    type: Type
    word: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    type: Type
    value: Expression


@dataclass(frozen=True, slots=True)
class IsAbsent:
    """Whether a function is not there."""

    type: Type
    function: LocalVariable


@dataclass(frozen=True, slots=True)
class Select:
    """yes if test else no; both are evaluated."""

    type: Type
    test: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class MathCall:
    """abs, sqrt, pow, min, max, is_finite."""

    type: Type
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class KernelCall:
    """A call of another kernel. Before specialisation `types` are those of all its arguments, afterwards `target` is
    what is called."""

    type: Type
    kernel: Kernel
    types: tuple[Type, ...]
    arguments: tuple[Expression, ...]
    target: Any = None


Expression = (
    Constant | LocalVariable | ArrayElement | ArrayTail | Operation | Conversion | BooleanOperation | Not | IsAbsent | Select | MathCall | KernelCall
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Assign:
    target: LocalVariable
    value: Expression


@dataclass(frozen=True, slots=True)
class Store:
    target: ArrayElement
    value: Expression


@dataclass(frozen=True, slots=True)
class Loop:
    """for name in range(start, stop, step); `unrolled` says where it stands, until it is written out."""

    name: str
    start: Expression
    stop: Expression
    step: int
    body: Block
    unrolled: str = ""


@dataclass(frozen=True, slots=True)
class While:
    test: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class If:
    test: Expression
    yes: Block
    no: Block


@dataclass(frozen=True, slots=True)
class Jump:
    """`break` or `continue`."""

    word: str


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """Call of a compiled program: numbers and arrays that go in, arrays that come out.

    target   its name, where it is known which one is called: the function's value is then what this one gets beside its
             arguments
    """

    function: LocalVariable
    inputs: tuple[Expression, ...]
    outputs: tuple[Expression, ...]
    target: str = ""


@dataclass(frozen=True, slots=True)
class CallStatement:
    """A call of a kernel for its effects."""

    value: KernelCall


Statement = Assign | Store | Loop | While | If | Jump | Return | ProgramCall | CallStatement
Block = tuple[Statement, ...]


def all_parts(thing: Statement | Expression | Block) -> Iterator[Statement | Expression]:
    """A statement, an expression or a block, with everything inside, in the order of the text."""
    left: list[Any] = [thing]
    while left:
        part = left.pop()
        if isinstance(part, tuple):
            left.extend(reversed(part))
        elif (names := _INNER.get(type(part))) is not None:
            yield part
            for name in names:
                left.append(getattr(part, name))


_NODES: Final = (*get_args(Expression), *get_args(Statement))
_WITH_NODES: Final = {"Expression", "Block", *(node.__name__ for node in _NODES)}  # types of fields
_INNER: Final[dict[type, list[str]]] = {  # of each node, the fields that hold others, the last one first
    node: [f.name for f in reversed(fields(node)) if _WITH_NODES & set(re.findall(r"\w+", str(f.type)))]
    for node in _NODES
}


Rebuilder = Callable[[Expression], Expression]


def with_changed_expressions(thing: Any, change: Rebuilder) -> Any:
    """A statement, an expression or a block, with every expression in it changed, the inner ones first."""
    if isinstance(thing, tuple):
        return tuple(with_changed_expressions(part, change) for part in thing)
    names = _INNER.get(type(thing))
    if names is None:
        return thing
    new = replace(thing, **{name: with_changed_expressions(getattr(thing, name), change) for name in names})
    return change(new) if isinstance(new, Expression) else new


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument as targets see it: a number, an index, an array, a function; or the place of a field that changes."""

    name: str
    type: Type
    is_place: bool = False


@dataclass(frozen=True)
class KernelForm:
    """A kernel, checked or specialised. `parameters` are those of the Python function, or, once specialised, those that
    targets see; `given` are then those of the Python function."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    body: Block
    documentation: str = ""
    is_rare: bool = False
    given: tuple[Parameter, ...] = ()

    @cached_property
    def parts(self) -> tuple[Statement | Expression, ...]:
        """All statements and expressions of the body, in the order of the text."""
        return tuple(all_parts(self.body))
