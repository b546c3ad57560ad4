//! Laws that hold across the layers: see `it/`, the only test program of this package.
