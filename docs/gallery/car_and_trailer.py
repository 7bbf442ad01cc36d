"""# Car and trailer (snaking)

Subjects: vehicles

A single-track car pulls a trailer with one axle. Above a critical speed the oscillation of the trailer is no
longer damped.
"""

# %%
import symbody as sb

m = sb.Model("car and trailer")
p = m.parameters(
    m1=1600.0,
    J1=2600.0,
    m2=1500.0,
    J2=4000.0,
    a=1.3,
    b=1.5,
    h=2.3,
    d=3.6,
    e=3.5,
    C1=9e4,
    C2=1.1e5,
    C3=9e4,
    V=20.0,
)
y, yaw, hitch = m.coordinates("y yaw hitch")
x = m.coordinate("x")
car_frame = m.ground.translate(x, y, 0).rotate("z", yaw)
car = m.body("car", car_frame, mass=p.m1, inertia=(600, p.J1, p.J1))
trailer_frame = car_frame.translate(-p.h, 0, 0).rotate("z", hitch)
trailer = m.body(
    "trailer", trailer_frame, mass=p.m2, com=(-p.d, 0, 0), inertia=(500, p.J2, p.J2)
)
for name, body, at, C in (
    ("front", car, p.a, p.C1),
    ("rear", car, -p.b, p.C2),
    ("axle", trailer, -p.e, p.C3),
):
    v = body.point(at, 0, 0).velocity()
    slip = sb.atan2(v.dot(body.frame.y), v.dot(body.frame.x))
    m.force(name, body, body.vector(0, -C * slip, 0), at=body.point(at, 0, 0))
u = car_frame.origin.velocity().dot(car_frame.x)
m.constrain_speed("cruise", u - p.V)
eq = sb.derive(m)

# %%
straight = sb.steady(eq, zero=["y", "yaw", "hitch"], start={"x_dot": 20.0})
lin = sb.linearize(eq, straight, drop="cyclic")
locus = lin.root_locus(V=(5, 50))
(critical,) = [c for c in locus.critical if c.value > 10]
print(f"stable below {critical.value:.3f} m/s")
sb.plot(locus)

# %%
start = sb.assemble(
    eq,
    start={"x_dot": 1.05 * critical.value},
    V=1.05 * critical.value,
    hitch=0.02,
    y=0.0,
    yaw=0.0,
    hitch_dot=0.0,
    yaw_dot=0.0,
    y_dot=0.0,
)
sim = sb.simulate(eq, 8, start)
sim.plot("yaw", "hitch")

# %%
shapes = {
    "car": sb.box(4.2, 1.7, 1.2, at=(0, 0, 0.8)),
    "trailer": sb.box(4.5, 2.0, 1.8, at=(-3.6, 0, 1.1)),
}
sim.scene(shapes=shapes)
