"""The viewer in a real browser: opened from disk, played, switched, by hand and by keys, printed; nothing is asked of
the network.

One browser for all tests. Where there is none they are skipped: `apt-get install chromium`, or SYMBODY_BROWSER with the
path of one.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.formats.fem.bodies.outer_faces import HEXA, outer_triangles
from symbody.study.sources import find_model
from symbody.study.study import Study
from symbody.view.scenes.deformed_surfaces import places
from symbody.view.scenes.scene import Scene, scene
from symbody.view.scenes.viewer import assets
from symbody.write.report import watched
from symbody.write.report.report import write_report
from tests.elastic.bricks import AROUND, Block

from .browser import Browser, Page, found

if found() is None:
    pytest.skip("no browser: apt-get install chromium, or name one by SYMBODY_BROWSER", allow_module_level=True)

V = "symbody.viewers[0]"
NO_WEBGL = "HTMLCanvasElement.prototype.getContext = ((old) => function (kind, ...rest) { return /webgl/.test(kind) ? null : old.call(this, kind, ...rest); })(HTMLCanvasElement.prototype.getContext);"  # fmt: skip
STATE = f"(() => {{ const v = {V}; return [v.time, v.playing, v.camera.turn, v.camera.tilt, v.camera.zoom, ...v.camera.target]; }})()"


def model() -> sb.Model:
    m = sb.Model("two bars")
    m.gravity(0, 0, -9.81)
    upper = m.body("upper", mass=1.0, shape=sb.bar(1.0, "z", at=(0, 0, -0.5)))
    lower = m.body("lower", mass=1.0, com=(0, 0, -0.4), inertia=(0.05, 0.05, 0.01))
    m.revolute("a", m.ground, upper, axis="x")
    m.revolute("b", upper, lower, axis="y", at=(0, 0, -1))
    m.spring("spring", lower.point(0, 0, -0.8), m.ground.point(1, 0, -2), stiffness=2.0)
    return m


@pytest.fixture(scope="module")
def made() -> Scene:
    return scene(sb.simulate(sb.derive(model()), 4.0, a=1.0, b=0.5))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    running = Browser(tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


@pytest.fixture(scope="module")
def page(browser: Browser, made: Scene, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    opened = browser.page(made.save(tmp_path_factory.mktemp("pages") / "view.html"), width=600, height=420)
    opened.until(f"{V} && {V}.canvas.width > 300 && {V}.time > 0")
    yield opened
    assert opened.complaints() == []
    assert [r for r in opened.requests() if not r.startswith(("file:", "data:", "blob:"))] == []
    opened.close()


def stopped_at(page: Page, t: float) -> str:
    """What is drawn at a time, as text that can be compared."""
    page.value(f"{V}.play(false), {V}.seek({t}), 1")
    page.painted()
    return page.value(f"{V}.canvas.toDataURL()")


def test_it_plays_by_itself(page):
    """Time goes on, and what is seen with it; pause holds it."""
    page.value(f"{V}.play(true), 1")
    first = page.value(f"{V}.time")
    page.until(f"{V}.time !== {first}")
    assert stopped_at(page, 0.3) != stopped_at(page, 1.2)
    page.painted()
    assert page.value(f"{V}.time") == pytest.approx(1.2)


def test_bodies_are_seen_where_they_are(page, made):
    """The pixel of a mass centre, projected by the page, is in the colour of the body: blue, and not the background."""
    stopped_at(page, 0.5)
    script = f"""(() => {{ const v = {V}; v.show("labels", true); v.show("joints", false); v.draw();
      const at = new DOMMatrix(getComputedStyle(v.tags.children[0]).transform), k = v.canvas.width / v.canvas.clientWidth;
      const p = [...v.paint.getImageData(at.e * k, at.f * k, 1, 1).data]; v.show("labels", false); v.show("joints", true); return p; }})()"""
    red, green, blue, alpha = page.value(script)
    assert alpha == 255
    assert blue > green > red


@pytest.mark.parametrize("group", ["bodies", "joints", "frames", "forces", "traces", "labels"])
def test_switches(page, group):
    """The button says what it does, changes the picture, and back."""
    chip = f"[...document.querySelectorAll('.sbv-chip')].find((b) => b.textContent.toLowerCase() === '{group}')"
    before, was = stopped_at(page, 0.7), page.value(f"{chip}.getAttribute('aria-pressed')")
    page.value(f"{chip}.click(), 1")
    page.painted()
    assert page.value(f"{chip}.getAttribute('aria-pressed')") != was
    if group == "labels":
        assert page.value(
            "[...document.querySelectorAll('.sbv-tags:not([hidden]) span')].map((e) => e.textContent)"
        ) == ["upper", "lower"]
    else:
        assert stopped_at(page, 0.7) != before
    page.value(f"{chip}.click(), 1")
    assert stopped_at(page, 0.7) == before


def test_keys(page):
    """Space plays, points step, arrows turn, plus comes closer, 0 resets; the canvas can be reached by Tab."""
    stopped_at(page, 1.0)
    page.value(f"document.activeElement.blur(), {V}.resetView(), 1")
    for _ in range(12):
        if page.value(f"document.activeElement === {V}.canvas"):
            break
        page.key("Tab")
    assert page.value(f"document.activeElement === {V}.canvas")
    t, playing, turn, tilt, zoom, *_ = start = page.value(STATE)
    page.key(".", "Period", ".")
    assert page.value(f"{V}.time") > t
    page.key("ArrowRight")
    page.key("ArrowUp")
    page.key("+", "Equal", "+")
    _, _, turned, tilted, zoomed, *_ = page.value(STATE)
    assert turned != turn
    assert tilted != tilt
    assert zoomed < zoom
    page.key("0", "Digit0", "0")
    assert page.value(STATE)[2:] == pytest.approx(start[2:])
    page.key(" ", "Space", " ")
    assert page.value(f"{V}.playing") is not playing
    page.key(" ", "Space", " ")


def test_mouse_and_fingers(page):
    """Drag turns, drag with shift moves, the wheel zooms."""
    start = page.value(STATE)
    mouse = {"x": 300, "y": 150, "button": "left", "clickCount": 1}
    page.call("Input.dispatchMouseEvent", type="mousePressed", **mouse)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", **{**mouse, "x": 360, "buttons": 1})
    page.call("Input.dispatchMouseEvent", type="mouseReleased", **{**mouse, "x": 360})
    turned = page.value(STATE)
    assert turned[2] != start[2]
    assert turned[3] == pytest.approx(start[3])
    page.call("Input.dispatchMouseEvent", type="mousePressed", modifiers=8, **mouse)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", modifiers=8, **{**mouse, "y": 190, "buttons": 1})
    page.call("Input.dispatchMouseEvent", type="mouseReleased", modifiers=8, **mouse)
    moved = page.value(STATE)
    assert moved[2] == pytest.approx(turned[2])
    assert moved[5:] != pytest.approx(turned[5:])
    page.call("Input.dispatchMouseEvent", type="mouseWheel", x=300, y=150, deltaX=0, deltaY=-120)
    page.until(f"{V}.camera.zoom < 1")
    page.value(f"{V}.resetView(), 1")


def test_dark_and_light(page):
    """By the reader's system and by the page's own attribute, which report pages set."""
    stopped_at(page, 0.7)
    ink = f"getComputedStyle({V}.section).getPropertyValue('--sbv-ink').trim()"
    light = page.value(ink)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert (page.value(ink) != light, page.value(f"{V}.isDark()")) == (True, True)
    page.value("document.documentElement.dataset.theme = 'light', 1")
    assert (page.value(ink), page.value(f"{V}.isDark()")) == (light, False)
    page.value("delete document.documentElement.dataset.theme, 1")
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])


def test_everything_has_a_name(page):
    """Buttons, sliders and lists say what they are to those who do not see them."""
    nameless = "[...document.querySelectorAll('button, input, select, canvas')].filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')))"
    assert page.value(f"{nameless}.length") == 0


def test_it_prints(page):
    stopped_at(page, 0.7)
    assert page.pdf().startswith(b"%PDF")
    assert page.value(f"{V}.printing") is False


def test_motion_between_samples_is_smooth(browser, tmp_path):
    """A turn of 60 degrees in one sample: after a quarter the page has 15 degrees, by rotation and not by straight
    lines."""
    m = sb.Model("turning")
    m.revolute("a", m.ground, m.body("disc", mass=1.0, shape=sb.disc(1.0)))
    sim = sb.simulate(sb.derive(m), 1.0, a_dot=3.141592653589793 / 3)
    page = browser.page(scene(sim, samples=2).save(tmp_path / "turning.html"))
    page.until(V)
    c, s = page.value(f"(() => {{ const m = {V}.motion.poses(0.25, 1).get('disc'); return [m[0], m[1]]; }})()")
    assert (c, s) == pytest.approx((0.9659258, 0.2588190), abs=1e-6)
    page.close()


def test_bodies_that_deform_are_where_their_nodes_are(browser: Browser, tmp_path: Path) -> None:
    """Vertices, normals and colours of a mesh in the page, between two samples of a run."""
    block = Block(n=(4, 1, 1))
    faces = outer_triangles([(HEXA, block.cells[:, AROUND])], block.nodes)
    part = sb.finite_elements(mass=block.mass, stiffness=1e-4 * block.stiffness, nodes=block.nodes, faces=faces)
    arm = part.with_sets(root=part.near(x=0)).reduced(interfaces={"root": "rbe2"}, modes=2)
    m = sb.Model("arm")
    m.revolute("hinge", m.ground, m.elastic_from("arm", arm), axis="z")
    m.gravity(0, -9.81, 0)
    shown = scene(sb.simulate(sb.derive(m), 0.5, hinge=0.4), samples=11, paint="displacement")
    (surface,) = shown.surfaces
    page = browser.page(shown.save(tmp_path / "arm.html"), width=400, height=300)
    page.until(f"{V} && {V}.canvas.width > 300")
    pictures = [stopped_at(page, t) for t in (0.0, 0.175)]
    weights = (surface.weights[0, 3] + surface.weights[0, 4]) / 2
    seen = np.array(page.value(f"Array.from({V}.surfaces[0].places)")).reshape(-1, 3)
    assert seen == pytest.approx(places(surface, weights), abs=1e-4)
    normals = np.array(page.value(f"Array.from({V}.surfaces[0].normals)")).reshape(-1, 3)
    assert (np.einsum("va,va->v", normals, surface.mesh.normals) > 0).all()
    colours = np.array(page.value(f"Array.from({V}.surfaces[0].colours)")).reshape(-1, 3)
    assert colours.std(axis=0).max() > 0.05
    assert pictures[0] != pictures[1]
    assert page.complaints() == []
    page.close()


def test_several_on_a_page_share_one_script(browser, made, tmp_path):
    """A report: assets once, scenes as parts, a mode with its amplitude; on a phone nothing is wider than the
    screen."""
    mode = scene(sb.derive(model()), mode={"a": 1.0, "b": 0.3j}, frequency=5.0)
    parts = made.html(assets=False), mode.html(assets=False, autoplay=False), made.html(assets=False)
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">{assets()}</head>'
    path = tmp_path / "several.html"
    path.write_text(f"{head}<body>{''.join(parts)}</body></html>", encoding="utf-8")
    page = browser.page(path, width=390, height=800, phone=True)
    page.until("symbody.viewers.length === 3 && symbody.viewers[1].canvas.width > 300")
    page.painted()
    assert page.value("document.documentElement.scrollWidth") <= 390
    swing = "symbody.viewers[1].motion.poses(0, {}).get('upper')"
    flat, full = page.value(swing.format(0)), page.value(swing.format(1))
    assert flat[:3] == pytest.approx([1, 0, 0], abs=1e-6)
    assert full[6] != pytest.approx(flat[6])
    assert page.value("symbody.viewers[1].playing") is False
    assert page.value("symbody.viewers[1].legend.textContent") == "0.7958 Hz"
    assert page.complaints() == []
    page.close()


def test_without_webgl_there_is_a_still(browser, made, tmp_path):
    page = browser.page(made.save(tmp_path / "still.html"), before=NO_WEBGL)
    page.until("document.querySelector('.sbv-note[role=status]')")
    assert "no WebGL" in page.value("document.querySelector('.sbv-note[role=status]').textContent")
    assert page.value("document.querySelectorAll('.sbv-still path').length") > 20
    assert page.complaints() == []
    page.close()


def test_page_refuses_the_network(browser, made, tmp_path):
    """The check itself: a page that asks for something is found out, and the policy of ours stops it."""
    path = Path(made.save(tmp_path / "asking.html"))
    path.write_text(
        path.read_text(encoding="utf-8").replace("</body>", "<img src='https://example.invalid/x.png'></body>"),
        encoding="utf-8",
    )
    page = browser.page(path)
    page.painted()
    assert any("Content Security Policy" in c for c in page.complaints())
    page.close()


INJECTED = "<img src=x onerror=\"document.title='owned'\"><script>document.title = 'owned'</script></body>"


@pytest.mark.parametrize("inserted", [True, False])
def test_scripts_that_are_not_ours_do_not_run(browser, made, tmp_path, inserted):
    """Were the escaping of a name to fail: the policy knows the page's own scripts by hash, and these run."""
    path = Path(made.save(tmp_path / "injected.html"))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("</body>", INJECTED) if inserted else text, encoding="utf-8")
    page = browser.page(path)
    page.until(f"{V} && {V}.time > 0")
    assert page.value("document.title") == "two bars"
    assert any("Content Security Policy" in c for c in page.complaints()) is inserted
    page.close()


def test_a_watched_report_loads_what_is_new(browser, tmp_path):
    """Its script may load another, from the folder of the page."""
    study = Study(find_model("double_pendulum"), options={"t": 0.1})
    path = write_report(study, tmp_path, scripts=[watched.SCRIPT]).path
    watched.tell_pages(tmp_path, (1, 2), "a mistake in the file")
    page = browser.page(path)
    page.until("document.getElementById('symbody-failure')?.textContent === 'a mistake in the file'", 20)
    assert page.complaints() == []
    page.close()


def test_a_report(browser, tmp_path):
    """The page of a report: it moves, takes a theme, fits a phone, and asks nothing of anybody."""
    study = Study(find_model("double_pendulum"), options={"t": 2.0})
    page = browser.page(write_report(study, tmp_path).path, width=390, height=800)
    page.until(f"window.symbody && {V}")
    page.value(
        "document.getElementById('motion').scrollIntoView(), 1"
    )  # below the answers on a phone: it moves when seen
    page.until(f"{V}.time > 0")
    before = page.value(f"{V}.time")
    page.until(f"{V}.time !== {before}")
    assert page.value("document.documentElement.scrollWidth <= window.innerWidth + 1"), (
        "no scrolling sideways on a phone"
    )
    page.until("window.symbodyLive && symbodyLive.run && symbodyLive.run.done")
    np.testing.assert_allclose(
        page.value("Array.from(symbodyLive.run.states.at(-1))"), study.trajectory.y[-1][:4], atol=1e-4,
        err_msg="the model that runs in the report has the motion of the report",
    )  # fmt: skip
    dark = "getComputedStyle(document.body).backgroundColor"
    colour = page.value(dark)
    page.value("document.getElementById('theme').click(), 1")
    assert page.value(dark) != colour
    assert page.value("document.querySelectorAll('math').length") > 3
    assert page.value("document.querySelectorAll('figure svg').length") >= 2
    assert page.value(
        "[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.getAttribute('href')))"
    )
    assert page.complaints() == []
    assert [r for r in page.requests() if not r.startswith(("file:", "data:", "blob:"))] == []
    page.close()
