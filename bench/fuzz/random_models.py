"""A seed and a number of a case -> a model file."""

from __future__ import annotations

from . import loads
from .loops import constrained
from .recipe import Recipe, Sections
from .trees import copies, grow, moving_root

START_SPEED = 0.5  # largest of the start


def random_sections(seed: int, case: int) -> Sections:
    """Sections of the model file of a case: a tree or a constrained system, mostly small, with loads and names."""
    d = Recipe(f"seed {seed} case {case}", symbolic=(seed + case) % 2 == 0)
    if d.chance(0.55):
        constrained(d)
    else:
        grow(d, d.choice([1, 2, 2, 3, 3, 4, 6]), moving_root(d) if d.chance(0.2) else "ground")
    if d.chance(0.1):
        copies(d)
    loads.gravity(d)
    loads.loads(d, d.randint(0, 3))
    if d.coordinates and d.chance(0.3):
        loads.speeds(d)
    loads.outputs(d)
    if d.chance(0.4):
        loads.labels(d)
    _start(d)
    d.sections.setdefault("simulate", {"t": 0.4, "inputs": {}})
    return d.sections


def _start(d: Recipe) -> None:
    """Where loops close, or anywhere; it is rough: the subject assembles it."""
    start = {q: round(d.uniform(-0.5, 0.5), 3) for q in d.coordinates} | d.start
    chosen = set(d.sections.get("speeds", {}))
    for q in d.coordinates:
        name = f"u_{q}" if f"u_{q}" in chosen else f"{q}_dot"
        start[name] = d.start_speeds.get(q, round(d.uniform(-START_SPEED, START_SPEED), 3))
    d.sections["start"] = start
