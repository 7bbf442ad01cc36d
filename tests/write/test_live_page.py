"""Pages in which a model runs, in a real browser: their motions are those of `simulate`, at the values of the model and
at others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.formats.fem.bodies.outer_faces import HEXA, outer_triangles
from tests.elastic.bricks import AROUND, Block
from tests.view.browser import Browser, Page, found

from .hostile_model import hostile
from .models import crank

DONE = "window.symbodyLive && symbodyLive.run && symbodyLive.run.done"
LAST = "Array.from(symbodyLive.run.states.at(-1))"
MOVE = """(() => {{ const s = symbodyLive.sliders.find((s) => s.name === {0!r}), own = symbodyLive.sliders.filter((x) => x.group === s.group);
  const input = document.querySelectorAll({1!r})[own.indexOf(s)]; input.value = {2!r}; input.dispatchEvent(new Event("change")); }})()"""
NUMBERS = {
    "p": "#live-parameters input[type=number]",
    "x": "#live-start input[type=number]",
    "r": "#live-inputs input[type=number]",
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if found() is None:
        pytest.skip("no browser: apt-get install chromium, or name one by SYMBODY_BROWSER")
    running = Browser(tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


def bars() -> sb.Equations:
    """Two bars in a loop with a slider: a constraint, an input, a length that the picture follows."""
    m = sb.Model("bars")
    l = m.parameter("l", 0.5, unit="m")
    first = m.body("first", mass=1.0, com=(0.15, 0, 0), inertia=(0.01, 0.01, 0.02))
    second = m.body("second", mass=m.parameter("m", 2.0), com=(l / 2, 0, 0), inertia=(0.01, 0.02, 0.03))
    slider = m.body("slider", mass=1.0)
    m.revolute("a", m.ground, first, actuation=m.input("tau"))
    m.revolute("b", first, second, at=(0.3, 0, 0))
    m.prismatic("s", m.ground, slider, axis="x", at=(0, m.parameter("h", 0.0), 0))
    m.coincide("pin", second.point(l, 0, 0), slider.point(0, 0, 0), along=m.ground, axes="xy")
    m.gravity(0, -9.81, 0)
    m.output("tip", 0.3 * sb.sin(m.symbols["a"]))
    return sb.derive(m)


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    path = sb.write.live_page(bars(), tmp_path_factory.mktemp("page") / "bars.html", until=1.0, start=start(0.5))
    opened = browser.page(path, width=1300, height=900)
    opened.until(DONE)
    yield opened
    assert opened.complaints() == []
    assert [r for r in opened.requests() if not r.startswith(("file:", "data:", "blob:"))] == []
    opened.close()


def start(l: float, **more: Any) -> sb.State:
    return sb.assemble(bars(), a=0.6, l=l, start={"b": -1.0, "s": 0.6}, **more)


def moved(page: Page, name: str, value: Any, group: str = "p") -> None:
    page.value("symbodyLive.run.done = false")
    page.value(MOVE.format(name, NUMBERS[group], str(value)))
    page.until(f"!symbodyLive.run.trouble && {DONE}")


def test_the_motion_is_that_of_simulate(page: Page) -> None:
    sim = sb.simulate(bars(), 1.0, start(0.5), rtol=1e-10)
    np.testing.assert_allclose(page.value(LAST), sim.y[-1], atol=2e-5)
    assert page.value("symbodyLive.run.states.length") == page.value("live.samples")


def test_sliders_change_parameters_start_and_inputs(page: Page) -> None:
    """The start is the nearest on the constraints for the changed values; what is drawn follows the length."""
    size = "Math.max(...symbodyLive.viewer.data.solids.filter((s) => s.name === 'second' && s.kind === 'cylinder').map((s) => s.size[1]))"
    before = page.value(size)
    moved(page, "m", 3.0)
    moved(page, "tau", 4.0, "r")
    sim = sb.simulate(bars(), 1.0, start(0.5, m=3.0, tau=4.0), rtol=1e-10)
    np.testing.assert_allclose(page.value(LAST), sim.y[-1], atol=2e-5)
    moved(page, "a_dot", 1.0, "x")
    moved(page, "l", 0.6)
    first = page.value("Array.from(symbodyLive.run.states[0])")
    state = sb.State.of(
        bars(), dict(zip([s.name for s in bars().state], first, strict=True)) | {"l": 0.6, "m": 3.0, "tau": 4.0}
    )
    assert state.violation.is_small
    sim = sb.simulate(bars(), 1.0, state, rtol=1e-10)
    np.testing.assert_allclose(page.value(LAST), sim.y[-1], atol=2e-5)
    assert page.value(size) == pytest.approx(before + 0.1, abs=1e-3)
    drawn = sb.scene(sim.at([1.0]))
    frame = page.value(
        "(() => { const f = symbodyLive.viewer.motion.frames.find((f) => f.name === 'slider'); return Array.from(f.p.slice(-3)); })()"
    )
    (track,) = (f for f in drawn.frames if f.name == "slider")
    np.testing.assert_allclose(frame, track.position[0, -1], atol=1e-4)


def test_values_that_do_not_fit_are_said(page: Page) -> None:
    page.value(MOVE.format("h", NUMBERS["p"], "5"))
    page.until("/cannot|no solution/.test(document.querySelector('#live-said').textContent)")
    page.value("document.querySelector('#live-reset').click()")
    page.until(f"{DONE} && !symbodyLive.run.trouble")
    assert page.value("document.querySelector('#live-reset').disabled")


def test_curves(page: Page) -> None:
    names = page.value("[...document.querySelectorAll('#live-curve option')].map((o) => o.textContent)")
    assert names[:2] == ["tip", "a (rad)"]
    assert names[-1] == "total energy (J)"
    page.value(
        "(() => { const c = document.querySelector('#live-curve'); c.value = c.options.length - 1; c.dispatchEvent(new Event('change')); })()"
    )
    energy = page.value("symbodyLive.run.curve(live.curves.at(-1))")
    assert np.ptp(energy) < 1e-4 * np.ptp(page.value("symbodyLive.run.curve(live.curves.at(-2))"))


def test_hostile_names_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    """Free text breaks out of nothing, and the page is no wider than the screen."""
    path = sb.write.live_page(hostile(), tmp_path / "hostile.html", until=0.05, start={"h": 0.1})
    opened = browser.page(
        path, width=400, height=800, phone=True, before="window.owned = () => { window.broken = true; };"
    )
    opened.until(DONE)
    assert opened.complaints() == []
    assert opened.value("[window.broken ?? false, symbodyLive.run.trouble]") == [False, ""]
    assert opened.value("document.documentElement.scrollWidth") == 400
    assert opened.value("document.querySelector('h1').textContent") == '"*/ int owned = 1; /*" \\ %'
    sim = sb.simulate(hostile(), 0.05, h=0.1, rtol=1e-10)
    np.testing.assert_allclose(opened.value(LAST), sim.y[-1], atol=1e-5)
    opened.close()


def ball() -> sb.Equations:
    m = sb.Model("ball")
    y = m.prismatic("y", m.ground, m.body("ball", mass=1.0), axis="y").q
    m.parameter("e", 0.8)
    m.output("height", y)
    m.gravity(0, -9.81, 0)
    return sb.derive(m)


def test_events_happen_in_the_page(browser: Browser, tmp_path: Path) -> None:
    """A ball that bounces (a reset), is seen at a height (marked only, on the way up), and ends: times and state of
    `simulate`, also at a changed restitution."""
    eq = ball()
    y, v, e = eq.q[0], eq.u[0], eq.variables["e"].symbol
    floor = sb.Event("floor", y, direction="falling", reset={v: -e * v})
    half = sb.Event("half", y - 0.5, direction="rising")
    slow = sb.Event("never", y - 0.4, where=v > 100, reset={v: 0})
    high = sb.Event("late", eq.t - 1.9, terminal=True)
    events = {x.name: x for x in (floor, half, slow, high)}
    opened = browser.page(
        sb.write.live_page(eq, tmp_path / "ball.html", until=2.0, start={"y": 1.0}, events=events),
        width=1300,
        height=900,
    )
    for restitution in (0.8, 0.9):
        if restitution != 0.8:
            moved(opened, "e", restitution)
        opened.until(DONE)
        sim = sb.simulate(eq, 2.0, y=1.0, e=restitution, events=list(events.values()), rtol=1e-10)
        marks = opened.value("symbodyLive.run.marks")
        assert [m["name"] for m in marks] == [x.name for x in sim.events]
        assert len(marks) >= 5
        np.testing.assert_allclose([m["t"] for m in marks], [x.t for x in sim.events], atol=1e-6)
        np.testing.assert_allclose(opened.value(LAST), sim.y[-1], atol=1e-5)
    assert "Ended by late at t = 1.9 s. Events: floor at 0.4515 s" in opened.value(
        "document.querySelector('#live-said').textContent"
    )
    assert opened.value("document.querySelectorAll('#live-chart .event').length") == len(marks)
    assert opened.complaints() == []
    opened.close()


def test_events_that_pile_up_are_said(browser: Browser, tmp_path: Path) -> None:
    """With restitution 0.5 the ball comes to rest within 1.36 s, after infinitely many bounces: it never falls through
    the floor."""
    eq = ball()
    floor = sb.Event("floor", eq.q[0], direction="falling", reset={eq.u[0]: -0.5 * eq.u[0]})
    start = {"y": 1.0}
    opened = browser.page(
        sb.write.live_page(eq, tmp_path / "ball.html", until=1.3, start=start, events={"floor": floor}),
        width=1300,
        height=900,
    )
    opened.until(DONE)
    opened.value(
        "(() => { const u = document.querySelector('#live-until'); u.value = 3; u.dispatchEvent(new Event('change')); })()"
    )
    opened.until("symbodyLive.run.end === 3 && symbodyLive.run.done")
    assert "Events follow each other ever faster; the motion is shown to t = 1.355 s" in opened.value(
        "document.querySelector('#live-said').textContent"
    )
    assert opened.value("Math.min(...symbodyLive.run.states.map((x) => x[0]))") > -1e-9
    opened.close()


def test_meshes_deform_with_the_motion_of_the_page(browser: Browser, tmp_path: Path) -> None:
    """Weights of a body from finite elements are its coordinates, at every sample."""
    block = Block(n=(3, 1, 1))
    faces = outer_triangles([(HEXA, block.cells[:, AROUND])], block.nodes)
    part = sb.finite_elements(mass=block.mass, stiffness=1e-4 * block.stiffness, nodes=block.nodes, faces=faces)
    arm = part.with_sets(root=part.near(x=0)).reduced(interfaces={"root": "rbe2"}, modes=1)
    m = sb.Model("arm")
    m.revolute("hinge", m.ground, m.elastic_from("arm", arm), axis="z")
    m.gravity(0, -9.81, -9.81)
    page = browser.page(sb.write.live_page(sb.derive(m), tmp_path / "arm.html", until=0.3))
    page.until(DONE)
    bent = np.array(page.value("Array.from(symbodyLive.viewer.surfaces[0].w)"))
    states = np.array(page.value("symbodyLive.run.states.map((x) => Array.from(x))"))
    assert bent == pytest.approx(states[:, 0], rel=1e-6)
    assert np.abs(bent).max() > 1e-3
    assert page.complaints() == []
    page.close()


def test_external_functions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(sb.errors.ProgramError, match="external function damper_force is not known in JavaScript"):
        sb.write.live_page(crank(), tmp_path / "crank.html", until=0.1)
    assert not list(tmp_path.iterdir())


def test_a_body_from_finite_elements_alone(tmp_path: Path) -> None:
    """Its mass centre moves in its frame, on a frame of its own."""
    nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    K = np.zeros((12, 12))
    for i, j in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
        way = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
        b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
        K += 1000.0 * np.outer(b, b)
    part = sb.finite_elements(mass=np.eye(12), stiffness=K, nodes=nodes)
    m = sb.Model("part")
    m.elastic_from("arm", part.reduced(frame="mean", method="free", modes=2), m.ground.rotate("z", m.coordinate("a")))
    sb.write.live_page(sb.derive(m), tmp_path / "live.html")
    assert "arm" in (tmp_path / "live.html").read_text()
