"""The JavaScript target."""
