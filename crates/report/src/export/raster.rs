//! Triangles to pixels, the nearest in front.

use super::camera::Seen;

/// A picture under construction: colours and nearness of its pixels, from the left, from the top.
#[derive(Debug)]
pub(super) struct Raster {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Channels from 0 to 255.
    pub(super) colours: Vec<[f32; 3]>,
    nearness: Vec<f32>,
}

/// A corner of a triangle with the values that colour it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) seen: Seen,
    pub(super) values: [f32; 2],
}

impl Raster {
    /// A picture with the colour of `background` at each height, from 0 at the top to 1.
    pub(super) fn new(width: usize, height: usize, background: impl Fn(f32) -> [f32; 3]) -> Self {
        let rows = (0..height).map(|row| background((row as f32 + 0.5) / height as f32));
        Self {
            width,
            height,
            colours: rows
                .flat_map(|colour| std::iter::repeat_n(colour, width))
                .collect(),
            nearness: vec![0.0; width * height],
        }
    }

    /// Forgets the depth of all triangles so far: later ones are in front of them.
    pub(super) fn start_front(&mut self) {
        self.nearness.fill(0.0);
    }

    /// Draws a triangle; `colour` of the values at a pixel.
    pub(super) fn triangle(&mut self, corners: [Corner; 3], colour: impl Fn([f32; 2]) -> [f32; 3]) {
        let place = corners.map(|corner| {
            let [x, y] = corner.seen.place;
            [x * self.width as f64 - 0.5, y * self.height as f64 - 0.5]
        });
        let [a, b, c] = place;
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let range = |axis: usize, length: usize| {
            let all = place.map(|corner| corner[axis]);
            let low = all
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min)
                .ceil()
                .max(0.0);
            let high = all
                .iter()
                .copied()
                .fold(f64::NEG_INFINITY, f64::max)
                .floor();
            #[expect(
                clippy::cast_sign_loss,
                reason = "both ends are clamped from below by 0"
            )]
            let ends = (
                low as usize,
                (high + 1.0).clamp(0.0, length as f64) as usize,
            );
            ends.0..ends.1
        };
        for row in range(1, self.height) {
            for column in range(0, self.width) {
                let [x, y] = [column as f64, row as f64];
                let weight = |p: [f64; 2], q: [f64; 2]| {
                    ((p[0] - x) * (q[1] - y) - (q[0] - x) * (p[1] - y)) / area
                };
                let weights = [weight(b, c), weight(c, a), weight(a, b)];
                if weights.iter().any(|&weight| weight < 0.0) {
                    continue;
                }
                let terms = [0, 1, 2].map(|k| weights[k] * corners[k].seen.nearness);
                let nearness: f64 = terms.iter().sum();
                let pixel = row * self.width + column;
                if nearness as f32 <= self.nearness[pixel] {
                    continue;
                }
                self.nearness[pixel] = nearness as f32;
                // In perspective, values over depth are linear.
                let value = |place: usize| {
                    let sum: f64 = (0..3)
                        .map(|k| terms[k] * f64::from(corners[k].values[place]))
                        .sum();
                    (sum / nearness) as f32
                };
                self.colours[pixel] = colour([value(0), value(1)]);
            }
        }
    }

    /// The picture with squares of `factor` pixels averaged, three bytes a pixel.
    pub(super) fn averaged(&self, factor: usize) -> Vec<u8> {
        let (width, height) = (self.width / factor, self.height / factor);
        let mut bytes = Vec::with_capacity(3 * width * height);
        for row in 0..height {
            for column in 0..width {
                let mut sum = [0.0; 3];
                for y in row * factor..(row + 1) * factor {
                    for x in column * factor..(column + 1) * factor {
                        let colour = self.colours[y * self.width + x];
                        for k in 0..3 {
                            sum[k] += colour[k];
                        }
                    }
                }
                let count = (factor * factor) as f32;
                #[expect(clippy::cast_sign_loss, reason = "clamped from below by 0")]
                bytes.extend(sum.map(|sum| (sum / count).round().clamp(0.0, 255.0) as u8));
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: f64, y: f64, nearness: f64) -> Corner {
        Corner {
            seen: Seen {
                place: [x, y],
                nearness,
            },
            values: [0.0; 2],
        }
    }

    #[test]
    fn the_nearest_triangle_is_in_front_in_any_order() {
        let whole = |nearness| {
            [
                corner(-1.0, -1.0, nearness),
                corner(3.0, -1.0, nearness),
                corner(-1.0, 3.0, nearness),
            ]
        };
        for order in [[1.0, 2.0], [2.0, 1.0]] {
            let mut raster = Raster::new(4, 4, |_| [0.0; 3]);
            for nearness in order {
                raster.triangle(whole(nearness), |_| [nearness as f32; 3]);
            }
            assert!(raster.averaged(1).iter().all(|&channel| channel == 2));
        }
    }

    /// Two triangles with a common edge cover a square, whatever its place.
    #[test]
    fn neighbours_leave_no_gap() {
        let mut raster = Raster::new(50, 50, |_| [0.0; 3]);
        let [a, b, c, d] =
            [(0.113, 0.2), (0.9, 0.17), (0.83, 0.8), (0.2, 0.91)].map(|(x, y)| corner(x, y, 1.0));
        for triangle in [[a, b, c], [c, a, d]] {
            raster.triangle(triangle, |_| [9.0; 3]);
        }
        let pixels = raster.averaged(1);
        let filled = pixels.chunks_exact(3).filter(|pixel| pixel[0] == 9).count();
        let expected =
            2500.0 * 0.5 * f64::abs((0.83 - 0.113) * (0.91 - 0.17) - (0.2 - 0.9) * (0.8 - 0.2));
        assert!(
            (filled as f64 - expected).abs() < 30.0,
            "{filled}, {expected}"
        );
    }
}
