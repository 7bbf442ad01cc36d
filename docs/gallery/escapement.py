"""# Deadbeat escapement

Subjects: machines, contact, impacts
Reproduces: one tooth in each swing, and the amplitude at which impulses replace what damping takes, π c ω A² = 2 T w/R
Card: scene 1 at 0.9 s

A weight drives the escape wheel of a clock; the anchor on the pendulum stops it and lets half a tooth pass in each half swing.
The pallets are solids between two arcs about the pivot and a slanted end. On an arc the wheel rests, whatever the pendulum
does (Graham's dead beat); on the end a tooth pushes the pendulum on. Each tooth with each pallet is a contact that exists
only somewhere.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import machines as mc

N, R, g = 12, 0.03, 9.81
pitch = 2 * np.pi / N
span = 3.5 * pitch / 2  # half of the angle that the anchor spans
pivot, rho = R / np.cos(span), R * np.tan(span)
w = 0.2 * R  # thickness of a pallet
impulse, lock = np.deg2rad(5.0), np.deg2rad(1.5)

m = sb.Model("escapement")
T, damping = m.parameters(T=2e-3, c=2e-3)
anchor = m.body("pendulum", mass=0.2, com=(0, -0.25, 0), inertia=(0, 0, 1e-3))
wheel = m.body("wheel", inertia=(0, 0, 2e-7))
m.gravity(0, -g, 0)
theta = m.revolute("theta", m.ground, anchor, at=m.ground.point(0, pivot, 0)).q
turn = m.revolute("turn", m.ground, wheel).q
m.generalized_force("air", theta, -damping * theta.dot)
train = m.generalized_force("train", turn, -T - 5e-6 * turn.dot)  # clockwise


# %% [markdown]
# A tooth in the frame of a pallet: its distance from the pivot, and its place across the pallet. A tooth moves
# towards the pivot at the entry pallet, on the left, and away from it at the exit pallet.


# %%
def pallet(name, tooth, side):
    x, y = R * sb.cos(tooth), R * sb.sin(tooth) - pivot
    ref = theta + 3 * np.pi / 2 + side * (np.pi / 2 - span)
    radius, across = sb.sqrt(x**2 + y**2), y * sb.cos(ref) - x * sb.sin(ref)
    along = side * (radius - rho)  # from -w/2 at the lock to w/2 at the release
    end = lock + impulse * along / w
    return mc.bounded_contact(
        name, -along - w / 2, along - w / 2, -side * across - rho * end
    )


contacts = []
for k in range(N):
    for name, side in (("entry", -1), ("exit", 1)):
        contacts.append(pallet(f"tooth {k} on {name}", turn + k * pitch, side))
eq = sb.derive(m)

# %% [markdown]
# The pendulum begins with too small an amplitude, with a tooth on the entry pallet.

# %%
t = np.linspace(0, 25, 5001)
start = {"theta": 0.1, "turn": np.pi / 2 + span + w / (2 * R) + 1e-3}
clock = sb.Contacts(eq, *contacts)
sim = sb.simulate_modes(clock, t, start, method="moreau", step=1e-4)
sb.plot(sim, ["theta"], ["turn"])

# %% [markdown]
# Half a tooth passes in each half swing. In an impulse the wheel turns by w/R; the rest of its way it falls onto the other
# pallet, whose work is lost.

# %%
theta_, turned = sim["theta"], (start["turn"] - sim["turn"]) / pitch
crossings = np.flatnonzero((theta_[:-1] < 0) & (theta_[1:] >= 0))
period = np.diff(sim.t[crossings]).mean()
teeth = turned[crossings[-1]] - turned[crossings[1]]
print(f"period {period:.4f} s; {teeth:.2f} teeth in {len(crossings) - 2} periods")
assert abs(teeth / (len(crossings) - 2) - 1) < 0.02

largest = np.abs(theta_[sim.t > 22]).max()
balance = np.sqrt(2 * 2e-3 * w / R / (np.pi * 2e-3 * 2 * np.pi / period))
print(
    f"amplitude {np.rad2deg(largest):.2f} degrees, by the balance {np.rad2deg(balance):.2f}"
)
assert abs(largest / balance - 1) < 0.04

# %%
rod = sb.box(0.004, 0.3, 0.004, at=(0, -0.15, 0))
bob = sb.cylinder(0.03, 0.01, "z", at=(0, -0.28, 0))
teeth_drawn = [
    sb.cylinder(
        0.0015, 0.004, "z", at=(R * np.cos(k * pitch), R * np.sin(k * pitch), 0.01)
    )
    for k in range(N)
]
arms = [
    sb.cylinder(
        0.004,
        0.004,
        "z",
        at=(
            side * rho * np.sin(np.pi / 2 - span),
            -rho * np.cos(np.pi / 2 - span),
            0.01,
        ),
    )
    for side in (-1, 1)
]
sim.scene(
    shapes={
        "pendulum": [rod, bob, *arms],
        "wheel": [sb.cylinder(0.8 * R, 0.003, "z", at=(0, 0, 0.01)), *teeth_drawn],
    }
)
