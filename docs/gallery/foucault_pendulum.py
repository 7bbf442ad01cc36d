"""# Foucault pendulum

Subjects: toys, from papers
Reproduces: the plane of oscillation turns at Ω sin λ (Foucault 1851)

On a rotating planet, the plane in which a pendulum swings rotates too. Paris is at 48.85 degrees; here the
planet rotates fast enough to make the effect visible.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("Foucault pendulum")
q1, q2 = m.coordinates("q1 q2")
p = m.parameters(Omega=0.1, m=1.0, L=1.0, g=9.81, lam=np.radians(48.85))
site = m.ground.rotate(
    (sb.cos(p.lam), 0, -sb.sin(p.lam)), p.Omega * m.time, name="site"
)
string = site.rotate("yx", q1, q2)
bob = m.particle("bob", string.point(0, 0, p.L), mass=p.m)
m.gravity(site.vector(0, 0, p.g))
m.output("north", bob.mass_centre.in_frame(site).position(site).dot(site.x))
m.output("east", bob.mass_centre.in_frame(site).position(site).dot(site.y))
eq = sb.derive(m)

# %%
sim = sb.simulate(eq, 12, q1=0.1, rtol=1e-10)
sb.plot(sim, "east", over="north")

# %% [markdown]
# Seen from above, from north over east, the turning points rotate:

# %%
fine = sim.at(np.linspace(0, 12, 20001))
r = np.hypot(fine["north"], fine["east"])
peaks = np.flatnonzero((r[1:-1] > r[:-2]) & (r[1:-1] > r[2:])) + 1
angle = np.unwrap(2 * np.arctan2(fine["east"][peaks], fine["north"][peaks])) / 2
rate = np.polyfit(fine.t[peaks], angle, 1)[0]
assert abs(rate - 0.1 * np.sin(np.radians(48.85))) < 1e-3
print(f"turns at {rate:.5f} rad/s, Ω sin λ = {0.1 * np.sin(np.radians(48.85)):.5f}")

# %%
sim.scene(traces=["bob"])
