"""# Cart and pendulum (LQR)

Subjects: control

A force drives a cart that carries a pendulum, the standard example of control textbooks. A linear-quadratic
regulator stabilises the upright position; the simulation of the closed loop is fully nonlinear.
"""

# %%
import symbody as sb

m = sb.Model("cart and pendulum")
p = m.parameters(M=2.0, m=1.0, l=0.5, g=9.81)
m.gravity(0, -p.g, 0)
cart = m.body("cart", mass=p.M, shape=sb.box(0.3, 0.1, 0.2))
bob = m.particle("bob", mass=p.m)
m.prismatic("x", m.ground, cart, axis="x", actuation=m.input("F"))
m.revolute("theta", cart, bob, on=(0, p.l, 0))
eq = sb.derive(m)
eq

# %% [markdown]
# In the upright position one eigenvalue is positive, with the textbook value:

# %%
upright = sb.linearize(eq, {"theta": sb.pi})
poles = upright.eigenvalues()
assert abs(max(poles.real) - ((2 + 1) * 9.81 / (2 * 0.5)) ** 0.5) < 1e-9
poles

# %%
loop = upright.lqr({"x": 1, "theta": 10}, 0.1)
loop

# %%
sim = sb.simulate(eq, 5, inputs=loop, theta=2.6)
sim.plot(["x", "theta"], ["F"])

# %%
sim.scene()
