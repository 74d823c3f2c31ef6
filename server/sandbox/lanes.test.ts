// Operators behave the same in both lanes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { codeOf, forEachLane, testLimits, workingLanes } from '../../tests/support/sandboxes.ts';
import { packageOf } from '../../scripts/operators/package-folder.ts';
import {
  checkLane,
  CodeRefused,
  createSandbox,
  type LaneName,
  type OperatorCode,
  type SandboxAnswer,
} from './index.ts';

const skip = workingLanes().length === 2 ? false : 'the fast lane does not work here';

/** The answers of each lane. */
function answersOf(code: OperatorCode, samples: readonly unknown[], params = {}): Record<LaneName, SandboxAnswer[]> {
  const [SAFE, FAST] = (['SAFE', 'FAST'] as const).map((lane) => {
    const sandbox = createSandbox({ lane, limits: testLimits });
    try {
      return sandbox.open(code, params).run(samples);
    } finally {
      sandbox.close();
    }
  });
  return { SAFE: SAFE ?? [], FAST: FAST ?? [] };
}

function textOf(answer: SandboxAnswer | undefined): string {
  assert.equal(answer?.kind, 'outcome', JSON.stringify(answer));
  return answer?.kind === 'outcome' ? (answer.outcome as { text: string }).text : '';
}

const names = `
const owners = { 'Function.prototype': Object.getPrototypeOf(Object), TypedArray: Object.getPrototypeOf(Uint8Array) };
for (const name of Object.getOwnPropertyNames(globalThis)) if (Object(globalThis[name]) === globalThis[name] && name !== 'globalThis') owners[name] = globalThis[name];
owners['TypedArray.prototype'] = owners.TypedArray.prototype;
for (const [name, owner] of Object.entries({ ...owners })) if (Object(owner.prototype) === owner.prototype) owners[name + '.prototype'] = owner.prototype;
for (const [name, value] of Object.entries({ list: [].values(), text: ''[Symbol.iterator](), map: new Map().keys(), matches: ''.matchAll(/a/g), generator: (function* () {})() })) {
  owners[name] = Object.getPrototypeOf(value);
  owners[name + '.base'] = Object.getPrototypeOf(owners[name]);
}
const all = [];
for (const [name, owner] of Object.entries(owners)) for (const key of Reflect.ownKeys(owner)) all.push(name + ' ' + String(key));
const text = all.filter((one) => !/^Symbol (asyncDispose|dispose)$/.test(one)).sort().join('\\n') + '\\n' + Object.getOwnPropertyNames(globalThis).sort().join(' ');
export default { each: () => () => ({ text }) };`;

test('both lanes have the same language, name by name', { skip }, () => {
  const { SAFE, FAST } = answersOf(codeOf(names), ['']);
  const [safe, fast] = [textOf(SAFE[0]).split('\n'), textOf(FAST[0]).split('\n')];
  assert.ok(safe.length > 500, `${safe.length} names`);
  assert.deepEqual(
    { safeOnly: safe.filter((name) => !fast.includes(name)), fastOnly: fast.filter((name) => !safe.includes(name)) },
    { safeOnly: [], fastOnly: [] },
  );
});

/** Bodies of a function from `s` to a text. */
const probes: Record<string, string> = {
  'case and normal forms':
    's.text.toUpperCase() + s.text.toLowerCase() + s.text.normalize("NFKC") + s.text.normalize("NFD").length',
  'regular expressions': 's.text.replace(/(?<=\\p{L})\\p{N}+|\\b(?<w>\\w+)\\s\\k<w>\\b/giu, (m) => "<" + m + ">")',
  'splitting and joining': 's.text.split(/\\s*/u).reverse().join("|") + [...s.text].length',
  sorting:
    '[...s.text].sort().join("") + [3, 20, 100].sort() + [..."hello"].toSorted((a, b) => b < a ? -1 : 1).join("")',
  numbers:
    '[0.1 + 0.2, 1e21, -0, 1 / 3, 5e-324, NaN].map(String).join() + (1234.5678).toFixed(2) + (0.000001234).toPrecision(3) + (255).toString(36)',
  'whole numbers': 'String(2n ** 100n) + (7n / 2n) + parseInt("12px") + Number("0x1f")',
  collections:
    'JSON.stringify([...new Map([[1, 2], ["a", "b"]]), ...new Set([...s.text])]) + Object.entries({ b: 1, a: 2, 1: 3 })',
  bytes:
    'new Uint8Array([...s.text].map((c) => c.codePointAt(0))).reduce((a, b) => a + b, 0) + encodeURIComponent(s.text.toWellFormed())',
  'a seeded sequence': '[random(), random(), random()].join()',
  errors: '(() => { try { throw new RangeError("own words") } catch (error) { return error.name + error.message } })()',
  destructuring: '(({ text, ...rest }) => text.at(-1) + JSON.stringify(rest) + (rest?.x?.y ?? "none"))(s)',
  generators: '[...(function* () { for (const c of s.text) yield c + c; })()].join("")',
};
const texts = ['', 'Straße ß ŉ İ 123 abc', 'aa aa word word', '中文 ﬁ Å é \u{1f600}', 'a\u0000b\n"q"\\', 'x1 y22 ٣'];

for (const [name, body] of Object.entries(probes)) {
  test(`both lanes give the same: ${name}`, { skip }, () => {
    const code = codeOf(`export default { each: (_p, { random }) => (s) => ({ text: String(${body}) }) };`);
    const { SAFE, FAST } = answersOf(code, texts);
    assert.deepEqual(SAFE, FAST);
    for (const answer of SAFE) assert.equal(answer.kind, 'outcome', JSON.stringify(answer));
  });
}

forEachLane('random numbers depend on the sample alone', (sandbox) => {
  const code = codeOf('export default { each: (_p, { random }) => () => ({ text: String(random()) }) };');
  const [one, other, again] = sandbox.open(code, {}).run(['a', 'b', 'a']).map(textOf);
  assert.equal(one, again);
  assert.notEqual(one, other);
  assert.deepEqual(sandbox.open(code, {}).run(['a']).map(textOf), [one]);
});

const examples = ['link-remover', 'sentence-group-splitter', 'digit-masker'];
const paramsOf: Readonly<Record<string, object>> = {
  'link-remover': { mark: '#' },
  'sentence-group-splitter': { sentences: 2 },
};
const words = [
  'See https://a.example/x?y=1.',
  'One. Two! 3?',
  '一。二！',
  'tel 030',
  'a\u0001\n"2"\\',
  '',
  'www.example.org,',
];
for (const name of examples) {
  test(`both lanes give the same: the example ${name}`, { skip }, async () => {
    const folder = fileURLToPath(new URL(`../../examples/operators/${name}`, import.meta.url));
    const { code } = await packageOf(folder);
    const many = Array.from({ length: 200 }, (_, at) => words.slice(at % 7).join(' ') + String(at));
    const { SAFE, FAST } = answersOf(code, many, paramsOf[name]);
    assert.deepEqual(SAFE, FAST);
    assert.ok(SAFE.every(({ kind }) => kind === 'outcome' || kind === 'same'));
  });
}

const digits = readFileSync(new URL('../../examples/operators/digit-masker/operator.wasm', import.meta.url));

forEachLane('WebAssembly has no more memory than is allowed, and no imports', (sandbox) => {
  const wasm = { kind: 'wasm', bytes: digits } as const;
  const open = sandbox.open(wasm, {});
  const [small, large, after] = open.run(['a1', '1'.repeat(70 << 20), 'b2']);
  assert.deepEqual([small, after].map(textOf), ['a#', 'b#']);
  assert.equal(large?.kind, 'failed', JSON.stringify(large).slice(0, 200));
  for (const bytes of [digits.subarray(0, 40), Buffer.from('no module'), withImport()]) {
    assert.throws(() => sandbox.open({ kind: 'wasm', bytes }, {}), CodeRefused);
  }
});

/** A module that imports a function `a.b`. */
function withImport(): Uint8Array {
  return Buffer.from('0061736d01000000010401600000020701016101620000', 'hex');
}

test('the start tells which lane works', () => {
  const checked = checkLane();
  assert.ok(checked.lane === 'FAST' || checked.why !== '');
});

const moody = codeOf(`export default { each: () => ({ text }) => {
  if (text === 'spin') for (;;);
  if (text === 'null') throw null;
  return { text: text + '!' };
} };`);

for (const lane of workingLanes())
  test(`a small limit is that of the code, not of its start, and fails no neighbour [${lane}]`, () => {
    const sandbox = createSandbox({ lane, limits: { ...testLimits, cpuMs: 150 } });
    try {
      const samples = Array.from({ length: 160 }, (_, at) => (at % 80 === 7 ? 'spin' : `${at}`));
      const answers = sandbox.open(moody, {}).run(samples);
      for (const [at, answer] of answers.entries())
        if (samples[at] === 'spin') assert.match(JSON.stringify(answer), /needed more than 0\.2 s of CPU time/);
        else assert.deepEqual(answer, { kind: 'outcome', outcome: { text: `${at}!` } });
    } finally {
      sandbox.close();
    }
  });

forEachLane('null that code throws is not taken for a lack of memory', (sandbox) => {
  const answers = sandbox.open(moody, {}).run(['a', 'null', 'b']);
  assert.deepEqual(answers[1], { kind: 'failed', reason: 'null' });
  assert.deepEqual([answers[0]?.kind, answers[2]?.kind], ['outcome', 'outcome']);
});
