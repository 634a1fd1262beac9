// --- The strip of all ops, and the little strips of the layers. ---

const style = {};
function readStyle() {
  const computed = getComputedStyle(document.documentElement);
  for (const name of ['ane', 'away', 'none', 'cpu', 'gpu', 'problem', 'ink', 'paper', 'line', 'slow']) {
    style[name] = computed.getPropertyValue('--' + name).trim();
  }
  style.hatch = {};
}

// Lines across, so that what is predicted never looks like what is measured.
function hatched(context, colour) {
  if (!style.hatch[colour]) {
    const tile = document.createElement('canvas');
    const scale = window.devicePixelRatio || 1;
    const size = Math.round(5 * scale);
    tile.width = tile.height = size;
    const c = tile.getContext('2d');
    c.fillStyle = colour;
    c.globalAlpha = 0.4;
    c.fillRect(0, 0, size, size);
    c.globalAlpha = 1;
    c.strokeStyle = colour;
    c.lineWidth = 1.7 * scale;
    for (const shift of [-size, 0, size]) {
      c.beginPath();
      c.moveTo(shift - 1, size + 1);
      c.lineTo(shift + size + 1, -1);
      c.stroke();
    }
    style.hatch[colour] = tile;
  }
  const pattern = context.createPattern(style.hatch[colour], 'repeat');
  const scale = window.devicePixelRatio || 1;
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}

function prepared(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  return context;
}

const predictedColour = (unit) => [style.ane, style.away, style.none][unit];
const measuredColour = (unit) => [style.cpu, style.gpu, style.ane][unit];

// Runs of neighbours of one colour are one rectangle; what matters is drawn last and never thinner
// than it can be seen.
function drawCells(context, ops, width, top, height, colourOf, isUrgent, gap) {
  const step = width / ops.length;
  const draw = (urgent) => {
    let start = 0;
    for (let at = 1; at <= ops.length; at++) {
      const colour = colourOf(ops[start]);
      if (!gap && at < ops.length && colourOf(ops[at]) === colour &&
          isUrgent(ops[at]) === isUrgent(ops[start])) continue;
      if (colour && isUrgent(ops[start]) === urgent) {
        const wide = Math.max((at - start) * step - gap, urgent ? 3 : 0.5);
        context.fillStyle = colour;
        context.fillRect(Math.min(start * step, width - wide), top, wide, height);
      }
      start = at;
    }
  };
  draw(false);
  draw(true);
}

const STRIP = {pins: 14, predicted: 22, measured: 16, gap: 3, ranges: 72};
const hasRanges = (model) => model.f.ranges.length > 0;

// A line for each op from the median of its magnitudes to the largest, on a scale of octaves; what
// passes fp16 is drawn last. Ops that share a pixel share a line.
const OCTAVES = {low: -18, high: 20};

function drawRanges(context, model, width, top, height) {
  const y = (magnitude) => {
    const octave = magnitude > 0 ? Math.log2(magnitude) : OCTAVES.low;
    return top + height * (1 - (Math.max(OCTAVES.low, Math.min(OCTAVES.high, octave)) - OCTAVES.low) /
        (OCTAVES.high - OCTAVES.low));
  };
  const step = width / model.count, columns = new Map();
  model.rangeOf.forEach((range, i) => {
    if (!range) return;
    const at = step < 2 ? Math.floor(i * step / 2) * 2 : i * step;
    const column = columns.get(at) || {high: y(0), low: -1, lost: false};
    column.high = Math.min(column.high, range[3] > 0 ? top : y(range[1]));
    column.low = Math.max(column.low, y(range[4] === null ? range[1] : range[4]));
    column.lost = column.lost || overflows(range);
    columns.set(at, column);
  });
  context.strokeStyle = style.line;
  context.strokeRect(0.5, top + 0.5, width - 1, height - 1);
  for (const lost of [false, true]) {
    context.fillStyle = lost ? style.problem : style.cpu;
    for (const [x, column] of columns) {
      if (column.lost !== lost) continue;
      context.fillRect(x, column.high, Math.max(step < 2 ? 2 : step * 0.7, lost ? 3 : 1),
          Math.max(column.low - column.high, 1.5));
    }
  }
  context.font = '10px sans-serif';
  context.textAlign = 'left';
  for (const [limit, colour, words] of [[MAX_F16, style.problem, 'fp16: 65,504'], [MAX_SQUARE, style.slow, 'its square overflows: 256']]) {
    context.fillStyle = colour;
    context.fillRect(0, Math.round(y(limit)), width, 1);
    context.fillText(words, 4, y(limit) - 2);
  }
}

function drawStrip(canvas, model, selected, shown) {
  const width = canvas.parentElement.clientWidth - canvas.offsetLeft;
  const units = STRIP.pins + STRIP.predicted + STRIP.measured + 2 * STRIP.gap;
  const height = units + (hasRanges(model) ? STRIP.gap + STRIP.ranges : 0);
  const context = prepared(canvas, width, height);
  const ops = model.order || (model.order = Array.from({length: model.count}, (_, i) => i));
  if (!ops.length) return;
  const step = width / ops.length;
  const top = STRIP.pins + STRIP.gap;
  const urgent = (i) => model.f.unit[i] === AWAY;
  const colours = [style.ane, style.away, style.none].map((colour) => hatched(context, colour));
  drawCells(context, ops, width, top, STRIP.predicted, (i) => colours[model.f.unit[i]], urgent, 0);
  const below = top + STRIP.predicted + STRIP.gap;
  context.strokeStyle = style.line;
  context.strokeRect(0.5, below + 0.5, width - 1, STRIP.measured - 1);
  if (model.evidence) {
    drawCells(context, ops, width, below, STRIP.measured,
        (i) => model.measured(i) === UNMEASURED ? null : measuredColour(model.measured(i)),
        (i) => model.measured(i) === CPU || model.measured(i) === GPU, 0);
  }
  if (hasRanges(model)) drawRanges(context, model, width, units + STRIP.gap, STRIP.ranges);
  // Where layers begin.
  context.fillStyle = style.line;
  for (let i = 1; i < model.count; i++) {
    if (model.f.layer[i] !== model.f.layer[i - 1] && model.f.layers.length * 4 < width) {
      context.fillRect(i * step - 0.5, top, 1, STRIP.predicted);
    }
  }
  // What the filter hides is dimmed.
  if (shown && shown.length < ops.length) {
    context.fillStyle = style.paper;
    context.globalAlpha = 0.72;
    let at = 0;
    for (const i of [...shown, ops.length]) {
      if (i > at) context.fillRect(at * step, top, (i - at) * step, height - top);
      at = i + 1;
    }
    context.globalAlpha = 1;
  }
  let last = -9;
  for (const i of model.problems) {
    const x = (i + 0.5) * step;
    if (x - last < 1) continue;
    last = x;
    context.fillStyle = model.rank[i] <= LEAVES || model.f.unit[i] === AWAY ? style.problem : style.slow;
    context.beginPath();
    context.moveTo(x - 5, 2);
    context.lineTo(x + 5, 2);
    context.lineTo(x, STRIP.pins);
    context.fill();
    context.fillRect(x - 0.75, STRIP.pins - 2, 1.5, 5);
  }
  if (selected >= 0) {
    context.strokeStyle = style.ink;
    context.lineWidth = 2;
    context.strokeRect(Math.max(1, Math.min(selected * step, width - 4) - 1), top - 1,
        Math.max(step, 3) + 2, height - top - 1);
  }
}

function opAtStrip(canvas, model, event) {
  const box = canvas.getBoundingClientRect();
  const at = Math.floor((event.clientX - box.left) / box.width * model.count);
  const near = Math.ceil(4 / (box.width / model.count));
  // A pin or a thin bad cell is easy to hit.
  let best = -1;
  for (let i = Math.max(0, at - near); i <= Math.min(model.count - 1, at + near); i++) {
    if (model.isProblem[i] && (best < 0 || Math.abs(i - at) < Math.abs(best - at))) best = i;
  }
  return best >= 0 ? best : Math.max(0, Math.min(model.count - 1, at));
}

const LAYER_STRIP = {width: 176, height: 14};

function drawLayer(canvas, model, layer, selected, width) {
  const context = prepared(canvas, width, LAYER_STRIP.height);
  const ops = model.layerOps[layer];
  // As wide in every layer, so that equal places stand below one another.
  const most = model.mostOps || (model.mostOps = Math.max(...model.layerOps.map((each) => each.length)));
  const wide = width * ops.length / Math.max(most, 1);
  const gap = width / most > 4 ? 1 : 0;
  if (model.evidence) {
    drawCells(context, ops, wide, 0, LAYER_STRIP.height, (i) => model.measured(i) === UNMEASURED
        ? style.line : measuredColour(model.measured(i)), (i) => model.isProblem[i] === 1, gap);
  } else {
    const colours = [style.ane, style.away, style.none].map((colour) => hatched(context, colour));
    drawCells(context, ops, wide, 0, LAYER_STRIP.height, (i) => colours[model.f.unit[i]],
        (i) => model.f.unit[i] === AWAY, gap);
  }
  const at = ops.indexOf(selected);
  if (at >= 0) {
    const step = wide / ops.length;
    context.strokeStyle = style.ink;
    context.lineWidth = 2;
    context.strokeRect(Math.min(at * step, width - 3), 1, Math.max(step - gap, 3), LAYER_STRIP.height - 2);
  }
}
