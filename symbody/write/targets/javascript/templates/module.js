// {{part file}}
{{about}}
//
// Functions refuse arguments that are too short or not finite by a RangeError, unless CHECKS is false.
// They write into arrays that they are given, or make new ones, and return them. project returns 0, or 4 where it does not end.

{{imported}}

{{body}}

export { {{offered}} };

// {{part body}}
const CHECKS = {{checks}}; // whether functions look at their arguments
const state = [
    {{state}}
];
const inputs = [
    {{inputs}}
];
const parameters = [
    {{parameters}}
];

function defaultParameters() {
    return {
        {{defaults}}
    };
}

function initialState() {
    return { t: {{t}}, x: Float64Array.of({{x}}), r: Float64Array.of({{r}}) };
}

const tables = {
    {{tables}}
};

function checked(name, key, values, size) {
    if (values.length < size) throw new RangeError(`${name}: ${key} has ${size} numbers, got ${values.length}`);
    for (let k = 0; k < size; k++) {
        if (!Number.isFinite(values[k])) throw new RangeError(`${name}: ${key}[${k}] is ${values[k]}`);
    }
}

function checkedParameters(name, p) {
    for (const { name: key } of parameters) {
        if (!Number.isFinite(p[key])) throw new RangeError(`${name}: parameter ${key} is ${p[key]}`);
    }
}

function rest(array, start) {
    return Array.isArray(array) ? array.slice(start) : array.subarray(start);
}

{{definitions}}
