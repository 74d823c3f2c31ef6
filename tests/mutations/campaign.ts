// `npm run test:mutations [-- --seed N --count N]`: mutates the product at places drawn from the modules of its last changes, one at
// a time, and reports which mutations `npm test` and `npm run test:long` detect. Works on the last commit, in a separate checkout.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasLongParts, listTestFiles } from '../../scripts/tests/files.ts';
import { readGraph, type Reach } from '../../scripts/tests/import-graph.ts';
import { choosePlaces, mutate, type Place } from './places.ts';

// Outside node_modules, because Node runs no TypeScript there.
const folder = join(tmpdir(), `tilth-mutations-${process.pid}`);
const checkout = join(folder, 'checkout');
const hitsFile = join(folder, 'hits');
/**
 * Tests of a broken product may never end; a timeout counts as detection. It is a multiple of the time that all tests took
 * before anything was broken, so that a busy machine detects nothing.
 */
const TIME_LIMIT_FACTOR = 2;
/** The line that ends a file that failed. */
const failedFile = /^✖ (\S+\.test\.ts) /m;
/** Imports between a place and the tests that are tried on it first. */
const NEAR = 1;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '30' },
    list: { type: 'boolean' },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];
const places = Number.isInteger(seed) && Number.isInteger(count) && count > 0 ? choosePlaces(seed, count) : [];
if (places.length === 0) {
  console.error(
    `--seed and --count need whole numbers, and --count at least 1; these are ${values.seed} and ${values.count}.`,
  );
  process.exitCode = 2;
} else if (values.list === true)
  for (const place of places) console.log(`${place.file}:${place.line}\n  - ${place.before}\n  + ${place.after}`);
else await main();

async function main(): Promise<void> {
  makeCheckout();
  try {
    const graph = readGraph();
    console.log(`What each run printed: ${join(folder, 'log')}`);
    const short = await findHits([]);
    const unnoticed: Place[] = [];
    for (const [index, place] of places.entries()) {
      const reach = graph.reachOf([place.file]);
      const files = filesFor(place, reach, { hits: short.hits.get(index), isLong: false });
      const noticed = await tryPlace(place, files, { args: [], timeLimitMs: short.timeLimitMs });
      report(place, noticed, 'npm test');
      if (noticed === undefined) unnoticed.push(place);
    }
    const long = unnoticed.length === 0 ? short : await findHits(['--long']);
    for (const place of unnoticed) {
      const reach = graph.reachOf([place.file]);
      const files = filesFor(place, reach, { hits: long.hits.get(places.indexOf(place)), isLong: true });
      const noticed = await tryPlace(place, files, { args: ['--long'], timeLimitMs: long.timeLimitMs });
      report(place, noticed, 'npm run test:long');
    }
    console.log(`${places.length - unnoticed.length} of ${places.length} noticed by npm test.`);
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', checkout]);
  }
}

function report({ file, line, before, after }: Place, noticed: string | undefined, command: string): void {
  console.log(
    `${noticed === undefined ? 'NOT noticed' : `noticed by ${noticed}`} (${command}): ${file}:${line}\n  - ${before}\n  + ${after}`,
  );
}

function makeCheckout(): void {
  mkdirSync(folder);
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', checkout, 'HEAD']);
  for (const modules of ['node_modules', 'runtime/node_modules']) {
    mkdirSync(join(checkout, modules));
    for (const name of readdirSync(modules).filter((each) => each !== '.cache'))
      execFileSync('cp', ['-al', join(modules, name), join(checkout, modules, name)]);
  }
}

/**
 * Runs all tests once with a probe at each place of the service; returns place → test files that may have reached it.
 */
async function findHits(args: readonly string[]): Promise<{ hits: Map<number, Set<string>>; timeLimitMs: number }> {
  writeFileSync(hitsFile, '');
  const probed = places.map((place, index) => ({ place, index })).filter(({ place }) => canRecord(place));
  const byFile = Map.groupBy(probed, ({ place }) => place.file);
  for (const [file, all] of byFile) {
    let source = readFileSync(file, 'utf8');
    for (const { place, index } of all.toSorted((a, b) => b.place.expression.start - a.place.expression.start)) {
      const { start, end } = place.expression;
      source = mutate(source, { start, end, text: `(${probe(index)}, ${source.slice(start, end)})` });
    }
    writeFileSync(join(checkout, file), source);
  }
  const started = Date.now();
  const failure = await runTests(args, [], Infinity);
  const timeLimitMs = TIME_LIMIT_FACTOR * (Date.now() - started);
  if (failure !== undefined) throw new Error(`The tests fail before anything is broken:\n${failure.slice(-3000)}`);
  for (const file of byFile.keys()) cpSync(file, join(checkout, file));
  return { hits: readHits(), timeLimitMs };
}

/** Whether code at the place can write a file: pages run in a browser, and sandboxed code has no file system. */
function canRecord({ file }: Place): boolean {
  return file.startsWith('server/') && !file.startsWith('server/sandbox/');
}

/** An expression that records when a process reaches it, at most once a second. */
function probe(index: number): string {
  const note = `process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(hitsFile)}, '${index} ' + Date.now() + '\\n')`;
  return `((globalThis.probes ??= {})[${index}] > Date.now() - 1000 || (globalThis.probes[${index}] = Date.now(), ${note}))`;
}

function readHits(): Map<number, Set<string>> {
  const hits = new Map<number, Set<string>>();
  const costs = JSON.parse(readFileSync(join(checkout, 'node_modules/.cache/test-costs.json'), 'utf8')) as Record<
    string,
    { begunAt: number; wall: number }
  >;
  for (const line of readFileSync(hitsFile, 'utf8').trim().split('\n')) {
    const [index = 0, at = 0] = line.split(' ').map(Number);
    const files = hits.get(index) ?? new Set();
    for (const [file, { begunAt, wall }] of Object.entries(costs))
      if (at >= begunAt && at <= begunAt + wall * 1000) files.add(file);
    hits.set(index, files);
  }
  return hits;
}

/** Tests of a command that reached the place, or that can reach it by imports if it cannot record them. The nearest first. */
function filesFor(
  place: Place,
  reach: Reach,
  { hits = new Set(), isLong }: { hits: ReadonlySet<string> | undefined; isLong: boolean },
): [near: string[], others: string[]] {
  const ofCommand = new Set(listTestFiles({ isLong }).filter((each) => !isLong || hasLongParts(each)));
  const distances = 'all' in reach ? new Map<string, number>() : reach.files;
  const files = (canRecord(place) ? [...hits] : [...distances.keys()]).filter((each) => ofCommand.has(each));
  const isNear = (each: string) => (distances.get(each) ?? Infinity) <= NEAR;
  return [files.filter(isNear), files.filter((each) => !isNear(each))];
}

/** Returns the test file that detected the mutation. */
async function tryPlace(
  place: Place,
  groups: string[][],
  { args, timeLimitMs }: { args: readonly string[]; timeLimitMs: number },
): Promise<string | undefined> {
  writeFileSync(join(checkout, place.file), mutate(readFileSync(place.file, 'utf8'), place.mutation));
  try {
    for (const files of groups) {
      if (files.length === 0) continue;
      const output = await runTests(args, files, timeLimitMs);
      if (output !== undefined) return failedFile.exec(output)?.[1] ?? 'a run that did not end or begin';
    }
    return undefined;
  } finally {
    cpSync(place.file, join(checkout, place.file));
  }
}

/** The output of the tests if they failed; if files are given, they run until the first failure. */
function runTests(args: readonly string[], files: readonly string[], timeLimitMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let output = '';
    const options = { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'], detached: true };
    const all = [...args, ...files];
    const child = spawn('node', ['scripts/launch.mjs', '--web', 'scripts/test.ts', ...all], options);
    const isPart = files.length > 0;
    const end = () => process.kill(-(child.pid ?? 0), 'SIGKILL');
    const limit = isPart ? setTimeout(end, timeLimitMs) : undefined;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        output += data.toString();
        if (isPart && failedFile.test(output)) end();
      });
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      appendFileSync(join(folder, 'log'), `${all.join(' ')}\n${output}\n`);
      resolve(code === 0 ? undefined : output);
    });
  });
}
