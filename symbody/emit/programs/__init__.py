"""`Program`: straight-line instructions, the schedules and trees among their data, and how they are laid out in memory."""
