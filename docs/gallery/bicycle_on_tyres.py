"""# A bicycle on real tyres

Subjects: vehicles, two-wheelers, stability
Reproduces: with stiff thin tyres the speeds 3.2065 and 5.3962 m/s of Lennartsson's knife edges (thesis 7.4); with others weave and wobble

The bicycle of Lennartsson's thesis rolls on knife edges without slip; tyres are among its wishes. Here each wheel is a torus on a tyre that is pressed in, slips, leans and
lags: side slip and camber make forces proportional to the load, behind a relaxation length. The frame is the same, written with z upwards.
"""

# %%
import math

import symbody as sb
from examples import bicycle
from symbody.kits import vehicles as vh


def on_tyres(tyre: vh.Tyre, tube: float) -> sb.LinearSystem:
    """Near straight running at the speed V, sideways motion only."""
    m = sb.Model("bicycle on tyres")
    p = m.parameters(
        R=0.354, L=1.062, b=0.048, sigma=math.radians(20.09), m1=1.2, jm=1.5, m3=8.0, L1=0.6, L2=0.3, J31=1.0, J32=1.5, J33=0.5,
        m4=1.0, G1=0.01, G2=0.35, J41=0.04, J42=0.03, J43=0.01, g=9.80665,
    )  # fmt: skip
    m.gravity(0, 0, -p.g)
    z, lean, pitch, steer = m.coordinates("z lean pitch steer")
    u, v, r, rear_spin, front_spin = m.speeds("u v r rear_spin front_spin")
    heading = m.moving_frame("heading", velocity=(u, v, 0), spin=(0, 0, r))
    frame = (
        heading.translate(0, 0, z)
        .rotate("x", lean)
        .translate(0, 0, p.R)
        .rotate("y", pitch)
    )
    fork = frame.translate(p.L - p.b, 0, 0).rotate("y", -p.sigma).rotate("z", steer)
    hub = fork.rotate("y", p.sigma).translate(p.b, 0, 0)
    m.body(
        "frame", frame, mass=p.m3, com=(p.L1, 0, p.L2), inertia=(p.J31, p.J32, p.J33)
    )
    m.body("fork", fork, mass=p.m4, com=(p.G1, 0, p.G2), inertia=(p.J41, p.J42, p.J43))
    axial = p.jm * p.m1 * p.R**2 / 2
    for name, carrier, spin in (("rear", frame, rear_spin), ("front", hub, front_spin)):
        turning = m.moving_frame(f"{name} wheel", on=carrier, spin=(0, spin, 0))
        wheel = m.body(
            f"{name} wheel", turning, mass=p.m1, inertia=(axial / 2, axial, axial / 2)
        )
        vh.wheel_on_road(
            m,
            name,
            wheel,
            tyre,
            carrier=carrier,
            road=vh.Road(heading),
            tube=tube,
            forward=True,
        )
    eq = sb.derive(m)
    near = {"z": -5e-4, "rear_spin": 14.0, "front_spin": 14.0}
    straight = sb.steady(
        eq, {"u": sb.symbol("V")}, V=5.0, zero=["lean", "steer", "v", "r"], start=near
    )
    return sb.linearize(eq, straight).without(
        "z", "pitch", "u", "rear_spin", "front_spin", "z_dot", "pitch_dot"
    )


# %% [markdown]
# First the check: tyres that are a thousand times stiffer than real ones, thin and without lag, are knife edges.

# %%
knife = bicycle.straight_running(sb.derive(bicycle.model()))
stiff = vh.LinearTyre(
    radius=0.354, cornering=lambda F: 1e5 * F, along=1e7, stiffness=1e8, damping=200.0
)
(knife_range,), (stiff_range,) = (
    s.root_locus(V=(1.0, 12.0)).stable_ranges()
    for s in (knife, on_tyres(stiff, tube=0.0))
)
assert max(abs(a - b) for a, b in zip(knife_range, stiff_range, strict=True)) < 2e-5
print(
    f"knife edges {knife_range[0]:.5f} to {knife_range[1]:.5f} m/s, stiff tyres {stiff_range[0]:.5f} to {stiff_range[1]:.5f}"
)

# %% [markdown]
# One property after the other. A cornering stiffness of 14 times the load for each radian and a camber stiffness of 0.95 times the load are chosen for
# the example, not measured; the tube has a radius of 2 cm, the side force lags by 0.1 or 0.2 m.


# %%
def tyre(camber: float, lag: float) -> vh.LinearTyre:
    return vh.LinearTyre(
        radius=0.354, cornering=lambda F: 14 * F, camber=lambda F: camber * F, along=1e4, relaxation=(0, lag), stiffness=1e5, damping=200.0
    )  # fmt: skip


cases = {
    "side slip": on_tyres(tyre(0.0, 0.0), 0.0),
    "and a round tread": on_tyres(tyre(0.0, 0.0), 0.02),
    "and camber thrust": on_tyres(tyre(0.95, 0.0), 0.02),
    "and a lag of 0.1 m": on_tyres(tyre(0.95, 0.1), 0.02),
    "and a lag of 0.2 m": on_tyres(tyre(0.95, 0.2), 0.02),
}
loci = {name: lin.root_locus(V=(1.0, 12.0)) for name, lin in cases.items()}
for name, locus in loci.items():
    ranges = ", ".join(
        f"{low:.3f} to {high:.3f} m/s" for low, high in locus.stable_ranges()
    )
    print(f"{name:20} stable {ranges or 'nowhere'}")

# %% [markdown]
# Side slip changes little. The round tread ends stability at a lower speed, because the contact moves to the side to which the bicycle leans: it capsizes, slowly, from there on; camber thrust adds
# a little. The lag adds oscillations of the fork and of the rear wheel against their tyres: wobble, at 7 and 9 Hz with a lag of 0.2 m at 4 m/s, which knife edges do not have.

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
