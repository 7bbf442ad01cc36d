"""Checked fields -> `Model`: symbols are declared, items indexed by name and built in order of dependence, and the
model is frozen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from ...errors import ModelError, ModelFileError, SymbodyError, unknown, with_article
from ...escaping import checked_name, identifier, in_one_line
from ...units import with_si_unit
from ..mechanism.mechanism import Mechanism
from ..model.friction_methods import deflection_of
from ..model.model import Model
from ..model.substructure import Attached
from .body_items import add_body, add_definition, add_frame
from .expression_text import UNITS, has_unit
from .joint_items import NAME, add_joint, child_of, new_coordinates
from .load_items import (
    add_balance,
    add_constraint,
    add_equation,
    add_gravity,
    add_kinetic_energy,
    add_label,
    add_load,
    add_output,
    add_validity,
)
from .located import LocatedList, LocatedRecord, LocatedTable, LocatedText, names_in
from .scope import RESERVED, Budget, Item, Scope, in_words_of_files
from .used_model import used_model

MOST_COPIES: Final = 100  # of parts, in all
MOST_BODIES: Final = 10_000  # with those of copies
MOST_REPEATED: Final = 200_000  # symbols, frames, joints, loads and constraints of repeated parts

Opened = Callable[[LocatedText, Budget], tuple[LocatedRecord, str]]  # what a file beside this one says, and its name
Make = Callable[[Scope, Item], None]


class Build:
    """One model, built from its fields. `opened` gives the fields of files that parts are in."""

    def __init__(self, fields: LocatedRecord, name: str, opened: Opened, budget: Budget) -> None:
        self.fields, self.opened, self.budget = fields, opened, budget
        use = fields.get("use")
        self.model = Model(name) if use is None else used_model(use, name, budget)
        self.scope = Scope(self.model, budget)
        self.parts: dict[str, Build] = {}
        self.copies: list[tuple[Attached, Build]] = []  # of parts that are attached, and what they were built from

    def build(self) -> Mechanism:
        """The frozen model; every error carries the position of its item."""
        self._declare()
        self._file_parts()
        self._file_joints()
        self._file_rates()
        self._file_loads()
        for item in self.scope.items:
            self.scope.make(item)
        self._in_order()
        self._units()
        return self._frozen()

    def _section(self, name: str) -> Mapping[str, Any]:
        table = self.fields.get(name)
        return table.entries if table is not None else {}

    def _items(self, section: str, what: str, make: Make) -> list[Item]:
        table = self.fields.get(section)
        return [] if table is None else [Item(what, n, table.keys[n], x, make) for n, x in table.entries.items()]

    # ------------------------------------------------------------------------------------------------ symbols

    def _declare(self) -> None:
        m = self.model
        table = self.fields.get("parameters")
        for name, value in self._section("parameters").items():
            self._declare_one(table.keys[name], partial(self._parameter, said=value))
        speeds = self.fields.get("speeds")
        for names, declare in (
            (names_in(self.fields.get("inputs")), m.input),
            (names_in(self.fields.get("variables")), m.variable),
            (names_in(self.fields.get("coordinates")), m.coordinate),
            (list(speeds.keys.values()) if isinstance(speeds, LocatedTable) else names_in(speeds), m.speed),
        ):
            for said in names:
                self._declare_one(said, declare)

    def _units(self) -> None:
        table = self.fields.get("units")
        for name, unit in self._section("units").items():
            self._declare_one(table.keys[name], partial(self.model.show_in, unit.text))

    def _declare_one(self, said: LocatedText, declare: Callable[[str], Any]) -> None:
        if said.text in RESERVED:
            raise said.error(f"the name {said.text!r} is reserved: it is {RESERVED[said.text]}; choose another")
        if not NAME.fullmatch(said.text):
            raise said.error(f"{said.text!r} is not a usable name: letters, digits and underscores, no digit first")
        try:
            declare(said.text)
        except ModelFileError:
            raise
        except SymbodyError as reason:
            raise said.error(str(reason)) from None

    def _parameter(self, name: str, said: Any) -> None:
        value = said.get("value") if isinstance(said, LocatedRecord) else said
        unit = said.get("unit").text if isinstance(said, LocatedRecord) and "unit" in said else ""
        if value is not None:
            for step in value.parsed.steps:
                if step.do == "name" and step.data[0] not in ("pi", *UNITS):
                    raise value.error_at(
                        step.at,
                        step.length,
                        f"the value of a parameter is a number; what depends on {step.data[0]!r} goes under `let`",
                    )
        number = None if value is None else Scope(Model(name), self.budget).number(value)
        if number is not None and has_unit(value.text):
            self.model.parameter(name, with_si_unit(number, unit), unit)
        else:
            self.model.parameter(name, number, unit)

    # ------------------------------------------------------------------------------------------------ items

    def _file_parts(self) -> None:
        """Definitions, bodies, frames, attached parts, under the names by which expressions know them."""
        scope = self.scope
        for item in self._items("let", "definition", add_definition):
            if item.name in self.model.symbols:
                kind = self.model.symbols[item.name].kind
                raise item.key.error(f"{item.name!r} is declared as {with_article(kind)} already; choose another name")
            if not NAME.fullmatch(item.name):
                raise item.key.error(
                    f"{item.name!r} is not a usable name: letters, digits and underscores, no digit first"
                )
            scope.add(item, item.name)
        bodies = self._items("bodies", "body", add_body)
        for item in bodies:
            own = not self._is_named_as_its_frame(item)
            scope.add(item, *([item.name] if own else []))
            if item.content is not None and (
                "beam" in item.content or "elastic" in item.content
            ):  # its coordinates begin with its name
                scope.prefixes[f"{identifier(item.name)}_"] = item
        for item in self._items("frames", "frame", add_frame):
            scope.add(item, item.name)
        plain = Counter(identifier(item.name) for item in bodies)
        for item in bodies:  # "rear wheel" may be written rear_wheel, where that is one body only
            if plain[identifier(item.name)] == 1:
                scope.parts.setdefault(identifier(item.name), item)
        for item in self._items("attach", "attached part", lambda s, i: self._attach(i)):
            scope.prefixes[f"{identifier(item.name)}_"] = scope.add(item)
        for item in self._items("repeat", "repeated part", lambda s, i: self._repeat(i)):
            scope.prefixes[f"{identifier(item.name)}_"] = scope.add(item)

    def _is_named_as_its_frame(self, item: Item) -> bool:
        said: LocatedRecord | None = item.content
        return item.name in self._section("frames") and said is not None and "frame" in said and said.get("frame").text == item.name  # fmt: skip

    def _file_joints(self) -> None:
        """Joints, each dependent on the one before; with the symbols that they declare and the bodies that they
        place."""
        scope, last = self.scope, None
        for item in self._items("joints", "joint", add_joint):
            item.needs = [last] if last is not None else []
            last = scope.add(item)
            for name in new_coordinates(scope, item):
                if name in scope.parts and scope.parts[name].what == "definition":
                    raise item.error(
                        f"its coordinate {name!r} has the name of a definition in line "
                        f"{scope.parts[name].line}; rename one"
                    )
                scope.owners.setdefault(name, item)
            if item.content.kind == "rolling":
                scope.wheels[item.name] = item
            if (child := child_of(item.content)) is not None:
                scope.placing.setdefault(child, item)

    def _all_placed(self) -> list[Item]:
        """Items after which every body is placed: the last joint (which depends on those before it) and all attached
        and repeated parts."""
        joints = [i for i in self.scope.items if i.what == "joint"]
        return [*joints[-1:], *(i for i in self.scope.items if i.what in ("attached part", "repeated part"))]

    def _file_rates(self) -> None:
        made = [i for i in self._items("speeds", "speed", _define_speed) if i.content is not None] if isinstance(self.fields.get("speeds"), LocatedTable) else []  # fmt: skip
        made += self._items("rates", "rate", _define_rate)
        for k, f in enumerate(self.fields.get("kinematic_equations") or (), start=1):
            made.append(
                Item("kinematic equation", str(k), f, f, lambda s, i: s.model.kinematic_equation(s.scalar(i.content)))
            )
        for many in self.fields.get("norms") or ():
            made.append(Item("norm", "", LocatedText(many.source, many.node, ""), many, _add_norm))
        for said in names_in(self.fields.get("small")):
            made.append(Item("small", said.text, said, said, lambda s, i: s.model.small(s.coordinate(i.content))))
        self._file_after_joints(made)

    def _file_loads(self) -> None:
        made = []
        if (gravity := self.fields.get("gravity")) is not None:
            made.append(
                Item("load", "gravity", LocatedText(gravity.source, gravity.node, "gravity"), gravity, add_gravity)
            )
        loads = self._items("loads", "load", add_load)
        made += [*loads, *self._items("constraints", "constraint", add_constraint)]
        made += self._items("kinetic_energies", "kinetic energy", add_kinetic_energy)
        made += self._items("balances", "balance", add_balance)
        made += [*self._items("equations", "equation", add_equation), *self._items("outputs", "output", add_output)]
        made += self._items("valid_while", "valid_while", add_validity)
        made += self._items("labels", "label", add_label)
        for item in loads:
            if item.content.kind == "tyre":
                self.scope.owners.setdefault(identifier(item.name), item)
            if item.content.kind == "friction":  # by bristles it declares their deflection
                self.scope.owners.setdefault(deflection_of(item.name), item)
        self._file_after_joints(made)

    def _file_after_joints(self, items: list[Item]) -> None:
        placed = self._all_placed()
        for item in items:
            item.needs = placed
            self.scope.add(item)

    # ------------------------------------------------------------------------------------------------ parts

    def _attach(self, item: Item) -> None:
        said = item.content
        built = self._part("attach", said.get("part"))
        part = built.model
        self.budget.copies += 1
        if self.budget.copies > MOST_COPIES or len(part.bodies) + len(self.model.bodies) > MOST_BODIES:
            raise item.error(f"a model holds at most {MOST_COPIES} copies of parts and {MOST_BODIES} bodies")
        parent = self.scope.part(said.get("on")) if "on" in said else self.model.ground
        shared, values = self._shared(said), self._values(said)
        self.copies.append((self.model.attach(item.name, parent, part, share=shared, values=values), built))

    def _repeat(self, item: Item) -> None:
        said, s = item.content, self.scope
        built, count = self._part("repeat", said.get("part")), s.number(said.get("count"))
        if not 1 <= count <= MOST_BODIES or count != int(count):
            raise said.get("count").error(f"count is a whole number from 1 to {MOST_BODIES}, got {count:g}")
        if int(count) * len(built.model.bodies) + len(self.model.bodies) > MOST_BODIES:
            raise item.error(f"a model holds at most {MOST_BODIES} bodies with those of copies")
        p = built.model.parts
        self.budget.repeated += int(count) * sum(map(len, (p.symbols, p.frames, p.joints, p.loads, p.constraints)))
        if self.budget.repeated > MOST_REPEATED:
            raise item.error(f"repeated parts have at most {MOST_REPEATED} symbols, frames, joints and loads in all")
        on = said.get("on")
        parent = [s.part(f) for f in on] if isinstance(on, LocatedList) else s.part(on) if on else self.model.ground
        made = self.model.repeat(
            item.name, parent, built.model, int(count), end=said.get("end").text if "end" in said else None,
            share=self._shared(said), values=self._values(said),
        )  # fmt: skip
        self.copies += [(copy, built) for copy in made]

    def _shared(self, said: LocatedRecord) -> Any:
        share = said.get("share")
        if isinstance(share, LocatedTable):
            return {k: self.scope.scalar(v) for k, v in share.entries.items()}
        return [x.text for x in names_in(share)]

    def _values(self, said: LocatedRecord) -> dict[str, Any]:
        """Numbers and expressions, one or a list for each name."""
        table = said.get("values").entries if "values" in said else {}
        return {
            k: [self._value(x) for x in v] if isinstance(v, LocatedList) else self._value(v) for k, v in table.items()
        }

    def _value(self, said: Any) -> Any:
        v = self.scope.scalar(said)
        return v if v.value is None else float(v)

    def _part(self, where: str, said: LocatedText) -> Build:
        """A part, built when it is first attached."""
        known = self._section("parts")
        if said.text not in known:
            raise said.error(str(unknown(where, "part", said.text, known)))
        if said.text not in self.parts:
            content = known[said.text]
            fields, name = (
                self.opened(content, self.budget) if isinstance(content, LocatedText) else (content, said.text)
            )
            part = Build(fields, name_of(fields, name), self.opened, self.budget)
            part.build()
            self.parts[said.text] = part
        return self.parts[said.text]

    # ------------------------------------------------------------------------------------------------ the end

    def _in_order(self) -> None:
        """Bodies stand in the order of the file, whatever had to be made first; those of copies follow."""
        self.model.parts.order_bodies(self._section("bodies"))
        self.scope.look_again()

    def _frozen(self) -> Mechanism:
        try:
            return self.model.freeze()
        except SymbodyError as reason:
            raise self._where(str(reason)).error(in_words_of_files(reason)) from None

    def _where(self, message: str) -> LocatedText | LocatedRecord:
        """The position of the item or symbol that an error of the whole model names; the longest name that matches."""
        symbols = [
            s for key in ("variables", "coordinates", "inputs", "speeds") for s in names_in(self.fields.get(key))
        ]
        symbols += [
            k
            for key in ("parameters", "speeds")
            if isinstance(t := self.fields.get(key), LocatedTable)
            for k in t.keys.values()
        ]
        told = [
            i.key
            for i in self.scope.items
            if i.name and i.what not in ("definition", "small") and _names(message, i.name)
        ]
        told = told or [s for s in symbols if _names(message, s.text)]
        return max(told, key=lambda said: len(said.text)) if told else self.fields


def name_of(fields: LocatedRecord, default: str) -> str:
    """The model's name in the file; by default that of the file."""
    if "name" not in fields:
        return in_one_line(default)
    said = fields.get("name")
    try:
        return checked_name(said.text, "name")
    except ModelError as reason:
        raise said.error(str(reason)) from None


def _names(message: str, name: str) -> bool:
    plain = re.sub(r"^model '.*?': ", "", message)  # it has a name too
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", plain) is not None


def _define_speed(s: Scope, item: Item) -> None:
    s.model.kinematic_equation(s.scalar(item.content) - s.model.symbols[item.name])


def _define_rate(s: Scope, item: Item) -> None:
    s.model.rate(s.symbol_of_kind(item.key, "coordinate", "variable"), s.scalar(item.content))


def _add_norm(s: Scope, item: Item) -> None:
    s.model.unit_norm(*(s.coordinate(x) for x in item.content))
