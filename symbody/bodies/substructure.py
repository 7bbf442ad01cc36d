"""Substructures: a model built once and hung several times, each time with names and parameters of its own (Lynch 4.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..algebra.graph import Expr, Symbol, as_expr
from ..algebra.matrix import Matrix
from ..algebra.walk import substitute_all
from ..errors import ModelError, listed, unknown
from .declarations import identifier
from .frames import Dyad, Frame, Point, Vector
from .mass import MassProperties, Shape
from .mechanism import Action, Body, Constraint, Joint, Load
from .rotations import Cosines, Rotation, Turn

if TYPE_CHECKING:
    from .model import Model


class Attached:
    """A copy of a model that hangs in another one. Parts are found by the names that they have in the original.

    bodies, joints, frames, symbols   by their old names; `copy(thing)` for anything else of the original: points, vectors, unnamed frames,
                                      expressions
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
        """What stands for a symbol of the original: its copy, or what it is shared with or replaced by."""
        return self._found("symbol", name, self.symbols)

    def copy(self, thing: Any) -> Any:
        """What stands for a body, joint, frame, point, vector, expression or matrix of the original."""
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
    """Copies of what a model is made of: frames hung elsewhere, symbols replaced."""

    def __init__(self, ground: Frame, on: Frame, table: Mapping[Expr, Expr], prefix: str) -> None:
        self._frames: dict[Frame, Frame] = {ground: on}
        self._table, self._prefix = table, prefix

    def __call__(self, thing: Any) -> Any:
        if isinstance(thing, (Expr, Matrix)):
            return substitute_all([thing], self._table)[0]
        if isinstance(thing, Frame):
            return self._frame(thing)
        if isinstance(thing, Point):
            return Point(self(thing.frame), self(thing.coordinates))
        if isinstance(thing, Vector):
            return Vector({self(f): self(c) for f, c in thing.terms.items()})
        if isinstance(thing, Dyad):
            return Dyad({(self(f), self(g)): self(m) for (f, g), m in thing.terms.items()})
        if isinstance(thing, MassProperties):
            return MassProperties(self(thing.m), self(thing.p_BoBcm), self(thing.I_BBcm))
        if isinstance(thing, Shape):
            size, g = tuple(self(s) for s in thing.size), thing.gyration
            gyration = (self(g[0]), self(g[1]), self(g[2]))
            return replace(thing, size=size, centre=self(thing.centre), content=self(thing.content), gyration=gyration)
        if isinstance(thing, Action):
            return Action(self(thing.frame), self(thing.force), self(thing.at), self(thing.torque))
        if isinstance(thing, (tuple, list)):
            return type(thing)(self(x) for x in thing)
        if isinstance(thing, Mapping):
            return {self(k): self(v) for k, v in thing.items()}
        return thing

    def _frame(self, frame: Frame) -> Frame:
        """Frames between the root and this one are copied first; a tree that hangs on nothing yet hangs on nothing here either."""
        for f in frame.path:
            if f not in self._frames:
                parent = None if f.parent is None else self._frames[f.parent]
                made = Frame(parent, self._rotation(f.rotation), self(f.offset), f"{self._prefix}{f.name}")
                self._frames[f] = made
        return self._frames[frame]

    def _rotation(self, rotation: Rotation) -> Rotation:
        factors: list[Turn | Cosines] = []
        for f in rotation.factors:
            if isinstance(f, Turn):
                factors.append(Turn(f.axis, self(f.angle)))
            else:
                factors.append(Cosines(self(f.matrix), self(f.known_spin)))
        return Rotation(tuple(factors))


def attach(host: Model, sub: Model, name: str, on: Frame, share: Any, values: Mapping[str, Any]) -> Attached:
    """See `Model.attach`."""
    if sub is host:
        raise ModelError(f"attach {name!r}: model {host.name!r} cannot hang on itself")
    if sub._central:
        raise ModelError(
            f"attach {name!r}: central gravity acts on all bodies; give it to model {host.name!r} instead of {sub.name!r}"
        )
    prefix = f"{identifier(name)}_"
    table = _symbol_table(host, sub, name, prefix, _shared(share), values)
    copier = Copier(sub.ground, on, table, prefix)
    host._rates.update({copier(q): copier(e) for q, e in sub._rates.items()})
    host._kinematic.extend(copier(e) for e in sub._kinematic)
    host._norms.extend(copier(norm) for norm in sub._norms)
    host._small.extend(copier(s) for s in sub._small)
    parts: dict[str, dict[str, Any]] = {
        "frame": {n: copier(f) for n, f in sub._frames.items()},
        "symbol": {n: table.get(s, s) for n, s in sub._declared.items()},
        "body": {n: _add(host._bodies, _body(b, prefix, copier), "body", host) for n, b in sub._bodies.items()},
    }
    host._frames.update({f"{prefix}{n}": f for n, f in parts["frame"].items() if n != "ground"})
    parts["joint"] = {
        n: _add(host._joints, _joint(host, j, prefix, copier), "joint", host) for n, j in sub._joints.items()
    }
    host._driven.update({copier(q): f"{prefix}{j}" for q, j in sub._driven.items()})
    for load in sub._loads.values():
        made = Load(
            f"{prefix}{load.name}", load.kind, copier(load.actions), copier(load.potential), copier(load.on_rates)
        )
        _add(host._loads, made, "load", host)
    for c in sub._constraints.values():
        joint = None if c.joint is None else f"{prefix}{c.joint}"
        made_c = Constraint(f"{prefix}{c.name}", copier(c.expression), c.is_holonomic, joint, copier(c.actions))
        _add(host._constraints, made_c, "constraint", host)
    host._equations.update({f"{prefix}{n}": copier(e) for n, e in sub._equations.items()})
    host._outputs.update({f"{prefix}{n}": copier(e) for n, e in sub._outputs.items()})
    host._labels.update({f"{prefix}{n}": copier(e) for n, e in sub._labels.items()})
    if sub._gravity is not None:
        host._remarks.append(
            f"gravity of model {sub.name!r} is left out where it hangs as {name!r}: that of {host.name!r} counts"
        )
    return Attached(name, copier, parts)


def _shared(share: Any) -> dict[str, Any]:
    """Old name -> what it is in the host."""
    if isinstance(share, Mapping):
        return {k.name if isinstance(k, Symbol) else str(k): v for k, v in share.items()}
    names = share.replace(",", " ").split() if isinstance(share, str) else share
    return {s.name if isinstance(s, Symbol) else str(s): s.name if isinstance(s, Symbol) else str(s) for s in names}


def _symbol_table(
    host: Model, sub: Model, name: str, prefix: str, share: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[Expr, Expr]:
    """Declares the copies in the host; symbols of the original -> what stands for them, with their rates."""
    where = f"attach {name!r}"
    for given, what in ((share, "symbol to share"), (values, "parameter")):
        for n in given:
            if n not in sub._declared or n == "t":
                raise unknown(where, what, n, [d for d in sub._declared if d != "t"])
    if moving := [n for n in values if sub._declared[n].kind != "parameter"]:
        kind = sub._declared[moving[0]].kind
        raise ModelError(
            f"{where}: {moving[0]!r} is a {kind}; values= are for parameters {listed(p.name for p in sub._p)}"
        )
    table: dict[Expr, Expr] = {sub._declared[n]: _in_host(host, where, sub._declared[n], x) for n, x in share.items()}
    table |= {sub._declared[n]: host._check_known(x, f"{where}, {n}") for n, x in values.items() if isinstance(x, Expr)}
    kinds = ((sub._q, host._q), (sub._u, host._u), (sub._p, host._p), (sub._r, host._r), (sub._z, host._z))
    for theirs, mine in kinds:
        for s in theirs:
            if s not in table:
                _copy_symbol(host, sub, s, prefix, mine, values, table)
            _add_rates(s, table)
    return table


def _in_host(host: Model, where: str, s: Symbol, what: Any) -> Expr:
    if isinstance(what, str):
        if what not in host._declared:
            raise unknown(f"{where}, shared {s.name!r}", "symbol in the host", what, host._declared)
        what = host._declared[what]
    made = host._check_known(as_expr(what), f"{where}, shared {s.name!r}")
    if s.kind != "parameter" and (not isinstance(made, Symbol) or made.kind != s.kind):
        raise ModelError(f"{where}: the {s.kind} {s.name!r} can be shared with another {s.kind} only, got {made}")
    return made


def _copy_symbol(
    host: Model,
    sub: Model,
    s: Symbol,
    prefix: str,
    mine: list[Symbol],
    values: Mapping[str, Any],
    table: dict[Expr, Expr],
) -> None:
    made = host._declare(f"{prefix}{s.name}", s.kind, mine)
    value = values.get(s.name, sub._values.get(s))
    if value is not None:
        host._values[made] = float(value)
    if s in sub._units:
        host._units[made] = sub._units[s]
    table[s] = made


def _add_rates(s: Symbol, table: dict[Expr, Expr]) -> None:
    """The rates of a symbol follow it."""
    old: Any = s
    new: Any = table[s]
    while s.kind != "parameter" and old.order < 3:
        old, new = old.dot, new.dot
        table[old] = new


def _add(into: dict[str, Any], made: Any, what: str, host: Model) -> Any:
    if made.name in into:
        raise ModelError(f"model {host.name!r}: there are two {what}s {made.name!r}; attach under another name")
    into[made.name] = made
    return made


def _body(body: Body, prefix: str, copier: Copier) -> Body:
    return Body(f"{prefix}{body.name}", copier(body.frame), copier(body.mass), copier(body.shape))


def _joint(host: Model, joint: Joint, prefix: str, copier: Copier) -> Joint:
    outer, inner = copier(joint.outer), copier(joint.inner)
    return Joint(
        f"{prefix}{joint.name}",
        joint.kind,
        outer,
        inner,
        host._owner(outer),
        host._owner(inner),
        copier(joint.coordinates),
        joint.closes_loop,
    )
