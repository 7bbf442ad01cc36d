"""A format of robots is a reader on public names: a stranger adds a table of joints, and it keeps the laws and the rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import symbody as sb
from tests import arms
from tests.laws.test_files import assert_moves_alike
from tests.test_architecture import RULES, plant

from .steps import imported, lines_of_code, lines_promised

READER = '''
"""Robots from tables of joints, a row a part: `read_joints`."""

from __future__ import annotations

from dataclasses import dataclass

import symbody as sb

COLUMNS = "name parent kind x y z roll pitch yaw ax ay az mass cx cy cz ixx iyy izz ixy ixz iyz".split()
KINDS = ("revolute", "prismatic", "fixed")


@dataclass(frozen=True)
class TableRow:
    """A part as the file has it."""

    line: int
    name: str
    parent: str
    kind: str
    numbers: tuple[float, ...]


def table_rows(text: str) -> list[TableRow]:
    """The file, checked: every row has all columns, a kind that is known and numbers where numbers are meant."""
    found = []
    for line, words in enumerate(map(str.split, text.splitlines()), start=1):
        if not words or words[0].startswith("#"):
            continue
        if len(words) != len(COLUMNS):
            raise sb.ModelError(f"line {line}: {len(words)} columns, but a part has {len(COLUMNS)}: {' '.join(COLUMNS)}")
        name, parent, kind, *numbers = words
        if kind not in KINDS:
            raise sb.ModelError(f"line {line}: {name} is {kind!r}, but a part is one of {', '.join(KINDS)}")
        try:
            found.append(TableRow(line, name, parent, kind, tuple(map(float, numbers))))
        except ValueError as wrong:
            raise sb.ModelError(f"line {line}: {name}: {wrong}") from None
    return found


def read_joints(text: str, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> sb.Model:
    """A model of the robot in a table of joints; rows come after those of their parents."""
    m = sb.Model("robot")
    frames = {"ground": m.ground}
    for row in table_rows(text):
        if row.parent not in frames:
            raise sb.ModelError(f"line {row.line}: {row.name} hangs on {row.parent!r}; above it are {', '.join(frames)}")
        x, y, z, roll, pitch, yaw, ax, ay, az, mass, cx, cy, cz, *tensor = row.numbers
        frame = frames[row.parent].translate(x, y, z).rotate("zyx", yaw, pitch, roll)
        if row.kind == "revolute":
            frame = frame.rotate((ax, ay, az), m.coordinate(row.name))
        elif row.kind == "prismatic":
            q = m.coordinate(row.name)
            frame = frame.translate(ax * q, ay * q, az * q)
        frames[row.name] = frame
        m.body(f"{row.name}_link", frame, mass=mass, com=(cx, cy, cz), inertia=sb.inertia(*tensor))
    m.gravity(*gravity)
    return m
'''


def written(arm: arms.Arm) -> str:
    """Step 5: the writer that the law needs."""
    rows = []
    for k, p in enumerate(arm):
        parent = f"j{p.parent}" if p.parent >= 0 else "ground"
        numbers = (*p.position, *p.rpy, *p.axis, p.mass, *p.com, *p.tensor)
        rows.append(f"j{k} {parent} {p.kind} {arms.words(numbers)}")
    return "\n".join(["# an arm", *rows])


@pytest.fixture
def reader(tmp_path: Path) -> ModuleType:
    return imported(tmp_path / "read_joints.py", READER)


def test_it_takes_as_many_lines_as_the_page_says() -> None:
    assert lines_of_code(READER) == lines_promised("A format")


@pytest.mark.parametrize("seed", range(3))
def test_what_is_read_moves_as_the_model_built_by_hand(reader: ModuleType, seed: int) -> None:
    arm = arms.random_arm(seed)
    assert_moves_alike(reader.read_joints(written(arm), arms.GRAVITY), arms.by_hand(arm), seed)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_it_keeps_the_rules_of_the_house(rule: Callable[[Path], list[str]], tmp_path: Path) -> None:
    """Where the page says to put it; a reach for a name that is not public is found."""
    place = "formats/urdf/read_joints.py"
    hidden = READER.replace("sb.Model(", "sb.bodies.model.model.Model(")
    plant(tmp_path / "right", {place: READER})
    plant(tmp_path / "wrong", {place: hidden})
    assert rule(tmp_path / "right") == []
    assert bool(rule(tmp_path / "wrong")) == (rule.__name__ == "beside_on_public_names")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("revolute", "hinge"), "line 2: j0 is 'hinge', but a part is one of revolute, prismatic, fixed"),
        (("ground", "j7"), "line 2: j0 hangs on 'j7'; above it are ground"),
        (("revolute ", "revolute one "), "line 2: 23 columns, but a part has 22"),
        (("revolute 0.", "revolute zero"), "line 2: j0: could not convert string to float"),
    ],
)
def test_errors_name_the_line(reader: ModuleType, change: tuple[str, str], message: str) -> None:
    text = written(arms.random_arm(0))
    assert change[0] in text.splitlines()[1] or change[0] == "revolute 0."
    broken = text.replace("revolute -0.", "revolute 0.", 1).replace(*change, 1)
    with pytest.raises(sb.ModelError) as refused:
        reader.read_joints(broken)
    assert message in str(refused.value)
