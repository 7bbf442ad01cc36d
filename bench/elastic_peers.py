"""Exudyn's models of the cases of `bench elastic`: a reduced-order body on given matrices and modes, and beams of ANCF
elements. Each function returns seconds of the solver and the path of a point at given times; files and range checks are
off, and there is one thread."""

from __future__ import annotations

import contextlib
import sys
import time
import warnings
from typing import Any

import numpy as np

import symbody as sb

sys.exudynFast = True  # type: ignore[attr-defined]
with contextlib.redirect_stdout(sys.stderr):
    import exudyn as exu
from exudyn.beams import GenerateStraightLineANCFCable2D  # noqa: E402
from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface  # noqa: E402
from exudyn.itemInterface import (  # noqa: E402
    GenericJoint,
    MarkerBodyRigid,
    NodeRigidBody2D,
    ObjectANCFCable2D,
    ObjectGround,
    ObjectRigidBody2D,
    RevoluteJoint2D,
    SensorNode,
    SensorSuperElement,
    Torque,
)

warnings.filterwarnings("ignore", category=DeprecationWarning, module="exudyn|bench")

Array = Any
Found = tuple[float, Array]


def reduced_order(
    part: sb.FiniteElements, made: sb.ReducedBody, corner: int, spin: Any, times: Array, h: float
) -> Found:
    """Matrices, nodes and modes as ours; Euler parameters, for which alone its reduced-order bodies are made."""
    fem = FEMinterface()
    fem.nodes = {"Position": made.skin.nodes}
    fem.massMatrix, fem.stiffnessMatrix = part.mass.tocsr(), part.stiffness.tocsr()
    fem.modeBasis = {"matrix": made.skin.shifts.reshape(made.count, -1).T.copy(), "type": "NormalModes"}
    exu.SetWriteToConsole(False)
    system = exu.SystemContainer().AddSystem()
    item = ObjectFFRFreducedOrderInterface(fem).AddObjectFFRFreducedOrder(system, initialAngularVelocity=list(spin))
    sensor = system.AddSensor(
        SensorSuperElement(
            bodyNumber=item["oFFRFreducedOrder"],
            meshNodeNumber=corner,
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )
    return _solved(system, sensor, times, h, exu.DynamicSolverType.TrapezoidalIndex2)


def _cable(system: Any, beam: dict[str, float], elements: int, held: list[int], gravity: float) -> tuple[Any, Any]:
    """Elements along x, and a sensor at the end."""
    template = ObjectANCFCable2D(
        physicsMassPerLength=beam["rho_A"],
        physicsBendingStiffness=beam["EI"],
        physicsAxialStiffness=beam["EA"],
        useReducedOrderIntegration=1,
    )
    made = GenerateStraightLineANCFCable2D(
        system, [0, 0, 0], [beam["length"], 0, 0], elements, template, massProportionalLoad=[0, -gravity, 0], fixedConstraintsNode0=held
    )  # fmt: skip
    sensor = system.AddSensor(
        SensorNode(nodeNumber=made[0][-1], storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
    )
    return made, sensor


def hinged_cable(beam: dict[str, float], gravity: float, elements: int, times: Array, h: float) -> Found:
    exu.SetWriteToConsole(False)
    system = exu.SystemContainer().AddSystem()
    _, sensor = _cable(system, beam, elements, [1, 1, 0, 0], gravity)
    return _solved(system, sensor, times, h, spectral_radius=1.0)


def cable_on_a_hub(
    beam: dict[str, float], inertia: float, torque: float, elements: int, times: Array, h: float
) -> Found:
    """A beam clamped to a hub that a torque turns."""
    exu.SetWriteToConsole(False)
    system = exu.SystemContainer().AddSystem()
    made, sensor = _cable(system, beam, elements, [0, 0, 0, 0], 0.0)
    hub = system.AddObject(
        ObjectRigidBody2D(physicsMass=1.0, physicsInertia=inertia, nodeNumber=system.AddNode(NodeRigidBody2D()))
    )
    ground, on_hub, on_beam = (
        system.AddMarker(MarkerBodyRigid(bodyNumber=b, localPosition=[0, 0, 0]))
        for b in (system.AddObject(ObjectGround()), hub, made[1][0])
    )
    system.AddObject(RevoluteJoint2D(markerNumbers=[ground, on_hub]))
    system.AddObject(GenericJoint(markerNumbers=[on_hub, on_beam], constrainedAxes=[1, 1, 0, 0, 0, 1]))
    system.AddLoad(Torque(markerNumber=on_hub, loadVector=[0, 0, torque]))
    return _solved(system, sensor, times, h, spectral_radius=0.9)  # without damping its constraint forces grow


def _solved(
    system: Any, sensor: int, times: Array, h: float, method: Any = None, spectral_radius: float = 1.0
) -> Found:
    system.Assemble()
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps, s.timeIntegration.endTime = round(times[-1] / h), float(times[-1])
    s.timeIntegration.verboseMode, s.displayComputationTime = 0, False
    s.timeIntegration.generalizedAlpha.spectralRadius = spectral_radius
    s.solutionSettings.writeSolutionToFile = False
    s.solutionSettings.sensorsWritePeriod = float(times[1] - times[0])
    s.parallel.numberOfThreads = 1
    begin = time.perf_counter()
    system.SolveDynamic(s, solverType=exu.DynamicSolverType.GeneralizedAlpha if method is None else method)
    spent = time.perf_counter() - begin
    data = system.GetSensorStoredData(sensor)
    return spent, np.stack([np.interp(times, data[:, 0], data[:, k]) for k in (1, 2, 3)], axis=1)
