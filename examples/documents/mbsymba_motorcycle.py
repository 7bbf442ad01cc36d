"""Lot and Da Lio, sections 2 to 4: the program for Sharp's motorcycle, line by line, from frames to frequency responses.

Names are those of the paper, and comments are its lines in short. z points down.
"""

import symbody as sb


def project(thing, frame):
    """A point in another frame, or the components of a vector there; trigonometric terms are simplified."""
    return sb.tidy(thing.in_frame(frame) if isinstance(thing, sb.Point) else thing.components(frame))


def Xcomp(v):  # noqa: N802
    return v[0]


def Ycomp(v):  # noqa: N802
    return v[1]


def Zcomp(v):  # noqa: N802
    return v[2]


m = sb.Model("motorcycle of the MBSymba paper")
x, y, psi, delta, phi, psi4, phi4, theta1, theta4 = m.coordinates("x y psi delta phi psi4 phi4 theta1 theta4")
tau = m.input("tau")
Yr, Yf = m.variables("Yr Yf")
Sharp71data = {
    "Zf": -1005.3, "h": 0.6157, "Irx": 31.18, "Irz": 21.07, "Crxz": 1.7355, "iry": 1.0508, "Ifz": 0.4420,
    "ify": 0.7186, "mr": 217.45, "b": 0.4798, "e": 0.0244, "f": 0.0283, "Ifx": 1.2338, "an": 0.1158,
    "eps": 0.4715, "a": 0.9485376, "Cdelta": 6.77, "mf": 30.65, "Rf": 0.3048, "Cf1": 11174.0, "Cf2": 938.6,
    "sigma": 0.2438, "Rr": 0.3048, "Cr1": 15831.0, "Cr2": 1325.6, "g": 9.81, "j": 0.4167186306, "k": 0.8796329043,
}  # fmt: skip
p = m.parameters(**Sharp71data)
Zf, h, Irx, Irz, Crxz, iry, Ifz, ify, mr, b, e, f, Ifx, an, eps, a, Cdelta, mf = list(p)[:18]
Rf, Cf1, Cf2, sigma, Rr, Cr1, Cr2, g, j, k = list(p)[18:]
s, c = sb.sin(eps), sb.cos(eps)
global_properties = {
    "f": s * k - c * j,
    "lx": -an + Rf * s,
    "a": c * k - e + j * s,
    "lz": -(-s * k * c + c**2 * Rf + s * e - j + c**2 * j + s * an) / c,
}
numbers = dict(zip(p, Sharp71data.values(), strict=True))
lx, lz = (m.parameter(name, sb.evaluate(global_properties[name], numbers)) for name in ("lx", "lz"))
Zr = m.parameter("Zr", -(217.45 + 30.65) * 9.81 + 1005.3)  # the rest of the weight; the paper leaves it a symbol
m.gravity(0, 0, g)
ground = m.ground

# 2.1 reference frames
T1 = ground.translate(x, y, 0).rotate("z", psi)
T2 = T1.rotate("x", phi)
T4 = T2.rotate("y", eps).translate(a, 0, 0).rotate("z", delta)

# 2.2 points and vectors
Gr = T2.point(0, 0, -h)
Gr_by_sum = T2.origin + T2.vector(0, 0, -h)

# 2.3 bodies; Iry has no number in the paper, and is not in its linear equations
rear_chassis = m.body("rear_chassis", T2, mass=mr, com=Gr, inertia=sb.inertia(Irx, 0, Irz, xz=Crxz))
TWR = T2.translate(-b, 0, -Rr).rotate("y", theta1)
rear_wheel = m.body("rear_wheel", TWR, mass=0, inertia=(0, iry, 0))
Gf = T4.point(e, 0, f)
front_chassis = m.body("front_chassis", T4, mass=mf, com=Gf, inertia=(Ifx, 0, Ifz))
E = T4.point(lx, 0, lz)
TF = ground.translate(E).rotate("z", psi4).rotate("x", phi4)
TWF = TF.rotate("y", theta4)
front_wheel = m.body("front_wheel", TWF, mass=0, inertia=(0, ify, 0))

# 2.4 forces and torques
Cr = TWR.point(-Rr * sb.sin(theta1), 0, Rr * sb.cos(theta1))
rear_tire_forces = m.force(
    "rear_tire_forces", rear_wheel, ground.rotate("z", psi).vector(0, Yr, Zr), at=project(Cr, T2)
)
Cf = TWF.point(-Rf * sb.sin(theta4), 0, Rf * sb.cos(theta4))
front_track = ground.rotate("z", psi4)
front_tire_forces = m.force("front_tire_forces", front_wheel, front_track.vector(0, Yf, Zf), at=project(Cf, TF))
steering_torque = m.torque(
    "steering_torque", front_chassis, T4.vector(0, 0, tau - Cdelta * delta.dot), reacting=rear_chassis
)

# 2.5 constraints
spin_axis = project(TWF.vector(0, 1, 0), ground)
spin_axis_copy = project(T4.vector(0, 1, 0), ground)
spin_x = Xcomp(spin_axis) - Xcomp(spin_axis_copy)
spin_z = Zcomp(spin_axis) - Zcomp(spin_axis_copy)
VCr_euler = project(Cr.transport_velocity(), T1)
no_slip_rear = Xcomp(VCr_euler)
VCf_euler = project(Cf.transport_velocity(), front_track)
no_slip_front = Xcomp(VCf_euler)
m.constrain_speed("no_slip_rear", no_slip_rear)
m.constrain_speed("no_slip_front", no_slip_front)
m.constrain("spin_x", spin_x)
m.constrain("spin_z", spin_z)

# 2.6 additional equations
VCr_abs = project(Cr.velocity(), T1)
Vsr, Vnr = Xcomp(VCr_abs), Ycomp(VCr_abs)
equ_Yr = sigma / Vsr * Yr.dot + Yr - (Cr1 * sb.atan(-Vnr / Vsr) + Cr2 * phi)
VCf_abs = project(Cf.velocity(), front_track)
Vsf, Vnf = Xcomp(VCf_abs), Ycomp(VCf_abs)
equ_Yf = sigma / Vsf * Yf.dot + Yf - (Cf1 * sb.atan(-Vnf / Vsf) + Cf2 * phi4)
m.equation("equ_Yr", equ_Yr)
m.equation("equ_Yf", equ_Yf)

if __name__ == "__main__":
    # 3 derivation of the equations of motion
    print(sb.kinetic_energy(leqns := sb.derive(m, "lagrange"), "rear_wheel"))
    print(sb.tidy(sb.derivation.generalized_force(leqns, "front_tire_forces", y)))
    print(sb.derivation.generalized_force(leqns, "steering_torque", delta))
    print(
        len(leqns.q) + len(leqns.lam) + len(leqns.z),
        "equations,",
        sb.algebra.operations(leqns.M, leqns.f),
        "operations",
    )

    # 4.1 linearisation
    V, t = sb.symbol("V"), m.time
    straight_run = dict.fromkeys((y, psi, phi, delta, psi4, phi4, Yr, Yf), 0)
    straight_run |= {x: V * t, theta1: -V * t / Rr, theta4: -V * t / Rf}
    lin_constraints = sb.algebra.linearized(sb.vector(no_slip_rear, no_slip_front, spin_x, spin_z), straight_run, t)
    print(sb.tidy(lin_constraints))
    lin_tire_eqns = sb.algebra.linearized(sb.vector(equ_Yr, equ_Yf), straight_run, t)
    print(sb.tidy(lin_tire_eqns))
    steady = sb.steady(leqns, values={"x_dot": V}, zero=["y", "psi", "phi", "delta"])
    print(sb.stability.linear_integrals(leqns, steady))  # int(lin_constraints[1],t), int(lin_constraints[2],t)
    lin = sb.linearize(leqns, steady)

    # 4.2 independent coordinates, and the velocity of A in the moving frame
    RR = lin.T[9:18, 7:12]
    print(RR)
    sharp = lin.replace_state("y_dot", "y1_dot", y.dot - V * psi)
    sharp = sharp.without(*sb.stability.cyclic_states(sharp), "x_dot")

    # 4.3 state space
    xx = ("y1_dot", "delta", "phi", "Yr", "Yf", "psi_dot", "delta_dot", "phi_dot")
    sharp = sb.tidy(sharp.with_states(*xx)(global_properties))
    AA, BB, CC = sharp.E, sharp.A, sharp.B
    print(sb.algebra.operations(AA, BB), "operations")

    # 4.4 numerical results
    print(sharp.eigenvalues(V=20))
    for name in xx:
        print(f"{name:10} {sharp.frequency_response('tau', name, [2.0], V=20).values[0]:.10g}")
