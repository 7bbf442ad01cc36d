"""The Scilab target."""
