"""Meshes from and to arrays: nodes (m) of shape (n, 3), and tetrahedra (m, 4) or triangles (m, 3)."""

from ._native import read_mesh as read
from ._native import repair, tetrahedralize
from ._native import write_mesh as write

__all__ = ["read", "repair", "tetrahedralize", "write"]
