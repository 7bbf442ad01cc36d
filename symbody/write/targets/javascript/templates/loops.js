// {{part fragment}}
function {{name}}(w, places, at) {
{{body}}
}
// {{part case}}
case {{kind}}:
    {{function}}(w, places, at);
    at += {{width}};
    break;
// {{part loop}}
{{kinds}}
{{places}}
function {{name}}(w) {
    const places = {{name}}_places;
    for (let k = 0, at = 0; k < {{steps}}; k += 1) {
        switch ({{name}}_kinds[k]) {
        {{cases}}
        default:
        }
    }
}
// {{part columns}}
{{kinds}}
{{places}}
function {{name}}_some(w, first, start, stop) {
    const places = {{name}}_places;
    for (let k = first, at = start; k < stop; k += 1) {
        switch ({{name}}_kinds[k]) {
        {{cases}}
        default:
        }
    }
}
{{seeds}}
{{found}}
function {{name}}(w) {
    {{name}}_some(w, 0, 0, {{once}});
    {{name}}_seeds.forEach((seed) => { w[seed] = 0; });
    {{name}}_seeds.forEach((seed, c) => {
        w[seed] = 1;
        {{name}}_some(w, {{once}}, {{start}}, {{steps}});
        w[seed] = 0;
        {{name}}_found.forEach((result, k) => { w[{{size}} + k * {{count}} + c] = w[result]; });
    });
}
