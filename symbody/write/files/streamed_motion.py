"""`stream`: a motion that is written to disk while it is computed, as chosen columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...argument_kinds import answered
from ...derivation.equations.equations import Equations
from ...errors import SimulationError, shown
from ...integrate.result.outcome import Outcome
from ...integrate.run.simulate import simulate
from ...row_files import row_file


@answered
def stream(
    equations: Equations, path: str | Path, t: Any, start: Any = None, *, columns: Sequence[Any],
    values: Mapping[Any, float] | None = None, inputs: Mapping[Any, Any] | None = None, options: Mapping[str, Any] | None = None,
    block: int = 1000,
) -> Outcome:  # fmt: skip
    """Simulate, and write chosen columns to a .npy file at given times; memory holds one block of times.

    t          times at which columns are written, an increasing array
    start      as of `simulate`, with further `values` by name, `inputs` and `options` such as {"rtol": 1e-10}
    columns    names or expressions, as in `sim.values`; each is a column under its text, beside t
    block      times of one simulation; the next begins in its end, so steps with error control begin anew there

    The result is the outcome of the last block; a motion that ends early leaves the rows up to there. The file is a table:
    `np.load(path, mmap_mode="r")["x"]` reads one column.

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: -x})
    >>> outcome = sb.write.stream(eq, "run.npy", np.linspace(0, 10, 5001), columns=["x", x**2 + v**2], values={"x": 1.0})
    >>> rows = np.load("run.npy", mmap_mode="r")
    >>> bool(outcome), rows.dtype.names, rows["x"][2500]
    (True, ('t', 'x', 'v**2 + x**2'), np.float64(0.283662))

    See also: `simulate`, `Trajectory.save`, `Pile.simulate`.
    """
    times = np.asarray(t, dtype=np.float64)
    if times.ndim != 1 or len(times) < 3 or not (np.diff(times) > 0).all():
        raise SimulationError(f"stream: t must be an increasing array of at least three times, got {shown(t)}")
    if not isinstance(block, int) or block < 2:
        raise SimulationError(f"stream: block = {shown(block)}: a whole number of at least 2")
    if isinstance(columns, str) or not columns:
        raise SimulationError(f"stream: columns is a list of names and expressions, got {shown(columns)}")
    wanted, names = list(columns), ["t", *(str(c) for c in columns)]
    if len(set(names)) < len(names):
        raise SimulationError(f"stream: columns {shown(names)} have the same names")
    with row_file(_npy(path), dict.fromkeys(names, ())) as rows:
        motion, written = None, 0
        for begin in range(0, len(times) - 1, block):
            piece = times[begin : begin + block + 1]
            if len(piece) == 2:  # which would be a beginning and an end
                piece = np.array([piece[0], piece.mean(), piece[1]])
            begun = {"start": start, "values": values} if motion is None else {"start": motion}
            motion = simulate(equations, piece, inputs=inputs, options=options or {}, **begun)
            new = np.isin(motion.t, times[written:])
            rows.add([motion.t[new], *(v[new] for v in motion.values(wanted))])
            written = begin + len(piece)
            if not motion.outcome:
                break
        assert motion is not None
        return motion.outcome


def _npy(path: str | Path) -> Path:
    place = Path(path)
    return place if place.suffix == ".npy" else place.with_name(place.name + ".npy")
