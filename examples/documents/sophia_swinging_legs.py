"""Lennartsson, section 3.3: a Sophia session for a pair of swinging legs, line by line.

Names are those of the thesis, and comments are its lines in short. n1 points down.
"""

import symbody as sb

# dependsTime(q1,...), kde: speeds are the rates of coordinates
m = sb.Model("swinging legs of the thesis")
q1, q2, q3 = m.coordinates("q1 q2 q3")
u1, u2, u3 = q1.dot, q2.dot, q3.dot
m1, m2, m3, L, k, g, I21, I22, I23, I31, I32, I33 = m.parameters("m1 m2 m3 L k g I21 I22 I23 I31 I32 I33")

# chainSimpRot([FN,FB,3,q2],[FN,FC,3,q3])
FN = m.ground
FB, FC = FN.rotate("z", q2, name="FB"), FN.rotate("z", q3, name="FC")

# Evector, &++
r1 = FN.vector(0, q1, 0)
r2 = r1 + FB.vector(L, 0, 0)
r3 = r1 + FC.vector(L, 0, 0)
r2_in_FB = r2.express(FB)  # as printed: in one frame

# Esimplify(subs(kde,diffFrameTime(r1,FN))), angularVelocity
v1u, v2u, v3u = r1.dt(FN), r2.dt(FN), r3.dt(FN)
w2u, w3u = FB.angular_velocity(FN), FC.angular_velocity(FN)

# KMvec, KMtangents
VKu = sb.bodies.SystemVector(v1u, v2u, w2u, v3u, w3u)
beta = VKu.partial([u1, u2, u3])
time_dependent_part = sb.substitute(VKu, {u1: 0, u2: 0, u3: 0})

F1 = FN.vector(m1 * g, -k * q1, 0)
F2 = FN.vector(m2 * g, 0, 0)
T2 = FN.vector(0, 0, 0)
F3 = FN.vector(m3 * g, 0, 0)
T3 = FN.vector(0, 0, 0)
FK = sb.bodies.SystemVector(F1, F2, T2, F3, T3)

# EinertiaDyad, diffFrameTime(Esm(m1,v1u),FN), diffFrameTime(Edot(IT2,w2u),FN)
IT2 = FB.dyad(sb.inertia(I21, I22, I23))
IT3 = FC.dyad(sb.inertia(I31, I32, I33))
p1t = (m1 * v1u).dt(FN)
p2t = (m2 * v2u).dt(FN)
h2t = IT2.dot(w2u).dt(FN)
p3t = (m3 * v3u).dt(FN)
h3t = IT3.dot(w3u).dt(FN)
PKt = sb.bodies.SystemVector(p1t, p2t, h2t, p3t, h3t)

# kane_eqs:=beta &kane (PKt &--- FK); genmatrix(kane_eqs,[u1t,u2t,u3t],'flag')
kane_eqs = (PKt - FK).along(beta)
accelerations = [u1.dot, u2.dot, u3.dot]
mass_beta = sb.tidy(sb.jacobian(kane_eqs, accelerations))
rhs_beta = sb.tidy(-sb.substitute(kane_eqs, dict.fromkeys(accelerations, 0)))

# II:=Edyad(1,0,0,...), MK: the inertia operator
II = FN.dyad([1, 0, 0, 0, 1, 0, 0, 0, 1])
MK = (m1 * II, m2 * II, IT2, m3 * II, IT3)


def KMIP(a, b, M):  # noqa: N802
    return a.dot(b.momentum(M))


# KMSP(1/N1,beta[1]) and so on: the Gram-Schmidt procedure
N1 = sb.sqrt(sb.tidy(KMIP(beta[0], beta[0], MK)))
gamma1 = (1 / N1) * beta[0]
igamma2 = beta[1] - sb.tidy(KMIP(beta[1], gamma1, MK)) * gamma1
N2 = sb.sqrt(sb.tidy(igamma2.dot(igamma2.momentum(MK))))
gamma2 = (1 / N2) * igamma2
igamma3 = beta[2] - (sb.tidy(KMIP(beta[2], gamma1, MK)) * gamma1 + sb.tidy(KMIP(beta[2], gamma2, MK)) * gamma2)
N3 = sb.sqrt(sb.tidy(igamma3.dot(igamma3.momentum(MK))))
gamma3 = (1 / N3) * igamma3

# the loop over wgb, then wd and wdb from its elements
gamma = (gamma1, gamma2, gamma3)
wgb = sb.tidy(sb.matrix([[KMIP(gamma[ii], beta[jj], MK) for jj in range(3)] for ii in range(3)]))
wd = sb.algebra.diagonal(wgb[0, 0] ** 2, wgb[1, 1] ** 2, wgb[2, 2] ** 2)
wdb = sb.matrix([
    [1, wgb[0, 1] / wgb[0, 0], wgb[0, 2] / wgb[0, 0]],
    [0, 1, wgb[1, 2] / wgb[1, 1]],
    [0, 0, 1],
])  # fmt: skip

if __name__ == "__main__":
    print(sb.tidy(r2_in_FB))
    print(time_dependent_part)
    print(PKt)
    print(mass_beta)
    print(rhs_beta)
    print(N1)
    print(gamma1)
    print(wdb)
