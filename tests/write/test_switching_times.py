"""Models that leave the package take switching times with them: FMUs in both interfaces, and live pages."""

import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from tests.amount import some
from tests.contracts.targets import c_compiler
from tests.view.browser import Browser, found

END = 10.0


def pushed() -> sb.Equations:
    m = sb.Model("pushed mass")
    m.prismatic("x", m.ground, m.body("body", mass=2.0), axis="x", actuation=m.input("F"))
    return sb.derive(m)


def condition(eq: sb.Equations) -> tuple[Any, float]:
    t0, w = sb.symbols("t0 w")
    return sb.where(eq.t - t0 < 0, 0, sb.where(eq.t - t0 <= w, 1 / w, 0)), 1.0


def samples(kind: str) -> Any:
    def law(eq: sb.Equations) -> tuple[Any, float]:
        t = np.linspace(0, END, 2001)
        values = np.where((t >= 5) & (t < 5.05), 20.0, 0.0)
        return (t, values, kind), 1.0

    return law


LAWS = {"condition": condition, **{k: samples(k) for k in ("linear", "cubic", "held")}}


@pytest.mark.parametrize(("law", "version"), [*((law, 3) for law in LAWS), *((law, 2) for law in some(LAWS, 2))])
def test_fmus_give_a_pulse_its_impulse(law: str, version: int, tmp_path: Path) -> None:
    """In co-simulation inside communication steps of a second; in model exchange as time events of the importer."""
    fmpy = pytest.importorskip("fmpy")
    eq = pushed()
    given, impulse = LAWS[law](eq)
    start = {"t0": 5.0123, "w": 0.003} if law == "condition" else None
    path = sb.write.fmu(sb.closed_loop(eq, {"F": given}), tmp_path / "pushed.fmu", version=version, start=start)
    for kind in ("CoSimulation", "ModelExchange"):
        for values in [{}, {"t0": 3.3, "w": 0.01}] if law == "condition" else [{}]:
            found = fmpy.simulate_fmu(
                str(path),
                stop_time=END,
                output_interval=1.0,
                fmi_type=kind,
                start_values=values,
                relative_tolerance=1e-8,
            )
            assert 2 * found["x_dot"][-1] == pytest.approx(impulse, rel=1e-5)


def test_events_that_jump_with_a_condition_in_an_fmu(tmp_path: Path) -> None:
    """An event function crosses zero by a jump, and ends the motion there."""
    fmpy = pytest.importorskip("fmpy")
    eq = pushed()
    force = sb.where(eq.t < 3.21, -1.0, 2.0)
    event = sb.Event("turns", force, "rising", reset={eq.u[0]: 7.0})
    path = sb.write.fmu(sb.closed_loop(eq, {"F": force}), tmp_path / "turns.fmu", events=[event])
    found = fmpy.simulate_fmu(str(path), stop_time=4.0, output_interval=2.0, fmi_type="CoSimulation")
    assert found["x_dot"][-1] == pytest.approx(7.0 + 0.79, rel=1e-7)


@pytest.mark.parametrize("has_events", [False, True])
def test_sources_build_without_warnings(has_events: bool, tmp_path: Path) -> None:
    eq = pushed()
    event = [sb.Event("passes", eq.q[0] - 1)] if has_events else []
    start = {"t0": 5.0, "w": 0.003}
    path = sb.write.fmu(
        sb.closed_loop(eq, {"F": condition(eq)[0]}), tmp_path / "pushed.fmu", events=event, start=start, platforms=()
    )
    with zipfile.ZipFile(path) as content:
        content.extractall(tmp_path)
    flags = "-std=c99 -Wall -Wextra -pedantic -Wshadow -Werror -O1 -fPIC -shared -fvisibility=hidden".split()
    files = [str(f) for f in (tmp_path / "sources").glob("*.c")]
    subprocess.run([c_compiler(), *flags, *files, "-o", str(tmp_path / "pushed.so"), "-lm"], check=True)


@pytest.mark.parametrize("law", LAWS)
def test_live_pages_give_a_pulse_its_impulse(law: str, tmp_path: Path) -> None:
    if found() is None:
        pytest.skip("no browser: apt-get install chromium, or name one by SYMBODY_BROWSER")
    eq = pushed()
    given, impulse = LAWS[law](eq)
    start = {"t0": 5.0123, "w": 0.003} if law == "condition" else None
    path = sb.write.live_page(sb.closed_loop(eq, {"F": given}), tmp_path / "pushed.html", until=END, start=start)
    browser = Browser(tmp_path / "profile")
    try:
        page = browser.page(path, width=800, height=600)
        page.until("window.symbodyLive && symbodyLive.run && symbodyLive.run.done")
        last = page.value("Array.from(symbodyLive.run.states.at(-1))")
        assert page.complaints() == []
    finally:
        browser.close()
    assert 2 * last[1] == pytest.approx(impulse, rel=1e-5)
