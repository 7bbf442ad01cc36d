"""Frames with a prescribed motion but unknown position, which have undefined symbols for it (`Model.moving_frame`).

Equations that do not depend on these symbols may be evaluated at any position: all unknown angles and offsets are set
to zero. Whether they depend is decided numerically, at random positions and states; equations that do are refused.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.walk import free_symbols, scalars, substitute_all
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Cosines, sequence
from ...bodies.mechanism.mechanism import Mechanism
from ...errors import DerivationError, EvaluationError

_TOLERANCE: Final = 1e-8  # relative difference below which values at two positions are equal
_SAMPLES: Final = 5  # number of random states at which dependence is tested


def has_unknown_places(mechanism: Mechanism) -> bool:
    """Whether some frames are known by their motion only."""
    return bool(moving_frames(mechanism))


def frames_in_unknown_places(mechanism: Mechanism) -> list[Frame]:
    """Frames with symbols for a place that is not known."""
    return [f for f in moving_frames(mechanism) if f.unknown_place]


def moving_frames(mechanism: Mechanism) -> list[Frame]:
    """Frames given by their velocity."""
    return mechanism.cached("moving frames", (), lambda: [f for f in mechanism.frames if f.velocity is not None])


def without_unknown_positions(mechanism: Mechanism, things: list[Any], what: str = "the equations") -> list[Any]:
    """Expressions and matrices that do not depend on unknown positions, with the symbols of these set to zero."""
    frames = frames_in_unknown_places(mechanism)
    if not frames:
        return things
    unknown = {s for f in frames for s in f.unknown_place}
    doubtful = [e for e in scalars(*things) if not unknown.isdisjoint(free_symbols(e))]
    if not doubtful:
        return things
    nowhere = {s: value for f in frames for s, value in _nowhere(f).items()}
    for f in frames:
        if not unknown.isdisjoint(f.unknown_place) and _depends(doubtful, f, nowhere):
            raise DerivationError(_needs_place(f.name, what))
    return substitute_all(things, nowhere)


def _nowhere(f: Frame) -> dict[Symbol, Expr]:
    """Angles and offsets zero, direction cosines those of the unit matrix."""
    out = dict.fromkeys(f.unknown_place, ZERO)
    if len(cosines := _cosines(f)) == 9:
        out |= {c: ONE for k, c in enumerate(cosines) if k % 4 == 0}
    return out


def _cosines(f: Frame) -> list[Symbol]:
    """The nine symbols of a rotation that turns about more than one axis."""
    last = f.rotation.factors[-1] if f.rotation.factors else None
    return [c for c in last.matrix.entries if isinstance(c, Symbol)] if isinstance(last, Cosines) else []


def _depends(expressions: list[Expr], f: Frame, nowhere: dict[Symbol, Expr]) -> bool:
    """Whether expressions change with the place of a frame, at random numbers for all else."""
    others = [s for s in free_symbols(*expressions) if s not in nowhere]
    rest = {s: float(v) for s, v in nowhere.items()}
    for seed in range(_SAMPLES):
        draw = Random(seed)
        state = {**rest, **{s: draw.uniform(0.3, 1.7) for s in others}}
        try:
            here, there = evaluate(expressions, state), evaluate(expressions, {**state, **_somewhere(f, draw)})
        except EvaluationError:
            continue
        return any(abs(a - b) > _TOLERANCE * (1 + abs(a)) for a, b in zip(here, there, strict=True))
    return True


def _somewhere(f: Frame, draw: Random) -> dict[Symbol, float]:
    """A random place of a frame."""
    out = {s: draw.uniform(-2, 2) for s in f.unknown_place}
    if len(cosines := _cosines(f)) == 9:
        turned = sequence("zxz", [draw.uniform(-2, 2) for _ in range(3)]).matrix
        out |= dict(zip(cosines, evaluate(list(turned.entries), {}), strict=True))
    return out


def _needs_place(frame: str, what: str) -> str:
    return f"frame {frame!r} is known by its velocity and spin only, but {what} depend on its position or orientation; define it by coordinates, m.ground.translate(x, y, 0).rotate('z', yaw), or remove the parts that need its position"
