"""The smallest model that still fails: items and options are dropped, one after the other, as long as the same check
fails in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from ..limits import Limit, cpu_time
from .recipe import LISTED, Sections
from .trial import Answer, Case, tried

KEPT = ("symbody", "name")
PARTS = (
    "loads",
    "labels",
    "outputs",
    "speeds",
    "constraints",
    "rates",
    "attach",
    "joints",
    "bodies",
    "frames",
    "equations",
)  # what is dropped first stands first
LIMIT = Limit(40.0, 3000.0)  # of one attempt


def shrunk(case: Case, failed: Answer, seconds: float = 60.0) -> Case:
    """A smaller case of the same failure; as small as so many seconds of CPU time allow."""
    until = cpu_time() + seconds
    found = Case(case.sections, case.seed, (failed.check,) if failed.check != "reading" else ())
    progress = True
    while progress:
        progress = False
        for sections in _smaller(found.sections):
            if cpu_time() > until:
                return found
            trial = Case(sections, found.seed, found.checks)
            if any(a.check == failed.check and a.sort == failed.sort for a in tried(trial, LIMIT)):
                found, progress = trial, True
                break
    return found


def _smaller(sections: Sections) -> Iterator[Sections]:
    """Sections without one item and all that mention it; then without one option of an item."""
    for section in PARTS:
        for name in reversed(list(sections.get(section, {}))):
            yield _without(sections, section, name)
    if "gravity" in sections:
        yield {k: v for k, v in sections.items() if k != "gravity"}
    for section in ("joints", "bodies", "loads"):
        for name, item in sections.get(section, {}).items():
            for option in list(item)[1:]:
                yield {**sections, section: {**sections[section], name: {k: v for k, v in item.items() if k != option}}}


def _without(sections: Sections, section: str, name: str) -> Sections:
    """Sections without an item, and without whatever mentions it or something that went with it."""
    out = deepcopy(sections)
    del out[section][name]
    gone = [name]
    while gone:
        word = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(gone.pop())}(_\w+)?(?![A-Za-z0-9_])")
        for other in PARTS:
            for key in [
                k
                for k, item in out.get(other, {}).items()
                if word.search(f"{k if other == 'speeds' else ''} {_words(item)}")
            ]:
                del out[other][key]
                gone.append(key)
        for table in ("start",):
            out[table] = {k: v for k, v in out.get(table, {}).items() if not word.fullmatch(k)}
    return _swept(out)


def _swept(sections: Sections) -> Sections:
    """Without names that nothing mentions."""
    said = _words({k: v for k, v in sections.items() if k not in (*LISTED, "parameters", "start", "simulate")})
    laws = sections.get("simulate", {}).get("inputs", {})
    for name in [n for n in laws if not _mentions(said, n)]:
        laws.pop(name)
    said += _words(laws)
    for group in LISTED:
        sections[group] = [n for n in sections.get(group, []) if _mentions(said, n)]
    sections["parameters"] = {k: v for k, v in sections.get("parameters", {}).items() if _mentions(said, k)}
    return {k: v for k, v in sections.items() if v not in ([], {}) or k in KEPT}


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?:_d+ot)?(?![A-Za-z0-9_])", text) is not None


def _words(content: Any) -> str:
    """Keys and texts of some content."""
    if isinstance(content, dict):
        return " ".join(f"{k} {_words(v)}" for k, v in content.items())
    return " ".join(map(_words, content)) if isinstance(content, list) else str(content)
