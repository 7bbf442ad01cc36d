"""The first screen of a report: what it is, and a sentence each on whether it moves, is stable, and is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ...errors import SymbodyError
from ...escaping import in_html
from ...study.study import Study
from ...view.diagrams.sketch import sketch

ZERO_EIGENVALUE: Final = 1e-6  # of the largest, below which an eigenvalue counts as zero


@dataclass(frozen=True)
class Verdict:
    """A verdict in a word, the number behind it, and how it looks: good, bad or open."""

    verdict: str
    reason: str
    look: str


def first_screen(study: Study, missing: Mapping[str, str], folder: Path) -> str:
    """Description, counts and a sketch; below them the answers. `missing` are parts of the report that could not be made."""
    m, source = study.mechanism, study.source
    facts = {
        "bodies": len(m.bodies),
        "joints": len(m.joints),
        "coordinates": len(m.q),
        "constraints": len(m.constraints),
        "degrees of freedom": study.audit.degrees_of_freedom,
    }
    cells = "".join(f"<div><dt>{in_html(k)}</dt><dd>{'–' if v is None else v}</dd></div>" for k, v in facts.items())
    about = f"<p class='about'>{in_html(source.description)}</p>" if source.description else ""
    what = f"<div class='what'>{about}<dl class='facts'>{cells}</dl></div>"
    return f"<div class='first'>{what}{_sketch(study, folder)}</div>{_answers(study, missing)}"


def _sketch(study: Study, folder: Path) -> str:
    """The mechanism with the signs of textbooks, at the start; nothing if it has no picture, which the part on the
    motion explains, or has too many parts for signs."""
    if study.is_large:
        return ""
    try:
        made = sketch(study.trajectory.segments[0].state(0))
    except SymbodyError:
        return ""
    made.save(folder / "sketch.svg")
    return f"<figure class='sketch' role='img' aria-label='Sketch of the mechanism'>{made.svg()}</figure>"


def _answers(study: Study, missing: Mapping[str, str]) -> str:
    questions = (
        ("motion", "Does it move?", motion_answer),
        ("stability", "Is it stable?", stability_answer),
        ("certificate", "Is it right?", certificate_answer),
    )
    cards = []
    for part, question, answer in questions:
        a = Verdict("not available", missing[part], "open") if part in missing else answer(study)
        cards.append(
            f"<a class='answer {a.look}' href='#{part}'><span>{question}</span><strong>{in_html(a.verdict)}</strong>"
            f"<small>{in_html(a.reason)}</small></a>"
        )
    return f"<div class='answers'>{''.join(cards)}</div>"


def motion_answer(study: Study) -> Verdict:
    """How far the simulation came."""
    sim = study.trajectory
    reason = f"{abs(float(sim.t[-1] - sim.t[0])):g} s in {len(sim) - 1} steps; {replace(sim.outcome, notes=())}"
    return Verdict("yes", reason, "good") if sim.outcome else Verdict("in part", reason, "bad")


def stability_answer(study: Study) -> Verdict:
    """By the eigenvalue with the largest real part, of those that are not zero: positions on which nothing depends have
    zero eigenvalues."""
    modes = list(study.spectrum)
    largest = max((abs(m.eigenvalue) for m in modes), default=0.0)
    moving = [m for m in modes if abs(m.eigenvalue) > ZERO_EIGENVALUE * largest]
    if not moving:
        return Verdict("neutral", "all eigenvalues are zero", "open")
    worst = max(moving, key=lambda m: float(m.eigenvalue.real))
    real, zeros = float(worst.eigenvalue.real), len(modes) - len(moving)
    is_zero = abs(real) <= ZERO_EIGENVALUE * largest
    at = ", ".join(f"{k} = {v:g}" for k, v in study.at.items())
    mostly = ", ".join(sorted(worst.participation, key=worst.participation.__getitem__, reverse=True)[:2])
    reason = f"largest real part {0.0 if is_zero else real:z.4g} 1/s, mostly {mostly}" + (
        f"; {zeros} eigenvalues are zero" if zeros else ""
    )
    reason += f"; at {at}" if at else ""
    if study.is_large and (real <= 0 or is_zero):
        return Verdict("not judged", f"of the {len(modes)} slowest eigenvalues: {reason}", "open")
    if is_zero:
        return Verdict("undamped", reason, "open")
    return Verdict("unstable", reason, "bad") if real > 0 else Verdict("stable", reason, "good")


def certificate_answer(study: Study) -> Verdict:
    """How many independent checks of the equations hold."""
    found = study.certificate
    count = len(list(found.checks))
    if found.passed:
        return Verdict("yes", f"all {count} independent checks hold at {found.states} random states", "good")
    return Verdict("no", f"{len(found.failed)} of {count} checks failed", "bad")
