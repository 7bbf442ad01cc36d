"""Requests of a model file: parameter values, initial state, analyses, drawing. Validated here, carried out by later
stages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ..algebra.graph.graph import Expr, Symbol, symbol
from ..algebra.graph.matrix import Matrix, vector
from ..algebra.graph.names import rate_name
from ..bodies.file.body_items import rotation_of
from ..bodies.file.expression_text import has_unit
from ..bodies.file.keys import SIMULATION_OPTIONS
from ..bodies.file.located import Formula, LocatedList, LocatedRecord, LocatedTable, LocatedText, names_in
from ..bodies.file.paths import beside
from ..bodies.file.scope import Scope
from ..bodies.frames.frames import Frame
from ..bodies.frames.points import Point
from ..bodies.frames.rotations import Rotation
from ..bodies.mechanism.inferred_units import declared_unit
from ..bodies.mechanism.mechanism import Body, Mechanism
from ..derivation.equations.named_rows import output_rows
from ..errors import ExpressionError, SimulationError, existing, hint, listed
from ..simulation_options import SimulationOptions
from ..units import unit_factor
from .contact_requests import ContactRequest, FrictionRequest, contact_requests
from .motion_requests import MotionRequest, motion_request

MAX_POINTS: Final = 1_000_000  # largest number of points of an analysis
MESHES: Final = (".stl", ".obj", ".dae", ".glb", ".gltf")
_COLOUR: Final = re.compile(r"#[0-9A-Fa-f]{6}|[A-Za-z]{3,20}")
ORIGIN: Final = vector(0, 0, 0)
Three = tuple[Expr, Expr, Expr]


@dataclass(frozen=True)
class SimulationRequest:
    """`simulate`: from `begin` (None: that of the start) to `end`; `points` times, or those of the steps. `options` go
    to `simulate`; `impacts` is the law of contacts."""

    end: float
    begin: float | None = None
    points: int | None = None
    inputs: Mapping[str, Expr] = field(default_factory=dict)
    assemble: bool = False
    fix: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    impacts: str = "newton"


@dataclass(frozen=True)
class SteadyRequest:
    """`steady`: values, and what is zero; `parameters` are new ones, with values; `inputs` close the loop."""

    parameters: Mapping[str, float]
    values: tuple[tuple[Symbol, Expr], ...]
    zero: tuple[Symbol, ...]
    free: tuple[Symbol, ...]
    start: Mapping[str, float]
    inputs: Mapping[str, Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class LinearRequest:
    """`linearize`: about the steady motion, the start, or values; `inputs` close the loop, `moving` where the point is
    not steady."""

    about: str | Mapping[str, float] = "start"
    independent: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    inputs: Mapping[str, Expr] = field(default_factory=dict)
    moving: bool = False


@dataclass(frozen=True)
class Range:
    begin: float
    end: float
    points: int | None = None

    def __str__(self) -> str:
        """As it is written on the command line."""
        return ":".join(repr(x) for x in (self.begin, self.end, self.points) if x is not None)


@dataclass(frozen=True)
class EigenvalueRequest:
    """`eig`: at values, or over one or two parameters."""

    vary: Mapping[str, Range]
    values: Mapping[str, float]


@dataclass(frozen=True)
class BranchRequest:
    """`branch`: steady motions over one value, folds and Hopf points over a second; `connected` with the branches that
    cross."""

    vary: Mapping[str, Range]
    show: tuple[str, ...] = ()
    connected: bool = True
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class OrbitRequest:
    """`orbit`: a periodic motion: through the start with about a `period`, where it has settled after some time, or at
    a Hopf point of the branches; over one value a family, with those that begin at its period doublings, so many
    `generations` of them."""

    period: Expr | None = None
    settle: float | None = None
    hopf: int | None = None
    mirror: tuple[str, ...] = ()
    vary: Mapping[str, Range] = field(default_factory=dict)
    show: tuple[str, ...] = ()
    generations: int = 1
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ResponseRequest:
    """`frf`: from an input to an output or variable."""

    input: str
    output: str
    hertz: Range | None
    values: Mapping[str, float]


@dataclass(frozen=True)
class DrawnShape:
    """A shape fixed to a frame. kind: box, cylinder, cone, sphere, torus, line, mesh; sizes are expressions in
    parameters.

    size    edges of a box; radius and length; radius and height; radius; radius and tube; scale (of a mesh); width (of
            a line)
    points  of a line, in the frame
    file    of a mesh: checked to lie beside the model file
    """

    name: str
    kind: str
    frame: Frame
    size: tuple[Expr, ...] = ()
    at: Matrix = ORIGIN
    rotation: Rotation = Rotation()  # noqa: RUF009  (immutable)
    colour: str = ""
    opacity: float = 1.0
    points: tuple[Three, ...] = ()
    file: Path | None = None


@dataclass(frozen=True)
class TraceRequest:
    """The path of a point."""

    name: str
    point: Point
    colour: str = ""


@dataclass(frozen=True)
class Drawing:
    """`draw`: shapes in place of those that bodies have by default, traces of points, bodies that are not drawn."""

    shapes: tuple[DrawnShape, ...] = ()
    traces: tuple[TraceRequest, ...] = ()
    up: str = ""
    hide: tuple[str, ...] = ()


@dataclass(frozen=True)
class Requests:
    """All requests of a file."""

    values: Mapping[str, float]
    start: Mapping[str, float]
    simulate: SimulationRequest | None = None
    steady: SteadyRequest | None = None
    linearize: LinearRequest | None = None
    eig: EigenvalueRequest | None = None
    branch: BranchRequest | None = None
    orbit: OrbitRequest | None = None
    frf: tuple[ResponseRequest, ...] = ()
    draw: Drawing | None = None
    contacts: tuple[ContactRequest | FrictionRequest, ...] = ()
    motion: MotionRequest | None = None


def requests_of(
    fields: LocatedRecord,
    scope: Scope,
    mechanism: Mechanism,
    in_copies: Sequence[ContactRequest | FrictionRequest] = (),
) -> Requests:
    """The requests of a file, checked against its mechanism; in_copies: contacts that attached parts bring."""
    found = _RequestReader(fields, scope, mechanism, has_contacts=bool(in_copies)).read()
    return replace(found, contacts=(*found.contacts, *in_copies))


class _RequestReader:
    def __init__(self, fields: LocatedRecord, scope: Scope, mechanism: Mechanism, has_contacts: bool) -> None:
        self.fields, self.scope, self.mechanism = fields, scope, mechanism
        self.has_contacts = has_contacts or "contacts" in fields
        states = (*mechanism.q, *mechanism.u, *(q.dot for q in mechanism.q), *mechanism.z, *mechanism.r)
        self.states = {s.name: s for s in states if isinstance(s, Symbol)}
        self.outputs = output_rows(mechanism.outputs)
        self.parameters = {p.name: p for p in mechanism.p}

    def read(self) -> Requests:
        get = self.fields.get
        steady = self._steady(get("steady")) if get("steady") is not None else None
        known = {**self.parameters, **({} if steady is None else dict.fromkeys(steady.parameters))}
        return Requests(
            self._numbers(get("values"), self.parameters, "parameter"),
            self._numbers(
                get("start"), {**self.states, **self.outputs, "t": None}, "coordinate, speed, variable or output"
            ),
            self._simulation(get("simulate")) if get("simulate") is not None else None,
            steady,
            self._linear(get("linearize"), steady) if get("linearize") is not None else None,
            self._eigenvalues(get("eig"), known) if get("eig") is not None else None,
            self._branches(get("branch"), known) if get("branch") is not None else None,
            self._orbit(get("orbit"), known) if get("orbit") is not None else None,
            tuple(self._response(r, known) for r in get("frf") or ()),
            self._drawing(get("draw")) if get("draw") is not None else None,
            contact_requests(get("contacts"), self.scope),
            motion_request(get("motion"), self.scope, self._in_si) if get("motion") is not None else None,
        )

    # Names and numbers

    def _checked_name(self, said: LocatedText, known: Iterable[str], what: str) -> str:
        """A name that must be one of the known ones."""
        names, name = list(known), said.text
        if (stem := name.rstrip("'")) != name:
            raise said.error(f"the time derivative {name} is written {rate_name(stem, len(name) - len(stem))}")
        if name in names:
            return name
        if entries := [n for n in names if n.startswith(f"{name}[")]:
            raise said.error(f"output {name!r} has {len(entries)} entries; give them one by one: {listed(entries)}")
        raise said.error(f"there is no {what} {said.text!r}; {existing(names)}.{hint(name, names)}")

    def _numbers(self, table: LocatedTable | None, known: Iterable[str], what: str) -> dict[str, float]:
        out: dict[str, float] = {}
        if table is None:
            return out
        for key, f in table.entries.items():
            name = self._checked_name(table.keys[key], known, what)
            if name in out:
                raise table.keys[key].error(f"{name!r} is given twice")
            out[name] = self._in_si(name, f)
        return out

    def _in_si(self, name: str, f: Formula) -> float:
        """A number without a unit of its own is in the declared unit."""
        factor = 1.0 if has_unit(f.text) else unit_factor(declared_unit(self.mechanism.units, name))
        return self.scope.number(f) * factor

    def _names(self, said: Any, known: Iterable[str], what: str) -> tuple[str, ...]:
        names = list(known)
        return tuple(self._checked_name(s, names, what) for s in names_in(said))

    def _count(self, f: Formula, least: int = 2) -> int:
        value = self.scope.number(f)
        if value != int(value) or not least <= value <= MAX_POINTS:
            raise f.error(f"expected a whole number from {least} to {MAX_POINTS}, got {value:g}")
        return int(value)

    def _positive(self, f: Formula) -> float:
        value = self.scope.number(f)
        if value <= 0:
            raise f.error(f"expected a positive number, got {value:g}")
        return value

    def _range(self, many: LocatedList, name: str = "") -> Range:
        begin, end = (self._in_si(name, f) for f in many.items[:2])
        if begin == end:
            raise many.error(f"the range from {begin:g} to {end:g} is empty")
        return Range(begin, end, self._count(many.items[2]) if len(many) == 3 else None)

    # Analyses

    def _simulation(self, said: LocatedRecord) -> SimulationRequest:
        t = said.get("t")
        begin, end = (self.scope.number(f) for f in t) if isinstance(t, LocatedList) else (None, self.scope.number(t))
        if (begin or 0.0) == end:
            raise t.error(f"the simulation has no length: it begins and ends at {end:g}")
        inputs = self._inputs(said)
        if "impacts" in said and not self.has_contacts:
            raise said.get("impacts").error("impacts are those of `contacts`, and the model has none")
        options = {k: self._option(k, said.get(k), said) for k in SIMULATION_OPTIONS if k in said}
        return SimulationRequest(
            end, begin, self._count(said.get("points")) if "points" in said else None, inputs, said.get("assemble") is True,
            self._names(said.get("fix"), self.states, "coordinate or speed"), options,
            said.get("impacts").text if "impacts" in said else "newton",
        )  # fmt: skip

    def _option(self, name: str, value: Any, said: LocatedRecord) -> Any:
        """An option of `simulate`, checked."""
        found: Any = value
        if name == "invariants":
            found = tuple("energy" if f.text == "energy" else self.scope.scalar(f) for f in value)
        elif name == "independent":
            found = self._names(value, self.states, "coordinate or speed")
        elif isinstance(value, Formula):
            number = self._positive(value) if name == "atol" else self.scope.number(value)
            found = int(number) if name in ("order", "max_steps") and number == int(number) else number
        elif isinstance(value, LocatedText):
            found = value.text
        try:
            SimulationOptions(**{name: found})
        except SimulationError as reason:
            raise (said if isinstance(value, bool) else value).error(str(reason)) from None
        return found

    def _inputs(self, said: LocatedRecord) -> dict[str, Expr]:
        """Laws that inputs follow."""
        if "inputs" not in said:
            return {}
        table, known = said.get("inputs"), [r.name for r in self.mechanism.r]
        return {
            self._checked_name(table.keys[k], known, "input"): self.scope.scalar(f) for k, f in table.entries.items()
        }

    def _steady(self, said: LocatedRecord) -> SteadyRequest:
        new: dict[str, float] = {}
        if "parameters" in said:
            table = said.get("parameters")
            for name, f in table.entries.items():
                new[name] = self.scope.number(f)
                self._new_symbol(table.keys[name])
        values: list[tuple[Symbol, Expr]] = []
        if "values" in said:
            table = said.get("values")
            values = [(self._state(table.keys[k]), self.scope.scalar(f)) for k, f in table.entries.items()]
        zero, free = (tuple(self._state(x) for x in names_in(said.get(k))) for k in ("zero", "free"))
        start = self._numbers(said.get("start"), {**self.states, **dict.fromkeys(new)}, "coordinate, speed or variable")
        return SteadyRequest(new, tuple(values), zero, free, start, self._inputs(said))

    def _new_symbol(self, said: LocatedText) -> None:
        """A parameter that only the analyses know."""
        if said.text in self.scope.model.symbols or said.text in self.scope.values:
            raise said.error(f"{said.text!r} is declared already; choose another name")
        self.scope.values[said.text] = _parameter(said)

    def _state(self, said: LocatedText) -> Symbol:
        known = {**self.parameters, **self.states}
        return known[self._checked_name(said, known, "coordinate, speed, variable, input or parameter")]

    def _linear(self, said: LocatedRecord, steady: SteadyRequest | None) -> LinearRequest:
        about = said.get("about")
        if isinstance(about, LocatedText) and about.text == "steady" and steady is None:
            raise about.error("there is no steady motion to linearise about; describe it under `steady`")
        where: str | dict[str, float] = "start" if steady is None else "steady"
        if isinstance(about, LocatedText):
            where = about.text
        elif about is not None:
            where = self._numbers(about, self.states, "coordinate, speed or variable")
        drop = said.get("drop")
        return LinearRequest(
            where, self._names(said.get("independent"), self.states, "coordinate or speed"),
            ("cyclic",) if isinstance(drop, LocatedText) and drop.text == "cyclic" else self._names(drop, self.states, "coordinate or speed"),
            self._inputs(said), said.get("moving") is True,
        )  # fmt: skip

    def _eigenvalues(self, said: LocatedRecord, known: Iterable[str]) -> EigenvalueRequest:
        names = list(known)
        vary: dict[str, Range] = {}
        if "vary" in said:
            table = said.get("vary")
            vary = {
                self._checked_name(table.keys[k], names, "parameter"): self._range(r, table.keys[k].text)
                for k, r in table.entries.items()
            }
            if not 1 <= len(vary) <= 2:
                raise table.error(f"one parameter or two are varied, got {len(vary)}")
        return EigenvalueRequest(vary, self._numbers(said.get("values"), names, "parameter"))

    def _branches(self, said: LocatedRecord, known: Iterable[str]) -> BranchRequest:
        names, table = [*known, *self.states, *self.outputs], said.get("vary")
        vary = {
            self._checked_name(table.keys[k], names, "value to vary"): self._range(r, table.keys[k].text)
            for k, r in table.entries.items()
        }
        if not 1 <= len(vary) <= 2:
            raise table.error(f"one value or two are varied, got {len(vary)}")
        show = self._names(said.get("show"), names, "quantity")
        return BranchRequest(
            vary, show, said.get("connected") is not False, self._numbers(said.get("values"), known, "parameter")
        )

    def _orbit(self, said: LocatedRecord, known: Iterable[str]) -> OrbitRequest:
        table = said.get("vary")
        vary = (
            {}
            if table is None
            else {table.keys[k].text: self._range(r, table.keys[k].text) for k, r in table.entries.items()}
        )
        if len(vary) > 1:
            raise table.error(f"one value is varied, got {len(vary)}")
        return OrbitRequest(
            self.scope.scalar(said.get("period")) if "period" in said else None, self._positive(said.get("settle")) if "settle" in said else None,
            self._count(said.get("hopf"), 0) if "hopf" in said else None, self._names(said.get("mirror"), self.states, "coordinate, speed or variable"),
            vary, self._names(said.get("show"), [*known, *self.states, *self.outputs, "period", "multipliers"], "quantity"),
            self._count(said.get("generations"), 0) if "generations" in said else 1, self._numbers(said.get("values"), known, "parameter"),
        )  # fmt: skip

    def _response(self, said: LocatedRecord, known: Iterable[str]) -> ResponseRequest:
        seen = [*self.mechanism.outputs, *self.states]
        return ResponseRequest(
            self._checked_name(said.get("input"), [r.name for r in self.mechanism.r], "input"), self._checked_name(said.get("output"), seen, "output or variable"),
            self._range(said.get("hertz")) if "hertz" in said else None, self._numbers(said.get("values"), known, "parameter"),
        )  # fmt: skip

    # Drawing

    def _drawing(self, said: LocatedRecord) -> Drawing:
        shapes = said.get("shapes")
        traces = said.get("traces")
        return Drawing(
            tuple(self._drawn_shape(n, s) for n, s in shapes.entries.items()) if shapes is not None else (),
            tuple(TraceRequest(n, self.scope.point(t.get("point")), self._colour(t)) for n, t in traces.entries.items()) if traces is not None else (),
            said.get("up").text if "up" in said else "",
            self._names(said.get("hide"), [b.name for b in self.mechanism.bodies], "body"),
        )  # fmt: skip

    def _drawn_shape(self, name: str, said: LocatedRecord) -> DrawnShape:
        s = self.scope
        on = s.part(said.get("on"))
        what = said.get(said.kind)
        opacity = s.number(said.get("opacity")) if "opacity" in said else 1.0
        if not 0 <= opacity <= 1:
            raise said.get("opacity").error(f"opacity must be between 0 and 1, got {opacity:g}")
        return DrawnShape(
            name, said.kind, on.frame if isinstance(on, Body) else on, self._size(said, what),
            vector(*s.scalars(said.get("at"))) if "at" in said else vector(0, 0, 0), rotation_of(s, said.get("rotation")), self._colour(said), opacity,
            tuple(tuple(s.scalars(p)) for p in what) if said.kind == "line" else (),  # type: ignore[misc]
            self._mesh(what) if said.kind == "mesh" else None,
        )  # fmt: skip

    def _size(self, said: LocatedRecord, what: Any) -> tuple[Expr, ...]:
        if said.kind in ("line", "mesh"):
            what = said.get("width" if said.kind == "line" else "scale")
        if what is None:
            return ()
        sizes = tuple(self.scope.scalars(what)) if isinstance(what, LocatedList) else (self.scope.scalar(what),)
        if bad := [x for x in sizes if x.value is not None and x.value <= 0]:
            raise what.error(f"a size must be positive, got {bad[0]}")
        return sizes

    def _colour(self, said: LocatedRecord) -> str:
        if "colour" not in said:
            return ""
        text = said.get("colour").text
        if not _COLOUR.fullmatch(text):
            raise said.get("colour").error(
                f"{text!r} is not a colour; write a name such as red, or #rrggbb in quotation marks"
            )
        return text

    def _mesh(self, said: LocatedText) -> Path:
        path = beside(said)
        if path.suffix.lower() not in MESHES:
            raise said.error(f"{said.text!r} is not a mesh; meshes end in {listed(MESHES)}")
        return path


def _parameter(said: LocatedText) -> Symbol:
    try:
        return symbol(said.text)
    except ExpressionError as reason:
        raise said.error(str(reason)) from None
