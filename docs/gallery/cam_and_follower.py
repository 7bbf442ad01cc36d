"""# Cam and follower

Subjects: machines, cams
Reproduces: the float speed of a flat follower on an eccentric disc, ω² = (m g + k (e + d))/(m e)

An eccentric disc lifts a flat follower by e sin θ, against gravity and a spring. At the top the follower's
inertia acts against the contact. The contact is a constraint whose multiplier is the contact force; the
follower floats where it becomes zero.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("cam and follower")
p = m.parameters(r=0.04, e=0.015, m=0.5, J=0.002, k=2000.0, d=0.01, w=50.0, g=9.81)
m.gravity(0, -p.g, 0)
cam = m.body("cam", inertia=(0, 0, p.J))
theta = m.revolute("theta", m.ground, cam).q
follower = m.body("follower", mass=p.m)
y = m.prismatic("y", m.ground, follower, axis="y", stiffness=p.k, rest=p.r - p.d).q
m.constrain("touch", y - p.r - p.e * sb.sin(theta))
m.prescribe("motor", theta, p.w * m.time)
m.output("N", m.multiplier("touch"))
eq = sb.derive(m)
eq.readable

# %% [markdown]
# With a prescribed cam speed there is no degree of freedom left, and only forces are computed. Below the
# float speed the cam pushes at all times; above it, it would have to pull at the top, and an event locates
# this point.

# %%
mass, e, k, d, g = 0.5, 0.015, 2000.0, 0.01, 9.81
float_speed = np.sqrt((mass * g + k * (e + d)) / (mass * e))
floats = sb.Event("floats", m.multiplier("touch"), direction="falling", terminal=True)
runs = []
for w in (0.5 * float_speed, 0.9999 * float_speed, 1.0001 * float_speed):
    sim = sb.simulate(
        eq,
        np.linspace(0, 4 * np.pi / w, 201),
        sb.assemble(eq, w=w, theta_dot=w),
        w=w,
        events=[floats],
    )
    print(f"{w:.2f} rad/s: {sim.outcome}")
    assert bool(sim.events) == (w > float_speed)
    runs.append(sim)
sb.plot(runs[:2], "N", over="theta")

# %%
runs[1].scene(
    shapes={
        "cam": sb.cylinder(0.04, 0.01, "z", at=(0.015, 0, 0)),
        "follower": sb.box(0.1, 0.004, 0.02),
    }
)
