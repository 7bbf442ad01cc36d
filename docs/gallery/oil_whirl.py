"""# Oil whirl in journal bearings

Subjects: machines, rotors, orbits
Reproduces: the stability limit by the eight coefficients of short bearings, and whirl at half the speed (Friswell et al. 2010,
5.5 and 7.4)
Card: figure 1

A rigid rotor lies in two short journal bearings. At low speed it rests beside the bottom of its bearings. Above a speed that
depends on the clearance it whirls, at nearly half the speed of rotation, because half the oil film moves along with it.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import machines as mc

c, mass, g = 1e-4, 50.0, 9.81  # of one bearing
film = mc.ShortBearing(radius=0.04, length=0.03, clearance=c, viscosity=0.02)
m = sb.Model("rotor in journal bearings")
W = m.parameter("W", 300.0)
x, y = m.coordinates("x y")
m.particle("shaft", m.ground.point(x, y, 0), mass=mass)
m.gravity(0, -g, 0)
mc.journal(m, "film", (x, y), film, speed=W)
eq = sb.derive(m)

# %% [markdown]
# The place of the shaft over the speed is a branch of equilibria. It loses its stability at a Hopf point.

# %%
eccentricity = film.eccentricity(mass * g, 300.0)
turn = film.attitude(eccentricity)
near = eccentricity * c * np.array([np.sin(turn), -np.cos(turn)])
rest = sb.steady(eq, start={"x": near[0], "y": near[1]}, W=300.0)
branch = sb.branch(eq, rest, W=(300.0, 1500.0))
hopf = branch.special[0]
whirl = abs(hopf.eigenvalue.imag)
print(
    f"stable up to {hopf.value:.1f} rad/s, ω √(c/g) = {hopf.value * np.sqrt(c / g):.3f}, "
    f"then whirl at {whirl / hopf.value:.3f} of the speed; {hopf.criticality}"
)
sb.plot(branch, "y")

# %% [markdown]
# The eight coefficients of the bearing at that speed give the same limit: a pair of eigenvalues on the imaginary axis.

# %%
_, K, D = film.coefficients(mass * g, hopf.value)
A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K / mass, -D / mass]])
pair = np.linalg.eigvals(A)
pair = pair[np.argmax(pair.real)]
assert abs(pair.real) < 1e-3 * whirl
assert abs(abs(pair.imag) / whirl - 1) < 1e-6

# %% [markdown]
# Released from half the clearance, the rotor returns to rest below the limit. Above it the orbit grows until the film
# stiffens, and stays at half the speed.

# %%
t = np.linspace(0, 0.6, 4001)
runs = [
    sb.simulate(eq, t, x=0.4 * c, y=-0.3 * c, W=share * hopf.value)
    for share in (0.7, 1.15)
]
sb.plot(runs, "y", over="x")

# %%
calm, wild = (np.ptp(run["x"][t > 0.5]) / c for run in runs)
late = runs[1]["x"][t > 0.3] - runs[1]["x"][t > 0.3].mean()
spectrum = np.abs(np.fft.rfft(late * np.hanning(len(late)), 16 * len(late)))
order = 2 * np.pi * np.argmax(spectrum) / (16 * len(late) * t[1]) / (1.15 * hopf.value)
print(f"orbits of {calm:.3f} and {wild:.2f} clearances; order {order:.3f}")
assert calm < 0.02
assert wild > 0.5
assert 0.4 < order < 0.55
