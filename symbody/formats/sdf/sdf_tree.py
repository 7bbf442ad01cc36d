"""The elements of an SDF file: models in models and included ones flattened, names with their scopes, values checked.

A name in a model is seen from outside with the model's name before it, `arm::gripper`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...errors import ModelError, shown
from ...given_files import beside
from ..robot.link_frames import LinkPlacement, Vec, from_rpy
from ..robot.rotation_numbers import of_quaternion
from ..robot.xml_tree import XmlElement, finite_number, read_xml

MOST_INCLUDES: Final = 1000
SCOPE: Final = "::"


@dataclass(frozen=True)
class SdfFile:
    """A file: its root element, version as numbers, and folder (None for a text)."""

    where: str
    root: XmlElement
    version: tuple[int, ...]
    folder: Path | None

    def wrong(self, e: XmlElement, says: str) -> ModelError:
        name = e.attributes.get("name")
        called = f" {name!r}" if name else ""
        return ModelError(f"{self.where} (line {e.line}): <{e.tag}>{called}: {says}")

    # ------------------------------------------------------------------------------------------------ values

    def only(self, e: XmlElement, tag: str) -> XmlElement | None:
        found = list(e.all(tag))
        if len(found) > 1:
            raise self.wrong(found[1], f"occurs {len(found)} times, expected once")
        return found[0] if found else None

    def text(self, e: XmlElement, tag: str, default: str = "") -> str:
        found = self.only(e, tag)
        return default if found is None else found.text.strip()

    def numbers(self, e: XmlElement, count: int) -> list[float]:
        words = e.text.split()
        if len(words) != count:
            raise self.wrong(e, f"{shown(e.text.strip())} is not {count} number{'s' * (count > 1)}")
        found = [math.inf if w.lower() in ("inf", "+inf") else -math.inf if w.lower() == "-inf" else finite_number(w) for w in words]  # fmt: skip
        if None in found:
            raise self.wrong(e, f"{shown(words[found.index(None)])} is not a number")
        return found  # type: ignore[return-value]

    def one(self, e: XmlElement | None, tag: str, default: float) -> float:
        found = None if e is None else self.only(e, tag)
        return default if found is None else self.numbers(found, 1)[0]

    def three(self, e: XmlElement) -> Vec:
        x, y, z = self.numbers(e, 3)
        return x, y, z

    def is_true(self, e: XmlElement, tag: str) -> bool:
        return self.text(e, tag, "false").lower() in ("1", "true")

    def pose(self, e: XmlElement | None) -> LinkPlacement:
        """x y z roll pitch yaw; or a quaternion x y z w after the position."""
        if e is None or not e.text.strip():
            return LinkPlacement()
        form = e.attributes.get("rotation_format", "euler_rpy")
        if form == "quat_xyzw":
            x, y, z, a, b, c, w = self.numbers(e, 7)
            return LinkPlacement(of_quaternion(w, a, b, c), (x, y, z))
        if form != "euler_rpy":
            raise self.wrong(e, f"rotation_format={shown(form)} is neither euler_rpy nor quat_xyzw")
        x, y, z, *angles = self.numbers(e, 6)
        if e.attributes.get("degrees", "false").lower() in ("1", "true"):
            angles = [math.radians(a) for a in angles]
        return LinkPlacement(from_rpy(*angles), (x, y, z))


def read_file(source: Any, caller: str) -> SdfFile:
    where, root = read_xml(source, "SDF", caller)
    if root.tag != "sdf":
        hint = {"robot": "; this is a URDF file: use read_urdf", "mujoco": "; this is an MJCF file: use read_mjcf"}
        raise ModelError(
            f"{where} (line {root.line}): the root element is <{root.tag}>, not <sdf>{hint.get(root.tag, '')}"
        )
    words = root.attributes.get("version", "1.7").split(".")
    if not all(w.isdigit() for w in words):
        raise ModelError(f"{where}: version={shown(root.attributes['version'])} is not a version of SDF, such as 1.7")
    is_text = isinstance(source, bytes) or (isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"))
    return SdfFile(where, root, tuple(int(w) for w in words), None if is_text else Path(source).resolve().parent)


# ---------------------------------------------------------------------------------------------------------- models


@dataclass(frozen=True)
class SdfModel:
    """A model with what is around it.

    scope    of its names: "" of the only model of a file
    parent   scope of the model around it; None: the world
    pose     in the frame `relative_to` of the parent's scope ("" : the parent's own frame)
    placed   the frame of the model that is at its pose; "": its own
    """

    file: SdfFile
    element: XmlElement
    scope: str
    parent: str | None
    pose: LinkPlacement
    relative_to: str
    placed: str
    static: bool


def models_of(file: SdfFile, counts: dict[str, int]) -> Iterator[SdfModel]:
    """All models of a file, each before those in it; `counts` gets what is not read of worlds."""
    for world in file.root.all("world"):
        for c in world.children:
            if c.tag not in ("model", "include", "gravity", "joint", "frame"):
                counts[f"<{c.tag}> in <world>"] = counts.get(f"<{c.tag}> in <world>", 0) + 1
    holders = [file.root, *file.root.all("world")]
    found = [(c, h) for h in holders for c in h.children if c.tag in ("model", "include")]
    if not found:
        raise ModelError(f"{file.where}: there is no <model>")
    included = [0]
    for e, _ in found:
        yield from _with_inner(file, e, None, len(found) == 1, False, counts, included)


def _with_inner(
    file: SdfFile, e: XmlElement, parent: str | None, alone: bool, static: bool, counts: dict[str, int], included: list[int]
) -> Iterator[SdfModel]:  # fmt: skip
    outer, holder, inner = e, file, file
    if e.tag == "include":
        found = _included_file(file, e, included)
        if found is None:
            what = f"<include> of {shown(file.text(e, 'uri'))}, which is not in the folder of the file"
            counts[what] = counts.get(what, 0) + 1
            return
        inner, e = found, next(iter(found.root.all("model")))
    name = holder.text(outer, "name") or e.attributes.get("name", "model")
    scope = "" if alone and parent is None else name if not parent else f"{parent}{SCOPE}{name}"
    pose_of = outer if holder.only(outer, "pose") is not None else e
    where = holder if pose_of is outer else inner
    pose = where.only(pose_of, "pose")
    placed = holder.text(outer, "placement_frame") or outer.attributes.get("placement_frame", "") or e.attributes.get("placement_frame", "")  # fmt: skip
    fixed = static or holder.is_true(outer, "static") or inner.is_true(e, "static")
    relative_to = "" if pose is None else pose.attributes.get("relative_to", "")
    yield SdfModel(inner, e, scope, parent, where.pose(pose), relative_to, placed, fixed)
    for c in e.children:
        if c.tag in ("model", "include"):
            yield from _with_inner(inner, c, scope, False, fixed, counts, included)


def _included_file(file: SdfFile, e: XmlElement, included: list[int]) -> SdfFile | None:
    """A file beside this one, by a relative path, or by `model://name` in the folder of this model's folder."""
    included[0] += 1
    if included[0] > MOST_INCLUDES:
        raise ModelError(f"{file.where}: more than {MOST_INCLUDES} files are included; does one include itself?")
    uri = file.text(e, "uri")
    scheme, _, path = uri.rpartition("://")
    if file.folder is None or not path or scheme not in ("", "model", "file") or Path(path).is_absolute():
        return None
    if ".." in Path(path).parts:
        raise file.wrong(e, f"{shown(uri)} lies outside the folder of the file, and is not opened")
    homes = [file.folder, file.folder.parent] if scheme == "model" else [file.folder]
    for home in homes:
        for name in (path, f"{path}/model.sdf"):
            if not (home / name).is_file():
                continue
            if (candidate := beside(home, name)) is None:
                raise file.wrong(e, f"{shown(uri)} lies outside the folder of the file by a link, and is not opened")
            return read_file(candidate, "read_sdf")
    return None
