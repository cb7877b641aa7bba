// The processor time of a step once a program runs steadily, in microseconds. Used by canvas.cjs, browser.cjs, tfjs.cjs and ggml.cjs.
// A collection of garbage or a compile in the background falls into a few steps. The median leaves these out.
// The clock counts processor time: of this process, unless the caller has another.
const own = () => { const { user, system } = process.cpuUsage(); return user + system; };
module.exports = async function steady(step, seconds, clock = own) {
  const begin = process.hrtime.bigint(), times = [];
  do {
    const before = clock();
    await step();
    times.push(clock() - before);
  } while (Number(process.hrtime.bigint() - begin) < seconds * 1e9);
  times.sort((a, b) => a - b);
  const half = times.length >> 1;
  return times.length % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
};
