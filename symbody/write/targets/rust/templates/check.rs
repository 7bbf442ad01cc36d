// {{part file}}
//! Checks the crate {{crate_name}}.
#![allow(non_snake_case, unused_parens, unused_mut, unused_variables, unused_assignments, clippy::all)]

use {{crate_name}} as model;

fn main() {
    let mut wrong = 0;
    {{calls}}
    println!("{}", if wrong > 0 { "SOMETHING IS WRONG" } else { "all good" });
    std::process::exit(if wrong > 0 { 1 } else { 0 });
}

fn difference(got: &[f64], wanted: &[f64]) -> f64 {
    let mut off = 0.0;
    let mut size = 0.0;
    for (g, w) in got.iter().zip(wanted) {
        let d = (g - w).abs();
        if !(d <= off) {
            off = d; // NaN stays
        }
        size = f64::max(size, w.abs());
    }
    off / (1.0 + size)
}

fn verdict(what: &str, status: Result<(), model::Error>, off: f64, allowed: f64, wrong: &mut usize) {
    let good = status.is_ok() && off <= allowed;
    println!("{:28} {} {:?}, off by {:.2e} of at most {:.2e}", what, if good { "good " } else { "WRONG" }, status, off, allowed);
    if !good {
        *wrong += 1;
    }
}

{{checks}}

{{motion}}

// {{part function}}
fn check_{{name}}(wrong: &mut usize) {
    {{numbers}}
    {{results}}
    let status = model::{{name}}({{arguments}});
    let off = difference(&out_0, &wanted_0);
    {{others}}
    verdict("{{name}}", status, off, {{allowed}}, wrong);
}

// {{part motion}}
/// One step of the classical Runge-Kutta method{{then}}.
fn step(t: f64, h: f64, y: &mut [f64; {{n}}], r: &[f64], p: &model::Parameters) -> Result<(), model::Error> {
    const TABLE: [f64; {{size}}] = [
        {{table}}
    ];
    let (n, stages, table) = ({{n}}, {{stages}}, &TABLE);
    let (mut w, mut k, mut d) = ([0.0; {{n}}], [0.0; {{n}} * {{stages}}], [0.0; {{n}}]);
{{step}}
    {{project}}
    Ok(())
}

/// The reference motion, by steps of a fixed length.
fn check_motion(wrong: &mut usize) {
    {{numbers}}
    let (t, mut x, r) = model::initial_state();
    let p = model::Parameters::default();
    let mut status = Ok(());
    let mut worst: f64 = 0.0;
    for k in 0..{{spans}} {
        let h = (times[k + 1] - times[k]) / {{steps}};
        for s in 0..{{count}} {
            if status.is_ok() {
                status = step(times[k] + h * s as f64, h, &mut x, &r, &p);
            }
        }
        for i in 0..{{n}} {
            let off = (x[i] - states[(k + 1) * {{n}} + i]).abs() / scales[i];
            if !(off <= worst) {
                worst = off;
            }
        }
    }
    verdict("motion", status, worst, {{allowed}}, wrong);
}
