"""# Ratchet

Subjects: machines, contact
Reproduces: a rack that runs one way and is stopped by the next face the other way
Card: scene 1 at 0.2 s

A rack with saw teeth moves below a pawl on a spring. Each tooth is a contact that exists only somewhere: a ramp,
bounded by a vertical face. The gap of `bounded_contact` is the largest of the distances from its faces, and is
continuous, so the pawl slides up the ramps, drops behind them, and is held by a face.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import machines as mc

pitch, height = 0.05, 0.01
m = sb.Model("ratchet")
F = m.parameter("F", 5.0)
s, y = m.coordinates("s y")
rack = m.body("rack", m.ground.translate(s, 0, 0), mass=1.0)
pawl = m.body("pawl", m.ground.translate(0, y, 0), mass=0.1)
m.generalized_force("drive", s, F - 2 * s.dot)
m.generalized_force("spring", y, -50 * (y + 0.02) - y.dot)
teeth = []
for k in range(-2, 8):
    along = k * pitch - s  # place of the pawl's tip on the tooth, 0 ... pitch
    slope = height / pitch
    ramp = (y - height + slope * along) / np.sqrt(1 + slope**2)
    teeth.append(mc.bounded_contact(f"tooth {k}", ramp, -along, along - pitch))
contacts = sb.Contacts(sb.derive(m), sb.Contact("root", y), *teeth)

# %% [markdown]
# The same force to the right and to the left, from the same start on a ramp. The pawl slides over edges, so the
# motion is computed by time stepping.

# %%
t = np.linspace(0, 0.3, 151)
start = {"y": 0.011, "s": -0.001}
runs, held = (
    sb.simulate_modes(contacts, t, start, F=F, method="moreau", step=2e-4)
    for F in (5.0, -5.0)
)
print(
    f"to the right: {1000 * runs['s'][-1]:.1f} mm; to the left: {1000 * held['s'][-1]:.1f} mm"
)
assert runs["s"][-1] > 2 * pitch
assert abs(held["s"][-1] + pitch) < 5e-4
assert abs(held["s_dot"][-1]) < 1e-6
sb.plot([runs, held], ["s", "y"])

# %%
runs.scene(
    shapes={
        "rack": sb.box(0.4, 0.004, 0.02, at=(0, -0.002, 0)),
        "pawl": sb.box(0.004, 0.02, 0.01, at=(0, 0.01, 0)),
    }
)
