{{about}}
//!
//! Functions write into slices that they are given, allocate nothing and have no state. They look at lengths, and at numbers that are not
//! finite unless the feature `unchecked` is on. Matrices are flat, row after row; a single number is a slice of one.

#![no_std]
#![allow(non_snake_case, non_upper_case_globals, unused_parens, unused_mut, unused_variables, unused_assignments, dead_code, confusable_idents, clippy::all)]

mod math;
{{supplied}}

const CHECKS: bool = cfg!(not(feature = "unchecked"));
pub const NX: usize = {{n_x}};
pub const NR: usize = {{n_r}};
pub static STATE_NAMES: [&str; NX] = [
    {{state_names}}
];
pub static STATE_UNITS: [&str; NX] = [
    {{state_units}}
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A slice has fewer numbers than are read or written.
    TooShort,
    /// An argument is infinite or not a number.
    NotFinite,
    /// Corrections of a state do not end.
    Diverged,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    {{fields}}
}

impl Default for Parameters {
    /// As in the model.
    fn default() -> Parameters {
        Parameters {
            {{defaults}}
        }
    }
}

impl Parameters {
    fn is_finite(&self) -> bool {
        finite(&[{{values}}])
    }
}

/// t, x, r where motions begin.
pub fn initial_state() -> (f64, [f64; NX], [f64; NR]) {
    ({{t}}, [{{x}}], [{{r}}])
}

{{tables}}

fn finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|v| v.is_finite())
}

{{definitions}}
