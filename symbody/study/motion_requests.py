"""The best motion that a model file states: phases with their ranges, conditions and costs as checked numbers and
expressions. `kits.motions` solves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..algebra.graph.graph import Expr
from ..bodies.file.located import Formula, LocatedList, LocatedRecord, LocatedTable, names_in
from ..bodies.file.paths import beside
from ..bodies.file.scope import Item, Scope, errors_located

Limits = tuple[float | None, float | None]
InSI = Callable[[str, Formula], float]


@dataclass(frozen=True)
class TermRequest:
    """An expression with a name: its range, where it is taken ("" along the phase), and its weight in the cost."""

    expression: Expr
    limits: Limits = (None, None)
    at: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class ObstacleRequest:
    """An obstacle: the components of what keeps away, those of its centre, and its radius."""

    point: tuple[Expr, ...]
    centre: tuple[Expr, ...]
    radius: float


@dataclass(frozen=True)
class TrackRequest:
    """A measurement: what is measured, times and values, or a table and the name of its column, and the weight."""

    expression: Expr
    times: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    file: Path | None = None
    column: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class PhaseRequest:
    """A phase of `motion`; `ranges` are those of start, end, bounds and rates, by name."""

    name: str
    duration: Limits
    ranges: Mapping[str, Mapping[str, Limits]] = field(default_factory=dict)
    path: Mapping[str, TermRequest] = field(default_factory=dict)
    conditions: Mapping[str, TermRequest] = field(default_factory=dict)
    costs: Mapping[str, TermRequest] = field(default_factory=dict)
    integrals: Mapping[str, TermRequest] = field(default_factory=dict)
    complementary: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    obstacles: Mapping[str, ObstacleRequest] = field(default_factory=dict)
    tracked: Mapping[str, TrackRequest] = field(default_factory=dict)
    guess: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    mode: str = ""
    impact: bool = False


@dataclass(frozen=True)
class MotionRequest:
    """`motion`: phases that follow each other, parameters to choose, what repeats, and options of the search."""

    phases: tuple[PhaseRequest, ...]
    choose: Mapping[str, Limits] = field(default_factory=dict)
    periodic: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def motion_request(said: LocatedRecord, scope: Scope, in_si: InSI) -> MotionRequest:
    """The motion of a file; in_si: a number in the unit that is declared for a name."""
    return _MotionReader(scope, in_si).read(said)


@dataclass(frozen=True)
class _MotionReader:
    scope: Scope
    in_si: InSI

    def read(self, said: LocatedRecord) -> MotionRequest:
        phases, table = [], said.get("phases")
        for name, own in table.entries.items():
            with errors_located(Item("phase", name, table.keys[name], own, lambda s, i: None)):
                phases.append(self._phase(name, own))
        options: dict[str, Any] = {
            k: self.scope.number(said.get(k)) for k in ("intervals", "degree", "accuracy") if k in said
        }
        options |= {
            k: int(options[k]) for k in ("intervals", "degree") if k in options and options[k] == int(options[k])
        }
        options |= {"method": said.get("method").text} if "method" in said else {}
        return MotionRequest(tuple(phases), self._ranges(said.get("choose")), self._periodic(said), options)

    def _periodic(self, said: LocatedRecord) -> dict[str, Any] | None:
        if "periodic" not in said:
            return None
        own = said.get("periodic")
        out: dict[str, Any] = {k: tuple(x.text for x in names_in(own.get(k))) for k in ("flip", "free") if k in own}
        if "swap" in own:
            out["swap"] = {k: v.text for k, v in own.get("swap").entries.items()}
        if own.get("impact") is True:
            if "flip" in own:
                raise own.error("`flip` cannot be combined with `impact`: speeds after it follow from the impulses")
            out["impact"] = True
        return out

    def _phase(self, name: str, said: LocatedRecord) -> PhaseRequest:
        low, high = self._limits("", said.get("duration"))
        return PhaseRequest(
            name,
            (low, high),
            {k: self._ranges(said.get(k)) for k in ("start", "end", "bounds", "rates") if k in said},
            self._terms(said.get("path"), "of"),
            self._terms(said.get("conditions"), "of"),
            self._terms(said.get("costs"), *("integral", "start", "end")),
            self._terms(said.get("integrals"), "of"),
            {k: self._scalars(v) for k, v in self._entries(said, "complementary")},
            {k: self._obstacle(v) for k, v in self._entries(said, "avoid")},
            {k: self._tracked(v) for k, v in self._entries(said, "track")},
            self._guesses(said.get("guess")),
            said.get("mode").text if "mode" in said else "",
            said.get("impact") is True,
        )

    def _entries(self, said: LocatedRecord, key: str) -> Iterable[tuple[str, Any]]:
        return said.get(key).entries.items() if key in said else ()

    def _scalars(self, said: LocatedList) -> tuple[Expr, ...]:
        return tuple(self.scope.scalars(said))

    def _obstacle(self, said: LocatedRecord) -> ObstacleRequest:
        point, centre = (self._scalars(said.get(k)) for k in ("point", "centre"))
        if len(point) != len(centre):
            raise said.error(f"`point` has {len(point)} components and `centre` {len(centre)}")
        return ObstacleRequest(point, centre, self.scope.number(said.get("radius")))

    def _tracked(self, said: LocatedRecord) -> TrackRequest:
        e, weight = (
            self.scope.scalar(said.get("of")),
            self.scope.number(said.get("weight")) if "weight" in said else 1.0,
        )
        if "file" in said:
            return TrackRequest(e, file=beside(said.get("file")), column=said.get("column").text, weight=weight)
        times, values = (tuple(self.scope.number(x) for x in said.get(k)) for k in ("times", "values"))
        return TrackRequest(e, times, values, weight=weight)

    def _limits(self, name: str, said: Any) -> Limits:
        """A number, [low, high], or {low: ..., high: ...} with one of them."""
        if isinstance(said, LocatedRecord):
            low, high = (self.in_si(name, said.get(k)) if k in said else None for k in ("low", "high"))
            if low is None and high is None:
                raise said.error("a range needs `low`, `high` or both")
        elif isinstance(said, LocatedList):
            low, high = (self.in_si(name, f) for f in said)
        else:
            low = high = self.in_si(name, said)
        if low is not None and high is not None and low > high:
            raise said.error(f"the range from {low:g} to {high:g} is empty")
        return low, high

    def _ranges(self, table: LocatedTable | None) -> dict[str, Limits]:
        return {} if table is None else {k: self._limits(k, v) for k, v in table.entries.items()}

    def _terms(self, table: LocatedTable | None, *kinds: str) -> dict[str, TermRequest]:
        out = {}
        for name, said in table.entries.items() if table is not None else ():
            given = [k for k in kinds if k in said]
            if len(given) != 1:
                raise said.error(f"{name!r} needs one of {', '.join(f'`{k}`' for k in kinds)}")
            at = "" if given[0] in ("of", "integral") else given[0]
            at = said.get("at").text if "at" in said else at
            limits = self._limits("", said.get("value")) if "value" in said else (None, None)
            weight = self.scope.number(said.get("weight")) if "weight" in said else 1.0
            out[name] = TermRequest(self.scope.scalar(said.get(given[0])), limits, at, weight)
        return out

    def _guesses(self, table: LocatedTable | None) -> dict[str, tuple[float, ...]]:
        entries = table.entries.items() if table is not None else ()
        return {k: tuple(self.in_si(k, f) for f in (v if isinstance(v, LocatedList) else (v,))) for k, v in entries}
