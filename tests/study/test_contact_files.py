"""Contacts and friction of model files say what Python says, and are in every motion that is asked of the file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph.graph import ONE, ZERO
from symbody.command_line.cli import main
from symbody.study import Study, find_model
from symbody.study.contact_requests import ContactRequest

BOWLING = """
symbody: 1
name: bowling
parameters: {R: 0.11, mu: 0.2, M: 6, g: 9.81}
gravity: [0, 0, -g]
bodies:
  ball: {mass: M, shape: {sphere: R}}
joints:
  ball: {free: ball, sequence: euler parameters}
contacts:
  lane: {touch: [{ball: ball, radius: R}, {half_space: ground}], friction: mu, restitution: 0.3}
start: {ball_x_dot: 8, ball_z: 0.11}
simulate: {t: 2}
"""
BELT = """
symbody: 1
name: belt
parameters: {k: 1.0, v: 0.2}
coordinates: s
bodies:
  block: {at: "ground.point(s, 0, 0)", mass: 1}
loads:
  spring: {potential: k*s^2/2}
contacts:
  belt: {slip: s_dot - v, friction: {kinetic: 0.5, static: 1}, normal: 1}
start: {s_dot: 0.2}
simulate: {t: 30, rtol: 1e-11}
"""
RAIL = """
symbody: 1
name: rail
parameters: {mu: 0.3}
coordinates: x y
gravity: [3, -9.81, 0]
bodies:
  block: {at: "ground.point(x, y, 0)", mass: 2}
constraints:
  rail: {holonomic: y}
loads:
  rub: {friction: FRICTION, slip: x_dot, normal: lam_rail SMOOTH}
"""
SURFACES = """
symbody: 1
name: surfaces
coordinates: x y z a
parameters: {r: 0.1}
frames: {moved: "ground.translate(x, y, z).rotate(x, a)"}
bodies: {one: {frame: moved, mass: 1, inertia: [1, 1, 1]}}
contacts:
  c: CONTACT
"""


def study_of(text: str, folder: Path, **options: Any) -> Study:
    path = folder / "model.yaml"
    path.write_text(text, encoding="utf-8")
    return Study(find_model(str(path)), **options)


def test_a_belt_in_a_file_has_the_period_of_its_closed_form(tmp_path: Path, capsys: Any) -> None:
    sim = study_of(BELT, tmp_path).trajectory
    sticks = [e.t for e in sim.events if e.name == "belt sticks"]
    assert np.diff(sticks)[-1] == pytest.approx(8.902605407815, abs=1e-8)
    assert main(["simulate", "--json", str(tmp_path / "model.yaml")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [e["t"] for e in told["events"] if e["name"] == "belt sticks"] == sticks
    assert set(told["modes"]) == {"belt sticks", "belt slips backwards"}


def test_a_ball_in_a_file_rolls_in_time_and_can_be_seen(tmp_path: Path) -> None:
    """The model has parameters and slips in space: modes have directions of slip beside those parameters."""
    study = study_of(BOWLING, tmp_path, changed={"mu": 0.25})
    sim = study.trajectory
    assert [str(e.name) for e in sim.events] == ["lane rests", "lane slips", "lane sticks"]
    assert sim.events[-1].t == pytest.approx(2 * 8 / (7 * 0.25 * 9.81), rel=1e-6)
    shown = sb.scene(sim)
    assert shown.notes == ()
    assert shown.t[-1] == sim.t[-1]


def test_a_file_with_contacts_has_orbits(tmp_path: Path, capsys: Any) -> None:
    """A block that sticks and slips: where its motion has settled, and over the speed of the belt."""
    asked = "orbit: {settle: 20, vary: {v: [0.2, 0.205]}, show: s, generations: 0}\n"
    study_of(BELT + asked, tmp_path)
    assert main(["orbit", "--json", str(tmp_path / "model.yaml"), "-o", str(tmp_path / "orbits.csv")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["orbit"]["period"] == pytest.approx(8.902605407815, abs=1e-9)
    (family,) = told["families"]
    v = np.array(family["columns"]["v"])
    assert family["columns"]["period"] == pytest.approx(1 / v + 2 * (np.pi - np.arctan(0.5 / v)), abs=1e-8)
    assert (tmp_path / "orbits.csv").read_text().startswith("panel,curve,x,y")


@pytest.mark.parametrize("command", [["eig"], ["export", "--to", "c", "-o", "made"], ["sweep", "--vary", "k=1:2:2", "--ask", "end", "-o", "made"]])  # fmt: skip
def test_what_has_no_contacts_refuses_a_file_that_has_some(
    tmp_path: Path, command: list[str], capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study_of(BELT, tmp_path)
    assert main([command[0], "model.yaml", *command[1:]]) != 0
    assert "would be without belt" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "smooth", "law"),
    [
        ("mu", 0.1, lambda mu: mu),
        ("{kinetic: mu, static: 0.4, stribeck: 0.2, viscous: 3}", 0.1, lambda mu: sb.Coulomb(mu, 0.4, 0.2, 3)),
        (
            "{kinetic: mu, static: 0.4, stribeck: 0.2, stiffness: 100, damping: 2, viscous: 3}",
            None,
            lambda mu: sb.LuGre(mu, 0.4, 0.2, 100, 2, 3),
        ),
    ],
)
def test_laws_of_friction_are_those_of_python(said: str, smooth: float | None, law: Any) -> None:
    m = sb.Model("rail")
    mu = m.parameter("mu", 0.3)
    x, y = m.coordinates("x y")
    m.particle("block", m.ground.point(x, y, 0), mass=2)
    m.constrain("rail", y)
    m.gravity(3, -9.81, 0)
    m.friction("rub", x.dot, law(mu), normal=m.multiplier("rail"), smooth=smooth)
    text = RAIL.replace("FRICTION", said).replace("SMOOTH", "" if smooth is None else f", smooth: {smooth}")
    assert sb.write.model_text(sb.study.read_model_text(text).mechanism) == sb.write.model_text(m)


@pytest.mark.parametrize(
    ("first", "second", "python"),
    [
        ("one.point(0, 0, r)", "{half_space: ground, normal: y, at: [0, 1, 0]}", lambda o, g, r: (o.point(0, 0, r), sb.HalfSpace(g, "y", (0, 1, 0)))),
        ("{ball: one, radius: r}", "{tube: ground, radius: 1, axis: y, inside: true}", lambda o, g, r: (sb.Ball(o, r), sb.Tube(g, 1, "y", inside=True))),
        ("{ring: one, radius: 1, tube: r, axis: y}", "{half_space: ground}", lambda o, g, r: (sb.Ring(o, 1, r, "y"), sb.HalfSpace(g))),
        ("{ball: one, radius: r, at: [1, 0, 0]}", "{ellipsoid: ground, half_axes: [1, 2, 3]}", lambda o, g, r: (sb.Ball(o, r, (1, 0, 0)), sb.Ellipsoid(g, (1, 2, 3)))),
    ],
)  # fmt: skip
def test_surfaces_are_those_of_python(first: str, second: str, python: Any) -> None:
    file = sb.study.read_model_text(SURFACES.replace("CONTACT", f'{{touch: ["{first}", {second}], friction: 0.5}}'.replace('"{', "{").replace('}"', "}")))  # fmt: skip
    (contact,) = file.requests.contacts
    assert isinstance(contact, ContactRequest)
    m = file.model
    found = sb.touch(*python(m.bodies["one"].frame, m.ground, m.symbols["r"]))
    assert contact.gap is found.gap
    assert contact.frictions[0].slip == found.slip


def test_corners_of_a_box_are_contacts_of_their_own() -> None:
    said = '{touch: [{corners: one, size: [2, 1, 0]}, {half_space: ground}], across: "ground.y", friction: 0.5, resists: {turn: {slip: a_dot, friction: r}}}'
    contacts = sb.study.read_model_text(SURFACES.replace("CONTACT", said)).requests.contacts
    assert [c.name for c in contacts] == ["c 1", "c 2", "c 3", "c 4"]
    assert isinstance(contacts[0], ContactRequest)
    assert [f.name for f in contacts[0].frictions] == ["c 1", "c 1 turn"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("{gap: z, friction: 0.5}", "needs `slip`"),
        ("{gap: z, slip: x_dot, friction: -1}", "must not be negative"),
        ("{gap: z, slip: x_dot, friction: {kinetic: 0.5, static: 0.4}}", "static = 0.4 is less than kinetic = 0.5"),
        ("{gap: z, slip: x_dot, friction: {kinetic: 0.5, static: 0.6, stribeck: 1, stiffness: 2}}", "under `loads`"),
        ("{gap: z, slip: x_dot, friction: {kinetic: 0.5, damping: 2}}", "`viscous`"),
        ("{touch: [{ball: two, radius: r}, {half_space: ground}]}", "there is no body or frame 'two'"),
        ("{touch: [{ring: one, radius: r}, {ring: ground, radius: r}]}", "Ring and Ring have no gap here"),
        ("{friction: 0.5, slip: x_dot}", "normal"),
    ],
)
def test_what_is_no_contact_is_told_with_its_place(said: str, told: str) -> None:
    with pytest.raises(sb.ModelError, match=told) as caught:
        sb.study.read_model_text(SURFACES.replace("CONTACT", said))
    assert ":9:" in str(caught.value) or ":10:" in str(caught.value)


@pytest.mark.parametrize("text", [BOWLING, BELT], ids=["bowling", "belt"])
def test_a_model_with_contacts_goes_through_a_file(text: str, tmp_path: Path) -> None:
    """What is written is read as the same motion, and written the same again."""
    study = study_of(text, tmp_path)
    assert study.contacts is not None
    model, start = study.contacts.base.mechanism, {"ball_x_dot": 8.0, "ball_z": 0.11, "s_dot": 0.2}
    path = tmp_path / "written.yaml"
    sb.write_model(model, path, study.contacts)
    again = Study(find_model(str(path)))
    assert again.contacts is not None
    assert sb.write.model_text(again.contacts.base.mechanism, again.contacts) == path.read_text(encoding="utf-8")
    given = {k: v for k, v in start.items() if k in study.contacts.base.variables}
    one, other = (sb.simulate_modes(c, 1.5, given) for c in (study.contacts, again.contacts))
    assert one.modes == other.modes
    assert [e.t for e in one.events] == pytest.approx([e.t for e in other.events], abs=1e-9)
    assert one.q[-1] == pytest.approx(other.q[-1], abs=1e-9)


def test_laws_without_words_in_files_are_refused(tmp_path: Path) -> None:
    class Falling:
        sticking, damping = ONE, ZERO

        def coefficient(self, v: sb.Expr) -> sb.Expr:
            return 1 / (1 + abs(v))

    m = sb.Model("block")
    x = m.coordinate("x")
    m.particle("block", m.ground.point(x, 0, 0), mass=1)
    eq = sb.derive(m)
    with pytest.raises(sb.ModelError, match="friction 'rub' has a law of its own"):
        sb.write_model(m, tmp_path / "a.yaml", sb.Contacts(eq, sb.Friction("rub", x.dot, Falling(), normal=1)))
    with pytest.raises(sb.ModelError, match=r"simulate: {t: \.\.\., impacts: poisson}"):
        sb.write_model(m, tmp_path / "a.yaml", sb.Contacts(eq, sb.Contact("wall", x), impacts="poisson"))


PARTS = """
symbody: 1
name: two sledges
gravity: [3, -9.81, 0]
parts:
  sledge:
    parameters: {mu: 0.1, m: 2}
    coordinates: x y
    bodies:
      block: {at: "ground.point(x, y, 0)", mass: m}
    constraints:
      rail: {holonomic: y}
    contacts:
      rub: {slip: x_dot, friction: {kinetic: mu, static: 1.2*mu}, normal: lam_rail}
      stop: {gap: 1 - x, restitution: 0.5}
attach:
  slow: {part: sledge, values: {mu: 0.2}}
  fast: {part: sledge}
simulate: {t: 1.5}
"""


def test_parts_bring_their_contacts(tmp_path: Path) -> None:
    """Each copy slides under its own friction, stops at its own stop; names have those of the copies before them."""
    study = study_of(PARTS, tmp_path)
    sim = study.trajectory
    assert study.contacts is not None
    assert [c.name for c in study.contacts.parts] == ["slow_rub", "slow_stop", "fast_rub", "fast_stop"]
    for copy, mu in (("slow", 0.2), ("fast", 0.1)):
        hit = next(e for e in sim.events if e.name == f"{copy}_stop")
        assert hit.t == pytest.approx(np.sqrt(2 / (3 - mu * 9.81)))


def test_loads_of_parts_know_the_forces_of_their_constraints(tmp_path: Path) -> None:
    """Smoothed friction under a constraint of the part, in two copies."""
    text = PARTS.replace("contacts:", "loads:").replace("lam_rail}", "lam_rail, smooth: 1e-4}")
    text = text.replace("      stop: {gap: 1 - x, restitution: 0.5}\n", "").replace(
        "{kinetic: mu, static: 1.2*mu}", "mu"
    )
    sim = study_of(text, tmp_path).trajectory
    for copy, mu in (("slow", 0.2), ("fast", 0.1)):
        assert sim[f"{copy}_x"][-1] == pytest.approx((3 - mu * 9.81) * 1.5**2 / 2, rel=1e-3)
