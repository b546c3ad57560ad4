//! Cross-layer tests live in `tests/it`; this library is empty.
