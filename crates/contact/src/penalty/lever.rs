//! Torque-free friction: opposite impulses across a gap, without a couple.

use nalgebra::{Matrix3, Vector3};

/// Sine of the angle between two edges below which friction acts along the edges only.
const NEARLY_PARALLEL: f64 = 0.1;

/// Sine of the angle between two edges below which friction does not act.
const PARALLEL: f64 = 1e-3;

/// Shares of a tangential impulse for the points of a pair.
///
/// Opposite impulses `±J` on the closest points, `d n` apart, are a couple `d n × J`. Rotations of the two sides
/// compensate it: with arms `x̄_k` from the centre of its side, corner `k` gets
///
/// ```text
/// p_k = w_k J + a × x̄_k,   a = −I⁻¹ (d n × J),   I = Σ (x̄·x̄ 1 − x̄ x̄ᵀ)
/// ```
///
/// so that `Σ p = 0` and `Σ x × p = 0`. By virtual work the slip is then `u_T − d ω × n` with `ω = I⁻¹ Σ x̄ × v`, the
/// rotation of the sides: sides in a common rigid motion do not slip.
///
/// Two edges cannot take up a couple about a common direction. If they are nearly parallel, only friction along them
/// has no couple.
///
/// # Source
/// Ours; Harmon et al. 2009 leave angular momentum under friction open.
#[derive(Clone, Copy, Debug)]
pub struct Lever {
    weights: [f64; 4],
    arms: [Vector3<f64>; 4],
    inverse_inertia: Matrix3<f64>,
    normal: Vector3<f64>,
    distance: f64,
    /// The only direction of friction, if there is just one.
    along: Option<Vector3<f64>>,
}

impl Lever {
    /// Of a single point against a prescribed feature, where the couple does not matter.
    #[inline]
    pub fn point(normal: &Vector3<f64>) -> Self {
        Self {
            weights: [1.0, 0.0, 0.0, 0.0],
            arms: [Vector3::zeros(); 4],
            inverse_inertia: Matrix3::zeros(),
            normal: *normal,
            distance: 0.0,
            along: None,
        }
    }

    /// Of two features at `corners` (m). The first `split` corners are the first feature's: one for a vertex and a
    /// face, two for two edges. Their closest points have these `weights`, and are `distance` (m) apart along `normal`.
    ///
    /// `None` if no friction can act without a couple.
    #[inline]
    pub fn between(
        split: usize,
        corners: &[Vector3<f64>; 4],
        weights: [f64; 4],
        normal: &Vector3<f64>,
        distance: f64,
    ) -> Option<Self> {
        let mut arms = *corners;
        let (first, second) = arms.split_at_mut(split);
        for side in [first, second] {
            let middle = side.iter().sum::<Vector3<f64>>() / side.len() as f64;
            for arm in side {
                *arm -= middle;
            }
        }
        let along = if split == 2 {
            let edge = (corners[1] - corners[0]).try_normalize(0.0)?;
            let sine = edge
                .cross(&(corners[3] - corners[2]).try_normalize(0.0)?)
                .norm();
            if sine < PARALLEL {
                return None;
            }
            if sine < NEARLY_PARALLEL {
                Some((edge - normal * normal.dot(&edge)).try_normalize(0.0)?)
            } else {
                None
            }
        } else {
            None
        };
        Some(Self {
            weights,
            arms,
            inverse_inertia: inverse_inertia(&arms)?,
            normal: *normal,
            distance,
            along,
        })
    }

    /// `s` (m/s): tangential velocity of the first side against the second.
    #[inline]
    pub fn slip(&self, velocities: &[Vector3<f64>; 4]) -> Vector3<f64> {
        let mut relative = Vector3::zeros();
        let mut turning = Vector3::zeros();
        for k in 0..4 {
            relative += velocities[k] * self.weights[k];
            turning += self.arms[k].cross(&velocities[k]);
        }
        let turn = self.inverse_inertia * turning;
        self.across(&(relative - turn.cross(&self.normal) * self.distance))
    }

    /// The part of a vector along possible friction.
    #[inline]
    pub fn across(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        match &self.along {
            Some(along) => along * along.dot(vector),
            None => vector - self.normal * self.normal.dot(vector),
        }
    }

    /// `p_k` (N s) of all corners for the tangential impulse `J` (N s) on the first side.
    #[inline]
    pub fn impulses(&self, impulse: &Vector3<f64>) -> [Vector3<f64>; 4] {
        let turn = self.inverse_inertia * self.normal.cross(impulse) * -self.distance;
        std::array::from_fn(|k| impulse * self.weights[k] + turn.cross(&self.arms[k]))
    }

    /// Change of the slip along a unit vector per unit impulse along it (1/kg); `impulses` are the shares of that
    /// impulse.
    #[inline]
    pub fn mobility(impulses: &[Vector3<f64>; 4], inverse_masses: &[f64; 4]) -> f64 {
        impulses
            .iter()
            .zip(inverse_masses)
            .map(|(impulse, inverse_mass)| impulse.norm_squared() * inverse_mass)
            .sum()
    }
}

/// `I⁻¹` for `I = Σ (x·x 1 − x xᵀ)`; `None` if all arms are collinear.
#[inline]
fn inverse_inertia(arms: &[Vector3<f64>; 4]) -> Option<Matrix3<f64>> {
    let (mut squares, mut products) = (Vector3::zeros(), Vector3::zeros());
    for arm in arms {
        squares += arm.component_mul(arm);
        products += arm.component_mul(&Vector3::new(arm.y, arm.z, arm.x));
    }
    let [xx, yy, zz] = [
        squares.y + squares.z,
        squares.z + squares.x,
        squares.x + squares.y,
    ];
    let [xy, yz, zx] = [-products.x, -products.y, -products.z];
    // The adjugate, exactly symmetric.
    let first = [yy * zz - yz * yz, yz * zx - xy * zz, xy * yz - yy * zx];
    let determinant = xx * first[0] + xy * first[1] + zx * first[2];
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let middle = [xx * zz - zx * zx, xy * zx - xx * yz];
    let last = xx * yy - xy * xy;
    let [a, b, c] = first.map(|entry| entry / determinant);
    let [d, e] = middle.map(|entry| entry / determinant);
    Some(Matrix3::new(a, b, c, b, d, e, c, e, last / determinant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Points of a separated pair: two edges or a vertex and a face, with the closest points inside both.
    fn pair() -> impl Strategy<Value = (usize, [Vector3<f64>; 4], [f64; 4], Vector3<f64>, f64)> {
        let inside = || 0.1..0.9_f64;
        let coordinate = || -1.0..1.0_f64;
        let vector = move || {
            (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vector3::new(x, y, z))
        };
        (
            1..=2_usize,
            vector(),
            vector(),
            inside(),
            inside(),
            1e-3..0.3_f64,
        )
            .prop_filter_map("degenerate", |(split, e, f, s, t, d)| {
                let normal = e.cross(&f).try_normalize(0.2)?;
                let at = Vector3::new(0.3, -0.2, 0.5);
                let above = at + normal * d;
                Some(if split == 1 {
                    let (b, c) = (0.5 * s, 0.5 * t);
                    let corner = at - e * b - f * c;
                    let corners = [above, corner, corner + e, corner + f];
                    (split, corners, [1.0, b + c - 1.0, -b, -c], normal, d)
                } else {
                    let corners = [
                        above - e * s,
                        above + e * (1.0 - s),
                        at - f * t,
                        at + f * (1.0 - t),
                    ];
                    (split, corners, [1.0 - s, s, t - 1.0, -t], normal, d)
                })
            })
    }

    proptest! {
        #[test]
        fn the_inverse_inertia_is_that_of_the_matrix(entries in prop::array::uniform12(-1.0..1.0_f64)) {
            let arms: [Vector3<f64>; 4] =
                std::array::from_fn(|k| Vector3::new(entries[3 * k], entries[3 * k + 1], entries[3 * k + 2]));
            let inertia: Matrix3<f64> = arms
                .iter()
                .map(|arm| Matrix3::identity() * arm.norm_squared() - arm * arm.transpose())
                .sum();
            let expected = inertia.try_inverse().expect("not on one line");
            let found = inverse_inertia(&arms).expect("not on one line");
            prop_assert!((found - expected).amax() <= 1e-12 * expected.amax());
        }
    }

    fn turning(impulses: &[Vector3<f64>; 4], corners: &[Vector3<f64>; 4]) -> Vector3<f64> {
        (0..4).map(|k| corners[k].cross(&impulses[k])).sum()
    }

    proptest! {
        #[test]
        fn an_impulse_neither_moves_nor_turns_the_whole(
            (split, corners, weights, normal, distance) in pair(), x in -1.0..1.0_f64, y in -1.0..1.0_f64,
        ) {
            let Some(lever) = Lever::between(split, &corners, weights, &normal, distance) else {
                return Ok(());
            };
            let impulse = lever.across(&Vector3::new(x, y, 0.7));
            let impulses = lever.impulses(&impulse);
            let sum: Vector3<f64> = impulses.iter().sum();
            let size: f64 = impulses.iter().map(Vector3::norm).sum();
            prop_assert!(sum.norm() <= 1e-14 * size);
            prop_assert!(turning(&impulses, &corners).norm() <= 1e-13 * size);
            let of_first: Vector3<f64> = impulses[..split].iter().sum();
            prop_assert!((of_first - impulse).norm() <= 1e-14 * size);
        }

        /// Sides in a common rigid motion do not slip; the effect of an impulse on the slip agrees with virtual work.
        #[test]
        fn slip_is_conjugate_to_the_impulses(
            (split, corners, weights, normal, distance) in pair(), seed in prop::array::uniform12(-1.0..1.0_f64),
        ) {
            let Some(lever) = Lever::between(split, &corners, weights, &normal, distance) else {
                return Ok(());
            };
            let [a, b, c, d] = std::array::from_fn(|k| Vector3::new(seed[3 * k], seed[3 * k + 1], seed[3 * k + 2]));
            let as_one = corners.map(|x| a + b.cross(&x));
            prop_assert!(lever.slip(&as_one).norm() < 1e-12);
            let velocities = [a, b, c, d];
            let impulse = lever.across(&(a + c));
            let work: f64 = (0..4).map(|k| lever.impulses(&impulse)[k].dot(&velocities[k])).sum();
            prop_assert!((work - impulse.dot(&lever.slip(&velocities))).abs() < 1e-12);

            let inverse_masses = [1.0, 0.3, 2.0, 0.0];
            let Some(direction) = impulse.try_normalize(1e-6) else {
                return Ok(());
            };
            let after: [Vector3<f64>; 4] =
                std::array::from_fn(|k| velocities[k] + lever.impulses(&direction)[k] * inverse_masses[k]);
            let change = direction.dot(&(lever.slip(&after) - lever.slip(&velocities)));
            prop_assert!((change - Lever::mobility(&lever.impulses(&direction), &inverse_masses)).abs() < 1e-12);
        }
    }

    #[test]
    fn edges_side_by_side_rub_along_themselves_or_not_at_all() {
        let corners = |turn: f64| {
            [
                Vector3::new(-1.0, 0.0, 0.1),
                Vector3::new(1.0, 0.0, 0.1),
                Vector3::new(-1.0, -turn, 0.0),
                Vector3::new(1.0, turn, 0.0),
            ]
        };
        let lever = |turn| {
            Lever::between(
                2,
                &corners(turn),
                [0.5, 0.5, -0.5, -0.5],
                &Vector3::z(),
                0.1,
            )
        };
        assert!(lever(0.0).is_none());
        let nearly = lever(0.05).expect("along");
        assert!((nearly.across(&Vector3::new(1.0, 1.0, 1.0)) - Vector3::x()).norm() < 1e-15);
        let impulses = nearly.impulses(&Vector3::x());
        assert!(turning(&impulses, &corners(0.05)).norm() < 1e-12);
        assert!(impulses.iter().all(|impulse| impulse.norm() < 1.0));
    }
}
