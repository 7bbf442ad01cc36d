"""Models as S-functions of Simulink, compiled with our stand-in for its header and driven as Simulink would. Simulink
itself is not here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import symbody as sb

from .fmus import ball
from .hostile_model import hostile
from .models import SAMPLES, crank, pendulums
from .test_export_c import SANITIZED, assert_good, checked


def test_everything(tmp_path: Path) -> None:
    """Constraints, inputs with rates, samples, external functions, outputs, zero crossings, projection, a motion."""
    eq, laws = crank(), {"motor": SAMPLES}
    start = sb.assemble(eq, a=0.4, a_dot=1.0, inputs=laws)
    said = assert_good(
        sb.write.simulink(eq, tmp_path, start=start, inputs=laws, events={"end": "s"}, reference=0.1), SANITIZED
    )
    for name in "sizes start derivatives outputs zero_crossings projection motion".split():
        assert re.search(rf"^{name} +good", said, re.MULTILINE), name


def test_a_block_without_states(tmp_path: Path) -> None:
    """A function of the inputs alone (Lennartsson 6.7.2): one output port, to which the input feeds through."""
    m = sb.Model("gain")
    u, k = m.input("u"), m.parameter("k", 2.0)
    m.output("square", k * u * u)
    folder = sb.write.simulink(sb.derive(m), tmp_path, reference=None)
    assert re.search(r"^outputs +good", assert_good(folder), re.MULTILINE)
    text = (folder / "gain_sfun.c").read_text()
    assert "ssSetNumOutputPorts(S, 1)" in text
    assert "ssSetInputPortDirectFeedThrough(S, 0, 1)" in text
    assert "mdlDerivatives" not in text


def test_hostile_names(tmp_path: Path) -> None:
    assert "motion" in assert_good(sb.write.simulink(hostile(), tmp_path, start={"h": 0.1}, reference=0.02))


@pytest.mark.parametrize(
    ("old", "new", "name"), [("ssGetdX(S)", "ssGetContStates(S)", "derivatives"), ("_NX);", "_NX + 1);", "sizes")]
)
def test_wrong_code_is_found(old: str, new: str, name: str, tmp_path: Path) -> None:
    folder = sb.write.simulink(pendulums(), tmp_path, start={"q1": 0.5}, reference=None)
    path = folder / "pendulums_sfun.c"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    done = checked(folder)
    assert done.returncode != 0
    assert re.search(rf"^{name} +WRONG", done.stdout, re.MULTILINE)


def test_resets_are_refused(tmp_path: Path) -> None:
    eq, events, start = ball()
    with pytest.raises(sb.errors.ProgramError, match="no guards and resets of events; export an FMU"):
        sb.write.simulink(eq, tmp_path, start=start, events={e.name: e for e in events})
    assert not list(tmp_path.iterdir())
