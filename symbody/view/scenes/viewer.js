// The viewer of symbody's scenes: WebGL 2, no other code, no network. `symbody.view.scenes.viewer.data` (Python) says what a scene is made of.
//
// All viewers of a page share one WebGL context, which browsers have few of; each shows what was drawn on a canvas of its own, which
// therefore prints and can be saved as a picture.
(() => {
  "use strict";
  if (window.symbody) { window.symbody.mountAll(); return; }

  // ------------------------------------------------------------------------------------------------ vectors and matrices

  const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

  /** Columns of the rotation by Euler parameters e (scalar first), at p, stretched by s: a 4 by 4 matrix by columns. */
  function pose(p, e, s = [1, 1, 1]) {
    const [a, b, c, d] = e;
    return [
      s[0] * (1 - 2 * (c * c + d * d)), s[0] * 2 * (b * c + a * d), s[0] * 2 * (b * d - a * c), 0,
      s[1] * 2 * (b * c - a * d), s[1] * (1 - 2 * (b * b + d * d)), s[1] * 2 * (c * d + a * b), 0,
      s[2] * 2 * (b * d + a * c), s[2] * 2 * (c * d - a * b), s[2] * (1 - 2 * (b * b + c * c)), 0,
      p[0], p[1], p[2], 1,
    ];
  }

  function times(A, B) {
    const C = new Array(16);
    for (let j = 0; j < 4; j++) for (let i = 0; i < 4; i++)
      C[4 * j + i] = A[i] * B[4 * j] + A[4 + i] * B[4 * j + 1] + A[8 + i] * B[4 * j + 2] + A[12 + i] * B[4 * j + 3];
    return C;
  }

  const carried = (M, p) => [0, 1, 2].map((i) => M[i] * p[0] + M[4 + i] * p[1] + M[8 + i] * p[2] + M[12 + i]);

  /** Carries unit solids along z to where they go from a to b. */
  function alongZ(a, b, radius) {
    const way = add(b, a, -1), length = Math.hypot(...way), z = unit(way);
    const x = unit(cross(z, Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0])), y = cross(z, x);
    return [...scaled(x, radius), 0, ...scaled(y, radius), 0, ...scaled(z, length), 0, ...a, 1];
  }

  /** Normals go by the inverse transpose: cross products of the columns do, but for a factor. */
  function normalMatrix(M) {
    const x = M.slice(0, 3), y = M.slice(4, 7), z = M.slice(8, 11);
    return [...cross(y, z), ...cross(z, x), ...cross(x, y)];
  }

  function lookAt(eye, target, up) {
    const z = unit(add(eye, target, -1)), x = unit(cross(up, z)), y = cross(z, x);
    return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
  }

  function perspective(field, aspect, near, far) {
    const f = 1 / Math.tan(field / 2), n = 1 / (near - far);
    return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * n, -1, 0, 0, 2 * far * near * n, 0];
  }

  const box = (r, near, far) => [1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1];

  /** From one rotation to another at a constant rate. */
  function slerp(e, f, s) {
    let c = e[0] * f[0] + e[1] * f[1] + e[2] * f[2] + e[3] * f[3];
    const sign = c < 0 ? -1 : 1;
    c = Math.min(1, c * sign);
    const angle = Math.acos(c);
    const [u, v] = angle < 1e-4 ? [1 - s, s] : [Math.sin((1 - s) * angle) / Math.sin(angle), Math.sin(s * angle) / Math.sin(angle)];
    const g = e.map((x, i) => u * x + sign * v * f[i]), n = Math.hypot(...g);
    return g.map((x) => x / n);
  }

  // ------------------------------------------------------------------------------------------------ data

  function array(coded, Kind = Float32Array) {
    const text = atob(coded.data), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return new Kind(bytes.buffer);
  }

  /** Solids one by one, of a scene of many frames, which has equal ones once. */
  function unpacked(data) {
    if (!data.many) return data;
    const solids = [], name = (frame) => (typeof frame === "number" ? data.many.names[frame] : frame);
    for (const { copies, ...s } of data.solids) for (const [k, frame, own] of copies) solids[k] = { ...s, frame: name(frame), name: own ?? name(frame) };
    return { ...data, solids };
  }

  /** Frames of which the motion is in one piece. */
  function framesTogether({ names, p, e }) {
    const [, levels, n] = p.shape, size = levels * n, places = array(p), turns = Float32Array.from(array(e, Int16Array), (x) => x / 32767);
    return names.map((name, k) => ({ name, p: places.subarray(3 * size * k, 3 * size * (k + 1)), e: turns.subarray(4 * size * k, 4 * size * (k + 1)), n }));
  }

  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const rgb = (hex) => [1, 3, 5].map((i) => linear(parseInt(hex.slice(i, i + 2), 16) / 255));

  /** A number as people write it: three or four digits that count. */
  const brief = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(4)));

  // ------------------------------------------------------------------------------------------------ triangles

  const AROUND = 48;

  /** A profile turned about z: pieces of points (r, z, normal r, normal z). */
  function turned(pieces, around = AROUND) {
    const v = [], n = [], index = [], w = around + 1;
    for (const piece of pieces) {
      const start = v.length / 3;
      for (const [r, z, nr, nz] of piece) for (let k = 0; k < w; k++) {
        const a = (2 * Math.PI * k) / around, c = Math.cos(a), s = Math.sin(a);
        v.push(r * c, r * s, z);
        n.push(nr * c, nr * s, nz);
      }
      for (let i = 0; i + 1 < piece.length; i++) for (let k = 0; k < around; k++) {
        const a = start + i * w + k;
        index.push(a, a + 1, a + w + 1, a, a + w + 1, a + w);
      }
    }
    return { v, n, index };
  }

  /** A box with edges broken by a narrow slope, over which the normals of both sides are blended: it catches light as a real one does. */
  function cube(size) {
    const h = size.map((x) => x / 2), bevel = 0.035 * Math.min(...size), v = [], n = [], index = [], at = {};
    const corner = (k, s) => {
      const name = k + s.join();
      if (!(name in at)) {
        at[name] = v.length / 3;
        for (let i = 0; i < 3; i++) { v.push(s[i] * (i === k ? h[i] : h[i] - bevel)); n.push(i === k ? s[i] : 0); }
      }
      return at[name];
    };
    const signs = (k, a, i, b, c) => { const s = [0, 0, 0]; s[k] = a; s[i] = b; s[3 - k - i] = c; return s; };
    for (let k = 0; k < 3; k++) for (const a of [-1, 1]) {
      const i = (k + 1) % 3, [p, q, r, t] = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([b, c]) => corner(k, signs(k, a, i, b, c)));
      index.push(p, q, r, p, r, t);
      for (const b of [-1, 1]) {
        const [w, x, y, z] = [corner(k, signs(k, a, i, b, -1)), corner(k, signs(k, a, i, b, 1)), corner(i, signs(k, a, i, b, 1)), corner(i, signs(k, a, i, b, -1))];
        index.push(w, x, y, w, y, z);
      }
    }
    for (const a of [-1, 1]) for (const b of [-1, 1]) for (const c of [-1, 1]) index.push(...[0, 1, 2].map((k) => corner(k, [a, b, c])));
    return { v, n, index };
  }

  // ------------------------------------------------------------------------------------------------ shaders

  const HEAD = "#version 300 es\nprecision highp float; precision highp sampler2DShadow;\n";
  const SHADOW = `
    uniform sampler2DShadow shadows;
    float lit(vec4 s, float soft) {
      vec3 x = s.xyz / s.w * .5 + .5;
      if (any(lessThan(x, vec3(0.))) || any(greaterThan(x, vec3(1.)))) return 1.;
      float sum = 0., turn = 6.2832 * fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453);
      for (int i = 0; i < 12; i++) {
        float r = sqrt((float(i) + .5) / 12.), a = 2.39996 * float(i) + turn;
        sum += texture(shadows, vec3(x.xy + soft * r * vec2(cos(a), sin(a)), x.z));
      }
      return sum / 12.;
    }`;
  const SHADERS = {
    solids: [`
      layout(location = 0) in vec3 p; layout(location = 1) in vec3 n; layout(location = 3) in mat4 model; layout(location = 7) in vec3 tint;
      uniform mat4 view, light;
      out vec3 place, normal, paint; out vec4 shaded;
      void main() {
        vec4 w = model * vec4(p, 1.); vec3 x = model[0].xyz, y = model[1].xyz, z = model[2].xyz;
        paint = tint; place = w.xyz; normal = mat3(cross(y, z), cross(z, x), cross(x, y)) * n; shaded = light * w; gl_Position = view * w;
      }`, ""],  // pixels as those of one solid
    depths: ["layout(location = 0) in vec3 p; layout(location = 3) in mat4 model; uniform mat4 light; void main() { gl_Position = light * model * vec4(p, 1.); }",
      "void main() {}"],
    solid: [`
      layout(location = 0) in vec3 p; layout(location = 1) in vec3 n; layout(location = 2) in vec3 c;
      uniform mat4 model, view, light; uniform mat3 normals;
      out vec3 place, normal, paint; out vec4 shaded;
      void main() {
        vec4 w = model * vec4(p, 1.);
        paint = c; place = w.xyz; normal = normals * n; shaded = light * w; gl_Position = view * w;
      }`, `
      in vec3 place, normal, paint; in vec4 shaded;
      uniform vec3 colour, eye, key, up; uniform float opacity, ambient, painted;
      out vec4 pixel;` + SHADOW + `
      void main() {
        vec3 v = normalize(eye - place), n = normalize(normal);
        if (dot(n, v) < 0.) n = -n;
        float facing = dot(n, key), open = lit(shaded, .0022);
        vec3 sky = mix(vec3(.62, .62, .66), vec3(1.02, 1.03, 1.06), .5 + .5 * dot(n, up)) * ambient;
        float fill = max(dot(n, normalize(v - .6 * key)), 0.) * .18;
        vec3 c = mix(colour, paint, painted) * (sky * .62 + fill + .78 * max(facing, 0.) * open);
        vec3 h = normalize(key + v);
        c += (.16 * pow(max(dot(n, h), 0.), 38.) * open + .05 * pow(1. - max(dot(n, v), 0.), 4.)) * ambient;
        c = c / (1. + .18 * max(max(c.r, c.g), c.b));
        pixel = vec4(pow(c * 1.12, vec3(1. / 2.2)), 1.) * opacity;
      }`],
    depth: ["layout(location = 0) in vec3 p; uniform mat4 model, light; void main() { gl_Position = light * model * vec4(p, 1.); }",
      "void main() {}"],
    floor: [`
      layout(location = 0) in vec3 p;
      uniform mat4 view, light; uniform vec3 middle, right, ahead; uniform float reach;
      out vec3 place; out vec2 at; out vec4 shaded;
      void main() {
        at = p.xy * reach; place = middle + right * at.x + ahead * at.y; shaded = light * vec4(place, 1.); gl_Position = view * vec4(place, 1.);
      }`, `
      in vec3 place; in vec2 at; in vec4 shaded;
      uniform vec3 ink, eye, up, right, ahead; uniform float spacing, reach, strength, darkness, thin;
      out vec4 pixel;` + SHADOW + `
      float lines(vec2 x) {
        vec2 w = fwidth(x), d = abs(fract(x - .5) - .5) / w / thin, clear = 1. - smoothstep(vec2(.15), vec2(.6), w);
        vec2 c = (1. - smoothstep(vec2(0.), vec2(1.), d)) * clear;
        return max(c.x, c.y);
      }
      void main() {
        vec2 x = vec2(dot(place, right), dot(place, ahead)) / spacing;
        float fade = 1. - smoothstep(.25, 1., length(at) / reach);
        float slope = smoothstep(.0, .12, abs(dot(normalize(eye - place), up)));
        float grid = max(lines(x) * .5, lines(x / 5.)) * strength * fade * slope;
        float shade = (1. - lit(shaded, .006)) * darkness * fade * step(0., dot(eye - place, up));
        float a = grid + shade - grid * shade;
        pixel = vec4(ink * grid * (1. - shade), a);
      }`],
    line: [`
      layout(location = 0) in vec3 p; layout(location = 1) in vec3 a; layout(location = 2) in vec3 b;
      uniform mat4 model, view; uniform vec2 pixels; uniform float width, until, count;
      out float side, past;
      void main() {
        vec4 A = view * model * vec4(a, 1.), B = view * model * vec4(b, 1.);
        vec2 way = (B.xy / B.w - A.xy / A.w) * pixels;
        way = length(way) > 1e-6 ? normalize(way) : vec2(1., 0.);
        vec4 C = p.x < .5 ? A : B;
        vec2 off = (vec2(-way.y, way.x) * p.y + way * (p.x * 2. - 1.) * .5) * (width + 1.);
        side = p.y * (width + 1.); past = float(gl_InstanceID) + p.x <= until ? 1. : .32;
        gl_Position = vec4(C.xy + off / pixels * C.w, C.zw);
      }`, `
      in float side, past; uniform vec3 colour, sky; uniform float width; out vec4 pixel;
      void main() {
        float a = clamp(mix(.5, 1., past) * width + 1. - abs(side), 0., 1.);
        pixel = vec4(mix(sky, pow(colour, vec3(1. / 2.2)), past) * a, a);
      }`],
  };

  SHADERS.solids[1] = SHADERS.solid[1];

  // ------------------------------------------------------------------------------------------------ drawing

  const NUMBERS = 19;  // of an instance: a matrix and a colour
  const MANY = 300;  // equal balls from which on they have fewer triangles
  const BINS = 256;  // of depth, by which they are sorted
  const FEW = 12;  // solids with one mesh that are drawn one after the other

  /** One WebGL context for all viewers of the page. */
  class Renderer {
    static #one;
    static get() {
      if (Renderer.#one === undefined) {
        const canvas = document.createElement("canvas");
        const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true, preserveDrawingBuffer: true });
        Renderer.#one = gl ? new Renderer(gl) : null;
      }
      return Renderer.#one;
    }

    constructor(gl) {
      this.gl = gl;
      gl.canvas.addEventListener("webglcontextlost", (e) => e.preventDefault());
      gl.canvas.addEventListener("webglcontextrestored", () => { this.prepare(); window.symbody.viewers.forEach((v) => v.restore()); });
      this.prepare();
    }

    prepare() {
      const gl = this.gl;
      this.meshes = new Map();
      this.programs = Object.fromEntries(Object.entries(SHADERS).map(([k, [v, f]]) => [k, this.program(v, f)]));
      this.quad = this.mesh("quad", () => ({ v: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], n: new Array(12).fill(0), index: [0, 1, 2, 0, 2, 3] }));
      this.ribbon = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, this.ribbon);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 0, 1, -1, 0, 0, 1, 0, 1, 1, 0]), gl.STATIC_DRAW);
      this.shadowSize = Math.min(1024, gl.getParameter(gl.MAX_TEXTURE_SIZE));
      this.shadowMap = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, this.shadowSize, this.shadowSize);
      for (const [k, v] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
        [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL]])
        gl.texParameteri(gl.TEXTURE_2D, k, v);
      this.shadowFrame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }

    program(vertex, fragment) {
      const gl = this.gl, program = gl.createProgram();
      for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, HEAD + text);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
      }
      gl.linkProgram(program);
      if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
        throw new Error(gl.getProgramInfoLog(program) + gl.getAttachedShaders(program).map((s) => gl.getShaderInfoLog(s)).join("\n"));
      const at = {};
      for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
        const { name, type } = gl.getActiveUniform(program, i);
        at[name] = [gl.getUniformLocation(program, name), type];
      }
      return { program, at };
    }

    use(name, values) {
      const gl = this.gl, { program, at } = this.programs[name];
      gl.useProgram(program);
      this.at = at;
      this.set(values);
    }

    set(values) {
      const gl = this.gl;
      for (const [k, v] of Object.entries(values)) {
        if (!this.at[k]) continue;
        const [where, type] = this.at[k];
        if (type === gl.FLOAT) gl.uniform1f(where, v);
        else if (type === gl.FLOAT_VEC2) gl.uniform2fv(where, v);
        else if (type === gl.FLOAT_VEC3) gl.uniform3fv(where, v);
        else if (type === gl.FLOAT_MAT3) gl.uniformMatrix3fv(where, false, v);
        else gl.uniformMatrix4fv(where, false, v);
      }
    }

    mesh(key, make) {
      if (!this.meshes.has(key)) {
        const gl = this.gl, { v, n, index } = make(), array = gl.createVertexArray();
        gl.bindVertexArray(array);
        const buffers = [v, n].map((values, k) => {
          const buffer = gl.createBuffer();
          gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
          gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
          gl.enableVertexAttribArray(k);
          gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
          return buffer;
        });
        const corners = gl.createBuffer();
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, corners);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(index), gl.STATIC_DRAW);
        gl.bindVertexArray(null);
        this.meshes.set(key, { array, count: index.length, buffers, corners });
      }
      return this.meshes.get(key);
    }

    /** Copies of a mesh, by their matrices and colours: one call draws all of them. */
    crowd(mesh, numbers, count) {
      const gl = this.gl;
      if (!mesh.many) {
        const array = gl.createVertexArray(), buffer = gl.createBuffer();
        gl.bindVertexArray(array);
        mesh.buffers.forEach((b, k) => {
          gl.bindBuffer(gl.ARRAY_BUFFER, b);
          gl.enableVertexAttribArray(k);
          gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
        });
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.corners);
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        for (let k = 0; k < 5; k++) {
          gl.enableVertexAttribArray(3 + k);
          gl.vertexAttribPointer(3 + k, k < 4 ? 4 : 3, gl.FLOAT, false, 4 * NUMBERS, 16 * k);
          gl.vertexAttribDivisor(3 + k, 1);
        }
        gl.bindVertexArray(null);
        mesh.many = { array, buffer };
      }
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.many.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
      return { mesh, count };
    }

    copies({ mesh, count }) {
      const gl = this.gl;
      gl.bindVertexArray(mesh.many.array);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0, count);
    }

    /** Opaque solids of which many have one mesh become crowds; the others stay. */
    gathered(solids) {
      const by = new Map(), left = [], crowds = [];
      for (const s of solids) {
        const alike = s.opacity === 1 && !s.painted && s.mesh.buffers?.length === 2 && s.mesh.corners;
        if (!alike) left.push(s);
        else if (by.has(s.mesh)) by.get(s.mesh).push(s);
        else by.set(s.mesh, [s]);
      }
      for (const [mesh, alike] of by) {
        if (alike.length <= FEW) { left.push(...alike); continue; }
        const numbers = new Float32Array(NUMBERS * alike.length);
        alike.forEach((s, i) => { numbers.set(s.model, NUMBERS * i); numbers.set(s.colour, NUMBERS * i + 16); });
        crowds.push(this.crowd(mesh, numbers, alike.length));
      }
      return { left, crowds };
    }

    /** Triangles whose places, normals and colours change with time. */
    moving(count, index) {
      const gl = this.gl, array = gl.createVertexArray();
      gl.bindVertexArray(array);
      const buffers = [0, 1, 2].map((k) => {
        const buffer = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferData(gl.ARRAY_BUFFER, 12 * count, gl.DYNAMIC_DRAW);
        gl.enableVertexAttribArray(k);
        gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
        return buffer;
      });
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(index), gl.STATIC_DRAW);
      gl.bindVertexArray(null);
      return { array, buffers, count: index.length };
    }

    moved({ buffers }, ...values) {
      const gl = this.gl;
      values.forEach((x, k) => {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffers[k]);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, x);
      });
    }

    triangles({ array, count }) {
      const gl = this.gl;
      gl.bindVertexArray(array);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    }

    /** Points joined by a line: each segment is one instance of a flat ribbon. */
    forget({ array, buffer }) {
      this.gl.deleteVertexArray(array);
      this.gl.deleteBuffer(buffer);
    }

    polyline(points) {
      const gl = this.gl, array = gl.createVertexArray();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.ribbon);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.STATIC_DRAW);
      for (const k of [1, 2]) {
        gl.enableVertexAttribArray(k);
        gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 12 * (k - 1));
        gl.vertexAttribDivisor(k, 1);
      }
      gl.bindVertexArray(null);
      return { array, buffer, segments: points.length / 3 - 1 };
    }

    line({ array, segments }) {
      const gl = this.gl;
      gl.bindVertexArray(array);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, segments);
    }

    /** Draw a picture of a size in pixels and copy it. */
    picture(width, height, target, view) {
      const gl = this.gl, canvas = gl.canvas;
      if (canvas.width < width || canvas.height < height) {
        canvas.width = Math.max(canvas.width, width);
        canvas.height = Math.max(canvas.height, height);
      }
      const { left, crowds } = this.gathered(view.solids);
      crowds.push(...view.crowds.map((c) => this.crowd(c.mesh, c.numbers, c.count)));
      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
      gl.viewport(0, 0, this.shadowSize, this.shadowSize);
      gl.disable(gl.SCISSOR_TEST);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(2.5, 6);
      this.use("depth", { light: view.light });
      for (const s of left) if (s.opacity > 0.5) { this.set({ model: s.model }); this.triangles(s.mesh); }
      this.use("depths", { light: view.light });
      crowds.forEach((c) => this.copies(c));
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(0, 0, width, height);
      gl.viewport(0, 0, width, height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      const solid = (s) => { this.set({ model: s.model, normals: normalMatrix(s.model), colour: s.colour, opacity: s.opacity, painted: s.painted ?? 0 }); this.triangles(s.mesh); };
      this.use("solid", view);
      left.filter((s) => s.opacity === 1).forEach(solid);
      this.use("solids", { ...view, opacity: 1, painted: 1 });
      crowds.forEach((c) => this.copies(c));
      gl.enable(gl.BLEND);
      gl.depthMask(false);
      if (view.floor) { this.use("floor", { ...view, ...view.floor }); this.triangles(this.quad); }
      this.use("line", { view: view.view, sky: view.sky, pixels: [width / 2, height / 2] });
      for (const l of view.lines) { this.set(l); this.line(l.points); }
      gl.depthMask(true);
      this.use("solid", view);
      left.filter((s) => s.opacity < 1).forEach(solid);
      gl.bindVertexArray(null);
      target.clearRect(0, 0, width, height);
      target.drawImage(canvas, 0, canvas.height - height, width, height, 0, 0, width, height);
    }
  }

  // ------------------------------------------------------------------------------------------------ motion

  /** Where frames are at a time, between samples (and, for a mode, between amplitudes). */
  class Motion {
    constructor(data) {
      this.t = array(data.t);
      this.levels = data.levels;
      this.frames = data.frames.map((f) => ({ name: f.name, p: array(f.p), e: array(f.e), n: f.p.shape[1] }));
      if (data.many) this.frames.push(...framesTogether(data.many));
      this.centre = array(data.centre);
      this.duration = this.t[this.t.length - 1];
    }

    /** Another motion of the same frames: times, poses by name, the way of the mass centre. */
    replace(t, poses, centre) {
      this.t = t;
      for (const f of this.frames) Object.assign(f, poses[f.name], { n: t.length });
      this.centre = centre;
      this.duration = t[t.length - 1];
    }

    between(t) {
      let low = 0, high = this.t.length - 1;
      while (high - low > 1) { const mid = (low + high) >> 1; if (this.t[mid] <= t) low = mid; else high = mid; }
      const span = this.t[high] - this.t[low];
      return [low, span > 0 ? clamp((t - this.t[low]) / span, 0, 1) : 0];
    }

    at(f, level, k, s) {
      const i = level * f.n + Math.min(k, f.n - 1), j = level * f.n + Math.min(k + 1, f.n - 1);
      const p = [0, 1, 2].map((x) => f.p[3 * i + x] * (1 - s) + f.p[3 * j + x] * s);
      return [p, slerp([...f.e.subarray(4 * i, 4 * i + 4)], [...f.e.subarray(4 * j, 4 * j + 4)], s)];
    }

    poses(t, amplitude) {
      const [k, s] = this.between(t), out = new Map([["ground", pose([0, 0, 0], [1, 0, 0, 0])]]);
      const [low, high, part] = this.amplitudes(amplitude);
      for (const f of this.frames) {
        let [p, e] = this.at(f, low, k, s);
        if (part > 0) {
          const [q, g] = this.at(f, high, k, s);
          p = add(scaled(p, 1 - part), q, part);
          e = slerp(e, g, part);
        }
        out.set(f.name, pose(p, e));
      }
      return out;
    }

    /** Two amplitudes of a mode, and the part from the first to the second. */
    amplitudes(amplitude) {
      let low = 0;
      while (low < this.levels.length - 2 && this.levels[low + 1] <= amplitude) low++;
      const high = Math.min(low + 1, this.levels.length - 1);
      return [low, high, high > low ? clamp((amplitude - this.levels[low]) / (this.levels[high] - this.levels[low]), 0, 1) : 0];
    }

    /** How far the mass centre has gone. */
    travel(t) {
      const [k, s] = this.between(t), c = this.centre, j = Math.min(k + 1, c.length / 3 - 1);
      return [0, 1, 2].map((x) => c[3 * k + x] * (1 - s) + c[3 * j + x] * s - c[x]);
    }
  }

  // ------------------------------------------------------------------------------------------------ equal bodies by the thousand

  /** Places and rotations of many equal solids, and their numbers for the graphics card. */
  class Crowd {
    constructor(data, motion, mesh) {
      Object.assign(this, { data, motion, mesh, count: data.count });
      this.p = array(data.p, Uint16Array);
      this.e = data.e ? array(data.e, Int16Array) : null;
      this.scale = stretch(data);
      this.numbers = new Float32Array(NUMBERS * data.count);
      this.order = Uint32Array.from({ length: data.count }, (_, b) => b);
      this.bins = new Uint16Array(data.count);
    }

    /** Near ones first, by bins of depth: what is hidden behind them is then not shaded. */
    sort(t, eye, target) {
      const { p, count: n, data: { low, box } } = this, [k] = this.motion.between(t), i = 3 * Math.min(k, p.length / (3 * n) - 1) * n;
      const way = unit(add(target, eye, -1)), [a, b, c] = way.map((x, r) => (x * box[r]) / 65535);
      const corners = [a, b, c].map((x) => [Math.min(0, x), Math.max(0, x)]), first = 65535 * corners.reduce((sum, x) => sum + x[0], 0);
      const scale = (BINS - 1) / (65535 * corners.reduce((sum, x) => sum + x[1], 0) - first || 1), at = new Uint32Array(BINS + 1);
      for (let j = 0; j < n; j++) at[(this.bins[j] = (p[i + 3 * j] * a + p[i + 3 * j + 1] * b + p[i + 3 * j + 2] * c - first) * scale) + 1]++;
      for (let j = 0; j < BINS; j++) at[j + 1] += at[j];
      for (let j = 0; j < n; j++) this.order[at[this.bins[j]]++] = j;
    }

    /** A matrix and a colour for each, at a time between samples. */
    at(t, colour, eye, target) {
      this.sort(t, eye, target);
      const { p, e, numbers: out, scale: [sx, sy, sz], count: n, data: { low, box } } = this, [k, s] = this.motion.between(t);
      const times = p.length / (3 * n), i = Math.min(k, times - 1) * n, j = Math.min(k + 1, times - 1) * n;
      for (let a = 0; a < n; a++) {
        const b = this.order[a], o = NUMBERS * a;
        let w = 1, x = 0, y = 0, z = 0;
        if (e) {
          const f = 4 * (i + b), g = 4 * (j + b), v = (e[f] * e[g] + e[f + 1] * e[g + 1] + e[f + 2] * e[g + 2] + e[f + 3] * e[g + 3] < 0 ? -s : s), u = 1 - s;
          w = u * e[f] + v * e[g]; x = u * e[f + 1] + v * e[g + 1]; y = u * e[f + 2] + v * e[g + 2]; z = u * e[f + 3] + v * e[g + 3];
          const size = 1 / (Math.sqrt(w * w + x * x + y * y + z * z) || 1);
          w *= size; x *= size; y *= size; z *= size;
        }
        out[o] = sx * (1 - 2 * (y * y + z * z)); out[o + 1] = sx * 2 * (x * y + w * z); out[o + 2] = sx * 2 * (x * z - w * y);
        out[o + 4] = sy * 2 * (x * y - w * z); out[o + 5] = sy * (1 - 2 * (x * x + z * z)); out[o + 6] = sy * 2 * (y * z + w * x);
        out[o + 8] = sz * 2 * (x * z + w * y); out[o + 9] = sz * 2 * (y * z - w * x); out[o + 10] = sz * (1 - 2 * (x * x + y * y));
        for (let r = 0; r < 3; r++) out[o + 12 + r] = low[r] + (box[r] / 65535) * ((1 - s) * p[3 * (i + b) + r] + s * p[3 * (j + b) + r]);
        out[o + 15] = 1; out[o + 16] = colour[0]; out[o + 17] = colour[1]; out[o + 18] = colour[2];
      }
      return this;
    }
  }

  // ------------------------------------------------------------------------------------------------ bodies that deform

  const decoded = (m) => ({
    v: Float32Array.from(array(m.v, Uint16Array), (x, i) => m.low[i % 3] + (x / 65535) * m.size[i % 3]),
    n: Float32Array.from(array(m.n, Int8Array), (x) => x / 127),
    index: array(m.i, m.bits === 16 ? Uint16Array : Uint32Array),
  });

  /** Σ w s into an array. */
  function sum(out, w, parts) {
    out.fill(0);
    for (let k = 0; k < parts.length; k++) { const s = parts[k], a = w[k]; if (a) for (let i = 0; i < out.length; i++) out[i] += a * s[i]; }
  }

  /** Von Mises stress of the six that begin at a place. */
  function mises(s, i) {
    const a = s[i] - s[i + 1], b = s[i + 1] - s[i + 2], c = s[i + 2] - s[i], d = s[i + 3], e = s[i + 4], f = s[i + 5];
    return Math.sqrt((a * a + b * b + c * c) / 2 + 3 * (d * d + e * e + f * f));
  }

  /** A mesh whose vertices are where they are at rest, and a shift for each coordinate: x = x0 + Σ w s. */
  class Surface {
    constructor(data, motion, renderer, ramp) {
      Object.assign(this, { data, motion, renderer, ramp });
      const { v, index } = decoded(data.mesh), parts = array(data.shifts.parts, Int16Array), size = v.length;
      this.rest = v;
      this.index = index;
      this.shifts = data.shifts.largest.map((s, k) => Float32Array.from(parts.subarray(k * size, (k + 1) * size), (x) => (x / 32767) * s));
      if (data.stress) {
        const stress = array(data.stress.parts, Int16Array);
        this.stress = data.stress.largest.map((s, k) => Float32Array.from(stress.subarray(2 * k * size, 2 * (k + 1) * size), (x) => (x / 32767) * s));
      }
      this.w = array(data.w);
      this.places = new Float32Array(size);
      this.normals = new Float32Array(size);
      this.colours = new Float32Array(size);
      this.mesh = renderer.moving(size / 3, index);
    }

    /** Weights of the coordinates at a time, between samples and amplitudes. */
    weights(t, amplitude) {
      const m = this.shifts.length, n = this.w.length / m / this.motion.levels.length, [k, s] = this.motion.between(t), [low, high, part] = this.motion.amplitudes(amplitude);
      const at = (level, i) => this.w.subarray((level * n + Math.min(i, n - 1)) * m, (level * n + Math.min(i, n - 1) + 1) * m);
      const row = (level) => { const a = at(level, k), b = at(level, k + 1); return Array.from(a, (x, i) => x * (1 - s) + b[i] * s); };
      const first = row(low), second = part > 0 ? row(high) : first;
      return first.map((x, i) => x * (1 - part) + second[i] * part);
    }

    at(t, amplitude) {
      const w = this.weights(t, amplitude), name = w.join();
      if (name !== this.name) { this.name = name; this.deform(w); }
      return this.mesh;
    }

    deform(w) {
      const { rest, places: x, normals: n, index } = this;
      sum(x, w, this.shifts);
      if (this.data.paint) this.colour(w);
      for (let i = 0; i < x.length; i++) x[i] += rest[i];
      n.fill(0);
      for (let i = 0; i < index.length; i += 3) {
        const a = 3 * index[i], b = 3 * index[i + 1], c = 3 * index[i + 2];
        const p = x[b] - x[a], q = x[b + 1] - x[a + 1], r = x[b + 2] - x[a + 2], u = x[c] - x[a], v = x[c + 1] - x[a + 1], z = x[c + 2] - x[a + 2];
        const d = q * z - r * v, e = r * u - p * z, f = p * v - q * u;
        n[a] += d; n[a + 1] += e; n[a + 2] += f;
        n[b] += d; n[b + 1] += e; n[b + 2] += f;
        n[c] += d; n[c + 1] += e; n[c + 2] += f;
      }
      this.renderer.moved(this.mesh, x, n, this.colours);
    }

    /** Colours by displacement, which `places` holds at this moment, or by von Mises stress. */
    colour(w) {
      const x = this.places, c = this.colours, largest = this.data.largest || 1, { ramp } = this;
      if (this.stress) sum((this.stresses ??= new Float32Array(2 * x.length)), w, this.stress);
      for (let i = 0; i < x.length; i += 3) {
        const value = this.stress ? mises(this.stresses, 2 * i) : Math.sqrt(x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2]);
        const part = clamp(value / largest, 0, 1) * (ramp.length - 1);
        const k = Math.min(Math.floor(part), ramp.length - 2), s = part - k, a = ramp[k], b = ramp[k + 1];
        for (let j = 0; j < 3; j++) c[i + j] = a[j] * (1 - s) + b[j] * s;
      }
    }
  }

  // ------------------------------------------------------------------------------------------------ controls

  const ICONS = {
    play: "M7 4l13 8-13 8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", loop: "M17 2l4 4-4 4V7H7a3 3 0 0 0-3 3v2H2v-2a5 5 0 0 1 5-5h10zM7 22l-4-4 4-4v3h10a3 3 0 0 0 3-3v-2h2v2a5 5 0 0 1-5 5H7z",
    reset: "M12 5V1L6 6l6 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z", theme: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z", picture: "M4 5h4l1.5-2h5L16 5h4a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zm8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
    follow: "M11 1h2v3.1A8 8 0 0 1 19.9 11H23v2h-3.1A8 8 0 0 1 13 19.9V23h-2v-3.1A8 8 0 0 1 4.1 13H1v-2h3.1A8 8 0 0 1 11 4.1zm1 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zm0 3.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
    full: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z", help: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm1 16h-2v-2h2zm1.6-6.6c-.9.7-1.6 1.1-1.6 2.6h-2c0-2.5 1.3-3.3 2.3-4 .6-.5.9-.7.9-1.3a2 2 0 0 0-4 0H8a4 4 0 1 1 8 0c0 1.5-.8 2.2-1.4 2.7z",
  };
  const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const HELP = [["drag, arrow keys", "turn"], ["right or shift drag, shift + arrows", "move"], ["wheel, pinch, + and −", "closer, further"], ["0", "view as at first"],
    ["space", "play or pause"], [", and .", "one step back, ahead"], ["1 to 6", "bodies, joints, frames, forces, traces, labels"]];

  function element(tag, attributes = {}, ...inside) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) if (k === "on") for (const [type, f] of Object.entries(v)) e.addEventListener(type, f); else e.setAttribute(k, v);
    e.append(...inside);
    return e;
  }

  function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", ICONS[name]);
    path.setAttribute("fill-rule", "evenodd");
    svg.append(path);
    return svg;
  }

  const button = (name, label, click) => element("button", { type: "button", class: "sbv-tool", title: label, "aria-label": label, on: { click } }, icon(name));

  // ------------------------------------------------------------------------------------------------ viewer

  const FIELD = (32 * Math.PI) / 180;
  const DARK = matchMedia("(prefers-color-scheme: dark)");

  /** How far the mesh of a solid is stretched; that of a box has its first size. */
  const stretch = ({ kind, size: s, first = s }) => (kind === "box" ? s.map((x, i) => x / first[i]) : kind === "cylinder" || kind === "cone" ? [s[0], s[0], s[1]] : kind === "torus" ? [s[0], s[0], s[0]] : s);

  class Viewer {
    constructor(section) {
      this.section = section;
      this.data = unpacked(JSON.parse(section.querySelector(".sbv-data").textContent));
      this.motion = new Motion(this.data);
      this.shown = Object.fromEntries(this.data.groups.map((g) => [g, this.data.shown.includes(g)]));
      this.time = 0;
      this.amplitude = this.data.frequency === null ? 1 : 0.5;
      this.follows = this.data.camera.follows;
      this.looping = true;
      this.coarse = 1;
      this.slow = 0;
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches || section.dataset.autoplay === "no";
      this.playing = this.motion.duration > 0 && !still;
      this.speed = SPEEDS.reduce((a, b) => (Math.abs(Math.log(b / this.naturalSpeed())) < Math.abs(Math.log(a / this.naturalSpeed())) ? b : a));
      this.renderer = Renderer.get();
      this.build();
      if (!this.renderer) return;
      this.restore();
      this.resetView();
      this.listen();
    }

    /** Real time, or what makes the motion last between 3 and 20 seconds; a period of a mode lasts 1.6. */
    naturalSpeed() {
      const d = this.motion.duration || 1;
      return this.data.frequency !== null ? d / 1.6 : d < 3 ? d / 3 : d > 20 ? d / 20 : 1;
    }

    // ---------------------------------------------------------------------------------------------- page

    build() {
      const d = this.data, section = this.section;
      section.dataset.mounted = "yes";
      const still = section.querySelector(".sbv-still");
      this.stage = element("div", { class: "sbv-stage" });
      if (!this.renderer) {
        this.stage.append(still, element("p", { class: "sbv-note", role: "status" }, "This browser has no WebGL 2: a still picture is shown."));
        section.prepend(this.stage);
        return;
      }
      still.remove();
      this.canvas = element("canvas", { tabindex: 0, role: "img", "aria-label": `3-D picture of ${d.name}. Arrow keys turn it, plus and minus zoom, 0 resets, space plays.` });
      this.paint = this.canvas.getContext("2d");
      this.tags = element("div", { class: "sbv-tags", "aria-hidden": "true" });
      d.labels.forEach((l) => this.tags.append(element("span", {}, l.text)));
      this.legend = element("span", { class: "sbv-legend" });
      this.title = element("div", { class: "sbv-title" }, element("strong", {}, d.name), this.legend);
      if (d.surfaces.some((s) => s.paint)) this.title.append(element("span", { class: "sbv-ramp", "aria-hidden": "true", style: `background: linear-gradient(90deg, ${d.ramp.join()})` }));
      this.help = element("dl", { class: "sbv-help", hidden: "" });
      for (const [k, v] of HELP) this.help.append(element("dt", {}, k), element("dd", {}, v));
      this.followTool = button("follow", "Follow the mechanism", () => { this.follows = !this.follows; this.refresh(); });
      this.tools = element("div", { class: "sbv-tools", role: "group", "aria-label": "View" },
        ...(d.camera.follows ? [this.followTool] : []),
        button("reset", "Reset view (0)", () => this.resetView()),
        button("theme", "Dark or light", () => this.setTheme(this.isDark() ? "light" : "dark")),
        button("picture", "Save picture", () => this.savePicture()),
        ...(document.fullscreenEnabled ? [button("full", "Full screen", () => (document.fullscreenElement ? document.exitFullscreen() : section.requestFullscreen()))] : []),
        button("help", "Keys", (e) => { this.help.hidden = !this.help.hidden; e.currentTarget.setAttribute("aria-expanded", String(!this.help.hidden)); }));
      this.stage.append(this.canvas, this.tags, this.title, this.tools, this.help);
      section.prepend(this.stage, this.bar(), this.switches());
    }

    bar() {
      const d = this.data;
      if (!this.motion.duration) return element("div", { class: "sbv-bar", hidden: "" });
      this.playTool = button("play", "Play", () => this.play(!this.playing));
      this.scrub = element("input", { type: "range", min: 0, max: 1, step: "any", value: 0, class: "sbv-scrub", "aria-label": "Time",
        on: { input: () => { this.play(false); this.seek(+this.scrub.value * this.motion.duration); } } });
      this.clock = element("output", { class: "sbv-clock" });
      const choices = [...new Set([...SPEEDS.filter((s) => s >= this.speed / 12 && s <= this.speed * 12), this.speed])].sort((a, b) => a - b);
      this.pace = element("select", { class: "sbv-pace", "aria-label": "Speed", title: "Speed", on: { change: () => { this.speed = +this.pace.value; } } },
        ...choices.map((s) => element("option", s === this.speed ? { value: s, selected: "" } : { value: s }, `${s < 0.5 ? "1/" + Math.round(1 / s) : s === 0.5 ? "1/2" : s} ×`)));
      this.loopTool = button("loop", "Repeat", () => { this.looping = !this.looping; this.refresh(); });
      const parts = [this.playTool, this.scrub, this.clock, this.pace, this.loopTool];
      if (d.frequency !== null) {
        this.swing = element("input", { type: "range", min: 0, max: 1, step: 0.01, value: this.amplitude, "aria-label": "Amplitude", title: "Amplitude",
          on: { input: () => { this.amplitude = +this.swing.value; this.refresh(); } } });
        parts.splice(3, 0, element("label", { class: "sbv-swing" }, "amplitude", this.swing));
      }
      return element("div", { class: "sbv-bar", role: "group", "aria-label": "Time" }, ...parts);
    }

    switches() {
      const d = this.data, some = (g) => d.solids.some((s) => s.group === g), has = { joints: some("joints"), frames: some("frames"), forces: d.arrows.length, traces: d.traces.length && this.motion.duration, labels: d.labels.length };
      this.chips = {};
      const out = element("div", { class: "sbv-switches", role: "group", "aria-label": "What is shown" });
      for (const g of d.groups) {
        if (g in has && !has[g]) continue;
        this.chips[g] = element("button", { type: "button", class: "sbv-chip", on: { click: () => this.show(g, !this.shown[g]) } }, g[0].toUpperCase() + g.slice(1));
        out.append(this.chips[g]);
      }
      return out;
    }

    // ---------------------------------------------------------------------------------------------- what there is to draw

    /** Meshes and lines on the graphics card; again where it forgot them. */
    restore() {
      const d = this.data, r = this.renderer;
      const mesh = (s) => {
        if (s.kind === "box") return r.mesh(`box ${s.size}`, () => cube(s.size));
        if (s.kind === "mesh") {
          const m = d.meshes[s.mesh];
          return r.mesh(`${d.name} ${s.mesh} ${m.v.data.length}`, () => decoded(m));
        }
        const key = s.profile ?? s.kind;
        return r.mesh(key, () => turned(d.profiles[key]));
      };
      const own = (s, i) => r.mesh(`${d.name} instances ${i}`, () => s.kind === "mesh" ? decoded(d.meshes[s.mesh]) : turned(d.profiles[s.kind]));
      this.solids = d.solids.map((s) => ({ ...s, mesh: mesh(s), local: pose(s.p, s.e, stretch(s)), opacity: s.opacity ?? 1 }));
      this.crowds = d.instances.map((s, i) => new Crowd(s, this.motion, s.kind === "sphere" && s.count > MANY
        ? r.mesh(`coarse ball ${i}`, () => turned(d.profiles["coarse ball"], 14)) : own(s, i)));
      const before = this.surfaces;
      this.surfaces = d.surfaces.map((s) => new Surface(s, this.motion, r, d.ramp.map(rgb)));
      (before ?? []).forEach((s, i) => (this.surfaces[i].w = s.w));  // of the motion that has come since
      this.rod = mesh({ kind: "cylinder" });
      this.tip = mesh({ kind: "cone" });
      this.coil = r.polyline(array(d.coil));
      this.arrows = d.arrows.map((a) => ({ ...a, at: array(a.at), v: array(a.v) }));
      this.longest = {};
      for (const a of this.arrows) for (let i = 0; i < a.v.length; i += 3)
        this.longest[a.kind] = Math.max(this.longest[a.kind] ?? 0, Math.hypot(a.v[i], a.v[i + 1], a.v[i + 2]));
      this.tracePoints = null;
      this.refresh();
    }

    /** Another motion, of the same things. */
    replaceMotion(t, poses, centre, weights) {
      this.motion.replace(t, poses, centre);
      this.surfaces.forEach((s) => (s.w = weights[s.data.name]));
      this.time = Math.min(this.time, this.motion.duration);
      this.forgetTraces();
      this.refresh();
    }

    /** Solids whose numbers in `data.solids` have changed: their place and size. */
    reshape() {
      this.data.solids.forEach((s, i) => {
        const shown = this.solids[i];
        shown.first ??= shown.size;
        Object.assign(shown, { size: [...s.size], p: s.p, e: s.e });
        shown.local = pose(s.p, s.e, stretch(shown));
      });
      this.forgetTraces();
      this.refresh();
    }

    forgetTraces() {
      (this.tracePoints ?? []).forEach((points) => this.renderer.forget(points));
      this.tracePoints = null;
    }

    /** Paths of points, from the poses of their frames; of a mode, at the amplitude that is set. */
    traces() {
      if (this.tracePoints && this.tracedAt === this.amplitude) return this.tracePoints;
      this.tracedAt = this.amplitude;
      const paths = this.data.traces.map(() => []);
      for (const t of this.motion.t) {
        const frames = this.motion.poses(t, this.amplitude);
        this.data.traces.forEach((x, i) => paths[i].push(...carried(frames.get(x.at.frame), x.at.p)));
      }
      this.tracePoints = paths.map((p) => this.renderer.polyline(p));
      return this.tracePoints;
    }

    isDark() {
      if (this.printing) return false;
      const said = this.section.dataset.theme || document.documentElement.dataset.theme;
      return said ? said === "dark" : DARK.matches;
    }

    setTheme(theme) { this.section.dataset.theme = theme; this.refresh(); }

    colour(name) { return rgb((this.data.palette[name] ?? [name, name])[this.isDark() ? 1 : 0]); }

    draw() {
      const d = this.data, ratio = this.printing ? 2 : Math.min(devicePixelRatio || 1, 2) * (this.playing ? this.coarse : 1);
      const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
      if (this.canvas.width !== width || this.canvas.height !== height) { this.canvas.width = width; this.canvas.height = height; }
      const frames = this.motion.poses(this.time, this.amplitude), dark = this.isDark(), up = d.camera.up;
      const { eye, target, basis } = this.eye();
      const far = Math.hypot(...add(eye, target, -1)) + 12 * d.camera.radius;
      const view = times(perspective(FIELD, width / height, far / 4000, far), lookAt(eye, target, up));
      const key = unit(add(add(scaled(up, 1), basis[0], 0.42), basis[1], 0.38)), middle = add(d.camera.target, this.travelled());
      const reach = 1.25 * d.camera.radius, sun = add(middle, key, 3 * reach);
      const light = times(box(reach, 0.5 * reach, 9 * reach), lookAt(sun, middle, Math.abs(dot(key, up)) > 0.99 ? basis[0] : up));
      const solids = this.solids.filter((s) => this.shown[s.group]).map((s) => ({ mesh: s.mesh, model: times(frames.get(s.frame), s.local), colour: this.colour(s.colour), opacity: s.opacity }));
      for (const s of this.surfaces) if (this.shown[s.data.group])
        solids.push({ mesh: s.at(this.time, this.amplitude), model: frames.get(s.data.frame), colour: this.colour(s.data.colour), opacity: 1, painted: s.data.paint ? 1 : 0 });
      const crowds = this.crowds.filter((c) => this.shown[c.data.group]).map((c) => c.at(this.time, this.colour(c.data.colour), eye, target));
      const lines = [];
      const identity = frames.get("ground");
      for (const s of d.spans) if (this.shown[s.group]) {
        const model = alongZ(carried(frames.get(s.a.frame), s.a.p), carried(frames.get(s.b.frame), s.b.p), s.radius);
        if (s.kind === "spring") lines.push({ points: this.coil, model, colour: this.colour(s.colour), width: 1.4 * ratio, until: 1e9 });
        else solids.push({ mesh: this.rod, model: times(model, pose([0, 0, 0.5], [1, 0, 0, 0])), colour: this.colour(s.colour), opacity: 1 });
      }
      if (this.shown.traces && this.motion.duration) this.traces().forEach((points, i) =>
        lines.push({ points, model: identity, colour: this.colour(d.traces[i].colour), width: 1.1 * ratio, until: d.frequency === null ? this.motion.between(this.time)[0] + this.motion.between(this.time)[1] : 1e9 }));
      if (this.shown.forces) this.pushArrows(solids);
      let floor = null;
      if (d.floor) {
        const on = add(middle, up, d.floor.height - dot(middle, up));
        const right = unit(Math.abs(up[1]) < 0.9 ? cross([0, 1, 0], up) : cross(up, [0, 0, 1]));
        floor = { middle: on, right, ahead: cross(up, right), reach: 5 * d.camera.radius, spacing: d.floor.spacing, ink: dark ? [0.55, 0.6, 0.68] : [0.35, 0.4, 0.48], strength: dark ? 0.42 : 0.34, thin: 0.8 * ratio, darkness: dark ? 0.5 : 0.24 };
      }
      this.renderer.picture(width, height, this.paint, { view, light, eye, key, up, ambient: dark ? 0.86 : 1, sky: dark ? [0.08, 0.1, 0.12] : [0.96, 0.97, 0.98], solids, crowds, lines, floor });
      this.placeTags(frames, view);
      this.report();
    }

    pushArrows(solids) {
      const [k, s] = this.motion.between(this.time), size = 0.3 * this.data.size;
      for (const a of this.arrows) {
        const n = a.v.length / 3, i = Math.min(k, n - 1), j = Math.min(k + 1, n - 1);
        const mix = (x) => [0, 1, 2].map((c) => x[3 * i + c] * (1 - s) + x[3 * j + c] * s);
        const at = mix(a.at), way = scaled(mix(a.v), size / this.longest[a.kind]), length = Math.hypot(...way);
        if (length < 0.01 * size) continue;
        const end = add(at, way), dir = scaled(way, 1 / length), head = Math.min(0.09 * size * 1.6, 0.6 * length), wide = 0.022 * size;
        const colour = this.colour(a.colour), put = (mesh, model) => solids.push({ mesh, model, colour, opacity: 1 });
        put(this.rod, times(alongZ(at, add(end, dir, -head), wide), pose([0, 0, 0.5], [1, 0, 0, 0])));
        put(this.tip, alongZ(add(end, dir, -head), end, 2.6 * wide));
        if (a.kind === "torque") put(this.tip, alongZ(add(end, dir, -1.7 * head), add(end, dir, -0.7 * head), 2.6 * wide));
      }
    }

    placeTags(frames, view) {
      this.tags.hidden = !this.shown.labels;
      if (!this.shown.labels) return;
      const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
      this.data.labels.forEach((l, i) => {
        const x = carried(frames.get(l.at.frame), l.at.p), c = [0, 1, 3].map((k) => view[k] * x[0] + view[4 + k] * x[1] + view[8 + k] * x[2] + view[12 + k]);
        this.tags.children[i].style.transform = `translate(${((c[0] / c[2] + 1) / 2) * w}px, ${((1 - c[1] / c[2]) / 2) * h}px)`;
        this.tags.children[i].hidden = c[2] <= 0;
      });
    }

    /** Words and positions of the controls. */
    report() {
      const d = this.data;
      for (const [g, chip] of Object.entries(this.chips)) chip.setAttribute("aria-pressed", String(this.shown[g]));
      this.followTool.setAttribute("aria-pressed", String(this.follows));
      const mode = d.frequency === null ? "" : d.frequency > 0 ? `${brief(d.frequency / 2 / Math.PI)} Hz` : "no oscillation";
      const arrows = this.shown.forces ? Object.entries(this.longest).map(([k, v]) => `longest ${k} ${brief(v)}`).join(", ") : "";
      const paint = d.surfaces.find((s) => s.paint), largest = Math.max(...d.surfaces.map((s) => s.largest));
      const painted = paint ? (d.frequency === null ? `${paint.paint} up to ${brief(largest)}` : paint.paint) : "";
      this.legend.textContent = [mode, arrows, painted].filter(Boolean).join(" · ");
      if (!this.motion.duration) return;
      this.playTool.replaceChildren(icon(this.playing ? "pause" : "play"));
      this.playTool.setAttribute("aria-label", this.playing ? "Pause" : "Play");
      this.loopTool.setAttribute("aria-pressed", String(this.looping));
      this.scrub.value = this.time / this.motion.duration;
      const digits = clamp(3 - Math.floor(Math.log10(this.motion.duration)), 0, 6), now = `${(d.begin + this.time).toFixed(digits)} s`;
      this.clock.textContent = now;
      this.scrub.setAttribute("aria-valuetext", now);
      this.section.dispatchEvent(new CustomEvent("sbv-time", { detail: this.time }));
    }

    // ---------------------------------------------------------------------------------------------- eye

    travelled() {
      if (!this.follows) return [0, 0, 0];
      const gone = this.motion.travel(this.time), up = this.data.camera.up;
      return this.data.floor ? add(gone, up, -dot(gone, up)) : gone;
    }

    eye() {
      const { up } = this.data.camera, [x, y] = this.plane, c = this.camera;
      const flat = add(scaled(x, Math.cos(c.turn)), y, Math.sin(c.turn));
      const back = add(scaled(flat, Math.cos(c.tilt)), up, Math.sin(c.tilt)), right = unit(cross(up, back));
      const target = add(c.target, this.travelled()), aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
      const distance = c.zoom * Math.max(this.data.camera.fit[1], this.data.camera.fit[0] / aspect);
      return { eye: add(target, back, distance), target, distance, basis: [right, back, cross(back, right)] };
    }

    resetView() {
      const { target, direction: d, up } = this.data.camera, x = unit(Math.abs(up[0]) < 0.9 ? cross(up, cross([1, 0, 0], up)) : cross(up, cross([0, 1, 0], up)));
      const y = cross(up, x);
      this.plane = [x, y];
      this.camera = { target: [...target], turn: Math.atan2(dot(d, y), dot(d, x)), tilt: Math.asin(clamp(dot(d, up), -1, 1)), zoom: 1 };
      this.follows = this.data.camera.follows;
      this.refresh();
    }

    turn(right, down) {
      this.camera.turn -= right;
      this.camera.tilt = clamp(this.camera.tilt + down, -1.55, 1.55);
      this.refresh();
    }

    move(right, down) {
      const { basis, distance } = this.eye(), scale = (2 * distance * Math.tan(FIELD / 2)) / Math.max(1, this.canvas.clientHeight);
      this.camera.target = add(add(this.camera.target, basis[0], -right * scale), basis[2], down * scale);
      this.refresh();
    }

    zoom(factor) { this.camera.zoom = clamp(this.camera.zoom * factor, 0.02, 20); this.refresh(); }

    // ---------------------------------------------------------------------------------------------- time

    play(on) {
      this.playing = on && this.motion.duration > 0;
      if (this.playing && this.time >= this.motion.duration && !this.looping) this.time = 0;
      this.last = undefined;
      this.refresh();
    }

    seek(t) { this.time = clamp(t, 0, this.motion.duration); this.refresh(); }

    step(n) {
      const [k, s] = this.motion.between(this.time), at = clamp(k + (n > 0 ? n : s > 0.01 ? n + 1 : n), 0, this.motion.t.length - 1);
      this.play(false);
      this.seek(this.motion.t[at]);
    }

    advance(now) {
      const gone = this.last === undefined ? 0 : Math.min(0.1, (now - this.last) / 1000) * this.speed;
      this.slow = this.last === undefined ? this.slow : 0.8 * this.slow + 0.2 * (now - this.last);
      if (this.slow > 50 && this.coarse > 0.55) { this.coarse *= 0.8; this.slow = 25; }  // what is drawn slowly is drawn smaller while it plays
      this.last = now;
      this.time += gone;
      if (this.time > this.motion.duration) {
        if (this.looping) this.time %= this.motion.duration;
        else { this.time = this.motion.duration; this.playing = false; }
      }
    }

    show(group, on) { this.shown[group] = on; this.refresh(); }

    /** Draw before the next picture of the screen, and go on where something plays and can be seen. */
    refresh() {
      if (this.waiting || !this.renderer) return;
      this.waiting = true;
      requestAnimationFrame((now) => {
        this.waiting = false;
        if (!this.seen || !this.camera) return;
        if (this.playing) this.advance(now);
        this.draw();
        if (this.playing) this.refresh();
      });
    }

    savePicture() {
      this.draw();
      element("a", { href: this.canvas.toDataURL("image/png"), download: `${this.data.name}.png` }).click();
    }

    // ---------------------------------------------------------------------------------------------- hands

    listen() {
      const c = this.canvas, down = new Map();
      let spread = 0;
      c.addEventListener("pointerdown", (e) => { c.focus({ preventScroll: true }); c.setPointerCapture(e.pointerId); down.set(e.pointerId, [e.clientX, e.clientY]); spread = 0; });
      for (const type of ["pointerup", "pointercancel"]) c.addEventListener(type, (e) => { down.delete(e.pointerId); spread = 0; });
      c.addEventListener("pointermove", (e) => {
        const before = down.get(e.pointerId);
        if (!before) return;
        const dx = e.clientX - before[0], dy = e.clientY - before[1];
        down.set(e.pointerId, [e.clientX, e.clientY]);
        if (down.size > 1) {
          const [a, b] = [...down.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
          if (spread) this.zoom(spread / now);
          spread = now;
          this.move(dx / 2, dy / 2);
        } else if (e.shiftKey || e.buttons & 6) this.move(dx, dy);
        else this.turn(dx * 0.008, dy * 0.008);
      });
      c.addEventListener("contextmenu", (e) => e.preventDefault());
      c.addEventListener("wheel", (e) => {  // a page that is scrolled past is not caught: only where the picture has been chosen
        if (document.activeElement !== c && !e.ctrlKey && !document.body.classList.contains("sbv-page")) return;
        e.preventDefault();
        this.zoom(Math.exp(clamp(e.deltaY, -100, 100) * 0.0015));
      }, { passive: false });
      this.section.addEventListener("keydown", (e) => this.key(e));
      new ResizeObserver(() => this.refresh()).observe(c);
      new IntersectionObserver((x) => { this.seen = x[x.length - 1].isIntersecting; this.last = undefined; this.refresh(); }).observe(c);
      DARK.addEventListener("change", () => this.refresh());
      new MutationObserver(() => this.refresh()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
      addEventListener("beforeprint", () => { this.printing = true; this.draw(); });
      addEventListener("afterprint", () => { this.printing = false; this.refresh(); });
    }

    key(e) {
      if (e.ctrlKey || e.metaKey || e.altKey || /INPUT|SELECT/.test(e.target.tagName)) return;
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (arrows && e.target === this.canvas) (e.shiftKey ? this.move(20 * arrows[0], 20 * arrows[1]) : this.turn(0.09 * arrows[0], 0.09 * arrows[1]));
      else if (e.key === " " && e.target.tagName !== "BUTTON") this.play(!this.playing);
      else if (e.key === "+" || e.key === "=") this.zoom(1 / 1.15);
      else if (e.key === "-") this.zoom(1.15);
      else if (e.key === "0" || e.key === "Home") this.resetView();
      else if (e.key === ".") this.step(1);
      else if (e.key === ",") this.step(-1);
      else if (/^[1-6]$/.test(e.key) && this.chips[this.data.groups[+e.key - 1]]) this.show(this.data.groups[+e.key - 1], !this.shown[this.data.groups[+e.key - 1]]);
      else return;
      e.preventDefault();
    }
  }

  // ------------------------------------------------------------------------------------------------ the page

  window.symbody = {
    viewers: [],
    unpacked,
    Motion,
    /** Bring scenes that are on the page to life; again after more were put there. */
    mountAll() {
      for (const section of document.querySelectorAll(".sbv:not([data-mounted])")) this.viewers.push((section.viewer = new Viewer(section)));
    },
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => window.symbody.mountAll());
  else window.symbody.mountAll();
  window.symbody.mountAll();
})();
