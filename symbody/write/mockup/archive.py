"""A zip file whose bytes depend on its content only: names in order, one date, forward slashes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Final

FIRST_DATE: Final = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can hold


def archive(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name in sorted(files, key=lambda n: (n != "modelDescription.xml", n)):
            entry = zipfile.ZipInfo(name, FIRST_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever it is written
            entry.external_attr = 0o644 << 16
            made.writestr(entry, files[name])
    return buffer.getvalue()
