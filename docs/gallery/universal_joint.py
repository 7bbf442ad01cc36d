"""# Universal joint

Subjects: machines
Reproduces: the ratio of output to input speed varies between cos β and 1/cos β (Cardano, Hooke)

Two shafts at an angle are joined by a cross. The first rotates at constant speed, the second does not: this
is why cars have two such joints or none. The motion of the driving shaft is prescribed; its multiplier is the
torque that keeps the speed constant.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("universal joint")
beta = m.parameter("beta", 0.6)
first = m.body(
    "input shaft", mass=1.0, shape=sb.cylinder(0.02, 0.3, "x", at=(-0.15, 0, 0))
)
second = m.body(
    "output shaft", mass=1.0, shape=sb.cylinder(0.02, 0.3, "x", at=(0.15, 0, 0))
)
turn = m.revolute("turn", m.ground, first, axis="x")
m.universal("cross", first, second, axes=("y", "z"))
axis = m.ground.vector(sb.cos(beta), sb.sin(beta), 0)
m.orthogonal("bearing 1", second.frame.x, m.ground.z)
m.orthogonal("bearing 2", second.frame.x, axis.cross(m.ground.z))
m.prescribe("drive", turn.q, 2 * sb.pi * m.time)
m.output("output rate", second.frame.angular_velocity().dot(second.frame.x))
eq = sb.derive(m)
start = sb.assemble(eq, start={"cross_2": 0.6})
sim = sb.simulate(eq, np.linspace(0, 1, 401), start)
ratio = abs(sim["output rate"]) / (2 * np.pi)
assert abs(ratio.max() - 1 / np.cos(0.6)) < 1e-4
assert abs(ratio.min() - np.cos(0.6)) < 1e-4
sim.plot(["output rate"], ["lam_drive"])

# %%
sim.scene()
