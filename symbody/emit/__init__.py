"""From the graph to straight-line programs, and from these to callables and source text."""
