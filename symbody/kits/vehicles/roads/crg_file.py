"""OpenCRG files: heights on a regular grid along a reference line (ASAM OpenCRG 1.2).

$ROAD_CRG          keys `name = value`: where the line starts and how it heads, increments along u and across v
$KD_DEFINITION     `#:LRFI` (text, 10 characters a number), LDFI (20), KRBI, KDBI (binary, 4 and 8 bytes, big
                   endian), then one line for each channel
$$$$...            data, one record for each u; text begins a record on a new line, binary data do not

z(u, v) = z_ref(u) + b(u) v + grid(u, v)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ....errors import ModelError, listed, shown
from ....given_files import file_bytes, reading, text_of
from ....summary import Summarized, Summary, summary_rows
from .curved_road import CurvedRoad
from .path import PlanePath
from .road import Road, sampled_road, sampled_surface

TEXT_WIDTHS: Final = {"LRFI": 10, "LDFI": 20}
BINARY: Final = {"KRBI": ">f4", "KDBI": ">f8"}


@dataclass(frozen=True, eq=False, repr=False)
class CrgFile(Summarized):
    """Heights of an OpenCRG file, and its reference line.

    u, v      along the line, and to the left of it
    z         heights, of the line's slope and banking too, one row for each u
    heading   of the line at each u; `start` where it begins
    """

    name: str
    u: np.ndarray
    v: np.ndarray
    z: np.ndarray
    heading: np.ndarray
    start: tuple[float, float]

    def _summary(self) -> Summary:
        u, v, z = self.u, self.v, self.z
        rows = summary_rows(
            along=f"{u[0]:g} to {u[-1]:g} m, {len(u)} places", across=f"{v[0]:g} to {v[-1]:g} m, {len(v)} places",
            height=f"{np.nanmin(z):z.4g} to {np.nanmax(z):z.4g} m", turns=f"{np.ptp(self.heading):z.4g} rad in all",
        )  # fmt: skip
        return Summary(f"CrgFile {self.name}", rows)

    @property
    def line(self) -> np.ndarray:
        """x, y of the reference line at each u."""
        steps = np.diff(self.u)[:, None] * np.column_stack([np.cos(self.heading[1:]), np.sin(self.heading[1:])])
        return np.asarray(self.start) + np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])

    @property
    def curvature(self) -> np.ndarray:
        """Of the reference line at each u, positive to the left: change of heading between its segments."""
        bend = np.diff(np.unwrap(self.heading[1:])) / np.diff(self.u)[1:]
        return np.concatenate([bend[:1], bend, bend[-1:]]) if bend.size else np.zeros(len(self.u))

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """u, v of a place: on which normal of the reference line it is, and how far to the left."""
        place, line = np.array([x, y]), self.line
        along = np.diff(line, axis=0)
        part = np.clip(np.sum((place - line[:-1]) * along, axis=1) / np.sum(along**2, axis=1), 0, 1)
        away = place - line[:-1] - part[:, None] * along
        k = int(np.argmin(np.sum(away**2, axis=1)))
        left = np.array([-along[k, 1], along[k, 0]]) / np.linalg.norm(along[k])
        return float(self.u[k] + part[k] * (self.u[k + 1] - self.u[k])), float(left @ away[k])

    @property
    def path(self) -> PlanePath:
        """The reference line as a path in the plane of the file, for a `Driver`; s is u less that of the beginning."""
        return PlanePath(self.u - self.u[0], self.line, name="road_line")

    def road(self, frame: sb.Frame) -> Road:
        """The road in a frame whose coordinates are those of the file: a surface that has two continuous derivatives.
        Where the reference line turns, it is a spline through its points, and every wheel has a variable name_u for its
        place along the line: `nearest` has the value to begin with."""
        if np.isnan(self.z).any():
            raise ModelError(
                f"{self.name}: {int(np.isnan(self.z).sum())} heights are missing at the borders; cut v or fill z"
            )
        if np.ptp(np.unwrap(self.heading)) <= 1e-9:
            line = frame.translate(*self.start, 0).rotate("z", float(self.heading[0]), name="reference line")
            return sampled_road(line, self.u - self.u[0], self.v, self.z)
        x, y = (sb.integrate.interpolation(f"road_line_{k}", self.u, c) for k, c in zip("xy", self.line.T, strict=True))
        surface = sampled_surface(self.u, self.v, self.z)
        return CurvedRoad(frame, line=lambda u: (x(u), y(u)), surface=surface)


def read_crg(path: str | Path) -> CrgFile:
    """Heights and reference line of an OpenCRG file. Modifiers and options in it are not applied: the line lies where
    the file says."""
    where = Path(path)
    content = file_bytes(where, f"road {where.name!r}")
    with reading(f"{where.name}: cannot be read as an OpenCRG file"):
        return _road(where.name, content)


def _road(name: str, content: bytes) -> CrgFile:
    head, mark, data = content.partition(b"\n$$$$")
    if not mark:
        raise ModelError(f"{name}: the line $$$$ before the data of an OpenCRG file is missing")
    text = text_of(head, name)
    keys = {k.lower(): float(x) for k, x in re.findall(r"^\s*(\w+)\s*=\s*([-+.\deE]+)", text, re.MULTILINE)}
    kind, channels = _channels(name, text)
    return _grid(name, keys, channels, _numbers(name, kind, data.partition(b"\n")[2], len(channels)))


def _channels(name: str, text: str) -> tuple[str, list[str]]:
    lines = [line.strip() for line in text.partition("$KD_DEFINITION")[2].splitlines()]
    kind = next((line[2:].strip() for line in lines if line.startswith("#:")), "")
    if kind not in TEXT_WIDTHS and kind not in BINARY:
        raise ModelError(
            f"{name}: data of the format {shown(kind)}; the known formats are {listed([*TEXT_WIDTHS, *BINARY])}"
        )
    return kind, [line[2:].split(",")[0].strip().lower() for line in lines if line.startswith("D:")]


def _numbers(name: str, kind: str, data: bytes, channels: int) -> np.ndarray:
    """One row for each u."""
    if kind in BINARY:
        size = int(BINARY[kind][-1])
        values = np.frombuffer(data[: len(data) // size * size], BINARY[kind]).astype(float)
        values = values[: len(values) // channels * channels]
        filled = np.isnan(values.reshape(-1, channels)).all(axis=1)  # records are filled up to 80 bytes
        return values.reshape(-1, channels)[~filled]
    width = TEXT_WIDTHS[kind]
    lines = [line.rstrip() for line in data.decode("latin1").splitlines() if line.strip()]
    words = [line[k : k + width] for line in lines for k in range(0, len(line), width)]
    if len(words) % channels:
        raise ModelError(f"{name}: {len(words)} numbers for {channels} channels; a part of the data is missing")
    return np.array([np.nan if "*" in w else float(w) for w in words]).reshape(-1, channels)


def _grid(name: str, keys: Mapping[str, float], channels: list[str], columns: np.ndarray) -> CrgFile:
    by_name = dict(zip(channels, columns.T, strict=True))
    sections = [k for k, c in enumerate(channels) if c.startswith("long section")]
    step = keys.get("reference_line_increment")
    if not sections or not step:
        raise ModelError(
            f"{name}: longitudinal sections and reference_line_increment are required; it has {listed(channels)}"
        )
    n = (
        len(columns)
        if "reference_line_end_u" not in keys
        else round((keys["reference_line_end_u"] - keys.get("reference_line_start_u", 0)) / step) + 1
    )
    if n < 2:
        raise ModelError(f"{name}: a road has two cross sections at least, this one has {n}")
    if n > len(columns):
        raise ModelError(f"{name}: {len(columns)} cross sections, but its reference line has {n}")
    u = keys.get("reference_line_start_u", 0.0) + step * np.arange(n)
    v = _sections(keys, [channels[k] for k in sections])
    phi = _along(by_name.get("reference line phi"), keys, "phi", n)
    slope = _along(by_name.get("reference line slope"), keys, "s", n)
    bank = _along(by_name.get("reference line banking"), keys, "b", n, of_segment=False)
    z_ref = keys.get("reference_line_start_z", 0.0) + step * np.concatenate([[0], np.cumsum(slope[1:])])
    z = z_ref[:, None] + np.outer(bank, v) + columns[:n, sections]
    start = (keys.get("reference_line_start_x", 0.0), keys.get("reference_line_start_y", 0.0))
    return CrgFile(name, u, v, z, phi, start)


def _sections(keys: Mapping[str, float], names: list[str]) -> np.ndarray:
    """v of the long sections: by increments, or named one by one."""
    if "long_section_v_increment" in keys or not all("v =" in c for c in names):
        return np.linspace(keys["long_section_v_right"], keys["long_section_v_left"], len(names))
    return np.array([float(c.split("=")[1]) for c in names])


def _along(given: Any, keys: Mapping[str, float], what: str, n: int, of_segment: bool = True) -> np.ndarray:
    """A quantity of the reference line at each u: a channel, or constant from where the line starts. The first one of a
    segment is not used by the format: that of the first segment stands for it."""
    if given is None:
        return np.full(n, keys.get(f"reference_line_start_{what}", 0.0))
    out = np.array(given[:n])
    if of_segment and n > 1:
        out[0] = out[1]
    return out
