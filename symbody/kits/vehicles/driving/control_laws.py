"""Control systems of cars as sampled laws: cruise control, lane keeping, anti-lock brakes, stability control.

Each function returns laws by the names of inputs, for `simulate(eq, t, start, inputs={...})`: digital controllers that
sample the state of a `car`, compute, and hold their outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError
from ..wheels.drivetrain import WHEELS

CREEP: Final = 2.0  # speed in m/s below which anti-lock brakes do nothing: slip is not known there
GRAVITY: Final = 9.81
LEFT: Final = ("fl", "rl")


def _symbols(eq: sb.Equations, where: str, *names: str) -> list[sb.Symbol]:
    """Symbols by name; a car without one is refused with what to build."""
    advice = {"brake": "brakes=True", "x": "place=True", "y": "place=True", "yaw": "place=True"}
    out = []
    for name in names:
        if name not in eq.variables.names:
            built = advice.get(name.split("_")[0], "the names of vh.car")
            raise ModelError(f"{where}: {eq.name!r} has no {name!r}; build the car with {built}, or use these names")
        out.append(eq.variables[name].symbol)
    return out


@answered
def cruise_control(
    eq: sb.Equations, speed: Any, *, gain: float = 1500.0, settling: float = 3.0, torque: tuple[float, float] = (-500.0, 1500.0),
    every: float = 0.02, delay: float = 0.0,
) -> dict[str, sb.SampledLaw]:  # fmt: skip
    """Cruise control: the torque `drive` from the deviation of the speed u and its sum,

        T = gain (e + i),   e = V - u,   i⁺ = i + e every/settling  while T is within its limits

    speed      V, m/s: a number or an expression in t
    gain       N m s/m;  `settling` of the sum, s;  `torque`: limits, N m
    every, delay   of the samples, s

    >>> u, drive = sb.symbols("u drive")
    >>> eq = sb.from_equations({u: drive / 360 - 0.2}, inputs=[drive])
    >>> sim = sb.simulate(eq, 30.0, u=20.0, inputs=vh.cruise_control(eq, 25.0))
    >>> round(sim.final["u"], 3), round(sim["drive"][-1])
    (25.0, 72)

    See also: `SampledLaw`, `lane_keeping`, `car`.
    """
    (u,) = _symbols(eq, "cruise control", "u")
    i = sb.symbol("cruise_sum", "variable")
    e = speed - u
    wanted = gain * (e + i)
    is_free = (wanted > torque[0]) & (wanted < torque[1])
    memory = {i: i + sb.where(is_free, e * every / settling, 0)}
    return {"drive": sb.SampledLaw(wanted, every=every, delay=delay, limits=torque, memory=memory)}


@answered
def lane_keeping(
    eq: sb.Equations, lane: Callable[[Any], Any] | float = 0.0, *, preview: float = 1.0, gain: float = 1.0, limit: float = 0.2,
    rate: float | None = 0.5, every: float = 0.02, delay: float = 0.04,
) -> dict[str, sb.SampledLaw]:  # fmt: skip
    """Lane keeping of a car with place=True: a camera looks ahead by L = u preview,

        δ = gain (y_lane(x_P) - y_P) / L,   P: L ahead of the front axle

    lane      y of the middle of the lane over x: a number, or a function of an expression
    preview   s;  `limit` of the steer angle, rad;  `rate` at which it may change, rad/s
    every, delay   of the samples, s: cameras take some tens of milliseconds

    >>> x, y, yaw, u, delta = sb.symbols("x y yaw u delta")
    >>> rates = {x: u * sb.cos(yaw), y: u * sb.sin(yaw), yaw: u * delta / 2.6, u: 0 * x}
    >>> eq = sb.from_equations(rates, inputs=[delta])
    >>> sim = sb.simulate(eq, 20.0, u=20.0, inputs=vh.lane_keeping(eq, 3.5, preview=2.0))
    >>> round(sim.final["y"], 3)
    3.5

    See also: `SampledLaw`, `preview_driver`, `lane_change`.
    """
    x, y, yaw, u = _symbols(eq, "lane keeping", "x", "y", "yaw", "u")
    L = sb.maximum(u * preview, 5.0)
    ahead = x + L * sb.cos(yaw)
    middle = lane(ahead) if callable(lane) else lane
    steer = gain * (middle - y - L * sb.sin(yaw)) / L
    return {"delta": sb.SampledLaw(steer, every=every, delay=delay, limits=(-limit, limit), rate=rate)}


@answered
def anti_lock(
    eq: sb.Equations, torques: Mapping[str, Any], *, radius: float = 0.31, slip: float = 0.12, release: float = 1.5e4,
    apply: float = 6e3, every: float = 0.005, delay: float = 0.0,
) -> dict[str, sb.SampledLaw]:  # fmt: skip
    """Anti-lock brakes: each torque falls while its wheel slips by more than a limit, and rises otherwise up to the
    torque that the driver requests,

        s = 1 - Ω R / u,   T⁺ = T - release every  if s > slip,  else  min(T + apply every, T_pedal)

    torques    torques that the driver requests at each brake, as `pedal` gives them [N m]
    radius     R, rolling radius, m
    slip       at which a brake is released: near that of the largest force
    release, apply   N m/s

    Below 2 m/s the brakes follow the driver.

    >>> m = sb.Model("braked wheel")
    >>> x, turn = m.coordinates("x fl_spin")
    >>> u, grip = m.speed("u", x.dot), 2e4 * (x.dot - 0.31 * turn.dot) / x.dot
    >>> name = m.kinetic_energy("car", 150 * x.dot**2 + turn.dot**2 / 2)
    >>> on_car = m.generalized_force("grip", x, -grip)
    >>> on_wheel = m.generalized_force("wheel", turn, 0.31 * grip - m.input("brake_fl"))
    >>> eq = sb.derive(m)
    >>> laws = vh.anti_lock(eq, {"brake_fl": 1500.0})
    >>> sim = sb.simulate(eq, 2.0, u=30.0, fl_spin_dot=30 / 0.31, inputs=laws)
    >>> bool((1 - 0.31 * sim["fl_spin_dot"] / sim["u"]).max() < 0.2)
    True

    See also: `pedal`, `stability_control`, `SampledLaw`.
    """
    (u,) = _symbols(eq, "anti-lock brakes", "u")
    laws = {}
    for name, asked in torques.items():
        wheel = name.removeprefix("brake_")
        spin, held = _symbols(eq, "anti-lock brakes", f"{wheel}_spin_dot", name)
        over = u - spin * radius > slip * u
        T = sb.where(over, held - release * every, sb.minimum(held + apply * every, asked))
        law = sb.where(u < CREEP, asked, sb.maximum(T, 0))
        laws[name] = sb.SampledLaw(law, every=every, delay=delay)
    return laws


@answered
def stability_control(
    eq: sb.Equations, steer: Any, *, wheelbase: float = 2.6, understeer: float = 0.002, ratio: float = 0.9,
    friction: float = 0.9, gain: float = 1.2e4, threshold: float = 0.05, torque: float = 2500.0, every: float = 0.01, delay: float = 0.0,
) -> dict[str, sb.SampledLaw]:  # fmt: skip
    """Electronic stability control: the yaw rate r is compared with that of the driver's wish, and one side is braked,

        r_d = u δ_w / (L + K u²),   |r_d| <= μ g / u,   δ_w = ratio δ
        e = r - r_d;   |e| > threshold: T = gain (|e| - threshold) at a wheel on the right for e > 0, on the left for e < 0

    The front wheel is braked where the car oversteers (e r > 0), the rear wheel where it understeers.

    steer      δ, the driver's steer angle: a number, or an expression in t and the state
    wheelbase, understeer, ratio   L, K and the steer angle of the wheels for a radian of δ, as `understeer` finds them
    friction   μ that the controller assumes
    gain       N m s/rad;  `torque`: the largest, N m;  `threshold`: rad/s

    >>> u, r, *brakes = sb.symbols("u r brake_fl brake_fr brake_rl brake_rr")
    >>> left = brakes[0] + brakes[2] - brakes[1] - brakes[3]
    >>> eq = sb.from_equations({u: 0 * u, r: left / 800}, inputs=brakes)
    >>> sim = sb.simulate(eq, 2.0, u=20.0, r=0.5, inputs=vh.stability_control(eq, 0.0))
    >>> round(sim.final["r"], 2), round(sim.max("brake_fl"), 6)
    (0.05, 0.0)

    See also: `anti_lock`, `sine_with_dwell`, `SampledLaw`.
    """
    u, r = _symbols(eq, "stability control", "u", "r")
    speed = sb.maximum(u, 1.0)
    most = friction * GRAVITY / speed
    wish = sb.minimum(sb.maximum(speed * ratio * steer / (wheelbase + understeer * speed**2), -most), most)
    e = r - wish
    strength = gain * sb.maximum(abs(e) - threshold, 0)
    laws = {}
    for wheel in WHEELS:
        _symbols(eq, "stability control", f"brake_{wheel}")
        is_side = e < 0 if wheel in LEFT else e > 0
        is_axle = e * r > 0 if wheel[0] == "f" else e * r <= 0
        laws[f"brake_{wheel}"] = sb.SampledLaw(
            sb.where(is_side & is_axle, strength, 0), every=every, delay=delay, limits=(0.0, torque)
        )
    return laws
