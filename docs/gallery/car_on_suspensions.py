"""# Car with suspensions: step steer

Subjects: vehicles, suspensions, handling
Reproduces: lateral load transfer m ay h / t of a car in a steady turn (Milliken and Milliken, Race Car Vehicle Dynamics, 1995)

A body, four double wishbones by their hardpoints, a rack with a compliant column, anti-roll bars, a
differential and brush tyres give fifteen degrees of freedom and sixteen constraints. The car settles on its
springs, is steered by a step at 72 km/h, and ends in a steady turn, in which the moments about the road
balance.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import vehicles as vh

tyre = vh.BrushTyre(
    radius=0.32,
    cornering=5e4,
    along=6e4,
    friction=0.95,
    contact=0.06,
    damping=500.0,
    smooth=1e-3,
)
eq = sb.derive(vh.car(tyre, place=True, steering={"stiffness": 3e5, "damping": 1e3}))
eq

# %% [markdown]
# The car settles for three seconds while a drive torque holds the speed; then the steering wheel moves to its
# angle within a fifth of a second.

# %%
u = sb.symbol("u", "speed")
law = {
    "delta": vh.step_steer(eq.t, 0.05, at=3.0, rate=0.4, smooth=True),
    "drive": 3000 * (20 - u),
}
t = np.linspace(0, 9, 901)
sim = sb.simulate(
    eq,
    t,
    {"u": 20.0, **{f"{w}_spin_dot": 63.6 for w in ("fl", "fr", "rl", "rr")}},
    inputs=law,
)
print(sim)
sb.plot(sim, ["r"], ["roll"])

# %% [markdown]
# The measures of ISO 7401:

# %%
late = t > 2.5
steer = np.array([float(sb.evaluate(law["delta"], {eq.t: float(x)})) for x in t[late]])
for name in ("r", "roll"):
    s = vh.step_measures(t[late], steer, sim[name][late])
    print(
        f"{name:5} response time {s.response_time:.3f} s, peak at {s.peak_time:.3f} s, overshoot {100 * s.overshoot:.1f} %"
    )

# %% [markdown]
# In the turn the lateral load transfer is (m h ay + M g (h - z) φ) / t: the inertia of all masses at their
# heights, and the weight of the body, which rolls about the roll centre at the height z. The roll centre
# follows from the hardpoints: the lines of the arms meet in the instant centre, and the line from there to
# the contact passes through the roll centre.

# %%
P = vh.WISHBONES
lines = {}
for k in ("lower", "upper"):  # z = level + slope y in the front view
    (_, y0, z0), (_, y1, z1) = (
        np.mean([P[f"{k} front"], P[f"{k} rear"]], axis=0),
        P[f"{k} ball"],
    )
    slope = (z1 - z0) / (y1 - y0)
    lines[k] = (z0 - slope * y0, slope)
y = (lines["upper"][0] - lines["lower"][0]) / (lines["lower"][1] - lines["upper"][1])
z = lines["lower"][0] + lines["lower"][1] * y
track = 2 * P["wheel"][1]
centre = z * P["wheel"][1] / (P["wheel"][1] - y)

ay, roll = float(sim["ay"][-1]), float(sim["roll"][-1])
loads = {w: float(sim[f"{w}_Fz"][-1]) for w in ("fl", "fr", "rl", "rr")}
moved = (loads["fr"] + loads["rr"] - loads["fl"] - loads["rl"]) / 2
arms = 4 * (5 * P["lower ball"][2] + 3 * P["upper ball"][2] + (15 + 18) * P["wheel"][2])
expected = (ay * (1250 * 0.55 + arms) + 1250 * 9.81 * (0.55 - centre) * roll) / track
print(
    f"roll centre {1e3 * centre:.0f} mm; at {ay:.3f} m/s2 the load moves by {moved:.0f} N, by the formula {expected:.0f} N"
)
assert abs(moved / expected - 1) < 0.02
assert abs(sum(loads.values()) / ((1250 + 3 + 4 * 41) * 9.81) - 1) < 1e-4

# %%
sim.scene()
