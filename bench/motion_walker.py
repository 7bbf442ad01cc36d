"""The walking gait of Kelly's tutorial (SIAM Review 59, 2017, section 6.2): a robot of five links with point feet and the
masses of RABBIT takes a step of 0.5 m in 0.7 s with the least ∫ Σ τ² dt; the swing foot lands with an impact, and the
legs change places. The same by CasADi from positions of the links, with equations, impact and transcription by hand.
"""

from __future__ import annotations

import time
from typing import Any, Final, NamedTuple

import numpy as np

import symbody as sb

from .motion_peers import PeerRun

LENGTH, TORSO = 0.4, 0.2
LINKS: Final = {"torso": (20.0, 2.22, 0.2), "thigh": (6.8, 1.08, 0.163), "shank": (3.2, 0.93, 0.128)}  # kg, kg m², m
STEP, SECONDS, MOST = 0.5, 0.7, 100.0
GUESS: Final = {"shank_1": -0.3, "thigh_1": 0.7, "torso": 0.0, "thigh_2": -0.5, "shank_2": -0.6}  # angles, at the start
INTERVALS: Final = 25


def walker_equations() -> sb.Equations:
    """Leg 1 stands; angles are those of the links beside the vertical, positive to the left."""
    m = sb.Model("five links")
    m.gravity(0, -9.81, 0)
    x, y = m.coordinates("x y")
    angles = m.coordinates(" ".join(GUESS))
    a = dict(zip(GUESS, angles, strict=True))
    hip, feet = m.ground.translate(x, y, 0), {}

    def link(name: str, where: Any, sign: int, angle: Any) -> Any:
        mass, inertia, along = LINKS[name.partition("_")[0]]
        frame = where.rotate("z", angle)
        m.body(name, frame, mass=mass, com=(0, sign * along, 0), inertia=(inertia,) * 3)
        return frame

    torso_torque = sb.algebra.as_expr(0)
    link("torso", hip, 1, a["torso"])
    for k in (1, 2):
        thigh = link(f"thigh_{k}", hip, -1, a[f"thigh_{k}"])
        knee = thigh.translate(0, -LENGTH, 0)
        shank = link(f"shank_{k}", knee.rotate("z", -a[f"thigh_{k}"]), -1, a[f"shank_{k}"])
        feet[k] = shank.point(0, -LENGTH, 0).position().components(m.ground)
        knee_torque, hip_torque = m.input(f"knee_{k}"), m.input(f"hip_{k}")
        m.generalized_force(f"on shank {k}", a[f"shank_{k}"], knee_torque)
        m.generalized_force(f"on thigh {k}", a[f"thigh_{k}"], hip_torque - knee_torque)
        torso_torque = torso_torque - hip_torque
    m.generalized_force("on torso", a["torso"], torso_torque)
    for k, axis in enumerate("xy"):
        m.constrain(f"foot_{axis}", feet[1][k])
        m.output(f"swing_{axis}", feet[2][k])
    return sb.derive(m)


def walker() -> Any:
    eq = walker_equations()
    problem = sb.kits.motions.Problem("walker")
    step = problem.phase("step", eq, SECONDS).bounds(dict.fromkeys(eq.r, (-MOST, MOST)))
    step.bounds(dict.fromkeys(GUESS, (-1.5708, 1.5708))).bounds({f"{n}_dot": (-10, 10) for n in GUESS})
    q = {s.name: s for s in eq.q}
    for k in (1, 2):
        step.path(f"knee {k}", q[f"thigh_{k}"] - q[f"shank_{k}"], low=0)
    up = sb.time_derivative(eq.outputs["swing_y"])
    step.condition("length", "swing_x", STEP)
    step.condition("falls", up, (None, 0.0)).condition("rises", up, (0.0, None), at="start")
    step.cost("effort", integral=sum((r**2 for r in eq.r), sb.algebra.as_expr(0)))
    other = {"shank_1": "shank_2", "thigh_1": "thigh_2"}
    other |= {f"{a}_dot": f"{b}_dot" for a, b in other.items()}
    ends = {**GUESS, **{b: GUESS[a] for a, b in other.items() if a in GUESS}}
    ends |= {a: GUESS[b] for a, b in other.items() if a in GUESS}
    step.guess({n: [GUESS[n], ends[n]] for n in GUESS}).guess(
        {f"{n}_dot": (ends[n] - GUESS[n]) / SECONDS for n in GUESS}
    )
    step.guess(x=[-0.2, 0.2], y=0.75, x_dot=STEP / SECONDS, lam_foot_y=300)
    problem.link(step, step, impact=True, swap=other, free=["x"])
    return problem


def _positions(q: Any, c: Any) -> tuple[list[Any], Any, Any]:
    """Centres of mass of torso, thighs and shanks, and feet, of x, y of the hip and the five angles in the order of
    GUESS."""
    hip = q[:2]

    def up(angle: Any) -> Any:
        return c.vertcat(-c.sin(angle), c.cos(angle))

    s1, t1, torso, t2, s2 = (q[k] for k in range(2, 7))
    centres, feet = [hip + TORSO * up(torso)], []
    for thigh, shank in ((t1, s1), (t2, s2)):
        knee = hip - LENGTH * up(thigh)
        centres += [hip - LINKS["thigh"][2] * up(thigh), knee - LINKS["shank"][2] * up(shank)]
        feet.append(knee - LENGTH * up(shank))
    return centres, feet[0], feet[1]


class _HandWritten(NamedTuple):
    """Functions of angles and their rates: accelerations, place and rising of the swing foot, all coordinates and speeds
    with the hip, and impulses M (u⁺ - u⁻) with the Jacobian of the foot that lands."""

    rates: Any
    foot: Any
    rise: Any
    full: Any
    jump: Any


def _by_hand(c: Any) -> _HandWritten:
    """Lagrange's equations; the hip follows from the foot that stands at the origin."""
    q, v, a, tau = c.SX.sym("q", 7), c.SX.sym("v", 7), c.SX.sym("a", 7), c.SX.sym("tau", 4)
    centres, standing, swinging = _positions(q, c)
    kinetic = potential = 0
    for place, name, k in zip(centres, ("torso", "thigh", "shank", "thigh", "shank"), (4, 3, 2, 5, 6), strict=True):
        mass, inertia, _ = LINKS[name]
        speed = c.jacobian(place, q) @ v
        kinetic += mass * c.dot(speed, speed) / 2 + inertia * v[k] ** 2 / 2
        potential += 9.81 * mass * place[1]
    M = c.hessian(kinetic, v)[0]
    bias = c.jacobian(c.gradient(kinetic, v), q) @ v - c.gradient(kinetic - potential, q)
    knee_1, hip_1, knee_2, hip_2 = (tau[k] for k in range(4))
    force = c.vertcat(0, 0, knee_1, hip_1 - knee_1, -hip_1 - hip_2, hip_2 - knee_2, knee_2)
    angles, turn = c.SX.sym("angles", 5), c.SX.sym("turn", 5)
    whole = c.vertcat(-_positions(c.vertcat(0, 0, angles), c)[1], angles)
    J = c.jacobian(whole, angles)
    rate = J @ turn
    M5, bias5, force5 = c.substitute([M, bias, force], [q, v], [whole, rate])
    right = J.T @ (force5 - bias5 - M5 @ (c.jacobian(rate, angles) @ turn))
    free_foot = c.substitute(swinging, q, whole)
    return _HandWritten(
        c.Function("rates", [angles, turn, tau], [c.solve(J.T @ M5 @ J, right)]),
        c.Function("foot", [angles], [free_foot]),
        c.Function("rise", [angles, turn], [(c.jacobian(free_foot, angles) @ turn)[1]]),
        c.Function("full", [angles, turn], [whole, rate]),
        c.Function("jump", [q, v, a], [M @ (a - v), c.jacobian(standing, q)]),
    )


def by_casadi(intervals: int = INTERVALS) -> PeerRun:
    """Hermite and Simpson on the angles and their rates, with two impulses."""
    import casadi as c

    begin = time.process_time()
    of, n, h, inf = _by_hand(c), intervals, SECONDS / intervals, float("inf")
    z = c.SX.sym("z", (2 * n + 1) * 14 + 2)
    nodes = [(z[k : k + 5], z[k + 5 : k + 10], z[k + 10 : k + 14]) for k in range(0, (2 * n + 1) * 14, 14)]
    x = [c.vertcat(b, w) for b, w, _ in nodes]
    f = [c.vertcat(w, of.rates(b, w, t)) for b, w, t in nodes]
    g = [c.dot(t, t) for _, _, t in nodes]
    cost, rows = 0, []
    for k in range(0, 2 * n, 2):
        rows.append((x[k + 1] - (x[k] + x[k + 2]) / 2 - h / 8 * (f[k] - f[k + 2]), 0.0, 0.0))
        rows.append((x[k + 2] - x[k] - h / 6 * (f[k] + 4 * f[k + 1] + f[k + 2]), 0.0, 0.0))
        cost += h / 6 * (g[k] + 4 * g[k + 1] + g[k + 2])
    rows += [(c.vertcat(b[1] - b[0], b[3] - b[4]), 0.0, inf) for b, _, _ in nodes]
    (b0, w0, _), (b1, w1, _) = nodes[0], nodes[-1]
    (now, after), speeds = of.full(b0, w0), of.full(b1, w1)[1]
    momentum, contact = of.jump(now, speeds[[0, 1, 6, 5, 4, 3, 2]], after)
    rows += [(of.foot(b1) - c.vertcat(STEP, 0), 0.0, 0.0), (of.rise(b1, w1), -inf, 0.0), (of.rise(b0, w0), 0.0, inf)]
    rows += [(b0 - b1[::-1], 0.0, 0.0), (momentum - contact.T @ z[-2:], 0.0, 0.0)]
    quiet: dict[str, Any] = {"ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-8}, "print_time": False}
    whole = {"x": z, "f": cost, "g": c.vertcat(*(e for e, _, _ in rows))}
    solver = c.nlpsol("walker", "ipopt", whole, quiet)
    start, ends = np.array(list(GUESS.values())), np.array(list(GUESS.values())[::-1])
    part = np.linspace(0, 1, 2 * n + 1)[:, None]
    same = np.ones((2 * n + 1, 1))
    guess = np.hstack([start + (ends - start) * part, same * (ends - start) / SECONDS, np.zeros((2 * n + 1, 4))])
    most = np.append((same * ([1.5708] * 5 + [10.0] * 5 + [MOST] * 4)).ravel(), [inf, inf])
    low, high = (np.concatenate([np.full(e.numel(), pair[k]) for e, *pair in rows]) for k in (0, 1))
    built = time.process_time() - begin
    begin = time.process_time()
    found = solver(x0=np.append(guess.ravel(), [0.0, 0.0]), lbx=-most, ubx=most, lbg=low, ubg=high)
    return PeerRun(built, time.process_time() - begin, float(found["f"]), int(solver.stats()["iter_count"]))
