"""Meshes from and to arrays and files."""

import numpy as np
import pytest

import impinge
from impinge import mesh

# A cube of side 1 m, wound outwards.
CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
FACES = np.array(
    [
        [0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4],
        [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5],
    ]
)


def volume(nodes, tets):
    a, b, c, d = (nodes[tets[:, corner]] for corner in range(4))
    return (np.cross(b - a, c - a) * (d - a)).sum() / 6


def test_a_cube_is_filled_exactly():
    nodes, tets, report = mesh.tetrahedralize(CORNERS, FACES, 0.25)
    assert nodes.dtype == np.float64 and tets.dtype == np.uint32
    assert volume(nodes, tets) == pytest.approx(1.0)
    assert report["volume"] == pytest.approx(1.0) and report["parts"] == 1
    assert 9 < report["dihedral"][0] < report["dihedral"][1] < 162


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_order_and_type_of_an_array_do_not_matter(order, dtype):
    expected = mesh.tetrahedralize(CORNERS, FACES, 0.5)
    nodes, tets, _ = mesh.tetrahedralize(np.asarray(CORNERS, dtype, order=order), FACES.astype(np.uint8), 0.5)
    assert np.array_equal(nodes, expected[0]) and np.array_equal(tets, expected[1])


@pytest.mark.parametrize("ending", ["msh", "vtu", "mesh"])
def test_a_solid_is_read_back_bit_for_bit(tmp_path, ending):
    nodes, tets, _ = mesh.tetrahedralize(CORNERS / 3, FACES, 0.2)
    mesh.write(tmp_path / f"cube.{ending}", nodes, tets)
    again = mesh.read(tmp_path / f"cube.{ending}")
    assert np.array_equal(again[0], nodes) and np.array_equal(again[1], tets)
    surface = mesh.read(tmp_path / f"cube.{ending}", "surface")[1]
    assert surface.shape[1] == 3


def test_a_surface_is_read_back_bit_for_bit(tmp_path):
    mesh.write(tmp_path / "cube.obj", CORNERS / 3, FACES)
    vertices, faces = mesh.read(tmp_path / "cube.obj")
    assert np.array_equal(vertices, CORNERS / 3) and np.array_equal(faces, FACES)


def test_a_surface_with_seams_and_a_flat_triangle_is_repaired():
    soup = CORNERS[FACES].reshape(-1, 3)
    triangles = np.arange(len(soup)).reshape(-1, 3)
    nodes, faces, report = mesh.repair(soup, np.vstack([triangles, [[0, 0, 1]]]))
    assert len(nodes) == 8 and len(faces) == 12
    assert report["changed"] and report["flat_elements"] == 1 and report["open_edges"] == 0
    _, _, again = mesh.repair(nodes, faces)
    assert not again["changed"]


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        (CORNERS.T, FACES, r"vertices has shape \(3, 8\); give \(n, 3\)"),
        (CORNERS[:, 0], FACES, r"vertices has shape \(8,\)"),
        (CORNERS.astype(complex), FACES, "vertices has dtype complex128; give real numbers"),
        (CORNERS.astype(str), FACES, "vertices has dtype <U32"),
        (np.where(CORNERS == 1, np.nan, CORNERS), FACES, r"vertices\[1, 0\] is NaN"),
        (CORNERS, FACES.astype(float), "faces has dtype float64; give integers"),
        (CORNERS, FACES - 1, r"faces\[0, 0\] is -1"),
        (CORNERS, FACES[:, :2], r"faces has shape \(12, 2\)"),
        ([[0, 0, 0], [1, 0]], FACES, "vertices is no array"),
    ],
)
def test_arrays_that_are_no_mesh(vertices, faces, message):
    with pytest.raises(impinge.ArgumentError, match=message):
        mesh.tetrahedralize(vertices, faces, 0.5)


def test_a_hole_is_named():
    with pytest.raises(impinge.MeshError, match="edge"):
        mesh.tetrahedralize(CORNERS, FACES[1:], 0.5)


def test_an_index_without_a_node_is_named():
    with pytest.raises(impinge.MeshError, match="8"):
        mesh.tetrahedralize(CORNERS, FACES + 1, 0.5)


def test_a_file_that_is_no_mesh_is_named(tmp_path):
    path = tmp_path / "bad.msh"
    path.write_text("$MeshFormat\n4.1 zero")
    with pytest.raises(impinge.MeshError, match="bad.msh"):
        mesh.read(path)
    with pytest.raises(impinge.UnknownNameError, match="`solid`, `surface`"):
        mesh.read(path, "volume")
    with pytest.raises(impinge.ArgumentError, match="elements has shape"):
        mesh.write(path, CORNERS, FACES[:, :2])
