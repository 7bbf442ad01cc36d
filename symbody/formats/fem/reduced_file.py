"""`read_reduced` and what `ReducedBody.save` does: standard input data, or .npz with everything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ...whole_files import whole_file, write_text
from .reduced_body import PointData, ReducedBody, Skin, Stiffening
from .sid_file import sid_body, sid_text

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
    if not place.is_file():
        raise ModelError(f"{where}: there is no file {str(place)!r}")
    if place.suffix.lower() in SID:
        return sid_body(where, place.read_text(encoding="utf-8", errors="replace"))
    if place.suffix == ".npz":
        return _from_arrays(where, place)
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


def _from_arrays(where: str, place: Path) -> ReducedBody:
    try:
        with np.load(place, allow_pickle=False) as f:
            found = {k: f[k] for k in f.files}
        points = {}
        for k, name in enumerate(found["point_names"]):
            parts = {x: found[f"point{k}_{x}"] for x in ("place", "shifts", "angles", "rest")}
            points[str(name)] = PointData(
                second=found.get(f"point{k}_second"), turned=found.get(f"point{k}_turned"), **parts
            )
        stiff = (
            Stiffening(found["stiffening_first"], found["stiffening_second"]) if "stiffening_first" in found else None
        )
        places = {k[6:]: v for k, v in found.items() if k.startswith("place_")}
        skin = Skin(**{f: found[f"skin_{f}"] for f in SKIN}, places=places) if "skin_nodes" in found else None
        stress = {k[7:]: v for k, v in found.items() if k.startswith("stress_")}
        kept = tuple(map(str, found["kept"]))
        numbers = {k: found[k] for k in ARRAYS}
        return ReducedBody(
            mass=float(found["mass"]), points=points, kept=kept, frame=str(found["frame"]), stiffening=stiff, skin=skin, stress=stress, **numbers
        )  # fmt: skip
    except (KeyError, ValueError, OSError) as reason:
        raise ModelError(f"{where}: is no reduced body as `ReducedBody.save` writes it: {reason}") from None
