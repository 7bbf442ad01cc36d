"""Peers of piles from Debian (`apt-get install yade python3-siconos`), in processes of their own Python.

YADE is a discrete element method: soft contacts with Coulomb's friction and tangential springs, explicit steps of half the time of
a pressure wave. A row has the CPU time of its step, and `per_ours_ms`: of as many steps as one of ours is long. Siconos solves
the same nonsmooth problem: its Gauss-Seidel method (NSGS) and our sweeps take the contact problem of one step, both from zero,
and are judged by our residual.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

DEBIAN: Final = "/usr/bin/python3"
LIMIT: Final = 300  # seconds for a peer
YADE: Final = """
import json, math, os, time
given = json.load(open({path!r}))
r, wall = given["radius"], given["wall"]
stone = O.materials.append(FrictMat(young=1e7, poisson=0.3, frictionAngle=math.atan(0.3), density=2500))
for axis, at, sense in ((0, -wall, 1), (0, wall, -1), (1, -wall, 1), (1, wall, -1), (2, 0.0, 1)):
    O.bodies.append(utils.wall(at, axis=axis, sense=sense, material=stone))
for place in given["at"]:
    O.bodies.append(utils.sphere(place, r, material=stone))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()]),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()], [Ip2_FrictMat_FrictMat_FrictPhys()],
        [Law2_ScGeom_FrictPhys_CundallStrack()],
    ),
    NewtonIntegrator(gravity=(0, 0, -9.81), damping=0.0),
]
O.dt = 0.5 * PWaveTimeStep()
steps, spent = int(given["seconds"] / O.dt / 2), []
for _ in range(2):
    began = time.process_time()
    O.run(steps, True)
    spent.append((time.process_time() - began) / steps)
print("ROW", json.dumps({{"dt": O.dt, "spent": spent, "contacts": len([i for i in O.interactions if i.isReal])}}), flush=True)
os._exit(0)
"""
SICONOS: Final = """
import json, sys, time
import numpy as np, scipy.sparse as sp, siconos.numerics as sn
d = np.load(sys.argv[1])
n = len(d["b"])
A = sp.csc_matrix((d["data"], d["indices"], d["indptr"]), shape=(n, n))
problem = sn.FrictionContactProblem(3, A, d["b"].copy(), d["mu"].copy())
options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = int(sys.argv[2])
options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-12
x, v = np.zeros(n), np.zeros(n)
began = time.process_time()
sn.fc3d_driver(problem, x, v, options)
print("ROW", json.dumps({"seconds": time.process_time() - began, "x": x.tolist()}))
"""


def yade(at: NDArray[np.float64], radius: float, wall: float, seconds: float) -> dict[str, Any] | None:
    """Step, CPU time of a step in both halves of a motion, contacts at the end; None where YADE is not installed."""
    if shutil.which("yade") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        given, script = Path(folder) / "given.json", Path(folder) / "balls.py"
        given.write_text(json.dumps({"at": at.tolist(), "radius": radius, "wall": wall, "seconds": seconds}))
        script.write_text(YADE.format(path=str(given)))
        return _row(["yade", "-x", "-n", "-j1", str(script)])


def siconos(A: Any, b: Any, mu: Any, iterations: int) -> dict[str, Any] | None:
    """CPU seconds and forces of so many iterations; None where Siconos is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        problem, script = Path(folder) / "problem.npz", Path(folder) / "solve.py"
        np.savez(problem, data=A.data, indices=A.indices, indptr=A.indptr, b=b, mu=mu)
        script.write_text(SICONOS)
        return _row([DEBIAN, str(script), str(problem), str(iterations)])


def _row(command: list[str]) -> dict[str, Any] | None:
    own = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False, env=own)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = [line for line in done.stdout.splitlines() if line.startswith("ROW ")]
    return json.loads(lines[-1][4:]) if lines else None
