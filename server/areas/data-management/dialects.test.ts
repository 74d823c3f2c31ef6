import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { newTableDataset } from '../../../tests/support/table-dataset.ts';

const shared = sharedApp(import.meta.url);

const titled = 'Report 2024\n\nid,name\n1,"a \\"b\\""\n2,c\n';
const returns = 'id,name\r1,a\r\n2,c\r';

test('lines above the header, escaped quotes and lone CRs are the same in rows, figures, searches and SQL, and are shown', async () => {
  const { upload, rows, query } = await newTableDataset(await shared.open());
  const files = [
    {
      path: 'titled.csv',
      content: titled,
      values: [
        ['1', 'a "b"'],
        ['2', 'c'],
      ],
      quotes: 'BACKSLASH',
      above: ['Report 2024'],
    },
    {
      path: 'returns.csv',
      content: returns,
      values: [
        ['1', 'a'],
        ['2', 'c'],
      ],
      quotes: 'DOUBLED',
      above: [],
    },
    {
      path: 'twice.csv',
      content: 'id,name\r\r\n1,a\r\r\n2,c\r\r\n',
      values: [
        ['1', 'a'],
        ['2', 'c'],
      ],
      quotes: 'DOUBLED',
      above: [],
    },
  ];
  for (const { path, content, values, quotes, above } of files) {
    const id = await upload(path, content);
    const direct = await rows(id);
    const found = await rows(id, 'unreadable=false&sort=id,asc');
    for (const { content: shown, columns } of [direct, found]) {
      assert.deepEqual(
        shown.map((row) => Object.values(row.values ?? {})),
        values,
        path,
      );
      assert.deepEqual(
        columns.map(({ name }) => name),
        ['id', 'name'],
      );
    }
    assert.deepEqual(
      [found.text?.quotes, found.text?.above, found.text?.endsAtReturns],
      [quotes, above, path.startsWith('returns')],
    );
    assert.equal(found.columns[0]?.type, 'BIGINT');
    assert.equal((await rows(id, 'search=c')).total, 1);
    assert.deepEqual(
      await query(`select id, name from files."${path}" order by id`),
      values.map(([one, name]) => [Number(one), name]),
    );
  }
});
