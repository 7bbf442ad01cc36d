"""`Recipe`: a random model file while it is written. Everything random comes from here, so that a seed is a model."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import yaml

Place = list[Any]
Sections = dict[str, Any]
LISTED = ("inputs", "variables", "coordinates")  # sections of names
TABLES = ("parameters", "speeds", "rates", "frames", "bodies", "joints", "loads", "constraints", "equations", "outputs")
ORDER = (
    "symbody",
    "name",
    *LISTED,
    *TABLES[:4],
    "parts",
    "attach",
    *TABLES[4:6],
    "gravity",
    *TABLES[6:],
    "labels",
    "start",
    "simulate",
)


class Recipe(Random):
    """Sections of a model file, and what has been put into them: bodies, coordinates that may have a speed of choice,
    inputs by how they may move."""

    def __new__(cls, name: str, symbolic: bool) -> Recipe:
        return super().__new__(cls, name)  # type: ignore[call-arg]  # of C, which stubs do not know

    def __init__(self, name: str, symbolic: bool) -> None:
        super().__init__(name)
        self.symbolic = symbolic
        self.sections: Sections = {"symbody": 1, "name": name}
        self.bodies: list[str] = []
        self.coordinates: list[str] = []  # whose rates are speeds
        self.quaternions: list[tuple[str, ...]] = []
        self.start: dict[str, float] = {}
        self.start_speeds: dict[str, float] = {}
        self.counts: dict[str, int] = {}

    # ------------------------------------------------------------------------------------------------ what is written

    def add(self, section: str, name: str, content: Any) -> str:
        """An item of a section; returns its name."""
        self.sections.setdefault(section, {})[name] = content
        return name

    def declare(self, section: str, name: str) -> str:
        """A name in a section of names."""
        self.sections.setdefault(section, []).append(name)
        return name

    def fresh(self, stem: str) -> str:
        """A name that nothing has yet."""
        self.counts[stem] = self.counts.get(stem, 0) + 1
        return f"{stem}{self.counts[stem]}"

    def text(self) -> str:
        return file_text(self.sections)

    # ------------------------------------------------------------------------------------------------ what is drawn

    def chance(self, p: float) -> bool:
        return self.random() < p

    def number(self, low: float, high: float) -> Any:
        """A number, or a parameter that has it."""
        value = round(self.uniform(low, high), 3)
        if not (self.symbolic and self.chance(0.6)):
            return value
        return self.add("parameters", self.fresh("p"), {"value": value, "unit": "m/s^2"} if self.chance(0.1) else value)

    def place(self, size: float = 0.6) -> Place:
        return [self.number(-size, size), self.number(-size, size), self.number(0.2, size)]

    def three(self, size: float = 0.6) -> str:
        return ", ".join(map(str, self.place(size)))

    def axis(self) -> Any:
        """Along a direction of the frame, or any other."""
        if self.chance(0.6):
            return self.choice(["x", "y", "z", "-x", "-z"])
        x, y, z = (round(self.uniform(-1, 1), 2) for _ in range(3))
        return [x, y, z + math.copysign(0.3, z)]

    def body(self) -> str:
        return self.choice(self.bodies)

    def coordinate(self) -> str:
        """One whose rate is its speed; of Euler parameters where there is no other."""
        return self.choice(self.coordinates or [self.quaternions[0][1]])

    def input(self, law: str) -> str:
        """An input that moves as a law says; see `simulate` in the file."""
        name = self.declare("inputs", self.fresh("w"))
        self.sections.setdefault("simulate", {"t": 0.4, "inputs": {}})["inputs"][name] = law
        return name

    def smooth_input(self) -> str:
        """An input whose rates may stand in the equations."""
        a, b, c = (round(self.uniform(0.2, 1), 2) for _ in range(3))
        return self.input(
            self.choice([f"{a}*sin({b + 1}*t + {c})", f"{a}*t + {b}*t**2", f"{a}*exp(-{b}*t)*cos({c}*t)"])
        )

    def input_of_any_kind(self) -> str:
        """An input that stands in the equations without its rates: feedback, samples of time, a constant."""
        q, a = self.coordinate(), round(self.uniform(0.2, 1), 2)
        return self.input(self.choice([f"-{a}*{q}", f"{a}*cos(2*t)", f"{a}", f"-{a}*sin({q}) + t"]))


def file_text(sections: Sections) -> str:
    """Sections as a model file, in the order of the documents."""
    known = {k: sections[k] for k in ORDER if k in sections and sections[k] not in ({}, [])}
    return yaml.safe_dump(known, sort_keys=False, default_flow_style=None, width=150)
