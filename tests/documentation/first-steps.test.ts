// Newcomers copy the commands of the first steps, so they are run exactly as written.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../support/python.ts';
import { adminPassword, startApp } from '../support/server.ts';
import { findTool, testWith } from '../support/tools.ts';
import { root } from './pages.ts';

/** The shell commands of a section. */
function commandsOf(page: string, heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = '']) => commands);
}

testWith(
  [findTool('bash'), findTool('curl'), findTool('tar')],
  'the first steps clean a dataset, run a mistake into it and restore it',
  async (t, bash = '') => {
    const service = await startApp(t);
    const directory = await mkdtemp(join(tmpdir(), 'tilth-first-steps-'));
    t.after(() => rm(directory, { recursive: true }));
    for (const name of ['README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'docs/hub.md', 'docs/decisions'])
      await cp(join(root, name), join(directory, name), { recursive: true });
    const page = await readFile(join(root, 'docs/first-steps.md'), 'utf8');
    const [clean = ''] = commandsOf(page, 'Your first cleaned dataset');
    const [undo = ''] = commandsOf(page, 'Undo a run');
    assert.ok(clean.includes('PASSWORD=') && undo.includes('/restore'));
    const commands = clean
      .replace(/^PASSWORD=.*$/m, `PASSWORD='${adminPassword}'`)
      .replace(/^API=.*$/m, `API=${service.url}/api/v1`);
    const script = `set -eu\n${commands}\necho "== undo"\n${undo}`;
    const { code, output } = await runProgram(bash, ['-c', script], { cwd: directory });
    assert.equal(code, 0, output);
    const [before = '', after = ''] = output.split('== undo\n');
    assert.match(before, /^COMPLETED$/m);
    const [mistake, restored] = [
      ...after.replaceAll(/\s+/g, ' ').matchAll(/added: (\d+), changed: (\d+), moved: (\d+), removed: (\d+)/g),
    ].map((found) => found.slice(1).map(Number));
    assert.ok((mistake?.[3] ?? 0) > 5, `the mistake removes files: ${after}`);
    assert.deepEqual(restored, [0, 0, 0, 0], after);
    assert.match(after, /^RUN Tidy up $/m);
    assert.match(after, /^OPERATOR text-length-filter \d/m);
  },
);
