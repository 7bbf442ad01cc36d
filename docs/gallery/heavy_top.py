"""# Heavy top

Subjects: toys, gyroscopes
Reproduces: a sleeping top becomes unstable below spin² = 4 A m g l / C² (Lagrange)

A symmetric top turns about a fixed point. The equations contain neither its spin angle nor its precession
angle: two integrals of Lagrange.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("top")
p = m.parameters(m=0.5, l=0.08, A=0.004, C=0.0006, g=9.81)
m.gravity(0, 0, -p.g)
top = m.body(
    "top",
    mass=p.m,
    com=(0, 0, p.l),
    inertia=(p.A - p.m * p.l**2, p.A - p.m * p.l**2, p.C),
)
m.spherical("e", m.ground, top, sequence="zxz")
eq = sb.derive(m)
eq.readable

# %% [markdown]
# Released at a tilt it nutates and precesses:

# %%
sim = sb.simulate(eq, 2, e_2=0.4, e_3_dot=300.0)
sim.plot("e_2", "e_1_dot")

# %%
sim.scene(
    traces=[top.point(0, 0, 0.12)],
    shapes={
        "top": [
            sb.cylinder(0.005, 0.12, "z", at=(0, 0, 0.06)),
            sb.disc(0.05, at=(0, 0, 0.08)),
        ]
    },
)

# %% [markdown]
# In the upright position a fast top is stable (it sleeps). With Euler parameters the upright position is not
# singular:

# %%
m = sb.Model("sleeping top")
p = m.parameters(m=0.5, l=0.08, A=0.004, C=0.0006, g=9.81)
m.gravity(0, 0, -p.g)
top = m.body(
    "top",
    mass=p.m,
    com=(0, 0, p.l),
    inertia=(p.A - p.m * p.l**2, p.A - p.m * p.l**2, p.C),
)
m.spherical("e", m.ground, top, sequence="euler parameters")
eq = sb.derive(m)
critical = np.sqrt(4 * 0.004 * 0.5 * 9.81 * 0.08) / 0.0006
for spin, is_stable in ((0.98 * critical, False), (1.02 * critical, True)):
    s = sb.linearize(eq, sb.steady(eq, {"e_wz": spin})).eigenvalues()
    assert (s.real.max() < 1e-6) == is_stable
print(f"wakes below {critical:.4f} rad/s")
