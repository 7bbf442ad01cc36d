"""`read_reduced` and what `ReducedBody.save` does: standard input data, or .npz with everything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ....array_files import ArrayFile, read_arrays
from ....errors import ModelError, why_no_file
from ....escaping import checked_name
from ....given_files import file_text
from ....whole_files import whole_file, write_text
from .reduced_body import PointData, ReducedBody, Skin, Stiffening
from .sid_file import sid_body, sid_text

LARGEST = 1e100
SID = (".sid", ".sid_fem")
ARRAYS = ("first", "second", "stiffness", "damping")
SKIN = ("nodes", "shifts", "faces", "edges")


def read_reduced(path: str | Path) -> ReducedBody:
    """A reduced body from a file: .SID_FEM or .sid (standard input data of other multibody and finite-element
    programs), or .npz as `ReducedBody.save` writes it.

    >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> K = np.zeros((12, 12))  # four nodes, and a spring between any two
    >>> for i, j in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
    ...     way = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
    ...     b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
    ...     K += 1000.0 * np.outer(b, b)
    >>> part = sb.finite_elements(mass=np.eye(12), stiffness=K, nodes=nodes)
    >>> body = part.reduced(frame="mean", method="free", modes=2)
    >>> path = body.save("body.npz")
    >>> sb.formats.read_reduced(path).mass
    4.0

    See also: `formats.ReducedBody`, `Model.elastic_from`.
    """
    place = Path(path)
    where = f"reduced body of {place.name}"
    if wrong := why_no_file(place):
        raise ModelError(f"{where}: {str(place)!r}: {wrong}")
    if place.suffix.lower() in SID:
        return checked_reduced(where, sid_body(where, file_text(place, where)))
    if place.suffix == ".npz":
        with read_arrays(place, "reduced body", ModelError) as file:
            return checked_reduced(where, _from_arrays(where, file))
    raise ModelError(f"{where}: a reduced body is a file .SID_FEM, .sid or .npz")


def write_reduced(body: ReducedBody, path: str | Path) -> Path:
    place = Path(path)
    if place.suffix.lower() in SID:
        write_text(place, sid_text(body))
        return place
    if place.suffix != ".npz":
        raise ModelError(f"reduced body: cannot write {place.name!r}; a name ends in .SID_FEM, .sid or .npz")
    with whole_file(place) as file:
        np.savez_compressed(file, **_arrays(body))
    return place


def _arrays(body: ReducedBody) -> dict[str, Any]:
    out: dict[str, Any] = {k: getattr(body, k) for k in ARRAYS}
    out |= {
        "mass": body.mass,
        "kept": np.array(body.kept, dtype=str),
        "frame": body.frame,
        "point_names": np.array(list(body.points), dtype=str),
    }
    for k, p in enumerate(body.points.values()):
        out |= {f"point{k}_{f}": getattr(p, f) for f in ("place", "shifts", "angles", "rest")}
        out |= {f"point{k}_{f}": x for f in ("second", "turned") if (x := getattr(p, f)) is not None}
    if body.stiffening is not None:
        out |= {"stiffening_first": body.stiffening.first, "stiffening_second": body.stiffening.second}
    if body.skin is not None:
        out |= {f"skin_{f}": getattr(body.skin, f) for f in SKIN}
        out |= {f"place_{k}": v for k, v in body.skin.places.items()}
    return out | {f"stress_{k}": v for k, v in body.stress.items()}


def _from_arrays(where: str, file: ArrayFile) -> ReducedBody:
    found: dict[str, Any] = {k: file.any_array(k) for k in file.names}
    points = {}
    for k, name in enumerate(found["point_names"].tolist()):
        parts = {x: found[f"point{k}_{x}"] for x in ("place", "shifts", "angles", "rest")}
        points[checked_name(name, f"{where}: a point")] = PointData(
            second=found.get(f"point{k}_second"), turned=found.get(f"point{k}_turned"), **parts
        )
    stiff = Stiffening(found["stiffening_first"], found["stiffening_second"]) if "stiffening_first" in found else None
    places = {k[6:]: v for k, v in found.items() if k.startswith("place_")}
    skin = Skin(**{f: found[f"skin_{f}"] for f in SKIN}, places=places) if "skin_nodes" in found else None
    stress = {k[7:]: v for k, v in found.items() if k.startswith("stress_")}
    numbers = {k: found[k] for k in ARRAYS}
    return ReducedBody(
        mass=float(found["mass"]), points=points, kept=tuple(map(str, found["kept"].tolist())), frame=str(found["frame"]),
        stiffening=stiff, skin=skin, stress=stress, **numbers,
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- checks


def checked_reduced(where: str, body: ReducedBody) -> ReducedBody:
    """The body, if all of its arrays have the shapes that belong to its number of coordinates, and finite numbers."""
    if body.first.ndim != 2:
        raise ModelError(f"{where}: its first moments are an array of shape {body.first.shape}, expected (n + 1, 3)")
    n = body.count
    if not np.isfinite(body.mass) or body.mass <= 0:
        raise ModelError(f"{where}: its mass is {body.mass:z.6g}; it must be positive")
    for text in (body.frame, *body.kept, *body.points, *body.stress):
        checked_name(text, f"{where}: a name in it")
    _check(where, "first", body.first, (n + 1, 3))
    _check(where, "second", body.second, (n + 1, n + 1, 3, 3))
    for name in ("stiffness", "damping"):
        _check(where, name, getattr(body, name), (n, n))
    for name, p in body.points.items():
        _check_point(f"{where}: point {name!r}", p, n)
    if body.stiffening is not None:
        _check(where, "stiffening, first", body.stiffening.first, (n, n, 3))
        _check(where, "stiffening, second", body.stiffening.second, (n, n, 3, 3))
    for name, values in body.stress.items():
        _check(where, f"stress {name!r}", values, (n, None, 6), may_have_gaps=True)
    if body.skin is not None:
        _check_skin(where, body.skin, body, n)
    return body


def _check_point(where: str, p: PointData, n: int) -> None:
    shapes = {
        "place": (3,),
        "shifts": (n, 3),
        "angles": (n, 3),
        "rest": (3, 3),
        "second": (n, n, 3),
        "turned": (n, n, 3),
    }
    for name, shape in shapes.items():
        if (values := getattr(p, name)) is not None:
            _check(where, name, values, shape)


def _check_skin(where: str, skin: Skin, body: ReducedBody, n: int) -> None:
    count = len(skin.nodes)
    _check(where, "skin, nodes", skin.nodes, (None, 3))
    _check(where, "skin, shifts", skin.shifts, (n, count, 3))
    _check_numbers(where, "skin, faces", skin.faces, (None, 3), count)
    _check_numbers(where, "skin, edges", skin.edges, (None, 2), count)
    for name, numbers in skin.places.items():
        known = body.stress.get(checked_name(name, f"{where}: a name in it"))
        _check_numbers(where, f"places {name!r}", numbers, (None if known is None else known.shape[1],), count)


def _check(where: str, what: str, values: Any, shape: tuple[int | None, ...], may_have_gaps: bool = False) -> None:
    wanted = ", ".join("any" if n is None else str(n) for n in shape)
    fits = len(values.shape) == len(shape) and all(w in (None, n) for w, n in zip(shape, values.shape, strict=True))
    if not fits or values.dtype != np.float64:
        raise ModelError(
            f"{where}: {what} is an array of shape {values.shape} of {values.dtype}, expected ({wanted}) of float64"
        )
    if not (np.isfinite(values) | (may_have_gaps & np.isnan(values))).all():
        raise ModelError(f"{where}: {what} has entries that are not finite")
    if (np.abs(values) > LARGEST).any():
        raise ModelError(f"{where}: {what} has entries beyond {LARGEST:g}, whose squares would overflow")


def _check_numbers(where: str, what: str, values: Any, shape: tuple[int | None, ...], count: int) -> None:
    """Of nodes, from 0."""
    fits = len(values.shape) == len(shape) and all(w in (None, n) for w, n in zip(shape, values.shape, strict=True))
    if not fits or values.dtype.kind not in "iu":
        raise ModelError(f"{where}: {what} is an array of shape {values.shape} of {values.dtype}, not numbers of nodes")
    if values.size and (values.min() < 0 or values.max() >= count):
        raise ModelError(f"{where}: {what} names node {values.max()}; there are nodes 0 to {count - 1}")
