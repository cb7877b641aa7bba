// Headless Chromium, spoken to by --remote-debugging-pipe: JSON that ends in NUL, file descriptors 3 and 4. Used by browser.cjs, and by
// the test of the report's page. Owns Chromium's processes and its fresh user folder. Both go at the end, also after an error or a signal.
const { spawn } = require('child_process'), fs = require('fs'), os = require('os'), path = require('path'), readline = require('readline');
const common = ['--headless', '--no-sandbox', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--remote-debugging-pipe'];

// Starts Chromium with further flags. call() sends a command and answers its result; on() calls back at an event of a session.
function launch(flags) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
  const child = spawn('chromium', [...common, ...flags, `--user-data-dir=${folder}`], {
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

// A fresh page. run() evaluates an expression there and answers its value. errors: what the page said by console.error, and its exceptions.
async function open({ call, on }, address) {
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' }), { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  const errors = [];
  const said = text => { errors.push(text); console.error(text); };
  on(sessionId, 'Runtime.consoleAPICalled', ({ type, args }) => { if (type === 'error') said(args.map(arg => arg.value ?? arg.description).join(' ')); });
  on(sessionId, 'Runtime.exceptionThrown', ({ exceptionDetails }) => said(exceptionDetails.exception?.description || exceptionDetails.text));
  await call('Runtime.enable', {}, sessionId);
  await call('Page.enable', {}, sessionId);
  const loaded = new Promise(done => on(sessionId, 'Page.loadEventFired', done));
  await call('Page.navigate', { url: address }, sessionId);
  await loaded;
  return {
    errors,
    call: (method, params) => call(method, params, sessionId),
    on: (method, callback) => on(sessionId, method, callback),
    async run(expression) {
      const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
      return result.value;
    },
    close: () => call('Target.closeTarget', { targetId }),
  };
}

module.exports = { launch, open };
