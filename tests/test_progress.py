"""Lines on the terminal that tell the stage of a long computation."""

import io
import multiprocessing
import time

import pytest

import symbody as sb
from symbody import progress
from symbody.derivation.entry import derive as derivation
from symbody.derivation.entry.checks import check
from symbody.derivation.equations.variable_table import variable_table
from symbody.progress import begin_stage, with_progress, working


def pendulum():
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    return m


@pytest.fixture(autouse=True)
def _without_patience(monkeypatch):
    monkeypatch.setattr(progress, "BREATH", 0.02)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)


def lines(text):
    return [x.strip() for x in text.getvalue().split("\r") if x.strip()]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_stages_are_shown_while_they_take_and_the_line_is_taken_back():
    text = Terminal()
    with working("derive chain", to=text):
        begin_stage("checks")
        time.sleep(0.3)
        with working("compile chain", to=text):  # goes on in the same line
            for _ in with_progress(range(4), "accelerations"):
                time.sleep(0.1)
    shown = lines(text)
    assert shown[0].startswith("derive chain: checks, 0 s")
    assert any("derive chain: accelerations [#" in x and "75 %" in x for x in shown)
    assert not any(x.startswith("compile") for x in shown)
    assert text.getvalue().endswith("\r")


def test_nothing_is_shown_where_nobody_looks_nor_where_it_is_not_wanted():
    quiet, refused = io.StringIO(), Terminal()
    for text, wanted in ((quiet, None), (refused, False)):
        with working("derive", wanted, text):
            begin_stage("checks")
            time.sleep(0.1)
        assert text.getvalue() == ""
    begin_stage("outside")
    assert list(with_progress([1, 2], "outside")) == [1, 2]


def test_the_line_is_taken_back_after_an_error():
    text = Terminal()

    def broken():
        with working("derive", to=text):
            begin_stage("checks")
            time.sleep(0.2)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        broken()
    assert text.getvalue().endswith("\r")
    with working("next", to=text):
        begin_stage("again")
        time.sleep(0.2)
    assert lines(text)[-1].startswith("next: again")


def test_derive_compile_and_simulate_name_their_stages(monkeypatch):
    stages = []
    monkeypatch.setattr(derivation, "begin_stage", stages.append)
    monkeypatch.setattr("symbody.emit.lowering.lower.begin_stage", stages.append)
    eq = sb.derive(pendulum())
    assert stages == ["description", "equations of 1 body", "checks", "rank of the constraints"]
    _ = sb.compile(eq).udot
    assert stages[4:] == ["operations of udot"]


def test_lines_include_the_description_and_the_preparation(monkeypatch):
    """Freezing a model and listing the variables of equations take seconds for large mechanisms."""
    text = Terminal()
    monkeypatch.setattr("sys.stderr", text)

    def slowly(made):
        return lambda *given: time.sleep(0.3) or made(*given)

    monkeypatch.setattr(sb.Model, "freeze", slowly(sb.Model.freeze))
    eq = sb.derive(pendulum())
    assert any(x.startswith("derive pendulum: description") for x in lines(text))
    monkeypatch.setattr("symbody.derivation.equations.equations.variable_table", slowly(variable_table))
    vars(eq).pop("variables", None)
    sb.compile(eq)
    assert any(x.startswith("compile pendulum: preparation") for x in lines(text))


def test_the_lines_are_those_of_the_computation(monkeypatch):
    """A slow check is seen on the terminal, under the name of the model."""
    text = Terminal()
    monkeypatch.setattr("sys.stderr", text)
    checked = check

    def slowly(*given):
        time.sleep(0.3)
        return checked(*given)

    monkeypatch.setattr(derivation, "refuse_faults", slowly)
    sb.derive(pendulum())
    assert any(x.startswith("derive pendulum: checks") for x in lines(text))


def test_workers_show_nothing():
    """Those of `multiprocessing`, which is not loaded for this question where there are none."""
    with multiprocessing.get_context("spawn").Pool(1) as workers:
        assert not workers.apply(progress._may_show)
    assert progress._may_show()
