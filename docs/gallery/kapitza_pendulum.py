"""# Kapitza pendulum

Subjects: toys, orbits
Reproduces: the upright position is stable above (a ω)² = 2 g l, to first order in a/l (Stephenson 1908, Kapitza 1951)

Fast vertical vibration of the pivot stabilises a pendulum in the upright position, without feedback or
gyroscopes.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("Kapitza's pendulum")
p = m.parameters(l=0.2, a=0.01, w=300.0, g=9.81, c=0.3)
m.gravity(0, -p.g, 0)
theta = m.coordinate("theta")
pivot = m.ground.translate(0, p.a * sb.cos(p.w * m.time), 0)
bob = m.particle("bob", pivot.rotate("z", theta).point(0, p.l, 0), mass=0.1)
m.generalized_force("air", theta, -p.c * 0.1 * p.l**2 * theta.dot)
eq = sb.derive(m)
eq.readable

# %%
critical = np.sqrt(2 * 9.81 * 0.2) / 0.01
fast = sb.simulate(eq, 6, theta=0.3, w=1.5 * critical)
slow = sb.simulate(eq, 6, theta=0.3, w=0.7 * critical)
assert abs(fast["theta"][-1]) < 0.1
assert abs(slow["theta"][-1]) > 1
sb.plot([fast, slow], "theta")

# %%
fast.scene()
