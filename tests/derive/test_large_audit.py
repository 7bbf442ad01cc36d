"""The audit of many bodies: a page of a few lines, in time that grows with their number."""

from typing import Any

import symbody as sb
from symbody.algebra.graph.late_matrix import is_unmade
from symbody.derivation.questions.model_notes import model_notes
from symbody.errors import in_groups


def chain(n, gravity=(0, -9.81, 0), **options):
    m = sb.Model("chain")
    m.gravity(*gravity)
    on = m.ground
    for k in range(n):
        given: dict[str, Any] = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.1, 0.1, 0.1), **options}
        link = m.body(f"link {k}", **given)
        m.revolute(f"q{k}", on, link, at=(0, 0, 0) if k == 0 else (1, 0, 0))
        on = link
    return m


def test_names_that_differ_by_numbers_are_one_group():
    names = [*(f"link {k}" for k in range(20)), "hook"]
    assert in_groups(names) == "link 0 to link 19 (20), hook"
    assert in_groups(names[:12]) == ", ".join(names[:12])
    letters = [chr(97 + k) for k in range(15)]
    assert in_groups(letters) == "a, b, c, d, e, f, g, h, i, j, k, l and 3 more"
    assert in_groups([f"{c}{k}" for c in letters for k in range(2)]).endswith("l0 to l1 (2) and 6 more")


def test_an_audit_of_many_bodies_is_a_page():
    found = sb.audit(chain(2000))
    lines = str(found).split("\n")
    assert lines[1:5] == [
        "  2000 bodies: link 0 to link 1999 (2000)",
        "  2000 joints: 2000 revolute: q0 to q1999 (2000)",
        "  2000 coordinates: q0 to q1999 (2000)",
        "  2000 speeds: q0_dot to q1999_dot (2000)",
    ]
    assert found.degrees_of_freedom == 2000
    assert len(lines) < 12


def test_faults_of_many_bodies_are_a_few_lines():
    m = chain(30, inertia=(0, 0, 0), com=(0, 0, 0), mass=0.0)
    for k in range(15):
        m.body(f"far {k}", m.ground.translate(k, 0, 0).rotate("z", 30.0), mass=1.0)
    text = str(sb.audit(m))
    assert "massless bodies: link 0 to link 29 (30)" in text
    assert text.count("more than a full turn") == 3
    assert "and 12 more like these" in text


def test_parameters_are_grouped_by_their_values_and_missed_ones_are_found():
    m = sb.Model("many")
    for k in range(50):
        mass = m.parameter(f"m_{k}", 1.0 + k % 2)
        m.prismatic(f"x{k}", m.ground, m.body(f"b{k}", mass=mass))
    m.parameter("idle", 3.0)
    text = str(sb.audit(m))
    assert "m_0 to m_48 (25) = 1; m_1 to m_49 (25) = 2; idle = 3" in text
    assert "note: the parameter idle is not used" in text
    assert "m_1 is not used" not in text


def test_parameters_of_links_in_loops_are_found_without_the_right_side():
    """f of a chain is written out link by link when it is first needed, which takes as long as 30 audits."""
    m = chain(60, mass=sb.symbol("mass"))
    m.parameters("mass idle", 2.0, 3.0)
    eq = sb.derive(m)
    assert model_notes(eq) == ("the parameter idle is not used",)
    assert is_unmade(eq.f)
    assert is_unmade(eq.M)


def test_gravity_that_does_no_work_on_many_bodies_is_noted():
    assert any("gravity does no work" in note for note in sb.audit(chain(40, gravity=(0, 0, -9.81))).notes)
    assert not sb.audit(chain(40)).notes
