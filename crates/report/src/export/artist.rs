//! Pictures of a film, drawn by the processor.

use nalgebra::Vector3;

use super::camera::{Camera, Seen};
use super::colours;
use super::line::Pen;
use super::raster::{Corner, Raster};
use crate::viewer::Film;
use crate::viewer::patch::patch;
use crate::viewer::shot::{NO_ELEMENTS, Shot};

/// Pixels on each side of a square that is averaged to a pixel of the picture, so that edges are smooth.
const SAMPLES: usize = 2;

/// Largest part of the lines on a half-space that is drawn, relative to their distance.
const LINE: f32 = 0.012;

/// Width of links and ropes relative to the height of the picture, 1/400 to 1/100: a twin of the shafts of arrows on
/// the page.
const ROPE: f64 = 1.0 / 200.0;

/// Least width of links and ropes (pixels of the picture), 1 to 3: thinner ones would be pale.
const LEAST_ROPE: f64 = 1.5;

/// Meaning of the colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colouring {
    /// The body.
    #[default]
    Body,
    /// Von Mises stress.
    Stress,
    /// Contact force on a node.
    Force,
    /// Volume ratio to the first frame of the run.
    Ratio,
}

/// Size and view of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
    /// Angle of the eye about the vertical, and above the horizon (radians).
    pub view: [f64; 2],
}

impl Default for Shape {
    /// 1280 × 720 pixels, seen as the viewer's page opens.
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            view: [-0.95, 0.42],
        }
    }
}

/// Draws the frames of a film, all with one camera and one range of colours.
#[derive(Debug)]
pub struct Artist<'a> {
    film: &'a Film,
    shape: Shape,
    colouring: Colouring,
    camera: Camera,
    /// Distance of the lines on half-spaces (m).
    spacing: f64,
}

impl<'a> Artist<'a> {
    /// An artist for `film`.
    pub fn new(film: &'a Film, shape: Shape, colouring: Colouring) -> Self {
        let (low, high) = (film.limits.low, film.limits.high);
        let aspect = shape.width as f64 / shape.height.max(1) as f64;
        let up = film.stage.up();
        Self {
            film,
            shape,
            colouring,
            camera: Camera::new((low, high), up, shape.view, aspect),
            spacing: round_below((high - low).norm().max(f64::MIN_POSITIVE) / 8.0),
        }
    }

    /// Frame `index`: three bytes per pixel, from the left, from the top.
    ///
    /// # Panics
    /// If the film has no such frame.
    pub fn picture(&self, index: usize) -> Vec<u8> {
        let Shape { width, height, .. } = self.shape;
        // As the background of the page.
        let sky = |part: f32| {
            [
                253.0 - 20.0 * part,
                253.0 - 17.0 * part,
                254.0 - 12.0 * part,
            ]
        };
        let mut raster = Raster::new(SAMPLES * width, SAMPLES * height, sky);
        self.draw_walls(&mut raster);
        // Seen from its outside, a half-space is behind everything.
        raster.start_front();
        self.draw_surface(&mut raster, &self.film.shots[index]);
        self.draw_lines(&mut raster, &self.film.shots[index]);
        raster.averaged(SAMPLES)
    }

    fn draw_walls(&self, raster: &mut Raster) {
        let corners = self.film.limits.corners();
        for wall in &self.film.stage.names.walls {
            if wall.normal.dot(&(self.camera.eye() - wall.point)) <= 0.0 {
                continue;
            }
            let Some(patch) = patch(&wall.point, &wall.normal, corners.iter()) else {
                continue;
            };
            let sides = [(patch[1] - patch[0]).norm(), (patch[3] - patch[0]).norm()];
            let [u, v] = sides.map(|side| (side / self.spacing) as f32);
            let values = [[0.0, 0.0], [u, 0.0], [u, v], [0.0, v]];
            let mut seen = patch
                .iter()
                .map(|corner| self.camera.see(corner))
                .zip(values);
            let corners: [Option<Corner>; 4] = std::array::from_fn(|_| {
                let (seen, values) = seen.next()?;
                seen.map(|seen| Corner { seen, values })
            });
            let [Some(a), Some(b), Some(c), Some(d)] = corners else {
                continue;
            };
            let colour = |values: [f32; 2]| {
                let on_line = values
                    .iter()
                    .any(|value| (value - value.round()).abs() < LINE);
                if on_line {
                    [179.0, 184.0, 194.0]
                } else {
                    [222.0, 226.0, 232.0]
                }
            };
            raster.triangle([a, b, c], colour);
            raster.triangle([a, c, d], colour);
        }
    }

    fn draw_surface(&self, raster: &mut Raster, shot: &Shot) {
        let surface = &self.film.stage.surface;
        let points: Vec<Vector3<f64>> = (shot.positions.iter())
            .map(|&position| Vector3::from(position).map(f64::from))
            .collect();
        let seen: Vec<_> = points.iter().map(|point| self.camera.see(point)).collect();
        let values = self.values(shot);
        let (light, eye) = (self.camera.light(), self.camera.eye());
        for triangle in &surface.triangles {
            let [a, b, c] = triangle.map(|vertex| points[vertex as usize]);
            let normal = (b - a).cross(&(c - a));
            let length = normal.norm();
            let [Some(first), Some(second), Some(third)] =
                triangle.map(|vertex| seen[vertex as usize])
            else {
                continue;
            };
            if length == 0.0 {
                continue;
            }
            let facing = normal.dot(&(eye - a)).signum() / length;
            let lit = (0.52 + 0.5 * (normal.dot(&light) * facing).max(0.0)) as f32;
            let of_body = colours::of_body(surface.bodies[triangle[0] as usize]);
            let value = |k: usize| {
                values
                    .get(triangle[k] as usize)
                    .copied()
                    .unwrap_or_default()
            };
            let corners = [(first, 0), (second, 1), (third, 2)].map(|(seen, k)| Corner {
                seen,
                values: [value(k), 0.0],
            });
            raster.triangle(corners, |[value, _]| {
                self.colour(value, of_body).map(|channel| channel * lit)
            });
        }
    }

    /// Links and ropes as cylinders: a line on a surface is in front of it by half of its width.
    fn draw_lines(&self, raster: &mut Raster, shot: &Shot) {
        let height = self.shape.height.max(1) as f64;
        let part = ROPE.max(LEAST_ROPE / height);
        let nearer = 1.0 + 0.5 * part * self.camera.height();
        let pen = Pen {
            half: 0.5 * part * height * SAMPLES as f64,
            colour: colours::OF_LINES,
        };
        let see = |point: &[f32; 3]| {
            let seen = self.camera.see(&Vector3::from(*point).map(f64::from))?;
            let nearness = seen.nearness * nearer;
            Some(Seen { nearness, ..seen })
        };
        let mut rest = shot.lines.as_slice();
        for &count in &self.film.stage.lines {
            let (line, others) = rest.split_at(count.min(rest.len()));
            let seen: Vec<Option<Seen>> = line.iter().map(see).collect();
            pen.draw(raster, &seen);
            rest = others;
        }
    }

    /// The value of each vertex; empty for colours of bodies.
    fn values(&self, shot: &Shot) -> Vec<f32> {
        match self.colouring {
            Colouring::Body => Vec::new(),
            Colouring::Stress => shot.stress.clone(),
            Colouring::Ratio => shot.ratio.clone(),
            Colouring::Force => {
                let mut norms = vec![0.0; shot.positions.len()];
                for &(vertex, force) in &shot.forces {
                    norms[vertex as usize] = Vector3::from(force).norm();
                }
                norms
            }
        }
    }

    fn colour(&self, value: f32, of_body: [f32; 3]) -> [f32; 3] {
        let limits = &self.film.limits;
        let part = |[end, _]: [f32; 2]| value / end.max(f32::MIN_POSITIVE);
        match self.colouring {
            Colouring::Body => of_body,
            Colouring::Force => colours::at(&colours::HEAT, part(limits.force())),
            _ if value <= 0.5 * NO_ELEMENTS => colours::NEUTRAL,
            Colouring::Stress => colours::at(&colours::VIRIDIS, part(limits.stress())),
            Colouring::Ratio => {
                let [end, _] = limits.deviation();
                colours::at(&colours::DIVERGING, 0.5 + 0.5 * (value - 1.0) / end)
            }
        }
    }
}

/// The number 1, 2 or 5 times a power of ten at or below `value`.
fn round_below(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let factor = [5.0, 2.0, 1.0]
        .into_iter()
        .find(|factor| factor * power <= value);
    factor.unwrap_or(1.0) * power
}

#[cfg(test)]
mod tests {
    use super::round_below;

    #[test]
    fn distances_of_lines_are_round() {
        for (value, round) in [(0.13, 0.1), (7.0, 5.0), (20.0, 20.0), (0.049, 0.02)] {
            assert!((round_below(value) / round - 1.0).abs() < 1e-12, "{value}");
        }
    }
}
