"""Rollouts on a GPU: many steps of a stepper for each member in one launch, gradients through them by reverse sweeps, and
environments for learning.

`cuda_rollout` takes a `Stepper` and returns a `CudaRollout`; `cuda_environment` takes an `Environment`.
"""
