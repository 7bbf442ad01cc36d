"""Model files that mean harm, and files that were damaged: each is read or refused with file, line and column, within
bounds.

SYMBODY_FUZZ_SECONDS=600 runs the random part that long; otherwise it is a few hundred files.
"""

import os
import re
import time
from pathlib import Path
from random import Random

import pytest

import symbody as sb
from symbody.bodies.file import values as model_file_values
from symbody.bodies.file import yaml_tree as model_file_text

FOLDER = Path(__file__).parents[2] / "symbody" / "library"
EXAMPLES = {p.stem: p.read_text(encoding="utf-8") for p in sorted(FOLDER.glob("*.yaml"))}
HEAD = "symbody: 1\n"


def refused(text: str | bytes) -> str:
    with pytest.raises(sb.errors.ModelFileError) as caught:
        sb.study.read_model_text(text, "bad.yaml")
    assert str(caught.value).startswith("bad.yaml:")
    return str(caught.value)


# -------------------------------------------------------------------------------------------------- no code, no objects


@pytest.mark.parametrize(
    "tagged",
    [
        "!!python/object/apply:os.system ['true']",
        "!!python/name:os.system",
        "!!binary aGVsbG8=",
        "!<tag:yaml.org,2002:python/module:os> x",
        "!!str name",
    ],
)
def test_tags_are_refused(tagged):
    assert "tag" in refused(f"{HEAD}name: {tagged}\n")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "ground.__class__",
        "ground.x.__class__.__mro__",
        "().__class__",
        "(lambda: 1)()",
        "ground.root",
        "ground.hang_on(ground)",
        "eval('1')",
        "exec(1)",
        "open('x')",
        "ground.vector.__self__",
        "pi.data",
        "[x for x in y]",
        "f'{pi}'",
        "ground.point(0, 0, 0).frame",
        "sin.__globals__",
        "getattr(ground, 'x')",
    ],
)
def test_expressions_are_not_python(text):
    """Only functions and parts that are listed can be reached."""
    refused(f'{HEAD}let: {{a: "{text}"}}\n')


def test_directives_and_second_documents_are_refused():
    assert "tags are not read" in refused("%TAG ! tag:evil,2000:\n---\n" + HEAD)
    assert "one model" in refused(f"{HEAD}---\n{HEAD}")


def test_merge_keys_are_refused():
    assert "merge key" in refused(f"{HEAD}parameters: {{a: &x {{value: 1}}, b: {{<<: *x}}}}\n")


# ---------------------------------------------------------------------------------------------------- bombs


def test_alias_bomb():
    lines = ["let:", "  a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"  a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 10)]
    assert "values (with those that aliases repeat)" in refused(HEAD + "\n".join(lines))


def test_alias_to_itself():
    assert "contains itself" in refused(f"{HEAD}let: {{a: &a [*a]}}\n")
    assert "no anchor" in refused(f"{HEAD}let: {{a: *b}}\n")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting(opening):
    assert "nested" in refused(HEAD + ("let:\n  " if opening[0] in "-?" else "let: ") + opening * 5000)


@pytest.mark.parametrize("text", ["(" * 5000, "-(" * 3000, "sin(" * 3000, "[" * 3000, "2^" * 3000 + "1", "~" * 3000])
def test_deep_expressions(text):
    assert "deep" in refused(f'{HEAD}let: {{a: "{text}"}}\n')


def test_long_expression():
    assert "characters" in refused(f"{HEAD}let:\n  a: {'1 + ' * 20000}1\n")


def test_long_sum_is_no_depth():
    text = " + ".join(["a*t"] * 1500)
    assert sb.study.read_model_text(f"{HEAD}parameters: {{a: 1}}\nlet:\n  s: {text}\n").name == "model"


@pytest.mark.parametrize(
    "text",
    [
        "9^9^9",
        "2^1000000",
        "10^10^10",
        "(10^300)^300",
        "1e400",
        "1e-99999999999",
        "9" * 5000,
        "1e308*10",
        "(1e200)^2",
        "1e300^2",
        "exp(1e10)",
        "2.0^1e9",
    ],
)
def test_huge_numbers(text):
    refused(f'{HEAD}parameters: {{a: "{text}"}}\n')


def test_numbers_that_grow_from_line_to_line():
    lines = ["  a0: 10^100"] + [f"  a{k}: a{k - 1}*a{k - 1}" for k in range(1, 30)]
    assert re.search("larger than any|bits", refused(HEAD + "let:\n" + "\n".join(lines)))


def test_a_graph_that_grows_from_line_to_line(monkeypatch):
    """Derivatives of derivatives: each is several times as large as what it is taken of."""
    monkeypatch.setattr(model_file_values, "MOST_NODES", 5_000)
    monkeypatch.setattr("symbody.bodies.file.scope.MOST_NODES", 5_000)
    lines = ["  a0: sin(q)*cos(q^2)*exp(q)/(1 + q^2)"]
    lines += [f"  a{k}: derivative(a{k - 1}*a{k - 1}, q)" for k in range(1, 60)]
    assert "nodes" in refused(f"{HEAD}coordinates: q\nlet:\n" + "\n".join(lines))


def test_copies_of_copies():
    """Each part holds the one before twice, eight times over: that is refused long before it is 256 bodies."""
    part = "{bodies: {b: {frame: ground, mass: 1}}}"
    for _ in range(8):
        part = f"{{parts: {{p: {part}}}, attach: {{a: {{part: p}}, b: {{part: p}}}}}}"
    assert (
        sb.study.read_model_text(f"{HEAD}parts: {{p: {part}}}\nattach: {{x: {{part: p}}}}\n").mechanism.bodies[255].name
        == "x_b_b_b_b_b_b_b_b_b"
    )
    many = ", ".join(f"c{k}: {{part: p}}" for k in range(90))
    assert "copies" in refused(f"{HEAD}parts: {{p: {part}}}\nattach: {{{many}}}\n")


def test_many_definitions_in_a_row():
    """A chain of definitions, each using the next: no recursion, whichever way it is written."""
    n = 3000
    lines = [f"  a{k}: a{k + 1} + 1" for k in range(n)] + [f"  a{n}: 1"]
    assert (
        sb.study.read_model_text(f"{HEAD}let:\n" + "\n".join(lines) + "\noutputs: {o: a0}\n")
        .model.parts.outputs["o"]
        .value
        == n + 1
    )


def test_too_many_items():
    assert "at most 3000" in refused(HEAD + "bodies:\n" + "".join(f"  b{k}: {{mass: 1}}\n" for k in range(3001)))


def test_too_many_bytes_and_values(monkeypatch):
    monkeypatch.setattr(model_file_text, "MOST_BYTES", 1000)
    assert "at most 1000 bytes" in refused(HEAD + "#" * 2000)
    monkeypatch.undo()
    monkeypatch.setattr(model_file_text, "MOST_NODES", 100)
    assert "more than 100 values" in refused(HEAD + "let:\n" + "".join(f"  a{k}: 1\n" for k in range(200)))


# ---------------------------------------------------------------------------------------------------- characters


@pytest.mark.parametrize(
    "data",
    [
        b"symbody: 1\nname: \x00\n",
        b"symbody: 1\nname: \xff\xfe\n",
        b"symbody: 1\nname: \xed\xa0\x80\n",
        HEAD.encode("utf-16"),
        b"\x1b[31msymbody: 1\n",
        b"symbody: 1\nname: \x7f\n",
        "symbody: 1\nname: \x01\n",
        "symbody: 1\nlet: {\ufffe: 1}\n",
        b"",
        b"\n\n",
        b"---\n",
        b"[1, 2]",
        b"just text",
        b"\xef\xbb\xbf",
    ],
)
def test_characters_that_cannot_stand_in_a_file(data):
    refused(data)


def test_byte_order_mark_is_read_over():
    assert sb.study.read_model_text(b"\xef\xbb\xbfsymbody: 1\nname: a\n").name == "a"


def test_names_that_would_be_code():
    """Names of symbols go into generated code: only identifiers pass, and nothing is written as it came."""
    for name in ("a; b", "a b", "x\\n", "é", "0a", "a" * 101, "x)", '"', "pi", "t", "ground"):
        refused(f"{HEAD}parameters: {{{name!r}: 1}}\n")


# ---------------------------------------------------------------------------------------------------- files


def model_with(folder: Path, what: str) -> Path:
    path = folder / "model.yaml"
    path.write_text(f"{HEAD}bodies: {{b: {{frame: ground, mass: 1}}}}\n{what}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "name",
    ["../secret.stl", "/etc/passwd", "a/../../secret.stl", "..", ".", "", "C:\\secret.stl", "C:/x.stl", "a//b.stl", "~/x.stl",
     "link.stl", "folder/secret.stl", "missing.stl", "\\\\host\\x.stl", "file:///x.stl", "a" * 300, "notes.txt", "sub"],
)  # fmt: skip
def test_meshes_lie_beside_the_file(tmp_path, name):
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    (tmp_path / "secret.stl").write_text("secret")
    (inside / "notes.txt").write_text("text")
    (inside / "link.stl").symlink_to(tmp_path / "secret.stl")
    (inside / "folder").symlink_to(tmp_path)
    with pytest.raises(sb.errors.ModelFileError) as caught:
        sb.read_model(model_with(inside, f"draw: {{shapes: {{s: {{mesh: {name!r}, on: b}}}}}}"))
    assert caught.value.line == 3


def test_a_mesh_beside_the_file(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "wheel.stl").write_text("solid")
    found = sb.read_model(model_with(tmp_path, "draw: {shapes: {s: {mesh: sub/wheel.stl, on: b}}}"))
    assert found.requests.draw.shapes[0].file == tmp_path / "sub" / "wheel.stl"


def test_parts_lie_beside_the_file(tmp_path):
    (tmp_path / "out.yaml").write_text(f"{HEAD}bodies: {{c: {{frame: ground, mass: 1}}}}\n")
    (tmp_path / "inside").mkdir()
    with pytest.raises(sb.errors.ModelFileError, match="not a path beside"):
        sb.read_model(model_with(tmp_path / "inside", "parts: {p: ../out.yaml}\nattach: {a: {part: p}}"))


def test_a_file_that_contains_itself(tmp_path):
    with pytest.raises(sb.errors.ModelFileError, match="at most 32 files"):
        sb.read_model(model_with(tmp_path, "parts: {p: model.yaml}\nattach: {a: {part: p}}"))


def test_text_cannot_mention_files():
    assert "given as text" in refused(f"{HEAD}parts: {{p: out.yaml}}\nattach: {{a: {{part: p}}}}\n")


def test_a_folder_or_nothing_is_no_file(tmp_path):
    for path in (tmp_path, tmp_path / "missing.yaml"):
        with pytest.raises(sb.errors.ModelFileError):
            sb.read_model(path)


# ---------------------------------------------------------------------------------------------------- damage

TOKENS = (
    "[", "]", "{", "}", ":", ",", "- ", "? ", "&a ", "*a", "!!x ", "'", '"', "\n", "\t", "  ", "#", "|", ">", "%", "@", "null", "~", "true", "1e999", "-1",
    "0", "1/0", "9^9^9", "q1", "q1'", "q1_dot", "ground", "ground.x", "ground.origin", "x", "z", "pi", "t", "sin(", "(", ")", ".", "^", "**", "revolute", "spring",
    "on", "at", "frame", "mass", "let", "frames", "joints", "loads", "symbody", "a" * 200, "\x00", "é", "\u2028", "where(1 < 2, 1, 2)", "solve([[1]], [2])[0]",
    "body.point(1, 2, 3)", ".velocity()", ".dt()", "[0, 0, 0]", "inf", "nan", "1_000", "0x10", "<<: *a",
)  # fmt: skip


def damaged(r: Random, text: str) -> str:
    for _ in range(r.choice((1, 1, 1, 2, 3, 8))):
        lines, at = text.split("\n"), r.randrange(len(text) + 1)
        match r.randrange(9):
            case 0:
                text = text[:at] + r.choice(TOKENS) + text[at:]
            case 1:
                text = text[:at] + text[at + r.randrange(1, 12) :]
            case 2:
                text = text[:at] + chr(r.choice((r.randrange(128), r.randrange(0x3000)))) + text[at + 1 :]
            case 3:
                lines.pop(r.randrange(len(lines)))
                text = "\n".join(lines)
            case 4:
                lines.insert(r.randrange(len(lines) + 1), r.choice(lines))
                text = "\n".join(lines)
            case 5:
                other = r.choice(list(EXAMPLES.values())).split("\n")
                lines[r.randrange(len(lines))] = r.choice(other)
                text = "\n".join(lines)
            case 6:
                words = [w for w in text.replace(",", " ").replace("[", " ").split() if w]
                text = text.replace(r.choice(words or ["x"]), r.choice([*words, *TOKENS]), r.choice((1, 1, -1)))
            case 7:
                i, j = sorted((at, r.randrange(len(text) + 1)))
                text = text[:at] + text[i : min(j, i + 60)] + text[at:]
            case _:
                lines[r.randrange(len(lines))] = "  " * r.randrange(3) + r.choice(TOKENS) + ": " + r.choice(TOKENS)
                text = "\n".join(lines)
    return text


def test_damaged_files_are_read_or_refused():
    """Nothing but a ModelFileError comes out, whatever goes in."""
    seconds = float(os.environ.get("SYMBODY_FUZZ_SECONDS", "0"))
    end, r = time.monotonic() + seconds, Random(os.environ.get("SYMBODY_FUZZ_SEED", "1"))
    read, count, worst = 0, 0, (0.0, "")
    while count < 250 or time.monotonic() < end:
        text = damaged(r, r.choice(list(EXAMPLES.values())))
        begin, message = time.monotonic(), "damaged.yaml:"
        try:
            sb.study.read_model_text(text, "damaged.yaml")
            read += 1
        except sb.errors.ModelFileError as reason:
            message = str(reason)
        except Exception as reason:
            raise AssertionError(f"{type(reason).__name__}: {reason}\n{text}") from reason
        assert message.startswith("damaged.yaml:")
        worst = max(worst, (time.monotonic() - begin, text))
        count += 1
    print(f"{count} files, {read} read, slowest {worst[0]:.2f} s\n{worst[1] if worst[0] > 1 else ''}")
    assert 0 < read < count
