"""`python -m docs.book [-o FOLDER] [--only PAGE ...]`: make the site."""

from __future__ import annotations

import argparse
from pathlib import Path

from .site import build


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m docs.book", description="Make the site, to be read offline.")
    parser.add_argument("-o", "--output", type=Path, default=Path("site"), metavar="FOLDER")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="PAGE",
        help="only these pages, for a quick look: linear, gallery/stick_slip, 'reference/*'; links to others are not checked",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes that run code; 0: no code is run")
    given = parser.parse_args()
    print(build(given.output.resolve(), given.workers, only=given.only, tell=lambda said: print(said, flush=True)))


if __name__ == "__main__":
    main()
