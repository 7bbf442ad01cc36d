"""Substructures: a model built once and hung several times, each time with names and parameters of its own (Lynch
4.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...errors import ModelError, finite_number, listed, unknown, with_article
from ...escaping import identifier
from ...units import with_si_unit
from ..elastic.beam_fields import BeamFields, BeamMode, BeamShapes
from ..elastic.elastic_body import FieldShapes
from ..frames.dyads import Dyad
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.rotations import Cosines, Rotation, Turn
from ..frames.vectors import Vector
from ..mass.mass import MassProperties, Shape
from ..mass.moments import Moments
from ..mechanism.declarations import multiplier_of, names_of
from ..mechanism.mechanism import Action, Body, Constraint, Joint
from .structure import frame_of_motion, is_at_rest

if TYPE_CHECKING:
    from .model import Model
    from .parts import Parts


COPIED_KINDS: Final = ("coordinate", "speed", "parameter", "input", "variable")  # in the order of their declaration


class Attached:
    """A copy of a model that hangs in another one. Parts are found by the names that they have in the original.

    bodies, joints, frames, symbols   by their old names; `copy(thing)` for anything else of the original: points,
                                      vectors, unnamed frames, expressions
    """

    def __init__(self, name: str, copier: Copier, parts: Mapping[str, Mapping[str, Any]]) -> None:
        self.name, self._copier = name, copier
        self.bodies: Mapping[str, Body] = parts["body"]
        self.joints: Mapping[str, Joint] = parts["joint"]
        self.frames: Mapping[str, Frame] = parts["frame"]
        self.symbols: Mapping[str, Expr] = parts["symbol"]

    def body(self, name: str) -> Body:
        return self._found("body", name, self.bodies)

    def joint(self, name: str) -> Joint:
        return self._found("joint", name, self.joints)

    def frame(self, name: str) -> Frame:
        return self._found("frame", name, self.frames)

    def symbol(self, name: str) -> Expr:
        """The image of a symbol of the original: its copy, or the expression that it is shared with or replaced by."""
        return self._found("symbol", name, self.symbols)

    def copy(self, thing: Any) -> Any:
        """The copy of a body, joint, frame, point, vector, expression or matrix of the original."""
        if isinstance(thing, Body):
            return self.body(thing.name)
        if isinstance(thing, Joint):
            return self.joint(thing.name)
        return self._copier(thing)

    def _found(self, what: str, name: str, among: Mapping[str, Any]) -> Any:
        if name not in among:
            raise unknown(f"substructure {self.name!r}", what, name, among)
        return among[name]

    def __repr__(self) -> str:
        return f"<Attached {self.name}: {listed(self.bodies)}>"


class Copier:
    """Copies parts of a model: frames get another parent, symbols are substituted.

    rates    of symbols in the table, which follow them: of each rate the symbol, and how often it is differentiated
    inside   of parts by id: the part, and its symbols that are substituted
    """

    def __init__(
        self,
        ground: Frame,
        on: Frame,
        table: Mapping[Expr, Expr],
        prefix: str,
        rates: Mapping[Symbol, tuple[Symbol, int]] | None = None,
        inside: dict[int, Any] | None = None,
    ) -> None:
        self._frames: dict[Frame, Frame] = {ground: on}
        self._table, self._prefix = table, prefix
        self._rates = {} if rates is None else rates
        self._inside = {} if inside is None else inside

    def __call__(self, thing: Any) -> Any:
        if isinstance(thing, Symbol):
            image = self._table.get(thing)
            return image if image is not None else self._rate(thing) if thing in self._rates else thing
        if isinstance(thing, (Expr, Matrix)):
            used = self._substituted(thing)
            return substitute_all([thing], {s: self(s) for s in used})[0] if used else thing
        if isinstance(thing, Frame):
            return self._frames.get(thing) or self._frame(thing)
        if type(thing) is tuple:
            return tuple(map(self, thing))
        if isinstance(thing, Point):
            return Point(self(thing.frame), self(thing.coordinates))
        if isinstance(thing, Vector):
            return Vector({self(f): self(c) for f, c in thing.terms.items()})
        if isinstance(thing, Dyad):
            return Dyad({(self(f), self(g)): self(m) for (f, g), m in thing.terms.items()})
        if isinstance(thing, MassProperties):
            if not self._substituted((thing.m, thing.p_BoBcm, thing.I_BBcm), thing):
                return thing
            return MassProperties(self(thing.m), self(thing.p_BoBcm), self(thing.I_BBcm))
        if isinstance(thing, (Moments, FieldShapes, BeamShapes, BeamFields, BeamMode)):
            return replace(thing, **{f.name: self(getattr(thing, f.name)) for f in fields(thing)})
        if hasattr(thing, "copied"):
            return thing.copied(self)
        if isinstance(thing, Shape):
            size, gyration = tuple(self(s) for s in thing.size), self(thing.gyration)
            return replace(thing, size=size, centre=self(thing.centre), content=self(thing.content), gyration=gyration)
        if isinstance(thing, Action):
            return Action(self(thing.frame), self(thing.force), self(thing.at), self(thing.torque))
        if isinstance(thing, (tuple, list)):
            return type(thing)(self(x) for x in thing)
        if isinstance(thing, Mapping):
            return {self(k): self(v) for k, v in thing.items()}
        return thing

    def _rate(self, rate: Symbol) -> Expr:
        symbol, order = self._rates[rate]
        image: Any = self._table[symbol]
        for _ in range(order):
            image = image.dot
        return image

    def _substituted(self, inside: Any, thing: Any = None) -> tuple[Symbol, ...]:
        """The symbols of a part that are substituted; looked for once, also for other copies."""
        thing = inside if thing is None else thing
        if id(thing) not in self._inside:
            self._inside[id(thing)] = (
                thing,
                tuple(s for s in free_symbols(inside) if s in self._table or s in self._rates),
            )
        found: tuple[Symbol, ...] = self._inside[id(thing)][1]
        return found

    def _frame(self, frame: Frame) -> Frame:
        """Frames between the root and this one are copied first; a tree without a parent stays without one."""
        for f in reversed(tuple(takewhile(lambda f: f not in self._frames, frame.ancestors()))):
            parent = None if f.parent is None else self._frames[f.parent]
            self._frames[f] = self._placed(f, parent)
        return self._frames[frame]

    def _placed(self, f: Frame, parent: Frame | None) -> Frame:
        name = f"{self._prefix}{f.name}"
        if f.velocity is None:
            return Frame(parent, self._rotation(f.rotation), self(f.offset), name)
        if parent is None or (f.velocity != zeros(3) and not is_at_rest(parent)):
            raise ModelError(
                f"attach: the frame {f.name!r} is known by its velocity only; attach its model to a frame "
                "that does not move"
            )
        return frame_of_motion(parent, name, self(f.velocity), self(f.spin))

    def _rotation(self, rotation: Rotation) -> Rotation:
        inside = [(x.angle,) if isinstance(x, Turn) else (x.matrix, x.known_spin or ZERO) for x in rotation.factors]
        if not self._substituted(inside, rotation):
            return rotation
        factors: list[Turn | Cosines] = []
        for f in rotation.factors:
            if isinstance(f, Turn):
                factors.append(Turn(f.axis, self(f.angle)))
            else:
                factors.append(Cosines(self(f.matrix), self(f.known_spin)))
        return Rotation(tuple(factors))


def attach(host: Model, name: str, on: Frame, sub: Model, share: Any, values: Mapping[str, Any]) -> Attached:
    """See `Model.attach`."""
    if sub is host:
        raise ModelError(f"attach {name!r}: model {host.name!r} cannot be attached to itself")
    if sub.parts.has_fields:
        raise ModelError(
            f"attach {name!r}: central gravity, and gravity on some bodies, are given to model {host.name!r} "
            f"instead of {sub.name!r}"
        )
    prefix = f"{identifier(name)}_"
    table = _symbol_table(host, sub, name, prefix, _shared_symbols(share), values)
    copier = Copier(sub.ground, on, table, prefix)
    rates, *others = (copier(x) for x in sub.parts.kinematics)
    host.parts.add_kinematics(list(rates.items()), *others)
    frames = {n: copier(f) for n, f in sub.frames.items()}
    bodies = {n: host.parts.add_body(_body(host, b, prefix, copier)) for n, b in sub.bodies.items()}
    for n, f in frames.items():
        if n != "ground":
            host.parts.add_frame(f"{prefix}{n}", f)
    joints = {n: host.parts.add_joint(_joint(host, j, prefix, copier)) for n, j in sub.joints.items()}
    copy_loads_and_constraints(host, sub, prefix, copier)
    for u, e in sub.parts.balances.items():
        host.balance(copier(u), copier(e))
    for method, written in written_tables(sub.parts).items():
        for n, e in written.items():
            getattr(host, method)(f"{prefix}{n}", copier(e))
    if sub.parts.has_gravity:
        host.note(
            f"gravity of model {sub.name!r} is dropped where it is attached as {name!r}: that of {host.name!r} applies"
        )
    symbols = {n: table.get(s, s) for n, s in sub.symbols.items()}
    return Attached(name, copier, {"frame": frames, "body": bodies, "joint": joints, "symbol": symbols})


def written_tables(parts: Parts) -> dict[str, Mapping[str, Any]]:
    """Named expressions of a model, by the method of `Model` that adds them."""
    return {
        "kinetic_energy": parts.kinetic_energies,
        "equation": parts.equations,
        "output": parts.outputs,
        "valid_while": parts.validity,
        "label": parts.labels,
    }


def copy_loads_and_constraints(host: Model, sub: Model, prefix: str, copier: Copier) -> None:
    """Loads and constraints of a model, for a copy of it."""
    for load in sub.parts.loads.values():
        name = _new_name(host, "load", f"{prefix}{load.name}", host.parts.loads)
        host.parts.add_load(load.copied_as(name, copier))
    for c in sub.parts.constraints.values():
        name = _new_name(host, "constraint", f"{prefix}{c.name}", host.parts.constraints)
        joint = None if c.joint is None else f"{prefix}{c.joint}"
        factors = None if c.factors is None else (copier(c.factors[0]), copier(c.factors[1]))
        made = Constraint(name, copier(c.expression), c.is_holonomic, joint, copier(c.actions), factors)
        host.parts.add_constraint(made, may_repeat=True)


def _shared_symbols(share: Any) -> dict[str, Any]:
    """Old name -> what it is in the host."""
    if isinstance(share, Mapping):
        return {k.name if isinstance(k, Symbol) else str(k): v for k, v in share.items()}
    names = share if isinstance(share, (list, tuple)) else names_of(share, "attach, share=")
    return {s.name if isinstance(s, Symbol) else str(s): s.name if isinstance(s, Symbol) else str(s) for s in names}


def _symbol_table(
    host: Model, sub: Model, name: str, prefix: str, share: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[Expr, Expr]:
    """Declares the copies in the host; returns the substitution of symbols and their rates."""
    where, known = f"attach {name!r}", sub.symbols
    for given, what in ((share, "symbol to share"), (values, "parameter")):
        for n in given:
            if n not in known or n == "t":
                raise unknown(where, what, n, [d for d in known if d != "t"])
    if moving := [n for n in values if known[n].kind != "parameter"]:
        parameters = listed(p.name for p in sub.symbols_of_kind("parameter"))
        raise ModelError(
            f"{where}: {moving[0]!r} is {with_article(known[moving[0]].kind)}; values= are for parameters {parameters}"
        )
    table: dict[Expr, Expr] = {known[n]: _in_host(host, where, known[n], x) for n, x in share.items()}
    table |= {known[n]: host.parts.checked(f"{where}, {n}", x) for n, x in values.items() if isinstance(x, Expr)}
    for kind in COPIED_KINDS:
        for s in sub.symbols_of_kind(kind):
            if s not in table:
                value = values.get(s.name, sub.parts.default_values.get(s))
                unit, part = sub.parts.units.get(s, ""), f"{where}, value of {s.name!r}"
                if value is not None and not isinstance(value, str):
                    value = with_si_unit(finite_number(value, part, ModelError), unit)
                table[s] = host.parts.declare(f"{prefix}{s.name}", kind, value, unit)
            add_rates(s, table)
    return table | {multiplier_of(c): multiplier_of(f"{prefix}{c}") for c in sub.parts.constraints}


def _in_host(host: Model, where: str, s: Symbol, what: Any) -> Expr:
    if isinstance(what, str):
        if what not in host.symbols:
            raise unknown(f"{where}, shared {s.name!r}", "symbol in the host", what, host.symbols)
        what = host.symbols[what]
    made = host.parts.checked(f"{where}, shared {s.name!r}", as_expr(what))
    if s.kind != "parameter" and (not isinstance(made, Symbol) or made.kind != s.kind):
        raise ModelError(f"{where}: the {s.kind} {s.name!r} can be shared with another {s.kind} only, got {made}")
    return made


def add_rates(s: Symbol, table: dict[Expr, Expr]) -> None:
    """The rates of a symbol follow it."""
    new: Any = table[s]
    for rate in rates_that_follow(s):
        new = table[rate] = new.dot


def rates_that_follow(s: Symbol) -> list[Symbol]:
    """First to third rates of a symbol."""
    rates: list[Symbol] = []
    while s.kind != "parameter" and s.order < 3:
        s = s.dot
        rates.append(s)
    return rates


def _new_name(host: Model, what: str, name: str, among: Mapping[str, Any]) -> str:
    if name in among:
        raise ModelError(f"model {host.name!r}: the {what} {name!r} exists already; attach under another name")
    return name


def _body(host: Model, body: Body, prefix: str, copier: Copier) -> Body:
    name = _new_name(host, "body", f"{prefix}{body.name}", host.bodies)
    if body.moments is not None:
        parts = {f.name: copier(getattr(body, f.name)) for f in fields(body) if f.name not in ("name", "_frames")}
        return type(body)(name=name, **parts)
    return replace(
        body,
        name=name,
        frame=copier(body.frame),
        mass=copier(body.mass),
        shape=copier(body.shape),
        moments=None,
        drawn=(),
    )


def _joint(host: Model, joint: Joint, prefix: str, copier: Copier) -> Joint:
    name = _new_name(host, "joint", f"{prefix}{joint.name}", host.joints)
    outer, inner = copier(joint.outer), copier(joint.inner)
    return Joint(
        name,
        joint.kind,
        outer,
        inner,
        host.parts.owner(outer),
        host.parts.owner(inner),
        copier(joint.coordinates),
        joint.closes_loop,
        joint.axis,
    )
