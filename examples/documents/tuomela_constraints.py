"""Tuomela, Arponen and Normi, 5.3: the three basic constraints, and table 1, the joints made of them.

A joint has positions χ in both bodies, and directions a, b of the first and a, b of the second body; which constraints are
taken from them is the list of section 6.2, from the left.
"""

import symbody as sb

e1, e2, e3 = (1, 0, 0), (0, 1, 0), (0, 0, 1)
TABLE_1 = {  # type of joint: number of C-, SO- and O-constraints
    "spherical": (1, 0, 0),
    "universal": (1, 1, 0),
    "revolute": (1, 2, 0),
    "cylindrical": (0, 2, 2),
    "translational": (0, 3, 2),
}


def rigid_body(m, name, mass, inertia):
    """A body with r, θ as coordinates (definition 3.2)."""
    body = m.body(name, mass=mass, inertia=inertia)
    m.free(name, m.ground, body, sequence="euler parameters")
    return body


def joint(m, name, kind, bodies, chi_i, chi_j, a_i=None, b_i=None, a_j=None, b_j=None):
    """A joint of table 1 between two bodies, or the ground."""
    i, j = (b.frame if isinstance(b, sb.Body) else b for b in bodies)
    n_c, n_so, n_o = TABLE_1[kind]
    if n_c:  # (5.6), along the spatial axes
        m.coincide(f"{name} C", i.point(*chi_i), j.point(*chi_j), along=m.ground)
    for k, (first, second) in enumerate([(a_i, a_j), (b_i, a_j), (a_i, b_j)][:n_so], 1):  # (5.7)
        m.orthogonal(f"{name} SO{k}", i.vector(*first), j.vector(*second))
    d = j.point(*chi_j) - i.point(*chi_i)
    for k, direction in enumerate([a_i, b_i][:n_o], 1):  # (5.8)
        m.constrain(f"{name} O{k}", i.vector(*direction).dot(d))


def state(**bodies):
    """r and θ of each body at rest, as tables 3 and 6 print them."""
    names = ("x", "y", "z", "e0", "e1", "e2", "e3")
    return {f"{body}_{n}": x for body, (r, theta) in bodies.items() for n, x in zip(names, (*r, *theta), strict=True)}
