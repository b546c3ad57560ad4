//! Keys of the solver that some methods support only. A value that differs from the default and that the method ignored
//! silently would leave the user with another computation than the scene states.

use crate::error::SimError;
use crate::scene::Scene;
use impinge_contact::method::Method;

/// Such keys, and the methods of scenes with contacts that support them. `rest_compliance` is none: it is a place for
/// files, which comparisons with `warped-compliance` use as well.
const KEYS: [(&str, &[&str]); 7] = [
    ("preconditioner", &["cr", "active-set"]),
    ("prediction", &["cr"]),
    ("evaluation", &["cr"]),
    ("delassus", &["exact-compliance", "warped-compliance"]),
    ("momentum_repair", &["warped-compliance"]),
    ("corrections", &["warped-compliance"]),
    ("one_sided", &["compliant-kkt"]),
];

/// Checks that the method of the scene supports each key that differs from its default.
///
/// # Errors
/// [`SimError::Scene`] that names the first key that it does not, and the methods that support it.
pub(super) fn check_method_keys(scene: &Scene, method: &Method) -> Result<(), SimError> {
    let name = method.spec().name;
    let given: Vec<String> = scene.solver.keys_beside_defaults().collect();
    let ignored = (KEYS.iter())
        .find(|(key, methods)| given.iter().any(|given| given == key) && !methods.contains(&name));
    let Some((key, methods)) = ignored else {
        return Ok(());
    };
    let by_default = match scene.solver.method {
        None if name != "cr" => ", the default with joints or bodies in compliance form,",
        _ => "",
    };
    let problem = format!("the method `{name}`{by_default} does not support `{key}`");
    let methods: Vec<String> = methods.iter().map(|name| format!("\"{name}\"")).collect();
    let mend = format!("leave it out, or write method = {}", methods.join(" or "));
    Err(scene
        .error_at(&format!("solver.{key}"), problem, mend)
        .into())
}
