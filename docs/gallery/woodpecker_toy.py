"""# Woodpecker toy

Subjects: toys, impacts, friction
Reproduces: a peck every 0.1460 s, 19.4 mm apart (Glocker 1995; Siconos' Moreau-Jean time stepping)

A sleeve slides down a pole, sticks, and lets the bird on its spring swing until the beak hits the pole and
the sleeve is released. There are three contacts with friction; their states (open, slip, stick) change ten
times per peck.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("woodpecker")
# masses in kg, stiffness of the spring in N m
sleeve, bird, c, g = 3e-4, 4.5e-3, 0.0056, 9.81
r0, rM, hM, lM, lG, lS, hS = 2.5e-3, 3.1e-3, 5.8e-3, 0.010, 0.015, 0.0201, 0.02  # m
# height of the sleeve, angles of sleeve and bird, both small
y, a, b = m.coordinates("y a b")
fast, turns, swings = y.dot, a.dot, b.dot
m.kinetic_energy("sleeve", (sleeve * fast**2 + 5e-9 * turns**2) / 2)
m.kinetic_energy(
    "bird", (bird * (fast + lM * turns + lG * swings) ** 2 + 7e-7 * swings**2) / 2
)
m.potential("weight", sleeve * g * y + bird * g * (y + lM * a + lG * b))
m.potential("spring", c * (a - b) ** 2 / 2)
m.body("sleeve", m.ground.translate(0, y, 0).rotate("z", a), mass=0)  # only drawn
m.body(
    "bird", m.ground.translate(lM + lG, y + lM * a + lG * b, 0).rotate("z", b), mass=0
)
slides = fast + rM * turns
contacts = sb.Contacts(
    sb.derive(m),
    sb.Contact("beak", lM + lG - lS - r0 - hS * b, restitution=0.5, friction=0.3, slip=fast + lM * turns + (lG - lS) * swings),
    sb.Contact("lower edge", rM - r0 + hM * a, friction=0.3, slip=slides),
    sb.Contact("upper edge", rM - r0 - hM * a, friction=0.3, slip=slides),
)  # fmt: skip
start = {"a": -(rM - r0) / hM, "b": -0.2788, "y_dot": -0.3411, "b_dot": -7.4583}
sim = sb.simulate_modes(contacts, 1.5, start)
sim.plot("b", "a")

# %%
pecks = [e for e in sim.events if e.name == "beak"]
period, drop = (
    np.diff([e.t for e in pecks])[-4:].mean(),
    -np.diff([e.before[0] for e in pecks])[-4:].mean(),
)
assert abs(period - 0.1460) < 2e-4
assert abs(drop - 0.01944) < 1e-4
print(f"a peck every {period:.5f} s, {1e3 * drop:.3f} mm further down")
second = [e.name for e in sim.events if pecks[1].t < e.t <= pecks[2].t]
print("from one peck to the next:", ", ".join(second))

# %% [markdown]
# The same contacts by time stepping, without events.

# %%
stepped = sb.simulate_modes(contacts, 0.3, start, method="moreau", step=1e-6)
off = np.abs(stepped.q[-1] - sim.at(0.3).q[-1]).max()
assert off < 1e-3
print(f"after two pecks both ways differ by {off:.1e}")

# %%
sim.scene(
    shapes={
        "sleeve": sb.Solid("box", "", (2 * rM, 2 * hM, 2 * rM)),
        "bird": sb.Solid("sphere", "", (lG / 2, hS / 2, lG / 2)),
    }
)
