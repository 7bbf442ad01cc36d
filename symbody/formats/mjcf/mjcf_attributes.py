"""Attributes of an MJCF file that the reader does not know: a file may say more than is in the model, and the report names
it.

Known are those that are read, and those that do not affect the motion without contacts: how things look, how MuJoCo
solves, its sensors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from ..robot.xml_tree import XmlElement
from .mjcf_tree import MjcfTree

_PLACED: Final = "pos quat axisangle euler xyaxes zaxis"
_SOFT: Final = "solimp solref solimpfriction solreffriction solimplimit solreflimit margin"
_ACTUATED: Final = (
    "name class group user joint jointinparent tendon site refsite cranksite slidersite body gear cranklength lengthrange "
    "ctrllimited ctrlrange forcelimited forcerange actlimited actrange actdim inheritrange armature damping interp nsample"
)
_OF_ACTUATORS: Final = {
    "general": "dyntype dynprm gaintype gainprm biastype biasprm",
    "motor": "",
    "position": "kp kv dampratio timeconst",
    "velocity": "kv",
    "intvelocity": "kp kv dampratio",
    "damper": "kv",
    "cylinder": "area diameter bias timeconst",
    "muscle": "force fpmax fvmax lmax lmin range scale tausmooth timeconst vmax",
    "adhesion": "gain",
}
_TENDON: Final = (
    f"{_SOFT} name class group user actuatorfrclimited actuatorfrcrange limited range material rgba width "
    "armature damping frictionloss springlength stiffness"
)
KNOWN: Final[dict[str, frozenset[str]]] = {
    tag: frozenset(words.split())
    for tag, words in {
        "compiler": "angle assetdir autolimits balanceinertia boundinertia boundmass conflict convexhull discardvisual "
        "eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough savecanonical savecompiled "
        "saveinertial settotalmass strippath texturedir usethread",
        "flag": "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp "
        "filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd override "
        "passive refsafe sensor sensornoise sleep speculative spring warmstart",
        "body": f"{_PLACED} name childclass gravcomp mocap user sleep fuse simple",
        "frame": f"{_PLACED} name childclass",
        "inertial": f"{_PLACED} mass diaginertia fullinertia",
        "joint": f"{_SOFT} name class group user actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis "
        "damping frictionloss limited pos range ref springdamper springref stiffness type "
        "joint coef joint1 joint2 polycoef active",  # also those of a joint in a tendon, and in an equality
        "freejoint": "name group",
        "fixed": _TENDON,
        "spatial": _TENDON,
        "tendon": f"{_TENDON} tendon1 tendon2 polycoef active",
        "connect": f"{_SOFT} name class active anchor body1 body2 site1 site2",
        "weld": f"{_SOFT} name class active anchor body1 body2 site1 site2 relpose torquescale",
        **{tag: f"{_ACTUATED} {own}" for tag, own in _OF_ACTUATORS.items()},
    }.items()
}
NOTHING: Final = ("", "0", "0.0", "false", "auto", "none", "local", "-1")  # values that say what is so without them


def unread_attributes(tree: MjcfTree) -> Counter[str]:
    """attribute of <element> -> how often it is there."""
    found: Counter[str] = Counter()
    tops = [e for tag in ("<compiler>", "<default>", "<worldbody>") for e in tree.sections.get(tag, ())]
    tops += [e for tag in ("option", "tendon", "equality", "actuator") for e in tree.sections.get(tag, ())]
    for e in (e for top in tops for e in _all(top)):
        known = KNOWN.get(e.tag)
        if known is not None:
            unread = (k for k, v in e.attributes.items() if k not in known and v.strip() not in NOTHING)
            found.update(f"{k} of <{e.tag}>" for k in unread)
    return found


def _all(top: XmlElement) -> Iterator[XmlElement]:
    waiting = [top]
    while waiting:
        e = waiting.pop()
        yield e
        waiting += reversed(e.children)
