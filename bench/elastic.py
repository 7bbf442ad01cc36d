"""Bodies that deform, beside Exudyn: a reduced-order body on the same matrices and modes, and a beam of ANCF elements;
and times of derivation.

A row has both at equal error: for each step of the peer, ours at the loosest tolerance whose error is no larger. Errors
are distances of a point at the end from ours at the tightest tolerance (of the beam: with more modes); times are those
of whole runs of compiled code, the least of several, deriving and compiling not counted (they have rows of their own).
Exudyn runs by the implicit trapezoidal rule (its reduced-order bodies have Euler parameters, and with them a
constraint), with its files and range checks off.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import skfem

import symbody as sb

from .timing import Row

sys.exudynFast = True  # type: ignore[attr-defined]
with contextlib.redirect_stdout(sys.stderr):
    import exudyn as exu
from exudyn.beams import GenerateStraightLineANCFCable2D  # noqa: E402
from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface  # noqa: E402
from exudyn.itemInterface import ObjectANCFCable2D, SensorNode, SensorSuperElement  # noqa: E402

Array = Any
TOLERANCES: Final = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
SPIN: Final = (4.0, 3.0, 40.0)  # rad/s
END: Final = 0.1
SWING: Final = 2.0
BEAM: Final = {"length": 1.0, "EI": 50.0, "rho_A": 1.0, "EA": 1e6}


def rows() -> Iterator[Row]:
    yield from derivations()
    yield from spinning_block()
    yield from swinging_beam()


# ---------------------------------------------------------------------------------------------------- derivation


def block(nx: int = 12) -> sb.FiniteElements:
    grid = (np.linspace(0, 1, nx + 1), np.linspace(-0.025, 0.025, 3), np.linspace(-0.01, 0.01, 2))
    basis = skfem.Basis(skfem.MeshHex.init_tensor(*grid), skfem.ElementVector(skfem.ElementHex2()))
    made = sb.finite_elements(basis, young=2.1e11, poisson=0.3, density=7850.0)
    return made.with_sets(root=made.near(x=0), tip=made.near(x=1.0))


def derivations() -> Iterator[Row]:
    """Milliseconds from a model to its equations; the model is made before."""

    def beam() -> sb.Model:
        m = sb.Model("beam")
        arm = m.beam("arm", length=1.0, EI=m.parameter("EI", 2.0), rho_A=0.5, modes=4)
        m.revolute("hinge", m.ground, arm, axis="z")
        return m

    part = block()
    reduced = {n: part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, modes=n - 6) for n in (8, 20)}

    def body(n: int) -> sb.Model:
        m = sb.Model("body")
        m.free("motion", m.ground, m.elastic_from("arm", reduced[n]))
        return m

    for name, made in (
        ("beam, 4 modes", beam),
        ("finite elements, 8 modes", lambda: body(8)),
        ("finite elements, 20 modes", lambda: body(20)),
    ):
        spent = []
        for _ in range(5):
            m = made()
            begin = time.perf_counter()
            eq = sb.derive(m)
            spent.append(time.perf_counter() - begin)
        yield {"case": f"derive: {name}", "derive_ms": 1e3 * min(spent), "operations": sb.operations(eq.M, eq.f)}
    begin = time.perf_counter()
    part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, modes=14)
    yield {
        "case": f"reduce: {part.size} degrees of freedom to 20",
        "derive_ms": 1e3 * (time.perf_counter() - begin),
        "operations": 0,
    }


# ---------------------------------------------------------------------------------------------------- the same matrices


def spinning_block() -> Iterator[Row]:
    """A free steel bar with eight modes that spins and tumbles; the place of a corner after a tenth of a second."""
    made = block().reduced(method="free", modes=8)
    corner = int((made.skin.nodes @ [1.0, 1.0, 1.0]).argmax())
    m = sb.Model("bar")
    body = m.elastic_from("bar", made)
    m.free("motion", m.ground, body)
    place = body.at(*(float(x) for x in made.skin.nodes[corner])).origin
    eq = sb.derive(m)
    start = dict(zip((s.name for s in eq.u[-3:]), SPIN, strict=True))
    m_out = [sb.simulate(eq, END, rtol=r, atol=1e-4 * r, **start) for r in TOLERANCES]
    best = sb.simulate(eq, END, rtol=1e-12, atol=1e-16, **start)
    ours = Ours(lambda r: sb.simulate(eq, END, rtol=r, atol=1e-4 * r, **start), lambda s: at_end(s, place), m_out, best)
    for h in (2e-4, 1e-4, 5e-5):
        yield from compared(
            "spinning bar, 8 modes",
            ours,
            "Exudyn ObjectFFRFreducedOrder, trapezoidal rule",
            h,
            lambda h: reduced_order(made, corner, h),
        )


def at_end(sim: Any, place: Any) -> Array:
    return np.array([float(np.asarray(sim[e])[-1]) for e in place.in_ground.entries])


class Ours:
    """Our runs by tolerance: errors against the best, and times."""

    def __init__(self, run: Any, read: Any, found: list[Any], best: Any) -> None:
        self.run, self.read, self.best = run, read, read(best)
        self.errors = [float(np.abs(read(s) - self.best).max()) for s in found]

    def at(self, error: float) -> tuple[float, float, float]:
        """Tolerance, seconds and error of the loosest run that is no worse."""
        k = next((i for i, e in enumerate(self.errors) if e <= error), len(self.errors) - 1)
        spent = []
        for _ in range(7):
            begin = time.perf_counter()
            self.run(TOLERANCES[k])
            spent.append(time.perf_counter() - begin)
        return TOLERANCES[k], min(spent), self.errors[k]


def compared(case: str, ours: Ours, peer: str, h: float, run: Any) -> Iterator[Row]:
    spent, found = [], None
    for _ in range(3):
        seconds, found = run(h)
        spent.append(seconds)
    error = float(np.abs(found - ours.best).max())
    rtol, seconds, own = ours.at(error)
    yield {
        "case": case, "seconds": seconds, "error": own, "rtol": rtol, "peer": f"{peer}, h = {h:g}", "peer_seconds": min(spent), "peer_error": error,
        "ratio": min(spent) / seconds,
    }  # fmt: skip


def quiet(end: float, h: float) -> Any:
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps, s.timeIntegration.endTime = round(end / h), end
    s.timeIntegration.verboseMode, s.displayComputationTime = 0, False
    s.solutionSettings.writeSolutionToFile = False
    s.solutionSettings.sensorsWritePeriod = end
    s.parallel.numberOfThreads = 1
    return s


def reduced_order(made: sb.ReducedBody, corner: int, h: float) -> tuple[float, Array]:
    """Matrices, nodes and modes as ours; Euler parameters, for which alone its reduced-order bodies are made."""
    part = block()
    fem = FEMinterface()
    fem.nodes = {"Position": made.skin.nodes}
    fem.massMatrix, fem.stiffnessMatrix = part.mass.tocsr(), part.stiffness.tocsr()
    fem.modeBasis = {"matrix": made.skin.shifts.reshape(made.count, -1).T.copy(), "type": "NormalModes"}
    exu.SetWriteToConsole(False)
    system = exu.SystemContainer().AddSystem()
    cms = ObjectFFRFreducedOrderInterface(fem)
    item = cms.AddObjectFFRFreducedOrder(system, initialAngularVelocity=list(SPIN))
    sensor = system.AddSensor(
        SensorSuperElement(
            bodyNumber=item["oFFRFreducedOrder"],
            meshNodeNumber=corner,
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )
    system.Assemble()
    settings = quiet(END, h)
    begin = time.perf_counter()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.TrapezoidalIndex2)
    spent = time.perf_counter() - begin
    return spent, np.array(system.GetSensorValues(sensor))


# ---------------------------------------------------------------------------------------------------- a beam


def swinging_beam() -> Iterator[Row]:
    """A beam hinged at its beginning that falls from the horizontal; the place of its end after two seconds."""

    def model(modes: int, stretch: int) -> tuple[Any, Any]:
        m = sb.Model("beam")
        given = (
            {**BEAM, "modes": {"y": modes, "x": stretch}}
            if stretch
            else {**{k: v for k, v in BEAM.items() if k != "EA"}, "modes": modes}
        )
        arm = m.beam("arm", ends=("pinned", "pinned"), **given)
        m.revolute("hinge", m.ground, arm, axis="z")
        m.gravity(0, -9.81, 0)
        return sb.derive(m), arm.at(1).origin

    fine, end = model(8, 3)
    best = sb.simulate(fine, SWING, rtol=1e-10)
    ours = []
    for modes, stretch in ((3, 0), (6, 2)):
        eq, place = model(modes, stretch)
        runs = [sb.simulate(eq, SWING, rtol=r) for r in TOLERANCES]
        read = partial(_end_of, best, end, place)
        ours.append((f"swinging beam, {modes + stretch} modes", Ours(partial(_swing, eq), read, runs, best)))
    for elements, h in ((4, 4e-3), (8, 1e-3), (16, 2.5e-4)):
        error = float(np.abs(cable(elements, h)[1] - ours[0][1].best).max())
        case, mine = next((x for x in ours if min(x[1].errors) <= error), ours[-1])
        yield from compared(case, mine, f"Exudyn ANCF cable, {elements} elements", h, partial(cable, elements))


def _swing(eq: Any, rtol: float) -> Any:
    return sb.simulate(eq, SWING, rtol=rtol)


def _end_of(best: Any, end: Any, place: Any, sim: Any) -> Array:
    return at_end(sim, end if sim is best else place)[:2]


def cable(elements: int, h: float) -> tuple[float, Array]:
    exu.SetWriteToConsole(False)
    system = exu.SystemContainer().AddSystem()
    template = ObjectANCFCable2D(
        physicsMassPerLength=BEAM["rho_A"],
        physicsBendingStiffness=BEAM["EI"],
        physicsAxialStiffness=BEAM["EA"],
        useReducedOrderIntegration=1,
    )
    made = GenerateStraightLineANCFCable2D(
        system,
        [0, 0, 0],
        [BEAM["length"], 0, 0],
        elements,
        template,
        massProportionalLoad=[0, -9.81, 0],
        fixedConstraintsNode0=[1, 1, 0, 0],
    )
    sensor = system.AddSensor(
        SensorNode(nodeNumber=made[0][-1], storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
    )
    system.Assemble()
    settings = quiet(SWING, h)
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    begin = time.perf_counter()
    system.SolveDynamic(settings)
    spent = time.perf_counter() - begin
    return spent, np.array(system.GetSensorValues(sensor))[:2]
