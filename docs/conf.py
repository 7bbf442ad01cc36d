"""Settings of Sphinx. `python -m docs.book` calls it on a copy of this folder, with reference and gallery beside it."""

from pathlib import Path

project = "symbody"
copyright = "the symbody developers"
extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "docs.book.mathml",
    "docs.book.search",
]
html_math_renderer = "mathml"
source_suffix = {".md": "markdown"}
exclude_patterns = ["book", "gallery/*.py"]
myst_enable_extensions = ["attrs_inline", "deflist", "dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # fragments of code with an ellipsis

html_theme = "furo"
html_title = "symbody"
html_static_path = ["_static"]
html_extra_path = ["extra"]  # files that stand beside the pages
html_css_files = ["style.css"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_show_sphinx = False
html_copy_source = False
