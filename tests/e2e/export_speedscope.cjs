// Gives a profile to speedscope in headless Chromium, as its command line does, and looks whether its importer took it.
//
//     node export_speedscope.cjs SPEEDSCOPE/dist/release PROFILE.json
//
// Prints the profiles that speedscope shows; exits with 1 where it shows an error or not every profile of the file.
const fs = require('fs'), os = require('os'), path = require('path');
const chromium = require(path.join(__dirname, '../../shaders/real/chromium.cjs'));
const [release, profile] = process.argv.slice(2).map(name => path.resolve(name));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'speedscope-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

(async () => {
  const text = fs.readFileSync(profile), script = path.join(folder, 'profile.js'), { profiles } = JSON.parse(text);
  fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(profile))}, ${JSON.stringify(text.toString('base64'))})`);
  const browser = chromium.launch(['--allow-file-access-from-files']);
  const tab = await chromium.open(browser, `file://${release}/index.html#localProfilePath=${script}`);
  let shown = '';
  for (let tries = 0; tries < 100 && !tab.errors.length; tries++) {
    await new Promise(done => setTimeout(done, 100));
    shown = await tab.run('document.body.innerText + "\\n" + document.title');
    if (/Unrecognized|Something went wrong|not a valid/i.test(shown) || profiles.some?.(({ name }) => shown.includes(name))) break;
  }
  if (tab.errors.length) throw new Error(tab.errors.join('\n'));
  if (!Array.isArray(profiles) || !shown.includes(profiles[0].name)) throw new Error(`speedscope shows ${JSON.stringify(shown.slice(0, 400))}`);
  const [first] = profiles;
  if (first.weights.reduce((sum, weight) => sum + weight, 0) !== first.endValue) throw new Error('the weights do not add up');
  console.log(`speedscope shows ${JSON.stringify(shown.split('\n').filter(Boolean).slice(0, 12).join(' | '))}`);
  process.exit(0);
})().catch(error => { console.error(error.message || error); process.exit(1); });
