"""# Slider crank

Subjects: machines

The mechanism of piston engines, as described in Neweul-M²: a chain from the slider over the rod to the crank,
whose bearing closes the loop. It has three coordinates, two constraints and one degree of freedom. The
simulation also gives the bearing forces.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("slider crank")
p = m.parameters(r=0.2, l=0.5, m_crank=1.0, m_rod=2.0, m_slider=1.0)
slider = m.body("slider", mass=p.m_slider, shape=sb.box(0.12, 0.08, 0.08))
rod = m.body("rod", mass=p.m_rod, shape=sb.bar(p.l, "x", at=(p.l / 2, 0, 0)))
crank = m.body("crank", mass=p.m_crank, shape=sb.bar(p.r, "x", at=(p.r / 2, 0, 0)))
m.prismatic("x", m.ground, slider)
m.revolute("alpha", slider, rod)
m.revolute("beta", rod, crank, at=(p.l, 0, 0))
m.revolute("bearing", m.ground, crank, on=(p.r, 0, 0))
eq = sb.derive(m)
eq

# %% [markdown]
# The initial guess selects one of the two configurations: the slider to the right of the bearing.

# %%
start = sb.assemble(eq, alpha=2.8, alpha_dot=-1.0, start={"x": 0.6, "beta": 1.4})
sim = sb.simulate(eq, 6, start)
assert sim.violation.position < 1e-12
assert np.ptp(sim.energy) < 1e-7 * sim.energy[0]
force, moment = sim.reaction("bearing", frame="ground")
sim.plot(["x"], ["x_dot"])

# %%
sim.scene(forces=("reactions",))
