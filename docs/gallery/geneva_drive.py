"""# Geneva drive

Subjects: machines, linkages, contact
Reproduces: the largest ratio λ/(1 - λ) = 2.41421 of a wheel with four slots, λ = sin 45°
Card: scene 1 at 0.55 s

A pin on a crank enters a slot of the wheel, turns it by a quarter of a turn and leaves. In between the disc of the crank
locks the wheel at its concave arcs. Sectors of the wheel and the disc are contacts that exist only somewhere: the gap of
`bounded_contact` is the largest of the distances from the faces of a solid.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import machines as mc

c, n, play = 0.1, 4, 2e-5  # distance of the axes, slots
r, R = c * np.sin(np.pi / n), c * np.cos(np.pi / n)  # radii of pin and wheel
m = sb.Model("geneva drive")
crank = m.body("crank", inertia=(0, 0, 0.05))
wheel = m.body("wheel", inertia=(0, 0, 1e-4))
a = m.revolute("a", m.ground, crank).q
b = m.revolute("b", m.ground, wheel, at=m.ground.point(c, 0, 0), damping=1e-4).q
m.generalized_force("motor", a, 5 * (2 * np.pi - a.dot))
m.generalized_force("load", b, m.parameter("T", 0.0))


def turned(x, y, angle):
    return x * sb.cos(angle) + y * sb.sin(angle), y * sb.cos(angle) - x * sb.sin(angle)


# %% [markdown]
# The pin in the frame of the wheel: a sector is the wedge between the sides of two slots, within the radius of the wheel.

# %%
x, y = turned(r * sb.cos(a) - c, r * sb.sin(a), b)
contacts = []
for k in range(n):
    begin, end = np.pi + 2 * np.pi * k / n, np.pi + 2 * np.pi * (k + 1) / n
    after, before = turned(x, y, begin)[1], -turned(x, y, end)[1]
    rim = sb.sqrt(x**2 + y**2) - R
    contacts.append(mc.bounded_contact(f"sector {k}", play - after, play - before, rim))

# %% [markdown]
# Points of the wheel's arcs in the frame of the crank: its disc ends at the crescent that lets the horns pass.

# %%
lock = 0.62 * c
for k in range(n):
    for angle in np.deg2rad([-38, -12, 12, 38]):
        # in the wheel, from the pose in which the arc lies on the disc
        px, py = lock * np.cos(angle) - c, lock * np.sin(angle)
        turn = b - np.pi / n + 2 * np.pi * k / n
        hx, hy = turned(px, py, -turn)
        u, v = turned(hx + c, hy, a)
        disc = sb.sqrt(u**2 + v**2) - lock + play
        crescent = R + 0.02 * c - sb.sqrt((u - c) ** 2 + v**2)
        contacts.append(
            mc.bounded_contact(f"arc {k} at {np.rad2deg(angle):.0f}", disc, crescent)
        )
eq = sb.derive(m)

# %%
t = np.linspace(0, 2, 1001)
start = {"a": -np.pi, "a_dot": 2 * np.pi, "b": np.pi / n}
sim = sb.simulate_modes(
    sb.Contacts(eq, *contacts), t, start, method="moreau", step=2e-4
)
sb.plot(sim, ["b"], ["b_dot"])

# %% [markdown]
# In the slot the wheel points to the pin. Its speed is largest where the pin passes the line of centres.

# %%
lam = np.sin(np.pi / n)
alpha = sim["a"]
inside = np.abs(alpha) < np.pi / n
exact = -np.arctan2(r * np.sin(alpha), c - r * np.cos(alpha))
error = np.rad2deg(np.abs(sim["b"] - exact)[inside].max())
largest = (-sim["b_dot"] / sim["a_dot"]).max()
print(
    f"largest ratio {largest:.4f}; the wheel is within {error:.3f} degrees of the pin"
)
assert abs(largest - lam / (1 - lam)) < 2e-3
assert error < 0.3
steps = np.rad2deg(np.interp([0.1, 0.9, 1.9], t, sim["b"]))
assert np.allclose(np.diff(steps), -90, atol=0.1)

# %% [markdown]
# A torque on the wheel is carried by the arcs while the wheel dwells, from 1/8 of a turn behind the slot on.

# %%
held = sb.simulate_modes(
    sb.Contacts(eq, *contacts),
    t[t <= 1],
    {**start, "a": -0.45 * np.pi},
    T=0.02,
    method="moreau",
    step=2e-4,
)
dwells = held["b"][(held.t > 0.45) & (held.t < 0.95)]
print(f"the wheel gives way by {np.rad2deg(np.ptp(dwells)):.3f} degrees")
assert np.ptp(dwells) < np.deg2rad(0.5)

# %%
arm = [
    sb.cylinder(0.58 * c, 0.004, "z"),
    sb.cylinder(0.004, 0.02, "z", at=(r, 0, 0.006)),
    sb.box(r, 0.012, 0.004, at=(r / 2, 0, -0.004)),
]
spokes = []
for k in range(n):
    angle = np.pi / n + 2 * np.pi * k / n
    place = (0.62 * R * np.cos(angle), 0.62 * R * np.sin(angle), 0.01)
    spokes.append(sb.cylinder(0.2 * R, 0.004, "z", at=place))
sim.scene(
    shapes={
        "crank": arm,
        "wheel": [sb.cylinder(0.25 * R, 0.004, "z", at=(0, 0, 0.01)), *spokes],
    }
)
