"""Lynch, appendix A, 9.2: input for the three degree of freedom pendulum, line by line, and both simulations."""

import math

import symbody as sb


def MATRIX(*rows):  # noqa: N802
    """A matrix by its rows; a column as a list."""
    return [r[0] for r in rows] if all(len(r) == 1 for r in rows) else [list(r) for r in rows]


START, STOP = True, False
PQI, PQJ, RQI, RQJ, DL, SL, JIP = {}, {}, {}, {}, {}, {}, {}
m = sb.Model("triple pendulum")
DL22, DL33, DL44, SL32, SL43 = m.parameters("DL22 DL33 DL44 SL32 SL43", 0.5, 0.5, 0.5, 0.5, 0.5)
J2X, J2Y, J2Z = m.parameters("J2X J2Y J2Z", 0.2, 0.1, 0.2)
J3X, J3Y, J3Z = m.parameters("J3X J3Y J3Z", 0.2, 0.1, 0.2)
J4X, J4Y, J4Z = m.parameters("J4X J4Y J4Z", 0.2, 0.1, 0.2)
m.parameters("m2 m3 m4", 1.0, 1.0, 1.0)

# symbolic input
NBOD = 4
NGC = 3
PIE = MATRIX([1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1])
REF = MATRIX([1, 0, 0, 0], [-1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, 1])
DM = MATRIX([0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0])
RSDA = MATRIX([0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0])
GOTSDA = STOP
GRAVITY = MATRIX(["y", -1])
PQI[2, 1] = MATRIX([0], [0], [1])
PQJ[2, 1] = MATRIX([0], [0], [1])
RQI[2, 1] = MATRIX([1], [0], [0])
RQJ[2, 1] = MATRIX([1], [0], [0])
PQI[3, 2] = MATRIX([0], [0], [1])
PQJ[3, 2] = MATRIX([1], [0], [0])
RQI[3, 2] = MATRIX([1], [0], [0])
RQJ[3, 2] = MATRIX([0], [0], [-1])
PQI[4, 3] = MATRIX([0], [0], [1])
PQJ[4, 3] = MATRIX([-1], [0], [0])
RQI[4, 3] = MATRIX([1], [0], [0])
RQJ[4, 3] = MATRIX([0], [0], [1])
DL[1, 1] = MATRIX([0], [0], [0])
DL[2, 2] = MATRIX([0], [-DL22], [0])
DL[3, 3] = MATRIX([0], [-DL33], [0])
DL[4, 4] = MATRIX([0], [-DL44], [0])
SL[2, 1] = MATRIX([0], [0], [0])
SL[3, 2] = MATRIX([0], [-SL32], [0])
SL[4, 3] = MATRIX([0], [-SL43], [0])
IBB = MATRIX([1, 1])
JIP[1] = MATRIX([0, 0, 0], [0, 0, 0], [0, 0, 0])
JIP[2] = MATRIX([J2X, 0, 0], [0, J2Y, 0], [0, 0, J2Z])
JIP[3] = MATRIX([J3X, 0, 0], [0, J3Y, 0], [0, 0, J3Z])
JIP[4] = MATRIX([J4X, 0, 0], [0, J4Y, 0], [0, 0, J4Z])

given = sb.bodies.LynchInput(
    bodies=NBOD, coordinates=NGC, path=PIE, reference=REF, distance=DM, rsda=RSDA, gravity=GRAVITY[0], base=IBB[0],
    axes={k: (PQI[k], PQJ[k], RQI[k], RQJ[k]) for k in PQI},
    dl={i: DL[i, i] for i, _ in DL}, sl=SL, inertia=JIP,
)  # fmt: skip
m = given.model("triple pendulum", m)

if __name__ == "__main__":
    eq = sb.derive(m, "kane")
    print("mass matrix, last entry:", eq.M[2, 2])
    start = {f"q{i}": math.radians(30) for i in (2, 3, 4)}
    for damping in (0.0, 5.0):  # simulations 1 and 2
        sim = sb.simulate(eq, 5, start, values={f"c{i}": damping for i in (2, 3, 4)})
        print(f"c = {damping} N m s: energy {sim.energy[0]:.5f} J, after 5 s {sim.energy[-1]:.5f} J")
