// Operators of ONNX Runtime's WebGPU provider on Dawn, as shaders/real/onnx.sh runs them:
//
//     node onnx.cjs list                  the names of the operators
//     node onnx.cjs OP,OP... SECONDS      a line each: name, processor time of one run in microseconds, hash of the result
//     node onnx.cjs attainable OP,OP... SECONDS     the same with what the uniforms held written into the WGSL (freeze.cjs)
//
// Each item is a model of one node or a few, its shapes those of small networks; some are odd on purpose. Tensors are seeded, and
// stay on the device. OTHER_INPUT=1: other shapes. SEVERAL=1: three shapes in turn.
const { create, globals } = require('webgpu');
// The optimising compiler takes half a minute for the runtime's WebAssembly, beside what is timed.
require('v8').setFlagsFromString('--liftoff-only');
const crypto = require('crypto'), fs = require('fs'), os = require('os'), path = require('path'), { execFileSync } = require('child_process');
const steady = require('./steady.cjs'), freezing = require('./freeze.cjs');
const { model, node, value, constant, FLOAT, UINT8, INT64 } = require('./onnx_model.cjs');
Object.assign(globalThis, globals);
Object.defineProperty(globalThis, 'navigator', { value: { gpu: create(['backend=vulkan']), userAgent: 'node', hardwareConcurrency: 1 }, configurable: true });
// Dawn's binding for node takes no view of WebAssembly's memory.
const write = GPUQueue.prototype.writeBuffer;
GPUQueue.prototype.writeBuffer = function (buffer, to, data, from = 0, count) {
  const unit = data.BYTES_PER_ELEMENT || 1, begin = (data.byteOffset || 0) + from * unit, size = count === undefined ? data.byteLength - from * unit : count * unit;
  return write.call(this, buffer, to, Uint8Array.from(new Uint8Array(data.buffer || data, begin, size)));
};

const sizes = process.env.SEVERAL ? [0, 8, 24] : process.env.OTHER_INPUT ? [8] : [0];
const count = dims => dims.reduce((a, b) => a * b, 1);
let seed = 1;
const random = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 4294967296; };
const floats = (dims, by = 1) => Float32Array.from({ length: count(dims) }, () => by * (2 * random() - 1));

// What a model is made of: x() an input, w() weights, ints() a constant list. op() is a node, named as its output; ms() one of
// Microsoft's own.
class Graph {
  constructor() { this.nodes = []; this.inputs = []; this.constants = []; this.feeds = {}; this.names = 0; }
  name() { return `t${this.names++}`; }
  x(...dims) { const n = this.name(); this.inputs.push(value(n, FLOAT, dims)); this.feeds[n] = ['float32', floats(dims), dims]; return n; }
  indices(below, ...dims) { const n = this.name(); this.inputs.push(value(n, INT64, dims)); this.feeds[n] = ['int64', BigInt64Array.from({ length: count(dims) }, () => BigInt(Math.floor(random() * below))), dims]; return n; }
  w(...dims) { const n = this.name(); this.constants.push(constant(n, FLOAT, dims, floats(dims, 0.3))); return n; }
  bytes(...dims) { const n = this.name(); this.constants.push(constant(n, UINT8, dims, Uint8Array.from({ length: count(dims) }, () => 256 * random()))); return n; }
  ints(...list) { const n = this.name(); this.constants.push(constant(n, INT64, [list.length], BigInt64Array.from(list.map(BigInt)))); return n; }
  scalars(...list) { const n = this.name(); this.constants.push(constant(n, FLOAT, [list.length], Float32Array.from(list))); return n; }
  op(type, inputs, attributes, domain) { const out = this.name(); this.nodes.push(node(type, inputs, [out], attributes, domain)); return out; }
  ms(type, inputs, attributes) { return this.op(type, inputs, attributes, 'com.microsoft'); }
  build(result) { return model(this.nodes, this.inputs, [value(result, FLOAT)], this.constants); }
}
// m: what is added to dimensions above 3.
const operators = {
  add: (g, m) => g.op('Add', [g.x(512 + m, 512), g.x(512 + m, 512)]),
  add_broadcast: (g, m) => g.op('Add', [g.x(64 + m, 64, 33), g.x(64, 1)]),
  matmul: (g, m) => g.op('MatMul', [g.x(256 + m, 256), g.x(256, 256)]),
  matmul_odd: (g, m) => g.op('MatMul', [g.x(129 + m, 65), g.x(65, 77)]),
  matmul_batch: (g, m) => g.op('MatMul', [g.x(8, 64 + m, 48), g.x(8, 48, 96)]),
  gemm: (g, m) => g.op('Gemm', [g.x(96 + m, 200), g.w(120, 200), g.w(120)], { transB: 1 }),
  matmul_4bit: (g, m) => g.ms('MatMulNBits', [g.x(1, 4 + m, 512), g.bytes(512, 16, 16), g.w(512 * 16)], { K: 512, N: 512, bits: 4, block_size: 32 }),
  conv: (g, m) => g.op('Conv', [g.x(1, 16, 48 + m, 48), g.w(32, 16, 3, 3), g.w(32)], { pads: [1, 1, 1, 1], kernel_shape: [3, 3] }),
  conv_stride: (g, m) => g.op('Conv', [g.x(1, 3, 96 + m, 96), g.w(24, 3, 3, 3)], { pads: [0, 0, 1, 1], strides: [2, 2], kernel_shape: [3, 3] }),
  conv_1x1: (g, m) => g.op('Conv', [g.x(1, 48, 40 + m, 40), g.w(64, 48, 1, 1)], { kernel_shape: [1, 1] }),
  depthwise: (g, m) => g.op('Conv', [g.x(1, 32, 56 + m, 56), g.w(32, 1, 3, 3)], { pads: [1, 1, 1, 1], group: 32, kernel_shape: [3, 3] }),
  conv_transpose: (g, m) => g.op('ConvTranspose', [g.x(1, 16, 24 + m, 24), g.w(16, 16, 3, 3)], { strides: [2, 2], pads: [1, 1, 1, 1] }),
  maxpool: (g, m) => g.op('MaxPool', [g.x(1, 32, 64 + m, 64)], { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] }),
  avgpool: (g, m) => g.op('AveragePool', [g.x(1, 32, 64 + m, 64)], { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] }),
  global_pool: (g, m) => g.op('GlobalAveragePool', [g.x(1, 96, 40 + m, 40)]),
  batchnorm: (g, m) => g.op('BatchNormalization', [g.x(1, 32, 72 + m, 72), g.w(32), g.w(32), g.w(32), g.scalars(...Array(32).fill(0.7))]),
  layernorm: (g, m) => g.op('LayerNormalization', [g.x(1, 196 + m, 384), g.w(384), g.w(384)]),
  skip_layernorm: (g, m) => g.ms('SkipLayerNormalization', [g.x(1, 128 + m, 384), g.x(1, 128 + m, 384), g.w(384), g.w(384), g.w(384)]),
  instancenorm: (g, m) => g.op('InstanceNormalization', [g.x(1, 32, 64 + m, 64), g.w(32), g.w(32)]),
  softmax: (g, m) => g.op('Softmax', [g.x(8, 100 + m, 197)], { axis: -1 }),
  reduce_sum: (g, m) => g.op('ReduceSum', [g.x(300 + m, 500), g.ints(1)]),
  reduce_mean: (g, m) => g.op('ReduceMean', [g.x(64, 56 + m, 60), g.ints(1, 2)]),
  transpose: (g, m) => g.op('Transpose', [g.x(60 + m, 70, 80)], { perm: [2, 0, 1] }),
  concat: (g, m) => g.op('Concat', [g.x(100 + m, 120, 3), g.x(100 + m, 120, 5)], { axis: 2 }),
  slice: (g, m) => g.op('Slice', [g.x(90 + m, 100, 40), g.ints(3, 5, 7), g.ints(80, 90, 37), g.ints(0, 1, 2), g.ints(1, 1, 2)]),
  pad: (g, m) => g.op('Pad', [g.x(96 + m, 96, 24), g.ints(1, 3, 0, 2, 4, 0)]),
  pad_reflect: (g, m) => g.op('Pad', [g.x(1, 16, 96 + m, 96), g.ints(0, 0, 3, 3, 0, 0, 3, 3)], { mode: 'reflect' }),
  resize_linear: (g, m) => g.op('Resize', [g.x(1, 16, 64 + m, 64), '', g.scalars(1, 1, 1.5, 1.5)], { mode: 'linear' }),
  resize_cubic: (g, m) => g.op('Resize', [g.x(1, 3, 96 + m, 96), '', g.scalars(1, 1, 2, 2)], { mode: 'cubic' }),
  resize_nearest: (g, m) => g.op('Resize', [g.x(1, 16, 64 + m, 64), '', g.scalars(1, 1, 2, 2)], { mode: 'nearest' }),
  expand: (g, m) => g.op('Expand', [g.x(1, 60 + m, 1, 60), g.ints(6, 60 + m, 20, 60)]),
  tile: (g, m) => g.op('Tile', [g.x(40 + m, 50, 8), g.ints(2, 3, 4)]),
  gather: (g, m) => g.op('Gather', [g.x(1000, 256), g.indices(1000, 400 + m)]),
  gather_elements: (g, m) => g.op('GatherElements', [g.x(300 + m, 200), g.indices(200, 300 + m, 200)], { axis: 1 }),
  cumsum: (g, m) => g.op('CumSum', [g.x(96 + m, 300), g.ints(1)]),
  gelu: (g, m) => g.ms('Gelu', [g.x(300 + m, 1000)]),
  where: (g, m) => { const a = g.x(200 + m, 30, 50); return g.op('Where', [g.op('Greater', [a, g.x(50)]), a, g.x(30, 1)]); },
  depth_to_space: (g, m) => g.op('DepthToSpace', [g.x(1, 48, 64 + m, 64)], { blocksize: 4 }),
  einsum: (g, m) => g.op('Einsum', [g.x(6, 48 + m, 32), g.x(6, 40, 32)], { equation: 'bij,bkj->bik' }),
  attention: (g, m) => g.ms('MultiHeadAttention', [g.x(1, 96 + m, 192), g.x(1, 96 + m, 192), g.x(1, 96 + m, 192)], { num_heads: 6 }),
  block: (g, m) => block(g, 64 + m, 192, 6),
};
// A block of a vision transformer: one pipeline of a kind for layers of several shapes.
function block(g, tokens, width, heads) {
  const x = g.x(1, tokens, width), norm = y => g.op('LayerNormalization', [y, g.w(width), g.w(width)]);
  const dense = (y, from, to) => g.op('Add', [g.op('MatMul', [y, g.w(from, to)]), g.w(to)]);
  const part = (y, i) => g.op('Slice', [y, g.ints(i * width), g.ints((i + 1) * width), g.ints(2)]);
  const qkv = dense(norm(x), width, 3 * width), seen = g.ms('MultiHeadAttention', [0, 1, 2].map(i => part(qkv, i)), { num_heads: heads });
  const y = g.op('Add', [x, dense(seen, width, width)]);
  return g.op('Add', [y, dense(g.ms('Gelu', [dense(norm(y), width, 4 * width)]), 4 * width, width)]);
}

async function runtime() {
  const ort = await import(path.join(path.dirname(require.resolve('onnxruntime-web')), 'ort.webgpu.mjs'));
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  return ort;
}

// A session, with its inputs on the device. run() gives the result, on the device too.
async function begin(ort, name, more) {
  seed = 1;
  const g = new Graph(), bytes = g.build(operators[name](g, more)), feeds = {};
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ['webgpu'], preferredOutputLocation: 'gpu-buffer' });
  const device = await ort.env.webgpu.device;
  for (const [input, [dataType, data, dims]] of Object.entries(g.feeds)) {
    const gpuBuffer = device.createBuffer({ size: Math.ceil(data.byteLength / 16) * 16, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(gpuBuffer, 0, data);
    feeds[input] = ort.Tensor.fromGpuBuffer(gpuBuffer, { dataType, dims });
  }
  return { device, run: async () => Object.values(await session.run(feeds))[0] };
}

// The commands "run"; "watch", which leaves an item's modules with constants in a file; and "frozen", which runs with these.
async function main(mode, names, seconds, file) {
  const ort = await runtime(), watched = mode === 'watch' ? freezing.watch() : null;
  const used = mode === 'frozen' ? freezing.use(JSON.parse(fs.readFileSync(file)).codes) : null;
  for (const name of names) {
    const runs = [], hash = crypto.createHash('sha256');
    for (const size of sizes) runs.push(await begin(ort, name, size));
    for (const { run } of runs) hash.update(Buffer.from((await (await run()).getData(true)).buffer));
    const several = async n => { for (let i = 0; i < n; i++) for (const { run } of runs) (await run()).dispose(); await runs[0].device.queue.onSubmittedWorkDone(); };
    await several(4);
    if (watched) { fs.writeFileSync(file, JSON.stringify(await watched.freeze())); break; }
    if (used) used.stop();
    const time = await steady(() => several(8), seconds);
    console.log(`${name} ${(time / 8).toFixed(1)} ${hash.digest('hex').slice(0, 12)}`);
  }
  process.exit(0);
}

// Items share pipelines, so each has two processes of its own: its constants would reach the next.
function attainable(names, seconds) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attainable-')), file = path.join(folder, 'modules.json');
  process.on('exit', () => fs.rmSync(folder, { recursive: true }));
  for (const name of names) for (const mode of ['watch', 'frozen']) execFileSync(process.execPath, [process.argv[1], mode, name, seconds, file], { stdio: 'inherit' });
}

const mode = ['watch', 'frozen', 'attainable'].includes(process.argv[2]) ? process.argv.splice(2, 1)[0] : 'run';
const [, , items, seconds = 1, file] = process.argv;
if (items === 'list') console.log(Object.keys(operators).join('\n'));
else if (mode === 'attainable') attainable(items.split(','), seconds);
else main(mode, items.split(','), Number(seconds), file).catch(e => { console.error(e); process.exit(1); });
