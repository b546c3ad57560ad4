//! A stored problem is read bit for bit, or rejected with the place of the error.

use super::support::{cases, oblique, particles, push};
use impinge_contact::Tolerances;
use impinge_contact::method::active_set_cr::{
    ActiveSetCrSettings, DuplicateRule, EvaluationSchedule,
};
use impinge_contact::stored::{FORMAT, Origin};
use impinge_contact::{
    ContactProblem, ContactSolution, ContactState, Method, Multipliers, RestNode, StoredProblem,
    StoredProblemError,
};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

/// Three blocks, two of them coupled, two contacts; numbers without a short decimal form.
pub(super) fn stored() -> StoredProblem {
    let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(3, [(0, 2)]));
    for block in 0..3 {
        *momentum.diagonal_block_mut(block) = Matrix3::from_fn(|r, c| {
            if r == c {
                2.0 + 0.1 * block as f64
            } else {
                -1.0 / 3.0
            }
        });
    }
    let slot = momentum.pattern().slot(0, 2).expect("the pair");
    *momentum.block_mut(slot) = Matrix3::from_fn(|r, c| (r as f64 - 0.1 * c as f64) / 7.0);
    let rhs = (0..9).map(|i| f64::from(i).sin()).collect();
    let mut problem = ContactProblem::new(1e-3 / 3.0, momentum, rhs);
    let offset = Vector3::new(-1e-6, 1e-300, -0.0);
    push(&mut problem, &oblique(), &[(0, 1.0)], offset, 0.3);
    push(
        &mut problem,
        &oblique(),
        &[(2, 0.7), (1, -0.7)],
        -offset,
        0.0,
    );
    problem.weigh_momentum([1.0, 1.0 / 3.0, 1e-9]);
    problem.scale_displacements(1, [1.0 / 7.0, 1e3]);
    let place = |body| RestNode {
        body,
        position: Vector3::new(0.1, -1.0 / 3.0, 1e-300),
        mass: 0.7,
    };
    problem.set_rest_nodes([Some(place(4)), None, Some(place(0))]);
    let start = ContactSolution {
        velocity: (0..9).map(|i| f64::from(i).cos()).collect(),
        contacts: vec![
            Multipliers {
                state: ContactState::Sticking,
                lambda: 1.0 / 3.0,
                gamma: [0.1, -0.2],
                previous_lambda: 5e-324,
                ..Multipliers::default()
            },
            Multipliers {
                state: ContactState::Sliding,
                sliding_force: [1e-17, 0.3],
                slip_direction: [0.6, -0.8],
                ..Multipliers::default()
            },
        ],
        constraints: Vec::new(),
    };
    let settings = ActiveSetCrSettings {
        tolerances: Tolerances {
            momentum: 1e-5 / 3.0,
            gap: 0.1 + 0.2,
            slip: 1e-9 / 7.0,
        },
        duplicates: DuplicateRule::PerPair,
        schedule: EvaluationSchedule::AtConvergence,
        refresh_interval: u64::MAX,
        ..ActiveSetCrSettings::default()
    };
    StoredProblem {
        problem,
        start,
        method: Method::Cr(settings),
        origin: Origin {
            scene: "\"rings\"\n".to_owned(),
            step: 412,
            round: 3,
            time: 0.1 + 0.7,
        },
    }
}

fn bits(numbers: impl IntoIterator<Item = f64>) -> Vec<u64> {
    numbers.into_iter().map(f64::to_bits).collect()
}

/// Every number of a problem as bits, and the structure.
fn fingerprint(stored: &StoredProblem) -> (Vec<u64>, Vec<u32>, Vec<usize>) {
    let problem = &stored.problem;
    let pattern = problem.momentum.pattern();
    let mut numbers = vec![problem.time_step];
    numbers.extend(problem.momentum.values().iter().flatten());
    numbers.extend(&problem.rhs);
    let mut blocks = pattern.columns().to_vec();
    let mut ends = pattern.row_offsets().to_vec();
    for contact in 0..problem.contacts() {
        let (row, jacobians) = problem.row(contact);
        blocks.extend(row);
        ends.push(row.len());
        numbers.extend(jacobians.iter().flatten());
        numbers.extend(problem.offset(contact).iter());
        numbers.push(problem.friction(contact));
        numbers.extend(problem.displacement_scales(contact));
    }
    numbers.extend((0..problem.momentum.blocks()).map(|block| problem.momentum_weight(block)));
    for node in problem.rest_nodes() {
        blocks.push(node.map_or(u32::MAX, |node| node.body));
        numbers.extend(node.iter().flat_map(|node| &node.position));
        numbers.extend(node.map(|node| node.mass));
    }
    numbers.extend(&stored.start.velocity);
    for m in &stored.start.contacts {
        ends.push(m.state as usize);
        numbers.extend([m.lambda, m.previous_lambda]);
        numbers.extend([m.gamma, m.sliding_force, m.slip_direction].as_flattened());
    }
    (bits(numbers), blocks, ends)
}

#[test]
fn a_problem_is_read_back_as_stored() {
    let stored = stored();
    let bytes = stored.to_bytes();
    let back = StoredProblem::from_bytes(&bytes).expect("a stored problem");
    assert_eq!(fingerprint(&back), fingerprint(&stored));
    assert_eq!((back.method, &back.origin), (stored.method, &stored.origin));
    assert_eq!(back.to_bytes(), bytes);
}

/// Uniform tolerances need no arrays, and files without these arrays mean uniform tolerances.
#[test]
fn a_file_without_weights_has_one_tolerance_for_all() {
    let mut stored = stored();
    stored.problem.weigh_momentum([1.0; 3]);
    stored.problem.scale_displacements(1, [1.0; 2]);
    let bytes = stored.to_bytes();
    let header = String::from_utf8_lossy(&bytes);
    assert!(!header.contains("momentum.weights") && !header.contains("contacts.scales"));
    let back = StoredProblem::from_bytes(&bytes).expect("a stored problem");
    assert_eq!(fingerprint(&back), fingerprint(&stored));
}

#[test]
fn a_problem_without_contacts_is_stored_too() {
    let problem = particles(&[1.0], &[Vector3::zeros()]);
    let stored = StoredProblem {
        start: ContactSolution::at_rest(&problem),
        problem,
        ..stored()
    };
    let back = StoredProblem::from_bytes(&stored.to_bytes()).expect("a stored problem");
    assert_eq!(fingerprint(&back), fingerprint(&stored));
}

/// The bytes with changed header text of matching length.
fn with_header(bytes: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let header = std::str::from_utf8(&bytes[8..8 + length]).expect("JSON");
    let changed = change(header);
    assert_ne!(changed, header, "nothing was changed");
    let mut out = (changed.len() as u64).to_le_bytes().to_vec();
    out.extend_from_slice(changed.as_bytes());
    out.extend_from_slice(&bytes[8 + length..]);
    out
}

/// The bytes with one number of an array replaced.
fn with_entry(bytes: &[u8], array: &str, index: usize, entry: &[u8]) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).expect("JSON");
    let begin = header[array]["data_offsets"][0].as_u64().expect("offsets") as usize;
    let mut out = bytes.to_vec();
    out[8 + length + begin + index * entry.len()..][..entry.len()].copy_from_slice(entry);
    out
}

#[track_caller]
fn refused(bytes: &[u8]) -> String {
    StoredProblem::from_bytes(bytes)
        .expect_err("a damaged problem")
        .to_string()
}

#[test]
fn other_formats_are_refused_by_number() {
    let old = format!("\\\"format\\\":{FORMAT}");
    let bytes = with_header(&stored().to_bytes(), |header| {
        header.replace(&old, "\\\"format\\\":77")
    });
    let error = StoredProblem::from_bytes(&bytes).expect_err("a later format");
    assert_eq!(error, StoredProblemError::Format { found: 77 });
    assert!(error.to_string().contains("format 77"), "{error}");
}

#[test]
fn settings_that_do_not_exist_are_named() {
    let bytes = with_header(&stored().to_bytes(), |header| {
        header.replace("refresh_interval", "patients")
    });
    let error = refused(&bytes);
    assert!(error.contains("unknown field `patients`"), "{error}");
}

#[test]
fn settings_out_of_range_are_named_with_their_place() {
    let largest = format!("\\\"refresh_interval\\\":{}", u64::MAX);
    for (old, new, expected) in [
        (
            largest.as_str(),
            "\\\"refresh_interval\\\":0",
            "setting `refresh_interval` is 0; it must be",
        ),
        (
            "\\\"softness\\\":0.001",
            "\\\"softness\\\":-2.5",
            "setting `softness` is -2.5e0; it must be",
        ),
    ] {
        let error = refused(&with_header(&stored().to_bytes(), |header| {
            header.replace(old, new)
        }));
        let place = "the header entry `__metadata__.impinge`";
        assert!(error.contains(place) && error.contains(expected), "{error}");
    }
}

#[test]
fn other_files_are_refused() {
    assert!(refused(b"").contains("damaged problem file"));
    assert!(refused(b"title = \"a scene\"\n").contains("damaged problem file"));
    let foreign = with_header(&stored().to_bytes(), |header| {
        header.replace("\"impinge\"", "\"others\"")
    });
    assert_eq!(
        StoredProblem::from_bytes(&foreign).err(),
        Some(StoredProblemError::NoHeader)
    );
}

/// Every array, missing or of another shape, is named.
#[test]
fn arrays_that_do_not_fit_are_named() {
    let bytes = stored().to_bytes();
    for array in [
        "time_step",
        "momentum.row_offsets",
        "momentum.columns",
        "momentum.values",
        "rhs",
        "contacts.row_offsets",
        "contacts.blocks",
        "contacts.jacobians",
        "contacts.offsets",
        "contacts.friction",
        "start.velocity",
        "start.state",
        "start.lambda",
        "start.previous_lambda",
        "start.gamma",
        "start.sliding_force",
        "start.slip_direction",
    ] {
        let missing = with_header(&bytes, |header| {
            header.replace(&format!("\"{array}\""), "\"unknown\"")
        });
        assert_eq!(
            StoredProblem::from_bytes(&missing).err(),
            Some(StoredProblemError::Missing { array }),
            "{array}"
        );
        let flattened = with_header(&bytes, |header| {
            let begin = header.find(&format!("\"{array}\"")).expect("the array");
            let shape = begin + header[begin..].find("\"shape\":[").expect("its shape") + 9;
            format!("{}1,{}", &header[..shape], &header[shape..])
        });
        let error = refused(&flattened);
        assert!(error.contains(&format!("`{array}`")), "{array}: {error}");
    }
}

#[test]
fn impossible_entries_are_named() {
    let bytes = stored().to_bytes();
    let nan = f64::NAN.to_le_bytes();
    let cases: [(&str, usize, &[u8], &str); 9] = [
        ("rhs", 4, &nan, "entry 4 of the array `rhs` is NaN"),
        (
            "momentum.values",
            13,
            &nan,
            "entry 13 of the array `momentum.values` is NaN",
        ),
        (
            "start.gamma",
            3,
            &f64::INFINITY.to_le_bytes(),
            "entry 3 of the array `start.gamma` is inf",
        ),
        (
            "momentum.columns",
            1,
            &9_u32.to_le_bytes(),
            "is 9; it must be a block below 3",
        ),
        (
            "momentum.columns",
            0,
            &1_u32.to_le_bytes(),
            "is 1; it must be 0, the diagonal",
        ),
        (
            "contacts.row_offsets",
            1,
            &99_u64.to_le_bytes(),
            "`contacts.row_offsets`",
        ),
        (
            "contacts.row_offsets",
            0,
            &1_u64.to_le_bytes(),
            "is 1; it must be 0",
        ),
        (
            "start.state",
            1,
            &[7],
            "entry 1 of the array `start.state` is 7",
        ),
        (
            "contacts.friction",
            1,
            &(-0.5_f64).to_le_bytes(),
            "contact 1 has the friction coefficient -0.5",
        ),
    ];
    for (array, index, entry, expected) in cases {
        let error = refused(&with_entry(&bytes, array, index, entry));
        assert!(error.contains(expected), "{array} {index}: {error}");
    }
}

#[test]
fn a_row_without_its_diagonal_is_named() {
    let bytes = stored().to_bytes();
    let error = refused(&with_entry(
        &bytes,
        "momentum.row_offsets",
        1,
        &0_u64.to_le_bytes(),
    ));
    assert!(error.contains("momentum"), "{error}");
}

proptest! {
    #![proptest_config(cases(300))]

    /// A file truncated anywhere is rejected.
    #[test]
    fn truncation_is_refused(end in any::<prop::sample::Index>()) {
        let bytes = stored().to_bytes();
        prop_assert!(StoredProblem::from_bytes(&bytes[..end.index(bytes.len())]).is_err());
    }

    /// Any damage gives a valid problem or an error, never a panic.
    #[test]
    fn damage_is_survived(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = stored().to_bytes();
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(stored) = StoredProblem::from_bytes(&bytes) {
            prop_assert!(stored.problem.validate().is_ok());
            prop_assert_eq!(stored.start.velocity.len(), stored.problem.unknowns());
            prop_assert_eq!(stored.start.contacts.len(), stored.problem.contacts());
        }
    }

    /// Arbitrary bytes after a plausible length are rejected.
    #[test]
    fn noise_is_refused(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = (noise.len() as u64 / 2).to_le_bytes().to_vec();
        bytes.extend(noise);
        prop_assert!(StoredProblem::from_bytes(&bytes).is_err());
    }
}
