import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { xlsxOf } from '../../../../tests/support/document-files.ts';
import { createTableViews, ViewUnreadable, type TableViews } from '../../../tables/views/index.ts';
import type { TableBlob } from './table-sources.ts';
import { createViewStore, type ViewStore } from './view-store.ts';

type Setting = { directory: string; views: TableViews; store: ViewStore };

/** A store over one file, which is the content of every blob. */
async function openStore(
  t: TestContext,
  content: string | Uint8Array,
  changed: (views: TableViews) => Partial<TableViews> = () => ({}),
): Promise<Setting & { sizeBytes: number; again(): ViewStore }> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-view-store-'));
  const directory = join(folder, 'views');
  const path = join(folder, 'content');
  await writeFile(path, content);
  const { size: sizeBytes } = await stat(path);
  const stores: ViewStore[] = [];
  const own = createTableViews({ directory });
  const views = { ...own, ...changed(own) };
  const again = (): ViewStore => {
    const store = createViewStore({
      directory,
      maxBytes: 1 << 30,
      blobs: {
        localPath: async () => ({ path, offset: 0, sizeBytes, crc32: 0, release: async () => {} }),
        findAll: async (ids) => ids.map((id) => ({ id, sizeBytes, crc32: 0, sha256: null })),
      },
      views,
      onError: (error) => assert.fail(error as Error),
    });
    stores.push(store);
    return store;
  };
  t.after(async () => {
    for (const store of stores) await store.close();
    await rm(folder, { recursive: true });
  });
  return { directory, views, store: again(), sizeBytes, again };
}

test('on a disk that others need, indexes go that were not used for longest, and none begins that does not fit', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-view-store-'));
  const directory = join(folder, 'views');
  const content = '{"text":"a"}\n'.repeat(100);
  const path = join(folder, 'table.jsonl');
  await writeFile(path, content);
  const sizeBytes = content.length;
  let freeBytes = 1 << 20;
  const store = createViewStore({
    directory,
    maxBytes: 1 << 30,
    room: { measure: async () => ({ freeBytes }), spareBytes: 1 << 10 },
    blobs: {
      localPath: async () => ({ path, offset: 0, sizeBytes, crc32: 0, release: async () => {} }),
      findAll: async (ids) => ids.map((id) => ({ id, sizeBytes, crc32: 0, sha256: null })),
    },
    views: createTableViews({ directory }),
    onError: (error) => assert.fail(error as Error),
  });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const blobOf = (id: string): TableBlob => ({ id, sizeBytes, format: 'jsonl' });
  const indexed = async (): Promise<string[]> => [...new Set((await readdir(directory)).map((name) => name[0] ?? ''))];

  await store.ensure(blobOf('a'));
  assert.deepEqual(await indexed(), ['a']);
  // Less than others need: the older index makes room for the next.
  freeBytes = sizeBytes;
  await store.ensure(blobOf('b'));
  assert.deepEqual(await indexed(), ['b']);
  freeBytes = sizeBytes - 1;
  await assert.rejects(store.ensure(blobOf('c')), { code: 'ENOSPC' });
  assert.deepEqual(await indexed(), []);
});

test('a comparison ends when the content of either table is erased', async (t) => {
  const begun: (() => void)[] = [];
  const { store, sizeBytes } = await openStore(t, '{"text":"a"}\n', () => ({
    compare: (_request, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        begun.shift()?.();
      }),
  }));
  const tableOf = async (id: string) => {
    const blob: TableBlob = { id, sizeBytes, format: 'jsonl' };
    return { blob, facts: await store.ensure(blob) };
  };
  const pair = { before: await tableOf('before'), after: await tableOf('after') };
  for (const gone of ['before', 'after']) {
    const { promise: isBegun, resolve } = Promise.withResolvers<void>();
    begun.push(resolve);
    const compared = assert.rejects(store.compare(pair, []), ViewUnreadable);
    await isBegun;
    assert.equal(await store.forget([gone]), 1);
    await compared;
  }
});

test('what a build left unfinished goes, also beside what is complete; what is being written stays', async (t) => {
  const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
  const { store, directory, sizeBytes, again } = await openStore(t, xlsxOf({ S: [['n'], [1]] }), (own) => ({
    async writeSheet(request, signal) {
      begin();
      await goesOn;
      return own.writeSheet(request, signal);
    },
  }));
  const workbook = { id: 'a', sizeBytes, fileType: 'xlsx' };
  await store.sheets.list(workbook);
  await store.sheets.list({ ...workbook, id: 'b' });
  const sheet = { fileType: 'xlsx', name: 'S', number: 0 };
  const written = store.withSource({ ...workbook, format: 'jsonl', sheet }, async ({ sizeBytes: bytes }) => bytes);
  await isBegun;
  for (const name of ['a.sheet0.source.new', 'b.sheet0.source.new', 'b.sheet0.index.new.share'])
    await writeFile(join(directory, name), 'half');
  const later = again();
  store.start();
  for (let names = await readdir(directory); names.includes('b.sheet0.source.new'); names = await readdir(directory))
    await pause(20);
  assert.deepEqual((await readdir(directory)).toSorted(), ['a.sheet0.source.new', 'a.sheets.json', 'b.sheets.json']);
  goOn();
  assert.ok((await written) > 0);
  await writeFile(join(directory, 'a.sheet0.source.new'), 'half');
  later.start();
  while ((await readdir(directory)).includes('a.sheet0.source.new')) await pause(20);
});
