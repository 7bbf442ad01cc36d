"""# Free-body diagrams of a slider-crank

Subjects: machines, teaching

A sketch of the mechanism with textbook symbols, free-body diagrams of all bodies with symbols, and the same diagrams
with numbers at one instant. Action and reaction have the same symbol and opposite arrows. With inertia forces, all
arrows of a body are in balance.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("slider crank")
p = m.parameters(r=0.2, l=0.5, m_1=1.0, m_2=2.0, m_3=3.0, g=9.81, k=50.0, l_0=0.3)
m.gravity(0, -p.g, 0)
crank = m.body("crank", mass=p.m_1, com=(p.r / 2, 0, 0), inertia=(0, 0, 0.01))
rod = m.body("rod", mass=p.m_2, com=(p.l / 2, 0, 0), inertia=(0, 0, 0.02))
slider = m.body("slider", mass=p.m_3, inertia=(0.01, 0.01, 0.01))
m.revolute("A", m.ground, crank)
m.revolute("B", crank, rod, at=(p.r, 0, 0))
m.prismatic("D", m.ground, slider)
m.coincide("C", rod.point(p.l, 0, 0), slider.point(0, 0, 0))
m.spring(
    "spring",
    slider.point(0, 0, 0),
    m.ground.point(1.2, 0.1, 0),
    stiffness=p.k,
    rest=p.l_0,
)
eq = sb.derive(m)
state = sb.assemble(eq, A=0.7, A_dot=3.0, start={"B": -0.9, "D": 0.6})
sb.view.sketch(state)

# %% [markdown]
# With symbols:

# %%
sb.view.free_body(state, symbolic=True)

# %% [markdown]
# With the numbers of this state:

# %%
sb.view.free_body(state)

# %% [markdown]
# The rod in its own axes, with inertia forces: the forces add up to zero.

# %%
balanced = sb.view.free_body(state, "rod", axes="rod", inertia=True)
total = np.sum([a.vector for a in balanced.arrows if a.quantity == "force"], axis=0)
assert np.abs(total).max() < 1e-9
balanced

# %%
sb.simulate(eq, 4, state).scene(forces=("loads", "reactions"))
