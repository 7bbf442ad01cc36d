"""`python -m docs.documents [NAME ...]`: run the chapters, print their records; exits with 1 where one is off."""

from __future__ import annotations

import sys

from .running import chapters, report, run_chapter

if __name__ == "__main__":
    wanted = sys.argv[1:]
    records = [r for path in chapters() if not wanted or path.stem in wanted for r in run_chapter(path)[1]]
    print(report(records))
    sys.exit(any(r.verdict == "off" for r in records))
