//! Parts of solids with prescribed motions, and the times at which their paths are checked.

use crate::model::{Model, PointMotion};
use crate::scene::RigidMotion;
use nalgebra::Vector3;

/// Approach of two paths between two check times, over the sum of the shortest sides of the boxes around both parts.
/// Two thin walls pass through each other within a distance of 1 in this unit.
const LOOK: f64 = 0.25;

/// Limit of triangle placements checked for one pair of paths; beyond it, check times are farther apart.
const WORK: f64 = 2e6;

/// Least and largest number of check times of a pair of paths.
const LOOKS: [f64; 2] = [16.0, 4096.0];

/// Bisections of the time between two check times.
const HALVINGS: usize = 20;

/// Points of one solid that follow one prescribed motion.
pub(super) struct CarriedPoints<'a> {
    pub(super) solid: usize,
    pub(super) motion: &'a RigidMotion,
    pub(super) points: Vec<Vector3<f64>>,
    pub(super) triangles: Vec<[Vector3<f64>; 3]>,
    pub(super) center: Vector3<f64>,
    /// Radius of the ball about the centre that contains all points (m).
    pub(super) radius: f64,
    /// Shortest side of the box around all points at the start (m).
    pub(super) thickness: f64,
    /// Whether all points of the solid are prescribed for all time.
    pub(super) passive: bool,
}

/// The parts of a model with prescribed motions.
pub(super) fn parts(model: &Model) -> Vec<CarriedPoints<'_>> {
    let mut parts = Vec::new();
    for solid in 0..model.geometry.solid_count() {
        let body = model.geometry.solid(solid);
        let motion_of = |point: usize| match model.unknowns.motion_of_point[point] {
            PointMotion::Prescribed(motion) => Some(motion),
            _ => None,
        };
        let mut motions: Vec<u32> = body.points.clone().filter_map(motion_of).collect();
        motions.sort_unstable();
        motions.dedup();
        for motion in motions {
            let is_in = |point: usize| motion_of(point) == Some(motion);
            let points: Vec<Vector3<f64>> = (body.points.clone().filter(|&point| is_in(point)))
                .map(|point| model.points.rest[point])
                .collect();
            let triangles = &model.geometry.surface.triangles()[body.triangles.clone()];
            let triangles = (triangles.iter())
                .filter(|corners| corners.iter().all(|&point| is_in(point as usize)))
                .map(|corners| corners.map(|point| model.points.rest[point as usize]))
                .collect();
            let (lower, upper) =
                (points.iter()).fold((points[0], points[0]), |(a, b), x| (a.inf(x), b.sup(x)));
            let center = 0.5 * (lower + upper);
            let radius = points
                .iter()
                .map(|x| (x - center).norm())
                .fold(0.0, f64::max);
            parts.push(CarriedPoints {
                solid,
                motion: &model.unknowns.motions[motion as usize],
                points,
                triangles,
                center,
                radius,
                thickness: (upper - lower).min(),
                passive: model.geometry.surface.passive()[solid],
            });
        }
    }
    parts
}

impl CarriedPoints<'_> {
    /// Time at which the motion releases its points (s), or the end of the run.
    pub(super) fn end(&self, duration: f64) -> f64 {
        self.motion.until.unwrap_or(duration).min(duration)
    }

    /// Largest speed of a point (m/s).
    fn speed(&self) -> f64 {
        let turns = self.motion.fastest_turn();
        let arm = (self.center - self.motion.center).norm() + self.radius;
        let legs = self.motion.then.iter().map(|leg| leg.velocity.norm());
        legs.fold(self.motion.velocity.norm(), f64::max) + turns * arm
    }

    /// Times at which the part is checked against `other` (s), ascending from 0.
    pub(super) fn check_times(&self, other: Option<&Self>, duration: f64) -> Vec<f64> {
        let end = other
            .map_or(duration, |other| other.end(duration))
            .min(self.end(duration));
        let speed = self.speed() + other.map_or(0.0, CarriedPoints::speed);
        let sum = |of: fn(&CarriedPoints<'_>) -> f64| of(self) + other.map_or(0.0, of);
        let thickness = sum(|part| part.thickness);
        // Parts without thickness are compared by their radii: they overlap that long, or only briefly.
        let size = if thickness > 0.0 {
            thickness
        } else {
            sum(|part| part.radius)
        };
        let triangles = self.triangles.len() + other.map_or(0, |other| other.triangles.len());
        let most = (WORK / (triangles + self.points.len()) as f64).clamp(LOOKS[0], LOOKS[1]);
        let count = (speed * end / (LOOK * size)).ceil().clamp(1.0, most);
        #[expect(clippy::cast_sign_loss, reason = "at least 1")]
        let last = count as usize;
        let mut times: Vec<f64> = (0..=last).map(|look| end * look as f64 / count).collect();
        let legs = [Some(self), other]
            .into_iter()
            .flatten()
            .flat_map(|part| &part.motion.then);
        times.extend(legs.map(|leg| leg.at).filter(|&at| at > 0.0 && at < end));
        times.sort_by(f64::total_cmp);
        times
    }

    pub(super) fn corners_at(&self, time: f64) -> Vec<[Vector3<f64>; 3]> {
        let place = |corners: &[Vector3<f64>; 3]| {
            corners.each_ref().map(|x| self.motion.position_at(x, time))
        };
        self.triangles.iter().map(place).collect()
    }
}

/// The first time at which a condition holds that does not hold at the first of `times`, by bisection between two of
/// them.
pub(super) fn first_time(times: &[f64], is_so: impl Fn(f64) -> bool) -> Option<f64> {
    if is_so(*times.first()?) {
        return None;
    }
    let at = times.iter().position(|&time| is_so(time))?;
    let (mut before, mut after) = (times[at - 1], times[at]);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (before + after);
        if is_so(middle) {
            after = middle;
        } else {
            before = middle;
        }
    }
    Some(after)
}
