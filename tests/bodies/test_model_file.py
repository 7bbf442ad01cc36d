"""Model files: they say what Python says, what is written is read again, and what is wrong is told with its place."""

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import symbody as sb
from symbody.bodies.file.yaml_tree import source_of, tree
from symbody.bodies.mechanism.mechanism import Action, Load
from symbody.derivation.equations.random_states import random_state
from tests.amount import FULL
from tests.hard_cases import HARD
from tests.mechanisms import conservative_tree, floating_tree, random_loop, random_tree
from tests.redundant import LOOPS

ROOT = Path(__file__).parents[2]
FILES = sorted(p.stem for p in (ROOT / "symbody" / "library").glob("*.yaml"))
SCRIPTS = sorted(p.stem for p in (ROOT / "examples").glob("*.py"))
NEAR = {"string_with_particles": {"q1": 0.2, "q2": 0.05, "q3": 0.1}}
PARTS = ("M", "f", "rates", "phi", "Jc", "b", "c", "h")


def example(name: str) -> sb.Model:
    return importlib.import_module(f"examples.{name}").model()


def differences(one: Any, other: Any, near: dict[str, float] | None = None) -> list[str]:
    """Where two mechanisms have other equations: not the same nodes, nor the same numbers at a random state."""
    e, g = sb.derive(one, check=False), sb.derive(other, check=False)
    out = [k for k in ("q", "u", "z", "r", "p", "lam") if getattr(e, k) != getattr(g, k)]
    out += [k for k in ("values", "units", "norms", "small") if getattr(e.mechanism, k) != getattr(g.mechanism, k)]
    out += [k for k in ("bodies", "joints", "loads") if _names(e.mechanism, k) != _names(g.mechanism, k)]
    state: dict[Any, float] = {}
    for k in PARTS:
        a, b = getattr(e, k), getattr(g, k)
        if a.shape != b.shape:
            out.append(k)
            continue
        pairs = [(x, y) for x, y in zip(a.entries, b.entries, strict=True) if x is not y]
        if pairs and not state:
            state = random_state(e, 1, near or {}) | {z.dot: 0.3 for z in e.z}
        out += [k for x, y in pairs if not _close(sb.evaluate(x, state), sb.evaluate(y, state))][:1]
    return out


def _names(mechanism: sb.bodies.Mechanism, what: str) -> list[Any]:
    return [(x.name, getattr(x, "kind", "")) for x in getattr(mechanism, what)]


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-11 * max(1.0, abs(a))


# ---------------------------------------------------------------------------------------------------- examples


def test_every_example_has_a_file():
    assert sorted({*SCRIPTS, "double_pendulum"}) == FILES


@pytest.mark.parametrize("name", SCRIPTS)
def test_file_and_script_have_the_same_equations(name):
    file = sb.read_model(ROOT / "symbody" / "library" / f"{name}.yaml")
    assert differences(example(name), file.mechanism, NEAR.get(name)) == []
    assert file.name == example(name).name


@pytest.mark.parametrize("name", [n for n in SCRIPTS if hasattr(importlib.import_module(f"examples.{n}"), "START")])
def test_file_starts_where_the_script_does(name):
    file = sb.read_model(ROOT / "symbody" / "library" / f"{name}.yaml")
    assert file.requests.start == pytest.approx(importlib.import_module(f"examples.{name}").START)


def test_starts_that_scripts_compute():
    for name in ("quadrangle", "four_bars"):
        file = sb.read_model(ROOT / "symbody" / "library" / f"{name}.yaml")
        start = importlib.import_module(f"examples.{name}").start()
        assert {k: v for k, v in file.requests.start.items() if v} == pytest.approx(
            {k: v for k, v in start.items() if v}
        )


@pytest.mark.parametrize("name", FILES)
def test_example_file_fits_a_screen(name):
    lines = (ROOT / "symbody" / "library" / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 90
    assert max(map(len, lines)) < 180


# ---------------------------------------------------------------------------------------------------- there and back


@pytest.mark.parametrize("name", SCRIPTS)
def test_written_example_is_read_again(name, tmp_path):
    m = example(name)
    sb.write_model(m, tmp_path / "model.yaml")
    assert differences(m, sb.read_model(tmp_path / "model.yaml").mechanism, NEAR.get(name)) == []


@pytest.mark.parametrize("name", sorted(HARD))
def test_written_hard_case_is_read_again(name):
    sample = HARD[name]()
    assert (
        differences(
            sample.mechanism, sb.study.read_model_text(sb.write.model_text(sample.mechanism)).mechanism, sample.start
        )
        == []
    )


@pytest.mark.parametrize("loop", LOOPS)
def test_written_redundant_loop_is_read_again(loop):
    """Rows of joints that say the same are no fault of a file, as they are none of a model."""
    mechanism = LOOPS[loop][0]().freeze()
    again = sb.study.read_model_text(sb.write.model_text(mechanism)).mechanism
    eq, other = (sb.derive(m, redundant=True) for m in (mechanism, again))
    assert (eq.rows.rank, len(eq.lam)) == (other.rows.rank, len(other.lam))


@pytest.mark.parametrize("make", [random_tree, random_loop, floating_tree, conservative_tree])
@pytest.mark.parametrize("seed", [0, 1, 2, 6] if FULL else [1, 6])
def test_written_mechanism_is_read_again(make, seed):
    sample = make(seed)
    again = sb.study.read_model_text(sb.write.model_text(sample.mechanism)).mechanism
    assert differences(sample.mechanism, again, sample.start) == []


def test_writing_what_was_read_gives_the_same_text():
    """The same entries in the same order; which products of a formula share a name may differ, what they mean may
    not."""
    first = sb.write.model_text(example("motorcycle"))
    again = sb.study.read_model_text(first).mechanism
    second = sb.write.model_text(again)
    keys = [[line.partition(":")[0] for line in text.splitlines()] for text in (first, second)]
    assert keys[0] == keys[1]
    assert differences(again, sb.study.read_model_text(second).mechanism) == []


def test_written_reactions_and_outputs_are_kept():
    """Conditions keep the forces that go with them, and outputs their expressions."""
    one, other = (
        sb.derive(example("bicycle")),
        sb.derive(sb.study.read_model_text(sb.write.model_text(example("bicycle"))).mechanism),
    )
    s = (
        random_state(one, 3, {"delta": 0.01})
        | {m: 1.5 + k for k, m in enumerate(one.lam)}
        | {u.dot: 0.5 for u in one.u}
    )
    for name in ("rear", "front"):
        a, b = sb.reaction(one, name), sb.reaction(other, name)
        for x, y in zip((*a.force, *a.moment), (*b.force, *b.moment), strict=True):
            assert sb.evaluate(x, s) == pytest.approx(sb.evaluate(y, s), abs=1e-9)
    assert sb.evaluate(list(one.outputs["rear hub"]), s) == pytest.approx(sb.evaluate(list(other.outputs["rear hub"]), s))  # fmt: skip


@pytest.mark.parametrize(
    "name", ["rear: wheel", "- a", "true", "null", "a # b", "{x}", "'q", '"', "über", "1", " a", "a:", "*a", "[", "~"]
)
def test_names_of_any_kind_are_written(name):
    m = sb.Model("names")
    m.revolute("q", m.ground, m.body(name, mass=1, inertia=(1, 1, 1)))
    again = sb.study.read_model_text(sb.write.model_text(m))
    assert again.mechanism.bodies[0].name == name


def test_deep_expressions_are_written_in_steps():
    m = sb.Model("deep")
    q = m.coordinate("q")
    m.body("b", m.ground.translate(q, 0, 0), mass=1)
    V = q
    for _ in range(400):
        V = sb.sin(V + 1) / 2
    m.potential("V", V)
    again = sb.study.read_model_text(sb.write.model_text(m)).mechanism
    assert again.load("V").potential is V
    assert max(map(len, sb.write.model_text(m).splitlines())) < 200


def test_two_torques_that_are_no_pair():
    m = sb.Model("two torques")
    a, b = (m.body(n, mass=1, inertia=(1, 1, 1)) for n in "ab")
    m.universal("u", m.ground, a)
    m.spherical("s", a, b)
    one, two = (Action(x.frame, torque=x.vector(1, k, 0)) for k, x in enumerate((a, b)))
    m.parts.add_load(Load("both", "torque", (one, two)))
    assert differences(m, sb.study.read_model_text(sb.write.model_text(m)).mechanism) == []


def test_what_cannot_be_written_is_told():
    m = sb.Model("external")
    q = m.coordinate("q")
    m.body("b", m.ground.translate(q, 0, 0), mass=1)
    m.potential("V", sb.algebra.ExternalFunction("cam", 1)(q))
    with pytest.raises(sb.ModelError, match="external function 'cam'"):
        sb.write.model_text(m)
    m = sb.Model("reserved")
    m.parameter("pi", 3.0)
    with pytest.raises(sb.ModelError, match="reserved"):
        sb.write.model_text(m)


# --------------------------------------------------------------------------------------------------- the whole language

EVERYTHING = """
symbody: 1
name: everything
parameters: {a: 0.5, k: {value: 10, unit: N/m}, free_one: null}
inputs: [F]
variables: lag
coordinates: s, h
speeds: {w1: s_dot*cos(h)}
small: h
let: {tip: "arm.point(a, 0, 0)", dirs: [1, 0, 0], here: "bead.point(0, 0, 1)", lift: here - ground.origin}
frames:
  rail: ground.translate(0, h, s)
  tilted: {on: rail, at: [a, 0, 0], rotation: [{x: 0.2}, {about: [1, 1, 0], angle: 0.3}]}
  spun: {on: tilted, rotation: [{cosines: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}]}
bodies:
  base: {mass: 2, inertia: [0.1, 0.2, 0.25]}
  arm: {mass: 1, com: [a, 0, 0], inertia: {xx: 0.1, yy: 0.4, zz: 0.4, xy: 0.01}, about: [0, 0, 0]}
  bead: {frame: spun, density: 7800, shape: {sphere: 0.05}}
  wheel: {mass: 1, shape: {disc: 0.3, axis: y}}
  dot: {at: "rail.point(0, 0.1, s)", mass: 0.1}
  plate: {frame: tilted, mass: 1, inertia: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.15]]}
  link:
  bolt: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  end: {mass: 1, inertia: [0.1, 0.1, 0.1], physical: false}
joints:
  b: {free: base, sequence: zyx}
  turn: {revolute: [base, arm], axis: [0, 1, 1], at: [0, 0, 0.5], on: [0.1, 0, 0], orientation: [{z: 0.1}, {x: 0.2}], stiffness: k, rest: 0.1, damping: 0.2,
         friction: [0.5, 0.1], limits: [-1, 1, 100, 2], actuation: F}
  w: {free: [ground, wheel], sequence: euler parameters}
  road: {rolling: wheel, radius: 0.3, axis: y, tube: 0.01}
  c: {cylindrical: [arm, link], axis: -y, at: tip}
  u: {screw: [link, bolt], axis: z, pitch: 0.1}
  g: {gear: [turn, u], ratio: 2}
  e: {universal: [bolt, end], axes: [x, z], coordinates: [u1, 2*u2_]}
gravity: [0, 0, -9.81]
loads:
  push: {force: "base.vector(F, 0, 0)", at: [0, 0, 1], on: base, reacting: arm}
  twist: {torque: [0, 0, 1], on: end}
  rope: {spring: [tip, ground.origin], stiffness: k, rest: 0.1, damping: 0.3}
  coil: {rotational_spring: arm.y, angle: turn, parent: base, child: arm, stiffness: 2}
  air: {drag: tip, linear: 0.1, quadratic: 0.2, relative_to: rail}
  well: {potential: k*s^2/2}
  hand: {generalized_force: -s_dot, coordinate: s}
  planet: {central_gravity: 3, centre: "ground.point(9, 9, 9)"}
  Y: {tyre: "wheel.point(0, 0, 0)", heading: rail, on: wheel, camber: 0.1, stiffness: [10, 1], relaxation: 0.2, load: 5}
  parts: {load: mine, potential: k*h^4, on_rates: {h: -h_dot}, actions: [{force: [1, 0, 0], at: here, on: spun}, {torque: [0, 1, 0], on: rail}]}
constraints:
  same: {coincide: [end.origin, "base.point(0, 1, 0)"], axes: xy, along: ground}
  square: {orthogonal: [arm.x, end.y]}
  clock: {prescribe: h, motion: 0.1*sin(t)}
  skate: {speed: base.origin.velocity().dot(base.y)}
  still: {holonomic: b_x - s*a}
equations: {law: lag_dot + lag - s}
outputs: {height: "lift.components(ground)", one: "contact(road).position().dot(ground.x)", several: [s, h, F], rows: [[s, h], [0, 1]]}
"""


def everything() -> sb.Model:
    """The same in Python."""
    m = sb.Model("everything")
    a, k = m.parameter("a", 0.5), m.parameter("k", 10, "N/m")
    m.parameter("free_one")
    F, lag = m.input("F"), m.variable("lag")
    s, h = m.coordinates("s h")
    w1 = m.speed("w1")
    rail = m.frame("rail", m.ground.translate(0, h, s))
    inner = m.ground.rotate("x", 0.2).rotation @ m.ground.rotate((1, 1, 0), 0.3).rotation
    tilted = m.frame("tilted", sb.Frame(rail, inner, sb.vector(a, 0, 0)))
    spun = m.frame("spun", tilted.rotate_by_cosines([[0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    base = m.body("base", mass=2, inertia=(0.1, 0.2, 0.25))
    arm = m.body("arm", mass=1, com=(a, 0, 0), inertia=sb.inertia(0.1, 0.4, 0.4, 0.01), about=(0, 0, 0))
    bead = m.body("bead", spun, density=7800, shape=sb.sphere(0.05))
    wheel = m.body("wheel", mass=1, shape=sb.disc(0.3, axis="y"))
    m.particle("dot", rail.point(0, 0.1, s), mass=0.1)
    m.body("plate", tilted, mass=1, inertia=[[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.15]])
    link = m.body("link")
    bolt = m.body("bolt", mass=1, inertia=(0.1, 0.1, 0.1))
    end = m.body("end", mass=1, inertia=(0.1, 0.1, 0.1), physical=False)
    m.free("b", m.ground, base, sequence="zyx")
    rest = m.ground.rotate("z", 0.1).rotation @ m.ground.rotate("x", 0.2).rotation
    m.revolute("turn", base, arm, axis=(0, 1, 1), at=(0, 0, 0.5), on=(0.1, 0, 0), orientation=rest, stiffness=k, rest=0.1, damping=0.2,
               friction=(0.5, 0.1), limits=(-1, 1, 100, 2), actuation=F)  # fmt: skip
    m.free("w", m.ground, wheel, sequence="euler parameters")
    contact = m.rolling("road", wheel, 0.3, axis="y", tube=0.01)
    tip = arm.point(a, 0, 0)
    m.cylindrical("c", arm, link, axis="-y", at=tip)
    m.screw("u", link, bolt, 0.1)
    m.gear("g", "turn", "u", 2)
    u1 = m.coordinate("u1")
    m.universal("e", bolt, end, axes=("x", "z"), coordinates=[u1, 2 * s])
    m.kinematic_equation(s.dot * sb.cos(h) - w1)
    m.small(h)
    m.gravity(0, 0, -9.81)
    here = bead.point(0, 0, 1)
    m.force("push", base, base.vector(F, 0, 0), at=base.point(0, 0, 1), reacting=arm)
    m.torque("twist", end, m.ground.vector(0, 0, 1))
    m.spring("rope", tip, m.ground.origin, stiffness=k, rest=0.1, damping=0.3)
    m.rotational_spring("coil", base, arm, arm.frame.y, angle=m.symbols["turn"], stiffness=2)
    m.drag("air", tip, linear=0.1, quadratic=0.2, relative_to=rail)
    m.potential("well", k * s**2 / 2)
    m.generalized_force("hand", s, -s.dot)
    m.central_gravity("planet", 3, m.ground.point(9, 9, 9))
    m.tyre("Y", wheel, wheel.point(), rail, camber=0.1, stiffness=(10, 1), relaxation=0.2, load=5)
    m.potential("parts", k * h**4)
    m.coincide("same", end.frame.origin, base.point(0, 1, 0), along=m.ground, axes="xy")
    m.orthogonal("square", arm.frame.x, end.frame.y)
    m.prescribe("clock", h, 0.1 * sb.sin(m.time))
    m.constrain_speed("skate", base.frame.origin.velocity().dot(base.frame.y))
    m.constrain("still", m.symbols["b_x"] - s * a)
    m.equation("law", lag.dot + lag - s)
    m.output("height", (here - m.ground.origin).components(m.ground))
    m.output("one", contact.position().dot(m.ground.x))
    m.output("several", [s, h, F])
    m.output("rows", [[s, h], [0, 1]])
    return m


def test_every_method_has_its_place():
    """A file that uses every key of the mechanism, and the same in Python; the load by parts is compared apart."""
    file = sb.study.read_model_text(EVERYTHING.replace("2*u2_", "2*s"))
    made, same = file.mechanism, everything().freeze()
    assert [b.name for b in made.bodies] == [b.name for b in same.bodies]
    assert made.rates == same.rates
    for one, other in zip(made.bodies, same.bodies, strict=True):
        assert (one.mass.m, one.mass.p_BoBcm, one.mass.I_BBcm) == (other.mass.m, other.mass.p_BoBcm, other.mass.I_BBcm)
        assert one.frame.rotation_in(made.ground).matrix == other.frame.rotation_in(same.ground).matrix
    assert [(c.name, c.expression, c.is_holonomic, c.joint) for c in made.constraints] == [(c.name, c.expression, c.is_holonomic, c.joint) for c in same.constraints]  # fmt: skip
    assert {x.name: (x.kind, x.potential, x.on_rates) for x in made.loads if x.name != "parts"} == {x.name: (x.kind, x.potential, x.on_rates) for x in same.loads if x.name != "parts"}  # fmt: skip
    for load, twin in zip(made.loads, same.loads, strict=True):
        assert [_components(a, made) for a in load.actions if load.name != "parts"] == [
            _components(a, same) for a in twin.actions
        ]
    parts = made.load("parts")
    assert (parts.kind, len(parts.actions), list(parts.on_rates)) == ("mine", 2, [made.q[1]])
    assert made.equations == same.equations
    assert made.outputs.keys() == same.outputs.keys()
    assert made.outputs["several"] == sb.vector(*same.outputs["several"])
    assert made.outputs["rows"] == sb.matrix(same.outputs["rows"])
    assert made.outputs["one"] is same.outputs["one"]
    assert made.outputs["height"] == same.outputs["height"]


def _components(a: Any, mechanism: sb.bodies.Mechanism) -> Any:
    parts = [v.components(mechanism.ground) for v in (a.force, a.torque) if v is not None]
    return [list(p.entries) for p in parts]


def test_order_of_sections_and_items_does_not_matter():
    """Everything is made when it is needed: the motorcycle with its sections, definitions and frames upside down."""
    text = (ROOT / "symbody" / "library" / "motorcycle.yaml").read_text(encoding="utf-8")
    head, *sections = re.split(r"\n(?=[a-z]+:)", text)
    turned = []
    for s in sections:
        title, *lines = s.split("\n")
        turned.append("\n".join([title, *(reversed(lines) if title in ("let:", "frames:") else lines)]))
    assert (
        differences(example("motorcycle"), sb.study.read_model_text("\n".join([head, *reversed(turned)])).mechanism)
        == []
    )


WALKER = """
symbody: 1
name: walker
parameters: {l: 0.4, mass: 2.0}
bodies: {trunk: {mass: 20, inertia: [1, 1, 1]}}
joints: {trunk: {free: trunk, sequence: euler parameters}}
frames: {left_hip: "trunk.translate(0, 0.1, 0)", right_hip: "trunk.translate(0, -0.1, 0)"}
parts:
  leg: LEG
attach:
  left: {part: leg, on: left_hip, share: l mass}
  right: {part: leg, on: right_hip, share: {l: 2*l, mass: mass}}
outputs: {feet: "(left_shank.point(0, 0, -l) - right_shank.point(0, 0, -l)).magnitude()"}
start: {left_knee: 0.1}
"""
LEG = """
parameters: {l: 0.4, mass: 2.0}
bodies:
  thigh: {mass: mass, com: [0, 0, -l/2], inertia: [0.1, 0.1, 0.01]}
  shank: {mass: mass, com: [0, 0, -l/2], inertia: [0.1, 0.1, 0.01]}
joints:
  hip: {revolute: [ground, thigh], axis: y}
  knee: {revolute: [thigh, shank], axis: y, at: [0, 0, -l]}
"""


def test_parts_are_attached(tmp_path):
    leg = sb.Model("leg")
    l, mass = leg.parameters("l mass", 0.4, 2.0)
    thigh, shank = (leg.body(n, mass=mass, com=(0, 0, -l / 2), inertia=(0.1, 0.1, 0.01)) for n in ("thigh", "shank"))
    leg.revolute("hip", leg.ground, thigh, axis="y")
    leg.revolute("knee", thigh, shank, axis="y", at=(0, 0, -l))
    m = sb.Model("walker")
    l, mass = m.parameters("l mass", 0.4, 2.0)
    trunk = m.body("trunk", mass=20, inertia=(1, 1, 1))
    m.free("trunk", m.ground, trunk, sequence="euler parameters")
    m.attach("left", trunk.frame.translate(0, 0.1, 0), leg, share=("l", "mass"))
    m.attach("right", trunk.frame.translate(0, -0.1, 0), leg, share={"l": 2 * l, "mass": mass})

    inline = WALKER.replace("leg: LEG", "leg:" + LEG.replace("\n", "\n    "))
    assert differences(m, sb.study.read_model_text(inline).mechanism) == []
    (tmp_path / "leg.yaml").write_text("symbody: 1" + LEG, encoding="utf-8")
    (tmp_path / "walker.yaml").write_text(WALKER.replace("LEG", "leg.yaml"), encoding="utf-8")
    assert differences(m, sb.read_model(tmp_path / "walker.yaml").mechanism) == []


CHAIN = """
symbody: 1
name: chain
parameters: {g: 9.81, l: 0.2}
gravity: [0, -g, 0]
parts:
  link:
    parameters: {mass: 0.1, l: 0.1}
    bodies: {rod: {mass: mass, com: [l/2, 0, 0], inertia: [1e-5, 1e-4, 1e-4]}}
    joints: {a: {revolute: [ground, rod], axis: y, damping: 1e-3}}
    frames: {tip: "rod.translate(l, 0, 0)"}
frames: {side: "ground.translate(0, l, 0)"}
repeat:
  link: {part: link, count: 3, end: tip, share: l, values: {mass: [0.1, 0.2, 0.3]}}
  twig: {part: link, count: 2, on: [side, link_2_tip], share: {l: 2*l}, values: {mass: 0.4}}
"""


def test_parts_are_repeated():
    link = sb.Model("link")
    l, mass = link.parameters("l mass", 0.1, 0.1)
    rod = link.body("rod", mass=mass, com=(l / 2, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
    link.revolute("a", link.ground, rod, axis="y", damping=1e-3)
    link.frame("tip", rod.frame.translate(l, 0, 0))
    m = sb.Model("chain")
    g, l = m.parameters("g l", 9.81, 0.2)
    m.gravity(0, -g, 0)
    chain = m.repeat("link", m.ground, link, 3, end="tip", share="l", values={"mass": [0.1, 0.2, 0.3]})
    on = [m.ground.translate(0, l, 0), chain[2].frame("tip")]
    m.repeat("twig", on, link, 2, share={"l": 2 * l}, values={"mass": 0.4})
    assert differences(m, sb.study.read_model_text(CHAIN).mechanism) == []


HANDS = """
symbody: 1
name: hands
gravity: [0, 0, -9.81]
parts:
  finger:
    parts:
      bone:
        parameters: {l: 0.1}
        bodies: {rod: {mass: 0.1, com: [l/2, 0, 0], inertia: [1e-5, 1e-4, 1e-4]}}
        joints: {a: {revolute: [ground, rod], axis: y}}
        frames: {tip: "rod.translate(l, 0, 0)"}
    repeat: {bone: {part: bone, count: 3, end: tip}}
frames: {left: "ground.translate(0, 0.1, 0)", right: "ground.translate(0, 0.2, 0)"}
repeat:
  finger: {part: finger, count: 2, on: [left, right], values: {bone_0_l: [0.1, 0.2]}}
  nail: {part: finger, count: 2, on: [finger_0_bone_2_tip, finger_1_bone_2_tip]}
"""


def test_repeated_parts_of_repeated_parts():
    """Chains within copies, and copies on the ends of copies: a tree."""
    bone = sb.Model("bone")
    l = bone.parameter("l", 0.1)
    rod = bone.body("rod", mass=0.1, com=(l / 2, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
    bone.revolute("a", bone.ground, rod, axis="y")
    bone.frame("tip", rod.frame.translate(l, 0, 0))
    finger = sb.Model("finger")
    finger.repeat("bone", finger.ground, bone, 3, end="tip")
    m = sb.Model("hands")
    m.gravity(0, 0, -9.81)
    places = [m.frame(n, m.ground.translate(0, y, 0)) for n, y in (("left", 0.1), ("right", 0.2))]
    fingers = m.repeat("finger", places, finger, 2, values={"bone_0_l": [0.1, 0.2]})
    m.repeat("nail", [f.frame("bone_2_tip") for f in fingers], finger, 2)
    read = sb.study.read_model_text(HANDS).mechanism
    assert differences(m, read) == []
    assert [j.parent for j in read.joints][::3] == ["ground", "ground", "finger_0_bone_2_rod", "finger_1_bone_2_rod"]


@pytest.mark.parametrize(
    ("text", "instead", "message"),
    [
        ("count: 3", "count: 0", "count is a whole number from 1 to 10000, got 0"),
        ("count: 3", "count: 2.5", "count is a whole number from 1 to 10000, got 2.5"),
        ("end: tip", "end: top", "end='top' is not a frame of model 'link'"),
        ("[0.1, 0.2, 0.3]", "[0.1, 0.2]", "2 values of 'mass' for 3 copies"),
        ("count: 2, on: [side, link_2_tip]", "count: 2, on: [side]", "2 copies on 1 frames"),
        ("count: 3", "count: 9999", "3 values of 'mass' for 9999 copies"),
        ("{part: link, count: 2", "{part: twig, count: 2", "there is no part 'twig'"),
    ],
)
def test_wrong_repetitions_are_refused(text, instead, message):
    with pytest.raises(sb.errors.ModelFileError) as refusal:
        sb.study.read_model_text(CHAIN.replace(text, instead))
    assert message in str(refusal.value)


# ---------------------------------------------------------------------------------------------------- requests


def test_requests_of_the_motorcycle():
    r = sb.read_model(ROOT / "symbody" / "library" / "motorcycle.yaml").requests
    assert r.steady.parameters == {"V": 20}
    assert [(str(a), str(b)) for a, b in r.steady.values] == [("x_dot", "V")]
    assert [str(s) for s in r.steady.zero] == "y psi delta phi psi4 phi4".split()
    assert r.linearize.about == "steady"
    assert (r.eig.vary["V"].begin, r.eig.vary["V"].end, r.eig.vary["V"].points) == (1, 60, 200)
    assert [(f.input, f.output, f.hertz.points) for f in r.frf] == [("tau", "phi", 200)]


def test_requests_of_a_simulation():
    text = (ROOT / "symbody" / "library" / "triple_pendulum.yaml").read_text(encoding="utf-8")
    text = text.replace(
        "{t: 10}",
        "{t: [1, 2], points: 11, inputs: {tau1: 2*sin(t) - q1_dot}, method: dp5, rtol: 1e-6, invariants: [energy]}\nvalues: {m1: 3}",
    )
    r = sb.study.read_model_text(text).requests
    assert (r.simulate.begin, r.simulate.end, r.simulate.points) == (1, 2, 11)
    assert r.simulate.options == {"method": "dp5", "rtol": 1e-6, "invariants": ("energy",)}
    assert str(r.simulate.inputs["tau1"]) == "2*sin(t) - q1_dot"
    assert r.values == {"m1": 3}


def test_drawing():
    d = sb.read_model(ROOT / "symbody" / "library" / "slider_crank.yaml").requests.draw
    assert [(s.name, s.kind, s.colour) for s in d.shapes] == [("guide", "box", "gray"), ("piston", "box", "steelblue")]
    assert d.shapes[0].frame.name == "ground"
    assert [(t.name, t.colour) for t in d.traces] == [("middle of the rod", "orange")]


def test_a_request_can_be_done():
    """What the file says goes into the functions of later stages as it is."""
    file = sb.read_model(ROOT / "symbody" / "library" / "double_pendulum.yaml")
    eq = sb.derive(file.mechanism)
    falling = sb.evaluate(eq.udot, eq.values(file.requests.start, otherwise=0))
    assert falling == pytest.approx([-9.81, 9.81])  # both links level: both masses fall freely


# ---------------------------------------------------------------------------------------------------- mistakes

PENDULUM = re.sub(" #.*", "", (ROOT / "symbody" / "library" / "double_pendulum.yaml").read_text(encoding="utf-8"))
CRANK = (ROOT / "symbody" / "library" / "slider_crank.yaml").read_text(encoding="utf-8")
MISTAKES = [  # what was written, what stands there instead, where that is told, what is said
    ("[0, -g, 0]", "[0, -g, 0", "5:7", "a bracket above is not closed"),
    ("  upper: {mass", "\tupper: {mass", "6:1", "indent with spaces"),
    ("name: double pendulum", "name: double: pendulum", "2:13", "put a text that contains ': ' in quotation marks"),
    ("bodies:", "bodys:", "5:1", "there is no key 'bodys' in a model file; .* Did you mean 'bodies'?"),
    ("upper: {mass", "upper: {mas", "6:11", "there is no key 'mas' in a body; .* Did you mean 'mass'?"),
    ("symbody: 1\n", "", "1:1", "a model file needs the key 'symbody'"),
    ("symbody: 1", "symbody: 2", "1:10", "there is no version '2'; there is only 1"),
    ("upper: {mass: m, com: [0, -l, 0]}", "upper: {mass: m, com: -l}", "6:25", "expected three components"),
    ("upper: {mass: m, com: [0, -l, 0]}", "upper: {mass: m, com: [0, -l]}", "6:25", "expected three components .* got 2 items"),
    ("upper: {mass: m, com: [0, -l, 0]}", "upper: 5", "6:10", "expected a body, a table with the keys"),
    ("l: 1.0, m: 0.5}", "length: 1.0, m: 0.5, l: legnth}", "3:47", "the value of a parameter is a number; what depends on 'legnth' goes under `let`"),
    ("at: [0, -l, 0]}", "at: [0, -ll2, 0]}", "10:43", "there is no name 'll2'"),
    ("g: 9.81, ", "", "4:15", "there is no name 'g'; declare it under parameters"),
    ("g: 9.81,", "g: 9.81 m/s^2,", "3:22", "a unit is written .value: 9.81, unit: m/s.2."),
    ("[upper, lower]", "[uper, lower]", "10:19", "there is no body or frame 'uper'. Did you mean 'upper'?"),
    ("{revolute: [ground", "{revolut: [ground", "9:7", "a joint needs a key that tells its kind: .* Did you mean 'revolute'?"),
    ("[ground, upper]}", "[ground, upper], prismatic: [ground, upper]}", "9:35", "a joint is of one kind, this says revolute, prismatic"),
    ("[ground, upper]}", "[ground, upper], axis: w}", "9:3", "'w' is not an axis; use 'x', 'y', 'z'"),
    ("[ground, upper]}", "[upper, upper]}", "9:18", "'upper' cannot be joined to itself"),
    ("[ground, upper]}", "[ground, upper], friction: [1]}", "9:45", "expected .force, speed., got 1 item"),
    ("[0, -g, 0]", "[0, -sinn(g), 0]", "4:15", "there is no function 'sinn'; .* Did you mean 'sin'?"),
    ("[0, -g, 0]", "[0, -atan2(g), 0]", "4:15", "atan2 takes 2 arguments, got 1"),
    ("[0, -g, 0]", "[0, -(g, 0]", "4:15", "is not closed"),
    ("upper: {mass: m,", "upper: {mass: m/0,", "6:18", "division by zero"),
    ("upper: {mass: m,", "upper: {mass: 2m,", "6:17", "for a product write 2.m"),
    ("upper: {mass: m,", "upper: {mass: -1,", "6:3", "negative mass -1"),
    ("upper: {mass: m,", "upper: {mass: t,", "6:3", "its mass properties change with t"),
    ("upper: {mass: m,", "upper: {mass: ground.x,", "6:17", "expected a number, this is a vector"),
    ("com: [0, -l, 0]}\n  lower", "inertia: [1, 1, 5]}\n  lower", "6:3", "no body has the principal inertias 1, 1, 5 .* say physical: false"),
    ("  lower: {", "  upper: {", "7:3", "the key 'upper' appears twice in this table, first in line 6"),
    ("gravity:", "coordinates: q1 l\ngravity:", "4:17", "'l' is declared twice"),
    ("gravity:", "let: {m: 2}\ngravity:", "4:7", "'m' is declared as a parameter already"),
    ("gravity:", "let: {upper: 2}\ngravity:", "7:3", "'upper' is defined twice: as definition in line 4"),
    ("{g: 9.81,", "{pi: 3, g: 9.81,", "3:14", "the name 'pi' is reserved"),
    ("{g: 9.81,", "{my-mass: 3, g: 9.81,", "3:14", "'my-mass' is not a usable name"),
    ("bodies:", "let: {a: b + 1, b: 2*a}\nbodies:", "5:7", "definition 'a' needs itself: definition 'a' -> definition 'b' -> definition 'a'"),
    ("bodies:", "let: {a: ground.x + 1}\nbodies:", "5:19", "a vector . a number has no meaning"),
    ("bodies:", "variables: z\nbodies:", "5:12", "each additional variable needs one additional equation; variables: z; equations: none"),
    ("bodies:", "speeds: [w]\nbodies:", "5:10", "speed w is in no kinematic equation"),
    ("  q2: {revolute: [upper, lower], at: [0, -l, 0]}\n", "", "7:3", "body lower is not connected; .* by a joint {free: ...}"),
    ("start:", "  q3: {free: lower}\nstart:", "11:3", "a free joint between them adds no constraint"),
    ("start:", "  q3: {revolute: [upper, lower], at: [0, -l, 0]}\nstart:", "11:3", "joint 'q3' closes a loop but adds no constraint"),
    ("start:", "  q3: {gear: [q1, q5], ratio: 2}\nstart:", "11:19", "there is no joint or coordinate 'q5'"),
    ("start:", "constraints: {c: {holonomic: l - 1}}\nstart:", "11:15", "contains no coordinate"),
    ("start:", "constraints: {c: {holonomic: q1_dot}}\nstart:", "11:15", "a constraint on rates is written {speed: ...}"),
    ("{q1: pi/2, q2: 0}", "{q1: pi/2, q2': 0}", "11:19", "the time derivative q2' is written q2_dot"),
    ("start:", "constraints: {c: {speed: q1_dot^2}}\nstart:", "11:15", "is not linear in the speeds"),
    ("start:", "loads: {f: {force: [1, 0, 0]}}\nstart:", "11:12", "a load of kind 'force' needs the key 'on'"),
    ("start:", "loads: {f: {drag: , linear: 1}}\nstart:", "11:12", "a load of kind 'drag' needs the key 'drag': where it acts"),
    ("start:", "loads: {f: {generalized_force: 1, coordinate: q}}\nstart:", "11:47", "there is no coordinate 'q'; there are q1, q2"),
    ("start:", "outputs: {o: lower.orign.velocity().magnitude()}\nstart:", "11:20", "Did you mean 'origin'?"),
    ("start:", "attach: {leg: {part: leg}}\nstart:", "11:22", "there is no part 'leg'"),
    ("{q1: pi/2, q2: 0}", "{q1: pi/2, q3: 0}", "11:19", "there is no coordinate, speed, variable or output 'q3'"),
    ("{q1: pi/2, q2: 0}", "{q1: m}", "11:13", "expected a number; m has no value here"),
    ("{t: 10}", "{t: ten}", "12:15", "there is no name 'ten'"),
    ("{t: 10}", "{t: 0}", "12:15", "has no length"),
    ("{t: 10}", "{t: 10, tolerance: 1}", "12:19", "there is no key 'tolerance' in a simulation"),
    ("{t: 10}", "{t: 10, inputs: {F: 1}}", "12:28", "there is no input 'F'"),
    ("{t: 10}", "{t: 10}\nlinearize: {about: steady}", "13:20", "there is no steady motion to linearise about"),
    ("{t: 10}", "{t: 10}\ndraw: {shapes: {s: {box: [1, 1, 1], on: upper, colour: Red!}}}", "13:56", "is not a colour"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "place", "says"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_told_with_their_place(right, wrong, place, says):
    assert right in PENDULUM
    with pytest.raises(sb.errors.ModelFileError, match=says) as caught:
        sb.study.read_model_text(PENDULUM.replace(right, wrong, 1), "pendulum.yaml")
    assert str(caught.value).startswith(f"pendulum.yaml:{place}: ")
    assert f"{caught.value.line}:{caught.value.column}" == place
    assert not re.search(r"\bm\.[a-z]", caught.value.plain), "advice in the words of Python"


def test_a_message_in_full():
    with pytest.raises(sb.errors.ModelFileError) as caught:
        sb.study.read_model_text(
            CRANK.replace("axis: x, at: [l/2, 0, 0]}}", "axis: x, at: [len/2, 0, 0]}}"), "crank.yaml"
        )
    assert str(caught.value).splitlines() == [
        "crank.yaml:8:52: there is no name 'len'; declare it under parameters, inputs, variables, coordinates or let",
        "      rod: {mass: m_rod, shape: {bar: l, axis: x, at: [len/2, 0, 0]}}",
        "                                                       ^^^",
    ]


def test_a_loop_closed_wrongly():
    """The bearing of the crank between the wrong two bodies."""
    with pytest.raises(sb.errors.ModelFileError, match="15:3: joint 'bearing' closes a loop but adds no constraint"):
        sb.study.read_model_text(CRANK.replace("bearing: {revolute: [ground, crank], on: [r, 0, 0]}", "bearing: {revolute: [rod, crank], at: [l, 0, 0]}"))  # fmt: skip


def test_place_in_a_text_of_several_lines():
    text = PENDULUM.replace("outputs", "").replace("start:", "outputs:\n  o: >-\n    q1 +\n    nothing*2\nstart:")
    with pytest.raises(sb.errors.ModelFileError) as caught:
        sb.study.read_model_text(text, "a.yaml")
    assert (caught.value.line, caught.value.column) == (14, 5)


def test_a_part_tells_its_own_file(tmp_path):
    (tmp_path / "leg.yaml").write_text("symbody: 1" + LEG.replace("-l/2", "-ll/2"), encoding="utf-8")
    (tmp_path / "walker.yaml").write_text(WALKER.replace("LEG", "leg.yaml"), encoding="utf-8")
    with pytest.raises(sb.errors.ModelFileError, match=r"leg.yaml:4:36: there is no name 'll'"):
        sb.read_model(tmp_path / "walker.yaml")


# ------------------------------------------------------------------------------------------------- schema and documents

SCHEMA = ROOT / "schema" / "symbody-model.schema.json"


def test_published_schema_is_that_of_the_reader(update):
    text = json.dumps(sb.bodies.model_schema(), indent=1, ensure_ascii=False) + "\n"
    if update:
        SCHEMA.parent.mkdir(exist_ok=True)
        SCHEMA.write_text(text, encoding="utf-8")
    assert SCHEMA.read_text(encoding="utf-8") == text


def plain(node: Any) -> Any:
    """A tree as an editor sees it (YAML 1.2)."""
    if node.kind == "list":
        return [plain(n) for n in node.items]
    if node.kind == "table":
        return {k.text: plain(v) for k, v in node.pairs}
    if node.is_null:
        return None
    if not node.is_quoted and node.text in ("true", "false"):
        return node.text == "true"
    try:
        return node.text if node.is_quoted else float(node.text)
    except ValueError:
        return node.text


@pytest.mark.parametrize("text", [*(pytest.param((ROOT / "symbody" / "library" / f"{n}.yaml").read_text(encoding="utf-8"), id=n) for n in FILES), pytest.param(EVERYTHING, id="everything")])  # fmt: skip
def test_schema_accepts_what_is_read(text):
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(sb.bodies.model_schema())
    assert [e.message for e in validator.iter_errors(plain(tree(source_of(text, "a", None))))] == []


def test_schema_refuses_what_is_refused():
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(sb.bodies.model_schema())
    for right, wrong in (
        ("bodies:", "bodys:"),
        ("{mass", "{mas"),
        ("[ground, upper]}", "[ground]}"),
        ("symbody: 1", "symbody: 2"),
        ("{t: 10}", "{}"),
    ):
        assert list(validator.iter_errors(plain(tree(source_of(PENDULUM.replace(right, wrong, 1), "a", None)))))


def test_files_in_the_documents_are_read():
    page = (ROOT / "docs" / "model-files.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(symbody: 1\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        assert sb.study.read_model_text(block).mechanism.bodies


def test_every_key_is_documented():
    page = (ROOT / "docs" / "model-files.md").read_text(encoding="utf-8")
    schema = sb.bodies.model_schema()
    kinds = [next(iter(r["required"])) for k in ("joint", "load", "constraint") for r in schema["$defs"][k]["oneOf"]]
    assert [k for k in (*schema["properties"], *kinds) if f"`{k}`" not in page] == []


# ---------------------------------------------------------------------------------------------------- multipliers


def test_loads_may_contain_forces_of_constraints_and_of_joints() -> None:
    """Friction with the normal force of a rail, and of a joint that closes a loop, is written and read again."""
    m = sb.Model("rubbing")
    x, y, a = m.coordinates("x y a")
    arm = m.ground.rotate("z", a)
    bar = m.body("bar", m.ground.translate(x, y, 0), mass=2.0, inertia=(0, 0, 0.1))
    m.body("arm", arm, mass=1.0, com=(0.5, 0, 0), inertia=(0, 0, 0.1))
    m.constrain("rail", y)
    m.coincide("pin", bar.frame.origin, arm.point(1, 0, 0), axes="x")
    m.friction("rub", x.dot, sb.Coulomb(0.3), normal=m.multiplier("rail"), smooth=0.1)
    m.friction("squeak", a.dot, sb.Coulomb(0.1), normal=m.multiplier("pin.x"), smooth=0.1)
    text = sb.write.model_text(m)
    again = sb.study.read_model_text(text).mechanism
    assert differences(m.freeze(), again) == []
    assert sb.write.model_text(again) == text
    with pytest.raises(sb.ModelError, match="there is no name 'lam_rial'"):
        sb.study.read_model_text(text.replace("lam_rail", "lam_rial"))


# ---------------------------------------------------------------------------------------------------- paths and texts


def test_a_text_is_read_as_one_and_no_path_raises_errors_of_the_system() -> None:
    text = (sb.study.built_in()["double_pendulum"]).read_text()
    assert len(text) > 255  # longer than a file name may be
    assert sb.read_model(text).name == "double pendulum"
    assert sb.read_model(text.encode()).name == "double pendulum"
    readers: list[Any] = [sb.read_model, sb.study.find_model]
    for reader in readers:
        for wrong in ("x" * 5000, "y" * 5000 + ".yaml", "a\0b.yaml", "nothing.yaml", "nothing", "/", 3, None, b"abc"):
            with pytest.raises(sb.ModelError) as caught:
                reader(wrong)
            assert len(str(caught.value)) < 400
    with pytest.raises(sb.ModelError, match="read_model_text reads it"):
        sb.study.find_model(text)


def test_the_lead_of_a_screw_is_folded() -> None:
    """An advance of 2 π h in one turn is h in a radian, in the tree and in a loop."""
    m = sb.Model("nut")
    h = m.parameter("h")
    m.screw("a", m.ground, m.body("nut", mass=1, inertia=(1, 1, 1)), 2 * sb.pi * h)
    assert str(sb.derive(m).M) == "vector(h**2 + 1)"
