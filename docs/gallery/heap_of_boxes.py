"""# Heap of boxes and balls

Subjects: impacts, friction
Reproduces: the floor carries the weight of the heap
Card: scene 1 at 2 s

Bodies of two shapes fall onto a floor. In every step, the pairs that touch are found, and one contact problem with
Coulomb friction gives the impulses of all contacts.
"""

# %%
import numpy as np

import symbody as sb

rng = np.random.default_rng(3)
grid = np.array([(i, j, k) for i in range(3) for j in range(3) for k in range(3)])
at = 0.25 * grid + (0, 0, 0.2)
pile = sb.Pile("heap", friction=0.5)
pile.many(
    "box",
    sb.box(0.2, 0.15, 0.1),
    at=at[::2],
    density=500,
    rotations=rng.normal(size=(14, 4)),
)
pile.many("ball", sb.sphere(0.08), at=at[1::2], density=500)
pile.wall("floor")
for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
    pile.wall(
        f"side {x} {y}",
        at=(0.25 - 0.45 * x, 0.25 - 0.45 * y, 0),
        normal=(x, y, 0),
        friction=0,
    )
motion = pile.simulate(2.0, step=4e-3, every=5)
sb.scene(motion)

# %%
energy = sb.view.Curve(motion.t, motion.energy, "energy")
panel = sb.view.Panel("time [s]", "energy [J]", (energy,))
sb.view.Figure("energy of the heap", (panel,))

# %%
contacts = motion.contacts
weight = 9.81 * 500 * (14 * 0.2 * 0.15 * 0.1 + 13 * 4 / 3 * np.pi * 0.08**3)
floor = (
    contacts.impulses[(contacts.second < 0) & (contacts.normals[:, 2] > 0.5), 2].sum()
    / 4e-3
)
assert abs(floor / weight - 1) < 0.1
print(f"weight {weight:.1f} N, reaction of the floor {floor:.1f} N")
