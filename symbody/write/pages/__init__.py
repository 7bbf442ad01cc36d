"""Pages of HTML: their frame, styles and scripts."""
