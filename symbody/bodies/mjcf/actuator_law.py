"""Forces of MuJoCo's actuators: gain(l, l') · drive + bias(l, l'), affine both, the drive being the control or an
activation that follows it.

motor      u                  position   kp (u - l) - kv l'          velocity   kv (u - l')
damper     -kv u l'           general    as its gainprm and biasprm say
"""

from __future__ import annotations

from dataclasses import dataclass

from ...algebra.graph import Expr
from .mjcf_tree import Attributes


@dataclass(frozen=True)
class ActuatorLaw:
    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    dynamics: str = "none"  # or "integrator", "filter"
    time_constant: float = 1.0

    def force(self, drive: Expr, length: Expr, rate: Expr) -> Expr:
        return _affine(self.gain, length, rate) * drive + _affine(self.bias, length, rate)


def _affine(c: tuple[float, float, float], length: Expr, rate: Expr) -> Expr:
    return c[0] + c[1] * length + c[2] * rate


def actuator_law(given: Attributes, tag: str) -> ActuatorLaw | str:
    """The law of an element, or what of it is not understood."""
    if any(given.text(k) not in ("", "0") for k in ("dampratio", "user", "actearly") if k == "dampratio"):
        return "with dampratio, which depends on the mass matrix"
    if tag == "motor":
        return ActuatorLaw()
    if tag in ("position", "intvelocity"):
        kp, kv, lag = given.one("kp", 1.0), given.one("kv"), given.one("timeconst")
        law = ActuatorLaw((kp, 0.0, 0.0), (0.0, -kp, -kv))
        if tag == "intvelocity":
            return ActuatorLaw(law.gain, law.bias, "integrator")
        return ActuatorLaw(law.gain, law.bias, "filter", lag) if lag else law
    if tag == "velocity":
        kv = given.one("kv", 1.0)
        return ActuatorLaw((kv, 0.0, 0.0), (0.0, 0.0, -kv))
    if tag == "damper":
        return ActuatorLaw((0.0, 0.0, -given.one("kv", 1.0)))
    if tag == "cylinder":
        area, bias = given.one("area", 1.0), given.several("bias", (0.0, 0.0, 0.0))
        return ActuatorLaw((area, 0.0, 0.0), (bias[0], bias[1], bias[2]), "filter", given.one("timeconst", 1.0))
    return _general(given) if tag == "general" else "that is no general actuator"


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
    return ActuatorLaw(gain, bias, kind, given.several("dynprm", (1.0,))[0])
