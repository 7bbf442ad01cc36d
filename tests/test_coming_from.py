"""docs/coming-from/sympy-names.md: no name of SymPy's mechanics is missing, and what it says to write runs and gives what
is shown."""

import re

import sympy.physics.biomechanics as bio
import sympy.physics.mechanics as me

from .table_rows import ROOT, call_rows, faults_in_a_fresh_process

PATH = ROOT / "docs" / "coming-from" / "sympy-names.md"
ROWS = list(call_rows(PATH.read_text(encoding="utf-8")))
WITHOUT_VALUE = ["`System.apply_uniform_gravity`"]  # gives nothing
CLASSES = (
    *(me.ReferenceFrame, me.Point, me.Vector, me.Dyadic, me.RigidBody, me.Particle, me.Inertia, me.KanesMethod),
    *(
        me.LagrangesMethod,
        me.Linearizer,
        me.SymbolicSystem,
        me.System,
        me.PinJoint,
        me.LinearPathway,
        me.WrappingCylinder,
    ),
)


def listed() -> set[str]:
    """Names, and of classes their methods: one that follows `Class.method` is of the same class unless it names another."""
    found = set()
    for row in ROWS:
        owner = ""
        for name in re.findall(r"`([\w.]+)`", row.name):
            owner = (
                name.partition(".")[0] if "." in name else name if hasattr(me, name) and name[0].isupper() else owner
            )
            found |= {name, f"{owner}.{name}"}
    return found


def test_no_name_is_missing() -> None:
    methods = {f"{c.__name__}.{n}" for c in CLASSES for n in dir(c) if not n.startswith("_")}
    assert sorted({*me.__all__, *bio.__all__} - listed()) == []
    assert sorted(methods - listed()) == []


def test_what_it_says_runs_and_gives_what_is_shown() -> None:
    assert len(ROWS) == 88
    assert faults_in_a_fresh_process(PATH) == []
    assert [row.name for row in ROWS if row.value is None] == WITHOUT_VALUE
