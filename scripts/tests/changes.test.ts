import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { findChanges } from './changes.ts';

/** A repository with one commit on `main`. */
function createRepository(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-changes-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const author = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) => execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' });
  const commit = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    git('add', '-A');
    git('commit', '-qm', name);
  };
  git('init', '-q', '-b', 'main');
  commit('first.ts', '1');
  return { folder, git, commit };
}

test('a change is what came after the branch that others have, and what is not committed yet', (t) => {
  const { folder, git, commit } = createRepository(t);
  git('switch', '-qc', 'topic');
  commit('second.ts', '2');
  git('switch', '-q', 'main');
  commit('of-others.ts', '3');
  git('switch', '-q', 'topic');
  writeFileSync(join(folder, 'new file.ts'), '');
  git('mv', 'first.ts', 'moved.ts');
  assert.deepEqual(findChanges(undefined, folder).files, ['first.ts', 'moved.ts', 'new file.ts', 'second.ts']);
});

test('on the branch that others have, a change is what is not committed yet', (t) => {
  const { folder, commit } = createRepository(t);
  commit('second.ts', '2');
  assert.deepEqual(findChanges(undefined, folder).files, []);
  writeFileSync(join(folder, 'second.ts'), '3');
  assert.deepEqual(findChanges(undefined, folder).files, ['second.ts']);
});

test('a change since a commit, and an unknown commit', (t) => {
  const { folder, git, commit } = createRepository(t);
  commit('second.ts', '2');
  const { base, files } = findChanges('HEAD~1', folder);
  assert.equal(base, git('rev-parse', '--short', 'HEAD~1').trim());
  assert.deepEqual(files, ['second.ts']);
  assert.throws(() => findChanges('no-such-commit', folder), /no-such-commit/);
});

test('a clone without the commit where its branch left main says so', (t) => {
  const { folder, git, commit } = createRepository(t);
  git('switch', '-qc', 'topic');
  commit('second.ts', '2');
  commit('third.ts', '3');
  git('switch', '-q', 'main');
  const clone = join(folder, 'clone');
  git('clone', '-q', '--depth', '1', '--branch', 'topic', `file://${folder}`, clone);
  assert.throws(() => findChanges(undefined, clone), /cannot tell where this branch left main/);
  assert.deepEqual(findChanges('HEAD', clone).files, []);
});
