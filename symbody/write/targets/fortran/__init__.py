"""The Fortran 2008 target."""
