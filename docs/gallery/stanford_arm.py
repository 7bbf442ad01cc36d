"""# Stanford arm

Subjects: robots, from papers

Six joints, one of them prismatic. Inverse dynamics computes the torques of a given motion; forward dynamics
with these torques reproduces the motion.
"""

# %%
import numpy as np

import symbody as sb

eq = sb.derive(sb.read_model("stanford_arm").mechanism)
f = sb.compile(eq)
eq

# %% [markdown]
# All joints move from rest to rest in one second, along a polynomial of fifth degree:

# %%
times = np.linspace(0, 1, 401)
s = times
rise, rate, bend = (
    10 * s**3 - 15 * s**4 + 6 * s**5,
    (30 * s**2 - 60 * s**3 + 30 * s**4),
    (60 * s - 180 * s**2 + 120 * s**3),
)
goal = np.array([1.0, 1.2, 0.2, -0.8, 0.6, 1.5])
torques = np.array(
    [
        np.ravel(f.inverse(t, goal * a, goal * b, goal * c, f.p))
        for t, a, b, c in zip(times, rise, rate, bend)
    ]
)
print("largest:", np.abs(torques).max(axis=0).round(3))

# %% [markdown]
# The same torques, as splines over time, drive the arm:

# %%
laws = {r: (times, tau) for r, tau in zip(eq.r, torques.T, strict=True)}
sim = sb.simulate(eq, 1, inputs=laws, rtol=1e-9)
assert np.abs(sim.q[-1] - goal).max() < 1e-2
sim.plot("q1", "q2", "q3", "q4", "q5", "q6")

# %%
sim.scene()
