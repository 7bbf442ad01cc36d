"""The parts that a page is made of, and the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from ...escaping import in_html
from ...view.figures.interactive import content_policy


@dataclass(frozen=True)
class Page:
    """One file of HTML that needs nothing else.

    scripts   their texts; no others run in the page
    loads     whether they may load more
    """

    title: str
    summary: str
    sections: Sequence[str]
    styles: str
    scripts: Sequence[str]
    loads: bool = False

    def html(self) -> str:
        links = "".join(
            f"<a href='#{m[1]}'>{m[2]}</a>"
            for s in self.sections
            if (m := re.match(r"<section id='([^']*)'[^>]*><h2[^>]*>([^<]*)", s))
        )
        scripts = "".join(f"<script>{text}</script>" for text in self.scripts)
        return (
            "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
            f"{content_policy(self.scripts, loads=self.loads)}"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            f"<title>{in_html(self.title)}</title><link rel='icon' href='data:,'><style>{self.styles}</style></head><body>"
            "<a class='skip' href='#content'>Skip to content</a>"
            f"<header><div class='head'><h1>{in_html(self.title)}</h1>"
            "<button type='button' id='theme' aria-label='Light or dark'>◐</button></div>"
            f"{self.summary}<nav aria-label='Parts of this page'>{links}</nav></header>"
            f"<main id='content'>{''.join(self.sections)}</main>"
            f"<footer>Made by symbody.</footer>{scripts}</body></html>\n"
        )


def asset(folder: str, name: str) -> str:
    """The text of a style or a script that stands beside the code of a room."""
    return files("symbody").joinpath("write", folder, name).read_text(encoding="utf-8")


def section(name: str, title: str, inner: str) -> str:
    return (
        f"<section id='{in_html(name)}' aria-labelledby='{in_html(name)}-title'><h2 "
        f"id='{in_html(name)}-title'>{in_html(title)}</h2>{inner}</section>"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = "".join(f"<th scope='col'>{in_html(h)}</th>" for h in head)
    body = "".join(f"<tr>{''.join(f'<td>{in_html(c)}</td>' for c in row)}</tr>" for row in rows)
    return f"<div class='scroll' tabindex='0'><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"


def note(text: str, is_warning: bool = False) -> str:
    return f"<p class='note{' warning' if is_warning else ''}'>{in_html(text)}</p>"


def details(title: str, inner: str, is_open: bool = False) -> str:
    return f"<details{' open' if is_open else ''}><summary>{in_html(title)}</summary>{inner}</details>"
