"""`PileMotion`: what a simulation of a pile returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...emit.run.callable import Array
from ...integrate.piles.pile_runs import ContactsNow, PileSamples
from ...integrate.result.outcome import Outcome, Statistics
from ...summary import Summarized, Summary, listing, summary_rows
from .pile_rows import drawn_part

if TYPE_CHECKING:
    from .pile import Pile


class PileMotion(Summarized):
    """The motion of a pile: states of all bodies at times, and the contacts at the end.

    pile       what moved
    t          times (s)
    states     times x bodies x 13: place, Euler parameters of the principal axes, velocity, angular velocity in these axes
    outcome    how it ended, with notes on bodies that began inside each other, on steps beyond the tolerance, and on bodies that
               moved further than they are thick in a step
    statistics steps and seconds
    residual   the largest of all steps, `missed` of which are above the tolerance; `contacts` are those of the last step, `most_contacts` of any step, `sweeps` of all

    mechanism  coordinates and speeds of the mechanism by name, at these times
    work       of the contacts on the free bodies, and on the mechanism, of the whole motion (J): by as much the energy of each changes,
               to first order in the step, apart from loads; their sum is what friction and impacts dissipate

    >>> pile = sb.Pile("ball")
    >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 0.1)], mass=2.0)
    >>> pile.wall("floor")
    >>> motion = pile.simulate(0.1, step=0.01)
    >>> motion.contacts.impulses[0], motion.residual <= 1e-6  # m g h
    (array([0.    , 0.    , 0.1962]), True)

    See also: `Pile`, `Pile.simulate`.
    """

    def __init__(self, pile: Pile, masses: Array, samples: PileSamples, names: Sequence[str]) -> None:
        self.pile = pile
        self._masses = masses
        self.t: Array = samples.t
        self.states: Array = samples.states
        self.outcome: Outcome = samples.outcome
        self.statistics: Statistics = samples.statistics
        self.residual, self.sweeps, self.missed = samples.residual, samples.sweeps, samples.missed
        self.most_contacts, self.mean_contacts = samples.most_contacts, samples.mean_contacts
        self.contacts: ContactsNow = samples.last
        self.work: Array = samples.work
        self.mechanism: dict[str, Array] = {name: samples.machine[:, k] for k, name in enumerate(names)}

    def _summary(self) -> Summary:
        rows = summary_rows(
            steps=str(self.statistics.steps),
            contacts=f"at most {self.most_contacts}",
            residual=f"at most {self.residual:z.1e}",
            notes=listing(self.outcome.notes),
        )
        return Summary(
            f"Motion of {self.pile.name}: {self.states.shape[1]} bodies, {self.outcome.ending.value} at t = {self.t[-1]:z.6g}",
            rows,
        )

    @property
    def positions(self) -> Array:
        """Places of mass centres: times x bodies x 3 (m). `velocities` (m/s) alike.

        >>> pile = sb.Pile("ball")
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 2)], density=1000)
        >>> motion = pile.simulate(1.0, step=0.01)
        >>> motion.positions[-1, 0], motion.velocities[-1, 0]  # 2 - g/2, -g
        (array([ 0.   ,  0.   , -2.905]), array([ 0.  ,  0.  , -9.81]))

        See also: `PileMotion.energy`, `Pile.simulate`.
        """
        return self.states[..., :3]

    @property
    def velocities(self) -> Array:
        """Velocities of mass centres: see `positions`."""
        return self.states[..., 7:10]

    @property
    def rotations(self) -> Array:
        """Euler parameters of the frames in which the shapes are drawn, as given to `Pile.many`: times x bodies x 4. (`states` has
        those of the principal axes.) `angular_velocities` in these frames (rad/s) alike.

        >>> pile = sb.Pile("wheel", gravity=(0, 0, 0))
        >>> pile.many("wheel", sb.cylinder(0.1, 0.02), at=[(0, 0, 0)], mass=1.0, angular_velocities=[(0, 0, np.pi)])
        >>> motion = pile.simulate(0.5, step=0.001, every=500)
        >>> motion.rotations[-1, 0], motion.angular_velocities[-1, 0]  # a quarter of a turn
        (array([0.707107, 0.      , 0.      , 0.707107]), array([0.      , 0.      , 3.141593]))

        See also: `PileMotion.positions`, `Pile.many`.
        """
        return drawn_part(self.states, self.pile.kinds, "rotations")

    @property
    def angular_velocities(self) -> Array:
        """Angular velocities: see `rotations`."""
        return drawn_part(self.states, self.pile.kinds, "angular_velocities")

    @property
    def energy(self) -> Array:
        """Kinetic energy and the potential of gravity at all times (J); loads of `loads=` are not in it.

        >>> pile = sb.Pile("ball", restitution=1.0)
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 1)], mass=2.0)
        >>> pile.simulate(0.1, step=0.01).energy[-2:]  # m g z
        array([19.62, 19.62])

        See also: `PileMotion.momentum`, `PileMotion.positions`.
        """
        masses = self._masses
        kinetic = 0.5 * masses[:, :1] * self.states[..., 7:10] ** 2
        turning = 0.5 * masses[:, 1:] * self.states[..., 10:] ** 2
        potential = -masses[:, 0] * (self.positions @ self.pile.gravity)
        return np.asarray((kinetic + turning).sum(axis=(-1, -2)) + potential.sum(axis=-1))

    @property
    def momentum(self) -> Array:
        """Σ m v at all times: times x 3 (kg m/s).

        >>> pile = sb.Pile("balls", gravity=(0, 0, 0), restitution=0.5)
        >>> pile.many("ball", sb.sphere(0.1), at=[(0, 0, 0), (0.3, 0, 0)], mass=2.0, velocities=[(1, 0, 0), (0, 0, 0)])
        >>> pile.simulate(0.2, step=0.01).momentum[-1]
        array([2., 0., 0.])

        See also: `PileMotion.energy`, `Pile`.
        """
        return np.asarray((self._masses[:, :1] * self.velocities).sum(axis=-2))
