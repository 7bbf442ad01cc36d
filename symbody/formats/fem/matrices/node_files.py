"""Places, labels and sets of nodes from files: Abaqus, Nastran, Ansys, arrays; the outer faces of the elements between
them; and which rows of matrices are theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np

from ....array_files import read_array
from ....errors import ModelError, shown, why_no_file
from ....given_files import file_text, reading
from ..bodies.finite_body import Array, Indices
from ..bodies.outer_faces import (
    HEXA_OF_NASTRAN,
    PYRAMID,
    QUADRANGLE,
    SHELLS,
    SOLIDS,
    TETRA,
    TRIANGLE,
    WEDGE_OF_NASTRAN,
    ElementKind,
    Rows,
    outer_triangles,
)
from .ansys_archive import archive_of
from .sparse_entries import market_matrix, whole_numbers

DIRECTIONS: Final = {"UX": 0, "UY": 1, "UZ": 2, "ROTX": 3, "ROTY": 4, "ROTZ": 5}  # of Ansys
NASTRAN: Final = {
    "CTETRA": TETRA, "CPYRAM": PYRAMID, "CPENTA": WEDGE_OF_NASTRAN, "CHEXA": HEXA_OF_NASTRAN, "CTRIA3": TRIANGLE, "CTRIAR": TRIANGLE,
    "CTRIA6": TRIANGLE, "CQUAD4": QUADRANGLE, "CQUADR": QUADRANGLE, "CQUAD8": QUADRANGLE,
}  # fmt: skip
NASTRAN_SHELLS: Final = {"CTRIA3": 3, "CTRIAR": 3, "CTRIA6": 6, "CQUAD4": 4, "CQUADR": 4, "CQUAD8": 8}


@dataclass(frozen=True, eq=False)
class NodeTable:
    """Places of nodes; labels, sets and triangles between them if the file contains them."""

    places: Array
    labels: Indices | None = None
    sets: Mapping[str, Any] = field(default_factory=dict)
    faces: Indices = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))


def nodes_of(where: str, given: Any) -> NodeTable:
    if not isinstance(given, (str, Path)):
        return NodeTable(np.asarray(given, dtype=float))
    path = Path(given)
    if wrong := why_no_file(path):
        raise ModelError(f"{where}: {shown(str(path))}: {wrong}")
    with reading(f"{where}: {path.name} cannot be read"):
        return _read(where, path)


def _read(where: str, path: Path) -> NodeTable:
    if path.suffix == ".npy":
        return NodeTable(read_array(path, f"{where}: {path.name}"))
    text = file_text(path, f"{where}: {path.name}")
    if path.suffix in (".csv", ".txt"):
        return NodeTable(np.loadtxt(StringIO(text), delimiter="," if path.suffix == ".csv" else None, ndmin=2))
    if path.suffix == ".inp":
        return _abaqus(where, path, text)
    if path.suffix in (".bdf", ".nas", ".dat", ".pch"):
        return _nastran(where, path, text)
    if path.suffix in (".cdb", ".ans"):
        return _in_order(where, path, *archive_of(text))
    raise ModelError(
        f"{where}: nodes= must be an array, or a file .inp, .bdf, .nas, .dat, .cdb, .npy or .csv; got {shown(str(path))}"
    )


def _in_order(
    where: str, path: Path, table: dict[int, list[float]], sets: dict[str, list[int]], elements: Rows | None = None
) -> NodeTable:
    if not table:
        raise ModelError(f"{where}: {path.name} has no nodes")
    labels = np.array(sorted(table), dtype=np.int64)
    number = {int(k): i for i, k in enumerate(labels)}
    known = {}
    for name, members in sets.items():
        if strange := [k for k in members if k not in number]:
            raise ModelError(f"{where}: {path.name}: the set {name!r} names node {strange[0]}, which does not exist")
        known[name] = np.array([number[k] for k in members], dtype=np.int64)
    places = np.array([table[int(k)] for k in labels])
    return NodeTable(places, labels, known, _outer(where, path, elements or {}, number, places))


def _outer(where: str, path: Path, elements: Rows, number: Mapping[int, int], places: Array) -> Indices:
    if strange := [k for rows in elements.values() for row in rows for k in row if k not in number]:
        raise ModelError(f"{where}: {path.name}: an element names node {strange[0]}, which does not exist")
    made = [(kind, np.array([[number[k] for k in row] for row in rows])) for (kind, _), rows in elements.items()]
    return outer_triangles(made, places)


def _abaqus(where: str, path: Path, text: str) -> NodeTable:
    """*NODE, *NSET (also generated ones) and *ELEMENT of an input file without parts."""
    table: dict[int, list[float]] = {}
    sets: dict[str, list[int]] = {}
    elements: Rows = {}
    for keyword, options, rows in _keywords(text):
        if keyword == "NODE":
            for row in rows:
                table[int(row[0])] = [float(x) for x in (*row[1:4], "0", "0")[:3]]
                if "NSET" in options:
                    sets.setdefault(options["NSET"], []).append(int(row[0]))
        elif keyword == "NSET" and "NSET" in options:
            members = sets.setdefault(options["NSET"], [])
            for row in rows:
                if "GENERATE" in options:
                    first, last, step = (*map(int, row), 1)[:3]
                    if len(range(first, last + 1, step)) > len(text):
                        raise ValueError(f"a set has the nodes {first} to {last}, more than the file has")
                    members.extend(range(first, last + 1, step))
                else:
                    members.extend(k for x in row for k in ([int(x)] if x.lstrip("-").isdigit() else sets.get(x, [])))
        elif keyword == "ELEMENT" and (found := _abaqus_kind(options.get("TYPE", ""))) is not None:
            kind, size = found
            numbers = [int(x) for row in rows for x in row]  # long elements go on in the next line
            if len(numbers) % (size + 1):
                raise ModelError(
                    f"{where}: {path.name}: elements of type {options['TYPE']} have a number and {size} nodes each; "
                    f"{len(numbers)} numbers follow"
                )
            at = range(0, len(numbers), size + 1)
            elements.setdefault((kind, size), []).extend(numbers[k + 1 : k + size + 1] for k in at)
    return _in_order(where, path, table, sets, elements)


def _abaqus_kind(name: str) -> tuple[ElementKind, int] | None:
    """Of solids and shells, with the number of their nodes: C3D20R, SC8R, S4R, STRI65; None of others."""
    if found := re.match(r"(C3D|SC)(\d+)", name.upper()):
        size = int(found[2])
        return (SOLIDS[size], size) if size in SOLIDS else None
    if found := re.match(r"(?:S|STRI|M3D|R3D)([34689])", name.upper()):
        size = int(found[1])
        return (SHELLS[size], size) if size in SHELLS else None
    return None


def _keywords(text: str) -> Iterator[tuple[str, dict[str, str], list[list[str]]]]:
    """Keyword, options and rows of data, one after the other."""
    head, rows = "", []
    for line in [*text.splitlines(), "*END"]:
        if line.startswith("**") or not line.strip():
            continue
        if not line.startswith("*"):
            rows.append([x.strip() for x in line.split(",") if x.strip()])
            continue
        if head:
            keyword, *options = (x.strip() for x in head[1:].split(","))
            pairs = (o.partition("=") for o in options)
            yield keyword.upper(), {k.strip().upper(): v.strip() for k, _, v in pairs}, rows
        head, rows = line, []


def _nastran(where: str, path: Path, text: str) -> NodeTable:
    """GRID entries in free, small and large fields, in the basic coordinate system; SET1 entries are node sets; solids
    and shells."""
    table: dict[int, list[float]] = {}
    sets: dict[str, list[int]] = {}
    elements: Rows = {}
    for fields in bulk_entries(text):
        if fields[0] == "GRID":
            if len(fields) > 2 and fields[2] not in ("", "0"):
                raise ModelError(
                    f"{where}: {path.name}: GRID {fields[1]} is in coordinate system {fields[2]}; write nodes "
                    "in the basic one"
                )
            table[int(fields[1])] = [nastran_number(x) if x else 0.0 for x in (*fields[3:6], "", "", "")[:3]]
        elif fields[0] == "SET1":
            sets[f"set {fields[1]}"] = [int(x) for x in fields[2:] if x.isdigit()]
        elif fields[0] in NASTRAN:
            kind = NASTRAN[fields[0]]
            row = _element_nodes(kind, fields[3 : 3 + NASTRAN_SHELLS.get(fields[0], kind.sizes[1])])
            elements.setdefault((kind, len(row)), []).append(row)
    return _in_order(where, path, table, sets, elements)


def _element_nodes(kind: ElementKind, fields: list[str]) -> list[int]:
    """All nodes, or the corners where one between them is left out."""
    numbers = [int(x) for x in fields if x.isdigit() and int(x)]
    return numbers if len(numbers) == kind.sizes[1] else numbers[: kind.corners]


def bulk_entries(text: str) -> Iterator[list[str]]:
    """Entries of bulk data, continuations joined."""
    entry: list[str] = []
    for raw in text.splitlines():
        line = raw.split("$")[0].expandtabs().rstrip()
        if not line:
            continue
        goes_on = line[0] in "+* ,"
        if "," in line:
            fields = [x.strip() for x in line.split(",")][:9]  # the tenth names the line that follows
        else:
            width = 16 if line[:8].rstrip().endswith("*") or line[0] == "*" else 8
            fields = [line[:8].strip(), *(line[k : k + width].strip() for k in range(8, 72, width))]
        name = fields[0].rstrip("*").strip().upper()
        if goes_on and entry:
            entry += fields[1:]
            continue
        if entry:
            yield entry
        entry = [name, *fields[1:]]
    if entry:
        yield entry


def nastran_number(text: str) -> float:
    """1.5-3 is 1.5e-3, D is E."""
    t = text.upper().replace("D", "E")
    if "E" not in t:
        for sign in "+-":
            at = t.rfind(sign)
            if at > 0:
                return float(f"{t[:at]}E{t[at:]}")
    return float(t)


def freedoms_of(where: str, given: Any, count: int, labels: Any) -> Any:
    """Node and direction of each row, also from files of Ansys: `.mapping` of HBMAT (row, node, UX), or Matrix Market's
    vector of nodes, each with three rows."""
    if not isinstance(given, (str, Path)):
        return given
    path = Path(given)
    with reading(f"{where}: {path.name} cannot be read"):
        return _freedoms_from(where, path, count, labels)


def _freedoms_from(where: str, path: Path, count: int, labels: Any) -> Indices:
    text = file_text(path, f"{where}: {path.name}")
    if text.startswith("%%MatrixMarket"):
        vector = whole_numbers(np.ravel(market_matrix(text)))
        pairs = [(int(k), a) for k in vector for a in range(3)]
    else:
        rows = (line.split() for line in text.splitlines())
        pairs = [(int(r[1]), DIRECTIONS[r[2]]) for r in rows if len(r) == 3 and r[2] in DIRECTIONS]
    names = np.arange(1, count + 1) if labels is None else np.asarray(labels)
    number = {int(k): i for i, k in enumerate(names)}
    if strange := [k for k, _ in pairs if k not in number]:
        raise ModelError(f"{where}: {path.name} names node {strange[0]}, whose position is not known")
    return np.array([(number[k], a) for k, a in pairs], dtype=np.int64).reshape(-1, 2)
