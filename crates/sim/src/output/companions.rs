//! The kinds of files beside a frame.

/// A kind of file that a run may store beside each frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Companion {
    /// The pieces of the motion to the frame.
    Pieces,
    /// The contacts of the frame.
    Contacts,
    /// The joints of the frame that are lines in space.
    Lines,
}

impl Companion {
    /// All kinds, in the order of their columns.
    pub(super) const ALL: [Self; 3] = [Self::Pieces, Self::Contacts, Self::Lines];

    /// Name of the column with the checksums of its files, and first part of their names.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pieces => "pieces",
            Self::Contacts => "contacts",
            Self::Lines => "lines",
        }
    }

    /// End of the names of its files.
    fn extension(self) -> &'static str {
        match self {
            Self::Pieces => ".bin",
            Self::Contacts | Self::Lines => ".vtp",
        }
    }

    /// Name of the file beside frame `index`.
    pub(super) fn file(self, index: usize) -> String {
        format!("{}_{index:05}{}", self.name(), self.extension())
    }

    /// Whether `name` is that of such a file.
    pub(super) fn is_name(self, name: &str) -> bool {
        let rest = name.strip_prefix(self.name());
        rest.is_some_and(|rest| is_numbered(rest, "_", self.extension()))
    }

    /// Name of the collection of its files, if ParaView can show them.
    pub(super) fn collection(self) -> Option<&'static str> {
        match self {
            Self::Pieces => None,
            Self::Contacts => Some(CONTACTS_PVD),
            Self::Lines => Some(LINES_PVD),
        }
    }
}

/// Name of the collection of contacts.
pub(super) const CONTACTS_PVD: &str = "contacts.pvd";

/// Name of the collection of lines.
pub(super) const LINES_PVD: &str = "lines.pvd";

/// The kinds of files that a run stores beside each frame. Each of them has a column of checksums.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Companions([bool; Companion::ALL.len()]);

impl Companions {
    /// Those that `stores` holds for.
    pub(super) fn of(stores: impl Fn(Companion) -> bool) -> Self {
        Self(Companion::ALL.map(stores))
    }

    /// Every combination.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..1 << Companion::ALL.len()).map(|bits| Self::of(|kind| bits >> kind as u32 & 1 == 1))
    }

    /// Whether `kind` is one of them.
    pub(super) fn has(self, kind: Companion) -> bool {
        self.0[kind as usize]
    }

    /// The kinds, in the order of their columns.
    pub(super) fn iter(self) -> impl Iterator<Item = Companion> {
        Companion::ALL
            .into_iter()
            .filter(move |kind| self.has(*kind))
    }
}

/// Whether `name` is a number between `begin` and `end`.
pub(super) fn is_numbered(name: &str, begin: &str, end: &str) -> bool {
    name.strip_prefix(begin)
        .and_then(|rest| rest.strip_suffix(end))
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}
