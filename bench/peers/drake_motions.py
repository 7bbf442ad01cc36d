"""Motions of a small MJCF model in Drake, from the text that MuJoCo gets: places, speeds, friction, applied forces and the
stiffness of joints are given and read by MuJoCo's names, so that one description serves both.

Contacts are of Drake's point model with its lagged approximation (SAP), with a stiffness, and without dissipation if they are to
rebound.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from pydrake.geometry import SceneGraphConfig
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel
from pydrake.multibody.tree import PrismaticSpring
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

DISSIPATION = 10.0  # s/m, of contacts that do not rebound
logging.getLogger("drake").setLevel(logging.ERROR)


def motion_in_drake(
    mjcf: str, h: float, steps: int, put: Callable[[Any, Any], None], stiffness: float, rebounds: bool
) -> Any:
    """Places `qpos` and speeds `qvel` after some steps; `put(model, data)` sets what differs from the text."""
    joints = re.findall("<joint[^>]*>", mjcf)
    speeds = len(joints) or 6
    given = SimpleNamespace(qvel=np.zeros(speeds), qfrc_applied=np.zeros(speeds))
    stiff = [float("".join(re.findall(r'stiffness="([^"]*)"', j)) or 0) for j in joints]
    model = SimpleNamespace(geom_friction=np.full((1, 3), np.nan), jnt_stiffness=np.array(stiff))
    put(model, given)
    mu = float(model.geom_friction[0, 0])
    text = mjcf if np.isnan(mu) else re.sub(r'friction="[^"]*"', f'friction="{mu!r} 0 0"', mjcf)
    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, h)
    config = SceneGraphConfig()
    config.default_proximity_properties.point_stiffness = stiffness
    config.default_proximity_properties.hunt_crossley_dissipation = 0.0 if rebounds else DISSIPATION
    scene.set_config(config)
    plant.set_contact_model(ContactModel.kPoint)
    Parser(plant).AddModelsFromString(text.replace("<mujoco>", '<mujoco model="case">'), "xml")
    if model.jnt_stiffness.any():
        sliding = [plant.get_joint(k) for k in plant.GetJointIndices() if plant.get_joint(k).num_positions() == 1]
        for joint, k in zip(sliding, model.jnt_stiffness, strict=True):
            plant.AddForceElement(PrismaticSpring(joint, 0.0, k))
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    is_free = plant.num_positions() == 7
    order = [3, 4, 5, 0, 1, 2] if is_free else list(range(plant.num_velocities()))  # Drake: angular velocity first
    plant.SetVelocities(context, given.qvel[order])
    plant.get_applied_generalized_force_input_port().FixValue(context, given.qfrc_applied[order])
    simulator.Initialize()
    simulator.AdvanceTo(steps * h)
    q, v = plant.GetPositions(context), plant.GetVelocities(context)
    return SimpleNamespace(qpos=np.r_[q[4:], q[:4]] if is_free else q, qvel=v[order] if is_free else v)
