"""Contacts of a model file: gaps, slips and laws as checked expressions, turned into `Contacts` for simulations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from .. import integrate
from ..algebra.graph.graph import ZERO, Expr
from ..bodies.file.load_items import friction_law
from ..bodies.file.located import LocatedList, LocatedRecord, LocatedTable
from ..bodies.file.make_model import Build
from ..bodies.file.scope import Item, Scope, errors_located
from ..bodies.frames.points import Point
from ..bodies.loads.friction import Coulomb, LuGre
from ..bodies.loads.surfaces import Ball, Ellipsoid, HalfSpace, Ring, Touch, Tube, corners, touch
from ..bodies.model.substructure import Attached
from ..derivation.equations.equations import Equations


@dataclass(frozen=True)
class FrictionRequest:
    """Friction against a slip; under the force of its contact where `normal` is None."""

    name: str
    slip: tuple[Expr, ...]
    law: Coulomb
    normal: Expr | None = None


@dataclass(frozen=True)
class ContactRequest:
    """A contact of `contacts`; its own friction, if it has one, is the first of `frictions`."""

    name: str
    gap: Expr
    restitution: Expr
    frictions: tuple[FrictionRequest, ...] = ()


def contact_requests(table: LocatedTable | None, scope: Scope) -> tuple[ContactRequest | FrictionRequest, ...]:
    """Contacts and frictions in the order of the file; the corners of a box are one each."""
    made: list[ContactRequest | FrictionRequest] = []
    for name, said in table.entries.items() if table is not None else ():
        item = Item("contact", name, table.keys[name], said, lambda s, i: None)  # type: ignore[union-attr]
        with errors_located(item):
            made += _ContactReader(scope, name, said).read()
    return tuple(made)


def contacts_of_copies(build: Build) -> list[ContactRequest | FrictionRequest]:
    """Contacts that attached parts bring with them, under the names of their copies."""
    made: list[ContactRequest | FrictionRequest] = []
    for attached, part in build.copies:
        own = [*contact_requests(part.fields.get("contacts"), part.scope), *contacts_of_copies(part)]
        made += [
            _copied_friction(c, attached) if isinstance(c, FrictionRequest) else _copied_contact(c, attached)
            for c in own
        ]
    return made


def _copied_contact(c: ContactRequest, to: Attached) -> ContactRequest:
    frictions = tuple(_copied_friction(f, to) for f in c.frictions)
    return ContactRequest(_name_in(to, c.name), to.copy(c.gap), to.copy(c.restitution), frictions)


def _copied_friction(f: FrictionRequest, to: Attached) -> FrictionRequest:
    law = replace(f.law, **{x.name: to.copy(e) for x in fields(f.law) if isinstance(e := getattr(f.law, x.name), Expr)})
    normal = None if f.normal is None else to.copy(f.normal)
    return FrictionRequest(_name_in(to, f.name), tuple(to.copy(e) for e in f.slip), law, normal)


def _name_in(to: Attached, name: str) -> str:
    return f"{to.name}_{name}"


class _ContactReader:
    def __init__(self, scope: Scope, name: str, said: LocatedRecord) -> None:
        self.scope, self.name, self.said = scope, name, said

    def read(self) -> list[ContactRequest | FrictionRequest]:
        s, said = self.scope, self.said
        if said.kind == "normal":
            return [FrictionRequest(self.name, self._slip(said), self._law(said), s.scalar(said.get("normal")))]
        if said.kind == "gap":
            if "friction" in said and "slip" not in said:
                raise said.error("friction needs `slip`, the speed along the surfaces")
            return [self._contact(self.name, s.scalar(said.get("gap")), self._slip(said) if "slip" in said else ())]
        met = self._touches()
        names = [self.name] if len(met) == 1 else [f"{self.name} {k + 1}" for k in range(len(met))]
        return [self._contact(name, t.gap, t.slip) for name, t in zip(names, met, strict=True)]

    def _contact(self, name: str, gap: Expr, slip: tuple[Expr, ...]) -> ContactRequest:
        said = self.said
        own = [FrictionRequest(name, slip, self._law(said))] if "friction" in said else []
        for key, more in said.get("resists").entries.items() if "resists" in said else ():
            of_one = key if name == self.name else f"{name} {key}"
            own.append(FrictionRequest(of_one, self._slip(more), self._law(more)))
        restitution = self.scope.scalar(said.get("restitution")) if "restitution" in said else ZERO
        return ContactRequest(name, gap, restitution, tuple(own))

    def _slip(self, said: LocatedRecord) -> tuple[Expr, ...]:
        given = said.get("slip")
        return tuple(self.scope.scalars(given)) if isinstance(given, LocatedList) else (self.scope.scalar(given),)

    def _law(self, said: LocatedRecord) -> Coulomb:
        law = friction_law(self.scope, said.get("friction"))
        if isinstance(law, LuGre):
            raise said.get("friction").error(
                "friction by bristles is a load, without modes: write it under `loads`; here it has no `stiffness`"
            )
        return law

    # Surfaces

    def _touches(self) -> list[Touch]:
        first, second = (self._surfaces(x) for x in self.said.get("touch"))
        across = self.scope.vector(self.said.get("across")) if "across" in self.said else None
        return [touch(a, b, across=across) for a in first for b in second]

    def _surfaces(self, said: Any) -> list[Any]:
        if not isinstance(said, LocatedRecord):
            return [self.scope.point(said)]
        on, given = self.scope.part(said.get(said.kind)), self._sizes(said)
        if said.kind == "corners":
            points: list[Point] = corners(on, **given)
            return list(points)
        return [_SURFACES[said.kind](on, **given)]

    def _sizes(self, said: LocatedRecord) -> dict[str, Any]:
        out: dict[str, Any] = {
            k: tuple(self.scope.scalars(said.get(k))) for k in ("at", "half_axes", "size") if k in said
        }
        out |= {k: self.scope.scalar(said.get(k)) for k in ("radius", "tube") if k in said and k != said.kind}
        out |= {k: self.scope.axis(said.get(k)) for k in ("normal", "axis") if k in said}
        return out | ({"inside": said.get("inside") is True} if "inside" in said else {})


_SURFACES: Final = {"half_space": HalfSpace, "ball": Ball, "ring": Ring, "tube": Tube, "ellipsoid": Ellipsoid}


# ---------------------------------------------------------------------------------------------------------- modes


def contacts_of(eq: Equations, given: Sequence[ContactRequest | FrictionRequest], impacts: str) -> integrate.Contacts:
    """Equations with contacts and frictions."""
    parts = [_friction(c) if isinstance(c, FrictionRequest) else _contact(c) for c in given]
    return integrate.Contacts(eq, *parts, impacts=impacts)


def _friction(f: FrictionRequest) -> integrate.Friction:
    return integrate.Friction(f.name, f.slip, f.law, f.normal)


def _contact(c: ContactRequest) -> integrate.Contact:
    own = next((f for f in c.frictions if f.name == c.name), None)
    resists = [_friction(f) for f in c.frictions if f is not own]
    law, slip = (None, None) if own is None else (own.law, own.slip)
    return integrate.Contact(c.name, c.gap, c.restitution, law, slip, resists)
