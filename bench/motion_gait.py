"""Muscles of a measured gait with their activation dynamics (MocoInverse; Dembia and others 2020, table 1): 80 muscles
with rigid tendons, 19 degrees of freedom, 25 intervals from 0.83 to 2 s. Coordinates are those of the measurement, so
that moments, lengths and moment arms are tables over time; excitations and reserves have the least ∫ Σ x² dt.

The folder of `motion_moco.py` has the model and the measurements; `opensim` rewrites the model in its present format,
and gives the same problem to MocoInverse.
"""

from __future__ import annotations

import importlib
import tempfile
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.kits import biomechanics as bio
from symbody.kits.biomechanics.measured.static_optimisation import muscle_functions

GAIT_INTERVALS: Final = 25
CYCLE: Final = (0.83, 2.0)
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


def gait(folder: Path, model: Path) -> Any:
    m = sb.read_osim(model)
    subject, muscles = bio.Subject(m), list(m.muscles)
    at = np.linspace(*CYCLE, 2 * GAIT_INTERVALS + 1)  # the nodes of Hermite and Simpson
    motion = subject.motion(sb.formats.read_motion(folder / "coordinates.mot"), cutoff=6, times=at)
    plates = sb.formats.read_motion(folder / "grf_walk_smoothed.mot")
    loads = [bio.ExternalForce(f"calcn_{c}", plates, f"ground_force_{c}_v", f"ground_force_{c}_p", f"ground_torque_{c}_") for c in "rl"]  # fmt: skip
    wanted = subject.inverse_dynamics(motion, loads).values
    active, _, arms = muscle_functions(subject._functions, motion, "opensim", False)
    made = arms * active[:, :, None]
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
    start = sum(((u - x) ** 2 for u, x in zip(e, a, strict=True)), sb.algebra.as_expr(0))
    walk.cost("effort", integral=effort).cost("start", start=start)
    return problem


def _table(name: str, at: Any, values: Any) -> Any:
    return sb.integrate.interpolation(name, at - at[0], values, "linear")


def gait_by_moco(folder: Path, model: Path) -> tuple[float, float, int]:
    """CPU seconds, cost and iterations of MocoInverse."""
    osim: Any = importlib.import_module("opensim")
    osim.Logger.removeFileSink()
    steps = osim.ModelProcessor(str(model))
    steps.append(osim.ModOpAddExternalLoads(str(folder / "grf_walk.xml")))
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
        inverse.set_convergence_tolerance(1e-2)
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
