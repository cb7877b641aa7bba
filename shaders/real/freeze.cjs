// Writes the uniforms of a WebGPU program into its WGSL by hand, for the command `attainable` (README.md). Used by canvas.cjs and onnx.cjs.
//
//     const watched = watch();            in one process, before it draws some frames
//     await watched.freeze();             their modules with constants
//     const used = use(codes);            in another process, before it does the same
//
// While watching, each buffer that can hold uniforms has a copy here. At each submit, the words bound for each draw and
// dispatch are compared with those seen before, for each module alone. A word with one value in all of them is constant.
// Layout rules: WGSL specification, "Memory Layout".
const up = (n, to) => Math.ceil(n / to) * to;

// Replaces a method of a WebGPU class; make(original) gives the new one. Returns a function that undoes it.
function wrap(type, name, make) {
  const { prototype } = globalThis[type], original = prototype[name];
  if (!original) return () => {};
  prototype[name] = make(original);
  return () => { prototype[name] = original; };
}

// The code without comments: same meaning, other columns.
function bare(code) {
  let out = '', depth = 0;
  for (let i = 0; i < code.length; i++) {
    const two = code.substr(i, 2);
    if (two === '/*') { depth++; i++; } else if (depth && two === '*/') { depth--; i++; out += ' '; } else if (depth) continue;
    else if (two === '//') { while (i < code.length && code[i] !== '\n') i++; out += '\n'; } else out += code[i];
  }
  return out;
}

// Splits at commas outside of <>, () and [].
function split(text) {
  const parts = [''];
  let depth = 0;
  for (const c of text) {
    if ('<(['.includes(c)) depth++; else if ('>)]'.includes(c)) depth--;
    if (c === ',' && !depth) parts.push(''); else parts[parts.length - 1] += c;
  }
  return parts.map(p => p.trim()).filter(p => p);
}

// A module's types, constants and uniform variables.
class Module {
  constructor(code) {
    this.code = bare(code);
    this.structs = new Map([...this.code.matchAll(/\bstruct\s+(\w+)\s*\{([^}]*)\}/g)].map(([, name, body]) => [name, body]));
    this.aliases = new Map([...this.code.matchAll(/\balias\s+(\w+)\s*=\s*([^;]+);/g)].map(([, name, type]) => [name, type]));
    this.constants = new Map([...this.code.matchAll(/\bconst\s+(\w+)\s*(?::\s*[iu]32\s*)?=\s*(\d+)[iu]?\s*;/g)].map(([, name, value]) => [name, Number(value)]));
    this.types = new Map();
    this.uniforms = [];
    for (const [, attributes, name, type] of this.code.matchAll(/((?:@\w+\s*(?:\([^)]*\))?\s*)+)var\s*<\s*uniform\s*>\s*(\w+)\s*:\s*([^;]+);/g)) {
      const number = what => this.number((new RegExp(`@${what}\\s*\\(\\s*(\\w+)\\s*\\)`).exec(attributes) || [])[1]);
      const uniform = { name, group: number('group'), binding: number('binding'), type: this.type(type) };
      // A local name, parameter or member of the same name could be meant.
      const alone = [...this.code.matchAll(new RegExp(`\\b${name}\\s*:`, 'g'))].length === 1 && !new RegExp(`\\b(let|var|const)\\s+${name}\\b`).test(this.code);
      if (uniform.group !== null && uniform.binding !== null && uniform.type && alone) this.uniforms.push(uniform);
    }
  }
  number(text) { const found = /^(\d+)[iu]?$/.exec(text || ''); return found ? Number(found[1]) : this.constants.has(text) ? this.constants.get(text) : null; }

  // Size, alignment and parts of a type in the uniform address space; null where this cannot tell.
  type(text) {
    text = text.replace(/\s+/g, '');
    if (!this.types.has(text)) this.types.set(text, this.parse(text));
    return this.types.get(text);
  }
  parse(text) {
    const short = { f: 'f32', i: 'i32', u: 'u32' };
    let m;
    if (this.aliases.has(text)) return this.type(this.aliases.get(text));
    if (/^[fiu]32$/.test(text)) return { kind: 'scalar', text, scalar: text, size: 4, align: 4 };
    if ((m = /^vec([234])(?:<([fiu]32)>|([fiu]))$/.exec(text))) return { kind: 'vec', text, scalar: m[2] || short[m[3]], count: +m[1], size: 4 * m[1], align: m[1] > 2 ? 16 : 8 };
    if ((m = /^mat([234])x([234])(?:<f32>|f)$/.exec(text))) {
      const column = this.type(`vec${m[2]}<f32>`), stride = up(column.size, column.align);
      return { kind: 'mat', text, of: column, count: +m[1], stride, size: m[1] * stride, align: column.align };
    }
    if ((m = /^array<(.*)>$/.exec(text))) {
      const [of, length] = split(m[1]), element = this.type(of), count = this.number(length);
      if (!element || !count) return null;
      const stride = up(element.size, element.align);
      return { kind: 'array', text, of: element, count, stride, size: count * stride, align: element.align };
    }
    if (!this.structs.has(text)) return null;
    const members = new Map();
    let offset = 0, most = 4;
    for (const part of split(this.structs.get(text))) {
      if (!(m = /^((?:@\w+\s*(?:\([^)]*\))?\s*)*)(\w+)\s*:([^]*)$/.exec(part))) return null;
      const type = this.type(m[3]), given = what => this.number((new RegExp(`@${what}\\s*\\(\\s*(\\w+)\\s*\\)`).exec(m[1]) || [])[1]);
      if (!type) return null;
      const align = given('align') || type.align;
      offset = up(offset, align);
      members.set(m[2], { type, offset });
      offset += given('size') || type.size;
      most = Math.max(most, align);
    }
    return { kind: 'struct', text, members, size: up(offset, most), align: most };
  }
}

// What a type at a byte offset holds, as WGSL; null where a word of it varies, or is not finite. Notes the words in `used`.
function literal(type, offset, seen, used) {
  if (type.kind === 'scalar') {
    const at = offset / 4;
    if (at >= seen.words.length || seen.varies[at]) return null;
    const word = seen.words[at], hex = `0x${word.toString(16)}u`;
    if (type.scalar === 'f32' && (word >>> 23 & 255) === 255) return null;
    used.push(at);
    return type.scalar === 'u32' ? hex : `bitcast<${type.scalar}>(${hex})`;
  }
  if (type.kind !== 'vec' && type.kind !== 'mat') return null;
  const part = type.of || { kind: 'scalar', scalar: type.scalar }, parts = [];
  for (let i = 0; i < type.count; i++) parts.push(literal(part, offset + i * (type.stride || 4), seen, used));
  return parts.includes(null) ? null : `${type.text}(${parts.join(', ')})`;
}

// The code with constants for the uniforms. A constant is a function's value, since Tint refuses constant expressions
// that divide by zero. Each function that loses a load keeps a use of the variable, and so the pipeline keeps its layout.
function rewrite(module, seen) {
  const { code } = module, edits = [], made = new Map(), words = new Set();
  let loads = 0, folded = 0;
  const bodies = [...code.matchAll(/\bfn\s+\w+\s*\(/g)].map(({ index }) => {
    let at = code.indexOf('(', index), depth = 0;
    do { if (code[at] === '(') depth++; else if (code[at] === ')') depth--; at++; } while (depth);
    const begin = at = code.indexOf('{', at) + 1;
    for (depth = 1; depth && at < code.length; at++) if (code[at] === '{') depth++; else if (code[at] === '}') depth--;
    return { begin, end: at, names: new Set() };
  });
  for (const { name, group, binding, type: whole } of module.uniforms) {
    const held = seen.get(`${group} ${binding}`);
    if (!held) continue;
    for (const { index } of code.matchAll(new RegExp(`(?<![\\w.])${name}\\b`, 'g'))) {
      const body = bodies.find(b => b.begin <= index && index < b.end);
      if (!body) continue;
      loads++;
      if (/(^|[(,=])\s*&\s*$/.test(code.slice(Math.max(0, index - 20), index))) continue;   // a pointer
      let type = whole, offset = 0, at = index + name.length, m, value = null, used = [];
      const rest = pattern => (m = pattern.exec(code.slice(at, at + 200)));
      while (type) {
        if (type.kind === 'struct' && rest(/^\s*\.\s*(\w+)/)) {
          const member = type.members.get(m[1]);
          type = member && member.type; offset += member ? member.offset : 0; at += m[0].length;
        } else if ((type.kind === 'array' || type.kind === 'mat') && rest(/^\s*\[\s*(\d+)[iu]?\s*\]/) && m[1] < type.count) {
          offset += m[1] * type.stride; type = type.of; at += m[0].length;
        } else break;
      }
      if (!type) continue;
      value = literal(type, offset, held, used);
      if (value === null && type.kind === 'vec' && rest(/^\s*\.\s*([xyzw]+|[rgba]+)\b/)) {   // some of its components
        used = [];
        const parts = [...m[1]].map(c => literal({ kind: 'scalar', scalar: type.scalar }, offset + 4 * ('xyzw'.indexOf(c) < 0 ? 'rgba' : 'xyzw').indexOf(c), held, used));
        if (parts.includes(null)) continue;
        value = parts.length > 1 ? `vec${parts.length}<${type.scalar}>(${parts.join(', ')})` : parts[0];
        type = { text: parts.length > 1 ? `vec${parts.length}<${type.scalar}>` : type.scalar };
        at += m[0].length;
      }
      if (value === null) continue;
      folded++;
      const key = `${type.text} { return ${value}; }`;
      if (!made.has(key)) made.set(key, `wpg_frozen_${made.size}`);
      edits.push({ begin: index, end: at, text: `${made.get(key)}()` });
      body.names.add(name);
      for (const word of used) words.add(`${group} ${binding} ${word}`);
    }
  }
  for (const { begin, names } of bodies) if (names.size) edits.push({ begin, end: begin, text: [...names].map(n => ` _ = &${n};`).join('') });
  let out = code;
  for (const { begin, end, text } of edits.sort((a, b) => b.begin - a.begin)) out = out.slice(0, begin) + text + out.slice(end);
  for (const [body, name] of made) out += `\nfn ${name}() -> ${body}`;
  return { code: out, words: words.size, loads, folded };
}

// Names modules alike in two runs: by code, and by how many had this code before.
function counter() {
  const counts = new Map();
  return code => { const n = counts.get(code) || 0; counts.set(code, n + 1); return `${n} ${code}`; };
}

function watch() {
  const buffers = new WeakMap(), layouts = new WeakMap(), groups = new WeakMap(), modules = new WeakMap(), pipelines = new WeakMap();
  const encoders = new WeakMap(), passes = new WeakMap(), lists = new WeakMap(), all = [], undo = [], key = counter();
  const on = (type, name, make) => undo.push(wrap(type, name, make));
  // after(type, name, note): note(this, result, ...arguments) once the method has returned.
  const after = (types, names, note) => { for (const type of types.split(' ')) for (const name of names.split(' ')) on(type, name, f => function (...a) { const made = f.apply(this, a); note(this, made, ...a); return made; }); };
  const both = 'GPURenderPassEncoder GPUComputePassEncoder GPURenderBundleEncoder';

  // What buffers hold. `sure` is false from the first write that cannot be followed.
  after('GPUDevice', 'createBuffer', (_, buffer, { size, usage, mappedAtCreation }) => {
    if (!(usage & (GPUBufferUsage.UNIFORM | GPUBufferUsage.MAP_WRITE)) && !mappedAtCreation) return;
    buffers.set(buffer, { bytes: new Uint8Array(up(size, 4)), sure: !(usage & GPUBufferUsage.STORAGE), ranges: [] });
  });
  after('GPUBuffer', 'getMappedRange', (buffer, range, offset = 0) => { if (buffers.has(buffer)) buffers.get(buffer).ranges.push([offset, range]); });
  on('GPUBuffer', 'unmap', f => function () {
    const copy = buffers.get(this);
    if (copy) for (const [offset, range] of copy.ranges.splice(0)) copy.bytes.set(new Uint8Array(range), offset);
    return f.call(this);
  });
  after('GPUQueue', 'writeBuffer', (_, made, buffer, to, data, from = 0, count) => {
    const copy = buffers.get(buffer), unit = data.BYTES_PER_ELEMENT || 1, begin = (data.byteOffset || 0) + from * unit;
    if (copy) copy.bytes.set(new Uint8Array(data.buffer || data, begin, count === undefined ? data.byteLength - from * unit : count * unit), to);
  });
  const recorded = (encoder, op) => { if (!encoders.has(encoder)) encoders.set(encoder, []); encoders.get(encoder).push(op); };
  after('GPUCommandEncoder', 'copyBufferToBuffer', (encoder, _, source, ...rest) => {
    const [from, to, at, size] = typeof rest[0] === 'object' ? [0, rest[0], 0, rest[1]] : rest;
    if (buffers.has(to)) recorded(encoder, () => {
      const a = buffers.get(source), b = buffers.get(to);
      if (a && a.sure) b.bytes.set(a.bytes.subarray(from, size === undefined ? undefined : from + size), at); else b.sure = false;
    });
  });
  after('GPUCommandEncoder', 'clearBuffer', (encoder, _, buffer, from = 0, size) => { if (buffers.has(buffer)) recorded(encoder, () => buffers.get(buffer).bytes.fill(0, from, size === undefined ? undefined : from + size)); });
  after('GPUCommandEncoder', 'copyTextureToBuffer', (encoder, _, source, { buffer }) => { if (buffers.has(buffer)) recorded(encoder, () => { buffers.get(buffer).sure = false; }); });
  after('GPUCommandEncoder', 'resolveQuerySet', (encoder, _, set, first, count, buffer) => { if (buffers.has(buffer)) recorded(encoder, () => { buffers.get(buffer).sure = false; }); });

  // What is bound.
  after('GPUDevice', 'createBindGroupLayout', (_, layout, { entries }) => layouts.set(layout, [...entries].filter(e => e.buffer && e.buffer.hasDynamicOffset).map(e => e.binding).sort((a, b) => a - b)));
  after('GPUDevice', 'createBindGroup', (_, group, { layout, entries }) => {
    const bound = new Map(), resources = [...entries].map(({ binding, resource }) => [binding, buffers.has(resource) ? { buffer: resource } : resource]);
    for (const [binding, { buffer, offset = 0, size }] of resources) if (buffers.has(buffer)) bound.set(binding, { copy: buffers.get(buffer), offset, size });
    groups.set(group, { bound, dynamic: layouts.get(layout) || [] });
  });
  after('GPUDevice', 'createShaderModule', (device, module, { code }) => {
    const made = { device, code, key: key(String(code)), parsed: typeof code === 'string' ? new Module(code) : null, seen: new Map() };
    modules.set(module, made); all.push(made);
  });
  const piped = (pipeline, { vertex, fragment, compute }) => pipelines.set(pipeline, [...new Set([vertex, fragment, compute].filter(s => s).map(s => modules.get(s.module)))].filter(m => m && m.parsed));
  after('GPUDevice', 'createRenderPipeline createComputePipeline', (_, pipeline, description) => piped(pipeline, description));
  for (const name of ['createRenderPipelineAsync', 'createComputePipelineAsync']) on('GPUDevice', name, f => async function (description) { const made = await f.call(this, description); piped(made, description); return made; });

  // What draws: lists of what happens once they are submitted.
  after('GPUCommandEncoder', 'beginRenderPass beginComputePass', (encoder, pass) => { recorded(encoder, () => {}); passes.set(pass, { list: encoders.get(encoder), groups: [] }); });
  after('GPUDevice', 'createRenderBundleEncoder', (_, encoder) => passes.set(encoder, { list: [], groups: [] }));
  after(both, 'setPipeline', (pass, _, pipeline) => { passes.get(pass).pipeline = pipeline; });
  after(both, 'setBindGroup', (pass, _, index, group, offsets = [], begin = 0, count) => {
    const state = passes.get(pass), { bound, dynamic } = groups.get(group) || { bound: new Map(), dynamic: [] };
    const moved = [...offsets].slice(begin, count === undefined ? undefined : begin + count);
    state.groups[index] = new Map([...bound].map(([binding, b]) => [binding, dynamic.includes(binding) ? { ...b, offset: b.offset + (moved[dynamic.indexOf(binding)] || 0) } : b]));
  });
  after(both, 'draw drawIndexed drawIndirect drawIndexedIndirect dispatchWorkgroups dispatchWorkgroupsIndirect', pass => {
    const { list, pipeline, groups: now } = passes.get(pass), bound = now.slice();
    list.push(() => { for (const module of pipelines.get(pipeline) || []) note(module, bound); });
  });
  after('GPURenderPassEncoder', 'executeBundles', (pass, _, bundles) => { const state = passes.get(pass); for (const b of bundles) state.list.push(...lists.get(b) || []); state.groups = []; state.pipeline = null; });
  after('GPURenderBundleEncoder', 'finish', (encoder, bundle) => lists.set(bundle, passes.get(encoder).list));
  after('GPUCommandEncoder', 'finish', (encoder, commands) => lists.set(commands, encoders.get(encoder) || []));
  after('GPUQueue', 'submit', (_, made, commands) => { for (const c of commands) for (const op of lists.get(c) || []) op(); });

  // Compares what one draw has bound with what the module saw before.
  function note(module, bound) {
    for (const { group, binding, type } of module.parsed.uniforms) {
      const b = bound[group] && bound[group].get(binding), name = `${group} ${binding}`;
      if (!b) continue;
      const from = b.offset, length = Math.min(type.size, b.size === undefined ? Infinity : b.size, b.copy.bytes.length - from) >> 2;
      const now = new Uint32Array(b.copy.bytes.slice(from, from + 4 * length).buffer), held = module.seen.get(name);
      if (!held) { module.seen.set(name, { words: now, varies: new Uint8Array(length).fill(b.copy.sure ? 0 : 1) }); continue; }
      for (let i = 0; i < held.words.length; i++) if (!b.copy.sure || i >= length || now[i] !== held.words[i]) held.varies[i] = 1;
    }
  }

  // Ends the watch. Code that Dawn refuses is left out.
  async function freeze() {
    for (const f of undo.reverse()) f();
    const counts = { modules: 0, words: 0, loads: 0, folded: 0, refused: 0, spirv: 0 }, codes = {};
    for (const { device, key: name, parsed, seen } of all) {
      codes[name] = null;
      if (!parsed) { counts.spirv++; continue; }
      const made = rewrite(parsed, seen);
      if (seen.size) counts.loads += made.loads;
      if (!made.words) continue;
      device.pushErrorScope('validation');
      device.createShaderModule({ code: made.code });
      const error = await device.popErrorScope();
      if (error) { counts.refused++; continue; }
      counts.modules++; counts.words += made.words; counts.folded += made.folded;
      codes[name] = made.code;
    }
    return { counts, codes };
  }
  return { freeze };
}

// Modules made from now on have the code of `codes`. unknown: how many are not known there. stop() ends this.
function use(codes) {
  const key = counter(), used = { unknown: 0 };
  used.stop = wrap('GPUDevice', 'createShaderModule', f => function (description) {
    const code = codes[key(String(description.code))];
    if (code === undefined) used.unknown++;
    return f.call(this, code ? { ...description, code } : description);
  });
  return used;
}
module.exports = { watch, use };
