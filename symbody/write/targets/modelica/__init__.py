"""The Modelica target."""
