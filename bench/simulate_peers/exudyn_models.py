"""The same systems in Exudyn, as somebody who knows it would build them for speed.

Plane systems are 2D rigid bodies with revolute joints between them; the chain of pendulums is a kinematic tree, which
has minimal coordinates; the crank in space is rigid bodies with Euler parameters and joints of its library. Files and
range checks are off.

Trees run by Runge-Kutta methods (of those that Exudyn has, RK67 needs the least time at equal error). Loops run by the
implicit trapezoidal rule with constraints at the level of speeds; that fails where the row of four-bars is singular,
which runs by the generalised-alpha method with constraints at the level of positions and the spectral radius 0.95 that
Exudyn's own model of two four-bars has.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from examples import spatial_crank

from .cases import BARS, RODS, Array, Case
from .result import Run

sys.exudynFast = True  # type: ignore[attr-defined]  # Exudyn looks here when it is imported, and leaves its range checks out
with contextlib.redirect_stdout(sys.stderr):  # where its greeting is no line of JSON
    import exudyn as exu
from exudyn.itemInterface import (  # noqa: E402
    LoadMassProportional,
    LoadTorqueVector,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerBodyRigid,
    MarkerNodeCoordinate,
    NodeGenericODE2,
    NodePointGround,
    NodeRigidBody2D,
    NodeRigidBodyEP,
    ObjectConnectorCoordinate,
    ObjectGround,
    ObjectJointGeneric,
    ObjectJointRevolute2D,
    ObjectJointSpherical,
    ObjectKinematicTree,
    ObjectRigidBody,
    ObjectRigidBody2D,
)

GRAVITY: Final = 9.81
IMPLICIT: Final = exu.DynamicSolverType.TrapezoidalIndex2
THROUGH_SINGULAR: Final = exu.DynamicSolverType.GeneralizedAlpha
EXPLICIT: Final = exu.DynamicSolverType.RK67
REVOLUTE: Final = {"x": exu.JointType.RevoluteX, "y": exu.JointType.RevoluteY, "z": exu.JointType.RevoluteZ}


@dataclass(frozen=True)
class Built:
    """A system ready to run: how its observables and its energy are read off when it has ended."""

    system: Any
    observed: Callable[[], Array]
    energy: Callable[[], float] | None = None
    is_sparse: bool = False


def exudyn_run(case: Case, steps: int, solver: Any = None, **newton: Any) -> Run:
    """So many equal steps. `solver`: a DynamicSolverType; `newton`: settings of the iteration, such as
    useModifiedNewton."""
    built = BUILDERS[case.name]()
    settings = _settings(case.end, steps, built.is_sparse)
    for name, value in newton.items():
        setattr(settings.timeIntegration.newton, name, value)
    before = built.energy() if built.energy else None
    begin = time.process_time()
    built.system.SolveDynamic(settings, solverType=solver or SOLVERS[case.name])
    seconds = time.process_time() - begin
    after = built.energy() if built.energy else None
    gained = after - before if before is not None and after is not None else None
    return Run(seconds, built.observed(), gained, steps)


def _settings(end: float, steps: int, is_sparse: bool) -> Any:
    s = exu.SimulationSettings()
    s.timeIntegration.endTime, s.timeIntegration.numberOfSteps = end, steps
    s.timeIntegration.automaticStepSize = False
    s.timeIntegration.verboseMode = 0
    s.timeIntegration.newton.useModifiedNewton = True
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.95
    s.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
    s.solutionSettings.writeSolutionToFile = False
    s.solutionSettings.sensorsWritePeriod = end
    s.solutionSettings.solverInformationFileName = ""
    s.linearSolverType = exu.LinearSolverType.EigenSparse if is_sparse else exu.LinearSolverType.EXUdense
    return s


def _system() -> Any:
    exu.SetWriteToConsole(False)
    return exu.SystemContainer().AddSystem()


# ---------------------------------------------------------------------------------------------------- bars in a plane


class _Bars:
    """Uniform bars in a plane, joined at points, with gravity or without."""

    def __init__(self, gravity: float) -> None:
        self.system, self.gravity = _system(), gravity
        self.ground = self.system.AddObject(ObjectGround())
        self.bodies: list[tuple[int, float, float]] = []  # node, mass, inertia

    def bar(self, middle: Array, angle: float, mass: float, inertia: float, speed: Array, rate: float) -> int:
        node = self.system.AddNode(
            NodeRigidBody2D(referenceCoordinates=[*middle, angle], initialVelocities=[*speed, rate])
        )
        body = self.system.AddObject(ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))
        self.bodies.append((node, mass, inertia))
        if self.gravity:
            marker = self.system.AddMarker(MarkerBodyMass(bodyNumber=body))
            self.system.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[0, -self.gravity, 0]))
        return body

    def joined(self, a: int, at: Array, b: int, on: Array) -> None:
        pair = [
            self.system.AddMarker(MarkerBodyPosition(bodyNumber=n, localPosition=[*p, 0]))
            for n, p in ((a, at), (b, on))
        ]
        self.system.AddObject(ObjectJointRevolute2D(markerNumbers=pair))

    def place(self, k: int) -> Array:
        """x, y, angle of a bar."""
        node = self.bodies[k][0]
        return np.array(self.system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)) + self._reference(node)

    def _reference(self, node: int) -> Array:
        return np.array(self.system.GetNode(node)["referenceCoordinates"])

    def rates(self, k: int) -> Array:
        return np.array(self.system.GetNodeOutput(self.bodies[k][0], exu.OutputVariableType.Coordinates_t))

    def energy(self) -> float:
        total = 0.0
        for k, (_, mass, inertia) in enumerate(self.bodies):
            vx, vy, w = self.rates(k)
            total += 0.5 * mass * (vx * vx + vy * vy) + 0.5 * inertia * w * w + mass * self.gravity * self.place(k)[1]
        return total


def _slider_crank() -> Built:
    """Crank 0.2 m and 1 kg, rod 0.5 m and 2 kg, slider 1 kg; no gravity; from the start of the example."""
    bars = _Bars(0.0)
    x, alpha, beta = 0.5690415759823431, 2.787851047700122, 1.4009391570862686
    vx, dalpha, dbeta = -0.8405301122027502, -0.852802865422442, 4.852802865422442
    rod_way, crank_angle, w = np.array([math.cos(alpha), math.sin(alpha)]), alpha + beta, dalpha + dbeta
    crank_way = np.array([math.cos(crank_angle), math.sin(crank_angle)])
    across = np.array([[0, -1], [1, 0]])
    slider_place, slider_speed = np.array([x, 0.0]), np.array([vx, 0.0])
    rod_middle, rod_speed = slider_place + 0.25 * rod_way, slider_speed + 0.25 * dalpha * across @ rod_way
    pin, pin_speed = slider_place + 0.5 * rod_way, slider_speed + 0.5 * dalpha * across @ rod_way
    crank = bars.bar(pin + 0.1 * crank_way, crank_angle, 1.0, 0.04 / 12, pin_speed + 0.1 * w * across @ crank_way, w)
    rod = bars.bar(rod_middle, alpha, 2.0, 2 * 0.25 / 12, rod_speed, dalpha)
    slider = bars.bar(slider_place, 0.0, 1.0, 1e-3, slider_speed, 0.0)
    bars.joined(crank, (0.1, 0), bars.ground, (0, 0))
    bars.joined(rod, (0.25, 0), crank, (-0.1, 0))
    bars.joined(slider, (0, 0), rod, (-0.25, 0))
    ground = bars.system.AddMarker(
        MarkerNodeCoordinate(nodeNumber=bars.system.AddNode(NodePointGround()), coordinate=0)
    )
    for coordinate in (1, 2):  # the slider stays on the line and does not turn
        held = bars.system.AddMarker(MarkerNodeCoordinate(nodeNumber=bars.bodies[2][0], coordinate=coordinate))
        bars.system.AddObject(ObjectConnectorCoordinate(markerNumbers=[ground, held]))
    bars.system.Assemble()

    def observed() -> Array:
        return np.array([bars.place(2)[0], bars.rates(2)[0], bars.rates(0)[2]])

    return Built(bars.system, observed, bars.energy)


def _four_bars() -> Built:
    bars = _Bars(GRAVITY)
    uprights = [bars.bar((k, 0.5), math.pi / 2, 1.0, 1 / 12, (0.5, 0.0), -1.0) for k in range(BARS + 1)]
    levels = [bars.bar((k + 0.5, 1.0), 0.0, 1.0, 1 / 12, (1.0, 0.0), 0.0) for k in range(BARS)]
    for k, rod in enumerate(uprights):
        bars.joined(bars.ground, (k, 0), rod, (-0.5, 0))
    for k, rod in enumerate(levels):
        bars.joined(uprights[k], (0.5, 0), rod, (-0.5, 0))
        bars.joined(rod, (0.5, 0), uprights[k + 1], (0.5, 0))
    bars.system.Assemble()

    def observed() -> Array:
        angle = bars.place(0)[2]
        return np.array([math.cos(angle), math.sin(angle), bars.rates(0)[2]])

    return Built(bars.system, observed, bars.energy, is_sparse=True)


# ---------------------------------------------------------------------------------------------------- trees


def tree(
    parents: list[int],
    joints: list[Any],
    offsets: Array,
    masses: Array,
    inertias: Array,
    middles: Array,
    gravity: Array,
    q: Array,
) -> tuple[Any, int]:
    """A system, and the node of its coordinates. `parents`: the link before each, -1 for the ground."""
    system, n = _system(), len(joints)
    node = system.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0] * n,
            initialCoordinates=list(q),
            initialCoordinates_t=[0.0] * n,
            numberOfODE2Coordinates=n,
        )
    )
    system.AddObject(
        ObjectKinematicTree(
            nodeNumber=node, jointTypes=joints, linkParents=parents,
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n), jointOffsets=exu.Vector3DList(offsets),
            linkInertiasCOM=exu.Matrix3DList(inertias), linkCOMs=exu.Vector3DList(middles), linkMasses=masses, gravity=gravity,
        )
    )  # fmt: skip
    system.Assemble()
    return system, node


def euler_steps(system: Any, count: int) -> None:
    """So many explicit steps, each with one evaluation of the accelerations."""
    system.SolveDynamic(_settings(count * 1e-6, count, is_sparse=False), solverType=exu.DynamicSolverType.ExplicitEuler)


def _coordinates(system: Any, node: int) -> tuple[Array, Array]:
    kinds = exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t
    q, u = (np.array(system.GetNodeOutput(node, kind)) for kind in kinds)
    return q, u


def _double_pendulum() -> Built:
    """Point masses at the ends of rods; the second angle of the tree is relative."""
    joints = [exu.JointType.RevoluteZ] * 2
    offsets, middles = [np.zeros(3), np.array([0, -1.0, 0])], [np.array([0, -1.0, 0])] * 2
    system, node = tree(
        [-1, 0], joints, offsets, [1.0, 1.0], [np.zeros((3, 3))] * 2, middles, [0, -GRAVITY, 0], [0.6, -0.2]
    )

    def absolute() -> tuple[float, float, float, float]:
        (a, b), (w, v) = _coordinates(system, node)
        return a, a + b, w, w + v

    def energy() -> float:
        a, b, w, v = absolute()
        kinetic = w * w + 0.5 * v * v + w * v * math.cos(a - b)
        return kinetic - GRAVITY * (2 * math.cos(a) + math.cos(b))

    return Built(system, lambda: np.array(absolute()), energy)


def _chain() -> Built:
    """Each rod on two hinges with a massless cross between them."""
    n = RODS
    joints = [exu.JointType.RevoluteX, exu.JointType.RevoluteY] * n
    offsets = [np.array([0, 0, float(k > 0 and k % 2 == 0)]) for k in range(2 * n)]
    inertias = [np.zeros((3, 3)), np.diag([1 / 12, 1 / 12, 0.01])] * n
    middles = [np.zeros(3), np.array([0, 0, 0.5])] * n
    parents = list(range(-1, 2 * n - 1))
    system, node = tree(parents, joints, offsets, [0.0, 1.0] * n, inertias, middles, [0, 0, 1.0], [0.1] * (2 * n))

    def observed() -> Array:
        q, _ = _coordinates(system, node)
        R, place = np.eye(3), np.zeros(3)
        for k in range(n):
            (ca, sa), (cb, sb) = ((math.cos(x), math.sin(x)) for x in (q[2 * k], q[2 * k + 1]))
            R = R @ np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]]) @ np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
            place = place + R[:, 2] * (1.0 if k < n - 1 else 0.5)
        return place

    return Built(system, observed)


# ---------------------------------------------------------------------------------------------------- in space


def _spatial_crank() -> Built:
    """Free bodies with Euler parameters; the bearing, the ball, the cross and the guide of the example."""
    system = _system()
    start = spatial_crank.START
    ground = system.AddObject(ObjectGround())
    bodies, nodes = {}, {}
    for name, (mass, inertia) in spatial_crank.BODIES.items():
        pose = [start.get(f"{name}_{c}", 0.0) for c in ("x", "y", "z", "e0", "e1", "e2", "e3")]
        nodes[name] = system.AddNode(NodeRigidBodyEP(referenceCoordinates=pose))
        bodies[name] = system.AddObject(ObjectRigidBody(mass=mass, inertia=[*inertia, 0, 0, 0], nodeNumber=nodes[name]))
        marker = system.AddMarker(MarkerBodyMass(bodyNumber=bodies[name]))
        system.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[0, -GRAVITY, 0]))

    def markers(a: int, at: Array, b: int, on: Array) -> list[int]:
        return [system.AddMarker(MarkerBodyRigid(bodyNumber=n, localPosition=list(p))) for n, p in ((a, at), (b, on))]

    crank, rod, slider = bodies.values()
    # the frame of the bearing has the axis of the crank, x of the ground, as its z; in the crank, which is turned by 90
    # degrees about y, that is z
    turned = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    hinge = ObjectJointGeneric(
        markerNumbers=markers(ground, (0, 0, 0), crank, (-0.25, 0, 0)),
        constrainedAxes=[1, 1, 1, 1, 1, 0],
        rotationMarker0=turned,
    )
    system.AddObject(hinge)
    system.AddObject(ObjectJointSpherical(markerNumbers=markers(crank, (0.25, 0, 0), rod, (-0.9, 0, 0))))
    # y of the rod and z of the slider stay orthogonal: one condition on turning, about x
    system.AddObject(
        ObjectJointGeneric(
            markerNumbers=markers(rod, (0.9, 0, 0), slider, (0, 0, 0)), constrainedAxes=[1, 1, 1, 1, 0, 0]
        )
    )
    system.AddObject(
        ObjectJointGeneric(
            markerNumbers=markers(ground, (0, 0, -0.5), slider, (0, 0, 0)), constrainedAxes=[0, 1, 1, 1, 1, 1]
        )
    )
    drive = system.AddMarker(MarkerBodyRigid(bodyNumber=crank))
    system.AddLoad(LoadTorqueVector(markerNumber=drive, bodyFixed=True, loadVector=[0, 0, -50.0]))
    system.Assemble()

    def observed() -> Array:
        place = system.GetNodeOutput(nodes["slider"], exu.OutputVariableType.Position)
        speed = system.GetNodeOutput(nodes["slider"], exu.OutputVariableType.Velocity)
        pin = system.GetNodeOutput(nodes["crank"], exu.OutputVariableType.Position)
        return np.array([place[0], speed[0], pin[1], pin[2]])

    return Built(system, observed)


BUILDERS: Final[dict[str, Callable[[], Built]]] = {
    "planar double pendulum": _double_pendulum,
    f"{RODS} spherical pendulums": _chain,
    "slider crank": _slider_crank,
    "spatial crank": _spatial_crank,
    f"row of {BARS} four-bars": _four_bars,
}
SOLVERS: Final = {
    "planar double pendulum": EXPLICIT,
    f"{RODS} spherical pendulums": EXPLICIT,
    "slider crank": IMPLICIT,
    "spatial crank": IMPLICIT,
    f"row of {BARS} four-bars": THROUGH_SINGULAR,
}
