import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { queryParquet } from '../../../tests/support/parquet.ts';
import { startApp, type Api } from '../../../tests/support/server.ts';
import type { QueryResult } from './schemas/dataset-queries.ts';
import type { FileColumns } from './schemas/file-rows.ts';
import type { File } from './schemas/files.ts';
import type { RowDiff } from './schemas/row-diffs.ts';

type Setting = Api & {
  at: string;
  upload(path: string, content: string): Promise<string>;
  rows(sql: string): Promise<unknown[][]>;
  download(sql: string, format: string): Promise<Buffer>;
};

async function openSetting(t: TestContext): Promise<Setting> {
  const service = await startApp(t);
  const named = { name: 'd', type: 'TEXT' };
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', named);
  const at = `/data-management/datasets/${dataset.id}`;
  return {
    ...service,
    at,
    async upload(path, content) {
      const form = new FormData();
      form.append('files', new Blob([content]), path);
      return (await service.api<File[]>('POST', `${at}/files/upload`, form)).body[0]?.id ?? '';
    },
    async rows(sql) {
      const { status, body } = await service.api<QueryResult>('POST', `${at}/query`, { sql });
      assert.equal(status, 200, JSON.stringify(body));
      return body.rows;
    },
    async download(sql, format) {
      const answer = await fetch(`${service.url}/api/v1${at}/query/export`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ sql, format }),
      });
      return Buffer.from(await answer.arrayBuffer());
    },
  };
}

const most = 2n ** 64n - 1n;
const ids = Array.from(
  { length: 50 },
  (_, place) => `{"id":${most - BigInt(place)},"l":[${most - BigInt(place)}],"t":"x"}`,
);

test('whole numbers of more than 64 bits keep all digits in queries, exports and figures', async (t) => {
  const { api, at, upload, rows, download } = await openSetting(t);
  const id = await upload('a.jsonl', ids.join('\n'));
  // A line that can't be read makes the index in the other way.
  await upload('b.jsonl', `${ids.join('\n')}\nbroken`);
  for (const name of ['a', 'b']) {
    const counted = `select count(distinct id)::int, max(id), min(l), any_value(typeof(id)), any_value(typeof(l)) from ${name}`;
    assert.deepEqual(await rows(counted), [[50, String(most), [String(most - 49n)], 'HUGEINT', 'HUGEINT[]']], name);
  }
  const last = `select id, l from a where id = ${most}`;
  assert.equal((await download(last, 'JSONL')).toString().trim(), `{"id":${most},"l":[${most}]}`);
  const parquet = await download(last, 'PARQUET');
  assert.deepEqual(await queryParquet(parquet, 'select id::varchar, l::varchar from file'), [[`${most}`, `[${most}]`]]);
  const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
  assert.deepEqual(
    [body.duplicates, body.columns[0]?.distinct, body.columns[0]?.min, body.columns[0]?.max],
    [0, 50, String(most - 49n), String(most)],
  );
});

test('digits that a fraction beside them would cost are kept as text', async (t) => {
  const { upload, rows } = await openSetting(t);
  const types: Record<string, string> = {
    '{"v":1727334455667788993}\n{"v":1727334455667788994}\n{"v":0.5}':
      'VARCHAR 1727334455667788993 1727334455667788994 0.5',
    '{"v":18446744073709551615}\n{"v":0.5}': 'VARCHAR 18446744073709551615 0.5',
    '{"v":9223372036854775807}\n{"v":1}': 'BIGINT 9223372036854775807 1',
    '{"v":1000000000000000000000001}\n{"v":-1}': 'HUGEINT 1000000000000000000000001 -1',
    '{"v":100000000000000000000}\n{"v":0.5}': 'DOUBLE 1e+20 0.5',
    '{"v":123456789012345678901234567890123456789012}\n{"v":1}': 'VARCHAR 123456789012345678901234567890123456789012 1',
    '{"v":1e400}\n{"v":1.5}': 'VARCHAR 1e400 1.5',
  };
  for (const [place, [content, expected]] of Object.entries(types).entries()) {
    await upload(`f${place}.jsonl`, content);
    const found = await rows(`select typeof(v), v::varchar from f${place}`);
    assert.equal([found[0]?.[0], ...found.map(([, value]) => value)].join(' '), expected, content);
  }
});

test('rows are compared by all digits, even if the type of their column changed', async (t) => {
  const { api, at, upload } = await openSetting(t);
  const versionOf = async (): Promise<number> => (await api<{ version: number }>('GET', at)).body.version;
  const diff = async (from: number): Promise<number[]> => {
    const { body } = await api<RowDiff>('GET', `${at}/diff/rows?from=${from}&path=a.jsonl&key=id`);
    return [body.summary.changed, body.summary.unchanged];
  };
  const lines = (...values: string[]): string => values.map((v, id) => `{"id":${id},"v":${v}}`).join('\n');
  await upload('a.jsonl', lines('1727334455667788993', '18446744073709551615', '7'));
  const first = await versionOf();
  await upload('a.jsonl', lines('1727334455667788994', '18446744073709551614', '7'));
  const second = await versionOf();
  assert.deepEqual(await diff(first), [2, 1]);
  await upload('a.jsonl', lines('1727334455667788995', '5', '7'));
  const third = await versionOf();
  assert.deepEqual(await diff(second), [2, 1]);
  await upload('a.jsonl', lines('8', '5.5', '7'));
  assert.deepEqual(await diff(third), [2, 1]);
});

test('rows are chosen by long numbers as texts, in the browser as in a run; as numbers, which are rounded, they are refused', async (t) => {
  const { api, at, upload } = await openSetting(t);
  const rows = [3n, 4n, 5n].map((last) => `{"id":172733445566778899${last},"text":"row ${last}"}`);
  const table = await upload('a.jsonl', rows.join('\n'));
  await upload('b.json', `[${rows.join(',')}]`);
  const condition = { field: 'id', op: 'EQ', value: '1727334455667788994' };
  const rounded = '[{"field":"id","op":"EQ","value":1727334455667788994}]';
  const where = (text: string): string => `${at}/files/${table}/rows?where=${encodeURIComponent(text)}`;
  const shown = await api<{ content: { values: object }[] }>('GET', where(JSON.stringify([condition])));
  assert.deepEqual(
    shown.body.content.map(({ values }) => values),
    [{ id: '1727334455667788994', text: 'row 4' }],
  );
  const refused = await api<{ message: string }>('GET', where(rounded));
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /^where\[0\]\.value has an integer beyond/);

  const preview = {
    sourceDatasetId: at.slice(at.lastIndexOf('/') + 1),
    steps: [{ operatorId: 'whitespace-normalizer', params: {} }],
    limit: 10,
  };
  const seen = await api<{ data: { samples: { filePath: string; row: number }[] } }>('POST', '/data-cleaning/preview', {
    ...preview,
    input: { where: [condition] },
  });
  assert.equal(seen.status, 200, JSON.stringify(seen.body));
  assert.deepEqual(
    seen.body.data.samples.map(({ filePath, row }) => [filePath, row]),
    [
      ['a.jsonl', 2],
      ['b.json', 2],
    ],
  );
  const task = { ...preview, input: { where: [{ ...condition, value: 2 ** 60 }] } };
  assert.equal((await api('POST', '/data-cleaning/preview', task)).status, 400);
  const order = { ...preview, input: { where: [{ field: 'id', op: 'GT', value: 2 ** 60 }] } };
  assert.equal((await api('POST', '/data-cleaning/preview', order)).status, 200);
});
