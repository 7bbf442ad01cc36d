"""Scripts that the cells of a notebook share: `share_viewer` puts them into one cell, and scenes and figures shown
after it ask that cell for them.

Each cell has a frame of its own, which its page cannot leave. Frames exchange messages; the content policy of a page
lets an answer run only if its hash is that of the requested script.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

ANSWERS: Final = (
    "addEventListener('message',(e)=>{const name=e.data&&e.data.symbodyWants,kept=name&&document.getElementById(name);"
    "if(kept)e.source.postMessage({symbodyScript:{name,text:kept.textContent}},'*')})"
)
MISSING: Final = (
    '<p class="symbody-missing" hidden>To turn and play this, show <code>sb.view.share_viewer()</code> in a cell of '
    "this notebook.</p>"
)


@dataclass
class _Session:
    shares: bool = False


_SESSION: Final = _Session()  # of this process: a notebook has one


def share_scripts(wanted: bool) -> None:
    """Set whether pages in cells request their scripts from now on, instead of containing them."""
    _SESSION.shares = wanted


def are_shared() -> bool:
    """Whether pages in cells request their scripts."""
    return _SESSION.shares


@lru_cache(maxsize=1)
def asking_script() -> str:
    """The script of a page that requests another script."""
    return files(__package__).joinpath("shared_scripts.js").read_text(encoding="utf-8")


def script_name(script: str) -> str:
    """The name under which a script is requested; each version has its own name."""
    return f"symbody-{sha256(script.encode()).hexdigest()[:16]}"


def asking(script: str) -> str:
    """What stands in a page in place of a script."""
    return f'{MISSING}<script data-wanted="{script_name(script)}">{asking_script()}</script>'


def stored_text(script: str) -> str:
    """A script in the page that answers: as text, which does not run there."""
    return f'<script type="text/plain" id="{script_name(script)}">{script}</script>'
