"""# Tethered satellite

Subjects: spacecraft, tethers
Reproduces: libration at √3 and at 2 times the orbital rate, tension 3 m n² l (Beletsky and Levin 1993)

A small satellite hangs on a long tether below a large one. Gravity is stronger on the lower satellite, the
centrifugal force on the upper one. The difference keeps the tether taut and makes it librate like a pendulum.
"""

# %%
import numpy as np

import symbody as sb

mu, radius, length = 3.986004418e14, 6.771e6, 1e4
n = np.sqrt(mu / radius**3)
m = sb.Model("tethered satellite")
r, theta, swing, out, l = m.coordinates("r theta swing out l")
station = m.ground.rotate("z", theta).translate(r, 0, 0)
m.body("station", station, mass=4e5, shape=sb.box(40.0, 40.0, 40.0))
tether = station.rotate("z", swing).rotate("y", -out)
probe = m.particle("probe", tether.point(-l, 0, 0), mass=500.0)
m.central_gravity("earth", mu)
m.constrain("tether", l - length)
eq = sb.derive(m)
eq

# %% [markdown]
# In a circular orbit the tether points at the earth. Linearised about this motion:

# %%
start = {"r": radius, "theta_dot": n, "l": length}
around = sb.steady(eq, {"r": radius, "swing": 0.0, "out": 0.0}, start=start)
rates = np.unique((np.abs(sb.linearize(eq, around).eigenvalues().imag) / n).round(4))
print("frequencies over that of the orbit:", rates)
assert abs(rates - np.sqrt(3)).min() < 3e-3
assert abs(rates - 2).min() < 3e-3

# %%
tension = abs(around["lam_tether"])
print(f"tension {tension:.3f} N; 3 m n² l = {3 * 500 * n**2 * length:.3f} N")
assert abs(tension / (3 * 500 * n**2 * length) - 1) < 3e-3

# %% [markdown]
# After a push of 5 m/s, out of plane and along the orbit, for three revolutions:

# %%
sim = sb.simulate(
    eq, 3 * 2 * np.pi / n, around, swing_dot=5 / length, out_dot=5 / length, rtol=1e-10
)
print(
    f"energy changes by {np.ptp(sim.energy) / abs(sim.energy[0]):.0e}, angles up to {np.degrees(np.abs(sim['swing']).max()):.1f}° and {np.degrees(np.abs(sim['out']).max()):.1f}°"
)
assert sim.min("lam_tether") * sim.max("lam_tether") > 0  # taut at all times
sim.plot(["swing", "out"], ["lam_tether"])
