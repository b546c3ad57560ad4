//! Curves over the rounds of one step.

use impinge_contact::ContactProblem;
use impinge_report::convergence::{answers, curves};

use super::land;

const METHODS: [&str; 4] = ["cr", "cr-diagonal", "sp-2cr", "ica"];

/// A curve through other problems, from other starts, or without one of the rounds would end elsewhere.
#[test]
fn a_curve_ends_where_the_comparison_does() {
    let landed = land(&METHODS, 1, 2);
    let sample = landed.sample.expect("a step with contacts");
    assert!(sample.rounds.len() > 1, "the step that lands solves again");
    assert_eq!(sample.left_out, 0);
    let curves = curves(&sample, &landed.methods);
    assert_eq!(curves.len(), METHODS.len());
    for (curve, record) in curves.iter().zip(&landed.records) {
        let mut steps = record.steps.iter();
        let effort = steps.find(|s| s.step == sample.step).expect("compared");
        let end = curve.points.last().expect("points");
        assert_eq!(curve.name, record.name);
        assert_eq!(end.iterations, effort.iterations, "{}", curve.name);
        assert_eq!(end.state_changes, effort.state_changes, "{}", curve.name);
        assert_eq!(effort.solves as usize, sample.rounds.len());
    }
}

#[test]
fn a_curve_has_few_points_that_go_on_from_round_to_round() {
    let landed = land(&METHODS, 1, 2);
    let sample = landed.sample.expect("a step with contacts");
    for curve in curves(&sample, &landed.methods) {
        assert!(curve.points.len() <= 28, "{}", curve.points.len());
        assert_eq!(curve.rounds.len() + 1, sample.rounds.len());
        assert!(curve.points.is_sorted_by_key(|point| point.iterations));
        for &begin in &curve.rounds {
            let [end, begin] = [curve.points[begin - 1], curve.points[begin]];
            assert_eq!(end.iterations, begin.iterations, "{}", curve.name);
            assert!(end.momentum < 2.0 && end.constraints < 2.0, "{end:?}");
        }
        let end = curve.points.last().expect("points");
        assert!(end.momentum < 2.0 && end.constraints < 2.0, "{end:?}");
    }
}

#[test]
fn all_methods_begin_at_the_same_warm_start() {
    let landed = land(&METHODS, 1, 2);
    let sample = landed.sample.expect("a step with contacts");
    let curves = curves(&sample, &landed.methods);
    for curve in &curves {
        assert_eq!(curve.points[0], curves[0].points[0], "{}", curve.name);
    }
}

/// `e_v/max(w √D) ≤ sqrt(rᵀ D⁻¹ r) ≤ e_v/min(w √D)` of `e_v = ‖w r‖` with the momentum weights `w`.
#[test]
fn the_preconditioned_residual_is_between_its_bounds() {
    let landed = land(&["cr"], 1, 2);
    let sample = landed.sample.expect("a step with contacts");
    let curve = curves(&sample, &landed.methods).remove(0);
    let weighted = |problem: &ContactProblem| -> Vec<f64> {
        let of_block = |block| {
            let weight = problem.momentum_weight(block).powi(2);
            (problem.momentum.diagonal_block(block).diagonal() * weight)
                .data
                .0[0]
        };
        (0..problem.momentum.blocks()).flat_map(of_block).collect()
    };
    // Rounds are solved island by island; the bounds are those of all of them.
    let rounds = sample.rounds.iter();
    let diagonal: Vec<f64> = rounds.flat_map(|round| weighted(&round.problem)).collect();
    let least = diagonal.iter().copied().fold(f64::INFINITY, f64::min);
    let most = diagonal.iter().copied().fold(0.0, f64::max);
    for point in &curve.points {
        let e_v = point.momentum * sample.rounds[0].tolerances.momentum;
        let rounding = 1.0 + 1e-9;
        assert!(
            point.preconditioned <= e_v / least.sqrt() * rounding,
            "{point:?}"
        );
        assert!(
            point.preconditioned * rounding >= e_v / most.sqrt(),
            "{point:?}"
        );
    }
}

#[test]
fn answers_are_those_of_the_curves() {
    let landed = land(&["cr", "ica"], 1, 2);
    let sample = landed.sample.expect("a step with contacts");
    for (curve, (_, method)) in curves(&sample, &landed.methods).iter().zip(&landed.methods) {
        assert_eq!(curve.answers, answers(&sample, *method).expect("answers"));
    }
}
