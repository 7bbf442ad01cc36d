"""Robots as MuJoCo reads them, without shapes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Final

import numpy as np

from .. import chain
from ..robots import Case

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


def xml(case: Case) -> str:
    return chain_xml(case) if case.file is None else robot_xml(case)


def robot_xml(case: Case) -> str:
    """The URDF with what MuJoCo wants: the root link free by a joint, joints held as fixed ones, nothing that is no
    mechanics.

    Links that are fixed to each other are merged. Inertias that no body has are refused by MuJoCo: their products are
    left out, which shows in the error (hyq, anymal_b).
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
