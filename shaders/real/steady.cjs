// The processor time of a step once a program runs steadily, in microseconds. Used by canvas.cjs, browser.cjs, tfjs.cjs, onnx.cjs and ggml.cjs.
// A collection of garbage or a compile in the background falls into a few steps. The median leaves these out.
// The clock counts processor time: of this process, unless the caller has another.
//
// BY_TURNS=FILE, for a layer whose setting TRIGGER is FILE: the layer counts while FILE is there. Steps with and without take turns in one
// process, so what else the machine does falls on both. The time is that of counted steps. FILE.ratio gets a line: that over the others'.
const fs = require('fs'), turns = process.env.BY_TURNS;
const own = () => { const { user, system } = process.cpuUsage(); return user + system; };
const median = list => { list.sort((a, b) => a - b); const half = list.length >> 1; return list.length % 2 ? list[half] : (list[half - 1] + list[half]) / 2; };
const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

module.exports = async function steady(step, seconds, clock = own) {
  const begin = process.hrtime.bigint(), times = [], others = [], ratios = [], lasts = turns ? 2 : 0;   // at least two turns
  const timed = async list => { const before = clock(); await step(); list.push(clock() - before); return list[list.length - 1]; };
  // The layer looks for the file ten times a second, at a submission. Steps before that look are not timed.
  const turn = async counted => {
    if (counted) fs.writeFileSync(turns, ''); else fs.rmSync(turns, { force: true });
    await step(); await pause(110); await step(); await step();
    const list = [];
    await timed(list); await timed(list); await timed(list);
    return median(list);
  };
  do {
    if (!turns) { await timed(times); continue; }
    const without = await turn(false), counted = await turn(true);
    others.push(without); times.push(counted); ratios.push(counted / without);
  } while (Number(process.hrtime.bigint() - begin) < seconds * 1e9 || times.length < lasts);
  if (turns) fs.appendFileSync(`${turns}.ratio`, `${median(ratios).toFixed(3)} ${median(others)} ${ratios.map(r => r.toFixed(2)).join(' ')}\n`);
  return median(times);
};
