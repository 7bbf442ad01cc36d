"""Rollouts on a card as functions of PyTorch, whose tensors are shared, not copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import SimulationError
from ...optional_packages import optional_package
from .cuda_rollout import CudaRollout


def torch_rollout(roll: CudaRollout) -> Callable[..., Any]:
    """states(starts, actions, parameters) of tensors on the card, with gradients by `CudaRollout.pullback`."""
    torch = optional_package("torch", "rollout.torch", SimulationError)

    class TorchRollout(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(kept: Any, starts: Any, actions: Any, parameters: Any, t: float) -> Any:
            given = [None if x is None else x.detach().contiguous() for x in (starts, actions, parameters)]
            states = roll(given[0], given[1], parameters=given[2], t=t).states
            kept.save_for_backward(*given[:2], states)
            kept.parameters, kept.t = given[2], t
            return states

        @staticmethod
        def backward(kept: Any, bars: Any) -> Any:
            starts, actions, states = (x.detach() for x in kept.saved_tensors)
            found = roll.pullback(
                starts, actions, states, bars.detach().contiguous(), parameters=kept.parameters, t=kept.t
            )
            p = kept.parameters
            to_p = None if p is None else found.parameters.sum(0) if p.dim() == 1 else found.parameters
            return found.start, found.actions, to_p, None

    def states(starts: Any, actions: Any, parameters: Any = None, t: float = 0.0) -> Any:
        """States after every so many steps; parameters that are not given are those of the stepper."""
        return TorchRollout.apply(starts, actions, parameters, t)

    return states
