"""What a file or `--set` says of the start is held; where that cannot be, it is said what moved."""

import json

import pytest

import symbody as sb
from symbody.command_line.cli import main
from symbody.study import Study, find_model

FOUR_BAR = """
symbody: 1
name: four-bar
bodies:
  a: {mass: 1, shape: {bar: 1, axis: x, at: [0.5, 0, 0]}}
  b: {mass: 2, shape: {bar: 2, axis: x, at: [1, 0, 0]}}
  c: {mass: 1, shape: {bar: 1.5, axis: x, at: [0.75, 0, 0]}}
joints:
  A: {revolute: [ground, a]}
  B: {revolute: [a, b], at: [1, 0, 0]}
  C: {revolute: [b, c], at: [2, 0, 0]}
  D: {revolute: [c, ground], at: [1.5, 0, 0], on: [2, 0, 0]}
gravity: [0, -9.81, 0]
outputs: {height: sin(A), place: [cos(A), sin(A)]}
"""


@pytest.fixture
def study(tmp_path):
    def of(start: str, simulate: str = "{t: 0.1}", **changed: float) -> Study:
        path = tmp_path / "four_bar.yaml"
        path.write_text(f"{FOUR_BAR}start: {start}\nsimulate: {simulate}\n", encoding="utf-8")
        return Study(find_model(str(path)), changed)

    return of


def test_what_a_file_names_is_held(study):
    """The rest is assembled around it, as `assemble` does in Python."""
    found = study("{A: 1.0, A_dot: 2.0}")
    assert (found.start["A"], found.start["A_dot"]) == (1.0, 2.0)
    assert found.start.violation.is_small
    assert found.placed_start.moved == ()
    assert found.start["B"] == pytest.approx(sb.assemble(found.equations, A=1.0, A_dot=2.0)["B"])


def test_what_is_set_is_held_before_what_the_file_names(study):
    found = study("{A: 1.0, A_dot: 2.0}", B=1.0)
    assert (found.start["B"], found.start["A_dot"]) == (1.0, 2.0)  # the one that contradicts moves, the other does not
    (moved,) = found.placed_start.moved
    assert (moved.name, moved.given, moved.found) == ("A", 1.0, found.start["A"])


def test_values_that_contradict_are_moved_and_named(study):
    found = study("{A: 1, B: 1}")
    assert [m.name for m in found.placed_start.moved] == ["A", "B"]
    assert found.start.violation.is_small
    assert "A from 1 to 0.71" in str(found.placed_start)


def test_a_file_may_say_that_its_start_is_rough(study):
    """assemble: true, with what stays under `fix`."""
    rough = study("{A: 1, B: -1.5}", "{t: 0.1, assemble: true}")
    assert {m.name for m in rough.placed_start.moved} == {"A", "B"}
    held = study("{A: 1, B: -1.5}", "{t: 0.1, assemble: true, fix: A}")
    assert held.start["A"] == 1
    assert [m.name for m in held.placed_start.moved] == ["B"]


def test_set_values_that_contradict_are_refused(study):
    with pytest.raises(sb.errors.AssemblyError, match="cannot hold together"):
        study("{}", B=1.0, C=1.0).start


def test_outputs_are_given_like_coordinates(study):
    assert study("{height: 0.5}").start["height"] == pytest.approx(0.5)
    assert study("{height: 0.5}", height=0.7).start["height"] == pytest.approx(0.7)


def test_entries_of_outputs_are_given_one_by_one(study):
    found = study('{"place[1]": 0.5}')
    assert found.start["height"] == found.start["place[1]"] == pytest.approx(0.5)
    assert study("{}", **{"place[0]": 0.6}).start["place"][0] == pytest.approx(0.6)
    with pytest.raises(
        sb.errors.ModelFileError, match=r"'place' has 2 entries; give them one by one: place\[0\], place\[1\]"
    ):
        study("{place: 0.5}")


def test_inputs_in_constraints_follow_their_laws(tmp_path):
    """A driven slider: the start is on the constraint as the simulation has it."""
    text = (
        "symbody: 1\ninputs: w\nbodies: {b: {mass: 1}}\njoints: {x: {prismatic: [ground, b], axis: x}}\n"
        "constraints: {drive: {prescribe: x, motion: w}}\nsimulate: {t: 1, inputs: {w: 0.3 + 2*t}}\n"
    )
    (tmp_path / "driven.yaml").write_text(text, encoding="utf-8")
    found = Study(find_model(str(tmp_path / "driven.yaml")))
    assert (found.start["x"], found.start["x_dot"]) == (pytest.approx(0.3), pytest.approx(2.0))
    assert found.trajectory.final["x"] == pytest.approx(2.3)


def test_the_command_says_what_moved(study, capsys):
    path = study("{A: 1, B: 1}").source.argument
    assert main(["simulate", path]) == 0
    assert "moved to the nearest state on them: A from 1 to 0.7" in capsys.readouterr().out
    assert main(["eig", path]) == 0
    assert "moved to the nearest state on them: A from 1 to 0.7" in capsys.readouterr().out
    assert main(["simulate", path, "--set", "A=1", "--set", "B=-1.4", "--json"]) == 3
    assert "cannot hold together" in json.loads(capsys.readouterr().out)["error"]
    assert main(["simulate", path, "--set", "A=1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["start"]["A"] == 1
    assert list(found["moved"]) == ["B"]


def first_state(sim):
    return [float(sim[n][0]) for n in ("A", "B", "C", "A_dot", "B_dot", "C_dot")]


def test_python_files_and_commands_start_alike(study, capsys):
    """A four-bar that is started by one angle: the same first state, to the last digit, and the same words."""
    asked = study("{A: 1.0}")
    eq, times = asked.equations, [0.0, 0.05, 0.1]
    expected = first_state(asked.trajectory)
    words = "the start was completed from the constraints: B from 0 to -0.7011071, C from 0 to -2.17552"
    assert expected[0] == 1.0
    assert asked.trajectory.outcome.notes == (words,)
    by_keyword, by_start = sb.simulate(eq, 0.1, A=1.0), sb.simulate(eq, 0.1, {"A": 1.0})
    alone = sb.simulate_modes(sb.Contacts(eq, sb.Contact("far", 5.0 - eq.q[0])), 0.1, A=1.0)
    batch = sb.simulate_batch(eq, times, A=[0.9, 1.0])
    for sim in (by_keyword, by_start, alone, batch[1], study("{}", A=1.0).trajectory):
        assert first_state(sim) == expected
        assert words in sim.outcome.notes
    assert sb.stepper(eq, 0.01, A=1.0).start.tolist() == expected
    assert main(["simulate", study("{A: 1.0}").source.argument, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [said["start"][n] for n in ("A", "B", "C", "A_dot", "B_dot", "C_dot")] == expected
    assert words in said["outcome"]


def test_python_moves_a_start_that_contradicts_and_refuses_values_that_do(study):
    """As files and `--set` do."""
    asked = study("{A: 1, B: 1}")
    moved = sb.simulate(asked.equations, 0.1, {"A": 1, "B": 1})
    assert first_state(moved) == first_state(asked.trajectory)
    assert moved.outcome.notes == asked.trajectory.outcome.notes
    assert "A from 1 to 0.71" in moved.outcome.notes[0]
    held = sb.simulate(asked.equations, 0.1, {"A": 1, "B": 1}, A=1)
    assert held["A"][0] == 1
    assert held.outcome.notes[0].endswith("on them: B from 1 to -0.7011071")
    for refused in (
        lambda: sb.simulate(asked.equations, 0.1, A=1.0, B=1.0),
        lambda: sb.stepper(asked.equations, 0.1, A=1.0, B=1.0),
        lambda: sb.simulate_modes(sb.Contacts(asked.equations, sb.Contact("far", 5.0 - asked.equations.q[0])), 0.1, A=1.0, B=1.0),
    ):  # fmt: skip
        with pytest.raises(sb.errors.AssemblyError, match="A = 1, B = 1 cannot hold together"):
            refused()
    (member,) = sb.simulate_batch(asked.equations, 0.1, A=[1.0], B=1.0).outcomes
    assert "A = 1, B = 1 cannot hold together" in member.detail


def test_python_takes_outputs_as_the_command_does(study):
    eq = study("{}").equations
    assert sb.simulate(eq, 0.1, height=0.5)["height"][0] == pytest.approx(0.5)
    assert first_state(sb.simulate(eq, 0.1, height=0.5)) == first_state(study("{}", height=0.5).trajectory)


def test_a_start_on_the_constraints_stays_to_the_last_digit(study):
    eq = study("{}").equations
    state = sb.assemble(eq, A=1.0)
    sim = sb.simulate(eq, 0.1, state)
    assert first_state(sim) == [state[n] for n in ("A", "B", "C", "A_dot", "B_dot", "C_dot")]
    assert sim.outcome.notes == ()


def test_the_built_in_models_start_as_they_say():
    for name in sb.study.built_in():
        found = Study(find_model(name))
        assert found.placed_start.moved == (), name
        assert all(found.start[k] == pytest.approx(v) for k, v in found.given.items()), name
