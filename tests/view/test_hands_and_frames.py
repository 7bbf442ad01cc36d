"""Fingers on plots and scenes, plots beside a scene, and cells of a notebook that share their viewer, in a real
browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import symbody as sb
from symbody.view.figures import interactive
from symbody.view.scenes import viewer

from .browser import Browser, Page, found

if found() is None:
    pytest.skip("no browser: apt-get install chromium, or name one by SYMBODY_BROWSER", allow_module_level=True)

V, PANEL = "symbody.viewers[0]", "symbodyPlots.plots[0].panels[0]"
READY = f"window.symbody && {V} && window.symbodyPlots && symbodyPlots.plots.length === 2 && {PANEL}.frame"


@pytest.fixture(scope="module")
def sim() -> sb.integrate.Trajectory:
    m = sb.Model("pendulum")
    m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    m.gravity(0, -9.81, 0)
    return sb.simulate(sb.derive(m), 4.0, theta=1.0)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    in_one = (
        "--disable-features=IsolateSandboxedIframes"  # frames of cells in the process of their page: tests see them
    )
    running = Browser(tmp_path_factory.mktemp("profile"), in_one)
    yield running
    running.close()


@pytest.fixture(scope="module")
def both(sim, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A scene with two plots of its motion below it, on a phone."""
    plots = sim.plot("theta").html(assets=False) + sim.plot("energies").html(assets=False)
    path = tmp_path_factory.mktemp("pages") / "both.html"
    path.write_text(
        '<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"{viewer.assets()}{interactive.assets()}</head><body><article>"
        f"{viewer.fragment(sim.scene(), assets=False, height='300px', autoplay=False)}{plots}</article></body></html>"
    )
    page = browser.page(path, width=400, height=1100, phone=True)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    page.until(READY)
    page.painted()
    yield page
    assert page.complaints() == []
    page.close()


def place(page: Page, canvas: str, x: float, y: float) -> tuple[float, float]:
    """A point of a canvas, in shares of its width and height, on the screen."""
    left, top, width, height = page.value(
        f"(({{ left, top, width, height }}) => [left, top, width, height])({canvas}.getBoundingClientRect())"
    )
    return left + x * width, top + y * height


def touch(page: Page, kind: str, *fingers: tuple[float, float]) -> None:
    points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(fingers)]
    page.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    page.painted()


def test_a_finger_chooses_the_time_of_the_scene(both):
    """A tap: the cursors of all plots over time, the value that is read, and the scene have the time under it."""
    touch(both, "touchStart", place(both, f"{PANEL}.canvas", 0.5, 0.4))
    touch(both, "touchEnd")
    chosen = both.value(f"{PANEL}.cursor.x")
    assert 1.0 < chosen < 3.0
    assert both.value("symbodyPlots.plots[1].panels[0].cursor.x") == chosen
    assert both.value(f"{V}.time") == pytest.approx(chosen)
    assert both.value(f"{V}.playing") is False
    assert both.value(f"{PANEL}.read.textContent")


def test_the_scene_moves_the_cursors_of_plots(both):
    both.value(f"{V}.seek(3.25), 1")
    both.until("symbodyPlots.plots.every((p) => Math.abs(p.time - 3.25) < 1e-9)")


def test_two_fingers_zoom_a_plot_and_leave_the_time(both):
    both.value(f"symbodyPlots.plots[0].reset(), {V}.seek(1.5), 1")
    both.painted()
    before = both.value(f"{PANEL}.rx[1] - {PANEL}.rx[0]")
    near = [place(both, f"{PANEL}.canvas", x, 0.5) for x in (0.45, 0.55)]
    far = [place(both, f"{PANEL}.canvas", x, 0.5) for x in (0.25, 0.75)]
    touch(both, "touchStart", near[0])
    touch(both, "touchStart", *near)
    touch(both, "touchMove", *far)
    touch(both, "touchEnd", far[0])
    touch(both, "touchEnd")
    assert both.value(f"{PANEL}.rx[1] - {PANEL}.rx[0]") < 0.5 * before
    assert both.value(f"{V}.time") == pytest.approx(1.5)


def test_fingers_turn_and_zoom_a_scene(both):
    state = f"(({{ turn, tilt, zoom }}) => [turn, tilt, zoom])({V}.camera)"
    begin = both.value(state)
    at = [place(both, f"{V}.canvas", x, 0.5) for x in (0.4, 0.6)]
    touch(both, "touchStart", at[0])
    touch(both, "touchMove", at[1])
    touch(both, "touchEnd")
    turned = both.value(state)
    assert abs(turned[0] - begin[0]) > 0.3
    wide = [place(both, f"{V}.canvas", x, 0.5) for x in (0.2, 0.8)]
    touch(both, "touchStart", *at)
    touch(both, "touchMove", *[((a[0] + b[0]) / 2, a[1]) for a, b in zip(at, wide, strict=True)])
    touch(both, "touchMove", *wide)
    touch(both, "touchEnd")
    assert both.value(state)[2] != pytest.approx(turned[2], rel=0.1)


def frames(page: Page) -> list[int]:
    """Execution contexts of the frames on a page, in order: of each the last, that of its document."""
    own = [e["params"]["context"] for e in page.browser.events if e.get("method") == "Runtime.executionContextCreated" and e.get("sessionId") == page.session]  # fmt: skip
    last = {c["auxData"]["frameId"]: c["id"] for c in own}
    return [k for frame, k in last.items() if frame != page.target]


def test_cells_share_their_viewer(sim, browser, tmp_path):
    """A scene and a plot without scripts run with those of another cell, whichever is loaded first; alone they say what
    is missing."""
    alone = len(sim.scene()._repr_html_())
    try:
        shared = sb.view.share_viewer()._repr_html_()
        cells = [sim.scene()._repr_html_(), sim.plot("theta")._repr_html_()]
    finally:
        sb.view.share_viewer(False)
    assert len(cells[0]) < alone - 50_000
    assert viewer.script()[:200] not in cells[0]
    assert len(sim.scene()._repr_html_()) == alone
    inside = "[window.symbody ? symbody.viewers.length : 0, window.symbodyPlots ? symbodyPlots.plots.length : 0, ...[...document.querySelectorAll('.symbody-missing')].map((e) => e.hidden)]"  # fmt: skip
    for name, all_cells, wanted in [
        ("all.html", [cells[0], shared, cells[1]], [[1, 0, True], [0, 0], [0, 1, True]]),
        ("alone.html", cells, [[0, 0, False], [0, 0, False]]),
    ]:
        path = tmp_path / name
        path.write_text(f"<!doctype html><html><body>{''.join(all_cells)}</body></html>")
        page = browser.page(path)
        page.until(f"frames.length === {len(all_cells)}")
        try:
            contexts = frames(page)
            for context, value in zip(contexts, wanted, strict=True):
                for _ in range(400):
                    got = page.call("Runtime.evaluate", expression=inside, contextId=context, returnByValue=True)["result"]["value"]  # fmt: skip
                    if got == value:
                        break
                    page.painted()
                assert got == value, name
            assert page.complaints() == []
        finally:
            page.close()
