"""`finite_elements`: a body from arrays, files, or a scikit-fem basis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....argument_kinds import answered
from ....errors import ModelError, listed, shown
from ..bodies.finite_body import FiniteElements, Indices, checked_elements
from .matrix_files import LabelledMatrix, matrix_of, npz_of, on_nodes
from .node_files import freedoms_of, nodes_of
from .scikit_fem import from_basis, is_basis


@answered
def finite_elements(
    source: Any = None,
    *,
    mass: Any = None,
    stiffness: Any = None,
    nodes: Any = None,
    dofs: Any = None,
    labels: Any = None,
    sets: Mapping[str, Any] | None = None,
    faces: Any = None,
    young: Any = None,
    poisson: Any = None,
    density: Any = None,
    units: Any = None,
) -> FiniteElements:
    """A body from finite elements: its mass and stiffness matrices with the places of its nodes, free of supports.

    source           a file .npz with arrays mass, stiffness and nodes (sparse ones as SciPy saves them, or in parts
                     mass_data, ...); a file .full of Ansys; or a vector basis of scikit-fem, with young=, poisson= and
                     density=
    mass, stiffness  arrays, sparse matrices of SciPy, or files: .npz of SciPy, .mtx (Matrix Market, or of Abaqus), .op4
                     and .pch of Nastran, .hb and .txt (Matrix Market) of Ansys
    nodes            places, a row each, or a file: .inp of Abaqus (with its node sets and elements), .bdf, .nas, .dat of
                     Nastran (with its sets and elements), .cdb of Ansys (with its components and elements), .npy, .csv
    dofs             node (from 0) and direction (0, 1, 2: displacements, 3, 4, 5: rotations) of each row; by default
                     three or six for each node in order; or a file of Ansys: .mapping, or the vector of nodes
    sets             nodes by name: {"hub": numbers from 0}
    labels           of the nodes, where matrices name them
    faces            triangles between nodes, for drawings: rows of three numbers from 0; by default the outer faces of
                     the elements, where the file of the nodes or the basis has them
    units            of the data, such as ("mm", "t", "s"); m, kg, s by default

    >>> k = 1000.0 * np.array([[1, -1], [-1, 1]])
    >>> two = sb.finite_elements(
    ...     mass=np.diag([1.0] * 6), stiffness=np.kron(k, np.diag([1, 0, 0])), nodes=[[0, 0, 0], [1, 0, 0]]
    ... )
    >>> two.mass.shape, len(two.nodes)
    ((6, 6), 2)

    See also: `formats.FiniteElements`, `formats.ReducedBody`, `Model.elastic_from`.
    """
    where = "finite elements"
    if is_basis(source):
        return from_basis(where, source, young, poisson, density, sets, units)
    given: dict[str, Any] = {
        "mass": mass,
        "stiffness": stiffness,
        "nodes": nodes,
        "dofs": dofs,
        "labels": labels,
        "faces": faces,
    }
    given = {k: v for k, v in given.items() if v is not None}
    known_sets = dict(sets or {})
    if source is not None:
        found, more = npz_of(where, source)
        given, known_sets = {**found, **given}, {**more, **known_sets}
    if missing := [k for k in ("mass", "stiffness", "nodes") if k not in given]:
        raise ModelError(f"{where}: needs {listed(missing)}=; got {listed(given) or shown(source)}")
    table = nodes_of(where, given["nodes"])
    places, names = table.places, given.get("labels", table.labels)
    M, K = (matrix_of(where, given[k], k) for k in ("mass", "stiffness"))
    if isinstance(M, LabelledMatrix) or isinstance(K, LabelledMatrix):
        M, K, given["dofs"] = on_nodes(where, M, K, len(places), names)
    given["dofs"] = freedoms_of(where, given.get("dofs"), len(places), names)
    skin = _faces(where, given["faces"], len(places)) if "faces" in given else table.faces
    return checked_elements(where, M, K, places, given["dofs"], names, {**table.sets, **known_sets}, units, faces=skin)


def _faces(where: str, given: Any, count: int) -> Indices:
    faces = np.asarray(given)
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
        raise ModelError(
            f"{where}: faces= must be triangles, rows of three numbers of nodes from 0; got {shown(given)}"
        )
    if faces.size and (faces.min() < 0 or faces.max() >= count):
        at = int(faces.max() if faces.max() >= count else faces.min())
        raise ModelError(f"{where}: faces= name node {at}; there are nodes 0 to {count - 1}")
    return faces.astype(np.int64)
