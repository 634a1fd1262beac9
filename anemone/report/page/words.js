// --- Words and elements. ---

// Letters that cannot be seen, or that turn the text around them, are spelled out.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
function clean(text) {
  return String(text).replace(HIDDEN,
      (c) => '\\u{' + c.codePointAt(0).toString(16).padStart(2, '0') + '}');
}

function el(tag, className, ...kids) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const kid of kids) {
    if (kid === null || kid === undefined || kid === '') continue;
    element.append(kid instanceof Node ? kid : document.createTextNode(clean(kid)));
  }
  return element;
}
const byId = (id) => document.getElementById(id);
// A long text: cut by the style sheet, whole in its title.
function cut(className, text) {
  const element = el('span', className, text);
  element.title = clean(text);
  return element;
}
function link(className, text, action) {
  const button = el('button', 'link ' + className, text);
  button.type = 'button';
  button.title = clean(text);
  button.addEventListener('click', action);
  return button;
}

function scaled(value, unit, steps) {
  if (value < 1000) return value + (unit ? ' ' + unit : '');
  let step = -1;
  while (value >= 999.5 && step + 1 < steps.length) { value /= 1000; step++; }
  return (value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2)) +
      ' ' + steps[step];
}
const bytesText = (n) => scaled(n, 'B', ['kB', 'MB', 'GB', 'TB', 'PB', 'EB']);
const flopsText = (n) => n === 0 ? '0' : scaled(n, '', ['k', 'M', 'G', 'T', 'P', 'E']);
const count = (n, one, many) => n.toLocaleString('en') + ' ' + (n === 1 ? one : many || one + 's');
const share = (part) => part >= 0.0995 ? (100 * part).toFixed(0) + ' %'
    : part >= 0.001 ? (100 * part).toFixed(1) + ' %' : part > 0 ? '< 0.1 %' : '0 %';
// "tensor<fp16, [1, 64]>" as "fp16 [1, 64]".
const shortType = (text) => text.replace(/^(state<)?tensor<([^,]*), (\[[^\]]*\])>>?$/,
    (all, state, dtype, shape) => (state ? 'state ' : '') + dtype + ' ' + shape);

const figure = (n) => String(+n.toPrecision(4));
const rangeText = (range) => 'on the CPU at most ' + figure(range[1]) +
    (range[4] === null ? '' : ', half below ' + figure(range[4])) +
    (range[5] === null ? '' : ', 99.9 % below ' + figure(range[5])) +
    (range[2] || range[3] ? ' \u00b7 ' + count(range[2], 'NaN') + ', ' + count(range[3], 'infinity', 'infinities') : '') +
    (range[1] > MAX_F16 ? ' \u00b7 too large for fp16' : '');

const PREDICTED = ['Neural Engine', 'CPU or GPU', 'no unit'];
const MEASURED = ['CPU', 'GPU', 'Neural Engine'];
const predictedText = (unit) => PREDICTED[unit];
const measuredText = (unit) => unit === UNMEASURED ? 'not measured' : MEASURED[unit];
const predictedClass = (unit) => 'predicted ' + ['ane', 'away', 'none'][unit];
const measuredClass = (unit) => 'measured ' + (unit === UNMEASURED ? 'unmeasured' : ['cpu', 'gpu', 'ane'][unit]);
function swatch(className, title) {
  const box = el('i', 'swatch ' + className);
  box.title = title;
  return box;
}
function badge(rank) {
  return rank >= NO_FINDING ? el('span') : el('span', 'badge s-' + severities[rank], severities[rank]);
}
