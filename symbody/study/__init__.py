"""Where models come from, what is asked of them, and the study that answers."""
