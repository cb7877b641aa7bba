// The page's half of browser.cjs: loads the family's driver by a require() of its own, makes one item, draws it and reads it back.
// Math.random is seeded, and time stands still: frames repeat exactly. The canvas is in no document: the browser draws nothing of its own.
(() => {
  const side = 512, other = new URLSearchParams(location.search).has('other');
  let seed = 1, waiting = null, items, begin, gl, draw;
  Math.random = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 4294967296; };
  performance.now = () => 0; Date.now = () => 1.7e12;
  window.requestAnimationFrame = callback => { waiting = callback; return 1; }; window.cancelAnimationFrame = () => { waiting = null; };
  // Calls what waits for an animation frame.
  const tick = () => { const callback = waiting; waiting = null; return callback && callback(0); };
  // An element outside the document has no size. Programs that ask are told the canvas's.
  window.ResizeObserver = class {
    constructor(call) { this.call = call; }
    observe(target) { this.call([{ target, contentRect: { width: side, height: side }, borderBoxSize: [{ inlineSize: side, blockSize: side }] }]); }
    unobserve() {}
    disconnect() {}
  };
  delete window.IntersectionObserver;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = side;
  document.createElement('div').append(canvas);
  // The program's context is the first one that it asks for.
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { const made = getContext.call(this, kind, ...rest); if (kind === 'webgl2') gl ||= made; return made; };

  window.require = name => {
    if (name === './browser.cjs') return { canvas, other, side, tick, main(a, b) { items = a; begin = b; } };
    const request = new XMLHttpRequest(), module = { exports: {} };
    request.open('GET', `/real/${name.slice(2)}`, false);
    request.send();
    if (request.status !== 200) throw new Error(`no file ${name}`);
    new Function('require', 'module', request.responseText)(window.require, module);
    return module.exports;
  };
  // Pixels of the canvas. The program's framebuffer stays bound.
  const read = (width, height) => {
    const bytes = new Uint8Array(width * height * 4), bound = gl.getParameter(gl.READ_FRAMEBUFFER_BINDING);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, null);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, bound);
    return bytes;
  };
  // Makes an item. Answers the driver's name.
  window.setup = async name => {
    if (!items[name]) throw new Error(`no item '${name}'`);
    draw = await items[name](await begin());
    if (!gl) throw new Error('no WebGL 2 here');
    return gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL || gl.RENDERER);
  };
  // Draws three frames. The image that counts is the third one.
  window.third = async () => {
    let bytes;
    for (let i = 0; i < 3; i++) { await draw(); bytes = read(gl.drawingBufferWidth, gl.drawingBufferHeight); }
    const error = gl.getError();
    if (error) throw new Error(`WebGL error ${error}`);
    let text = '';
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return btoa(text);
  };
  // Draws frames, and waits for the last one's pixel.
  window.step = async count => { for (let i = 0; i < count; i++) await draw(); read(1, 1); };
})();
