"""Equations of the book as MathML, which browsers show by themselves: no fonts, no scripts, no network.

Pages write them in blocks of LaTeX, ```` ```math ````, which also GitHub and notebooks show.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(page: Any, node: nodes.math) -> None:
    page.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(page: Any, node: nodes.math_block) -> None:
    page.body.append(f'<div class="equation">{block(node.astext())}</div>')
    raise nodes.SkipNode


def block(latex: str) -> str:
    """An equation on lines of its own; LaTeX that cannot be read is an error that shows it."""
    return tex2mathml(latex).replace("<math ", '<math display="block" ', 1)
