// TensorFlow.js operations on Dawn, as shaders/real/tfjs.sh runs them:
//
//     node tfjs.cjs list                  the names of the operations
//     node tfjs.cjs OP,OP... SECONDS      a line each: name, processor time of one run in microseconds, hash of the result
//     node tfjs.cjs attainable OP,OP... SECONDS     the same with what the uniforms held written into the WGSL
//
// Shapes are those of small networks; some are odd on purpose. Inputs are seeded. OTHER_INPUT=1: other shapes, for a
// profile that was trained with these. SEVERAL=1: three shapes in turn, as one pipeline serves layers of a network.
const { create, globals } = require('webgpu');
Object.assign(globalThis, globals);
const gpu = create(['backend=vulkan']);
Object.defineProperty(globalThis, 'navigator', { value: { gpu, userAgent: 'node' }, configurable: true });
globalThis.self = globalThis; globalThis.window = globalThis; globalThis.document = { createElement: () => ({ getContext: () => null }) };
const tf = require('@tensorflow/tfjs-core');
const { WebGPUBackend } = require('@tensorflow/tfjs-backend-webgpu');
const crypto = require('crypto'), steady = require('./steady.cjs');
const sizes = process.env.SEVERAL ? [0, 8, 24] : process.env.OTHER_INPUT ? [8] : [0];
let more = 0; // what is added to dimensions above 3
const R = (shape, seed) => tf.randomUniform(shape.map(n => (n > 3 ? n + more : n)), -1, 1, 'float32', seed);
const ops = {
  add: () => { const a = R([256, 256], 1), b = R([256, 256], 2); return () => tf.add(a, b); },
  add_broadcast: () => { const a = R([64, 32, 33], 1), b = R([32, 1], 2); return () => tf.add(a, b); },
  matmul: () => { const a = R([256, 256], 1), b = R([256, 256], 2); return () => tf.matMul(a, b); },
  matmul_odd: () => { const a = R([129, 65], 1), b = R([65, 77], 2); return () => tf.matMul(a, b); },
  conv2d: () => { const x = R([1, 32, 32, 16], 1), w = R([3, 3, 16, 32], 2); return () => tf.conv2d(x, w, 1, 'same'); },
  depthwise: () => { const x = R([1, 48, 48, 32], 1), w = R([3, 3, 32, 1], 2); return () => tf.depthwiseConv2d(x, w, 1, 'same'); },
  maxpool: () => { const x = R([1, 64, 64, 32], 1); return () => tf.maxPool(x, 3, 2, 'same'); },
  avgpool: () => { const x = R([1, 64, 64, 32], 1); return () => tf.avgPool(x, 3, 2, 'same'); },
  transpose: () => { const x = R([40, 50, 60], 1); return () => tf.transpose(x, [2, 0, 1]); },
  reduce_sum: () => { const x = R([300, 500], 1); return () => tf.sum(x, 1); },
  softmax: () => { const x = R([128, 512], 1); return () => tf.softmax(x); },
  gather: () => { const x = R([500, 64], 1), i = tf.range(0, 400, 1, 'int32'); return () => tf.gather(x, i); },
  concat: () => { const a = R([100, 100, 3], 1), b = R([100, 100, 5], 2); return () => tf.concat([a, b], 2); },
  slice: () => { const x = R([80, 90, 30], 1); return () => tf.slice(x, [3, 5, 7], [60, 70, 20]); },
  pad: () => { const x = R([64, 64, 16], 1); return () => tf.pad(x, [[1, 2], [3, 4], [0, 0]]); },
  resize: () => { const x = R([1, 64, 64, 16], 1); return () => tf.image.resizeBilinear(x, [96, 96]); },
  tile: () => { const x = R([30, 40, 5], 1); return () => tf.tile(x, [2, 2, 3]); },
  cumsum: () => { const x = R([64, 256], 1); return () => tf.cumsum(x, 1); },
  topk: () => { const x = R([16, 512], 1); return () => tf.topk(x, 8).values; },
  erf: () => { const x = R([300, 300], 1); return () => tf.erf(x); },
  leaky: () => { const x = R([300, 300], 1); return () => tf.leakyRelu(x, 0.1); },
  batchnorm: () => { const x = R([1, 64, 64, 32], 1), m = R([32], 2), v = tf.abs(R([32], 3)); return () => tf.batchNorm(x, m, v); },
  network: () => network(),
  argmax: () => { const x = R([200, 300], 1); return () => tf.argMax(x, 1); },
};
// Inverted residuals, as mobile vision networks have them: one pipeline for layers of many shapes. Random weights.
function network() {
  const layers = [[16, 24, 2], [24, 24, 1], [24, 32, 2], [32, 32, 1], [32, 64, 2], [64, 64, 1]];
  let seed = 10;
  const W = shape => tf.mul(tf.randomUniform(shape, -1, 1, 'float32', seed++), 0.3);
  const norm = c => [W([c]), tf.add(tf.abs(W([c])), 0.5), W([c]), W([c])];
  const x = tf.randomUniform([1, 64 + more, 64 + more, 3], -1, 1, 'float32', 1), stem = W([3, 3, 3, 16]), stemNorm = norm(16);
  const blocks = layers.map(([from, to, stride]) => ({
    from, to, stride, expand: W([1, 1, from, 4 * from]), a: norm(4 * from), depth: W([3, 3, 4 * from, 1]), b: norm(4 * from),
    project: W([1, 1, 4 * from, to]), c: norm(to)
  }));
  const dense = W([64, 10]), bn = (y, [m, v, o, s]) => tf.batchNorm(y, m, v, o, s);
  return () => tf.tidy(() => {
    let y = tf.relu6(bn(tf.conv2d(x, stem, 2, 'same'), stemNorm));
    for (const l of blocks) {
      let z = tf.relu6(bn(tf.conv2d(y, l.expand, 1, 'same'), l.a));
      z = tf.relu6(bn(tf.depthwiseConv2d(z, l.depth, l.stride, 'same'), l.b));
      z = bn(tf.conv2d(z, l.project, 1, 'same'), l.c);
      y = l.stride === 1 && l.from === l.to ? tf.add(y, z) : z;
    }
    return tf.softmax(tf.matMul(tf.mean(y, [1, 2]), dense));
  });
}
// Of each call of a program, by its shader's key, the shapes' number and the call's: its uniforms in their order; null where two runs of it had others.
const held = new Map();
let key, variant, calls = 0, freezes = false;

// Notes what every program puts into its uniforms.
function watch(backend) {
  const record = backend.recordAndSubmit.bind(backend), make = backend.makeUniforms.bind(backend);
  backend.recordAndSubmit = (program, ...rest) => { key = program.shaderKey; return record(program, ...rest); };
  backend.makeUniforms = fields => {
    const now = fields.map(f => JSON.stringify(Array.from(f.data))), before = held.get(key);
    held.set(key, before ? before.map((b, i) => (b === now[i] ? b : null)) : now);
    return make(fields);
  };
  const run = backend.runWebGPUProgram.bind(backend);
  backend.runWebGPUProgram = (program, ...rest) => { calls++; return run(named(program), ...rest); };
}

// Tells createShaderModule whose source it gets: the key is set just before a program is compiled.
function named(program) {
  let own;
  Object.defineProperty(program, 'shaderKey', { configurable: true, get: () => own, set: k => { own = key = `${k} ${variant} ${calls}`; } });
  return program;
}

// The source with constants for the uniforms. The block stays in use, and so the pipeline's layout does.
function frozen(code) {
  const values = held.get(key), fields = /struct Uniforms \{([^]*?)\};/.exec(code);
  if (!values || !fields) return code;
  fields[1].split(/,\s*(?![^<]*>)/).map(f => /(\w+)\s*:\s*(\S+)\s*$/.exec(f)).filter(f => f).forEach(([, name, type], i) => {
    const parts = values[i] && JSON.parse(values[i]);
    if (!parts || parts.includes(null) || !/^(i32|u32|f32|vec[234]<(i32|u32|f32)>)$/.test(type)) return;
    const element = /(i32|u32|f32)/.exec(type)[1];
    code = code.replace(new RegExp(`\\buniforms\\.${name}\\b`, 'g'), `${type}(${parts.map(p => `${element}(${p})`).join(', ')})`);
  });
  return code.replace('localId = LocalId;', '_ = uniforms.NAN; localId = LocalId;');
}

(async () => {
  const attainable = process.argv[2] === 'attainable';
  if (attainable) process.argv.splice(2, 1);
  if (process.argv[2] === 'list') { console.log(Object.keys(ops).join('\n')); process.exit(0); }
  const adapter = await gpu.requestAdapter();
  const l = adapter.limits;
  const device = await adapter.requestDevice({ requiredLimits: { maxComputeWorkgroupSizeX: l.maxComputeWorkgroupSizeX, maxComputeInvocationsPerWorkgroup: l.maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupStorageSize: l.maxComputeWorkgroupStorageSize } });
  if (attainable) {
    const create = device.createShaderModule.bind(device);
    device.createShaderModule = d => create({ ...d, code: freezes ? frozen(d.code) : d.code });
  }
  const backend = new WebGPUBackend(device, adapter.info || {});
  if (attainable) watch(backend);
  tf.removeBackend('webgpu');
  tf.registerBackend('webgpu', () => backend);
  await tf.setBackend('webgpu'); await tf.ready();
  tf.env().set('WEBGPU_CPU_FORWARD', false);
  for (const name of process.argv[2].split(',')) {
    const runs = sizes.map(size => { more = size; return [size, ops[name]()]; });
    const run = ([size, f]) => { variant = size; calls = 0; return f(); };
    const all = async () => { const out = []; for (const r of runs) out.push(await run(r).data()); return out; };
    if (attainable) {
      freezes = false;
      await all();
      freezes = true;
      backend.pipelineCache = {};
    }
    const hash = crypto.createHash('sha256');
    for (const out of await all()) hash.update(Buffer.from(out.buffer, out.byteOffset, out.byteLength));
    const seconds = Number(process.argv[3] || 1);
    const once = async k => { const outs = []; for (let i = 0; i < k; i++) for (const r of runs) outs.push(run(r)); await outs[outs.length - 1].data(); outs.forEach(o => o.dispose()); };
    await once(4);
    const time = await steady(() => once(8), seconds);
    console.log(`${name} ${(time / 8).toFixed(1)} ${hash.digest('hex').slice(0, 12)}`);
  }
  process.exit(0);
})().catch(e => { console.error(e); process.exit(1); });
