//! Every law on every kind of point, at random states.

use impinge_contact::constraint::attachment::{Attachment, Plane};
use impinge_contact::constraint::direction::{Angle, Product};
use impinge_contact::constraint::distance::{CableStrain, Distance};
use impinge_contact::constraint::path::PathLength;
use impinge_contact::constraint::strain::{
    CorotationalStrain, GreenStrain, IntegrationPoint, PrincipalStretches, hexahedron,
    moving_least_squares, quadrilateral, tetrahedron, triangle,
};
use impinge_contact::constraint::{Constraint, Frame, Point, Term};
use nalgebra::{UnitQuaternion, Vector3};

/// Numbers in [−1, 1] from a seed.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// An index below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.number();
        (self.0 >> 33) as usize % bound
    }

    pub(super) fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.number())
    }
}

/// Positions of eight particles and poses of three bodies.
#[derive(Clone)]
pub(super) struct State {
    pub(super) particles: Vec<Vector3<f64>>,
    pub(super) frames: Vec<Frame>,
}

impl State {
    /// Near the corners of a unit cube, and anywhere: elements are deformed by up to some tens of percent.
    pub(super) fn random(numbers: &mut Numbers) -> Self {
        let turn = UnitQuaternion::from_scaled_axis(numbers.vector());
        Self {
            particles: cube()
                .iter()
                .map(|x| turn * (x + numbers.vector() * 0.15))
                .collect(),
            frames: (0..3)
                .map(|_| Frame {
                    center: numbers.vector(),
                    orientation: UnitQuaternion::from_scaled_axis(numbers.vector() * 2.0),
                })
                .collect(),
        }
    }
}

/// Corners of the unit cube: around the bottom, then above.
pub(super) fn cube() -> [Vector3<f64>; 8] {
    let around = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    std::array::from_fn(|i| {
        let (x, y) = around[i % 4];
        Vector3::new(x, y, if i < 4 { 0.0 } else { 1.0 })
    })
}

/// Names and constraints; their points contain all kinds of terms.
pub(super) fn all(numbers: &mut Numbers) -> Vec<(&'static str, Constraint)> {
    let points = [
        Point::particle(0),
        Point::weighted([(1, 0.3), (2, 0.5), (3, 0.2)]),
        Point::on_body(0, numbers.vector()),
        Point::skinned([(1, 0.4, numbers.vector()), (2, 0.6, numbers.vector())]),
        Point::fixed(numbers.vector() * 3.0),
    ];
    let direction =
        |body: usize, numbers: &mut Numbers| Point::direction(body, numbers.vector().normalize());
    let mut list = Vec::new();
    let mut push = |name, constraint: Result<Constraint, _>| {
        list.push((name, constraint.expect("well posed")));
    };
    for first in 0..4 {
        for second in first + 1..5 {
            let q = points[first].clone().minus(&points[second]);
            push(
                "distance",
                Constraint::new(Distance::new(0.8), vec![q.clone()]),
            );
            push(
                "rope",
                Constraint::new(Distance::below(0.8), vec![q.clone()]),
            );
            push(
                "cable",
                Constraint::new(CableStrain { rest_length: 0.8 }, vec![q.clone()]),
            );
            push("attachment", Constraint::new(Attachment, vec![q.clone()]));
            let plane = Plane {
                normal: numbers.vector().normalize(),
                height: 0.3,
            };
            push("plane", Constraint::new(plane, vec![q.clone()]));
            let along = direction(1, numbers);
            push(
                "slider",
                Constraint::new(Product { constant: 0.1 }, vec![q, along]),
            );
        }
    }
    let line: Vec<Point> = (points.windows(2))
        .map(|pair| pair[1].clone().minus(&pair[0]))
        .collect();
    let path = PathLength {
        rest_length: 3.0,
        pieces: line.len(),
    };
    push("path", Constraint::new(path, line));
    for (a, b) in [(0, 1), (0, 2), (2, 1)] {
        let (u, w) = (direction(a, numbers), direction(b, numbers));
        push(
            "hinge",
            Constraint::new(Product { constant: 0.2 }, vec![u.clone(), w]),
        );
        let (b1, b2) = (direction(b, numbers), direction(b, numbers));
        let angle = Angle {
            rest: 0.4,
            sign: if a == 0 { 1.0 } else { -1.0 },
            center: 0.4,
        };
        push("angle", Constraint::new(angle, vec![u, b1, b2]));
    }
    add_strains(numbers, &mut list);
    list
}

/// Strains of a triangle, a quadrilateral and a tetrahedron of the cube.
fn add_strains(numbers: &mut Numbers, list: &mut Vec<(&'static str, Constraint)>) {
    let rest = cube();
    let mut push = |name, constraint: Result<Constraint, _>| {
        list.push((name, constraint.expect("well posed")));
    };
    let nodes = |of: &[usize]| of.iter().map(|&i| Point::particle(i)).collect::<Vec<_>>();
    let fibre = Vector3::new(1.0, 0.3, 0.0);
    let tri = triangle(&[rest[0], rest[1], rest[2]], 0.1, fibre).expect("area");
    push(
        "green triangle",
        Constraint::new(
            GreenStrain::of_surface(tri.gradients.clone()),
            nodes(&[0, 1, 2]),
        ),
    );
    // Two corners of the triangle on bodies: the frame-based materials.
    let mut bound = nodes(&[0, 1, 2]);
    bound[1] = Point::skinned([(0, 0.5, numbers.vector()), (1, 0.5, numbers.vector())]);
    bound[2].terms.push(Term::Body {
        index: 2,
        weight: 0.5,
        place: 1.0,
        arm: numbers.vector(),
    });
    push(
        "skinned triangle",
        Constraint::new(GreenStrain::of_surface(tri.gradients), bound),
    );
    let quad = [rest[0], rest[1], rest[2], rest[3]];
    for point in quadrilateral(&quad, 0.1, fibre).expect("area") {
        push(
            "green quadrilateral",
            Constraint::new(
                GreenStrain::of_surface(point.gradients),
                nodes(&[0, 1, 2, 3]),
            ),
        );
    }
    let tet = tetrahedron(&[rest[0], rest[1], rest[3], rest[4]]).expect("volume");
    let corners = nodes(&[0, 1, 3, 4]);
    let g = tet.gradients;
    push(
        "green tetrahedron",
        Constraint::new(GreenStrain::of_solid(g.clone()), corners.clone()),
    );
    push(
        "corotational",
        Constraint::new(CorotationalStrain::new(g.clone()), corners.clone()),
    );
    push(
        "stretches",
        Constraint::new(PrincipalStretches::new(g), corners),
    );
    add_larger_strains(numbers, list);
}

/// Strains between eight nodes: of a hexahedron, and of no elements.
fn add_larger_strains(numbers: &mut Numbers, list: &mut Vec<(&'static str, Constraint)>) {
    let rest = cube();
    let nodes: Vec<Point> = (0..8).map(Point::particle).collect();
    let mut push = |name, constraint: Result<Constraint, _>| {
        list.push((name, constraint.expect("well posed")));
    };
    let IntegrationPoint { gradients: g, .. } = hexahedron(&rest)
        .expect("volume")
        .swap_remove(numbers.below(8));
    push(
        "green hexahedron",
        Constraint::new(GreenStrain::of_solid(g.clone()), nodes.clone()),
    );
    push(
        "corotational hexahedron",
        Constraint::new(CorotationalStrain::new(g.clone()), nodes.clone()),
    );
    push(
        "stretches of a hexahedron",
        Constraint::new(PrincipalStretches::new(g), nodes.clone()),
    );
    let middle = Vector3::repeat(0.5) + numbers.vector() * 0.2;
    let at = moving_least_squares(middle, &rest, 1.5, 0.1).expect("in reach");
    push(
        "green without elements",
        Constraint::new(GreenStrain::of_solid(at.gradients), nodes),
    );
}
