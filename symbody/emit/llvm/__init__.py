"""Programs and loops -> LLVM text -> machine code."""
