"""Loads, speeds of choice, additional variables, outputs and labels, on whatever the model has."""

from __future__ import annotations

from typing import Any

from .recipe import Recipe

AXES = {"x": "1, 0, 0", "y": "0, 1, 0", "z": "0, 0, 1", "-x": "-1, 0, 0", "-z": "0, 0, -1"}


def gravity(d: Recipe) -> None:
    if d.chance(0.8):
        d.sections["gravity"] = [0, d.number(-1, 1), -9.81 if d.chance(0.5) else f"-{d.number(9, 10)}"]


def loads(d: Recipe, count: int) -> None:
    for make in d.sample(LOADS, min(count, len(LOADS))):
        if content := make(d):
            d.add("loads", d.fresh("load"), content)


# ---------------------------------------------------------------------------------------------------------- loads


def force(d: Recipe) -> dict[str, Any]:
    on, other = d.body(), d.body()
    vector = f"{on}.vector({d.number(-2, 2)}, 1, {d.number(-2, 2)}) + ground.vector(0, {d.number(0, 1)}, 0)"
    reaction = {"reacting": other} if other != on and d.chance(0.4) else {}
    return {"force": vector, "on": on, "at": d.place(), **reaction}


def torque(d: Recipe) -> dict[str, Any]:
    on, other = d.body(), d.body()
    reaction = {"reacting": other} if other != on else {}
    return {"torque": f"{on}.vector({d.input_of_any_kind()}, {d.number(-1, 1)}, cos(t))", "on": on, **reaction}


def spring(d: Recipe) -> dict[str, Any]:
    a, b = d.body(), d.body()
    end = f"{b}.point({d.three()})" if a != b else "ground.point(1, 2, 3)"
    out = {"spring": [f"{a}.point({d.three()})", end], "stiffness": d.number(1, 20)}
    out |= {"rest": d.number(0.1, 0.5)} if d.chance(0.5) else {}
    out |= {"damping": d.number(0.1, 1)} if d.chance(0.5) else {}
    return out | ({"actuation": d.input_of_any_kind()} if d.chance(0.3) else {})


def rotational_spring(d: Recipe) -> dict[str, Any]:
    """About the axis of a hinge, by torques on its two sides; a torque in place of it where there is no hinge."""
    hinges = {
        n: j
        for n, j in d.sections.get("joints", {}).items()
        if "revolute" in j and n in d.coordinates and "vectors" not in j
    }
    if not hinges:
        return torque(d)
    name = d.choice(list(hinges))
    parent, child = hinges[name]["revolute"]
    axis = hinges[name].get("axis", "z")
    along = ", ".join(map(str, axis)) if isinstance(axis, list) else AXES[axis]
    return {
        "rotational_spring": f"{parent}.vector({along})", "parent": parent, "child": child, "angle": name,
        "stiffness": d.number(1, 5), "damping": d.number(0.1, 1),
    }  # fmt: skip


def drag(d: Recipe) -> dict[str, Any]:
    on = d.body()
    out: dict[str, Any] = {"drag": f"{on}.point({d.three()})", "linear": d.number(0.1, 1)}
    return out | ({"quadratic": d.number(0.1, 1)} if d.chance(0.5) else {})


def potential(d: Recipe) -> dict[str, Any]:
    a, b = d.coordinate(), d.coordinate()
    return {"potential": f"{d.number(0.5, 2)}*sin({a})*(1 + {b}**2) + cos(t)*{a}"}


def generalized_force(d: Recipe) -> dict[str, Any]:
    q = d.coordinate()
    law = d.choice(
        [f"{d.number(-2, 2)}*cos({q})", f"where({q} > 0.1, -{q}, 0.2*sin({q}))", f"-abs({q})*{q}", f"-tanh({q}_dot)"]
    )
    return {"generalized_force": law, "coordinate": q}


def strut(d: Recipe) -> dict[str, Any]:
    """A spring and damper to a support that an input moves: its rate is in the equations."""
    q, w = d.coordinate(), d.smooth_input()
    return {
        "generalized_force": f"-{d.number(5, 20)}*({q} - {w}) - {d.number(0.5, 2)}*({q}_dot - {w}_dot)",
        "coordinate": q,
    }


def central_gravity(d: Recipe) -> dict[str, Any]:
    out: dict[str, Any] = {"central_gravity": d.number(1, 5), "centre": "ground.point(4, -3, 5)"}
    return out | ({"gradient": True} if d.chance(0.5) else {})


def tyre(d: Recipe) -> dict[str, Any]:
    """On what slides in a plane, going forward; a force in place of it where nothing does."""
    if "sleigh" not in d.bodies:
        return force(d)
    d.start |= {"s_x": 0.1, "s_y": 0.2, "s_a": 0.05}
    d.start_speeds |= {"s_x": 2.0, "s_y": 0.1}
    return {
        "tyre": f"sleigh.point({d.number(-0.5, 0.5)}, 0, 0)", "heading": "sleigh", "on": "sleigh", "camber": "0.1*sin(s_a)",
        "stiffness": [d.number(5, 10), 1], "relaxation": 0.2, "load": -3,
    }  # fmt: skip


def lagging_force(d: Recipe) -> dict[str, Any]:
    """A force of an additional variable, differential or algebraic."""
    z, q, on = d.declare("variables", d.fresh("z")), d.coordinate(), d.body()
    law = (
        f"{z} + {z}**3 - sin({q}) - 0.1*{q}_dot"
        if d.chance(0.2)
        else f"{d.number(0.2, 0.5)}*{z}_dot + {z} - {q}_dot - sin({q})"
    )
    d.add("equations", d.fresh("lag"), law)
    return {"force": f"ground.vector({z}, 0, {d.number(0.1, 1)}*{z})", "on": on}


LOADS = [
    force, torque, spring, rotational_spring, drag, potential, generalized_force, strut, central_gravity, lagging_force, tyre,
]  # fmt: skip


# ---------------------------------------------------------------------------------------------- speeds, outputs, labels


def speeds(d: Recipe) -> None:
    """Speeds of choice for some coordinates: combinations of their rates, triangular, now and then with a term in time
    or in an input."""
    chosen = [q for q in d.coordinates if d.chance(0.6)][:3]
    for k, q in enumerate(chosen):
        law = f"{q}_dot*(1.5 + 0.3*cos({chosen[0]}))"
        if k:
            law += f" + {chosen[k - 1]}_dot*sin({q})/2"
        if d.chance(0.2):
            law += f" + {d.choice(['sin(t)/5', d.smooth_input()])}"
        d.add("speeds", f"u_{q}", law)
    others = [q for q in d.coordinates if q not in chosen]
    if others and d.chance(0.3):
        q = d.choice(others)
        d.add("rates", q, f"{d.add('speeds', f'u_{q}', None)}*(1.2 + 0.1*sin({q}))")


def outputs(d: Recipe) -> None:
    q, on = d.coordinate(), d.body()
    choices = {
        "tip": f"{on}.point({d.three()}).position().components(ground)",
        "height": f"{on}.mass_centre.position().dot(ground.z)",
        "speed": f"{on}.mass_centre.velocity().dot(ground.x) + {d.number(0.5, 2)}*{q}",
        "acceleration": f"{on}.mass_centre.acceleration().dot(ground.y)",
        "spin": f"{on}.frame.angular_velocity().components({on})",
    }
    for name in d.sample(list(choices), d.randint(1, 3)):
        d.add("outputs", name, choices[name])


def labels(d: Recipe) -> None:
    """A name for something that the equations contain, and for something that they do not."""
    q = d.coordinate()
    d.add("labels", d.fresh("label"), d.choice([f"cos({q})", f"sin({q})", f"{q}_dot*{q}", f"{q} + {d.number(0.1, 2)}"]))
