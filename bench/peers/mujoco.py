"""MuJoCo: its smooth dynamics from its C library, without shapes, contacts and limits."""

from __future__ import annotations

import ctypes
import tempfile
from pathlib import Path
from typing import Any, Final

import mujoco
import numpy as np

from ..robots import CASES, Case, relative_error, states
from ..timing import Row
from .building import FLAGS, HERE, address, built, installed
from .driving import Function, times, values
from .mujoco_models import xml
from .pinocchio import reference
from .prepared import sizes_of

Array = Any
FUNCTIONS: Final = (
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
)  # derivatives it has by finite differences only


# ---------------------------------------------------------------------------------------------------- models


def prepared(case: Case, folder: str) -> tuple[Path, Any]:
    """The model as a file of MuJoCo's own kind (its XML has few digits), and itself."""
    given, place = Path(folder, "given.xml"), Path(folder, "model.mjb")
    given.write_text(xml(case))
    spec = mujoco.MjSpec.from_file(str(given))
    spec.option.gravity = [0, 0, -case.gravity]
    model = spec.compile()
    mujoco.mj_saveModel(model, str(place), None)
    return place, model


def order(case: Case, model: Any) -> tuple[list[int], list[int]]:
    """Number in MuJoCo's q, and in its u -> number in those of `robots.py`."""
    at = {name: k for k, name in enumerate(case.joints())}
    names = [model.joint(k).name for k in range(model.njnt)]
    joints = [at[n] for n in names if n in at]
    pose, twist = (7, 6) if case.free else (0, 0)
    return [*range(pose), *(pose + k for k in joints)], [*range(twist), *(twist + k for k in joints)]


# ---------------------------------------------------------------------------------------------------- measuring


def _library() -> ctypes.CDLL:
    package = installed("mujoco", "mujoco")
    binary = next(package.glob("libmujoco.*"))
    words = [*FLAGS, "-shared", "-fPIC", f"-I{package / 'include'}"]
    text = (HERE / "mujoco.c").read_text()
    made = ctypes.CDLL(
        str(built("mujoco", "c", text, words, [str(binary), f"-Wl,-rpath,{package}"], packages=["mujoco"]))
    )
    made.opened.restype, made.opened.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    return made


def measured(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds, and `error` against Pinocchio."""
    case, lib = CASES[robot], _library()
    with tempfile.TemporaryDirectory() as folder:
        place, model = prepared(case, folder)
        own = lib.opened(str(place).encode())
    s, (to_q, to_u) = states(case, count), order(case, model)
    x = s.a if function == "inverse_dynamics" else s.tau
    inputs = [s.q[:, to_q], s.u[:, to_u], x[:, to_u]]
    f, sizes = Function(address(lib, function), own), sizes_of(function, model.nv)
    back = np.argsort(to_u)
    (got,) = values(f, inputs, sizes)
    ordered = got.reshape(-1, model.nv, model.nv)[:, back][:, :, back] if function == "mass_matrix" else got[:, back]
    error = relative_error(ordered, reference(robot, count)[function])
    return {**times(f, inputs, [None] * len(sizes), repeats), "error": error}
