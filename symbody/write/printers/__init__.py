"""What the printers of languages share: statements of programs, statements of kernels, templates."""
