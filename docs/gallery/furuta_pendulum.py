"""# Furuta pendulum (pole placement)

Subjects: control, robots

A motor turns an arm about the vertical, and the arm carries a pendulum. The upright position is unstable; the
poles are placed, and the nonlinear closed loop is simulated.
"""

# %%
import symbody as sb

m = sb.Model("Furuta pendulum")
p = m.parameters(J=0.02, L=0.3, m=0.1, l=0.2, g=9.81)
m.gravity(0, 0, -p.g)
arm = m.body("arm", inertia=(0, 0, p.J))
rod = m.particle("bob", mass=p.m)
m.revolute("phi", m.ground, arm, axis="z", actuation=m.input("T"))
m.revolute("theta", arm, rod, axis="x", at=(p.L, 0, 0), on=(0, 0, -p.l))
eq = sb.derive(m)
eq.readable

# %%
upright = sb.linearize(eq, {})
loop = upright.place([-6, -7, -8 + 4j, -8 - 4j])
loop

# %%
sim = sb.simulate(eq, 3, inputs=loop, theta=0.3)
assert abs(sim["theta"][-1]) < 1e-3
sim.plot(["phi", "theta"], ["T"])

# %%
sim.scene()
