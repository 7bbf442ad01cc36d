"""# Bouncing ball

Subjects: impacts, toys
Reproduces: it comes to rest after (1 + e)/(1 - e) √(2 h / g) seconds

Impacts are events with a law. Infinitely many of them occur in a finite time; then the ball is at rest, and
the contact has become a constraint.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("bouncing ball")
g, R = m.parameters("g R", 9.81, 0.05)
m.gravity(0, 0, -g)
ball = m.body("ball", mass=0.1, shape=sb.sphere(R))
z = m.prismatic("z", m.ground, ball, axis="z").q
eq = sb.derive(m)
floor = sb.Contact("floor", z - R, restitution=0.7)
sim = sb.simulate_modes(sb.Contacts(eq, floor), 4, z=1.05)
sim.plot("z")

# %%
rest = (1 + 0.7) / (1 - 0.7) * np.sqrt(2 * 1.0 / 9.81)
assert np.abs(sim["z"][sim.t > 1.001 * rest] - 0.05).max() < 1e-6
print(f"at rest after {rest:.4f} s")
sim.scene()
