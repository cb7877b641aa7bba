// Scenes of three.js on its WebGPU renderer, as shaders/real/three.sh runs them:
//
//     node three.cjs list                 the names of the scenes
//     node three.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//     node three.cjs attainable NAME,NAME... SECONDS  the same with the uniforms as constants in the WGSL
//
// Scenes without post-processing are those of three_scenes.cjs. Shaders are three.js's own: its materials, shadow maps, post-processing nodes and compute nodes.
const path = require('path');
const { canvas, main, other, side, tick } = require('./canvas.cjs');
const { stage, lit, scenes } = require('./three_scenes.cjs')(other);
const from = file => import(path.join(process.env.NODE_PATH, 'three', file));

// A frame, by the animation loop: the nodes of a frame are renewed there.
const looped = (renderer, draw) => { renderer.setAnimationLoop(draw); return tick; };
const drawn = (renderer, { scene, camera }) => looped(renderer, () => renderer.render(scene, camera));
async function processed({ THREE, TSL, renderer }, build) {
  const s = lit(THREE), pipeline = new (THREE.RenderPipeline || THREE.PostProcessing)(renderer), scenePass = TSL.pass(s.scene, s.camera);
  pipeline.outputNode = await build(scenePass, s);
  return looped(renderer, () => pipeline.render());
}
const items = {
  ...Object.fromEntries(Object.entries(scenes).map(([name, make]) => [name, ({ THREE, renderer }) => drawn(renderer, make(THREE, renderer))])),
  particles: ({ THREE, TSL, renderer }) => {
    const { Fn, instancedArray, instanceIndex, hash, vec3, If } = TSL, count = 20000, s = stage(THREE);
    const position = instancedArray(count, 'vec3'), speed = instancedArray(count, 'vec3');
    const begin = Fn(() => { position.element(instanceIndex).assign(vec3(hash(instanceIndex), hash(instanceIndex.add(7)), hash(instanceIndex.add(13))).mul(4).sub(2)); speed.element(instanceIndex).assign(vec3(0)); })().compute(count);
    const gravity = TSL.uniform(0.0002), bounce = TSL.uniform(0.8), floor = TSL.uniform(-1);
    const step = Fn(() => {
      const p = position.element(instanceIndex), v = speed.element(instanceIndex);
      v.y.subAssign(gravity); p.addAssign(v);
      If(p.y.lessThan(floor), () => { p.y.assign(floor); v.y.assign(v.y.negate().mul(bounce)); });
    })().compute(count);
    const material = new THREE.SpriteNodeMaterial();
    material.positionNode = position.toAttribute(); material.scaleNode = TSL.float(0.03); material.colorNode = vec3(1, 0.6, 0.2);
    const sprites = new THREE.Sprite(material); sprites.count = count; sprites.frustumCulled = false;
    s.scene.add(sprites);
    renderer.compute(begin);
    return looped(renderer, () => { renderer.compute(step); renderer.render(s.scene, s.camera); });
  },
  bloom: engine => processed(engine, async pass => { const { bloom } = await from('examples/jsm/tsl/display/BloomNode.js'), color = pass.getTextureNode('output'); return color.add(bloom(color, 1, 0.4, 0.2)); }),
  fxaa: engine => processed(engine, async pass => { const { fxaa } = await from('examples/jsm/tsl/display/FXAANode.js'); return fxaa(engine.TSL.renderOutput(pass)); }),
  gtao: engine => processed(engine, async (pass, { camera }) => {
    const { ao } = await from('examples/jsm/tsl/display/GTAONode.js'), { mrt, output, normalView } = engine.TSL;
    pass.setMRT(mrt({ output, normal: normalView }));
    const made = ao(pass.getTextureNode('depth'), pass.getTextureNode('normal'), camera);
    return pass.getTextureNode('output').mul(made.getTextureNode().r);
  }),
  depth_of_field: engine => processed(engine, async pass => { const { dof } = await from('examples/jsm/tsl/display/DepthOfFieldNode.js'); return dof(pass.getTextureNode(), pass.getViewZNode(), 5, 2, 3); }),
  sobel: engine => processed(engine, async pass => { const { sobel } = await from('examples/jsm/tsl/display/SobelOperatorNode.js'); return sobel(engine.TSL.renderOutput(pass)); }),
  gaussian_blur: engine => processed(engine, async pass => { const { gaussianBlur } = await from('examples/jsm/tsl/display/GaussianBlurNode.js'); return gaussianBlur(pass.getTextureNode(), 1, 8); }),
};
main(items, async () => {
  const THREE = await from('build/three.webgpu.js'), TSL = await from('build/three.tsl.js');
  const renderer = new THREE.WebGPURenderer({ canvas, antialias: false });
  renderer.setSize(side, side, false);
  await renderer.init();
  return { THREE, TSL, renderer };
});
