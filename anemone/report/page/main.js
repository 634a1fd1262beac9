// --- The page: what is looked at, and what keys and clicks do. ---

const state = {model: null, view: 'ops', filter: '', selected: -1, sort: null, items: [], shown: []};
const ROW = 26;

function problemsOfAll() {
  const all = [];
  for (const model of allModels()) for (const i of model.problems) all.push([model, i]);
  return all;
}

function openFunction(packageIndex, functionIndex, selected = -1) {
  state.model = modelOf(packageIndex, functionIndex);
  state.selected = -1;
  byId('function').value = packageIndex + '/' + functionIndex;
  fillMachines();
  layerList.set(state.model.f.layers.map((_, layer) => layer));
  byId('tree-note').textContent = state.model.evidence ? ' measured' : ' predicted';
  showView(state.view === 'totals' ? 'ops' : state.view, '');
  if (selected >= 0) select(selected); else showNothing(state.model);
}

function showView(name, filter) {
  state.view = name;
  state.sort = null;
  if (filter !== undefined) {
    state.filter = filter;
    byId('filter').value = filter;
  }
  for (const tab of byId('views').children) {
    const chosen = tab.dataset.view === name;
    tab.setAttribute('aria-selected', chosen);
    tab.tabIndex = chosen ? 0 : -1;
  }
  refill();
}

function refill() {
  const view = views[state.view], model = state.model;
  state.items = view.rows(model, state.filter);
  const of = view.rows(model, '').length;
  if (state.sort !== null) {
    const {column, down} = state.sort;
    const keyed = state.items.map((item) => [view.columns[column].sort(model, item), item]);
    keyed.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * (down ? -1 : 1));
    state.items = keyed.map((each) => each[1]);
  }
  state.shown = state.view === 'ops' ? state.filter ? filtered(model, state.filter) : null : null;
  byId('head').className = 'row head ' + view.grid;
  byId('head').replaceChildren(...view.columns.map((column, index) => {
    const name = column.name + (state.sort && state.sort.column === index ? state.sort.down ? ' \u25b4' : ' \u25be' : '');
    const cell = column.sort ? link('', name || '\u25a6', () => sortBy(index)) : el('span', '', name);
    if (column.number) cell.classList.add('number');
    if (column.wide) cell.classList.add('wide');
    return cell;
  }));
  // Layers stand above their ops while these are in order.
  state.rows = state.items;
  if (state.view === 'ops' && !state.sort) {
    state.rows = [];
    let last = -1;
    for (const i of state.items) {
      if (model.f.layer[i] !== last) state.rows.push({layer: last = model.f.layer[i]});
      state.rows.push(i);
    }
  }
  byId('count').textContent = state.items.length === of ? of.toLocaleString('en')
      : state.items.length.toLocaleString('en') + ' of ' + of.toLocaleString('en');
  byId('list').classList.toggle('is-empty', !state.items.length);
  list.set(state.rows);
  draw();
}

function sortBy(column) {
  const old = state.sort;
  state.sort = !old || old.column !== column ? {column, down: false} : old.down ? null : {column, down: true};
  refill();
}

function renderRow(item, index) {
  const view = views[state.view], model = state.model;
  if (item !== null && typeof item === 'object' && item.layer !== undefined && state.view === 'ops') {
    const problems = model.layerOps[item.layer].filter((i) => model.isProblem[i]).length;
    return el('div', 'row group', el('b', '', model.f.layers[item.layer]),
        problems ? el('span', 'badge s-leaves-ane', count(problems, 'problem')) : '');
  }
  const row = el('div', 'row ' + view.grid);
  for (const column of view.columns) {
    const cell = column.cell(model, item);
    if (column.wide) cell.classList.add('wide');
    row.append(cell);
  }
  row.setAttribute('role', 'option');
  row.id = 'row-' + index;
  const chosen = view.is ? view.is(model, item) : false;
  row.setAttribute('aria-selected', chosen);
  if (chosen) byId('list').setAttribute('aria-activedescendant', row.id);
  if (state.view === 'ops' && model.isProblem[item]) row.classList.add('problem');
  row.addEventListener('click', () => view.open(model, item));
  return row;
}

function renderLayer(layer) {
  const model = state.model;
  const problems = model.layerOps[layer].filter((i) => model.isProblem[i]).length;
  const canvas = el('canvas', '');
  drawLayer(canvas, model, layer, state.selected, Math.max(60, byId('layers').clientWidth - 146));
  const row = el('div', 'row layer', cut('', model.f.layers[layer]), canvas,
      problems ? el('span', 'badge s-leaves-ane', problems) : el('span', 'dim number', model.layerOps[layer].length));
  row.addEventListener('click', (event) => {
    const ops = model.layerOps[layer];
    if (event.target === canvas) {
      const at = Math.floor((event.clientX - canvas.getBoundingClientRect().left) /
          (canvas.clientWidth / model.mostOps));
      if (at >= 0 && at < ops.length) return void select(ops[at]);
    }
    showView('ops', '');
    list.show(state.rows.findIndex((each) => each.layer === layer));
  });
  return row;
}

function rowOf(i) { return state.rows.findIndex((each) => each === i || (each && each.at === i)); }

function select(i) {
  state.selected = i;
  if (state.view !== 'ops' && state.view !== 'findings') showView('ops', '');
  if (state.view === 'ops' && rowOf(i) < 0) showView('ops', '');
  list.show(rowOf(i));
  layerList.show(state.model.f.layer[i]);
  showOp(state.model, i);
  draw();
  try {
    history.replaceState(null, '', '#' + [state.model.packageIndex, state.model.functionIndex, i].join('/'));
  } catch (error) {
    // A page opened from some places may not change its address; nothing is lost.
  }
}

function selectOutput(name) {
  const model = state.model;
  for (let i = 0; i < model.count; i++) if (model.label(i) === name) return void select(i);
}

function closeDetails() {
  state.selected = -1;
  showNothing(state.model);
  draw();
}

function step(by) {
  const view = views[state.view], model = state.model;
  const rows = state.rows;
  let at = rows.findIndex((item) => view.is && view.is(model, item));
  do at += by; while (rows[at] && rows[at].layer !== undefined && state.view === 'ops');
  if (at < 0 || at >= rows.length) return;
  if (view.is) view.open(model, rows[at]);
}

function nextProblem(by) {
  const all = problemsOfAll();
  if (!all.length) return;
  const here = [state.model.packageIndex, state.model.functionIndex, state.selected];
  const order = ([model, i]) => [model.packageIndex, model.functionIndex, i];
  const before = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  let found = by > 0 ? all.find((each) => before(order(each), here) > 0)
      : [...all].reverse().find((each) => before(order(each), here) < 0);
  found = found || (by > 0 ? all[0] : all[all.length - 1]);
  if (found[0] !== state.model) openFunction(found[0].packageIndex, found[0].functionIndex);
  if (state.view !== 'ops') showView('ops', '');
  select(found[1]);
}

function draw() {
  const model = state.model;
  drawStrip(byId('strip'), model, state.selected, state.shown);
  byId('strip-note').textContent = model.evidence ? '' : 'not measured';
  byId('strip-note').style.bottom = (hasRanges(model) ? STRIP.ranges + STRIP.gap : 0) + 'px';
  byId('ranges-label').hidden = !hasRanges(model);
  list.draw();
  layerList.draw();
}

function fillMachines() {
  const model = state.model, box = byId('machine');
  byId('machine-label').hidden = model.f.measured.length < 1;
  box.replaceChildren(...model.f.measured.map((each, index) => {
    const option = el('option', '', each.machine + ', ' + each.setting);
    option.value = index;
    return option;
  }));
  box.value = model.machine;
}

function fillVerdict() {
  const box = byId('verdict');
  const lines = [];
  let ops = 0, away = 0, barred = 0, agreements = 0, contradictions = 0;
  const verdicts = new Set();
  for (const model of allModels()) {
    ops += model.count;
    away += model.away;
    if (model.f.barred) barred++;
    for (const evidence of model.f.measured) {
      agreements += evidence.agreements;
      contradictions += evidence.contradictions;
      if (evidence.verdict) verdicts.add(evidence.machine + ', ' + evidence.setting + ': ' + evidence.verdict);
    }
  }
  const predicted = el('p', '', el('span', 'tag predicted-tag', 'predicted'));
  // Those that leave come first, then those that a rule has grave words for.
  const grave = problemsOfAll().filter(([model, i]) => model.rank[i] <= LEAVES || model.f.unit[i] === AWAY);
  const leaves = grave.filter(([model, i]) => model.f.unit[i] === AWAY);
  const problems = [...leaves, ...grave.filter(([model, i]) => model.f.unit[i] !== AWAY)];
  // Of whole functions and packages.
  const general = [];
  for (const model of allModels()) {
    for (const finding of model.general) general.push([model, finding]);
    if (model.functionIndex === 0) for (const finding of model.package.findings) general.push([model, finding]);
  }
  const graveGeneral = general.filter(([, finding]) => rules[finding.rule].rank <= LEAVES);
  if (barred) {
    predicted.append(el('b', 'bad', count(barred, 'function') + (barred === 1 ? ' is' : ' are') + ' barred from the Neural Engine'));
  } else if (away) {
    predicted.append(el('b', 'bad', away.toLocaleString('en') + ' of ' + count(ops, 'op') + (away === 1 ? ' leaves' : ' leave') + ' the Neural Engine'));
  } else if (problems.length) {
    predicted.append(el('b', 'warn', count(problems.length, 'op') + (problems.length === 1 ? ' has' : ' have') +
        ' a finding that may keep ' + (problems.length === 1 ? 'it' : 'them') + ' off the Neural Engine'),
        el('span', 'dim', ' of ' + count(ops, 'op')));
  } else if (graveGeneral.length) {
    predicted.append(el('b', 'warn', count(graveGeneral.length, 'finding') + ' that may keep a whole function off the Neural Engine'));
  } else {
    predicted.append(el('b', 'good', 'no op of ' + ops.toLocaleString('en') + ' leaves the Neural Engine'),
        el('span', 'dim', ' \u2014 no rule says otherwise; only a Mac can show it'));
  }
  for (const [model, i] of problems.slice(0, 3)) {
    predicted.append(el('span', 'dim', ' \u00b7 '), link('', (report.packages.length + model.package.functions.length > 2 ? model.name + ', ' : '') +
        model.layer(i) + ': ' + model.type(i) + ' ' + model.label(i),
        () => { if (model !== state.model) openFunction(model.packageIndex, model.functionIndex); select(i); }));
  }
  if (problems.length > 3) predicted.append(el('span', 'dim', ' and ' + count(problems.length - 3, 'more', 'more')));
  for (const [model, finding] of graveGeneral.slice(0, 3)) {
    predicted.append(el('span', 'dim', ' \u00b7 '), link('', (finding.at === undefined ? model.package.name : model.name) + ': ' + rules[finding.rule].id, () => {
      if (model !== state.model) openFunction(model.packageIndex, model.functionIndex);
      showView('findings', '');
      showFinding(finding);
    }));
  }
  lines.push(predicted);
  const measured = el('p', '', el('span', 'tag measured-tag', 'measured'));
  if (agreements + contradictions === 0 && !verdicts.size) {
    measured.append(el('span', 'dim', 'not measured'));
  } else {
    measured.append(el('b', contradictions ? 'bad' : '', 'agrees with the prediction for ' + count(agreements, 'op') +
        ', contradicts it for ' + contradictions.toLocaleString('en')));
    for (const verdict of verdicts) measured.append(el('span', 'dim', ' \u00b7 ' + clean(verdict)));
  }
  lines.push(measured);
  box.replaceChildren(...lines);
}

function fillLegend() {
  const item = (className, text) => el('span', 'key', swatch(className, text), text);
  byId('legend').replaceChildren(
      el('span', 'dim', 'predicted'), item('predicted ane', 'Neural Engine'), item('predicted away', 'CPU or GPU'), item('predicted none', 'state'),
      el('span', 'dim', 'measured'), item('measured ane', 'Neural Engine'), item('measured gpu', 'GPU'), item('measured cpu', 'CPU'), item('measured unmeasured', 'not measured'));
}

function fillHelp() {
  const keys = [['n  p', 'next, previous problem'], ['/', 'filter'], ['\u2191 \u2193  j k', 'up and down the list'],
    ['[  ]', 'previous, next function'], ['1 \u2026 6', 'views'], ['Esc', 'close the details, then clear the filter'], ['?', 'this']];
  const close = el('button', '', 'Close');
  close.addEventListener('click', () => byId('help').close());
  byId('help').replaceChildren(el('h2', '', 'Keys'),
      el('dl', '', ...keys.map(([key, says]) => pair(key, says))),
      el('h2', '', 'Filter'),
      el('p', '', 'Words must all hold; quotes keep spaces, a minus denies. A word looks at type, name and layer; with a key at one thing: ' +
          KEYS.map((key) => key + ':').join(' ') + '.'),
      el('p', 'mono', 'type:conv layer:12 -name:gate     severity:any     measured:contradiction     problem:yes'),
      el('h2', '', 'Words'),
      el('p', '', 'Predicted is what a rule says from the program alone; it is drawn hatched. Measured is what a named machine said; it is drawn solid. ' +
          'What no machine was asked stays empty: not measured.'),
      el('p', 'dim', 'Made by ' + report.tool + (report.chip ? ', rules of ' + report.chip : ', rules of every chip') + '.'), close);
}

const list = new VirtualList(byId('list'), ROW, renderRow);
const layerList = new VirtualList(byId('layers'), 22, renderLayer);

function start() {
  readStyle();
  byId('title').textContent = clean(report.title);
  byId('facts').replaceChildren(...report.facts.map(([name, value]) => el('span', 'fact', el('span', 'dim', name + ' '), value)));
  for (const model of allModels()) {
    const option = el('option', '', model.package.name + ' \u203a ' + model.name + ' (' + count(model.count, 'op') +
        (model.problems.length ? ', ' + count(model.problems.length, 'problem') : '') + ')');
    option.value = model.packageIndex + '/' + model.functionIndex;
    byId('function').append(option);
  }
  Object.entries(views).forEach(([name, view]) => {
    const tab = el('button', 'tab', view.title);
    tab.type = 'button';
    tab.dataset.view = name;
    tab.setAttribute('role', 'tab');
    if (view.note) tab.title = view.note;
    tab.addEventListener('click', () => showView(name, ''));
    byId('views').append(tab);
  });
  fillVerdict();
  fillLegend();
  fillHelp();
  const [packageIndex, functionIndex, selected] = location.hash.slice(1).split('/').map(Number);
  const all = [...allModels()];
  if (!all.length) {
    byId('details').textContent = 'There is no function in here.';
    return;
  }
  listen();
  const wanted = all.find((model) => model.packageIndex === packageIndex && model.functionIndex === functionIndex);
  const first = wanted || all.find((model) => model.away && !model.f.barred) || all.find((model) => model.problems.length) || all[0];
  // Where there is room for it, the first op that leaves is shown at once.
  const worst = first.problems.find((i) => first.f.unit[i] === AWAY);
  openFunction(first.packageIndex, first.functionIndex,
      wanted && selected >= 0 && selected < wanted.count ? selected
          : !wanted && worst !== undefined && window.innerWidth > 1080 ? worst : -1);
}

function listen() {
  byId('function').addEventListener('change', (event) => openFunction(...event.target.value.split('/').map(Number)));
  byId('machine').addEventListener('change', (event) => {
    state.model.machine = Number(event.target.value);
    state.model.findProblems();
    refill();
  });
  byId('filter').addEventListener('input', (event) => { state.filter = event.target.value; refill(); });
  byId('next').addEventListener('click', () => nextProblem(1));
  byId('help-button').addEventListener('click', () => byId('help').showModal());
  const strip = byId('strip'), tip = byId('tip');
  strip.addEventListener('click', (event) => {
    if (state.model.count) select(opAtStrip(strip, state.model, event));
  });
  strip.addEventListener('mousemove', (event) => {
    if (!state.model.count) return;
    const i = opAtStrip(strip, state.model, event), model = state.model;
    tip.textContent = clean(model.layer(i) + ' \u00b7 ' + model.type(i) + ' ' + model.label(i) + ' \u00b7 predicted ' +
        predictedText(model.f.unit[i]) + ' \u00b7 ' + (model.measured(i) === UNMEASURED ? 'not measured' : 'measured ' + measuredText(model.measured(i))) +
        (model.rangeOf[i] ? ' \u00b7 ' + rangeText(model.rangeOf[i]) : ''));
    tip.hidden = false;
    tip.style.left = Math.max(0, Math.min(event.clientX - 20, window.innerWidth - tip.offsetWidth - 12)) + 'px';
  });
  strip.addEventListener('mouseleave', () => { tip.hidden = true; });
  strip.addEventListener('keydown', (event) => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by || !state.model.count) return;
    event.preventDefault();
    select(Math.max(0, Math.min(state.model.count - 1, state.selected + by)));
  });
  document.addEventListener('keydown', onKey);
  window.addEventListener('resize', () => requestAnimationFrame(draw));
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readStyle(); draw(); });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  const inFilter = event.target === byId('filter');
  if (event.key === 'Escape') {
    if (state.selected >= 0 && !inFilter) closeDetails();
    else showView(state.view, '');
    byId('list').focus();
    return;
  }
  if (inFilter) {
    if (event.key === 'Enter' || event.key === 'ArrowDown') { event.preventDefault(); byId('list').focus(); step(1); }
    return;
  }
  if (event.target.tagName === 'SELECT' || event.target === byId('strip') && event.key.startsWith('Arrow')) return;
  const all = [...allModels()], at = all.indexOf(state.model);
  const turn = (by) => { const to = all[(at + by + all.length) % all.length]; openFunction(to.packageIndex, to.functionIndex); };
  const keys = {
    n: () => nextProblem(1), p: () => nextProblem(-1), '/': () => byId('filter').focus(),
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
    '[': () => turn(-1), ']': () => turn(1), '?': () => byId('help').showModal(),
  };
  Object.keys(views).forEach((name, index) => { keys[index + 1] = () => showView(name, ''); });
  if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
}

start();
