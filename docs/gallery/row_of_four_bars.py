"""# N four-bar linkage

Subjects: linkages
Reproduces: the benchmark N-four-bar of the IFToMM library: energy is conserved through singular positions

Upright and horizontal rods form a chain with one degree of freedom in total. Where all rods are aligned, each
loop could continue in two ways, and the constraints lose rank: many programs stop there, or continue on a
wrong branch.
"""

# %%
import numpy as np

import symbody as sb

file = sb.read_model("four_bars")
eq = sb.derive(file.mechanism, check=False)
sim = sb.simulate(eq, 10, file.requests.start)
assert sim.outcome
assert np.abs(sim.energy - sim.energy[0]).max() < 1e-3
print(sim.outcome)

# %%
for passage in sim.singular_positions[:3]:
    print(passage)

# %%
sim.plot("a0", "a1")

# %%
sim.scene()
