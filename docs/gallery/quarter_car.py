"""# Quarter car

Subjects: vehicles

Body and wheel move over a road profile, which is an input: its height and its rate act on the tyre and the
damper. The frequency response from road to body has the two resonances of the textbooks.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("quarter car")
p = m.parameters(m_b=350.0, m_w=40.0, k=2.2e4, c=1500.0, k_t=2e5, c_t=100.0)
w = m.input("w")
wheel = m.body("wheel", mass=p.m_w, shape=sb.cylinder(0.3, 0.2, "y"))
body = m.body("body", mass=p.m_b, shape=sb.box(1.2, 0.8, 0.4))
z_w = m.prismatic("z_w", m.ground, wheel, axis="z", at=(0, 0, 0.3)).q
z_b = m.prismatic("z_b", m.ground, body, axis="z", at=(0, 0, 1.0)).q
strut = p.k * (z_b - z_w) + p.c * (z_b.dot - z_w.dot)
m.generalized_force("strut on body", z_b, -strut)
m.generalized_force("strut on wheel", z_w, strut)
m.generalized_force("tyre", z_w, -p.k_t * (z_w - w) - p.c_t * (z_w.dot - w.dot))
m.output("acceleration", z_b.dot.dot)
eq = sb.derive(m)
eq.readable

# %%
lin = sb.linearize(eq, {})
response = lin.frequency_response("w", "z_b", np.geomspace(0.2, 30, 300))
sb.plot(response)

# %% [markdown]
# At low frequency the body follows the road; the modes of body and wheel lie near √(k/m):

# %%
print(lin.modes())
assert abs(abs(lin.frequency_response("w", "z_b", 1e-3).values[0]) - 1) < 1e-4

# %% [markdown]
# Over a speed bump, given as samples interpolated by a cubic spline:

# %%
t = np.linspace(0, 3, 61)
bump = np.where((t > 0.5) & (t < 1.0), 0.1 * np.sin(np.pi * (t - 0.5) / 0.5) ** 2, 0.0)
sim = sb.simulate(eq, 3, inputs={"w": (t, bump)})
sim.plot(["w", "z_w", "z_b"], ["acceleration"])

# %%
sim.scene()
