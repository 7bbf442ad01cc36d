"""Matrices from files: SciPy's .npz, Matrix Market, Abaqus, Nastran's OP4 and punched DMIG, Ansys."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import io, sparse

from ....array_files import read_array, read_arrays
from ....errors import ModelError, listed, shown, why_no_file
from ....escaping import checked_name
from ....given_files import file_bytes, file_text, reading
from ....optional_packages import optional_package
from ..bodies.finite_body import Indices
from .node_files import bulk_entries, nastran_number
from .op4_file import op4_matrices
from .sparse_entries import compressed_columns, entries, market_matrix, sparse_matrix, whole_numbers
from .triangles import whole_matrix

FROM_ONE: Final = np.array([0, 1], dtype=np.int64)  # directions are counted from one in files


@dataclass(frozen=True, eq=False)
class LabelledMatrix:
    """Entries between (label of the node, direction from 0)."""

    rows: Indices
    columns: Indices
    values: Any


def matrix_of(where: str, given: Any, what: str) -> Any:
    if not isinstance(given, (str, Path)):
        return given
    path = Path(given)
    readers = {
        ".npz": _scipy,
        ".npy": _array,
        ".mtx": _market_or_abaqus,
        ".txt": _market_or_abaqus,
        ".op4": _op4,
        ".pch": _dmig_matrix,
        ".hb": _harwell_boeing,
        ".rua": _harwell_boeing,
        ".matrix": _harwell_boeing,
    }
    if path.suffix.lower() not in readers:
        raise ModelError(f"{where}: {what}= must be an array or a file {listed(readers)}; got {shown(str(path))}")
    if wrong := why_no_file(path):
        raise ModelError(f"{where}: {shown(str(path))}: {wrong}")
    with reading(f"{where}: {path.name} cannot be read as a matrix"):
        return readers[path.suffix.lower()](where, path, what)


def npz_of(where: str, source: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and sets of one file."""
    if not isinstance(source, (str, Path)):
        raise ModelError(
            f"{where}: the first argument must be a file .npz or .full, or a basis of scikit-fem; got "
            f"{shown(source)}. Pass arrays by keyword: mass=, stiffness=, nodes="
        )
    path = Path(source)
    if wrong := why_no_file(path):
        raise ModelError(f"{where}: {shown(str(path))}: {wrong}")
    if path.suffix == ".full":
        return _ansys(where, path), {}
    if path.suffix != ".npz":
        raise ModelError(
            f"{where}: a body in one file is .npz (arrays mass, stiffness, nodes) or .full; got "
            f"{path.name!r}. Pass separate files of matrices and nodes by mass=, stiffness=, nodes="
        )
    found: dict[str, Any] = {}
    with read_arrays(path, "body of finite elements", ModelError) as f:
        sets = {checked_name(k[4:], f"{where}: a node set"): f.any_array(k) for k in f.names if k.startswith("set_")}
        for k in ("nodes", "dofs", "labels", "faces", "mass", "stiffness"):
            if f.has(k):
                found[k] = f.any_array(k)
            elif k in ("mass", "stiffness") and f.has(f"{k}_data"):
                data, indices, pointers = (f.any_array(f"{k}_{part}") for part in ("data", "indices", "indptr"))
                found[k] = compressed_columns(data, indices, pointers)
    return found, sets


def _scipy(where: str, path: Path, what: str) -> Any:
    with read_arrays(path, "sparse matrix", ModelError) as f:
        return sparse_matrix({k: f.any_array(k) for k in f.names})


def _array(where: str, path: Path, what: str) -> Any:
    return read_array(path, f"{where}: {path.name}")


def _harwell_boeing(where: str, path: Path, what: str) -> Any:
    text = file_text(path, f"{where}: {path.name}")
    found = sparse.csc_array(io.hb_read(StringIO(text)))
    return whole_matrix(sparse.coo_array(compressed_columns(found.data, found.indices, found.indptr, found.shape)))


def _market_or_abaqus(where: str, path: Path, what: str) -> Any:
    text = file_text(path, f"{where}: {path.name}")
    if text.startswith("%%MatrixMarket"):
        return sparse.csc_array(market_matrix(text))
    data = np.loadtxt(StringIO(text), delimiter=_separator(text), comments="*", ndmin=2)
    if data.shape[1] == 5:
        labels = whole_numbers(data[:, :4])
        return LabelledMatrix(labels[:, :2] - FROM_ONE, labels[:, 2:] - FROM_ONE, data[:, 4])
    if data.shape[1] == 3:
        i, j = whole_numbers(data[:, :2]).T - 1
        size = int(max(i.max(), j.max())) + 1
        return whole_matrix(entries(data[:, 2], i, j, (size, size)))
    raise ModelError(
        f"{where}: {path.name} has {data.shape[1]} columns; Abaqus writes node, direction, node, direction, "
        "value (FORMAT=MATRIX INPUT) or row, column, value (COORDINATE)"
    )


def _separator(text: str) -> str | None:
    return "," if "," in next((x for x in text.splitlines() if not x.startswith("*") and x.strip()), "") else None


def _dmig_matrix(where: str, path: Path, what: str) -> Any:
    """DMIG entries: header (name, 0, form, ...), then columns with their rows; the first matrix of the file whose name
    begins as `what` does, or the only one."""
    by_name: dict[str, list[tuple[int, int, int, int, float]]] = {}
    for f in bulk_entries(file_text(path, f"{where}: {path.name}")):
        if f[0] != "DMIG" or f[2] == "0":
            continue
        entries = by_name.setdefault(f[1], [])
        node, direction = int(f[2]), int(f[3] or 0)
        entries += _column_of(node, direction, f[4:])
    name = next((n for n in by_name if n.upper().startswith(what[0].upper())), next(iter(by_name), None))
    if name is None:
        raise ModelError(f"{where}: {path.name} has no DMIG entries")
    if len(by_name) > 1 and not name.upper().startswith(what[0].upper()):
        raise ModelError(f"{where}: {path.name} has the matrices {listed(by_name)}; none begins with {what[0].upper()}")
    d = np.array([e[:4] for e in by_name[name]], dtype=np.int64)
    return LabelledMatrix(d[:, 2:] - FROM_ONE, d[:, :2] - FROM_ONE, np.array([e[4] for e in by_name[name]]))


def _column_of(node: int, direction: int, fields: list[str]) -> list[tuple[int, int, int, int, float]]:
    """Triples of node, direction and value among fields with blanks between them."""
    said = [x for x in fields if x]
    return [
        (node, direction, int(said[k]), int(said[k + 1]), nastran_number(said[k + 2]))
        for k in range(0, len(said) - 2, 3)
    ]


def _op4(where: str, path: Path, what: str) -> Any:
    """The matrix whose name begins as `what` does, or the first."""
    found = op4_matrices(file_bytes(path, f"{where}: {path.name}"))
    name = next((n for n in found if n.upper().startswith(what[0].upper())), next(iter(found), None))
    if name is None:
        raise ModelError(f"{where}: {path.name} has no matrix")
    if np.iscomplexobj(found[name].data):
        raise ModelError(f"{where}: {path.name}: the matrix {name} is complex; mass and stiffness are real")
    return found[name]


def _ansys(where: str, path: Path) -> dict[str, Any]:
    """A .full file through ansys-mapdl-reader; nodes come from an archive or array by nodes=."""
    full = optional_package("ansys.mapdl.reader", where, ModelError, "ansys-mapdl-reader").read_binary(str(path))
    freedoms, K, M = full.load_km(sort=True)
    held = np.asarray(getattr(full, "const", np.zeros((0, 2))))
    if len(held):
        raise ModelError(
            f"{where}: {path.name} was written with {len(held)} supported degrees of freedom (node {int(held[0][0])} "
            "first), whose rows are empty. Export the matrices without supports; joints hold the body"
        )
    labels = np.unique(freedoms[:, 0])
    return {
        "mass": whole_matrix(sparse.coo_array(M)), "stiffness": whole_matrix(sparse.coo_array(K)), "labels": labels,
        "dofs": np.stack([np.searchsorted(labels, freedoms[:, 0]), freedoms[:, 1]], axis=1).astype(np.int64),
    }  # fmt: skip


def on_nodes(where: str, M: Any, K: Any, count: int, labels: Indices | None) -> tuple[Any, Any, Indices]:
    """Labelled matrices as matrices, with node and direction of their rows."""
    if not isinstance(M, LabelledMatrix) or not isinstance(K, LabelledMatrix):
        raise ModelError(
            f"{where}: one of the matrices names its nodes, the other does not; write both in the same format"
        )
    names = np.arange(1, count + 1) if labels is None else np.asarray(labels)
    used = np.unique(np.concatenate([M.rows, M.columns, K.rows, K.columns]), axis=0)
    if len(strange := np.setdiff1d(used[:, 0], names)):
        raise ModelError(
            f"{where}: the matrices name node {strange[0]}, whose position is not known; there are nodes "
            f"{listed(names, 8)}"
        )
    order = np.argsort(names)
    dofs = np.stack([order[np.searchsorted(names[order], used[:, 0])], used[:, 1]], axis=1)
    number = {(int(a), int(b)): k for k, (a, b) in enumerate(used)}
    made = []
    for A in (M, K):
        i, j = ([number[int(a), int(b)] for a, b in x] for x in (A.rows, A.columns))
        made.append(whole_matrix(entries(A.values, np.array(i), np.array(j), (len(used), len(used)))))
    return made[0], made[1], dofs
