"""`write_report`: a study -> a folder with one page that opens offline, and every number of it in files beside.

The page is one file: pictures are SVG, equations MathML, the 3-D viewer our own script. A part that could not be
computed is replaced by the reason.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from ...algebra.normal_forms.tidy import tidy
from ...algebra.printing.formulas import formula
from ...algebra.printing.printing import operations
from ...argument_kinds import answered
from ...display import STYLE, html
from ...errors import SymbodyError, listed
from ...escaping import in_address, in_html, in_shell
from ...integrate.inputs.inputs import closed_loop
from ...stability.branches.branch_points import WORDS as POINT_WORDS
from ...stability.periodic.families.orbit_branch import PERIOD
from ...stability.periodic.families.orbit_points import WORDS as ORBIT_WORDS
from ...stability.spectra.stability_chart import StabilityChart
from ...study import robot_defaults as robots
from ...study.study import Study
from ...units import in_unit, quotient_unit
from ...version import VERSION
from ...view.figures import interactive
from ...view.figures.figure import Figure
from ...view.figures.orbit_plots import MULTIPLIERS
from ...view.figures.plots import plot
from ...view.figures.quantity_labels import QuantityLabel, label_of
from ...view.scenes import viewer
from ...view.scenes.scene import scene
from ...whole_files import is_unfinished, write_text
from ..files.trajectory_file import save_trajectory
from ..live.live_part import LiveOptions, LivePart, live_part
from ..pages.page import Page, asset, details, note, section, table
from . import equations_page
from .first_screen import first_screen

Step = Callable[[str], None]
MOST_CURVES: Final = 24  # of a figure of the motion
MOST_ROWS: Final = 200  # of a table of parameters or of the start
MOST_MODES: Final = 4  # that are animated
MOST_STATES, MOST_OPERATIONS = 16, 4000  # of a linear system whose matrices are shown with symbols
MOST_LIVE: Final = 20_000  # operations of accelerations in a page that computes them
PACKAGES: Final = ("numpy", "scipy", "llvmlite", "sympy", "matplotlib")


@dataclass(frozen=True)
class WrittenReport:
    """Path of the page, and the parts that are missing from it with the reason."""

    path: Path
    missing: Mapping[str, str]


@answered
def write_report(
    study: Study, folder: str | Path, step: Step = lambda _: None, scripts: Sequence[str] = ()
) -> WrittenReport:
    """Write index.html and the files beside it. `step` receives progress messages; `scripts` are texts in JavaScript
    that are added to the page.

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0), stiffness=8.0)
    >>> sb.write_model(m, "cart.yaml")
    >>> study = sb.study.Study(sb.study.find_model("cart.yaml"), {"x": 0.1}, options={"t": 1.0})
    >>> sb.write.write_report(study, "report").path.name
    'index.html'

    See also: `study.Study`, `write.live_page`.
    """
    target = Path(folder)
    (target / "data").mkdir(parents=True, exist_ok=True)
    made = _Report(study, target, step, scripts)
    path = target / "index.html"
    write_text(path, made.html())
    return WrittenReport(path, made.missing)


class _Report:
    def __init__(self, study: Study, target: Path, step: Step, scripts: Sequence[str]) -> None:
        self.study, self.target, self.step, self.scripts = study, target, step, scripts
        self.missing: dict[str, str] = {}
        self.name = study.source.name
        self.live: LivePart | None = None

    def html(self) -> str:
        parts = [
            self._part("equations", "deriving the equations", self._equations),
            self._part("motion", "simulating", self._motion),
            self._part("live", "writing the model that runs", self._live),
            self._part("stability", "linearising", self._stability),
            self._part("parameters", "parameters", self._parameters),
            self._part("certificate", "certifying", self._certificate),
            self._part("reproduce", "writing", self._reproduce),
        ]
        order = ("motion", "live", "stability", "equations", "parameters", "certificate", "reproduce")
        made = ("equations", "motion", "live", "stability", "parameters", "certificate", "reproduce")
        by_name = dict(zip(made, parts, strict=True))
        page = Page(
            self.name,
            first_screen(self.study, self.missing, self.target / "data"),
            [by_name[k] for k in order],
            self._styles(),
            self._scripts(),
            bool(self.scripts),
        )
        return page.html()

    def _part(self, name: str, doing: str, make: Callable[[], str]) -> str:
        self.step(doing)
        title = _TITLES[name]
        try:
            return section(name, title, make())
        except SymbodyError as reason:
            self.missing[name] = str(reason)
            return section(name, title, note(f"Not available: {reason}", is_warning=True))

    def _piece(self, name: str, make: Callable[[], str]) -> str:
        """A piece of a part: where it cannot be had, the reason stands in its place, and the rest of the part stays."""
        try:
            return make()
        except SymbodyError as reason:
            self.missing[name] = str(reason)
            return note(f"No {name}: {reason}", is_warning=True)

    # ------------------------------------------------------------------------------------------------ head

    def _styles(self) -> str:
        return (
            asset("pages", "report.css")
            + STYLE
            + viewer.style()
            + interactive.style()
            + (self.live.styles if self.live else "")
        )

    def _scripts(self) -> tuple[str, ...]:
        return (
            viewer.script(),
            interactive.script(),
            asset("pages", "report.js"),
            *(self.live.scripts if self.live else ()),
            *self.scripts,
        )

    # ------------------------------------------------------------------------------------------------ parts

    def _motion(self) -> str:
        study = self.study
        sim = study.trajectory
        save_trajectory(sim, self.target / "data" / "trajectory.npz")
        parts = [
            self._piece("picture", self._picture),
            note(f"{sim.outcome}. {'; '.join(sim.choices.values())}. {sim.statistics}.", not sim.outcome),
        ]
        if study.placed_start.moved:
            parts.append(note(_sentence(str(study.placed_start)), is_warning=True))
        if study.is_robot:
            parts.append(note(robots.ABOUT))
        if sim.events:
            parts.append(note("Events: " + listed(f"{e.name} at {e.t:z.6g} s" for e in sim.events)))
        parts.append(self._piece("motion over time", self._motion_over_time))
        if study.is_large:
            parts.append(note("Energies, written out link by link, are not computed for so large a mechanism."))
        else:
            parts.append(self._piece("energies", lambda: self._figure("energies", plot(sim, "energies"))))
        if not sim.is_switched and sim.equations.lam:
            v = sim.violation
            parts.append(self._piece("constraints", lambda: self._figure("constraints", plot(sim, "violations"))))
            parts.append(
                note(f"Constraints are violated by at most {v.position:z.1e} in position and {v.speed:z.1e} in speed.")
            )
        return "".join(parts)

    def _motion_over_time(self) -> str:
        """Curves of all columns; of many, the coordinates, and of many of these the first and the last."""
        sim = self.study.trajectory
        names = list(sim.columns())
        if len(names) <= MOST_CURVES:
            return self._figure("motion", plot(sim))
        few = [s.name for s in sim.equations.q] or names
        if len(few) > MOST_CURVES:
            few = [*few[: MOST_CURVES // 2], *few[-(MOST_CURVES // 2) :]]
        return self._figure("motion", plot(sim, *few)) + note(
            f"{len(few)} of {len(names)} columns; data/trajectory.npz has all."
        )

    def _picture(self) -> str:
        study = self.study
        shown = scene(study.trajectory, shapes=study.source.shapes, packages=study.source.packages)
        shown.save(self.target / "data" / "scene.glb")
        return "".join([shown.html(assets=False), *(note(n, is_warning=True) for n in shown.notes)])

    def _live(self) -> str:
        """The model itself, running in the page, with sliders."""
        study = self.study
        study.without_modes("the model that runs in this page")
        if study.is_large:
            return note(f"The mechanism is too large to run in this page: {len(study.equations.u)} speeds.")
        if (count := operations(study.equations.udot)) > MOST_LIVE:
            return note(f"The equations are too large to run in this page: {count} operations for accelerations.")
        begin, end = study.span
        options = LiveOptions(abs(end - begin), study.start, shapes=study.source.shapes, packages=study.source.packages)
        self.live = live_part(closed_loop(study.equations, study.laws) if study.laws else study.equations, options)
        about = f"The equations run in this page ({self.live.size}): move a slider to recompute the motion."
        return note(about) + self.live.html

    def _stability(self) -> str:
        study = self.study
        spectrum = study.spectrum
        at = ", ".join(f"{k} = {v:g}" for k, v in study.at.items())
        largest = max((abs(m.eigenvalue) for m in spectrum), default=1.0)
        rows = [
            [
                _neat(m.eigenvalue.real, largest),
                _neat(m.eigenvalue.imag, largest),
                f"{m.frequency:z.5g}",
                _neat(m.damping_ratio, 1.0),
                _mostly(m),
            ]
            for m in spectrum
        ]
        head = ["real part [1/s]", "imaginary part [rad/s]", "frequency [Hz]", "damping ratio", "mostly"]
        where = f"Eigenvalues{f' at {at}' if at else ''}, {study.operating_point}."
        parts = [f"<p>{in_html(where)}</p>", table(head, rows)]
        if spectrum.infinite:
            parts.append(note(f"{spectrum.infinite} eigenvalues are infinite."))
        parts.append(self._piece("matrices", self._matrices))
        self.step("root locus and responses")
        parts.append(self._piece("root locus", self._locus))
        parts.append(self._piece("branches", self._branches))
        parts.append(self._piece("orbits", self._orbits))
        parts.append(self._piece("responses", self._responses))
        parts.append(self._modes())
        return "".join(parts)

    def _matrices(self) -> str:
        """E x' = A x + B r with the symbols of the parameters, tidy; entries without an operating point in closed form
        are numbers."""
        lin = self.study.linear
        if self.study.is_large or len(lin.x) > MOST_STATES or operations(lin.E, lin.A, lin.B) > MOST_OPERATIONS:
            return note("The matrices of the linear system are too large to be shown with their symbols.")
        found = {part: tidy(getattr(lin, part)) for part in ("E", "A", "B") if getattr(lin, part).entries}
        formulas = "".join(f"<p>{part}</p>{html([formula(m)], styled=False)}" for part, m in found.items())
        states = f"<p>x = ({in_html(', '.join(lin.x))})</p>"
        return details("Matrices of E x' = A x + B r, with symbols", states + formulas)

    def _locus(self) -> str:
        locus = self.study.locus
        if locus is None:
            return ""
        if isinstance(locus, StabilityChart):
            first, second = map(self._label, locus.names)
            return self._figure("eigenvalues", plot(locus, labels=(first.with_unit, second.with_unit)))
        return self._figure("eigenvalues", plot(locus, label=self._label(locus.parameter).with_unit))

    def _label(self, name: str) -> QuantityLabel:
        """Name and unit; units of values of the steady motion follow from what they are equal to, V from x_dot = V."""
        asked = self.study.source.requests.steady
        return label_of(self.study.equations, name, zeros=[a - b for a, b in asked.values] if asked else ())

    def _branches(self) -> str:
        """The bifurcation diagram, with a table of special points."""
        study = self.study
        asked, found = study.branch_request, study.branches
        if asked is None or not found:
            return ""
        self.step("following branches")
        head = [found[0].varied, "what happens", "", "frequency [rad/s]"]
        points = list(
            dict.fromkeys(
                (p.kind, p.criticality, round(p.value, 12), abs(p.eigenvalue.imag)) for b in found for p in b.special
            )
        )
        rows = [
            [f"{value:z.8g}", f"{side} {kind}".strip(), POINT_WORDS[kind], f"{omega:z.6g}" if omega else ""]
            for kind, side, value, omega in points
        ]
        parts = [self._figure("branches", plot(found, *asked.show)), table(head, rows) if rows else ""]
        if study.branch_curves:
            parts.append(self._figure("special_points", plot(study.branch_curves)))
        return "".join(parts)

    def _orbits(self) -> str:
        """The periodic motion with its multipliers, moving; families of them, with a table of special orbits."""
        study = self.study
        if study.orbit_request is None:
            return ""
        self.step("looking for orbits")
        found, families, show = study.orbit, study.orbit_families, study.orbit_request.show
        assert found is not None
        states = [n for n in show if n not in (PERIOD, MULTIPLIERS)]
        parts = [f"<pre>{in_html(str(found))}</pre>", self._figure("orbit", plot(found, *states))]
        if len(found.multipliers):
            parts.append(self._figure("multipliers", plot(found, MULTIPLIERS)))
        try:
            moving = scene(found, shapes=study.source.shapes, packages=study.source.packages)
            parts.append(details("The orbit, moving", moving.html(assets=False, autoplay=False)))
        except SymbodyError as reason:
            parts.append(note(f"no picture: {reason}", is_warning=True))
        if families:
            parts.append(self._figure("orbits", plot(families, *show)))
            points = [p for f in families for p in f.special]
            rows = [[f"{p.value:z.8g}", p.kind, ORBIT_WORDS[p.kind], f"{p.period:z.8g}"] for p in points]
            parts.append(table([families[0].varied, "what happens", "", "period [s]"], rows) if rows else "")
        return "".join(parts)

    def _responses(self) -> str:
        found = self.study.responses
        units = {(self._label(r.output).unit, self._label(r.input).unit) for r in found}
        one = units.pop() if len(units) == 1 else ("", "")
        return self._figure("responses", plot(found, unit=quotient_unit(*one) if all(one) else "")) if found else ""

    def _modes(self) -> str:
        """The slowest to decay, on the same model."""
        study = self.study
        if study.is_large:
            return note("Modes of so large a mechanism are not animated; scene(..., mode=...) draws one.")
        self.step("animating modes")
        upper = [
            m
            for m in study.spectrum
            if m.eigenvalue.imag > 1e-9 or (abs(m.eigenvalue.imag) <= 1e-9 and m.eigenvalue.real != 0)
        ]
        largest = max((abs(m.eigenvalue) for m in upper), default=1.0)
        chosen = sorted(
            upper, key=lambda m: (not m.is_oscillatory, -round(m.eigenvalue.real / largest, 9), m.frequency)
        )[:MOST_MODES]
        out = []
        for k, m in enumerate(chosen, start=1):
            words = (
                f"{m.frequency:z.4g} Hz, damping ratio {_neat(m.damping_ratio, 1.0)}"
                if m.is_oscillatory
                else f"real part {m.eigenvalue.real:z.4g} 1/s"
            )
            try:
                shown = scene(study.state_at_point, shapes=study.source.shapes, packages=study.source.packages, mode=m)
            except SymbodyError as reason:
                out.append(details(f"Mode {k}: {words}", note(f"no picture: {reason}", is_warning=True)))
                continue
            out.append(
                details(
                    f"Mode {k}: {words}, mostly {_mostly(m)}", shown.html(assets=False, autoplay=k == 1), is_open=k == 1
                )
            )
        return "".join(out)

    def _equations(self) -> str:
        found = equations_page.equations_html(self.study.equations)
        for name, text in found.files.items():
            write_text(self.target / "data" / name, text)
        return found.html

    def _parameters(self) -> str:
        m, study = self.study.mechanism, self.study
        rows: list[list[str]] = []
        for s in m.p[:MOST_ROWS]:
            value = study.values.get(s.name, m.values.get(s))
            changed = "changed" if s.name in study.values else ""
            unit = m.units.get(s, "")
            rows.append([s.name, "–" if value is None else f"{in_unit(value, unit):z.10g}", unit, changed])
        rows_of = {n: study.equations.variables[n] for n in study.start.values if n in study.states}
        start = [[n, f"{in_unit(study.start.values[n], v.shown_in):z.10g}", v.shown_in] for n, v in rows_of.items()]
        audit = f"<pre>{in_html(str(study.audit))}</pre>"
        return "".join([
            table(["parameter", "value", "unit", ""], rows) if rows else note("No parameters: all numbers are in the equations."),
            _rest(m.p, "parameters"),
            details("Start", table(["", "value", "unit"], start[:MOST_ROWS]) + _rest(start, "values")),
            details("Audit", audit, is_open=bool(study.audit.findings)),
        ])  # fmt: skip

    def _certificate(self) -> str:
        found = self.study.certificate
        rows = [
            [c.what, f"{c.error:z.1e}", f"{c.tolerance:z.0e}", "holds" if c.passed else "FAILED"] for c in found.checks
        ]
        verdict = "Every check holds." if found.passed else f"{len(found.failed)} checks failed."
        text = f"{verdict} {found.states} random states; errors are relative to the size of the terms compared."
        return note(text, not found.passed) + table(["check", "error", "allowed", ""], rows)

    def _reproduce(self) -> str:
        commands = reproducing_commands(self.study)
        others = [[name, _version(name)] for name in PACKAGES]
        rows = [["symbody", VERSION], *others, ["Python", platform.python_version()]]
        beside = sorted(p.name for p in (self.target / "data").iterdir() if not is_unfinished(p))
        links = "".join(f"<li><a href='data/{in_address(n)}'>{in_html(n)}</a></li>" for n in beside)
        return (
            f"<pre class='commands'>{in_html(chr(10).join(commands))}</pre>{details('Files beside this page', f'<ul>{links}</ul>')}"
            + details("Versions", table(["package", "version"], rows))
        )

    def _figure(self, name: str, figure: Figure) -> str:
        figure.save(self.target / "data" / f"{name}.csv")
        caption = f"{in_html(figure.caption)} " if figure.caption else ""
        data = f"<a href='data/{name}.csv' download>numbers</a>"
        return f"<figure>{figure.html(assets=False)}<figcaption>{caption}{data}</figcaption></figure>"


_TITLES: Final = {
    "motion": "Motion",
    "live": "Try it",
    "stability": "Linearisation and stability",
    "equations": "Equations",
    "parameters": "Parameters and start",
    "certificate": "Certificate",
    "reproduce": "Reproduce",
}


def reproducing_commands(study: Study) -> list[str]:
    """Commands that give what the report shows."""
    source = study.source
    model = [in_shell(source.argument), *(f"--meshes {in_shell(f)}" for f in source.meshes)]
    model += [f"--set {k}={v!r}" for k, v in study.changed.items()]
    end = [f"-t {study.options['t']!r}"] if "t" in study.options else []
    vary = [f"--vary {k}={r}" for k, r in study.vary.items()]
    more = {"simulate": end, "eig": vary, "report": [*end, *vary, "-o DIR"]}
    names = ("check", "derive", "simulate", "eig", "certify", "report")
    return [" ".join(["symbody", name, *model, *more.get(name, ())]) for name in names]


def _rest(things: Sequence[Any], what: str) -> str:
    """A note on the rows that a table leaves out."""
    return (
        note(f"{len(things) - MOST_ROWS} more {what}: the audit and the model file have them.")
        if len(things) > MOST_ROWS
        else ""
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _neat(value: float, largest: float) -> str:
    """A number rounded for reading; zero if it is below rounding error of the largest."""
    return "0" if abs(value) <= 1e-11 * largest else f"{value:z.5g}"


def _mostly(mode: Any) -> str:
    ordered = sorted(mode.participation, key=mode.participation.__getitem__, reverse=True)
    return ", ".join(ordered[:2])


def _version(name: str) -> str:
    try:
        return version(name)
    except ImportError:
        return "–"
