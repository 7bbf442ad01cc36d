"""Model sources: built-in models, model files, URDF, MJCF, SDF and OpenSim files, and Python files of the user."""

from __future__ import annotations

import runpy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from ..algebra.graph.graph import Symbol
from ..argument_kinds import answered
from ..bodies.mechanism.mechanism import Mechanism
from ..bodies.model.model import Model
from ..errors import ModelError, listed, shown, why_no_file
from ..formats.mjcf.read_mjcf import read_mjcf
from ..formats.osim.read_osim import read_osim
from ..formats.robot.robot import Robot
from ..formats.sdf.read_sdf import read_sdf
from ..formats.urdf.read_urdf import read_urdf
from ..summary import Introduced, one_line_tag
from .model_reading import ModelFile, built_in, place_of, read_model, read_requests
from .requests import Requests

PACKAGE: Final = "package://"
NOTHING_ASKED: Final = Requests(values={}, start={})


@dataclass(frozen=True, eq=False, repr=False)
class ModelSource(Introduced):
    """A model and the analyses that it requests.

    argument      as the user wrote it, for repetition in commands
    origin        a phrase: built in, a model file, a URDF or MJCF file, a Python file
    description   a text of one or more sentences; `name` is the name of the model
    requests      the requested analyses
    packages      folders of the packages in which the meshes of a robot are
    meshes        folders that the user named for meshes

    >>> source = sb.study.find_model("slider_crank")
    >>> source.origin, source.name
    ('built in', 'slider crank')
    >>> dict(source.units)
    {}

    See also: `study.find_model`, `study.Study`.
    """

    argument: str
    origin: str
    name: str
    description: str
    model: Model | Mechanism
    requests: Requests = NOTHING_ASKED
    packages: Mapping[str, Path] = field(default_factory=dict)  # where the meshes of a robot are
    meshes: tuple[str, ...] = ()  # folders that the user named for them

    @property
    def units(self) -> Mapping[Symbol, str]:
        """Declared units, by symbol."""
        return self.model.parts.units if isinstance(self.model, Model) else self.model.units

    def __repr__(self) -> str:
        return one_line_tag(f"ModelSource of {self.name}, {self.origin}: {self.description}")

    @property
    def shapes(self) -> Any:
        """Shapes for drawing the bodies, if given.

        >>> [trace.name for trace in sb.study.find_model("slider_crank").shapes.traces]
        ['middle of the rod']
        """
        return self.model if isinstance(self.model, Robot) else self.requests.draw


def first_line(path: Path) -> str:
    """The comment in the first line of a model file, which describes it."""
    with path.open(encoding="utf-8") as file:
        return file.readline().partition("#")[2].strip()


def starting_file(name: str) -> str:
    """A commented model file to begin with."""
    text = files("symbody").joinpath("library", "starting_file.txt").read_text(encoding="utf-8")
    return text.replace("NAME", name)


@answered
def find_model(argument: str, meshes: Sequence[str | Path] = ()) -> ModelSource:
    """Find the model with this name or path. `meshes` lists folders, in addition to the folder of the file, that may
    contain the mesh packages of a robot.

    >>> sb.study.find_model("slider_crank").name
    'slider crank'

    See also: `read_model`, `study.Study`.
    """
    path = place_of(argument)
    if argument in built_in():
        return _from_file(argument, "built in", read_model(path), first_line(path))
    if wrong := why_no_file(path):
        raise ModelError(f"{shown(argument)}: {wrong}; `symbody examples` lists the models that are built in")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ModelError(
            f"{argument}: a model is a file that ends in {listed(_READERS)}, or the name of a built-in one"
        )
    source = reader(argument, path)
    if not meshes or not isinstance(source.model, Robot):
        return source
    folders = [path.resolve().parent, *(Path(f).resolve() for f in meshes)]
    return replace(source, packages=_packages(source.model, folders), meshes=tuple(map(str, meshes)))


def _from_file(argument: str, origin: str, file: ModelFile, about: str) -> ModelSource:
    return ModelSource(argument, origin, file.name, file.description or about, file.model, file.requests)


def _yaml(argument: str, path: Path) -> ModelSource:
    return _from_file(argument, "model file", read_model(path), first_line(path))


def _urdf(argument: str, path: Path) -> ModelSource:
    robot = read_urdf(path)
    about = f"robot with {len(robot.links)} links"
    return ModelSource(
        argument, "URDF file", robot.name, about, robot, packages=_packages(robot, [path.resolve().parent])
    )


def _mjcf(argument: str, path: Path) -> ModelSource:
    """The start is the first keyframe of the file, or the configuration that it shows."""
    robot = read_mjcf(path)
    first = next(iter([k for k in robot.keyframes if k != "qpos0"]), "qpos0")
    about = f"robot with {len(robot.links)} links"
    asked = replace(NOTHING_ASKED, start=dict(robot.keyframes[first]))
    return ModelSource(argument, "MJCF file", robot.name, about, robot, asked)


def _sdf(argument: str, path: Path) -> ModelSource:
    robot = read_sdf(path)
    asked = replace(NOTHING_ASKED, start=dict(robot.keyframes["initial"]))
    return ModelSource(argument, "SDF file", robot.name, f"robot with {len(robot.links)} links", robot, asked)


def _packages(robot: Robot, folders: Sequence[Path]) -> dict[str, Path]:
    """Folder that package://name/ stands for: the one of that name in the first of these folders that has one, or one
    of them that is called so.

    A robot's file says which files are opened, so they are looked for nowhere else.
    """
    files = [s.file for shapes in robot.visuals.values() for s in shapes if s.file.startswith(PACKAGE)]
    names = dict.fromkeys(f.removeprefix(PACKAGE).partition("/")[0] for f in files)
    out: dict[str, Path] = {}
    for name in names:
        if name.strip(". ") and not set(name) & set("\\:"):
            candidates = [f / name for f in folders] + [f for f in folders if f.name == name]
            inside = [c for c in candidates if c.is_dir() and any(c.resolve().is_relative_to(f) for f in folders)]
            out |= {f"{PACKAGE}{name}/": c for c in inside[:1]}
    return out


def _python(argument: str, path: Path) -> ModelSource:
    """A Python file, run as the user's own code. It defines `model`, and may define `START` and `VALUES`, numbers by
    name, and `REQUESTS`, requests in the form of a model file."""
    space = runpy.run_path(str(path), run_name="symbody_model")
    found = space.get("model")
    model = found() if callable(found) else found
    if not isinstance(model, (Model, Mechanism)):
        raise ModelError(
            f"{argument}: a Python file defines `model`, a Model or a function that makes one; got {shown(found)}"
        )
    requests = _requests(argument, space, model)
    about = (space.get("__doc__") or "").strip().split("\n")[0]
    return ModelSource(argument, "Python file", model.name, about, model, requests)


def _requests(argument: str, space: Mapping[str, Any], model: Model | Mechanism) -> Requests:
    text, asked = space.get("REQUESTS"), NOTHING_ASKED
    if text is not None:
        if not isinstance(text, str) or not isinstance(model, Model):
            what = (
                shown(text)
                if isinstance(model, Model)
                else "a mechanism, which does not take any: let `model` be a Model"
            )
            raise ModelError(
                f"{argument}: REQUESTS must be a text in the syntax of a model file, next to a Model; got {what}"
            )
        asked = read_requests(text, model, f"{argument}, REQUESTS")
    values, start = (_numbers(argument, space, name) for name in ("VALUES", "START"))
    return replace(asked, values={**asked.values, **values}, start={**asked.start, **start})


def _numbers(argument: str, space: Mapping[str, Any], name: str) -> dict[str, float]:
    given = space.get(name, {})
    if not isinstance(given, Mapping):
        raise ModelError(f"{argument}: {name} gives numbers by name, got {shown(given)}")
    return {str(k): float(v) for k, v in given.items()}


def _osim(argument: str, path: Path) -> ModelSource:
    model = read_osim(path)
    asked = replace(NOTHING_ASKED, start=dict(model.keyframes["default"]))
    about = f"{len(model.links)} bodies, {len(model.muscles)} muscles without forces"
    return ModelSource(argument, "OpenSim file", model.name, about, model, asked)


_READERS: Final = {
    ".yaml": _yaml,
    ".yml": _yaml,
    ".urdf": _urdf,
    ".xml": _mjcf,
    ".mjcf": _mjcf,
    ".sdf": _sdf,
    ".osim": _osim,
    ".py": _python,
}
