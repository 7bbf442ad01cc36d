"""`plot(thing)`: figures of trajectories, root loci, spectra, responses, charts and other results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SymbodyError, ViewError, listed, unknown
from ...integrate.result.trajectory import Trajectory
from ...stability.branches.branch import Branch
from ...stability.branches.special_curve import SpecialCurve
from ...stability.design.design import Design
from ...stability.linear.linear_system import LinearSystem
from ...stability.long_run.attractors import Attractors
from ...stability.long_run.basins import Basins
from ...stability.long_run.lyapunov import LyapunovExponents
from ...stability.long_run.poincare import PoincareSection
from ...stability.periodic.families.orbit_branch import OrbitBranch
from ...stability.periodic.families.special_orbit_curve import SpecialOrbitCurve
from ...stability.periodic.orbits.orbit import Orbit
from ...stability.spectra.response import FrequencyResponse, TimeResponse
from ...stability.spectra.root_locus import RootLocus
from ...stability.spectra.spectrum import Mode, Spectrum
from ...stability.spectra.stability_chart import StabilityChart
from .branch_plots import branch_diagram, special_curves
from .figure import Curve, Figure, Note, Panel, ScalarField
from .function_plots import callable_figure, equations_figure, expression_figure
from .locus_plots import LOCI
from .long_run_plots import attractor_diagram, basin_figure, exponent_figure, section_figure
from .motion_plots import motion_figure
from .orbit_plots import orbit_curves, orbit_diagram, orbit_figure

# round frequencies that are marked
ROUND_FREQUENCIES: Final = tuple(m * 10.0**k for k in range(-4, 5) for m in (1, 2, 5))


@singledispatch
def plot(thing: Any, *what: Any, **options: Any) -> Figure:
    """Draw a figure of a result.

    plot(sim)                      coordinates, speeds, variables, inputs and outputs, by unit; plot(sim, "q1",
                                   expression) what is named, plot(sim, ["q1", "q2"], {"height [m]": expression}) in
                                   panels; words for groups: coordinates, speeds, variables, inputs, outputs,
                                   multipliers, energies, powers, violations, steps; over="q1" over another quantity,
                                   over=["x", "y"] in space, equal=True with equal scales
    plot([sim1, sim2], "q1")       several motions, distinguished by their differences; labels=[...], or a mapping of
                                   motions
    plot(eq, what, q1=(-3, 3))     a quantity of some equations over one value or two, others at numbers or their
                                   defaults (with constraints each point is assembled): contours; without it the flow
                                   in the plane of two states; beside=[sim] draws motions on it
    plot(expression, x=(0, 1))     expressions, or a Python function of arrays, over one name or two
    plot(lin)                      eigenvalues; plot(lin, V=(1, 40)) over a parameter, or over two;
                                   plot(lin, "tau", "phi", V=20) a frequency response
    plot(locus)                    real and imaginary parts over the parameter; plot(locus, "real") or "imaginary" one
                                   of them; plot(locus, "plane") in the complex plane
    plot(spectrum), plot(mode)     eigenvalues in the plane; amplitudes and phases of a mode
    plot(chart)                    the largest real part over two parameters, with the border of stability
    plot(response)                 Bode diagram; plot(response, "nyquist"); several responses, also over time: plot([a,
                                   b, c])
    plot(branch, "q1")             a quantity over the varied parameter, unstable parts dashed, special points named;
                                   plot(branch, ["q1", "q2"]) several in one panel; mark=[3.0, 4.0] at chosen values;
                                   several branches: plot([a, b], "q1"), or a mapping of them
    plot(curve)                    folds, Hopf points or special orbits over two values; several in one: plot([folds,
                                   hopfs])
    plot(orbit), plot([a, b])      over a period, over="q1" in a plane, over=["q1", "q2"] in space; "multipliers" on the
                                   unit circle
    plot(family, "q1", "period")   orbits over the varied parameter; "multipliers" on the unit circle, their moduli with
                                   over="P"; several: plot([a, b])
    plot(section, "x", "y")        a Poincaré section in a plane; plot(section, "x") its return map
    plot(attractors, "x")          settled motions over a parameter; beside=[family] with continued orbits
    plot(exponents), plot(basins)  convergence of Lyapunov exponents; basins of attraction
    plot(design)                   eigenvalues and parameters at every step

    A notebook displays the figure; `figure.save("name.png")` writes a picture (.svg, .pdf), or the numbers (.csv,
    .json).

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: -sb.sin(x)}, name="pendulum")
    >>> sim = sb.simulate(eq, 10.0, x=2.0)
    >>> sb.plot(sim, "x", "v")
    <Figure 'pendulum': 1 panels, 2 curves>
    >>> path = sb.plot(sim, "v", over="x").save("phase.csv")
    >>> sb.plot(eq, v**2 / 2 - sb.cos(x), x=(-4, 4), v=(-3, 3), beside=sim).panels[0].field.z.shape
    (81, 81)

    See also: `view.Figure`, `scene`, `Trajectory.plot`, `LinearSystem.plot`.
    """
    if isinstance(thing, Sequence) and not isinstance(thing, str) and thing:
        for kind, together in (
            (FrequencyResponse, _responses),
            (TimeResponse, _time_responses),
            (Trajectory, motion_figure),
            (Branch, branch_diagram),
            (SpecialCurve, _special_curves),
            (Orbit, orbit_figure),
            (PoincareSection, section_figure),
            (OrbitBranch, orbit_diagram),
            (SpecialOrbitCurve, orbit_curves),
        ):
            if all(isinstance(x, kind) for x in thing):
                return together(thing, *what, **options)
    for kind, named in ((Trajectory, motion_figure), (Branch, branch_diagram), (Orbit, orbit_figure)):
        if isinstance(thing, Mapping) and thing and all(isinstance(x, kind) for x in thing.values()):
            return named(thing, *what, **options)
    if callable(thing) and not what:
        return callable_figure(thing, **options)
    kinds = [t.__name__ for t in plot.registry if t is not object]
    raise ViewError(
        f"there is no plot of {_kind_of(thing)}; there are plots of {listed(kinds)}, and of several "
        "trajectories, responses, branches or orbits"
    )


def _kind_of(thing: Any) -> str:
    if isinstance(thing, (list, tuple)):
        return (
            f"a {type(thing).__name__} of "
            f"{listed(dict.fromkeys(type(x).__name__ for x in thing)) if thing else 'nothing'}"
        )
    return type(thing).__name__


# ---------------------------------------------------------------------------------------------------------- motions


Wanted = str | Expr


@plot.register
def _(sim: Trajectory, *what: Any, **options: Any) -> Figure:
    return motion_figure([sim], *what, **options)


# ---------------------------------------------------------------------------------------------------------- functions


@plot.register
def _(eq: Equations, *what: Any, **options: Any) -> Figure:
    return equations_figure(eq, *what, **options)


@plot.register
def _(e: Expr, *more: Expr, **options: Any) -> Figure:
    return expression_figure(e, *more, **options)


# ---------------------------------------------------------------------------------------------------------- branches


@plot.register
def _(branch: Branch, *what: Any, **options: Any) -> Figure:
    return branch_diagram([branch], *what, **options)


@plot.register
def _(orbit: Orbit, *what: Any, **options: Any) -> Figure:
    return orbit_figure([orbit], *what, **options)


@plot.register
def _(family: OrbitBranch, *what: Wanted, title: str = "", over: str | None = None) -> Figure:
    return orbit_diagram([family], *what, title=title, over=over)


@plot.register
def _(curve: SpecialOrbitCurve, *what: str, title: str = "") -> Figure:
    return orbit_curves([curve], *what, title=title)


@plot.register
def _(section: PoincareSection, *what: Wanted, title: str = "") -> Figure:
    return section_figure([section], *what, title=title)


@plot.register
def _(found: Attractors, *what: Wanted, title: str = "", beside: Sequence[OrbitBranch] = ()) -> Figure:
    return attractor_diagram(found, *what, title=title, beside=beside)


@plot.register
def _(found: LyapunovExponents, title: str = "") -> Figure:
    return exponent_figure(found, title)


@plot.register
def _(found: Basins, title: str = "") -> Figure:
    return basin_figure(found, title)


@plot.register
def _(curve: SpecialCurve, *what: Wanted, title: str = "") -> Figure:
    return special_curves([curve], *what, title=title)


def _special_curves(curves: Sequence[SpecialCurve], *what: Wanted, title: str = "") -> Figure:
    return special_curves(curves, *what, title=title)


# ---------------------------------------------------------------------------------------------------------- spectra


@plot.register
def _(lin: LinearSystem, *pair: str, title: str = "", kind: str = "", **named: Any) -> Figure:
    """Eigenvalues; over one or two parameters that are given a range; or a frequency response from an input to an
    output."""
    for name, given in (("title", title), ("kind", kind)):
        if given and name in {s.name for s in lin.parameters}:
            raise ViewError(
                f"plot of a linear system: {name!r} is a parameter of it and an option of plot: make what is plotted "
                f"first, as in plot(lin.root_locus(values={{'{name}': ...}}))"
            )
    spans = {n: v for n, v in named.items() if np.ndim(v)}
    if pair:
        if len(pair) != 2 or spans:
            raise ViewError(
                f"plot of a linear system: request a response by input and output, with a number "
                f'for each parameter, as in plot(lin, "tau", "phi", V=20); got {listed((*pair, *spans))}'
            )
        return _responses([lin.frequency_response(*pair, **named)], kind or "bode", title)
    if not spans:
        return plot(lin.modes(**named), title=title)
    made = (lin.root_locus, lin.stability_chart)
    if len(spans) > len(made):
        raise ViewError(f"plot of a linear system: over one parameter or two; got ranges of {listed(spans)}")
    found = made[len(spans) - 1](**named)
    return plot(found, *([kind] if kind else []), title=title)


@plot.register
def _(locus: RootLocus, kind: str = "parts", title: str = "", label: str = "") -> Figure:
    if kind not in LOCI:
        raise unknown("plot of a root locus", "kind", kind, LOCI, SymbodyError)
    return LOCI[kind](locus, title, label or locus.parameter)


@plot.register
def _(spectrum: Spectrum, title: str = "") -> Figure:
    s = spectrum.eigenvalues
    notes = tuple(
        Note(m.eigenvalue.real, m.eigenvalue.imag, f"{m.frequency:z.3g} Hz, {100 * m.damping_ratio:z.2g} %", "left")
        for m in spectrum
        if m.is_oscillatory and m.eigenvalue.imag > 0
    )
    curve = Curve(s.real, s.imag, kind="points")
    panel = Panel("real part [1/s]", "imaginary part [rad/s]", (curve,), notes=notes, zero_lines="xy")
    return Figure(title or "eigenvalues", (panel,), size=(5.6, 4.2), caption="Oscillations with frequency and damping.")


@plot.register
def _(mode: Mode, *what: str, title: str = "") -> Figure:
    """Each variable as an arrow: how much it moves, and how far it is ahead. Without names, the coordinates that take
    part."""
    coordinates = [n for n in mode.shape if f"{n}_dot" in mode.shape] or list(mode.shape)
    size = max(abs(mode.shape[n]) for n in coordinates)
    names = what or [n for n in coordinates if abs(mode.shape[n]) > 0.02 * size]
    if wrong := [n for n in names if n not in mode.shape]:
        raise unknown("plot of a mode", "variable", wrong[0], mode.shape, SymbodyError)
    arrows = (Curve(np.array([0.0, v.real]), np.array([0.0, v.imag]), n) for n in names for v in [mode.shape[n]])
    tips = np.array([mode.shape[n] for n in names])
    panel = Panel("in phase", "ahead", (*arrows, Curve(tips.real, tips.imag, kind="points", group=6)), is_equal=True, zero_lines="xy")  # fmt: skip
    s = mode.eigenvalue
    words = (
        f"{mode.frequency:z.4g} Hz, damping {100 * mode.damping_ratio:z.3g} %"
        if mode.is_oscillatory
        else f"{s.real:z.4g} 1/s"
    )
    return Figure(title or f"mode, {words}", (panel,), size=(5.4, 5.0))


@plot.register
def _(chart: StabilityChart, title: str = "", labels: tuple[str, str] = ("", "")) -> Figure:
    reach = float(np.quantile(np.abs(chart.growth), 0.9)) or 1.0
    decays = chart.growth[chart.is_stable]
    has_zeros = bool(len(decays)) and float(decays.max()) > -1e-9 * reach  # eigenvalues that stay zero draw no border
    border = np.where(chart.is_stable, -1.0, 1.0) if has_zeros else chart.growth
    field = ScalarField(
        chart.first, chart.second, np.clip(chart.growth, -reach, reach), border, "largest real part [1/s]"
    )
    x_label, y_label = (given or name for given, name in zip(labels, chart.names, strict=True))
    panel = Panel(x_label, y_label, field=field, x_scale=_scale(chart.first), y_scale=_scale(chart.second))
    return Figure(
        title or "stability",
        (panel,),
        size=(6.4, 4.6),
        caption="The line is the border of stability; blue decays, red grows.",
    )


def _scale(values: Array) -> str:
    """Logarithmic for values that are spaced so."""
    if len(values) < 3 or values[0] <= 0:
        return "linear"
    ratios = values[1:] / values[:-1]
    return "log" if np.ptp(ratios) < 1e-6 * ratios[0] else "linear"


@plot.register
def _(design: Design, title: str = "") -> Figure:
    """Quantities and parameters at every step of the iteration; lines are the targets."""
    steps = np.arange(len(design.steps), dtype=float)
    reached = np.array([s.quantities for s in design.steps]).real.T
    quantities = [Curve(steps, v, kind="joined") for v in reached]
    targets = Curve(np.zeros(len(design.targets)), design.targets.real, kind="level")
    varied = zip(design.values, np.array([s.parameters for s in design.steps]).T, strict=True)
    panels = (
        Panel("step", "quantities", (*quantities, targets)),
        Panel("step", "parameters", tuple(Curve(steps, v, n, "joined") for n, v in varied)),
    )
    return Figure(title or "design", panels, shares_x=True, caption=design.outcome)


# ---------------------------------------------------------------------------------------------------------- responses


@plot.register
def _(response: FrequencyResponse, kind: str = "bode", title: str = "", unit: str = "") -> Figure:
    return _responses([response], kind, title, unit)


def _responses(responses: Sequence[FrequencyResponse], kind: str = "bode", title: str = "", unit: str = "") -> Figure:
    """`unit`: of the output over that of the input, for the axis of magnitudes."""
    if kind not in RESPONSES:
        raise unknown("plot of a frequency response", "kind", kind, RESPONSES, SymbodyError)
    return RESPONSES[kind](responses, title, f" [{unit}]" if unit else "")


def _bode(responses: Sequence[FrequencyResponse], title: str, unit: str) -> Figure:
    names = [_pair(r, responses) for r in responses]
    size = tuple(Curve(r.hertz, r.magnitude, n, group=k) for k, (r, n) in enumerate(zip(responses, names, strict=True)))
    phase = tuple(Curve(r.hertz, r.phase, group=k) for k, r in enumerate(responses))
    span = min(r.hertz[0] for r in responses), max(r.hertz[-1] for r in responses)
    return Figure(
        title or f"response to {listed(dict.fromkeys(r.input for r in responses))}",
        (
            Panel("frequency [Hz]", f"magnitude{unit}", size, x_scale="log", y_scale="log", x_range=span),
            Panel("frequency [Hz]", "phase [°]", phase, x_scale="log", x_range=span),
        ),
        shares_x=True,
    )


def _nyquist(responses: Sequence[FrequencyResponse], title: str, unit: str) -> Figure:
    """With dots at round frequencies, named where they are far enough from the origin."""
    curves = [Curve(r.values.real, r.values.imag, _pair(r, responses), group=k) for k, r in enumerate(responses)]
    reach = max(float(np.max(r.magnitude)) for r in responses)
    notes: list[Note] = []
    for k, r in enumerate(responses):
        round_ones = np.array([f for f in ROUND_FREQUENCIES if r.hertz[0] <= f <= r.hertz[-1]])
        at = np.interp(round_ones, r.hertz, r.values.real), np.interp(round_ones, r.hertz, r.values.imag)
        curves.append(Curve(*at, kind="points", group=k))
        notes += [
            Note(x, y, f"{f:g} Hz") for x, y, f in zip(*at, round_ones, strict=True) if np.hypot(x, y) > 0.1 * reach
        ]
    panel = Panel(
        f"real part{unit}", f"imaginary part{unit}", tuple(curves), notes=tuple(notes), is_equal=True, zero_lines="xy"
    )
    return Figure(title or "Nyquist diagram", (panel,), size=(5.4, 5.0))


RESPONSES: Final = {"bode": _bode, "nyquist": _nyquist}


@plot.register
def _(response: TimeResponse, title: str = "") -> Figure:
    return _time_responses([response], title)


def _time_responses(responses: Sequence[TimeResponse], title: str = "") -> Figure:
    curves = tuple(Curve(r.times, r.values, _pair(r, responses)) for r in responses)
    kind = responses[0].kind
    return Figure(title or f"{kind} response", (Panel("time [s]", "response", curves, zero_lines="x"),))


def _pair(r: FrequencyResponse | TimeResponse, among: Sequence[Any]) -> str:
    return r.output if len({x.input for x in among}) == 1 else f"{r.input} to {r.output}"
