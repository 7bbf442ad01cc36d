// The machine code, with functions of mathematics and others that it calls.
const bytes = await (async (address) => {
    if (address.protocol === "file:") return (await import("node:fs/promises")).readFile(address);
    return (await fetch(address)).arrayBuffer();
})(new URL("{{name}}.wasm", import.meta.url));
const { sin, cos, exp, log, tan, asin, acos, atan, sinh, cosh, tanh, pow, atan2 } = Math;
const mathematics = { sin, cos, exp, log, tan, asin, acos, atan, sinh, cosh, tanh, pow, atan2 };
const { instance } = await WebAssembly.instantiate(bytes, { env: { ...mathematics{{externals}} } });
const memory = instance.exports.memory;
let numbers = new Float64Array(memory.buffer), free = (instance.exports.__heap_base.value + 7) & ~7;

// An entry as a function from arrays to arrays, with places of its own in memory: tables of addresses, inputs, outputs, scratch memory.
function placed(name, inputs, outputs, work) {
    const taken = (size) => { free += 8 * size; return free - 8 * size; };
    const tables = [inputs.length + 1, outputs.length].map((n) => taken(Math.ceil(n / 2)));
    const ins = inputs.map(taken), outs = outputs.map(taken), scratch = taken(work);
    if (free > memory.buffer.byteLength) memory.grow(Math.ceil((free - memory.buffer.byteLength) / 65536));
    numbers = new Float64Array(memory.buffer);
    const run = instance.exports[name], externals = instance.exports[`${name}.externals`];
    [[...ins, externals ? externals.value : 0], outs].forEach((places, k) => new Uint32Array(memory.buffer, tables[k], places.length).set(places));
    return (given, results) => {
        for (let k = 0; k < ins.length; k++) for (let i = 0; i < inputs[k]; i++) numbers[ins[k] / 8 + i] = given[k][i];
        run(tables[0], tables[1], scratch);
        for (let k = 0; k < outs.length; k++) for (let i = 0; i < outputs[k]; i++) results[k][i] = numbers[outs[k] / 8 + i];
    };
}
