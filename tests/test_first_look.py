"""What a user sees first: `repr` of every result is a few lines, and HTML in notebooks escapes the user's names."""

import importlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

import symbody as sb
from symbody import display
from symbody.study import Study, built_in, find_model
from symbody.summary import MOST_ROWS, Summary, first_lines, listing

LINES, CHARACTERS = 15, 1500
EVIL = "<script>alert('x')</script> & \"y\""


@cache
def study(name: str) -> Study:
    return Study(find_model(name))


def assert_good_to_look_at(thing: Any) -> None:
    shown = repr(thing)
    assert shown.strip()
    assert " object at 0x" not in shown
    assert len(shown.splitlines()) <= LINES, shown
    assert len(shown) <= CHARACTERS, shown
    if hasattr(thing, "_repr_html_"):
        page = thing._repr_html_() or ""  # None: it is shown as a picture
        assert " object at 0x" not in page
        assert page.count("<details") == page.count("</details>")


def parts(s: Study) -> list[Any]:
    """What is there without any numbers."""
    m, eq = s.mechanism, s.equations
    first = [group[0] for group in (m.bodies, m.joints, m.loads, m.constraints, m.frames) if group]
    vectors = [m.bodies[0].mass_centre, m.bodies[0].mass_centre.velocity(), m.frames[-1].angular_velocity()]
    matrices = [eq.M, eq.f, eq.rates, eq.M[0, 0], eq.f[0], sb.sequence(eq.M, eq.f)]
    return [
        s,
        s.source,
        s.source.model,
        m,
        eq,
        s.audit,
        *first,
        *vectors,
        *matrices,
        sb.derivation.mass_matrix_sparsity(eq),
    ]


@pytest.mark.parametrize("name", sorted(built_in()))
def test_description_and_equations(name: str) -> None:
    for thing in parts(study(name)):
        assert_good_to_look_at(thing)


@pytest.mark.parametrize("name", ["bicycle", "stanford_arm"])
def test_answers_about_equations(name: str) -> None:
    eq = study(name).equations
    found: list[Any] = [
        study(name).certificate,
        *sb.derivation.reactions(eq).values(),
        sb.derivation.forward_derivatives(eq),
    ]
    program = sb.program("mass_matrix", {"q": list(eq.q), "p": list(eq.p)}, {"M": eq.M})
    found += [sb.inverse_dynamics(eq)] if eq.r else []
    found += [program, program.cost, sb.c_source(program), sb.compile(eq), sb.compile(program)]
    for thing in found:
        assert_good_to_look_at(thing)


@pytest.mark.parametrize("name", ["motorcycle", "double_pendulum"])
def test_answers_in_numbers(name: str) -> None:
    s = study(name)
    sim, lin = s.trajectory, s.linear
    found = [s.start, s.start.violation, sim, sim.outcome, sim.statistics, sb.plot(sim), sb.scene(sim), s.steady]
    found += [
        lin,
        s.spectrum,
        s.spectrum[0],
        lin.state_space(s.at),
        lin.root_locus({**s.at, **a_range(s)}),
        *s.responses,
    ]
    for thing in found:
        assert_good_to_look_at(thing)


def a_range(s: Study) -> dict[str, Any]:
    name = s.linear.parameters[-1].name
    return {name: (1.0, 2.0)}


def test_large_robot() -> None:
    """Talos: 32 joints, 482 parameters; nothing is longer than for a pendulum."""
    path = (
        Path(pytest.importorskip("pinocchio").__file__).parents[4] / "share/example-robot-data/robots/talos_data/robots"
    )
    if not path.is_dir():
        pytest.skip("example-robot-data is not installed")
    s = study(str(path / "talos_full_v2.urdf"))
    eq = s.equations
    for thing in (
        *parts(s),
        sb.inverse_dynamics(eq),
        sb.derivation.forward_derivatives(eq),
        cast(Any, s.source.model).report,
    ):
        assert_good_to_look_at(thing)
    assert "32 degrees of freedom" in repr(eq)
    assert len(str(s.audit)) < 8000


def test_says_what_it_is() -> None:
    eq = study("slider_crank").equations
    shown = repr(eq)
    for part in (
        "slider crank",
        "recursive",
        "1 degree of freedom",
        "3 (x, alpha, beta)",
        "2 (lam_bearing_x",
        "M u' = f + Jcᵀ lam",
    ):
        assert part in shown, shown
    assert "bearing revolute closing a loop" in repr(study("slider_crank").source.model)
    assert str(eq.M).startswith("z1 = ")  # print writes matrices out
    assert repr(sb.Model("empty")) == "<Model empty\n  next: add bodies and joints>"


def test_equations_are_drawn_in_a_notebook() -> None:
    page = study("double_pendulum").equations._repr_html_()
    assert page.count("<math") >= 3
    assert "<details><summary>M, 2 by 2" in page  # as the lines above it
    assert "<details><summary>M, 8 by 8" in study("bicycle").equations._repr_html_()  # long: folded
    lin = sb.linear_system([[0, 1], [-4, -1]])
    assert "<details open><summary>A, 2 by 2" in lin._repr_html_()
    assert "<math" not in display.html(Summary("no formula", (("a", "<math>"),)).parts())


def test_names_are_escaped() -> None:
    m = sb.Model(EVIL)
    m.revolute("a", m.ground, m.body("b & <i>", mass=1.0, inertia=(1, 1, 1)), axis="z")
    eq = sb.derive(m)
    for thing in (m, m.freeze(), eq, sb.audit(m), sb.certify(eq), sb.reaction(eq, "a")):
        page = thing._repr_html_()
        assert "<script" not in page
        assert "<i>" not in page
    assert "&lt;script&gt;" in m._repr_html_()


@pytest.mark.parametrize(
    "stage", ["algebra", "bodies", "derivation", "emit", "formats", "integrate", "stability", "study", "view", "write"]
)
def test_no_public_type_shows_its_address(stage: str) -> None:
    module = importlib.import_module(f"symbody.{stage}")
    types = [t for t in (getattr(module, n) for n in module.__all__) if inspect.isclass(t)]
    assert [t.__name__ for t in types if t.__repr__ is object.__repr__] == []


def test_events_contacts_and_modes() -> None:
    eq = study("double_pendulum").equations
    q = eq.q[0]
    switch = sb.Switch("over", q - 1, "a", "b", "rising")
    contact = sb.Contact("wall", q + 1, 0.5)
    event = sb.Event("top", q, terminal=True, reset=lambda values: None)
    modes, contacts = sb.Modes({"a": eq, "b": eq}, [switch], initial="a"), sb.Contacts(eq, contact)
    for thing in (
        event,
        contact,
        switch,
        modes,
        contacts,
        sb.algebra.factorize(eq.M),
        sb.algebra.ExternalFunction("grip", 1, python=abs),
    ):
        assert_good_to_look_at(thing)
        assert " at 0x" not in repr(thing)
    assert repr(event) == "<Event top, both, terminal, resets the state: q1 = 0>"


def test_lists_and_tables_are_cut() -> None:
    assert listing([]) == ""
    assert listing(f"q{i}" for i in range(38)) == "38 (q0, q1, q2, q3, q4, q5, …)"
    assert listing(["a" * 200, "b"]).startswith("2 (aaa")
    assert first_lines("\n".join("x" * 300 for _ in range(100))).count("\n") < LINES
    assert str(Summary("s", tuple((str(i), "y") for i in range(100)))).count("\n") == MOST_ROWS
