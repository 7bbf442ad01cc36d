"""The only definition of the version: `pyproject.toml` reads this file, and `tests/test_versions.py` compares
CITATION.cff."""

VERSION = "0.1.0"
