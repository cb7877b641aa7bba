// Anime4K's filters and networks as compute shaders (npm anime4k-webgpu) on Dawn, as shaders/real/anime4k.sh runs them:
//
//     node anime4k.cjs list                 the names of the pipelines
//     node anime4k.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//     node anime4k.cjs attainable NAME,NAME... SECONDS  the same with the uniforms as constants in the WGSL
const { context, gpu, main } = require('./canvas.cjs');
const anime = require('anime4k-webgpu');
const width = 64, height = 48;

function input(device) {
  const texture = device.createTexture({ size: [width, height], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT });
  const texels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const line = (x - 20) ** 2 + (y - 24) ** 2 < 200 ? 220 : 40 + x;
    texels.set([line, (x ^ y) & 8 ? 180 : 90, y * 4, 255], (y * width + x) * 4);
  }
  device.queue.writeTexture({ texture }, texels, { bytesPerRow: width * 4 }, [width, height]);
  return texture;
}
const piped = (name, values) => device => {
  const pipeline = new anime[name]({ device, inputTexture: input(device), nativeDimensions: { width, height }, targetDimensions: { width: width * 2, height: height * 2 } });
  for (const [key, value] of Object.entries(values || {})) pipeline.updateParam(key, value);
  context.device = device;
  context.texture = pipeline.getOutputTexture();
  return () => { const encoder = device.createCommandEncoder(); pipeline.pass(encoder); device.queue.submit([encoder.finish()]); };
};
const items = { deblur: piped('DoG', { strength: 4 }), denoise: piped('BilateralMean', { strength: 0.2, strength2: 1 }) };
for (const name of ['CNNM', 'CNNSoftM', 'CNNx2M', 'CNNx2VL', 'DenoiseCNNx2VL', 'ModeA', 'ModeB', 'ModeC']) items[name] = piped(name);
main(items, async () => {
  const device = await (await gpu.requestAdapter()).requestDevice(), create = device.createTexture.bind(device);
  device.createTexture = options => create({ ...options, usage: options.usage | GPUTextureUsage.COPY_SRC });   // for reading back
  return device;
});
