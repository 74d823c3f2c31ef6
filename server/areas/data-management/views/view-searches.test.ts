import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createTableViews, type TableViews } from '../../../tables/views/index.ts';
import type { TableBlob } from './table-sources.ts';
import { createViewStore, type ViewStore } from './view-store.ts';

type Setting = {
  directory: string;
  blob: TableBlob;
  open(views?: (views: TableViews) => TableViews): ViewStore;
  errors: unknown[];
  /** Waits for a state of the index for searches. */
  until: (store: ViewStore, state: string) => Promise<void>;
  rowsOf: (store: ViewStore, search: string) => Promise<number[]>;
};

const choice = { where: [], isUnreadable: false };

async function openSetting(t: TestContext): Promise<Setting> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-searches-'));
  const path = join(folder, 'a.jsonl');
  const rows = Array.from({ length: 300 }, (_, id) =>
    JSON.stringify({ id, text: `${id === 211 ? 'Needle' : 'Hay'} 数据${id} `.repeat(700) }),
  );
  await writeFile(path, rows.join('\n'));
  const { size: sizeBytes } = await stat(path);
  const directory = join(folder, 'views');
  const stores: ViewStore[] = [];
  const errors: unknown[] = [];
  t.after(async () => {
    for (const store of stores) await store.close();
    await rm(folder, { recursive: true });
  });
  const blob: TableBlob = { id: 'b', sizeBytes, format: 'jsonl' };
  const views = createTableViews({ directory });
  t.after(() => views.close());
  return {
    directory,
    blob,
    errors,
    open(change = (same) => same) {
      const store = createViewStore({
        directory,
        maxBytes: 1 << 30,
        minSearchBytes: 1 << 20,
        blobs: {
          localPath: async () => ({ path, offset: 0, sizeBytes, crc32: 0, release: async () => {} }),
          findAll: async () => [{ id: 'b', sizeBytes, crc32: 0, sha256: null }],
        },
        views: change(createTableViews({ directory })),
        onError: (error) => errors.push(error),
      });
      stores.push(store);
      return store;
    },
    async until(store, state) {
      const facts = await store.ensure(blob);
      for (let tries = 0; tries < 600; tries++) {
        const found = await store.searches.find(blob, facts);
        if (found.state === state) return;
        await pause(50);
      }
      assert.fail(`The index for searches is never ${state}`);
    },
    async rowsOf(store, search) {
      const facts = await store.ensure(blob);
      const { path: searchPath } = await store.searches.find(blob, facts);
      const page = await store.withSource(blob, (source) =>
        views.readRows({
          table: store.tableOf(blob, facts, source, searchPath),
          ...choice,
          search,
          sort: null,
          listed: null,
          countMs: 60_000,
          offset: 0,
          limit: 10,
          maxCellCharacters: 32,
        }),
      );
      return page.rows.map(({ row }) => row);
    },
  };
}

test('the index for searches is built behind that of the table, and again when it is lost or broken', async (t) => {
  const setting = await openSetting(t);
  const { directory, blob, until, rowsOf } = setting;
  const store = setting.open();
  await store.ensure(blob);
  const grams = join(directory, 'b.jsonl.grams');
  await until(store, 'READY');
  assert.deepEqual(await rowsOf(store, 'needle'), [211]);
  const whole = await readFile(grams);
  await rm(grams);
  await until(store, 'BUILDING');
  assert.deepEqual(await rowsOf(store, 'needle'), [211], 'meanwhile the whole table is read');
  await until(store, 'READY');
  assert.deepEqual(await readFile(grams), whole);
  await truncate(grams, whole.length >> 1);
  await until(store, 'BUILDING');
  await until(store, 'READY');
  assert.deepEqual(await readFile(grams), whole);
  assert.deepEqual(setting.errors, []);
  assert.equal(await store.forget(['b']), 1);
  assert.deepEqual(await readdir(directory), []);
});

test('a build that is killed leaves nothing that a search believes', async (t) => {
  const setting = await openSetting(t);
  const { promise: isUnderWay, resolve: begun } = Promise.withResolvers<void>();
  const store = setting.open((views) => ({
    ...views,
    async buildSearchIndex(request) {
      // A partial file, as a killed process leaves it.
      await writeFile(request.searchPath, Buffer.alloc(5_000));
      begun();
      views.close();
      throw new Error('Its process was killed');
    },
  }));
  await store.ensure(setting.blob);
  await isUnderWay;
  await setting.until(store, 'NONE');
  assert.equal(setting.errors.length, 1, 'it is reported, and not tried again at once');
  assert.deepEqual(await setting.rowsOf(store, 'needle'), [211]);
  const next = setting.open();
  await setting.until(next, 'READY');
  assert.deepEqual(await setting.rowsOf(next, 'needle'), [211]);
});

test('what an older version made is made again', async (t) => {
  const setting = await openSetting(t);
  const store = setting.open();
  const facts = await store.ensure(setting.blob);
  await setting.until(store, 'READY');
  await store.close();
  await writeFile(
    join(setting.directory, 'b.jsonl.json'),
    JSON.stringify({ version: 2, facts: { ...facts, rows: 1 } }),
  );
  await writeFile(join(setting.directory, 'b.jsonl.index'), 'old');
  const next = setting.open();
  assert.equal(await next.find(setting.blob), undefined);
  assert.deepEqual(await next.ensure(setting.blob), facts);
  assert.deepEqual(await setting.rowsOf(next, 'needle'), [211]);
});

async function idle({ searches }: ViewStore): Promise<void> {
  while (searches.busy().length > 0) await pause(5);
}

test('rows that take long to count are listed once, in the background', async (t) => {
  const setting = await openSetting(t);
  const { blob } = setting;
  const store = setting.open();
  const facts = await store.ensure(blob);
  await setting.until(store, 'READY');
  const wanted = { ...choice, search: '数据2' };
  assert.deepEqual(await store.searches.findList(blob, wanted), { list: null, isBeingMade: false });
  store.searches.makeList(blob, facts, wanted);
  assert.equal((await store.searches.findList(blob, wanted)).isBeingMade, true);
  await idle(store);
  const { list } = await store.searches.findList(blob, wanted);
  // Rows 2, 20 to 29 and 200 to 299.
  assert.equal(list?.total, 111);
  assert.equal((await store.searches.findList(blob, { ...wanted, search: '数据3' })).list, null);
  for (let number = 0; number < 25; number++) {
    store.searches.makeList(blob, facts, { ...choice, search: `数据${number} ` });
    await idle(store);
  }
  const lists = async (): Promise<number> =>
    (await readdir(setting.directory)).filter((name) => name.endsWith('.list')).length;
  assert.equal(await lists(), 26);
  store.start();
  for (let tries = 0; tries < 200 && (await lists()) > 20; tries++) await pause(50);
  assert.equal(await lists(), 20, 'the newest ones are kept');
  assert.deepEqual(setting.errors, []);
});
