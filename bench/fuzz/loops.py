"""Loops, rolling, gears, prescribed motions and other constraints; some follow from others."""

from __future__ import annotations

import math
from typing import Any

import symbody as sb

from .recipe import Recipe
from .trees import AXIAL, grow, hang, whole_body

ROWS = {
    "revolute": 5, "spherical": 3, "universal": 4, "cylindrical": 4, "prismatic": 5, "planar": 3, "fixed": 6, "screw": 5, "coincide": 3, "orthogonal": 1,
}  # fmt: skip
FREEDOMS = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3}


def constrained(d: Recipe) -> None:
    """One of the kinds of constrained systems."""
    d.choice(
        [closed_chain, closed_chain, closed_chain, rolling_wheel, geared, skate, prescribed, hinged_twice, cranks]
    )(d)


# ---------------------------------------------------------------------------------------------------------- loops


def chain(d: Recipe, freedoms: int) -> str:
    """A chain from the ground with at least so many freedoms; returns its end."""
    parent, total = "ground", 0
    while total < freedoms:
        kind, name = d.choice(list(FREEDOMS)), d.fresh("b")
        d.add("bodies", name, whole_body(d))
        hang(d, d.fresh("j"), parent, name, kind)
        total += FREEDOMS[kind]
        d.bodies.append(name)
        parent = name
    return parent


def closed_chain(d: Recipe) -> None:
    """One chain or two from the ground, closed by a joint that fits where coordinates have chosen values."""
    kind = d.choice(list(ROWS))
    rows, two = ROWS[kind], d.chance(0.6)
    first = chain(d, rows // 2 + 1 if two else rows + 1)
    second = chain(d, rows - rows // 2 + 1) if two else "ground"
    start_anywhere(d)
    close(d, kind, second, first)


def start_anywhere(d: Recipe) -> None:
    d.start |= {q: round(d.uniform(-0.6, 0.6), 3) for q in d.coordinates}
    for e in d.quaternions:
        drawn = [d.uniform(-1, 1) for _ in e]
        size = math.sqrt(sum(x * x for x in drawn))
        d.start |= {name: x / size for name, x in zip(e, drawn, strict=True)}


def close(d: Recipe, kind: str, outer: str, inner: str) -> None:
    """Join two placed bodies by a joint whose sides meet at the start."""
    model = sb.study.read_model_text(d.text()).model
    frames = [model.ground if n == "ground" else model.bodies[n].frame for n in (outer, inner)]
    values = {**d.start, **{s.name: v for s, v in model.parts.default_values.items()}, "t": 0.0}
    values |= {s.name: 0.0 for s in model.symbols_of_kind("input")}
    at = [round(d.uniform(-0.4, 0.4), 3) for _ in range(3)]
    on = sb.evaluate(frames[0].point(*at).in_frame(frames[1]).coordinates, values)
    R = sb.evaluate(frames[1].rotation_in(frames[0]).matrix, values)
    name, plain = d.fresh("loop"), [float(x) for x in on]
    if kind == "coincide":
        points = [f"{outer}.point({', '.join(map(str, at))})", f"{inner}.point({', '.join(map(repr, plain))})"]
        d.add("constraints", name, {"coincide": points, **({"along": "ground"} if d.chance(0.5) else {})})
    elif kind == "orthogonal":
        v = [R[i][0] for i in range(3)]
        across = [-v[1], v[0], 0.0] if abs(v[2]) < 0.9 else [0.0, -v[2], v[1]]
        vectors = [f"{outer}.vector({', '.join(map(repr, map(float, across)))})", f"{inner}.vector(1, 0, 0)"]
        d.add("constraints", name, {"orthogonal": vectors})
    else:
        how: dict[str, Any] = {
            kind: [outer, inner],
            "at": at,
            "on": plain,
            "orientation": [[float(x) for x in row] for row in R],
        }
        if kind in AXIAL:
            how["axis"] = d.axis()
        if kind == "screw":
            how["pitch"] = 0.4
        d.add("joints", name, how)


def hinged_twice(d: Recipe) -> None:
    """A leaf on two hinges of one axis: rows of the second follow from the first."""
    leaf = d.add("bodies", "leaf", whole_body(d))
    d.bodies.append(leaf)
    d.add("joints", "leaf", {"free": ["ground", leaf]})
    d.coordinates += [f"leaf{end}" for end in ("_x", "_y", "_z", "_1", "_2", "_3")]
    for k in range(2):
        place = [0, 0, round(0.2 + 0.9 * k, 2)]
        d.add("joints", f"hinge{k}", {"revolute": ["ground", leaf], "at": place, "on": place})
    grow(d, d.randint(0, 1), leaf)


def cranks(d: Recipe) -> None:
    """Parallel cranks of one length under a bar: every one after the second is redundant by its length alone."""
    length, places = d.number(0.7, 1.3), [0, 1.1, 2.3][: d.randint(2, 3)]
    d.bodies += [d.add("bodies", "beam", whole_body(d))]
    angle = round(d.uniform(0.7, 1.1), 3)
    for k, x in enumerate(places):
        crank = d.add("bodies", f"crank{k}", whole_body(d))
        d.bodies.append(crank)
        d.add("joints", f"a{k}", {"revolute": ["ground", crank], "at": [x, 0, 0]})
        d.add("joints", f"c{k}", {"revolute": [crank, "beam"], "at": [length, 0, 0], "on": [x, 0, 0]})
        d.start[f"a{k}"] = angle
    d.start["c0"] = -angle
    d.coordinates += [*(f"a{k}" for k in range(len(places))), "c0"]


# ---------------------------------------------------------------------------------------------------- other constraints


def rolling_wheel(d: Recipe) -> None:
    wheel, rider = d.add("bodies", "wheel", whole_body(d)), d.add("bodies", "rider", whole_body(d))
    d.bodies += [wheel, rider]
    is_euler = d.chance(0.4)
    d.add("joints", "w", {"free": ["ground", wheel], "sequence": "euler parameters" if is_euler else "zxy"})
    if is_euler:
        d.quaternions.append(tuple(f"w_e{k}" for k in range(4)))
    d.coordinates += ["w_x", "w_y", "w_z", *([] if is_euler else ["w_1", "w_2", "w_3"])]
    how: dict[str, Any] = {"rolling": wheel, "radius": d.number(0.3, 0.5)}
    if d.chance(0.5):
        how["tube"] = d.number(0.05, 0.1)
    if d.chance(0.3):
        how["plane"] = d.add("frames", "slope", "ground.rotate(x, 0.2)")
    if d.chance(0.2):
        how["slip"] = True
    d.add("joints", "contact", how)
    hang(d, "hub", wheel, rider, "revolute")
    d.start |= {"w_z": 0.4}


def geared(d: Recipe) -> None:
    grow_axes(d, 3)
    first, second = d.sample([j for j in d.sections["joints"] if j in d.coordinates], 2)
    d.add("joints", "gear", {"gear": [first, second], "ratio": d.number(-2, 2)})
    if d.chance(0.2):
        d.add(
            "constraints", "again", {"holonomic": f"3*{first} + 3*{second}*({d.sections['joints']['gear']['ratio']})"}
        )


def grow_axes(d: Recipe, count: int) -> None:
    """A chain of hinges and slides, each with a coordinate of its own name."""
    parent = "ground"
    for _ in range(count):
        body, joint = d.add("bodies", d.fresh("b"), whole_body(d)), d.fresh("j")
        d.add(
            "joints",
            joint,
            {d.choice(["revolute", "revolute", "prismatic"]): [parent, body], "axis": d.axis(), "at": d.place()},
        )
        d.coordinates.append(joint)
        d.bodies.append(body)
        parent = body


def skate(d: Recipe) -> None:
    """A body on a plane with a runner that does not slip sideways."""
    sleigh = d.add("bodies", "sleigh", whole_body(d))
    d.bodies.append(sleigh)
    d.add("joints", "s", {"planar": ["ground", sleigh]})
    d.coordinates += ["s_x", "s_y", "s_a"]
    runner = f"sleigh.point({d.number(0.1, 0.5)}, 0.1, 0).velocity().dot(sleigh.frame.y)"
    d.add("constraints", "runner", {"speed": runner})
    if d.chance(0.4):
        grow(d, d.randint(1, 2), sleigh)
    if d.chance(0.4):
        d.add(
            "constraints",
            "drive",
            {"speed": f"s_a_dot + sin(t)*s_x_dot/3 - 0.3*cos(s_a) - {d.choice(['t/5', d.smooth_input()])}"},
        )


def prescribed(d: Recipe) -> None:
    """A tree one of whose coordinates moves as time or an input says, or a point of it."""
    grow_axes(d, d.randint(2, 3))
    grow(d, d.randint(0, 1), d.bodies[-1])
    q = d.choice(d.coordinates)
    law = d.choice(["0.3*sin(t)", d.smooth_input(), f"0.2*t + {d.number(0.1, 0.3)}*t**2"])
    d.add("constraints", "driven", {"prescribe": q, "motion": law})
    if d.chance(0.3):
        others = [x for x in d.coordinates if x != q]
        d.add("constraints", "guided", {"holonomic": f"{others[0]} + {others[-1]}**2/3 - 0.1*sin(t) - {q}/2"})
