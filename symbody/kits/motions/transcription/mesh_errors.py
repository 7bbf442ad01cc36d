"""Errors of a motion on its mesh, finer meshes, and a motion carried over to another mesh."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import symbody as sb

from .multiple_shooting import march
from .node_functions import Array
from .transcription import PhaseMesh, Transcription

INSIDE: Final = 9  # points of an interval at which errors and inputs are computed
MOST_PARTS: Final = 4  # into which a refinement divides an interval


def chosen_values(t: Transcription, z: Array) -> dict[sb.Symbol, float]:
    """Chosen parameters by symbol."""
    return {s: float(z[place]) for s, place in t.parameter.items()}


def forward_rates(z: Array, made: Transcription, mesh: PhaseMesh, t: Array, v: Array) -> Array:
    """x' by forward dynamics at unknowns v of nodes; additional variables without rates are taken from there."""
    p, form = mesh.phase, mesh.phase.form
    eq, place = p.equations, mesh.place
    numbers = {**p.parameters, **chosen_values(made, z)}
    parameters = [np.array([numbers[s] for s in eq.p])] if eq.p else []
    if set(form.states).issuperset(eq.z):
        r = v[:, [place[s] for s in eq.r]]
        found = sb.compile(eq).rhs.batch(t, v[:, mesh.state_columns], *([r] if eq.r else []), *parameters)
        rates, column = np.asarray(found).reshape(len(t), -1), {s: k for k, s in enumerate(eq.state)}
        return np.column_stack([rates[:, column[s]] if s in column else v[:, place[s.dot]] for s in form.states])
    solved = sb.derivation.in_own_terms(eq, list(form.rates), solved=True)
    groups = {"t": eq.t, "v": list(form.node), **({"p": list(eq.p)} if eq.p else {})}
    f = sb.compile(sb.program("rates", groups, {"out": sb.vector(*solved)}))
    return np.asarray(f.batch(t, v, *parameters)).reshape(len(t), -1)


def interval_errors(z: Array, made: Transcription, mesh: PhaseMesh) -> Array:
    """∫|x' - F(x, r)| dt of the polynomials of the method over each interval: the largest of the states, each relative
    to its largest |x|."""
    table, m = mesh.table, mesh.steps
    duration = z[made.duration[mesh.phase.name]]
    t, v, n = z[made.begin[mesh.phase.name]] + mesh.at * duration, z[mesh.index], len(mesh.phase.form.states)
    h = np.diff(mesh.fractions) * duration
    if steps := table.shooting_steps:
        return _shooting_errors(z, made, mesh, (t, v, h), steps)
    tau, w = np.polynomial.legendre.leggauss(INSIDE)
    tau, w = (tau + 1) / 2, w / 2
    nodes = np.arange(mesh.intervals)[:, None] * m + np.arange(m + 1)[None, :]
    used = nodes if table.starts_collocated else nodes[:, 1:]
    f = forward_rates(z, made, mesh, t, v)[used]  # intervals, collocated points, states
    x = v[nodes[:, 0], None, :n] + h[:, None, None] * np.einsum("tj,kjx->ktx", table.integrals(tau), f)
    slopes = table.values(tau)
    inputs = np.einsum("tj,kjr->ktr", slopes, v[used][:, :, n:])
    inside = np.concatenate([x, inputs], axis=2).reshape(-1, v.shape[1])
    times = (t[nodes[:, :1]] + h[:, None] * tau).ravel()
    there = forward_rates(z, made, mesh, times, inside).reshape(len(h), len(tau), n)
    off = np.abs(np.einsum("tj,kjx->ktx", slopes, f) - there)
    scale = np.abs(v[:, :n]).max(axis=0)
    total: Array = np.einsum("t,ktx->kx", w, off) * h[:, None] / np.where(scale > 0, scale, 1.0)
    return total.max(axis=1)


def _shooting_errors(
    z: Array, made: Transcription, mesh: PhaseMesh, motion: tuple[Array, Array, Array], steps: int
) -> Array:
    """Steps beside twice as many of half the size, each state relative to its largest |x|."""
    t, v, h = motion
    n = len(mesh.phase.form.states)
    ends = [march(lambda s, x: forward_rates(z, made, mesh, s, x), t, v, h, n, k) for k in (steps, 2 * steps)]
    scale = np.abs(v[:, :n]).max(axis=0)
    off: Array = np.abs(ends[0] - ends[1]) / np.where(scale > 0, scale, 1.0)
    return off.max(axis=1)


def finer_meshes(motion: Any, accuracy: float, most: int) -> dict[str, Array] | None:
    """Meshes with intervals of larger error divided; None if all are accurate enough."""
    out, changed = {}, False
    for name, mesh in motion.transcription.meshes.items():
        ratio = motion.errors[name] / max(accuracy, 1e-300)
        parts = np.ceil(np.maximum(ratio, 1.0) ** (1 / (mesh.table.order + 1)))
        parts = np.where(ratio > 1, np.clip(parts, 2, MOST_PARTS), 1).astype(int)
        if parts.sum() > most:
            parts[:] = 1
        changed = changed or bool((parts > 1).any())
        pairs = zip(mesh.fractions[:-1], mesh.fractions[1:], parts, strict=True)
        out[name] = np.concatenate([[0.0], *(np.linspace(a, b, k + 1)[1:] for a, b, k in pairs)])
    return out if changed else None


def unknowns_on(motion: Any, other: Transcription) -> Array:
    """The unknowns of another mesh, between those of a motion; for phases and unknowns with the same names."""
    z, own, found = other.guess.copy(), motion.transcription, motion.solution.z
    for name, mesh in other.meshes.items():
        if name not in own.meshes:
            continue
        places = {s.name: j for s, j in own.meshes[name].place.items()}
        values = found[own.meshes[name].index]
        for s, j in mesh.place.items():
            if s.name in places:
                z[mesh.index[:, j]] = np.interp(mesh.at, own.meshes[name].at, values[:, places[s.name]])
        z[other.begin[name]], z[other.duration[name]] = found[own.begin[name]], found[own.duration[name]]
    chosen = {s.name: x for s, x in chosen_values(own, found).items()}
    for s, place in other.parameter.items():
        z[place] = chosen.get(s.name, z[place])
    for key, place in other.impulse.items():
        if key in own.impulse:
            z[place] = found[own.impulse[key]]
    return z
