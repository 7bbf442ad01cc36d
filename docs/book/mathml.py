"""Equations of the book as MathML, which browsers show by themselves: no fonts, no scripts, no network.

Pages write them in blocks of LaTeX, ```` ```math ````, which also GitHub and notebooks show.
"""

from __future__ import annotations

from typing import Any, Final
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

MATHML: Final = "http://www.w3.org/1998/Math/MathML"
ACCENTS: Final = "˙¨ˉˆ^~˜"


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(page: Any, node: nodes.math) -> None:
    page.body.append(inline(node.astext()))
    raise nodes.SkipNode


def _block(page: Any, node: nodes.math_block) -> None:
    page.body.append(f'<div class="equation">{block(node.astext())}</div>')
    raise nodes.SkipNode


def block(latex: str) -> str:
    """An equation on lines of its own; LaTeX that cannot be read is an error that shows it."""
    return inline(latex).replace("<math ", '<math display="block" ', 1)


def inline(latex: str) -> str:
    """An equation in a line of text. The index of q with a dot stands beside it, where docutils has it below, as under
    a sum."""
    text = tex2mathml(latex).replace("&ApplyFunction;", "\u2061")
    root = ElementTree.fromstring(text)
    for e in root.iter(f"{{{MATHML}}}munderover"):
        base, index, mark = e
        if mark.text and mark.text in ACCENTS:
            accented = ElementTree.Element(f"{{{MATHML}}}mover", {"accent": "true"})
            accented.extend([base, mark])
            e.tag = f"{{{MATHML}}}msub"
            e[:] = [accented, index]
    ElementTree.register_namespace("", MATHML)
    return ElementTree.tostring(root, encoding="unicode")
