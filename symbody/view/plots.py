"""Results -> figures: `plot(thing)` for trajectories, root loci, spectra, responses, charts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, Final

import numpy as np

from ..algebra.graph import Expr
from ..emit.callable import Array
from ..errors import SymbodyError, listed
from ..integrate.trajectory import Trajectory
from ..stability.chart import StabilityChart
from ..stability.locus import RootLocus
from ..stability.response import FrequencyResponse, TimeResponse
from ..stability.spectrum import Spectrum
from .figure import Curve, Field, Figure, Note, Panel

MOST_CURVES: Final = 8  # in one panel
POINTS: Final = 1200  # of a smooth curve


@singledispatch
def plot(thing: Any, *what: Any, **options: Any) -> Figure:
    """A figure of a result.

    plot(sim)                      coordinates and speeds; plot(sim, "q1", "q2", expression) what is named
    plot(locus)                    real and imaginary parts over the parameter; plot(locus, "plane") in the complex plane
    plot(response)                 Bode's diagram; plot(response, "nyquist"); several responses: plot([a, b, c])
    plot(spectrum), plot(chart)    eigenvalues in the plane; the largest real part over two parameters

    A figure draws itself in a notebook; `figure.save("name.png")` writes a picture (.svg, .pdf), or the numbers (.csv, .json).
    """
    if isinstance(thing, (list, tuple)) and thing:
        if all(isinstance(x, FrequencyResponse) for x in thing):
            return _nyquist(thing) if "nyquist" in what else _bode(thing)
        if all(isinstance(x, TimeResponse) for x in thing):
            return _time_responses(thing)
    kinds = [t.__name__ for t in plot.registry if t is not object]
    raise SymbodyError(f"there is no plot of {type(thing).__name__}; there are plots of {listed(kinds)}")


# ---------------------------------------------------------------------------------------------------------- motions


@plot.register
def _(sim: Trajectory, *what: str | Expr, title: str = "", over: str = "") -> Figure:
    eq = sim.equations
    fine = _smooth(sim)
    if what:
        groups = {"": list(what)}
    else:
        groups = {"coordinates": [s.identifier for s in eq.q], "speeds": [s.identifier for s in eq.u]}
        if eq.z:
            groups["variables"] = [s.identifier for s in eq.z]
    x, x_label = (fine[over], over) if over else (fine.t, "time [s]")
    panels = []
    for name, wanted in groups.items():
        shown = wanted[:MOST_CURVES]
        curves = [Curve(x, v, str(w)) for w, v in zip(shown, fine.values(shown), strict=True)]
        rest = f" ({len(shown)} of {len(wanted)})" if len(wanted) > len(shown) else ""
        panels.append(Panel(x_label, (name or (str(what[0]) if len(what) == 1 else "")) + rest, tuple(curves)))
    return Figure(title or eq.name, tuple(panels), shares_x=not over)


def energies(sim: Trajectory) -> Figure:
    """Kinetic, potential and total energy."""
    fine = _smooth(sim)
    curves = (
        Curve(fine.t, fine.kinetic_energy, "kinetic"),
        Curve(fine.t, fine.potential_energy, "potential"),
        Curve(fine.t, fine.energy, "total"),
    )
    return Figure(f"{sim.equations.name}: energies", (Panel("time [s]", "energy [J]", curves),))


def violations(sim: Trajectory) -> Figure:
    """How far the constraints are missed, on a logarithmic scale."""
    v = sim.violation
    floor = 1e-17
    position, speed = (np.maximum(np.max(np.abs(x), axis=1, initial=0.0), floor) for x in (v.positions, v.speeds))
    curves = (Curve(sim.t, position, "position"), Curve(sim.t, speed, "speed"))
    panel = Panel("time [s]", "largest violation", curves, y_scale="log")
    return Figure(f"{sim.equations.name}: constraints", (panel,))


def _smooth(sim: Trajectory) -> Trajectory:
    """The motion at enough times for smooth curves, with its own where there are events."""
    if not sim.pieces or len(sim) >= POINTS:
        return sim
    times = np.unique(np.concatenate([sim.t, np.linspace(sim.t[0], sim.t[-1], POINTS)]))
    return sim.at(times if sim.t[-1] >= sim.t[0] else times[::-1])


# ---------------------------------------------------------------------------------------------------------- spectra


@plot.register
def _(locus: RootLocus, kind: str = "parts", title: str = "") -> Figure:
    return _plane(locus, title) if kind == "plane" else _parts(locus, title)


def _parts(locus: RootLocus, title: str) -> Figure:
    x, s = locus.values, locus.eigenvalues
    stable = tuple(locus.stable_ranges())
    critical = np.array([c.value for c in locus.critical if c.change])
    marks = (Curve(critical, np.zeros(len(critical)), kind="vertical"),) if len(critical) else ()
    real = tuple(Curve(x, s[:, k].real, group=k) for k in range(s.shape[1]))
    upper = [k for k in range(s.shape[1]) if np.max(s[:, k].imag) > 0]
    imaginary = tuple(Curve(x, np.where(s[:, k].imag >= 0, s[:, k].imag, np.nan), group=k) for k in upper)
    notes = tuple(Note(c.value, 0.0, f"{c.value:.4g}") for c in locus.critical if c.change)
    top = Panel(
        locus.parameter,
        "real part [1/s]",
        (*real, *marks),
        notes=notes,
        bands=stable,
        y_range=_range(s.real),
        zero_lines="x",
    )
    below = Panel(locus.parameter, "imaginary part [rad/s]", (*imaginary, *marks), bands=stable)
    caption = "Shaded: all eigenvalues have negative real parts. " + "; ".join(
        f"{c.kind}, {c.how}, at {locus.parameter} = {c.value:.6g}" for c in locus.critical if c.change
    )
    return Figure(title or f"eigenvalues over {locus.parameter}", (top, below), shares_x=True, caption=caption.strip())


def _plane(locus: RootLocus, title: str) -> Figure:
    s = locus.eigenvalues
    curves = [Curve(s[:, k].real, s[:, k].imag, group=k) for k in range(s.shape[1])]
    ends = Curve(s[-1].real, s[-1].imag, f"{locus.parameter} = {locus.values[-1]:.4g}", "points", 6)
    notes = tuple(Note(c.eigenvalue.real, abs(c.eigenvalue.imag), f"{c.value:.4g}") for c in locus.critical if c.change)
    panel = Panel(
        "real part [1/s]", "imaginary part [rad/s]", (*curves, ends), notes=notes, zero_lines="xy",
        x_range=_range(s.real), y_range=(0.0, 1.05 * float(np.max(s.imag)) or 1.0),
    )  # fmt: skip
    span = f"{locus.parameter} = {locus.values[0]:.4g} ... {locus.values[-1]:.4g}"
    return Figure(title or f"root locus, {span}", (panel,), size=(7.0, 4.6))


def _range(values: Array) -> tuple[float, float]:
    """What shows the slow branches: fast ones may leave the picture."""
    high = float(np.max(values))
    low = min(float(np.quantile(values, 0.12)), -0.3 * abs(high) - 1e-9)
    return 1.1 * low, max(1.2 * high, -0.12 * low)


@plot.register
def _(spectrum: Spectrum, title: str = "") -> Figure:
    s = spectrum.eigenvalues
    panel = Panel("real part [1/s]", "imaginary part [rad/s]", (Curve(s.real, s.imag, kind="points"),), zero_lines="xy")
    return Figure(title or "eigenvalues", (panel,), size=(5.0, 4.2))


@plot.register
def _(chart: StabilityChart, title: str = "") -> Figure:
    reach = float(np.quantile(np.abs(chart.growth), 0.9)) or 1.0
    growth = np.clip(chart.growth, -reach, reach)
    field = Field(chart.first, chart.second, growth, chart.is_stable.astype(float), "largest real part [1/s]")
    panel = Panel(chart.names[0], chart.names[1], field=field)
    return Figure(
        title or "stability",
        (panel,),
        size=(6.4, 4.6),
        caption="The line is the border of stability; blue decays, red grows.",
    )


# ---------------------------------------------------------------------------------------------------------- responses


@plot.register
def _(response: FrequencyResponse, kind: str = "bode", title: str = "") -> Figure:
    return _nyquist([response], title) if kind == "nyquist" else _bode([response], title)


def _bode(responses: Sequence[FrequencyResponse], title: str = "") -> Figure:
    names = [_pair(r, responses) for r in responses]
    size = tuple(Curve(r.hertz, r.magnitude, n, group=k) for k, (r, n) in enumerate(zip(responses, names, strict=True)))
    phase = tuple(Curve(r.hertz, r.phase, group=k) for k, r in enumerate(responses))
    return Figure(
        title or f"response to {listed(dict.fromkeys(r.input for r in responses))}",
        (
            Panel("frequency [Hz]", "magnitude", size, x_scale="log", y_scale="log"),
            Panel("frequency [Hz]", "phase [°]", phase, x_scale="log"),
        ),
        shares_x=True,
    )


def _nyquist(responses: Sequence[FrequencyResponse], title: str = "") -> Figure:
    curves = tuple(Curve(r.values.real, r.values.imag, _pair(r, responses), group=k) for k, r in enumerate(responses))
    panel = Panel("real part", "imaginary part", curves, is_equal=True, zero_lines="xy")
    return Figure(title or "Nyquist diagram", (panel,), size=(5.4, 5.0))


@plot.register
def _(response: TimeResponse, title: str = "") -> Figure:
    return _time_responses([response], title)


def _time_responses(responses: Sequence[TimeResponse], title: str = "") -> Figure:
    curves = tuple(Curve(r.times, r.values, _pair(r, responses)) for r in responses)
    kind = responses[0].kind
    return Figure(title or f"{kind} response", (Panel("time [s]", "response", curves, zero_lines="x"),))


def _pair(r: FrequencyResponse | TimeResponse, among: Sequence[Any]) -> str:
    return r.output if len({x.input for x in among}) == 1 else f"{r.input} to {r.output}"
