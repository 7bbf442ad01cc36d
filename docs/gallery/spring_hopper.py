"""# Spring-mass runner

Subjects: walkers, impacts, orbits
Card: scene 1 at 0.225 s
Reproduces: self-stable running at 68°, 20 kN/m and 5 m/s (Seyfarth, Geyer, Günther and Blickhan 2002)

A mass runs on a massless spring leg, which swings forward to the same angle before every landing and stands
where it touches the ground. There is no feedback; disturbances decay.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("runner on a spring")
p = m.parameters(m=80.0, k=20e3, l=1.0, alpha=np.radians(68.0), g=9.81)
m.gravity(0, -p.g, 0)
x, y = m.coordinates("x y")
trunk = m.particle("trunk", m.ground.point(x, y, 0), mass=p.m)
# position of the foot, and whether it stands; both change at events
foot, stands = m.variable("foot"), m.variable("stands")
m.equation("foot", foot.dot)
m.equation("stands", stands.dot)
leg = m.ground.vector(x - foot, y, 0)
length = sb.sqrt((x - foot) ** 2 + y**2)
m.force("leg", trunk, leg * (stands * p.k * (p.l - length) / length))
m.output("length", length)
eq = sb.derive(m)
eq.readable

# %% [markdown]
# The foot lands in front of the trunk when the leg at its angle reaches the ground, and leaves it when the
# spring reaches its rest length.

# %%
lands = sb.Event(
    "lands",
    y - p.l * sb.sin(p.alpha),
    direction="falling",
    where=stands < 0.5,
    reset={stands: 1, foot: x + p.l * sb.cos(p.alpha)},
)
leaves = sb.Event(
    "leaves", length - p.l, direction="rising", where=stands > 0.5, reset={stands: 0}
)
apex = sb.Event("apex", y.dot, direction="falling", where=stands < 0.5)
events = [lands, leaves, apex]
for height in (1.0, 1.06):
    sim = sb.simulate(eq, 20, x_dot=5.0, y=height, events=events, rtol=1e-10)
    heights = sim.at([e.t for e in sim.events if e.name == "apex"])["y"]
    print(", ".join(f"{h:.4f}" for h in heights[:8]), f"... {heights[-1]:.6f} m")
    assert abs(heights[-1] - heights[-2]) < 1e-6
sim.plot("y")

# %%
run = sb.simulate(eq, 1.5, x_dot=5.0, y=1.06, events=events)
run.scene(traces=["trunk"], forces="loads", show=("bodies", "traces", "forces"))
