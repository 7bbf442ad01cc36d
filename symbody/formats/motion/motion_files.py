"""Files of motions: OpenSim's tables (.mot, .sto), marker trajectories as text (.trc) and in binary (.c3d).

A table of OpenSim is a header of `key=value` up to `endheader`, a line of names, and rows of numbers. A .trc file has
five lines of header, of which the third holds the values of the keys in the second and the fourth the markers' names.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...argument_kinds import answered
from ...errors import ModelError, listed, shown
from ...given_files import file_bytes, file_text, reading
from ...optional_packages import optional_package
from ...whole_files import whole_file
from .motion_table import AXES, MotionTable

METRES: Final = {"m": 1.0, "cm": 0.01, "mm": 0.001, "meters": 1.0, "": 0.001}
SUFFIXES: Final = (".mot", ".sto", ".trc", ".c3d")
HEADER: Final = "endheader"


@answered
def read_motion(source: str | Path) -> MotionTable:
    """The table of a motion file: .mot and .sto of OpenSim, .trc and .c3d of motion capture; or the text of one of the
    first three. Places of markers are in metres; angles stay in the file's unit (`table.in_degrees`).

    The package `c3d` reads .c3d files.

    >>> table = sb.formats.read_motion("walk\\nnRows=2\\nnColumns=2\\ninDegrees=yes\\nendheader\\n"
    ... "time knee\\n0.0 10.0\\n0.1 12.5\\n")
    >>> table.in_degrees, table["knee"]
    (True, array([10. , 12.5]))

    See also: `formats.write_motion`, `formats.MotionTable`, `read_osim`.
    """
    if isinstance(source, str) and "\n" in source:
        return _table_of("text", source)
    path = Path(source)
    if path.suffix.lower() == ".c3d":
        return _read_c3d(path)
    return _table_of(path.name, file_text(path, f"motion {path.name!r}"))


def _table_of(where: str, text: str) -> MotionTable:
    with reading(f"read_motion: {where} cannot be read"):
        return _read_trc(where, text) if text.lstrip().startswith("PathFileType") else _read_storage(where, text)


def _read_storage(where: str, text: str) -> MotionTable:
    lines = text.splitlines()
    end = next((k for k, line in enumerate(lines) if line.strip().lower() == HEADER), None)
    if end is None:
        raise ModelError(f"{where}: no line {HEADER!r} is there, after which a .mot or .sto file has its names")
    keys = {k.strip().lower(): v.strip() for k, s, v in (line.partition("=") for line in lines[:end]) if s}
    body = [(k, line.split()) for k, line in enumerate(lines[end + 1 :], end + 2) if line.strip()]
    if not body or body[0][1][0].lower() != "time":
        raise ModelError(f"{where}: the line after {HEADER!r} begins with 'time', got {shown(' '.join(body[0][1][:3]) if body else '')}")  # fmt: skip
    names = body[0][1][1:]
    rows = np.array([_row(where, k, words, len(names) + 1) for k, words in body[1:]]).reshape(-1, len(names) + 1)
    for key, count in (("nrows", len(rows)), ("ncolumns", len(names) + 1)):
        if key in keys and keys[key] != str(count):
            raise ModelError(f"{where}: its header says {key}={keys[key]}, the table has {count}")
    title = next((line.strip() for line in lines[:end] if line.strip() and "=" not in line), where)
    return MotionTable(title, rows[:, 0], names, rows[:, 1:], keys.get("indegrees", "no").lower() == "yes")


def _row(where: str, line: int, words: list[str], count: int) -> list[float]:
    if len(words) != count:
        raise ModelError(f"{where}: line {line} has {len(words)} numbers, the names are {count}")
    try:
        return [float(w) if w else float("nan") for w in words]
    except ValueError:
        wrong = next(w for w in words if w and not _is_number(w))
        raise ModelError(f"{where}: line {line} has {shown(wrong)} where a number is expected") from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _read_trc(where: str, text: str) -> MotionTable:
    lines = text.splitlines()
    if len(lines) < 5:
        raise ModelError(f"{where}: a .trc file has five lines of header, got {len(lines)} lines")
    keys = dict(zip(lines[1].split(), lines[2].split(), strict=False))
    unit = keys.get("Units", "")
    if unit not in METRES:
        raise ModelError(f"{where}: lengths are in {shown(unit)}; read are {listed(u for u in METRES if u)}")
    markers = [w.strip() for w in lines[3].split("\t") if w.strip()][2:]
    if str(len(markers)) != keys.get("NumMarkers", str(len(markers))):
        raise ModelError(f"{where}: NumMarkers is {keys['NumMarkers']}, line 4 has {len(markers)} names")
    width, rows = 2 + 3 * len(markers), []
    for k, line in enumerate(lines[5:], 6):
        if line.strip():
            cells = [w.strip() for w in line.rstrip("\n").split("\t")]
            if not any(cells[width:]):
                cells = (cells + [""] * width)[:width]
            rows.append(_row(where, k, cells, width))
    table = np.array(rows).reshape(-1, width)
    names = [f"{m}_{k}" for m in markers for k in AXES]
    return MotionTable(Path(where).stem, table[:, 1], names, table[:, 2:] * METRES[unit])


def _read_c3d(path: Path) -> MotionTable:
    c3d = optional_package("c3d", "read_motion", ModelError)
    with reading(f"read_motion: {path.name} cannot be read"):
        reader = c3d.Reader(io.BytesIO(file_bytes(path, f"motion {path.name!r}")))
        unit = reader.get("POINT:UNITS")
        scale = METRES[unit.string_value.strip() if unit is not None else ""]
        labels = [str(w).strip() for w in reader.point_labels]
        rows, first = [], reader.first_frame
        for _, points, _ in reader.read_frames(copy=True):
            places = np.array(points[: len(labels), :3], dtype=float) * scale
            places[points[: len(labels), 3] < 0] = np.nan
            rows.append(places.ravel())
        times = (first - 1 + np.arange(len(rows))) / float(reader.point_rate)
        names = [f"{m}_{k}" for m in labels for k in AXES]
        return MotionTable(path.stem, times, names, np.array(rows).reshape(-1, len(names)))


@answered
def write_motion(table: MotionTable, path: str | Path) -> Path:
    """Writes a table as .mot, .sto or .trc, by the suffix of the path; returns the path. Numbers keep all their digits.

    >>> table = sb.formats.MotionTable("walk", [0.0, 0.1], ["knee"], [[0.2], [0.3]])
    >>> path = sb.formats.write_motion(table, "walk.mot")
    >>> sb.formats.read_motion(path)["knee"]
    array([0.2, 0.3])

    See also: `formats.read_motion`, `formats.MotionTable`.
    """
    if not isinstance(table, MotionTable):
        raise ModelError(f"write_motion: expected a MotionTable, got {shown(table)}")
    out = Path(path)
    if out.suffix.lower() not in SUFFIXES[:3]:
        raise ModelError(f"write_motion: writes {listed(SUFFIXES[:3])}, got {out.name!r}")
    text = _trc_text(table) if out.suffix.lower() == ".trc" else _storage_text(table)
    with whole_file(out) as file:
        file.write(text.encode())
    return out


def _storage_text(table: MotionTable) -> str:
    for n in table.names:
        if not n or any(c.isspace() for c in n):
            raise ModelError(f"write_motion: {n!r} cannot be the name of a column; give it one without spaces")
    head = [table.name.replace("\n", " "), "version=1", f"nRows={len(table.times)}", f"nColumns={len(table.names) + 1}"]
    head += [f"inDegrees={'yes' if table.in_degrees else 'no'}", HEADER, "\t".join(["time", *table.names])]
    return "\n".join([*head, *_rows(table.times, table.values)]) + "\n"


def _trc_text(table: MotionTable) -> str:
    markers = table.markers
    if 3 * len(markers) != len(table.names):
        loose = [n for n in table.names if n[:-2] not in markers]
        raise ModelError(f"write_motion: a .trc file holds markers with columns _x, _y, _z only, got {listed(loose)}")  # fmt: skip
    n = len(table.times)
    rate = (n - 1) / (table.times[-1] - table.times[0]) if n > 1 else 1.0
    keys = "DataRate CameraRate NumFrames NumMarkers Units OrigDataRate OrigDataStartFrame OrigNumFrames".split()
    values = [f"{rate:z.6g}", f"{rate:z.6g}", str(n), str(len(markers)), "m", f"{rate:z.6g}", "1", str(n)]
    head = ["\t".join(["PathFileType", "4", "(X/Y/Z)", f"{table.name}.trc"]), "\t".join(keys), "\t".join(values)]
    head += ["\t".join(["Frame#", "Time", *(f"{m}\t\t" for m in markers)])]
    head += ["\t".join(["", "", *(f"{k.upper()}{i}" for i in range(1, len(markers) + 1) for k in AXES)]), ""]
    places = np.hstack([np.empty((n, 0)), *markers.values()])
    rows = [f"{k}\t{row}" for k, row in enumerate(_rows(table.times, places), 1)]
    return "\n".join([*head, *rows]) + "\n"


def _rows(times: Any, values: Any) -> list[str]:
    numbers = np.column_stack([times, values]) + 0.0  # no negative zeros
    return ["\t".join("" if x != x else repr(float(x)) for x in row) for row in numbers]
