"""# Yo-yo despin of a satellite

Subjects: spacecraft
Reproduces: the length of cord that stops any spin, R √(1 + I/(2 m R²)) (Fedor, NASA TN D-708, 1961)

Two small masses on cords are wound around a spinning satellite. Released, they unwind and carry its angular
momentum away. At a cord length that does not depend on the spin, the satellite stops; then the cords are cut.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("yo-yo")
p = m.parameters(I=120.0, R=0.6, m=1.5)
hub = m.body("satellite", inertia=(0, 0, p.I))
m.revolute("spin", m.ground, hub)
# angle at which the cord leaves the hub, from its initial position
a = m.coordinate("a")
for name, side in (("left", -1), ("right", 1)):
    touching = hub.frame.rotate("z", a)
    m.particle(name, touching.point(side * p.R, -side * p.R * a, 0), mass=p.m)
eq = sb.derive(m)
eq.readable

# %% [markdown]
# At a = 0 the masses are on the hub, and the direction of their cords is undefined: the mass matrix is
# singular. The simulation starts a thousandth of a radian later.

# %%
R, I, mass = 0.6, 120.0, 1.5
length = R * np.sqrt(1 + I / (2 * mass * R**2))
unwound = sb.Event("cords are stretched", p.R * a - length, terminal=True)
for spin in (1.0, 6.0):
    sim = sb.simulate(
        eq, 60, spin_dot=spin, a=1e-3, a_dot=spin, events=[unwound], rtol=1e-11
    )
    print(f"{spin:g} rad/s become {sim['spin_dot'][-1]:z.1e} after {sim.t[-1]:.3f} s")
    assert abs(sim["spin_dot"][-1]) < 1e-7 * spin
sim.plot("spin_dot", "a")

# %%
sim.scene(traces=["left", "right"], shapes={"satellite": sb.cylinder(R, 1.0, "z")})
