"""# A bead on a turning hoop

Subjects: machines, bifurcations
Reproduces: the bottom becomes unstable at Ω² = g/R; above it the bead stands at cos a = g / (R Ω²)

A governor in its smallest form. The hoop turns about its vertical diameter at a given rate; slow, the bead rests at the
bottom, fast, it stands off to one side or the other. `branch` follows the equilibria, names the pitchfork and goes on along
the branches that cross there.
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
print(eq.readable)

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
