"""First variation of `Equations` about a motion: system matrices, with symbolic parameters if possible."""
