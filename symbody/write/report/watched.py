"""A report that follows its model file: made again whenever the file is saved, and pages that are open show the new one.

Pages that are opened from a disk may not read files, but they may load scripts: an open page loads `data/saved.js`
every second, which says which version is the latest and, where that one failed, why.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ...whole_files import write_text

PAUSE: Final = 0.3  # seconds between two looks at the file
Stamp = tuple[int, int]

SCRIPT: Final = """
window.symbodySaved = (version, failure) => {
  const mine = document.documentElement.dataset.saved ||= version;
  if (!failure && version !== mine) { location.reload(); return; }
  let bar = document.getElementById("symbody-failure");
  if (!bar && failure) {
    bar = document.createElement("pre");
    bar.id = "symbody-failure";
    bar.style = "position:fixed;inset:auto 0 0 0;margin:0;padding:1rem;max-height:40vh;overflow:auto;z-index:9;" +
      "white-space:pre-wrap;background:#7f1d1d;color:#fff;font:14px monospace";
    document.body.append(bar);
  }
  if (bar) { bar.textContent = failure; bar.hidden = !failure; }
};
setInterval(() => {
  const look = document.createElement("script");
  look.src = "data/saved.js?" + Date.now();
  look.onload = look.onerror = () => look.remove();
  document.body.append(look);
}, 1000);
"""


def versions(path: Path, pause: Callable[[], None] = lambda: time.sleep(PAUSE)) -> Iterator[Stamp]:
    """A stamp for the file as it is, and one each time that it was saved. While it is not there, which is how some
    editors save, nothing is new; a file that is still being written counts when two looks agree."""
    seen: Stamp | None = None
    before: Stamp | None = stamp(path)
    while True:
        now = stamp(path)
        if now is not None and now != seen and now == before:
            seen = now
            yield now
        before = now
        pause()


def stamp(path: Path) -> Stamp | None:
    """Time of the last change, and size; None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size


def tell_pages(folder: Path, version: Stamp, failure: str = "") -> None:
    """Let pages that are open know of a version, or why there is none."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    words = ", ".join(json.dumps(x).replace("<", "\\u003c") for x in ("-".join(map(str, version)), failure))
    write_text(folder / "data" / "saved.js", f"window.symbodySaved({words});\n")
