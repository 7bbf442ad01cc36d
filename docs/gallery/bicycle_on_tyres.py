"""# Bicycle on pneumatic tyres

Subjects: vehicles, two-wheelers, stability
Reproduces: with stiff thin tyres the speeds 3.2065 and 5.3962 m/s of Lennartsson's knife edges (thesis 7.4); with realistic tyres weave and wobble

The bicycle of Lennartsson's thesis rolls on knife edges without slip; tyres are proposed as future work. Here
each wheel is a torus on an elastic tyre: side slip and camber produce forces proportional to the load, with a
relaxation length. The frame is the same, with z upwards.
"""

# %%
import math

import symbody as sb
from examples import bicycle
from examples.documents.bicycle_on_tyres import KNIFE_EDGE, straight_running, tyre

# %% [markdown]
# Check: thin tyres without relaxation, a thousand times stiffer than real ones, behave like knife edges.

# %%
knife = bicycle.straight_running(sb.derive(bicycle.model()))
(knife_range,), (stiff_range,) = (
    s.root_locus(V=(1.0, 12.0)).stable_ranges()
    for s in (knife, straight_running(KNIFE_EDGE, tube=0.0))
)
assert max(abs(a - b) for a, b in zip(knife_range, stiff_range, strict=True)) < 2e-5
print(
    f"knife edges {knife_range[0]:.5f} to {knife_range[1]:.5f} m/s, stiff tyres {stiff_range[0]:.5f} to {stiff_range[1]:.5f}"
)

# %% [markdown]
# One property after the other. The cornering stiffness (14 times the load per radian) and the camber
# stiffness (0.95 times the load) are example values, not measured; the tube has a radius of 2 cm, the
# relaxation length is 0.1 or 0.2 m.

# %%
cases = {
    "side slip": straight_running(tyre(0.0, 0.0), 0.0),
    "and a round tread": straight_running(tyre(0.0, 0.0), 0.02),
    "and camber thrust": straight_running(tyre(0.95, 0.0), 0.02),
    "and a lag of 0.1 m": straight_running(tyre(0.95, 0.1), 0.02),
    "and a lag of 0.2 m": straight_running(tyre(0.95, 0.2), 0.02),
}
loci = {name: lin.root_locus(V=(1.0, 12.0)) for name, lin in cases.items()}
for name, locus in loci.items():
    ranges = ", ".join(
        f"{low:.3f} to {high:.3f} m/s" for low, high in locus.stable_ranges()
    )
    print(f"{name:20} stable {ranges or 'nowhere'}")

# %% [markdown]
# Side slip changes little. The round tread lowers the limit of stability, because the contact moves to the
# side to which the bicycle leans: above that speed it capsizes slowly; camber thrust adds a little.
# Relaxation adds oscillations of the fork and of the rear wheel against their tyres: wobble, at 7 and 9 Hz
# with a relaxation length of 0.2 m at 4 m/s, which knife edges do not have.

# %%
knife_locus = knife.root_locus(V=(1.0, 12.0))
edges = sb.plot(knife_locus, title="knife edges", label="speed [m/s]")
lagging = sb.plot(
    loci["and a lag of 0.2 m"], title="tyres with camber and lag", label="speed [m/s]"
)
edges.noted(
    weave=(2.0, 2.03), capsize=(8.0, 0.1), castering=(4.0, -6.9)
) | lagging.noted(
    **{
        "weave": (6.0, -3.2),
        "capsize": (8.0, 0.2),
        "wobble, 7 Hz": (10.0, -12.8),
        "wobble, 9 Hz": (7.0, -12.9),
    }
)

# %%
wobble = [s for s in cases["and a lag of 0.2 m"].eigenvalues(V=4.0) if s.imag > 30]
assert len(wobble) == 2
for s in wobble:
    print(
        f"wobble at 4 m/s: {s.imag / (2 * math.pi):.2f} Hz, damping ratio {-s.real / abs(s):.3f}"
    )
