"""# Hopper with a foot (Raibert)

Subjects: walkers, impacts, orbits
Reproduces: at lift-off the speed decreases by the factor M/(M + m) (Raibert 1986), and the resulting steady hop

A trunk hops on a springy leg with a foot, like Raibert's first machine. The foot stops when it lands, and is
pulled off the ground when the leg reaches its full length: both dissipate energy. A thrust at the bottom,
which lengthens the spring, restores it.
"""

# %%
import numpy as np

import symbody as sb

values = {"M": 8.0, "m": 1.5, "k": 4000.0, "l": 0.7, "thrust": 0.012, "g": 9.81}


def hopper(mode):
    """In flight a stop holds the leg at its length; else the ground holds the foot."""
    m = sb.Model("hopper")
    p = m.parameters(**values)
    m.gravity(0, -p.g, 0)
    y, foot = m.coordinates("y foot")
    trunk = m.body(
        "trunk", m.ground.translate(0, y, 0), mass=p.M, shape=sb.sphere(0.12)
    )
    sole = m.body(
        "foot", m.ground.translate(0, foot, 0), mass=p.m, shape=sb.box(0.2, 0.04, 0.1)
    )
    rest = p.l + (p.thrust if mode == "thrust" else 0)
    m.spring("leg", sole.frame.origin, trunk.frame.origin, stiffness=p.k, rest=rest)
    if mode == "flight":
        m.constrain("stop", y - foot - p.l)
    else:
        m.constrain("ground", foot)
    return sb.derive(m)


modes = {name: hopper(name) for name in ("flight", "landing", "thrust")}
y, foot = modes["flight"].q
length = y - foot
switches = [
    sb.Switch("lands", foot, "flight", "landing", "falling", where=foot.dot < 0),
    sb.Switch("bottom", y.dot, "landing", "thrust", "rising"),
    sb.Switch("leaves", length - values["l"], "thrust", "flight", "rising"),
]
machine = sb.Modes(modes, switches, initial="flight")
sim = sb.simulate_modes(machine, 10.0, y=0.75, foot=0.05, rtol=1e-10)
sim.plot(["y", "foot"])

# %% [markdown]
# At a transition the impulses of the new constraints change the speeds, through the mass matrix. At landing
# only the foot stops; at lift-off trunk and foot continue together, with the momentum of the trunk:

# %%
kept = 8.0 / 9.5
left = [e for e in sim.events if e.name == "leaves"]
for e in left:
    assert np.allclose(e.after[2:], kept * e.before[2], rtol=1e-9)
print(
    f"{len(left)} hops; the speed at lift-off falls to {left[-1].after[2] / left[-1].before[2]:.6f} of what it was"
)

# %% [markdown]
# The leg shortens by d. A thrust of length Δ adds k Δ d to the energy, and a hop needs ½ M v² ((1 + m/M)² -
# 1), so
#
#     d = 2 (Δ / ((1 + m/M)² - 1) + M g / k),    h = k Δ d / (M g ((1 + m/M)² - 1))
#
# is the steady hop, to the height h of the foot. The height is not measured: the periodic hop attracts all
# others.

# %%
M, m, k, thrust, g = (values[n] for n in ("M", "m", "k", "thrust", "g"))
lost = (1 + m / M) ** 2 - 1
d = 2 * (thrust / lost + M * g / k)
height = k * thrust * d / (M * g * lost)
tops = sim.at(
    [
        (a.t + b.t) / 2
        for a, b in zip(left, [e for e in sim.events if e.name == "lands"][1:])
    ]
)["foot"]
print(
    "heights",
    ", ".join(f"{h:.4f}" for h in tops[:8]),
    f"... {tops[-1]:.4f}, steady {height:.4f} m",
)

hop = sb.orbit(
    machine, {"y": values["l"] + height, "foot": height}, period=left[-1].t - left[-2].t
)
print(hop)
assert abs(hop.extremes("foot")[1] - height) < 1e-6
assert (
    abs(max(abs(hop.multipliers)) - (1 + thrust / (d - M * g / k)) / (1 + m / M) ** 2)
    < 1e-6
)

# %%
sim.scene()
