"""Models from OpenSim's files beside OpenSim 4.6: a file of ours with every element, and public ones where
SYMBODY_OPENSIM_MODELS names the folder Models of opensim-org/opensim-models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.formats.osim.osim_functions import spline
from symbody.kits import biomechanics as bio
from symbody.study.sources import find_model

from .all_elements import POSES, TEXT
from .public_models import ARM26, GAIT, SPLINE

FOLDER = os.environ.get("SYMBODY_OPENSIM_MODELS")
public = pytest.mark.skipif(not FOLDER, reason="SYMBODY_OPENSIM_MODELS does not name the folder of public models")


@pytest.fixture(scope="module")
def zoo() -> sb.formats.OsimModel:
    return sb.read_osim(TEXT)


def at(m: sb.formats.OsimModel, pose: Any) -> dict[Any, float]:
    known = {n: c.value for n, c in m.coordinates_of_file.items()}
    speeds = dict.fromkeys((s.dot for s in m.symbols_of_kind("coordinate")), 0.0)
    return {known[n]: x for n, x in pose["q"].items()} | speeds | {known[n].dot: x for n, x in pose["u"].items()}  # type: ignore[attr-defined]


def compared(m: sb.formats.OsimModel, pose: Any, loose: tuple[str, ...] = ()) -> None:
    """Mass centres, kinetic energy, lengths, rates and moment arms. OpenSim's search for tangent points on a cylinder ends
    a little before the shortest path: those are `loose`."""
    values = at(m, pose)
    for name, place in pose["com"].items():
        found = np.ravel(np.array(sb.evaluate(m.bodies[name].mass_centre.in_ground, values), dtype=float))
        assert found == pytest.approx(place, abs=1e-13)
    assert float(sb.evaluate(sb.kinetic_energy(sb.derive(m)), values)) == pytest.approx(pose["energy"], rel=1e-13)
    for name, length in pose["length"].items():
        path = m.paths[name]
        ours = float(sb.evaluate(path.length, values))
        assert -1e-12 < length - ours < (1e-4 if name in loose else 1e-12)
        close = 5e-4 if name in loose else 1e-12
        assert float(sb.evaluate(path.rate, values)) == pytest.approx(pose["rate"][name], abs=close)
        for q, arm in pose["arm"][name].items():
            slope = sb.derivative(path.length, m.symbols[q])
            assert -float(sb.evaluate(slope, values)) == pytest.approx(arm, abs=close)


@pytest.mark.parametrize("k", range(len(POSES)))
def test_every_element(zoo: sb.formats.OsimModel, k: int) -> None:
    compared(zoo, POSES[k], loose=("wrapped",))


def test_what_the_file_says(zoo: sb.formats.OsimModel) -> None:
    said = zoo.coordinates_of_file
    assert (said["hip"].default, said["hip"].default_speed, said["hip"].range) == (0.2, 0.5, (-1, 1))
    assert [n for n, c in said.items() if c.clamped or c.locked] == ["hip", "toe"]
    assert sb.evaluate(said["toe"].value) == 0.12
    assert sb.free_symbols(said["patella"].value) == [zoo.symbols["knee"]]
    assert zoo.keyframes["default"]["hip"] == 0.2
    assert "toe" not in zoo.keyframes["default"]
    assert str(zoo.report).splitlines() == [
        "coordinate 'toe' is locked: it is held at 0.12",
        "4 muscles of kind Thelen2003Muscle: numbers are read, the curves of this kind are not",
        "not read: 1 CoordinateActuator (force)",
    ]
    assert "toe" in sb.read_osim(TEXT, unlock="to*").symbols
    held = sb.read_osim(TEXT, hold={"hip": 0.5}, gravity=None)
    assert "hip" not in held.symbols
    assert not held.parts.loads


def test_spline() -> None:
    """SimmSpline, inside and beyond its ends."""
    x = sb.symbol("x")
    points, heights = SPLINE["points"]
    law = spline(points, heights, "knee")(x)
    slope = sb.derivative(law, x)
    for place, value, rate in SPLINE["values"]:
        assert float(sb.evaluate(law, {x: place})) == pytest.approx(value, rel=1e-14, abs=1e-16)
        assert float(sb.evaluate(slope, {x: place})) == pytest.approx(rate, rel=1e-12)


def test_several_points_that_switch() -> None:
    """Forces at all of them together do the work of the length."""
    m = sb.read_osim(TEXT)
    m.tension("pull", m.paths["gated"], m.input("T"))
    eq = sb.derive(m)
    assert sb.certify(eq, values={"T": 2.0}).passed
    for pose in POSES:
        values = at(m, pose) | {"T": 1.0}
        pull = sb.evaluate(sb.derivation.generalized_force(eq, "pull"), values)
        slopes = [-float(sb.evaluate(sb.derivative(m.paths["gated"].length, q), values)) for q in eq.q]
        assert np.ravel(np.array(pull, dtype=float)) == pytest.approx(slopes, abs=1e-14)


def test_muscles_of_a_file() -> None:
    m = sb.read_osim(TEXT)
    start = m.keyframes["default"]
    rest = float(sb.evaluate(m.paths["gated"].length, {m.symbols[n]: x for n, x in start.items()}))
    made = bio.add_muscles(m, "gated", tendon="rigid", curves="opensim", slack_length=rest - 0.1, outputs=("force",))
    made |= bio.add_muscles(m, ["wrapped"], tendon="elastic", activation=0)
    assert list(made) == ["gated", "wrapped"]
    assert m.muscles["gated"].max_speed == 12
    eq = sb.derive(m)
    assert [z.name for z in eq.z] == ["gated_activation", "wrapped_tension", "wrapped_speed"]
    isometric = float(sb.evaluate(made["gated"].force, {m.symbols[n]: x for n, x in start.items()} | {"gated_activation": 1.0} | dict.fromkeys(eq.u, 0.0)))  # fmt: skip
    assert 700 < isometric < 830
    with pytest.raises(sb.ModelError, match="no muscle 'gate'"):
        bio.add_muscles(m, ["gate"])
    with pytest.raises(sb.ModelError, match="from read_osim"):
        bio.add_muscles(sb.Model("m"))  # type: ignore[arg-type]


def test_as_a_source_of_studies(tmp_path: Path) -> None:
    path = tmp_path / "zoo.osim"
    path.write_text(TEXT, encoding="utf-8")
    found = find_model(str(path))
    assert (found.origin, found.requests.start["hip"]) == ("OpenSim file", 0.2)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('Version="40000"', 'Version="30000"', "open it in OpenSim 4 and save it"),
        ("meters", "inches", "lengths are in 'inches'"),
        ("<WeldJoint", "<EllipsoidJoint", "this joint is not supported"),
        ("PolynomialFunction", "GCVSpline", "this function is not supported"),
        ("<socket_parent>/bodyset/shank", "<socket_parent>/bodyset/shin", "there is no body 'shin'"),
        ("<wrap_object>head", "<wrap_object>hed", "Did you mean 'head'"),
        ("<range>-0.9 0.3</range>", "<range>-0.9 x</range>", "<range> must be 2 numbers, got '-0.9 x'"),
        ("<x>-1 -0.2 0.4 1</x>", "<x>-1 -0.2 -0.4 1</x>", "two or more x that increase"),
        ("0.1 0.2 1</axis>", "0 0 0</axis>", "its axis is zero"),
        ("<independent_coordinate_names>knee", "<independent_coordinate_names>patella", "in a cycle"),
        ("/bodyset/thigh</socket_parent><translation>0.03", "/bodyset/shank</socket_parent><translation>0.03", "not hang on the ground"),
    ],
)  # fmt: skip
def test_what_is_refused(old: str, new: str, words: str) -> None:
    text = TEXT.replace(old, new).replace("</WeldJoint>", "</EllipsoidJoint>" if "Ellipsoid" in new else "</WeldJoint>")
    assert text != TEXT
    with pytest.raises(sb.ModelError, match=words.replace("(", r"\(")):
        sb.read_osim(text)


def test_bodies_without_a_joint_and_with_two() -> None:
    extra = '<BodySet><objects><Body name="stray"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body>'
    with pytest.raises(sb.ModelError, match="has no joint"):
        sb.read_osim(TEXT.replace("<BodySet><objects>", extra))
    with pytest.raises(sb.ModelError, match="loops of joints are not supported"):
        sb.read_osim(TEXT.replace("/bodyset/head</socket_parent>", "/bodyset/hand</socket_parent>"))
    with pytest.raises(sb.ModelError, match="begins with <robot>"):
        sb.read_osim("<robot/>")


@public
@pytest.mark.parametrize("k", range(len(ARM26)))
def test_arm26(k: int) -> None:
    m = sb.read_osim(Path(FOLDER or "") / "Arm26" / "arm26.osim")
    compared(m, ARM26[k], loose=("TRIlat", "TRImed", "BRA"))


@public
@pytest.mark.parametrize("k", range(len(GAIT)))
def test_gait10dof18musc(k: int) -> None:
    compared(sb.read_osim(Path(FOLDER or "") / "Gait10dof18musc" / "gait10dof18musc.osim"), GAIT[k])
