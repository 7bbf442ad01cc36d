"""The whole analysis in one call and on the command line: the same numbers as its steps one after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.command_line.cli import main
from symbody.kits import biomechanics as bio

from .planar_leg import leg_text, marker_table, swing

T = np.linspace(0, 0.6, 25)
PLATE = "foot=v,p,m"


@pytest.fixture(scope="module")
def subject() -> bio.Subject:
    return bio.Subject(sb.read_osim(leg_text()))


@pytest.fixture(scope="module")
def coordinates(subject: bio.Subject) -> sb.formats.MotionTable:
    return sb.formats.MotionTable("walk", T, subject.names, swing(subject.names, T))


@pytest.fixture(scope="module")
def plate() -> sb.formats.MotionTable:
    values = np.column_stack([30 * np.sin(9 * T), 250 + 0 * T, 0 * T, 1.2 * T, 0 * T, 0 * T, 0 * T, 3 * T, 0 * T])
    return sb.formats.MotionTable("plate", T, ["vx", "vy", "vz", "px", "py", "pz", "mx", "my", "mz"], values)


def test_steps_one_after_the_other(subject: bio.Subject, coordinates: Any, plate: Any) -> None:
    loads = [bio.ExternalForce("foot", plate, "v", "p", "m")]
    found = subject.analysis(
        marker_table(subject.model, coordinates), loads, cutoff=None, reserves=20, times=(0.1, 0.5)
    )
    assert found.is_good
    assert found.kinematics is not None
    assert found.muscles is not None
    motion = subject.motion(found.kinematics.table)
    muscles = subject.static_optimisation(motion, loads, reserves=20)
    assert (found.coordinates.times[0], found.coordinates.times[-1]) == pytest.approx((0.1, 0.5))
    for got, want in (
        (found.moments, subject.inverse_dynamics(motion, loads)),
        (found.muscles.activations, muscles.activations),
        (found.joint_loads, subject.joint_loads(motion, None, loads, muscles)),
    ):
        assert np.array_equal(got.values, want.values)
    assert "most active: tibialis" in str(found)


def test_files_on_the_command_line(
    subject: bio.Subject, coordinates: Any, plate: Any, tmp_path: Path, capsys: Any
) -> None:
    files = [tmp_path / name for name in ("leg.osim", "walk.mot", "plate.sto")]
    files[0].write_text(leg_text())
    sb.formats.write_motion(coordinates, files[1])
    sb.formats.write_motion(plate, files[2])
    given = [str(files[0]), str(files[1]), "-o", str(tmp_path / "out"), "--json"]
    more = ["--forces", str(files[2]), "--plate", PLATE, "--reserves", "20", "--cutoff", "8"]
    assert main(["gait", *given, *more]) == 0
    names = [Path(f).name for f in json.loads(capsys.readouterr().out)["files"]]
    assert names == [
        "coordinates.mot",
        "moments.sto",
        "activations.sto",
        "muscle_forces.sto",
        "reserves.sto",
        "joint_loads.sto",
    ]
    found = subject.analysis(coordinates, [bio.ExternalForce("foot", plate, "v", "p", "m")], cutoff=8, reserves=20)
    read = sb.formats.read_motion(tmp_path / "out" / "moments.sto")
    assert np.array_equal(read.values, found.moments.values)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--plate", PLATE], "--forces FILE and --plate"),
        (["--forces", "plate.sto"], "--forces FILE and --plate"),
        (["--forces", "plate.sto", "--plate", "foot"], "write BODY=FORCE,POINT"),
        (["--forces", "plate.sto", "--plate", "feet=v,p"], "no body 'feet'"),
        (["--times", "7:8"], "no row between 7 and 8 s"),
        (["--times", "7"], "--times: write FROM:TO"),
    ],
)
def test_wrong_arguments(
    coordinates: Any, plate: Any, tmp_path: Path, capsys: Any, more: list[str], words: str
) -> None:
    (tmp_path / "leg.osim").write_text(leg_text())
    sb.formats.write_motion(coordinates, tmp_path / "walk.mot")
    sb.formats.write_motion(plate, tmp_path / "plate.sto")
    more = [str(tmp_path / m) if m == "plate.sto" else m for m in more]
    assert (
        main(["gait", str(tmp_path / "leg.osim"), str(tmp_path / "walk.mot"), "-o", str(tmp_path / "out"), *more]) == 3
    )
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_weights_are_for_markers(subject: bio.Subject, coordinates: Any) -> None:
    with pytest.raises(sb.ModelError, match="weights= is for markers"):
        subject.analysis(coordinates, weights={"KNEE": 2})
