//! A camera in perspective, as that of the viewer's page.

use nalgebra::Vector3;

/// Half of the vertical angle of view (radians), and its tangent.
const HALF_ANGLE: f64 = 0.275;

/// Border around the scene, relative to its size.
const BORDER: f64 = 1.06;

/// An eye, its axes, and the scale of the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Camera {
    eye: Vector3<f64>,
    right: Vector3<f64>,
    above: Vector3<f64>,
    back: Vector3<f64>,
    /// Half of the sides of the picture at distance 1.
    half: [f64; 2],
    /// Least distance that is seen (m).
    near: f64,
}

/// A point of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seen {
    /// From the left and from the top, from 0 to 1 within the picture.
    pub(super) place: [f64; 2],
    /// Inverse of the distance along the view (1/m): linear within the picture.
    pub(super) nearness: f64,
}

impl Camera {
    /// A camera that shows the box from `low` to `high` (m) in a picture of the given ratio of width to height.
    ///
    /// `turn` is its angle about `up`, `tilt` that above the horizon (radians).
    pub(super) fn new(
        (low, high): (Vector3<f64>, Vector3<f64>),
        up: Vector3<f64>,
        [turn, tilt]: [f64; 2],
        aspect: f64,
    ) -> Self {
        let first = Vector3::ith((up.iamax() + 1) % 3, 1.0);
        let second = up.cross(&first);
        let level = first * turn.cos() + second * turn.sin();
        let back = level * tilt.cos() + up * tilt.sin();
        let right = up.cross(&back).normalize();
        let above = back.cross(&right);
        let middle = 0.5 * (low + high);
        let size = (high - low).norm().max(f64::MIN_POSITIVE);
        let slope = HALF_ANGLE.tan();
        let mut distance = 0.1 * size;
        for corner in 0..8 {
            let end = |axis: usize| if corner >> axis & 1 == 1 { high } else { low }[axis];
            let place = Vector3::new(end(0), end(1), end(2)) - middle;
            let side = place
                .dot(&above)
                .abs()
                .max(place.dot(&right).abs() / aspect);
            distance = distance.max(place.dot(&back) + BORDER * side / slope);
        }
        Self {
            eye: middle + back * distance,
            right,
            above,
            back,
            half: [slope * aspect, slope],
            near: 1e-3 * distance,
        }
    }

    /// The place of a point in the picture; `None` behind the eye.
    pub(super) fn see(&self, point: &Vector3<f64>) -> Option<Seen> {
        let from_eye = point - self.eye;
        let depth = -from_eye.dot(&self.back);
        (depth > self.near).then(|| Seen {
            place: [
                0.5 + 0.5 * from_eye.dot(&self.right) / (depth * self.half[0]),
                0.5 - 0.5 * from_eye.dot(&self.above) / (depth * self.half[1]),
            ],
            nearness: 1.0 / depth,
        })
    }

    /// Height of the picture at distance 1.
    pub(super) fn height(&self) -> f64 {
        2.0 * self.half[1]
    }

    /// Position of the eye (m).
    pub(super) fn eye(&self) -> Vector3<f64> {
        self.eye
    }

    /// Unit vector towards the light, above the eye to its left.
    pub(super) fn light(&self) -> Vector3<f64> {
        (self.right * -0.35 + self.above * 0.75 + self.back * 0.6).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_box_is_in_the_picture() {
        let (low, high) = (Vector3::new(-1.0, 0.0, 2.0), Vector3::new(3.0, 0.5, 9.0));
        for (turn, tilt) in [(0.0, 0.0), (2.0, 1.5), (-0.9, 0.4)] {
            for aspect in [0.5, 1.0, 2.0] {
                let camera = Camera::new((low, high), Vector3::z(), [turn, tilt], aspect);
                let mut reach: f64 = 0.0;
                for corner in 0..8 {
                    let end = |axis: usize| if corner >> axis & 1 == 1 { high } else { low }[axis];
                    let point = Vector3::new(end(0), end(1), end(2));
                    let [x, y] = camera.see(&point).expect("before the eye").place;
                    assert!(
                        (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y),
                        "{x} {y}"
                    );
                    reach = reach.max((x - 0.5).abs()).max((y - 0.5).abs());
                }
                assert!(reach > 0.4, "the box fills the picture: {reach}");
            }
        }
    }

    #[test]
    fn up_is_up_and_what_is_behind_is_not_seen() {
        let cube = (Vector3::repeat(-1.0), Vector3::repeat(1.0));
        let camera = Camera::new(cube, Vector3::y(), [0.3, 0.2], 1.5);
        let seen = |y: f64| {
            camera
                .see(&Vector3::new(0.0, y, 0.0))
                .expect("before the eye")
        };
        assert!(seen(1.0).place[1] < seen(-1.0).place[1]);
        assert_eq!(camera.see(&(camera.eye() * 2.0)), None);
    }
}
