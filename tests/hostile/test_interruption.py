"""Ctrl-C: long computations end within a second, keep what they have, and the loop of a script ends with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import symbody as sb
from symbody.integrate.members.motions_alone import MotionsAlone

CHILD = """
import json, os, signal, threading, time
import numpy as np
import symbody as sb
from symbody.integrate.run import run
signal.signal(signal.SIGINT, signal.default_int_handler)


def chain(n):
    m = sb.Model("chain")
    m.gravity(0, -9.81, 0)
    outer, at = m.ground, (0, 0, 0)
    for k in range(n):
        rod = m.body(f"b{k}", mass=1, shape=sb.bar(1, "y", at=(0, -0.5, 0)))
        m.revolute(f"q{k}", outer, rod, at=at)
        outer, at = rod, (0, -1, 0)
    return sb.derive(m)


marching, show = threading.Event(), run.Progress.show
marching.set()
run.Progress.show = lambda *given: (marching.set(), show(*given))


def interrupted(work, wait):
    sent, kept = [], []

    def send():
        time.sleep(wait)
        marching.wait(60)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()
    try:
        work(kept)
        said = "was not ended"
    except KeyboardInterrupt as reason:
        said = str(reason)
    return {"seconds": time.process_time() - sent[0], "said": said, "endings": [str(x) for x in kept]}


def motions(kept):
    marching.clear()
    for _ in range(10**6):
        sim = sb.simulate(small, np.linspace(0, 1e7, 5), q0=1.0)
        kept.append(sim.outcome.ending.name)


def batches(kept, **options):
    for _ in range(10**6):
        found = sb.simulate_batch(small, np.linspace(0, 1e5, 50), q0=np.linspace(0, 1, 40), **options)
        kept.append(sorted({x.ending.name for x in found.outcomes}))


def one_by_one(kept):
    batches(kept, method="radau", rtol=1e-4)


def code(kept):
    for n in range(25, 99):
        sb.compile(chain(n)).derivatives()


def sweep(kept):
    sb.sweep(small, {"q0": np.linspace(0, 1, 2000)}, sb.study.at_end(1e4, "q1"), on="processes", workers=2)


small = chain(2)
sb.simulate_batch(small, np.linspace(0, 1, 3), q0=[0.0, 1.0])
sb.simulate_batch(small, 0.1, q0=[0.0, 1.0], method="radau")
sb.simulate(small, 0.1, q0=1.0)
work = {"motions": (motions, 0.5), "batches": (batches, 0.5), "one_by_one": (one_by_one, 0.5), "sweep": (sweep, 2.0), "code": (code, 2.0)}
found = {name: interrupted(*how) for name, how in work.items()}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    env = {**os.environ, "SYMBODY_CACHE": str(tmp_path_factory.mktemp("cache"))}
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["motions", "batches", "one_by_one", "sweep", "code"])
def test_a_loop_ends_within_a_second(found, name):
    """Of computing: a busy machine takes longer."""
    assert found[name]["said"] != "was not ended"
    assert found[name]["seconds"] < 1.0


@pytest.mark.parametrize("name", ["motions", "batches", "one_by_one"])
def test_what_was_computed_is_kept(found, name):
    """One result with the outcome, and none after it."""
    assert "before this one was interrupted" in found[name]["said"]
    assert len(found[name]["endings"]) == 1
    assert "INTERRUPTED" in found[name]["endings"][0]


def test_members_that_did_not_begin():
    """They have no states, and say so in words without a time."""
    x = sb.symbol("x", "variable")
    eq = sb.from_equations({x: -x})
    alone = MotionsAlone(eq, lambda k: sb.simulate(eq, 1.0, x=float(k)), 1)
    alone.stop.ask()
    (motion,) = alone.motions([3])
    assert str(motion.outcome) == "interrupted: before it began"
    assert len(motion) == 0


PROMPT = """
import os, signal, threading
import symbody as sb
signal.signal(signal.SIGINT, signal.default_int_handler)
x, v = sb.symbols("x v", "variable"); eq = sb.from_equations({x: v, v: -x})
begun = sb.simulate(eq, [0.0, 1e-3, 2e-3], x=1.0), sb.simulate(eq, 1e-3, x=1.0)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start(); sim = sb.simulate(eq, 1e9, x=1.0)
print(sim.outcome.ending.name, sb.simulate(eq, (sim.t[-1], sim.t[-1] + 1), sim).outcome.ending.name)
"""


def test_the_next_statement_at_the_prompt_goes_on():
    """`simulate(eq, t, sim)` continues what was interrupted, as docs/errors.md says."""
    done = subprocess.run([sys.executable, "-i"], input=PROMPT, capture_output=True, text=True, check=False)
    assert "INTERRUPTED REACHED" in done.stdout, done.stderr
