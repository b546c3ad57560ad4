//! Reads a scene from a document, and collects all of its format errors.

use serde::Deserialize;

use super::deserialize::{Mismatch, MismatchKind, NodeDeserializer};
use super::document::{Document, Node, Origin, Value};
use super::{Scene, SceneError};

/// Limit of reported mistakes: each costs another reading, and nobody fixes more at a time.
const MOST: usize = 100;

/// Reads the tree of `document`. Invalid keys and values are removed from a copy, which is then read again, so that all
/// mistakes are found.
///
/// Returns the scene, and mistakes that allow further checks: unknown keys.
///
/// # Errors
/// All mistakes, if some of them prevent reading the scene.
pub(super) fn read(document: &Document) -> Result<(Scene, Vec<SceneError>), SceneError> {
    let mut root = document.root().clone();
    let (mut errors, mut incomplete) = (Vec::new(), Vec::new());
    let mut is_whole = true;
    loop {
        let mismatch = match Scene::deserialize(NodeDeserializer(&root)) {
            Ok(scene) if is_whole => return Ok((scene, errors)),
            Ok(_) => break,
            Err(mismatch) => mismatch,
        };
        let Mismatch {
            kind,
            origin,
            problem,
            mend,
        } = mismatch;
        let origin = origin.unwrap_or(Origin::Text(0..0));
        // A missing key may be one that was removed.
        if kind != MismatchKind::Missing || !incomplete.contains(&origin) {
            errors.push(document.error(&origin, problem, mend));
        }
        is_whole &= kind == MismatchKind::Unknown;
        match take_out(&mut root, &origin) {
            Taken::From(table) if errors.len() < MOST => incomplete.push(table),
            _ => break,
        }
    }
    SceneError::of(errors)?;
    // No mistake remains that has a place of its own.
    Err(document.error(
        &Origin::Text(0..0),
        "this is no scene",
        "see `impinge scene schema` for the format",
    ))
}

/// The result of removing a key or value.
enum Taken {
    /// It was removed from the table, or list of tables, of this origin.
    From(Origin),
    /// It is an entry of a list that is invalid without it: the whole list has to be removed.
    WithItsList,
    Not,
}

/// Removes the first key or value of that origin below `node`.
fn take_out(node: &mut Node, origin: &Origin) -> Taken {
    let place = node.origin.clone();
    match &mut node.value {
        Value::Table(entries) => {
            for at in 0..entries.len() {
                let entry = &mut entries[at];
                if entry.key_origin != *origin {
                    // A list of tables has the origin of its first table: the table is meant.
                    match take_out(&mut entry.node, origin) {
                        Taken::Not if entry.node.origin != *origin => continue,
                        Taken::Not | Taken::WithItsList => {}
                        taken @ Taken::From(_) => return taken,
                    }
                }
                entries.remove(at);
                return Taken::From(place);
            }
            Taken::Not
        }
        Value::Array(nodes) => {
            for at in 0..nodes.len() {
                let is_table = matches!(nodes[at].value, Value::Table(_));
                if nodes[at].origin == *origin {
                    if !is_table {
                        return Taken::WithItsList;
                    }
                    nodes.remove(at);
                    return Taken::From(place);
                }
                match take_out(&mut nodes[at], origin) {
                    Taken::Not => {}
                    taken => return taken,
                }
            }
            Taken::Not
        }
        _ => Taken::Not,
    }
}
