"""Tables 8 to 11 of Tuomela, Arponen and Normi, as printed."""

from __future__ import annotations

from typing import Final, NamedTuple


class RunCharacteristics(NamedTuple):
    """A column of a table: what a run of 10 s took. Numbers that table 11 leaves out are None, and so is a dash.

    steps, rejected      steps that succeeded, and rejected ones
    mean, most           Newton iterations of a projection
    evaluations          # dist, of the distribution
    projections          # proj
    dist, proj, seconds  CPU seconds of both, and in all, at 1.75 GHz
    dg, d2g, d3g         differentials of constraints; second and third ones count for each constraint
    df, d2f              differentials of the invariant
    """

    steps: int
    rejected: int
    mean: float
    most: int
    evaluations: int | None
    projections: int
    dist: float | None
    proj: float | None
    seconds: float
    dg: int
    d2g: int | None = None
    d3g: int | None = None
    df: int | None = None
    d2f: int | None = None


QUASI: Final = "quasi-orthogonal"
ORTHOGONAL: Final = "orthogonal"
TABLES: Final = {("pendulum", True): "table 8", ("quadrangle", True): "table 9", ("crank", True): "table 10"}
PRINTED: Final[dict[str, dict[tuple[str, bool], RunCharacteristics]]] = {  # by projection, and whether energy is kept
    "pendulum": {
        (QUASI, True): RunCharacteristics(164, 36, 0.97, 8, 1395, 1280, 0.84, 1.65, 2.53, 4856, 9669, None, 1211, 397),
        (ORTHOGONAL, True): RunCharacteristics(151, 12, 1.43, 4, 1136, 1070, 0.69, 4.30, 5.05, 6124, 18372, 0, 631, 25),
        (QUASI, False): RunCharacteristics(153, 23, 0.929, 2, None, 795, None, None, 1.98, 4158),
        (ORTHOGONAL, False): RunCharacteristics(152, 13, 0.987, 4, None, 833, None, None, 4.80, 5885),
    },
    "quadrangle": {
        (QUASI, True): RunCharacteristics(1300, 168, 3.25, 265, 10139, 9721, 42.46, 175.66, 218.91, 47842, 613105, None, 27958, 12194),
        (ORTHOGONAL, True): RunCharacteristics(1218, 149, 1.82, 4, 9427, 10932, 40.95, 457.73, 499.41, 57473, 977041, 52388, 14961, 4746),
        (QUASI, False): RunCharacteristics(1487, 181, 0.113, 2, None, 4332, None, None, 95.03, 32003),
        (ORTHOGONAL, False): RunCharacteristics(1226, 161, 0.995, 3, None, 6852, None, None, 301.05, 40476),
    },
    "crank": {
        (QUASI, True): RunCharacteristics(2086, 352, 6.69, 215, 16859, 13358, 88.08, 757.65, 848.67, 124303, 1778438, None, 108843, 58003),
        (ORTHOGONAL, True): RunCharacteristics(2070, 113, 2.61, 6, 15175, 17458, 78.44, 3198.90, 3292.00, 123597, 2101149, 36758, 31219, 10981),
        (QUASI, False): RunCharacteristics(1996, 87, 0.325, 2, None, 7133, None, None, 191.27, 45054),
        (ORTHOGONAL, False): RunCharacteristics(2077, 129, 1.42, 5, None, 11147, None, None, 2099.30, 87018),
    },
}  # fmt: skip
CONDITIONS: Final = {"pendulum": 3, "quadrangle": 17, "crank": 17}
CUBIC: Final = {
    "pendulum": 0,
    "quadrangle": 4,
    "crank": 1,
}  # constraints with third differentials: SO and O of two bodies
