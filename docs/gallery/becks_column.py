"""# Beck's column (flutter)

Subjects: elastic, stability
Reproduces: flutter at 20.05 EI / l² (Beck 1952), buckling at π² EI / 4 l² (Euler 1744)

A follower load at the end of a clamped column does not buckle it: two frequencies meet, and the column
flutters. A load of constant direction buckles it at an eighth of that load.
"""

# %%
import math

import symbody as sb


def column(follows: bool) -> sb.Equations:
    m = sb.Model("column")
    P, EI, mu = m.parameters(P=1.0, EI=1.0, mu=1.0)
    beam = m.beam("beam", m.ground, length=1, EI=EI, rho_A=mu, modes=5)
    end = beam.at(1)
    m.force("load", end, (end if follows else m.ground).vector(-P, 0, 0), at=end.origin)
    return sb.derive(m)


# %%
beck = sb.linearize(column(True), {}).root_locus(P=(1, 30))
(flutter,) = beck.critical
assert flutter.kind == "flutter"
assert abs(flutter.value - 20.05) < 5e-3
print(beck)
sb.plot(beck)

# %% [markdown]
# Just above the flutter load a small perturbation grows while it oscillates:

# %%
sim = sb.simulate(column(True), 6, beam_y1=1e-2, P=20.6)
sim.scene()

# %%
(buckling,) = sb.linearize(column(False), {}).root_locus(P=(1, 4)).critical
assert abs(buckling.value - math.pi**2 / 4) < 1e-6
print(
    f"Euler's load {buckling.value:.6f}; Beck's is {flutter.value / buckling.value:.2f} times as large"
)
