import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { createTableViews } from './index.ts';

const count = 8_000;

test('a Parquet file of thousands of columns is read in little memory', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-wide-'));
  const views = createTableViews({ directory: join(directory, 'views'), memoryBytes: 400 << 20 });
  t.after(async () => {
    views.close();
    await rm(directory, { recursive: true });
  });
  await mkdir(join(directory, 'views'));
  const path = join(directory, 'wide.parquet');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const columns = Array.from({ length: count }, (_, number) => `range + ${number} as "c ${number}"`);
  await connection.run(`copy (select ${columns.join(', ')} from range(3)) to '${path}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  const source = { path, offset: 0, sizeBytes: (await stat(path)).size, format: 'parquet' as const };
  const facts = await views.buildIndex({ source, indexPath: join(directory, 'views', 'a') });
  const table = { source, facts, searchPath: null, indexPath: path };
  const request: Parameters<typeof views.readRows>[0] = {
    table,
    listed: null,
    countMs: 60_000,
    offset: 1,
    limit: 10,
    maxCellCharacters: 100,
    where: [],
    search: '',
    sort: { name: 'c 7', isDescending: true },
    isUnreadable: false,
  };
  const { rows, total } = await views.readRows(request);
  const shown = rows.map(({ row, values }) => [
    row,
    values?.['c 0'],
    values?.[`c ${count - 1}`],
    Object.keys(values ?? {}).length,
  ]);
  assert.deepEqual(
    [total, shown],
    [
      3,
      [
        [1, 1, count, count],
        [0, 0, count - 1, count],
      ],
    ],
  );
});
