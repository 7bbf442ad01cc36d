"""Environments made of Gymnasium's own files, and a quadruped: accelerations beside MuJoCo's without contacts; contacts, limits
of joints and of actions, friction from the file."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from examples.locomotion import environments

from ..amount import dear
from .mujoco_numbers import mujocos, ours, random_state


def file_of(package: str, name: str) -> Path:
    try:
        found = [Path(str(f.locate())) for f in files(package) or () if Path(str(f)).name == name]
    except PackageNotFoundError:
        found = []
    if not found:
        pytest.skip(f"{package} is not installed")
    return found[0]


@pytest.mark.parametrize("name", ["inverted_pendulum", "hopper", "walker2d_v5", "ant"])
def test_accelerations_of_gymnasium(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With random states and actions, to rounding: `qacc_smooth`, what MuJoCo's contacts and limits add to."""
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    path = file_of("gymnasium", f"{name}.xml")
    monkeypatch.chdir(tmp_path)  # where MuJoCo logs its warnings
    model = mujoco.MjModel.from_xml_path(str(path))
    robot = sb.read_mjcf(path, parameters="none")
    assert len(robot.action_limits) == model.nu
    np.testing.assert_allclose(list(robot.action_limits.values()), model.actuator_ctrlrange)
    for seed in range(2):
        qpos, qvel = random_state(mujoco, model, seed)
        controls = np.random.default_rng(seed).uniform(-1, 1, model.nu)
        M, f = ours(robot, qpos, qvel, controls)
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, controls
        mujoco.mj_forward(model, data)
        found, expected = np.linalg.solve(M, f), data.qacc_smooth
        assert np.abs(found - expected).max() <= 1e-9 * np.abs(expected).max()
        _, g = mujocos(mujoco, model, qpos, qvel, controls)
        assert np.abs(f - g).max() <= 1e-10 * np.abs(g).max()


def test_accelerations_of_a_quadruped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solo12 from its URDF in both, with random angles, rates and torques."""
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    path = file_of("example-robot-data", "solo12.urdf")
    monkeypatch.chdir(tmp_path)
    text = re.sub(r"<(visual|collision)>.*?</\1>", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"(<robot[^>]*>)", r'\1<mujoco><compiler fusestatic="false"/></mujoco>', text, count=1)
    joint = '<joint name="base" type="floating"><parent link="world"/><child link="base_link"/></joint>'
    model = mujoco.MjSpec.from_string(text.replace("</robot>", f'<link name="world"/>{joint}</robot>')).compile()
    robot = sb.read_urdf(path, base="free", parameters="none")
    eq = sb.derive(robot)
    rng, n = np.random.default_rng(1), len(eq.u)
    q, u, r = rng.normal(size=len(eq.q)), rng.normal(size=n), rng.normal(size=len(eq.r))
    q[3:7] /= np.linalg.norm(q[3:7])
    data = mujoco.MjData(model)
    joints = [model.joint(k).name for k in range(1, model.njnt)]
    order = [[s.name for s in eq.q[7:]].index(j) for j in joints]
    data.qpos[:] = [*q[:7], *q[7:][order]]
    data.qvel[:] = [*u[:6], *u[6:][order]]
    data.qfrc_applied[6:] = r[[[s.name for s in eq.r].index(f"{j}_tau") for j in joints]]
    mujoco.mj_forward(model, data)
    f = sb.compile(eq).udot
    groups = {"t": 0.0, "q": q, "u": u, "r": r, "p": np.zeros(0)}
    found = f(*(groups[g.name] for g in f.program.inputs))
    found = np.array([*found[:6], *found[6:][order]])
    assert np.abs(found - data.qacc_smooth).max() <= 1e-8 * np.abs(found).max()


@pytest.mark.parametrize("name", ["hopper", "walker2d_v5"])
def test_environments_of_gymnasium(name: str) -> None:
    """Random actions: members fall on the floor, stay on it and within the limits of their joints, and begin anew."""
    robot = sb.read_mjcf(file_of("gymnasium", f"{name}.xml"), parameters="none")
    feet = [n for n in robot.links if n.startswith("foot")]
    contacts = robot.contacts(links=feet, across=robot.ground.y)
    assert {float(c.friction) for c in contacts} <= {0.9, 1.9, 2.0}
    model = sb.Contacts(sb.derive(robot), *contacts, *robot.joint_stops())
    stepper = sb.stepper(model, 0.008, robot.keyframes["qpos0"], substeps=8)
    height = robot.symbols["rootz"]
    env = sb.environment(
        stepper, 16, reward=robot.symbols["rootx"].dot + 1.0, ends=height < 0.7, actions=robot.action_limits,
        start={"thigh_joint": (-0.05, 0.0)}, steps=200, watch=0,
    )  # fmt: skip
    env.reset(seed=1)
    rng, ended = np.random.default_rng(2), 0
    for _ in range(120):
        found = env.step(rng.uniform(-2, 2, (16, len(robot.action_limits))))
        assert not found.failures
        ended += int(found.ended.sum())
        gaps = stepper.impulses(env.states).gaps
        assert gaps[:, : len(contacts)].min() > -0.03  # m, of feet; of joints in rad
        assert gaps[:, len(contacts) :].min() > -0.1
    assert ended > 0
    assert env.trajectory(0).scene() is not None


SERVO = """<mujoco model="leg"><compiler angle="radian"/><worldbody><geom type="plane" size="1 1 1"/><body name="trunk" pos="0 0 0.4">
<freejoint name="root"/><geom size="0.1" mass="2"/><body name="shank" pos="0 0 -0.1"><joint name="knee" axis="0 1 0" range="-1 1"/>
<geom name="foot" size="0.05" pos="0.1 0 -0.2" mass="0.5" friction="0.8"/></body></body></worldbody>
<actuator><position name="knee" joint="knee" kp="100" ctrlrange="-1 1" forcerange="-3 3"/></actuator></mujoco>"""


def test_forces_of_actuators_stay_within_their_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A servo that wants 100 Nm gives 3, as in MuJoCo; without the option the report says that it would give all."""
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "leg.xml"
    path.write_text(SERVO)
    assert environments.difference_from_mujoco(path) < 1e-13
    assert "force ranges of actuators, unless force_limits=True is given (1)" in str(sb.read_mjcf(path).report)
    assert "force ranges" not in str(sb.read_mjcf(path, force_limits=True).report)


def test_examples_are_environments(tmp_path: Path) -> None:
    """The example's way from a file to members, on a leg with one foot: it falls, and is cut below a height."""
    path = tmp_path / "leg.xml"
    path.write_text(SERVO)
    env = environments.environment(environments.robot_of(path), environments.walking("", 0.3, ("foot",)), 4, watch=0)
    ended = 0
    for _ in range(80):
        found = env.step(np.full((4, 1), 0.5))
        assert not found.failures
        ended += int(found.ended.sum())
    assert ended >= 4


CART_POLE = """<mujoco model="cart-pole"><worldbody><body name="cart"><joint name="slider" type="slide" axis="1 0 0"/>
<geom type="capsule" size="0.1 0.1" mass="10"/><body name="pole"><joint name="hinge" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.05" mass="5"/></body></body></worldbody>
<actuator><motor joint="slider" gear="100" ctrlrange="-3 3" name="slide"/></actuator></mujoco>"""


@pytest.fixture
def cart_pole() -> sb.formats.Robot:
    return sb.read_mjcf(CART_POLE, parameters="none")


def test_a_rollout_of_the_policy_has_its_advantages(cart_pole: sb.formats.Robot) -> None:
    """Sums of (γ λ)^k of what each step was better than expected, which end where an episode ends."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from examples.locomotion import train

    env, policy, _ = train.train(cart_pole, environments.ROBOTS["cart-pole"], 1, 8)
    data, _ = train.rollout(env, policy, env.reset(seed=3))
    over = data["ended"] | data["cut"]
    assert over.any()
    k, member = (int(x) for x in torch.nonzero(over)[0])
    first = k - 2
    expected, weight = 0.0, 1.0
    for j in range(first, k + 1):
        after = train.DISCOUNT * float(data["after"][j, member]) * (not data["ended"][j, member])
        expected += weight * (float(data["gain"][j, member]) + after - float(data["value"][j, member]))
        weight *= train.DISCOUNT * train.TRACE
    with pytest.raises(sb.errors.ViewError, match="of another model"):
        env.trajectory(0).scene(shapes=sb.read_mjcf(CART_POLE))
    assert float(data["advantage"][first, member]) == pytest.approx(expected, rel=1e-5)


@dear
def test_a_policy_learns_to_balance(
    cart_pole: sb.formats.Robot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example's policy optimisation: after a few iterations episodes of a cart and pole are twice as long."""
    pytest.importorskip("torch", reason="torch is not installed")
    from examples.locomotion import train

    env, policy, lengths = train.train(cart_pole, environments.ROBOTS["cart-pole"], 7, 64)
    assert lengths[-1] > 2 * lengths[0]
    assert capsys.readouterr().out.count("episodes of") == 7
    train.show(env, policy, cart_pole, str(tmp_path / "cart_pole.html"))
    assert (tmp_path / "cart_pole.html").stat().st_size > 10_000
