"""An arm identified from what was measured on it: UR10e, motions and motor currents published by Mamedov and Mikhel.

`python -m bench.measured_arm FOLDER`, where FOLDER has `ur10e.urdf` and the recordings of their repository
(shamilmamedov/dynamic_calibration: S. Mamedov, S. Mikhel, Practical aspects of model-based collision detection, Frontiers in
Robotics and AI 7, 2020). Speeds and currents go through zero-phase filters of fifth order, accelerations are differences
of filtered speeds, torques are currents times the gains that the authors cite. Parameters come from one motion of thirty
seconds; others, also one from point to point, say how well torques are predicted. Where Pinocchio is installed, the same
least squares with its regressor must leave the same residuals.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.signal import butter, sosfiltfilt

import symbody as sb
from symbody.kits import robots as rb

from .timing import Row

Array = np.ndarray[Any, np.dtype[np.float64]]
GAINS: Final = np.array([14.87, 13.26, 11.13, 10.62, 11.03, 11.47])  # N m/A
TAUGHT: Final = ("ur-20_02_10-30sec_12harm.csv", 635, 3510)
OTHERS: Final = (("ur-20_02_12-50sec_12harm.csv", 355, 5090), ("ur-20_01_17-ptp_10_points.csv", 700, 4200))
FRICTION: Final = ("viscous", "coulomb", "offset")


def measured_arm(folder: Path) -> Iterator[Row]:
    began = time.process_time()
    robot = sb.read_urdf(folder / "ur10e.urdf", parameters="none")
    Y = rb.regressor(sb.derive(robot), friction=FRICTION, rotors=True)
    base = rb.base_parameters(Y)
    q, u, a, _, tau = recorded(folder, *TAUGHT)
    known = [float(sb.evaluate(e, {})) for e in Y.known]
    free = rb.identify_robot(base, q, u, a, tau)
    consistent = rb.identify_robot(base, q, u, a, tau, prior=dict(zip(Y.parameters, known, strict=True)))
    yield {
        "case": "identified",
        "base_parameters": len(base),
        "samples": len(q),
        "seconds": time.process_time() - began,
    }
    for name, first, last in (TAUGHT, *OTHERS):
        q, u, a, raw, _ = recorded(folder, name, first, last)
        for how, found in (("base parameters", free), ("bodies that exist", consistent)):
            seen = found.validated(q, u, a, raw)
            yield {
                "case": name,
                "by": how,
                "explained": seen.explained.round(4).tolist(),
                "rms": seen.rms.round(3).tolist(),
            }
    yield {"case": "residuals beside Pinocchio's regressor", "error": _beside_pinocchio(folder, base)}


def recorded(folder: Path, name: str, first: int, last: int) -> tuple[Array, Array, Array, Array, Array]:
    """Coordinates, speeds, accelerations, torques as they were, and filtered."""
    rows = np.loadtxt(folder / name, delimiter=",")[first - 1 : last]
    u = _filtered(rows[:, 7:13], 0.15)
    a = _filtered(np.gradient(u, rows[:, 0], axis=0), 0.15)
    torques = GAINS * rows[:, 13:19]
    return rows[:, 1:7], u, a, torques, _filtered(torques, 0.20)


def _filtered(x: Array, corner: float) -> Array:
    return np.asarray(sosfiltfilt(butter(5, corner, output="sos"), x, axis=0))


def _beside_pinocchio(folder: Path, base: Any) -> float | None:
    """Largest difference of residuals of plain least squares, of the largest torque; None without Pinocchio."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    q, u, a, _, tau = recorded(folder, *TAUGHT)
    model = pin.buildModelFromUrdf(str(folder / "ur10e.urdf"))
    data = model.createData()
    n = model.nv
    rows = [
        np.hstack(
            [pin.computeJointTorqueRegressor(model, data, *x), *map(np.diag, (x[1], np.sign(x[1]), np.ones(n), x[2]))]
        )
        for x in zip(q, u, a, strict=True)
    ]
    theirs = _left(np.vstack(rows), tau.ravel())
    ours = _left(rb.stacked(base.regressor, q, u, a).reshape(tau.size, -1), tau.ravel())
    return float(np.abs(ours - theirs).max() / np.abs(tau).max())


def _left(A: Array, b: Array) -> Array:
    return b - A @ np.linalg.lstsq(A, b, rcond=1e-9)[0]


if __name__ == "__main__":
    for row in measured_arm(Path(sys.argv[1])):
        print(row)
