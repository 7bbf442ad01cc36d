"""Random mechanisms. Small hard ones by name are in `hard_cases.py`.

random_tree(seed)    every kind of joint, body, load and speed, up to 12 bodies
random_loop(seed)    closed loops by every kind of joint, gears, prescribed motion, skates, rolling wheels
standard_tree(seed)  only joints and gravity, with a record from which another implementation can be built
floating_tree(seed), conservative_tree(seed)   trees that keep their momentum, their energy
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import symbody as sb
from symbody.bodies.frames.frames import Frame
from symbody.bodies.mechanism.mechanism import Body, Mechanism
from symbody.bodies.model.model import Model

Three = tuple[float, float, float]


@dataclass(frozen=True)
class Link:
    """A body of a `standard_tree` as another implementation needs it: numbers only."""

    kind: str
    parent: int  # -1: the ground
    at: Three
    on: Three
    orientation: list[list[float]]  # of the child at rest, in the parent
    axis: Three
    mass: float
    com: Three
    inertia: list[list[float]]
    coordinates: tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """A mechanism; `start`: coordinates near which its loops close."""

    mechanism: Mechanism
    start: dict[str, float] = field(default_factory=dict)
    links: tuple[Link, ...] = ()

    def __str__(self) -> str:
        return self.mechanism.name


# ---------------------------------------------------------------------------------------------------- numbers

TREE_KINDS = (
    "revolute", "revolute_any", "prismatic", "prismatic_any", "cylindrical", "universal", "spherical", "spherical_e",
    "planar", "free", "free_e", "screw", "fixed", "vectors", "driven",
)  # fmt: skip
MIXED = {
    "cylindrical": 2,
    "planar": 3,
    "free": 6,
}  # coordinates of joints that have lengths and angles: each has loads of its own
LIGHT_KINDS = ("revolute_any", "prismatic_any", "revolute", "universal")  # joints of particles and massless bodies
CLOSINGS = ("revolute", "spherical", "universal", "cylindrical", "prismatic", "planar", "coincide", "fixed", "screw")
ROWS = dict(zip(CLOSINGS, (5, 3, 4, 4, 5, 3, 3, 6, 5), strict=True))


class Draw:
    """Random parts for a model; numbers become parameters where the model is symbolic."""

    def __init__(self, seed: int, name: str, symbolic: bool) -> None:
        self.seed, self.random = seed, Random(seed)
        self.model = Model(name)
        self.symbolic = symbolic
        self.bodies: list[Body] = []
        self.count = 0

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def number(self, low: float, high: float, stem: str = "p") -> Any:
        value = round(self.random.uniform(low, high), 3)
        if not self.symbolic:
            return value
        self.count += 1
        return self.model.parameter(f"{stem}{self.count}", value)

    def place(self, size: float = 0.6) -> tuple[Any, Any, Any]:
        return self.number(-size, size), self.number(-size, size), self.number(0.2, size)

    def axis(self) -> Any:
        return self.random.choice(["x", "y", "z", "-x", "-z"])

    def any_axis(self) -> Three:
        x, y, z = (round(self.random.uniform(-1, 1), 2) for _ in range(3))
        return x, y, z + math.copysign(0.3, z)

    def rotation(self) -> list[list[float]]:
        a, b, c = (self.random.uniform(-1.5, 1.5) for _ in range(3))
        return product(turn(0, a), product(turn(1, b), turn(2, c)))

    def tensor(self, scale: float = 0.1) -> list[list[float]]:
        """A tensor that a body can have: of random point masses."""
        points = [[self.random.uniform(-1, 1) for _ in range(3)] for _ in range(5)]
        out = [[0.0] * 3 for _ in range(3)]
        for p in points:
            square = sum(x * x for x in p)
            for i in range(3):
                for j in range(3):
                    out[i][j] += round(scale * ((i == j) * square - p[i] * p[j]), 6)
        return [[out[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]

    def inertia(self) -> Any:
        I = self.tensor()
        values = [I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]]
        if self.symbolic and self.chance(0.5):
            self.count += 1
            names = [f"I{k}_{self.count}" for k in ("xx", "yy", "zz", "xy", "xz", "yz")]
            values = [self.model.parameter(n, v) for n, v in zip(names, values, strict=True)]
        return sb.inertia(*values)


def turn(axis: int, angle: float) -> list[list[float]]:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = [[float(a == b) for b in range(3)] for a in range(3)]
    R[i][i] = R[j][j] = math.cos(angle)
    R[j][i] = math.sin(angle)
    R[i][j] = -R[j][i]
    return R


def product(A: list[list[float]], B: list[list[float]]) -> list[list[float]]:
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


# ---------------------------------------------------------------------------------------------------- bodies and joints


def add_body(d: Draw, name: str, is_leaf: bool) -> tuple[Body, bool]:
    """A body with everything; or, where something heavier will hang on it, a particle or nothing. Says whether it is
    whole."""
    m = d.model
    if not is_leaf and d.chance(0.12):
        return m.body(name), False
    if not is_leaf and d.chance(0.12):
        return m.body(name, mass=d.number(0.5, 2), com=d.place()), False
    if d.chance(0.15):
        shape = d.random.choice([sb.cylinder(0.3, 0.8, "x"), sb.sphere(0.4), sb.box(0.3, 0.4, 0.5, at=(0.1, 0, 0.2))])
        return m.body(name, shape=shape, mass=d.number(0.5, 2)), True
    mass, com, tensor = d.number(0.5, 2), d.place(0.4), d.inertia()
    if d.chance(0.8):
        return m.body(name, mass=mass, com=com, inertia=tensor), True
    about = d.place(0.4)
    r = sb.vector(*com) - sb.vector(*about)
    moved = tensor + (sb.dot(r, r) * sb.identity(3) - sb.outer(r, r)) * mass
    return m.body(name, mass=mass, com=com, inertia=moved, about=about), True


def hang(d: Draw, kind: str, name: str, parent: Any, child: Body, **loads: Any) -> None:
    m = d.model
    how: dict[str, Any] = {"at": d.place(), "on": d.place(0.3) if d.chance(0.5) else (0, 0, 0)}
    if d.chance(0.3):
        how["orientation"] = d.rotation()
    how |= {k: (v,) * MIXED[kind] for k, v in loads.items()} if kind in MIXED else loads
    if kind in ("revolute", "prismatic", "cylindrical", "planar", "screw"):
        how["axis"] = d.axis()
    if kind in ("revolute_any", "prismatic_any"):
        how["axis"], kind = d.any_axis(), kind.removesuffix("_any")
    if kind in ("cylindrical", "planar", "screw") and d.chance(0.4):
        how["axis"] = d.any_axis()
    if kind == "screw":
        how["pitch"] = d.number(0.2, 0.6)
    if kind == "universal":
        how["axes"] = d.random.choice([("x", "y"), ("z", "x"), ("y", "z")])
    if kind in ("spherical", "free"):
        how["sequence"] = d.random.choice(["xyz", "zxz", "zyx", "yxz"])
    if kind in ("spherical_e", "free_e"):
        how["sequence"], kind = "euler parameters", kind.removesuffix("_e")
    if kind == "free":
        m.free(name, parent, child, **how)
    else:
        m.joint(name, parent, child, kind, **how)


def frame_of(thing: Any) -> Frame:
    return thing if isinstance(thing, Frame) else thing.frame


def by_vectors(d: Draw, name: str, parent: Any) -> Body:
    """A body on a frame that two coordinates move through several frames at once, in expressions."""
    m, frame = d.model, frame_of(parent)
    a, b = m.coordinates(f"{name}_a {name}_b")
    moved = frame.translate(a, d.number(0.1, 0.5), sb.sin(b) / 2).rotate("x", b).translate(0.3, 0, 0.2 * a)
    moved = moved.rotate(d.any_axis(), a + b / 2) if d.chance(0.5) else moved.rotate("zx", a, 2 * b)
    if d.chance(0.4):
        c, s = sb.cos(a), sb.sin(a)
        moved = moved.rotate_by_cosines([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return m.body(name, moved, mass=d.number(0.5, 2), com=d.place(0.3), inertia=d.inertia())


def driven(d: Draw, name: str, parent: Any, child: Body) -> None:
    """A joint whose motion is a coordinate and a function of time."""
    m = d.model
    q = m.coordinate(f"{name}_q")
    m.revolute(name, parent, child, axis=d.axis(), at=d.place(), coordinates=q + sb.sin(2 * m.time) / 3)


def moving_base(d: Draw) -> Frame:
    """A frame that moves in a given way."""
    t = d.model.time
    base = d.model.ground.translate(0.2 * sb.sin(t), 0.1 * t, 0).rotate("z", 0.3 * t)
    return base.rotate(d.any_axis(), sb.cos(t) / 2) if d.chance(0.5) else base


# ---------------------------------------------------------------------------------------------------- speeds


def choose_speeds(d: Draw) -> None:
    """Quasi-velocities for some coordinates: triangular combinations of their rates, with a free term now and then."""
    m = d.model
    plain = [
        q
        for q in m.symbols_of_kind("coordinate")
        if q not in m.parts.kinematics.rates and not any(q in n for n in m.parts.kinematics.norms)
    ]
    chosen = [q for q in plain if d.chance(0.6)][:4]
    for k, q in enumerate(chosen):
        law = q.dot * (1.5 + 0.3 * sb.cos(chosen[0]))
        if k:
            law = law + chosen[k - 1].dot * sb.sin(q) / 2
        if d.chance(0.2):
            law = law + sb.sin(m.time) / 5
        m.speed(f"w_{q.name}", law)


# ---------------------------------------------------------------------------------------------------- loads


def add_loads(d: Draw, how_many: int) -> None:
    makers = d.random.sample(LOADS, min(how_many, len(LOADS)))
    for k, make in enumerate(makers):
        make(d, f"load{k}")


def pick(d: Draw) -> Body:
    return d.random.choice(d.bodies)


def a_force(d: Draw, name: str) -> None:
    b, other = pick(d), pick(d)
    v = b.vector(d.number(-2, 2), 1, d.number(-2, 2)) + d.model.ground.vector(0, d.number(0, 1), 0)
    d.model.force(name, b, v, at=b.point(*d.place()), reacting=other if d.chance(0.4) and other is not b else None)


def a_torque(d: Draw, name: str) -> None:
    b, other = pick(d), pick(d)
    tau = d.model.input(f"tau_{name}")
    d.model.torque(
        name, b, b.vector(tau, d.number(-1, 1), sb.cos(d.model.time)), reacting=other if other is not b else None
    )


def a_spring(d: Draw, name: str) -> None:
    b, other = pick(d), pick(d)
    end = other.point(*d.place()) if other is not b else d.model.ground.point(1, 2, 3)
    rest = d.number(0.1, 0.5) if d.chance(0.6) else 0
    damping = d.number(0.1, 1) if d.chance(0.5) else 0
    actuation = d.model.input(f"pull_{name}") if d.chance(0.3) else 0
    d.model.spring(
        name, b.point(*d.place()), end, stiffness=d.number(1, 20), rest=rest, damping=damping, actuation=actuation
    )


def a_drag(d: Draw, name: str) -> None:
    b = pick(d)
    d.model.drag(name, b.point(*d.place()), linear=d.number(0.1, 1), quadratic=d.number(0.1, 1) if d.chance(0.5) else 0)


def a_potential(d: Draw, name: str) -> None:
    q = d.random.sample(d.model.symbols_of_kind("coordinate"), min(2, len(d.model.symbols_of_kind("coordinate"))))
    energy = d.number(0.5, 2) * sb.sin(q[0]) * (1 + q[-1] ** 2) + sb.cos(d.model.time) * q[0]
    d.model.potential(name, energy)


def a_generalized_force(d: Draw, name: str) -> None:
    q = d.random.choice(d.model.symbols_of_kind("coordinate"))
    d.model.generalized_force(name, q, d.number(-2, 2) * sb.cos(q))


def a_central_gravity(d: Draw, name: str) -> None:
    d.model.central_gravity(name, d.number(1, 5), d.model.ground.point(4, -3, 5))


def a_rotational_spring(d: Draw, name: str) -> None:
    """About the axis of a revolute joint, written as torques on the two bodies."""
    m = d.model
    joints = [j for j in m.joints.values() if j.kind == "revolute" and j.coordinates and j.parent != "ground"]
    if not joints:
        return a_force(d, name)
    j = d.random.choice(joints)
    child, parent = m.bodies[j.child], m.bodies[j.parent]
    spin = child.frame.angular_velocity(parent.frame)
    rate = j.coordinates[0].dot
    axis = sum((v for v in spin.partial([rate])), sb.Vector({}))
    m.rotational_spring(
        name, parent, child, axis, angle=j.coordinates[0], stiffness=d.number(1, 5), damping=d.number(0.1, 1)
    )
    return None


def a_variable(d: Draw, name: str) -> None:
    """An additional variable: a force that lags behind a rate."""
    m = d.model
    z, q = m.variable(f"z_{name}"), d.random.choice(m.symbols_of_kind("coordinate"))
    m.equation(f"{name}.lag", 0.3 * z.dot + z - q.dot - sb.sin(q))
    b = pick(d)
    m.force(name, b, m.ground.vector(z, 0, z * d.number(0, 1)), at=b.mass_centre)


LOADS: list[Callable[[Draw, str], None]] = [
    a_force, a_torque, a_spring, a_drag, a_potential, a_generalized_force, a_central_gravity, a_rotational_spring, a_variable,
]  # fmt: skip


def joint_loads(d: Draw) -> dict[str, Any]:
    """Springs, dampers, friction and stops of a joint."""
    out: dict[str, Any] = {}
    if d.chance(0.3):
        out |= {"stiffness": d.number(1, 5), "rest": d.number(-0.3, 0.3)}
    if d.chance(0.3):
        out["damping"] = d.number(0.1, 1)
    if d.chance(0.1):
        out["friction"] = (d.number(0.1, 0.5), 0.1)
    if d.chance(0.1):
        out["limits"] = (-0.4, 0.3, 20.0, 1.0)
    return out


# ---------------------------------------------------------------------------------------------------- trees


def size_of(seed: int) -> int:
    """Mostly small, every tenth large."""
    return 8 + seed // 50 % 5 if seed % 10 == 9 else 2 + seed % 4


def random_tree(seed: int, n_bodies: int | None = None, symbolic: bool | None = None) -> Sample:
    """A tree with every kind of joint, body and load."""
    d = Draw(seed, f"tree {seed}", seed % 2 == 0 if symbolic is None else symbolic)
    grow(d, n_bodies or size_of(seed))
    if d.chance(0.3):
        choose_speeds(d)
    add_gravity(d)
    add_loads(d, d.random.randint(1, 4))
    d.model.output("place", d.bodies[-1].mass_centre.position().components(d.model.ground))
    return Sample(d.model.freeze())


def add_gravity(d: Draw) -> None:
    if d.chance(0.8):
        d.model.gravity(0, d.number(-1, 1), -d.number(9, 10))


def grow(
    d: Draw, n: int, root: Any = None, kinds: tuple[str, ...] = TREE_KINDS,
    loads: Callable[[Draw], dict[str, Any]] = joint_loads,
) -> None:  # fmt: skip
    """Bodies that hang on the root or on each other; what hangs on a light body is whole and has few freedoms."""
    light: set[str] = set()
    parents: list[Any] = [root if root is not None else moving_base(d) if d.chance(0.2) else d.model.ground]
    for k in range(n):
        name = f"b{k}"
        waiting = [b for b in d.bodies if b.name in light]
        parent = waiting[-1] if waiting else d.random.choice(parents[-3:])
        is_leaf = bool(waiting) or k == n - 1
        kind = d.random.choice(LIGHT_KINDS[:3] if waiting else kinds)
        if kind == "vectors":
            body = by_vectors(d, name, parent)
        else:
            body, is_whole = add_body(d, name, is_leaf)
            if not is_whole:
                light.add(name)
                kind = d.random.choice(LIGHT_KINDS)
            if kind == "driven":
                driven(d, f"j{k}", parent, body)
            else:
                quiet = kind in ("fixed", "spherical_e", "free_e")
                hang(d, kind, f"j{k}", parent, body, **({} if quiet else loads(d)))
        if waiting:
            light.discard(waiting[-1].name)
        d.bodies.append(body)
        parents.append(body)
    if not d.model.symbols_of_kind("coordinate"):
        d.bodies.append(by_vectors(d, "last", d.bodies[-1]))


def standard_tree(seed: int) -> Sample:
    """Joints that everybody knows, on whole bodies, with gravity, and the record of it."""
    d = Draw(seed, f"standard tree {seed}", False)
    links: list[Link] = []
    kinds = (
        "revolute",
        "prismatic",
        "universal",
        "cylindrical",
        "planar",
        "spherical",
        "spherical_e",
        "free_e",
        "fixed",
    )
    for k in range(size_of(seed)):
        parent = d.random.randint(max(-1, k - 3), k - 1)
        kind = "revolute" if k == 0 else d.random.choice(kinds)
        at, on, R = d.place(), d.place(0.3), d.rotation()
        mass, com, I = d.number(0.5, 2), d.place(0.4), d.tensor()
        body = d.model.body(f"b{k}", mass=mass, com=com, inertia=I)
        axis = d.any_axis() if kind in ("revolute", "prismatic", "cylindrical") else (0.0, 0.0, 1.0)
        how: dict[str, Any] = {"at": at, "on": on, "orientation": R, "axis": axis}
        if kind.endswith("_e"):
            how["sequence"] = "euler parameters"
        joint = d.model.joint(
            f"j{k}", d.bodies[parent] if parent >= 0 else d.model.ground, body, kind.removesuffix("_e"), **how
        )
        d.bodies.append(body)
        links.append(Link(kind, parent, at, on, R, axis, mass, com, I, tuple(q.name for q in joint.coordinates)))
    d.model.gravity(0.3, -0.2, -9.81)
    return Sample(d.model.freeze(), links=tuple(links))


def floating_tree(seed: int) -> Sample:
    """A tree that floats without external loads: a free body, and what hangs on it, with loads only inside."""
    d = Draw(seed, f"floating tree {seed}", seed % 2 == 0)
    m = d.model
    base, _ = add_body(d, "base", True)
    how: dict[str, Any] = {"sequence": "euler parameters"} if d.chance(0.5) else {}
    m.free("f", m.ground, base, **how)
    d.bodies.append(base)
    kinds = tuple(k for k in TREE_KINDS if k not in ("driven", "vectors", "free", "free_e"))
    grow(d, size_of(seed) - 1, base, kinds)
    for k in range(2):
        a, b = d.random.sample(d.bodies, 2)
        end = b.point(*d.place())
        m.spring(f"s{k}", a.point(*d.place()), end, stiffness=d.number(1, 9), rest=0.2, damping=d.number(0.1, 1))
        m.torque(f"t{k}", a, a.vector(1, d.number(-1, 1), 0.5), reacting=b)
    return Sample(m.freeze())


def conservative_tree(seed: int) -> Sample:
    """A tree whose loads all have a potential and do not know the time."""
    d = Draw(seed, f"conservative tree {seed}", seed % 2 == 0)
    m = d.model
    grow(
        d,
        size_of(seed),
        m.ground,
        tuple(k for k in TREE_KINDS if k != "driven"),
        lambda d: {"stiffness": d.number(1, 5)},
    )
    if d.chance(0.5):
        choose_speeds(d)
    m.gravity(0, d.number(-1, 1), -d.number(9, 10))
    m.spring(
        "spring", pick(d).point(*d.place()), m.ground.point(1, 2, 3), stiffness=d.number(1, 20), rest=d.number(0.1, 0.5)
    )
    m.potential(
        "field",
        d.number(0.5, 2) * sb.sin(m.symbols_of_kind("coordinate")[0]) * (1 + m.symbols_of_kind("coordinate")[-1] ** 2),
    )
    a_central_gravity(d, "planet")
    return Sample(m.freeze())


# ---------------------------------------------------------------------------------------------------- loops

GENERIC = ("revolute_any", "revolute_any", "universal", "spherical", "spherical_e", "prismatic_any", "cylindrical")


def random_loop(seed: int, symbolic: bool | None = None) -> Sample:
    """A closed, rolling, geared or otherwise constrained system."""
    d = Draw(seed, f"loop {seed}", seed % 2 == 0 if symbolic is None else symbolic)
    makers = (closed_chain, closed_chain, closed_chain, rolling_wheel, geared, skate, prescribed, two_loops)
    make = makers[seed % len(makers)]
    start = make(d)
    if d.chance(0.25):
        choose_speeds(d)
    add_gravity(d)
    add_loads(d, d.random.randint(0, 3))
    d.model.name = f"loop {seed}: {make.__name__}"
    return Sample(d.model.freeze(), start)


def chain(
    d: Draw, prefix: str, root: Any, freedoms: int,
    loads: Callable[[Draw], dict[str, Any]] = joint_loads, kinds: tuple[str, ...] = GENERIC,
) -> Body:  # fmt: skip
    """A serial chain with at least so many freedoms; the last body is its end."""
    parent, total, k = root, 0, 0
    while total < freedoms:
        before = len(d.model.symbols_of_kind("speed")) + sum(
            q not in d.model.parts.kinematics.rates for q in d.model.symbols_of_kind("coordinate")
        )
        kind = d.random.choice(kinds)
        body, _ = add_body(d, f"{prefix}{k}", True)
        hang(d, kind, f"{prefix}j{k}", parent, body, **({} if kind == "spherical_e" else loads(d)))
        total += (
            len(d.model.symbols_of_kind("speed"))
            + sum(q not in d.model.parts.kinematics.rates for q in d.model.symbols_of_kind("coordinate"))
            - before
        )
        d.bodies.append(body)
        parent, k = body, k + 1
    return parent


def closed_chain(d: Draw) -> dict[str, float]:
    """Two chains from the ground, or one, closed by a joint that fits where the coordinates have some chosen values."""
    kind = CLOSINGS[(d.seed // 8 * 3 + d.seed % 8) % len(CLOSINGS)]
    rows = ROWS[kind]
    two = d.chance(0.6)
    first = chain(d, "a", d.model.ground, rows // 2 + 1 if two else rows + 2)
    second: Any = chain(d, "c", d.model.ground, rows - rows // 2 + 1) if two else d.model.ground
    start = chosen_coordinates(d)
    close(d, kind, "closing", second, first, start)
    return start


def two_loops(d: Draw) -> dict[str, float]:
    """A platform on legs."""
    top = chain(d, "a", d.model.ground, 6)
    leg1, leg2 = chain(d, "c", d.model.ground, 3), chain(d, "e", d.model.ground, 3)
    start = chosen_coordinates(d)
    close(d, d.random.choice(["spherical", "coincide"]), "knee1", leg1, top, start)
    close(d, "spherical", "knee2", leg2, top, start)
    return start


def chosen_coordinates(d: Draw) -> dict[str, float]:
    start = {q.name: d.random.uniform(-0.6, 0.6) for q in d.model.symbols_of_kind("coordinate")}
    for norm in d.model.parts.kinematics.norms:
        e = [d.random.uniform(-1, 1) for _ in norm]
        size = math.sqrt(sum(x * x for x in e))
        start |= {s.name: x / size for s, x in zip(norm, e, strict=True)}
    return start


def close(d: Draw, kind: str, name: str, outer: Any, inner: Body, start: dict[str, float]) -> None:
    """Join two placed bodies by a joint whose sides meet where the coordinates are as given."""
    m = d.model
    values = {**start, **{s.name: v for s, v in m.parts.default_values.items()}, "t": 0.0}
    frame = frame_of(outer)
    at = (d.random.uniform(-0.4, 0.4), d.random.uniform(-0.4, 0.4), d.random.uniform(0.1, 0.5))
    on = sb.evaluate(frame.point(*at).in_frame(inner.frame).coordinates, values)
    R = sb.evaluate(inner.frame.rotation_in(frame).matrix, values)
    if kind == "coincide":
        m.coincide(name, frame.point(*at), inner.point(*on), along=m.ground if d.chance(0.5) else None)
        return
    how: dict[str, Any] = {"at": at, "on": on, "orientation": R}
    if kind in ("revolute", "cylindrical", "prismatic", "planar", "screw"):
        how["axis"] = d.any_axis() if d.chance(0.5) else d.axis()
    if kind == "screw":
        how["pitch"] = 0.4
    m.joint(name, outer, inner, kind, **how)


def rolling_wheel(d: Draw) -> dict[str, float]:
    """A wheel with a body on its hub."""
    m = d.model
    wheel, _ = add_body(d, "wheel", True)
    sequence = "euler parameters" if d.chance(0.4) else "zxy"
    m.free("w", m.ground, wheel, sequence=sequence)
    tube = d.number(0.05, 0.1) if d.chance(0.5) else 0
    slope = m.ground.rotate("x", 0.2) if d.chance(0.3) else None
    m.rolling("contact", wheel, d.number(0.3, 0.5), tube=tube, plane=slope, slip=d.chance(0.2))
    d.bodies.append(wheel)
    rider, _ = add_body(d, "rider", True)
    m.revolute("hub", wheel, rider, axis=d.random.choice(["y", (0.1, 1, 0.3)]))
    d.bodies.append(rider)
    if d.chance(0.5):
        d.bodies.append(by_vectors(d, "b", rider))
    return {}


def geared(d: Draw) -> dict[str, float]:
    first, second, third = (add_body(d, f"g{k}", True)[0] for k in range(3))
    m = d.model
    m.revolute("j0", m.ground, first, axis=d.any_axis(), at=d.place())
    m.revolute("j1", first, second, axis=d.any_axis(), at=d.place())
    hang(d, d.random.choice(["prismatic_any", "screw", "revolute"]), "j2", second, third)
    d.bodies += [first, second, third]
    m.gear("gear", "j0", "j2" if d.chance(0.5) else "j1", d.number(-2, 2))
    return {}


def skate(d: Draw) -> dict[str, float]:
    """Bodies on a plane with a runner that does not slip sideways, and a free term in a second condition."""
    m = d.model
    sleigh, _ = add_body(d, "sleigh", True)
    m.planar("s", m.ground, sleigh)
    d.bodies.append(sleigh)
    grow_on(d, sleigh, 2)
    runner = sleigh.point(d.number(0.1, 0.5), 0.1, 0)
    m.constrain_speed("runner", runner.velocity().dot(sleigh.frame.y))
    if d.chance(0.5):
        q = next(
            q for q in reversed(m.symbols_of_kind("coordinate")) if not any(q in n for n in m.parts.kinematics.norms)
        )
        m.constrain_speed(
            "drive",
            q.dot
            + sb.sin(m.time) * m.symbols_of_kind("coordinate")[0].dot
            - 0.3 * sb.cos(m.symbols_of_kind("coordinate")[2])
            - m.time / 5,
        )
    return {}


def grow_on(d: Draw, parent: Body, n: int) -> None:
    for k in range(n):
        body, _ = add_body(d, f"h{k}", True)
        hang(d, d.random.choice(GENERIC), f"hj{k}", parent, body)
        d.bodies.append(body)
        parent = body


def prescribed(d: Draw) -> dict[str, float]:
    """A tree some of whose motion is prescribed, as a coordinate and as a place."""
    m = d.model
    grow(d, 4, m.ground, ("revolute_any", "universal", "cylindrical", "spherical", "spherical_e"))
    q = next((q for q in m.symbols_of_kind("coordinate") if not any(q in n for n in m.parts.kinematics.norms)), None)
    if q is not None:
        m.prescribe("driven", q, 0.3 * sb.sin(m.time))
    tip = d.bodies[-1].point(*d.place()).position().components(m.ground)
    start = chosen_coordinates(d)
    if q is not None:
        start[q.name] = 0.0
    values = {**start, **{s.name: v for s, v in m.parts.default_values.items()}, "t": 0.0}
    if len(m.symbols_of_kind("coordinate")) > 3:
        m.prescribe(
            "guided", tip[0] + tip[1] ** 2 / 2, sb.evaluate(tip[0] + tip[1] ** 2 / 2, values) + 0.05 * sb.sin(m.time)
        )
    return {**start, "t": 0.3}
