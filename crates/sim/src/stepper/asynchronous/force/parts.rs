//! Clusters of nearby points.

use nalgebra::Vector3;

/// Divides points into `count` clusters of about equal size by recursive bisection along the longest side of their box.
///
/// The points of each cluster are ascending. The result does not depend on the order of `points`.
pub(super) fn parts_of(points: &[u32], positions: &[Vector3<f64>], count: usize) -> Vec<Vec<u32>> {
    let mut parts = Vec::with_capacity(count);
    divide(points.to_vec(), positions, count, &mut parts);
    for points in &mut parts {
        points.sort_unstable();
    }
    parts
}

fn divide(
    mut points: Vec<u32>,
    positions: &[Vector3<f64>],
    count: usize,
    parts: &mut Vec<Vec<u32>>,
) {
    if count < 2 || points.len() < 2 {
        parts.push(points);
        return;
    }
    let at = |point: u32| positions[point as usize];
    let first = at(points[0]);
    let (lower, upper) = points
        .iter()
        .fold((first, first), |(lower, upper), &point| {
            (lower.inf(&at(point)), upper.sup(&at(point)))
        });
    let axis = (upper - lower).imax();
    let first_count = count / 2;
    let middle = points.len() * first_count / count;
    points.select_nth_unstable_by(middle, |&a, &b| {
        let along = at(a)[axis].total_cmp(&at(b)[axis]);
        along.then(a.cmp(&b))
    });
    let rest = points.split_off(middle);
    divide(points, positions, first_count, parts);
    divide(rest, positions, count - first_count, parts);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of points is cut across its length.
    #[test]
    fn parts_lie_together_and_are_of_equal_size() {
        let positions: Vec<_> = (0..100)
            .map(|k| Vector3::new(f64::from((k * 37) % 100), 0.5, 0.0))
            .collect();
        let points: Vec<u32> = (0..100).collect();
        let parts = parts_of(&points, &positions, 5);
        assert_eq!(parts.len(), 5);
        for (number, part) in parts.iter().enumerate() {
            assert_eq!(part.len(), 20);
            assert!(part.is_sorted());
            for &point in part {
                let x = positions[point as usize].x;
                assert!(x >= 20.0 * number as f64 && x < 20.0 * (number + 1) as f64);
            }
        }
    }

    #[test]
    fn points_at_one_place_are_divided_too() {
        let positions = vec![Vector3::zeros(); 7];
        let points: Vec<u32> = (0..7).collect();
        let parts = parts_of(&points, &positions, 3);
        let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 7);
        assert!(sizes.iter().all(|&size| size >= 2));
    }
}
