"""MuJoCo: its smooth dynamics from its C library, without shapes, contacts and limits."""

from __future__ import annotations

import ctypes
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, Final

import mujoco
import numpy as np

from .. import chain
from ..robots import CASES, Case, relative_error, states
from ..timing import Row
from .building import FLAGS, HERE, address, built, installed
from .driving import Function, times, values
from .pinocchio import reference
from .prepared import sizes_of

Array = Any
FUNCTIONS: Final = (
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
)  # derivatives it has by finite differences only
NOT_MECHANICS: Final = (
    "gazebo",
    "transmission",
    "material",
    "visual",
    "collision",
    "mimic",
    "dynamics",
    "safety_controller",
)


# ---------------------------------------------------------------------------------------------------- models


def xml(case: Case) -> str:
    return chain_xml(case) if case.file is None else robot_xml(case)


def robot_xml(case: Case) -> str:
    """The URDF with what MuJoCo wants: the root link free by a joint, joints held as fixed ones, nothing that is no mechanics.

    Links that are fixed to each other are merged. Inertias that no body has are refused by MuJoCo: their products are left out, which
    shows in the error (hyq, anymal_b).
    """
    root = case.tree()
    for parent in [root, *root.findall("link"), *root.findall("joint")]:
        for child in list(parent):
            if child.tag in NOT_MECHANICS or _is_massless(child):
                parent.remove(child)
    for inertia in root.iterfind("link/inertial/inertia"):
        _make_possible(inertia)
    for joint in root.findall("joint"):
        if joint.get("name") in case.held:
            joint.set("type", "fixed")
    if case.free:
        _free_root(root)
    options = ET.SubElement(ET.SubElement(root, "mujoco"), "compiler")
    options.attrib |= {
        "fusestatic": "true",
        "inertiafromgeom": "false",
        "discardvisual": "true",
        "balanceinertia": "true",
    }
    return ET.tostring(root, encoding="unicode")


def _is_massless(element: ET.Element) -> bool:
    mass = element.find("mass") if element.tag == "inertial" else None
    return mass is not None and float(mass.get("value", "0")) < 1e-6


def _make_possible(inertia: ET.Element) -> None:
    xx, xy, xz, yy, yz, zz = (float(inertia.get(f"i{k}", "0")) for k in "xx xy xz yy yz zz".split())
    if np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[0] <= 0:
        inertia.attrib |= {"ixy": "0", "ixz": "0", "iyz": "0"}


def _free_root(root: ET.Element) -> None:
    children = {c.get("link") for c in root.iterfind("joint/child")}
    top = next(n for link in root.findall("link") if (n := link.get("name")) not in children)
    ET.SubElement(root, "link", name="ground of all")
    joint = ET.SubElement(root, "joint", name="free root", type="floating")
    ET.SubElement(joint, "parent", link="ground of all")
    ET.SubElement(joint, "child", link=str(top))


def chain_xml(case: Case) -> str:
    """In MuJoCo a bar may have two joints, so that no link without mass is needed."""
    bar = chain.BAR.in_floats()
    inertia = f"{bar.transverse} {bar.transverse} {bar.axial}"
    opening = "".join(
        f'<body pos="0 0 {-bar.length if k else 0}"><joint name="x{k}" axis="1 0 0"/><joint name="y{k}" axis="0 1 0"/>'
        f'<inertial pos="0 0 {-bar.half}" mass="{bar.mass}" diaginertia="{inertia}"/>'
        for k in range(case.pendulums)
    )
    return f"<mujoco><worldbody>{opening}{'</body>' * case.pendulums}</worldbody></mujoco>"


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
