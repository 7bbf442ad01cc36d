"""`write_model`: a mechanism -> a model file from which the same equations come.

The file is in the style of frames and vectors, whatever the model was written in: a frozen mechanism knows its frames,
bodies, loads and conditions, not the words by which they were made. Joints are written as records of what they connect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Node, Symbol, as_expr, rate_of
from ...algebra.graph.labels import labels_by_node
from ...algebra.graph.matrix import Matrix, diagonal
from ...algebra.graph.walk import free_symbols, substitute
from ...algebra.normal_forms.normal_form import Atoms, polynomials
from ...argument_kinds import answered
from ...bodies.file.expression_text import FUNCTIONS
from ...bodies.file.scope import RESERVED
from ...bodies.frames.frames import Frame
from ...bodies.frames.points import Point
from ...bodies.frames.rotations import Cosines, Factor, Turn, about, from_euler_parameters
from ...bodies.frames.vectors import Vector
from ...bodies.mass.mass import mass_properties
from ...bodies.mass.moments import Moments
from ...bodies.mechanism.mechanism import Action, Body, Constraint, Load, Mechanism
from ...bodies.model.model import Model
from ...errors import ModelError, ModelFileError, shown, unknown
from ...escaping import identifier
from ...integrate.contact.friction_handler import NEWTON
from ...integrate.modes.modes import Contacts
from ...integrate.start.state import Start, is_whole_state, start_values
from ...study.model_reading import read_model_text
from ...units import in_unit
from ...whole_files import write_text
from .contact_entries import ContactPart, contact_entries
from .model_expressions import Lines

MOST_FRAMES: Final = 1000  # from which on a refusal is likely to be one of size
READINGS: Final = 5  # at most, until formulas are in the order in which they are read
LINE: Final = 140  # characters of a line that holds a whole table


@answered
def write_model(
    model: Model | Mechanism, path: str | Path, contacts: Contacts | None = None, start: Start | None = None
) -> None:
    """Write a model file (see docs/model-files.md) from which `read_model` derives the same equations.

    contacts   of equations of the model: they are written as gaps, slips and laws, and `Study` of the file has them
    start      initial state of the file, or values by name

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0))
    >>> sb.write_model(m, "cart.yaml", start={"x_dot": 0.5})
    >>> file = sb.read_model("cart.yaml")
    >>> sb.derive(file.model).M, file.requests.start
    (vector(2), {'x_dot': 0.5})

    See also: `write.model_text`, `read_model`.
    """
    text = model_text(model, contacts, start)
    write_text(path, text)


@answered
def model_text(model: Model | Mechanism, contacts: Contacts | None = None, start: Start | None = None) -> str:
    """The text that `write_model` writes; reading and writing it again gives the same text.

    Reading puts formulas together anew, by the rules, so that some come out in another order or share more: they are
    written as they are read.

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0))
    >>> print(sb.write.model_text(m))
    symbody: 1
    name: cart
    coordinates: x
    <BLANKLINE>
    frames:
      x_frame: ground.translate(x, 0, 0)
      cart: x_frame.translate(0, 0, 0)
    <BLANKLINE>
    bodies:
      cart: {frame: cart, mass: 2}
    <BLANKLINE>
    joints:
      x: {record: prismatic, outer: ground, inner: cart, coordinates: [x]}

    See also: `write_model`, `study.read_model_text`.
    """
    mechanism = model.freeze() if isinstance(model, Model) else model
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"write_model: takes a model, got {shown(model)}")
    if contacts is not None and contacts.impacts != NEWTON:
        raise ModelError(
            f"write_model: the law of impacts of {mechanism.name!r} is {contacts.impacts!r}, which model files state in the request of a motion: "
            f"omit it here, and add `simulate: {{t: ..., impacts: {contacts.impacts}}}`"
        )
    begin = _start(mechanism, start)
    text = _ModelFileWriter(mechanism, () if contacts is None else contacts.parts, begin).text()
    for _ in range(READINGS):
        try:
            file = read_model_text(text, mechanism.name)
        except ModelFileError as error:
            advice = (
                "; the file names every frame and body: write parts that repeat once, under `repeat` (docs/model-files.md)"
                if len(mechanism.frames) > MOST_FRAMES
                else ""
            )
            raise ModelError(
                f"write_model: the file of {mechanism.name!r} could not be read again: {error}{advice}"
            ) from error
        again = _ModelFileWriter(file.mechanism, file.requests.contacts, begin).text()
        if again == text:
            break
        text = again
    return text


def _start(m: Mechanism, start: Start | None) -> dict[str, float]:
    """Values of a start that a file can say: those of the state, of a whole state those that are not zero."""
    own = {s.name for s in (*m.q, *(q.dot for q in m.q), *m.u, *m.z) if isinstance(s, Symbol)}
    given = start_values(start, f"write_model of {m.name!r}")
    if is_whole_state(start):
        return {n: x for n, x in given.items() if n in own and x != 0}
    if strange := [n for n in given if n not in own]:
        raise unknown(
            f"write_model of {m.name!r}: start", "coordinate, speed or variable", strange[0], sorted(own), ModelError
        )
    return dict(given)


class FormulaPieces(tuple[Any, ...]):
    """Pieces of one text: strings, and expressions that are yet to be written."""

    __slots__ = ()


class _ModelFileWriter:
    def __init__(
        self, mechanism: Mechanism, contacts: Iterable[ContactPart] = (), start: Mapping[str, float] | None = None
    ) -> None:
        self.m, self.contacts, self.start = mechanism, contact_entries(contacts), dict(start or {})
        symbols = (*mechanism.q, *mechanism.u, *mechanism.p, *mechanism.r, *mechanism.z)
        rates = (r for s in symbols if isinstance(r := rate_of(s), Symbol))
        self.taken = {*FUNCTIONS, *RESERVED, *(s.name for s in (*symbols, *rates))}
        for s in symbols:
            if s.name in RESERVED:
                raise ModelError(
                    f"write_model: the {s.kind} {s.name!r} has a name that is reserved in model files "
                    f"({RESERVED[s.name]}); give it another"
                )
        self.frames = self._named_frames()

    def text(self) -> str:
        sections = {k: v for k, v in self._sections().items() if v not in (None, {}, [], "")}
        mentioned, taken = [n for s in sections.values() for n in _nodes(s)], {*self.taken, *self.frames.values()}
        lines = Lines(mentioned, taken, labels_by_node(self.m.labels))
        out = [f"symbody: 1\nname: {scalar(self.m.name, True)}\n"]
        for name, content in sections.items():
            if name == "frames" and lines.names:  # definitions first, in order of evaluation
                out.append(_section("let", lines.definitions, lines))
            out.append(_section(name, content, lines))
        if "frames" not in sections and lines.names:
            out.append(_section("let", lines.definitions, lines))
        return "".join(out)

    def _sections(self) -> dict[str, Any]:
        m = self.m
        own_speeds = [u.name for u in m.u if u.order == 0]
        gravity = m.loads[0] if m.gravity is not None and m.loads and m.loads[0].name == "gravity" else None
        rates = {z.name: f for z in m.z if (f := _given_rate(z, m.equations)) is not None}
        return {
            "parameters": {p.name: self._parameter(p) for p in m.p},
            "inputs": " ".join(r.name for r in m.r),
            "variables": " ".join(z.name for z in m.z),
            "coordinates": " ".join(q.name for q in m.q),
            "units": {s.name: unit for s, unit in m.units.items() if s.kind != "parameter"},
            "speeds": " ".join(own_speeds),
            "rates": {q.name: e for q, e in m.rates.items() if e is not q.dot} | rates,
            "norms": [[s.name for s in norm] for norm in m.norms],
            "small": " ".join(s.name for s in m.small),
            "frames": {name: self._frame(f) for f, name in self.frames.items() if f is not m.ground},
            "bodies": {b.name: self._body(b) for b in m.bodies},
            "joints": {j.name: self._joint(j) for j in m.joints},
            "gravity": None if gravity is None else self._vector(m.gravity),  # type: ignore[arg-type]
            "loads": {x.name: self._load(x) for x in m.loads if x is not gravity},
            "kinetic_energies": dict(m.kinetic),
            "balances": {u.name: e for u, e in m.balances.items()},
            "constraints": {c.name: self._constraint(c) for c in m.constraints},
            "equations": {n: e for n, e in m.equations.items() if n not in rates},
            "outputs": {n: _output(n, v) for n, v in m.outputs.items()},
            "valid_while": dict(m.validity),
            "labels": dict(m.labels),
            "contacts": self.contacts,
            "start": self.start,
        }  # fmt: skip

    def _parameter(self, p: Symbol) -> Any:
        value, unit = self.m.values.get(p), self.m.units.get(p)
        plain = None if value is None else as_expr(in_unit(value, unit or ""))
        return plain if not unit else {k: v for k, v in (("value", plain), ("unit", unit)) if v is not None}

    # Frames

    def _named_frames(self) -> dict[Frame, str]:
        """All frames referred to, parents first, with unique names."""
        m = self.m
        mentioned = list(m.frames)
        for actions in (*(x.actions for x in m.loads), *(c.actions for c in m.constraints)):
            for a in actions:
                mentioned += [
                    a.frame,
                    *(a.force or a.torque or Vector({})).terms,
                    *([a.at.frame] if a.at is not None else []),
                ]
        mentioned += list(m.gravity.terms) if m.gravity is not None else []
        every = dict.fromkeys(f for end in mentioned for f in end.path)
        owner = {b.frame: b.name for b in reversed(m.bodies)}
        bodies = {b.name for b in m.bodies} | {identifier(b.name) for b in m.bodies}
        out, taken = {m.ground: "ground"}, {*self.taken}
        for f in sorted(every, key=lambda f: f.depth):
            if f is not m.ground:
                body = owner.get(f)
                wanted = identifier(body) if body is not None else _plain_name(f)
                free = (
                    n
                    for n in _candidates(wanted)
                    if n not in taken and (n not in bodies or (body is not None and n == identifier(body)))
                )
                out[f] = next(free)
                taken.add(out[f])
        return out

    def _frame(self, f: Frame) -> Any:
        assert f.parent is not None
        on, factors = self.frames[f.parent], f.rotation.factors
        if f.velocity is not None:
            motion = {"velocity": list(f.velocity.entries), "spin": list(f.spin.entries)}
            return {"on": on, **{k: v for k, v in motion.items() if k == "velocity" or any(e is not ZERO for e in v)}}
        if not factors:
            return self._call(f"{on}.translate", f.offset.entries)
        moved = any(e is not ZERO for e in f.offset.entries)
        if len(factors) == 1 and isinstance(factors[0], Turn) and not moved:
            return FormulaPieces((f"{on}.rotate({'xyz'[factors[0].axis]}, ", factors[0].angle, ")"))
        record: dict[str, Any] = {"on": on}
        if moved:
            record["at"] = list(f.offset.entries)
        return record | {"rotation": [self._turn(x) for x in factors]}

    def _turn(self, f: Factor) -> dict[str, Any]:
        if isinstance(f, Turn):
            return {"xyz"[f.axis]: f.angle}
        return _euler_parameters(f, self.m.norms) or _about(f) or {
            "cosines": [list(f.matrix.row(i)) for i in range(3)],
            **({} if f.known_spin is None else {"spin": list(f.known_spin.entries)}),
        }  # fmt: skip

    # Points and vectors

    def _call(self, head: str, entries: Iterable[Expr]) -> FormulaPieces:
        pieces: list[Any] = [f"{head}("]
        for k, e in enumerate(entries):
            pieces += [", ", e] if k else [e]
        return FormulaPieces((*pieces, ")"))

    def _vector(self, v: Vector) -> Any:
        if list(v.terms) == [self.m.ground]:
            return list(v.terms[self.m.ground].entries)
        if not v.terms:
            return [ZERO, ZERO, ZERO]
        parts = [self._call(f"{self.frames[f]}.vector", c.entries) for f, c in v.terms.items()]
        return FormulaPieces(piece for k, part in enumerate(parts) for piece in ((" + ", *part) if k else part))

    def _point(self, p: Point) -> FormulaPieces:
        return self._call(f"{self.frames[p.frame]}.point", p.coordinates.entries)

    # Bodies and joints

    def _is_of_its_shape(self, b: Body) -> bool:
        """Whether its mass properties follow from a shape that has a size: triangles are not written."""
        if b.shape is None or b.shape.surface is not None:
            return False
        return b.mass.p_BoBcm == b.shape.centre and b.mass.I_BBcm == b.shape.inertia(b.mass.m)

    def _body(self, b: Body) -> dict[str, Any]:
        out: dict[str, Any] = {"frame": self.frames[b.frame], "mass": b.mass.m}
        if b.moments is not None:
            return out | {"moments": _moments(b.moments) | _drawn_lines(b)}
        if self._is_of_its_shape(b):
            assert b.shape is not None
            size = b.shape.size
            shape: dict[str, Any] = {b.shape.kind: size[0] if len(size) == 1 else list(size)}
            if b.shape.kind in ("bar", "disc", "cylinder", "torus"):
                shape["axis"] = b.shape.axis
            if any(e is not ZERO for e in b.shape.centre.entries):
                shape["at"] = list(b.shape.centre.entries)
            return out | {"shape": shape}
        if any(e is not ZERO for e in b.mass.p_BoBcm.entries):
            out["com"] = list(b.mass.p_BoBcm.entries)
        I = b.mass.I_BBcm
        if not b.mass.is_particle:
            principal = [I[i, i] for i in range(3)]
            entries = (
                ("xx", I[0, 0]),
                ("yy", I[1, 1]),
                ("zz", I[2, 2]),
                ("xy", I[0, 1]),
                ("xz", I[0, 2]),
                ("yz", I[1, 2]),
            )
            is_diagonal = diagonal(*principal) == I
            out["inertia"] = principal if is_diagonal else {k: e for k, e in entries if e is not ZERO or k[0] == k[1]}
        return out | ({} if _is_physical(b) else {"physical": "false"})

    def _joint(self, j: Any) -> dict[str, Any]:
        out: dict[str, Any] = {"record": j.kind, "outer": self.frames[j.outer], "inner": self.frames[j.inner]}
        if j.coordinates:
            out["coordinates"] = [q.name for q in j.coordinates]
        return out | ({"closes_loop": "true"} if j.closes_loop else {})

    # Loads and constraints

    def _load(self, x: Load) -> dict[str, Any]:
        if x.kind == "potential" and not x.actions and not x.on_rates:
            return {"potential": x.potential}
        if x.kind in ("force", "torque") and x.actions and x.potential is None and _is_pair(x.actions):
            first = self._action(x.actions[0])
            return first | ({"reacting": self.frames[x.actions[1].frame]} if len(x.actions) == 2 else {})
        out: dict[str, Any] = {"load": x.kind}
        if x.potential is not None:
            out["potential"] = x.potential
        if x.on_rates:
            out["on_rates"] = {q.name: e for q, e in x.on_rates.items()}
        return out | ({"actions": [self._action(a) for a in x.actions]} if x.actions else {})

    def _action(self, a: Action) -> dict[str, Any]:
        on = self.frames[a.frame]
        if a.torque is not None:
            return {"torque": self._vector(a.torque), "on": on}
        assert a.force is not None
        assert a.at is not None
        return {"force": self._vector(a.force), "at": self._point(a.at), "on": on}

    def _constraint(self, c: Constraint) -> dict[str, Any]:
        out: dict[str, Any] = {"holonomic" if c.is_holonomic else "speed": c.expression}
        if c.joint is not None:
            out["joint"] = c.joint
        return out | ({"actions": [self._action(a) for a in c.actions]} if c.actions else {})


def _moments(moments: Moments) -> dict[str, Any]:
    second = [
        {"of": [as_expr(k), as_expr(j)], "is": [list(G.row(i)) for i in range(3)]}
        for (k, j), G in moments.second.items()
    ]
    return {"weights": list(moments.weights), "first": [list(g.entries) for g in moments.first], "second": second}


def _drawn_lines(b: Body) -> dict[str, Any]:
    """Lines along the body, by points in its frame."""
    lines: list[list[Frame]] = []
    for a, end in b.edges:
        if lines and lines[-1][-1] is a:
            lines[-1].append(end)
        else:
            lines.append([a, end])
    places = {f: f.origin.in_frame(b.frame).coordinates.entries for f in b.line}
    atoms = Atoms()  # in normal form, which reading does not change
    known = polynomials([e for place in places.values() for e in place], atoms)

    def written(e: Expr) -> Expr:
        p = known[e]
        return e if p is None else atoms.plain(atoms.in_reading_order(p))

    return {"drawn": [[[written(e) for e in places[f]] for f in line] for line in lines]} if lines else {}


def _given_rate(z: Symbol, equations: Mapping[str, Expr]) -> Expr | None:
    """f of an additional equation that has the name of its variable and says z' = f."""
    e = equations.get(z.name)
    if e is None or z.dot not in free_symbols(e):
        return None
    f = -substitute(e, {z.dot: ZERO})
    return f if z.dot - f is e else None


def _plain_name(f: Frame) -> str:
    """The name of a frame; by default that of the symbol that rotates it."""
    turn = f.rotation.factors[0] if len(f.rotation.factors) == 1 else None
    if not f.name.endswith("'"):
        return identifier(f.name)
    return f"{turn.angle.name}_frame" if isinstance(turn, Turn) and isinstance(turn.angle, Symbol) else "frame"


def _candidates(name: str) -> Iterator[str]:
    if not re.fullmatch(r"[A-Za-z_]\w{0,80}", name, re.ASCII):
        name = f"frame_{name}"[:80]
    yield name
    yield (name := name if name.startswith("frame") or name.endswith("_frame") else f"{name}_frame")
    yield from (f"{name}_{k}" for k in count(2))


def _is_physical(b: Body) -> bool:
    if b.is_physical or free_symbols(b.mass.I_BBcm):
        return b.is_physical
    try:
        mass_properties(b.name, b.mass.m, tuple(b.mass.p_BoBcm.entries), b.mass.I_BBcm)
    except ModelError:
        return False
    return True


def _is_pair(actions: tuple[Action, ...]) -> bool:
    """Whether actions are one, or one and its reaction at the same place."""
    if len(actions) == 1:
        return True
    if len(actions) != 2:
        return False
    a, b = actions
    if a.torque is not None:
        return b.torque == -a.torque
    if a.force is None or b.force is None or a.at is None or b.at is None:
        return False
    return b.force == -a.force and a.at.frame is b.at.frame and a.at.coordinates == b.at.coordinates


def _euler_parameters(f: Cosines, norms: Iterable[tuple[Symbol, ...]]) -> dict[str, Any] | None:
    """A rotation that is one by Euler parameters, as such."""
    for e in norms:
        if len(e) == 4 and from_euler_parameters(e, f.known_spin).factors == (f,):
            return {
                "euler_parameters": list(e),
                **({} if f.known_spin is None else {"spin": list(f.known_spin.entries)}),
            }
    return None


def _about(f: Cosines) -> dict[str, Any] | None:
    """A rotation about a fixed axis by one coordinate, as such: its angular velocity is n q'."""
    if f.known_spin is None:
        return None
    rates = [
        s
        for s in dict.fromkeys(n for e in f.known_spin.entries for n in (e, *e.args))
        if isinstance(s, Symbol) and s.kind == "speed" and s.order == 1
    ]
    for rate in rates:
        axis = jacobian(f.known_spin, [rate]).entries
        angle = next((n for n in _symbols(f.matrix) if n.name == rate.stem and n.order == 0), None)
        if angle is not None and about(axis, angle).factors == (f,):
            return {"about": list(axis), "angle": angle}
    return None


def _symbols(m: Matrix) -> list[Symbol]:
    seen: dict[Node, None] = {}
    stack: list[Node] = list(m.entries)
    while stack:
        n = stack.pop()
        if n not in seen:
            seen[n] = None
            stack.extend(n.args)
    return [n for n in seen if isinstance(n, Symbol)]


def _output(name: str, value: Any) -> Any:
    if isinstance(value, Matrix):
        return list(value.entries) if value.cols == 1 else [list(value.row(i)) for i in range(value.rows)]
    if isinstance(value, (list, tuple)):
        return [_output(name, v) for v in value]
    try:
        return as_expr(value)
    except TypeError:
        raise ModelError(
            f"write_model: the output {name!r} is {shown(value)}, which cannot be written to a model file"
        ) from None


# ---------------------------------------------------------------------------------------------------------- YAML


def _nodes(content: Any) -> Iterator[Node]:
    """Expressions in some content of the file."""
    if isinstance(content, Node):
        yield content
    elif isinstance(content, Mapping):
        for v in content.values():
            yield from _nodes(v)
    elif isinstance(content, (list, tuple)):
        for v in content:
            yield from _nodes(v)


_PLAIN: Final = re.compile(r"(?![-?:] |[&*!|>'\"%@`#?:=~<,\[\]{}]|-$|---|\.\.\.)[^\n\t#]*(?<![ :])")
_FLOW: Final = re.compile(r"[,\[\]{}]")
_WORDS: Final = frozenset(("", "null", "Null", "NULL", "~", "<<"))


def scalar(text: str, is_alone: bool = False) -> str:
    """A text as a scalar that means the same there: in a line of its own (`is_alone`), or within brackets."""
    if (
        text not in _WORDS
        and _PLAIN.fullmatch(text)
        and ": " not in text
        and text == text.strip()
        and (is_alone or not _FLOW.search(text))
    ):
        return text
    return json.dumps(text, ensure_ascii=False)


def _flow(content: Any, lines: Lines, is_alone: bool = False) -> str:
    if content is None:
        return "null"
    if isinstance(content, Node):
        return scalar(lines.text(content), is_alone)
    if isinstance(content, FormulaPieces):
        return scalar("".join(p if isinstance(p, str) else lines.text(p) for p in content), is_alone)
    if isinstance(content, Mapping):
        return "{" + ", ".join(f"{scalar(k)}: {_flow(v, lines)}" for k, v in content.items()) + "}"
    if isinstance(content, list):
        return "[" + ", ".join(_flow(v, lines) for v in content) + "]"
    return scalar(str(content), is_alone)


def _section(name: str, content: Any, lines: Lines) -> str:
    if not isinstance(content, Mapping):
        return f"{name}: {_flow(content, lines, True)}\n"
    return f"\n{name}:\n" + "".join(_entry(k, v, lines, "  ") for k, v in content.items())


def _entry(key: str, value: Any, lines: Lines, indent: str) -> str:
    """A key and its value: on one line where that is short, else with a line for each of its parts."""
    line = f"{indent}{scalar(key)}: {_flow(value, lines, True)}\n"
    if len(line) <= LINE or not isinstance(value, (Mapping, list)) or not value:
        return line
    if isinstance(value, Mapping):
        return f"{indent}{scalar(key)}:\n" + "".join(_entry(k, v, lines, indent + "  ") for k, v in value.items())
    return f"{indent}{scalar(key)}:\n" + "".join(f"{indent}  - {_flow(v, lines)}\n" for v in value)
