"""Models as complete artefacts in other languages: one description of what is written, one small writer for each
language."""
