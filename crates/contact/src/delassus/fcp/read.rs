//! Reads problems from text.

use super::super::{BlockRows, FrictionError, FrictionProblem, GlobalFrictionProblem};
use super::tokens::Tokens;
use nalgebra::{Matrix3, Vector3};
use nalgebra_sparse::CscMatrix;

/// Contents of a file.
#[derive(Debug, Clone)]
pub enum StoredFrictionProblem {
    /// `W`, `q`, `mu`.
    Local(FrictionProblem),
    /// `M`, `H`, `f`, `b`, `mu`, not condensed yet.
    Global(GlobalFrictionProblem),
}

/// Reads and validates a problem.
///
/// # Errors
/// [`FrictionError::Syntax`] with the line, or the error of the validation.
pub fn read_problem(text: &str) -> Result<StoredFrictionProblem, FrictionError> {
    let mut tokens = Tokens::new(text);
    tokens.keyword("FCP")?;
    tokens.keyword("1")?;
    let kind = tokens.word("`local` or `global`")?;
    if !["local", "global"].contains(&kind) {
        return Err(tokens.unexpected(Some(kind), "`local` or `global`"));
    }
    tokens.keyword("name")?;
    let name = tokens.word("the problem's name")?.to_owned();
    tokens.keyword("contacts")?;
    let contacts = tokens.count("the number of contacts")?;
    tokens.keyword("mu")?;
    let friction = tokens.numbers(contacts, "a friction coefficient per contact")?;
    if kind == "local" {
        tokens.keyword("q")?;
        let q = vectors(&mut tokens, contacts, "three numbers of q per contact")?;
        tokens.keyword("W")?;
        let triplets = blocks(&mut tokens)?;
        end(&mut tokens)?;
        let w = BlockRows::from_triplets(contacts, triplets)?;
        Ok(StoredFrictionProblem::Local(FrictionProblem::new(
            name, w, q, friction,
        )?))
    } else {
        tokens.keyword("dofs")?;
        let unknowns = tokens.count("the number of degrees of freedom")?;
        tokens.keyword("f")?;
        let forces = tokens.numbers(unknowns, "a number of f per degree of freedom")?;
        tokens.keyword("b")?;
        let offsets = vectors(&mut tokens, contacts, "three numbers of b per contact")?;
        tokens.keyword("M")?;
        let mass = columns(&mut tokens, [unknowns, unknowns])?;
        tokens.keyword("H")?;
        let directions = columns(&mut tokens, [unknowns, 3 * contacts])?;
        end(&mut tokens)?;
        let problem = GlobalFrictionProblem {
            name,
            mass,
            directions,
            forces,
            offsets,
            friction,
        };
        problem.check()?;
        Ok(StoredFrictionProblem::Global(problem))
    }
}

/// Reads reactions or velocities: three numbers `N T₁ T₂` per contact.
///
/// # Errors
/// [`FrictionError::Syntax`] with the line.
pub fn read_vectors(text: &str, contacts: usize) -> Result<Vec<Vector3<f64>>, FrictionError> {
    let mut tokens = Tokens::new(text);
    let out = vectors(&mut tokens, contacts, "three numbers per contact")?;
    tokens.at_end()?;
    Ok(out)
}

fn vectors(
    tokens: &mut Tokens<'_>,
    count: usize,
    expected: &'static str,
) -> Result<Vec<Vector3<f64>>, FrictionError> {
    let numbers = tokens.numbers(3 * count, expected)?;
    Ok(numbers
        .chunks_exact(3)
        .map(Vector3::from_column_slice)
        .collect())
}

fn blocks(tokens: &mut Tokens<'_>) -> Result<Vec<(usize, usize, Matrix3<f64>)>, FrictionError> {
    let count = tokens.count("the number of blocks of W")?;
    (0..count)
        .map(|_| {
            let row = tokens.index("the block row of a block of W")?;
            let column = tokens.index("the block column of a block of W")?;
            let numbers = tokens.numbers(9, "nine numbers of a block of W, row by row")?;
            Ok((row, column, Matrix3::from_row_slice(&numbers)))
        })
        .collect()
}

/// A matrix by compressed columns, of the shape `[rows, columns]` that the problem implies.
fn columns(
    tokens: &mut Tokens<'_>,
    [rows, columns]: [usize; 2],
) -> Result<CscMatrix<f64>, FrictionError> {
    for (expected, what) in [
        (rows, "as many rows as degrees of freedom"),
        (columns, "as many columns as the problem implies"),
    ] {
        let word = tokens.word(what)?;
        if word.parse() != Ok(expected) {
            return Err(tokens.unexpected(Some(word), what));
        }
    }
    let entries = tokens.count("the number of stored entries")?;
    let starts = tokens.indices(columns + 1, "ascending column starts")?;
    let row_indices = tokens.indices(entries, "ascending row indices in each column")?;
    // The structure depends on this line, so its errors name it.
    let structure = tokens.unexpected(
        Some("a matrix whose column starts or row indices are out of order or range"),
        "compressed columns with ascending row indices",
    );
    let values = tokens.numbers(entries, "a value per stored entry")?;
    // Checked here, because the library slices by the starts before it checks them.
    if !starts.is_sorted() || starts.last() != Some(&entries) {
        return Err(structure);
    }
    CscMatrix::try_from_csc_data(rows, columns, starts, row_indices, values).map_err(|_| structure)
}

fn end(tokens: &mut Tokens<'_>) -> Result<(), FrictionError> {
    tokens.keyword("end")?;
    tokens.at_end()
}
