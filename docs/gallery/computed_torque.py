"""# Computed torque: two-link arm on a circle

Subjects: robots, control

`assemble` solves the inverse kinematics: the position of the tip is an output, and outputs can be prescribed.
Inverse dynamics gives the torques.
"""

# %%
import numpy as np
from scipy.interpolate import CubicSpline

import symbody as sb

m = sb.Model("two-link arm")
p = m.parameters(l1=0.5, l2=0.4, m1=4.0, m2=2.0, g=9.81)
m.gravity(0, -p.g, 0)
upper = m.body("upper arm", mass=p.m1, shape=sb.bar(p.l1, "x", at=(p.l1 / 2, 0, 0)))
fore = m.body("forearm", mass=p.m2, shape=sb.bar(p.l2, "x", at=(p.l2 / 2, 0, 0)))
q1 = m.revolute("q1", m.ground, upper).q
q2 = m.revolute("q2", upper, fore, at=(p.l1, 0, 0)).q
# feedforward torques, and a spring and damper towards the desired angle
for q, k in ((q1, 1), (q2, 2)):
    T, want = m.input(f"T{k}"), m.input(f"want{k}")
    m.generalized_force(f"motor {k}", q, T + 200 * (want - q) + 20 * (want.dot - q.dot))
tip = fore.point(p.l2, 0, 0)
m.output("tip_x", tip.position().dot(m.ground.x))
m.output("tip_y", tip.position().dot(m.ground.y))
eq = sb.derive(m)
eq.readable

# %%
t = np.linspace(0, 4, 81)
poses, near = [], {"q1": -0.5, "q2": 1.2}
for s in t:
    x, y = 0.5 + 0.15 * np.cos(np.pi * s), 0.1 + 0.15 * np.sin(np.pi * s)
    near = sb.assemble(eq, start=near, tip_x=x, tip_y=y)
    poses.append([near["q1"], near["q2"]])
poses = np.array(poses)
path = CubicSpline(t, poses)

# %% [markdown]
# The desired angles are inputs, given as samples and interpolated by a spline; the model uses their rates
# too. Inverse dynamics gives the torques for the motion, so the motors' springs see no error.

# %%
f = sb.compile(eq)
motions = [(s, path(s), path(s, 1), path(s, 2)) for s in t]
torques = np.array(
    [np.ravel(f.inverse(s, q, u, a, [*q, *u], f.p)) for s, q, u, a in motions]
)
laws = {
    "T1": (t, torques[:, 0]),
    "T2": (t, torques[:, 1]),
    "want1": (t, poses[:, 0]),
    "want2": (t, poses[:, 1]),
}
start = {
    "q1": poses[0, 0],
    "q2": poses[0, 1],
    "q1_dot": path(0, 1)[0],
    "q2_dot": path(0, 1)[1],
}
sim = sb.simulate(eq, 4, start, inputs=laws)
fine = sim.at(t)
error = np.hypot(
    fine["tip_x"] - 0.5 - 0.15 * np.cos(np.pi * t),
    fine["tip_y"] - 0.1 - 0.15 * np.sin(np.pi * t),
)
assert error.max() < 1e-3
print(f"off the circle by at most {error.max():.1e} m")
sb.plot(sim, "tip_y", over="tip_x")

# %%
sim.scene(traces=[tip])
