import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactSamples, levelSamples, namesSamples, splitSamples } from '../../../tests/support/parquet-samples.ts';
import { sized } from '../../../tests/support/long-tests.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { newTableDataset } from '../../../tests/support/table-dataset.ts';
import type { FileColumns } from './schemas/file-rows.ts';

const shared = sharedApp(import.meta.url);

test('values of Parquet files keep all their digits in rows, SQL, figures and search', async () => {
  const { api, at, upload, rows, query } = await newTableDataset(await shared.open());
  for (const [index, { title, type, file, values }] of [...exactSamples, ...splitSamples].entries()) {
    // What a run reads of them, `exact-values.test.ts` shows for each.
    if (index % sized(3, 1) !== 0) continue;
    const path = `${index}.parquet`;
    const id = await upload(path, Buffer.from(file, 'base64'));
    const shown = await rows(id);
    assert.deepEqual(
      shown.content.map((row) => row.values),
      values.map((v, row) => ({ v, x: `text ${row}` })),
      title,
    );
    assert.deepEqual(
      shown.columns.map((column) => column.type),
      [type, 'VARCHAR'],
      title,
    );
    assert.deepEqual(
      await query(`select v from files."${path}"`),
      values.map((value) => [value]),
      title,
    );
    const { body: figures } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
    const distinct = new Set(values.filter((value) => value !== null).map((value) => JSON.stringify(value)));
    assert.equal(figures.columns[0]?.distinct, distinct.size, title);
    for (const value of values.filter((one) => typeof one === 'string')) {
      const found = await rows(id, `search=${encodeURIComponent(value)}`);
      assert.ok(
        found.content.some((row) => row.values?.['v'] === value),
        `${title}: ${value}`,
      );
    }
  }
});

test('columns of Parquet files have one rule of names in rows, figures and SQL', async () => {
  const { api, at, upload, rows, query } = await newTableDataset(await shared.open());
  for (const [index, { title, file, given, shown: names, sql }] of namesSamples.entries()) {
    const path = `${index}.parquet`;
    const id = await upload(path, Buffer.from(file, 'base64'));
    const shown = await rows(id);
    assert.deepEqual(
      shown.columns.map((column) => [column.name, column.given ?? column.name]),
      names.map((name, place) => [name, given[place]]),
      title,
    );
    const rowOf = (row: number): Record<string, string> =>
      Object.fromEntries(names.map((name, place) => [name, `${place}-${row}`]));
    assert.deepEqual(
      shown.content.map(({ row, values }) => [row, values]),
      [
        [1, rowOf(0)],
        [2, rowOf(1)],
      ],
      title,
    );
    for (const [place, name] of names.entries()) {
      const where = encodeURIComponent(JSON.stringify([{ field: name, op: 'EQ', value: `${place}-1` }]));
      const chosen = await rows(id, `where=${where}&sort=${encodeURIComponent(`${name},desc`)}`);
      assert.deepEqual(
        chosen.content.map(({ row }) => row),
        [2],
        `${title}: ${name}`,
      );
    }
    const { body: figures } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
    assert.deepEqual(
      figures.columns.map(({ name, min }) => [name, min]),
      names.map((name, place) => [name, `${place}-0`]),
      title,
    );
    const chosen = sql.map((name) => `"${name}"`).join(', ');
    assert.deepEqual(
      await query(`select ${chosen} from files."${path}"`),
      [0, 1].map((row) => Object.values(rowOf(row))),
      title,
    );
  }
});

test('a Parquet file whose levels contradict its rows is not shown', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  for (const [index, { title, file }] of levelSamples.entries()) {
    const id = await upload(`${index}.parquet`, Buffer.from(file, 'base64'));
    const { status, body } = await api<{ message: string }>('GET', `${at}/files/${id}/rows`);
    assert.equal(status, 409, title);
    assert.match(body.message, /the levels of its column "\w+" do not match its rows/, title);
  }
});
