// --- The pane on the right. ---

function pair(name, ...kids) {
  return el('div', 'pair', el('dt', '', name), el('dd', '', ...kids));
}

function refElement(model, ref) {
  const kind = ref % REF.kinds, number = Math.floor(ref / REF.kinds);
  switch (kind) {
    case REF.op: {
      const i = model.owner[number];
      return el('span', 'ref', link('mono', strings[model.f.value[number]], () => select(i)),
          el('span', 'dim', ' ' + model.type(i) + ' \u00b7 ' + shortType(strings[model.f.value_type[number]])));
    }
    case REF.input: {
      const port = model.f.inputs[number];
      return el('span', 'ref', el('b', 'mono', strings[port[0]]),
          el('span', 'dim', ' of the function \u00b7 ' + shortType(strings[port[1]])));
    }
    case REF.literal: return el('span', 'ref mono', strings[number]);
    case REF.weight: {
      const row = model.package.weights[number];
      return el('span', 'ref', link('mono', strings[row[0]], () => showView('weights', 'name:"' + strings[row[0]] + '"')),
          el('span', 'dim', ' weight \u00b7 ' + shortType(strings[row[1]]) + ' \u00b7 ' + bytesText(row[4]) +
              (strings[row[3]] ? ' \u00b7 ' + strings[row[2]] : '')));
    }
  }
  return el('span', 'ref mono', strings[number]);
}

// On whose word a rule rests. What others measured stays a prediction for this program.
const CONFIDENCE = {'apple': 'Apple says so', 'apple-os27': 'Apple says so of OS 27', 'measured': 'others measured it elsewhere',
  'derived': 'derived, unconfirmed', 'folklore': 'hearsay', 'conflict': 'the sources disagree'};

// Of the ops that a rule would move: how often a machine's plan bears it out, and how often not.
const evidenceOfRules = new Map();
function ruleEvidence(index) {
  if (!evidenceOfRules.has(index)) {
    let agrees = 0, contradicts = 0;
    for (const model of allModels()) {
      for (const finding of model.f.findings) {
        if (finding.rule !== index || finding.at < 0) continue;
        for (const evidence of model.f.measured.filter((each) => each.engine)) {
          const preferred = evidence.preferred[finding.at];
          if (preferred === UNMEASURED) continue;
          if (preferred === ENGINE) contradicts++; else agrees++;
        }
      }
    }
    evidenceOfRules.set(index, {agrees, contradicts});
  }
  return evidenceOfRules.get(index);
}

function findingElement(finding) {
  const rule = rules[finding.rule];
  const box = el('section', 'finding s-' + rule.severity,
      el('h3', '', badge(rule.rank), ' ', el('code', '', rule.id), el('span', 'dim', ' predicted')),
      el('p', '', finding.message));
  if (rule.rewrite) box.append(el('p', '', el('b', '', 'Instead: '), rule.rewrite));
  const list = el('dl', '');
  if (finding.tensor) list.append(pair('tensor', el('span', 'mono', finding.tensor + (finding.type ? ' \u00b7 ' + finding.type : ''))));
  list.append(pair('at risk', bytesText(finding.bytes) + ' (' + share(finding.share_bytes) + '), ' +
      flopsText(finding.flops) + ' FLOPs (' + share(finding.share_flops) + ') of the program'));
  list.append(pair('holds on', rule.scope));
  const {agrees, contradicts} = ruleEvidence(finding.rule);
  if (rule.moves) {
    list.append(pair('evidence', agrees + contradicts === 0 ? 'not measured'
        : 'measured here: ' + count(agrees, 'op') + ' for this rule, ' + contradicts.toLocaleString('en') + ' against it'));
  }
  list.append(pair('confidence', (CONFIDENCE[rule.confidence] || rule.confidence) + (rule.facts.length ? ' \u00b7 rows ' + rule.facts.join(', ') : '')));
  if (rule.disagreement) list.append(pair('disagreement', rule.disagreement));
  list.append(pair('sources', el('ul', '', ...rule.sources.map(([confidence, where]) =>
      el('li', '', where, el('span', 'dim', ' (' + confidence + ')'))))));
  box.append(list);
  return box;
}

function fill(...kids) {
  const pane = byId('details');
  const close = el('button', 'close', '\u00d7');
  close.type = 'button';
  close.title = 'close (Esc)';
  close.setAttribute('aria-label', 'close the details');
  close.addEventListener('click', closeDetails);
  pane.replaceChildren(close, ...kids.filter(Boolean));
  pane.scrollTop = 0;
  document.body.classList.add('has-details');
}

function measuredElements(model, i) {
  const all = [];
  for (const evidence of model.f.measured) {
    const preferred = evidence.preferred[i];
    const supported = [0, 1, 2].filter((device) => evidence.supported[i] & (1 << device)).map((device) => MEASURED[device]);
    const words = [swatch(measuredClass(preferred), measuredText(preferred)), ' ', el('b', '', measuredText(preferred))];
    if (preferred !== UNMEASURED || supported.length) {
      words.push((preferred === UNMEASURED ? ', asked of ' : ' preferred by the compute plan of ') + evidence.machine + ', ' + evidence.setting);
      if (supported.length) words.push('; supported on ' + supported.join(', '));
      if (evidence.cost[i] !== null) words.push('; cost ' + share(evidence.cost[i]));
    }
    all.push(pair('measured', ...words));
  }
  return all.length ? all
      : [pair('measured', swatch(measuredClass(UNMEASURED), ''), ' not measured')];
}

function showOp(model, i) {
  const f = model.f;
  const list = el('dl', '');
  list.append(pair('predicted', swatch(predictedClass(f.unit[i]), ''), ' ',
      el('b', '', predictedText(f.unit[i])), f.unit[i] === NO_UNIT ? ': states are handed along, not computed' : '',
      f.barred ? ' (the whole function is barred)' : ''));
  list.append(...measuredElements(model, i));
  if (model.isContradiction(i)) {
    list.append(pair('', el('b', 'warn', 'the measurement contradicts the prediction')));
  }
  list.append(pair('layer', link('', model.layer(i), () => showView('ops', 'layer:"' + model.layer(i) + '"'))));
  if (f.island[i] >= 0) list.append(pair('island', (f.island[i] + 1) + ' of ' + f.islands.length));
  list.append(pair('cost', (model.inexact.has(i) ? 'at least ' : '') + flopsText(f.flops[i]) + ' FLOPs \u00b7 reads ' +
      bytesText(f.read[i]) + ' \u00b7 weights ' + bytesText(f.weight[i]) + ' \u00b7 writes ' + bytesText(f.written[i])));
  if (model.op(i) !== model.label(i)) list.append(pair('op name', el('span', 'mono', model.op(i))));

  const inputs = el('dl', 'io');
  for (const [parameter, refs] of model.inputs(i)) {
    inputs.append(pair(parameter, ...refs.map((ref) => refElement(model, ref))));
  }
  const outputs = el('dl', 'io');
  for (let v = model.first[i]; v < model.first[i + 1]; v++) {
    const consumers = model.consumers(v * REF.kinds + REF.op);
    const items = [el('span', 'mono dim', shortType(strings[f.value_type[v]]))];
    const range = model.ranges.get(v);
    if (range) {
      items.push(el('span', overflows(range) ? 'ref warn' : 'ref', rangeText(range)));
    }
    for (const consumer of consumers.slice(0, 40)) {
      items.push(el('span', 'ref', '\u2192 ', link('mono', model.label(consumer), () => select(consumer)),
          el('span', 'dim', ' ' + model.type(consumer))));
    }
    if (consumers.length > 40) items.push(el('span', 'dim', 'and ' + count(consumers.length - 40, 'more', 'more')));
    for (const port of f.outputs) {
      if (port[3] === v * REF.kinds + REF.op) items.push(el('span', 'ref', '\u2192 output of the function'));
    }
    outputs.append(pair(strings[f.value[v]], ...items));
  }
  const findings = [...(model.findings.get(i) || [])].sort((a, b) => rules[a.rule].rank - rules[b.rule].rank);
  fill(el('h2', '', el('span', 'type', model.type(i)), ' ', el('span', 'mono', model.label(i))),
      list, ...findings.map(findingElement),
      el('h3', '', 'inputs'), inputs,
      f.output_count[i] ? el('h3', '', 'outputs \u2192 who takes them') : '', outputs);
}

function showFinding(finding) {
  fill(el('h2', '', finding.at === undefined ? 'The program' : finding.output || 'The function'), findingElement(finding));
}

function showCrossing(crossing) {
  const list = el('dl', 'io');
  for (const copy of crossing.copies.slice(0, 200)) {
    list.append(pair(copy.type, link('mono', copy.tensor, () => selectOutput(copy.tensor)),
        el('span', 'dim', ' ' + bytesText(copy.bytes))));
  }
  fill(el('h2', '', 'From island ' + (crossing.from + 1) + ' to ' + (crossing.to + 1)),
      el('p', '', 'Predicted: ' + count(crossing.copies.length, 'tensor') + ' of ' + bytesText(crossing.bytes) +
          ' in all change hands at each call.'), list);
}

function showNothing(model) {
  const totals = model.totals();
  fill(el('h2', '', model.name),
      el('p', 'dim', model.package.name + (model.package.description ? ': ' + model.package.description : '')),
      el('dl', '', pair('ops', totals.ops.toLocaleString('en')), pair('weights read', bytesText(totals.weight)),
          pair('activations', bytesText(totals.read) + ' read, ' + bytesText(totals.written) + ' written'),
          pair('FLOPs', flopsText(totals.flops)), pair('op set', model.f.opset)),
      ...model.general.map(findingElement),
      ...model.package.findings.map(findingElement),
      el('p', 'dim', 'Click an op, or press n for the next problem.'));
  document.body.classList.remove('has-details');
}
