//! The colours of the viewer's page.

/// Viridis, from small to large.
pub(super) const VIRIDIS: [[f32; 3]; 10] = [
    [68.0, 1.0, 84.0],
    [72.0, 40.0, 120.0],
    [62.0, 74.0, 137.0],
    [49.0, 104.0, 142.0],
    [38.0, 130.0, 142.0],
    [31.0, 158.0, 137.0],
    [53.0, 183.0, 121.0],
    [109.0, 205.0, 89.0],
    [180.0, 222.0, 44.0],
    [253.0, 231.0, 37.0],
];

/// From light to dark, from nothing to much.
pub(super) const HEAT: [[f32; 3]; 6] = [
    [236.0, 233.0, 226.0],
    [246.0, 211.0, 138.0],
    [242.0, 160.0, 78.0],
    [221.0, 95.0, 50.0],
    [169.0, 42.0, 34.0],
    [94.0, 15.0, 26.0],
];

/// From blue over white to red, around a middle.
pub(super) const DIVERGING: [[f32; 3]; 7] = [
    [44.0, 79.0, 163.0],
    [95.0, 141.0, 201.0],
    [166.0, 198.0, 226.0],
    [240.0, 240.0, 238.0],
    [243.0, 180.0, 156.0],
    [217.0, 105.0, 79.0],
    [168.0, 31.0, 47.0],
];

/// Bodies without elements, where the colours show values of elements.
pub(super) const NEUTRAL: [f32; 3] = [184.0, 184.0, 184.0];

/// The golden angle: hues of bodies near each other in the list are far apart.
const GOLDEN: f32 = 137.508;

/// Hue of the first body (degrees).
const FIRST_HUE: f32 = 210.0;

/// Colour of half-spaces, channels from 0 to 255.
pub(super) const OF_WALLS: [f32; 3] = [222.0, 226.0, 232.0];

/// Colour of links and ropes, unlike that of any body or value.
pub(super) const OF_LINES: [f32; 3] = [48.0, 50.0, 58.0];

/// The colour of a `scale` at `part`, from 0 to 1.
pub(super) fn at(scale: &[[f32; 3]], part: f32) -> [f32; 3] {
    let place = part.clamp(0.0, 1.0) * (scale.len() - 1) as f32;
    #[expect(clippy::cast_sign_loss, reason = "clamped from below by 0")]
    let below = (place as usize).min(scale.len() - 2);
    let between = place - below as f32;
    std::array::from_fn(|k| scale[below][k] + between * (scale[below + 1][k] - scale[below][k]))
}

/// A channel of sRGB as an intensity.
pub(super) fn linear(channel: f32) -> f32 {
    if channel <= 0.04045 {
        channel / 12.92
    } else {
        ((channel + 0.055) / 1.055).powf(2.4)
    }
}

/// The colour of a body, channels from 0 to 255.
pub(super) fn of_body(body: u32) -> [f32; 3] {
    let hue = (FIRST_HUE + body as f32 * GOLDEN) % 360.0 / 60.0;
    [0.0, 4.0, 2.0].map(|shift| {
        let full = (((hue + shift) % 6.0 - 3.0).abs() - 1.0).clamp(0.0, 1.0);
        255.0 * (0.6 + 0.42 * (full - 0.5))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_meet_their_ends_and_stay_there() {
        for (found, expected) in [
            (at(&VIRIDIS, -1.0), VIRIDIS[0]),
            (at(&VIRIDIS, 2.0), VIRIDIS[9]),
            (at(&DIVERGING, 0.5), DIVERGING[3]),
        ] {
            let far = (0..3)
                .map(|k| (found[k] - expected[k]).abs())
                .fold(0.0, f32::max);
            assert!(far < 1e-3, "{found:?}, not {expected:?}");
        }
    }

    #[test]
    fn neighbours_differ() {
        for body in 0..20 {
            let [a, b] = [of_body(body), of_body(body + 1)];
            let far = (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f32::max);
            assert!(far > 40.0, "{body}: {a:?} {b:?}");
        }
    }
}
