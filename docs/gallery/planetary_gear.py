"""# Planetary gear

Subjects: machines, gears
Reproduces: Willis' equation, and the torque ratios (Willis 1841)

A sun, a ring, and three planets on a carrier. The teeth are constraints: two wheels have the same velocity at
their contact. With the ring braked the gear reduces; with the carrier braked it reverses.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("planetary gear")
p = m.parameters(
    rs=0.03, rp=0.02, ms=0.4, mp=0.2, mr=1.5, mc=0.5, T=2.0, load=0.05, brake=0.0
)
parts = {}
for name, mass, radius in (
    ("sun", p.ms, p.rs),
    ("ring", p.mr, p.rs + 2 * p.rp),
    ("carrier", p.mc, p.rs + p.rp),
):
    parts[name] = m.body(name, mass=mass, shape=sb.disc(radius, "z"))
    m.revolute(name, m.ground, parts[name])
sun, ring, carrier = parts.values()
for k in range(3):
    arm = carrier.frame.rotate("z", 2 * sb.pi * k / 3)
    planet = m.body(f"planet {k}", mass=p.mp, shape=sb.disc(p.rp, "z"))
    m.revolute(f"planet{k}", carrier, planet, at=arm.point(p.rs + p.rp, 0, 0))
    for wheel, radius in ((sun, p.rs), (ring, p.rs + 2 * p.rp)):
        touching = arm.point(radius, 0, 0)
        slip = planet.velocity_at(touching) - wheel.velocity_at(touching)
        m.constrain_speed(f"teeth of planet {k} on the {wheel.name}", slip.dot(arm.y))
m.generalized_force("motor", m.joints["sun"].q, p.T)
m.generalized_force("load", m.joints["carrier"].q, -p.load * m.joints["carrier"].q.dot)
m.generalized_force("brake", m.joints["ring"].q, -p.brake * m.joints["ring"].q.dot)
eq = sb.derive(m, redundant=True)
print(
    eq.degrees_of_freedom,
    "degrees of freedom;",
    eq.rows.rank,
    "of",
    len(eq.lam),
    "constraints are independent",
)

# %% [markdown]
# One planet would suffice: the other four constraints of the teeth are redundant. Willis' equation: with i =
# (rs + 2 rp)/rs, ω_sun + i ω_ring = (1 + i) ω_carrier for every motion.

# %%
t = np.linspace(0, 4, 401)
i = (0.03 + 2 * 0.02) / 0.03
runs = {"ring held": sb.simulate(eq, t, brake=1e3), "ring free": sb.simulate(eq, t)}
for name, sim in runs.items():
    s, r, c = (sim[f"{part}_dot"][-1] for part in ("sun", "ring", "carrier"))
    print(f"{name}: sun {s:.2f}, ring {r:.2f}, carrier {c:.2f} rad/s")
    assert abs(s + i * r - (1 + i) * c) < 1e-9 * abs(s)
sb.plot(list(runs.values()), ["sun_dot", "ring_dot", "carrier_dot"])

# %%
runs["ring free"].scene()
