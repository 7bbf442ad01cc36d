"""Figures in pages: what the script gets is the figure, whatever its names hold; in a browser they answer."""

from __future__ import annotations

import base64
import json
import re
from functools import lru_cache
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.view import Curve, Figure, Panel
from symbody.view.figures.interactive import assets, data, is_interactive, label_html, script

from .browser import Browser, found

HOSTILE = "</script><script>alert(1)</script> $x$ & <b>"


@lru_cache(maxsize=1)
def figure() -> Figure:
    t = np.linspace(0.0, 4.0, 201)
    first = Panel("time [s]", "theta [rad]", (Curve(t, np.sin(t), "theta"), Curve(t, np.cos(2 * t), HOSTILE, "dashed")))
    flat = Curve(t, np.full(201, 3.0) + 1e-16 * t, "total", mark="triangle")
    second = Panel("time [s]", "energy [J]", (flat,))
    return Figure("two", (first, second), shares_x=True)


def numbers(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype="<f8")


def test_the_script_gets_every_number():
    """To the last digit; an array that several curves have is there once."""
    made = data(figure())
    assert len(made["arrays"]) == 4
    for panel, given in zip(figure().panels, made["panels"], strict=True):
        for curve, c in zip(panel.curves, given["curves"], strict=True):
            assert (numbers(made["arrays"][c["x"]]) == curve.x).all()
            assert (numbers(made["arrays"][c["y"]]) == curve.y).all()
    assert [p["isTime"] for p in made["panels"]] == [True, True]
    assert (made["panels"][0]["yUnit"], made["panels"][0]["xUnit"]) == ("rad", "s")


def test_names_are_text():
    html = figure().html(assets=False)
    assert html.count("<script") == 1
    assert "<b>" not in html
    inside = json.loads(re.search(r'class="sbp-data">(.*?)</script>', html, re.DOTALL)[1])
    assert inside["panels"][0]["curves"][1]["text"] == HOSTILE
    assert "<" not in inside["panels"][0]["curves"][1]["label"].replace("<i>", "").replace("</i>", "")


@pytest.mark.parametrize(
    ("label", "html"),
    [
        ("theta_dot [rad/s]", "<i>θ\u0307</i> [rad/s]"),
        ("q1", "<i>q</i><sub>1</sub>"),
        ("x**2", "<i>x</i><sup>2</sup>"),
        ("crank speed [rad/s]", "crank speed [rad/s]"),
        ("a < b", "a &lt; b"),
    ],
)
def test_labels(label, html):
    assert label_html(label) == html


def test_pages_need_nothing_else(tmp_path):
    page = figure().save(tmp_path / "a.html").read_text()
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", page)) - {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not {a for a in addresses if "w3.org" not in a and "purl.org" not in a and "creativecommons.org" not in a}
    assert not re.findall(r"(?:src|href)=['\"](?!#|data:)", page)
    assert page.count(script()) == 1
    assert len(script()) < 40_000
    assert assets().count("<script>") == 1


def test_fields_and_curves_in_space_stay_static():
    x, y = sb.symbols("x y")
    contours = sb.plot(sb.sin(x) * sb.cos(y), x=(-1, 1), y=(-1, 1))
    assert not is_interactive(contours)
    for drawn in (contours._repr_html_(), contours._repr_svg_()):
        assert "max-width:100%" in drawn
    assert "overflow-x:auto" in contours._repr_html_()
    assert "<svg" in contours.html()
    assert "<iframe" in figure()._repr_html_()
    both = figure() | figure()
    assert both.html(assets=False).count("sbp-data") == 2
    assert both.html().count("<script>") == 1


# ---------------------------------------------------------------------------------------------------------- a browser


@pytest.mark.skipif(found() is None, reason="no browser: apt-get install chromium, or name one by SYMBODY_BROWSER")
def test_in_a_browser(tmp_path: Path):
    """Values under the cursor, zoom, the legend, keys; nothing complains, nothing is asked for, all fits into 400 px."""
    browser = Browser(tmp_path / "profile")
    try:
        page = browser.page(figure().save(tmp_path / "a.html"), width=400, height=800)
        page.until("window.symbodyPlots && symbodyPlots.plots.length === 1 && symbodyPlots.plots[0].panels[0].frame")
        panel = "symbodyPlots.plots[0].panels[0]"
        assert page.value("document.documentElement.scrollWidth") <= 400
        page.value(f"{panel}.canvas.focus(), 1")
        for _ in range(3):
            page.key("ArrowRight")
        page.painted()
        page.until(f"{panel}.read.textContent")
        time = page.value(f"{panel}.cursor.x")
        assert f"{np.sin(round(time / 0.02) * 0.02):.3f}"[:4] in page.value(f"{panel}.read.textContent")
        assert page.value("symbodyPlots.plots[0].panels[1].cursor.x") == time
        page.key("+", "Equal", "+")
        width = page.value(f"{panel}.rx[1] - {panel}.rx[0]")
        assert width < 4.0
        assert page.value("(({rx}) => rx[1] - rx[0])(symbodyPlots.plots[0].panels[1])") == pytest.approx(width)
        page.key("0", "Digit0", "0")
        assert page.value(f"{panel}.rx[1] - {panel}.rx[0]") == pytest.approx(4.0)
        keys = page.value("[...document.querySelectorAll('.sbp-legend .sbp-keys')].map((k) => [k.firstChild.style.borderTopStyle, k.textContent])")  # fmt: skip
        assert keys == [["solid", ""], ["dashed", ""], ["solid", "△"]]
        page.value("document.querySelector('.sbp-legend button').click(), 1")
        assert page.value(f"{panel}.curves[0].on") is False
        assert page.complaints() == []
        assert [r for r in page.requests() if not r.startswith(("file:", "data:", "blob:"))] == []
        cell = figure()._repr_html_()
        inside, height = (
            re.search(r'srcdoc="(.*?)" title', cell, re.DOTALL)[1],
            int(re.search(r"height:(\d+)px", cell)[1]),
        )
        (tmp_path / "cell.html").write_text(unescape(inside))
        page = browser.page(tmp_path / "cell.html", width=1000, height=height)
        page.until("window.symbodyPlots && symbodyPlots.plots.length === 1 && symbodyPlots.plots[0].panels[0].frame")
        page.painted()
        assert page.value("document.documentElement.scrollHeight") <= height, "buttons are cut off in a notebook"
    finally:
        browser.close()
