"""# Tennis racket theorem

Subjects: spacecraft, toys

A body spinning about its intermediate axis flips again and again (Dzhanibekov effect). Euler parameters have
no singular position, and energy and angular momentum are conserved.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("tennis racket")
body = m.body("racket", mass=0.3, inertia=(0.0005, 0.0120, 0.0125))
m.free("racket", m.ground, body, sequence="euler parameters")
eq = sb.derive(m)

# %% [markdown]
# About the intermediate axis, small disturbances grow at the rate given by Euler's equations:

# %%
A, B, C, spin = 0.0005, 0.0120, 0.0125, 10.0
rate = spin * np.sqrt((C - B) * (B - A) / (A * C))
turning = sb.steady(eq, {"racket_wy": spin, "racket_wx": 0, "racket_wz": 0})
growth = sb.linearize(eq, turning).eigenvalues().real.max()
assert abs(growth - rate) < 1e-9 * rate
print(f"grows at {growth:.6f} per second")

# %%
sim = sb.simulate(eq, 6, racket_wy=spin, racket_wx=1e-3, rtol=1e-11)
H = np.linalg.norm(sim[sb.angular_momentum(eq)], axis=1)
assert np.ptp(H) < 1e-9 * H[0]
sim.plot("racket_wx", "racket_wy", "racket_wz")

# %%
sim.scene(
    shapes={
        "racket": [
            sb.Solid("torus", "", (0.12, 0.01)),
            sb.box(0.02, 0.3, 0.02, at=(0, -0.27, 0)),
        ]
    }
)
