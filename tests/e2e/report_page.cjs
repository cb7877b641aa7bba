// Opens a report's page in headless Chromium and uses it as a person does: sorts, searches, opens a shader.
//
//     node report_page.cjs PAGE.html [SCREENSHOT-FOLDER]
//
// Prints what it saw, and exits with 1 at the first thing that is wrong. Needs no network, and fails if the page asks for any.
const fs = require('fs'), path = require('path');
const chromium = require(path.join(__dirname, '../../shaders/real/chromium.cjs'));
const [page, folder] = [path.resolve(process.argv[2]), process.argv[3]];
const check = (good, what) => { if (!good) throw new Error(what); };
const text = selector => `document.querySelector(${JSON.stringify(selector)})?.textContent`;
const rows = `[...document.querySelectorAll('#app tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))`;

(async () => {
  const browser = chromium.launch([]), tab = await chromium.open(browser, 'about:blank');
  const asked = [];
  tab.on('Network.requestWillBeSent', ({ request }) => asked.push(request.url));
  await tab.call('Network.enable');
  const show = async where => { await tab.run(`location.hash = ${JSON.stringify(where)}; new Promise(done => setTimeout(done, 50))`); };
  const size = (width, height, scheme) => Promise.all([tab.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 }),
    tab.call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] })]);
  const picture = async name => {
    if (!folder) return;
    const { data } = await tab.call('Page.captureScreenshot', { format: 'png' });
    fs.writeFileSync(path.join(folder, `${name}.png`), Buffer.from(data, 'base64'));
  };
  await size(1280, 900, 'light');
  const loaded = new Promise(done => tab.on('Page.loadEventFired', done));
  await tab.call('Page.navigate', { url: `file://${page}` });
  await loaded;
  check(await tab.run(`document.documentElement.dataset.ready`) === 'yes', 'the page is not ready after loading');
  const took = await tab.run(`performance.now()`);
  const data = await tab.run(`(({ pipelines, shaders, advice }) => ({ pipelines: pipelines.map(p => p.name), advice: advice.length,
    shaders: shaders.map(s => ({ name: s.name, hash: s.hash, lanes: s.lanes, cost: s.cost, gone: s['no-module'] })) }))(JSON.parse(document.getElementById('index').textContent))`);
  console.log(`ready after ${took.toFixed(0)} ms: ${data.pipelines.length} pipelines, ${data.shaders.length} shaders, ${data.advice} pieces of advice`);

  // The dearest comes first; a click on Lanes sorts by lanes, another turns the order round.
  // A program that links its pipelines from libraries has shaders alone.
  check((await tab.run(rows))[0][1].includes(data.pipelines[0] || data.shaders[0].name), 'the dearest is not first');
  await show('/shaders');
  const lanes = data.shaders.map(s => s.lanes || 0), first = async () => (await tab.run(rows))[0][1];
  const has = (row, most) => data.shaders.some(s => (s.lanes || 0) === most && row.includes(s.hash.slice(0, 8)));
  await tab.run(`document.querySelector('th[data-key=lanes]').click()`);
  check(has(await first(), Math.max(...lanes)), 'sorted by lanes, the most is not first');
  check(await tab.run(`document.querySelector('th[data-key=lanes]').getAttribute('aria-sort')`) === 'descending', 'the head does not tell the order');
  await tab.run(`document.querySelector('th[data-key=lanes]').click()`);
  check(has(await first(), Math.min(...lanes)), 'sorted the other way, the least is not first');

  // Search by a part of the hash: that shader alone. Nothing fits nonsense.
  const wanted = data.shaders[data.shaders.length - 1];
  const search = word => tab.run(`(input => { input.value = ${JSON.stringify(word)}; input.dispatchEvent(new Event('input')); })(document.querySelector('input[type=search]'))`);
  await search(wanted.hash.slice(0, 12));
  const hits = await tab.run(rows);
  check(hits.length === data.shaders.filter(s => s.hash.startsWith(wanted.hash.slice(0, 12))).length && hits[0][1].includes(wanted.name), `the search for ${wanted.hash.slice(0, 12)} found ${JSON.stringify(hits)}`);
  await search('no shader has this in its name');
  check((await tab.run(rows)).length === 0, 'nonsense was found');
  await search('');

  // The dearest shader, by a click on its row: name, source with counts, graph.
  await show('/pipelines');
  await show('/shaders');
  await picture('shaders-1280-light');
  await tab.run(`document.querySelector('#app tbody tr td:nth-child(2) a').click(); new Promise(done => setTimeout(done, 50))`);
  const best = data.shaders[0];
  check(await tab.run(text('h1')) === best.name, 'the shader that was clicked is not shown');
  const detail = await tab.run(`JSON.parse(document.getElementById('s0').textContent)`);
  const sourceRows = await tab.run(`document.querySelectorAll('.source tbody tr').length`), nodes = await tab.run(`document.querySelectorAll('.graph .node').length`);
  if (detail.lines.length) check(sourceRows >= detail.lines.length, `${sourceRows} lines of source, ${detail.lines.length} have counts`);
  if (!best.gone && detail.functions[0].blocks.count > 1) check(nodes > 0, 'no graph of a shader whose module is there');
  console.log(`${best.name}: ${sourceRows} source lines, ${nodes} blocks in the graph`);
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    for (const scheme of ['light', 'dark']) {
      await size(width, height, scheme);
      for (const [name, where] of [['pipelines', '/pipelines'], ['shader', `/shader/${best.hash}`], ['advice', '/advice']]) {
        await show(where);
        check(await tab.run(`document.documentElement.scrollWidth <= innerWidth`), `${name} is wider than ${width} pixels`);
        await picture(`${name}-${width}-${scheme}`);
      }
    }
  }
  // What was measured: a pipeline that use mode left alone is no gain.
  const gain = await tab.run(`JSON.parse(document.getElementById('compare')?.textContent || 'null')`);
  for (const pipeline of gain ? gain.pipelines : []) {
    await show(`/pipeline/${pipeline.hash}`);
    const card = await tab.run(text('p.card'));
    check(card && card.includes('unchanged.') === !pipeline.changed && /[0-9]/.test(card) === (pipeline.changed && !!pipeline.gpu), `the gain of ${pipeline.hash} reads '${card}'`);
  }
  if (gain) console.log(`gain of ${gain.pipelines.length} pipelines`);
  check(tab.errors.length === 0, `the page complained: ${tab.errors.join('; ')}`);
  check(asked.every(url => url.startsWith('file://') || url.startsWith('data:')), `the page asked for ${asked.join(' ')}`);
  process.exit();
})().catch(error => { console.error(`report_page: ${error.stack}`); process.exit(1); });
