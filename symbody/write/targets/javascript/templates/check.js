// {{part file}}
// Checks {{name}}.
import * as model from "./{{name}}.js";

const T = {{t}}, X = {{x}}, R = {{r}};
const VALUES = {
    {{values}}
};

let wrong = 0;

function difference(got, wanted) {
    let off = 0, size = 0;
    wanted.forEach((w, k) => {
        off = Math.max(off, Math.abs(got[k] - w));
        size = Math.max(size, Math.abs(w));
    });
    return off / (1 + size); // NaN stays NaN
}

function verdict(what, off, allowed = {{allowed}}) {
    const good = off <= allowed;
    if (!good) wrong += 1;
    console.log(`${what.padEnd(28)} ${good ? "good " : "WRONG"} off by ${off.toExponential(2)} of at most ${allowed.toExponential(2)}`);
}

const p = model.defaultParameters();
for (const [name, { isLoop, changes, inputs, outputs }] of Object.entries(VALUES)) {
    const [x, ...more] = isLoop ? inputs : [X, ...inputs];
    const state = Float64Array.from(x);
    const found = model[name](T, state, R, p, ...more);
    const got = changes ? [state] : outputs.length === 1 ? [found] : found;
    verdict(name, changes && found !== 0 ? Infinity : Math.max(...outputs.map((w, k) => difference(got[k], w)), 0));
}

{{motion}}
console.log(wrong ? "SOMETHING IS WRONG" : "all good");
process.exit(wrong ? 1 : 0);

// {{part motion}}
const TIMES = {{times}}, SCALES = {{scales}};
const STATES = [
    {{states}}
];
const TABLE = {{table}};

// One step of the classical Runge-Kutta method{{then}}; whether it succeeded.
function step(t, h, y, r) {
    const n = y.length, stages = {{stages}}, table = TABLE;
    const w = new Float64Array(n), k = new Float64Array(n * stages), d = new Float64Array(n);
{{step}}
    return {{is_good}};
}

const { x, r } = model.initialState();
let worst = 0;
for (let k = 0; k + 1 < TIMES.length; k++) {
    const h = (TIMES[k + 1] - TIMES[k]) / {{steps}};
    for (let s = 0; s < {{steps}}; s++) {
        if (!step(TIMES[k] + h * s, h, x, r)) worst = Infinity;
    }
    worst = Math.max(worst, ...x.map((v, i) => Math.abs(v - STATES[k + 1][i]) / SCALES[i]));
}
verdict("motion", worst, {{allowed}});
