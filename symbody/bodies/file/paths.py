"""Files that a model file mentions: they lie beside it or below, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ...given_files import beside as file_beside
from .located import LocatedText

_PATH: Final = re.compile(r"[^\\/:*?\"<>|]+(/[^\\/:*?\"<>|]+)*")
MOST_LETTERS: Final = 200


def beside(said: LocatedText) -> Path:
    """The path of a plain file in the folder of the model file or below; links and .. are refused, whatever they lead
    to."""
    text, folder = said.text, said.source.folder
    if folder is None:
        raise said.error(
            f"the file {text[:60]!r} cannot be found from a model that was given as text; read the model from a file"
        )
    parts = text.split("/")
    if (
        len(text) > MOST_LETTERS
        or not _PATH.fullmatch(text)
        or any(p.strip(" .") == "" or p != p.strip() for p in parts)
    ):
        raise said.error(
            f"{text[:60]!r} is not a path beside the model file: names with / between them, without .. or a leading /"
        )
    path = folder
    for part in parts:
        path = path / part
        if path.is_symlink():
            raise said.error(f"{text!r} leads over a link; files beside the model file must be plain files")
    if not path.is_file():
        raise said.error(f"there is no file {text!r} beside {said.source.name}")
    if file_beside(folder, text) is None:
        raise said.error(f"{text!r} leads out of the folder of the model file")
    return path
