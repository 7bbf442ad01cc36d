"""The parts that a page is made of, and the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Page:
    """One file of HTML that needs nothing else."""

    title: str
    summary: str
    sections: Sequence[str]
    styles: str
    scripts: str

    def html(self) -> str:
        links = "".join(
            f"<a href='#{m[1]}'>{m[2]}</a>"
            for s in self.sections
            if (m := re.match(r"<section id='([^']*)'[^>]*><h2[^>]*>([^<]*)", s))
        )
        return (
            "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            f"<title>{escape(self.title)}</title><link rel='icon' href='data:,'><style>{self.styles}</style></head><body>"
            "<a class='skip' href='#content'>Skip to content</a>"
            f"<header><div class='head'><h1>{escape(self.title)}</h1>"
            "<button type='button' id='theme' aria-label='Light or dark'>◐</button></div>"
            f"{self.summary}<nav aria-label='Parts of this page'>{links}</nav></header>"
            f"<main id='content'>{''.join(self.sections)}</main>"
            f"<footer>Made by symbody.</footer>{self.scripts}</body></html>\n"
        )


def section(name: str, title: str, inner: str) -> str:
    return f"<section id='{escape(name)}' aria-labelledby='{escape(name)}-title'><h2 id='{escape(name)}-title'>{escape(title)}</h2>{inner}</section>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = "".join(f"<th scope='col'>{escape(h)}</th>" for h in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(c)}</td>' for c in row)}</tr>" for row in rows)
    return f"<div class='scroll' tabindex='0'><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"


def note(text: str, is_warning: bool = False) -> str:
    return f"<p class='note{' warning' if is_warning else ''}'>{escape(text)}</p>"


def details(title: str, inner: str, is_open: bool = False) -> str:
    return f"<details{' open' if is_open else ''}><summary>{escape(title)}</summary>{inner}</details>"
