"""# Satellite with two links

Subjects: spacecraft, from papers
Reproduces: the links swing from 60 to 120 degrees and back (Lynch, section 5.3)

No force acts: momentum, angular momentum and energy are conserved. Four Euler parameters describe the
attitude of the base, so no orientation is singular.
"""

# %%
import numpy as np

import symbody as sb

file = sb.read_model("satellite")
eq = sb.derive(file.mechanism)
sim = sb.simulate(eq, 10, file.requests.start, rtol=1e-11)
for kept in (sb.momentum(eq), sb.angular_momentum(eq)):
    assert np.abs(sim[kept] - sim[kept][0]).max() < 1e-8
assert np.ptp(sim.energy) < 1e-9
fine = sim.at(np.linspace(0, 10, 20001))
assert abs(abs(fine["theta2"]).max() - 2 * np.pi / 3) < 1e-3
sim.plot(["theta2", "theta3"], ["base_wx", "base_wy", "base_wz"])

# %%
sim.scene(shapes=file.requests.draw)
