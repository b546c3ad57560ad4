//! Clocks: anchored, without drift, nested.

use impinge_sim::stepper::asynchronous::{Clock, nested_period};

#[test]
fn a_clock_resumes_on_its_grid() {
    for period in [1e-3, 0.1, 1.0 / 3.0, 7.3e-7] {
        for k in 1..2000_u64 {
            let tick = k as f64 * period;
            for now in [tick, tick.next_down(), tick.next_up()] {
                let mut clock = Clock::new(period);
                clock.resume_after(now);
                assert!(clock.due() > now, "{period} {k}");
                assert!((clock.tick - 1) as f64 * period <= now, "{period} {k}");
            }
        }
    }
}

#[test]
fn ticks_are_counted_and_not_summed_up() {
    let mut clock = Clock::new(1e-3);
    clock.tick += 999_999_999;
    assert_eq!(clock.due().to_bits(), 1e6_f64.to_bits());
}

#[test]
fn nested_periods_are_halves() {
    for (limit, expected) in [(1.0, 1e-3), (0.9e-3, 0.5e-3), (0.25e-3, 0.25e-3)] {
        assert_eq!(nested_period(1e-3, limit).to_bits(), f64::to_bits(expected));
    }
    // A limit of 0 terminates, too.
    assert!(nested_period(1e-3, 0.0) >= 0.0);
}
