"""Sharp's motorcycle as Lot and Da Lio wrote it for MBSymba: nine coordinates, four conditions, two tyre laws.

Two frames joined by a steering axis, two wheels of which only the spin has inertia, tyres whose side force lags. The
front wheel has coordinates of its own (ψ4, φ4, θ4): that keeps every expression short, and costs two conditions, that
its spin axis is the one the fork holds. Two more, on speeds, say that neither wheel slips along its track. z points
down.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("motorcycle")
    x, y, psi, delta, phi, psi4, phi4, theta1, theta4 = m.coordinates("x y psi delta phi psi4 phi4 theta1 theta4")
    tau = m.input("tau")
    p = m.parameters(
        mr=217.45, h=0.6157, Irx=31.18, Irz=21.07, Crxz=1.7355, b=0.4798, Rr=0.3048, iry=1.0508,
        mf=30.65, e=0.0244, f=0.0283, Ifx=1.2338, Ifz=0.4420, Rf=0.3048, ify=0.7186, an=0.1158, eps=0.4715,
        a=0.9485376, j=0.4167186306, k=0.8796329043, Cdelta=6.77, Zf=-1005.3,
        Cr1=15831.0, Cr2=1325.6, Cf1=11174.0, Cf2=938.6, sigma=0.2438, g=9.81,
    )  # fmt: skip
    s, c = sb.sin(p.eps), sb.cos(p.eps)
    lx = -p.an + p.Rf * s
    lz = -(-s * p.k * c + c**2 * p.Rf + s * p.e - p.j + c**2 * p.j + s * p.an) / c
    m.gravity(0, 0, p.g)

    track = m.ground.translate(x, y, 0).rotate("z", psi)
    chassis = track.rotate("x", phi)
    fork = chassis.rotate("y", p.eps).translate(p.a, 0, 0).rotate("z", delta)
    rear_hub = chassis.translate(-p.b, 0, -p.Rr)
    front_track = m.ground.translate(fork.point(lx, 0, lz)).rotate("z", psi4)
    front_hub = front_track.rotate("x", phi4)

    rear = m.body("rear chassis", chassis, mass=p.mr, com=(0, 0, -p.h), inertia=sb.inertia(p.Irx, 0, p.Irz, xz=p.Crxz))
    front = m.body("front chassis", fork, mass=p.mf, com=(p.e, 0, p.f), inertia=(p.Ifx, 0, p.Ifz))
    rear_wheel = m.body("rear wheel", rear_hub.rotate("y", theta1), mass=0, inertia=(0, p.iry, 0))
    front_wheel = m.body("front wheel", front_hub.rotate("y", theta4), mass=0, inertia=(0, p.ify, 0))
    Cr, Cf = rear_hub.point(0, 0, p.Rr), front_hub.point(0, 0, p.Rf)

    m.torque("steering", front, fork.vector(0, 0, tau - p.Cdelta * delta.dot), reacting=rear)
    Zr = -(p.mr + p.mf) * p.g - p.Zf
    m.tyre("Yr", rear_wheel, Cr, track, camber=phi, stiffness=(p.Cr1, p.Cr2), relaxation=p.sigma, load=Zr)
    m.tyre("Yf", front_wheel, Cf, front_track, camber=phi4, stiffness=(p.Cf1, p.Cf2), relaxation=p.sigma, load=p.Zf)

    gap = (fork.y - front_hub.y).components(m.ground)
    m.constrain("spin_x", gap[0])
    m.constrain("spin_z", gap[2])
    m.constrain_speed("no_slip_rear", rear_wheel.velocity_at(Cr).dot(track.x))
    m.constrain_speed("no_slip_front", front_wheel.velocity_at(Cf).dot(front_track.x))
    return m


def straight_running() -> sb.LinearSystem:
    """Near straight running at the speed V, in Sharp's eight states: y1' is the speed across the motorcycle, y' = y1' +
    V ψ."""
    equations, V = sb.derive(model()), sb.symbol("V")
    straight = sb.steady(equations, values={"x_dot": V}, zero=["y", "psi", "phi", "delta"])
    y, psi = sb.symbols("y psi", "coordinate")
    lin = sb.linearize(equations, straight).replace_state("y_dot", "y1_dot", y.dot - V * psi)
    return lin.without(*sb.stability.cyclic_states(lin), "x_dot")


def weave(lin: sb.LinearSystem) -> sb.stability.Mode:
    """At 20 m/s, with the place and heading that Sharp's states leave out."""
    whole = sb.linearize(lin.about.equations, lin.about)
    return next(m for m in whole.modes(V=20) if m.eigenvalue.imag > 0 and 2 < m.frequency < 3)


def figures(lin: sb.LinearSystem) -> dict[str, sb.view.Figure]:
    """Eigenvalues from 1 to 40 m/s (figure 2 of the paper), responses of steering and roll to the steering torque at 20
    m/s (figure 3)."""
    locus, hertz = lin.root_locus(V=(1, 40)), np.geomspace(0.5, 20, 600)
    plane = sb.plot(locus, "plane", title="motorcycle, eigenvalues from 1 to 40 m/s", label="speed [m/s]")
    answers = [lin.frequency_response("tau", angle, hertz, V=20) for angle in ("delta", "phi")]
    return {
        "root_locus": plane.noted(wobble=(-4.4, 50), weave=(-4, 11.5), capsize=(-3.8, -4.7), rear_wobble=(-12, 39.5)),
        "eigenvalues": sb.plot(locus, title="motorcycle, eigenvalues over speed", label="speed [m/s]"),
        "responses": sb.plot(answers, title="motorcycle at 20 m/s, angles [rad] per steering torque [N m]"),
        "nyquist": sb.plot(answers, "nyquist", title="motorcycle at 20 m/s, angles per torque [rad/(N m)]"),
        "weave": sb.plot(weave(lin), "psi", "phi", "delta", title="weave at 20 m/s: yaw, roll and steering angle"),
    }


if __name__ == "__main__":
    lin = straight_running()
    print(
        f"{len(lin.about.equations.q)} coordinates, {len(lin.about.equations.lam)} conditions, states {', '.join(lin.x)}"
    )
    print(lin.modes(V=20))
    print(lin.root_locus(V=(1, 60)))
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures(lin).items():
        print("saved", figure.save(folder / f"motorcycle_{name}.png"))
    print("saved", sb.scene(lin.about.equations, mode=weave(lin), title="weave").save(folder / "motorcycle_weave.html"))
