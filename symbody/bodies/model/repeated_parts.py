"""Many copies of one model: the first is attached like any other, the others are made from what it consists of.

What contains no symbol that is copied (masses, offsets, axes) is one object for all copies, so that a copy costs its
frames, its symbols and its entries in the tables of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, overload

from ...algebra.graph.graph import Expr, Symbol, symbol
from ...algebra.graph.node_table import gc_paused
from ...errors import ModelError, finite_number, listed, shown
from ...escaping import identifier
from ..frames.frames import Frame
from ..mechanism.declarations import multiplier_of
from .substructure import (
    COPIED_KINDS,
    Attached,
    Copier,
    add_rates,
    attach,
    copy_loads_and_constraints,
    rates_that_follow,
    written_tables,
)

if TYPE_CHECKING:
    from .model import Model

Place = Frame | Sequence[Frame] | Callable[["Repeated"], Any]


class Repeated(Sequence[Attached]):
    """Copies of a model, in order. Each is an `Attached`: its bodies, joints, frames and symbols are found by the names
    that they have in the original."""

    def __init__(self, name: str, copies: Iterable[Attached] = ()) -> None:
        self.name, self._copies = name, list(copies)

    @overload
    def __getitem__(self, k: int) -> Attached: ...
    @overload
    def __getitem__(self, k: slice) -> list[Attached]: ...
    def __getitem__(self, k: Any) -> Any:
        return self._copies[k]

    def __len__(self) -> int:
        return len(self._copies)

    def _add(self, copy: Attached) -> None:
        self._copies.append(copy)

    def __repr__(self) -> str:
        names = [c.name for c in self._copies]
        return f"<Repeated {self.name}: {len(names)} copies{f', {listed(names, 3)}' if names else ''}>"


def repeat(
    host: Model, name: str, on: Place, sub: Model, count: int, end: str | None, share: Any, values: Mapping[str, Any]
) -> Repeated:
    """See `Model.repeat`."""
    places = _places(host, name, on, sub, count, end)
    by_copy = _values_by_copy(name, values, count)
    is_free = _is_free(host, f"{identifier(name)}_")
    out = Repeated(name)
    maker: _CopyMaker | None = None
    with gc_paused():
        for k in range(count):
            label, place = f"{name}_{k}", places(out)
            if maker is None:
                out._add(attach(host, label, place, sub, share, by_copy(k)))
                maker = _CopyMaker(host, sub, out[0]) if is_free and _is_plain(sub) else None
            else:
                out._add(maker.copy(label, place, by_copy(k)))
    return out


def _places(host: Model, name: str, on: Place, sub: Model, count: int, end: str | None) -> Callable[[Repeated], Frame]:
    """The frame to which the next copy is attached."""
    where = f"repeat {name!r}"
    if end is not None:
        if not isinstance(end, str) or end not in sub.frames:
            raise ModelError(
                f"{where}: end={shown(end)} is not a frame of model {sub.name!r}, which has {listed(sub.frames)}; name one "
                "with its method frame, frame('tip', body.frame.translate(...))"
            )
        if callable(on) or isinstance(on, (list, tuple)):
            raise ModelError(f"{where}: end= makes a chain, which begins on one frame or body; got {shown(on)}")
        first = host.parts.frame_of(where, on)
        return lambda done: done[-1].frames[end] if done else first
    if callable(on):
        return lambda done: host.parts.frame_of(where, on(done))
    if isinstance(on, (list, tuple)):
        if len(on) != count:
            raise ModelError(f"{where}: {count} copies on {len(on)} frames; give a frame for each, or one for all")
        frames = [host.parts.frame_of(where, f) for f in on]
        return lambda done: frames[len(done)]
    one = host.parts.frame_of(where, on)
    return lambda done: one


def _values_by_copy(name: str, values: Mapping[str, Any], count: int) -> Callable[[int], dict[str, Any]]:
    """Values of parameters: one for all copies, or as many as there are copies."""
    rows = {p: list(v) for p, v in values.items() if not isinstance(v, str) and hasattr(v, "__len__")}
    for p, row in rows.items():
        if len(row) != count:
            raise ModelError(
                f"repeat {name!r}: {len(row)} values of {p!r} for {count} copies; give one for each, or one for all"
            )
    same = {p: v for p, v in values.items() if p not in rows}
    return lambda k: {**same, **{p: row[k] for p, row in rows.items()}} if rows else same


def _is_free(host: Model, prefix: str) -> bool:
    """Whether no part of the model has a name that begins like those of the copies."""
    p = host.parts
    tables = (p.symbols, p.bodies, p.joints, p.frames, p.loads, p.constraints, *written_tables(p).values())
    return not any(n.startswith(prefix) for table in tables for n in table)


def _is_plain(sub: Model) -> bool:
    """Whether a model consists of rigid bodies on frames whose places are known, and nothing was written besides."""
    p = sub.parts
    known = all(f.velocity is None for part in p.bodies.values() for f in part.frame.ancestors())
    written = any(written_tables(p).values()) or any(p.kinematics) or p.balances or p.has_gravity
    return known and not written and all(b.moments is None and b.shape is None for b in p.bodies.values())


@dataclass(frozen=True)
class _CopiedSymbol:
    """A symbol that every copy has of its own."""

    original: Symbol
    unit: str
    value: float | None


class _CopyMaker:
    """Makes copies of a model like the first one."""

    def __init__(self, host: Model, sub: Model, first: Attached) -> None:
        self.host, self.sub = host, sub
        prefix = f"{identifier(first.name)}_"
        parts = sub.parts
        images = {s: first.symbols[s.name] for kind in COPIED_KINDS for s in parts.symbols_of_kind(kind)}
        self.own = [
            _CopiedSymbol(s, parts.units.get(s, ""), host.parts.default_values.get(image))
            for s, image in images.items()
            if isinstance(image, Symbol) and image.name == f"{prefix}{s.name}"
        ]
        own = {c.original for c in self.own}
        self.shared: dict[Expr, Expr] = {s: image for s, image in images.items() if s not in own}
        for s in [s for s in self.shared if isinstance(s, Symbol)]:
            add_rates(s, self.shared)
        self.rates = {rate: (s, k) for s in own for k, rate in enumerate(rates_that_follow(s), start=1)}
        self.inside: dict[int, Any] = {}
        self.bodies = [(n, b.frame, b.mass, _fields(b)) for n, b in parts.bodies.items()]
        self.joints = [(n, j, _fields(j)) for n, j in parts.joints.items()]

    def copy(self, name: str, on: Frame, values: Mapping[str, Any]) -> Attached:
        prefix = f"{identifier(name)}_"
        table: dict[Expr, Expr] = {**self.shared}
        table |= {multiplier_of(c): multiplier_of(f"{prefix}{c}") for c in self.sub.parts.constraints}
        symbols: dict[str, Symbol] = {}
        numbers: dict[Symbol, float] = {}
        units: dict[Symbol, str] = {}
        for c in self.own:
            s = c.original
            given = values.get(s.name, c.value)
            if isinstance(given, (Expr, str)):
                return attach(self.host, name, on, self.sub, self._share(), values)
            made = table[s] = symbols[f"{prefix}{s.name}"] = symbol(f"{prefix}{s.name}", s.kind)
            if given is not None:
                numbers[made] = finite_number(given, f"repeat {name!r}, value of {s.name!r}", ModelError)
            if c.unit:
                units[made] = c.unit
        copier = Copier(self.sub.ground, on, table, prefix, self.rates, self.inside)
        frames = {n: copier(f) for n, f in self.sub.parts.frames.items()}
        owner = self.host.parts.owner(on)
        bodies = {n: _like(row, name=f"{prefix}{n}", frame=copier(f), mass=copier(m)) for n, f, m, row in self.bodies}
        joints = {
            n: _like(
                row, name=f"{prefix}{n}", outer=copier(j.outer), inner=copier(j.inner), coordinates=copier(j.coordinates),
                parent=owner if j.parent == "ground" else f"{prefix}{j.parent}", child=owner if j.child == "ground" else f"{prefix}{j.child}",
            )
            for n, j, row in self.joints
        }  # fmt: skip
        own_frames = {f"{prefix}{n}": f for n, f in frames.items() if n != "ground"}
        self.host.parts.add_all(symbols, numbers, units, own_frames, bodies.values(), joints.values())
        copy_loads_and_constraints(self.host, self.sub, prefix, copier)
        known = {n: table.get(s, s) for n, s in self.sub.parts.symbols.items()}
        return Attached(name, copier, {"frame": frames, "body": bodies, "joint": joints, "symbol": known})

    def _share(self) -> dict[str, Expr]:
        return {s.name: image for s, image in self.shared.items() if isinstance(s, Symbol) and not s.order}


def _fields(part: Any) -> tuple[type, dict[str, Any]]:
    return type(part), {f.name: getattr(part, f.name) for f in fields(part)}


def _like(of: tuple[type, dict[str, Any]], **changed: Any) -> Any:
    """A part with other values of some fields; the others were checked when the original was made."""
    made: Any = object.__new__(of[0])
    put = object.__setattr__
    for name, value in (of[1] | changed).items():
        put(made, name, value)  # one by one: instances then share the keys of their dictionaries
    return made
