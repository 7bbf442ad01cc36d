"""Contacts and frictions as entries of a model file: gaps, slips and laws, whatever surfaces they were made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...algebra.graph.graph import ZERO, Expr, as_expr
from ...bodies.loads.friction import Coulomb
from ...errors import ModelError, shown
from ...integrate.contact.frictions import ConstantCoefficient, Friction
from ...integrate.contact.impacts import Contact
from ...study.contact_requests import ContactRequest, FrictionRequest

ContactPart = Contact | Friction | ContactRequest | FrictionRequest


def contact_entries(parts: Iterable[ContactPart]) -> dict[str, Any]:
    """The entries of contacts, from `Contacts` or from the requests of a file."""
    return {c.name: _contact(c) if isinstance(c, (Contact, ContactRequest)) else _friction(c) for c in parts}


def _contact(c: Contact | ContactRequest) -> dict[str, Any]:
    own = [f for f in c.frictions if f.name == c.name]
    out: dict[str, Any] = {"gap": c.gap}
    if c.restitution is not ZERO:
        out["restitution"] = c.restitution
    if own:
        out |= _friction(own[0])
    resists = {f.name: _friction(f) for f in c.frictions if f not in own}
    return {**out, "resists": resists} if resists else out


def _friction(f: Friction | FrictionRequest) -> dict[str, Any]:
    slip = [as_expr(e) for e in f.slip]
    out: dict[str, Any] = {} if f.normal is None else {"normal": as_expr(f.normal)}
    return out | {"slip": slip[0] if len(slip) == 1 else slip, "friction": _law(f)}


def _law(f: Friction | FrictionRequest) -> Any:
    """A coefficient, or the keys of Coulomb's law that say something."""
    law = f.law
    if isinstance(law, ConstantCoefficient):
        return law.value
    if not isinstance(law, Coulomb):
        raise ModelError(
            f"write_model: friction {f.name!r} has a law of its own, {shown(law)}; in model files there is Coulomb's: "
            "kinetic, static, stribeck, viscous"
        )
    said: dict[str, Expr] = {"kinetic": as_expr(law.kinetic)}
    said |= {k: as_expr(v) for k in ("static", "stribeck") if (v := getattr(law, k)) is not None}
    viscous = as_expr(law.viscous)
    said |= {} if viscous is ZERO else {"viscous": viscous}
    return said["kinetic"] if len(said) == 1 else said
