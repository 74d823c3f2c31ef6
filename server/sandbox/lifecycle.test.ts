// Threads and processes of the sandbox: idle ones end, lost ones are replaced, none outlives the service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  codeOf,
  forEachLane,
  testLimits,
  wasmEcho,
  wasmLoop,
  wasmOf,
  workingLanes,
} from '../../tests/support/sandboxes.ts';
import { until } from '../../tests/support/until.ts';
import { createSandbox, type LaneCheck, type LaneName, type OperatorCode, type SandboxAnswer } from './index.ts';

const noFastLane = workingLanes().length === 2 ? false : 'the fast lane does not work here';
const marker = codeOf('export default { each: () => (s) => ({ text: s.text + "!" }) };');
const texts = Array.from({ length: 3000 }, (_, at) => `text ${at}`);
const marked: SandboxAnswer[] = texts.map((text) => ({ kind: 'outcome', outcome: { text: `${text}!` } }));

/** Code that runs in a separate process, its answers to `texts`, and a version that never ends. */
type Processed = { name: string; lane: LaneName; code: OperatorCode; answers: SandboxAnswer[]; endless: OperatorCode };
const processed: Processed[] = [
  {
    name: 'V8 in the fast lane',
    lane: 'FAST',
    code: marker,
    answers: marked,
    endless: codeOf('export default { each: () => () => { for (;;); } };'),
  },
  {
    name: 'WebAssembly in the safe lane',
    lane: 'SAFE',
    code: wasmOf(wasmEcho),
    answers: texts.map((text) => ({ kind: 'outcome', outcome: { params: {}, sample: { text } } })),
    endless: wasmOf(wasmLoop),
  },
];
const processName = /isolate-process\.ts|wasm-process\.[jt]s/;

/** Descendant processes that run code, without those of bubblewrap. */
function codeProcessesBelow(ancestor: number): number[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(name), parent, command: readFileSync(`/proc/${name}/cmdline`, 'utf8') }];
      } catch {
        return [];
      }
    });
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === ancestor || isBelow(parents.get(pid)));
  return processes
    .filter(({ command }) => processName.test(command) && !command.startsWith('bwrap'))
    .filter(({ pid }) => isBelow(pid))
    .map(({ pid }) => pid);
}

function programFile(t: { after(run: () => void): void }, program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-sandbox-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'program.mjs');
  writeFileSync(path, program);
  return path;
}

/** Reports that it is ready, then passes a sample to endless code. */
function endlessProgram(lane: LaneName, { kind, bytes }: OperatorCode): string {
  return `
    import { createSandbox } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    const limits = ${JSON.stringify({ ...testLimits, cpuMs: 600_000 })};
    const sandbox = createSandbox({ lane: ${JSON.stringify(lane)}, limits });
    const bytes = Buffer.from(${JSON.stringify(Buffer.from(bytes).toString('base64'))}, 'base64');
    const opened = sandbox.open({ kind: ${JSON.stringify(kind)}, bytes }, {});
    process.stdout.write('ready');
    opened.run(['a']);`;
}

for (const { name, lane, code, answers, endless } of processed) {
  const skip = lane === 'FAST' && noFastLane;

  test(`a process without work ends, and another one takes the next samples: ${name}`, { skip }, async () => {
    const sandbox = createSandbox({ lane, limits: { ...testLimits, cpuMs: 5000, idleMs: 200 } });
    try {
      const opened = sandbox.open(code, {});
      assert.deepEqual(opened.run(texts), answers);
      await until(() => codeProcessesBelow(process.pid).length === 0);
      assert.deepEqual(opened.run(texts), answers);
    } finally {
      sandbox.close();
    }
  });

  test(`a process that the system kills is replaced, and no sample fails: ${name}`, { skip }, () => {
    const sandbox = createSandbox({ lane, limits: { ...testLimits, cpuMs: 5000 } });
    try {
      const opened = sandbox.open(code, {});
      opened.run(['a']);
      let kills = 0;
      const answered = opened.run(texts, () => {
        const [pid] = kills === 0 ? codeProcessesBelow(process.pid) : [];
        if (pid === undefined) return;
        process.kill(pid, 'SIGKILL');
        kills += 1;
      });
      assert.equal(kills, 1);
      assert.deepEqual(answered, answers);
    } finally {
      sandbox.close();
    }
  });

  test(`no process outlives a thread that is ended while it waits: ${name}`, { skip }, async (t) => {
    const before = new Set(codeProcessesBelow(process.pid));
    const started = (): number[] => codeProcessesBelow(process.pid).filter((pid) => !before.has(pid));
    const thread = new Worker(programFile(t, endlessProgram(lane, endless)));
    try {
      await until(() => started().length === 1);
      await thread.terminate();
      await until(() => started().length === 0);
    } finally {
      await thread.terminate();
    }
  });

  test(`no process outlives a service that is killed: ${name}`, { skip }, async (t) => {
    const service = spawn(process.execPath, [programFile(t, endlessProgram(lane, endless))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => service.once('exit', resolve));
    try {
      assert.equal(String(await Promise.race([once(service.stdout, 'data'), ended])), 'ready');
      const lanes = codeProcessesBelow(service.pid ?? 0);
      assert.equal(lanes.length, 1);
      service.kill('SIGKILL');
      await ended;
      const isGone = (pid: number): boolean => {
        try {
          return !processName.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
        } catch {
          return true;
        }
      };
      await until(() => lanes.every(isGone));
    } finally {
      service.kill('SIGKILL');
    }
  });
}

forEachLane('code that was let go of holds nothing, and starts anew when it is called', (sandbox) => {
  const counter = codeOf('let count = 0; export default { each: () => () => ({ text: String((count += 1)) }) };');
  const opened = sandbox.open(counter, {});
  const one = { kind: 'outcome', outcome: { text: '1' } };
  assert.deepEqual(opened.run(['a']), [one]);
  opened.close();
  assert.deepEqual(opened.run(['a']), [one]);
  // All of them at once would need more memory than there is.
  const hoarder = codeOf('const all = new Uint8Array(3e7).fill(1); export default { each: () => (s) => s };');
  for (let call = 0; call < 20; call += 1) {
    const held = sandbox.open(hoarder, {});
    assert.deepEqual(held.run(['a']), [{ kind: 'same' }]);
    held.close();
  }
});

forEachLane('many texts need no more memory than a few', (sandbox) => {
  const opened = sandbox.open(marker, {});
  const long = Array.from({ length: 300 }, (_, at) => 'a long text '.repeat(300) + String(at));
  opened.run(['a']);
  const before = sandbox.lane === 'FAST' ? codeProcessesBelow(process.pid) : [];
  let failed = 0;
  for (let call = 0; call < 120; call += 1) {
    failed += opened.run(long).filter(({ kind }) => kind === 'failed').length;
  }
  assert.equal(failed, 0);
  // Samples of a process that grew too large would be retried in another one: none fails, but that would be slow.
  if (sandbox.lane === 'FAST') assert.deepEqual(codeProcessesBelow(process.pid), before);
});

test('without bubblewrap, or where it is refused, the safe lane is chosen and the reason is said', async (t) => {
  const program = `
    import { checkLane, createSandbox, sandboxLimits } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    const checked = checkLane();
    const sandbox = createSandbox({ lane: checked.lane, limits: sandboxLimits });
    const code = new TextEncoder().encode('export default { each: () => (s) => ({ text: s.text + "!" }) };');
    const answers = sandbox.open({ kind: 'js', bytes: code }, {}).run(['a']);
    sandbox.close();
    process.stdout.write(JSON.stringify({ checked, answers }));`;
  const file = programFile(t, program);
  const told = async (path: string): Promise<{ checked: LaneCheck; answers: unknown }> => {
    const child = spawn(process.execPath, [file], {
      env: { PATH: path },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    for await (const piece of child.stdout) text += String(piece);
    return JSON.parse(text) as Awaited<ReturnType<typeof told>>;
  };
  const refusing = fileURLToPath(new URL('../../tests/support/refusing-bubblewrap', import.meta.url));
  for (const [path, why] of [
    ['/nowhere', /bubblewrap can not be started \(.*ENOENT/],
    [`${refusing}:/usr/bin:/bin`, /bubblewrap does not work here: bwrap: No permissions to create a new namespace/],
  ] as const) {
    const { checked, answers } = await told(path);
    assert.equal(checked.lane, 'SAFE');
    assert.match(checked.lane === 'SAFE' ? checked.why : '', why);
    assert.deepEqual(answers, [{ kind: 'outcome', outcome: { text: 'a!' } }]);
  }
});

test('the reason names a limit in tenths of a second', () => {
  const sandbox = createSandbox({ lane: 'SAFE', limits: { ...testLimits, cpuMs: 1000 / 3 } });
  try {
    const code = codeOf('export default { each: () => () => { for (;;); } };');
    const [answer] = sandbox.open(code, {}).run(['a']);
    assert.match(answer?.kind === 'failed' ? answer.reason : '', /more than 0\.3 s of CPU time/);
  } finally {
    sandbox.close();
  }
});
