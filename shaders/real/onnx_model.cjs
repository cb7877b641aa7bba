// Writes ONNX models (onnx.proto of the ONNX project) of a few nodes. Used by onnx.cjs.
const varint = n => {
  const out = [];
  for (n = BigInt.asUintN(64, BigInt(n)); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128);
  return Buffer.from([...out, Number(n)]);
};
// Fields of a message: numbers, texts and messages, floats.
const number = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const bytes = (field, text) => { const b = Buffer.from(text); return Buffer.concat([varint(field << 3 | 2), varint(b.length), b]); };
const float = (field, x) => { const b = Buffer.alloc(4); b.writeFloatLE(x); return Buffer.concat([varint(field << 3 | 5), b]); };
const message = (...fields) => Buffer.concat(fields.flat());
const FLOAT = 1, UINT8 = 2, INT64 = 7;

// An attribute: a list of integers, a text, an integer, or { f: a float }.
function attribute([name, value]) {
  if (Array.isArray(value)) return message(bytes(1, name), number(20, 7), value.map(n => number(8, n)));
  if (typeof value === 'string') return message(bytes(1, name), number(20, 3), bytes(4, value));
  return typeof value === 'number' ? message(bytes(1, name), number(20, 2), number(3, value)) : message(bytes(1, name), number(20, 1), float(2, value.f));
}
const node = (op, inputs, outputs, attributes = {}, domain = '') => message(inputs.map(i => bytes(1, i)), outputs.map(o => bytes(2, o)), bytes(4, op), Object.entries(attributes).map(a => bytes(5, attribute(a))), bytes(7, domain));
// An input or output of the graph; without dims its shape is left to the runtime.
const value = (name, type, dims) => message(bytes(1, name), bytes(2, bytes(1, message(number(1, type), dims ? bytes(2, message(dims.map(d => bytes(1, number(1, d))))) : []))));
const constant = (name, type, dims, data) => message(dims.map(d => number(1, d)), number(2, type), bytes(8, name), bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)));
const operators = (domain, version) => bytes(8, message(bytes(1, domain), number(2, version)));
const model = (nodes, inputs, outputs, constants) => new Uint8Array(message(number(1, 9), bytes(7, message(nodes.map(n => bytes(1, n)), bytes(2, 'graph'), constants.map(c => bytes(5, c)), inputs.map(i => bytes(11, i)), outputs.map(o => bytes(12, o)))), operators('', 18), operators('com.microsoft', 1)));
module.exports = { model, node, value, constant, FLOAT, UINT8, INT64 };
