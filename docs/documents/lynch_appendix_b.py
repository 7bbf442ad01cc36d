"""The equations of the triple pendulum as Lynch's appendix B prints them, entry by entry.

Scanning faults are repaired: s132 and d122 stand for SL32 and DL22; lost are `+(y(3)*`, four brackets and three plus
signs in the first entry of the right side. Names are those of the example (body 2 of the thesis is link 1): S and C are
sines and cosines of the angles q, u their rates; mass m, mass centre d from the joint and next joint s further, inertia
J; spring k with rest angle, damper c, motor tau. The printed clin and klin are the derivatives of the right side.
"""

PRINTED = {
    ("M", 0, 0): (
        "m3*C2^2*s2^2 + (2*m3*C2*s1 + 2*m3*C2^2*C3*d3 + 2*m3*C2^2*d2 + 2*m3*C2*d1)*s2 + (m3 + m2)*s1^2 + "
        "(2*m3*C2*C3*d3 + (2*m3 + 2*m2)*C2*d2 + (2*m3 + 2*m2)*d1)*s1 + C2^2*Jz3 + (1 - C2^2)*C3^2*Jy3 + ((C2^2 - "
        "1)*C3^2 - C2^2 + 1)*Jx3 + (1 - C2^2)*Jy2 + C2^2*Jx2 + Jz1 + ((m3*C2^2 - m3)*C3^2 + m3)*d3^2 + "
        "(2*m3*C2^2*C3*d2 + 2*m3*C2*C3*d1)*d3 + (m3 + m2)*C2^2*d2^2 + (2*m3 + 2*m2)*C2*d1*d2 + (m3 + m2 + m1)*d1^2"
    ),
    ("M", 0, 1): ("m3*S2*S3*d3*s2 - S2*C3*S3*Jy3 + S2*C3*S3*Jx3 + m3*S2*C3*S3*d3^2 + m3*S2*S3*d2*d3"),
    ("M", 0, 2): ("m3*C2*C3*d3*s2 + m3*C3*d3*s1 + C2*Jz3 + m3*C2*d3^2 + (m3*C2*C3*d2 + m3*C3*d1)*d3"),
    ("M", 1, 0): ("m3*S2*S3*d3*s2 - S2*C3*S3*Jy3 + S2*C3*S3*Jx3 + m3*S2*C3*S3*d3^2 + m3*S2*S3*d2*d3"),
    ("M", 1, 1): (
        "m3*s2^2 + (2*m3*C3*d3 + 2*m3*d2)*s2 + (1 - C3^2)*Jy3 + C3^2*Jx3 + Jz2 + m3*C3^2*d3^2 + 2*m3*C3*d2*d3 + (m3 + "
        "m2)*d2^2"
    ),
    ("M", 1, 2): ("0"),
    ("M", 2, 0): ("m3*C2*C3*d3*s2 + m3*C3*d3*s1 + C2*Jz3 + m3*C2*d3^2 + (m3*C2*C3*d2 + m3*C3*d1)*d3"),
    ("M", 2, 1): ("0"),
    ("M", 2, 2): ("Jz3 + m3*d3^2"),
    ("f", 0, 0): (
        "(2*u1*u2*m3*C2*S2*S3^2 + 2*u1*u2*m3*C2*S2*C3^2)*s2^2 + ((2*u1*u2*m3*S2*S3^2 + 2*u1*u2*m3*S2*C3^2)*s1 + "
        "(-m3*S1*C2*S3^2 - m3*S1*C2*C3^2)*g + (2*u1*u2*m3*C2*S2*C3*S3^2 + (-u1^2*m3*C2*S2^2 - u1^2*m3*C2^3 - "
        "u2^2*m3*C2 + u1^2*m3*C2)*S3 + 2*u1*u3*m3*C2^2*S3 + u3^2*m3*C2*S3 + 2*u1*u2*m3*C2*S2*C3^3 + "
        "2*u1*u2*m3*C2*S2*C3)*d3 + (4*u1*u2*m3*C2*S2*S3^2 + 4*u1*u2*m3*C2*S2*C3^2)*d2 + (2*u1*u2*m3*S2*S3^2 + "
        "2*u1*u2*m3*S2*C3^2)*d1)*s2 + ((-m3*S1*S3^2 - m3*S1*C3^2 - m2*S1)*g + (2*u1*u2*m3*S2*C3*S3^2 + (-u1^2*m3*S2^2 "
        "- u1^2*m3*C2^2 + u1^2*m3)*S3 + 2*u1*u3*m3*C2*S3 + u3^2*m3*S3 + 2*u1*u2*m3*S2*C3^3)*d3 + (2*u1*u2*m3*S2*S3^2 "
        "+ 2*u1*u2*m3*S2*C3^2 + 2*u1*u2*m2*S2)*d2)*s1 + (u3*(u2*S2*S3^2 + u2*S2*C3^2) + u1*u2*C2*S2*S3^2 + "
        "u1*u2*C2*S2*C3^2 + u1*u2*C2*S2)*Jz3 + (u3*(-u2*S2*S3^2 + 2*u1*S2^2*C3*S3 + u2*S2*C3^2) + u2^2*C2*C3*S3 - "
        "2*u1*u2*C2*S2*C3^2)*Jy3 + (u3*(u2*S2*S3^2 - 2*u1*S2^2*C3*S3 - u2*S2*C3^2) - 2*u1*u2*C2*S2*S3^2 - "
        "u2^2*C2*C3*S3)*Jx3 - 2*u1*u2*C2*S2*Jy2 + 2*u1*u2*C2*S2*Jx2 + (((-m3*C1*S2^2 - m3*C1*C2^2)*S3 - "
        "m3*S1*C2*C3)*d3 + (-m3*S1*C2*S3^2 - m3*S1*C2*C3^2 - m2*S1*C2)*d2 + (-m3*S1*S3^2 - m3*S1*C3^2 + (-m2 - "
        "m1)*S1)*d1)*g + (u3*(2*u2*m3*S2*S3^2 - 2*u1*m3*S2^2*C3*S3) + (-u1^2*m3*C2*S2^2 - u1^2*m3*C2^3 - u2^2*m3*C2 + "
        "u1^2*m3*C2)*C3*S3 + 2*u1*u2*m3*C2*S2*C3^2)*d3^2 + ((2*u1*u2*m3*C2*S2*C3*S3^2 + (-u1^2*m3*C2*S2^2 - "
        "u1^2*m3*C2^3 - u2^2*m3*C2 + u1^2*m3*C2)*S3 + 2*u1*u3*m3*C2^2*S3 + u3^2*m3*C2*S3 + 2*u1*u2*m3*C2*S2*C3^3 + "
        "2*u1*u2*m3*C2*S2*C3)*d2 + (2*u1*u2*m3*S2*C3*S3^2 + (-u1^2*m3*S2^2 - u1^2*m3*C2^2 + u1^2*m3)*S3 + "
        "2*u1*u3*m3*C2*S3 + u3^2*m3*S3 + 2*u1*u2*m3*S2*C3^3)*d1)*d3 + (2*u1*u2*m3*C2*S2*S3^2 + 2*u1*u2*m3*C2*S2*C3^2 "
        "+ 2*u1*u2*m2*C2*S2)*d2^2 + (2*u1*u2*m3*S2*S3^2 + 2*u1*u2*m3*S2*C3^2 + 2*u1*u2*m2*S2)*d1*d2 + k1*(rest1 - q1) "
        "+ tau1 - u1*c1"
    ),
    ("f", 1, 0): (
        "-u1^2*m3*C2*S2*s2^2 + (-u1^2*m3*S2*s1 - m3*C1*S2*g + (u3*(2*u2*m3*S3 - 2*u1*m3*S2*C3) - "
        "2*u1^2*m3*C2*S2*C3)*d3 - 2*u1^2*m3*C2*S2*d2 - u1^2*m3*S2*d1)*s2 + (u1^2*(-m3 - m2)*S2*d2 - "
        "u1^2*m3*S2*C3*d3)*s1 + (u3*(-u1*S2*S3^2 - u1*S2*C3^2) - u1^2*C2*S2*S3^2 - u1^2*C2*S2*C3^2)*Jz3 + "
        "(u3*(-u1*S2*S3^2 - 2*u2*C3*S3 + u1*S2*C3^2) + u1^2*C2*S2*C3^2)*Jy3 + (u3*(u1*S2*S3^2 + 2*u2*C3*S3 - "
        "u1*S2*C3^2) + u1^2*C2*S2*S3^2)*Jx3 + u1^2*C2*S2*Jy2 - u1^2*C2*S2*Jx2 + ((-m3 - m2)*C1*S2*d2 - "
        "m3*C1*S2*C3*d3)*g + (u3*(2*u2*m3*C3*S3 - 2*u1*m3*S2*C3^2) - u1^2*m3*C2*S2*C3^2)*d3^2 + ((u3*(2*u2*m3*S3 - "
        "2*u1*m3*S2*C3) - 2*u1^2*m3*C2*S2*C3)*d2 - u1^2*m3*S2*C3*d1)*d3 + u1^2*(-m3 - m2)*C2*S2*d2^2 + u1^2*(-m3 - "
        "m2)*S2*d1*d2 + k2*(rest2 - q2) + tau2 - u2*c2"
    ),
    ("f", 2, 0): (
        "((-u1^2*m3*C2^2 - u2^2*m3)*S3 + 2*u1*u2*m3*S2*C3)*d3*s2 - u1^2*m3*C2*S3*d3*s1 + u1*u2*S2*Jz3 + "
        "(u1*u2*S2*S3^2 + (u2^2 - u1^2*S2^2)*C3*S3 - u1*u2*S2*C3^2)*Jy3 + (-u1*u2*S2*S3^2 + (u1^2*S2^2 - u2^2)*C3*S3 "
        "+ u1*u2*S2*C3^2)*Jx3 + (-m3*C1*C2*S3 - m3*S1*C3)*d3*g + ((-u1^2*m3*C2^2 - u2^2*m3 + u1^2*m3)*C3*S3 + "
        "2*u1*u2*m3*S2*C3^2)*d3^2 + (((-u1^2*m3*C2^2 - u2^2*m3)*S3 + 2*u1*u2*m3*S2*C3)*d2 - u1^2*m3*C2*S3*d1)*d3 + "
        "k3*(rest3 - q3) + tau3 - u3*c3"
    ),
    ("M0", 0, 0): (
        "m3*s2^2 + (2*m3*s1 + 2*m3*d3 + 2*m3*d2 + 2*m3*d1)*s2 + (m3 + m2)*s1^2 + (2*m3*d3 + (2*m3 + 2*m2)*d2 + (2*m3 "
        "+ 2*m2)*d1)*s1 + Jz3 + Jx2 + Jz1 + m3*d3^2 + (2*m3*d2 + 2*m3*d1)*d3 + (m3 + m2)*d2^2 + (2*m3 + 2*m2)*d1*d2 + "
        "(m3 + m2 + m1)*d1^2"
    ),
    ("M0", 0, 1): ("0"),
    ("M0", 0, 2): ("m3*d3*s2 + m3*d3*s1 + Jz3 + m3*d3^2 + (m3*d2 + m3*d1)*d3"),
    ("M0", 1, 0): ("0"),
    ("M0", 1, 1): ("m3*s2^2 + (2*m3*d3 + 2*m3*d2)*s2 + Jx3 + Jz2 + m3*d3^2 + 2*m3*d2*d3 + (m3 + m2)*d2^2"),
    ("M0", 1, 2): ("0"),
    ("M0", 2, 0): ("m3*d3*s2 + m3*d3*s1 + Jz3 + m3*d3^2 + (m3*d2 + m3*d1)*d3"),
    ("M0", 2, 1): ("0"),
    ("M0", 2, 2): ("Jz3 + m3*d3^2"),
    ("f_u", 0, 0): ("-c1"),
    ("f_u", 0, 1): ("0"),
    ("f_u", 0, 2): ("0"),
    ("f_u", 1, 0): ("0"),
    ("f_u", 1, 1): ("-c2"),
    ("f_u", 1, 2): ("0"),
    ("f_u", 2, 0): ("0"),
    ("f_u", 2, 1): ("0"),
    ("f_u", 2, 2): ("-c3"),
    ("f_q", 0, 0): ("-m3*g*s2 + (-m3 - m2)*g*s1 + (-m3*d3 + (-m3 - m2)*d2 + (-m3 - m2 - m1)*d1)*g - k1"),
    ("f_q", 0, 1): ("0"),
    ("f_q", 0, 2): ("-m3*d3*g"),
    ("f_q", 1, 0): ("0"),
    ("f_q", 1, 1): ("-m3*g*s2 + ((-m3 - m2)*d2 - m3*d3)*g - k2"),
    ("f_q", 1, 2): ("0"),
    ("f_q", 2, 0): ("-m3*d3*g"),
    ("f_q", 2, 1): ("0"),
    ("f_q", 2, 2): ("-m3*d3*g - k3"),
}
