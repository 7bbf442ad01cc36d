"""# Chaplygin sleigh

Subjects: rolling, nonholonomic

A sleigh slides on a knife edge. Energy is conserved, yet the motion converges to an asymptotically stable
one: straight ahead with the mass centre in front of the knife. Nonholonomic systems need not preserve volume
in phase space.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("Chaplygin sleigh")
x, y, yaw = m.coordinates("x y yaw")
a, mass, J = m.parameters("a m J", 0.2, 1.0, 0.05)
knife = m.ground.translate(x, y, 0).rotate("z", yaw)
v, w = m.speed("v", x.dot * sb.cos(yaw) + y.dot * sb.sin(yaw)), m.speed("w", yaw.dot)
side = m.speed("side", -x.dot * sb.sin(yaw) + y.dot * sb.cos(yaw))
m.body("sleigh", knife, mass=mass, com=(a, 0, 0), inertia=(0.01, J, J), physical=False)
m.constrain_speed("knife", side)
eq = sb.derive(m)
print(sb.minimal(eq).readable)

# %%
sim = sb.simulate(eq, 12, v=-0.3, w=1.5)
assert np.ptp(sim.energy) < 1e-8
assert sim["v"][-1] > 0
assert abs(sim["w"][-1]) < 1e-3
sb.plot(sim, "y", over="x")

# %%
sim.plot("v", "w")

# %%
sim.scene(
    shapes={
        "sleigh": [sb.box(0.5, 0.2, 0.04, at=(0.2, 0, 0.06)), sb.box(0.1, 0.01, 0.06)]
    },
    traces=["sleigh"],
)
