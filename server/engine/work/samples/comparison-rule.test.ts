import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { queryToParquet } from '../../../../tests/support/parquet.ts';
import { createRowFilter } from '../../orders/row-filter.ts';
import type { Condition } from '../../../tables/conditions.ts';
import { createBlockMemory, readLines } from '../../../tables/lines.ts';
import { openRows } from '../../../tables/block-rows.ts';
import { createTableViews, type TableViews } from '../../../tables/views/index.ts';
import type { IndexedTable } from '../../../tables/views/view-protocol.ts';
import { layoutOf, withSource, type TextSource } from '../../../tables/views/view-reading.ts';

type Case = [field: string, op: Condition['op'], value: unknown, rows: number[]];
type Table = { views: TableViews; table: IndexedTable; shown(condition: Condition): Promise<number[]> };

async function openTable(t: TestContext, name: string, content: string | Uint8Array): Promise<Table> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-views-'));
  const views = createTableViews({ directory: join(directory, 'views') });
  t.after(async () => {
    views.close();
    await rm(directory, { recursive: true });
  });
  await mkdir(join(directory, 'views'));
  const path = join(directory, name);
  await writeFile(path, content);
  const format = name.slice(name.lastIndexOf('.') + 1) as 'jsonl' | 'csv' | 'parquet';
  const source = { path, offset: 0, sizeBytes: Buffer.byteLength(content), format };
  const indexPath = format === 'parquet' ? path : join(directory, 'views', 'index');
  const facts = await views.buildIndex({ source, indexPath });
  const table = { source, indexPath, searchPath: null, facts };
  return {
    views,
    table,
    async shown(condition) {
      const { rows } = await views.readRows({
        table,
        where: [condition],
        search: '',
        sort: null,
        isUnreadable: false,
        listed: null,
        countMs: 0,
        offset: 0,
        limit: 100,
        maxCellCharacters: 1_000,
      });
      return rows.map(({ row }) => row);
    },
  };
}

/** The rows that a run selects. */
async function takenRows(source: TextSource, condition: Condition): Promise<number[]> {
  const filter = createRowFilter({ where: [condition] });
  return withSource(source, (read) => {
    const { sizeBytes } = source;
    const range = { from: 0, to: sizeBytes, sizeBytes, maxLineBytes: sizeBytes };
    const rows = openRows(readLines(read, range, createBlockMemory()), layoutOf(read, source), sizeBytes);
    const taken: number[] = [];
    let row = 0;
    for (const part of rows.parts()) {
      if (part.kind !== 'row') continue;
      assert.equal(rows.open(part), undefined);
      if (filter?.whyNot(rows, part) === undefined) taken.push(row);
      row += 1;
    }
    return taken;
  });
}

async function assertSameRule(t: TestContext, name: string, content: string, cases: readonly Case[]): Promise<void> {
  const { table, shown } = await openTable(t, name, content);
  for (const [field, op, value, rows] of cases) {
    const condition = { field, op, value };
    const words = JSON.stringify(condition);
    assert.deepEqual(await shown(condition), rows, `the page: ${words}`);
    assert.deepEqual(await takenRows(table.source as TextSource, condition), rows, `a run: ${words}`);
  }
}

test('a page and a run choose the same rows of JSON Lines', async (t) => {
  const lines = [
    '{"id":9007199254740993,"n":9,"f":NaN,"v":"1.10","x":"a","mixed":10,"on":true,"ts":"2024-02-01T00:00:00+08:00","in":{"id":9007199254740995}}',
    '{"id":9007199254740995,"n":10,"f":901.5,"v":"1.1","x":"10","mixed":"10","on":false,"ts":"2024-01-31 16:00:00","in":{"id":"7"}}',
    '{"id":18446744073709551616,"n":-3,"f":0.1,"v":"2","x":["a","say \\"hi\\"\\n"],"mixed":10.5,"on":null,"ts":"2024-02-01"}',
    '{"id":7,"n":null,"f":Infinity,"v":null,"x":"say \\"hi\\"\\n","mixed":true,"ts":"soon","in":null}',
  ];
  await assertSameRule(t, 'a.jsonl', lines.join('\n'), [
    ['id', 'EQ', '9007199254740993', [0]],
    ['id', 'EQ', '9007199254740993.0', [0]],
    ['id', 'GT', '9007199254740993', [1, 2]],
    ['id', 'LE', '9007199254740994', [0, 3]],
    ['id', 'GE', '1e19', [2]],
    ['id', 'NE', '9007199254740995', [0, 2, 3]],
    ['id', 'IN', ['7', '9007199254740993'], [0, 3]],
    ['id', 'GT', 'a', []],
    ['id', 'CONTAINS', '40995', [1]],
    ['in.id', 'EQ', '9007199254740995', [0]],
    ['in.id', 'LT', 8, [1]],
    ['in', 'EXISTS', true, [0, 1]],
    ['n', 'GT', '9', [1]],
    ['n', 'GT', 8.5, [0, 1]],
    ['n', 'EQ', 9.5, []],
    ['n', 'LT', '-2.5', [2]],
    ['n', 'EQ', null, [3]],
    ['n', 'IN', [null, 9], [0, 3]],
    ['n', 'NE', 9, [1, 2, 3]],
    ['f', 'GT', 900, [1, 3]],
    ['f', 'LT', '1e400', [1, 2]],
    ['f', 'EQ', 'NaN', [0]],
    ['f', 'EXISTS', true, [0, 1, 2, 3]],
    ['f', 'EQ', 0.1, [2]],
    ['f', 'GE', '0.10000000000000000001', [1, 3]],
    ['v', 'EQ', '1.1', [1]],
    ['v', 'EQ', 1.1, [0, 1]],
    ['v', 'GT', '1.5', [2]],
    ['v', 'GT', 'a', []],
    ['x', 'EQ', 'a', [0]],
    ['x', 'NE', 'a', [1, 2, 3]],
    ['x', 'EQ', 'say "hi"\n', [3]],
    ['x', 'CONTAINS', 'say "hi"\n', [2, 3]],
    ['x', 'CONTAINS', '"hi"', [3]],
    ['x', 'LT', 11, [1]],
    ['x', 'EXISTS', true, [0, 1, 2, 3]],
    ['mixed', 'EQ', '10', [0, 1]],
    ['mixed', 'EQ', '10.0', [0]],
    ['mixed', 'GT', '10', [2]],
    ['mixed', 'EQ', 'true', [3]],
    ['mixed', 'EQ', true, [3]],
    ['on', 'EQ', true, [0]],
    ['on', 'EQ', 'True', [0]],
    ['on', 'GE', 'a', []],
    ['ts', 'GE', '2024-01-31T16:00:00Z', [0, 1, 2, 3]],
    ['ts', 'EQ', '2024-02-01T00:00+08:00', [0, 1]],
    ['ts', 'GT', '2024-01-31T16:00:00', [2, 3]],
    ['ts', 'EQ', '2024-02-01 00:00:00', [2]],
  ]);
});

test('a page and a run choose the same rows of a delimited table, whose cells have no types', async (t) => {
  const rows = [
    'n,code,on,day,at,x,f',
    '12.0,007,True,2024-02-01,2024-02-01 08:00:00,b,.5',
    '9,7,false,2024-02-02,2024-02-01T09:00:00,,-inf',
    ',7.0,,,,a, 0.30000000000000000004',
  ];
  await assertSameRule(t, 'a.csv', rows.join('\n'), [
    ['n', 'EQ', '12', [0]],
    ['n', 'GT', '9', [0]],
    ['n', 'LT', 10, [1]],
    ['n', 'EXISTS', true, [0, 1]],
    ['n', 'EQ', '', [2]],
    ['code', 'EQ', '7', [1, 2]],
    ['code', 'EQ', '007', [0]],
    ['on', 'EQ', 'TRUE', [0]],
    ['on', 'EQ', false, [1]],
    ['day', 'GE', '2024-02-01T12:00:00', [1]],
    ['at', 'EQ', '2024-02-01T08:00:00Z', [0]],
    ['at', 'GT', '2024-02-01 16:30:00+08:00', [1]],
    ['x', 'EXISTS', false, [1]],
    ['x', 'EQ', null, [1]],
    ['x', 'NE', 'a', [0, 1]],
    ['x', 'LT', 'b', [2]],
    ['x', 'LE', 'b', [0, 2]],
    ['x', 'CONTAINS', '', [0, 2]],
    ['x', 'EQ', '', [1]],
    ['x', 'IN', ['', 'a'], [1, 2]],
    ['f', 'EQ', 0.5, [0]],
    ['f', 'EQ', '.50', [0]],
    ['f', 'LT', '1.', [0, 1, 2]],
    ['f', 'EQ', 'inf', []],
    ['f', 'EQ', '-Infinity', [1]],
    ['f', 'EQ', '0.30000000000000000004', [2]],
    ['f', 'EQ', 0.3, []],
    ['f', 'CONTAINS', '0004', [2]],
    ['n', 'CONTAINS', '12.0', [0]],
  ]);
});

test('columns of Parquet are compared by their types', async (t) => {
  const values = `(values
    (2.0::decimal(30,10), timestamp '2024-01-31 16:00:00', timestamptz '2024-01-31 16:00:00+00', date '2024-02-01', time '08:30:00', 0.1::float),
    (12345678901234567890.12::decimal(30,10), timestamp '2024-02-01 00:00:00.5', timestamptz '2024-02-01 00:00:00+00', date '2024-01-31', time '09:00:00', 'nan'::float)
  ) t(d, ts, z, day, clock, f)`;
  const { shown } = await openTable(t, 'a.parquet', await queryToParquet(`select * from ${values}`));
  const cases: Case[] = [
    ['d', 'GT', '12345678901234567890', [1]],
    ['d', 'EQ', '12345678901234567890.12', [1]],
    ['d', 'EQ', 2, [0]],
    ['d', 'LE', '12345678901234567890.12000000000000001', [0, 1]],
    ['d', 'LT', '1e60', [0, 1]],
    ['ts', 'GE', '2024-02-01T00:00:00+08:00', [0, 1]],
    ['ts', 'GT', '2024-02-01T00:00:00+08:00', [1]],
    ['ts', 'EQ', '2024-01-31 16:00:00', [0]],
    ['ts', 'GE', '2024-02-01', [1]],
    ['z', 'EQ', '2024-02-01T00:00:00+08:00', [0]],
    ['day', 'EQ', '2024-02-01', [0]],
    ['day', 'LT', '2024-01-31T01:00:00', [1]],
    ['clock', 'GT', '08:30', [1]],
    ['f', 'EQ', 0.1, [0]],
    ['f', 'GT', 0, [0]],
    ['f', 'EQ', 'NaN', [1]],
  ];
  for (const [field, op, value, rows] of cases)
    assert.deepEqual(await shown({ field, op, value }), rows, JSON.stringify({ field, op, value }));
});
