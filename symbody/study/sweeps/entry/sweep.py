"""`sweep`: the same question to many members, on threads, processes, a cluster or a GPU."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ....argument_kinds import checked_flags
from ....bodies.mechanism.mechanism import Mechanism
from ....bodies.model.model import Model
from ....derivation.equations.keywords import kinds_of, values_in_si
from ....emit.run.callable import Array
from ....emit.run.cuda_driver import cuda
from ....errors import StudyError, finite_number, in_number, shown
from ....version import VERSION
from ..questions.answers import UNKNOWN, schema_of
from ..questions.identity import fingerprint
from ..questions.questions import FunctionValues, Question
from ..questions.varied import varied_values
from ..stored.batches import batches
from ..stored.claims import claim, forget_claims
from ..stored.study_folder import LAYOUT, StudyFolder
from ..stored.sweep_result import SweepResult, load_sweep
from ..workers.job import Job
from ..workers.places import LOCAL_EXECUTORS, Place, place_of
from ..workers.sweep_progress import SweepProgress
from ..workers.sweep_run import SweepRun, all_answers, batch_size, pilot


@checked_flags(StudyError)
def sweep(
    what: Any,
    over: Mapping[Any, Any],
    ask: Any = None,
    *,
    sample: str = "grid",
    repeat: int = 1,
    seed: int = 0,
    values: Mapping[Any, float] | None = None,
    on: Any = "threads",
    workers: int | None = None,
    to: str | Path | None = None,
    batch: int | None = None,
    batched: bool = False,
    units: Mapping[str, str] | None = None,
    progress: bool | None = None,
    version: str | int | None = None,
) -> SweepResult:
    """Compute the same quantities for many members: `sweep(lin, {"V": (1, 10), "m3": norm(8, 1)}, spectrum(),
    sample="sobol", repeat=4096, to="study.zarr")`.

    what      equations, a linear system, or a function of the values by name that returns a number, an array or a
              mapping from names to these (with an argument `rng` it gets random numbers that belong to the member)
    over      varied quantities by name: a list of values, combined with all others; an interval (low, high); or a
              distribution of `scipy.stats`
    ask       quantities of equations and linear systems to compute: `at_times`, `at_end`, `extremes`, `spectrum`,
              `steady_values`, `orbit_values` in `symbody.study`
    sample    sampling of intervals and distributions: "grid", all combinations of `repeat` values of each; "random",
              "sobol" or "latin hypercube", `repeat` points in total. Lists are combined with the points. "paired": the
              k-th member has the k-th value of each list
    seed      of random points and of `rng`; the random numbers of a member do not depend on where or with which other
              members it is computed
    values    by name, the same for all members
    on        "threads" or "processes" of this computer; "dask" (a cluster on this computer), the address of a
              scheduler, or a client or cluster of Dask; "cuda": motions on a GPU
    workers   number of workers; by default the number of cores
    to        a folder (.zarr) that stores answers while they are computed. After an interruption of any kind the same
              call resumes and computes no member twice
    batch     members of a task; by default about a second of work
    batched   the function takes and returns arrays with one entry for each member
    units     by name, for quantities whose unit the model does not know
    progress  whether to show it; by default on a terminal
    version   a text or number that identifies `what` and `ask` when a study on disk is compared; change it when they
              change. By default they are compared by content: code, globals, helpers and tables that they use. Objects
              without comparable content (an open file, a function of a compiled module) are then refused

    A failed member does not affect others; its `status` and `outcome` state what happened. Ctrl-C waits for the batches
    in progress.

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]])
    >>> found = sb.sweep(lin, {"k": [1.0, 4.0], "c": [0.2, 0.4]}, sb.study.spectrum())
    >>> found["growth"]
    array([[-0.1, -0.2],
           [-0.1, -0.2]])

    See also: `study.SweepResult`, `simulate_batch`, `study.spectrum`, `study.at_end`.
    """
    asked = asked_sweep(what, over, ask, Sampling(sample, repeat, seed), dict(values or {}), batched, on)
    return run_sweep(
        replace(asked, units=dict(units or {}), version=_checked_version(version)),
        Setting(on, workers, batch, progress),
        None if to is None else Path(to).absolute(),
    )


@dataclass(frozen=True)
class Sampling:
    """The sampling of intervals and distributions."""

    sample: str
    repeat: int
    seed: int


@dataclass(frozen=True)
class Setting:
    """Where and how a sweep is computed, which does not affect any answer."""

    on: Any
    workers: int | None
    batch: int | None
    progress: bool | None


@dataclass(frozen=True)
class AskedSweep:
    """A question and its members; `units` by name, in addition to those of the model."""

    name: str
    job: Job
    units: Mapping[str, str] = field(default_factory=dict)
    version: str | int | None = None  # in place of the content of subject and question

    def lines(self) -> dict[str, tuple[str, Array, str]]:
        """Dimension, values and unit of everything that is varied."""
        v = self.job.varied
        known = {**self.job.question.units(self.job.subject, v.names), **self.units}
        units = {v.label(n): unit for n, unit in known.items()}
        return {n: (d, x, units.get(n, "")) for n, (d, x) in v.coordinates().items()}

    def lines_of_answers(self) -> dict[str, tuple[str, Array, str]]:
        return {n: (n, v, u) for n, (v, u) in self.job.question.coordinates(self.job.subject).items()}

    @cached_property
    def identity(self) -> dict[str, str]:
        """What makes two studies the same."""
        job, values = self.job, {n: v for n, (_, v) in self.job.varied.coordinates().items()}
        told = self.version is not None
        return {
            "members": fingerprint([list(values), values, dict(job.constants)]),
            "question": fingerprint([type(job.question).__name__, self.version] if told else job.question),
            "subject": fingerprint([self.name, self.version] if told else job.question.content(job.subject)),
        }

    def about(self) -> dict[str, Any]:
        """What a study says of itself on disk."""
        v = self.job.varied
        over = {v.label(n): "listed" for n in v.levels} | {v.label(n): str(d) for n, d in v.drawn.items()}
        return {
            "name": self.name, "over": over, "sample": v.sample, "repeat": v.repeat, "seed": v.seed, "values": dict(self.job.constants),
            "ask": type(self.job.question).__name__, "identity": self.identity, "symbody": VERSION,
        }  # fmt: skip

    def folder_at(self, path: Path) -> StudyFolder | None:
        """The folder of this study, if it exists; that of another study is refused."""
        if not path.exists():
            return None
        found = StudyFolder(path)
        if found.about["version"] != LAYOUT:
            raise StudyError(
                f"{path} was made by symbody {found.about.get('symbody', 'of another version')}, without checksums: sb.load reads it; choose another name to go on"
            )
        differ = [what for what, own in self.identity.items() if found.about["identity"].get(what) != own]
        if differ:
            words = {
                "members": "what is varied, or the values",
                "question": "the quantities to compute",
                "subject": "the model or function",
            }
            raise StudyError(
                f"{path} holds another study: {in_number((words[d] for d in differ), '{} differs', '{} differ')}; choose another "
                "name, or remove it"
            )
        return found


def _checked_version(version: Any) -> str | int | None:
    if version is None or (isinstance(version, (str, int)) and not isinstance(version, bool)):
        return version
    raise StudyError(f"sweep: version= must be a text or a whole number, got {shown(version)}")


def asked_sweep(
    what: Any, over: Mapping[Any, Any], ask: Any, sampling: Sampling, values: Mapping[Any, Any], batched: bool, on: Any
) -> AskedSweep:
    """The question and its members, checked."""
    if kinds_of(what) is not None:
        over, values = (values_in_si(x, "sweep", StudyError, what) for x in (over, values))
    members = varied_values(over, sampling.sample, sampling.repeat, sampling.seed)
    constants = {str(getattr(k, "name", k)): finite_number(v, f"sweep: {k}", StudyError) for k, v in values.items()}
    if twice := [n for n in constants if n in members.names]:
        raise StudyError(
            f"sweep: {in_number(twice, '{} is varied and has a value', '{} are varied and have values')} for all members; leave one of the two out"
        )
    question = _question(what, ask, batched, on)
    question.check(what, (*members.names, *constants))
    members = replace(members, labels=question.labels(what, members.names))
    if taken := [n for n in members.coordinates() if n in question.coordinates(what) or n in question.layout(what)]:
        raise StudyError(
            f"sweep: {in_number(taken, '{} is varied, and cannot be an answer', '{} are varied, and cannot be answers')} too"
        )
    name = str(getattr(what, "name", None) or getattr(what, "__name__", type(what).__name__))
    return AskedSweep(name, Job(what, question.prepared(members, constants), members, constants))


def _question(what: Any, ask: Any, batched: bool, on: Any) -> Question:
    if isinstance(what, (Model, Mechanism)):
        raise StudyError(f"sweep: {what.name!r} is a model; sweep needs equations, derive(model)")
    if ask is not None and not hasattr(ask, "answers"):
        raise StudyError(f"sweep: ask must be a question such as sb.study.at_end(10, 'theta'), got {shown(ask)}")
    if ask is None:
        if not callable(what) or hasattr(what, "variables"):
            raise StudyError(
                "sweep: ask= must state the quantities to compute: at_times, at_end, extremes, spectrum, steady_values or "
                "orbit_values of symbody.study"
            )
        ask = FunctionValues(batched)
    if isinstance(on, str) and on == "cuda":
        if not hasattr(ask, "target"):
            raise StudyError("sweep: on='cuda' is for motions: at_times and at_end")
        ask = replace(ask, target="cuda")
    if getattr(ask, "target", "cpu") == "cuda" and (on is None or on in LOCAL_EXECUTORS):
        cuda()  # reports missing values before all members fail for them
    made: Question = ask
    return made


# ---------------------------------------------------------------------------------------------------------- running it


def run_sweep(asked: AskedSweep, setting: Setting, path: Path | None) -> SweepResult:
    """Compute the members that are not finished yet."""
    if path is None:
        return _executed_sweep(asked, setting, None, None)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}; make it first")
    with claim(path, "study", waits=False):
        folder = asked.folder_at(path)
        if folder is not None:
            _say_damaged(folder)
        if folder is None or _unfinished_batches(folder):
            _executed_sweep(asked, setting, path, folder)
        forget_claims(path)
    return load_sweep(path)


def _unfinished_batches(folder: StudyFolder) -> list[int]:
    return [k for k in range(len(folder.batches)) if not folder.is_finished(k)]


def _say_damaged(folder: StudyFolder) -> None:
    if damaged := folder.damaged():
        warnings.warn(
            f"{folder.path}: {in_number(damaged, 'the batch {} is', 'the batches {} are')} damaged, and computed again",
            stacklevel=4,
        )


def _executed_sweep(asked: AskedSweep, setting: Setting, path: Path | None, folder: StudyFolder | None) -> SweepResult:
    place, run = place_of(setting.on, asked.job, setting.workers), None
    try:
        run = _new_run(asked, setting, place, path) if folder is None else _resumed_run(asked, setting, place, folder)
        run.run(_unfinished_batches(folder) if folder is not None else range(len(run.batches)))
        place.close()
    except BaseException as reason:
        place.close(at_once=True)
        if isinstance(reason, KeyboardInterrupt):
            raise KeyboardInterrupt(_interruption_message(asked, path)) from None
        raise
    finally:
        if run is not None:
            run.progress.end()
    kept = all_answers(run) if run.folder is None else None
    return SweepResult(
        asked.name, asked.job.varied.dims, {**asked.lines(), **asked.lines_of_answers()}, run.schema, kept, path
    )


def _new_run(asked: AskedSweep, setting: Setting, place: Place, path: Path | None) -> SweepRun:
    """A new study: the first members determine the columns of the answers and the size of a batch."""
    total = len(asked.job.varied)
    first = pilot(place, total)
    schema = schema_of(first.answers, asked.job.question.layout(asked.job.subject))
    size = setting.batch or batch_size(total, place.width, first.seconds, schema)
    divided = batches(asked.job.varied.shape, size)
    folder = (
        None if path is None else StudyFolder.make(path, asked.job.varied.dims, divided, asked.lines(), asked.about())
    )
    run = SweepRun(
        asked.job, divided, place, SweepProgress(asked.name, total, 0, setting.progress), folder, first=first.answers
    )
    if schema:
        run.learn(first.answers)
    return run


def _resumed_run(asked: AskedSweep, setting: Setting, place: Place, folder: StudyFolder) -> SweepRun:
    left = sum(len(folder.batches.members(k)) for k in _unfinished_batches(folder))
    total = len(asked.job.varied)
    progress = SweepProgress(asked.name, total, total - left, setting.progress)
    return SweepRun(asked.job, folder.batches, place, progress, folder, folder.schema())


def _interruption_message(asked: AskedSweep, path: Path | None) -> str:
    total = len(asked.job.varied)
    if path is None or not path.exists():
        return f'interrupted; {total} members were requested, and nothing is stored without to="study.zarr"'
    done = total - int((load_sweep(path).status == UNKNOWN).sum())
    return f"interrupted after {done} of {total} members; the same call continues from {path}"
