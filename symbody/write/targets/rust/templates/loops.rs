// {{part fragment}}
fn {{name}}(w: &mut [f64], at: &[usize]) {
{{body}}
}
// {{part case}}
{{kind}} => {
    {{function}}(w, &places[at..]);
    at += {{width}};
}
// {{part loop}}
{{kinds}}
{{places}}
fn {{name}}(w: &mut [f64]) {
    let (kinds, places, mut at) = (&{{NAME}}_KINDS, &{{NAME}}_PLACES, 0);
    for kind in kinds {
        match kind {
            {{cases}}
            _ => {}
        }
    }
}
// {{part columns}}
{{kinds}}
{{places}}
fn {{name}}_some(w: &mut [f64], first: usize, start: usize, stop: usize) {
    let (kinds, places, mut at) = (&{{NAME}}_KINDS[first..stop], &{{NAME}}_PLACES, start);
    for kind in kinds {
        match kind {
            {{cases}}
            _ => {}
        }
    }
}
{{seeds}}
{{found}}
fn {{name}}(w: &mut [f64]) {
    {{name}}_some(w, 0, 0, {{once}});
    for seed in &{{NAME}}_SEEDS {
        w[*seed] = 0.0;
    }
    for (c, seed) in {{NAME}}_SEEDS.iter().enumerate() {
        w[*seed] = 1.0;
        {{name}}_some(w, {{once}}, {{start}}, {{steps}});
        w[*seed] = 0.0;
        for (k, result) in {{NAME}}_FOUND.iter().enumerate() {
            w[{{size}} + k * {{count}} + c] = w[*result];
        }
    }
}
