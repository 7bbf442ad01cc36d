"""Name resolution in a model file, and building its items in order of dependence.

Items (definitions, frames, bodies, joints, attached parts) may use each other in any order: before an item is made,
those that it mentions are. Joints are made in the order of the file, since that order decides which of them close
loops. A definition that needs itself is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import PI, Expr, Symbol
from ...algebra.graph.matrix import Matrix, as_matrix
from ...algebra.graph.names import rate_name, stem_and_order
from ...algebra.graph.node_table import nodes_made
from ...algebra.graph.walk import free_symbols
from ...errors import ExpressionTextError, ModelFileError, SymbodyError, existing, hint, listed, most_similar
from ...escaping import identifier
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from ..mass.mass import Shape
from ..mechanism.declarations import MAX_ORDER, multiplier_of
from ..mechanism.mechanism import Body
from ..model.model import Model
from .expression_text import UNITS
from .located import Formula, LocatedList, LocatedRecord, LocatedTable, LocatedText
from .values import MOST_NODES, kind, value_of

MOST_ITEMS: Final = 3000  # beside definitions: models take time that grows with the square of it
RESERVED: Final = {"pi": "the number π", "ground": "the frame that does not move", "t": "the time"}


@dataclass(eq=False)
class Item:
    """A definition in a file: its type, name, content, and the function that builds it."""

    what: str
    name: str
    key: LocatedText
    content: Any
    make: Callable[[Scope, Item], Any]
    needs: list[Item] = field(default_factory=list)  # beside what it mentions
    is_made: bool = False

    def __str__(self) -> str:
        return f"{self.what} {self.name!r}"

    @property
    def line(self) -> int:
        return self.key.source.text.count("\n", 0, self.key.node.start) + 1

    def error(self, message: str) -> ModelFileError:
        return self.key.error(f"{self}: {message}")


MULTIPLIER: Final = "lam_"  # before the name of a constraint: its force


class Budget:
    """Limits on size that all parts of a model share."""

    def __init__(self) -> None:
        self.most_nodes = nodes_made() + MOST_NODES
        self.files = 1
        self.copies = 0
        self.repeated = 0
        self.items = 0


class Scope:
    """Names of one model, while it is being built."""

    def __init__(self, model: Model, budget: Budget) -> None:
        self.model, self.budget, self.most_nodes = model, budget, budget.most_nodes
        self.values: dict[str, Any] = {"pi": PI, **UNITS, "ground": model.ground}
        self.contacts: dict[str, Point] = {}
        self._plain: dict[
            str, str
        ] = {}  # bodies as they are written without quotation marks; nothing if two are written alike
        self._seen = 0
        self.items: list[Item] = []
        self.parts: dict[str, Item] = {}  # definitions, frames and bodies by name
        self.owners: dict[str, Item] = {}  # symbols that an item declares when it is made
        self.prefixes: dict[str, Item] = {}  # attached parts by what goes before their names
        self.placing: dict[str, Item] = {}  # bodies and the joint that places each
        self.wheels: dict[str, Item] = {}
        self.solids: dict[tuple[Path, float, str | None], Mapping[str, Shape]] = {}  # drawings that were read

    # ------------------------------------------------------------------------------------------------ items in order

    def add(self, item: Item, *names: str) -> Item:
        """File an item under names that parts of expressions may have."""
        self.items.append(item)
        self.budget.items += item.what != "definition"
        if self.budget.items > MOST_ITEMS:
            raise item.error(
                f"a model file holds at most {MOST_ITEMS} frames, bodies, joints, loads and conditions together"
            )
        for name in dict.fromkeys(names):
            if name in RESERVED:
                raise item.error(f"the name {name!r} is reserved: it is {RESERVED[name]}")
            if name in self.parts:
                other = self.parts[name]
                raise item.key.error(
                    f"{name!r} is defined twice: as {other.what} in line {other.line} and as {item.what} "
                    "here; rename one"
                )
            self.parts[name] = item
        return item

    def make(self, wanted: Item) -> None:
        """Build an item after its dependencies (depth first, without recursion)."""
        stack: list[tuple[Item, Iterator[tuple[Item, bool]]]] = []
        on_way: dict[int, Item] = {}

        def enter(item: Item) -> None:
            on_way[id(item)] = item
            stack.append((item, self._needs(item)))

        if not wanted.is_made:
            enter(wanted)
        while stack:
            item, needs = stack[-1]
            for need, is_soft in needs:
                if need.is_made or (is_soft and id(need) in on_way):
                    continue
                if id(need) in on_way:
                    raise _circle([i for i, _ in stack], need)
                enter(need)
                break
            else:
                stack.pop()
                del on_way[id(item)]
                with errors_located(item):
                    item.make(self, item)
                item.is_made = True

    def _needs(self, item: Item) -> Iterator[tuple[Item, bool]]:
        """Dependencies of an item; soft where a cycle is allowed (the joint that places a body, which the item may be
        part of)."""
        for need in item.needs:
            yield need, False
        for name, how in mentioned_names(item.content):
            owner = self._owner(name) if how == "symbol" else None
            part = self.parts.get(name)
            if owner is not None and owner is not item:
                yield owner, False
            elif part is not None and part is not item and not (how == "symbol" and name in self.model.symbols):
                yield part, False
                if item.what != "joint" and part.name in self.placing:
                    yield self.placing[part.name], True
            if how == "word" and name in self.wheels and self.wheels[name] is not item:
                yield self.wheels[name], False
            for prefix, attached in self.prefixes.items():
                if name.startswith(prefix) and attached is not item:
                    yield attached, True

    def _owner(self, name: str) -> Item | None:
        """The item that declares a symbol, or that of which a name is the rate."""
        found = self.owners.get(name) or self.owners.get(stem_and_order(name)[0])
        if found is None and name.startswith(MULTIPLIER):  # lam_pin_x is of the constraint or joint "pin"
            rest = name.removeprefix(MULTIPLIER)
            holds = [
                i
                for i in self.items
                if i.what in ("constraint", "joint") and f"{rest}_".startswith(f"{identifier(i.name)}_")
            ]
            found = max(holds, key=lambda i: len(i.name), default=None)
        return found

    # ------------------------------------------------------------------------------------------ names (for the machine)

    def named(self, name: str, is_part: bool) -> Any:
        first, second = (self._part, self._symbol) if is_part else (self._symbol, self._part)
        found = first(name)
        if found is None:
            found = second(name)
        if found is None:
            raise KeyError(name)
        return found

    def _symbol(self, name: str) -> Any:
        declared = self.model.symbols
        if name in declared:
            return declared[name]
        stem, order = stem_and_order(name)
        found: Any = declared.get(stem)
        if found is None and name.startswith(MULTIPLIER):
            return self._multiplier(name)
        if not 0 < order <= MAX_ORDER or found is None or found.kind in ("parameter", "time"):
            return None
        for _ in range(order):
            found = found.dot
        return found

    def _multiplier(self, name: str) -> Symbol | None:
        """The force of a constraint that is made already."""
        return next((m for c in self.model.parts.constraints if (m := multiplier_of(c)).name == name), None)

    def _part(self, name: str) -> Any:
        if name in self.values:
            return self.values[name]
        bodies = self.model.bodies
        if name in bodies:
            return bodies[name]
        if name in self.model.frames:
            return self.model.frames[name]
        for n in islice(bodies, self._seen, None):
            plain = identifier(n)
            self._plain[plain] = n if plain not in self._plain else ""
        self._seen = len(bodies)
        return bodies.get(self._plain.get(name, ""))

    def look_again(self) -> None:
        """Rebuild the index of bodies after they were reordered."""
        self._plain, self._seen = {}, 0

    def quoted(self, name: str) -> Any:
        found = self._part(name)
        if found is None:
            raise ExpressionTextError(self.missing(name, "body or frame"), name, 0)
        return found

    def contact(self, name: str) -> Point:
        if name not in self.contacts:
            raise ExpressionTextError(f"there is no rolling joint {name!r}; {existing(self.contacts)}", name, 0)
        return self.contacts[name]

    def missing(self, name: str, what: str = "name") -> str:
        """The sentence `there is no name 'legnth'`, with a suggestion."""
        known = [*self.known_symbols(), *self.parts, *self.model.bodies, *RESERVED]
        stem, order = stem_and_order(name)
        if order > MAX_ORDER:
            return f"{name}: at most {MAX_ORDER} time derivatives are taken"
        if (owner := self._owner(name)) is not None and not owner.is_made:
            return (
                f"there is no {what} {name!r} yet: the {owner.what} {owner.name!r} declares it; what depends on "
                "it goes under `loads`"
            )
        if order and stem in known:
            return (
                f"there is no {what} {name!r}: {stem!r} is not a coordinate, speed, input or variable; write "
                f"time_derivative({stem})"
            )
        if what == "body or frame":
            known = list(dict.fromkeys(["ground", *self.model.bodies, *self.model.frames, *self._parts_that_move()]))
        if near := most_similar(stem, dict.fromkeys(known)):
            return f"there is no {what} {name!r}. Did you mean {rate_name(near, order)!r}?"
        declared = (
            "; declare it under parameters, inputs, variables, coordinates or let"
            if what == "name"
            else f"; {existing(known)}"
        )
        return f"there is no {what} {name!r}{declared}"

    def _parts_that_move(self) -> list[str]:
        return [name for name, item in self.parts.items() if item.what in ("body", "frame")]

    def known_symbols(self) -> list[str]:
        return [*self.model.symbols, *self.owners]

    @contextmanager
    def meaning(self, name: str, value: Any) -> Iterator[None]:
        """What a name means in a part of a file, unless the model has something of that name."""
        is_new = name not in self.values and name not in self.known_symbols()
        if is_new:
            self.values[name] = value
        try:
            yield
        finally:
            if is_new:
                del self.values[name]

    # ------------------------------------------------------------------------------------------- values of entries

    def value(self, f: Formula) -> Any:
        try:
            return value_of(f.parsed, self)
        except ExpressionTextError as reason:
            if reason.text != f.text:
                raise f.error(reason.plain) from None
            raise f.error_at(reason.at, reason.length, reason.plain) from None

    def _of_kind(self, f: Formula, type_: type | tuple[type, ...], expected: str) -> Any:
        found = self.value(f)
        if not isinstance(found, type_):
            raise f.error(f"expected {expected}, this is {kind(found)}")
        return found

    def scalar(self, f: Formula) -> Expr:
        return self._of_kind(f, Expr, "a number")

    def scalars(self, many: LocatedList) -> list[Expr]:
        return [self.scalar(f) for f in many]

    def number(self, f: Formula) -> float:
        """A numeric constant."""
        e = self.scalar(f)
        if used := free_symbols(e):
            raise f.error(f"expected a number; {listed(used)} {'has' if len(used) == 1 else 'have'} no value here")
        try:
            return float(evaluate(e))
        except (SymbodyError, ArithmeticError, ValueError) as reason:
            raise f.error(f"this has no value: {reason}") from None

    def point(self, f: Formula) -> Point:
        return self._of_kind(f, Point, "a point such as body.point(0, 0, 1)")

    def vector(self, said: Formula | LocatedList) -> Vector:
        if isinstance(said, LocatedList):
            return self.model.ground.vector(*self.scalars(said))
        return self._of_kind(said, Vector, "a vector such as body.vector(1, 0, 0)")

    def place(self, said: Formula | LocatedList) -> Any:
        """Three coordinates, or a point."""
        return tuple(self.scalars(said)) if isinstance(said, LocatedList) else self.point(said)

    def frame(self, f: Formula) -> Frame:
        found = self._of_kind(f, (Frame, Body), "a frame such as ground.rotate(z, psi)")
        return found.frame if isinstance(found, Body) else found

    def part(self, said: LocatedText) -> Body | Frame:
        """A body or frame by name."""
        found = self.model.bodies.get(said.text) or self._part(said.text)
        if found is None:
            raise said.error(self.missing(said.text, "body or frame"))
        if not isinstance(found, (Body, Frame)):
            raise said.error(f"expected a body or a frame, {said.text!r} is {kind(found)}")
        return found

    def frame_of(self, said: LocatedText) -> Frame:
        found = self.part(said)
        return found.frame if isinstance(found, Body) else found

    def axis(self, said: LocatedText | LocatedList) -> Any:
        return tuple(self.scalars(said)) if isinstance(said, LocatedList) else said.text

    def matrix(self, many: LocatedList) -> list[list[Expr]]:
        return [self.scalars(row) for row in many]

    def coordinate(self, said: LocatedText) -> Symbol:
        return self.symbol_of_kind(said, "coordinate")

    def symbol_of_kind(self, said: LocatedText, *kinds: str) -> Symbol:
        """A symbol that is declared already, of one of these kinds."""
        found = self._symbol(said.text)
        if found is None or found.kind not in kinds:
            known = [s.name for kind in kinds for s in self.model.symbols_of_kind(kind)]
            near = hint(said.text, known)
            raise said.error(f"there is no {' or '.join(kinds)} {said.text!r}; {existing(known)}.{near}")
        return found

    def output(self, said: Formula | LocatedList) -> Expr | Matrix:
        """An expression, a column or a matrix, as outputs are."""
        if isinstance(said, LocatedList):
            rows = [self.scalars(v) if isinstance(v, LocatedList) else [self.scalar(v)] for v in said]
            nested = {isinstance(v, LocatedList) for v in said}
            if len(nested) != 1 or len({len(r) for r in rows}) != 1:
                raise said.error("rows of an output have one length")
            return as_matrix(rows)
        found = self.value(said)
        if isinstance(found, Vector):
            raise said.error("expected a number or a list, this is a vector; use its components(frame)")
        if isinstance(found, tuple) and found and all(isinstance(e, Expr) for e in found):
            return as_matrix(list(found))
        if not isinstance(found, (Expr, Matrix)):
            raise said.error(f"expected a number or a list of numbers, this is {kind(found)}")
        return found


def mentioned_names(content: Any) -> Iterator[tuple[str, str]]:
    """Names used in some content, and how: as a symbol (unless there is none), a part (wheel.point), a word, or a whole
    text."""
    if isinstance(content, Formula):
        for s in content.parsed.steps:
            if s.do == "name":
                yield s.data[0], "part" if s.data[1] else "symbol"
            elif s.do in ("quoted", "word"):
                yield s.data, s.do
    elif isinstance(content, LocatedText):
        yield content.text, "text"
    elif isinstance(content, LocatedList):
        for x in content:
            yield from mentioned_names(x)
    elif isinstance(content, LocatedTable):
        for x in content.entries.values():
            yield from mentioned_names(x)
    elif isinstance(content, LocatedRecord):
        for x in content.values.values():
            yield from mentioned_names(x)


_IN_FILES: Final = (  # advice of the model for Python, and the same for a model file
    ("pass physical=False", "say physical: false"),
    ("use constrain_speed for a nonholonomic constraint", "a constraint on rates is written {speed: ...}"),
    ("use constrain for a holonomic constraint", "a constraint on coordinates is written {holonomic: ...}"),
    ("leave it free with m.free", "leave it free by a joint {free: ...}"),
    ("m.equation", "`equations`"),
    ("one m.speed(name, equals), m.rate or m.kinematic_equation", "one of `speeds`, `rates` or `kinematic_equations`"),
    ("m.elastic takes", "`elastic` takes"),
    ("; m.force acts at points", "; a load {force: ...} acts at a point"),
    (
        "use m.spring, m.rotational_spring or m.torque",
        "use a load {spring: ...}, {rotational_spring: ...} or {torque: ...}",
    ),
    ("use m.rotational_spring or m.torque", "use a load {rotational_spring: ...} or {torque: ...}"),
)


def in_words_of_files(reason: Exception) -> str:
    """An error message of the model, with Python calls replaced by keys of the file."""
    message = str(reason)
    for python, here in _IN_FILES:
        message = message.replace(python, here)
    message = re.sub(r"\b(\w+)=\(((?:\.\.\.(?:, )?)+)\)", r"\1: [\2]", message)  # stiffness=(..., ...)
    message = re.sub(r"\b(\w+)=\{'(\w+)': \.\.\.\}", r"\1: {\2: ...}", message)
    message = re.sub(r"\bm\.rate\((\w+), (\w+)\)", r"`rates: {\1: \2}`", message)
    return re.sub(r"\b(\w+)=(?=[ :])", r"`\1`", message)


@contextmanager
def errors_located(item: Item) -> Iterator[None]:
    """Errors of the model are raised with the line of the item."""
    try:
        yield
    except ModelFileError:
        raise
    except SymbodyError as reason:
        raise item.key.error(in_words_of_files(reason)) from None
    except ArithmeticError as reason:
        raise item.error(f"this cannot be computed: {reason}") from None


def _circle(stack: list[Item], back: Item) -> ModelFileError:
    circle = stack[stack.index(back) :]
    names = " -> ".join(f"{i}" for i in [*circle, back])
    joints = [i for i in circle if i.what == "joint"]
    hint = (
        "; joints are made in the order of the file: list the coordinates under `coordinates`, or change the order"
        if joints
        else ""
    )
    return back.key.error(f"{back} needs itself: {names}{hint}")
