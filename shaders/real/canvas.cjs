// What browser engines on WebGPU need of a browser, for node: Dawn, a canvas whose texture stays, reading pixels back, timing.
// Used by three.cjs and its like. Math.random is seeded, and time stands still: frames repeat exactly.
const { create, globals } = require('webgpu');
const crypto = require('crypto'), fs = require('fs'), path = require('path'), steady = require('./steady.cjs');
const side = 512;
// Another scene of the same shaders: another camera and light, for a profile that was trained without (measure.sh).
const other = !!process.env.OTHER_INPUT;
Object.assign(globalThis, globals);
// Dawn's set of features has no forEach.
if (!GPUSupportedFeatures.prototype.forEach) GPUSupportedFeatures.prototype.forEach = function (call) { for (const name of this) call(name, name, this); };
const gpu = create(['backend=vulkan']);
Object.defineProperty(globalThis, 'navigator', { value: { gpu, userAgent: 'node', platform: 'node', maxTouchPoints: 0 }, configurable: true });
let seed = 1;
Math.random = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 4294967296; };
globalThis.self = globalThis; globalThis.window = globalThis;
globalThis.devicePixelRatio = 1; globalThis.innerWidth = side; globalThis.innerHeight = side;
globalThis.addEventListener = globalThis.removeEventListener = () => {};
let waiting = null;
globalThis.requestAnimationFrame = callback => { waiting = callback; return 1; }; globalThis.cancelAnimationFrame = () => { waiting = null; };
globalThis.location = { href: 'file:///', search: '', protocol: 'file:' };

const canvas = {
  width: side, height: side, clientWidth: side, clientHeight: side, style: {}, tabIndex: 0, isConnected: true,
  addEventListener() {}, removeEventListener() {}, dispatchEvent() {}, setAttribute() {}, removeAttribute() {}, getAttribute: () => null, hasAttribute: () => false, focus() {},
  getBoundingClientRect: () => ({ left: 0, top: 0, x: 0, y: 0, width: side, height: side, right: side, bottom: side }),
  getContext: kind => kind === 'webgpu' ? context : null,
};
const context = {
  canvas,
  configure(options) {
    this.texture = options.device.createTexture({ size: [side, side], format: options.format, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING, viewFormats: options.viewFormats || [] });
    this.device = options.device;
  },
  unconfigure() {},
  getConfiguration() { return {}; },
  getCurrentTexture() { return this.texture; },
};
const element = () => ({ style: {}, addEventListener() {}, removeEventListener() {}, setAttribute() {}, appendChild() {}, getContext: () => null, remove() {} });
globalThis.document = {
  createElement: name => name === 'canvas' ? canvas : element(), createElementNS: (_, name) => name === 'canvas' ? canvas : element(), getElementById: () => null,
  addEventListener() {}, removeEventListener() {}, documentElement: element(), body: element(), head: element(), hidden: false, visibilityState: 'visible', baseURI: 'file:///',
};

// Calls what waits for an animation frame.
function tick() { const callback = waiting; waiting = null; return callback && callback(0); }

// The bytes of the canvas, once the queue is done.
async function pixels() {
  const { device, texture } = context, bytesPerRow = Math.ceil(texture.width * (texture.format === 'rgba16float' ? 8 : 4) / 256) * 256;
  const buffer = device.createBuffer({ size: bytesPerRow * texture.height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [texture.width, texture.height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const bytes = Buffer.from(buffer.getMappedRange().slice(0));
  buffer.destroy();
  return bytes;
}

// Draws three frames. The image that counts is the third one.
async function third(frame) {
  let bytes;
  for (let i = 0; i < 3; i++) { await frame(); bytes = await pixels(); }
  return bytes;
}

// Prints an item's line, and returns its image. frame() draws a frame.
async function measure(name, frame, seconds) {
  const bytes = await third(frame), hash = crypto.createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  if (process.env.PIXELS) fs.writeFileSync(`${process.env.PIXELS}/${name}.rgba`, bytes);
  const time = await steady(async () => { for (let i = 0; i < 4; i++) await frame(); await context.device.queue.onSubmittedWorkDone(); }, seconds);
  console.log(`${name} ${(time / 4).toFixed(1)} ${hash}`);
  return bytes;
}

// How two images differ: the greatest difference of a channel in 255ths, and how many channels differ by more than 2.
function difference(a, b) {
  const wide = context.texture.format === 'rgba16float', step = wide ? 2 : 1;
  const half = h => (h & 0x8000 ? -1 : 1) * (h >> 10 & 31 ? 2 ** ((h >> 10 & 31) - 15) * (1 + (h & 1023) / 1024) : (h & 1023) / 2 ** 24);
  const channel = (bytes, i) => wide ? 255 * half(bytes.readUInt16LE(i)) : bytes[i];
  let most = 0, far = 0;
  for (let i = 0; i < a.length; i += step) { const d = Math.abs(channel(a, i) - channel(b, i)); most = Math.max(most, d); if (d > 2) far++; }
  return [Math.round(most), far];
}

// The command "watch": eight frames of each item. Leaves its modules with constants and its image in a folder.
async function watched(name, start, folder) {
  const run = require('./freeze.cjs').watch(), frame = await start(), bytes = await third(frame);
  for (let i = 0; i < 5; i++) await frame();
  fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(await run.freeze()));
  fs.writeFileSync(path.join(folder, `${name}.rgba`), bytes);
}

// The command "attainable": measures an item with what `watched` left. Says how much became constant, and how the image differs.
// Fails at the end where more than one channel in a thousand differs visibly: a constant is wrong then.
async function attained(name, start, folder, seconds) {
  const { counts, codes } = JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`))), used = require('./freeze.cjs').use(codes);
  const bytes = fs.readFileSync(path.join(folder, `${name}.rgba`)), [most, far] = difference(bytes, await measure(name, await start(), seconds));
  used.stop();
  const odd = [[counts.refused, 'refused by Dawn'], [counts.spirv, 'not WGSL'], [used.unknown, 'other than those watched']].map(([n, what]) => n ? `, ${n} ${what}` : '').join('');
  if (far > bytes.length / 1000) process.exitCode = 1;
  console.error(`${name}: modules with constants ${counts.modules}${odd}; words ${counts.words}; loads ${counts.folded} of ${counts.loads}; greatest difference ${most} of 255, channels beyond 2: ${far}`);
}

// The commands of a driver: "list", "NAME,NAME... SECONDS" and "attainable NAME,NAME... SECONDS". begin() makes an engine for each item.
// "attainable" watches in a process of its own: names in shaders depend on what the engine made before.
function main(items, begin) {
  if (process.argv[2] === 'list') { console.log(Object.keys(items).join('\n')); process.exit(0); }
  const mode = ['watch', 'attainable'].includes(process.argv[2]) ? process.argv.splice(2, 1)[0] : 'run', seconds = Number(process.argv[3] || 1);
  const folder = mode === 'watch' ? process.argv[3] : mode === 'attainable' ? fs.mkdtempSync(path.join(require('os').tmpdir(), 'attainable-')) : null;
  if (mode === 'attainable') {
    process.on('exit', () => fs.rmSync(folder, { recursive: true }));
    require('child_process').execFileSync(process.execPath, [process.argv[1], 'watch', process.argv[2], folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  (async () => {
    for (const name of process.argv[2].split(',')) {
      const start = async () => { seed = 1; return items[name](await begin()); };
      if (mode === 'watch') await watched(name, start, folder);
      else if (mode === 'attainable') await attained(name, start, folder, seconds);
      else await measure(name, await start(), seconds);
    }
    process.exit();   // with exitCode
  })().catch(e => { console.error(e); process.exit(1); });
}
module.exports = { canvas, context, gpu, other, side, tick, main };
