"""Remedies for redundant constraints: only those that, by the rank of Jc, remove the redundancy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.nonlinear.trust_region import Array
from ...bodies.joints.joints import across
from ...bodies.mechanism.mechanism import Constraint, Joint
from ...errors import listed
from ..equations.constraint_rank import ConstraintRank
from ..equations.equations import Equations
from ..rank.row_space import RowSpace

GO_ON: Final = (
    "Or go on with them: derive(..., redundant=True) has the same motion, and reactions that are not determined are NaN, or shared by "
    "reaction(..., share=...)"
)
PLACES: Final = ("x", "y", "z")
ACROSS_ROWS: Final = ("across1", "across2", "normal")  # rows of a joint that hold positions across its axis
ROTATION_ROWS: Final = ("tilt1", "tilt2", "turn", "cross")  # rows of a joint that hold rotations


def advice(eq: Equations, found: ConstraintRank, row: Constraint, others: Sequence[Constraint]) -> str:
    """A sentence that says what to drop or to exchange, each tried on the rows of Jc at a regular configuration, and
    how to go on without."""
    if not row.is_holonomic and any(c.is_holonomic for c in others):
        return f"{row.name!r} is the rate of a holonomic constraint that is given already: drop it"
    if row.joint is None:
        return f"Drop {row.name!r}. {GO_ON}"
    return f"{'; or '.join(_JointRows(eq, found, row.joint).cures()).capitalize()}. {GO_ON}"


class _JointRows:
    """The rows of Jc of a joint that closes a loop, and all other rows, at a regular configuration."""

    def __init__(self, eq: Equations, found: ConstraintRank, joint: str) -> None:
        self.name, self.rank = joint, found.rank
        self.joint = next((j for j in eq.mechanism.joints if j.name == joint), None)
        all_ = (*eq.mechanism.holonomic, *eq.mechanism.nonholonomic)
        J = np.array(evaluate(list(eq.Jc.entries), found.values), dtype=np.float64).reshape(len(all_), -1)
        self.rest = J[[k for k, c in enumerate(all_) if c.joint != joint]]
        self.own = {c.name.removeprefix(f"{joint}."): J[k] for k, c in enumerate(all_) if c.joint == joint}

    def cures(self) -> Iterator[str]:
        """Ways to write the joint that leave the same motions with fewer rows, best first."""
        if self._keeps({}):
            yield f"leave out {self.name!r}, all of which the others hold"
            return
        for kind, rows in self._kinds(self.joint) if self.joint else ():
            if self._keeps(rows):
                yield f"make joint {self.name!r} {kind}{self._what_stays(rows)}"
        yield self._advice()

    def _keeps(self, rows: Mapping[str, Array]) -> bool:
        """Whether the same motions are held, by fewer rows."""
        return self._rank(rows) == self.rank and len(rows) < len(self.own)

    def _rank(self, rows: Mapping[str, Array]) -> int:
        return RowSpace.of(np.vstack([self.rest, *rows.values()])).rank if len(self.rest) + len(rows) else 0

    def _redundancy_with(self, rows: Mapping[str, Array]) -> int:
        """Number of redundant rows with these in place of the joint's rows; -1 if they change the rank."""
        return len(self.rest) + len(rows) - self.rank if self._rank(rows) == self.rank else -1

    def _what_stays(self, rows: Mapping[str, Array]) -> str:
        left = self._redundancy_with(rows)
        return f" (which leaves {left} redundant elsewhere)" if left else ""

    def _kinds(self, joint: Joint) -> Iterator[tuple[str, dict[str, Array]]]:
        """Joints that hold less, with the rows that they would have."""
        own, places = self.own, {k: v for k, v in self.own.items() if k in PLACES}
        turns = {k: v for k, v in own.items() if k in ROTATION_ROWS}
        if joint.kind == "fixed" and "turn" in own:
            yield "revolute", {k: v for k, v in own.items() if k != "turn"}
        directions = across(joint.axis) if joint.kind == "revolute" and joint.axis is not None else None
        if directions is not None:
            yield "cylindrical", {**_rows_along(places, directions), **turns}
        if turns and places and joint.kind in ("fixed", "revolute", "universal"):
            yield "spherical", places

    def _advice(self) -> str:
        """The fewest rows of the joint, first ones first, that constrain the same motions, as a sentence."""
        needed: dict[str, Array] = {}
        for name, row in self.own.items():
            if self._rank({**needed, name: row}) > self._rank(needed):
                needed[name] = row
        axes = "".join(k for k in needed if k in PLACES)
        points = f"m.coincide(..., axes={axes!r})" if axes else ""
        slides = "m.coincide(...) with axes across that of the joint" if any(k in ACROSS_ROWS for k in needed) else ""
        turned = [k for k in needed if k in ROTATION_ROWS]
        angles = f"m.orthogonal(...) for {listed(turned)}" if turned else ""
        how = " and ".join(x for x in (points, slides, angles) if x)
        rows = listed(f"{self.name}.{k}" for k in needed)
        return f"instead of joint {self.name!r} constrain only {rows}{f', by {how}' if how else ''}"


def _rows_along(places: Mapping[str, Array], directions: Sequence[Sequence[float]]) -> dict[str, Array]:
    """Rows of the gap along some directions, from those along the axes; rows that are satisfied identically are
    absent."""
    present = [k for k in PLACES if k in places]
    rows = [sum((d[PLACES.index(k)] * places[k] for k in present), start=np.zeros(1)) for d in directions]
    return {name: row for name, row in zip(("across1", "across2"), rows, strict=True) if np.any(row)}
