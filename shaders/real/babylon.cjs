// Scenes of Babylon.js on its WebGPU engine, as shaders/real/babylon.sh runs them:
//
//     node babylon.cjs list                 the names of the scenes
//     node babylon.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//     node babylon.cjs attainable NAME,NAME... SECONDS  the same with the uniforms as constants in the WGSL
//
// Shaders are Babylon's own WGSL: uber-shaders by defines, with flags and factors in uniform blocks.
const path = require('path');
const { canvas, main, other } = require('./canvas.cjs');
const names = ['XMLHttpRequest', 'HTMLElement', 'HTMLCanvasElement', 'HTMLVideoElement', 'HTMLImageElement', 'ImageBitmap', 'OffscreenCanvas', 'Image'];
for (const name of names) if (!globalThis[name]) globalThis[name] = class {};
const from = file => import(path.join(process.env.NODE_PATH, '@babylonjs/core', file));

function stage({ B, engine }) {
  const scene = new B.Scene(engine), table = new Uint8Array(32 * 32 * 4).map((_, i) => i % 4 === 3 ? 255 : i % 128 * 2);
  scene.environmentBRDFTexture = B.RawTexture.CreateRGBATexture(table, 32, 32, scene);   // its own is an image, which node cannot decode
  const camera = new B.ArcRotateCamera('camera', other ? 2 : 1, other ? 0.9 : 1.1, 7, new B.Vector3(0, 0.7, 0), scene);
  scene.clearColor = new B.Color4(0.1, 0.2, 0.3, 1);
  new B.HemisphericLight('sky', new B.Vector3(0, 1, 0), scene).intensity = other ? 0.4 : 0.6;
  const sun = new B.DirectionalLight('sun', new B.Vector3(-1, -2, -1), scene);
  sun.position = new B.Vector3(4, 8, 4);
  new B.PointLight('lamp', new B.Vector3(-2, 2, 2), scene).intensity = other ? 0.9 : 0.5;
  return { scene, camera, sun };
}
function objects({ B }, scene, material) {
  const ground = B.MeshBuilder.CreateGround('ground', { width: 9, height: 9 }, scene);
  ground.material = material(3);
  ground.receiveShadows = true;
  const meshes = [B.MeshBuilder.CreateSphere('sphere', { diameter: 1.4, segments: 16 }, scene), B.MeshBuilder.CreateTorus('torus', { diameter: 1.2, thickness: 0.4, tessellation: 32 }, scene), B.MeshBuilder.CreateBox('box', { size: 1 }, scene)];
  meshes.forEach((mesh, i) => { mesh.position.set(1.7 * (i - 1), 0.8, 0); mesh.material = material(i); mesh.receiveShadows = true; });
  return meshes;
}
const colors = [[0.8, 0.3, 0.3], [0.3, 0.8, 0.3], [0.3, 0.3, 0.8], [0.5, 0.5, 0.5]];
const phong = ({ B }, scene) => i => { const m = new B.StandardMaterial('m' + i, scene); m.diffuseColor = B.Color3.FromArray(colors[i]); m.specularPower = 32; return m; };
const pbr = ({ B }, scene, more) => i => {
  const m = new B.PBRMaterial('m' + i, scene);
  m.albedoColor = B.Color3.FromArray(colors[i]); m.metallic = i === 1 ? 1 : 0; m.roughness = 0.2 + i / 5;
  if (more) more(m, i);
  return m;
};
async function drawn({ engine }, scene) { await scene.whenReadyAsync(); return () => { engine.beginFrame(); scene.render(); engine.endFrame(); }; }
async function processed(e, build) { const s = stage(e); objects(e, s.scene, phong(e, s.scene)); build(s); return drawn(e, s.scene); }
const items = {
  standard: e => { const s = stage(e); objects(e, s.scene, phong(e, s.scene)); return drawn(e, s.scene); },
  pbr: e => { const s = stage(e); objects(e, s.scene, pbr(e, s.scene)); return drawn(e, s.scene); },
  pbr_layers: e => {
    const s = stage(e);
    objects(e, s.scene, pbr(e, s.scene, m => { m.clearCoat.isEnabled = true; m.sheen.isEnabled = true; m.iridescence.isEnabled = true; m.anisotropy.isEnabled = true; m.subSurface.isTranslucencyEnabled = true; }));
    return drawn(e, s.scene);
  },
  shadows: e => {
    const s = stage(e), shadow = new e.B.ShadowGenerator(256, s.sun);
    shadow.usePercentageCloserFiltering = true;
    objects(e, s.scene, phong(e, s.scene)).forEach(mesh => shadow.addShadowCaster(mesh));
    return drawn(e, s.scene);
  },
  soft_shadows: e => {
    const s = stage(e), shadow = new e.B.ShadowGenerator(256, s.sun);
    shadow.useContactHardeningShadow = true;
    objects(e, s.scene, phong(e, s.scene)).forEach(mesh => shadow.addShadowCaster(mesh));
    return drawn(e, s.scene);
  },
  fog: e => { const s = stage(e); s.scene.fogMode = e.B.Scene.FOGMODE_EXP2; s.scene.fogDensity = 0.08; objects(e, s.scene, phong(e, s.scene)); return drawn(e, s.scene); },
  blur: e => processed(e, s => new e.B.BlurPostProcess('blur', new e.B.Vector2(1, 0), 24, 1, s.camera)),
  fxaa: e => processed(e, s => new e.B.FxaaPostProcess('fxaa', 1, s.camera)),
  black_and_white: e => processed(e, s => new e.B.BlackAndWhitePostProcess('bw', 1, s.camera)),
  convolution: e => processed(e, s => new e.B.ConvolutionPostProcess('edges', e.B.ConvolutionPostProcess.EdgeDetect0Kernel, 1, s.camera)),
  pipeline: e => processed(e, s => {
    const p = new e.B.DefaultRenderingPipeline('default', false, s.scene, [s.camera]);
    p.bloomEnabled = p.fxaaEnabled = p.chromaticAberrationEnabled = p.sharpenEnabled = true;
    p.imageProcessing.vignetteEnabled = true;
  }),
  ssao: e => processed(e, s => new e.B.SSAO2RenderingPipeline('ssao', s.scene, 1, [s.camera])),
};
main(items, async () => {
  const B = await from('index.js');
  B.Logger.LogLevels = B.Logger.ErrorLogLevel;
  const engine = new B.WebGPUEngine(canvas, { antialias: false, audioEngine: false, doNotHandleContextLost: true });
  await engine.initAsync();
  return { B, engine };
});
