"""# DC motor and pendulum

Subjects: electromechanics, control

The current of a DC motor is an additional variable with its own equation: L i' + R i + k θ' = U. Additional
equations are part of the model in simulation, linear systems and exports.
"""

# %%
import symbody as sb

m = sb.Model("motor and pendulum")
p = m.parameters(L=2e-3, R=1.0, k=0.05, n=20.0, J=2e-5, m=0.5, l=0.3, g=9.81)
m.gravity(0, -p.g, 0)
rotor = m.body("rotor", inertia=(0, 0, p.J * p.n**2))
bob = m.particle("bob", mass=p.m)
current, voltage = m.variable("i"), m.input("U")
theta = m.revolute("theta", m.ground, rotor, actuation=p.n * p.k * current).q
m.fixed("arm", rotor, bob, on=(0, p.l, 0))
m.equation(
    "circuit", p.L * current.dot + p.R * current + p.n * p.k * theta.dot - voltage
)
eq = sb.derive(m)
eq.readable

# %%
lin = sb.linearize(eq, {})
sb.plot(lin.frequency_response("U", "theta"))

# %% [markdown]
# A voltage step, and the power balance:

# %%
sim = sb.simulate(eq, 3, inputs={"U": 3.0})
sim.plot(["theta"], ["i"])

# %%
sim.scene()
