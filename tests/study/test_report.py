"""The report: what cannot be had costs a note in its place, and its commands give what it shows."""

import json
import re
import shlex

import pytest
from matplotlib.colors import CSS4_COLORS

import symbody as sb
from symbody.command_line.cli import main
from symbody.study import Study, find_model
from symbody.view.scenes.colour_names import CSS
from symbody.view.scenes.scene_items import colour_text

MODEL = """
symbody: 1
name: pendulum
parameters: {l: 1.0}
gravity: [0, -9.81, 0]
bodies: {bob: {mass: 1, com: [0, -l, 0]}}
joints: {q: {revolute: [ground, bob]}}
outputs: {height: -l*cos(q)}
start: {q: 0.5}
simulate: {t: 0.5}
"""


@pytest.fixture
def model(tmp_path):
    def of(draw: str = "") -> str:
        path = tmp_path / "pendulum.yaml"
        path.write_text(f"{MODEL}{draw}\n", encoding="utf-8")
        return str(path)

    return of


def report(study: Study, folder) -> tuple[str, dict[str, str]]:
    written = sb.write.write_report(study, folder)
    return written.path.read_text(encoding="utf-8"), dict(written.missing)


def test_names_of_colours_are_those_of_css():
    assert {k: v.lower() for k, v in CSS4_COLORS.items()} == CSS
    assert all(re.fullmatch("#[0-9a-f]{6}", colour_text(name)) for name in (*CSS, "SteelBlue"))
    with pytest.raises(sb.errors.ViewError, match="Did you mean 'steelblue'"):
        colour_text("stelblue")


@pytest.mark.parametrize("colour", ["steelblue", "rebeccapurple", "DarkOrange"])
def test_files_may_use_all_of_them(model, colour):
    study = Study(find_model(model(f"draw: {{shapes: {{ball: {{sphere: 0.1, on: bob, colour: {colour}}}}}}}")))
    shown = sb.scene(study.start, shapes=study.source.shapes)
    assert next(s.colour for s in shown.solids if s.name == "ball") == CSS[colour.lower()]
    assert shown.notes == ()


def test_many_columns_are_not_all_drawn(tmp_path):
    """Of 14 coordinates with their rates, the coordinates, each once."""
    path = tmp_path / "row.yaml"
    parts = "parts: {link: {bodies: {rod: {mass: 1}}, joints: {x: {prismatic: [ground, rod]}}}}"
    path.write_text(f"symbody: 1\nname: row\n{parts}\nrepeat: {{link: {{part: link, count: 14}}}}\n", encoding="utf-8")
    study = Study(find_model(str(path)), options={"t": 0.1})
    page, _ = report(study, tmp_path / "report")
    assert "14 of 28 columns" in page


def test_a_bad_colour_costs_a_note(model, tmp_path):
    drawn = "draw: {shapes: {ball: {sphere: 0.1, on: bob, colour: stelblue}}, traces: {tip: {point: bob.origin, colour: none}}}"
    page, missing = report(Study(find_model(model(drawn))), tmp_path / "out")
    assert missing == {}
    assert "&#x27;stelblue&#x27; is not a colour" in page
    assert "&#x27;none&#x27; is not a colour" in page
    assert (tmp_path / "out" / "data" / "scene.glb").exists()


def test_a_picture_that_fails_costs_no_chapter(model, tmp_path):
    """A mesh that is none: the motion, its figures and its data are there; the model that runs in the page, which needs
    the picture, is missing with the reason."""
    (tmp_path / "broken.stl").write_bytes(b"nothing of the kind")
    study = Study(find_model(model("draw: {shapes: {part: {mesh: broken.stl, on: bob}}}")))
    page, missing = report(study, tmp_path / "out")
    assert list(missing) == ["picture", "live"]
    assert "No picture:" in page
    assert {"motion.csv", "energies.csv", "trajectory.npz"} <= {p.name for p in (tmp_path / "out" / "data").iterdir()}


def test_the_model_that_runs_follows_the_laws_of_its_inputs(tmp_path):
    """Those that the file asks for are in the equations of the page: nothing is left to be held by a slider."""
    path = tmp_path / "driven.yaml"
    driven = "joints: {q: {revolute: [ground, bob], actuation: tau}}\ninputs: tau"
    asked = MODEL.replace("joints: {q: {revolute: [ground, bob]}}", driven)
    path.write_text(asked.replace("{t: 0.5}", "{t: 0.5, inputs: {tau: 2*sin(3*t)}}"), encoding="utf-8")
    page, missing = report(Study(find_model(str(path))), tmp_path / "out")
    assert "live" not in missing
    (sliders,) = re.findall(r'"sliders": ?(\[.*?\])', page)
    assert {s["name"] for s in json.loads(sliders)} == {"l", "q", "q_dot"}


def test_it_says_where_it_linearises_and_what_moved(model, tmp_path):
    page, _ = report(Study(find_model(model()), {"q": 0.3}), tmp_path / "out")
    assert (
        "about the steady motion nearest to the start: everything is zero (the start, q = 0.3, is not steady)" in page
    )


def test_its_commands_are_those_that_made_it(model, tmp_path):
    path = model()
    arguments = ["report", path, "--set", "l=2.0", "-t", "0.25", "--vary", "l=0.5:2:5", "-o", str(tmp_path / "out")]
    assert main(arguments) == 0
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    (commands,) = re.findall("<pre class='commands'>(.*?)</pre>", page, re.DOTALL)
    by_name = {line.split()[1]: shlex.split(line) for line in commands.splitlines()}
    assert by_name["eig"][-2:] == ["--vary", "l=0.5:2.0:5"]
    assert by_name["simulate"][-2:] == ["-t", "0.25"]
    again = [str(tmp_path / "again") if x == "DIR" else x for x in by_name["report"][1:]]
    assert main(again) == 0
    for name in ("motion.csv", "eigenvalues.csv"):
        first, second = ((tmp_path / d / "data" / name).read_text(encoding="utf-8") for d in ("out", "again"))
        assert first == second


def test_the_end_of_a_motion_has_outputs(model, capsys):
    assert main(["simulate", model()]) == 0
    assert "\n  height = -0." in capsys.readouterr().out


@pytest.mark.parametrize("name", ["motorcycle", "bicycle"])
def test_built_in_models_are_read_by_name(name):
    assert sb.read_model(name).mechanism.name == name
    with pytest.raises(sb.ModelError, match=f"Did you mean '{name}'"):
        sb.read_model(name.replace("cycle", "cicle"))
