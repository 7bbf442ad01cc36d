"""Eigenvalues over a parameter: real and imaginary parts, or the complex plane."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from ...stability.spectra.root_locus import RootLocus
from .figure import Curve, Figure, Note, Panel

DOTS_PER_BRANCH: Final = 79  # number of dots along each branch of a root locus


def _parts(locus: RootLocus, title: str, label: str) -> Figure:
    """Of a pair the upper one is drawn, in the same colour in both panels."""
    x, s = locus.values, locus.eigenvalues
    stable, changes = tuple(locus.stable_ranges()), [c for c in locus.critical if c.change]
    marks = (Curve(np.array([c.value for c in changes]), np.zeros(len(changes)), kind="vertical"),) if changes else ()
    real = tuple(Curve(x, np.where(v.imag >= 0, v.real, np.nan), group=k) for k, v in enumerate(s.T))
    imaginary = tuple(Curve(x, _above(v.imag), group=k) for k, v in enumerate(s.T) if np.max(v.imag) > 0)
    top = Panel(
        label, "real part [1/s]", (*real, *marks), notes=tuple(Note(c.value, None, f"{c.value:z.4g}") for c in changes), bands=stable,
        x_range=(x[0], x[-1]), y_range=_range(s.real), zero_lines="x",
    )  # fmt: skip
    below = Panel(label, "imaginary part [rad/s]", (*imaginary, *marks), bands=stable, x_range=(x[0], x[-1]))
    sentences = [f"Shaded: {_shading(locus)}."] if stable else []
    sentences += [f"{c.kind.capitalize()}, {c.how}, at {locus.parameter} = {c.value:z.6g}." for c in changes]
    return Figure(
        title or f"eigenvalues over {locus.parameter}",
        (top, below),
        shares_x=True,
        caption=" ".join(sentences),
    )


def _shading(locus: RootLocus) -> str:
    """Condition of stable ranges: eigenvalues on the imaginary axis are not negative."""
    inside = np.logical_or.reduce([(low < locus.values) & (locus.values < high) for low, high in locus.stable_ranges()])
    s = locus.eigenvalues
    if (s.real[inside] < 0).all():
        return "all eigenvalues have negative real parts"
    zeros = int((s == 0).all(axis=0).sum())
    return "no eigenvalue has a positive real part" + (
        f"; {zeros} {'stay' if zeros > 1 else 'stays'} zero" if zeros else ""
    )


def _above(imaginary: Array) -> Array:
    """The points where it is positive, and their neighbours."""
    shown = imaginary > 0
    shown[1:] |= imaginary[:-1] > 0
    shown[:-1] |= imaginary[1:] > 0
    return np.where(shown & (imaginary >= 0), imaginary, np.nan)


def _plane(locus: RootLocus, title: str, label: str) -> Figure:
    """Upper half of the complex plane: dots at equal steps of the parameter, which their colours show; critical values
    as text."""
    p, s = locus.values, locus.eigenvalues
    steps = np.linspace(p[0], p[-1], DOTS_PER_BRANCH)
    upper = np.where(s.imag >= 0, s, np.nan)
    at = np.array([np.interp(steps, p, v.real) + 1j * np.interp(steps, p, v.imag) for v in upper.T])
    lines = (Curve(v.real, v.imag, group=6, is_faint=True) for v in upper.T)
    dots = Curve(at.real.ravel(), at.imag.ravel(), label, "points", shade=np.tile(steps, len(at)))
    turning = s[s.imag > 0]
    top = 1.06 * float(np.max(s.imag)) or 1.0
    low, high = _range(s.real if not len(turning) else turning.real, 0.0 if len(turning) else 0.12)
    notes = (Note(0.0, abs(c.eigenvalue.imag), f"{c.value:z.4g}") for c in locus.critical if c.change)
    panel = Panel(
        "real part [1/s]", "imaginary part [rad/s]", (*lines, dots), notes=tuple(notes), zero_lines="xy",
        x_range=(low, max(high, 1.2 * float(np.max(s.real)))), y_range=(-0.09 * top, top),
    )  # fmt: skip
    span = f"{locus.parameter} = {p[0]:z.4g} ... {p[-1]:z.4g}"
    return Figure(title or f"root locus, {span}", (panel,), size=(7.2, 4.8))


def _real(locus: RootLocus, title: str, label: str) -> Figure:
    whole = _parts(locus, title, label)
    return replace(whole, panels=whole.panels[:1])


def _imaginary(locus: RootLocus, title: str, label: str) -> Figure:
    whole = _parts(locus, title, label)
    return replace(whole, panels=whole.panels[1:])


LOCI: Final = {"parts": _parts, "real": _real, "imaginary": _imaginary, "plane": _plane}


def _range(values: Array, left_out: float = 0.12) -> tuple[float, float]:
    """Axis range of a root locus: chosen for the slow branches, fast ones may leave the plot."""
    high = float(np.max(values))
    low = min(float(np.quantile(values, left_out)), -0.3 * abs(high) - 1e-9)
    return 1.1 * low, max(1.2 * high, -0.12 * low)
