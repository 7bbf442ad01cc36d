"""# The simplest walker

Subjects: walkers, impacts, orbits

Reproduces: both gaits of Garcia, Chatterjee, Ruina and Coleman (1998), and the slope where a step becomes two

Two straight legs and a hip walk down a slope by themselves. There are two gaits at each slope; the long one is stable, until it
limps.
"""

# %%
import numpy as np

import symbody as sb

th, ph, slope = sb.symbol("th", "coordinate"), sb.symbol("ph", "coordinate"), sb.symbol("slope")
swing = sb.sin(th - slope)
rates = {th.dot.dot: swing, ph.dot.dot: swing + th.dot**2 * sb.sin(ph) - sb.cos(th - slope) * sb.sin(ph)}
walker = sb.from_equations(rates, {slope: 0.009}, name="simplest walker")

# %%
# The swing foot strikes: legs change their parts, and the impact takes energy.
c = sb.cos(2 * th)
after = {"th": -th, "ph": -2 * th, "th_dot": c * th.dot, "ph_dot": c * (1 - c) * th.dot}
strike = sb.Event("strike", ph - 2 * th, "rising", reset=after, where=th < -0.05)


def gait(angle, speed, period):
    start = {"th": angle, "ph": 2 * angle, "th_dot": speed, "ph_dot": (1 - np.cos(2 * angle)) * speed}
    return sb.orbit(walker, start, period=period, events=[strike])


long, short = gait(0.2, -0.2, 3.88), gait(0.194, -0.204, 3.1)
print(long, short, sep="\n")
assert abs(long.period - 3.8824637528514) < 1e-9
assert abs(long.multipliers[0] - (-0.190099841066 + 0.557598776682j)) < 1e-8
assert abs(short.multipliers[0] - 4.003864358930) < 1e-7
sb.plot([long, short], "th_dot", over="th")

# %%
# Printed are -0.1912 ± 0.5563i and 4.000, by differences of simulations; these are by exact saltation matrices. On steeper slopes
# the long gait turns into one of two steps.
steep = sb.orbit(walker, long, slope=0.0145, events=[strike])
family = sb.orbits(walker, steep, slope=(0.0144, 0.0154), max_step=0.5)
limps = family.special[0]
print(limps)
assert limps.kind == "period doubling"
assert abs(limps.value - 0.015088437941) < 1e-9
sb.plot(family, "multipliers", over="slope")
