"""# Euler's disc

Subjects: toys, rolling, friction
Reproduces: Ω² = 4 g/(R sin α) of the steady motion (Euler's disc with its centre at rest); with a moment c N against
rotation, √α decreases by (2 c/3 R) √(g/R) a second, so the motion ends in finite time

A spinning coin settles: the flatter it lies, the faster its contact point moves around the rim, until it
stops abruptly.
"""

# %%
import numpy as np

import symbody as sb

# radius, lever arm of the resistance, initial angle to the floor
R, c, flat, g = 0.04, 2e-4, 0.05, 9.81
m = sb.Model("Euler's disc")
m.gravity(0, 0, -g)
disc = m.body(
    "disc", mass=0.4, inertia=(0.4 * R**2 / 4, 0.4 * R**2 / 4, 0.4 * R**2 / 2)
)
m.free("d", m.ground, disc, sequence="euler parameters")
rim = sb.touch(sb.Ring(disc, R), sb.HalfSpace(m.ground))
edge = sb.Contact(
    "edge", rim, friction=0.8, resists=[sb.Friction("rolling", rim.spin[1:], c)]
)
W = np.sqrt(4 * g / (R * np.sin(flat)))
start = {
    "d_e0": np.cos(flat / 2),
    "d_e1": np.sin(flat / 2),
    "d_z": R * np.sin(flat),
    "d_wy": W * np.sin(flat),
}
sim = sb.simulate_modes(sb.Contacts(sb.derive(m), edge), 0.8, start)
sim.plot("d_z")

# %%
angle = np.arcsin(sim["d_z"] / R)
line = np.sqrt(flat) - 2 * c / (3 * R) * np.sqrt(g / R) * sim.t
assert np.abs(np.sqrt(angle) - line).max() < 0.02 * np.sqrt(flat)
ends = np.sqrt(flat) / (2 * c / (3 * R) * np.sqrt(g / R))
print(
    f"from {flat} to {angle[-1]:.4f} rad in {sim.t[-1]:g} s; it would end at {ends:.2f} s"
)

# %%
sim.scene(shapes={"disc": sb.Solid("cylinder", "", (R, 0.002))})
