"""Files of motions: written and read again, as other programs write them, and refused with line and value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symbody as sb

STO = "gait\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\nendheader\ntime\tknee\t/jointset/hip/hip/value\n0.0\t1.5\t-2\n0.01\t2.5\t-3e-1\n"
TRC = (
    "PathFileType\t4\t(X/Y/Z)\tw.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t2\t2\tmm\n"
    "Frame#\tTime\tHEEL\t\t\tTOE\t\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n1\t0.0\t100\t20\t3\t\t\t\n2\t0.01\t101\t20\t3\t300\t10\t-4\t\n"
)


def test_table_of_opensim() -> None:
    table = sb.formats.read_motion(STO)
    assert (table.name, table.in_degrees, table.names) == ("gait", True, ("knee", "/jointset/hip/hip/value"))
    assert table.times.tolist() == [0.0, 0.01]
    assert table["/jointset/hip/hip/value"].tolist() == [-2.0, -0.3]


def test_markers_in_millimetres() -> None:
    table = sb.formats.read_motion(TRC)
    assert list(table.markers) == ["HEEL", "TOE"]
    assert table.vector("HEEL") == pytest.approx(np.array([[0.1, 0.02, 0.003], [0.101, 0.02, 0.003]]), abs=1e-16)
    assert np.isnan(table.vector("TOE")[0]).all()
    assert table.vector("TOE")[1] == pytest.approx([0.3, 0.01, -0.004], abs=1e-16)


@pytest.mark.parametrize("suffix", [".mot", ".sto", ".trc"])
def test_written_and_read_again(tmp_path: Path, suffix: str) -> None:
    rng = np.random.default_rng(0)
    names = [f"{m}_{k}" for m in ("R.HEEL", "C7") for k in "xyz"]
    table = sb.formats.MotionTable("walk", np.arange(5) / 60, names, rng.normal(size=(5, 6)), suffix != ".trc")
    again = sb.formats.read_motion(sb.formats.write_motion(table, tmp_path / f"walk{suffix}"))
    assert (again.name, again.names, again.in_degrees) == (table.name, table.names, table.in_degrees)
    assert np.array_equal(again.times, table.times)
    assert np.array_equal(again.values, table.values)


def test_c3d(tmp_path: Path) -> None:
    c3d = pytest.importorskip("c3d")
    writer = c3d.Writer(point_rate=50.0)
    places = np.random.default_rng(1).normal(scale=500.0, size=(4, 2, 3))
    for frame in places:
        points = np.zeros((2, 5), dtype=np.float32)
        points[:, :3] = frame
        writer.add_frames([(points, np.zeros((0, 0), dtype=np.float32))])
    writer.set_point_labels(["HEEL", "TOE"])
    with (tmp_path / "walk.c3d").open("wb") as file:
        writer.write(file)
    table = sb.formats.read_motion(tmp_path / "walk.c3d")
    assert table.times == pytest.approx(np.arange(4) / 50)
    assert table.vector("TOE") == pytest.approx(places[:, 1] / 1000, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (STO.replace("endheader", "end"), "no line 'endheader'"),
        (STO.replace("2.5", "2.5x"), "line 9 has '2.5x' where a number is expected"),
        (STO.replace("nRows=2", "nRows=3"), "header says nrows=3, the table has 2"),
        (STO.replace("0.01\t", "0.0\t"), "times must increase; time 0.0 of row 2"),
        (STO.replace("2.5\t", ""), "line 9 has 2 numbers, the names are 3"),
        (STO.replace("time\t", "t\t"), "begins with 'time'"),
        (TRC.replace("mm", "feet"), "lengths are in 'feet'"),
        (TRC.replace("\t2\tmm", "\t3\tmm"), "NumMarkers is 3, line 4 has 2 names"),
        ("PathFileType\n", "five lines of header"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(sb.ModelError, match=words):
        sb.formats.read_motion(text)


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    table = sb.formats.read_motion(STO)
    with pytest.raises(sb.ModelError, match="no column 'nee'"):
        table["nee"]
    with pytest.raises(sb.ModelError, match="no vector 'HEEL'"):
        table.vector("HEEL")
    with pytest.raises(sb.ModelError, match=r"holds times from 0 to 0.01 s, asked for 0.2 to 0.2 s"):
        table.at([0.2])
    with pytest.raises(sb.ModelError, match="only, got knee"):
        sb.formats.write_motion(table, tmp_path / "a.trc")
    with pytest.raises(sb.ModelError, match=r"writes .mot, .sto, .trc, got 'a.csv'"):
        sb.formats.write_motion(table, tmp_path / "a.csv")
