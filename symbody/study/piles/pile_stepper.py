"""Steps of a pile as a function of states: of free bodies, and of the mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...emit.run.callable import Array
from ...errors import SimulationError
from ...integrate.piles.pile_records import STATE
from ...integrate.piles.pile_runs import PileRunner, run_samples


def stepped_pile(where: str, runner: PileRunner, substeps: int) -> Callable[..., Any]:
    """A function of states of all bodies; with a mechanism of these and its state, both of which it returns."""
    machine = runner.pile.machine
    size = 0 if machine is None else len(machine.state)

    def stepped(states: Array, mechanism: Array | None = None) -> Any:
        given = _state_array(where, states, (runner.n, STATE), f"bodies x 13, {runner.n} x {STATE}")
        members = given.shape[:-2]
        carried = (
            np.zeros((*members, 0))
            if mechanism is None
            else _state_array(where, mechanism, (size,), f"rows of {size} numbers")
        )
        if (mechanism is None) != (machine is None) or carried.shape[:-1] != members:
            wanted = (
                "none: there is no mechanism"
                if machine is None
                else f"{members} x {size} numbers, beside those of the bodies"
            )
            raise SimulationError(f"{where}: states of the mechanism must be {wanted}")
        out, after = np.full(given.shape, np.nan), np.full(carried.shape, np.nan)
        for k in np.ndindex(members):
            runner.set_state(given[k], 0.0, carried[k] if size else None)
            sampled = run_samples(runner, substeps, substeps, ())
            if sampled.outcome:
                out[k] = sampled.states[-1]
                if size:
                    after[k] = sampled.machine[-1]
        return (out, after) if machine is not None else out

    return stepped


def _state_array(where: str, states: Array, shape: tuple[int, ...], text: str) -> Array:
    given = np.asarray(states, dtype=float)
    if given.shape[-len(shape) :] != shape:
        raise SimulationError(f"{where}: states are {text}, got {given.shape}")
    return given
