// Scenes of three.js on its WebGLRenderer, as shaders/real/webgl.sh runs them:
//
//     node webgl.cjs list                  the names of the scenes
//     node webgl.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//
// Scenes without post-processing are those of three_scenes.cjs. Shaders are three.js's own.
const { canvas, main, other, side } = require('./browser.cjs'), { stage, lit, scenes } = require('./three_scenes.cjs')(other);
const drawn = (renderer, { scene, camera }) => () => renderer.render(scene, camera);
const pass = async name => (await import(`/three/examples/jsm/postprocessing/${name}.js`))[name];

// The lit stage, then passes: make() gives those between the scene and the conversion to the canvas's colours, which comes last.
const processed = make => async ({ THREE, renderer }) => {
  const s = lit(THREE), Composer = await pass('EffectComposer'), Render = await pass('RenderPass'), Output = await pass('OutputPass'), composer = new Composer(renderer);
  composer.addPass(new Render(s.scene, s.camera));
  for (const each of await make(THREE, s)) composer.addPass(each);
  composer.addPass(new Output());
  return () => composer.render(0.02);
};
const items = {
  ...Object.fromEntries(Object.entries(scenes).map(([name, make]) => [name, ({ THREE, renderer }) => drawn(renderer, make(THREE, renderer))])),
  transmission: ({ THREE, renderer }) => drawn(renderer, lit(THREE, () => new THREE.MeshPhysicalMaterial({ color: 0xffffff, roughness: 0.2, transmission: 0.9, thickness: 0.5, dispersion: 1 }))),
  sky: async ({ THREE, renderer }) => {
    const s = stage(THREE), { Sky } = await import('/three/examples/jsm/objects/Sky.js'), sky = new Sky();
    sky.scale.setScalar(40);
    sky.material.uniforms.sunPosition.value.set(0.3, other ? 0.1 : 0.4, -1);
    s.camera.lookAt(0, 3, 0); s.scene.add(sky);
    renderer.toneMapping = THREE.ACESFilmicToneMapping; renderer.toneMappingExposure = 0.3;
    return drawn(renderer, s);
  },
  bloom: processed(async THREE => [new (await pass('UnrealBloomPass'))(new THREE.Vector2(side, side), 1, 0.4, 0.2)]),
  fxaa: processed(async () => [new (await pass('FXAAPass'))()]),
  gtao: processed(async (THREE, { scene, camera }) => [new (await pass('GTAOPass'))(scene, camera, side, side)]),
  ssao: processed(async (THREE, { scene, camera }) => [new (await pass('SSAOPass'))(scene, camera, side, side)]),
  depth_of_field: processed(async (THREE, { scene, camera }) => [new (await pass('BokehPass'))(scene, camera, { focus: 6, aperture: 0.005, maxblur: 0.01 })]),
  halftone: processed(async () => [new (await pass('HalftonePass'))({ radius: 5, scatter: 0.5 })]),
  film: processed(async () => [new (await pass('FilmPass'))(0.5)]),
};
main(items, async () => {
  const THREE = await import('three'), renderer = new THREE.WebGLRenderer({ canvas });
  renderer.setSize(side, side, false);
  return { THREE, renderer };
}, { three: '/three/build/three.module.js' });
