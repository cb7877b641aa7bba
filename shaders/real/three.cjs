// Scenes of three.js on its WebGPU renderer, as shaders/real/three.sh runs them:
//
//     node three.cjs list                 the names of the scenes
//     node three.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//     node three.cjs attainable NAME,NAME... SECONDS  the same with the uniforms as constants in the WGSL
//
// Shaders are three.js's own: its materials, shadow maps, post-processing nodes and compute nodes.
const path = require('path');
const { canvas, main, other, side, tick } = require('./canvas.cjs');
const from = file => import(path.join(process.env.NODE_PATH, 'three', file));

function stage(THREE) {
  const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(50, 1, 0.1, 50);
  scene.background = new THREE.Color(0x203040);
  camera.position.set(other ? -3 : 2, other ? 2 : 3, 6);
  camera.lookAt(0, 0.5, 0);
  return { scene, camera };
}
function lights(THREE, scene, shadows) {
  const sun = new THREE.DirectionalLight(other ? 0xffe0c0 : 0xffffff, other ? 1.5 : 2), lamp = new THREE.PointLight(0xff8040, other ? 12 : 20), spot = new THREE.SpotLight(0x80a0ff, 60, 0, 0.5, 0.5);
  sun.position.set(3, 5, 2); lamp.position.set(-2, 2, 2); spot.position.set(0, 6, 3);
  scene.add(new THREE.HemisphereLight(0x8090a0, 0x404030, 1), sun, lamp, spot);
  if (shadows) for (const light of [sun, spot]) { light.castShadow = true; light.shadow.mapSize.set(256, 256); }
}
function objects(THREE, scene, material) {
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(10, 10), new THREE.MeshStandardMaterial({ color: 0x808080, roughness: 0.8 }));
  floor.rotation.x = -Math.PI / 2;
  floor.receiveShadow = true;
  scene.add(floor);
  [new THREE.SphereGeometry(0.7, 32, 16), new THREE.TorusKnotGeometry(0.5, 0.2, 64, 12), new THREE.BoxGeometry(1, 1, 1)].forEach((geometry, i) => {
    const mesh = new THREE.Mesh(geometry, material(i));
    mesh.position.set(1.7 * (i - 1), 0.8, 0);
    mesh.castShadow = mesh.receiveShadow = true;
    scene.add(mesh);
  });
}
function environment(THREE) {
  const data = new Float32Array(32 * 16 * 4);
  for (let y = 0; y < 16; y++) for (let x = 0; x < 32; x++) data.set([0.2 + x / 40, 0.4, y / 16, 1], (y * 32 + x) * 4);
  const texture = new THREE.DataTexture(data, 32, 16, THREE.RGBAFormat, THREE.FloatType);
  texture.mapping = THREE.EquirectangularReflectionMapping;
  texture.magFilter = texture.minFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}
const plain = THREE => i => new THREE.MeshStandardMaterial({ color: [0xd04040, 0x40d040, 0x4040d0][i], roughness: 0.2 + i / 4, metalness: i / 2 });
// A frame, by the animation loop: the nodes of a frame are renewed there.
const looped = (renderer, draw) => { renderer.setAnimationLoop(draw); return tick; };
const drawn = (renderer, { scene, camera }) => looped(renderer, () => renderer.render(scene, camera));
async function processed({ THREE, TSL, renderer }, build) {
  const s = stage(THREE);
  lights(THREE, s.scene); objects(THREE, s.scene, plain(THREE));
  const pipeline = new (THREE.RenderPipeline || THREE.PostProcessing)(renderer), scenePass = TSL.pass(s.scene, s.camera);
  pipeline.outputNode = await build(scenePass, s);
  return looped(renderer, () => pipeline.render());
}
const items = {
  standard: ({ THREE, renderer }) => { const s = stage(THREE); lights(THREE, s.scene); objects(THREE, s.scene, plain(THREE)); return drawn(renderer, s); },
  physical: ({ THREE, renderer }) => {
    const s = stage(THREE);
    lights(THREE, s.scene);
    objects(THREE, s.scene, i => new THREE.MeshPhysicalMaterial({ color: 0xc08040, roughness: 0.3, metalness: i === 1 ? 1 : 0, clearcoat: i === 0 ? 1 : 0.2, clearcoatRoughness: 0.1, sheen: i === 2 ? 1 : 0.1, iridescence: i === 1 ? 1 : 0.1, anisotropy: i === 1 ? 0.5 : 0.1 }));
    s.scene.environment = environment(THREE);
    return drawn(renderer, s);
  },
  phong_fog: ({ THREE, renderer }) => {
    const s = stage(THREE);
    lights(THREE, s.scene); objects(THREE, s.scene, i => i ? new THREE.MeshPhongMaterial({ color: 0xa0a0ff, shininess: 40 }) : new THREE.MeshToonMaterial({ color: 0xffa040 }));
    s.scene.fog = new THREE.Fog(0x203040, 4, 12);
    return drawn(renderer, s);
  },
  shadows: ({ THREE, renderer }) => { const s = stage(THREE); renderer.shadowMap.enabled = true; lights(THREE, s.scene, true); objects(THREE, s.scene, plain(THREE)); return drawn(renderer, s); },
  skinning: ({ THREE, renderer }) => {
    const s = stage(THREE), geometry = new THREE.CylinderGeometry(0.4, 0.4, 3, 24, 32), index = [], weight = [];
    for (let i = 0; i < geometry.attributes.position.count; i++) {
      const y = geometry.attributes.position.getY(i) + 1.5, bone = Math.min(Math.floor(y), 2);
      index.push(bone, bone + 1, 0, 0); weight.push(1 - (y - bone), y - bone, 0, 0);
    }
    geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(index, 4)); geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weight, 4));
    const bones = [0, 1, 2, 3].map(i => { const bone = new THREE.Bone(); bone.position.y = i ? 1 : -1.5; return bone; });
    bones.slice(1).forEach((bone, i) => { bones[i].add(bone); bone.rotation.z = 0.4; });
    const mesh = new THREE.SkinnedMesh(geometry, plain(THREE)(0));
    mesh.add(bones[0]); mesh.bind(new THREE.Skeleton(bones));
    mesh.position.y = 1.5;
    lights(THREE, s.scene); s.scene.add(mesh);
    return drawn(renderer, s);
  },
  instanced: ({ THREE, renderer }) => {
    const s = stage(THREE), mesh = new THREE.InstancedMesh(new THREE.IcosahedronGeometry(0.15, 2), plain(THREE)(1), 200), matrix = new THREE.Matrix4();
    for (let i = 0; i < 200; i++) mesh.setMatrixAt(i, matrix.makeTranslation(i % 10 / 2 - 2.5, Math.floor(i / 10) % 5 / 2, Math.floor(i / 50) / 2 - 1));
    lights(THREE, s.scene); s.scene.add(mesh);
    return drawn(renderer, s);
  },
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
