"""Forces of MuJoCo's actuators: gain(l, l') · drive + bias(l, l'), affine both, the drive being the control or an
activation that follows it. Their numbers are those of gainprm and biasprm, into which `actuator_words.py` translates
other elements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import symbody as sb

from .mjcf_tree import Attributes
from .muscle_law import MuscleLaw, muscle_law


@dataclass(frozen=True)
class ActuatorLaw:
    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    dynamics: str = "none"  # or "integrator", "filter"
    time_constant: float = 1.0
    damping_ratio: float = 0.0  # in the place of the bias's last number, where it is not zero

    def damped(self, inertia: float) -> ActuatorLaw:
        """kv = 2 ζ √(kp m), with m the inertia that the actuator meets where the file shows the robot."""
        if not self.damping_ratio:
            return self
        kv = 2 * self.damping_ratio * math.sqrt(self.gain[0] * inertia)
        return replace(self, bias=(self.bias[0], self.bias[1], -kv), damping_ratio=0.0)

    def activation_rate(self, control: sb.Expr, act: sb.Expr) -> sb.Expr:
        return control if self.dynamics == "integrator" else (control - act) / self.time_constant

    def force(self, drive: sb.Expr, length: sb.Expr, rate: sb.Expr) -> sb.Expr:
        return _affine(self.gain, length, rate) * drive + _affine(self.bias, length, rate)


def _affine(c: tuple[float, float, float], length: sb.Expr, rate: sb.Expr) -> sb.Expr:
    return c[0] + c[1] * length + c[2] * rate


def actuator_law(given: Attributes, tag: str) -> ActuatorLaw | MuscleLaw | str:
    """The law of an element, or what of it is not understood."""
    kinds = {given.text(k, "none") for k in ("dyntype", "gaintype", "biastype")}
    if tag == "muscle" or (tag == "general" and kinds == {"muscle"}):
        return muscle_law(given)
    own = Attributes(given.where, given.element, given.element.attributes)
    for key in ("kp", "kv", "dampratio", "timeconst", "area", "diameter"):
        own.one(key)  # which is in the numbers of a general actuator already, but for what is no number
    if tag == "adhesion":
        return "that is not a general actuator"
    return _general(given)


def _general(given: Attributes) -> ActuatorLaw | str:
    dynamics = given.text("dyntype", "none")
    gaintype, biastype = given.text("gaintype", "fixed"), given.text("biastype", "none")
    if dynamics not in ("none", "integrator", "filter", "filterexact"):
        return f"with dyntype={dynamics!r}"
    if gaintype not in ("fixed", "affine") or biastype not in ("none", "affine"):
        return f"with gaintype={gaintype!r}, biastype={biastype!r}"
    g, b = given.several("gainprm", (1.0, 0.0, 0.0)), given.several("biasprm", (0.0, 0.0, 0.0))
    gain = (g[0], g[1], g[2]) if gaintype == "affine" else (g[0], 0.0, 0.0)
    bias = (b[0], b[1], b[2]) if biastype == "affine" else (0.0, 0.0, 0.0)
    kind = "filter" if dynamics.startswith("filter") else dynamics
    law = ActuatorLaw(gain, bias, kind, given.several("dynprm", (1.0,))[0])
    is_servo = gain[0] == -bias[1] and gain[1:] == (0.0, 0.0) and bias[2] > 0
    return replace(law, bias=(bias[0], bias[1], 0.0), damping_ratio=bias[2]) if is_servo else law
