"""Continuous collision detection on arrays: how far may these points move?"""

from ._native import step_size

__all__ = ["step_size"]
