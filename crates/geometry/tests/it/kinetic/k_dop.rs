//! Volumes contain their points, and the tree finds the pairs of brute force.

use super::support::{moving_point, positions, vector, whims};
use impinge_geometry::kinetic::k_dop::components;
use impinge_geometry::kinetic::{KDop, KDopTree, MovingPoint};
use nalgebra::Vector3;
use proptest::prelude::*;

fn holds(volume: &KDop, x: &Vector3<f64>, margin: f64) -> bool {
    let at = components(x);
    (0..at.len()).all(|k| volume.lower[k] + margin <= at[k] && at[k] <= volume.upper[k] - margin)
}

fn around(x: &Vector3<f64>, radius: f64) -> KDop {
    KDop::of_path(&MovingPoint::at_rest(*x), 0.0, radius)
}

#[test]
fn directions_have_unit_length_and_differ() {
    // The images of the unit vectors are the columns of the matrix of directions.
    let columns = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| components(&axis));
    let direction = |k: usize| Vector3::new(columns[0][k], columns[1][k], columns[2][k]);
    for k in 0..13 {
        assert!((direction(k).norm() - 1.0).abs() < 1e-15);
        for other in 0..k {
            assert!(direction(k).dot(&direction(other)).abs() < 0.99);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_point_stays_in_the_volume_of_its_path(
        points in [moving_point(), moving_point(), moving_point(), moving_point()],
        whims in whims(4),
        duration in 0.0..1.0_f64,
        margin in 0.0..0.1_f64,
    ) {
        let volume = KDop::of_path(&points[0], duration, margin);
        let mut inside = true;
        positions(&points, &whims, duration, |at| inside &= holds(&volume, &at[0], margin));
        prop_assert!(inside);
        // With a margin for the guards of one second, its own path does not leave earlier.
        let roomy = KDop::of_path(&points[0], duration, margin + 1e-5);
        let exit = roomy.exit_time(&points[0], margin);
        prop_assert!(exit >= duration, "{} {}", exit, duration);
    }

    #[test]
    fn a_point_stays_inside_as_long_as_it_says(
        points in [moving_point(), moving_point(), moving_point(), moving_point()],
        whims in whims(4),
        shift in vector(0.1),
        margin in 0.0..0.1_f64,
    ) {
        let volume = around(&(points[0].position + shift), 0.4);
        let exit = volume.exit_time(&points[0], margin);
        let mut inside = true;
        positions(&points, &whims, exit.min(1e3), |at| inside &= holds(&volume, &at[0], margin - 1e-13));
        prop_assert!(inside);
    }

    /// Volumes of two intersecting balls overlap; disjoint volumes mean disjoint balls.
    #[test]
    fn volumes_apart_mean_points_apart(x in vector(1.0), y in vector(1.0), radius in 0.0..0.5_f64) {
        let (a, b) = (around(&x, radius), around(&y, radius));
        if !a.overlaps(&b) {
            prop_assert!((x - y).norm() >= 2.0 * radius);
        }
        let both = a.merged(&b);
        prop_assert!(both.contains(&a) && both.contains(&b));
        prop_assert!(!KDop::EMPTY.overlaps(&a) && KDop::EMPTY.merged(&a) == a);
    }

    #[test]
    fn the_tree_agrees_with_brute_force(
        centres in prop::collection::vec((vector(1.0), 0_u32..4), 1..60),
        moves in prop::collection::vec((any::<prop::sample::Index>(), vector(1.5), 0.0..0.3_f64), 0..40),
        probe in vector(1.0),
        radius in 0.0..0.6_f64,
    ) {
        let (places, groups): (Vec<_>, Vec<_>) = centres.into_iter().unzip();
        let mut tree = KDopTree::new(&places, &groups);
        let mut volumes: Vec<KDop> = places.iter().map(|x| around(x, 0.1)).collect();
        for (item, volume) in (0..).zip(&volumes) {
            tree.set(item, *volume);
        }
        for (index, to, size) in moves {
            let item = index.index(volumes.len());
            volumes[item] = around(&to, size);
            tree.set(item as u32, volumes[item]);
        }
        let probe = around(&probe, radius);
        let (mut stack, mut found) = (Vec::new(), Vec::new());
        tree.query(&probe, &mut stack, &mut found);
        found.sort_unstable();
        let expected: Vec<u32> = (0..volumes.len() as u32)
            .filter(|&i| volumes[i as usize].overlaps(&probe))
            .collect();
        prop_assert_eq!(found, expected);
        // Setting all volumes at once gives the same tree, and all pairs of wanted groups.
        let mut whole = KDopTree::new(&places, &groups);
        whole.refit(|item| volumes[item as usize]);
        let wanted = |a: u32, b: u32| a != 0 || b != 0;
        let mut pairs = [Vec::new(), Vec::new()];
        for (tree, pairs) in [&tree, &whole].into_iter().zip(&mut pairs) {
            tree.pairs(wanted, pairs);
            for pair in &mut *pairs {
                pair.sort_unstable();
            }
            pairs.sort_unstable();
        }
        prop_assert_eq!(&pairs[0], &pairs[1]);
        let mut expected = Vec::new();
        for a in 0..volumes.len() {
            for b in a + 1..volumes.len() {
                if wanted(groups[a], groups[b]) && volumes[a].overlaps(&volumes[b]) {
                    expected.push([a as u32, b as u32]);
                }
            }
        }
        prop_assert_eq!(&pairs[0], &expected);
    }
}

/// A tree large enough for several threads gives the same pairs in the same order for any number of threads.
#[test]
fn a_large_tree_finds_the_same_on_any_number_of_threads() {
    let place = |k: u32| Vector3::new(f64::from(k % 50), f64::from(k / 50), f64::from(k * 7 % 5));
    let places: Vec<Vector3<f64>> = (0..2000).map(place).collect();
    // One body has all but two items, which are separate bodies: leaves close to the root.
    let groups: Vec<u32> = (0..2000).map(|k| if k < 2 { k + 1 } else { 0 }).collect();
    let volumes: Vec<KDop> = places.iter().map(|x| around(x, 1.6)).collect();
    let wanted = |a: u32, b: u32| a + b != 2;
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let mut tree = KDopTree::new(&places, &groups);
            tree.refit(|item| volumes[item as usize]);
            let mut pairs = Vec::new();
            tree.pairs(wanted, &mut pairs);
            pairs
        })
    };
    let found = on(1);
    assert_eq!(found, on(4));
    let mut found: Vec<[u32; 2]> = found
        .into_iter()
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    found.sort_unstable();
    let all = (0..2000_u32).flat_map(|a| (a + 1..2000).map(move |b| [a, b]));
    let expected: Vec<[u32; 2]> = all
        .filter(|&[a, b]| wanted(groups[a as usize], groups[b as usize]))
        .filter(|&[a, b]| volumes[a as usize].overlaps(&volumes[b as usize]))
        .collect();
    assert!(expected.len() > 2000);
    assert_eq!(found, expected);
}
