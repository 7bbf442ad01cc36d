"""Actuators by their short names -> the numbers of a general one, on top of what defaults have said of those.

MuJoCo keeps one set of numbers for actuators in each class of defaults, whatever the element was that gave them: a
<position> takes the gain that a <general> of its class has, where it gives no kp of its own, but not that of a
<velocity>.

    position   gain kp, bias -kp l - kv l' (or a damping ratio in the place of kv)      intvelocity   the same, integrated
    velocity   gain kv, bias -kv l'      damper   gain -kv l'      motor   gain 1      cylinder   gain area, a lag
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from ..robot.xml_tree import finite_number


def as_general(tag: str, usual: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Attributes of an actuator of this tag, its own on top of the usual ones; as they are where it is a general one."""
    said = {**usual, **own, KIND: tag}
    words = {"motor": _motor, "position": _position, "velocity": _velocity, "intvelocity": _position, "damper": _damper, "cylinder": _cylinder}  # fmt: skip
    if tag not in words or not all(_is_numbers(own[k]) for k in _READ if k in own):  # whose reader refuses it
        return said
    known = usual if usual.get(KIND, tag) in (tag, "general") else {}  # other short names begin anew
    gain, bias = _padded(known.get("gainprm", "1"), 3), _padded(known.get("biasprm", ""), 3)
    new = words[tag](gain, bias, {k: _padded(own[k], 3) for k in _READ if k in own})
    if tag == "intvelocity":
        new["dyntype"] = "integrator"
    return {**said, **new}


KIND: Final = "<kind>"  # the element by which the numbers were said last; no attribute has such a name
_READ: Final = ("kp", "kv", "dampratio", "timeconst", "area", "diameter", "bias")


def _motor(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    return _said("fixed", [1.0], "none", [0.0], "none")


def _position(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    kp = own["kp"][0] if "kp" in own else gain[0]
    damping = own["dampratio"][0] if "dampratio" in own else -own["kv"][0] if "kv" in own else bias[2]
    new = _said("fixed", [kp, *gain[1:]], "affine", [0.0, -kp, damping])
    if "timeconst" in own:
        lag = own["timeconst"][0]
        new |= {"dyntype": "filterexact" if lag else "none", "dynprm": repr(lag)}
    return new


def _velocity(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    kv = own["kv"][0] if "kv" in own else gain[0]
    return _said("fixed", [kv], "affine", [0.0, 0.0, -kv], "none")


def _damper(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    return _said("affine", [0.0, 0.0, -own.get("kv", [0.0])[0]], "none", [0.0], "none")


def _cylinder(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    area = math.pi * own["diameter"][0] ** 2 / 4 if "diameter" in own else own["area"][0] if "area" in own else gain[0]
    lag = {"dynprm": repr(own["timeconst"][0])} if "timeconst" in own else {}
    return _said("fixed", [area], "affine", own.get("bias", bias), "filter") | lag


def _said(
    gaintype: str, gain: Sequence[float], biastype: str, bias: Sequence[float], dyntype: str | None = None
) -> dict[str, str]:
    words = {"gaintype": gaintype, "gainprm": _joined(gain), "biastype": biastype, "biasprm": _joined(bias)}
    return words if dyntype is None else words | {"dyntype": dyntype}


def _joined(numbers: Sequence[float]) -> str:
    return " ".join(map(repr, numbers))


def _is_numbers(text: str) -> bool:
    return bool(text.split()) and all(finite_number(w) is not None for w in text.split())


def _padded(text: str, count: int) -> list[float]:
    found = [x for w in text.split() if (x := finite_number(w)) is not None]
    return [*found, *([0.0] * (count - len(found)))]
