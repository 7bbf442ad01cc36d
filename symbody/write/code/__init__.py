"""Programs as source text in other languages."""
