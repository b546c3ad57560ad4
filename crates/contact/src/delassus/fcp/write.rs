//! Writes vectors as text.

use nalgebra::Vector3;
use std::fmt::Write;

/// Reactions or velocities as text: the comment `heading`, then `N T₁ T₂` per line, in the shortest decimals that give
/// the same numbers back.
pub fn write_vectors(heading: &str, vectors: &[Vector3<f64>]) -> String {
    let mut text = String::new();
    for line in heading.lines() {
        let _ = writeln!(text, "# {line}");
    }
    for v in vectors {
        let _ = writeln!(text, "{} {} {}", Short(v.x), Short(v.y), Short(v.z));
    }
    text
}

/// The shorter of the plain and the scientific decimals.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plain = self.0.to_string();
        let scientific = format!("{:e}", self.0);
        out.write_str(if scientific.len() < plain.len() {
            &scientific
        } else {
            &plain
        })
    }
}
