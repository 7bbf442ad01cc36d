"""`Environment`: many members that take steps, are observed, rewarded, end and begin anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...argument_kinds import answered_class
from ...emit.run.callable import Array, Compiled
from ...errors import SimulationError, listed, shown
from ...later import later
from ...summary import Introduced, counted
from ..result.trajectory import Trajectory
from ..steppers.stepper import Stepper
from .drawn_starts import DrawnStarts
from .drawn_values import DrawnValues

Members = NDArray[np.int64]
Flags = NDArray[np.bool_]
NONE: Final = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class EnvironmentStep(Introduced):
    """The result of a step of an environment, with a row or a number for each member.

    observation    after the step; of members that begin anew, at their new start
    reward         of the step; 0 if it failed
    ended          whether the member ended by its condition, or because its step failed
    cut            whether its episode was cut because it had the most steps
    final          observations at the end of the step, before members began anew
    failures       a sentence for each member that failed, by its number

    >>> x = sb.symbol("x")
    >>> env = sb.environment(sb.stepper(sb.from_equations({x: -x}), 0.1, x=1.0), 2, reward=x, steps=2)
    >>> [env.step().cut.tolist() for _ in range(3)]
    [[False, False], [True, True], [False, False]]

    See also: `environment`, `integrate.Environment`.
    """

    observation: Array
    reward: Array
    ended: Flags
    cut: Flags
    final: Array
    failures: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Episodes:
    """How members begin and end: values that are drawn, limits of actions, the most steps of an episode; `outputs` are the
    expressions of observations, reward and end; `waits`: members that ended begin anew in the next step."""

    starts: DrawnStarts
    parameters: DrawnValues
    actions: DrawnValues
    steps: int
    outputs: Mapping[str, Any]
    waits: bool = False


@answered_class
class Environment(Introduced):
    """Members that learn; returned by `environment`.

    env.reset(seed)     all members begin; their observations
    env.step(actions)   an `EnvironmentStep`; members that ended begin anew in the same step, or in the next
    env.states, env.p   of all members now, a row for each, in the order of the stepper's names
    env.trajectory(k)   what member k did since it began, if `watch=` names it
    env.gymnasium       the vector environment of Gymnasium

    >>> x, v, F = sb.symbols("x v F")
    >>> eq = sb.from_equations({x: v, v: F - x}, inputs=[F])
    >>> env = sb.environment(sb.stepper(eq, 0.1), 3, reward=-x**2, ends=abs(x) > 2, start={x: (-1, 1)}, actions={F: (-5, 5)})
    >>> env.reset(seed=1).shape
    (3, 2)
    >>> found = env.step([[0.0], [100.0], [np.nan]])  # actions are limited to the interval
    >>> found.ended.tolist(), found.failures
    ([False, False, True], {2: 'its action F is nan'})
    >>> env.action_limits, env.watched
    ((array([-5.]), array([5.])), None)

    See also: `environment`, `stepper`, `integrate.EnvironmentStep`.
    """

    def __init__(
        self,
        stepper: Stepper,
        members: int,
        outcome: Compiled,
        names: tuple[str, ...],
        episodes: Episodes,
        watch: int | None,
    ) -> None:
        self.stepper, self.members, self.observation_names = stepper, members, names
        self.action_names = episodes.actions.names
        self.outcome, self.episodes, self._watch = outcome, episodes, watch
        self.states = np.tile(stepper.start, (members, 1))
        self.p = np.tile(stepper.p, (members, 1))
        self._r = np.zeros((members, len(stepper.input_names)))
        self._age = np.zeros(members, dtype=np.int64)
        self._rng = np.random.default_rng()
        self._failures: dict[int, str] = {}
        self._over = NONE  # members that begin anew in the next step
        self._seen: list[Array] = []
        self.reset()

    def __repr__(self) -> str:
        seen, acts = counted(len(self.observation_names), "observation"), counted(len(self.action_names), "action")
        return f"<Environment of {self.stepper.equations.name}: {counted(self.members, 'member')}, {seen}, {acts}, {self.stepper.dt:g} s>"

    @property
    def action_limits(self) -> tuple[Array, Array]:
        """The least and the largest of each action."""
        return self.episodes.actions.low, self.episodes.actions.high

    @property
    def watched(self) -> int | None:
        """The member whose states are kept."""
        return self._watch

    # ------------------------------------------------------------------------------------------------ episodes

    def reset(self, seed: int | None = None) -> Array:
        """All members begin: observations at their starts. With a seed the same values are drawn again.

        >>> x = sb.symbol("x")
        >>> env = sb.environment(sb.stepper(sb.from_equations({x: -x}), 0.1), 2, reward=x, start={x: (1, 2)})
        >>> bool(np.all(env.reset(seed=3) == env.reset(seed=3)))
        True

        See also: `environment`.
        """
        if seed is not None:
            if not isinstance(seed, int) or seed < 0:
                raise SimulationError(f"{self}: seed = {shown(seed)}: a whole number, not negative")
            self._rng = np.random.default_rng(seed)
        self._failures, self._over = {}, NONE
        self._begin(np.arange(self.members))
        return self._observed(np.arange(self.members))[0]

    def _begin(self, which: Members) -> None:
        """These members begin anew."""
        e = self.episodes
        self.p[which] = e.parameters.rows(self._rng, self.stepper.p, len(which))
        self.states[which] = e.starts.rows(self._rng, self.p[which], which.tolist(), self._failures)
        self._r[which] = 0.0
        self._age[which] = 0
        if self._watch is not None and self._watch in which:
            self._seen = [self.states[self._watch].copy()]

    def _observed(self, which: Members | slice) -> tuple[Array, Array, Flags]:
        """Observations, rewards and ends of the states that these members have."""
        x = self.states[which]
        groups = {"t": self._age[which] * self.stepper.dt, "x": x, "r": self._r[which], "p": self.p[which]}
        observation, reward, ended = self.outcome.batch(*(groups[g.name] for g in self.outcome.program.inputs))
        return observation.reshape(len(x), -1), reward.reshape(-1), ended.reshape(-1) != 0.0

    # ------------------------------------------------------------------------------------------------ steps

    def step(self, actions: Any = None) -> EnvironmentStep:
        """A step of all members with a row of actions for each, which are limited to their intervals.

        >>> x = sb.symbol("x")
        >>> env = sb.environment(sb.stepper(sb.from_equations({x: -x}), 0.1, x=1.0), 2, reward=x)
        >>> env.step().reward
        array([0.904837, 0.904837])

        See also: `integrate.EnvironmentStep`.
        """
        given, failures, begun = self._checked(actions), {}, self._over
        if begun.size:
            given = given.copy()
            given[begun] = 0.0
        for k in (is_bad := rows_without_numbers(given)).tolist():
            wrong = next(i for i, x in enumerate(given[k]) if not np.isfinite(x))
            failures[k] = f"its action {self.action_names[wrong]} is {given[k, wrong]}"
        a = self.episodes.actions
        self._r[:, a.at] = np.minimum(np.maximum(given, a.low), a.high)
        self._r[is_bad] = 0.0
        before = self.states
        after = self.stepper.step(before, self._r, t=self._age * self.stepper.dt, p=self.p)
        for k in (is_lost := rows_without_numbers(after)).tolist():
            failures.setdefault(k, "its step has no finite state, or no impulses that satisfy its contacts")
        failed = np.union1d(is_bad, is_lost) if failures else is_bad
        after[failed] = before[failed]
        self.states = after
        self._age += 1
        if self._watch is not None:
            self._seen.append(self.states[self._watch].copy())
        final, reward, ended = self._observed(slice(None))
        ended[failed], reward[failed] = True, 0.0
        self._failures = {}
        if begun.size:  # the step of these is a new start
            for k in begun.tolist():
                failures.pop(k, None)
            self._begin(begun)
            final[begun], ended[begun], reward[begun] = self._observed(begun)[0], False, 0.0
        cut = (self._age >= self.episodes.steps) & ~ended
        observation, over = final, np.flatnonzero(ended | cut)
        self._over = over if self.episodes.waits else NONE
        if over.size and not self.episodes.waits:
            self._begin(over)
            observation = final.copy()
            observation[over] = self._observed(over)[0]
        failures |= {k: v for k, v in self._failures.items() if k not in failures}
        return EnvironmentStep(observation, reward, ended, cut, final, failures)

    def _checked(self, actions: Any) -> Array:
        shape = (self.members, len(self.action_names))
        if actions is None:
            return np.zeros(shape)
        try:
            given = np.asarray(actions, dtype=np.float64)
        except (TypeError, ValueError):
            raise SimulationError(f"{self}: actions must be numbers, got {shown(actions)}") from None
        if given.shape != shape:
            raise SimulationError(
                f"{self}: actions have a row for each member and a column for each of {listed(self.action_names)}, "
                f"{shape}; got shape {given.shape}"
            )
        return given

    # ------------------------------------------------------------------------------------------------ results

    def trajectory(self, member: int) -> Trajectory:
        """The motion of the watched member since it began, as a trajectory: `env.trajectory(0).scene()` shows it.

        >>> x = sb.symbol("x")
        >>> env = sb.environment(sb.stepper(sb.from_equations({x: -x}), 0.1, x=1.0), 2, reward=x, watch=0)
        >>> found = [env.step() for _ in range(3)]
        >>> env.trajectory(0)["x"]
        array([1.      , 0.904837, 0.818731, 0.740818])

        See also: `Stepper.trajectory`, `Trajectory`.
        """
        if member != self._watch:
            raise SimulationError(
                f"{self}: member {member} is not watched; environment(..., watch={member}) keeps its states"
            )
        return self.stepper.trajectory(np.array(self._seen), p=self.p[member])

    @cached_property
    def gymnasium(self) -> Any:
        """A `gymnasium.vector.VectorEnv` on these members, which begin anew in the same step; `render()` is the scene of
        the member that is watched.

        >>> x, v, F = sb.symbols("x v F")
        >>> eq = sb.from_equations({x: v, v: F - x}, inputs=[F])
        >>> env = sb.environment(sb.stepper(eq, 0.1), 4, reward=-x**2, actions={F: (-5, 5)})
        >>> try:
        ...     import gymnasium
        ...     count = env.gymnasium.num_envs
        ... except ModuleNotFoundError:
        ...     count = env.members
        >>> count
        4

        See also: `environment`.
        """
        return later("integrate.environments.gymnasium_vector", "vector_environment")(self)


def rows_without_numbers(x: Array) -> Members:
    """Rows in which a number is not finite."""
    return np.flatnonzero(~np.isfinite(x).all(axis=1)) if not np.isfinite(x).all() else NONE
