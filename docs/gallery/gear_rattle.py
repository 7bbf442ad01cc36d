"""# Gear pair with backlash

Subjects: machines, gears
Reproduces: the mesh frequency √(k (cos²α r₁²/J₁ + cos²α r₂²/J₂)) and the amplitude of the torque at which teeth lift off

Two gears mesh with a stiffness that changes as one and two pairs of teeth are in contact, and with backlash. A torque
that oscillates more than it drives lifts the teeth off: the gears rattle between both flanks.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import machines as mc

z, r1, r2, J1, J2, k = 20, 0.04, 0.08, 4e-4, 6e-3, 5e7
m = sb.Model("gear pair")
T, excite, ripple = m.parameters(T=20.0, excite=0.0, ripple=0.0)
for name, J, at in (("pinion", J1, 0.0), ("wheel", J2, r1 + r2)):
    body = m.body(name, mass=1.0, inertia=(J, J, J))
    m.revolute(name, m.ground, body, at=m.ground.point(at, 0, 0))
pinion, wheel = m.symbols["pinion"], m.symbols["wheel"]
# one period of the mesh: two pairs of teeth, then one
place = np.linspace(0, 2 * np.pi / z, 25)
share = 0.5 * (1 + np.tanh(3 * np.cos(z * place)))
share[-1] = share[0]
pairs = sb.integrate.interpolation("pairs", place, share, period=2 * np.pi / z)
teeth = mc.Teeth(
    stiffness=k * (1 - ripple * pairs(pinion)), damping=600.0, backlash=1e-4
)
mesh = mc.gear_mesh(m, "mesh", "pinion", "wheel", radii=(r1, r2), teeth=teeth)
m.generalized_force("motor", pinion, T + excite * sb.sin(60 * m.time))
m.generalized_force("load", wheel, r2 / r1 * T)
eq = sb.derive(m)

# %% [markdown]
# Small vibrations about a driving flank have the frequency of a spring along the line of action.

# %%
alpha = mc.Teeth().pressure_angle
closed = np.cos(alpha) * np.sqrt(k * (r1**2 / J1 + r2**2 / J2))
loaded = {"pinion": 1.2e-4 / (r1 * np.cos(alpha)), "wheel": 0.0}
lin = sb.linearize(eq, {**loaded, "pinion_dot": 0.0, "wheel_dot": 0.0}, moving=True)
found = np.abs(lin.eigenvalues().imag).max()
print(
    f"mesh frequency {found / 2 / np.pi:.1f} Hz, by the formula {closed / 2 / np.pi:.1f} Hz"
)
assert abs(found / closed - 1) < 5e-3

# %% [markdown]
# A drive torque that oscillates about 20 N m: without the change of its sign the teeth stay in contact; beyond it they
# lift off and the wheel is struck from both sides. The force in the bearing shows it.

# %%
t = np.linspace(0, 0.6, 2401)
runs = {}
for amplitude in (10.0, 60.0):
    runs[amplitude] = sim = sb.simulate(
        eq, t, {"pinion_dot": 10.0, "wheel_dot": -5.0, **loaded}, excite=amplitude
    )
    late = sim.t > 0.2
    off = np.mean(np.abs(sim["mesh_approach"][late]) < 0.5e-4)
    print(f"{amplitude:.0f} N m: no tooth in contact for {100 * off:.1f} % of the time")
    assert (off > 0) == (amplitude > 20)
sb.plot(
    list(runs.values()),
    {"tangential force [N]": mesh.tangential},
    {"approach of the teeth [m]": mesh.approach},
)

# %% [markdown]
# With a mesh stiffness that changes by a third, each tooth is a beat: orders of the force are multiples of the number of
# teeth.

# %%
sim = sb.simulate(
    eq,
    np.linspace(0, 2, 16001),
    {"pinion_dot": 40.0, "wheel_dot": -20.0, **loaded},
    ripple=0.3,
)
late = sim.t > 1
turns = sim["pinion"][late] / (2 * np.pi)
even = np.linspace(turns[0], turns[-1], 4096)
force = np.interp(even, turns, sim["mesh_tangential"][late])
spectrum = np.abs(np.fft.rfft((force - force.mean()) * np.hanning(4096)))
orders = np.arange(len(spectrum)) / np.ptp(turns)
largest = orders[orders > 5][np.argmax(spectrum[orders > 5])]
print(f"the largest order is {largest:.2f}")
assert abs(largest / z - round(largest / z)) < 0.02

# %%
sim.scene(
    shapes={"pinion": sb.cylinder(r1, 0.02, "z"), "wheel": sb.cylinder(r2, 0.02, "z")}
)
