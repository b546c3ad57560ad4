//! Rotation of the material at every point since rest.

use super::ElasticModel;
use crate::kinematics::{determinant, rotation_factor};
use nalgebra::{Matrix3, Vector3};

/// Least determinant of a mean of rotations: below it, the rotations disagree too much for a mean.
const DISAGREEMENT: f64 = 1e-3;

/// Sum over the elements of one point.
#[derive(Clone, Copy)]
struct Sum {
    turned: Matrix3<f64>,
    volume: f64,
    /// Volume and rotation of the largest element.
    largest: (f64, Matrix3<f64>),
}

impl ElasticModel {
    /// The rotation of every point from rest to `positions`: `R_a = polar(Σ V_e R_e)` over its elements.
    ///
    /// `R_e` is the rotation of the deformation gradient of element `e`, proper even if the element is inverted, and
    /// `V_e` its rest volume. If the mean is nearly singular, the rotation of the largest element is used. Points
    /// without elements keep the identity.
    ///
    /// # Panics
    /// If `positions` or `rotations` is not one entry per point.
    ///
    /// # Source
    /// Saupin, Duriez, Cotin & Grisoni 2008, "Efficient Contact Modeling using Compliance Warping", section 3.1;
    /// differs from it in: weighted by volume.
    #[track_caller]
    pub fn node_rotations_into(&self, positions: &[Vector3<f64>], rotations: &mut [Matrix3<f64>]) {
        assert!(
            positions.len() == self.points() && rotations.len() == self.points(),
            "one position and one rotation per point"
        );
        let none = Sum {
            turned: Matrix3::zeros(),
            volume: 0.0,
            largest: (0.0, Matrix3::identity()),
        };
        let mut sums = vec![none; self.points()];
        for element in self.elements() {
            let rotation = rotation_factor(&element.deformation(&element.gather(positions)));
            for node in element.nodes {
                let sum = &mut sums[node as usize];
                sum.turned += rotation * element.volume;
                sum.volume += element.volume;
                if element.volume > sum.largest.0 {
                    sum.largest = (element.volume, rotation);
                }
            }
        }
        for (rotation, sum) in rotations.iter_mut().zip(&sums) {
            let mean = sum.turned / sum.volume;
            let agreed = determinant(&mean) >= DISAGREEMENT;
            *rotation = if agreed {
                rotation_factor(&mean)
            } else {
                sum.largest.1
            };
        }
    }
}
