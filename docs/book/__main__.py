"""`python -m docs.book [-o FOLDER]`: make the site."""

from __future__ import annotations

import argparse
from pathlib import Path

from .site import build

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m docs.book", description="Make the site, to be read offline.")
    parser.add_argument("-o", "--output", type=Path, default=Path("site"), metavar="FOLDER")
    print(build(parser.parse_args().output.resolve()))
