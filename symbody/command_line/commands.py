"""The commands of `symbody`: each is a function from the parsed arguments to an `Answer`, as text and as data."""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from .. import formats, view, write
from .. import study as studies
from ..bodies.file import keys
from ..bodies.mechanism.inferred_units import declared_unit
from ..derivation.equations.equations import Equations
from ..derivation.equations.expression_units import columns_in_units_shown
from ..emit.cache import disk_cache
from ..errors import ModelError, SymbodyError, listed
from ..escaping import csv_row, in_terminal
from ..kits import motions
from ..options import meanings
from ..simulation_options import SimulationOptions
from ..study.model_reading import built_in
from ..study.named_expression import named_expression
from ..study.sources import first_line, starting_file
from ..study.study import Study
from ..summary import counted
from ..units import in_unit
from ..whole_files import write_text
from ..write.report import watched
from .answer import Answer
from .command_arguments import ranges_of, source_of, study_of

MOST_VALUES: Final = 200  # final values of a motion that are printed
STYLES: Final = ("text", "latex", "sympy", "c", "numpy")
PICTURES: Final = ("scene", "sketch", "free-body", "motion")
ASKS: Final = ("eigenvalues", "end", "extremes")
MODEL_FILES: Final = ("mjcf", "osim")  # files of other programs that `export --to` writes
TARGETS: Final = tuple(
    "c fortran auto simulink scilab modelica matlab rust javascript wasm numpy jax torch casadi sympy fmu page".split()
)
SIMULATION_OPTIONS: Final = {  # numbers and words among them, with their meanings
    name: words
    for name, words in meanings(SimulationOptions.__doc__ or "").items()
    if name in keys.SIMULATION_OPTIONS and name not in ("independent", "project", "project_stages", "invariants")
}


# ---------------------------------------------------------------------------------------------------------- models


def examples(_: Any) -> Answer:
    found = {name: first_line(path) for name, path in built_in().items()}
    width = max(map(len, found), default=0)
    return Answer("\n".join(f"{name:<{width}}  {about}" for name, about in found.items()), found)


def new(asked: Any) -> Answer:
    path = asked.output or Path(f"{asked.name}.yaml")
    if path.exists():
        raise ModelError(f"{path} exists already; choose another name, or -o another file")
    write_text(path, starting_file(asked.name))
    return Answer(f"wrote {path}; next: symbody check {path}", {"file": str(path)})


def check(asked: Any) -> Answer:
    study = study_of(asked)
    found, m = study.audit, study.mechanism
    data = {
        "name": m.name,
        "bodies": [b.name for b in m.bodies],
        "joints": {j.name: j.kind for j in m.joints},
        "coordinates": [q.name for q in m.q],
        "speeds": [u.name for u in m.u],
        "constraints": [c.name for c in m.constraints],
        "rank": found.rank,
        "degrees_of_freedom": found.degrees_of_freedom,
        "parameters": {s.name: m.values.get(s) for s in m.p},
        "inputs": [s.name for s in m.r],
        "notes": list(found.notes),
        "findings": [{"error": f.is_error, "text": f.text} for f in found.findings],
    }
    return Answer(str(found), data, found.passed)


def cache(asked: Any) -> Answer:
    """Show the cache of machine code on disk: its folder, its size and its limit."""
    removed = disk_cache.clear() if asked.clear else []
    kept = disk_cache.entries()
    size, limit = sum(e.size for e in kept), disk_cache.limit()
    data = {"place": str(disk_cache.directory()), "entries": len(kept), "bytes": size, "limit": limit}
    text = f"{data['place']}: {_files(len(kept))}, {_megabytes(size)} of at most {_megabytes(limit)}"
    if asked.clear:
        freed = sum(e.size for e in removed)
        text = f"removed {_files(len(removed))}, {_megabytes(freed)}\n{text}"
        data |= {"removed": len(removed), "freed": freed}
    return Answer(text, data)


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _megabytes(size: int) -> str:
    return f"{size / 2**20:z.1f} MiB"


# ---------------------------------------------------------------------------------------------------------- equations


def derive(asked: Any) -> Answer:
    study = study_of(asked, route=asked.route)
    eq = study.equations
    made = write.equation_programs(eq)
    costs = {name: {"total": p.cost.total, "functions": p.cost.functions} for name, p in made.items()}
    written = write.equations_files(eq, asked.style, made)
    data = {"name": eq.name, "route": eq.route, "style": asked.style, "operations": costs}
    if asked.output is None:
        counts = "\n".join(f"{name}: {p.cost}" for name, p in made.items())
        body = "\n".join(written.values())
        return Answer(f"{body}\n\n{counts}" if asked.style == "text" else body, {**data, "files": written})
    paths = _write(asked.output, written)
    return Answer(f"wrote {', '.join(map(str, paths))}", {**data, "files": [str(p) for p in paths]})


def export(asked: Any) -> Answer:
    """Write a folder in another language, complete with driver, build file and README; or a single file: an FMU, a page
    in which the model runs, or the model as MJCF or .osim."""
    study = study_of(asked)
    study.without_modes("what is exported")
    if asked.to in MODEL_FILES:
        return _export_model(study, asked)
    options: dict[str, Any] = {"start": study.start}
    if asked.name is not None:
        options["name"] = asked.name
    if asked.event:
        options["events"] = dict(_event(study.equations, text) for text in asked.event)
    if asked.functions is not None:
        options["functions"] = [n.strip() for n in asked.functions.split(",")]
    if asked.reference is not None:
        options["reference"] = asked.reference
    if asked.no_reference:
        options["reference"] = None
    options |= {k: True for k in ("single_precision", "embedded") if getattr(asked, k)}
    options |= {
        k: v
        for k, v in (("version", asked.fmi), ("kind", asked.kind), ("platforms", asked.platform), ("vary", asked.vary))
        if v
    }
    if asked.to in ("fmu", "page"):
        begin, end = study.span
        options["until"] = abs(end - begin)
    if asked.to == "page":
        options |= {"shapes": study.source.shapes, "packages": study.source.packages, "inputs": study.laws}
    made = write.export(study.equations, asked.to, asked.output, **options)
    if made.is_file():
        return Answer(f"wrote {made}", {"name": study.source.name, "to": asked.to, "files": [str(made)]})
    files = sorted(str(p) for p in made.rglob("*") if p.is_file())
    return Answer(
        f"wrote {made}; next: see {made / 'README.md'}", {"name": study.source.name, "to": asked.to, "files": files}
    )


def _export_model(study: Study, asked: Any) -> Answer:
    """The model itself as a file of another program, without code."""
    of_code = (
        "name",
        "event",
        "functions",
        "reference",
        "no_reference",
        "single_precision",
        "embedded",
        "fmi",
        "kind",
        "platform",
        "vary",
    )
    if given := [f"--{name.replace('_', '-')}" for name in of_code if getattr(asked, name)]:
        raise ModelError(
            f"export --to {asked.to} writes the model, not code: options of code do not apply: {listed(given)}"
        )
    write_file = formats.write_mjcf if asked.to == "mjcf" else formats.write_osim
    write_file(study.source.model, asked.output)
    return Answer(f"wrote {asked.output}", {"name": study.source.name, "to": asked.to, "files": [str(asked.output)]})


def _event(eq: Equations, said: str) -> tuple[str, Any]:
    """An event from NAME (a variable or output) or NAME=EXPRESSION: its name, and the expression that crosses zero."""
    name, equals, text = said.partition("=")
    return name.strip(), named_expression(eq, text, f"--event {name}") if equals else name.strip()


def _write(place: Path, files: Mapping[str, str]) -> list[Path]:
    """Write one file under the given name, or several into a folder of that name."""
    if len(files) == 1 and place.suffix:
        write_text(place, next(iter(files.values())))
        return [place]
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_text(place / name, text)
    return [place / name for name in files]


# ---------------------------------------------------------------------------------------------------------- answers


def simulate(asked: Any) -> Answer:
    given = {"t": asked.time, "points": asked.points, **{k: getattr(asked, k) for k in SIMULATION_OPTIONS}}
    study = study_of(asked, options={k: v for k, v in given.items() if v is not None})
    sim = study.trajectory
    columns = sim.columns()
    final = {name: float(column[-1]) for name, column in columns.items()}
    data = {
        "name": study.source.name,
        "outcome": str(sim.outcome),
        "reached": bool(sim.outcome),
        "choices": dict(sim.choices),
        "steps": sim.statistics.steps,
        "seconds": sim.statistics.seconds,
        "violation": {"position": sim.violation.position, "speed": sim.violation.speed},
        "start": {k: v for k, v in study.start.values.items() if k in study.states},
        "moved": {m.name: [m.given, m.found] for m in study.placed_start.moved},
        "events": [{"name": e.name, "t": e.t} for e in sim.events],
        "modes": list(sim.modes),
        "final": final,
    }
    text = repr(sim)
    if asked.output is not None:
        path = _save(asked.output, sim, lambda: view.plot(sim), {"t": sim.t, **columns})
        text += f"\nwrote {path}"
        data["file"] = str(path)
    else:
        lines = [_value_line(study, name, value) for name, value in islice(final.items(), MOST_VALUES)]
        if (more := len(final) - len(lines)) > 0:
            lines.append(f"  ... and {more} more: -o motion.csv writes all of them")
        text = "\n".join([text, *lines])
        data |= {"t": sim.t, "columns": columns}
    return Answer(text, data, bool(sim.outcome))


def _value_line(study: Study, name: str, value: float) -> str:
    """A number in its declared unit."""
    unit = declared_unit(study.mechanism.units, name)
    return f"  {name} = {in_unit(value, unit):z.9g}{f' {unit}' if unit else ''}"


def optimise(asked: Any) -> Answer:
    """The best motion that the file states."""
    problem = motions.read_problem(study_of(asked))
    options = {k: v for k in ("intervals", "method", "accuracy") if (v := getattr(asked, k)) is not None}
    motion = problem.solve(**{**problem.options, **options})
    data = {
        "name": motion.name, "outcome": str(motion.outcome), "cost": motion.objective, "costs": motion.costs, "durations": motion.durations,
        "chosen": motion.parameters, "iterations": motion.iterations, "error": motion.error, "active": [str(a) for a in motion.active],
        "multipliers": motion.shadow_prices, "columns": {k: v.tolist() for k, v in motion.columns.items()},
    }  # fmt: skip
    text = str(motion) if motion.outcome else f"{motion}\n{motion.outcome}"
    if asked.output is not None:
        text += f"\nwrote {motion.save(asked.output)}"
    return Answer(text, data, bool(motion.outcome))


def sweep(asked: Any) -> Answer:
    """Compute many members of a model and store each result as soon as it is available."""
    if asked.output.exists() and not asked.resume:
        raise ModelError(f"{asked.output} exists already; --resume continues it, -o chooses another name")
    study, begun = study_of(asked, options={} if asked.time is None else {"t": asked.time}), time.perf_counter()
    over = studies.over_of_texts(asked.vary)
    question = studies.swept_study(study, asked.ask, [n for n in (asked.show or "").split(",") if n])
    fixed = {k: v for k, v in question.pop("values").items() if k not in over}
    found = studies.sweep(
        **question, over=over, values=fixed, sample=asked.sample, repeat=asked.repeat, seed=asked.seed, on=asked.on,
        workers=asked.workers, to=asked.output, batch=asked.batch, progress=False if asked.json else None,
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    data = {
        "name": found.name,
        "file": str(asked.output),
        "members": len(found),
        "failed": len(found.failed),
        "seconds": seconds,
    }
    return Answer(f"{found}\n{seconds:z.1f} s; next: xarray.open_zarr({str(asked.output)!r})", data)


def render(asked: Any) -> Answer:
    """A picture at the start, or at a time of the motion; pages and glTF files show the whole motion."""
    study, place = study_of(asked), asked.output
    drawn = _picture(study, asked.show, asked.time, place.suffix)
    path = drawn.save(place)
    return Answer(f"wrote {path}", {"name": study.source.name, "show": asked.show, "file": str(path)})


def _picture(study: Study, show: str, t: float | None, suffix: str) -> Any:
    shapes, packages = study.source.shapes, study.source.packages
    moves = show == "motion" or (show == "scene" and suffix in (".html", ".glb"))
    at: Any = study.trajectory if moves else study.start if t is None else study.trajectory.at(t)
    match show:
        case "scene":
            return view.scene(at, shapes=shapes, packages=packages)
        case "sketch":
            return view.sketch(at, shapes=shapes)
        case "free-body":
            return view.free_body(at, shapes=shapes, symbolic=t is None)
    return view.plot(at)


def certify(asked: Any) -> Answer:
    found = study_of(asked).certificate
    checks = [{"check": c.what, "error": c.error, "tolerance": c.tolerance, "passed": c.passed} for c in found.checks]
    return Answer(str(found), {"name": found.name, "passed": found.passed, "checks": checks}, found.passed)


def report(asked: Any) -> Answer:
    begun = time.perf_counter()
    options = {} if asked.time is None else {"t": asked.time}
    source = source_of(asked)
    study = study_of(asked, source, vary=ranges_of(asked.vary, source), options=options)
    written = write.write_report(study, asked.output, _TimedSteps(not asked.json))
    seconds = time.perf_counter() - begun
    text = f"wrote {written.path} in {seconds:z.1f} s; it opens with a double click"
    if written.missing:
        text += "\nnot in it: " + "; ".join(f"{what} ({why})" for what, why in written.missing.items())
    return Answer(text, {"file": str(written.path), "seconds": seconds, "missing": dict(written.missing)})


def watch(asked: Any) -> Answer:
    """Regenerate the report whenever the file is saved, until Ctrl-C. Errors in the file are shown on the terminal and
    in open pages; the last report stays."""
    path = Path(asked.model)
    if not path.is_file():
        raise ModelError(
            f"watch: there is no file {asked.model!r}; `symbody new NAME` writes one to begin with, `symbody report "
            "NAME` makes the report of a built-in model"
        )
    folder = asked.output or Path(f"{path.stem}_report")
    made = failed = 0
    try:
        for version in watched.versions(path):
            reason = _follow(asked, folder)
            watched.tell_pages(folder, version, reason)
            made, failed = made + (not reason), failed + bool(reason)
    except KeyboardInterrupt:
        pass
    reports = f"{counted(made, 'report')} of {path}" + (f", {failed} with errors" if failed else "")
    return Answer(f"\n{reports}", {"file": str(folder / "index.html"), "made": made, "failed": failed})


def _follow(asked: Any, folder: Path) -> str:
    """Write the report of the current file; on failure return the reason."""
    begun, now = time.perf_counter(), time.strftime("%H:%M:%S")
    try:
        source, options = source_of(asked), {} if asked.time is None else {"t": asked.time}
        study = study_of(asked, source, vary=ranges_of(asked.vary, source), options=options)
        written = write.write_report(study, folder, scripts=[watched.SCRIPT])
    except SymbodyError as reason:
        said = reason.on_command_line or str(reason)
    except Exception as reason:
        said = "".join(traceback.format_exception_only(reason)).strip()
    else:
        seconds = time.perf_counter() - begun
        _say(f"{now}  wrote {written.path} in {seconds:z.1f} s")
        for what, why in written.missing.items():
            _say(f"          not in it: {what} ({why})")
        return ""
    _say(f"{now}  {said}")
    return said


def _say(line: str) -> None:
    print(in_terminal(line), file=sys.stderr, flush=True)


class _TimedSteps:
    """Prints one line to stderr for each step of a long command."""

    def __init__(self, wanted: bool) -> None:
        self._wanted, self._begun = wanted, time.perf_counter()

    def __call__(self, what: str) -> None:
        if self._wanted:
            print(f"  {time.perf_counter() - self._begun:z5.1f} s  {what}", file=sys.stderr, flush=True)


def _save(path: Path, sim: Any, figure: Callable[[], view.Figure], columns: Mapping[str, Any]) -> Path:
    if path.suffix == ".npz":
        return write.save_trajectory(sim, path)
    if path.suffix == ".json":
        return write_text(path, json.dumps({k: v.tolist() for k, v in columns.items()}))
    if path.suffix == ".csv":
        table = columns_in_units_shown(sim.segments[0].equations, columns)
        rows = (",".join(f"{x:.17g}" for x in row) for row in zip(*table.values(), strict=True))
        return write_text(path, "\n".join((csv_row(table), *rows, "")))
    if path.suffix in (".svg", ".png", ".pdf"):
        return figure().save(path)
    raise SymbodyError(f"{path}: a motion is written as .csv, .json, .npz, or as a plot: .svg, .png, .pdf")
