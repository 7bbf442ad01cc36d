"""Matrices from files: SciPy's .npz, Matrix Market, Abaqus, Nastran's OP4 and punched DMIG, Ansys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import io, sparse

from ...errors import ModelError, listed, shown
from .finite_body import Indices
from .node_files import bulk_entries, nastran_number
from .optional_packages import package

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
        ".op4": _op4,
        ".pch": _punched,
        ".hb": _harwell_boeing,
        ".rua": _harwell_boeing,
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


def mirrored(A: sparse.coo_array) -> sparse.csc_array:
    """A matrix of which one triangle is there, as a whole; others as they are."""
    i, j = A.coords
    B = sparse.csc_array(A)
    if (i >= j).all() or (i <= j).all():
        return sparse.csc_array(B + B.T - sparse.diags_array(B.diagonal()))
    return B


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
    """Output4 in text, dense or sparse columns; binary files through pyNastran."""
    raw = path.read_bytes()
    if b"\x00" in raw[:400]:
        found = package(where, "pyNastran.op4.op4", "pyNastran").read_op4(str(path))
        name = next((n for n in found if n.upper().startswith(what[0].upper())), next(iter(found)))
        form_and_matrix = found[name]
        return sparse.csc_array(
            getattr(form_and_matrix, "data", None) if hasattr(form_and_matrix, "data") else form_and_matrix[1]
        )
    found = op4_matrices(raw.decode("ascii").splitlines())
    name = next((n for n in found if n.upper().startswith(what[0].upper())), next(iter(found), None))
    if name is None:
        raise ModelError(f"{where}: {path.name} has no matrix")
    return found[name]


def op4_matrices(lines: list[str]) -> dict[str, sparse.csc_array]:
    """All real matrices of a text file."""
    out: dict[str, sparse.csc_array] = {}
    at = 0
    while at < len(lines) and lines[at].strip():
        head = lines[at]
        columns, rows, form = int(head[:8]), int(head[8:16]), int(head[16:24])
        name = head[32:40].strip()
        layout = head[40:].strip() or "1P,5E16.9"
        count, width = _layout(layout)
        is_big = rows < 0
        rows, at = abs(rows), at + 1
        i: list[int] = []
        j: list[int] = []
        x: list[float] = []
        while True:
            column, first, words = int(lines[at][:8]), int(lines[at][8:16]), int(lines[at][16:24])
            at += 1
            if column > columns:
                at += 1  # one number that ends the matrix
                break
            if first > 0:
                values, at = _numbers_of(lines, at, words, count, width)
                strings = [(first, values)]
            else:
                strings, at = _strings(lines, at, words, count, width, is_big)
            for start, values in strings:
                i += range(start - 1, start - 1 + len(values))
                j += [column - 1] * len(values)
                x += values
        A = sparse.coo_array((x, (i, j)), shape=(rows, columns))
        out[name] = mirrored(A) if form == 6 and _is_triangle(A) else sparse.csc_array(A)
    return out


def _is_triangle(A: sparse.coo_array) -> bool:
    i, j = A.coords
    return bool((i >= j).all() or (i <= j).all())


def _layout(text: str) -> tuple[int, int]:
    """5 and 16 of 1P,5E16.9."""
    count, _, rest = text.split(",")[-1].upper().replace("D", "E").partition("E")
    return int(count), int(rest.split(".")[0])


def _numbers_of(lines: list[str], at: int, count: int, per_line: int, width: int) -> tuple[list[float], int]:
    values: list[float] = []
    while len(values) < count:
        line = lines[at]
        here = min(per_line, count - len(values))
        values += [float(line[k * width : (k + 1) * width].upper().replace("D", "E")) for k in range(here)]
        at += 1
    return values, at


def _strings(
    lines: list[str], at: int, words: int, per_line: int, width: int, is_big: bool
) -> tuple[list[tuple[int, list[float]]], int]:
    """Strings of a sparse column: their first row and length, two words for each value and a header of one or two."""
    out = []
    while words > 0:
        if is_big:
            length, first = int(lines[at][:8]) - 1, int(lines[at][8:16])
            words -= 2
        else:
            code = int(lines[at].split()[0])
            length, first = code // 65536 - 1, code % 65536
            words -= 1
        values, at = _numbers_of(lines, at + 1, length // 2, per_line, width)
        words -= length
        out.append((first, values))
    return out, at


def _ansys(where: str, path: Path) -> dict[str, Any]:
    """A .full file through ansys-mapdl-reader; nodes come from an archive or array by nodes=."""
    full = package(where, "ansys.mapdl.reader", "ansys-mapdl-reader").read_binary(str(path))
    freedoms, K, M = full.load_km(sort=True)
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
