// How two images of 32-bit floats differ, such as materialx.c leaves where PIXELS is set:
//
//     node differ.cjs A.rgba32f B.rgba32f
//
// Prints: pixels that differ, pixels in all, the greatest distance of two channels in steps of a 32-bit float (ULP), pixels
// that differ once channels are rounded to 16-bit floats, and to 8 bits.
const fs = require('fs');
const [a, b] = process.argv.slice(2, 4).map(file => fs.readFileSync(file));
if (!a || !b || a.length !== b.length || a.length % 16) { console.error('differ: two images of one size, please'); process.exit(2); }

// Numbers in their order, so that neighbours are one apart.
const step = bits => bits >>> 31 ? -(bits & 0x7fffffff) : bits;
const half = x => { const e = Math.max(Math.floor(Math.log2(Math.abs(x) || 1e-30)), -14), unit = 2 ** (e - 10); return Math.round(x / unit) * unit; };
const byte = x => Math.round(255 * Math.min(1, Math.max(0, x)));
let pixels = 0, halves = 0, bytes = 0, most = 0;
for (let at = 0; at < a.length; at += 16) {
  let differs = false, differsHalf = false, differsByte = false;
  for (let c = at; c < at + 16; c += 4) {
    if (a.readUInt32LE(c) === b.readUInt32LE(c)) continue;
    const x = a.readFloatLE(c), y = b.readFloatLE(c);
    differs = true;
    most = Math.max(most, Math.abs(step(a.readUInt32LE(c)) - step(b.readUInt32LE(c))));
    differsHalf ||= half(x) !== half(y);
    differsByte ||= byte(x) !== byte(y);
  }
  pixels += differs; halves += differsHalf; bytes += differsByte;
}
console.log(`${pixels} of ${a.length / 16} pixels, ${most} ULP; as 16-bit floats ${halves} pixels, as 8 bits ${bytes}`);
