"""# South-pointing chariot

Subjects: gears, toys, rolling, nonholonomic
Reproduces: the figure keeps its direction on any path if the track is as wide as the wheels are high (Lanchester
1947; Needham 1965)

A differential between two wheels turns a figure by half the difference of their angles. On a bend the outer
wheel travels further, and the figure turns back by the angle that the chariot has turned: a compass made of
gears only, and the first known differential.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("south-pointing chariot")
p = m.parameters(r=0.3, track=0.6, m=20.0, m_w=3.0)
x, y, heading, left, right, figure = m.coordinates("x y heading left right figure")
cart = m.body(
    "cart",
    m.ground.translate(x, y, p.r).rotate("z", heading),
    mass=p.m,
    shape=sb.box(0.5, 0.3, 0.05),
)
wheels = {}
for name, spin, side in (("left wheel", left, 1), ("right wheel", right, -1)):
    hub = cart.frame.translate(0, side * p.track / 2, 0)
    wheels[name] = m.body(
        name, hub.rotate("y", spin), mass=p.m_w, shape=sb.cylinder(p.r, 0.02, "y")
    )
    along = hub.origin.velocity().dot(cart.frame.x)
    m.constrain_speed(f"{name} rolls", along - p.r * spin.dot)
m.constrain_speed("no slip sideways", cart.frame.origin.velocity().dot(cart.frame.y))
# the figure turns with the cage of the differential
m.constrain("differential", figure - (left - right) / 2)
man = m.body(
    "figure",
    cart.frame.translate(0, 0, 0.1).rotate("z", figure),
    mass=1.0,
    shape=sb.box(0.3, 0.04, 0.04, at=(0.15, 0, 0.2)),
)
drives = [m.input(n) for n in ("T_left", "T_right")]
for spin, T in zip((left, right), drives, strict=True):
    m.generalized_force(f"drive {spin.name}", spin, T - 0.8 * spin.dot)
m.output("points to", heading + figure)
eq = sb.derive(m)
eq

# %% [markdown]
# Along a winding path, driven by arbitrary torques:

# %%
laws = {"T_left": 3 + 2 * sb.sin(0.9 * eq.t), "T_right": 3 + 2 * sb.sin(1.4 * eq.t + 1)}
sim = sb.simulate(eq, 25, inputs=laws)
turned, off = np.ptp(sim["heading"]), np.abs(sim["points to"]).max()
print(
    f"the cart turned through {np.degrees(turned):.0f}°, the figure by {np.degrees(off):.0e}°"
)
assert turned > 1
assert off < 1e-9
sb.plot(sim, "y", over="x")

# %% [markdown]
# Wheels that are one percent too small cause an error of one degree for every hundred that the cart turns.
# This is why its use for navigation is doubted.

# %%
worn = sb.simulate(eq, 25, inputs=laws, r=0.297)
lost = worn["points to"][-1] / worn["heading"][-1]
print(f"error {100 * lost:.2f} % of what the cart has turned")
assert abs(lost + 0.6 / (2 * 0.297) - 1) < 1e-6

# %%
sim.scene(traces=["cart"])
