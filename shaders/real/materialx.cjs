// MaterialX's own surface shaders, generated for Vulkan, as shaders/real/materialx.sh makes them:
//
//     node materialx.cjs list                the names of the materials
//     node materialx.cjs generate FOLDER     NAME.vert, NAME.frag, NAME.bind; NAME.const.frag, NAME.const.bind (attainable)
//
// A material names its node and its parameters, as MaterialX's examples do. All inputs are uniforms, as a host generates them.
const fs = require('fs');
const path = require('path');
const materials = {
  ss_default: ['standard_surface', {}],
  ss_gold: ['standard_surface', { base_color: '0.944, 0.776, 0.373', metalness: 1, specular_color: '0.998, 0.981, 0.751', specular_roughness: 0.02 }],
  ss_brushed: ['standard_surface', { base_color: '0.9, 0.9, 0.9', metalness: 1, specular_roughness: 0.2, specular_anisotropy: 0.5, coat: 1 }],
  ss_carpaint: ['standard_surface', { base: 0.5, base_color: '0.104, 0.241, 0.716', specular_roughness: 0.4, specular_anisotropy: 0.5, coat: 1, coat_roughness: 0 }],
  ss_glass: ['standard_surface', { base: 0, specular_roughness: 0.01, specular_IOR: 1.52, transmission: 1 }],
  ss_jade: ['standard_surface', { base: 0.5, base_color: '0.0603, 0.4398, 0.1916', specular_roughness: 0.25, specular_IOR: 2.418, specular_anisotropy: 0.5, subsurface: 0.4, subsurface_color: '0.0603, 0.4398, 0.1916' }],
  ss_marble: ['standard_surface', { base_color: '0.8, 0.8, 0.8', specular_roughness: 0.1, subsurface: 0.4, subsurface_color: '0.8, 0.8, 0.8' }],
  ss_plastic: ['standard_surface', { base_color: '0.103, 0.224, 0.741', specular_roughness: 0.325, coat: 1, coat_roughness: 0.1 }],
  ss_velvet: ['standard_surface', { base_color: '0.029, 0, 0.047', specular: 0, specular_roughness: 0.7, sheen: 1, sheen_color: '0.404, 0.058, 0.017' }],
  ss_thin_film: ['standard_surface', { base: 0.7, base_color: '0.5, 0.5, 0.5', metalness: 1, specular_roughness: 0.2, thin_film_thickness: 550 }],
  gltf_default: ['gltf_pbr', {}],
  gltf_metal: ['gltf_pbr', { base_color: '0.9, 0.6, 0.3', metallic: 1, roughness: 0.3 }],
  gltf_coat_sheen: ['gltf_pbr', { base_color: '0.6, 0.1, 0.1', metallic: 0, roughness: 0.4, clearcoat: 1, clearcoat_roughness: 0.1, sheen_color: '0.5, 0.5, 0.5', sheen_roughness: 0.5 }],
  gltf_glass: ['gltf_pbr', { metallic: 0, roughness: 0.02, transmission: 1 }],
  pbr_default: ['open_pbr_surface', {}],
  pbr_carpaint: ['open_pbr_surface', { base_color: '0.2, 0.03, 0.03', specular_roughness: 0.35, coat_weight: 1, coat_roughness: 0.02 }],
  pbr_pearl: ['open_pbr_surface', { base_color: '0.9, 0.85, 0.8', specular_roughness: 0.15, thin_film_weight: 0.9, thin_film_thickness: 0.5, subsurface_weight: 0.3 }],
  usd_default: ['UsdPreviewSurface', {}],
};
const typeOf = (node, name, value) =>
  typeof value === 'string' ? 'color3' : node === 'gltf_pbr' && name === 'sheen_color' ? 'color3' : 'float';

const document = (node, values) => `<?xml version="1.0"?><materialx version="1.39"><${node} name="surface" type="surfaceshader">` +
  Object.entries(values).map(([k, v]) => `<input name="${k}" type="${typeOf(node, k, v)}" value="${v}"/>`).join('') +
  `</${node}><surfacematerial name="made" type="material"><input name="surfaceshader" type="surfaceshader" nodename="surface"/>` +
  '</surfacematerial></materialx>';

// What a host application sets by itself: camera, environment, lights.
const host = {
  u_worldMatrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], u_worldInverseTransposeMatrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  u_viewProjectionMatrix: [0.9, 0, 0, 0, 0, 0.9, 0, 0, 0, 0, -0.4, 0, 0, 0, 0.5, 1],
  u_envMatrix: [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1],
  u_envLightIntensity: [1], u_envRadianceMips: [6], u_envRadianceSamples: [16], u_refractionTwoSided: [0],
  u_viewPosition: [0, 0, 4], u_numActiveLightSources: [2],
};
const lights = [
  { type: [1], direction: [-0.4, -0.7, -0.6], color: [1, 0.95, 0.9], intensity: [1.5] },
  { type: [2], position: [2, 1, 2], color: [0.4, 0.6, 1], intensity: [6], decay_rate: [2] },
];

// The std140 layout of the types that the generator writes: words, and alignment in words.
const sizes = { float: [1, 1], int: [1, 1], bool: [1, 1], vec2: [2, 2], vec3: [3, 4], vec4: [4, 4], mat3: [12, 4], mat4: [16, 4] };
const layout = members => {
  let at = 0;
  const out = members.map(m => { const [size, align] = sizes[m.type]; at = Math.ceil(at / align) * align; const o = at; at += size; return { ...m, at: o }; });
  return { out, words: Math.ceil(at / 4) * 4 };
};
const membersOf = text => [...text.matchAll(/^\s*(\w+)\s+(\w+);/gm)].map(m => ({ type: m[1], name: m[2] }));
const put = (view, base, member, value) => {
  if (!value) throw new Error(`no value for ${member.name}`);
  value.forEach((x, i) => {
    if (member.type === 'int' || member.type === 'bool') view.setInt32((base + member.at + i) * 4, x, true);
    else view.setFloat32((base + member.at + i) * 4, x, true);
  });
};
const literal = (type, value) => {
  const one = x => type === 'int' ? String(x) : type === 'bool' ? String(!!x) : /[.e]/.test(String(x)) ? String(x) : x + '.0';
  return value.length === 1 ? one(value[0]) : `${type}(${value.map(one).join(', ')})`;
};

// Lines for materialx.c: "input LOCATION OFFSET WORDS", "uniform BINDING HEX", "sampler BINDING".
function describe(sources, values) {
  const lines = [];
  const at = { i_position: [0, 3], i_normal: [3, 3], i_tangent: [6, 3], i_bitangent: [6, 3], i_texcoord_0: [9, 2] };
  for (const m of sources.vertex.matchAll(/layout \(location = (\d+)\) in \w+ (i_\w+);/g)) lines.push(`input ${m[1]} ${at[m[2]].join(' ')}`);
  for (const source of Object.values(sources)) {
    const struct = source.match(/struct LightData\s*\{([^}]*)\}/);
    for (const m of source.matchAll(/layout \(std140, binding=(\d+)\) uniform (\w+)\s*\{([^}]*)\}/g)) {
      let buffer;
      if (m[2].startsWith('LightData')) {
        const light = layout(membersOf(struct[1])), count = Number(source.match(/MAX_LIGHT_SOURCES (\d+)/)[1]);
        buffer = new DataView(new ArrayBuffer(light.words * 4 * count));
        lights.forEach((l, i) => light.out.forEach(member => put(buffer, i * light.words, member, l[member.name] || [0, 0, 0].slice(0, sizes[member.type][0]))));
      } else {
        const block = layout(membersOf(m[3]));
        buffer = new DataView(new ArrayBuffer(block.words * 4));
        block.out.forEach(member => put(buffer, 0, member, host[member.name] || values[member.name]));
      }
      lines.push(`uniform ${m[1]} ${Buffer.from(buffer.buffer).toString('hex')}`);
    }
    for (const m of source.matchAll(/layout \(binding=(\d+)\) uniform sampler2D/g)) lines.push(`sampler ${m[1]}`);
  }
  return lines.join('\n') + '\n';
}

// The same shader with the material's parameters written into it.
const freeze = (source, values) => source.replace(/layout \(std140, binding=\d+\) uniform PublicUniforms_pixel\s*\{([^}]*)\};/, (_, body) =>
  membersOf(body).map(m => `const ${m.type} ${m.name} = ${literal(m.type, values[m.name])};`).join('\n'));

async function load() {
  const bin = path.join(path.dirname(require.resolve('@needle-tools/materialx/package.json')), 'bin');
  const file = path.join(bin, 'JsMaterialXGenShader.js'), loaded = { exports: {} };
  const text = fs.readFileSync(file, 'utf8').replace(/^export default .*$/m, '');
  new Function('module', 'exports', 'require', '__filename', '__dirname', text)(loaded, loaded.exports, require, file, bin);
  return loaded.exports({ locateFile: name => path.join(bin, name.endsWith('.data') ? name + '.txt' : name) });
}

async function generate(folder) {
  const mx = await load();
  for (const [name, [node, values]] of Object.entries(materials)) {
    const generator = mx.VkShaderGenerator.create(), context = new mx.GenContext(generator), library = mx.loadStandardLibraries(context);
    const options = context.getOptions();
    options.shaderInterfaceType = mx.ShaderInterfaceType.SHADER_INTERFACE_COMPLETE;
    options.hwSpecularEnvironmentMethod = mx.HwSpecularEnvironmentMethod.SPECULAR_ENVIRONMENT_FIS;
    options.hwMaxActiveLightSources = 4;
    options.hwSrgbEncodeOutput = true;
    ['ND_directional_light', 'ND_point_light'].forEach((light, i) => mx.HwShaderGenerator.bindLightShader(library.getNodeDef(light), i + 1, context));
    const made = mx.createDocument();
    made.setDataLibrary(library);
    await mx.readFromXmlString(made, document(node, values), '');
    const shader = generator.generate(name, mx.findRenderableElement(made), context);
    const sources = { vertex: shader.getSourceCode('vertex'), pixel: shader.getSourceCode('pixel') };
    const ports = shader.getStage('pixel').getUniformBlocks().PublicUniforms, given = {};
    for (let i = 0; i < ports.size(); i++) {
      const value = ports.get(i).getValue(), text = value ? value.getValueString() : '';
      given[ports.get(i).getVariable()] = text === 'true' ? [1] : text === 'false' || !text ? [0, 0, 0, 0] : text.split(',').map(Number);
    }
    for (const m of membersOf(sources.pixel.match(/uniform PublicUniforms_pixel\s*\{([^}]*)\}/)[1])) given[m.name] = given[m.name].slice(0, sizes[m.type][0]);
    const frozen = { vertex: sources.vertex, pixel: freeze(sources.pixel, given) };
    fs.writeFileSync(path.join(folder, `${name}.vert`), sources.vertex);
    fs.writeFileSync(path.join(folder, `${name}.frag`), sources.pixel);
    fs.writeFileSync(path.join(folder, `${name}.bind`), describe(sources, given));
    fs.writeFileSync(path.join(folder, `${name}.const.frag`), frozen.pixel);
    fs.writeFileSync(path.join(folder, `${name}.const.bind`), describe(frozen, given));
  }
}
if (process.argv[2] === 'generate') generate(process.argv[3]).then(() => process.exit(0)).catch(e => { console.error(e); process.exit(1); });
else console.log(Object.keys(materials).join('\n'));
