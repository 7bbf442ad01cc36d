"""Shapes of which a reduced body is made, by method; columns of displacements of a tied body.

Craig-Bampton (Craig & Bampton 1968): static shapes of the interfaces, and modes of the body held there.
Free (MacNeal 1971, Rubin 1975): modes of the free body, and for each force at an interface what they leave of its
static displacement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ....errors import ModelError, listed, shown
from ..bodies.finite_body import Array
from .static_solves import FreeSolver, HeldSolver

AXES: Final = ("x", "y", "z", "turn about x", "turn about y", "turn about z")
MOST: Final = 4000  # modes that a search by frequency may take


@dataclass(frozen=True, eq=False)
class SpanQuestion:
    """The request to a method."""

    where: str
    solver: FreeSolver
    modes: int | None
    up_to: float | None
    participation: float | None
    band: Any

    @property
    def count(self) -> int:
        if self.modes is None and self.up_to is None:
            raise ModelError(f"{self.where}: give modes=, a number of modes, or up_to=, a frequency in Hz")
        if self.modes is None:
            return 0
        if not isinstance(self.modes, int) or isinstance(self.modes, bool) or self.modes < 0:
            raise ModelError(f"{self.where}: modes= must be a whole number, got {shown(self.modes)}")
        return self.modes


@dataclass(frozen=True, eq=False)
class ShapeSpan:
    """Shapes with their names, and what was measured on the way."""

    shapes: Array
    names: tuple[str, ...]
    report: Mapping[str, Any] = field(default_factory=dict)


def craig_bampton(ask: SpanQuestion) -> ShapeSpan:
    """Static shapes of all motions of the interfaces, less the rigid motions that they contain, and modes of the body
    held there."""
    solver, B = ask.solver, ask.solver.body.B
    if not B.shape[0]:
        raise ModelError(
            f"{ask.where}: Craig and Bampton's shapes need interfaces=; a body without any has method='free'"
        )
    held = HeldSolver(solver, B)
    static = held.motions()
    values, v = _modes_asked_for(ask, held.modes, solver.K.shape[0] - B.shape[0])
    part = _mass_participation(solver, static, v) if v.shape[1] else np.zeros(0)
    keep = _participating(ask, part)
    names = [f"static shape of {i.name}, {a}" for i in solver.body.interfaces for a in AXES]
    elastic = independent_of_rigid(static, np.asarray(B @ solver.R))
    label = [names[k] for k in _largest_rows(elastic.mix)] if elastic.shapes.shape[1] else []
    hertz = [f"mode of {np.sqrt(w) / (2 * np.pi):z.5g} Hz with interfaces held" for w in values[keep]]
    report = {"participations": part[keep], "held frequencies": np.sqrt(values[keep]) / (2 * np.pi)}
    return ShapeSpan(np.concatenate([elastic.shapes, v[:, keep]], axis=1), (*label, *hertz), report)


@dataclass(frozen=True, eq=False)
class _Elastic:
    shapes: Array
    mix: Array


def independent_of_rigid(static: Array, rigid: Array) -> _Elastic:
    """Combinations of static shapes that no rigid motion is part of: motions of the interfaces normal to the rigid
    ones."""
    scale = np.linalg.norm(rigid, axis=0)
    left = np.linalg.svd(rigid / scale)[0]
    mix = left[:, 6:]
    return _Elastic(static @ mix, mix)


def _largest_rows(mix: Array) -> list[int]:
    return [int(k) for k in np.abs(mix).argmax(axis=0)]


def free_interface(ask: SpanQuestion) -> ShapeSpan:
    """Modes of the free body, and residual attachment shapes (K⁺ - Φ Λ⁻¹ Φᵀ) Bᵀ."""
    solver, B = ask.solver, ask.solver.body.B
    values, v = _modes_asked_for(ask, solver.free_modes, solver.K.shape[0] - 6)
    loads = np.asarray(B.T.todense())
    residual, share = np.zeros((len(v), 0)), np.zeros(v.shape[1])
    if B.shape[0]:
        flexible = solver.flexible(loads)
        moved = np.asarray(B @ v)
        share = _compliance_share(moved, values, np.asarray(B @ flexible))
        keep = _participating(ask, share)
        values, v, moved, share = values[keep], v[:, keep], moved[:, keep], share[keep]
        residual = flexible - v @ (moved.T / values[:, None])
    names = [f"mode of {np.sqrt(w) / (2 * np.pi):z.5g} Hz" for w in values]
    names += [f"attachment shape of {i.name}, {a}" for i in solver.body.interfaces for a in AXES]
    return ShapeSpan(np.concatenate([v, residual], axis=1), tuple(names), {"participations": share})


# ---------------------------------------------------------------------------------------------------------- which modes


def _modes_asked_for(
    ask: SpanQuestion, modes: Callable[[int], tuple[Array, Array]], available: int
) -> tuple[Array, Array]:
    """By number, or all up to a frequency: the number is doubled until one lies beyond."""
    if ask.modes is not None:
        if ask.count == 0:
            return np.zeros(0), np.zeros((ask.solver.K.shape[0], 0))
        return _below(ask, *modes(ask.count))
    if not isinstance(ask.up_to, (int, float)) or ask.up_to <= 0:
        raise ModelError(
            f"{ask.where}: up_to= must be a frequency in Hz, got {shown(ask.up_to)}"
            if ask.up_to is not None
            else _nothing(ask)
        )
    count = 8
    while True:
        count = min(count, available - 1)
        values, v = modes(count)
        if np.sqrt(values[-1]) / (2 * np.pi) > ask.up_to or count == available - 1:
            return _below(ask, values, v)
        if count >= MOST:
            raise ModelError(
                f"{ask.where}: more than {MOST} modes lie below {ask.up_to:zg} Hz; the highest found has "
                f"{np.sqrt(values[-1]) / (2 * np.pi):z.4g} Hz. Are the units those of up_to=?"
            )
        count *= 2


def _nothing(ask: SpanQuestion) -> str:
    return f"{ask.where}: give modes=, a number of modes, or up_to=, a frequency in Hz"


def _below(ask: SpanQuestion, values: Array, v: Array) -> tuple[Array, Array]:
    if ask.up_to is None:
        return values, v
    keep = np.sqrt(np.maximum(values, 0)) / (2 * np.pi) <= ask.up_to
    return values[keep], v[:, keep]


def _mass_participation(solver: FreeSolver, static: Array, v: Array) -> Array:
    """The largest part of each mode in the mass that moves with a motion of an interface: (φ·M ψ)² / (ψ·M ψ)."""
    Ms = solver.M @ static
    return np.asarray(((v.T @ Ms) ** 2 / np.einsum("ij,ij->j", static, Ms)).max(axis=1))


def _compliance_share(moved: Array, values: Array, whole: Array) -> Array:
    """The largest part of each mode in the compliance of an interface: (b·φ)² / ω² of b·K⁺ b."""
    return np.asarray((moved**2 / values / np.maximum(np.diag(whole), 1e-300)[:, None]).max(axis=0))


def _participating(ask: SpanQuestion, part: Array) -> Any:
    if ask.participation is None:
        return np.ones(len(part), dtype=bool)
    if not isinstance(ask.participation, (int, float)) or not 0 <= ask.participation < 1:
        raise ModelError(
            f"{ask.where}: participation= must be a part from 0 to 1 that a mode needs to be kept, got "
            f"{shown(ask.participation)}"
        )
    keep = part >= ask.participation
    if len(part) and not keep.any():
        raise ModelError(
            f"{ask.where}: no mode has a participation of {ask.participation:zg}; the largest are "
            f"{listed(f'{x:z.3g}' for x in np.sort(part)[::-1][:5])}"
        )
    return keep
