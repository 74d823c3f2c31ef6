import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { killStarted } from '../../../tests/support/started-processes.ts';
import { xlsxOf } from '../../../tests/support/document-files.ts';
import { createTableViews, ViewInterrupted, type IndexedTable } from './index.ts';

test('a full disk, and a reader that is ended from outside, are no faults of the table', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-views-'));
  const views = createTableViews({ directory: join(directory, 'views') });
  t.after(async () => {
    views.close();
    await rm(directory, { recursive: true });
  });
  const path = join(directory, 'a.jsonl');
  await writeFile(path, `${JSON.stringify({ id: 1, text: 'x'.repeat(1_000) })}\n`.repeat(200_000));
  const source = { path, offset: 0, sizeBytes: (await stat(path)).size, format: 'jsonl' as const };
  const indexPath = join(directory, 'views', 'a.index');
  await mkdir(join(directory, 'views'));

  const rows = Array.from({ length: 2_000 }, (_, row) => [`text ${row}`.repeat(50)]);
  await writeFile(join(directory, 'a.xlsx'), xlsxOf({ S: rows }));
  const { size: sizeBytes } = await stat(join(directory, 'a.xlsx'));
  await symlink('/dev/full', indexPath);
  const workbook = { path: join(directory, 'a.xlsx'), offset: 0, sizeBytes, fileType: 'xlsx' };
  await assert.rejects(views.writeSheet({ workbook, sheet: 'S', path: indexPath }), { code: 'ENOSPC' });

  const ended = new AbortController();
  const interrupted = assert.rejects(views.buildIndex({ source, indexPath }), ViewInterrupted).finally(() => {
    ended.abort();
  });
  // A process that dies before its first request is replaced.
  while (!ended.signal.aborted) {
    killStarted('view-process');
    await setImmediate();
  }
  await interrupted;
  assert.equal((await views.buildIndex({ source, indexPath })).rows, 200_000);
});

test('pages that follow each other are of the table as it is, also when another is read in between', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-views-'));
  const views = createTableViews({ directory: join(directory, 'views') });
  t.after(async () => {
    views.close();
    await rm(directory, { recursive: true });
  });
  await mkdir(join(directory, 'views'));
  const build = async (name: string, texts: readonly string[]) => {
    const path = join(directory, `${name}.jsonl`);
    await writeFile(path, texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));
    const source = { path, offset: 0, sizeBytes: (await stat(path)).size, format: 'jsonl' as const };
    const indexPath = join(directory, 'views', `${name}.index`);
    return { source, indexPath, searchPath: null, facts: await views.buildIndex({ source, indexPath }) };
  };
  const textsOf = async (table: IndexedTable) => {
    const page = { offset: 0, limit: 10, maxCellCharacters: 100, listed: null, countMs: 1_000 };
    const choice = { where: [], search: '', sort: null, isUnreadable: false };
    const { rows } = await views.readRows({ table, ...page, ...choice });
    return rows.map(({ values }) => values?.['text']);
  };
  const [a, b] = [await build('a', ['one', 'two']), await build('b', ['other'])];
  assert.deepEqual([await textsOf(a), await textsOf(a), await textsOf(b)], [['one', 'two'], ['one', 'two'], ['other']]);
  const changed = await build('a', ['three', 'four', 'five']);
  assert.deepEqual([await textsOf(changed), await textsOf(b)], [['three', 'four', 'five'], ['other']]);
  // An error of one page does not affect the next.
  const unknown = { ...changed, indexPath: join(directory, 'views', 'none.index') };
  await assert.rejects(textsOf(unknown));
  assert.deepEqual(await textsOf(changed), ['three', 'four', 'five']);
});
