'use strict';
// The data of the page, as docs/report.md has it, and what follows from it. Nothing here or below
// makes markup out of text: all of it goes through textContent.
const report = JSON.parse(document.getElementById('data').textContent);
const strings = report.strings;
const severities = report.severities;
const LEAVES = severities.indexOf('leaves-ane');
const NOTE = severities.indexOf('note');
const NO_FINDING = severities.length;
const ANE = 0, AWAY = 1, NO_UNIT = 2;              // predicted
const CPU = 0, GPU = 1, ENGINE = 2, UNMEASURED = -1; // measured
const REF = {op: 0, input: 1, literal: 2, weight: 3, block: 4, kinds: 5};

const rules = report.rules.map((rule) => rule && {...rule, rank: severities.indexOf(rule.severity)});

// The largest number of fp16, and what can still be squared in it.
const MAX_F16 = 65504, MAX_SQUARE = 256;
// [value, largest magnitude, NaNs, infinities, median, 99.9 % below], found by running on the CPU.
const overflows = (range) => range[1] > MAX_F16 || range[2] > 0 || range[3] > 0;

// One function, made when it is first looked at.
class Model {
  constructor(packageIndex, functionIndex) {
    this.package = report.packages[packageIndex];
    this.packageIndex = packageIndex;
    this.functionIndex = functionIndex;
    const f = this.package.functions[functionIndex];
    this.f = f;
    this.name = strings[f.name];
    this.count = f.type.length;
    const n = this.count;
    this.first = new Uint32Array(n + 1);   // of each op's values
    for (let i = 0; i < n; i++) this.first[i + 1] = this.first[i] + f.output_count[i];
    this.owner = new Uint32Array(this.first[n]);
    for (let i = 0; i < n; i++) this.owner.fill(i, this.first[i], this.first[i + 1]);
    this.rank = new Uint8Array(n).fill(NO_FINDING);  // of the worst finding
    this.findings = new Map();
    for (const finding of f.findings) {
      const rank = rules[finding.rule].rank;
      if (finding.at < 0) continue;
      if (!this.findings.has(finding.at)) this.findings.set(finding.at, []);
      this.findings.get(finding.at).push(finding);
      this.rank[finding.at] = Math.min(this.rank[finding.at], rank);
    }
    this.general = f.findings.filter((finding) => finding.at < 0);
    this.inexact = new Set(f.inexact);
    this.ranges = new Map(f.ranges.map((range) => [range[0], range]));
    this.rangeOf = new Array(n).fill(null);  // of each op, that of its largest value
    for (const range of f.ranges) {
      const i = this.owner[range[0]], old = this.rangeOf[i];
      if (!old || overflows(range) > overflows(old) ||
          (overflows(range) === overflows(old) && range[1] > old[1])) this.rangeOf[i] = range;
    }
    this.layerOps = f.layers.map(() => []);
    for (let i = 0; i < n; i++) this.layerOps[f.layer[i]].push(i);
    this.machine = f.measured.length ? 0 : -1;
    this.consumers_ = null;
    this.findProblems();
  }

  // What breaks residency: predicted or measured off the engine, or a finding as bad as that. State
  // ops have no unit of their own.
  findProblems() {
    this.isProblem = new Uint8Array(this.count);
    this.problems = [];
    this.away = 0;
    for (let i = 0; i < this.count; i++) {
      if (this.f.unit[i] === AWAY) this.away++;
      const measured = this.measured(i);
      if (this.rank[i] <= LEAVES || (this.f.unit[i] === AWAY && !this.f.barred) ||
          (measured !== UNMEASURED && measured !== ENGINE && this.f.unit[i] !== NO_UNIT && this.evidence.engine)) {
        this.isProblem[i] = 1;
        this.problems.push(i);
      }
    }
  }

  get evidence() { return this.machine < 0 ? null : this.f.measured[this.machine]; }
  measured(i) { const evidence = this.evidence; return evidence ? evidence.preferred[i] : UNMEASURED; }
  isContradiction(i) {
    const measured = this.measured(i);
    return measured !== UNMEASURED && this.f.unit[i] !== NO_UNIT && this.evidence.engine &&
        (measured === ENGINE) !== (this.f.unit[i] === ANE);
  }
  type(i) { return strings[this.f.type[i]]; }
  op(i) { return strings[this.f.op[i]]; }
  // By what an op is called: its first output, as findings and plans have it.
  label(i) { return this.f.output_count[i] ? strings[this.f.value[this.first[i]]] : this.op(i); }
  valueType(i) {
    return this.f.output_count[i] ? shortType(strings[this.f.value_type[this.first[i]]]) : '';
  }
  layer(i) { return this.f.layers[this.f.layer[i]]; }
  bytes(i) { return this.f.read[i] + this.f.written[i] + this.f.weight[i]; }

  // [parameter, [refs]] of each input.
  inputs(i) {
    const bound = this.f.bound[i], all = [];
    for (let at = 0; at < bound.length;) {
      const count = bound[at + 1];
      all.push([strings[bound[at]], bound.slice(at + 2, at + 2 + count)]);
      at += 2 + count;
    }
    return all;
  }

  // Ops that take a value; values of ops and of the function are apart.
  consumers(ref) {
    if (!this.consumers_) {
      this.consumers_ = new Map();
      for (let i = 0; i < this.count; i++) {
        for (const [, refs] of this.inputs(i)) {
          for (const each of refs) {
            const kind = each % REF.kinds;
            if (kind === REF.literal || kind === REF.block) continue;
            if (!this.consumers_.has(each)) this.consumers_.set(each, []);
            const list = this.consumers_.get(each);
            if (list[list.length - 1] !== i) list.push(i);
          }
        }
      }
    }
    return this.consumers_.get(ref) || [];
  }

  totals() {
    const sum = (column) => column.reduce((a, b) => a + b, 0);
    return {ops: this.count, weight: sum(this.f.weight), read: sum(this.f.read),
            written: sum(this.f.written), flops: sum(this.f.flops)};
  }
}

const models = new Map();
function modelOf(packageIndex, functionIndex) {
  const key = packageIndex + '/' + functionIndex;
  if (!models.has(key)) models.set(key, new Model(packageIndex, functionIndex));
  return models.get(key);
}
function* allModels() {
  for (let p = 0; p < report.packages.length; p++) {
    for (let f = 0; f < report.packages[p].functions.length; f++) yield modelOf(p, f);
  }
}
