"""Templates: slots, blocks and parts of texts in other languages."""

from __future__ import annotations

import pytest

import symbody as sb
from symbody.write.printers.templates import Template, template, template_parts

LOOP = Template("loop.c", "for (;;) {\n    {{body}}\n}\n\n{{after}}\n\nint {{name}};\n")


def test_blocks_are_indented_like_their_slot() -> None:
    found = LOOP.filled(body=["a;", "", "if (b) {", "    c;", "}"], after="d;\ne;", name="n")
    assert found == "for (;;) {\n    a;\n\n    if (b) {\n        c;\n    }\n}\n\nd;\ne;\n\nint n;\n"


def test_an_empty_block_leaves_neither_a_line_nor_two_blank_lines() -> None:
    assert LOOP.filled(body=[], after="", name="n") == "for (;;) {\n}\n\nint n;\n"


def test_what_is_put_in_is_not_looked_at_again() -> None:
    assert LOOP.filled(body="{{name}}", after="", name="{{body}}") == "for (;;) {\n    {{name}}\n}\n\nint {{body}};\n"


def test_a_slot_that_is_not_given_is_refused() -> None:
    with pytest.raises(sb.errors.ProgramError, match=r"template loop\.c: nothing is given for the slots after, body"):
        LOOP.filled(name="n")


def test_text_without_a_slot_is_refused() -> None:
    with pytest.raises(sb.errors.ProgramError, match=r"there is no slot 'nmae'; there are after, body, name.*'name'"):
        LOOP.filled(body="", after="", name="n", nmae="n")


def test_braces_of_the_language_stay() -> None:
    assert Template("a.rs", "use a::{{{names}}}; {} ${x}").filled(names="b, c") == "use a::{b, c}; {} ${x}"


def test_parts_of_a_file() -> None:
    parts = template_parts("symbody.write.targets.rust", "math_parts.rs")
    assert list(parts) == ["library", "definition"]
    assert parts["definition"].slots == {"name", "arguments", "value"}
    assert parts["library"].text.startswith("mod library {")
    assert parts["library"].text.endswith("}")


def test_a_file() -> None:
    manifest = template("symbody.write.targets.rust", "Cargo.toml")
    assert manifest.filled(name="crane").startswith('[package]\nname = "crane"\n')
