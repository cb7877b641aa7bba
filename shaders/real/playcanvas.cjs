// Scenes of the PlayCanvas engine on WebGPU, as shaders/real/playcanvas.sh runs them:
//
//     node playcanvas.cjs list                 the names of the scenes
//     node playcanvas.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//     node playcanvas.cjs attainable NAME,NAME... SECONDS  the same with the uniforms as constants in the WGSL
//
// Shaders are the engine's own: its standard material, clustered lights, shadow maps, camera frame.
const path = require('path');
const { canvas, main, other } = require('./canvas.cjs');

function stage({ pc, app }, shadows) {
  const add = (name, component, data, at) => {
    const entity = new pc.Entity(name);
    entity.addComponent(component, data);
    entity.setLocalPosition(...at);
    app.root.addChild(entity);
    return entity;
  };
  const camera = add('camera', 'camera', { clearColor: new pc.Color(0.1, 0.2, 0.3), fov: 50 }, other ? [-3, 2, 6] : [2, 3, 6]);
  camera.lookAt(0, 0.5, 0);
  add('sun', 'light', { type: 'directional', intensity: other ? 1 : 1.5, castShadows: !!shadows, shadowResolution: 256, shadowDistance: 20 }, [0, 5, 0]).setLocalEulerAngles(40, 30, 0);
  add('lamp', 'light', { type: 'omni', color: new pc.Color(1, 0.6, 0.3), intensity: other ? 3 : 2, range: 8 }, [-2, 2, 2]);
  add('spot', 'light', { type: 'spot', color: new pc.Color(0.5, 0.6, 1), intensity: 3, range: 10, castShadows: shadows === 'all', shadowResolution: 256 }, [0, 5, 2]);
  app.scene.ambientLight = new pc.Color(0.2, 0.2, 0.25);
  return { camera, add };
}
function objects({ pc }, add, change) {
  ['plane', 'sphere', 'cone', 'box'].forEach((type, i) => {
    const material = new pc.StandardMaterial();
    material.diffuse = new pc.Color(0.3 + 0.2 * i, 0.5, 0.9 - 0.2 * i);
    material.useMetalness = true; material.metalness = i / 4; material.gloss = 0.4 + i / 8;
    if (change) change(material, i);
    material.update();
    const entity = add(type, 'render', { type, material }, i ? [1.7 * (i - 2), 0.7, 0] : [0, 0, 0]);
    if (!i) entity.setLocalScale(9, 1, 9);
  });
}
const drawn = ({ app }) => () => { app.update(0); app.frameStart?.(); app.render(); };
function scene(e, change, shadows) { const s = stage(e, shadows); objects(e, s.add, change); return { ...s, frame: drawn(e) }; }
function framed(e, set) {
  const s = scene(e), frame = new e.pc.CameraFrame(e.app, s.camera.camera);
  set(frame);
  frame.update();
  return s.frame;
}
const items = {
  standard: e => scene(e).frame,
  layers: e => scene(e, (m, i) => { m.clearCoat = 1; m.clearCoatGloss = 0.9; m.sheen = new e.pc.Color(0.2, 0.2, 0.2); m.useSheen = true; m.useIridescence = i === 1; m.iridescence = 0.5; }).frame,
  shadows: e => scene(e, null, 'sun').frame,
  all_shadows: e => scene(e, null, 'all').frame,
  fog: e => { e.app.scene.fog.type = e.pc.FOG_EXP2; e.app.scene.fog.density = 0.08; return scene(e).frame; },
  bloom: e => framed(e, f => { f.bloom.intensity = 0.05; }),
  grading: e => framed(e, f => { f.grading.enabled = true; f.grading.saturation = 0.7; f.vignette.intensity = 0.5; f.fringing.intensity = 20; f.rendering.sharpness = 0.5; }),
  ssao: e => framed(e, f => { f.ssao.type = 'lighting'; f.ssao.intensity = 0.6; f.ssao.radius = 3; }),
  depth_of_field: e => framed(e, f => { f.dof.enabled = true; f.dof.focusDistance = 5; f.dof.focusRange = 1; f.dof.nearBlur = true; }),
};
main(items, async () => {
  const pc = await import(path.join(process.env.NODE_PATH, 'playcanvas/build/playcanvas.mjs'));
  const device = await pc.createGraphicsDevice(canvas, { deviceTypes: ['webgpu'], antialias: false });
  const options = new pc.AppOptions();
  options.graphicsDevice = device;
  options.componentSystems = [pc.RenderComponentSystem, pc.CameraComponentSystem, pc.LightComponentSystem];
  options.resourceHandlers = [];
  const app = new pc.AppBase(canvas);
  app.init(options);
  app.start();
  return { pc, app };
});
