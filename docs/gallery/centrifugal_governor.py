"""# Centrifugal governor (Watt)

Subjects: machines, bifurcations

Two masses on arms move outwards as the shaft turns faster, and lift a sleeve. Above ω² = g/l they leave the
shaft. Their steady motion follows from the speed; the transient depends on the damping of the sleeve.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("governor")
p = m.parameters(l=0.3, m=0.5, M=1.0, J=0.05, c=4.0, g=9.81)
m.gravity(0, 0, -p.g)
shaft = m.body("shaft", inertia=(0, 0, p.J))
m.revolute("turn", m.ground, shaft, axis="z")
a = m.coordinate("a")
sleeve = m.body(
    "sleeve",
    shaft.frame.translate(0, 0, -2 * p.l * sb.cos(a)),
    mass=p.M,
    shape=sb.cylinder(0.04, 0.08, "z"),
)
for name, side in (("left", -1), ("right", 1)):
    m.particle(
        name, shaft.frame.point(side * p.l * sb.sin(a), 0, -p.l * sb.cos(a)), mass=p.m
    )
m.generalized_force("friction", a, -p.c * p.l**2 * a.dot)
eq = sb.derive(m)
eq.readable

# %% [markdown]
# At a given speed the angle of the arms is cos a = (m + M) g / (m l ω²):

# %%
w = 14.0
steady = sb.steady(eq, {"turn_dot": w}, start={"a": 0.8})
assert abs(np.cos(steady["a"]) - (0.5 + 1.0) * 9.81 / (0.5 * 0.3 * w**2)) < 1e-9
print(sb.linearize(eq, steady, drop="cyclic").modes())

# %%
sim = sb.simulate(eq, 4, a=0.1, turn_dot=18.0)
sim.plot(["a"], ["turn_dot"])

# %%
sim.scene(traces=["left"])
