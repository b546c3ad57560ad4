//! Damaged files of stored problems and friction problems are rejected or read; readers never panic, hang or fill
//! memory.

use super::delassus::fcp::{GLOBAL, LOCAL};
use super::stored::stored;
use impinge_contact::constraint::ConstraintGroup;
use impinge_contact::delassus::{StoredFrictionProblem, read_problem, read_vectors};
use impinge_contact::{Method, StoredProblem};
use impinge_damage::{mutants, peak_memory};
use nalgebra::Vector3;

/// Mutants of each kind of file.
const MUTANTS: usize = 1000;

/// Largest memory of a reader for files of a few kilobytes (bytes): far above its need, far below the effect of
/// trusting a damaged count.
const MOST_MEMORY: usize = 16 << 20;

/// A problem with every array.
fn with_constraints() -> StoredProblem {
    let mut stored = stored();
    stored.problem.constraints.push(&ConstraintGroup {
        blocks: &[0, 2],
        jacobian: &[Vector3::x(), Vector3::y(), -Vector3::x(), Vector3::z()],
        offset: &[1e-3, 0.0],
        compliance: &[1e-4, 0.0, 0.0, 0.0],
        unilateral: false,
    });
    stored.problem.constraints.push(&ConstraintGroup {
        blocks: &[1],
        jacobian: &[Vector3::z()],
        offset: &[0.1],
        compliance: &[0.0],
        unilateral: true,
    });
    stored.start.constraints = vec![0.5, 0.0, 2.0];
    stored.method = Method::named("compliant-kkt", stored.method.tolerances()).expect("a method");
    stored
}

/// Every problem that is read can be solved by its method, and stored again.
fn read_stored(bytes: &[u8]) -> bool {
    let (read, held) = peak_memory(|| StoredProblem::from_bytes(bytes));
    assert!(
        held < MOST_MEMORY,
        "{held} bytes are held for {}",
        bytes.len()
    );
    let Ok(read) = read else { return false };
    assert!(read.problem.validate().is_ok() && read.method.validate().is_ok());
    let again = StoredProblem::from_bytes(&read.to_bytes()).expect("what was read");
    assert_eq!(again.to_bytes(), read.to_bytes());
    let _ = read.method.friction_law();
    true
}

#[test]
fn mutants_of_stored_problems() {
    let sound = with_constraints().to_bytes();
    assert!(read_stored(&sound));
    // Damage of the text is found in the header; damage of the arrays reaches every other check.
    let header = 8 + u64::from_le_bytes(sound[..8].try_into().expect("eight bytes")) as usize;
    let mut read = 0;
    for (seed, (kept, damaged)) in (0..).zip([(0, sound.len()), (header, sound.len())]) {
        for mutant in mutants(&sound[kept..damaged], seed).take(MUTANTS / 2) {
            let mutant = [&sound[..kept], &mutant[..]].concat();
            read += usize::from(read_stored(&mutant));
        }
    }
    assert!(read > 0, "no damage was harmless");
}

/// Arrays of the right length with wrong numbers.
#[test]
fn mutants_of_the_numbers_of_stored_problems() {
    let sound = with_constraints().to_bytes();
    let header = 8 + u64::from_le_bytes(sound[..8].try_into().expect("eight bytes")) as usize;
    let whole = |mutant: &Vec<u8>| mutant.len() == sound.len() - header;
    let copies = mutants(&sound[header..], 2).filter(whole).take(MUTANTS);
    let read = copies.filter(|mutant| read_stored(&[&sound[..header], mutant].concat()));
    assert!(read.count() > MUTANTS / 10);
}

#[test]
fn mutants_of_friction_problems() {
    let read = |bytes: &[u8]| {
        // A file that is no text is rejected on reading.
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        let (read, held) = peak_memory(|| read_problem(text));
        assert!(held < MOST_MEMORY, "{held} bytes are held for {text}");
        match read {
            Ok(StoredFrictionProblem::Global(problem)) => {
                let _ = problem.condense_rounded();
                true
            }
            Ok(StoredFrictionProblem::Local(_)) => true,
            Err(_) => false,
        }
    };
    let mut harmless = 0;
    for (seed, sound) in (0..).zip([LOCAL, GLOBAL]) {
        let copies = mutants(sound.as_bytes(), seed).take(MUTANTS / 2);
        harmless += copies.filter(|mutant| read(mutant)).count();
    }
    assert!(harmless > 0, "no damage was harmless");
}

#[test]
fn mutants_of_reactions() {
    for mutant in mutants(b"# reactions\n0.5 1e-3 -2\n3 0 0\n", 1).take(MUTANTS) {
        if let Ok(text) = std::str::from_utf8(&mutant) {
            let (_, held) = peak_memory(|| read_vectors(text, 2));
            assert!(held < MOST_MEMORY, "{held} bytes are held for {text}");
        }
    }
}
