// Scenes of three.js that its renderers on WebGPU (three.cjs) and on WebGL 2 (webgl.cjs) draw alike. other: another camera and other lights.
module.exports = other => {
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
  // A stage with lights and the three objects.
  function lit(THREE, material = plain(THREE), shadows = false) {
    const s = stage(THREE);
    lights(THREE, s.scene, shadows); objects(THREE, s.scene, material);
    return s;
  }
  const scenes = {
    standard: THREE => lit(THREE),
    physical: THREE => {
      const s = lit(THREE, i => new THREE.MeshPhysicalMaterial({ color: 0xc08040, roughness: 0.3, metalness: i === 1 ? 1 : 0, clearcoat: i === 0 ? 1 : 0.2, clearcoatRoughness: 0.1, sheen: i === 2 ? 1 : 0.1, iridescence: i === 1 ? 1 : 0.1, anisotropy: i === 1 ? 0.5 : 0.1 }));
      s.scene.environment = environment(THREE);
      return s;
    },
    phong_fog: THREE => {
      const s = lit(THREE, i => i ? new THREE.MeshPhongMaterial({ color: 0xa0a0ff, shininess: 40 }) : new THREE.MeshToonMaterial({ color: 0xffa040 }));
      s.scene.fog = new THREE.Fog(0x203040, 4, 12);
      return s;
    },
    shadows: (THREE, renderer) => { renderer.shadowMap.enabled = true; return lit(THREE, plain(THREE), true); },
    skinning: THREE => {
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
      return s;
    },
    instanced: THREE => {
      const s = stage(THREE), mesh = new THREE.InstancedMesh(new THREE.IcosahedronGeometry(0.15, 2), plain(THREE)(1), 200), matrix = new THREE.Matrix4();
      for (let i = 0; i < 200; i++) mesh.setMatrixAt(i, matrix.makeTranslation(i % 10 / 2 - 2.5, Math.floor(i / 10) % 5 / 2, Math.floor(i / 50) / 2 - 1));
      lights(THREE, s.scene); s.scene.add(mesh);
      return s;
    },
  };
  return { stage, lit, scenes };
};
