"""Model files: text -> tree -> checked fields -> model."""
