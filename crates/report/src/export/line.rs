//! Lines of a picture: strips that face the eye, with round ends, lit as cylinders.

use super::camera::Seen;
use super::raster::{Corner, Raster};

/// Sides of the polygon that stands for a round end.
const SIDES: usize = 12;

/// Part of the light at the edge of a line.
const EDGE: f32 = 0.6;

/// A line of a picture under construction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pen {
    /// Half of its width (pixels of the raster).
    pub(super) half: f64,
    pub(super) colour: [f32; 3],
}

impl Pen {
    /// Draws a line through the points that are seen.
    pub(super) fn draw(&self, raster: &mut Raster, points: &[Option<Seen>]) {
        for pair in points.windows(2) {
            if let [Some(a), Some(b)] = pair {
                self.strip(raster, a, b);
            }
        }
        for point in points.iter().flatten() {
            self.end(raster, point);
        }
    }

    /// The part between two points.
    fn strip(&self, raster: &mut Raster, a: &Seen, b: &Seen) {
        let size = [raster.width as f64, raster.height as f64];
        let along = [0, 1].map(|axis| (b.place[axis] - a.place[axis]) * size[axis]);
        let length = along[0].hypot(along[1]);
        if length == 0.0 {
            return;
        }
        let across = [-along[1], along[0]].map(|part| part * self.half / length);
        let corner = |of: &Seen, side: f64| beside(of, across.map(|part| part * side), size, side);
        let [c, d, e, f] =
            [(a, -1.0), (b, -1.0), (b, 1.0), (a, 1.0)].map(|(of, side)| corner(of, side));
        raster.triangle([c, d, e], |values| self.lit(values));
        raster.triangle([c, e, f], |values| self.lit(values));
    }

    /// The disc at a point.
    fn end(&self, raster: &mut Raster, point: &Seen) {
        let size = [raster.width as f64, raster.height as f64];
        let rim = |side: usize| {
            let angle = std::f64::consts::TAU * side as f64 / SIDES as f64;
            let off = [angle.cos() * self.half, angle.sin() * self.half];
            beside(point, off, size, 1.0)
        };
        for side in 0..SIDES {
            let corners = [beside(point, [0.0; 2], size, 0.0), rim(side), rim(side + 1)];
            raster.triangle(corners, |values| self.lit(values));
        }
    }

    /// The colour at a distance from the middle, relative to half of the width.
    fn lit(&self, [distance, _]: [f32; 2]) -> [f32; 3] {
        let facing = (1.0 - distance * distance).max(0.0).sqrt();
        self.colour
            .map(|channel| channel * (EDGE + (1.0 - EDGE) * facing))
    }
}

/// The corner at some pixels from a point, with its distance from the middle of the line.
fn beside(point: &Seen, off: [f64; 2], size: [f64; 2], distance: f64) -> Corner {
    let place = [0, 1].map(|axis| point.place[axis] + off[axis] / size[axis]);
    Corner {
        seen: Seen { place, ..*point },
        values: [distance as f32, 0.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of ten pixels across a picture of a hundred is a strip with two half discs, darker at its edges.
    #[test]
    fn a_line_is_a_strip_with_round_ends() {
        let seen = |x: f64, nearness: f64| {
            let place = [x, 0.5];
            Some(Seen { place, nearness })
        };
        let mut raster = Raster::new(100, 100, |_| [0.0; 3]);
        let pen = Pen {
            half: 5.0,
            colour: [200.0; 3],
        };
        pen.draw(
            &mut raster,
            &[seen(0.2, 1.0), seen(0.5, 1.0), seen(0.8, 2.0)],
        );
        let pixels = raster.averaged(1);
        let shown = pixels.chunks_exact(3).filter(|pixel| pixel[0] > 0).count();
        let expected = 60.0 * 10.0 + std::f64::consts::PI * 25.0;
        assert!(
            (shown as f64 - expected).abs() < 0.05 * expected,
            "{shown}, not {expected}"
        );
        let at = |x: usize, y: usize| pixels[3 * (100 * y + x)];
        assert!(at(30, 50) > at(30, 54) && at(30, 54) > 100);
        assert_eq!((at(30, 56), at(13, 50), at(86, 50)), (0, 0, 0));
        // A point behind the eye ends the line.
        let mut raster = Raster::new(100, 100, |_| [0.0; 3]);
        pen.draw(&mut raster, &[seen(0.2, 1.0), None, seen(0.8, 1.0)]);
        let pixels = raster.averaged(1);
        assert_eq!(pixels[3 * (100 * 50 + 50)], 0);
    }
}
