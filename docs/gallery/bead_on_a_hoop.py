"""# Bead on a rotating hoop

Subjects: machines, bifurcations
Reproduces: the bottom becomes unstable at Ω² = g/R; above it the equilibrium is cos a = g / (R Ω²)

The hoop, the simplest governor, rotates about its vertical diameter at a given rate. At low rates the bead
rests at the bottom, at high rates on one side or the other. `branch` follows the equilibria, finds the
pitchfork and continues along the crossing branches.
"""

# %%
import math

import symbody as sb

m = sb.Model("hoop")
mass, g, R, Omega, c = m.parameters("m g R Omega c", 1.0, 9.81, 0.8, 5.0, 1.0)
m.gravity(0, 0, -g)
a = m.coordinate("a")
hoop = m.ground.rotate("z", Omega * m.time)
m.particle("bead", hoop.rotate("y", -a).point(0, 0, -R), mass=mass)
m.generalized_force("friction", a, -c * a.dot)
eq = sb.derive(m)
eq.readable

# %%
bottom = sb.branch(eq, sb.steady(eq), Omega=(0.5, 8))
branches = bottom.connected()
(pitchfork,) = [s for s in bottom.special if s.kind == "pitchfork"]
assert abs(pitchfork.value - (9.81 / 0.8) ** 0.5) < 1e-9
sb.plot(branches, "a")

# %%
sim = sb.simulate(eq, 12, a=0.05)
assert abs(math.cos(sim.final["a"]) - 9.81 / (0.8 * 5.0**2)) < 1e-3
sim.scene(traces=["bead"])
