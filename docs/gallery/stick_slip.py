"""# Stick-slip oscillator

Subjects: friction, orbits
Reproduces: the period 2 (μs - μk) m g / (k v) + 2 √(m/k) (π - atan((μs - μk) m g / (v √(k m)))) of a block on a belt

A violin bow, a squealing brake, a creaking door: a block on a spring moves with the belt until friction gives
way, then slips back. The motion is a hybrid orbit. While the block sticks, its earlier speed is forgotten, so
only the trivial multiplier is nonzero.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("block on a belt")
p = m.parameters(k=40.0, v=0.1, mass=1.0, g=9.81)
s = m.coordinate("s")
block = m.particle("block", m.ground.translate(s, 0, 0).origin, mass=p.mass)
wall = m.ground.point(-0.2, 0, 0)
m.spring("spring", wall, block.frame.origin, stiffness=p.k, rest=0.2)
friction = sb.Friction(
    "belt", s.dot - p.v, sb.Coulomb(0.2, static=0.4), normal=p.mass * p.g
)
belt = sb.Contacts(sb.derive(m), friction)
orbit = sb.orbit(belt, sb.simulate_modes(belt, 8, s_dot=0.1))
print(orbit)
sb.plot(orbit, "s", "lam_belt_friction")

# %%
# The faster the belt, the shorter the sticking phase.
family = sb.orbits(belt, orbit, v=(0.07, 0.15), max_step=1.0)


def period(v):
    lost, w = 0.2 * 9.81, np.sqrt(40.0)
    return 2 * lost / (40.0 * v) + 2 / w * (np.pi - np.arctan(lost / (v * w)))


assert np.allclose(family["period"], period(family["v"]), rtol=1e-9)
assert not len(orbit.multipliers)
print(f"period {orbit.period:.6f} s, by the formula {period(0.1):.6f} s")
sb.plot(family, "s", "period")

# %%
sb.plot(orbit, "s_dot", over="s")

# %%
sb.scene(orbit, shapes={"block": sb.box(0.06, 0.05, 0.05)})
