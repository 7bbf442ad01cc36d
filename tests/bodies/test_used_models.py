"""`use` in model files: models of kits with options, to which the file adds; errors at the option that is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.kits import machines, vehicles
from symbody.kits.names_in_files import models, parts
from tests.vehicles.passenger_tyre import NUMBERS, tir

from .test_model_file import differences

FILE = """
symbody: 1
name: compact car
use:
  vehicles.car:
    wheelbase: 2.5
    M: 1100
    brakes: true
    axle: {driven: front}
    tyre: {vehicles.BrushTyre: {radius: 0.3, cornering: 4.5e4, along: 5e4, friction: 0.9, relaxation: [0.1, 2*0.15]}}
outputs: {centripetal: u*r}
start: {u: 20}
"""


def read(text: str) -> sb.study.ModelFile:
    return sb.study.read_model_text(f"symbody: 1\nname: model\n{text}")


def test_a_used_model_is_that_of_the_call() -> None:
    file = sb.study.read_model_text(FILE)
    tyre = vehicles.BrushTyre(radius=0.3, cornering=4.5e4, along=5e4, friction=0.9, relaxation=(0.1, 0.3))
    m = vehicles.car(tyre, wheelbase=2.5, M=1100, brakes=True, axle={"driven": "front"})
    m.output("centripetal", m.symbols["u"] * m.symbols["r"])
    assert differences(file.mechanism, m.freeze()) == []
    assert (file.mechanism.name, file.requests.start) == ("compact car", {"u": 20.0})


def test_parts_from_files_and_of_frames(tmp_path: Path) -> None:
    """A tyre file beside the model file, and a road that is a function of the ground."""
    (tmp_path / "car.tir").write_text(tir(NUMBERS))
    path = tmp_path / "model.yaml"
    path.write_text(
        "symbody: 1\nuse: {vehicles.car: {tyre: {vehicles.read_tyre: car.tir, smooth: 0.01}, road: {vehicles.random_road: C, seed: 3, waves: 2}}}"
    )
    tyre = vehicles.read_tyre(tir(NUMBERS), smooth=0.01)
    expected = vehicles.car(tyre, road=lambda ground: vehicles.random_road(ground, "C", seed=3, waves=2))
    assert differences(sb.read_model(path).mechanism, expected.freeze()) == []
    path.write_text("symbody: 1\nuse: {vehicles.car: {tyre: {vehicles.read_tyre: ../car.tir}}}")
    with pytest.raises(sb.SymbodyError, match="not a path beside the model file"):
        sb.read_model(path)


def test_profiles_of_wheels_and_rails_in_a_file() -> None:
    rail = "{vehicles.rail_geometry: {softness: 2.0e-5, points: 21}}"
    m = read(f"use: {{vehicles.rail_car: {{friction: 0.3, profiles: {rail}}}}}").mechanism
    expected = vehicles.rail_car(friction=0.3, profiles=vehicles.rail_geometry(softness=2e-5, points=21)).freeze()
    at = {**dict.fromkeys((s.name for s in (*m.q, *m.u)), 0.001), "V": 20.0}
    forces = [np.array(sb.evaluate(eq.f, eq.values(at))) for eq in (sb.derive(m), sb.derive(expected))]
    assert forces[0] == pytest.approx(forces[1])
    with pytest.raises(sb.SymbodyError, match="S1002"):
        read("use: {vehicles.rail_car: {profiles: {vehicles.rail_geometry: {wheel: S1003}}}}")


@pytest.mark.parametrize("make", [
    vehicles.single_track, vehicles.rail_car, machines.wind_turbine, lambda: vehicles.motorcycle(tubes=(0.06, 0.08)),
    lambda: sb.study.read_model_text(FILE).mechanism,
])  # fmt: skip
def test_models_of_kits_are_written_and_read_again(make) -> None:
    """Also frames that are known by velocity and spin."""
    m = make()
    m = m.freeze() if isinstance(m, sb.Model) else m
    assert differences(m, sb.study.read_model_text(sb.write.model_text(m)).mechanism) == []


@pytest.mark.parametrize(("text", "at", "says"), [
    ("use: vehicles.cart", "vehicles.cart", "Did you mean 'vehicles.car'?"),
    ("use: {vehicles.single_track: {Mass: 3}}", "Mass", "there is no parameter 'Mass'; there are m, J"),
    ("use: {vehicles.single_track: {m: -3}}", "m", "m = -3 is negative; it is 1500 by default"),
    ("use: {vehicles.car: {M: heavy}}", "M", "parameter 'M' must be one number, got 'heavy'"),
    ("use: {vehicles.car: {share: 3}}", "share", "must be between 0 and 1"),
    ("use: {vehicles.car: {tyre: 3}}", "tyre", "must be a tyre, such as"),
    ("use: {vehicles.car: {front: {wheel: [0, 0, 1]}}}", "front", "the hardpoint 'lower front' of a double wishbone is missing"),
    ("use: {vehicles.car: {tyre: {vehicles.BrushTyre: {radius: 0.3, cornering: -1, along: 1, friction: 1}}}}", "cornering", "cornering = -1 must be positive"),
    ("use: {vehicles.car: {tyre: {vehicles.Tyre: {radius: 0.3}}}}", "vehicles.Tyre", "there is no part of a kit 'vehicles.Tyre'"),
    ("use: {vehicles.car: {road: {vehicles.random_road: {roughness: C, waves: many}}}}", "vehicles.car", "an option does not fit"),
    ("use: {os.system: {command: ls}}", "os.system", "there is no model 'os.system'"),
    ("use: {vehicles.car: {tyre: {os.system: ls}}}", "os.system", "there is no part of a kit 'os.system'"),
    ("use: {vehicles.wheelset: {cone: 1/}}", "cone", "parameter 'cone' must be one number, got '1/'"),
])  # fmt: skip
def test_mistakes_are_told_at_the_option(text: str, at: str, says: str) -> None:
    with pytest.raises(sb.errors.ModelFileError) as error:
        read(text)
    assert says in str(error.value)
    line, marked = str(error.value).splitlines()[1:3]
    assert line[marked.index("^") :].startswith(at)


def test_every_name_for_files_exists() -> None:
    for name in (*models(), *parts()):
        kit, own = name.split(".")
        assert hasattr({"vehicles": vehicles, "machines": machines}[kit], own)


def test_a_frame_known_by_its_velocity_has_no_place() -> None:
    text = "speeds: u\nframes: {f: {on: ground, velocity: [u, 0, 0]}}\nbodies: {b: {frame: f, mass: 2}}"
    assert sb.derive(read(text).mechanism).M[0, 0].value == 2
    with pytest.raises(sb.SymbodyError, match="known by its velocity and spin has no 'at'"):
        read(text.replace("velocity", "at: [0, 0, 0], velocity"))


def test_numbers_of_numpy_are_numbers() -> None:
    assert sb.algebra.as_expr(np.float64(2.5)) is sb.algebra.as_expr(2.5)
