// Materials of glTF models in Filament, as shaders/real/filament.sh runs them:
//
//     node filament.cjs list                  the names of the materials
//     node filament.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//
// gltfio, the loader of Filament, draws every material by one of a few uber-shaders. Uniforms say which textures there are: -1 for none.
// The model is a sphere on a plane, or several, made here: a sun, lamps, light from around. OTHER_INPUT: another camera, other lights.
const { canvas, main, other, side } = require('./browser.cjs');

// -- The model -----------------------------------------------------------------------------------------------

function sphere(rings, sides) {
  const positions = [], normals = [], uvs = [], tangents = [], triangles = [];
  for (let i = 0; i <= rings; i++) for (let j = 0; j <= sides; j++) {
    const a = Math.PI * i / rings, b = 2 * Math.PI * j / sides, n = [Math.sin(a) * Math.cos(b), Math.cos(a), Math.sin(a) * Math.sin(b)];
    positions.push(...n); normals.push(...n); uvs.push(2 * j / sides, i / rings); tangents.push(-Math.sin(b), 0, Math.cos(b), 1);
  }
  for (let i = 0; i < rings; i++) for (let j = 0; j < sides; j++) {
    const at = i * (sides + 1) + j;
    triangles.push(at, at + 1, at + sides + 1, at + 1, at + sides + 2, at + sides + 1);
  }
  return { positions, normals, uvs, tangents, triangles };
}
const plane = {
  positions: [-3, -1, -3, 3, -1, -3, -3, -1, 3, 3, -1, 3], normals: [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0], uvs: [0, 0, 1, 0, 0, 1, 1, 1],
  tangents: [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1], triangles: [0, 2, 1, 1, 2, 3],
};

// A picture of 64 x 64 texels as a PNG file: colour(u, v) gives three or four numbers from 0 to 255.
function picture(colour) {
  const size = 64, element = document.createElement('canvas'), context = element.getContext('2d');
  element.width = element.height = size;
  const image = context.createImageData(size, size);
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) image.data.set([...colour(x / size, y / size), 255].slice(0, 4), 4 * (y * size + x));
  context.putImageData(image, 0, 0);
  return element.toDataURL('image/png').split(',')[1];
}
const wave = (u, v) => 0.5 + 0.25 * (Math.sin(12.6 * u) + Math.cos(18.8 * v)), checker = (u, v) => (Math.floor(8 * u) + Math.floor(8 * v)) & 1;
const pictures = {
  colour: (u, v) => checker(u, v) ? [200, 90, 60] : [90, 140, 210],
  rough: (u, v) => [255, 60 + 180 * wave(u, v), 255 * checker(u, v)],   // occlusion, roughness, metalness
  normal: (u, v) => [128 + 60 * Math.sin(25.1 * u), 128 + 60 * Math.cos(25.1 * v), 240],
  glow: (u, v) => checker(u, v) ? [0, 0, 0] : [60, 200 * wave(u, v), 30],
  coat: (u, v) => [255 * wave(u, v), 120 * wave(v, u), 0],
  leaf: (u, v) => [90, 160, 70, checker(u, v) ? 255 : 0],
};

// A GLB file: a sphere of each material, and a plane without textures.
function model(materials) {
  const parts = [], views = [], accessors = [], images = Object.keys(pictures);
  let size = 0;
  const add = array => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength), pad = -bytes.length & 3;
    views.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
    parts.push(bytes, new Uint8Array(pad));
    size += bytes.length + pad;
    return views.length - 1;
  };
  const accessor = (numbers, type, each, floats = true) => {
    const array = floats ? new Float32Array(numbers) : new Uint16Array(numbers), range = {};
    if (type === 'VEC3') for (const [key, pick] of [['min', Math.min], ['max', Math.max]]) range[key] = [0, 1, 2].map(k => array.filter((_, i) => i % 3 === k).reduce((a, b) => pick(a, b)));
    accessors.push({ bufferView: add(array), componentType: floats ? 5126 : 5123, count: numbers.length / each, type, ...range });
    return accessors.length - 1;
  };
  const shape = ({ positions, normals, uvs, tangents, triangles }) => ({
    attributes: { POSITION: accessor(positions, 'VEC3', 3), NORMAL: accessor(normals, 'VEC3', 3), TEXCOORD_0: accessor(uvs, 'VEC2', 2), TANGENT: accessor(tangents, 'VEC4', 4) },
    indices: accessor(triangles, 'SCALAR', 1, false) });
  const ball = shape(sphere(32, 48)), ground = shape(plane), scale = materials.length > 1 ? 0.38 : 1;
  const place = i => materials.length > 1 ? [0.8 * (i % 3 - 1), 0.4 - 0.85 * (i / 3 | 0), 0] : [0, 0, 0];
  const floor = { pbrMetallicRoughness: { baseColorFactor: [0.5, 0.5, 0.5, 1], metallicFactor: 0, roughnessFactor: 0.8 } };
  const text = JSON.stringify({
    asset: { version: '2.0' }, extensionsUsed: [...new Set(materials.flatMap(({ extensions }) => Object.keys(extensions)))],
    scene: 0, scenes: [{ nodes: [...materials.keys(), materials.length] }],
    nodes: [...materials.map((_, i) => ({ mesh: i, translation: place(i), scale: [scale, scale, scale] })), { mesh: materials.length }],
    meshes: [...materials.map((_, i) => ({ primitives: [{ ...ball, material: i }] })), { primitives: [{ ...ground, material: materials.length }] }],
    materials: [...materials, floor],
    textures: images.map((_, i) => ({ source: i, sampler: 0 })), samplers: [{ magFilter: 9729, minFilter: 9987, wrapS: 10497, wrapT: 10497 }],
    images: images.map(name => ({ mimeType: 'image/png', bufferView: add(Uint8Array.from(atob(picture(pictures[name])), c => c.charCodeAt(0))) })),
    accessors, bufferViews: views, buffers: [{ byteLength: size }],
  });
  const json = new TextEncoder().encode(text + ' '.repeat(-new TextEncoder().encode(text).length & 3)), file = new Uint8Array(28 + json.length + size), head = new DataView(file.buffer);
  [0x46546c67, 2, file.length, json.length, 0x4e4f534a].forEach((word, i) => head.setUint32(4 * i, word, true));
  file.set(json, 20);
  head.setUint32(20 + json.length, size, true);
  head.setUint32(24 + json.length, 0x004e4942, true);
  let at = 28 + json.length;
  for (const part of parts) { file.set(part, at); at += part.length; }
  return file;
}
const texture = name => ({ index: Object.keys(pictures).indexOf(name) });

// -- The scene -----------------------------------------------------------------------------------------------

// Light from around: a cube of the sky's colours, blurred by level, and its irradiance.
function surroundings(Filament, engine) {
  const levels = 6, edge = 1 << levels - 1, { RGBA } = Filament.PixelDataFormat, { UBYTE } = Filament.PixelDataType;
  const cube = Filament.Texture.Builder().width(edge).height(edge).levels(levels).sampler(Filament.Texture$Sampler.SAMPLER_CUBEMAP)
    .format(Filament.Texture$InternalFormat.RGBA8).build(engine);
  for (let level = 0; level < levels; level++) {
    const size = edge >> level, bytes = new Uint8Array(6 * size * size * 4);
    for (let face = 0, at = 0; face < 6; face++) for (let y = 0; y < size; y++) for (let x = 0; x < size; x++, at += 4) {
      const up = face === 2 ? 1 : face === 3 ? 0 : 1 - (y + 0.5) / size, stripe = level < 3 && (x * 4 / size | 0) % 2 ? 30 : 0;
      bytes.set([60 + 120 * up + stripe, 80 + 130 * up, 110 + 140 * up - stripe, 255], at);
    }
    cube.setImageCube(engine, level, Filament.PixelBuffer(bytes, RGBA, UBYTE));
  }
  const bands = new Float32Array(27);
  bands.set([0.6, 0.65, 0.8, 0.1, 0.12, 0.2, 0.05, 0.05, 0.05]);
  return Filament.IndirectLight.Builder().reflections(cube).irradianceSh(3, bands).intensity(20000).build(engine);
}

function lamps(Filament, engine, scene, count) {
  const { LightManager, LightManager$Type: types, EntityManager } = Filament;
  const sun = EntityManager.get().create();
  LightManager.Builder(types.SUN).color([0.98, 0.92, 0.89]).intensity(80000).direction(other ? [-0.4, -0.8, -0.3] : [0.5, -0.9, -0.6]).castShadows(true).build(engine, sun);
  scene.addEntity(sun);
  for (let i = 0; i < count; i++) {
    const lamp = EntityManager.get().create(), angle = 2 * i + (other ? 1 : 0);
    LightManager.Builder(types.POINT).color([1, 0.7 + 0.1 * (i % 3), 0.5]).intensity(150000).falloff(6).position([2 * Math.cos(angle), 1, 2 * Math.sin(angle)]).build(engine, lamp);
    scene.addEntity(lamp);
  }
}

function show(Filament, engine, count) {
  const scene = engine.createScene(), view = engine.createView(), entity = Filament.EntityManager.get().create(), camera = engine.createCamera(entity);
  scene.setIndirectLight(surroundings(Filament, engine));
  scene.setSkybox(Filament.Skybox.Builder().color([0.2, 0.25, 0.3, 1]).build(engine));
  lamps(Filament, engine, scene, count);
  camera.setProjectionFov(45, 1, 0.1, 50, Filament.Camera$Fov.VERTICAL);
  camera.lookAt(other ? [-1.6, 0.8, 2.2] : [1.2, 0.7, 2.4], [0, 0, 0], [0, 1, 0]);
  view.setCamera(camera);
  view.setScene(scene);
  view.setViewport([0, 0, side, side]);
  return { scene, view };
}

// Spheres of these materials. `count`: how many lamps beside the sun.
const draw = (materials, count = 1) => async ({ Filament, engine }) => {
  const { scene, view } = show(Filament, engine, count), chain = engine.createSwapChain(), renderer = engine.createRenderer();
  const asset = engine.createAssetLoader().createAsset(model(materials));
  await new Promise(done => asset.loadResources(done, null, null, 1));
  scene.addEntities(asset.getEntities());
  return () => { renderer.render(chain, view); engine.execute(); };
};
const material = (core, { extensions = {}, ...rest } = {}) => ({ pbrMetallicRoughness: core, extensions, ...rest });
const grey = { baseColorFactor: [0.6, 0.6, 0.6, 1], metallicFactor: 0, roughnessFactor: 0.5 }, smooth = { ...grey, roughnessFactor: 0.1 };
const metal = { baseColorFactor: [0.9, 0.7, 0.4, 1], metallicFactor: 1, roughnessFactor: 0.3 };
const textured = { baseColorTexture: texture('colour'), metallicRoughnessTexture: texture('rough') }, normalTexture = texture('normal');
const coat = { clearcoatFactor: 1, clearcoatRoughnessFactor: 0.1 }, coats = { ...coat, clearcoatTexture: texture('coat'), clearcoatNormalTexture: normalTexture };
const KHR_materials_transmission = { transmissionFactor: 0.9 };
const materials = {
  plain: material(grey),
  metal: material(metal),
  colour: material({ ...grey, baseColorTexture: texture('colour') }),
  textured: material(textured),
  textured_normal: material(textured, { normalTexture }),
  textured_all: material(textured, { normalTexture, occlusionTexture: texture('rough'), emissiveTexture: texture('glow'), emissiveFactor: [1, 1, 1] }),
  masked: material({ ...grey, baseColorTexture: texture('leaf') }, { alphaMode: 'MASK', alphaCutoff: 0.5 }),
  blended: material({ ...grey, baseColorFactor: [0.6, 0.7, 0.9, 0.5] }, { alphaMode: 'BLEND' }),
  unlit: material({ baseColorTexture: texture('colour') }, { extensions: { KHR_materials_unlit: {} } }),
  coat: material(metal, { extensions: { KHR_materials_clearcoat: coat } }),
  coat_textured: material(textured, { extensions: { KHR_materials_clearcoat: coats } }),
  sheen: material(grey, { extensions: { KHR_materials_sheen: { sheenColorFactor: [0.8, 0.5, 0.6], sheenRoughnessFactor: 0.4 } } }),
  glass: material(smooth, { extensions: { KHR_materials_transmission } }),
  volume: material(smooth, { extensions: { KHR_materials_transmission,
    KHR_materials_volume: { thicknessFactor: 0.5, attenuationDistance: 1, attenuationColor: [0.4, 0.8, 0.6] } } }),
  specular: material({}, { extensions: { KHR_materials_pbrSpecularGlossiness: { diffuseFactor: [0.5, 0.3, 0.2, 1], specularFactor: [0.4, 0.4, 0.5], glossinessFactor: 0.6 } } }),
};
const several = ['plain', 'metal', 'colour', 'textured', 'textured_normal', 'textured_all'];   // one pipeline
const items = {
  ...Object.fromEntries(Object.entries(materials).map(([name, made]) => [name, draw([made])])),
  no_lamp: draw([materials.textured], 0),
  lamps: draw([materials.textured], 8),
  gallery: draw(several.map(name => materials[name])),
};
main(items, async () => {
  await new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = '/filament/filament.js'; script.onload = done; script.onerror = failed;
    document.head.append(script);
  });
  await new Promise(done => window.Filament.init([], done));
  return { Filament: window.Filament, engine: window.Filament.Engine.create(canvas) };
});
