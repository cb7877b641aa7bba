// Runs WebGL 2 programs in Chromium, whose ANGLE draws on the Vulkan driver of VK_DRIVER_FILES. Used by niivue.cjs, webgl.cjs and paper.cjs.
//
// A family's driver FAMILY.cjs runs in two places, and both times requires this file:
//
//     node FAMILY.cjs   main() takes the command line, starts Chromium, serves the files and prints the items' lines
//     the page          browser_page.js stands in for this file: main() keeps the items, which then draw
//
// Owns Chromium with its fresh user folder and a server on loopback. All go at the end, also after an error or a signal.
// Chromium is spoken to by --remote-debugging-pipe: JSON that ends in NUL, file descriptors 3 and 4.
const { spawn } = require('child_process'), crypto = require('crypto'), fs = require('fs'), http = require('http'), os = require('os'), path = require('path'), readline = require('readline');
const steady = require('./steady.cjs');
const family = path.basename(process.argv[1]), frames = 4;   // of one step
// Mode "swiftshader" of ANGLE uses the loader, and so the driver and the layers that the environment names.
const flags = ['--headless', '--no-sandbox', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--ignore-gpu-blocklist', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--remote-debugging-pipe'];

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

// Starts Chromium. call() sends a command and answers its result; on() calls back at an event of a session.
function launch() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
  const child = spawn('chromium', [...flags, `--user-data-dir=${folder}`], {
    detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], env: { ...process.env, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
  });
  const waiting = new Map(), heard = new Map(), log = [];
  // Chromium's own log is kept for a failure. Other lines, such as the layer's, pass.
  readline.createInterface({ input: child.stderr }).on('line', line => { if (!/^\[\d+:\d+:|^\S*chromium: /.test(line)) console.error(line); else if (!line.includes('dbus')) log.push(line); });
  let last = 0, rest = '', ended = false;
  // Its processes are a group of their own. On Browser.close Chromium kills the GPU process as well: its counts are recovered either way.
  const kill = () => {
    try { process.kill(-child.pid, 'SIGKILL'); } catch { /* all are gone */ }
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  process.on('exit', kill);
  for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]]) process.on(signal, () => process.exit(code));
  const gone = why => { ended = true; for (const { fail } of waiting.values()) fail(new Error(`Chromium is gone: ${why}`)); waiting.clear(); };
  child.on('error', error => gone(error.message));
  child.on('exit', (code, signal) => gone(signal || `exit code ${code}`));
  child.stdio[3].on('error', () => {});
  child.stdio[4].setEncoding('utf8').on('data', text => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    for (const { id, result, error, method, params, sessionId } of messages.map(message => JSON.parse(message))) {
      if (id === undefined) heard.get(`${sessionId} ${method}`)?.(params);
      else if (waiting.has(id)) { const { done, fail } = waiting.get(id); waiting.delete(id); if (error) fail(new Error(error.message)); else done(result); }
    }
  });
  const call = (method, params = {}, sessionId) => new Promise((done, fail) => {
    if (ended) return fail(new Error('Chromium is gone'));
    waiting.set(++last, { done, fail });
    child.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId }) + '\0');
  });
  return { call, log, on: (sessionId, method, callback) => heard.set(`${sessionId} ${method}`, callback) };
}

// A fresh page. run() evaluates an expression there and answers its value.
async function open({ call, on }, address) {
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' }), { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  on(sessionId, 'Runtime.consoleAPICalled', ({ type, args }) => { if (type === 'error') console.error(args.map(arg => arg.value ?? arg.description).join(' ')); });
  await call('Runtime.enable', {}, sessionId);
  await call('Page.enable', {}, sessionId);
  const loaded = new Promise(done => on(sessionId, 'Page.loadEventFired', done));
  await call('Page.navigate', { url: address }, sessionId);
  await loaded;
  return {
    async run(expression) {
      const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
      return result.value;
    },
    close: () => call('Target.closeTarget', { targetId }),
  };
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
  const page = await open(browser, address), driver = await page.run(`setup(${JSON.stringify(name)})`);
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
    browser = launch();
    const address = `http://127.0.0.1:${server.address().port}/${process.env.OTHER_INPUT ? '?other' : ''}`;
    for (const name of process.argv[2].split(',')) await measure(browser, address, name, Number(process.argv[3] || 1));
    process.exit();
  })().catch(error => { console.error([...browser ? browser.log.slice(-10) : [], `${family}: ${error.stack}`].join('\n')); process.exit(1); });
}
module.exports = { main };
