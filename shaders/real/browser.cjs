// Runs WebGL 2 programs in Chromium, whose ANGLE draws on the Vulkan driver of VK_DRIVER_FILES. Used by niivue.cjs, webgl.cjs, paper.cjs and filament.cjs.
//
// A family's driver FAMILY.cjs runs in two places, and both times requires this file:
//
//     node FAMILY.cjs   main() takes the command line, starts Chromium, serves the files and prints the items' lines
//     the page          browser_page.js stands in for this file: main() keeps the items, which then draw
//
// Owns Chromium (chromium.cjs) and a server on loopback. Both go at the end, also after an error or a signal.
const crypto = require('crypto'), fs = require('fs'), http = require('http'), path = require('path');
const chromium = require('./chromium.cjs'), steady = require('./steady.cjs');
const family = path.basename(process.argv[1]), frames = 4;   // of one step
// Mode "swiftshader" of ANGLE uses the loader, and so the driver and the layers that the environment names.
const flags = ['--ignore-gpu-blocklist', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', ...process.env.BY_TURNS ? ['--disable-angle-features=supportsGraphicsPipelineLibrary'] : []];

// The page is /; /real/FILE is a file of this folder; any other path lies in node_modules.
function serve(imports) {
  const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script src="/real/browser_page.js"></script><script>require('./${family}')</script>`;
  const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.cjs': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
  const server = http.createServer((request, response) => {
    const name = path.posix.normalize(new URL(request.url, 'http://x').pathname);
    if (name === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    fs.readFile(name.startsWith('/real/') ? path.join(__dirname, name.slice(6)) : path.join(process.env.NODE_PATH, name), (error, bytes) =>
      error ? response.writeHead(404).end() : response.writeHead(200, { 'content-type': types[path.extname(name)] || 'application/octet-stream' }).end(bytes));
  });
  return new Promise(done => server.listen(0, '127.0.0.1', () => done(server)));
}

// Processor time of all threads of a process, in microseconds: lavapipe computes in threads of the GPU process.
function processorTime(pid) {
  let nanoseconds = 0;
  for (const task of fs.readdirSync(`/proc/${pid}/task`)) {
    try { nanoseconds += Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]); } catch { /* this thread has just ended */ }
  }
  return nanoseconds / 1000;
}

async function measure(browser, address, name, seconds) {
  const page = await chromium.open(browser, address), driver = await page.run(`setup(${JSON.stringify(name)})`);
  if (driver.includes('SwiftShader')) throw new Error(`WebGL draws on "${driver}", which is Chromium's own driver: set VK_DRIVER_FILES`);
  const bytes = Buffer.from(await page.run('third()'), 'base64'), hash = crypto.createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  if (process.env.PIXELS) fs.writeFileSync(`${process.env.PIXELS}/${name}.rgba`, bytes);
  const { processInfo } = await browser.call('SystemInfo.getProcessInfo'), { id } = processInfo.find(({ type }) => type === 'GPU');
  const time = await steady(() => page.run(`step(${frames})`), seconds, () => processorTime(id));
  console.log(`${name} ${(time / frames).toFixed(1)} ${hash}`);
  await page.close();
}

// The commands of a driver: "list" and "NAME,NAME... SECONDS". imports: the page's import map; begin() makes an engine for each item, in the page.
function main(items, begin, imports = {}) {
  if (process.argv[2] === 'list') return console.log(Object.keys(items).join('\n'));
  let browser;
  (async () => {
    const server = await serve(imports);
    browser = chromium.launch(flags);
    const address = `http://127.0.0.1:${server.address().port}/${process.env.OTHER_INPUT ? '?other' : ''}`;
    for (const name of process.argv[2].split(',')) await measure(browser, address, name, Number(process.argv[3] || 1));
    process.exit();
  })().catch(error => { console.error([...browser ? browser.log.slice(-10) : [], `${family}: ${error.stack}`].join('\n')); process.exit(1); });
}
module.exports = { main };
