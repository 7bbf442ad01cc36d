"""The common parts of all language printers: statements of programs, statements of kernels, templates."""
