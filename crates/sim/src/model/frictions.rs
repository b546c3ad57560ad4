//! Friction of pairs of solids.

use crate::{error::SimError, geometry::Geometry, scene::Scene};

/// Gives the pairs of solids that the scene names their friction. Of several entries for a pair, the last one counts.
///
/// # Errors
/// [`SimError::Scene`] at an unknown name.
pub(super) fn set_pair_frictions(scene: &Scene, geometry: &mut Geometry) -> Result<(), SimError> {
    for (index, pair) in scene.frictions.iter().enumerate() {
        let solids = |key: &str, name: &str| {
            let found = geometry.copies_named(name);
            if found.is_empty() {
                return Err(scene.error_at(
                    &format!("friction.{index}.{key}"),
                    format!("there is no body or obstacle `{name}`"),
                    "write the `name` of a [[body]] or [[obstacle]]; copies are numbered, as in `name 2`",
                ));
            }
            Ok(found)
        };
        let firsts = solids("first", &pair.first)?;
        let seconds = solids("second", &pair.second)?;
        for &first in &firsts {
            for &second in &seconds {
                let key = [first.min(second), first.max(second)];
                geometry.frictions.insert(key, pair.coefficient);
            }
        }
    }
    Ok(())
}
