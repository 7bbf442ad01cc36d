"""Bodies and the joints on which they hang."""

from __future__ import annotations

from typing import Any

from symbody.bodies.joints.joints import KINDS, JointGeometry, coordinate_endings

from .recipe import Recipe

EULER = ("_e0", "_e1", "_e2", "_e3")
SPINNING = ("spherical", "free")  # joints that may have Euler parameters
AXIAL = ("revolute", "prismatic", "cylindrical", "planar", "screw")
MIXED = ("cylindrical", "planar", "free")  # lengths and angles: each has loads of its own
WEIGHTS = {
    "revolute": 8, "prismatic": 4, "screw": 2, "cylindrical": 3, "universal": 3, "spherical": 3, "planar": 2, "free": 2, "fixed": 1,
}  # fmt: skip


def grow(d: Recipe, count: int, root: str = "ground") -> None:
    """So many bodies, on the root or on each other. What hangs on a light body is a whole one that turns about one
    axis."""
    light = ""
    for k in range(count):
        name, parent = d.fresh("b"), light or d.choice([root, *d.bodies][-3:])
        is_light = not light and k < count - 1 and d.chance(0.12)
        if d.chance(0.15) and not light and not is_light:
            on_a_frame(d, name, parent)
        else:
            d.add("bodies", name, light_body(d) if is_light else whole_body(d))
            hang(
                d,
                d.fresh("j"),
                parent,
                name,
                d.choice(["revolute", "prismatic"]) if is_light else "revolute" if light else "",
            )
        light = name if is_light else ""
        d.bodies.append(name)
    if not d.coordinates and not d.quaternions:
        d.bodies.append(on_a_frame(d, d.fresh("b"), d.bodies[-1]))


def copies(d: Recipe) -> None:
    """A part that hangs twice on a body, with a parameter of its own and one that is shared."""
    d.add("parameters", "reach", 0.4)
    leg = {
        "parameters": {"reach": 0.4, "weight": 1.2},
        "bodies": {"shank": {"mass": "weight", "com": [0, 0.1, "-reach/2"], "inertia": [0.1, 0.12, 0.05]}},
        "joints": {"knee": {"revolute": ["ground", "shank"], "axis": d.axis(), "at": [0, 0, "-reach"], "damping": 0.1}},
    }
    d.add("parts", "leg", leg)
    on = d.body()
    for side, weight in (("left", 1.0), ("right", 1.5)):
        d.add("attach", side, {"part": "leg", "on": on, "share": "reach", "values": {"weight": weight}})
        d.coordinates.append(f"{side}_knee")
        d.bodies.append(f"{side}_shank")


def moving_root(d: Recipe) -> str:
    """A frame that moves as time says, or an input, or both."""
    w = d.smooth_input() if d.chance(0.6) else "0.3*sin(t)"
    turned = f".rotate({d.choice('xyz')}, 0.4*{d.choice([w, 't'])})" if d.chance(0.6) else ""
    return d.add("frames", d.fresh("base"), f"ground.translate({w}, 0.1*t, 0){turned}")


# ---------------------------------------------------------------------------------------------------------- bodies


def whole_body(d: Recipe) -> dict[str, Any]:
    """A body with mass and inertia about every axis."""
    if d.chance(0.2):
        return shaped_body(d)
    mass, com = d.number(0.5, 2), d.place(0.3)
    I = tensor(d)
    if d.chance(0.4):
        return {"mass": mass, "com": com, "inertia": [I["xx"], I["yy"], I["zz"]]}
    out: dict[str, Any] = {"mass": mass, "com": com, "inertia": I}
    if d.symbolic and d.chance(0.3):
        out["inertia"] = {k: d.add("parameters", d.fresh(f"I{k}"), v) for k, v in I.items()}
    return out


def shaped_body(d: Recipe) -> dict[str, Any]:
    r, l = d.number(0.1, 0.3), d.number(0.3, 0.8)
    shape = d.choice(
        [{"cylinder": [r, l]}, {"sphere": r}, {"shell": r}, {"box": [r, l, d.number(0.2, 0.4)]}, {"disc": r}]
    )
    if "cylinder" in shape or "disc" in shape:
        shape["axis"] = d.choice("xyz")
    if d.chance(0.5):
        shape["at"] = d.place(0.3)
    return {
        "shape": shape,
        **(
            {"density": d.number(5, 20)}
            if d.chance(0.3) and "disc" not in shape and "shell" not in shape
            else {"mass": d.number(0.5, 2)}
        ),
    }


def light_body(d: Recipe) -> dict[str, Any]:
    return {} if d.chance(0.5) else {"mass": d.number(0.5, 2), "com": d.place(0.3)}


def tensor(d: Recipe) -> dict[str, float]:
    """One that a body can have: of five point masses."""
    points = [[d.uniform(-1, 1) for _ in range(3)] for _ in range(5)]
    entries = {}
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        entries["xyz"[i] + "xyz"[j]] = round(
            0.1 * sum((i == j) * sum(x * x for x in p) - p[i] * p[j] for p in points), 4
        )
    return entries


def on_a_frame(d: Recipe, name: str, parent: str) -> str:
    """A body on a frame that two coordinates move, each in several places."""
    a, b = (d.declare("coordinates", d.fresh("q")) for _ in range(2))
    d.coordinates += [a, b]
    moved = f"{parent}.translate({a}, {d.number(0.1, 0.5)}, sin({b})/2).rotate(x, {b}).translate(0.3, 0, 0.2*{a})"
    turned = d.choice([f"rotate(zx, {a}, 2*{b})", f"rotate([0.3, -0.5, 0.8], {a} + {b}/2)", f"rotate(y, {b})"])
    d.add("bodies", name, {"frame": d.add("frames", d.fresh("f"), f"{moved}.{turned}"), **whole_body_by_numbers(d)})
    return name


def whole_body_by_numbers(d: Recipe) -> dict[str, Any]:
    return {"mass": d.number(0.5, 2), "com": d.place(0.3), "inertia": tensor(d)}


# ---------------------------------------------------------------------------------------------------------- joints


def hang(d: Recipe, name: str, parent: str, child: str, kind: str = "") -> None:
    """A joint of any kind, or of the one named, with any of its options."""
    kind = kind or d.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    how: dict[str, Any] = {kind: [parent, child], "at": d.place()}
    if d.chance(0.5):
        how["on"] = d.place(0.3)
    if kind in AXIAL:
        how["axis"] = d.axis()
    if kind == "screw":
        how["pitch"] = d.number(0.2, 0.6)
    if kind == "universal":
        how["axes"] = d.choice([["x", "y"], ["z", "x"], ["y", "z"]])
    if d.chance(0.3):
        how["orientation"] = [{d.choice("xyz"): d.number(-1, 1)}, {d.choice("xyz"): d.number(-1, 1)}]
    elif kind == "revolute" and d.chance(0.1):
        how["vectors"] = [*d.choice([("z", "x"), ("x", "x"), ("y", "-z")]), *d.choice([("x", "y"), ("y", "y")])]
        del how["axis"]
        if how["vectors"][0] == how["vectors"][2] or how["vectors"][1] == how["vectors"][3]:
            how["vectors"][2:] = [
                {"x": "y", "y": "z", "z": "x"}[how["vectors"][0]],
                {"x": "y", "-z": "x"}[how["vectors"][1]],
            ]
    if kind in SPINNING and d.chance(0.5):
        by_euler_parameters(d, name, kind, how)
    else:
        by_coordinates(d, name, kind, how)
    d.add("joints", name, how)


def by_euler_parameters(d: Recipe, name: str, kind: str, how: dict[str, Any]) -> None:
    how["sequence"] = "euler parameters"
    d.quaternions.append(tuple(name + end for end in EULER))
    if kind == "free":
        d.coordinates += [name + end for end in ("_x", "_y", "_z")]


def by_coordinates(d: Recipe, name: str, kind: str, how: dict[str, Any]) -> None:
    if kind in SPINNING:
        how["sequence"] = d.choice(["xyz", "zxz", "zyx", "yxz"])
    axis = how.get("axis", "z")
    letter = (
        axis if isinstance(axis, str) else {(1, 0, 0): "x", (0, 1, 0): "y", (0, 0, 1): "z"}.get(tuple(axis), (1, 1, 1))
    )
    own = [name + end for end in coordinate_endings(KINDS[kind], JointGeometry(letter))]
    if kind in ("revolute", "prismatic") and d.chance(0.12):
        own = [d.declare("coordinates", d.fresh("q"))]
        how["coordinates"] = f"{own[0]} + {d.choice(['sin(2*t)/3', f'0.5*{d.smooth_input()}', f'{own[0]}**3/9'])}"
    else:
        how |= joint_loads(d, kind, own)
    d.coordinates += own


def joint_loads(d: Recipe, kind: str, own: list[str]) -> dict[str, Any]:
    """Springs, dampers, motors, friction and stops on the coordinates of a joint."""
    if not own:
        return {}

    def each(low: float, high: float) -> Any:
        if kind in MIXED:
            return {q: d.number(low, high) for q in own if d.chance(0.7)} or {own[0]: d.number(low, high)}
        return d.number(low, high)

    out: dict[str, Any] = {}
    if d.chance(0.25):
        out |= {"stiffness": each(1, 5), "rest": each(-0.3, 0.3)}
    if d.chance(0.25):
        out["damping"] = each(0.1, 1)
    if d.chance(0.15) and kind not in MIXED and len(own) == 1:
        d.coordinates += own  # the law may be feedback
        out["actuation"] = d.choice([d.input_of_any_kind(), f"-{d.number(0.5, 2)}*sin({own[0]})"])
        d.coordinates = [q for q in d.coordinates if q not in own]
    if d.chance(0.08) and kind not in MIXED:
        out["friction"] = [d.number(0.1, 0.5), 0.2]
    if d.chance(0.08) and kind not in MIXED:
        out["limits"] = [-0.4, 0.3, 20.0, 1.0]
    return out
