"""Muscles of a measured gait with their activation dynamics (MocoInverse; Dembia and others 2020, table 1): 80 muscles
with rigid tendons, 19 degrees of freedom, 25 intervals from 0.83 to 2 s. Coordinates are those of the measurement, so
that moments, lengths and moment arms are tables over time; excitations and reserves have the least ∫ Σ x² dt, and
activations begin at their excitations.

The folder of `motion_moco.py` has the model and the measurements; `opensim` rewrites the model in its present format,
and gives the same problem to MocoInverse.

With forces and moment arms of OpenSim's muscles the least cost is 3.5122. MocoInverse stops 37 % above it, at 4.8045, with
the tolerance of the article (1e-2; its barrier is 1.4e-3 at each of 18 000 bounds), and 0.13 % above it, at 3.5168, with
1e-4. With our own paths the cost is 3.6154: OpenSim's gastrocnemii, over two cylinders in one gap, are up to 5.8 mm shorter
than the polygon through their own points (docs/biomechanics.md), which changes their active forces by up to 30 %; all
others agree to 0.15 % of their largest.
"""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.kits import biomechanics as bio
from symbody.kits.biomechanics.measured.static_optimisation import muscle_functions

Array = np.ndarray[Any, np.dtype[np.float64]]
GAIT_INTERVALS: Final = 25
CYCLE: Final = (0.83, 2.0)
MOCO_TOLERANCE: Final = 1e-4  # 1e-2 in the article
MOCO_COST: Final = 3.516771  # with this tolerance
RESERVES: Final = {  # largest generalised forces of the reserves, which have the cost of one there
    "*": 2.5, "pelvis_tilt": 60, "pelvis_list": 30, "pelvis_rotation": 15, "pelvis_tx": 100, "pelvis_ty": 200, "pelvis_tz": 35,
    "lumbar_extension": 50, "lumbar_bending": 50, "lumbar_rotation": 20, "hip_rotation_?": 0.5,
}  # fmt: skip
WELDED: Final = ("subtalar_r", "mtp_r", "subtalar_l", "mtp_l")


def walking_model(folder: Path, to: Path) -> Path:
    """The model of the article in the present format of OpenSim, with muscles of De Groote and Fregly without passive
    forces and with rigid tendons."""
    osim: Any = importlib.import_module("opensim")
    osim.Logger.setLevelString("Error")
    osim.Logger.removeFileSink()
    steps = osim.ModelProcessor(str(folder / "subject_walk_armless_80musc.osim"))
    steps.append(osim.ModOpReplaceJointsWithWelds(osim.StdVectorString(list(WELDED))))
    steps.append(osim.ModOpReplaceMusclesWithDeGrooteFregly2016())
    steps.append(osim.ModOpIgnorePassiveFiberForcesDGF())
    steps.append(osim.ModOpIgnoreTendonCompliance())
    steps.append(osim.ModOpFiberDampingDGF(0))
    steps.process().printToXML(str(to / "walk.osim"))
    return to / "walk.osim"


def reserve_sizes(names: Any) -> list[float]:
    return [next(size for k, size in reversed(RESERVES.items()) if fnmatchcase(n, k)) for n in names]


@dataclass(frozen=True, eq=False)
class MeasuredGait:
    """A subject, its motion at the nodes of Hermite and Simpson, and the moments that the measured loads leave."""

    subject: Any
    motion: Any
    wanted: Array

    def muscle_tables(self) -> tuple[Array, Array]:
        """Forces of fully activated muscles, and their moment arms by coordinate."""
        active, _, arms = muscle_functions(self.subject._functions, self.motion, "opensim", False)
        return active, arms


def measured_gait(folder: Path, model: Path) -> MeasuredGait:
    subject = bio.Subject(sb.read_osim(model))
    at = np.linspace(*CYCLE, 2 * GAIT_INTERVALS + 1)
    motion = subject.motion(sb.formats.read_motion(folder / "coordinates.mot"), cutoff=6, times=at)
    plates = sb.formats.read_motion(folder / "grf_walk_smoothed.mot")
    loads = [bio.ExternalForce(f"calcn_{c}", plates, f"ground_force_{c}_v", f"ground_force_{c}_p", f"ground_torque_{c}_") for c in "rl"]  # fmt: skip
    return MeasuredGait(subject, motion, subject.inverse_dynamics(motion, loads).values)


def gait(measured: MeasuredGait, tables: tuple[Array, Array]) -> Any:
    """The problem, with `muscle_tables` of ours or of OpenSim."""
    subject, wanted, at = measured.subject, measured.wanted, measured.motion.t
    muscles, made = list(subject.model.muscles), tables[1] * tables[0][:, :, None]
    a, e, c = (sb.symbols(" ".join(f"{k}_{n}" for n in names), kind="variable") for k, names in (("a", muscles), ("e", muscles), ("c", subject.names)))  # fmt: skip
    rates = {x: bio.activation_rate(u, x, times=(0.01, 0.04), smoothing=0.1) for x, u in zip(a, e, strict=True)}
    eq = sb.from_equations(rates, inputs=[*e, *c])
    problem = sb.kits.motions.Problem("gait")
    walk = problem.phase("walk", eq, CYCLE[1] - CYCLE[0])
    walk.bounds(dict.fromkeys((*a, *e), (0.01, 1.0))).bounds(dict.fromkeys(c, (-1.0, 1.0))).guess(
        dict.fromkeys((*a, *e), 0.05)
    )
    for j, (name, size) in enumerate(zip(subject.names, reserve_sizes(subject.names), strict=True)):
        moment: Any = size * c[j] - _table(f"wanted_{name}", at, wanted[:, j])(eq.t)
        for i, muscle in enumerate(muscles):
            if np.abs(made[:, i, j]).max() > 1e-6:
                moment = moment + _table(f"of_{muscle}_{name}", at, made[:, i, j])(eq.t) * a[i]
        walk.path(f"balance of {name}", moment / 10, low=0, high=0)
    effort = sum((u * u for u in (*e, *c)), sb.algebra.as_expr(0))
    walk.cost("effort", integral=effort)
    for name, u, x in zip(muscles, e, a, strict=True):
        walk.condition(f"activation of {name}", u - x, at="start")
    return problem


def _table(name: str, at: Any, values: Any) -> Any:
    return sb.integrate.interpolation(name, at - at[0], values, "linear")


def tables_by_opensim(model: Path, names: Sequence[str], q: Array, u: Array) -> tuple[Array, Array]:
    """`MeasuredGait.muscle_tables` of OpenSim at coordinates q with rates u; kneecaps turn with their knees."""
    osim: Any = importlib.import_module("opensim")
    osim.Logger.setLevelString("Error")
    osim.Logger.removeFileSink()
    m = osim.Model(str(model))
    state, column = m.initSystem(), {n: k for k, n in enumerate(names)}
    coordinates = {c.getName(): c for c in m.getCoordinateSet()}
    muscles = list(m.getMuscles())
    active, arms = np.zeros((len(q), len(muscles))), np.zeros((len(q), len(muscles), len(names)))
    for k in range(len(q)):
        for name, c in coordinates.items():
            j = column[name.removesuffix("_beta")]
            c.setValue(state, float(q[k, j]), False)
            c.setSpeedValue(state, float(u[k, j]))
        for muscle in muscles:
            muscle.setActivation(state, 1.0)
        m.realizeDynamics(state)
        active[k] = [muscle.getTendonForce(state) for muscle in muscles]
        arms[k] = [[muscle.computeMomentArm(state, coordinates[n]) for n in names] for muscle in muscles]
    return active, arms


def gait_by_moco(folder: Path, model: Path) -> tuple[float, float, int]:
    """CPU seconds, cost and iterations of MocoInverse."""
    osim: Any = importlib.import_module("opensim")
    osim.Logger.removeFileSink()
    with tempfile.TemporaryDirectory() as there:
        text = (folder / "grf_walk.xml").read_text().replace("grf_walk.mot", str(folder / "grf_walk_smoothed.mot"))
        (Path(there) / "loads.xml").write_text(text)
        steps = osim.ModelProcessor(_with_reserves(osim, model))
        steps.append(osim.ModOpAddExternalLoads(str(Path(there) / "loads.xml")))
        table = osim.TableProcessor(str(folder / "coordinates.mot"))
        table.append(osim.TabOpLowPassFilter(6))
        table.append(osim.TabOpUseAbsoluteStateNames())
        inverse = osim.MocoInverse()
        inverse.setModel(steps)
        inverse.setKinematics(table)
        inverse.set_initial_time(CYCLE[0])
        inverse.set_final_time(CYCLE[1])
        inverse.set_mesh_interval((CYCLE[1] - CYCLE[0]) / GAIT_INTERVALS)
        inverse.set_kinematics_allow_extra_columns(True)
        inverse.set_convergence_tolerance(MOCO_TOLERANCE)
        begin = time.process_time()
        found = inverse.solve().getMocoSolution()
        return time.process_time() - begin, float(found.getObjective()), int(found.getNumIterations())


def _with_reserves(osim: Any, path: Path) -> Any:
    model = osim.Model(str(path))
    model.initSystem()
    names = [c.getName() for c in model.getCoordinateSet() if not c.getName().endswith("_beta")]
    for name, size in zip(names, reserve_sizes(names), strict=True):
        one = osim.CoordinateActuator(name)
        one.setName(f"reserve_{name}")
        one.setMinControl(-1)
        one.setMaxControl(1)
        one.setOptimalForce(size)
        model.addForce(one)
    model.finalizeConnections()
    return model
