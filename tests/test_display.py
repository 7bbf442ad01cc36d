"""Results as mathematics: in notebooks, in LaTeX and in terminals."""

import enum
import importlib
import inspect
import math
import re
import time
from fractions import Fraction
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

import symbody as sb
from bench.readable_systems import SYSTEMS
from symbody import display
from symbody.algebra.printing.formulas import formula
from symbody.algebra.printing.printed_numbers import as_written, digits
from symbody.printed_lines import CLOSING, OPENING, TIMES, at_width, columns, terms_of_mathml
from symbody.small_figures import SmallCurve, small_figure

x, y = sb.symbols("x y")


@cache
def readable(name: str):
    return sb.derive(SYSTEMS[name](), check=False).readable


# ---------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.1 * 2.2 * 1.5, "3.63*x"),  # 3.6300000000000003 in floating point
        (0.1 + 0.2, "0.3*x"),
        (2.0 * 3, "6*x"),
        (1 / 3, "x/3"),
        (-2 / 3, "-2*x/3"),
        (7 / 12, "7*x/12"),
        (0.25, "0.25*x"),
        (Fraction(1, 4), "x/4"),
        (0.333, "0.333*x"),
        (1 / 3 + 1e-13, "0.333333333333*x"),  # no third: 1800 rounding errors away
        (math.pi, "3.14159265359*x"),
        (1e-9, "1e-09*x"),
        (1 / 101, "0.00990099009901*x"),  # no small denominator
    ],
)
def test_floats_have_the_digits_that_they_need(value, shown):
    assert str(value * x) == shown
    assert "00000000" not in sb.latex(value * x)


def test_no_decimal_is_taken_for_a_fraction():
    """Floats between 0 and 1 with a few digits stay decimals; those next to a fraction are that fraction."""
    assert all(isinstance(as_written(k / 1000), float) for k in range(1, 1000))
    for q in range(3, 100):
        for p in (1, q - 1):
            near = as_written(p / q)
            assert math.isclose(float(near), p / q, rel_tol=3e-16)
            assert isinstance(as_written(p / q * (1 + 1e-14)), float)
    assert digits(12.0) == "12"


def test_text_with_all_digits_reads_back():
    e = (0.1 + 0.2) * x + 1 / 3
    assert sb.text(e, exact=True) == "0.30000000000000004*x + 0.3333333333333333"


# ---------------------------------------------------------------------------------------------------------- lines


@pytest.mark.parametrize("width", [30, 50, 79])
@pytest.mark.parametrize("name", ["triple_pendulum", "heavy_top", "furuta", "four_bar"])
def test_text_fits_the_width_and_keeps_every_character(name, width):
    plain, broken = readable(name).text(None), readable(name).text(width)
    assert "".join(plain.split()) == "".join(broken.split())
    longest = max(map(len, re.split(r" [-+] | = ", plain)))  # a term that holds no sum cannot be broken
    assert max(map(columns, broken.split("\n"))) <= max(width, longest + 8)
    if width == 79:
        assert max(map(columns, broken.split("\n"))) <= width


def test_lines_break_at_the_outer_sum():
    assert at_width("a = b*(c + d) + e*(f + g)", 18) == "a = b*(c + d)\n    + e*(f + g)"
    assert at_width("short", 3) == "short"
    assert columns("m l² θ̈") == 6


def test_terminal_shows_mathematics():
    shown = repr(readable("double_pendulum_absolute"))
    assert " ".join(shown.split()).startswith("(m₁ + m₂) l₁² q̈₁ + m₂ l₁ l₂ cos(q₁ − q₂) q̈₂ = ")
    found = display.text([formula(sb.matrix([[x**2 / y, sb.sqrt(x)], [1, -x]]))])
    assert found == "⎡x²/y  √x⎤\n⎣ 1    −x⎦"
    assert display.text([formula((x + 1) / (y * x) + abs(x))]) == "|x| + (x + 1)/(x y)"
    wide = formula(sb.matrix([[sb.sin(x + k) for k in range(8)]] * 2))
    assert max(map(columns, display.text([wide], 60).split("\n"))) <= 60


# ---------------------------------------------------------------------------------------------------------- notebooks


@pytest.mark.parametrize("name", SYSTEMS)
def test_equations_are_mathematics_in_a_notebook(name):
    """One row for each line, well formed, with all terms; LaTeX beside it."""
    page = readable(name)._repr_html_()
    root = ElementTree.fromstring(page)
    rows = [*root.iter("tr"), *(e for e in root.iter("div") if "equation" in e.get("class", ""))]
    assert len(rows) >= len(readable(name).lines)
    assert "<math" in page
    assert readable(name)._repr_latex_().startswith("$\\displaystyle \\begin{aligned}")
    assert len(page) < 40_000


def test_terms_of_a_row():
    row = f"<mi>a</mi><mo>−</mo><mi>b</mi><mrow>{OPENING}<mi>c</mi><mo>+</mo><mi>d</mi>{CLOSING}</mrow>"
    assert len(terms_of_mathml(row)) == 2
    long_row = row.replace("<mi>c</mi>", "<mi>c</mi>" * 60)
    assert len(terms_of_mathml(long_row)) == 3
    assert "".join(terms_of_mathml(long_row)).count("<mi>") == long_row.count("<mi>")
    assert terms_of_mathml("<mo>−</mo><mi>a</mi>") == ["<mo>−</mo><mi>a</mi>"]


@pytest.mark.parametrize("factor", ["", "<mn>12</mn>"])
def test_long_fractions_are_broken(factor):
    """(a + b)/c as 1/c (a + b), k (a + b)/c as k/c (a + b); short ones stay fractions."""
    total = "<mi>a</mi>" * 60 + "<mo>+</mo><mi>b</mi>"
    top = f"{factor}{TIMES}<mrow>{OPENING}{total}{CLOSING}</mrow>" if factor else total
    first, second = terms_of_mathml(f"<mo>−</mo><mfrac><mrow>{top}</mrow><mrow><mi>c</mi></mrow></mfrac>")
    lead = f"<mo>−</mo><mfrac><mrow>{factor or '<mn>1</mn>'}</mrow><mrow><mi>c</mi></mrow></mfrac>{TIMES}{OPENING}"
    assert first == lead + "<mi>a</mi>" * 60
    assert second == f'<mo form="infix">+</mo><mi>b</mi>{CLOSING}'
    short = "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mrow><mi>c</mi></mrow></mfrac>"
    assert terms_of_mathml(short) == [short]


def test_long_latex_is_broken_at_sums():
    found = readable("triple_pendulum").latex()
    assert found.count("\\\\\n") >= 2
    assert found.count(r"\left") == found.count(r"\right")


# ---------------------------------------------------------------------------------------------------------- all results

STAGES = "algebra bodies derivation emit formats integrate stability study view write".split()
TOOLS = set(
    """
    ExternalFunction Factors SympyForm
    Pose Shape Moments  Frame JointKind JointCondition Action Coulomb LuGre HalfSpace Ball Ring Tube Ellipsoid HeightField Parts LynchInput LinePath
    WrapSphere WrapCylinder WrapRing WrapTorus WrapEllipsoid ViaPoint
    NamedRow AugmentedSystem
    MassMatrixPrograms CudaFunction WasmObject DeviceArray FiniteElements
    CudaMotion CudaMotions FixedMotions MarchedMotions ContactMotions CudaRollout RolloutStates RolloutGradients CudaEnvironment CudaEnvironmentStep Tableau SimulationOptions
    StabilityChart MatrixNumbers ModelFile Objective Curve Panel Solid ExportOptions
    """.split()
)  # what users make or call, parts of results, and arrays: they have a text


def test_every_public_result_has_a_display():
    """Types without one are listed above."""
    modules = [importlib.import_module(f"symbody.{stage}") for stage in STAGES]
    found = {
        name
        for module in modules
        for name in module.__all__
        if inspect.isclass(t := getattr(module, name)) and not issubclass(t, Exception | enum.Enum)
        if not (hasattr(t, "_repr_html_") or hasattr(t, "_repr_svg_"))
    }
    assert found == TOOLS


@cache
def pendulums():
    m = sb.Model("double pendulum")
    p = m.parameters(m1=1.0, m2=1.0, l1=1.0, l2=0.7, g=9.81)
    m.gravity(0, -p.g, 0)
    a, b = m.body("a", mass=p.m1, com=(0, -p.l1, 0)), m.body("b", mass=p.m2, com=(0, -p.l2, 0))
    m.revolute("q1", m.ground, a, damping=0.1)
    m.revolute("q2", a, b, at=(0, -p.l1, 0))
    return m, sb.derive(m)


def results():
    m, eq = pendulums()
    sim, lin = sb.simulate(eq, 2.0, q1=1.0), sb.linearize(eq, {})
    modes = lin.modes()
    vector = m.bodies["b"].mass_centre.velocity()
    oscillator = sb.linear_system([[0, 1], [-4, -0.4]], B=[[0], [1]], x=["x", "v"], r=["F"])
    return {
        "equations": eq, "readable": eq.readable, "M": eq.M, "variables": eq.variables, "row": eq.variables["q1"], "trajectory": sim,
        "state": sim[-1], "outcome": sim.outcome, "statistics": sim.statistics, "linear": lin, "modes": modes, "mode": modes[0],
        "locus": lin.root_locus(g=(1.0, 9.81), points=20), "steady": sb.steady(eq), "certificate": sb.certify(eq),
        "reaction": sb.reaction(eq, "q2"), "vector": vector, "dyad": m.ground.x | m.ground.y, "point": m.ground.origin,
        "step": oscillator.step_response("F", "x"), "frequencies": oscillator.frequency_response("F", "x"),
        "first order": sb.first_order(eq), "contact": sb.Contact("floor", eq.q[0] + 1, 0.5), "sequence": sb.sequence(eq.M, eq.f),
        "sweep": sb.sweep(lambda a, b: a * b, {"a": [1.0, 2.0], "b": [3.0, 4.0]}),
    }  # fmt: skip


def test_displays_are_well_formed_and_quick():
    """Each is well-formed HTML of less than 40 kB; CPU time of the second call, without what the first one caches."""
    for name, thing in results().items():
        thing._repr_html_()
        start = time.process_time()
        page = thing._repr_html_()
        assert time.process_time() - start < 0.05, name
        ElementTree.fromstring(page.replace("<details open>", "<details>"))
        assert len(page) < 40_000, name
        assert " object at 0x" not in page
        if isinstance(thing, display.Displayed):
            assert max(map(columns, display.text(thing._display(), 80).split("\n"))) <= 80, name


def test_variables_are_a_table():
    page = pendulums()[1].variables._repr_html_()
    assert "<td>q1</td><td>coordinate</td><td>rad</td><td class='number'>0</td><td>about z of ground</td>" in page


def test_small_figures():
    """Curves stay inside of their frame, NaN is left out, names are escaped."""
    t = np.linspace(0, 1, 1000)
    curves = [SmallCurve(n, t.tolist(), y.tolist()) for n, y in (("<x>", np.sin(9 * t)), ("y", 0 * t + np.nan))]
    drawn = small_figure(curves, "t", "x")
    ElementTree.fromstring(drawn)
    assert "&lt;x&gt;" in drawn
    assert drawn.count("<polyline") == 1
    points = re.search("points='([^']*)'", drawn)[1].split()  # type: ignore[index]
    assert len(points) == 240
    assert small_figure([]) == ""
    assert "<polyline" in small_figure([SmallCurve("constant", [0, 1], [2.0, 2.0])])


def test_rounding_is_not_shown_as_damping():
    """Of an undamped system every real part is 0, in text and in a notebook; numbers stay what they are."""
    m = sb.Model("two masses")
    k = m.parameter("k", 3.0)
    left = m.body("left", mass=1.3)
    m.prismatic("x", m.ground, left, stiffness=k)
    m.prismatic("y", left, m.body("right", mass=0.7), stiffness=2.1 * k)
    lin = sb.linearize(sb.derive(m), {})
    modes = lin.modes()
    assert [line.split()[0] for line in str(modes).splitlines()[1:]] == ["0"] * 4
    assert "e-1" not in modes._repr_html_()


def test_verdicts_on_answers_fit_a_page():
    m = sb.Model("oscillator")
    m.prismatic("x", m.ground, m.body("cart", mass=m.parameter("m", 2.0)), stiffness=m.parameter("k", 8.0))
    shown = sb.kits.teaching.compare(sb.derive(m), "m*x'' = k*x")._repr_html_()
    assert "<pre" not in shown
    assert "has the wrong sign" in shown
    assert "left - right is" in shown


def test_small_figures_and_tables_of_motions_are_in_shown_units():
    """A coordinate shown in mm is drawn in mm; a single time is a table."""
    m = sb.Model("slider")
    m.prismatic("x", m.ground, m.body("block", mass=1.0), "x", stiffness=100.0)
    m.show_in("mm", "x")
    sim = sb.simulate(sb.derive(m), 1.0, x="20 mm")
    ticks = [
        float(n) for n in re.findall(r">(-?[\d.]+)<", sim._repr_html_().partition("<svg")[2].partition("</svg>")[0])
    ]
    assert "x [mm]" in sim._repr_html_()
    assert max(ticks) >= 10.0
    page = sim.at(0.0)._repr_html_()
    assert "<svg" not in page
    assert "<td>x [mm]</td><td class='number'>20</td>" in page
    assert "1 time;" in repr(sim.at(0.0))
