// llama.cpp's Vulkan kernels on a tiny model of random weights, as shaders/real/ggml.sh runs them:
//
//     node ggml.cjs list                       the names of the items that are measured
//     node ggml.cjs model FOLDER               writes the models (GGUF)
//     node ggml.cjs FOLDER NAME,NAME... SECONDS
//
// A line each: name, processor time of one run in microseconds, hash of the results (text and probabilities, or the embedding).
// Batches of 8 and fewer multiply by vectors (mul_mat_vec), larger ones by tiles (mul_mm).
const fs = require('fs');
const path = require('path');
const crypto = require('crypto'), steady = require('./steady.cjs');
const prompt = 'the quick brown fox jumps over the lazy dog';   // 45 tokens
// `listed` are measured. The others run where they are named: lavapipe compiles their kernels for minutes.
const listed = ['decode_f16'];
const items = {
  decode_f32: { model: 'f32', batch: 1, predict: 12 },
  decode_f16: { model: 'f16', batch: 1, predict: 12 },
  decode_q8_0: { model: 'q8_0', batch: 1, predict: 12 },
  decode_q4_0: { model: 'q4_0', batch: 1, predict: 12 },
  decode_flash: { model: 'f16', batch: 1, predict: 12, flash: 'on' },
  batch_of_8: { model: 'f16', batch: 8, predict: 1 },
  embedding: { model: 'f16', batch: 8, embedding: true },
  prefill: { model: 'f32', batch: 64, predict: 1 },
};

// GGUF version 3: header, keys and values, tensors' names and shapes, data aligned to 32 bytes.
function gguf(file, type) {
  const width = 256, heads = 4, layers = 2, hidden = 512, vocabulary = 320;
  let state = 1;
  const random = () => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return state / 4294967296 - 0.5; };
  const u32 = x => { const b = Buffer.alloc(4); b.writeUInt32LE(x); return b; };
  const u64 = x => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(x)); return b; };
  const f32 = x => { const b = Buffer.alloc(4); b.writeFloatLE(x); return b; };
  const text = s => Buffer.concat([u64(Buffer.byteLength(s)), Buffer.from(s)]);
  const half = x => {   // of a normal number
    const bits = f32(x).readUInt32LE(), exponent = (bits >>> 23 & 255) - 112;
    return exponent <= 0 ? bits >>> 16 & 0x8000 : bits >>> 16 & 0x8000 | exponent << 10 | bits >>> 13 & 1023;
  };
  const keys = [];
  const key = (name, kind, value) => keys.push(Buffer.concat([text(name), u32(kind), value]));
  const list = (kind, values, write) => Buffer.concat([u32(kind), u64(values.length), ...values.map(write)]);
  key('general.architecture', 8, text('llama')); key('general.name', 8, text('tiny'));
  const numbers = {
    context_length: 512, embedding_length: width, block_count: layers, feed_forward_length: hidden,
    'attention.head_count': heads, 'attention.head_count_kv': heads, 'rope.dimension_count': width / heads, vocab_size: vocabulary,
  };
  for (const [name, value] of Object.entries(numbers)) key('llama.' + name, 4, u32(value));
  key('llama.attention.layer_norm_rms_epsilon', 6, f32(1e-5));
  const tokens = ['<unk>', '<s>', '</s>'];
  for (let i = 0; i < 256; i++) tokens.push(`<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`);
  tokens.push('\u2581');
  for (let i = 0; i < 60; i++) tokens.push(String.fromCharCode(33 + i));
  key('tokenizer.ggml.model', 8, text('llama'));
  key('tokenizer.ggml.tokens', 9, list(8, tokens, text));
  key('tokenizer.ggml.scores', 9, list(6, tokens.map(() => 0), f32));
  key('tokenizer.ggml.token_type', 9, list(5, tokens.map((_, i) => i === 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1), u32));
  key('tokenizer.ggml.bos_token_id', 4, u32(1)); key('tokenizer.ggml.eos_token_id', 4, u32(2)); key('tokenizer.ggml.unknown_token_id', 4, u32(0));
  const tensors = [['token_embd.weight', width, vocabulary], ['output_norm.weight', width], ['output.weight', width, vocabulary]];
  for (let i = 0; i < layers; i++)
    for (const [name, ...shape] of [['attn_norm', width], ['attn_q', width, width], ['attn_k', width, width], ['attn_v', width, width], ['attn_output', width, width],
      ['ffn_norm', width], ['ffn_gate', width, hidden], ['ffn_up', width, hidden], ['ffn_down', hidden, width]]) tensors.push([`blk.${i}.${name}.weight`, ...shape]);
  const types = { f32: 0, f16: 1, q4_0: 2, q8_0: 8 };
  const encode = {
    f32: x => Buffer.from(Float32Array.from(x).buffer),
    f16: x => Buffer.from(Uint16Array.from(x, half).buffer),
    q8_0: x => blocks(x, 127, q => Buffer.from(Int8Array.from(q).buffer)),
    q4_0: x => blocks(x, 7, q => Buffer.from(Array.from({ length: 16 }, (_, i) => q[i] + 8 | q[i + 16] + 8 << 4))),
  };
  const blocks = (x, most, pack) => {
    const out = [];
    for (let i = 0; i < x.length; i += 32) {
      const part = x.slice(i, i + 32), scale = Math.max(...part.map(Math.abs)) / most || 1, h = Buffer.alloc(2);
      h.writeUInt16LE(half(scale));
      out.push(h, pack(part.map(v => Math.round(v / scale))));
    }
    return Buffer.concat(out);
  };
  const infos = [], data = [];
  let offset = 0;
  for (const [name, ...shape] of tensors) {
    const norm = shape.length === 1, as = norm ? 'f32' : type, count = shape.reduce((a, b) => a * b, 1);
    const bytes = encode[as](Array.from({ length: count }, () => norm ? 1 + random() / 4 : random() / 4));
    const pad = Buffer.alloc(-bytes.length & 31);
    infos.push(text(name), u32(shape.length), ...shape.map(u64), u32(types[as]), u64(offset));
    data.push(bytes, pad);
    offset += bytes.length + pad.length;
  }
  const head = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(keys.length), ...keys, ...infos]);
  fs.writeFileSync(file, Buffer.concat([head, Buffer.alloc(-head.length & 31), ...data]));
}

async function run(folder, names, seconds) {
  const { loadModel } = require('@fugood/llama.node');
  for (const name of names) {
    const item = items[name];
    const context = await loadModel({
      model: path.join(folder, `${item.model}.gguf`), lib_variant: 'vulkan', n_gpu_layers: 99, n_ctx: 256, n_batch: item.batch, n_ubatch: item.batch, n_threads: 1,
      use_mmap: false, flash_attn_type: item.flash || 'off', embedding: !!item.embedding, pooling_type: item.embedding ? 'mean' : undefined,
    });
    const once = () => item.embedding ? context.embedding(prompt) : context.clearCache() ||
      context.completion({ prompt: item.batch === 1 ? 'fox' : prompt, n_predict: item.predict, temperature: 0, seed: 1, ignore_eos: true, n_probs: 4 });
    const result = await once();
    const kept = item.embedding ? Array.from(result.embedding) : [result.text, result.completion_probabilities];
    const hash = crypto.createHash('sha256').update(JSON.stringify(kept)).digest('hex').slice(0, 12);
    console.log(`${name} ${(await steady(once, seconds)).toFixed(1)} ${hash}`);
    await context.release();
  }
}

const [command, ...rest] = process.argv.slice(2);
if (command === 'list') console.log(listed.join('\n'));
else if (command === 'model') for (const type of ['f32', 'f16', 'q8_0', 'q4_0']) gguf(path.join(rest[0], `${type}.gguf`), type);
else run(command, rest[0].split(','), Number(rest[1])).then(() => process.exit(0)).catch(e => { console.error(e); process.exit(1); });
