"""Lynch, appendix A, 9.3: input for the six degree of freedom Stanford arm, line by line.

The first row of DM is printed with an eighth zero. PHI[4] is the slide of body 4, here the coordinate q4. The thesis took
its numbers from elsewhere and does not print them; those of `examples/stanford_arm.py` are used.
"""

import math

import symbody as sb


def MATRIX(*rows):  # noqa: N802
    """A matrix by its rows; a column as a list."""
    return [r[0] for r in rows] if all(len(r) == 1 for r in rows) else [list(r) for r in rows]


START, STOP = True, False
PQI, PQJ, RQI, RQJ, DL, SL, JIP = {}, {}, {}, {}, {}, {}, {}
m = sb.Model("Stanford arm")
DL33, DL66, SL32, SL54, SL65, SL76 = m.parameters("DL33 DL66 SL32 SL54 SL65 SL76", 0.1, 0.06, 0.1, 0.6, 0.05, 0.06)
J2X, J2Y, J2Z = m.parameters("J2X J2Y J2Z", 0.01, 0.02, 0.01)
J3X, J3Y, J3Z = m.parameters("J3X J3Y J3Z", 0.06, 0.01, 0.05)
J4X, J4Y, J4Z = m.parameters("J4X J4Y J4Z", 0.4, 0.01, 0.4)
J5X, J5Y, J5Z = m.parameters("J5X J5Y J5Z", 0.0005, 0.001, 0.001)
J6X, J6Y, J6Z = m.parameters("J6X J6Y J6Z", 0.0005, 0.0002, 0.0005)
J7X, J7Y, J7Z = m.parameters("J7X J7Y J7Z", 0.001, 0.002, 0.001)
m.parameters("m2 m3 m4 m5 m6 m7", 9.0, 6.0, 4.0, 1.0, 0.6, 0.5)
PHI = {4: sb.symbol("q4", "coordinate")}

# symbolic input
NBOD = 7
NGC = 6
PIE = MATRIX(
    [1, 0, 0, 0, 0, 0, 0],
    [1, 1, 0, 0, 0, 0, 0],
    [1, 1, 1, 0, 0, 0, 0],
    [1, 1, 1, 1, 0, 0, 0],
    [1, 1, 1, 1, 1, 0, 0],
    [1, 1, 1, 1, 1, 1, 0],
    [1, 1, 1, 1, 1, 1, 1],
)
REF = MATRIX(
    [1, 0, 0, 0, 0, 0, 0],
    [-1, 1, 0, 0, 0, 0, 0],
    [0, -1, 1, 0, 0, 0, 0],
    [0, 0, -1, 1, 0, 0, 0],
    [0, 0, 0, -1, 1, 0, 0],
    [0, 0, 0, 0, -1, 1, 0],
    [0, 0, 0, 0, 0, -1, 1],
)
DM = MATRIX(
    [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 1.1, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.1, 0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
)
RSDA = MATRIX(
    [0, 0, 0, 0, 0, 0, 0],
    [1, 0, 0, 0, 0, 0, 0],
    [0, 1, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 1, 0, 0, 0],
    [0, 0, 0, 0, 1, 0, 0],
    [0, 0, 0, 0, 0, 1, 0],
)
GOTSDA = START
NTSDA = 1
TSDA = MATRIX([4, 3])
PITSDA = MATRIX([0, 0, 0])
PJTSDA = MATRIX([0, 0, 0])
GRAVITY = MATRIX(["y", -1])
PQI[2, 1] = MATRIX([0], [1], [0])
PQJ[2, 1] = MATRIX([0], [1], [0])
RQI[2, 1] = MATRIX([0], [0], [1])
RQJ[2, 1] = MATRIX([0], [0], [1])
PQI[3, 2] = MATRIX([1], [0], [0])
PQJ[3, 2] = MATRIX([1], [0], [0])
RQI[3, 2] = MATRIX([0], [0], [1])
RQJ[3, 2] = MATRIX([0], [0], [1])
PQI[4, 3] = MATRIX([0], [1], [0])
PQJ[4, 3] = MATRIX([0], [1], [0])
RQI[4, 3] = MATRIX([0], [0], [1])
RQJ[4, 3] = MATRIX([0], [0], [1])
PQI[5, 4] = MATRIX([0], [1], [0])
PQJ[5, 4] = MATRIX([0], [1], [0])
RQI[5, 4] = MATRIX([0], [0], [1])
RQJ[5, 4] = MATRIX([0], [0], [1])
PQI[6, 5] = MATRIX([1], [0], [0])
PQJ[6, 5] = MATRIX([1], [0], [0])
RQI[6, 5] = MATRIX([0], [0], [1])
RQJ[6, 5] = MATRIX([0], [0], [1])
PQI[7, 6] = MATRIX([0], [1], [0])
PQJ[7, 6] = MATRIX([0], [1], [0])
RQI[7, 6] = MATRIX([0], [0], [1])
RQJ[7, 6] = MATRIX([0], [0], [1])
DL[1, 1] = MATRIX([0], [0], [0])
DL[2, 2] = MATRIX([0], [0], [0])
DL[3, 3] = MATRIX([DL33], [0], [0])
DL[4, 4] = MATRIX([0], [PHI[4]], [0])
DL[5, 5] = MATRIX([0], [0], [0])
DL[6, 6] = MATRIX([0], [DL66], [0])
DL[7, 7] = MATRIX([0], [0], [0])
SL[2, 1] = MATRIX([0], [0], [0])
SL[3, 2] = MATRIX([0], [SL32], [0])
SL[4, 3] = MATRIX([0], [0], [0])
SL[5, 4] = MATRIX([0], [SL54], [0])
SL[6, 5] = MATRIX([0], [SL65], [0])
SL[7, 6] = MATRIX([0], [SL76], [0])
IBB = MATRIX([1, 1])
JIP[1] = MATRIX([0, 0, 0], [0, 0, 0], [0, 0, 0])
JIP[2] = MATRIX([J2X, 0, 0], [0, J2Y, 0], [0, 0, J2Z])
JIP[3] = MATRIX([J3X, 0, 0], [0, J3Y, 0], [0, 0, J3Z])
JIP[4] = MATRIX([J4X, 0, 0], [0, J4Y, 0], [0, 0, J4Z])
JIP[5] = MATRIX([J5X, 0, 0], [0, J5Y, 0], [0, 0, J5Z])
JIP[6] = MATRIX([J6X, 0, 0], [0, J6Y, 0], [0, 0, J6Z])
JIP[7] = MATRIX([J7X, 0, 0], [0, J7Y, 0], [0, 0, J7Z])

given = sb.bodies.LynchInput(
    bodies=NBOD, coordinates=NGC, path=PIE, reference=REF, distance=DM, rsda=RSDA, gravity=GRAVITY[0], base=IBB[0],
    axes={k: (PQI[k], PQJ[k], RQI[k], RQJ[k]) for k in PQI},
    dl={i: DL[i, i] for i, _ in DL}, sl=SL, inertia=JIP,
    tsda=[(i, p, j, r) for (i, j), p, r in zip(TSDA, PITSDA, PJTSDA, strict=True)][:NTSDA] if GOTSDA else (),
)  # fmt: skip
m = given.model("Stanford arm", m)

if __name__ == "__main__":
    eq = sb.derive(m, "kane")
    holding = sb.evaluate(eq.residual(), eq.values(otherwise=0, q3=math.pi / 2))
    print("torques and force that hold the stretched arm:", [round(tau, 4) for tau in holding])
