"""Robots as files describe them: links and joints of any format -> model."""
