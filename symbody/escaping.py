"""Escapes user text for other languages: one function for each target, used by all writers of that target.

Names of symbols are identifiers and need none of this (`algebra/graph/graph.py` refuses others). Names of models, bodies,
joints and loads, descriptions, notes and titles are free text: they may hold quotation marks, dollar signs and angle
brackets, but no control characters, no line breaks and nothing that turns the direction of writing (`checked_name`). A
target escapes those too, since text also comes from elsewhere.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shlex
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

from .errors import ModelError, SymbodyError, shown

MOST_CHARACTERS: Final = 1000  # of a name
# C0 and C1 controls, line and paragraph separators, marks and overrides of direction, halves of surrogate pairs, what
# is no character
UNPRINTABLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_FORMULA: Final = tuple("=+-@")  # with which a formula begins
_LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


def checked_name(name: object, what: str, kind: type[SymbodyError] = ModelError) -> str:
    """A name that can be printed on one line; anything else is refused."""
    if not isinstance(name, str):
        raise kind(f"{what}: a name comes first and must be text, got {shown(name)}")
    if len(name) > MOST_CHARACTERS:
        raise kind(f"{what} {shown(name)}: a name has at most {MOST_CHARACTERS} characters, this one has {len(name)}")
    if found := UNPRINTABLE.search(name):
        raise kind(f"{what} {shown(name)}: the character U+{ord(found[0]):04X} cannot stand in a name")
    return name


def identifier(name: str) -> str:
    """A free name ("rear frame") as an identifier for symbols (rear_frame)."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "_"


def in_one_line(text: str) -> str:
    """For comments that end with their line (`#`, `%`, `//`), and for terminals: unprintable characters are shown as
    codes."""
    return UNPRINTABLE.sub(_code, text)


def in_terminal(text: str) -> str:
    """Lines for a terminal: no character that moves its cursor or changes its colours."""
    return "\n".join(map(in_one_line, text.replace("\t", "    ").split("\n")))


def _code(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def in_block_comment(text: str) -> str:
    """For a comment of C, `/* ... */`."""
    return in_one_line(text).replace("*/", "* /").replace("/*", "/ *")


def as_c_string(text: str) -> str:
    """A string of C, in ASCII. (Codes have three octal digits, so that nothing that follows belongs to them; `?` begins
    no trigraph.)"""
    inside = "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in in_one_line(text).encode()
    )
    return f'"{inside}"'


def as_fortran_string(text: str) -> str:
    """A string of Fortran, in ASCII."""
    return '"' + in_one_line(text).encode("ascii", "backslashreplace").decode().replace('"', '""') + '"'


def as_rust_string(text: str) -> str:
    """A string of Rust, in ASCII."""
    inside = "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\u{{{ord(c):x}}}" for c in in_one_line(text))
    return f'"{inside}"'


def as_scilab_string(text: str) -> str:
    """A string of Scilab, in ASCII: both quotation marks end one, and stand in it twice."""
    plain = in_one_line(text).encode("ascii", "backslashreplace").decode()
    return '"' + plain.replace('"', '""').replace("'", "''") + '"'


def in_scilab_comment(text: str) -> str:
    """For a comment of Scilab, `// ...`, which two dots at its end would continue."""
    return in_one_line(text).encode("ascii", "backslashreplace").decode().replace("..", ". .")


def as_modelica_string(text: str) -> str:
    """A string of Modelica, in ASCII."""
    plain = in_one_line(text).encode("ascii", "backslashreplace").decode()
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def in_markdown(text: str) -> str:
    """For running text and tables of Markdown."""
    plain = html.escape(in_one_line(text), quote=False)
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", plain)


def as_python_literal(text: str) -> str:
    """A string of Python, in ASCII; as a docstring too."""
    inside = text.encode("unicode_escape").decode("ascii").replace('"', r"\"")
    return f'"""{inside}"""'


def as_python_docstring(lines: Iterable[str]) -> str:
    """A string of Python over several lines, in ASCII; a line that has a break in it stays one line."""
    inside = [line.encode("unicode_escape").decode("ascii").replace('"', r"\"") for line in lines]
    return '"""' + "\n".join(inside) + '"""'


def in_latex(text: str) -> str:
    r"""For running text and \text{...}."""
    return "".join(_LATEX.get(c, c) for c in in_one_line(text))


def in_html(text: str) -> str:
    """For text and for attributes of HTML and SVG."""
    return html.escape(in_terminal(text), quote=True)


def in_xml(text: str) -> str:
    """For attributes and text of XML, on one line."""
    return html.escape(in_one_line(text), quote=True)


def as_attribute(markup: str) -> str:
    """A page of our own as an attribute of another: every character stays."""
    return html.escape(markup, quote=True)


def in_address(name: str) -> str:
    """The name of a file in a relative address (href)."""
    return html.escape(quote(name), quote=True)


def in_shell(text: str) -> str:
    """One word of a command for a POSIX shell."""
    return shlex.quote(in_one_line(text))


def csv_row(cells: Iterable[str]) -> str:
    """Texts as a line of a table (.csv), quoted where they hold commas or quotation marks. What a spreadsheet would take for
    a formula begins with an apostrophe."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([f"'{c}" if c[:1] in _FORMULA else c for c in map(in_one_line, cells)])
    return line.getvalue()


def as_script_data(data: Any) -> str:
    """JSON that can stand in a <script> element."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def in_figure(text: str) -> str:
    """For matplotlib, which takes what stands between dollar signs for mathematics."""
    return in_terminal(text).replace("$", r"\$")
