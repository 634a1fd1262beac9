// --- The views of the middle: what their rows are, and their columns. ---

// `rows` gives the items, `columns` their cells; `open` is what a click or Enter does. `sort` of a
// column is a number or a text by which it orders.
const views = {
  ops: {
    title: 'Ops', grid: 'g-ops',
    rows(model, text) { return filtered(model, text); },
    columns: [
      {name: '', cell: (m, i) => {
        const cell = el('span', 'units', swatch(predictedClass(m.f.unit[i]), 'predicted: ' + predictedText(m.f.unit[i])),
            swatch(measuredClass(m.measured(i)), 'measured: ' + measuredText(m.measured(i))));
        return cell;
      }, sort: (m, i) => -m.f.unit[i]},
      {name: 'type', cell: (m, i) => cut('type', '\u00a0'.repeat(2 * m.f.depth[i]) + m.type(i)), sort: (m, i) => m.type(i)},
      {name: 'output', cell: (m, i) => cut('mono', m.label(i)), sort: (m, i) => m.label(i)},
      {name: 'shape', wide: true, cell: (m, i) => cut('mono dim', m.valueType(i)), sort: (m, i) => m.valueType(i)},
      {name: 'bytes', number: true, wide: true, cell: (m, i) => el('span', 'number', bytesText(m.bytes(i))), sort: (m, i) => -m.bytes(i)},
      {name: 'FLOPs', number: true, wide: true, cell: (m, i) => el('span', 'number', flopsText(m.f.flops[i])), sort: (m, i) => -m.f.flops[i]},
      {name: 'finding', cell: (m, i) => badge(m.rank[i]), sort: (m, i) => m.rank[i]},
    ],
    open(m, i) { select(i); },
    is: (m, i) => state.selected === i,
  },
  findings: {
    title: 'Findings', grid: 'g-findings',
    note: 'predicted',
    rows(model, text) {
      const words = parseFilter(text).filter((term) => !term.key);
      const all = [...model.package.findings, ...model.f.findings];
      return all.filter((each) => words.every((term) => {
        const rule = rules[each.rule];
        const all = (rule.id + ' ' + rule.severity + ' ' + each.message + ' ' + (each.output || '')).toLowerCase();
        return all.includes(term.value) !== term.denies;
      }));
    },
    columns: [
      {name: 'severity', cell: (m, f) => badge(rules[f.rule].rank), sort: (m, f) => rules[f.rule].rank},
      {name: 'rule', wide: true, cell: (m, f) => cut('mono', rules[f.rule].id), sort: (m, f) => rules[f.rule].id},
      {name: 'where', cell: (m, f) => cut('mono', f.output || f.tensor || (f.at === undefined ? 'the program' : 'the function')), sort: (m, f) => f.output || ''},
      {name: 'says', wide: true, cell: (m, f) => cut('', f.message), sort: (m, f) => f.message},
      {name: 'bytes at risk', number: true, wide: true, cell: (m, f) => el('span', 'number', share(f.share_bytes)), sort: (m, f) => -f.share_bytes},
    ],
    open(m, f) { f.at >= 0 ? select(f.at) : showFinding(f); },
    is: (m, f) => f.at >= 0 && f.at === state.selected,
  },
  islands: {
    title: 'Islands', grid: 'g-islands',
    note: 'predicted',
    rows: (model) => {
      const all = [];
      model.f.islands.forEach((island, index) => {
        all.push({island, index});
        for (const crossing of model.f.crossings) if (crossing.from === index) all.push({crossing});
      });
      return all;
    },
    columns: [
      {name: '', cell: (m, r) => r.island ? swatch(predictedClass(r.island.unit === 'ane' ? ANE : AWAY), 'predicted') : el('span', 'dim', '\u21b3')},
      {name: 'island or crossing', cell: (m, r) => r.island
          ? cut('', 'island ' + (r.index + 1) + ' on ' + predictedText(r.island.unit === 'ane' ? ANE : AWAY))
          : cut('dim', 'to island ' + (r.crossing.to + 1) + ': ' + count(r.crossing.copies.length, 'tensor') + ' copied')},
      {name: 'from, to', wide: true, cell: (m, r) => cut('mono', r.island ? r.island.first + ' \u2026 ' + r.island.last
          : r.crossing.copies.slice(0, 3).map((copy) => copy.tensor + ' ' + copy.type).join(', ') + (r.crossing.copies.length > 3 ? ', \u2026' : ''))},
      {name: 'ops', number: true, cell: (m, r) => el('span', 'number', r.island ? r.island.ops.toLocaleString('en') : '')},
      {name: 'bytes', number: true, cell: (m, r) => el('span', 'number', bytesText(r.island ? r.island.bytes : r.crossing.bytes))},
      {name: 'FLOPs', number: true, wide: true, cell: (m, r) => el('span', 'number', r.island ? flopsText(r.island.flops) : '')},
    ],
    open(m, r) { r.island ? selectOutput(r.island.first) : showCrossing(r.crossing); },
  },
  weights: {
    title: 'Weights', grid: 'g-weights',
    rows: (model, text) => {
      const words = parseFilter(text).filter((term) => !term.key || term.key === 'name' || term.key === 'dtype');
      return model.package.weights.map((row, index) => ({row, index})).filter(({row}) => words.every((term) =>
        (strings[row[0]] + ' ' + strings[row[1]] + ' ' + strings[row[2]] + ' ' + strings[row[3]])
            .toLowerCase().includes(term.value) !== term.denies));
    },
    columns: [
      {name: 'name', cell: (m, w) => cut('mono', strings[w.row[0]]), sort: (m, w) => strings[w.row[0]]},
      {name: 'type', wide: true, cell: (m, w) => cut('mono dim', shortType(strings[w.row[1]])), sort: (m, w) => strings[w.row[1]]},
      {name: 'stored as', cell: (m, w) => cut('', strings[w.row[2]] + (strings[w.row[3]] ? ', ' + strings[w.row[3]].replace('constexpr_', '') : '')), sort: (m, w) => strings[w.row[2]]},
      {name: 'bytes', number: true, cell: (m, w) => el('span', 'number', bytesText(w.row[4])), sort: (m, w) => -w.row[4]},
      {name: 'of dense', number: true, wide: true, cell: (m, w) => el('span', 'number', w.row[5] ? share(w.row[4] / w.row[5]) : ''), sort: (m, w) => w.row[4] / (w.row[5] || 1)},
      {name: 'uses', number: true, wide: true, cell: (m, w) => el('span', 'number', w.row[6]), sort: (m, w) => -w.row[6]},
    ],
    open(m, w) {
      const users = m.consumers(w.index * REF.kinds + REF.weight);
      if (users.length) select(users[0]);
    },
  },
  states: {
    title: 'States, inputs', grid: 'g-ports',
    rows: (model) => {
      const order = (port) => strings[port[1]].startsWith('state') ? 0 : 1;
      return [...model.f.inputs.map((port, index) => ({port, index, kind: order(port) ? 'input' : 'state'}))
          .sort((a, b) => order(a.port) - order(b.port)),
        ...model.f.outputs.map((port) => ({port, kind: 'output'}))];
    },
    columns: [
      {name: '', cell: (m, p) => el('span', 'dim', p.kind)},
      {name: 'name', cell: (m, p) => cut('mono', strings[p.port[0]])},
      {name: 'type', cell: (m, p) => cut('mono dim', shortType(strings[p.port[1]]))},
      {name: 'bytes', number: true, cell: (m, p) => el('span', 'number', bytesText(p.port[2]))},
      {name: 'used by', wide: true, cell: (m, p) => el('span', '', p.kind === 'output' ? ''
          : count(m.consumers(p.index * REF.kinds + REF.input).length, 'op'))},
    ],
    open(m, p) {
      if (p.kind === 'output') {
        if (p.port[3] % REF.kinds === REF.op) select(m.owner[Math.floor(p.port[3] / REF.kinds)]);
        return;
      }
      const users = m.consumers(p.index * REF.kinds + REF.input);
      if (users.length) select(users[0]);
    },
  },
  totals: {
    title: 'Totals', grid: 'g-totals',
    rows: () => [...allModels()],
    columns: [
      {name: 'function', cell: (m, x) => cut('mono', x.name + ' \u00b7 ' + x.package.name)},
      {name: 'ops', number: true, cell: (m, x) => el('span', 'number', x.count.toLocaleString('en'))},
      {name: 'leave, predicted', number: true, cell: (m, x) => el('span', 'number', x.away.toLocaleString('en'))},
      {name: 'agree / not, measured', number: true, wide: true, cell: (m, x) => el('span', 'number',
          x.evidence ? x.evidence.agreements + ' / ' + x.evidence.contradictions : 'not measured')},
      {name: 'crossings', number: true, wide: true, cell: (m, x) => el('span', 'number', x.f.crossings.length)},
      {name: 'weights', number: true, cell: (m, x) => el('span', 'number', bytesText(x.totals().weight))},
      {name: 'activations', number: true, wide: true, cell: (m, x) => el('span', 'number', bytesText(x.totals().read + x.totals().written))},
      {name: 'FLOPs', number: true, cell: (m, x) => el('span', 'number', flopsText(x.totals().flops))},
    ],
    open(m, x) { openFunction(x.packageIndex, x.functionIndex); },
    is: (m, x) => m === x,
  },
};
