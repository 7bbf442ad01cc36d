"""Calls that type checkers let pass, and calls in which they find a fault: the check of types fails where one of the faults marked here is
not found (`warn_unused_ignores`, in pyproject.toml for this file). Nothing here is run."""

import symbody as sb


def calls_of_joints(m: sb.Model, body: sb.bodies.Body) -> None:
    m.revolute("a", m.ground, body, axis="z", damping=0.1, at=(1, 0, 0))
    m.revolute("a", m.ground, body, dampng=0.1)  # type: ignore[call-arg]
    m.fixed("a", m.ground, body, damping=0.1)  # type: ignore[call-arg]
    m.revolute("a", m.ground, body, vectors=3)  # type: ignore[arg-type]


def calls_for_motions(eq: sb.Equations) -> None:
    """Options by their types, and values by any other name."""
    sb.simulate(eq, 1.0, q1=0.5, rtol=1e-9, method="dp5")
    sb.simulate(eq, 1.0, q1=0.5, rtol="fine")  # type: ignore[arg-type]
    sb.simulate(eq, 1.0, q1=0.5, method=5)  # type: ignore[arg-type]
    sb.simulate_batch(eq, 1.0, q1=[0.5, 0.6], max_steps=10)
    sb.simulate_batch(eq, 1.0, q1=[0.5, 0.6], max_steps="few")  # type: ignore[arg-type]
    sb.simulate_modes(sb.Contacts(eq), 1.0, project=1.5)  # type: ignore[arg-type]
    sb.stepper(eq, 0.1, q1=0.5, metric="unit")
    sb.stepper(eq, 0.1, q1=0.5, metric=1)  # type: ignore[arg-type]
    sb.integrate.SimulationOptions(rtl=1e-9)  # type: ignore[call-arg]
    sb.simulate(eq, 1.0, q1=0.5, options=sb.integrate.SimulationOptions(rtol=1e-9))
