"""# Flexible blade: spin-up

Subjects: elastic
Reproduces: the tip lags by at most 0.57 m (Kane, Ryan and Banerjee 1987; Simo and Vu-Quoc 1986)

A flexible blade accelerates from rest to 6 rad/s in 15 s. Rotation stiffens it; in a linear theory without
this effect the deflection diverges.
"""

# %%
import symbody as sb
from examples import spinning_blade

eq = sb.derive(spinning_blade.model())
sim = sb.simulate(eq, 20)
lag = -sim.min("tip")
assert abs(lag - 0.574) < 2e-3
sim.plot("tip")

# %%
sim.scene()
