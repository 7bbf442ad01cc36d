"""Operations of compiled functions, of all examples and robots: now, and before programs took the shortest of several
ways.

Forward dynamics u' of every example; forward and inverse dynamics of robots and of the PUMA560 with every inertial
parameter as a symbol. Additions, multiplications, divisions and functions, loops of linear solves included.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import symbody as sb

from . import ours, puma560
from .derive import EXAMPLES
from .robots import CASES
from .timing import Row

Count = Callable[[], int]
LARGE: Final = ("four_bars",)  # of examples: two million operations, counted by the tests of examples


def forward_of_example(name: str) -> int:
    return sb.compile(sb.derive(importlib.import_module(f"examples.{name}").model())).udot.program.cost.total


def inverse_of_puma(as_published: bool) -> int:
    return sb.compile(sb.derive(puma560.model(as_published))).inverse.program.cost.total


def of_robot(name: str, function: str) -> int:
    f = sb.compile(ours.equations(CASES[name], snap=True))
    return (f.udot if function == "forward" else f.inverse).program.cost.total


COUNTS: Final[dict[str, Count]] = {
    **{f"{name} forward": partial(forward_of_example, name) for name in EXAMPLES if name not in LARGE},
    "PUMA560 inverse": partial(inverse_of_puma, False),
    "PUMA560 as published inverse": partial(inverse_of_puma, True),
    **{
        f"{name} {function}": partial(of_robot, name, function) for name in CASES for function in ("forward", "inverse")
    },
}

BEFORE: Final[dict[str, int]] = {
    "bicycle forward": 2309,
    "foucault_pendulum forward": 133,
    "four_bar_spatial forward": 308,
    "motorcycle forward": 1730,
    "quadrangle forward": 3248,
    "satellite forward": 494,
    "sleigh forward": 71,
    "slider_crank forward": 174,
    "spatial_crank forward": 2545,
    "spherical_chain forward": 550,
    "stanford_arm forward": 576,
    "string_with_particles forward": 742,
    "swinging_legs forward": 53,
    "triple_pendulum forward": 213,
    "tuomela_pendulum forward": 295,
    "PUMA560 inverse": 614,
    "PUMA560 as published inverse": 427,
    "panda forward": 1117,
    "panda inverse": 600,
    "ur5 forward": 495,
    "ur5 inverse": 280,
    "hyq forward": 3476,
    "hyq inverse": 1493,
    "anymal_b forward": 3404,
    "anymal_b inverse": 1445,
    "talos forward": 12521,
    "talos inverse": 5011,
    "chain30 forward": 13613,
    "chain30 inverse": 3279,
}


def rows() -> Iterator[Row]:
    for case, count in COUNTS.items():
        now, before = count(), BEFORE.get(case)
        yield {"case": case, "ops": now, "before": before, "ratio": None if before is None else now / before}
