"""Everything that leaves the package: code in other languages, model files, trajectories, glTF, films, reports."""
