// Starts each script of package.json like a new contributor would, at the smallest size that it allows.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from '../tests/support/chromium.ts';
import { testWith } from '../tests/support/tools.ts';

type Call = { args: readonly string[]; env?: Readonly<Record<string, string>>; code?: number; says: RegExp };

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { scripts, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  version: string;
};

const calls: Readonly<Record<string, Call>> = {
  start: { args: ['--version'], says: new RegExp(`^${version.replaceAll('.', '[.]')}$`, 'm') },
  // demo.long.test.ts runs the demo itself.
  demo: { args: [], env: { TILTH_URL: 'http://127.0.0.1:9' }, code: 1, says: /^Found \d+ files[^]*set TILTH_TOKEN/ },
  test: { args: ['server/kernel/file-path.test.ts'], says: /^tests: \d+ passed, 0 failed/m },
  'test:long': {
    args: ['server/areas/rag/fair-ingest.long.test.ts', '--test-name-pattern=no test has this name'],
    code: 1,
    says: /^No test has run\.$/m,
  },
  check: { args: ['--only=format'], says: /^All checks passed\.$/m },
  'test:faults': {
    args: ['--only=bit-flips', '--database=sqlite', '--size=short', '--cases=1'],
    says: /^Seed \d+: \d+ cases of 1 families, 0 violations/m,
  },
  'test:documents': { args: ['--help'], says: /^npm run test:documents: / },
  'test:retrieval': { args: ['--help'], says: /^npm run test:retrieval / },
  'test:main-content': { args: ['--help'], says: /^npm run test:main-content: / },
  'test:mutations': { args: ['--list', '--count', '1'], says: /^ {2}\+ /m },
  'test:masking': { args: ['--help'], says: /^npm run test:masking / },
  'test:rule-sets': { args: ['--help'], says: /^npm run test:rule-sets / },
  bench: { args: ['no-benchmark-has-this-name'], code: 1, says: /^Benchmarks: .*\bupload\b/m },
  'operator:new': { args: ['--help'], says: /operator:new/ },
  'operator:test': { args: ['--help'], says: /operator:test/ },
  'operator:pack': { args: ['--help'], says: /operator:pack/ },
  docs: { args: ['--check'], says: /up to date/ },
  'docs:check': { args: [], says: /up to date/ },
  format: { args: ['--check', 'scripts/check.ts'], says: /All matched files use the correct format/ },
  lint: { args: ['scripts/check.ts'], says: /Found 0 warnings and 0 errors/ },
  types: { args: ['--skip=types,web-types'], says: /^All checks passed\.$/m },
};

test('each script of package.json is run here, or has a test of its own', () => {
  const others = ['dev', 'screenshots'];
  assert.deepEqual([...Object.keys(calls), ...others].toSorted(), Object.keys(scripts).toSorted());
});

for (const [name, call] of Object.entries(calls)) test(`npm run ${name} starts`, () => runs(name, call));

testWith([chromium], 'npm run screenshots starts', () =>
  runs('screenshots', { args: ['empty-home'], says: /the pictures are in / }),
);

async function runs(name: string, { args, env = {}, code = 0, says }: Call): Promise<void> {
  // Without the settings of the test run that this is part of.
  const own = Object.entries(process.env).filter(([key]) => !/^(?:NODE_|TILTH_)/.test(key));
  const child = spawn('npm', ['run', '--silent', name, '--', ...args], {
    cwd: root,
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [ended] = (await once(child, 'close')) as [number | null];
  assert.equal(ended, code, output);
  assert.match(output, says);
}
