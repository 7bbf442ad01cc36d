"""Where the command line linearises: at the steady motion that the model requests, or the one nearest to its start; and
it says where."""

import json
import math

import pytest

import symbody as sb
from symbody.command_line.cli import main
from symbody.study import Study, find_model

CAR = '''
"""A car on two wheels: tyre forces have the forward speed in the denominator."""
import symbody as sb


def model():
    m = sb.Model("car")
    x, y, psi = m.coordinates("x y psi")
    vx, vy, r = m.speeds("vx vy r")
    m.rate(x, vx * sb.cos(psi) - vy * sb.sin(psi))
    m.rate(y, vx * sb.sin(psi) + vy * sb.cos(psi))
    m.rate(psi, r)
    chassis = m.ground.translate(x, y, 0).rotate("z", psi, name="chassis")
    body = m.body("car", frame=chassis, mass=1500, inertia=(500, 2500, 2500))
    C, delta = m.parameter("C", 8e4), m.input("delta")
    m.force("front", body, chassis.vector(0, -C * ((vy + 1.2 * r) / vx - delta), 0), at=chassis.point(1.2, 0, 0))
    m.force("rear", body, chassis.vector(0, -C * (vy - 1.5 * r) / vx, 0), at=chassis.point(-1.5, 0, 0))
    m.output("ay", vy.dot + vx * r)
    return m


START = {"vx": 25.0, "vy": 0.4}
'''
REQUESTS = '''
REQUESTS = """
steady: {parameters: {V: 25}, values: {vx: V}}
eig: {vary: {V: [5, 60, 10]}}
frf: [{input: delta, output: ay, hertz: [0.1, 10, 5]}]
"""
'''


def eigenvalues(v: float) -> list[complex]:
    """Of the lateral motion at a speed, by hand."""
    m, I, a, b, C = 1500, 2500, 1.2, 1.5, 8e4
    A = [[-2 * C / (m * v), (b - a) * C / (m * v) - v], [(b - a) * C / (I * v), -(a * a + b * b) * C / (I * v)]]
    half, det = (A[0][0] + A[1][1]) / 2, A[0][0] * A[1][1] - A[0][1] * A[1][0]
    root = complex(half * half - det) ** 0.5
    return sorted((half - root, half + root), key=lambda s: s.imag)


def found(capsys, *arguments):
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def lateral(answer) -> list[complex]:
    each = [complex(*s) for s in answer["eigenvalues"]]
    return sorted((s for s in each if abs(s) > 1e-6), key=lambda s: s.imag)


@pytest.fixture
def car(tmp_path):
    def of(text: str = CAR):
        path = tmp_path / "car.py"
        path.write_text(text, encoding="utf-8")
        return path

    return of


@pytest.mark.parametrize("v", [25.0, 10.0])
def test_speeds_of_the_start_are_kept(car, capsys, v):
    """What a steady motion leaves open is as in the start: a vehicle is not linearised at a standstill."""
    answer = found(capsys, "eig", car(), "--set", f"vx={v}")
    assert answer["about"]["values"]["vx"] == pytest.approx(v, rel=1e-3)
    assert lateral(answer) == pytest.approx(eigenvalues(answer["about"]["values"]["vx"]))


def test_open_speeds_do_not_drift_along_a_sweep(car, capsys):
    """Of a start that is not steady itself: the nearest motion is one of the same speed at all parameters."""
    answer = found(capsys, "eig", car(), "--set", "vx=10", "--vary", "C=7e4:9e4:5")
    assert answer["locus"]["motion"]["vx"] == pytest.approx([10.0] * len(answer["locus"]["values"]))


def test_the_steady_motion_leaves_open_speeds_at_the_start(car):
    eq = sb.derive(find_model(str(car())).model)
    motion = sb.steady(eq, start={"vx": 25.0})
    assert motion.is_steady
    assert motion["vx"] == 25


def test_python_files_ask_in_the_words_of_model_files(car, capsys):
    path = car(CAR + REQUESTS)
    answer = found(capsys, "eig", path, "--set", "V=10")
    assert answer["about"]["what"] == "the steady motion that the model requests"
    assert lateral(answer) == pytest.approx(eigenvalues(10.0))
    assert answer["locus"]["parameter"] == "V"
    assert found(capsys, "frf", path)["responses"][0]["output"] == "ay"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('REQUESTS = "steady: {valuse: {vx: 25}}"', "car.py, REQUESTS:1:10"),
        ("REQUESTS = 3", "REQUESTS must be a text"),
        ('REQUESTS = "bodies: {}"', "bodies"),
    ],
)
def test_mistakes_in_requests_are_located(car, capsys, more, message):
    assert main(["eig", str(car(f"{CAR}\n{more}\n"))]) == 3
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", ["motorcycle", "bicycle", "double_pendulum", "four_bar_spatial", "four_bars"])
def test_the_point_is_always_printed_and_steady(capsys, name):
    """What is said is a motion of the equations: every row of the steady motion vanishes there."""
    assert main(["eig", name]) == 0
    assert "\nabout the " in capsys.readouterr().out
    study = Study(find_model(name))
    own = study.equations.variables.of("q u")
    at = {k: v for k, v in study.operating_point.values.items() if k in own}
    parameters = {k: v for k, v in study.at.items() if k in study.parameters}
    assert sb.steady(study.equations, {**at, **parameters}).is_steady


def test_a_start_that_is_not_steady_is_said(capsys):
    assert main(["eig", "double_pendulum"]) == 0
    assert "(the start, q1 = 1.5708, is not steady)" in capsys.readouterr().out


def test_responses_say_the_point_too(capsys):
    assert main(["frf", "motorcycle", "--set", "V=30"]) == 0
    assert "about the steady motion that the model requests: x_dot = 30" in capsys.readouterr().out


def test_eig_follows_what_the_file_varies(capsys):
    answer = found(capsys, "eig", "motorcycle")
    assert answer["locus"]["parameter"] == "V"
    assert found(capsys, "eig", "motorcycle", "--vary", "V=1:10:20")["locus"]["values"][-1] == 10


PENDULUM = """
symbody: 1
name: pendulum
parameters: {k: 30, d: 2}
inputs: tau
bodies: {bob: {mass: 1, com: [0, -1, 0]}}
joints: {q: {revolute: [ground, bob]}}
loads: {motor: {generalized_force: tau, coordinate: q}}
gravity: [0, -9.81, 0]
"""


def pendulum(tmp_path, text: str) -> Study:
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM + text, encoding="utf-8")
    return Study(find_model(str(path)))


LAW = "{tau: -k*(q - 1) - d*q_dot}"


@pytest.mark.parametrize(
    "text",
    [
        f"steady: {{inputs: {LAW}, start: {{q: 0.5}}}}\n",
        f"steady: {{inputs: {LAW}, start: {{q: 0.5}}}}\nlinearize: {{about: steady}}\n",
        f"steady: {{inputs: {LAW}, start: {{q: 0.5}}}}\nlinearize: {{about: steady, inputs: {LAW}}}\n",
    ],
)
def test_files_close_the_loop(tmp_path, text):
    """k (q - 1) + g sin q = 0, and s² + d s + k + g cos q = 0 there."""
    study = pendulum(tmp_path, text)
    q = study.operating_point.values["q"]
    assert 30 * (q - 1) + 9.81 * math.sin(q) == pytest.approx(0, abs=1e-9)
    for s in study.spectrum.eigenvalues:
        assert s * s + 2 * s + 30 + 9.81 * math.cos(q) == pytest.approx(0, abs=1e-8)


def test_a_loop_is_closed_about_a_motion_of_the_open_one(tmp_path):
    study = pendulum(tmp_path, "steady: {zero: q}\nlinearize: {about: steady, inputs: {tau: -k*q - d*q_dot}}\n")
    for s in study.spectrum.eigenvalues:
        assert s * s + 2 * s + 30 + 9.81 == pytest.approx(0, abs=1e-8)


def test_the_start_itself(tmp_path):
    """Where the file says so: refused where it is not steady, unless the file says that it moves."""
    with pytest.raises(sb.errors.StabilityError, match="not steady"):
        pendulum(tmp_path, "start: {q: 0.5}\nlinearize: {about: start}\n").linear
    study = pendulum(tmp_path, "start: {q: 0.5}\nlinearize: {about: start, moving: true}\n")
    assert study.operating_point.values["q"] == 0.5
    assert study.spectrum.eigenvalues.imag.max() == pytest.approx((9.81 * math.cos(0.5)) ** 0.5)
