// --- A list of any length: only the rows in sight exist. ---

class VirtualList {
  // `render(item, index)` gives a row's element.
  constructor(container, rowHeight, render) {
    this.container = container;
    this.rowHeight = rowHeight;
    this.render = render;
    this.items = [];
    this.spacer = el('div', 'spacer');
    container.append(this.spacer);
    this.pending = false;
    container.addEventListener('scroll', () => this.later(), {passive: true});
    new ResizeObserver(() => this.later()).observe(container);
  }
  set(items) {
    this.items = items;
    this.container.scrollTop = 0;
    this.draw();
  }
  later() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }
  draw() {
    const height = this.rowHeight;
    this.spacer.style.height = this.items.length * height + 'px';
    const from = Math.max(0, Math.floor(this.container.scrollTop / height) - 6);
    const to = Math.min(this.items.length,
        Math.ceil((this.container.scrollTop + this.container.clientHeight) / height) + 6);
    const rows = [];
    for (let i = from; i < to; i++) {
      const row = this.render(this.items[i], i);
      row.style.transform = 'translateY(' + i * height + 'px)';
      row.style.height = height + 'px';
      rows.push(row);
    }
    this.spacer.replaceChildren(...rows);
  }
  show(index) {
    if (index < 0) return;
    const top = index * this.rowHeight, height = this.container.clientHeight;
    if (top < this.container.scrollTop + this.rowHeight) {
      this.container.scrollTop = Math.max(0, top - height / 3);
    } else if (top + 2 * this.rowHeight > this.container.scrollTop + height) {
      this.container.scrollTop = top - 2 * height / 3;
    }
    this.draw();
  }
}

// --- The filter: words that must all hold; "key:value" looks at one thing, "-word" denies. ---

const KEYS = ['type', 'name', 'layer', 'severity', 'rule', 'unit', 'measured', 'dtype', 'problem', 'range'];

function parseFilter(text) {
  const terms = [];
  for (let word of text.toLowerCase().match(/-?[a-z]+:"[^"]*"?|"[^"]*"?|\S+/g) || []) {
    const denies = word.length > 1 && word[0] === '-';
    if (denies) word = word.slice(1);
    const colon = word.indexOf(':');
    let key = colon > 0 ? word.slice(0, colon) : '';
    if (key === 'op') key = 'type';
    if (key === 'sev') key = 'severity';
    const known = KEYS.includes(key);
    terms.push({denies, key: known ? key : '',
                value: (known ? word.slice(colon + 1) : word).replace(/^"|"$/g, '')});
  }
  return terms.filter((term) => term.value !== '');
}

const UNIT_WORDS = ['ane neural-engine', 'away cpu/gpu cpu gpu', 'none state'];

function holds(model, i, term) {
  const {key, value} = term;
  const f = model.f;
  switch (key) {
    case 'type': return model.type(i).toLowerCase().includes(value);
    case 'name': return nameHas(model, i, value);
    case 'layer': {
      const layer = model.layer(i).toLowerCase();
      return /^\d+$/.test(value) ? layer === 'layer ' + Number(value) : layer.includes(value);
    }
    case 'severity': {
      if (value === 'any') return model.rank[i] < NO_FINDING;
      if (value === 'none') return model.rank[i] === NO_FINDING;
      return (model.findings.get(i) || []).some((each) => rules[each.rule].severity.startsWith(value));
    }
    case 'rule': return (model.findings.get(i) || []).some((each) => rules[each.rule].id.includes(value));
    case 'unit': return UNIT_WORDS[f.unit[i]].split(' ').some((word) => word.startsWith(value));
    case 'measured': {
      const measured = model.measured(i);
      if ('contradiction'.startsWith(value)) return model.isContradiction(i);
      return (measured === UNMEASURED ? 'none' : ['cpu', 'gpu', 'ane'][measured]).startsWith(value);
    }
    case 'dtype': {
      for (let v = model.first[i]; v < model.first[i + 1]; v++) {
        if (strings[f.value_type[v]].toLowerCase().includes(value)) return true;
      }
      return false;
    }
    case 'range': {
      const range = model.rangeOf[i];
      if (!range) return 'none'.startsWith(value);
      if ('overflow'.startsWith(value)) return overflows(range);
      return 'square'.startsWith(value) && (overflows(range) || range[1] > MAX_SQUARE);
    }
    case 'problem': return (model.isProblem[i] === 1) === (value[0] !== 'n');
  }
  return model.type(i).toLowerCase().includes(value) || nameHas(model, i, value) ||
      model.layer(i).toLowerCase().includes(value);
}

function nameHas(model, i, value) {
  if (model.op(i).toLowerCase().includes(value)) return true;
  for (let v = model.first[i]; v < model.first[i + 1]; v++) {
    if (strings[model.f.value[v]].toLowerCase().includes(value)) return true;
  }
  return false;
}

function filtered(model, text) {
  const terms = parseFilter(text);
  const found = [];
  for (let i = 0; i < model.count; i++) {
    if (terms.every((term) => holds(model, i, term) !== term.denies)) found.push(i);
  }
  return found;
}
