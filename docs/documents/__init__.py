"""The source documents, reproduced: chapters that run, and the records that they make."""

from .records import Comparison, Document, Record, equation, measured, printed, statement

__all__ = ["Comparison", "Document", "Record", "equation", "measured", "printed", "statement"]
