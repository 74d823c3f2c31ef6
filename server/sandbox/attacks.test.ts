// Each attack fails its own sample with a reason; the samples beside it, the next operator and this process are unharmed.
import assert from 'node:assert/strict';
import {
  briefLimits,
  codeOf,
  forAnyLane,
  forEachLane,
  testLimits,
  wasmEcho,
  wasmLoop,
  wasmOf,
  type WasmParts,
} from '../../tests/support/sandboxes.ts';
import { CodeRefused, type Sandbox, type SandboxAnswer } from './index.ts';

const time = /needed more than 0.2 s of CPU time and was stopped/;
const memory = /needed more than 64 MiB of memory and was stopped/;

const limitsOf = (reason: RegExp) => (reason === time ? briefLimits : testLimits);

/**
 * The body of a function of a sample `s`, called for the middle one of three samples, and the reason why that one
 * fails.
 */
const attacks: Record<string, [body: string, reason: RegExp]> = {
  'an endless loop': ['for (;;);', time],
  'a regular expression without end': ['return { text: String(/^(a+)+$/.test("a".repeat(40) + "!")) };', time],
  'a memory bomb of lists': ['const all = []; for (;;) all.push(new Array(10000).fill(all.length));', memory],
  'a memory bomb of buffers': ['const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));', memory],
  'a resizable buffer': [
    'const b = new ArrayBuffer(8, { maxByteLength: 2e9 }); b.resize(1e9); new Uint8Array(b).fill(1); return s;',
    memory,
  ],
  'a text that doubles': ['let t = "x"; for (;;) t += t;', memory],
  'a number that squares': ['let x = 3n; for (;;) x = x * x;', /stopped/],
  'a flood of promises': ['for (;;) (async () => { await null; })();', /stopped/],
  'a loop that an async function gives up': ['(async () => { for (;;); })(); return { text: "went on" };', time],
  'memory that an async function gives up': [
    '(async () => { const all = []; for (;;) all.push(new Array(10000).fill(all.length)); })(); return { text: "went on" };',
    memory,
  ],
  'a stack bomb': ['const f = () => f() + 1; return f();', /calls itself too deeply/],
  'a getter that never ends': ['return { get text() { for (;;); } };', time],
  'a cyclic result': ['const a = {}; a.a = a; return a;', /can not be written as JSON/],
  'a huge result': ['return { text: "x".repeat(3e6) };', /answered with more than 1 MiB/],
  'a change of the sample in place': ['s.text = "other"; return s;', /read.only|Cannot assign/],
  'code of text by Function': [
    'return { text: (() => {}).constructor("return 1")() };',
    /Code can not be made of text/,
  ],
  'code of text by an async function': [
    'return { text: (async () => {}).constructor("return 1")() };',
    /Code can not be made of text/,
  ],
  'code of text by eval': ['return { text: eval("1") };', /eval/],
  'code of text by a generator': [
    'return { text: (function* () {}).constructor("return 1")() };',
    /Code can not be made of text/,
  ],
  'the constructor of what it is handed': [
    'return { text: String(random.constructor("return process")()) };',
    /Code can not be made of text/,
  ],
  'the constructor of an error of the engine': [
    'try { null.x; } catch (error) { return { text: error.constructor.constructor("return process")().version }; }',
    /Code can not be made of text/,
  ],
  'a construction by Reflect': [
    'return { text: Reflect.construct((() => {}).constructor, ["return process"])().version };',
    /constructor|Code can not be made of text/,
  ],
  'a memory bomb of big typed arrays': ['return { text: String(new Float64Array(1e9).fill(1).length) };', memory],
  'a memory bomb of keys': ['const o = {}; for (let i = 0; ; i += 1) o["key" + i] = { i };', /stopped/],
  'a text repeated without end': ['return { text: "x".repeat(2 ** 30) + "y".repeat(2 ** 30) };', memory],
  'a toJSON that never ends': ['return { fields: { toJSON() { for (;;); } } };', time],
  'a proxy with keys without end': ['return new Proxy({}, { ownKeys() { for (;;); } });', time],
  'a list that says to be endless': [
    'return new Proxy([], { get: (list, name) => name === "length" ? 2 ** 32 - 1 : name === "toJSON" ? undefined : { text: "x" } });',
    /stopped|answered with more/,
  ],
  'a deep result': [
    'let a = {}; for (let i = 0; i < 1e5; i += 1) a = { a }; return a;',
    /calls itself too deeply|can not be written as JSON|stopped/,
  ],
  process: ['return { text: process.version };', /process/],
  require: ['return { text: require("node:fs").readFileSync("/etc/passwd", "utf8") };', /require/],
  fetch: ['return { text: String(fetch("http://127.0.0.1")) };', /fetch/],
  'the clock': ['return { text: String(new Date()) };', /Date/],
  randomness: ['return { text: String(Math.random()) };', /not a function/],
  'a worker of WebAssembly': ['return { text: String(new WebAssembly.Memory({ initial: 1 })) };', /WebAssembly/],
  'a thrown getter': ['throw { get message() { throw 1; } };', /can not be shown/],
};

const harmless = 'export default { each: () => (s) => ({ text: s.text + "!" }) };';

for (const [name, [body, reason]] of Object.entries(attacks)) {
  forAnyLane(
    `an attack fails its own sample: ${name}`,
    (sandbox) => {
      const other = sandbox.open(codeOf(harmless), {});
      const evil = sandbox.open(
        codeOf(`export default { each: (_p, { random }) => (s) => { if (s.text !== 'attack') return s; ${body} } };`),
        {},
      );
      const [before, attacked, after] = evil.run(['one', 'attack', 'two']);
      assert.deepEqual([before, after], [{ kind: 'same' }, { kind: 'same' }]);
      assert.match(reasonOf(attacked), reason);
      assertUnharmed(sandbox, other);
    },
    limitsOf(reason),
  );
}

function assertUnharmed(sandbox: Sandbox, other: ReturnType<Sandbox['open']>): void {
  const expected: SandboxAnswer[] = [{ kind: 'outcome', outcome: { text: 'next!' } }];
  assert.deepEqual(other.run(['next']), expected);
  assert.deepEqual(sandbox.open(codeOf(harmless), {}).run(['next']), expected);
  assert.equal(({} as { polluted?: string }).polluted, undefined);
}

function reasonOf(answer: SandboxAnswer | undefined): string {
  assert.equal(answer?.kind, 'failed', JSON.stringify(answer));
  return answer?.kind === 'failed' ? answer.reason : '';
}

const refused: Record<string, [source: string, cause: RegExp]> = {
  'an import of node:fs': ['import fs from "node:fs"; export default { each: () => (s) => s };', /node:fs/],
  'an import of a file': ['import x from "../../etc/passwd"; export default { each: () => (s) => s };', /passwd/],
  'an endless loop before the first sample': ['for (;;); export default {};', time],
  'a wait that never ends': ['await new Promise(() => {}); export default { each: () => (s) => s };', /./],
  'no default export': ['export const each = () => (s) => s;', /default export has no function/],
  'an each that answers with nothing': ['export default { each: () => {} };', /answers with no function/],
  'a text that is no code': ['this is no code', /./],
  'a getter in place of each': ['export default { get each() { for (;;); } };', time],
};
for (const [name, [source, cause]] of Object.entries(refused)) {
  forAnyLane(
    `code is refused: ${name}`,
    (sandbox) => {
      const other = sandbox.open(codeOf(harmless), {});
      assert.throws(
        () => sandbox.open(codeOf(source), {}),
        (error) => {
          assert.ok(error instanceof CodeRefused, String(error));
          assert.match(error.message, cause);
          return true;
        },
      );
      assertUnharmed(sandbox, other);
    },
    limitsOf(cause),
  );
}

forEachLane('what code changes of the language stays with it', (sandbox) => {
  const other = sandbox.open(codeOf(harmless), {});
  const polluter = sandbox.open(
    codeOf(`
      Object.prototype.polluted = 'yes';
      Array.prototype.push = () => { throw new Error('caught'); };
      JSON.stringify = () => '[[1,{"text":"forged"}],[1,{"text":"forged"}]]';
      JSON.parse = () => ['forged'];
      String.prototype.charCodeAt = () => 0;
      String.prototype.slice = () => 'forged';
      String.prototype.indexOf = () => -1;
      String.prototype.isWellFormed = () => true;
      const functions = Object.getPrototypeOf(Object);
      functions.call = functions.apply = functions.bind = () => 'forged';
      Object.keys = Object.freeze = Array.isArray = () => false;
      Object.defineProperty(Object.prototype, 'verdict', { get: () => 'drop', configurable: true });
      Object.defineProperty(Object.prototype, 'reason', { get: () => 'forged', configurable: true });
      export default { each: () => (s) => ({ text: s.text + s.polluted }) };`),
    {},
  );
  assert.deepEqual(polluter.run(['a', 'b']), [
    { kind: 'outcome', outcome: { text: 'ayes' } },
    { kind: 'outcome', outcome: { text: 'byes' } },
  ]);
  assertUnharmed(sandbox, other);
});

forEachLane('a result stands for the sample in its place, whatever id it names', (sandbox) => {
  const forger = sandbox.open(
    codeOf(`export default { each: () => (s) => s.text === 'a'
      ? { text: 'mine', id: 1, sampleId: 'b', row: 1 }
      : { text: s.text } };`),
    {},
  );
  const [first, second] = forger.run(['a', 'b']);
  assert.deepEqual(second, { kind: 'outcome', outcome: { text: 'b' } });
  assert.equal(first?.kind === 'outcome' && (first.outcome as { text: string }).text, 'mine');
});

const wasmAttacks: Record<string, [each: readonly number[], reason: RegExp]> = {
  'an endless loop': [wasmLoop, time],
  'a stack bomb': [[0x20, 0, 0x20, 1, 0x10, 1], /calls itself too deeply/],
  'a trap': [[0x00], /unreachable/],
  // The upper half of the i64 is the pointer, the lower one the length.
  'an answer outside of its memory': [[0x42, 0x7f], /outside of its memory/],
  'an answer that is no JSON': [[0x42, 1], /JSON/],
};
for (const [name, [each, reason]] of Object.entries(wasmAttacks)) {
  forAnyLane(
    `an attack of WebAssembly fails its own sample: ${name}`,
    (sandbox) => {
      const other = sandbox.open(codeOf(harmless), {});
      assert.match(reasonOf(sandbox.open(wasmOf(each), {}).run(['attack'])[0]), reason);
      assertUnharmed(sandbox, other);
    },
    limitsOf(reason),
  );
}

const i64s = [0x5e, 0x7e, 0x01];
const refusedModules: Record<string, [parts: WasmParts, cause: RegExp]> = {
  'arrays, which no memory limits': [
    { types: [i64s] },
    /types of a kind that is not supported, such as structs and arrays/,
  ],
  'a group of types': [{ types: [[0x4e, 0x01, ...i64s]] }, /types of a kind/],
  'a reference to a type': [{ types: [[0x60, 1, 0x63, 0x00, 0]] }, /values of a kind that is not supported/],
  'references that collect garbage': [{ types: [[0x60, 1, 0x6e, 0]] }, /values of a kind/],
  'a list of types that is cut off': [{ types: [[0x60, 0x7f]] }, /cut off/],
  exceptions: [{ sections: [[13, [1, 0, 0]]] }, /such as exceptions/],
  'many tables': [
    { sections: [[4, [9, ...Array.from({ length: 9 }, () => [0x70, 0, 1]).flat()]]] },
    /more than 8 tables/,
  ],
  'a table of other references': [{ sections: [[4, [1, 0x6e, 0, 1]]] }, /table of a kind/],
  'a large table': [{ sections: [[4, [1, 0x70, 0, 0xa1, 0x8d, 0x06]]] }, /table begins larger/],
  'a shared memory': [{ memory: [1, 3, 1, 1] }, /shared or 64-bit/],
  'a 64-bit memory': [{ memory: [1, 4, 1] }, /shared or 64-bit/],
  'two memories': [{ memory: [2, 0, 1, 0, 1] }, /one memory/],
};
for (const [name, [parts, cause]] of Object.entries(refusedModules)) {
  forAnyLane(`a module of WebAssembly is refused: ${name}`, (sandbox) => {
    assert.throws(
      () => sandbox.open(wasmOf([0x42, 0], parts), {}),
      (error) => error instanceof CodeRefused && cause.test(error.message),
    );
  });
}

forEachLane('a module of WebAssembly may have tables, and what tools write beside the code', (sandbox) => {
  const name = [4, ...Buffer.from('name'), 0, 0];
  const parts: WasmParts = { types: [[0x60, 2, 0x70, 0x6f, 1, 0x7b]], sections: [[4, [1, 0x70, 0, 1]]], custom: name };
  assert.deepEqual(sandbox.open(wasmOf(wasmEcho, parts), {}).run(['a']), [
    { kind: 'outcome', outcome: { params: {}, sample: { text: 'a' } } },
  ]);
});

forEachLane('a dynamic import leads to nothing', (sandbox) => {
  const importer = sandbox.open(
    codeOf(
      'export default { each: () => (s) => { import("node:fs").then((fs) => { s.fs = fs; }, () => {}); return import("node:fs"); } };',
    ),
    {},
  );
  const [answer] = importer.run(['a']);
  // The promise must not become an outcome, whether it resolves or rejects.
  if (answer?.kind === 'outcome') assert.deepEqual(answer.outcome, {});
  else assert.equal(answer?.kind, 'failed');
  assertUnharmed(sandbox, sandbox.open(codeOf(harmless), {}));
});

forEachLane('__proto__ in parameters and samples is a name like any other', (sandbox) => {
  const params = JSON.parse(
    '{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}}',
  ) as object;
  const fields = JSON.parse('{"__proto__": {"polluted": "yes"}}') as object;
  const probe = sandbox.open(
    codeOf('export default { each: (p) => (s) => ({ text: String({}.polluted) + String(p.polluted) }) };'),
    { ...params },
  );
  assert.deepEqual(probe.run([{ text: 'a', fields }]), [{ kind: 'outcome', outcome: { text: 'undefinedundefined' } }]);
  assert.equal(({} as { polluted?: string }).polluted, undefined);
});

forAnyLane('code that breaks limits again and again is not called any more', (sandbox) => {
  const evil = sandbox.open(
    codeOf('export default { each: () => () => { const f = () => f() + 1; return f(); } };'),
    {},
  );
  const slow = sandbox.open(codeOf('export default { each: () => () => ({ text: "x".repeat(3e6) }) };'), {});
  const reasons = slow.run(Array.from({ length: 12 }, () => 'x')).map(reasonOf);
  assert.equal(reasons.filter((reason) => /is not called again/.test(reason)).length, 2, reasons.join('\n'));
  assert.ok(evil.run(['x', 'y']).every((answer) => /too deeply/.test(reasonOf(answer))));
});
