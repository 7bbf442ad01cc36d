"""A bicycle without rider on wheels with sharp edges that roll without slip (Lennartsson, 7.4): 3 degrees of freedom.

Where lean and steer are given, the pitch δ of the frame follows from the front wheel touching the ground, but only
through an equation without a closed solution: so δ is a redundant coordinate with one condition. The rear wheel touches
by the choice of coordinates: x and y are where. Numbers are those of the Crescent, a ladies' model. z points down.
"""

import math

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("bicycle")
    x, y, yaw, lean, pitch, steer, rear_spin, front_spin = m.coordinates("x y q3 q1 delta q2 q4 q5")
    p = m.parameters(
        R=0.354, L=1.062, b=0.048, sigma=math.radians(20.09), m1=1.2, jm=1.5,
        m3=8.0, L1=0.6, L2=0.3, J31=1.0, J32=1.5, J33=0.5,
        m4=1.0, G1=0.01, G2=0.35, J41=0.04, J42=0.03, J43=0.01, g=9.80665,
    )  # fmt: skip
    m.gravity(0, 0, p.g)

    track = m.ground.translate(x, y, 0).rotate("z", yaw)
    frame = track.rotate("x", lean).translate(0, 0, -p.R).rotate("y", pitch)
    fork = frame.translate(p.L - p.b, 0, 0).rotate("y", p.sigma).rotate("z", steer)
    front_hub = fork.rotate("y", -p.sigma).translate(p.b, 0, 0)

    axial = p.jm * p.m1 * p.R**2 / 2
    wheel = {"mass": p.m1, "inertia": (axial / 2, axial, axial / 2)}
    m.body("frame", frame, mass=p.m3, com=(p.L1, 0, -p.L2), inertia=(p.J31, p.J32, p.J33))
    m.body("fork", fork, mass=p.m4, com=(p.G1, 0, -p.G2), inertia=(p.J41, p.J42, p.J43))
    rear = m.body("rear wheel", frame.rotate("y", rear_spin), **wheel)
    front = m.body("front wheel", front_hub.rotate("y", front_spin), **wheel)

    m.rolling("rear", rear, p.R, up="-z", contact=track.origin)
    m.rolling("front", front, p.R, up="-z")
    m.output("rear hub", frame.origin.position().components(m.ground))
    return m


# Leaning and steering to the right at 5 m/s, lean and steer changing (everything else is zero).
START = {
    "y": -0.03534103, "q1": 0.1, "delta": -0.0018057423613901877, "q2": 0.2,
    "q3_dot": 0.8758564896389536, "q1_dot": 0.3, "delta_dot": 0.0003959501297331016, "q2_dot": -0.4,
    "q4_dot": -14.124293785310735, "q5_dot": -14.403848947581158,
}  # fmt: skip

if __name__ == "__main__":
    equations = sb.derive(model())
    print(f"{len(equations.u)} speeds, {len(equations.lam)} conditions")
    print("gap under the front wheel:", sb.evaluate(equations.phi, equations.values(0, **START)))
