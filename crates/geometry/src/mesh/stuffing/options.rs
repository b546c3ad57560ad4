//! Options of isosurface stuffing.

use super::StuffingError;

/// Options of [`tetrahedralize`](super::tetrahedralize).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StuffingOptions {
    /// Length of the long edges between unmoved lattice points (m); the short edges have `√3/2` of it.
    pub size: f64,
    /// Largest relative difference between the volumes of the tetrahedra and of the surface. A larger one means lost
    /// parts of the shape: [`StuffingError::TooCoarse`].
    pub volume_tolerance: f64,
    /// Largest number of tetrahedra; a size that needs more is rejected.
    pub most_tets: usize,
}

impl StuffingOptions {
    /// Elements of `size` (m), a volume within 10 %, at most twenty million tetrahedra.
    pub fn new(size: f64) -> Self {
        Self {
            size,
            volume_tolerance: 0.1,
            most_tets: 20_000_000,
        }
    }

    pub(super) fn check(&self) -> Result<(), StuffingError> {
        let positive = |name, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(StuffingError::Option {
                    name,
                    value,
                    wanted: "a finite number greater than 0",
                })
            }
        };
        positive("size", self.size)?;
        positive("volume tolerance", self.volume_tolerance)
    }
}
