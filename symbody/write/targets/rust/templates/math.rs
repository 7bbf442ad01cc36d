//! Functions of mathematics that the crate calls: those of the C library. Where there is none, put others here, such as those of the
//! crate libm (`pub use libm::{sin, cos, sqrt};`).

{{library}}

{{definitions}}
