"""# Hunting of a railway car

Subjects: vehicles, rail
Reproduces: contact points of S1002 on UIC60 in the Manchester contact benchmark (Shackleton and Iwnicki 2008)
Card: figure 1

A car on two bogies with the data of the Manchester benchmarks (Iwnicki 1998, vehicle 1). Its wheels have the profile S1002
and run on UIC60 rails. The profiles determine where wheels touch, the equivalent conicity, the critical speed, and the
motion between the flanges above it.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import vehicles as vh

rigid = vh.rail_geometry("S1002", "UIC60", gauge=1.435, inclination=1 / 40)
print(rigid)
rigid.plot()

# %% [markdown]
# Places of the contact on the wheels, from the tape circle outwards, by the benchmark as computed with CONTACT (10 kN on a
# wheel, elastic): displacement, wheel near its flange, other wheel.

# %%
benchmark = np.array(
    [
        (1.0, -9.03, 6.27),
        (2.0, -11.13, 8.57),
        (3.0, -13.10, 10.34),
        (4.0, -15.35, 11.82),
        (7.0, -41.14, 18.67),
        (8.0, -42.39, 20.35),
        (10.0, -44.38, 22.54),
    ]
)
for y, near, far in benchmark:
    k = np.argmin(np.abs(rigid.y - 1e-3 * y))
    ours = 1e3 * rigid.left[k], 1e3 * rigid.right[k]
    print(f"{y:4.0f} mm: {ours[0]:7.2f} ({near:.2f})  {ours[1]:6.2f} ({far:.2f})")
    assert max(abs(ours[0] - near), abs(ours[1] - far)) < 0.6

# %% [markdown]
# The critical speed of the car, with the tables of the profiles, Kalker's creep coefficients and Polach's law.

# %%
load = 54.6e3
contact = vh.rail_contact(load, wheel_radius=0.46)
data = {**vh.MANCHESTER, **contact.creep}
soft = vh.rail_geometry("S1002", "UIC60", softness=2e-5)
eq = sb.derive(vh.rail_car(profiles=soft, friction=0.3, load=load, **data))
rest = {s.name: 0.0 for s in (*eq.q, *eq.u)}
lin = sb.linearize(eq, rest)
locus = lin.root_locus(V=(40, 130))
critical = next(c for c in locus.critical if c.kind == "oscillatory")
print(
    f"hunting above {3.6 * critical.value:.0f} km/h, "
    f"{critical.eigenvalue.imag / 2 / np.pi:.2f} Hz"
)
sb.plot(locus, "real")

# %% [markdown]
# Below the critical speed the car returns to the middle of the track. Above it the wheelsets move from flange to flange.

# %%
t = np.linspace(0, 6, 2401)
runs = [
    sb.simulate(eq, t, {**rest, "y1": 3e-3}, V=share * critical.value)
    for share in (0.8, 1.15)
]
sb.plot(runs, ["y1"], ["y"])

# %%
calm, hunts = (1e3 * np.abs(run["y1"][t > 5]).max() for run in runs)
print(f"leading wheelset after 5 s: {calm:.4f} mm and {hunts:.2f} mm")
assert calm < 0.2
assert 5 < hunts < 8
