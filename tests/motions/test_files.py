"""Motions that model files state, the command that solves them, and what it writes."""

import json

import numpy as np
import pytest

import symbody as sb
from symbody.command_line.cli import main
from symbody.kits import motions

CART = """
symbody: 1
name: cart
parameters: {mass: 2.0}
inputs: F
units: {x: mm}
bodies: {cart: {mass: mass}}
joints: {x: {prismatic: [ground, cart], axis: x, actuation: F}}
motion:
  intervals: 10
  method: radau
  phases:
    push: {duration: 1, start: {x: 0, x_dot: 0}, bounds: {F: {low: 0, high: 100}}, costs: {effort: {integral: F^2/4, weight: 1/2}}}
    brake:
      duration: [0.5, 2]
      end: {x: 1000, x_dot: 0}
      path: {speed: {of: x_dot, value: {high: 5}}}
      conditions: {late: {of: t, value: {low: 1.9}, at: end}}
      costs: {effort: {integral: F^2/4, weight: 1/2}}
      guess: {x: [500, 1000], duration: 1}
  choose: {mass: [1, 3]}
"""
HOP = """
symbody: 1
name: hop
coordinates: y l
inputs: push
bodies:
  body: {frame: "ground.translate(0, y, 0)", mass: 1}
  foot: {frame: "ground.translate(0, y - l, 0)", mass: 0.1}
loads: {leg: {generalized_force: push, coordinate: l}}
gravity: [0, -9.81, 0]
contacts: {sole: {gap: y - l}}
motion:
  phases:
    flight: {duration: [0.1, 1], mode: free, start: {y: 1, l: 0.8}, guess: {y: [1, 0.7], l: 0.8, y_dot: -1}, costs: {effort: {integral: push^2}}}
    stance: {duration: 0.3, mode: sole, impact: true, end: {y_dot: 0}, bounds: {l: [0.3, 1.5]}, guess: {y: 0.7, l: 0.7, lam_sole: 10}, costs: {effort: {integral: push^2}}}
"""


@pytest.fixture
def cart(tmp_path):
    path = tmp_path / "cart.yaml"
    path.write_text(CART)
    return path


def test_problem_of_a_file(cart):
    """Numbers in declared units, ranges with one side, weights, phases that follow each other, a parameter to choose."""
    problem = motions.read_problem(cart)
    push, brake = problem.phases.values()
    assert {s.name: r for s, r in push.ranges["path"].items()} == {"F": (0, 100)}
    assert {s.name: r for s, r in brake.ranges["end"].items()} == {"x": (1.0, 1.0), "x_dot": (0, 0)}
    assert list(brake.duration_range) == [0.5, 2]
    assert list(brake.paths[0].range) == [-np.inf, 5]
    assert push.costs[0].weight == 0.5
    assert problem.options == {"intervals": 10, "method": "radau"}
    assert {s.name: r for s, r in problem.chosen.items()} == {"mass": (1, 3)}
    assert len(problem.links) == 1


def test_contacts_of_a_file_are_modes_of_phases(tmp_path):
    path = tmp_path / "hop.yaml"
    path.write_text(HOP)
    problem = motions.read_problem(path)
    flight, stance = problem.phases.values()
    assert [len(p.equations.lam) for p in (flight, stance)] == [0, 1]
    assert problem.links[0].impulses == {"lam_sole": (0, np.inf)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("duration: 1,", "duration: [2, 1],"), "cart.yaml:13:22: the range from 2 to 1 is empty"),
        (("{high: 5}", "{}"), "a range needs `low`, `high` or both"),
        (("F^2/4, weight: 1/2}}}", "G^2}}}"), "'G'"),
        (("x_dot: 0}, bounds", "z: 0}, bounds"), "there is no state, input or multiplier 'z'"),
        (("duration: 1,", "duration: 1, mode: foot,"), "mode 'foot' is one of `contacts`, and there are none"),
        (("duration: 1,", "duration: 1, impact: true,"), "the first phase has no impact"),
        (("method: radau", "method: euler"), "euler"),
        (("motion:", "draw:\nmotion_:"), "motion_"),
    ],
)
def test_statements_of_a_file_that_make_no_sense(cart, change, message):
    cart.write_text(CART.replace(*change))
    with pytest.raises(sb.SymbodyError) as found:
        motions.read_problem(cart)
    assert message in str(found.value)


AROUND = """
symbody: 1
name: around
inputs: fx fy
coordinates: x y
bodies: {ball: {frame: "ground.translate(x, y, 0)", mass: 1}}
loads: {push: {generalized_force: fx, coordinate: x}, side: {generalized_force: fy, coordinate: y}}
motion:
  phases:
    go:
      duration: 1
      start: {x: 0, y: 0, x_dot: 0, y_dot: 0}
      end: {x: 2, y: 0}
      avoid: {post: {point: [x, y], centre: [1, -0.1], radius: 1/2}}
      integrals: {way: {of: x_dot, value: {high: 3}}}
      track: {beside: {of: y, times: [0, 0.5, 1], values: [0, 0.4, 0], weight: 5}, data: {of: x, file: run.csv, column: x of ball}}
      costs: {effort: {integral: fx^2 + fy^2, weight: 1e-6}}
"""


def test_obstacles_and_measurements_of_a_file(tmp_path):
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    path = tmp_path / "around.yaml"
    path.write_text(AROUND)
    (tmp_path / "run.csv").write_text("x of ball,t\n0,0\n1.5,0.6\n2,1\n")
    problem = motions.read_problem(path)
    motion = problem.solve(20)
    assert motion.outcome
    assert ((motion["x"] - 1) ** 2 + (motion["y"] + 0.1) ** 2).min() == pytest.approx(0.25, abs=1e-6)
    assert set(motion.costs) == {"effort", "beside", "data"}
    assert motion["x"][np.searchsorted(motion.t, 0.6)] == pytest.approx(1.5, abs=0.05)
    (tmp_path / "run.csv").write_text("x,t\n0,0\n1.5,0.6\n")
    with pytest.raises(sb.ModelError, match=r"run\.csv: there is no column 'x of ball'; there are x, t"):
        motions.read_problem(path)
    (tmp_path / "run.csv").write_text("x of ball,t\n0,0\nwide,0.6\n")
    with pytest.raises(sb.ModelError, match="expected numbers in the columns t and x of ball"):
        motions.read_problem(path)
    path.write_text(AROUND.replace("[1, -0.1]", "[1, 0, 0]"))
    with pytest.raises(sb.ModelError, match="`point` has 2 components and `centre` 3"):
        motions.read_problem(path)


PUSHING = """
symbody: 1
name: two blocks
variables: x1 v1 x2 v2
inputs: F N
equations: {a: x1_dot - v1, b: v1_dot - F + N, c: x2_dot - v2, d: 2*v2_dot - N}
motion:
  method: radau
  degree: 1
  intervals: 40
  phases:
    go:
      duration: 2
      start: {x1: 0, v1: 0, x2: 1, v2: 0}
      end: {x2: 2}
      bounds: {F: [-20, 20]}
      complementary: {touch: [N, x2 - x1]}
      costs: {effort: {integral: F^2}}
"""


def test_contacts_of_unknown_order_of_a_file(tmp_path):
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    path = tmp_path / "push.yaml"
    path.write_text(PUSHING)
    problem = motions.read_problem(path)
    motion = problem.solve(**problem.options)
    assert motion.outcome
    assert (motion["N"] * (motion["x2"] - motion["x1"]))[1:].max() < 1e-5
    assert motion["N"].max() > 1


def test_hop_that_repeats_with_an_impact(tmp_path):
    """The impulse of the link from the last phase to the first is that of the first phase's contacts."""
    path = tmp_path / "hop.yaml"
    stance = HOP[HOP.index("    stance:") :].replace(" impact: true,", "").replace(" end: {y_dot: 0},", "")
    flight = HOP[HOP.index("    flight:") : HOP.index("    stance:")].replace(" start: {y: 1, l: 0.8},", "")
    head = HOP[: HOP.index("    flight:")]
    path.write_text(f"{head}{stance}{flight}  periodic: {{impact: true}}\n")
    problem = motions.read_problem(path)
    assert [(k.before.name, k.after.name, k.impulses is None) for k in problem.links] == [
        ("stance", "flight", True),
        ("flight", "stance", False),
    ]
    path.write_text(f"{head}{stance}{flight}  periodic: {{impact: true, flip: y}}\n")
    with pytest.raises(sb.ModelError, match="`flip` cannot be combined with `impact`"):
        motions.read_problem(path)


def test_model_without_a_motion():
    with pytest.raises(sb.ModelError, match=r"'double pendulum' states no motion: write its phases under `motion:`"):
        motions.read_problem("double_pendulum")


def test_command_solves_and_writes(cart, tmp_path, capsys):
    """With effort ½∫(F/2)² over 2 s and a mass of 1 kg: ∫F² = 12 d²/T³, the same in both phases."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    cart.write_text(CART.replace("{F: {low: 0, high: 100}}", "{F: [-100, 100]}"))
    assert main(["optimise", str(cart), "--json", "-o", str(tmp_path / "cart.csv")]) == 0
    found = json.loads(capsys.readouterr().out)
    total = found["durations"]["push"] + found["durations"]["brake"]
    assert found["cost"] == pytest.approx(12 / total**3 / 8, rel=1e-5)
    assert total == pytest.approx(3)
    assert found["chosen"]["mass"] == pytest.approx(1)
    table = np.genfromtxt(tmp_path / "cart.csv", delimiter=",", names=True)
    assert table["x"][-1] == pytest.approx(1)
    assert main(["optimise", str(cart), "--intervals", "4", "-o", str(tmp_path / "cart.html")]) == 0
    page = (tmp_path / "cart.html").read_text()
    for part in (
        "Active bounds",
        "Multipliers",
        "condition &#x27;late&#x27;",
        "largest difference from simulate",
        'class="sbv"',
    ):
        assert part in page, part
    assert main(["optimise", str(cart), "-o", str(tmp_path / "cart.pdf")]) != 0


def test_command_tells_why_there_is_no_motion(cart, tmp_path, capsys):
    """In full, in text and page; the summary cuts long lines."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    cart.write_text(CART.replace("low: 1.9", "low: 9"))
    assert main(["optimise", str(cart), "--intervals", "4", "-o", str(tmp_path / "cart.html")]) == 1
    told = capsys.readouterr().out
    assert "infeasible near this guess" in told
    assert "phase 'brake': condition 'late' at the end; duration\n" in told
    assert "condition &#x27;late&#x27; at the end" in (tmp_path / "cart.html").read_text()
