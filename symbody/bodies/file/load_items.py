"""Loads, constraints, equations and outputs of a model file, each by the method of `Model` that its kind names."""

from __future__ import annotations

from typing import Any, Final

from ...errors import listed
from ..joints.joint_options import JointLoads
from ..loads.friction import Coulomb, LuGre
from ..mechanism.mechanism import Action, Body, Constraint, Load
from .located import Formula, LocatedList, LocatedRecord, LocatedTable
from .scope import Item, Scope

_SCALARS: Final = ("damping", "stiffness", "rest", "actuation")
_SEVERAL: Final = ("friction", "limits")
LOADS: Final = tuple(JointLoads.__annotations__)  # of joints


def joint_loads(s: Scope, said: LocatedRecord) -> dict[str, Any]:
    """Springs, dampers, motors, friction and stops on the coordinates of a joint."""
    out: dict[str, Any] = {k: _of_coordinates(s, said.get(k)) for k in _SCALARS if k in said}
    return out | {k: tuple(s.scalars(said.get(k))) for k in _SEVERAL if k in said}


def _of_coordinates(s: Scope, said: Any) -> Any:
    """One value for the coordinates of a joint, one for each, or some by name."""
    if isinstance(said, LocatedList):
        return tuple(s.scalars(said))
    if isinstance(said, LocatedTable):
        return {name: s.scalar(x) for name, x in said.entries.items()}
    return s.scalar(said)


def add_gravity(s: Scope, item: Item) -> None:
    s.model.gravity(s.vector(item.content))


def add_load(s: Scope, item: Item) -> None:
    said: LocatedRecord = item.content
    m, name = s.model, item.name
    part: dict[str, Any] = {k: s.part(said.get(k)) for k in ("on", "reacting", "parent", "child") if k in said}
    springs: dict[str, Any] = {
        k: s.scalar(said.get(k)) for k in _SCALARS if k in said and said.kind in ("spring", "rotational_spring")
    }
    match said.kind:
        case "force":
            m.force(name, vector=s.vector(said.get("force")), at=_application_point(s, said, part["on"]), **part)
        case "torque":
            m.torque(name, vector=s.vector(said.get("torque")), **part)
        case "spring":
            a, b = (s.point(p) for p in said.get("spring"))
            m.spring(name, a, b, **part, **springs)
        case "rotational_spring":
            m.rotational_spring(
                name, axis=s.vector(said.get("rotational_spring")), **part, angle=s.scalar(said.get("angle")), **springs
            )
        case "drag":
            how: dict[str, Any] = {k: s.scalar(said.get(k)) for k in ("linear", "quadratic") if k in said}
            m.drag(
                name,
                s.point(said.get("drag")),
                **part,
                **how,
                relative_to=s.frame_of(said.get("relative_to")) if "relative_to" in said else None,
            )
        case "friction":
            smooth = s.scalar(said.get("smooth")) if "smooth" in said else None
            law = friction_law(s, said.get("friction"))
            m.friction(name, s.scalar(said.get("slip")), law, normal=s.scalar(said.get("normal")), smooth=smooth)
        case "potential":
            m.potential(name, s.scalar(said.get("potential")))
        case "generalized_force":
            m.generalized_force(name, s.coordinate(said.get("coordinate")), s.scalar(said.get("generalized_force")))
        case "tyre":
            _tyre(s, name, said)
        case "central_gravity":
            centre = s.point(said.get("centre")) if "centre" in said else None
            m.central_gravity(
                name, s.scalar(said.get("central_gravity")), centre, gradient=said.get("gradient") is True
            )
        case _:
            _load_by_parts(s, name, said)


def friction_law(s: Scope, said: Formula | LocatedRecord) -> Coulomb | LuGre:
    """A coefficient, Coulomb's law, or that of bristles where these have a stiffness."""
    if isinstance(said, Formula):
        return Coulomb(s.scalar(said))
    given: dict[str, Any] = {k: s.scalar(f) for k, f in said.values.items()}
    if "stiffness" not in given:
        if "damping" in given:
            raise said.error("`damping` is that of bristles, which have a `stiffness`; without them it is `viscous`")
        return Coulomb(**given)
    if missing := [k for k in ("static", "stribeck") if k not in given]:
        raise said.error(f"friction by bristles needs {listed(missing)} too")
    return LuGre(**given)


def _application_point(s: Scope, said: LocatedRecord, on: Any) -> Any:
    """Where a force acts: a point, or coordinates on the body."""
    if "at" not in said:
        return None
    at = said.get("at")
    return (
        (on.frame if isinstance(on, Body) else on).point(*s.scalars(at)) if isinstance(at, LocatedList) else s.point(at)
    )


def _tyre(s: Scope, name: str, said: LocatedRecord) -> None:
    slip, camber = s.scalars(said.get("stiffness"))
    s.model.tyre(
        name, s.part(said.get("on")), s.point(said.get("tyre")), s.frame_of(said.get("heading")), camber=s.scalar(said.get("camber")),
        stiffness=(slip, camber), relaxation=s.scalar(said.get("relaxation")), load=s.scalar(said.get("load")) if "load" in said else 0,
    )  # fmt: skip


def _load_by_parts(s: Scope, name: str, said: LocatedRecord) -> None:
    m = s.model
    where = f"load {name!r}"
    potential = m.parts.checked(where, s.scalar(said.get("potential"))) if "potential" in said else None
    on_rates = {}
    if "on_rates" in said:
        table = said.get("on_rates")
        on_rates = {s.coordinate(table.keys[q]): m.parts.checked(where, s.scalar(f)) for q, f in table.entries.items()}
    m.parts.add_load(Load(name, said.get("load").text, _actions(s, name, said.get("actions")), potential, on_rates))


def _actions(s: Scope, name: str, said: LocatedList | None) -> tuple[Action, ...]:
    out, where = [], f"load {name!r}"
    for a in said or ():
        on = s.frame_of(a.get("on"))
        if a.kind == "torque":
            out.append(Action(on, torque=s.model.parts.checked_vector(where, s.vector(a.get("torque")))))
        else:
            out.append(
                Action(on, force=s.model.parts.checked_vector(where, s.vector(a.get("force"))), at=s.point(a.get("at")))
            )
    return tuple(out)


def add_constraint(s: Scope, item: Item) -> None:
    said: LocatedRecord = item.content
    m, name = s.model, item.name
    match said.kind:
        case "holonomic" | "speed":
            _condition(s, name, said)
        case "coincide":
            along = s.frame_of(said.get("along")) if "along" in said else None
            axes = said.get("axes").text if "axes" in said else "xyz"
            if not axes or len(axes) > 3 or len(set(axes)) != len(axes):
                raise said.get("axes").error(f"axes are some of xyz, got {axes!r}")
            a, b = (s.point(p) for p in said.get("coincide"))
            m.coincide(name, a, b, along=along, axes=axes)
        case "orthogonal":
            first, second = (_direction(s, v) for v in said.get("orthogonal"))
            m.orthogonal(name, first, second)
        case _:
            m.prescribe(name, s.scalar(said.get("prescribe")), s.scalar(said.get("motion")))


def _direction(s: Scope, f: Formula) -> Any:
    v = s.vector(f)
    if not v.terms:
        raise f.error("a direction must not be zero")
    return v


def _condition(s: Scope, name: str, said: LocatedRecord) -> None:
    """A constraint; one with `joint` or `actions` is added as it is, with its actions for a multiplier of one."""
    m = s.model
    if "joint" not in said and "actions" not in said:
        (m.constrain if said.kind == "holonomic" else m.constrain_speed)(name, s.scalar(said.get(said.kind)))
        return
    joint = said.get("joint").text if "joint" in said else None
    expression = m.parts.checked(f"constraint {name!r}", s.scalar(said.get(said.kind)))
    row = Constraint(name, expression, said.kind == "holonomic", joint, _actions(s, name, said.get("actions")))
    m.parts.add_constraint(row, may_repeat=True)


def add_kinetic_energy(s: Scope, item: Item) -> None:
    s.model.kinetic_energy(item.name, s.scalar(item.content))


def add_balance(s: Scope, item: Item) -> None:
    s.model.balance(s.symbol_of_kind(item.key, "speed", "coordinate"), s.scalar(item.content))


def add_equation(s: Scope, item: Item) -> None:
    s.model.equation(item.name, s.scalar(item.content))


def add_output(s: Scope, item: Item) -> None:
    s.model.output(item.name, s.output(item.content))


def add_validity(s: Scope, item: Item) -> None:
    s.model.valid_while(item.name, s.scalar(item.content))


def add_label(s: Scope, item: Item) -> None:
    s.model.label(item.name, s.scalar(item.content))
