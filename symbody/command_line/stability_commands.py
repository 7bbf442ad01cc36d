"""Commands about motions and their stability: eigenvalues, branches, periodic orbits, frequency responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import stability, view
from ..errors import ModelError
from ..study.named_expression import named_expression
from ..study.requests import BranchRequest, OrbitRequest, ResponseRequest
from ..study.study import Study
from .answer import Answer
from .command_arguments import hertz_of, range_of, ranges_of, source_of, study_of


def eig(asked: Any) -> Answer:
    source = source_of(asked)
    study = study_of(asked, source, vary=ranges_of(asked.vary, source))
    spectrum = study.spectrum
    data: dict[str, Any] = {
        "name": study.source.name,
        **_near_data(study),
        "eigenvalues": spectrum.eigenvalues,
        "infinite": spectrum.infinite,
        "modes": [
            {"frequency": m.frequency, "damping_ratio": m.damping_ratio, "participation": dict(m.participation)}
            for m in spectrum
        ],
    }
    text = f"{_near(study)}\n{spectrum}"
    shown_thing: Any = spectrum
    if study.locus is not None:
        shown_thing = locus = study.locus
        text = f"{text}\n\n{locus}"
        if isinstance(locus, stability.StabilityChart):
            data["chart"] = {
                "names": list(locus.names),
                "first": locus.first,
                "second": locus.second,
                "growth": locus.growth,
                "unstable": locus.unstable,
                "motion": dict(locus.motion),
            }
        else:
            data["locus"] = {
                "parameter": locus.parameter,
                "values": locus.values,
                "eigenvalues": locus.eigenvalues,
                "motion": dict(locus.motion),
                "critical": [
                    {"value": c.value, "kind": c.kind, "how": c.how, "eigenvalue": c.eigenvalue} for c in locus.critical
                ],
            }
    if asked.output is not None:
        path = view.plot(shown_thing).save(asked.output)
        text += f"\nwrote {path}"
    return Answer(text, data)


def branch(asked: Any) -> Answer:
    """Branches of steady motions over one value, and folds and Hopf points over two."""
    source = source_of(asked)
    wanted = BranchRequest(ranges_of(asked.vary, source), tuple(asked.show), not asked.single) if asked.vary else None
    study = study_of(asked, source, branching=wanted)
    if study.branch_request is None:
        raise ModelError(f"{study.source.name!r} requests no branch; give --vary NAME=FROM:TO")
    found, curves, show = study.branches, study.branch_curves, asked.show or study.branch_request.show
    data = {
        "name": study.source.name,
        "branches": [_branch_data(b) for b in found],
        "curves": [
            {
                "kind": c.kind,
                "columns": c.columns(),
                "omega": c.omega,
                "special": [_degenerate_data(p) for p in c.special],
            }
            for c in curves
        ],
    }
    text = "\n".join(map(str, [*found, *curves]))
    if asked.output is not None:
        text += f"\nwrote {(view.plot(curves) if curves else view.plot(found, *show)).save(asked.output)}"
    return Answer(text, data)


def _branch_data(b: stability.Branch) -> dict[str, Any]:
    special = [
        {
            "kind": p.kind,
            "value": p.value,
            "criticality": p.criticality,
            "eigenvalue": p.eigenvalue,
            "coefficient": p.coefficient,
        }
        for p in b.special
    ]
    return {
        "varied": b.varied, "outcome": b.outcome, "columns": b.columns(), "unstable": b.unstable, "eigenvalues": b.eigenvalues, "special": special,
    }  # fmt: skip


def _degenerate_data(p: stability.DegeneratePoint) -> dict[str, Any]:
    return {"kind": p.kind, "values": p.values}


def orbit(asked: Any) -> Answer:
    """A periodic motion, and families of them over a value."""
    study = study_of(asked)
    own = study.source.requests.orbit
    if asked.settle is not None or asked.period or asked.hopf is not None or asked.vary or asked.mirror or asked.show:
        study = study_of(asked, orbiting=_orbit_request(asked, study, own or OrbitRequest()))
    found, families, wanted = study.orbit, study.orbit_families, study.orbit_request
    if found is None or wanted is None:
        raise ModelError(
            f"{study.source.name!r} requests no orbit; give --period, --settle or --hopf, and --vary "
            "NAME=FROM:TO for a family"
        )
    data = {"name": study.source.name, "orbit": _orbit_data(found), "families": [_family_data(f) for f in families]}
    text = "\n".join(map(str, [found, *families]))
    if asked.output is not None:
        text += f"\nwrote {_save_orbits(asked.output, found, families, wanted.show)}"
    return Answer(text, data)


def _orbit_request(asked: Any, study: Study, own: OrbitRequest) -> OrbitRequest:
    """The request of the model, with the options of the command line applied to it."""
    period = named_expression(study.equations, asked.period, "--period") if asked.period else None
    says_where = asked.period or asked.settle is not None or asked.hopf is not None
    vary = ranges_of(asked.vary, study.source) or own.vary
    if len(vary) > 1:
        raise ModelError(f"--vary: orbits are followed over one value, got {len(vary)}")
    begun = replace(own, period=period, settle=asked.settle, hopf=asked.hopf) if says_where else own
    return replace(
        begun, mirror=tuple(asked.mirror) or own.mirror, vary=vary, show=tuple(asked.show) or own.show,
        generations=0 if asked.single else own.generations,
    )  # fmt: skip


def _save_orbits(
    path: Path, found: stability.Orbit, families: Sequence[stability.OrbitBranch], show: Sequence[str]
) -> Path:
    """Save the orbit or the first family completely (.npz), as a figure, or as a table."""
    if path.suffix == ".npz":
        return families[0].save(path) if families else found.save(path)
    return (view.plot(families, *show) if families else view.plot(found, *show)).save(path)


def _orbit_data(o: stability.Orbit) -> dict[str, Any]:
    errors = {"residual": o.residual, "mesh": o.mesh_error, "trivial": o.trivial_error}
    return {
        "period": o.period, "stable": o.is_stable, "multipliers": o.multipliers, "drift": o.drift, "parameters": o.parameters, "errors": errors, "t": o.t,
        "columns": o.columns(),
    }  # fmt: skip


def _family_data(f: stability.OrbitBranch) -> dict[str, Any]:
    special = [{"kind": s.kind, "value": s.value, "period": s.period, "multiplier": s.multiplier} for s in f.special]
    return {
        "varied": f.varied, "outcome": f.outcome, "columns": f.columns(), "multipliers": list(f.multipliers), "special": special,
    }  # fmt: skip


def frf(asked: Any) -> Answer:
    wanted: tuple[ResponseRequest, ...] = ()
    if asked.input or asked.seen:
        if not (asked.input and asked.seen):
            raise ModelError("a response goes from --input to --output: give both")
        hertz = None if asked.hertz is None else range_of("--hertz", asked.hertz, hertz_of)
        wanted = (ResponseRequest(asked.input, asked.seen, hertz, {}),)
    study = study_of(asked, wanted=wanted)
    found = study.responses
    if not found:
        raise ModelError(f"{study.source.name!r} requests no response; give --input and --output")
    data = [{"input": r.input, "output": r.output, "hertz": r.hertz, "values": r.values} for r in found]
    text = "\n".join([_near(study), *map(repr, found)])
    if asked.output is not None:
        text += f"\nwrote {view.plot(found).save(asked.output)}"
    return Answer(text, {"name": study.source.name, **_near_data(study), "responses": data})


def _near(study: Study) -> str:
    """The model, the parameter values and the motion that a linear result belongs to."""
    at = ", ".join(f"{k} = {v:g}" for k, v in study.at.items())
    lines = [f"{study.source.name}{f' at {at}' if at else ''}", str(study.operating_point)]
    return "\n".join([*lines, *_notes_on_start(study)])


def _near_data(study: Study) -> dict[str, Any]:
    point = study.operating_point
    return {"at": study.at, "about": {"what": point.what, "values": dict(point.values)}}


def _notes_on_start(study: Study) -> list[str]:
    """Notes on initial values that could not be kept exactly."""
    looked_at = "placed_start" in vars(study)
    return [str(study.placed_start)] if looked_at and study.placed_start.moved else []
