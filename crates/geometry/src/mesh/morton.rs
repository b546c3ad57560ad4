//! Order of points along the Morton (Z) curve.

use nalgebra::Vector3;

/// Bits per axis: three times 21 fill a `u64`.
const BITS: u32 = 21;

/// Indices of `points` in Morton order over their bounding cube, ties by index.
pub(super) fn order(points: &[Vector3<f64>]) -> Vec<u32> {
    let Some(&first) = points.first() else {
        return Vec::new();
    };
    let (lower, upper) = points.iter().fold((first, first), |(lower, upper), point| {
        (lower.inf(point), upper.sup(point))
    });
    let extent = (upper - lower).max();
    // A single point has no extent; then any finite scale is valid.
    let scale = if extent > 0.0 {
        f64::from((1u32 << BITS) - 1) / extent
    } else {
        0.0
    };

    #[expect(
        clippy::cast_sign_loss,
        reason = "distances from the lowest corner are not negative"
    )]
    let mut keyed: Vec<(u64, u32)> = (0u32..)
        .zip(points)
        .map(|(index, point)| {
            let cell = ((point - lower) * scale).map(|coordinate| coordinate as u64);
            (
                spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2,
                index,
            )
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, index)| index).collect()
}

/// Moves bit `i` of the low 21 bits to bit `3i`.
fn spread(value: u64) -> u64 {
    let mut bits = value & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn spreading_moves_each_bit_to_three_times_its_place() {
        for bit in 0..21 {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
    }
}
