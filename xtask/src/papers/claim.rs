//! What a paper shows, the scene that shows it here, and what judges that.

use crate::conformance::Layer;

/// A paper and its parts.
pub(super) struct Paper {
    /// Authors, year and title.
    pub(super) title: &'static str,
    /// Words before the parts, possibly none.
    pub(super) about: &'static str,
    pub(super) claims: &'static [Claim],
    /// Parts without a scene here.
    pub(super) missing: &'static [&'static str],
}

/// A part of a paper, such as a figure or a table.
pub(super) struct Claim {
    pub(super) part: &'static str,
    /// Names of scenes, without folder and extension.
    pub(super) scenes: &'static [&'static str],
    /// Whether the first scene has all parameters that the paper states.
    pub(super) faithful: bool,
    /// What the scenes show, as far as it is judged.
    pub(super) says: &'static str,
    pub(super) judges: &'static [Judge],
}

/// What judges a claim.
#[derive(Clone, Copy, Debug)]
pub(super) enum Judge {
    /// A test of the whole simulation.
    Test {
        package: &'static str,
        name: &'static str,
    },
    /// Guarantees of conformance whose case begins with `case`.
    Rows {
        layer: Layer,
        case: &'static str,
        form: Form,
    },
    /// A page in `docs/results`.
    Page(&'static str),
}

/// The forms of conformance that have a guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Both,
    Quick,
    Full,
}

impl Form {
    /// Whether the full form, or else the quick one, has it.
    pub(super) fn has(self, full: bool) -> bool {
        self == Self::Both || (self == Self::Full) == full
    }
}

/// A test in `tests/it`.
pub(super) const fn test(name: &'static str) -> Judge {
    Judge::Test {
        package: "impinge-tests",
        name,
    }
}

/// A test in `crates/sim/tests/it`.
pub(super) const fn sim_test(name: &'static str) -> Judge {
    Judge::Test {
        package: "impinge-sim",
        name,
    }
}

/// Guarantees of both forms of conformance.
pub(super) const fn rows(layer: Layer, case: &'static str) -> Judge {
    let form = Form::Both;
    Judge::Rows { layer, case, form }
}

/// Guarantees of the quick form of conformance.
pub(super) const fn quick_rows(layer: Layer, case: &'static str) -> Judge {
    let form = Form::Quick;
    Judge::Rows { layer, case, form }
}

/// Guarantees of the full form of conformance.
pub(super) const fn full_rows(layer: Layer, case: &'static str) -> Judge {
    let form = Form::Full;
    Judge::Rows { layer, case, form }
}
