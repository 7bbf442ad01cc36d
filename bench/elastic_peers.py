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

from . import flexible_machines as machines

sys.exudynFast = True  # type: ignore[attr-defined]
with contextlib.redirect_stdout(sys.stderr):
    import exudyn as exu
from exudyn.beams import GenerateStraightLineANCFCable2D  # noqa: E402
from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface  # noqa: E402
from exudyn.itemInterface import (  # noqa: E402
    GenericJoint,
    MarkerBodyPosition,
    MarkerBodyRigid,
    MarkerNodePosition,
    NodePoint2D,
    NodeRigidBody2D,
    ObjectANCFCable2D,
    ObjectGround,
    ObjectMassPoint2D,
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
    part: sb.formats.FiniteElements, made: sb.formats.ReducedBody, corner: int, spin: Any, times: Array, h: float
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


def _cable(
    system: Any, section: dict[str, float], ends: Any, elements: int, held: Any = (0, 0, 0, 0), gravity: float = 0.0
) -> Any:
    """Elements along a line: its nodes and elements."""
    template = ObjectANCFCable2D(
        physicsMassPerLength=section["rho_A"],
        physicsBendingStiffness=section["EI"],
        physicsAxialStiffness=section["EA"],
        useReducedOrderIntegration=1,
    )
    return GenerateStraightLineANCFCable2D(
        system, *([*p, 0] for p in ends), elements, template, massProportionalLoad=[0, -gravity, 0], fixedConstraintsNode0=list(held)
    )  # fmt: skip


def _sensor(system: Any, node: int) -> int:
    made: int = system.AddSensor(
        SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
    )
    return made


def _empty() -> Any:
    exu.SetWriteToConsole(False)
    return exu.SystemContainer().AddSystem()


def _hub(system: Any, mass: float, inertia: float, x: float = 0.0) -> int:
    node = system.AddNode(NodeRigidBody2D(referenceCoordinates=[x, 0, 0]))
    made: int = system.AddObject(ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node))
    return made


def _rigid_marker(system: Any, body: int, x: float = 0.0) -> int:
    made: int = system.AddMarker(MarkerBodyRigid(bodyNumber=body, localPosition=[x, 0, 0]))
    return made


def _clamp(system: Any, one: int, other: int) -> None:
    system.AddObject(GenericJoint(markerNumbers=[one, other], constrainedAxes=[1, 1, 0, 0, 0, 1]))


def hinged_cable(beam: dict[str, float], gravity: float, elements: int, times: Array, h: float) -> Found:
    system = _empty()
    nodes = _cable(system, beam, ((0, 0), (beam["length"], 0)), elements, (1, 1, 0, 0), gravity)[0]
    return _solved(system, _sensor(system, nodes[-1]), times, h, spectral_radius=1.0)


def cable_on_a_hub(
    beam: dict[str, float], inertia: float, torque: float, elements: int, times: Array, h: float
) -> Found:
    """A beam clamped to a hub that a torque turns."""
    system = _empty()
    nodes, parts = _cable(system, beam, ((0, 0), (beam["length"], 0)), elements)[:2]
    bodies = (system.AddObject(ObjectGround()), _hub(system, 1.0, inertia), parts[0])
    ground, on_hub, on_beam = (_rigid_marker(system, b) for b in bodies)
    system.AddObject(RevoluteJoint2D(markerNumbers=[ground, on_hub]))
    _clamp(system, on_hub, on_beam)
    system.AddLoad(Torque(markerNumber=on_hub, loadVector=[0, 0, torque]))
    return _solved(system, _sensor(system, nodes[-1]), times, h)


def four_bar(elements: int, times: Array, h: float) -> Found:
    """The four-bar of `flexible_machines`; its coupler's middle."""
    system = _empty()
    pins = machines.PINS
    links = [
        _cable(system, machines.LINKS, (pins[a], pins[b]), elements, gravity=9.81)[0] for a, b in ("AB", "BC", "DC")
    ]
    ground = system.AddObject(ObjectGround())

    def node(link: int, k: int) -> Any:
        return system.AddMarker(MarkerNodePosition(nodeNumber=links[link][k]))

    def fixed(pin: str) -> Any:
        return system.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=[*pins[pin], 0]))

    for pair in (
        [fixed("A"), node(0, 0)],
        [node(0, -1), node(1, 0)],
        [node(1, -1), node(2, -1)],
        [fixed("D"), node(2, 0)],
    ):
        system.AddObject(RevoluteJoint2D(markerNumbers=pair))
    return _solved(system, _sensor(system, links[1][elements // 2]), times, h, spectral_radius=0.95)


def manipulator(elements: int, times: Array, h: float) -> Found:
    """The manipulator of `flexible_machines`; its load."""
    system = _empty()
    a, b = machines.UPPER, machines.UPPER + machines.FORE
    upper, fore = (_cable(system, machines.ARMS, ((p, 0), (q, 0)), elements) for p, q in ((0, a), (a, b)))
    hub, motor, rotor = (
        _hub(system, machines.MASS[n], machines.INERTIA[n], x) for n, x in (("hub", 0.0), ("motor", a), ("rotor", a))
    )
    on_hub, on_motor, on_rotor = (_rigid_marker(system, x) for x in (hub, motor, rotor))
    ground = _rigid_marker(system, system.AddObject(ObjectGround()))
    for pair in ([ground, on_hub], [on_motor, on_rotor]):
        system.AddObject(RevoluteJoint2D(markerNumbers=pair))
    _clamp(system, on_hub, _rigid_marker(system, upper[1][0]))
    _clamp(system, _rigid_marker(system, upper[1][-1], a / elements), on_motor)
    _clamp(system, on_rotor, _rigid_marker(system, fore[1][0]))
    drive, lift = machines.TORQUES
    for marker, torque in ((on_hub, drive), (on_rotor, lift), (on_motor, -lift)):
        system.AddLoad(Torque(markerNumber=marker, loadVector=[0, 0, torque]))
    load = system.AddNode(NodePoint2D(referenceCoordinates=[b, 0]))
    system.AddObject(ObjectMassPoint2D(physicsMass=machines.MASS["load"], nodeNumber=load))
    ends = [system.AddMarker(MarkerNodePosition(nodeNumber=n)) for n in (fore[0][-1], load)]
    system.AddObject(RevoluteJoint2D(markerNumbers=ends))
    return _solved(system, _sensor(system, load), times, h)


def _solved(
    system: Any, sensor: int, times: Array, h: float, method: Any = None, spectral_radius: float = 0.9
) -> Found:
    """By default its method damps what is fast: without that, its constraint forces grow."""
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
