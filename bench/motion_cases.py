"""Problems of optimal control with closed or published optima, as `kits.motions.Problem`; tests and `bench motions` use
them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import symbody as sb

from .motion_bodies import bound, panels, panels_time, slalom
from .motion_examples import SLEW, circular_lap_time, furuta, lap, parking, slew, winding_lap
from .motion_kart import LAP, kart_lap

motions = sb.kits.motions


@dataclass(frozen=True)
class Case:
    """A problem with its method and mesh, the known optimum and where it is from."""

    name: str
    make: Callable[[], Any]
    intervals: int
    method: str
    optimum: float | None
    source: str
    tolerance: float = 1e-4


def brachistochrone() -> Any:
    """The fastest slide from (0, 0) to (2, -2) under g = 9.81."""
    x, y, v, angle = sb.symbols("x y v angle", kind="variable")
    eq = sb.from_equations({x: v * sb.sin(angle), y: -v * sb.cos(angle), v: 9.81 * sb.cos(angle)}, inputs=[angle])
    problem = motions.Problem("brachistochrone")
    slide = problem.phase("slide", eq, duration=(0.1, 5)).start(x=0, y=0, v=0).end(x=2, y=-2)
    slide.bounds(angle=(-0.1, np.pi)).cost("time", integral=1).guess(angle=[0.1, 1.5], v=[0, 6])
    return problem


def cycloid_time(x: float = 2.0, y: float = 2.0, g: float = 9.81) -> float:
    """Time of the cycloid through (x, -y): x = R (φ - sin φ), y = R (1 - cos φ), T = φ sqrt(R / g)."""
    low, high = 1e-6, 2 * np.pi - 1e-6
    for _ in range(200):
        phi = (low + high) / 2
        low, high = (phi, high) if (phi - np.sin(phi)) / (1 - np.cos(phi)) < x / y else (low, phi)
    return float(phi * np.sqrt(y / (1 - np.cos(phi)) / g))


def van_der_pol() -> Any:
    """The oscillator of Van der Pol, brought to rest at least cost with u <= 0.75 in 20 s."""
    x, y, u = sb.symbols("x y u", kind="variable")
    eq = sb.from_equations({x: (1 - y**2) * x - y + u, y: x}, inputs=[u])
    problem = motions.Problem("van der Pol")
    rest = problem.phase("rest", eq, duration=20.0).start(x=0, y=1).bounds(u=(None, 0.75))
    rest.cost("state", integral=x**2 + y**2).cost("input", integral=u**2)
    return problem


def goddard() -> Any:
    """The highest flight of a rocket with drag (Goddard's problem in the scaling of COPS 3)."""
    h, v, m, T = sb.symbols("h v m T", kind="variable")
    drag = 310 * v**2 * sb.exp(-500 * (h - 1))
    eq = sb.from_equations({h: v, v: (T - drag) / m - 1 / h**2, m: -2 * T}, inputs=[T])
    problem = motions.Problem("Goddard")
    climb = problem.phase("climb", eq, duration=(0.01, 1.0)).start(h=1, v=0, m=1).end(m=0.6)
    climb.bounds(h=(1, None), v=(0, None), m=(0.6, 1), T=(0, 3.5)).cost("height", end=-h)
    return problem


def low_thrust() -> Any:
    """The largest circular orbit that a small thrust reaches in 3.32 units of time (Bryson and Ho 1975, section 2.5)."""
    r, u, v, mass, angle = sb.symbols("r u v mass angle", kind="variable")
    push = sb.fraction(1405, 10000) / mass
    eq = sb.from_equations(
        {
            r: u,
            u: v**2 / r - 1 / r**2 + push * sb.sin(angle),
            v: -u * v / r + push * sb.cos(angle),
            mass: -sb.fraction(749, 10000),
        },
        inputs=[angle],
    )
    problem = motions.Problem("low thrust")
    raise_ = problem.phase("raise", eq, duration=3.32).start(r=1, u=0, v=1, mass=1).end(u=0)
    raise_.bounds(r=(0.5, 3), angle=(-np.pi, 2 * np.pi)).condition("circular", v**2 * r - 1).cost("radius", end=-r)
    raise_.guess(angle=[0, 2 * np.pi])
    return problem


def luus_arm() -> Any:
    """Two rods with a load on a table, in the shortest time (Weinreb and Bryson 1985; Luus 2000)."""
    m = sb.Model("arm")
    upper, lower = (
        m.body(f"{name} arm", mass=1, shape=sb.bar(1, "x", at=(sb.fraction(1, 2), 0, 0))) for name in ("upper", "lower")
    )
    m.revolute("shoulder", m.ground, upper, actuation=m.input("at_shoulder"))
    m.revolute("elbow", upper, lower, at=(1, 0, 0), actuation=m.input("at_elbow"))
    m.particle("load", lower.point(1, 0, 0), mass=1)
    problem = motions.Problem("arm")
    reach = problem.phase("reach", sb.derive(m), duration=(1, 10))
    reach.start(shoulder=0, elbow=0.5, shoulder_dot=0, elbow_dot=0)
    reach.end(shoulder=0.522, elbow=0.5, shoulder_dot=0, elbow_dot=0)
    reach.bounds(at_shoulder=(-1, 1), at_elbow=(-1, 1)).cost("time", integral=1)
    return problem


def cart_pole_equations() -> sb.Equations:
    m = sb.Model("cart and pole")
    p = m.parameters(M=1.0, m=0.3, l=0.5, g=9.81)
    m.gravity(0, -p.g, 0)
    cart = m.body("cart", mass=p.M, shape=sb.box(0.3, 0.15, 0.2))
    x = m.prismatic("x", m.ground, cart, axis="x").q
    m.revolute("a", cart, m.particle("pole", mass=p.m), on=(0, p.l, 0))
    m.generalized_force("drive", x, m.input("F"))
    return sb.derive(m)


def cart_pole() -> Any:
    """A pole on a cart swings up in 2 s with the least ∫ F² dt (Kelly 2017, section 6)."""
    eq = cart_pole_equations()
    problem = motions.Problem("cart and pole")
    swing = problem.phase("swing", eq, 2.0).start(x=0, a=0, x_dot=0, a_dot=0).end(x=1, a=np.pi, x_dot=0, a_dot=0)
    swing.bounds(x=(-2, 2), F=(-20, 20)).cost("effort", integral=eq.r[0] ** 2)
    return problem


def balance() -> Any:
    """A pole on a cart is kept upright, with a force and a path that are bounded."""
    eq = cart_pole_equations()
    x, a, v, w = eq.state
    problem = motions.Problem("balance")
    go = problem.phase("go", eq, 1.0).start(x=0, a=np.pi + 0.2, x_dot=0, a_dot=0).bounds(F=(-8, 8)).guess(a=np.pi)
    go.path("end of the rail", x + 0.1 * sb.sin(a), low=-1, high=1)
    go.cost("state", integral=10 * x**2 + 10 * (a - np.pi) ** 2 + v**2 + w**2)
    go.cost("effort", integral=eq.r[0] ** 2, weight=0.05)
    return problem


def _two_links(actuated: str) -> sb.Equations:
    m = sb.Model("two links")
    m.gravity(0, -9.81, 0)
    bodies = [m.body(f"link {k}", mass=1, shape=sb.bar(1, "y", at=(0, -sb.fraction(1, 2), 0))) for k in (1, 2)]
    drives: dict[str, dict[str, Any]] = {"q1": {}, "q2": {}}
    drives[actuated] = {"actuation": m.input("torque")}
    m.revolute("q1", m.ground, bodies[0], **drives["q1"])
    m.revolute("q2", *bodies, at=(0, -1, 0), **drives["q2"])
    return sb.derive(m)


def acrobot() -> Any:
    """Two links with a motor at the elbow swing up in 4 s."""
    eq = _two_links("q2")
    problem = motions.Problem("acrobot")
    swing = (
        problem.phase("swing", eq, 4.0).start(q1=0, q2=0, q1_dot=0, q2_dot=0).end(q1=np.pi, q2=0, q1_dot=0, q2_dot=0)
    )
    swing.bounds(q1=(-7, 7), q2=(-7, 7), torque=(-20, 20)).cost("effort", integral=eq.r[0] ** 2)
    return problem


def pendubot() -> Any:
    """Two links with a motor at the shoulder swing up in 3 s."""
    eq = _two_links("q1")
    problem = motions.Problem("pendubot")
    swing = (
        problem.phase("swing", eq, 3.0).start(q1=0, q2=0, q1_dot=0, q2_dot=0).end(q1=np.pi, q2=0, q1_dot=0, q2_dot=0)
    )
    swing.bounds(q1=(-7, 7), q2=(-7, 7), torque=(-60, 60)).cost("effort", integral=eq.r[0] ** 2)
    return problem


CRANE = {"length": 2.0, "g": 9.81, "time": 4.0, "distance": 3.0}


def crane() -> Any:
    """A trolley carries a load that hangs on a rope over 3 m in 4 s and comes to rest without sway, for small angles."""
    x, v, a, w, push = sb.symbols("x v a w push", kind="variable")
    eq = sb.from_equations({x: v, v: push, a: w, w: -(CRANE["g"] * a + push) / CRANE["length"]}, inputs=[push])
    problem = motions.Problem("crane")
    carry = problem.phase("carry", eq, CRANE["time"]).start(x=0, v=0, a=0, w=0).end(x=CRANE["distance"], v=0, a=0, w=0)
    carry.cost("effort", integral=push**2)
    return problem


def hopper() -> Any:
    """A body on a leg with a foot hops in place: stance and flight of free durations, an impact between them."""
    m = sb.Model("hopper")
    y, l = m.coordinates("y l")
    push = m.input("push")
    m.particle("body", m.ground.point(0, y, 0), mass=1.0)
    m.particle("foot", m.ground.point(0, y - l, 0), mass=0.1)
    m.generalized_force("leg", l, push)
    m.gravity(0, -9.81, 0)
    floor = sb.Contacts(sb.derive(m), sb.Contact("foot", y - l))
    problem = motions.Problem("hopper")
    stance = problem.phase("stance", floor.equations("foot"), (0.05, 1)).bounds(lam_foot=(0, None), l=(0.4, 1))
    flight = problem.phase("flight", floor.equations("free"), (0.1, 1)).bounds(l=(0.4, 1)).guess(y=1, l=0.8)
    stance.cost("effort", integral=push**2).guess(y=0.7, l=0.7, lam_foot=10, push=10)
    flight.cost("effort", integral=push**2).path("above", y - l, low=0).condition(
        "hop", "y_dot", (2.0, 3.0), at="start"
    )
    problem.link(stance, flight)
    problem.link(flight, stance, impact={"lam_foot": (0, None)})
    return problem


def walker_equations() -> sb.Equations:
    """RABBIT (Westervelt and others 2007, table 6.3), in the plane, with its left foot on the ground."""
    m = sb.Model("five links")
    m.gravity(0, -9.81, 0)
    x, y, lean = m.coordinates("x y lean")
    torso = m.body(
        "torso", m.ground.translate(x, y, 0).rotate("z", lean), mass=12, com=(0, 0.24, 0), inertia=(1.33, 1.33, 1.33)
    )
    feet = {}
    for side in ("left", "right"):
        thigh = m.body(f"{side} thigh", mass=6.8, com=(0, -0.11, 0), inertia=(0.47, 0.47, 0.47))
        shank = m.body(f"{side} shank", mass=3.2, com=(0, -0.24, 0), inertia=(0.2, 0.2, 0.2))
        m.revolute(f"hip_{side}", torso, thigh, actuation=m.input(f"hip_torque_{side}"))
        m.revolute(f"knee_{side}", thigh, shank, at=(0, -0.4, 0), actuation=m.input(f"knee_torque_{side}"))
        feet[side] = shank.point(0, -0.4, 0)
    for k, axis in enumerate("xy"):
        m.constrain(f"foot_{axis}", feet["left"].position().components(m.ground)[k])
        m.output(f"swing_{axis}", feet["right"].position().components(m.ground)[k])
    return sb.derive(m)


def walker() -> Any:
    """A step of a walker with five links and point feet: 0.4 m, with the least ∫ τ², the duration free; the swing foot
    lands with an impact, and the legs change places."""
    eq = walker_equations()
    problem = motions.Problem("five links")
    step = problem.phase("step", eq, (0.3, 0.9)).bounds(dict.fromkeys(eq.r, (-150, 150)))
    for side in ("left", "right"):
        step.bounds({f"knee_{side}": (-1.5, -0.05), f"hip_{side}": (-1.2, 1.2)})
        step.guess({f"knee_{side}": -0.3})
    step.bounds(lean=(-0.4, 0.4), lam_foot_y=(0, None)).condition("length", "swing_x", 0.4)
    step.condition("behind", "swing_x", (-0.5, -0.3), at="start")
    step.path("clearance", eq.outputs["swing_y"] - 0.0, low=0).path("grip", eq.lam[0] - 0.6 * eq.lam[1], high=0)
    step.path("grip backwards", -eq.lam[0] - 0.6 * eq.lam[1], high=0)
    step.cost("effort", integral=sum((r**2 for r in eq.r), sb.algebra.as_expr(0)), weight=1e-2)
    step.guess(
        x=[-0.2, 0.2], y=0.78, x_dot=0.8, hip_left=[0.4, -0.1], hip_right=[-0.1, 0.4], lam_foot_y=300, duration=0.5
    )
    legs = {"hip_left": "hip_right", "knee_left": "knee_right"}
    rates = {f"{a}_dot": f"{b}_dot" for a, b in legs.items()}
    problem.link(step, step, impact={"lam_foot_y": (0, None)}, swap={**legs, **rates}, free=["x"])
    return problem


LUUS = 2.9822796  # from the four durations between switches, which the end determines


CASES = (
    Case("brachistochrone", brachistochrone, 20, "hermite-simpson", cycloid_time(), "cycloid", 1e-5),
    Case("van der Pol", van_der_pol, 100, "hermite-simpson", None, ""),
    Case("Goddard", goddard, 60, "radau", -1.01283, "COPS 3 (Dolan, Moré, Munson 2004)", 2e-5),
    Case("low thrust", low_thrust, 40, "hermite-simpson", -1.525, "Bryson and Ho 1975", 1e-3),
    Case("Luus' arm", luus_arm, 60, "radau", LUUS, "switching times; PSOPT 2.98302", 1e-6),
    Case("cart and pole", cart_pole, 40, "hermite-simpson", None, "Kelly 2017"),
    Case("acrobot", acrobot, 60, "hermite-simpson", None, ""),
    Case("pendubot", pendubot, 60, "hermite-simpson", None, ""),
    Case("hopper", hopper, 12, "radau", None, ""),
    Case("five-link walker", walker, 16, "radau", None, "RABBIT"),
    Case("crane", crane, 20, "radau", None, "Gramian of the linear system"),
    Case("Furuta's pendulum", furuta, 40, "hermite-simpson", None, ""),
    Case("slew of a satellite", slew, 40, "radau", SLEW, "Bilimoria and Wie 1993", 3e-4),
    Case("satellite with panels", panels, 60, "radau", panels_time(), "switching times", 5e-5),
    Case("slalom of a motorcycle", slalom, 12, "hermite-simpson", None, ""),
    Case("bound on four legs", bound, 10, "hermite-simpson", None, ""),
    Case("parking", parking, 40, "radau", None, ""),
    Case("lap on a circle", lap, 60, "hermite-simpson", circular_lap_time(), "circle", 1e-6),
    Case("lap of a kart", kart_lap, 500, "trapezoidal", LAP, "Fastest-lap, 500 points", 5e-3),
    Case("winding lap", winding_lap, 250, "hermite-simpson", None, ""),
)
