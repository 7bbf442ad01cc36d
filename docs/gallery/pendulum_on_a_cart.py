"""# Pendulum on a cart

Subjects: control, machines

A force drives a cart that carries a pendulum: the equations of every textbook on control.
"""

# %%
import symbody as sb

m = sb.Model("cart and pendulum")
p = m.parameters(M=2.0, m=1.0, l=0.5, g=9.81)
m.gravity(0, -p.g, 0)
cart = m.body("cart", mass=p.M, shape=sb.cuboid(0.3, 0.1, 0.2))
bob = m.particle("bob", mass=p.m)
m.prismatic("x", m.ground, cart, axis="x", actuation=m.input("F"))
m.revolute("theta", cart, bob, on=(0, p.l, 0))
eq = sb.derive(m)
eq

# %% [markdown]
# The upright position is held by a linear-quadratic regulator; the same expressions are the input of the simulation.

# %%
lin = sb.linearize(eq, {"theta": sb.pi})
lin.eigenvalues()

# %%
sim = sb.simulate(eq, 3, theta=1.0)
sim.plot("x", "theta")

# %%
sim.scene()
