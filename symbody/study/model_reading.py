"""`read_model`: from a model file to a `ModelFile`, by the steps text, tree, checked fields, model, requests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from ..argument_kinds import answered
from ..bodies.file.keys import FILE, REQUESTS
from ..bodies.file.located import LocatedRecord, LocatedText
from ..bodies.file.make_model import Build, name_of
from ..bodies.file.paths import beside
from ..bodies.file.scope import Budget, Scope
from ..bodies.file.yaml_tree import FileText, read_source, source_of, tree
from ..bodies.mechanism.mechanism import Mechanism
from ..bodies.model.model import Model
from ..errors import ModelError, shown, unknown, why_no_file
from .contact_requests import contacts_of_copies
from .requests import Requests, requests_of

MAX_FILES: Final = 32  # largest number of files of one model


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a model file.

    model, mechanism   the model, and its mechanism
    requests           values, start, simulate, steady, linearize, eig, frf, draw: the analyses requested by the file
    description        a text of one or more sentences
    path               of the file; None for a built-in model or a text

    >>> file = sb.read_model("double_pendulum")
    >>> file.name, file.requests.start
    ('double pendulum', {'q1': 1.5708, 'q2': 0.0})

    See also: `read_model`, `study.ModelSource`.
    """

    name: str
    description: str
    model: Model
    mechanism: Mechanism
    requests: Requests
    path: Path | None = None

    def __repr__(self) -> str:
        return f"<ModelFile {self.name}: {len(self.mechanism.bodies)} bodies, {len(self.mechanism.joints)} joints>"


@cache
def built_in() -> dict[str, Path]:
    """Model files that come with the package, by name.

    >>> "slider_crank" in sb.study.built_in()
    True

    See also: `read_model`.
    """
    folder = Path(str(files("symbody").joinpath("library")))
    return {p.stem: p for p in sorted(folder.glob("*.yaml"))}


def read_model(path: str | bytes | Path) -> ModelFile:
    """Read a model file (YAML, see docs/model-files.md), or a built-in model by its name (`symbody examples`). Errors
    name file, line and column. A text of several lines is read as the content of a file (`read_model_text`).

    >>> file = sb.read_model("slider_crank")
    >>> file.model.name, list(file.model.bodies)
    ('slider crank', ['slider', 'rod', 'crank'])

    See also: `study.read_model_text`, `write_model`, `study.ModelFile`, `study.built_in`.
    """
    if isinstance(path, (str, bytes)) and len(path.splitlines()) > 1:
        return read_model_text(path)
    place = place_of(path)
    return _model_file(read_source(place), place.stem, place)


def place_of(path: Any) -> Path:
    """Where the model is that a name or a path means."""
    if not isinstance(path, (str, Path)):
        raise ModelError(f"models: expected the name of a built-in model or the path of a file, got {shown(path)}")
    if "\n" in str(path):
        raise ModelError(
            f"models: expected a name or a path, got a text of several lines, {shown(path)}; sb.study.read_model_text reads it"
        )
    place = built_in().get(str(path), Path(path))
    if not place.suffix and why_no_file(place).startswith("there is no"):
        raise unknown("models", "built-in model", str(path), built_in(), ModelError)
    return place


@answered
def read_model_text(text: str | bytes, name: str = "model") -> ModelFile:
    """Read a model file given as text. It cannot refer to other files.

    >>> file = sb.study.read_model_text('''
    ... symbody: 1
    ... name: pendulum
    ... parameters: {l: 1.0, g: 9.81}
    ... gravity: [0, -g, 0]
    ... bodies:
    ...   bob: {mass: 1, com: [0, -l, 0]}
    ... joints:
    ...   theta: {revolute: [ground, bob]}
    ... ''')
    >>> sb.derive(file.model).f
    vector(-g*l*sin(theta))

    See also: `read_model`, `write.model_text`.
    """
    return _model_file(source_of(text, name, None), name, None)


def read_requests(text: str, model: Model, name: str) -> Requests:
    """Requests of a model made in Python, in the words of a model file: steady: {...}, eig: {...}."""
    source = source_of(text, name, None)
    return requests_of(REQUESTS.read(source, tree(source)), Scope(model, Budget()), model.freeze())


def _model_file(source: FileText, default: str, path: Path | None) -> ModelFile:
    fields = FILE.read(source, tree(source))
    name = name_of(fields, default)
    build = Build(fields, name, _part_record, Budget())
    mechanism = build.build()
    description = fields.get("description").text.strip() if "description" in fields else ""
    requests = requests_of(fields, build.scope, mechanism, contacts_of_copies(build))
    return ModelFile(name, description, build.model, mechanism, requests, path)


def _part_record(said: LocatedText, budget: Budget) -> tuple[LocatedRecord, str]:
    """The record of a part's file, and the part's default name."""
    path = beside(said)
    budget.files += 1
    if budget.files > MAX_FILES:
        raise said.error(f"a model is made of at most {MAX_FILES} files; does one of them contain itself?")
    source = read_source(path)
    return FILE.read(source, tree(source)), path.stem
