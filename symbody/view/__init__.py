"""From a motion to something to look at: a scene as plain data, a page with it, films and files for other viewers."""
