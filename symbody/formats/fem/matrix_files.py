"""Matrices from files: SciPy's .npz, Matrix Market, Abaqus, Nastran's OP4 and punched DMIG, Ansys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import io, sparse

from ...errors import ModelError, listed, shown
from ...optional_packages import optional_package
from .finite_body import Indices
from .node_files import bulk_entries, nastran_number
from .op4_file import op4_matrices
from .triangles import mirrored

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
    if not path.is_file():
        raise ModelError(f"{where}: there is no file {str(path)!r}")
    readers = {
        ".npz": _scipy,
        ".npy": _array,
        ".mtx": _market_or_abaqus,
        ".txt": _market_or_abaqus,
        ".op4": _op4,
        ".pch": _punched,
        ".hb": _harwell_boeing,
        ".rua": _harwell_boeing,
        ".matrix": _harwell_boeing,
    }
    if path.suffix.lower() not in readers:
        raise ModelError(f"{where}: {what}= is an array or a file {listed(readers)}; got {shown(str(path))}")
    try:
        return readers[path.suffix.lower()](where, path, what)
    except (ValueError, IndexError, KeyError, OSError) as reason:
        if isinstance(reason, ModelError):
            raise
        raise ModelError(f"{where}: {path.name} cannot be read as a matrix: {reason}") from None


def npz_of(where: str, source: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and sets of one file."""
    if not isinstance(source, (str, Path)):
        raise ModelError(
            f"{where}: the first argument is a file .npz or .full, or a basis of scikit-fem; got "
            f"{shown(source)}. Arrays go by keyword: mass=, stiffness=, nodes="
        )
    path = Path(source)
    if not path.is_file():
        raise ModelError(f"{where}: there is no file {str(path)!r}")
    if path.suffix == ".full":
        return _ansys(where, path), {}
    if path.suffix != ".npz":
        raise ModelError(
            f"{where}: a body in one file is .npz (arrays mass, stiffness, nodes) or .full; got "
            f"{path.name!r}. Matrices and nodes in files of their own go by mass=, stiffness=, nodes="
        )
    found, sets = {}, {}
    with np.load(path, allow_pickle=False) as f:
        for k in f.files:
            if k.startswith("set_"):
                sets[k[4:]] = f[k]
            elif k in ("nodes", "dofs", "labels", "faces", "mass", "stiffness"):
                found[k] = f[k]
        for k in ("mass", "stiffness"):
            if f"{k}_data" in f.files:
                found[k] = sparse.csc_array((f[f"{k}_data"], f[f"{k}_indices"], f[f"{k}_indptr"]))
    return found, sets


def _scipy(where: str, path: Path, what: str) -> Any:
    return sparse.load_npz(path)


def _array(where: str, path: Path, what: str) -> Any:
    return np.load(path)


def _harwell_boeing(where: str, path: Path, what: str) -> Any:
    return mirrored(sparse.coo_array(io.hb_read(path)))


def _market_or_abaqus(where: str, path: Path, what: str) -> Any:
    with path.open(encoding="utf-8") as f:
        if f.readline().startswith("%%MatrixMarket"):
            return sparse.csc_array(io.mmread(path))
    data = np.loadtxt(path, delimiter=_separator(path), comments="*", ndmin=2)
    if data.shape[1] == 5:
        rows, columns = data[:, :2].astype(np.int64) - FROM_ONE, data[:, 2:4].astype(np.int64) - FROM_ONE
        return LabelledMatrix(rows, columns, data[:, 4])
    if data.shape[1] == 3:
        i, j = data[:, 0].astype(np.int64) - 1, data[:, 1].astype(np.int64) - 1
        return mirrored(sparse.coo_array((data[:, 2], (i, j)), shape=(max(i.max(), j.max()) + 1,) * 2))
    raise ModelError(
        f"{where}: {path.name} has {data.shape[1]} columns; Abaqus writes node, direction, node, direction, "
        "value (FORMAT=MATRIX INPUT) or row, column, value (COORDINATE)"
    )


def _separator(path: Path) -> str | None:
    with path.open(encoding="utf-8") as f:
        return "," if "," in next((x for x in f if not x.startswith("*") and x.strip()), "") else None


def _punched(where: str, path: Path, what: str) -> Any:
    """DMIG entries: header (name, 0, form, ...), then columns with their rows; the first matrix of the file whose name
    begins as `what` does, or the only one."""
    by_name: dict[str, list[tuple[int, int, int, int, float]]] = {}
    for f in bulk_entries(path.read_text(encoding="utf-8")):
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
    found = op4_matrices(path.read_bytes())
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
        "mass": mirrored(sparse.coo_array(M)), "stiffness": mirrored(sparse.coo_array(K)), "labels": labels,
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
            f"{where}: the matrices name node {strange[0]}, whose place is not known; there are nodes "
            f"{listed(names, 8)}"
        )
    order = np.argsort(names)
    dofs = np.stack([order[np.searchsorted(names[order], used[:, 0])], used[:, 1]], axis=1)
    number = {(int(a), int(b)): k for k, (a, b) in enumerate(used)}
    made = []
    for A in (M, K):
        i, j = ([number[int(a), int(b)] for a, b in x] for x in (A.rows, A.columns))
        made.append(mirrored(sparse.coo_array((A.values, (i, j)), shape=(len(used),) * 2)))
    return made[0], made[1], dofs
