//! Meshes, random numbers and slow, simple element matrices that share no code with the crate.

use impinge_fem::{ElasticModel, Hyperelastic, Material};
use nalgebra::{DMatrix, Matrix3, Rotation3, SMatrix, SVector, Vector3};

pub(crate) const YOUNG: f64 = 5e5;
pub(crate) const POISSON: f64 = 0.2;
pub(crate) const DENSITY: f64 = 1000.0;

/// Corners of a hexahedron (bit 0 along x, 1 along y, 2 along z) in the six tetrahedra of the Kuhn split.
const KUHN: [[usize; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 5, 1, 7],
    [0, 3, 2, 7],
    [0, 2, 6, 7],
    [0, 4, 5, 7],
    [0, 6, 4, 7],
];

/// A small repeatable generator (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Uniform in [-1, 1).
    pub(crate) fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2.0_f64.powi(52) - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.symmetric(), self.symmetric(), self.symmetric())
    }

    pub(crate) fn matrix(&mut self) -> Matrix3<f64> {
        Matrix3::from_fn(|_, _| self.symmetric())
    }

    pub(crate) fn rotation(&mut self) -> Matrix3<f64> {
        Rotation3::new(self.vector() * 3.0).into_inner()
    }
}

/// All materials with the constants of the golden table, the neo-Hookean one extrapolated below 70 % of the volume.
pub(crate) fn materials() -> [Material; 3] {
    [
        Material::corotational(YOUNG, POISSON).expect("constants are valid"),
        Material::neo_hookean_below(YOUNG, POISSON, 0.7).expect("constants are valid"),
        Material::st_venant_kirchhoff(YOUNG, POISSON).expect("constants are valid"),
    ]
}

pub(crate) struct Mesh {
    pub(crate) points: Vec<Vector3<f64>>,
    pub(crate) tets: Vec<[u32; 4]>,
    /// Whether a point lies on the surface of the cuboid.
    pub(crate) boundary: Vec<bool>,
}

/// A cuboid of cells of size 0.1 m, its inner points moved at random by up to `jitter` cells.
pub(crate) fn cuboid(cells: [usize; 3], jitter: f64) -> Mesh {
    let size = 0.1;
    let mut random = Random(7);
    let counts = cells.map(|n| n + 1);
    let index = |i: usize, j: usize, k: usize| (i * counts[1] + j) * counts[2] + k;
    let mut mesh = Mesh {
        points: Vec::new(),
        tets: Vec::new(),
        boundary: Vec::new(),
    };
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for k in 0..counts[2] {
                let on_face = [(i, 0), (j, 1), (k, 2)]
                    .iter()
                    .any(|&(n, axis)| n == 0 || n == cells[axis]);
                let shift = if on_face {
                    Vector3::zeros()
                } else {
                    random.vector() * jitter
                };
                mesh.points
                    .push((Vector3::new(i as f64, j as f64, k as f64) + shift) * size);
                mesh.boundary.push(on_face);
            }
        }
    }
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                let node = |c: usize| index(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) as u32;
                mesh.tets.extend(KUHN.map(|tet| tet.map(node)));
            }
        }
    }
    mesh
}

/// A model of one material and water's density.
pub(crate) fn model(mesh: &Mesh, material: &Material) -> ElasticModel {
    let count = mesh.tets.len();
    ElasticModel::new(
        &mesh.points,
        &mesh.tets,
        std::slice::from_ref(material),
        &vec![0; count],
        &vec![DENSITY; count],
    )
    .expect("the mesh is sound")
}

/// The cells of a [`cuboid`] as hexahedra, and the hexahedron of each tetrahedron.
pub(crate) fn cells(mesh: &Mesh) -> (Vec<[u32; 8]>, Vec<Option<u32>>) {
    let of_split = |tets: &[[u32; 4]]| {
        let [
            [n0, n1, n3, n7],
            [_, n5, ..],
            [_, _, n2, _],
            [_, _, n6, _],
            [_, n4, ..],
            _,
        ] = *tets
        else {
            panic!("six tetrahedra")
        };
        [n0, n1, n3, n2, n4, n5, n7, n6]
    };
    let cells = mesh.tets.chunks(6).map(of_split).collect();
    let cell_of_tet = (0..mesh.tets.len()).map(|tet| Some(tet as u32 / 6));
    (cells, cell_of_tet.collect())
}

/// As [`model`], of hexahedra.
pub(crate) fn hex_model(mesh: &Mesh, material: &Material) -> ElasticModel {
    let (cells, cell_of_tet) = cells(mesh);
    let stiff = vec![true; cells.len()];
    model(mesh, material)
        .with_hexahedra(&mesh.points, &cells, &cell_of_tet, &stiff)
        .expect("the cells are sound")
}

/// The points moved at random by up to `size` metres.
pub(crate) fn shaken(points: &[Vector3<f64>], size: f64, seed: u64) -> Vec<Vector3<f64>> {
    let mut random = Random(seed);
    points.iter().map(|x| x + random.vector() * size).collect()
}

/// Largest entry by magnitude.
pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |m, v| f64::max(m, v.abs()))
}

/// Error of a central difference with step `h`, with its observed order.
pub(crate) struct Agreement {
    pub(crate) order: f64,
    /// Error of the smaller step relative to the size of the derivative.
    pub(crate) relative: f64,
}

/// Compares `exact` with central differences of `value` at the steps `h` and `h/2`.
pub(crate) fn central<const N: usize>(
    value: impl Fn(f64) -> SVector<f64, N>,
    exact: &SVector<f64, N>,
    scale: f64,
    h: f64,
) -> Agreement {
    let error = |h: f64| ((value(h) - value(-h)) / (2.0 * h) - exact).norm();
    let (coarse, fine) = (error(h), error(0.5 * h));
    Agreement {
        order: (coarse / fine).log2(),
        relative: fine / scale,
    }
}

/// Element matrix `w₀ Bᵀ C B` from a 9x9 matrix `C = ∂ vec P / ∂ vec F`; the inverse of the edge matrix gives the
/// gradients.
pub(crate) fn element_matrix(
    rest: &[Vector3<f64>; 4],
    c: &SMatrix<f64, 9, 9>,
) -> SMatrix<f64, 12, 12> {
    let edges = Matrix3::from_columns(&[rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]]);
    let inverse = edges.try_inverse().expect("the element has a volume");
    let mut b = SMatrix::<f64, 9, 12>::zeros();
    for vertex in 0..4 {
        for j in 0..3 {
            let gradient = if vertex == 0 {
                -inverse.column(j).sum()
            } else {
                inverse[(vertex - 1, j)]
            };
            for i in 0..3 {
                b[(i + 3 * j, 3 * vertex + i)] = gradient;
            }
        }
    }
    b.transpose() * c * b * (edges.determinant() / 6.0)
}

/// `∂ vec P / ∂ vec F` of the tangent of the assembly, column by column.
pub(crate) fn convex_tangent(material: &Material, f: &Matrix3<f64>) -> SMatrix<f64, 9, 9> {
    let tangent = material.convex_response(f).tangent;
    let mut c = SMatrix::<f64, 9, 9>::zeros();
    for column in 0..9 {
        let mut unit = Matrix3::zeros();
        unit[column] = 1.0;
        let change = tangent.differential(&unit);
        for row in 0..9 {
            c[(row, column)] = change[row];
        }
    }
    c
}

/// Dense stiffness matrix over all points: the sum of the element matrices.
pub(crate) fn dense_stiffness(
    mesh: &Mesh,
    material: &Material,
    x: &[Vector3<f64>],
) -> DMatrix<f64> {
    let mut k = DMatrix::zeros(3 * x.len(), 3 * x.len());
    for tet in &mesh.tets {
        let rest = tet.map(|n| mesh.points[n as usize]);
        let now = tet.map(|n| x[n as usize]);
        let element = element_matrix(&rest, &convex_tangent(material, &deformation(&rest, &now)));
        for (a, &na) in tet.iter().enumerate() {
            for (b, &nb) in tet.iter().enumerate() {
                for i in 0..3 {
                    for j in 0..3 {
                        k[(3 * na as usize + i, 3 * nb as usize + j)] +=
                            element[(3 * a + i, 3 * b + j)];
                    }
                }
            }
        }
    }
    k
}

/// `F` by inverting the matrix of rest edges.
pub(crate) fn deformation(rest: &[Vector3<f64>; 4], now: &[Vector3<f64>; 4]) -> Matrix3<f64> {
    let edges =
        |x: &[Vector3<f64>; 4]| Matrix3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
    edges(now) * edges(rest).try_inverse().expect("the element has a volume")
}
