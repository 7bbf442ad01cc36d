"""# Wind turbine: Campbell diagram

Subjects: machines, rotors
Reproduces: natural frequencies of the NREL 5-MW turbine (Jonkman et al., NREL/TP-500-38060, 2009, table 9-1)
Card: figure 1

The model has an elastic tower, a drive train and three elastic blades. Because the blades turn and the tower does
not, the linearised equations depend on the azimuth. In multiblade (Coleman) coordinates they are constant, and the
eigenvalues are frequencies for an observer on the ground.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import machines as mc
from symbody.kits.machines.models.turbine_data import PUBLISHED

lin = sb.linearize(sb.derive(mc.wind_turbine()), {})
rotor = mc.multiblade(lin, mc.turbine_blades())
diagram = mc.campbell(rotor, (0, 14), orders=(1, 3, 6), points=57)
print(diagram.table(0.0, 6.9, 12.1))

# %% [markdown]
# Crosses at rest are the frequencies of the report, computed with FAST. The cyclic blade modes split by
# twice the speed W: for an observer on the ground, a blade mode of frequency f has the frequencies f + W and f - W.

# %%
fast = np.array([f for f, _ in PUBLISHED.values()])
diagram.plot(highest=3.4, published={"report, at rest": (0 * fast, fast)})

# %%
ours = np.sort(diagram.frequencies[0])[: len(fast)]
for (name, (by_fast, by_adams)), k in zip(
    PUBLISHED.items(), np.argsort(np.argsort(fast)), strict=True
):
    print(f"{name:38s} {ours[k]:7.4f} Hz   FAST {by_fast:.4f}   ADAMS {by_adams:.4f}")
assert np.allclose(ours, np.sort(fast), rtol=0.07)

# %% [markdown]
# Passing blades excite the tower three times a turn. The crossing of order 3 with the tower bounds the range of
# operating speeds from below (6.9 rpm for this turbine).

# %%
for c in diagram.crossings:
    if c.order == 3:
        print(f"order 3 meets {c.mode} at {c.rpm:.2f} rpm, {c.frequency:.3f} Hz")
