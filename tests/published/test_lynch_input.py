"""Lynch's printed inputs (appendices A and C) as scripts: the equations of the examples; and inputs that do not agree."""

from __future__ import annotations

import contextlib
import io
import runpy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import satellite, stanford_arm, triple_pendulum

from .numbers import published

SCRIPTS = Path(__file__).parents[2] / "examples" / "documents"


@cache
def script(name: str) -> dict[str, Any]:
    return runpy.run_path(str(SCRIPTS / f"lynch_{name}.py"))


def accelerations(model: sb.Model, numbers: dict[str, float]) -> np.ndarray:
    eq = sb.derive(model)
    return np.array(sb.evaluate(eq.udot, eq.values(numbers, otherwise=0.0)))


def drawn(names: list[str]) -> dict[str, float]:
    draw = np.random.default_rng(3)
    return {name: draw.uniform(0.2, 1.0) for name in names}


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("lynch_*.py")), ids=lambda p: p.stem)
def test_printed_inputs_run(path: Path) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(path), run_name="__main__")
    expected = {
        "lynch_triple_pendulum": "c = 0.0 N m s: energy -34.23516 J, after 5 s -34.23516 J",
        "lynch_stanford_arm": "[-0.0, -13.8419, 0.0, 0.0, -0.9418, 0.0]",
        "lynch_satellite": "from 60.000 to 120.000 degrees",
        "lynch_four_bar": "ω² by qz: 12.887647\nω² by qr: 12.887647",
    }
    assert expected[path.stem] in printed.getvalue()


def test_triple_pendulum() -> None:
    """Body 2 of the thesis is link 1 of the example."""
    values = drawn(
        [f"{kind}{k}" for kind in ("q", "tau", "c", "k") for k in (1, 2, 3)] + [f"q{k}_dot" for k in (1, 2, 3)]
    )
    values |= {f"rest{k}": 0.1 * k for k in (1, 2, 3)}
    one_further = {
        name.replace("rest", "alpha").replace(str(k), str(k + 1)): v
        for k in (1, 2, 3)
        for name, v in values.items()
        if str(k) in name
    }
    ours = accelerations(script("triple_pendulum")["m"], one_further)
    assert ours == pytest.approx(accelerations(triple_pendulum.model(), values), rel=1e-10)


@pytest.mark.parametrize("slide", [0.0, 0.3])
def test_stanford_arm_with_spring_damper_and_actuator_in_its_slide(slide: float) -> None:
    """The element pulls along the axis of the joint, also where its two points coincide (eq. 4.25, 4.26)."""
    k, rest, c, tau = 40.0, 0.05, 3.0, 2.0
    values = drawn([f"q{i}{dot}" for i in range(1, 7) for dot in ("", "_dot")]) | {
        "q3": slide,
        "tau1": 0.4,
        "tau5": 0.1,
    }
    values["tau3"] = tau - k * (slide - rest) - c * values["q3_dot"]
    theirs = {f"q{i + 1}{dot}": values[f"q{i}{dot}"] for i in range(1, 7) for dot in ("", "_dot")}
    theirs |= {"tau2": 0.4, "tau6": 0.1, "k_1": k, "l1": rest, "c_1": c, "tau_1": tau}
    ours = accelerations(script("stanford_arm")["m"], theirs)
    assert ours == pytest.approx(accelerations(stanford_arm.model(), values), rel=1e-10)


def test_energy_of_the_spring_in_the_slide() -> None:
    eq = sb.derive(script("stanford_arm")["m"])
    energy = sb.potential_energy(eq, "tsda 1")
    assert sb.evaluate(energy, eq.values(q4=0.3, k_1=40.0, l1=0.05, otherwise=0.0)) == pytest.approx(20 * 0.25**2)


def test_satellite() -> None:
    row = published("lynch_satellite")["asymmetric"][0]
    spin = dict(zip("xyz", row["omega_local"], strict=True))
    links = dict(zip((2, 3), row["thetad"], strict=True))
    values = dict(satellite.START) | {f"base_w{a}": w for a, w in spin.items()}
    values |= {f"theta{i}_dot": w for i, w in links.items()}
    theirs = dict(script("satellite")["BEGIN"]) | {f"q1_w{a}": w for a, w in spin.items()}
    theirs |= {f"q{i}_dot": w for i, w in links.items()}
    ours = accelerations(script("satellite")["m"], theirs)
    assert ours == pytest.approx(accelerations(satellite.model(), values), abs=1e-12)


def test_slider_on_a_satellite_by_hand() -> None:
    """A floating base with a sliding mass that a spring along the slide holds."""
    given = sb.bodies.LynchInput(
        reference=[[1, 0], [-1, 1]],
        distance=[[0.2, 1.1], [1.1, 0.0]],
        axes={(2, 1): ("x", "x", "z", "z")},
        dl={2: (0, 0, 0)},
        sl={(2, 1): (0, 0.3, 0)},
        inertia={1: (1, 2, 2.5), 2: (0.1, 0.1, 0.1)},
        mass={1: 10.0, 2: 2.0},
        tsda=[(1, (-1, 0.3, 0), 2, (0, 0, 0))],
        coordinates=8,
    )
    m = sb.Model("by hand")
    base, slider = m.body("base", mass=10.0, inertia=(1, 2, 2.5)), m.body("slider", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.free("q1", m.ground, base, sequence="euler parameters")
    m.prismatic("q2", base, slider, "x", at=(0, 0.3, 0))
    m.spring("s", base.point(-1, 0.3, 0), slider.point(), stiffness=40.0, rest=0.2, damping=1.0, actuation=7.0)
    state = {"q1_e0": 0.8, "q1_e1": 0.6, "q1_wx": 0.3, "q1_wy": -0.5, "q1_wz": 0.7, "q2": 0.4, "q2_dot": 0.2}
    element = {"k_1": 40.0, "l1": 0.2, "c_1": 1.0, "tau_1": 7.0}
    assert accelerations(given.model("satellite"), state | element) == pytest.approx(accelerations(m, state), abs=1e-12)


# ------------------------------------------------------------------------------------------------ inputs that do not agree


def faulty(name: str, **wrong: Any) -> str:
    """The message; the symbols of the matrices are those of the script."""
    given = replace(script(name)["given"], **wrong)
    m = declared(given)
    with pytest.raises(sb.ModelError) as caught:
        given.model("wrong", m)
    return str(caught.value)


def declared(given: sb.bodies.LynchInput) -> sb.Model:
    """A model with the parameters that the matrices contain."""
    m = sb.Model("wrong")
    things = [*given.dl.values(), *given.sl.values(), *(row for J in given.inertia.values() for row in J)]
    for s in sb.free_symbols([x for row in things for x in row if isinstance(x, sb.Expr)]):
        if s.kind == "parameter":
            m.parameter(s.name, 1.0)
    return m


def without(table: dict[Any, Any], key: Any) -> dict[Any, Any]:
    return {k: v for k, v in table.items() if k != key}


def test_missing_entries_are_named() -> None:
    given = script("triple_pendulum")["given"]
    assert "DL (dl=) of body 2 is missing; it is given for 1, 3, 4" in faulty(
        "triple_pendulum", dl=without(given.dl, 2)
    )
    assert "JIP (inertia=) of body 3 is missing" in faulty("triple_pendulum", inertia=without(given.inertia, 3))
    said = faulty("triple_pendulum", sl=without(given.sl, (3, 2)))
    assert "SL (sl=) of the joint of body 3 on body 2, (3, 2) is missing" in said
    assert "PQI, PQJ, RQI, RQJ (axes=)" in faulty("triple_pendulum", axes=without(given.axes, (4, 3)))


def test_what_follows_from_the_matrices_is_checked() -> None:
    assert "bodies= (NBOD) is 5, the reference matrix has 4 rows" in faulty("triple_pendulum", bodies=5)
    assert "coordinates= (NGC) is 4; the joints have 3: q2, q3, q4" in faulty("triple_pendulum", coordinates=4)
    assert "coordinates= (NGC) is 8; the joints have 9" in faulty("satellite", coordinates=8)
    path = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]]
    assert "row 3 of path= (PIE) is [1, 0, 1, 0]; by the reference matrix it is [1, 1, 1, 0]" in faulty(
        "triple_pendulum", path=path
    )
    assert "base= (IBB) is (1, 0), where one base that is grounded is (1, 1)" in faulty("triple_pendulum", base=(1, 0))
    assert "floating, with 0.2" in faulty("satellite", base=(1, 1))
    assert "has no joint" in faulty("satellite", dl={**script("satellite")["given"].dl, 1: (0, 1, 0)})


def test_matrices_that_are_no_tree() -> None:
    given = script("triple_pendulum")["given"]
    assert "square of one size, 4 by 4" in faulty("triple_pendulum", distance=[[0.0, 1.0], [1.0, 0.0]])
    printed_arm = [[0.0] * 8, *script("stanford_arm")["given"].distance[1:]]
    assert "distance has rows of 8, 7" in faulty("stanford_arm", distance=printed_arm)
    assert "one reference body" in faulty("triple_pendulum", reference=[[1, 0, 0, 0]] * 4, path=None)
    apart = [[0.0, 2.0, 0.0, 0.0], [2.0, 0.0, 1.0, 0.0], *given.distance[2:]]
    assert "is not one of 1.0, 1.1, 3.0" in faulty("triple_pendulum", distance=apart)
    one_sided = [[0.0, 1.1, 0.0, 0.0], *given.distance[1:]]
    assert "bodies 2 and 1 appears twice, as 1.0 and 1.1" in faulty("triple_pendulum", distance=one_sided)


def test_elements_off_their_joint_are_refused() -> None:
    centre = (0, 0, 0)
    said = faulty("stanford_arm", tsda=[(5, centre, 4, centre)])
    for part in ("TSDA 1 acts between bodies 5 and 4", "4 on 3", "m.spring"):
        assert part in said
    assert "lie apart across the axis of joint 'q4'" in faulty("stanford_arm", tsda=[(4, (0.1, 0, 0), 3, centre)])


def test_the_slide_in_dl_is_that_of_its_own_joint() -> None:
    given, q4, q5 = script("stanford_arm")["given"], *(sb.symbol(n, "coordinate") for n in ("q4", "q5"))
    assert "DL of body 4 contains q4" in faulty("stanford_arm", dl={**given.dl, 4: (q4, 0, 0)})
    assert "the joint is revolute" in faulty("stanford_arm", dl={**given.dl, 5: (0, q5, 0)})
