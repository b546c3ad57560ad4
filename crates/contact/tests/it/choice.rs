//! Methods by name, settings by key.

use impinge_contact::Tolerances;
use impinge_contact::method::active_set_cr::PreconditionerKind;
use impinge_contact::method::{Method, MethodError};

const TOLERANCES: Tolerances = Tolerances {
    momentum: 1e-5,
    gap: 1e-6,
    slip: 1e-8,
};

#[test]
fn every_name_is_a_method_with_the_given_tolerances() {
    for name in Method::NAMES {
        let method = Method::named(name, TOLERANCES).expect("a name from the list");
        assert_eq!(method.name(), name);
        assert_eq!(method.tolerances(), TOLERANCES);
        // The stored form has the same name.
        let json = serde_json::to_value(method).expect("plain data");
        assert_eq!(json["method"], name);
    }
    for name in Method::VARIANTS {
        let method = Method::named(name, TOLERANCES).expect("a name from the list");
        assert_eq!(method.name(), "cr");
        assert_eq!(method.tolerances(), TOLERANCES);
    }
    let error = Method::named("magic", TOLERANCES).expect_err("no such method");
    assert!(error.to_string().contains("choose one of cr"), "{error}");
}

#[test]
fn settings_are_changed_by_key() {
    let mut method = Method::named("cr", TOLERANCES).expect("a method");
    method.set("max_iterations", "17").expect("a count");
    method.set("tolerances.gap", "3e-7").expect("a number");
    method.set("preconditioner", "diagonal").expect("a choice");
    let Method::Cr(settings) = method else {
        panic!("another method: {method:?}");
    };
    assert_eq!(settings.max_iterations, 17);
    assert_eq!(settings.tolerances.gap.to_bits(), 3e-7_f64.to_bits());
    assert_eq!(settings.preconditioner, PreconditionerKind::Diagonal);
}

#[test]
fn unknown_keys_and_values_are_named_and_change_nothing() {
    let mut method = Method::named("cr", TOLERANCES).expect("a method");
    let before = method;
    for (key, value) in [
        ("patients", "1"),
        ("tolerances", "1"),
        ("tolerances.gap.x", "1"),
        ("method", "cr"),
        ("", "1"),
    ] {
        let error = method.set(key, value).expect_err("no such setting");
        assert!(matches!(error, MethodError::Key { .. }), "{error}");
        assert!(error.to_string().contains("tolerances.gap"), "{error}");
    }
    for (key, value) in [
        ("refresh_interval", "soon"),
        ("refresh_interval", "-1"),
        ("preconditioner", "none"),
    ] {
        let error = method.set(key, value).expect_err("no such value");
        assert!(matches!(error, MethodError::Value { .. }), "{error}");
    }
    assert_eq!(method, before);
}

/// The default settings of every method are valid; invalid settings are rejected before a solve.
#[test]
fn settings_out_of_range_are_told_before_a_solve() {
    for name in Method::NAMES.iter().chain(&Method::VARIANTS) {
        let method = Method::named(name, TOLERANCES).expect("a name from the list");
        assert_eq!(method.validate(), Ok(()));
    }
    for (name, key, value, said) in [
        ("cr", "softness", "-1", "setting `softness` is -1; "),
        (
            "active-set",
            "refresh_interval",
            "0",
            "setting `refresh_interval` is 0; ",
        ),
        ("sp-2cr", "forcing", "-1", "setting `forcing` is -1; "),
        (
            "ica",
            "max_iterations",
            "0",
            "setting `max_iterations` is 0; ",
        ),
        (
            "exact-compliance",
            "max_sweeps",
            "0",
            "setting `max_sweeps` is 0; ",
        ),
        (
            "compliant-kkt",
            "relative",
            "-1e-3",
            "setting `relative` is -1e-3; ",
        ),
    ] {
        let mut method = Method::named(name, TOLERANCES).expect("a name from the list");
        method.set(key, value).expect("a number");
        let error = method.validate().expect_err("no solve would begin");
        assert!(error.to_string().contains(said), "{name}: {error}");
    }
}
