// RetroArch's shader presets (.slangp), as shaders/real/retroarch.sh makes items of them:
//
//     node retroarch.cjs list                  the names of the presets
//     node retroarch.cjs generate PACK FOLDER  NAME.passes, and of each pass NAME.N.vert, NAME.N.frag, NAME.N.const.frag (attainable)
//     node retroarch.cjs bind FOLDER           adds to NAME.passes what the modules NAME.N.*.spv ask for
//
// Parameters have the preset's values, else their defaults. A picture of 256 x 224 goes to a viewport of 640 x 480. Lookup textures,
// earlier frames and feedback are that picture, too.
const fs = require('fs');
const path = require('path');
const presets = {
  'crt-royale': 'crt/crt-royale', 'crt-maximus-royale': 'crt/crt-maximus-royale', 'guest-advanced': 'crt/crt-guest-advanced',
  'guest-advanced-hd': 'crt/crt-guest-advanced-hd', 'guest-advanced-ntsc': 'crt/crt-guest-advanced-ntsc', 'crt-geom': 'crt/crt-geom',
  'crt-geom-deluxe': 'crt/crt-geom-deluxe', 'crt-lottes': 'crt/crt-lottes', 'crt-hyllian': 'crt/crt-hyllian',
  'crt-easymode-halation': 'crt/crt-easymode-halation', 'crt-aperture': 'crt/crt-aperture', 'crt-consumer': 'crt/crt-consumer',
  'crt-nobody': 'crt/crt-nobody', 'newpixie-crt': 'crt/newpixie-crt', 'mame-hlsl': 'crt/mame_hlsl', 'gtu-v050': 'crt/gtu-v050',
  'zfast-crt': 'crt/zfast-crt', 'grade': 'misc/grade', 'img-mod': 'misc/img_mod',
  'image-adjustment': 'misc/image-adjustment', 'ntsc-adaptive': 'ntsc/ntsc-adaptive', 'lcd-grid-v2': 'handheld/lcd-grid-v2',
  'scalefx': 'edge-smoothing/scalefx/scalefx', 'xbr-lv3': 'edge-smoothing/xbr/xbr-lv3',
};
const picture = [256, 224], viewport = [640, 480];

// A preset's settings; those of the preset it refers to come first.
const settings = file => {
  const out = new Map();
  for (const line of fs.readFileSync(file, 'utf8').split(/\r?\n/)) {
    const base = line.match(/^\s*#reference\s+"?([^"]+?)"?\s*$/);
    if (base) { for (const [k, v] of settings(path.resolve(path.dirname(file), base[1]))) out.set(k, v); continue; }
    const m = line.match(/^\s*(\w+)\s*=\s*(?:"([^"]*)"|([^\s#]*))/);
    if (!m) continue;
    const value = m[2] ?? m[3];
    out.set(m[1], /^shader\d+$/.test(m[1]) ? path.resolve(path.dirname(file), value) : value);
  }
  return out;
};

const lines = file => fs.readFileSync(file, 'utf8').replace(/\r/g, '').replace(/\\\n/g, '').split('\n').flatMap(line => {
  const m = line.match(/^\s*#include\s+"([^"]+)"/);
  return m ? lines(path.resolve(path.dirname(file), m[1])) : [line];
});

// The two stages of a pass, its parameters with their defaults, its name and format.
const read = file => {
  const pass = { vert: [], frag: [], parameters: new Map(), name: '', format: '' };
  let stages = ['vert', 'frag'];
  for (const line of lines(file)) {
    const m = line.match(/^\s*#pragma\s+(\w+)\s*(.*)/);
    if (!m || !['parameter', 'stage', 'name', 'format'].includes(m[1])) {
      if (!/^\s*#version/.test(line)) stages.forEach(s => pass[s].push(line));
    } else if (m[1] === 'stage') stages = [m[2].trim() === 'vertex' ? 'vert' : 'frag'];
    else if (m[1] === 'parameter') {
      const p = m[2].match(/^(\w+)\s+"[^"]*"\s+([-+.\deE]+)/);
      if (p) pass.parameters.set(p[1], Number(p[2]));
    } else pass[m[1]] = m[2].trim();
  }
  return pass;
};
const source = text => `#version 450\n${text.join('\n')}\n`;
// The parameters as constants, where a block's member is named.
const asConstants = (text, parameters) => {
  const instances = new Set([...text.matchAll(/\}\s*(\w+)\s*;/g)].map(m => m[1]));
  return text.replace(/\b(\w+)\.(\w+)\b/g, (all, block, member) => {
    if (!instances.has(block) || !parameters.has(member)) return all;
    const value = String(parameters.get(member));
    return `(${/[.e]/.test(value) ? value : value + '.0'})`;
  });
};

const scaled = (s, i, axis, last, from) => {
  const at = axis ? 'y' : 'x';
  const type = s.get(`scale_type_${at}${i}`) ?? s.get(`scale_type${i}`) ?? (last ? 'viewport' : 'source');
  const scale = Number(s.get(`scale_${at}${i}`) ?? s.get(`scale${i}`) ?? 1);
  const size = type === 'absolute' ? scale : (type === 'viewport' ? viewport[axis] : from[axis]) * scale;
  return Math.max(1, Math.min(2048, Math.round(size)));
};
const formatOf = (s, i, pass) => {
  if (s.get(`float_framebuffer${i}`) === 'true' || /SFLOAT/.test(pass.format)) return 'float';
  return s.get(`srgb_framebuffer${i}`) === 'true' || /SRGB/.test(pass.format) ? 'srgb' : 'unorm';
};

function generate(pack, folder) {
  for (const [name, file] of Object.entries(presets)) {
    const s = settings(path.join(pack, `${file}.slangp`)), count = Number(s.get('shaders'));
    const passes = Array.from({ length: count }, (_, i) => read(s.get(`shader${i}`)));
    const parameters = new Map();
    for (const pass of passes) for (const [k, v] of pass.parameters) if (!parameters.has(k)) parameters.set(k, v);
    for (const k of parameters.keys()) if (s.has(k)) parameters.set(k, Number(s.get(k)));
    let from = picture;
    const made = passes.map((pass, i) => {
      const last = i === count - 1, size = [0, 1].map(axis => scaled(s, i, axis, last, from));
      from = size;
      for (const stage of ['vert', 'frag']) fs.writeFileSync(path.join(folder, `${name}.${i}.${stage}`), source(pass[stage]));
      fs.writeFileSync(path.join(folder, `${name}.${i}.const.frag`), asConstants(source(pass.frag), parameters));
      return {
        size, format: last ? 'unorm' : formatOf(s, i, pass), alias: s.get(`alias${i}`) || pass.name,
        linear: s.get(`filter_linear${i}`) === 'true', wrap: s.get(`wrap_mode${i}`) || 'clamp_to_border',
      };
    });
    fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify({ passes: made, parameters: [...parameters] }));
  }
}

// Of a module: its blocks ("push" or a binding) with the members' names, offsets and kinds, and its samplers.
const reflect = file => {
  const bytes = fs.readFileSync(file), w = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const text = at => { let end = at * 4; while (bytes[end]) end++; return bytes.toString('utf8', at * 4, end); };
  const names = new Map(), member = new Map(), offset = new Map(), binding = new Map(), pointer = new Map(), struct = new Map(), kind = new Map();
  const blocks = new Map(), samplers = new Map();
  for (let at = 5; at < w.length; at += w[at] >>> 16) {
    const a = w[at + 1], b = w[at + 2], c = w[at + 3];
    switch (w[at] & 0xffff) {
      case 5: names.set(a, text(at + 2)); break;
      case 6: member.set(`${a} ${b}`, text(at + 3)); break;
      case 71: if (b === 33) binding.set(a, c); break;
      case 72: if (c === 35) offset.set(`${a} ${b}`, w[at + 4]); break;
      case 21: kind.set(a, 'int'); break;
      case 22: kind.set(a, 'float'); break;
      case 23: kind.set(a, `vec${c}`); break;
      case 24: kind.set(a, 'mat'); break;
      case 30: struct.set(a, [...w.subarray(at + 2, at + (w[at] >>> 16))]); break;
      case 32: pointer.set(a, c); break;
      case 59: {
        const to = pointer.get(a);
        if (struct.has(to) && (c === 9 || c === 2)) {
          const members = struct.get(to).map((t, i) => ({ name: member.get(`${to} ${i}`), at: offset.get(`${to} ${i}`), kind: kind.get(t) }));
          blocks.set(c === 9 ? 'push' : `uniform ${binding.get(b)}`, members);
        } else if (c === 0) samplers.set(binding.get(b), names.get(b));
      }
    }
  }
  return { blocks, samplers };
};
const sizeOf = { mat: 64, vec4: 16, vec3: 12, vec2: 8, float: 4, int: 4 };
// The pass that a texture's name means before pass `at`; -1: the picture.
const passOf = (texture, passes, at) => {
  if (texture === 'Source') return at - 1;
  const m = texture.match(/^PassOutput(\d+)$/), i = m ? Number(m[1]) : passes.findIndex(p => p.alias === texture);
  return i >= 0 && i < at ? i : -1;
};
const setMember = (data, m, passes, at, parameters) => {
  const put = (values, how = 'writeFloatLE') => values.forEach((v, i) => data[how](v, m.at + 4 * i));
  const own = passes[at].size;
  const fixed = { OutputSize: own, FinalViewportSize: viewport, OriginalSize: picture };
  if (m.kind === 'mat') return put([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, -1, -1, 0, 1]);
  if (/Size\d*$/.test(m.name) && m.kind === 'vec4') {
    const from = passOf(m.name.replace(/Size(\d*)$/, '$1'), passes, at);
    const [x, y] = fixed[m.name] ?? (from < 0 ? picture : passes[from].size);
    return put([x, y, 1 / x, 1 / y]);
  }
  if (parameters.has(m.name)) return put([parameters.get(m.name)]);
  if (m.kind === 'int') return put([{ FrameDirection: 1, TotalSubFrames: 1, CurrentSubFrame: 1 }[m.name] ?? 0], 'writeInt32LE');
  return put([{ OriginalAspect: 4 / 3, OriginalAspectRotated: 4 / 3, OriginalFPS: 60 }[m.name] ?? 0]);
};

function bind(folder) {
  for (const name of Object.keys(presets)) {
    const { passes, parameters } = JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`), 'utf8'));
    const values = new Map(parameters), out = [];
    passes.forEach((pass, at) => {
      out.push(`pass ${pass.size.join(' ')} ${pass.format}`);
      const blocks = new Map(), samplers = new Map();
      for (const stage of ['vert', 'frag']) {
        const found = reflect(path.join(folder, `${name}.${at}.${stage}.spv`));
        for (const [k, members] of found.blocks) blocks.set(k, [...(blocks.get(k) ?? []), ...members]);
        for (const [k, v] of found.samplers) samplers.set(k, v);
      }
      for (const [key, members] of blocks) {
        const data = Buffer.alloc(Math.max(...members.map(m => m.at + sizeOf[m.kind])));
        members.forEach(m => setMember(data, m, passes, at, values));
        out.push(`${key} ${data.toString('hex')}`);
        for (const where of new Set(members.filter(m => m.name === 'FrameCount').map(m => m.at))) out.push(`frame ${where}`);
      }
      for (const [binding, texture] of samplers)
        out.push(`sampler ${binding} ${passOf(texture, passes, at)} ${pass.linear ? 'linear' : 'nearest'} ${pass.wrap}`);
    });
    fs.writeFileSync(path.join(folder, `${name}.passes`), out.join('\n') + '\n');
  }
}

const [command, ...rest] = process.argv.slice(2);
if (command === 'list') console.log(Object.keys(presets).join('\n'));
else if (command === 'generate') generate(...rest);
else if (command === 'bind') bind(...rest);
else process.exit(2);
