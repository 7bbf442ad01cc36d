"""The command line as a person and as a program meet it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import symbody as sb
from symbody.command_line import commands
from symbody.command_line.cli import main
from symbody.study import built_in
from symbody.write.entry.export import TARGETS
from symbody.write.report import watched
from tests.amount import dear

PENDULUM = """
symbody: 1
name: pendulum
parameters: {l: 1.0, g: 9.81}
gravity: [0, -g, 0]
bodies:
  bob: {mass: 1, com: [0, -l, 0]}
joints:
  q: {revolute: [ground, bob]}
start: {q: 0.5}
simulate: {t: 2}
"""


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM)
    return path


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    code = main([str(a) for a in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def answer(capsys, *arguments: object):
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    return json.loads(out)


class TestAnswers:
    def test_examples(self, capsys):
        code, out, _ = run(capsys, "examples")
        assert code == 0
        assert all(len(line.split(maxsplit=1)) == 2 for line in out.splitlines()), (
            "every model says in a line what it is"
        )
        assert set(answer(capsys, "examples")) == set(built_in())

    def test_check(self, capsys):
        found = answer(capsys, "check", "slider_crank")
        assert found["degrees_of_freedom"] == 1
        assert found["parameters"]["l"] == 0.5

    def test_sharps_eigenvalues(self, capsys):
        found = answer(capsys, "eig", "motorcycle", "--set", "V=20")
        printed = [-79.597, -59.952, -5.8256 + 54.1821j, -20.4335, -4.0423 + 15.8014j, 0.09266]
        values = [complex(*e) for e in found["eigenvalues"]]
        for p in printed:
            assert min(abs(v - p) for v in values) < 6e-4

    def test_locus(self, capsys, tmp_path):
        picture = tmp_path / "locus.svg"
        found = answer(capsys, "eig", "motorcycle", "--vary", "V=1:40:50", "-o", picture)
        assert found["locus"]["parameter"] == "V"
        assert found["locus"]["critical"][0]["value"] == pytest.approx(5.8948, abs=1e-3)
        assert picture.read_text().startswith("<?xml")

    def test_chart(self, capsys):
        """Growth and operating points over two parameters; a number for each pair."""
        found = answer(capsys, "eig", "motorcycle", "--vary", "V=5:40:3", "--vary", "Rf=0.3:0.31:2")["chart"]
        assert np.shape(found["growth"]) == np.shape(found["unstable"]) == (3, 2)
        assert found["motion"]["x_dot"] == pytest.approx(np.array([[5.0, 5.0], [22.5, 22.5], [40.0, 40.0]]))

    def test_branches(self, capsys, tmp_path):
        found = answer(capsys, "branch", "hoop", "-o", tmp_path / "branches.csv")
        bottom, side = found["branches"]
        (pitchfork,) = bottom["special"]
        assert pitchfork["value"] == pytest.approx((9.81 / 0.8) ** 0.5, rel=1e-12)
        assert max(map(abs, side["columns"]["a"])) > 1
        assert (tmp_path / "branches.csv").read_text().startswith("panel,curve,x,y")
        (alone,) = answer(capsys, "branch", "hoop", "--vary", "Omega=3:4", "--single")["branches"]
        assert (min(alone["columns"]["Omega"]), max(alone["columns"]["Omega"])) == (3, 4)

    def test_special_points_over_two_values(self, capsys, tmp_path):
        model = tmp_path / "snap.yaml"
        model.write_text(
            "symbody: 1\ncoordinates: x\nparameters: {mu: -1.0, k: 1.0}\nbodies: {p: {at: 'ground.point(x, 0, 0)', mass: 1}}\n"
            "loads: {spring: {generalized_force: mu - x**3 + k*x - x_dot/2, coordinate: x}}\nstart: {x: -1.3}\n"
            "branch: {vary: {mu: [-1, 1], k: [-1, 1.5]}, show: x}\n"
        )
        found = answer(capsys, "branch", model)
        assert [p["kind"] for p in found["branches"][0]["special"]] == ["fold", "fold"]
        assert [p["kind"] for p in found["curves"][0]["special"]] == ["cusp"]
        page = answer(capsys, "report", model, "-o", tmp_path / "out", "-t", 0.1)
        assert page["missing"] == {}
        assert "the branch turns back" in (tmp_path / "out" / "index.html").read_text()
        assert (tmp_path / "out" / "data" / "special_points.csv").exists()

    @dear
    def test_orbits_from_a_hopf_point(self, capsys, tmp_path):
        """As the model asks."""
        found = answer(capsys, "orbit", "column", "--vary", "P=1.4:1.5", "-o", tmp_path / "orbits.csv")
        (family,) = found["families"]
        assert family["columns"]["P"][-1] == 1.5
        assert family["columns"]["period"][-1] == pytest.approx(11.6853964, abs=1e-7)
        assert (tmp_path / "orbits.csv").read_text().startswith("panel,curve,x,y")

    def test_orbits(self, capsys, tmp_path):
        """Driven, from a start that settles; families, files, a chapter of the report."""
        model = tmp_path / "shaken.yaml"
        model.write_text(
            "symbody: 1\ncoordinates: x\nparameters: {w: 2.0}\nbodies: {p: {at: 'ground.point(x, 0, 0)', mass: 1}}\n"
            "loads: {spring: {generalized_force: -x - 0.2*x_dot + cos(w*t), coordinate: x}}\n"
            "orbit: {period: 2*pi/w, settle: 60, vary: {w: [1.5, 2]}, show: [x, multipliers]}\n"
        )
        driven = answer(capsys, "orbit", model, "-o", tmp_path / "family.npz")
        assert driven["orbit"]["period"] == pytest.approx(np.pi)
        assert len(driven["orbit"]["multipliers"]) == 2
        again = sb.write.load_orbits(tmp_path / "family.npz", sb.derive(sb.read_model(model).mechanism))
        assert again["period"].tolist() == driven["families"][0]["columns"]["period"]
        page = answer(capsys, "report", model, "-o", tmp_path / "out", "-t", 0.1)
        assert page["missing"] == {}
        assert {"orbit.csv", "orbits.csv", "multipliers.csv"} <= {f.name for f in (tmp_path / "out" / "data").iterdir()}

    def test_responses(self, capsys):
        found = answer(
            capsys, "frf", "motorcycle", "--set", "V=20", "--input", "tau", "--output", "phi", "--hertz", "1:4:3"
        )
        assert found["responses"][0]["hertz"] == pytest.approx([1.0, 2.0, 4.0])
        assert len(found["responses"][0]["values"][0]) == 2

    def test_simulate(self, capsys, pendulum, tmp_path):
        found = answer(capsys, "simulate", pendulum, "-t", 1, "--points", 5)
        assert found["reached"]
        assert found["t"] == [0.0, 0.25, 0.5, 0.75, 1.0]
        table = tmp_path / "run.csv"
        code, _, _ = run(capsys, "simulate", pendulum, "--set", "q=0.1", "-o", table)
        assert code == 0
        assert table.read_text().splitlines()[0] == "t,q,q_dot"
        assert np.loadtxt(table, delimiter=",", skiprows=1)[0, 1] == 0.1

    def test_tables_have_outputs(self, capsys, pendulum, tmp_path):
        pendulum.write_text(PENDULUM + "\noutputs: {height: -cos(q), place: [sin(q), q_dot]}\n")
        table = tmp_path / "run.csv"
        code, _, err = run(capsys, "simulate", pendulum, "--set", "q=0.1", "-o", table)
        assert code == 0, err
        assert table.read_text().splitlines()[0] == "t,q,q_dot,height,place[0],place[1]"
        assert np.loadtxt(table, delimiter=",", skiprows=1)[0, 3:5] == pytest.approx([-np.cos(0.1), np.sin(0.1)])

    def test_a_simulation_that_fails_says_no(self, capsys, pendulum):
        code, out, _ = run(capsys, "simulate", pendulum, "--set", "l=0")
        assert code == 1
        assert "infinite or undefined" in out

    def test_certify(self, capsys, pendulum):
        assert answer(capsys, "certify", pendulum)["passed"]

    def test_export(self, capsys, pendulum, tmp_path):
        found = answer(
            capsys,
            "export",
            pendulum,
            "--to",
            "c",
            "-o",
            tmp_path / "c",
            "--functions",
            "rhs, events",
            "--event",
            "q",
            "--set",
            "l=2",
        )
        names = {Path(f).name for f in found["files"]}
        assert names >= {"pendulum.c", "pendulum.h", "pendulum_driver.c", "Makefile", "README.md"}
        text = (tmp_path / "c" / "pendulum.c").read_text()
        assert "p->l = 2.0;" in text
        assert "pendulum_events(" in text
        assert "pendulum_rhs_x(" not in text
        code, _, said = run(capsys, "export", pendulum, "--to", "c", "-o", tmp_path / "d", "--functions", "rsh")
        assert (code, (tmp_path / "d").exists()) == (3, False)
        assert "Did you mean 'rhs'" in said
        code, _, said = run(capsys, "export", pendulum, "--to", "page", "-o", tmp_path / "a.html", "--name", "b")
        assert (code, (tmp_path / "a.html").exists()) == (3, False)
        assert "page has no option name" in said

    def test_a_model_as_a_file_of_another_program(self, capsys, pendulum, tmp_path):
        file = tmp_path / "pendulum.xml"
        code, out, _ = run(capsys, "export", pendulum, "--to", "mjcf", "-o", file)
        assert (code, f"wrote {file}" in out, "<mujoco" in file.read_text()) == (0, True, True)
        code, _, said = run(capsys, "export", pendulum, "--to", "osim", "-o", tmp_path / "a.osim", "--name", "b")
        assert (code, (tmp_path / "a.osim").exists()) == (3, False)
        assert "do not apply: --name" in said

    def test_every_language_can_be_asked_for(self):
        assert commands.TARGETS == tuple(TARGETS)

    @pytest.mark.parametrize("style", ["text", "latex", "sympy", "c", "numpy"])
    def test_derive(self, capsys, pendulum, tmp_path, style):
        code, out, _ = run(capsys, "derive", pendulum, "--as", style, "-o", tmp_path / style)
        assert code == 0
        assert "wrote" in out
        assert list((tmp_path / style).iterdir())
        assert answer(capsys, "derive", pendulum, "--as", style)["operations"]["mass_matrix"]["total"] > 0

    def test_sympy_source_runs(self, capsys, pendulum):
        _, out, _ = run(capsys, "derive", pendulum, "--as", "sympy")
        space: dict = {}
        exec(out, space)
        assert str(space["mass_matrix"]()) == "([], [Matrix([[l**2]])])"
        assert str(space["written_out"]("rhs")) == "[Matrix([\n[      q_dot],\n[-g*sin(q)/l]])]"

    def test_new_is_a_model(self, capsys, tmp_path):
        path = tmp_path / "mine.yaml"
        assert run(capsys, "new", "mine", "-o", path)[0] == 0
        assert answer(capsys, "check", path)["degrees_of_freedom"] == 2
        assert answer(capsys, "simulate", path, "-t", 1)["reached"]
        assert run(capsys, "new", "mine", "-o", path)[0] == 3, "nothing is overwritten"

    def test_python_files_define_a_model(self, capsys, tmp_path):
        path = tmp_path / "mine.py"
        path.write_text(
            "import symbody as sb\n\ndef model():\n    m = sb.Model('mine')\n    m.revolute('q', m.ground, m.body('b', mass=1, com=(1, 0, 0)))\n"
            "    return m\n\nSTART = {'q_dot': 1.0}\n"
        )
        assert answer(capsys, "simulate", path, "-t", 1)["final"]["q"] == pytest.approx(1.0)


class TestMistakes:
    """What is wrong is said, with what exists; the exit code says whose turn it is."""

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["check", "motorcicle"], 3, "Did you mean 'motorcycle'"),
            (["check", "nowhere.yaml"], 3, "no such file"),
            (["check", "model.txt"], 3, "no such file"),
            (["eig", "motorcycle", "--set", "W=20"], 3, "no parameter"),
            (["eig", "motorcycle", "--set", "V"], 3, "NAME=VALUE"),
            (["eig", "motorcycle", "--set", "V=fast"], 3, "--set V must be one number, got 'fast'"),
            (["eig", "motorcycle", "--set", "V=nan"], 3, "not a finite number"),
            (["eig", "motorcycle", "--vary", "V=1"], 3, "FROM:TO"),
            (["eig", "motorcycle", "--vary", "V=1:1"], 3, "empty"),
            (["eig", "motorcycle", "--vary", "V=1:2:x"], 3, "whole number"),
            (["eig", "motorcycle", "--vary", "speed=1:2"], 3, "no parameter"),
            (["frf", "motorcycle", "--input", "tau"], 3, "both"),
            (["frf", "motorcycle", "--input", "torque", "--output", "phi"], 3, "tau"),
            (["frf", "slider_crank"], 3, "requests no response"),
            (["derive", "slider_crank", "--route", "cane"], 3, "Did you mean 'kane'"),
            (["simulate", "slider_crank", "--method", "dp9"], 3, "Did you mean 'dp"),
            (["simulate", "slider_crank", "--form", "minimal"], 3, "has constraints"),
            (["simulate", "slider_crank", "-o", "run.xyz"], 3, ".csv"),
            (["branch", "double_pendulum"], 3, "give --vary NAME=FROM:TO"),
            (["orbit", "double_pendulum"], 3, "give --period, --settle or --hopf"),
            (["orbit", "double_pendulum", "--hopf", "0"], 3, "no Hopf point 0"),
            (["orbit", "double_pendulum", "--vary", "m1=1:2"], 3, "give period, settle or hopf"),
            (["simulate", "slider_crank", "-o", "/nowhere/run.csv"], 4, "nowhere"),
        ],
    )
    def test_is_told(self, capsys, arguments, code, message):
        found, _, err = run(capsys, *arguments)
        assert message in err
        assert found == code
        found, out, _ = run(capsys, *arguments, "--json")
        assert message in json.loads(out)["error"]

    @pytest.mark.parametrize("given", [["x=5", "alpha=0.1", "beta=1"], ["x_dot=1", "alpha_dot=1", "beta_dot=2"]])
    def test_values_that_contradict_are_answered_with_what_the_command_has(self, capsys, given):
        code, _, err = run(capsys, "simulate", "slider_crank", *(part for x in given for part in ("--set", x)))
        assert code == 3
        assert "Give fewer with --set" in err
        assert "start={" not in err

    @pytest.mark.parametrize(
        "arguments", [[], ["fly"], ["simulate"], ["simulate", "a", "-t", "soon"], ["report", "motorcycle"]]
    )
    def test_commands_that_are_none(self, capsys, arguments):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert "usage" in capsys.readouterr().err

    @pytest.mark.parametrize(
        "command",
        [
            "examples",
            "new",
            "check",
            "derive",
            "simulate",
            "eig",
            "branch",
            "orbit",
            "frf",
            "certify",
            "report",
            "watch",
        ],
    )
    def test_help_has_an_example(self, capsys, command):
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        assert f"example: symbody {command}" in capsys.readouterr().out


class TestWatch:
    """`symbody watch FILE`: a report whenever the file is saved. Reports are a test double here; those that `report`
    writes are tested below."""

    FILE = PENDULUM.replace("name: pendulum", "name: swing")

    @pytest.fixture
    def written(self, monkeypatch, tmp_path):
        """Names of the models of which a report was asked for."""
        monkeypatch.chdir(tmp_path)
        found = []

        def write_report(study, folder, scripts):
            found.append(study.source.name)
            return SimpleNamespace(path=folder / "index.html", missing={})

        monkeypatch.setattr("symbody.command_line.commands.write.write_report", write_report)
        return found

    @staticmethod
    def edits(monkeypatch, *changes):
        """Make these changes one after another, each seen by two looks at the file; then press Ctrl-C."""
        waiting = [act for change in changes for act in (change, lambda: None, lambda: None)]

        def pause(_):
            if not waiting:
                raise KeyboardInterrupt
            waiting.pop(0)()

        monkeypatch.setattr("symbody.write.report.watched.time.sleep", pause)

    def test_every_saved_version_has_its_report(self, capsys, monkeypatch, tmp_path, written):
        path = tmp_path / "swing.yaml"
        path.write_text(self.FILE)
        self.edits(
            monkeypatch,
            lambda: None,  # nothing is saved, so nothing is made
            lambda: path.write_text(self.FILE.replace("swing", "swing faster")),
            path.unlink,  # some editors remove the file before they write it anew
            lambda: path.write_text(self.FILE.replace("swing", "slow")),
        )
        assert main(["watch", str(path)]) == 0
        assert written == ["swing", "swing faster", "slow"]
        assert capsys.readouterr().out.strip() == f"3 reports of {path}"

    def test_mistakes_are_said_and_go_on(self, capsys, monkeypatch, tmp_path, written):
        """In the terminal, and in pages that are open."""
        path = tmp_path / "swing.yaml"
        path.write_text(self.FILE)
        told = tmp_path / "swing_report" / "data" / "saved.js"
        seen = []
        self.edits(
            monkeypatch,
            lambda: path.write_text(self.FILE.replace("[ground, bob]", "[ground, bop]")),
            lambda: seen.append(told.read_text()),
            lambda: path.write_text(self.FILE + "# mended\n"),
        )
        assert main(["watch", str(path)]) == 0
        assert "Did you mean 'bob'" in capsys.readouterr().err
        assert "Did you mean 'bob'" in seen[0]
        assert told.read_text().endswith(', "");\n')
        assert written == ["swing", "swing"]

    def test_mistakes_in_a_python_file(self, capsys, monkeypatch, tmp_path, written):
        path = tmp_path / "own.py"
        path.write_text("import symbody as sb\nmodel = sb.Modl('own')\n")
        self.edits(monkeypatch, lambda: path.write_text("import symbody as sb\nmodel = sb.Model('own')\n"))
        assert main(["watch", str(path)]) == 0
        assert "AttributeError: module 'symbody' has no attribute 'Modl'" in capsys.readouterr().err
        assert written == ["own"]

    def test_takes_a_file(self, capsys):
        assert main(["watch", "slider_crank"]) == 3
        assert "symbody new" in capsys.readouterr().err

    def test_open_pages_load_what_is_told(self, tmp_path):
        """Texts of a file cannot end the script that they stand in."""
        watched.tell_pages(tmp_path, (1, 2), "</script><b>")
        assert (
            tmp_path / "data" / "saved.js"
        ).read_text() == 'window.symbodySaved("1-2", "\\u003c/script>\\u003cb>");\n'


class TestReport:
    def test_everything_is_on_one_page(self, capsys, tmp_path):
        found = answer(capsys, "report", "double_pendulum", "-o", tmp_path / "out", "-t", 1)
        assert found["missing"] == {}
        page = (tmp_path / "out" / "index.html").read_text()
        for part in ("motion", "stability", "equations", "parameters", "certificate", "reproduce"):
            assert f"<section id='{part}'" in page
        for outside in ("http://", "https://"):
            rest = page.replace("http://www.w3.org/", "")
            assert f'src="{outside}' not in rest
            assert f'href="{outside}' not in rest
        assert "symbody report double_pendulum" in page
        assert "Every check holds" in page
        names = {p.name for p in (tmp_path / "out" / "data").iterdir()}
        assert {"trajectory.npz", "motion.csv", "equations.c", "equations.py", "equations.tex", "scene.glb"} <= names

    def test_what_is_not_there_is_said(self, capsys, tmp_path):
        """A particle that falls for ever has no equilibrium."""
        path = tmp_path / "falling.yaml"
        path.write_text(
            "symbody: 1\nname: falling\ngravity: [0, 0, -9.81]\nbodies:\n  ball: {mass: 1}\njoints:\n  x: {prismatic: [ground, ball], axis: z}\n"
        )
        code, out, err = run(capsys, "report", path, "-o", tmp_path / "out", "-t", 1)
        assert code == 0
        assert "simulating" in err
        assert "not in it: stability" in out
        assert "Not available" in (tmp_path / "out" / "index.html").read_text()

    def test_a_report_loads_again(self, capsys, tmp_path):
        answer(capsys, "report", "double_pendulum", "-o", tmp_path / "out", "-t", 1)
        eq = sb.derive(sb.read_model(built_in()["double_pendulum"]).model)
        assert sb.write.load_trajectory(tmp_path / "out" / "data" / "trajectory.npz", eq).t[-1] == 1.0

    def test_a_robot_is_held_by_its_joints(self, capsys, tmp_path):
        path = tmp_path / "arm.urdf"
        inertial = "<inertial><origin xyz='0 0 0.5'/><mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>"
        visual = "<visual><origin xyz='0 0 0.5'/><geometry><box size='0.1 0.1 1'/></geometry></visual>"
        links = "".join(f"<link name='{n}'>{inertial}{visual}</link>" for n in ("upper", "lower"))
        joints = "".join(
            f"<joint name='{n}' type='revolute'><parent link='{a}'/><child link='{b}'/><origin xyz='0 0 {z}'/><axis xyz='0 1 0'/>"
            "<limit lower='-0.5' upper='1.5' effort='1' velocity='1'/></joint>"
            for n, a, b, z in (("shoulder", "base", "upper", 0), ("elbow", "upper", "lower", 1))
        )
        path.write_text(f"<robot name='arm'><link name='base'/>{links}{joints}</robot>")
        found = answer(capsys, "simulate", path)
        assert found["reached"]
        assert found["columns"]["shoulder"][0] == 0.5, "the middle of its range"
        assert max(map(abs, found["columns"]["elbow"])) < 2.0, "it settles instead of falling through itself"
        assert answer(capsys, "report", path, "-o", tmp_path / "out")["missing"] == {}
