"""# Bar on a ball joint

Subjects: linkages, from papers
Reproduces: the period by elliptic integrals (Tuomela and others, section 6.2.1)

A free body with seven coordinates, four of them Euler parameters, is held at one end by three constraints.
The exact motion is known, which makes it a test of integrators: after many swings, the constraints hold to
rounding and the phase is right.
"""

# %%
import numpy as np
from scipy.special import ellipk

import symbody as sb

file = sb.read_model("tuomela_pendulum")
eq = sb.derive(file.mechanism)
sim = sb.simulate(eq, 30, file.requests.start, rtol=1e-10, invariants=["energy"])
sim

# %%
J, mgl = 3.154 + 38.34 * 0.765**2, 38.34 * 9.81 * 0.765
period = 4 * np.sqrt(J / mgl) * ellipk(np.sin(np.pi / 4) ** 2)
back = sim.at(np.array([k * period for k in range(1, int(30 / period))]))
assert np.abs(back["bar_x"] - 0.765).max() < 1e-6
assert sim.violation.position < 1e-12
print(
    f"period {period:.9f} s; after {len(back.t)} swings off by {np.abs(back['bar_x'] - 0.765).max():.1e} m"
)

# %%
sim.plot(["bar_x", "bar_y"], ["bar_wz"])

# %%
sim.at(np.linspace(0, 5, 300)).scene()
