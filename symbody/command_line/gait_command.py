"""`symbody gait`: a gait analysis of files, on the command line."""

from __future__ import annotations

from typing import Any

from .. import formats
from ..errors import ModelError, finite_number
from ..kits import biomechanics
from .answer import Answer
from .command_arguments import range_of


def gait(asked: Any) -> Answer:
    """Moments, muscle forces and joint loads of a measured motion, as files of OpenSim."""
    plate = formats.read_motion(asked.forces) if asked.forces else None
    loads = [] if plate is None else [_plate(text, plate) for text in asked.plate]
    if not loads and (asked.plate or plate is not None):
        raise ModelError("--forces FILE and --plate BODY=FORCE,POINT,TORQUE go together")
    subject = biomechanics.Subject(formats.read_osim(asked.subject))
    found = subject.analysis(
        formats.read_motion(asked.motion), loads, cutoff=asked.cutoff, times=_times(asked.times), reserves=asked.reserves
    )  # fmt: skip
    files = [str(p) for p in found.save(asked.output)]
    return Answer(f"{found}\nwrote {asked.output}", {"good": found.is_good, "files": files}, found.is_good)


def _plate(text: str, table: formats.MotionTable) -> biomechanics.ExternalForce:
    """A force of a plate from BODY=FORCE,POINT[,TORQUE]: beginnings of the names of three columns each."""
    body, _, columns = text.partition("=")
    names = columns.split(",")
    if len(names) not in (2, 3):
        raise ModelError(
            f"--plate {text}: write BODY=FORCE,POINT or BODY=FORCE,POINT,TORQUE, as calcn_r=ground_force_v,ground_force_p"
        )
    return biomechanics.ExternalForce(body, table, *names)


def _times(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    span = range_of("--times", text, lambda word: finite_number(word, "--times", ModelError))
    return span.begin, span.end
