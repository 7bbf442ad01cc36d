"""Systems of SymPy's documentation, built with sympy.physics.mechanics."""

import sympy as sm
import sympy.physics.mechanics as me

t = me.dynamicsymbols._t


def pendulums_on_a_cart(n: int = 3) -> me.KanesMethod:
    """n links on a cart that a force F pushes."""
    q, u, F = me.dynamicsymbols(f"q:{n + 1}"), me.dynamicsymbols(f"u:{n + 1}"), me.dynamicsymbols("F")
    m, l, g = sm.symbols(f"m:{n + 1}"), sm.symbols(f"l:{n}"), sm.Symbol("g")
    frame, origin = me.ReferenceFrame("I"), me.Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P0", q[0] * frame.x)
    point.set_vel(frame, u[0] * frame.x)
    bodies, loads, kinematics = [me.Particle("cart", point, m[0])], [(point, F * frame.x - m[0] * g * frame.y)], []
    for i in range(n):
        link = frame.orientnew(f"B{i}", "Axis", [q[i + 1], frame.z])
        link.set_ang_vel(frame, u[i + 1] * frame.z)
        tip = point.locatenew(f"P{i + 1}", l[i] * link.x)
        tip.v2pt_theory(point, frame, link)
        bodies.append(me.Particle(f"bob{i}", tip, m[i + 1]))
        loads.append((tip, -m[i + 1] * g * frame.y))
        point = tip
    kinematics = [a.diff(t) - b for a, b in zip(q, u, strict=True)]
    method = me.KanesMethod(frame, q_ind=list(q), u_ind=list(u), kd_eqs=kinematics)
    method.kanes_equations(bodies, loads)
    return method


def rolling_disc() -> me.KanesMethod:
    """A disc that rolls, with auxiliary speeds at its contact for the contact forces."""
    q1, q2, q3 = me.dynamicsymbols("q1:4")
    u1, u2, u3, u4, u5, u6 = me.dynamicsymbols("u1:7")
    fx, fy, fz = me.dynamicsymbols("fx fy fz")
    r, m, g = sm.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    w = R.ang_vel_in(N)
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    C = me.Point("C")
    C.set_vel(N, u4 * L.x + u5 * Y.z.cross(L.x) + u6 * Y.z)
    centre = C.locatenew("Dmc", r * L.z)
    centre.v2pt_theory(C, N, R)
    inertia = me.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    kinematics = [w.dot(v) - R.ang_vel_in(N).dot(v) for v in L]
    method = me.KanesMethod(N, q_ind=[q1, q2, q3], u_ind=[u1, u2, u3], kd_eqs=kinematics, u_auxiliary=[u4, u5, u6])
    body = me.RigidBody("D", centre, R, m, (inertia, centre))
    contact = fx * L.x + fy * Y.z.cross(L.x) + fz * Y.z
    method.kanes_equations([body], [(centre, -m * g * Y.z), (C, contact)])
    return method


def four_bar_linkage() -> me.KanesMethod:
    """Three links between two points of the ground: two configuration constraints, and their rates as velocity
    constraints."""
    q1, q2, q3 = me.dynamicsymbols("q1:4")
    u1, u2, u3 = me.dynamicsymbols("u1:4")
    l1, l2, l3, l4, rho, g = sm.symbols("l1:5 rho g")
    N = me.ReferenceFrame("N")
    at = me.Point("P1")
    at.set_vel(N, 0)
    bodies, loads, begin, frame = [], [], at, N
    for k, (q, u, l) in enumerate(((q1, u1, l1), (q2, u2, l2), (q3, u3, l3)), start=1):
        link = frame.orientnew(f"L{k}", "Axis", [q, frame.z])
        link.set_ang_vel(frame, u * frame.z)
        centre, end = at.locatenew(f"C{k}", l / 2 * link.x), at.locatenew(f"E{k}", l * link.x)
        centre.v2pt_theory(at, N, link)
        end.v2pt_theory(at, N, link)
        inertia = me.inertia(link, 0, 0, rho * l**3 / 12)
        bodies.append(me.RigidBody(f"link{k}", centre, link, rho * l, (inertia, centre)))
        loads.append((centre, -rho * l * g * N.y))
        at, frame = end, link
    gap = at.pos_from(begin) - l4 * N.x
    closed = [gap.dot(N.x), gap.dot(N.y)]
    rates = {q1.diff(t): u1, q2.diff(t): u2, q3.diff(t): u3}
    velocities = [e.diff(t).xreplace(rates) for e in closed]
    method = me.KanesMethod(
        N, q_ind=[q1], u_ind=[u1], q_dependent=[q2, q3], u_dependent=[u2, u3], kd_eqs=[a - b for a, b in rates.items()],
        configuration_constraints=closed, velocity_constraints=velocities,
    )  # fmt: skip
    method.kanes_equations(bodies, loads)
    return method


def knife_edge() -> me.KanesMethod:
    """A sleigh on an edge that does not slip sideways, its mass centre ahead of it: a nonholonomic constraint, and no
    configuration constraint."""
    x, y, a = me.dynamicsymbols("x y a")
    ux, uy, ua, T = me.dynamicsymbols("ux uy ua T")
    m, J, d = sm.symbols("m J d")
    N = me.ReferenceFrame("N")
    B = N.orientnew("B", "Axis", [a, N.z])
    B.set_ang_vel(N, ua * N.z)
    edge = me.Point("E")
    edge.set_vel(N, ux * N.x + uy * N.y)
    centre = edge.locatenew("C", d * B.x)
    centre.v2pt_theory(edge, N, B)
    body = me.RigidBody("sleigh", centre, B, m, (me.inertia(B, 0, 0, J), centre))
    method = me.KanesMethod(
        N, q_ind=[x, y, a], u_ind=[ux, ua], u_dependent=[uy], kd_eqs=[x.diff(t) - ux, y.diff(t) - uy, a.diff(t) - ua],
        velocity_constraints=[edge.vel(N).dot(B.y)],
    )  # fmt: skip
    method.kanes_equations([body], [(B, T * N.z)])
    return method


def pendulum_by_lagrange() -> me.LagrangesMethod:
    """A particle at (x, y) on a string of length l, pushed by F, beside a disc that rolls along: holonomic and
    nonholonomic."""
    x, y, a, s = me.dynamicsymbols("x y a s")
    F = me.dynamicsymbols("F")
    m, g, l, J, R = sm.symbols("m g l J R")
    N = me.ReferenceFrame("N")
    point = me.Point("P")
    point.set_vel(N, x.diff(t) * N.x + y.diff(t) * N.y)
    L = (
        m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
        - m * g * y
        + J * a.diff(t) ** 2 / 2
        + m * s.diff(t) ** 2 / 2
        - g * s * x
    )
    method = me.LagrangesMethod(
        L,
        [x, y, a, s],
        forcelist=[(point, F * N.x)],
        frame=N,
        hol_coneqs=[x**2 + y**2 - l**2],
        nonhol_coneqs=[s.diff(t) - R * a.diff(t)],
    )
    method.form_lagranges_equations()
    return method


def system_of_joints() -> me.System:
    """A double pendulum of joints, with a torque at its first one."""
    m, l, g = sm.symbols("m l g")
    T = me.dynamicsymbols("T")
    ground, first, second = me.RigidBody("ground"), me.RigidBody("first", mass=m), me.RigidBody("second", mass=2 * m)
    system = me.System.from_newtonian(ground)
    system.add_joints(
        me.PinJoint("j1", ground, first, child_point=-l / 2 * first.x, joint_axis=ground.z),
        me.PinJoint(
            "j2", first, second, parent_point=l / 2 * first.x, child_point=-l / 2 * second.x, joint_axis=first.z
        ),
    )
    system.apply_uniform_gravity(-g * ground.y)
    system.add_loads((first.frame, T * ground.z))
    system.form_eoms()
    return system


def bicycle() -> me.KanesMethod:
    """The bicycle of Carvallo and Whipple with the numbers of Meijaard, Papadopoulos, Ruina and Schwab (2007): x
    forward, z down.

    Yaw psi, lean phi, pitch theta (dependent), steer delta; wheels spin with ur and uf. Places are those of the upright
    bicycle, in the rear frame.
    """
    psi, phi, theta, delta = me.dynamicsymbols("psi phi theta delta")
    speeds = upsi, uphi, utheta, udelta, ur, uf = me.dynamicsymbols("upsi uphi utheta udelta ur uf")
    w, c, g, tilt, r_R, r_F = 1.02, 0.08, 9.81, sm.pi / 10, 0.3, 0.35
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [psi, N.z])
    L = Y.orientnew("L", "Axis", [phi, Y.x])
    B = L.orientnew("B", "Axis", [theta, L.y])
    axis = sm.sin(tilt) * B.x + sm.cos(tilt) * B.z
    H = B.orientnew("H", "Axis", [delta, axis])
    R, F = me.ReferenceFrame("R"), me.ReferenceFrame("F")
    for outer, inner, spin in (
        (N, Y, upsi * N.z),
        (Y, L, uphi * Y.x),
        (L, B, utheta * L.y),
        (B, H, udelta * axis),
        (L, R, ur * L.y),
        (H, F, uf * H.y),
    ):
        inner.set_ang_vel(outer, spin)
    C_R = me.Point("C_R")
    C_R.set_vel(N, 0)
    P_R = C_R.locatenew("P_R", -r_R * L.z)
    P_R.v2pt_theory(C_R, N, R)
    D = P_R.locatenew("D", (w + c) * B.x + r_R * B.z)
    B_cm = P_R.locatenew("B_cm", 0.3 * B.x + (r_R - 0.9) * B.z)
    H_cm = D.locatenew("H_cm", (0.9 - w - c) * H.x - 0.7 * H.z)
    P_F = D.locatenew("P_F", -c * H.x - r_F * H.z)
    for point, origin, frame in ((D, P_R, B), (B_cm, P_R, B), (H_cm, D, H), (P_F, D, H)):
        point.v2pt_theory(origin, N, frame)
    down = N.z - N.z.dot(H.y) * H.y
    C_F = P_F.locatenew("C_F", r_F / sm.sqrt(1 - N.z.dot(H.y) ** 2) * down)
    v = P_F.vel(N) + F.ang_vel_in(N).cross(C_F.pos_from(P_F))
    bodies = [
        me.RigidBody("rear", P_R, R, 2, (me.inertia(L, 0.0603, 0.12, 0.0603), P_R)),
        me.RigidBody("frame", B_cm, B, 85, (me.inertia(B, 9.2, 11, 2.8, 0, 0, 2.4), B_cm)),
        me.RigidBody("fork", H_cm, H, 4, (me.inertia(H, 0.05892, 0.06, 0.00708, 0, 0, -0.00756), H_cm)),
        me.RigidBody("front", P_F, F, 3, (me.inertia(H, 0.1405, 0.28, 0.1405), P_F)),
    ]
    return me.KanesMethod(
        N, q_ind=[psi, phi, delta], q_dependent=[theta], u_ind=[uphi, udelta, ur], u_dependent=[upsi, utheta, uf],
        kd_eqs=[q.diff(t) - u for q, u in zip((psi, phi, theta, delta), speeds, strict=False)],
        configuration_constraints=[C_F.pos_from(C_R).dot(N.z)], velocity_constraints=[v.dot(d) for d in (Y.x, Y.y, N.z)],
        bodies=bodies, forcelist=[(b.masscenter, b.mass * g * N.z) for b in bodies], constraint_solver="CRAMER",
    )  # fmt: skip
