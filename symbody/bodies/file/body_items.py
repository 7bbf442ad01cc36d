"""Definitions, frames and bodies of a model file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

from ...algebra.graph.matrix import as_matrix, vector
from ...errors import in_number, listed
from ...escaping import identifier
from ...later import later
from ..frames.frames import Frame
from ..frames.rotations import Cosines, Rotation, about, from_cosines, from_euler_parameters
from ..mass import mass as shapes
from ..mass.material_integrals import material
from ..mass.moments import Moments
from ..mechanism.mechanism import Body
from .located import Formula, LocatedList, LocatedRecord, LocatedTable
from .paths import beside
from .scope import Item, Scope


def add_definition(s: Scope, item: Item) -> None:
    said = item.content
    s.values[item.name] = tuple(s.scalars(said)) if isinstance(said, LocatedList) else s.value(said)


def add_frame(s: Scope, item: Item) -> None:
    said = item.content
    if isinstance(said, Formula) and said.parsed.steps[-1].do != "method":
        raise item.error(f"{said.text!r} is a frame that has a name already; give it a second one under `let`")
    if isinstance(said, LocatedRecord) and ("velocity" in said or "spin" in said):
        s.values[item.name] = _moving_frame(s, item)
        return
    made = s.frame(said) if isinstance(said, Formula) else _frame_by_parts(s, said)
    s.values[item.name] = s.model.frame(item.name, made)


def _moving_frame(s: Scope, item: Item) -> Frame:
    """A frame that is known by its velocity and spin."""
    said = item.content
    if both := [k for k in ("at", "rotation") if k in said]:
        raise item.error(f"a frame known by its velocity and spin has no {both[0]!r}")
    motion = {k: tuple(s.scalars(said.get(k))) for k in ("velocity", "spin") if k in said}
    return s.model.moving_frame(item.name, on=s.frame_of(said.get("on")), **motion)


def _frame_by_parts(s: Scope, said: LocatedRecord) -> Frame:
    on = s.frame_of(said.get("on"))
    at = s.place(said.get("at")) if "at" in said else (0, 0, 0)
    offset = vector(*at) if isinstance(at, tuple) else at.in_frame(on).coordinates
    return Frame(on, rotation_of(s, said.get("rotation")), offset)


def rotation_of(s: Scope, said: LocatedList | None) -> Rotation:
    """Turns, one after the other, as one rotation."""
    out = Rotation()
    for turn in said or ():
        out = out @ _turn(s, turn)
    return out


def _turn(s: Scope, said: LocatedRecord) -> Rotation:
    if said.kind == "about":
        return about(tuple(s.scalars(said.get("about"))), s.scalar(said.get("angle")))
    if said.kind in ("x", "y", "z"):
        return about(said.kind, s.scalar(said.get(said.kind)))
    spin = vector(*s.scalars(said.get("spin"))) if "spin" in said else None
    if said.kind == "euler_parameters":
        return from_euler_parameters(s.scalars(said.get("euler_parameters")), spin)
    turned = from_cosines(s.matrix(said.get("cosines")))
    return turned if spin is None else Rotation(tuple(Cosines(f.matrix, spin) for f in turned.factors if isinstance(f, Cosines)))  # fmt: skip


def add_body(s: Scope, item: Item) -> None:
    said: LocatedRecord | None = item.content
    if said is None:
        s.model.body(item.name)
    elif "beam" in said:
        _beam(s, item.name, said)
    elif "elastic" in said:
        _from_finite_elements(s, item.name, said)
    elif "moments" in said:
        _deforming(s, item.name, said)
    elif "at" in said:
        _particle(s, item.name, said)
    else:
        frame = s.frame(said.get("frame")) if "frame" in said else None
        s.model.body(item.name, frame, physical=said.get("physical") is not False, **_mass(s, item.name, said))


def _beam(s: Scope, name: str, said: LocatedRecord) -> None:
    if others := [k for k in said.values if k not in ("beam", "frame")]:
        raise said.error(f"body {name!r} is a beam: its mass follows from rho_A, and it has no {listed(others)}")
    given: LocatedRecord = said.get("beam")
    how: dict[str, Any] = {"length": s.scalar(given.get("length"))}
    with s.meaning("x", material("x")):
        how |= _quantities(s, given, ("rho_A", "EI", "EA", "GJ", "GA", "rho_I", "tension"))
    how |= _quantities(s, given, ("rayleigh", "modal_damping"))
    for k in ("modes", "elements"):
        if k in given:
            value = given.get(k)
            how[k] = (
                {n: _count(s, x) for n, x in value.entries.items()}
                if isinstance(value, LocatedTable)
                else _count(s, value)
            )
    if "ends" in given:
        how["ends"] = tuple(e.text for e in given.get("ends"))
    if "bending" in given:
        how["bending"] = given.get("bending").text
    if "shapes" in given:
        how["shapes"] = given.get("shapes").text
    if "order" in given:
        how["order"] = _count(s, given.get("order"))
    frame = s.frame(said.get("frame")) if "frame" in said else None
    s.model.beam(name, frame, stiffening=given.get("stiffening") is not False, **how)


def _quantities(s: Scope, given: LocatedRecord, names: Sequence[str]) -> dict[str, Any]:
    """Those that are given: numbers, or several for several axes or modes."""
    said = {k: given.get(k) for k in names if k in given}
    return {k: tuple(s.scalars(v)) if isinstance(v, LocatedList) else s.scalar(v) for k, v in said.items()}


def _from_finite_elements(s: Scope, name: str, said: LocatedRecord) -> None:
    """A reduced body from a file, or one that is reduced here; frames of its interfaces are called name_interface."""
    if others := [k for k in said.values if k not in ("elastic", "frame")]:
        raise said.error(
            f"body {name!r} comes from finite elements: its mass is that of the matrices, and it has no "
            f"{listed(others)}"
        )
    given: LocatedRecord = said.get("elastic")
    how = _quantities(s, given, ("rayleigh", "modal_damping"))
    reduced = _reduced_body(s, name, given)
    frame = s.frame(said.get("frame")) if "frame" in said else None
    body = s.model.elastic_from(name, reduced, frame, **how)
    for point, f in body.points.items():
        s.values[f"{identifier(name)}_{identifier(point)}"] = f


def _reduced_body(s: Scope, name: str, given: LocatedRecord) -> Any:
    if "reduced" in given:
        if others := [k for k in given.values if k not in ("reduced", "rayleigh", "modal_damping")]:
            raise given.error(f"body {name!r}: a reduced body has been reduced already, and takes no {listed(others)}")
        return later("formats.fem.reduced.reduced_file", "read_reduced")(beside(given.get("reduced")))
    files = {k: beside(given.get(k)) for k in ("mass", "stiffness", "nodes") if k in given}
    units = tuple(u.text for u in given.get("units")) if "units" in given else None
    source = beside(given.get("matrices")) if "matrices" in given else None
    part = later("formats.fem.matrices.sources_of_matrices", "finite_elements")(source, units=units, **files)
    how: dict[str, Any] = {k: s.number(given.get(k)) for k in ("up_to", "participation") if k in given}
    if "modes" in given:
        how["modes"] = _count(s, given.get("modes"))
    if "band" in given:
        how["band"] = tuple(s.number(x) for x in given.get("band"))
    if "method" in given:
        how["method"] = given.get("method").text
    if "interfaces" in given:
        how["interfaces"] = {n: kind.text for n, kind in given.get("interfaces").entries.items()}
    if "fixed_to" in given:
        to = given.get("fixed_to")
        how["frame"] = tuple(x.text for x in to) if isinstance(to, LocatedList) else to.text
    return part.reduced(**how)


def _count(s: Scope, said: Formula) -> int:
    value = s.number(said)
    if value != int(value):
        raise said.error(f"{said.text!r} is not a whole number")
    return int(value)


def _deforming(s: Scope, name: str, said: LocatedRecord) -> None:
    """A body by the moments of its fields, as it is written of a mechanism."""
    given: LocatedRecord = said.get("moments")
    weights, first = s.scalars(given.get("weights")), [vector(*s.scalars(g)) for g in given.get("first")]
    if len(first) != len(weights) or "frame" not in said or "mass" not in said:
        raise said.error(
            f"body {name!r}: a body by its moments has a frame, a mass, and as many first moments as weights"
        )
    second = {}
    for entry in given.get("second"):
        k, j = (_count(s, x) for x in entry.get("of"))
        if not 0 <= k <= j < len(weights):
            raise entry.error(f"body {name!r}: the fields {k} and {j} are not two of {len(weights)}, in this order")
        second[k, j] = as_matrix(s.matrix(entry.get("is")))
    table = Moments(s.scalar(said.get("mass")), tuple(weights), tuple(first), second)
    frame = s.frame(said.get("frame"))
    lines = [
        [Frame(frame, offset=vector(*s.scalars(at)), name=f"{name}.{i}.{k}") for k, at in enumerate(line)]
        for i, line in enumerate(given.get("drawn") or (), start=1)
    ]
    drawn = tuple(pair for line in lines for pair in pairwise(line))
    s.model.parts.add_body(Body(name, frame, table.mass_properties, None, True, table, drawn=drawn))


def _particle(s: Scope, name: str, said: LocatedRecord) -> None:
    if others := [k for k in said.values if k not in ("at", "mass")]:
        raise said.error(f"body {name!r} is a particle at a point: it has a mass, but no {listed(others)}")
    if "mass" not in said:
        raise said.error(f"body {name!r}: a particle needs a mass")
    s.model.particle(name, s.point(said.get("at")), mass=s.scalar(said.get("mass")))


def _mass(s: Scope, name: str, said: LocatedRecord) -> dict[str, Any]:
    how: dict[str, Any] = {k: s.scalar(said.get(k)) for k in ("mass", "density") if k in said}
    how |= {k: tuple(s.scalars(said.get(k))) for k in ("com", "about") if k in said}
    if "inertia" in said:
        how["inertia"] = _inertia(s, said.get("inertia"))
    if "shape" in said:
        if clash := [k for k in ("com", "inertia", "about") if k in said]:
            raise said.error(
                f"body {name!r}: {in_number(clash, '{} follows', '{} follow')} from its shape; give one of the two"
            )
        how["shape"] = _shape(s, said.get("shape"))
    return how


def _inertia(s: Scope, said: LocatedRecord | LocatedList) -> Any:
    if isinstance(said, LocatedRecord):
        return shapes.inertia(**{k: s.scalar(v) for k, v in said.values.items()})
    rows = [s.scalars(r) if isinstance(r, LocatedList) else s.scalar(r) for r in said]
    if len({isinstance(r, list) for r in rows}) != 1:
        raise said.error("an inertia is three principal values or three rows of three")
    return rows


_SHAPES: Final[dict[str, Callable[..., shapes.Shape]]] = {
    "bar": shapes.bar, "disc": shapes.disc, "cylinder": shapes.cylinder,
    "sphere": shapes.sphere, "shell": shapes.shell, "torus": shapes.torus, "box": shapes.box,
}  # fmt: skip


def _shape(s: Scope, said: LocatedRecord) -> shapes.Shape:
    if said.kind == "solid":
        return _solid(s, said)
    size = said.get(said.kind)
    sizes = s.scalars(size) if isinstance(size, LocatedList) else [s.scalar(size)]
    how: dict[str, Any] = {"at": tuple(s.scalars(said.get("at")))} if "at" in said else {}
    if "axis" in said:
        how["axis"] = said.get("axis").text
    return _SHAPES[said.kind](*sizes, **how)


def _solid(s: Scope, said: LocatedRecord) -> shapes.Shape:
    """A part of a drawing, which is read once for all bodies of a model."""
    path, scale = beside(said.get("solid")), s.number(said.get("scale")) if "scale" in said else 1.0
    up = None if "up" in said and said.get("up").text == "file" else "z"
    key = (path, scale, up)
    if key not in s.solids:
        s.solids[key] = later("formats.meshes.read_solids", "read_solids")(path, scale=scale, up=up)
    found = s.solids[key]
    if "part" in said:
        return found[said.get("part").text]
    if len(found) > 1:
        raise said.error(
            f"{path.name!r} has several parts: {listed(found)}; say which, as in part: {next(iter(found))}"
        )
    return next(iter(found.values()))
