"""Muscles, wrapping surfaces and coupled coordinates written as .osim files: read again they move alike, and OpenSim computes the same lengths
and accelerations."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import symbody as sb
from symbody.command_line.cli import main
from symbody.formats import write_mjcf, write_osim
from symbody.kits import biomechanics as bio

FOLDER = os.environ.get("SYMBODY_OPENSIM_MODELS")
NUMBERS: dict[str, Any] = {
    "max_force": 60,
    "optimal_length": 0.15,
    "slack_length": 0.2,
    "pennation": 0.2,
    "curves": "opensim",
}


def arm(tendon: str = "rigid", **other: Any) -> sb.Model:
    """A muscle through a point that counts in a range of the elbow, and one of two joints beside a cylinder."""
    m = sb.Model("arm")
    m.gravity(0, -9.81, 0)
    upper = m.body("upper arm", mass=2, com=(0, -0.15, 0.01), inertia=(0.02, 0.002, 0.02))
    lower = m.body("forearm", mass=1.2, com=(0.01, -0.1, 0), inertia=(0.01, 0.001, 0.01))
    m.revolute("shoulder", m.ground, upper)
    q = m.revolute("elbow", upper, lower, axis=(0.1, 0, 1), at=(0, -0.3, 0)).q
    hook = sb.bodies.ViaPoint(upper.point(0.03, -0.2, 0), (q >= -0.3) & (q <= 0.6))
    flexor = m.path("flexor", [m.ground.point(0.02, 0.05, 0), hook, lower.point(0.03, -0.05, 0.01)])
    at = upper.frame.translate(0.005, -0.3, 0).rotate("x", 0.1, name="drum")
    drum = sb.bodies.WrapCylinder(at, 0.02, beside=at.point(-1, 0.3, 0))
    extensor = m.path("extensor", [m.ground.point(-0.03, 0.04, 0), upper.point(-0.03, -0.2, 0), drum, lower.point(-0.01, -0.08, 0)])  # fmt: skip
    for path in (flexor, extensor):
        how = {"damping": 0.2 if tendon == "rigid" else 1e-3, "times": (0.02, 0.05), "outputs": False}
        bio.muscle(m, path.name, path, tendon=tendon, **(NUMBERS | how | other))
    return m


def read_with_muscles(text: str) -> sb.Model:
    m = sb.read_osim(text)
    bio.add_muscles(m, outputs=False)
    return m


@pytest.mark.parametrize("tendon", ["rigid", "elastic"])
def test_an_arm_with_muscles_read_again_moves_alike(tendon: str) -> None:
    m = arm(tendon)
    ends = []
    for model in (m, read_with_muscles(write_osim(m))):
        eq = sb.derive(model)
        at_rest: dict[str, Any] = {"flexor_speed": 0, "extensor_speed": 0} if tendon == "elastic" else {}
        guess: dict[str, Any] = {"start": {"flexor_tension": 0.3, "extensor_tension": 0.3}} if at_rest else {}
        start = sb.assemble(eq, shoulder=0.3, elbow=0.4, shoulder_dot=0, elbow_dot=0, flexor_activation=0.1, extensor_activation=0.2, **at_rest, **guess)  # fmt: skip
        sim = sb.simulate(eq, 0.2, inputs={"flexor_excitation": 0.6, "extensor_excitation": 0.3}, start=start)
        assert sim.outcome
        ends.append({s.name: sim[s.name][-1] for s in eq.state})
    assert abs(ends[0]["elbow"] - 0.4) > 0.05
    assert ends[1] == pytest.approx(ends[0], rel=1e-7, abs=1e-8)  # speeds of fibres are close to 0


def opensim_of(text: str, tmp_path: Path) -> tuple[Any, Any, Any]:
    osim: Any = pytest.importorskip("opensim", exc_type=ImportError)  # or another CasADi is loaded
    (tmp_path / "model.osim").write_text(text, encoding="utf-8")
    model = osim.Model(str(tmp_path / "model.osim"))
    return osim, model, model.initSystem()


POSES = {
    (0.2, 0.4): 1e-3,
    (-0.5, 1.1): 1e-3,
    (0.6, -0.6): 1e-9,
}  # relative differences: the path leaves the cylinder in the last


@pytest.mark.parametrize("pose", POSES)
def test_lengths_and_accelerations_of_opensim(pose: tuple[float, float], tmp_path: Path) -> None:
    """OpenSim's search for tangent points on a cylinder ends a little before the shortest path."""
    m = arm()
    osim, model, now = opensim_of(write_osim(m), tmp_path)
    eq = sb.derive(m)
    u, a, names = [0.7, -1.2], {"flexor": 0.6, "extensor": 0.25}, ("shoulder", "elbow")
    for name, angle, rate in zip(names, pose, u, strict=True):
        model.getCoordinateSet().get(name).setValue(now, angle, False)
        model.getCoordinateSet().get(name).setSpeedValue(now, rate)
    for name, x in a.items():
        osim.DeGrooteFregly2016Muscle.safeDownCast(model.getMuscles().get(name)).setActivation(now, x)
    model.realizeAcceleration(now)
    got = [model.getCoordinateSet().get(n).getAccelerationValue(now) for n in names]
    want = sb.compile(eq).udot(0.0, list(pose), u, list(a.values()), [0, 0], [])
    assert got == pytest.approx(want.tolist(), abs=POSES[pose] * max(abs(want)))
    read = sb.read_osim(write_osim(m))
    for name in a:
        ours = float(sb.evaluate(read.paths[name].length, dict(zip(names, pose, strict=True))))
        assert model.getMuscles().get(name).getLength(now) == pytest.approx(ours, abs=1e-5)


def test_fibres_with_elastic_tendons_of_opensim(tmp_path: Path) -> None:
    """Velocities of fibres and rates of activations. OpenSim's fibre has no damping here."""
    m = arm("elastic", damping=1e-6)
    osim, model, now = opensim_of(write_osim(m), tmp_path)
    eq = sb.derive(m)
    control = osim.Vector(2, 0.0)
    start = sb.assemble(eq, shoulder=0.6, elbow=-0.6, shoulder_dot=0.7, elbow_dot=-1.2, flexor_activation=0.3, extensor_activation=0.5, flexor_tension=0.5, extensor_tension=0.4)  # fmt: skip
    for k, name in enumerate(("flexor", "extensor")):
        control[k] = 0.6
        muscle = osim.DeGrooteFregly2016Muscle.safeDownCast(model.getMuscles().get(name))
        muscle.setActivation(now, start[f"{name}_activation"])
        model.setStateVariableValue(now, f"/forceset/{name}/normalized_tendon_force", start[f"{name}_tension"])
    for name in ("shoulder", "elbow"):
        model.getCoordinateSet().get(name).setValue(now, start[name], False)
        model.getCoordinateSet().get(name).setSpeedValue(now, start[f"{name}_dot"])
    model.realizeVelocity(now)
    model.setControls(now, control)
    model.realizeAcceleration(now)
    for name in ("flexor", "extensor"):
        muscle = model.getMuscles().get(name)
        assert muscle.getFiberVelocity(now) == pytest.approx(start[f"{name}_speed"] * 1.5, rel=1e-4)
        rate = bio.activation_rate(0.6, start[f"{name}_activation"], times=(0.02, 0.05))
        other = model.getStateVariableDerivativeValue(now, f"/forceset/{name}/activation")
        assert other == pytest.approx(float(sb.evaluate(rate)), rel=1e-9)


def over(surface: Any, wrap: str = "") -> str:
    """A file of an arm with one muscle over a surface of the ground."""
    m = sb.Model("over")
    arm = m.body("arm", mass=2, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("angle", m.ground, arm)
    path = m.path("pull", [m.ground.point(-0.2, 0.02, 0), surface(m), arm.point(0.2, 0.05, 0.03)])
    bio.muscle(m, "pull", path, **NUMBERS, outputs=False)
    return write_osim(m)


def stand(m: sb.Model) -> sb.Frame:
    return m.ground.translate(0, 0.1, 0, name="stand")


SURFACES = {
    "cylinder": lambda m: sb.bodies.WrapCylinder(stand(m), 0.05),
    "cylinder beside": lambda m: sb.bodies.WrapCylinder(stand(m), 0.05, beside=m.ground.point(0.1, 0.3, 0.4)),
    "sphere beside": lambda m: sb.bodies.WrapSphere(stand(m), 0.06, beside=m.ground.point(0.02, -0.1, 0.05)),
    "ellipsoid": lambda m: sb.bodies.WrapEllipsoid(stand(m), (0.05, 0.04, 0.08), beside=stand(m).point(0, -1, 0)),
    "torus": lambda m: sb.bodies.WrapTorus(m.ground.rotate("y", 1.5).translate(0, 0, 0.1), 0.06, 0.02),
}


@pytest.mark.parametrize("kind", SURFACES)
def test_surfaces_read_again_and_in_opensim(kind: str, tmp_path: Path) -> None:
    text = over(SURFACES[kind])
    again = sb.read_osim(text)
    m = sb.Model("same")
    arm = m.body("arm", mass=2, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("angle", m.ground, arm)
    path = m.path("pull", [m.ground.point(-0.2, 0.02, 0), SURFACES[kind](m), arm.point(0.2, 0.05, 0.03)])
    angles = (-0.5, 0.0, 0.3, 0.6)
    wanted = [float(sb.evaluate(path.length, {"angle": x})) for x in angles]
    assert [float(sb.evaluate(again.paths["pull"].length, {"angle": x})) for x in angles] == pytest.approx(wanted, abs=1e-12)  # fmt: skip
    _, model, now = opensim_of(text, tmp_path)
    for x, length in zip(angles, wanted, strict=True):
        model.getCoordinateSet().get("angle").setValue(now, x)
        assert model.getMuscles().get("pull").getLength(now) == pytest.approx(length, abs=1.5e-5)


def test_muscles_that_were_read_keep_kind_and_numbers() -> None:
    text = write_osim(arm()).replace("DeGrooteFregly2016Muscle", "Millard2012EquilibriumMuscle")
    read = sb.read_osim(text)
    again = sb.read_osim(write_osim(read))
    assert again.muscles == read.muscles
    assert again.muscles["flexor"].kind == "Millard2012EquilibriumMuscle"
    state = {"shoulder": 0.1, "elbow": 0.7}
    for name, path in read.paths.items():
        assert sb.evaluate(again.paths[name].length, state) == sb.evaluate(path.length, state)
    assert list(sb.read_osim(write_osim(read, omit=["flexor"])).muscles) == ["extensor"]


def test_the_command_keeps_muscles(tmp_path: Path) -> None:
    (tmp_path / "arm.osim").write_text(write_osim(arm()), encoding="utf-8")
    assert main(["export", str(tmp_path / "arm.osim"), "--to", "osim", "-o", str(tmp_path / "again.osim")]) == 0
    assert list(sb.read_osim(tmp_path / "again.osim").muscles) == ["flexor", "extensor"]


REFUSED: dict[str, tuple[Any, str]] = {
    "curves": (lambda: arm(curves="2016"), "curves='opensim'"),
    "damping": (lambda: arm("elastic", damping=0.1), "elastic tendons ignore"),
    "activation": (lambda: arm(activation=0.5), "follow an input"),
    "side": (lambda: with_stations(lambda m: sb.bodies.WrapCylinder(m.ground, 0.01, side=1)), "without side="),
    "ring": (lambda: with_stations(lambda m: sb.bodies.WrapRing(m.ground, 0.1)), "WrapRing that OpenSim does not have"),
    "condition": (lambda: with_stations(lambda m: sb.bodies.ViaPoint(m.ground.point(0, 1, 0), m.symbols["x"].dot > 1)), "within a range of one"),
}  # fmt: skip


def with_stations(*made: Any) -> sb.Model:
    m = sb.Model("pull")
    block = m.body("block", mass=1)
    m.prismatic("x", m.ground, block)
    path = m.path("pull", [m.ground.point(-0.2, 0, 0), *(make(m) for make in made), block.point(0.2, 0, 0)])
    bio.muscle(m, "pull", path, **NUMBERS, outputs=False)
    return m


@pytest.mark.parametrize("what", REFUSED)
def test_what_opensim_does_not_have_is_refused_by_name(what: str) -> None:
    make, words = REFUSED[what]
    m = make()
    with pytest.raises(sb.ModelError, match=words):
        write_osim(m)
    with pytest.raises(sb.ModelError, match="has other curves than muscles of this format"):
        write_mjcf(m)
    assert "left out: " in write_osim(m, omit=["flexor", "extensor"] if "flexor" in m.parts.loads else ["pull"])


def coupled() -> sb.Model:
    """A kneecap that follows the knee by a parabola, and a wheel geared to it."""
    m = sb.Model("coupled")
    m.gravity(0, -9.81, 0)
    bodies = [m.body(n, mass=1 + k, com=(0, -0.1, 0), inertia=(0.01, 0.002, 0.01)) for k, n in enumerate("abc")]
    knee = m.revolute("knee", m.ground, bodies[0]).q
    cap = m.revolute("cap", m.ground, bodies[1], axis=(0, 1, 1)).q
    wheel = m.revolute("wheel", bodies[0], bodies[2], at=(0, -0.2, 0)).q
    m.constrain("follow", 2 * cap - 0.6 * knee**2 - 0.3 * knee + 0.1)
    m.constrain("gear", 0.5 * knee + wheel)
    return m


def test_coupled_coordinates(tmp_path: Path) -> None:
    """Read again they are functions of the others; the accelerations are those of the constrained model, and of OpenSim."""
    m, text = coupled(), write_osim(coupled())
    again = sb.derive(sb.read_osim(text))
    assert [q.name for q in again.q] == ["knee"]
    here = sb.derive(m)
    start = sb.assemble(here, knee=0.7, knee_dot=-1.3)
    sim, other = sb.simulate(here, 0.3, start=start), sb.simulate(again, 0.3, knee=0.7, knee_dot=-1.3)
    assert other["knee"][-1] == pytest.approx(sim["knee"][-1], rel=1e-6)
    _, model, now = opensim_of(text, tmp_path)
    coordinates = model.getCoordinateSet()
    for q in here.q:
        coordinates.get(q.name).setValue(now, start[q.name], False)
        coordinates.get(q.name).setSpeedValue(now, start[f"{q.name}_dot"])
    model.realizeAcceleration(now)
    want = sb.compile(again).udot(0.0, [0.7], [-1.3], [])
    assert coordinates.get("knee").getAccelerationValue(now) == pytest.approx(want[0], rel=1e-9)


def test_a_surface_in_successive_gaps_is_one_wrap() -> None:
    m = sb.Model("rope")
    block = m.body("block", mass=1)
    q = m.prismatic("x", m.ground, block).q
    drum, other = (sb.bodies.WrapCylinder(m.ground.translate(0, y, 0), 0.01) for y in (0.0, 0.1))
    at = [m.ground.point(-0.3 + 0.1 * k, 0.05, 0) for k in range(5)]
    hook = sb.bodies.ViaPoint(m.ground.point(0.1, 0.1, 0), q > 0)
    stations = [at[0], drum, at[1], drum, at[2], hook, at[3], drum, at[4], other, block.point(0.3, 0, 0)]
    bio.muscle(m, "pull", m.path("pull", stations), **NUMBERS, outputs=False)
    ranges = [line.strip() for line in write_osim(m).splitlines() if "<range>" in line and not set(".-") & set(line)]
    assert ranges == ["<range>1 6</range>", "<range>6 7</range>"]


@pytest.mark.skipif(not FOLDER, reason="SYMBODY_OPENSIM_MODELS does not name the folder of public models")
def test_arm26_written_again_in_opensim(tmp_path: Path) -> None:
    source = Path(FOLDER or "") / "Arm26" / "arm26.osim"
    here = [
        opensim_of(text, tmp_path)[1:]
        for text in (source.read_text(encoding="utf-8"), write_osim(sb.read_osim(source)))
    ]
    for pose in ((0.1, 0.1), (0.5, 0.5), (1.2, 1.2)):
        for model, now in here:
            for name, x in zip(("r_shoulder_elev", "r_elbow_flex"), pose, strict=True):
                model.getCoordinateSet().get(name).setValue(now, x)
        for name in ("TRIlat", "TRImed", "BIClong", "BICshort", "BRA"):
            was, is_now = (model.getMuscles().get(name).getLength(now) for model, now in here)
            assert is_now == pytest.approx(was, abs=1e-14)
