"""Programs and machine code on disk, by content: signed, and of no use once a source file of this package changes."""
