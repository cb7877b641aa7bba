'use strict';
/* The report's page: tables of pipelines, shaders and advice; one shader with its source, graph and probes.
 * Data: #index, and #s<n>, #f<n>, parsed when they are shown. The address behind # says what is shown. */
(() => {
  const parse = (id) => JSON.parse(document.getElementById(id).textContent);
  const index = parse('index');
  const app = document.getElementById('app');
  const cache = {};
  const piece = (id) => cache[id] || (cache[id] = parse(id));

  /* el('td', {class: 'text'}, child...): children are texts or nodes. */
  const el = (tag, attributes, ...children) => {
    const node = tag === 'svg' || tag === 'g' || tag === 'rect' || tag === 'path' || tag === 'text' || tag === 'title' || tag === 'marker' || tag === 'defs'
      ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
    }
    for (const child of children.flat(9)) {
      if (child !== null && child !== undefined && child !== false) node.append(child);
    }
    return node;
  };

  const digits = (n) => n === null || n === undefined ? '–' : Math.round(n).toLocaleString('en-US');
  const short = (n) => {
    if (n === null || n === undefined) return '–';
    for (const [unit, size] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]]) {
      if (n >= size) return (n / size).toFixed(n >= 100 * size ? 0 : 1) + unit;
    }
    return String(Math.round(n));
  };
  const ratio = (part, whole, places = 1) => part === null || !whole ? '–' : (part / whole).toFixed(places);
  const percent = (part, whole) => part === null || part === undefined || !whole ? '–' : (100 * part / whole).toFixed(1) + ' %';
  const time = (ns) => ns === null ? '–' : ns >= 1e9 ? (ns / 1e9).toFixed(2) + ' s' : ns >= 1e6 ? (ns / 1e6).toFixed(2) + ' ms' : (ns / 1e3).toFixed(1) + ' µs';
  const base = (name) => name.split(/[\\/]/).pop() || name;
  const link = (where, text) => el('a', { href: '#/' + where }, text);
  const heat = (value, most) => value && most ? 0.6 * Math.log1p(value) / Math.log1p(most) : 0;
  const bar = (share) => el('span', { class: 'bar', 'aria-hidden': 'true' }, el('i', { style: `width:${Math.max(0, Math.min(100, 100 * share))}%` }));

  const all = index.shaders.reduce((sum, s) => sum + s.cost, 0) || 1;
  index.shaders.forEach((s, i) => { s.at = i; s.share = s.cost / all; s.width = s.waves ? s['work-lanes'] / s['work-waves'] : null; });
  index.pipelines.forEach((p, i) => { p.at = i; p.lanes = p.stages.some((s) => s.lanes === null) ? null : Math.max(0, ...p.stages.map((s) => s.lanes)); });

  /* -- Tables */

  /* columns: {key, title, text, wide, hint, value(row), cell(row)}. Sorted by a click on a head, 200 rows at a time. */
  const table = (rows, columns, { sort, open, empty }) => {
    let by = sort, down = true, shown = 200;
    const head = el('tr', {});
    const body = el('tbody', {});
    const more = el('div', { class: 'page' });
    const draw = () => {
      const column = columns.find((c) => c.key === by);
      const sorted = rows.slice().sort((a, b) => {
        const x = column.value(a), y = column.value(b);
        const order = typeof x === 'string' || typeof y === 'string' ? String(x).localeCompare(String(y)) : (x ?? -1) - (y ?? -1);
        return (down ? -order : order) || a.at - b.at;
      });
      head.replaceChildren(...columns.map((c) => el('th', {
        'data-key': c.key, class: (c.text ? 'text ' : '') + (c.wide ? 'wide' : ''), title: c.hint || '', tabindex: 0, scope: 'col',
        'aria-sort': c.key === by ? (down ? 'descending' : 'ascending') : null,
        onclick: () => { down = c.key === by ? !down : !c.text; by = c.key; draw(); },
        onkeydown: (event) => { if (event.key === 'Enter') event.target.click(); },
      }, c.title)));
      body.replaceChildren(...sorted.slice(0, shown).map((row) => el('tr', { class: open ? 'go' : null, onclick: open ? (event) => { if (event.target.tagName !== 'A') location.hash = open(row); } : undefined },
        columns.map((c) => el('td', { class: (c.text ? 'text ' : '') + (c.wide ? 'wide' : '') }, c.cell(row))))));
      more.replaceChildren(rows.length > shown
        ? el('button', { onclick: () => { shown += 1000; draw(); } }, `show more (${rows.length - shown})`) : '',
      el('span', { class: 'muted' }, rows.length ? `${rows.length} rows` : empty || 'nothing'));
    };
    draw();
    return el('div', {}, el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, head), body)), more);
  };

  const shareColumn = (hint, title, share) => ({ key: 'share', title, hint, value: share, cell: (r) => [bar(share(r)), el('span', { class: 'share' }, percent(share(r), 1))] });
  const shaderName = (s) => link('shader/' + s.hash, s.name);
  const shaderColumns = [
    shareColumn('share of all work: SPIR-V instructions times waves', 'Work', (s) => s.share),
    { key: 'name', title: 'Shader', text: true, value: (s) => s.name, cell: (s) => [shaderName(s), ' ', el('code', { class: 'muted' }, s.hash.slice(0, 8))] },
    { key: 'stage', title: 'Stage', value: (s) => s.stage, cell: (s) => s.stage },
    { key: 'waves', title: 'Waves', wide: true, hint: 'waves that started', value: (s) => s.waves, cell: (s) => short(s.waves) },
    { key: 'lanes', title: 'Lanes', hint: 'live lanes that started', value: (s) => s.lanes, cell: (s) => short(s.lanes) },
    { key: 'width', title: 'Lanes/wave', hint: 'mean live lanes a wave, weighted by work: fewer than the wave has means lanes that idle', value: (s) => s.width, cell: (s) => s.width === null ? '–' : s.width.toFixed(1) },
    { key: 'pipelines', title: 'Pipelines', wide: true, value: (s) => s.pipelines.length, cell: (s) => s.pipelines.length },
  ];
  const pipelineColumns = [
    shareColumn('share of ' + index.cost, 'Cost', (p) => p.cost),
    { key: 'name', title: 'Pipeline', text: true, value: (p) => p.name, cell: (p) => [link('pipeline/' + p.hash, p.name), ' ', el('code', { class: 'muted' }, p.hash.slice(0, 8))] },
    { key: 'time', title: 'GPU time', hint: 'by timestamps', value: (p) => p['gpu-nanoseconds'], cell: (p) => time(p['gpu-nanoseconds']) },
    { key: 'uses', title: 'Draws', hint: 'draws and dispatches', value: (p) => (p.draws || 0) + (p.dispatches || 0), cell: (p) => p.draws === null ? '–' : short(p.draws + p.dispatches) },
    { key: 'lanes', title: 'Lanes', wide: true, hint: 'of the stage with most', value: (p) => p.lanes, cell: (p) => short(p.lanes) },
    { key: 'stages', title: 'Stages', wide: true, value: (p) => p.stages.length, cell: (p) => p.stages.map((s) => index.shaders[s.shader].stage).join(' ') },
  ];

  /* -- Documents of other commands */

  const extra = (name) => document.getElementById(name) && piece(name);

  /* Registers and the like, by the compiler of a driver: original, use mode, without dead blocks. */
  const interesting = /VGPR|SGPR|Subgroups per SIMD|[Ss]pill|Scratch|LDS|Code size|Instructions|Latency|Inverse/;
  const estimateTables = (hash, stages) => {
    const document_ = extra('estimate'), found_ = document_ && document_.pipelines.find((p) => p.pipeline === hash);
    if (!found_) return null;
    const forms = Object.keys(found_.forms), of = (form) => found_.forms[form].executables || [];
    return [el('h2', {}, 'Registers and code'), el('p', { class: 'muted' }, `by the compiler of ${document_.device.name}, ${document_.device.info}. what-if is without the blocks that never ran: right for this profile alone.`),
      of('original').filter((e) => !stages || stages.some((s) => e.stages.includes(s))).map((e) => el('div', { class: 'scroll', style: 'margin:8px 0' }, el('table', {},
        el('thead', {}, el('tr', {}, el('th', { class: 'text' }, e.name), forms.map((f) => el('th', {}, f)))),
        el('tbody', {}, Object.keys(e.statistics).filter((k) => interesting.test(k)).map((k) => el('tr', {}, el('td', { class: 'text' }, k),
          forms.map((f) => el('td', {}, digits((found_.forms[f].same_as_original ? e : of(f).find((x) => x.name === e.name))?.statistics[k])))))))))];
  };

  // Too few rounds tell no interval (runtime/tune/paired.h).
  const tellsInterval = (r) => r.confidence >= 0.95;
  const ratioText = (r) => `${r.ratio.toFixed(2)}${tellsInterval(r) ? ` (${r.low.toFixed(2)} to ${r.high.toFixed(2)}${r.low <= 1 && r.high >= 1 ? ': no difference shown' : ''})` : ''}`;
  const gainOf = (hash) => { const c = extra('compare'); return c && c.pipelines.find((p) => p.hash === hash); };
  const verdicts = { noise: 'no further from 1 than unchanged pipelines are: noise', 'few-rounds': 'too few rounds for an interval' };
  // A pipeline that use mode left alone: its ratio is noise, and is not shown.
  const gainText = (p) => !p.changed ? 'Use mode left this pipeline unchanged.'
    : !p.gpu ? 'Use mode changed this pipeline. Its GPU time was not measured on both sides.'
      : `GPU time with the profile over that without: ${ratioText(p.gpu)}${verdicts[p.verdict] ? '; ' + verdicts[p.verdict] : ''}.`;
  const gainCard = () => {
    const c = extra('compare'), r = c && c.ratios[c.headline];
    if (!r) return null;
    const rounds = `${c.rounds} round${c.rounds === 1 ? '' : 's'} of ${c.command.join(' ')} on ${c.device || 'this device'}, ${c.date.slice(0, 10)}`;
    return el('div', { class: 'card' },
      el('p', {}, el('b', {}, c.changed === 0 ? 'With the profile no pipeline was changed.' : `With the profile the program takes ${ratioText(r)} of the time.`)),
      el('p', { class: 'muted' }, Object.entries(c.ratios).map(([what, one]) => `${what}: ${ratioText(one)}`).join('; '), c.changed === 0 ? '. These are noise, and what reading the profile costs.' : ''),
      c.noise && c.changed !== 0 ? el('p', { class: 'muted' }, `Noise: unchanged pipelines measured ${c.noise.low.toFixed(2)} to ${c.noise.high.toFixed(2)}.`) : '',
      el('p', { class: 'muted' }, rounds + (tellsInterval(r) ? `; ${(100 * r.confidence).toFixed(0)} % intervals of the median.` : '; too few for an interval: 6 give one.')));
  };

  /* -- One shader */

  const place = (shader, detail, f, block) => {
    const blocks = detail.functions.find((x) => x.function === f)?.blocks;
    if (!blocks || !blocks.line || blocks.file[block] < 0) return 'block ' + block;
    return `${base(piece('f' + blocks.file[block]).name)}:${blocks.line[block]}${blocks.kind[block] ? ' ' + blocks.kind[block] : ''}`;
  };

  const jump = (shader, detail, f, block) => {
    const blocks = detail.functions.find((x) => x.function === f)?.blocks;
    const text = place(shader, detail, f, block);
    if (!blocks || !blocks.line || blocks.file[block] < 0) return text;
    return el('a', { href: '#', onclick: (event) => {
      event.preventDefault();
      const row = document.getElementById(`l${blocks.file[block]}-${blocks.line[block]}`);
      document.querySelectorAll('.here').forEach((r) => r.classList.remove('here'));
      if (row) { row.classList.add('here'); row.scrollIntoView({ block: 'center' }); }
    } }, text);
  };

  const sourceTable = (shader, detail, file) => {
    const text = piece('f' + file).text;
    const counts = new Map(detail.lines.filter((l) => l[0] === file).map((l) => [l[1], l]));
    const most = Math.max(0, ...[...counts.values()].map((l) => l[2] || 0));
    const lines = text === null ? [...counts.keys()].map((n) => [n, '']) : text.split('\n').map((t, i) => [i + 1, t.replace(/\r$/, '')]);
    return el('div', { class: 'scroll' }, el('table', { class: 'source mono' },
      el('thead', {}, el('tr', {}, el('th', { class: 'wide' }, 'waves'), el('th', {}, 'lanes'), el('th', {}, 'lanes/wave'), el('th', { class: 'wide' }, 'uniform'), el('th', {}, ''), el('th', { class: 'text' }, base(piece('f' + file).name)))),
      el('tbody', {}, lines.map(([number, line]) => {
        const l = counts.get(number);
        const ran = l && l[2];
        return el('tr', { id: `l${file}-${number}`, style: ran ? `background:rgba(var(--heat),${heat(l[2], most).toFixed(3)})` : null },
          el('td', { class: 'wide' }, l ? short(l[3]) : ''), el('td', { title: l ? digits(l[2]) : null }, l ? short(l[2]) : ''),
          el('td', {}, ran ? ratio(l[2], l[3]) : ''), el('td', { class: 'wide' }, ran ? percent(l[4], l[3]) : ''),
          el('td', { class: 'no' }, number), el('td', {}, line));
      }))));
  };

  /* Layers by the longest way from the entry, back edges aside; order within a layer by the parents. */
  const graph = (shader, detail, f) => {
    const blocks = f.blocks, n = blocks.count, next = Array.from({ length: n }, () => []);
    f.edges.forEach((e) => next[e[0]].push(e));
    const state = new Array(n).fill(0), order = [], back = new Set();
    const stack = [[0, 0]];
    state[0] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top[1] < next[top[0]].length) {
        const e = next[top[0]][top[1]++];
        if (state[e[1]] === 1) back.add(e);
        else if (!state[e[1]]) { state[e[1]] = 1; stack.push([e[1], 0]); }
      } else { state[top[0]] = 2; order.unshift(top[0]); stack.pop(); }
    }
    const layer = new Array(n).fill(-1);
    layer[0] = 0;
    for (const b of order) for (const e of next[b]) if (!back.has(e)) layer[e[1]] = Math.max(layer[e[1]], layer[b] + 1);
    const layers = [];
    for (const b of order) (layers[layer[b]] = layers[layer[b]] || []).push(b);
    const x = new Array(n).fill(0);
    layers.forEach((row, depth) => {
      if (depth) {
        const wish = new Map(row.map((b) => {
          const parents = f.edges.filter((e) => e[1] === b && !back.has(e)).map((e) => x[e[0]]);
          return [b, parents.length ? parents.reduce((s, v) => s + v, 0) / parents.length : 0];
        }));
        row.sort((a, b) => wish.get(a) - wish.get(b));
        const middle = row.reduce((s, b) => s + wish.get(b), 0) / row.length;
        row.forEach((b, i) => { x[b] = middle + (i - (row.length - 1) / 2) * 190; });
      } else x[row[0]] = 0;
    });
    const reached = order.length ? order : [0];
    const left = Math.min(...reached.map((b) => x[b])), right = Math.max(...reached.map((b) => x[b]));
    const W = 170, H = 40, step = 78, width = right - left + W + 80, height = layers.length * step + 20;
    const px = (b) => x[b] - left + 20, py = (b) => layer[b] * step + 10;
    const most = Math.max(0, ...(blocks.lanes || [0]));
    const svg = el('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'control flow' },
      el('defs', {}, el('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerUnits: 'userSpaceOnUse', markerWidth: 8, markerHeight: 8, orient: 'auto' }, el('path', { d: 'M0 0L8 4L0 8z', style: 'fill:var(--muted);stroke:none' }))));
    for (const e of f.edges) {
      if (layer[e[0]] < 0 || layer[e[1]] < 0) continue;
      const from = blocks.lanes ? blocks.lanes[e[0]] : 0;
      const weight = e[2] !== null && from ? 1 + 3 * e[2] / from : 1;
      const x1 = px(e[0]) + W / 2, y1 = py(e[0]) + H, x2 = px(e[1]) + W / 2, y2 = py(e[1]);
      const d = back.has(e) ? `M${px(e[0]) + W} ${py(e[0]) + H / 2}C${px(e[0]) + W + 50} ${py(e[0])},${px(e[1]) + W + 50} ${y2 + H},${px(e[1]) + W} ${y2 + H / 2}`
        : `M${x1} ${y1}C${x1} ${y1 + 24},${x2} ${y2 - 24},${x2} ${y2}`;
      svg.append(el('path', { d, class: back.has(e) ? 'back' : null, 'stroke-width': weight.toFixed(2), 'marker-end': 'url(#arrow)' },
        el('title', {}, `${e[0]} to ${e[1]}: ${e[2] === null ? 'lanes unknown' : digits(e[2]) + ' lanes'}`)));
      if (e[2] !== null && next[e[0]].length > 1) svg.append(el('text', { x: (x1 + x2) / 2 + 4, y: (y1 + y2) / 2 + 3 }, percent(e[2], from)));
    }
    for (const b of reached) {
      const lanes = blocks.lanes ? blocks.lanes[b] : null, waves = blocks.waves ? blocks.waves[b] : null;
      svg.append(el('g', { class: 'node', onclick: () => { const a = jump(shader, detail, f.function, b); if (a.click) a.click(); } },
        el('rect', { x: px(b), y: py(b), width: W, height: H, rx: 4, style: lanes ? `fill:rgba(var(--heat),${heat(lanes, most).toFixed(3)})` : null }),
        el('text', { x: px(b) + 6, y: py(b) + 15 }, `${b} ${place(shader, detail, f.function, b)}`.slice(0, 24)),
        el('text', { x: px(b) + 6, y: py(b) + 31 }, lanes === null ? '' : `${short(lanes)} lanes${waves ? ', ' + ratio(lanes, waves) + ' a wave' : ''}`),
        el('title', {}, `block ${b}, ${blocks.instructions ? blocks.instructions[b] + ' instructions, ' : ''}${digits(lanes)} lanes, ${digits(waves)} waves`)));
    }
    return el('div', { class: 'graph', tabindex: 0 }, svg);
  };

  const trips = (i) => i === 0 ? '0' : i === 1 ? '1' : `${2 ** (i - 1)}-${2 ** i - 1}`;
  const loopCards = (shader, detail, f) => f.loops.filter((l) => l.lanes).map((l) => {
    const most = Math.max(...l.histogram);
    return el('div', { class: 'card' }, el('p', {}, jump(shader, detail, f.function, l.block), ` ${digits(l.lanes)} lanes entered, ${ratio(l.trips, l.lanes)} trips each`),
      el('div', { class: 'hist', role: 'img', 'aria-label': 'lanes by trips' }, l.histogram.map((count, i) => el('i', { style: `height:${most ? 100 * count / most : 0}%`, title: `${trips(i)} trips: ${digits(count)} lanes` }))),
      el('p', { class: 'muted' }, 'lanes by trips: ' + l.histogram.map((count, i) => count ? `${trips(i)}: ${percent(count, l.lanes)}` : null).filter(Boolean).join(', ')));
  });

  /* Without the probe of branches the edges tell how many lanes went each way; the first edge is the true side. */
  const ways = (f, b) => {
    if (b.true !== null) return b;
    const out = f.edges.filter((e) => e[0] === b.block);
    return out.length === 2 && out.every((e) => e[2] !== null) ? { ...b, true: out[0][2], false: out[1][2] } : b;
  };
  const branchTable = (shader, detail, f) => table(f.branches.map((b, i) => ({ ...ways(f, b), at: i })).filter((b) => b.true || b.false || b.idle), [
    { key: 'idle', title: 'Idle work', hint: 'instructions times lanes that waited because lanes went the other way', value: (b) => b.idle, cell: (b) => [bar(b.idle / (b.idle + (shader['work-lanes'] || 1))), percent(b.idle, b.idle + (shader['work-lanes'] || 1))] },
    { key: 'place', title: 'Branch', text: true, value: (b) => b.block, cell: (b) => jump(shader, detail, f.function, b.block) },
    { key: 'true', title: 'True', hint: 'lanes for which the condition holds', value: (b) => b.true, cell: (b) => percent(b.true, (b.true || 0) + (b.false || 0)) },
    { key: 'both', title: 'Split waves', hint: 'waves that went both ways', value: (b) => b.both, cell: (b) => percent(b.both, b.waves) },
    { key: 'waves', title: 'Waves', wide: true, value: (b) => b.waves, cell: (b) => short(b.waves) },
  ], { sort: 'idle', empty: 'no branch ran' });

  const valueTable = (shader, detail, f) => {
    const rows = [...f.words.map((v) => ({ ...v, word: true })), ...f.values].map((v, i) => ({ ...v, at: i }));
    return table(rows, [
      { key: 'agreed', title: 'Agreed', hint: 'waves whose lanes all had one value', value: (v) => v.agreed / v.asked, cell: (v) => percent(v.agreed, v.asked) },
      { key: 'what', title: 'Value', text: true, value: (v) => v.name || v.kind, cell: (v) => [v.name ? el('code', {}, v.name) : v.kind, ' ', v.word ? el('span', { class: 'muted' }, 'uniform block') : jump(shader, detail, f.function, v.block)] },
      { key: 'values', title: 'Commonest', text: true, value: (v) => v.values.length ? v.values[0][1] / v.asked : 0, cell: (v) => v.values.map(([value, count]) => `${value}: ${percent(count, v.asked)}`).join(', ') || '–' },
      { key: 'asked', title: 'Asked', wide: true, hint: 'waves', value: (v) => v.asked, cell: (v) => short(v.asked) },
    ], { sort: 'values', empty: 'no value was asked for' });
  };

  const adviceCard = (a, named) => {
    const shader = index.shaders[a.shader];
    const detail = piece('s' + a.shader);
    return el('div', { class: 'card' }, el('p', {}, el('span', { class: 'chip' }, a.kind), ' ', el('b', {}, a.what)),
      el('p', { class: 'muted' }, named ? [shaderName(shader), ' '] : '', named ? place(shader, detail, a.function, a.block) : jump(shader, detail, a.function, a.block), ': ', a.evidence),
      a.saving ? el('p', {}, `predicted: ${percent(a.saving, 1)} of the shader's work, ${percent(a['of-all'], 1)} of all`) : el('p', { class: 'muted' }, a.prediction));
  };

  const remarkList = (shader, detail) => ['done', 'refused'].map((kind) => {
    const list = detail.remarks.filter((r) => r.done === (kind === 'done'));
    return list.length ? [el('h2', {}, kind === 'done' ? 'What use mode does' : 'What use mode leaves, and why'),
      el('div', { class: 'scroll' }, el('table', {}, el('tbody', {}, list.map((r) => el('tr', {}, el('td', { class: 'text ' + kind }, r.pass), el('td', { class: 'text' }, jump(shader, detail, r.function, r.block)), el('td', { class: 'text' }, r.text))))))] : null;
  });

  const fact = (label, value) => el('div', { class: 'fact' }, el('b', {}, value), el('span', { class: 'muted' }, label));

  const showShader = (hash) => {
    const shader = index.shaders.find((s) => s.hash === hash) || index.shaders[0];
    const detail = piece('s' + shader.at);
    const files = [...new Set(detail.lines.map((l) => l[0]))];
    const advice = index.advice.filter((a) => a.shader === shader.at);
    return [el('h1', {}, shader.name), el('p', { class: 'muted' }, shader.stage, ', entry ', el('code', {}, shader.entry), ', ', el('code', {}, shader.hash)),
      el('div', { class: 'facts' }, fact('of all work', percent(shader.share, 1)), fact('waves', short(shader.waves)), fact('lanes', short(shader.lanes)), fact('lanes a wave, by work', shader.width === null ? '–' : shader.width.toFixed(1)), fact('pipelines', shader.pipelines.length)),
      shader.pipelines.length === 0 ? '' : el('p', {}, 'In ', shader.pipelines.slice(0, 8).map((p, i) => [i ? ', ' : '', link('pipeline/' + index.pipelines[p].hash, index.pipelines[p].name)]), shader.pipelines.length > 8 ? ' and others' : ''),
      shader['no-module'] ? el('p', { class: 'card' }, 'No source and no control flow: ', shader['no-module'], '.') : '',
      advice.length ? [el('h2', {}, 'Advice'), advice.slice(0, 12).map((a) => adviceCard(a, false))] : '',
      el('h2', {}, 'Source'),
      files.some((f) => piece('f' + f).generated) ? el('p', { class: 'muted' }, 'The module names no source lines. This is GLSL that SPIRV-Cross makes of it; each line has the counts of its block.') : '',
      files.length ? files.map((f) => sourceTable(shader, detail, f))
        : el('p', { class: 'muted' }, 'The module names no source lines. Compile shaders with debug information (glslang -g or -gVS, dxc -fspv-debug=line) to see them here.'),
      detail.functions.map((f) => [
        detail.functions.length > 1 ? el('h2', {}, 'Function ' + f.function) : '',
        f.edges.length ? [el('h2', {}, 'Control flow'), graph(shader, detail, f)] : '',
        f.branches.length ? [el('h2', {}, 'Branches, by what parting costs'), branchTable(shader, detail, f)] : '',
        f.loops.some((l) => l.lanes) ? [el('h2', {}, 'Loops'), loopCards(shader, detail, f)] : '',
        f.words.length + f.values.length ? [el('h2', {}, 'Values'), valueTable(shader, detail, f)] : '',
      ]),
      remarkList(shader, detail),
      shader.pipelines.slice(0, 1).map((p) => estimateTables(index.pipelines[p].hash, [shader.stage]))];
  };

  const showPipeline = (hash) => {
    const pipeline = index.pipelines.find((p) => p.hash === hash) || index.pipelines[0];
    const shaders = pipeline.stages.map((s) => index.shaders[s.shader]);
    return [el('h1', {}, pipeline.name), el('p', { class: 'muted' }, 'pipeline ', el('code', {}, pipeline.hash)),
      el('div', { class: 'facts' }, fact('of ' + index.cost, percent(pipeline.cost, 1)), fact('GPU time', time(pipeline['gpu-nanoseconds'])), fact('draws', short(pipeline.draws)), fact('dispatches', short(pipeline.dispatches)), fact('submissions', short(pipeline.submissions))),
      gainOf(pipeline.hash) ? el('p', { class: 'card' }, gainText(gainOf(pipeline.hash))) : '',
      estimateTables(pipeline.hash),
      el('h2', {}, 'Shaders'), table(shaders, shaderColumns, { sort: 'share', open: (s) => '/shader/' + s.hash })];
  };

  /* -- Pages */

  const found = (text, words) => words.every((w) => text.includes(w));
  let query = '', stage = '';
  const listOf = (kind) => {
    const holder = el('div', {});
    const fill = () => {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const shaders = index.shaders.filter((s) => (!stage || s.stage === stage) && found(`${s.name} ${s.hash} ${s.stage} ${s.entry}`.toLowerCase(), words));
      const pipelines = index.pipelines.filter((p) => (!stage || p.stages.some((s) => index.shaders[s.shader].stage === stage)) &&
        found(`${p.name} ${p.hash} ${p.stages.map((s) => index.shaders[s.shader].name + ' ' + index.shaders[s.shader].hash).join(' ')}`.toLowerCase(), words));
      const advice = index.advice.filter((a) => (!stage || index.shaders[a.shader].stage === stage) && found(`${a.what} ${a.kind} ${a.evidence} ${index.shaders[a.shader].name} ${index.shaders[a.shader].hash}`.toLowerCase(), words));
      holder.replaceChildren(kind === 'shaders' ? table(shaders, shaderColumns, { sort: 'share', open: (s) => '/shader/' + s.hash, empty: 'no shader fits' })
        : kind === 'advice' ? el('div', {}, advice.slice(0, 60).map((a) => adviceCard(a, true)), el('p', { class: 'muted' }, advice.length > 60 ? `${advice.length - 60} more: search for a shader` : advice.length ? '' : 'nothing'))
          : table(pipelines, pipelineColumns, { sort: 'share', open: (p) => '/pipeline/' + p.hash, empty: 'no pipeline fits' }));
    };
    fill();
    const stages = [...new Set(index.shaders.map((s) => s.stage))].sort();
    return [el('div', { class: 'tools' },
      el('input', { type: 'search', placeholder: 'name, hash, stage', 'aria-label': 'search', value: query, oninput: (event) => { query = event.target.value; fill(); } }),
      el('select', { 'aria-label': 'stage', onchange: (event) => { stage = event.target.value; fill(); } }, el('option', { value: '' }, 'all stages'), stages.map((s) => el('option', { value: s, selected: s === stage }, s)))), holder];
  };

  const heading = () => [el('h1', {}, base(index.profile.replace(/\/+$/, ''))),
    el('p', { class: 'muted' }, `${index.pipelines.length} pipelines, ${index.shaders.length} shaders. Cost is the share of ${index.cost === 'gpu time' ? 'GPU time, by timestamps' : 'work: SPIR-V instructions times the waves that ran them'}.`),
    index.made.map((how) => el('p', { class: 'muted' }, how + '.')), gainCard()];

  const show = () => {
    const [, page, name] = location.hash.split('/');
    const tabs = [['pipelines', 'Pipelines'], ['shaders', 'Shaders'], ['advice', 'Advice']];
    const current = page === 'shader' ? 'shaders' : page === 'pipeline' ? 'pipelines' : page || (index.pipelines.length ? 'pipelines' : 'shaders');
    app.replaceChildren(...[
      page === 'shader' || page === 'pipeline' ? '' : heading(),
      el('nav', {}, tabs.map(([key, title]) => el('a', { href: '#/' + key, 'aria-current': key === current ? 'page' : null }, title + (key === 'advice' ? ` (${index.advice.length})` : '')))),
      page === 'shader' ? showShader(name) : page === 'pipeline' ? showPipeline(name) : listOf(current),
      el('p', { class: 'muted' }, `wavepgo ${index.version}. A dash is a figure that was not measured.`),
    ].flat(9).filter((x) => x !== null && x !== ''));
    scrollTo(0, 0);
  };
  addEventListener('hashchange', show);
  show();
  document.documentElement.dataset.ready = 'yes';
})();
