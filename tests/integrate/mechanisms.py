"""Mechanisms for tests of simulation."""

from __future__ import annotations

from functools import cache

import symbody as sb
from examples import slider_crank as slider_crank_example


@cache
def double_pendulum() -> sb.Equations:
    """Two point masses on rods, with an input torque at the first joint."""
    m = sb.Model("double pendulum")
    p = m.parameters(g=9.81, l1=1.0, l2=1.0, m1=1.0, m2=1.0, c=0.0)
    tau = m.input("tau")
    m.gravity(0, -p.g, 0)
    upper = m.body("upper", mass=p.m1, com=(0, -p.l1, 0))
    lower = m.body("lower", mass=p.m2, com=(0, -p.l2, 0))
    m.revolute("q1", m.ground, upper, actuation=tau, damping=p.c)
    m.revolute("q2", upper, lower, at=(0, -p.l1, 0), damping=p.c)
    m.output("tip_height", lower.point(0, -p.l2, 0).position().components(m.ground)[1])
    return sb.derive(m)


@cache
def slider_crank() -> sb.Equations:
    return sb.derive(slider_crank_example.model())


@cache
def lagging_spring() -> sb.Equations:
    """A mass whose force follows its spring with a delay: T F' + F + k x = 0."""
    m = sb.Model("lagging spring")
    p = m.parameters(mass=1.0, k=4.0, T=0.5)
    F = m.variable("F")
    body = m.particle("body", mass=p.mass)
    x = m.prismatic("x", m.ground, body, axis="x", actuation=F).q
    m.equation("equation1", p.T * F.dot + F + p.k * x)
    return sb.derive(m)


@cache
def falling() -> sb.Equations:
    """A particle that falls: the simplest motion that has a closed form."""
    m = sb.Model("falling")
    m.gravity(0, 0, -m.parameter("g", 10.0))
    ball = m.particle("ball", mass=m.parameter("mass", 2.0))
    m.prismatic("height", m.ground, ball, axis="z")
    return sb.derive(m)


START = slider_crank_example.START
