// Views of niivue, as shaders/real/niivue.sh runs them:
//
//     node niivue.cjs list                  the names of the views
//     node niivue.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//
// Volumes are 64 x 64 x 64 voxels of blobs, as NIfTI-1 files made here; the mesh is a torus. OTHER_INPUT: another volume, camera and clip plane.
const { canvas, main, other } = require('./browser.cjs');
const size = 64, head = 352, bytes = 2;

// A NIfTI-1 file of 16-bit voxels of 1 mm: the sum of blobs, of which each falls off with the distance from its centre.
function volume(name, blobs) {
  const buffer = new ArrayBuffer(head + size ** 3 * bytes), view = new DataView(buffer), voxels = new Int16Array(buffer, head);
  view.setInt32(0, 348, true);
  [3, size, size, size, 1, 1, 1, 1].forEach((n, i) => view.setInt16(40 + 2 * i, n, true));
  view.setInt16(70, 4, true); view.setInt16(72, 8 * bytes, true);
  [1, 1, 1, 1, 1, 1, 1, 1].forEach((n, i) => view.setFloat32(76 + 4 * i, n, true));
  view.setFloat32(108, head, true); view.setFloat32(112, 1, true);
  view.setInt16(254, 1, true);   // the rows below are the place in space
  for (let row = 0; row < 3; row++) { view.setFloat32(280 + 16 * row + 4 * row, 1, true); view.setFloat32(280 + 16 * row + 12, -size / 2, true); }
  view.setUint32(344, 0x6e2b3100, false);
  for (let z = 0, at = 0; z < size; z++) for (let y = 0; y < size; y++) for (let x = 0; x < size; x++, at++) {
    let value = 0;
    for (const [bx, by, bz, r] of blobs) value += Math.exp(-((x - bx) ** 2 + (y - by) ** 2 + (z - bz) ** 2) / (r * r));
    voxels[at] = Math.min(1, value) * 1000 + (x * 7 + y * 13 + z * 29) % 11;
  }
  return new File([buffer], name);
}
const shift = other ? 8 : 0;
const base = () => volume('base.nii', [[32 - shift, 32, 32, 16], [20, 24 + shift, 40, 9], [44, 40, 24 + shift, 8], [32, 14, 20, 6]]);
const overlay = () => volume('overlay.nii', [[40, 30 - shift, 36, 8], [24 + shift, 40, 28, 6]]);
function torus() {
  const lines = [], rings = 48, sides = 24, at = (i, j) => (i % rings) * sides + j % sides + 1;
  for (let i = 0; i < rings; i++) for (let j = 0; j < sides; j++) {
    const a = 2 * Math.PI * i / rings, b = 2 * Math.PI * j / sides, r = 22 + (other ? 6 : 9) * Math.cos(b);
    lines.push(`v ${r * Math.cos(a)} ${r * Math.sin(a)} ${9 * Math.sin(b)}`);
  }
  for (let i = 0; i < rings; i++) for (let j = 0; j < sides; j++) lines.push(`f ${at(i, j)} ${at(i + 1, j)} ${at(i + 1, j + 1)}`, `f ${at(i, j)} ${at(i + 1, j + 1)} ${at(i, j + 1)}`);
  return new File([lines.join('\n')], 'torus.obj');
}

const slices = { axial: 0, multiplanar: 3, render: 4 };
// A view of volumes: set() changes it once they are there. `layers` is how many.
const view = (type, layers = 1, set = () => {}) => async ({ niivue, NVImage }) => {
  niivue.setSliceType(slices[type]);
  niivue.setRenderAzimuthElevation(other ? 200 : 120, other ? 25 : 10);
  niivue.addVolume(await NVImage.loadFromFile({ file: base(), name: 'base.nii', colormap: 'gray' }));
  if (layers > 1) niivue.addVolume(await NVImage.loadFromFile({ file: overlay(), name: 'overlay.nii', colormap: 'hot', opacity: 0.6, cal_min: 200, cal_max: 1000 }));
  await set(niivue);
  return () => niivue.drawScene();
};
const mesh = (shader, volumes) => async engine => {
  if (volumes) await view('render')(engine);
  const { niivue, NVMesh } = engine, made = await NVMesh.loadFromFile({ file: torus(), gl: niivue.gl, name: 'torus.obj', rgba255: [220, 120, 60, 255] });
  niivue.addMesh(made);
  niivue.setSliceType(slices.render);
  niivue.setRenderAzimuthElevation(other ? 200 : 120, other ? 45 : 30);
  niivue.setMeshShader(made.id, shader);
  return () => niivue.drawScene();
};
const items = {
  axial: view('axial'),
  multiplanar: view('multiplanar'),
  multiplanar_overlay: view('multiplanar', 2),
  nearest: view('multiplanar', 1, niivue => niivue.setInterpolation(true)),
  render: view('render'),
  render_clip: view('render', 1, niivue => niivue.setClipPlane(other ? [0.2, 90, 20] : [0.1, 180, 10])),
  render_overlay: view('render', 2),
  render_colormap: view('render', 1, niivue => niivue.setColormap(niivue.volumes[0].id, 'ct_soft')),
  render_matcap: view('render', 1, niivue => niivue.setVolumeRenderIllumination(0.6)),
  render_matcap_overlay: view('render', 2, niivue => niivue.setVolumeRenderIllumination(0.6)),
  render_gradient: view('render', 1, async niivue => { await niivue.setVolumeRenderIllumination(0.3); await niivue.setGradientOpacity(0.5); }),
  render_slices: view('render', 1, niivue => niivue.setVolumeRenderIllumination(-1)),
  mesh: mesh('Phong'),
  mesh_toon: mesh('Toon'),
  mesh_in_volume: mesh('Matte', true),
};
main(items, async () => {
  const { Niivue, NVImage, NVMesh } = await import('/@niivue/niivue/dist/index.js');
  const niivue = new Niivue({ isResizeCanvas: false, logLevel: 'error' });
  await niivue.attachToCanvas(canvas, true);
  return { niivue, NVImage, NVMesh };
});
