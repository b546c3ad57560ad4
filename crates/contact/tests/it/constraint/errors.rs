//! Invalid constraints.

use impinge_contact::constraint::joint::{JointPlace, Side};
use impinge_contact::constraint::redundancy::dependent_rows;
use impinge_contact::constraint::strain::{
    orthotropic_surface, solid, surface, tetrahedron, triangle,
};
use impinge_contact::constraint::{
    Configuration, ConstraintError, ConstraintGroup, ConstraintRows, Frame, Point, link,
};
use nalgebra::{UnitQuaternion, Vector3};

#[test]
fn invalid_constraints_are_rejected() {
    let (a, b) = (Point::particle(0), Point::particle(1));
    for length in [0.0, -1.0, f64::NAN] {
        assert!(matches!(
            link::spring(&a, b.clone(), length, 0.0),
            Err(ConstraintError::RestLength { .. })
        ));
    }
    assert!(matches!(
        link::spring(&a, b.clone(), 1.0, -1e-9),
        Err(ConstraintError::NegativeCompliance { value }) if value < 0.0
    ));
    assert!(matches!(
        link::rope(&a, b, 1.0, f64::NAN),
        Err(ConstraintError::NegativeCompliance { .. })
    ));
    let flat = [
        Vector3::zeros(),
        Vector3::x(),
        Vector3::y(),
        Vector3::x() + Vector3::y(),
    ];
    assert!(matches!(
        tetrahedron(&flat),
        Err(ConstraintError::Element { .. })
    ));
    let line = [Vector3::zeros(), Vector3::x(), Vector3::x() * 2.0];
    assert!(matches!(
        triangle(&line, 1e-3, Vector3::x()),
        Err(ConstraintError::Element { .. })
    ));
    assert!(matches!(
        solid(1e6, 0.5),
        Err(ConstraintError::Material { .. })
    ));
    assert!(matches!(
        surface(-1.0, 0.3),
        Err(ConstraintError::Material { .. })
    ));
    assert!(matches!(
        orthotropic_surface([1e3, 1e6], 0.3, 1e3),
        Err(ConstraintError::Material { .. })
    ));

    let frames = [Frame {
        center: Vector3::zeros(),
        orientation: UnitQuaternion::identity(),
    }];
    let place = JointPlace {
        first: Side::Body(0),
        second: Side::World,
        anchor: Vector3::x(),
        state: Configuration {
            particles: &[],
            frames: &frames,
        },
    };
    assert!(matches!(
        place.hinge(Vector3::zeros()),
        Err(ConstraintError::Direction { .. })
    ));
    assert!(matches!(
        place.turn_limits(Vector3::z(), 1.0, -1.0, 0.0),
        Err(ConstraintError::Limits { .. })
    ));
}

/// A row twice, and a row twice with another offset: found, distinguished, the first kept.
#[test]
fn dependent_rows_are_named() {
    let mut rows = ConstraintRows::default();
    let mut push = |along: Vector3<f64>, offset: f64| {
        rows.push(&ConstraintGroup {
            blocks: &[0, 1],
            jacobian: &[along, -along],
            offset: &[offset],
            compliance: &[0.0],
            unilateral: false,
        });
    };
    push(Vector3::x(), 0.1);
    push(Vector3::y(), 0.2);
    push(Vector3::new(3.0, 4.0, 0.0), 3.0 * 0.1 + 4.0 * 0.2);
    push(Vector3::z() * 2.0, 0.0);
    push(Vector3::z(), 0.25);
    let found = dependent_rows(&rows).expect("a few rows");
    assert_eq!(found.len(), 2, "{found:?}");
    let agreeing = found.iter().filter(|d| d.misfit.abs() < 1e-12).count();
    assert_eq!(agreeing, 1, "{found:?}");
    assert!(
        found.iter().any(|d| d.group >= 3 && d.misfit.abs() > 0.1),
        "{found:?}"
    );
}
