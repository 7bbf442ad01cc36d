"""Actuators by their short names -> the numbers of a general one, on top of what defaults have said of those.

MuJoCo keeps one set of numbers for actuators in each class of defaults, whatever the element was that gave them: a
<position> takes the gain that a <general> of its class has, where it gives no kp of its own, but not that of a
<velocity>.

    position   gain kp, bias -kp l - kv l' (or a damping ratio in the place of kv)      intvelocity   the same, integrated
    velocity   gain kv, bias -kv l'      damper   gain -kv l'      motor   gain 1      cylinder   gain area, a lag
    muscle     nine numbers as gain and as bias, and time constants
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from ..robot.xml_tree import finite_number


def as_general(tag: str, usual: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Attributes of an actuator of this tag, its own on top of the usual ones; as they are where it is a general one."""
    words = {"muscle": _muscle, "motor": _motor, "position": _position, "velocity": _velocity, "intvelocity": _position, "damper": _damper, "cylinder": _cylinder}  # fmt: skip
    if tag in words and usual.get(KIND, tag) not in (tag, "general"):  # other short names begin anew
        usual = {k: v for k, v in usual.items() if k not in _NUMBERS}
    said = {**usual, **own, KIND: tag}
    if tag not in words or not all(_is_numbers(own[k]) for k in _READ if k in own):  # whose reader refuses it
        return said
    gain, bias = _numbers(usual.get("gainprm", "1"), 3), _numbers(usual.get("biasprm", ""), 3)
    if tag == "muscle":
        bias = _numbers(usual.get("dynprm", "1"), 3)
    new = words[tag](gain, bias, {k: _numbers(own[k], 3) for k in _READ if k in own})
    if tag == "intvelocity":
        new["dyntype"] = "integrator"
    return {**said, **new}


MUSCLE: Final = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2)
"""Range of lengths by the optimal one, peak force, its scale, and the numbers of MUSCLE_WORDS after those."""
MUSCLE_TIMES: Final = (0.01, 0.04, 0.0)
MUSCLE_WORDS: Final = ("force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")
KIND: Final = "<kind>"  # the element that gave the numbers last; no attribute has such a name
_NUMBERS: Final = ("dyntype", "dynprm", "gaintype", "gainprm", "biastype", "biasprm")
_READ: Final = ("kp", "kv", "dampratio", "timeconst", "area", "diameter", "bias", "range", "tausmooth", *MUSCLE_WORDS)


def _muscle(gain: list[float], times: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    """Numbers that are as they are without any class are those of a muscle."""
    plain = [1.0] + [0.0] * 8
    gain = [m if g == p else g for g, p, m in zip(_numbers(_number_text(gain), 9), plain, MUSCLE, strict=False)]
    times = [m if t == p else t for t, p, m in zip(times, plain, MUSCLE_TIMES, strict=False)]
    given = dict(zip((2, 3, 4, 5, 6, 7, 8), (own.get(w, [-1.0])[0] for w in MUSCLE_WORDS), strict=True))
    given |= dict(enumerate(own["range"][:2])) if "range" in own else {}
    gain = [given[k] if given.get(k, -1.0) >= 0 else g for k, g in enumerate(gain)]
    lags = [*own.get("timeconst", [-1.0, -1.0])[:2], own.get("tausmooth", [-1.0])[0]]
    times = [t if lag < 0 else lag for t, lag in zip(times, lags, strict=True)]
    return _gain_and_bias("muscle", gain, "muscle", gain, "muscle") | {"dynprm": _number_text(times)}


def _motor(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    return _gain_and_bias("fixed", [1.0], "none", [0.0], "none")


def _position(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    kp = own["kp"][0] if "kp" in own else gain[0]
    damping = own["dampratio"][0] if "dampratio" in own else -own["kv"][0] if "kv" in own else bias[2]
    new = _gain_and_bias("fixed", [kp, *gain[1:]], "affine", [0.0, -kp, damping])
    if "timeconst" in own:
        lag = own["timeconst"][0]
        new |= {"dyntype": "filterexact" if lag else "none", "dynprm": repr(lag)}
    return new


def _velocity(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    kv = own["kv"][0] if "kv" in own else gain[0]
    return _gain_and_bias("fixed", [kv], "affine", [0.0, 0.0, -kv], "none")


def _damper(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    return _gain_and_bias("affine", [0.0, 0.0, -own.get("kv", [0.0])[0]], "none", [0.0], "none")


def _cylinder(gain: list[float], bias: list[float], own: Mapping[str, list[float]]) -> dict[str, str]:
    area = math.pi * own["diameter"][0] ** 2 / 4 if "diameter" in own else own["area"][0] if "area" in own else gain[0]
    lag = {"dynprm": repr(own["timeconst"][0])} if "timeconst" in own else {}
    return _gain_and_bias("fixed", [area], "affine", own.get("bias", bias), "filter") | lag


def _gain_and_bias(
    gaintype: str, gain: Sequence[float], biastype: str, bias: Sequence[float], dyntype: str | None = None
) -> dict[str, str]:
    words = {"gaintype": gaintype, "gainprm": _number_text(gain), "biastype": biastype, "biasprm": _number_text(bias)}
    return words if dyntype is None else words | {"dyntype": dyntype}


def _number_text(numbers: Sequence[float]) -> str:
    return " ".join(map(repr, numbers))


def _is_numbers(text: str) -> bool:
    return bool(text.split()) and all(finite_number(w) is not None for w in text.split())


def _numbers(text: str, count: int) -> list[float]:
    found = [x for w in text.split() if (x := finite_number(w)) is not None]
    return [*found, *([0.0] * (count - len(found)))]
