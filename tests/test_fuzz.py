"""A fixed piece of the differential fuzzer (`python -m bench.fuzz`), and that the fuzzer itself finds, counts and
shrinks."""

from __future__ import annotations

import pytest

from bench.fuzz.catalogue import CHECKS
from bench.fuzz.random_models import random_sections
from bench.fuzz.recipe import file_text
from bench.fuzz.shrink import shrunk
from bench.fuzz.subject import DisagreementError, Subject, agree
from bench.fuzz.trial import Answer, Case, case_of, examined, findings, tried
from bench.limits import Limit

from .amount import FULL

SEED = 12


@pytest.mark.parametrize("number", range(12) if FULL else (0, 3))
def test_random_models_agree_in_all_that_is_asked(number: int) -> None:
    assert not findings(examined(case_of(SEED, number)))


def test_a_seed_is_a_model() -> None:
    assert random_sections(5, 3) == random_sections(5, 3)
    assert len({file_text(random_sections(5, k)) for k in range(20)}) == 20


def test_most_models_are_read_and_derived() -> None:
    """A fuzzer that is refused tests nothing."""
    answers = [a for k in range(10) for a in examined(Case(random_sections(7, k), k, ()))]
    assert sum(a.kind == "passed" for a in answers) >= 9, [a.text for a in answers if a.kind != "passed"]


def test_numbers_that_differ_are_a_disagreement() -> None:
    agree("same", [1.0, float("nan")], [1.0 + 1e-12, float("nan")], 1e-9)
    for other in ([1.0, 2.1], [1.0, float("nan")], [1.0]):
        with pytest.raises(DisagreementError, match="what"):
            agree("what", [1.0, 2.0], other, 1e-9)


def test_a_finding_is_shrunk_to_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that dislikes springs: of a model with everything, the spring and what it hangs on are left."""

    def no_springs(s: Subject) -> None:
        if any(x.kind == "spring" for x in s.file.mechanism.loads):
            raise DisagreementError("a spring")

    monkeypatch.setitem(CHECKS, "springs", no_springs)
    number = next(
        k
        for k in range(100)
        if "spring:" in file_text(random_sections(3, k)) and len(random_sections(3, k)["bodies"]) > 2
    )
    case = Case(random_sections(3, number), 0, ("springs",))
    (found,) = findings(examined(case))
    small = shrunk(case, found, 20.0)
    assert [a.kind for a in findings(examined(small))] == ["disagreement"]
    assert len(small.sections["bodies"]) == 1 < len(case.sections["bodies"])


def test_what_does_not_end_or_dies_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(s: Subject) -> None:
        while True:
            pass

    def wrong(s: Subject) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setitem(CHECKS, "endless", endless)
    monkeypatch.setitem(CHECKS, "wrong", wrong)
    model = {"symbody": 1, "bodies": {"b": {"mass": 1}}, "joints": {"j": {"prismatic": ["ground", "b"]}}}
    assert [(a.check, a.kind) for a in tried(Case(model, 0, ("endless",)), Limit(0.3))] == [("endless", "stopped")]
    (found,) = findings(tried(Case(model, 0, ("wrong",)), Limit(60.0)))
    assert found == Answer("wrong", "exception", found.text)
    assert "ZeroDivisionError: of ours" in found.text
