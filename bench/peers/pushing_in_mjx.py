"""The task of `bench learning` in MJX: the same masses, drags, friction and steps, with MuJoCo's soft contacts."""

from __future__ import annotations

import importlib
from typing import Any, Final

from .. import pushing_task as task

Array = Any
XML: Final = f"""<mujoco><option timestep="{task.STEP}" gravity="0 0 0" cone="elliptic" iterations="4" ls_iterations="8"><flag eulerdamp="disable"/></option>
<worldbody><body name="board"><joint name="bx" type="slide" axis="1 0 0" damping="{task.DRAG}"/><joint name="by" type="slide" axis="0 1 0" damping="{task.DRAG}"/>
<joint name="ba" type="hinge" axis="0 0 1" damping="{task.TURNING_DRAG}"/><geom type="box" size="{task.LENGTH / 2} {task.WIDTH / 2} .05" mass="{task.MASS}" friction="{task.MU}" condim="3"/></body>
<body name="finger"><joint name="fx" type="slide" axis="1 0 0" damping="{task.FINGER_DRAG}"/><joint name="fy" type="slide" axis="0 1 0" damping="{task.FINGER_DRAG}"/>
<geom type="sphere" size="{task.RADIUS}" mass="{task.FINGER}" friction="{task.MU}" condim="3"/></body></worldbody>
<actuator><motor joint="fx"/><motor joint="fy"/></actuator></mujoco>"""


class InMjx:
    """Members in MJX; observations and rewards as tensors of PyTorch, whose memory is shared."""

    device: Final = "cuda"

    def __init__(self, members: int) -> None:
        self.jax, mujoco = importlib.import_module("jax"), importlib.import_module("mujoco")
        mjx = importlib.import_module("mujoco.mjx")
        self.members, self.torch = members, importlib.import_module("torch")
        model = mjx.put_model(mujoco.MjModel.from_xml_string(XML))
        self.data = self.jax.vmap(lambda _: mjx.make_data(mujoco.MjModel.from_xml_string(XML)))(
            self.jax.numpy.arange(members)
        )
        np = self.jax.numpy

        def observed(d: Any, goal: Any) -> Any:
            (bx, by, ba, fx, fy), (ub, vb, wb, uf, vf) = d.qpos, d.qvel
            near, far = [10 * (fx - bx), 10 * (fy - by)], [5 * (goal[0] - bx), 5 * (goal[1] - by)]
            return np.array([*near, *far, 5 * uf, 5 * vf, 5 * ub, 5 * vb, 3 * ba, wb])

        def one(d: Any, goal: Any, action: Any) -> Any:
            d = d.replace(ctrl=np.clip(action, -task.FORCE, task.FORCE))
            d = self.jax.lax.scan(lambda s, _: (mjx.step(model, s), None), d, None, length=task.SUBSTEPS)[0]
            away = goal - d.qpos[:2]
            cost = np.sqrt((away**2).sum() + 1e-4) + task.EFFORT * (d.ctrl**2).sum() / task.FORCE**2
            return d, observed(d, goal), -cost

        def begun(d: Any, key: Any) -> Any:
            draws = self.jax.random.uniform(key, (4,))
            limits = [*task.STARTS.values(), *task.GOALS.values()]
            fx, fy, gx, gy = (low + (high - low) * u for (low, high), u in zip(limits, draws, strict=True))
            d = d.replace(qpos=np.array([0.0, 0.0, 0.0, fx, fy]), qvel=np.zeros(5), time=np.zeros_like(d.time))
            goal = np.array([gx, gy])
            return d, goal, observed(d, goal)

        self._step = self.jax.jit(self.jax.vmap(one))
        self._begin = self.jax.jit(self.jax.vmap(begun))

    def reset(self, seed: int) -> Array:
        keys = self.jax.random.split(self.jax.random.PRNGKey(seed), self.members)
        self.data, self.goals, seen = self._begin(self.data, keys)
        return self.torch.from_dlpack(seen)

    def step(self, actions: Array) -> tuple[Array, Array]:
        given = self.jax.dlpack.from_dlpack(actions.contiguous())
        self.data, seen, rewards = self._step(self.data, self.goals, given)
        return self.torch.from_dlpack(seen), self.torch.from_dlpack(rewards)
