"""# Double pendulum (chaos)

Subjects: toys, chaos

Two double pendulums, released a ten-thousandth of a degree apart, move alike for some seconds and then
diverge.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("double pendulum")
p = m.parameters(l=1.0, m=0.5, g=9.81)
m.gravity(0, -p.g, 0)
upper, lower = m.particle("upper", mass=p.m), m.particle("lower", mass=p.m)
m.revolute("q1", m.ground, upper, on=(0, p.l, 0))
m.revolute("q2", upper, lower, on=(0, p.l, 0))
eq = sb.derive(m)
eq.readable

# %%
one, other = (
    sb.simulate(eq, 20, q1=a, q2=0.5, rtol=1e-11) for a in (2.5, 2.5 + 1.7e-6)
)
assert np.ptp(one.energy) < 1e-7
sb.plot([one, other], "q2")

# %% [markdown]
# The distance grows exponentially, at the rate of the largest Lyapunov exponent:

# %%
t = np.linspace(0, 20, 201)
apart = np.linalg.norm(one.at(t).q - other.at(t).q, axis=1)
print(
    f"after 5 s {apart[50]:.1e}, after 10 s {apart[100]:.1e}, after 15 s {apart[150]:.1e}"
)

# %%
one.scene(traces=["lower"])
