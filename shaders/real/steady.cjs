// The processor time of a step once a program runs steadily. Used by canvas.cjs, tfjs.cjs and ggml.cjs.
// A collection of garbage or a compile in the background falls into a few steps. The median leaves these out.
module.exports = async function steady(step, seconds) {
  const begin = process.hrtime.bigint(), times = [];
  do {
    const before = process.cpuUsage();
    await step();
    const used = process.cpuUsage(before);
    times.push(used.user + used.system);
  } while (Number(process.hrtime.bigint() - begin) < seconds * 1e9);
  times.sort((a, b) => a - b);
  const half = times.length >> 1;
  return times.length % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
};
