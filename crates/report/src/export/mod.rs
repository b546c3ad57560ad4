//! Runs for other programs: models in three dimensions, pictures and films.
//!
//! - [`glb()`]: a film as binary glTF, for Blender, game engines and viewers
//! - [`usda()`]: a film as the text form of USD
//! - [`Artist`]: pictures without a screen or a graphics processor
//! - [`png`], [`apng`]: pictures and films as files
//!
//! A picture has the colours and the camera of the [viewer](crate::viewer). Links and ropes are lines,
//! except in USD, which has none.

mod artist;
mod camera;
mod colours;
mod encode;
mod glb;
mod glb_buffer;
mod line;
mod raster;
mod rigid_motion;
mod solid;
mod usda;

pub use artist::{Artist, Colouring, Shape};
pub use encode::{apng, png};
pub use glb::glb;
pub use usda::{UsdaError, usda};
