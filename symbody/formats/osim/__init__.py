"""Musculoskeletal models from OpenSim's files: text -> joints, functions and paths -> model."""
