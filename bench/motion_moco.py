"""Squat to stand (Dembia and others 2020, table 1): 4 degrees of freedom, 9 muscles of which 6 have elastic tendons, from
the model file of the article, with the cost of OpenSim Moco; and the same by Moco in the same run.

`SYMBODY_MOCO_PAPER=.../mocopaper/resources python -m bench motions`; a folder with squat_to_stand_4dof9musc.osim,
and the files of Rajagopal2016 for `motion_gait.py` in a folder of that name or beside it. Moco needs minutes, and the package `opensim`.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.kits import biomechanics as bio

FILE: Final = "squat_to_stand_4dof9musc.osim"
INTERVALS: Final = 50
MOCO_COST: Final = 1.51872
RIGID: Final = ("bifemsh_r", "glut_max2_r", "psoas_r")
SQUAT: Final = {  # joint, angle in degrees at the start, upper bound in rad
    "lumbar_extension": ("back", -22, 0.5),
    "hip_extension_r": ("hip_r", -98, 0.5),
    "knee_extension_r": ("knee_r", -104, 0.0),
    "ankle_plantarflexion_r": ("ankle_r", -30, 0.5),
}
SMALL: Final = 1e-3  # weight of squared accelerations and of squared rates of tendon forces


class ActiveCurves(bio.MuscleCurves):
    """Fibres without passive force, as the article has them."""

    def passive_force(self, length: Any) -> Any:
        return sb.algebra.as_expr(0)


def model_file() -> Path | None:
    folder = os.environ.get("SYMBODY_MOCO_PAPER", "")
    path = Path(folder) / FILE
    return path if folder and path.is_file() else None


def gait_folder(path: Path) -> Path:
    """The folder of the gait's files: Rajagopal2016 beside the model of the squat, as the article has it, or its own."""
    inner = path.parent / "Rajagopal2016"
    return inner if inner.is_dir() else path.parent


def squat_equations(path: Path) -> sb.Equations:
    m, curves = sb.read_osim(path), bio.muscle_curves("opensim")
    active = ActiveCurves(**{f.name: getattr(curves, f.name) for f in dataclasses.fields(curves)})
    options: dict[str, Any] = {"curves": active, "damping": 0.01, "times": (0.01, 0.04), "smoothing": 0.1, "outputs": False}  # fmt: skip
    for name, given in m.muscles.items():  # one leg has the forces of both
        bio.add_muscles(m, [name], max_force=2 * given.max_force, tendon="rigid" if name in RIGID else "elastic", **options)  # fmt: skip
    m.generalized_force("back", m.symbols["lumbar_extension"], 100 * m.input("back"))
    return sb.derive(m)


def squat_to_stand(path: Path) -> Any:
    eq = squat_equations(path)
    problem = sb.kits.motions.Problem("squat to stand")
    stand = problem.phase("stand", eq, (0.1, 2), form="implicit")
    for name, (_, degrees, high) in SQUAT.items():
        a = float(np.deg2rad(degrees))
        stand.bounds({name: (1.5 * a, high), f"{name}_dot": (-50, 50)})
        stand.start({name: a, f"{name}_dot": 0}).end({name: 0, f"{name}_dot": 0})
    z, r = {s.name: s for s in eq.z}, {s.name: s for s in eq.r}
    muscles = [n.removesuffix("_activation") for n in z if n.endswith("_activation")]
    tensions = [s for n, s in z.items() if n.endswith("_tension")]
    for n in muscles:
        stand.bounds({f"{n}_activation": (0.01, 1), f"{n}_excitation": (0.01, 1)})
        stand.guess({f"{n}_activation": 0.05, f"{n}_excitation": 0.05})
    for s in tensions:
        stand.bounds({s: (0, 5), s.name.replace("tension", "speed"): (-1, 1)}).guess({s: 0.1})
    stand.bounds(back=(-1, 1)).cost("effort", integral=_squares(eq.r)).cost("time", integral=1)
    # Moco counts the knee twice: the kneecap turns with it, and has a coordinate of its own
    knee = next(u for u in eq.u if u.name.startswith("knee"))
    stand.cost("accelerations", integral=_squares([*(u.dot for u in eq.u), knee.dot]), weight=SMALL)
    stand.cost("tendons", integral=_squares([s.dot for s in tensions]), weight=SMALL)
    for n in muscles:
        stand.condition(f"start of {n}", r[f"{n}_excitation"] - z[f"{n}_activation"], at="start")
    return problem


def _squares(terms: Any) -> Any:
    return sum((e * e for e in terms), sb.algebra.as_expr(0))


def in_own_process(function: Callable[..., Any], *given: Any) -> Any:
    """OpenSim has a CasADi of its own, which does not load beside another one."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        return other.submit(function, *given).result()


def by_moco(path: Path) -> tuple[float, float, int]:
    """CPU seconds of solving, the cost and iterations of Moco, as the article set it."""
    osim: Any = importlib.import_module("opensim")
    osim.Logger.setLevelString("Error")
    osim.Logger.removeFileSink()
    model = osim.Model(str(path))
    model.finalizeConnections()
    osim.DeGrooteFregly2016Muscle.replaceMuscles(model)
    fibres = {m.getAbsolutePathString(): osim.DeGrooteFregly2016Muscle.safeDownCast(m) for m in model.getMuscles()}
    for fibre in fibres.values():
        fibre.set_max_isometric_force(2 * fibre.get_max_isometric_force())
        fibre.set_ignore_passive_fiber_force(True)
        fibre.set_tendon_compliance_dynamics_mode("implicit")
    study = osim.MocoStudy()
    problem = study.updProblem()
    problem.setModelAsCopy(model)
    problem.setTimeBounds(0, [0.1, 2])
    for name, (joint, degrees, high) in SQUAT.items():
        a = float(np.deg2rad(degrees))
        problem.setStateInfo(f"/jointset/{joint}/{name}/value", [1.5 * a, high], a, 0)
    problem.setStateInfoPattern("/jointset/.*/speed", [], 0, 0)
    problem.addGoal(osim.MocoControlGoal("effort"))
    problem.addGoal(osim.MocoInitialActivationGoal("start"))
    problem.addGoal(osim.MocoFinalTimeGoal("time"))
    solver = study.initCasADiSolver()
    solver.set_multibody_dynamics_mode("implicit")
    solver.set_minimize_implicit_multibody_accelerations(True)
    solver.set_implicit_multibody_accelerations_weight(SMALL)
    solver.set_minimize_implicit_auxiliary_derivatives(True)
    solver.set_implicit_auxiliary_derivatives_weight(SMALL)
    solver.set_num_mesh_intervals(INTERVALS)
    solver.set_optim_convergence_tolerance(1e-3)
    solver.set_optim_constraint_tolerance(1e-3)
    solver.set_optim_finite_difference_scheme("forward")
    solver.set_verbosity(0)
    solver.resetProblem(problem)
    guess = solver.createGuess()
    low = osim.createVectorLinspace(guess.getNumTimes(), 0.05, 0.05)
    force = osim.createVectorLinspace(guess.getNumTimes(), 0.1, 0.1)
    for name, fibre in fibres.items():
        if not fibre.get_ignore_tendon_compliance():
            guess.setState(f"{name}/normalized_tendon_force", force)
        guess.setState(f"{name}/activation", low)
        guess.setControl(name, low)
    solver.setGuess(guess)
    begin = time.process_time()
    found = study.solve()
    return time.process_time() - begin, float(found.getObjective()), int(found.getNumIterations())
