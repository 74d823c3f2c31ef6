// Columns without values in some of the files that a chosen output format unites.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEngine } from '../../../../tests/support/engine.ts';
import { askDuckDb, queryToParquet } from '../../../../tests/support/parquet.ts';
import { openNewSqlite } from '../../../../tests/support/databases.ts';

/** One row of pyarrow, whose columns without values have the type null: note, the items of tags, meta.x and n. */
const ofNulls = Buffer.from(
  'UEFSMRUAFRYVFiwVAhUAFQYVBhwAAAACAAAAAgEBAAAAYRUAFQwVDCwVAhUAFQYVBhwAAAACAAAAAgAVABUYFRgsFQIVABUGFQYcAAAAAgAAAAIAAgAAAAIBFQAVDBUMLBUCFQAVBhUGHAAAAAIAAAACARUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgIBAAAAAAAAABUAFQwVDCwVAhUAFQYVBhwAAAACAAAAAgAVBBmsNQAYBnNjaGVtYRUKABUMJQIYBHRleHQlAEwcAAAAFQIlAhgEbm90ZWy8AAAANQIYBHRhZ3MVAhUGTDwAAAA1BBgEbGlzdBUCABUCJQIYB2VsZW1lbnRsvAAAADUCGARtZXRhFQQAFQIlAhgBeGy8AAAAFQQlAhgBeQAVAiUCGAFubLwAAAAWAhkcGWwmABwVDBklBgAZGAR0ZXh0FQAWAhY8FjwmCEkcFQAVABUCADwWAhkGGSYAAgAAACYAHBUCGSUGABkYBG5vdGUVABYCFjIWMiZESRwVABUAFQIAPCkGGSYCAAAAACYAHBUCGSUGABk4BHRhZ3MEbGlzdAdlbGVtZW50FQAWAhY+Fj4mdkkcFQAVABUCADwpJgIAGUYAAgAAAAAAJgAcFQIZJQYAGSgEbWV0YQF4FQAWAhYyFjImtAFJHBUAFQAVAgA8KQYZNgACAAAAACYAHBUEGSUGABkoBG1ldGEBeRUAFgIWQhZCJuYBSRwVABUAFQIAPCkGGTYAAAIAAAAmABwVAhklBgAZGAFuFQAWAhYyFjImqAJJHBUAFQAVAgA8KQYZJgIAAAAAFtICFgImCBbSAgAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGWwcAAAcAAAcAAAcAAAcAAAcAAAA+QEAAFBBUjE=',
  'base64',
);

const filled = `select 'b' as text, 'he said "hi"' || chr(10) || 'ok' as note, ['x', 'y "z"'] as tags, {'x': 'deep', 'y': 2} as meta, 5 as n`;

test('a column without values takes the type that it has elsewhere, whatever type it was given', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-empty-columns-'));
  t.after(() => rm(directory, { recursive: true }));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  t.after(() => db.close());
  const bench = await openEngine(db, directory);
  t.after(() => bench.close());
  const sources = {
    'a.parquet': ofNulls,
    // As pandas writes a column of texts of which a shard has none.
    'b.parquet': await queryToParquet(
      `select 'c' as text, null::double as note, []::double[] as tags, {'x': null::integer, 'y': 3} as meta, null::varchar as n`,
    ),
    'c.parquet': await queryToParquet(filled),
  };
  const expected = [
    ['a', null, '[]', null, '1', null],
    ['b', 'he said "hi"\nok', '[x, \'y "z"\']', 'deep', '2', '5'],
    ['c', null, '[]', null, '3', null],
  ];
  for (const paths of [
    ['a.parquet', 'b.parquet', 'c.parquet'],
    ['c.parquet', 'b.parquet', 'a.parquet'],
    ['c.parquet', 'a.parquet', 'b.parquet'],
  ]) {
    const files = await Promise.all(
      paths.map((path, place) => bench.put(`${place}/${path}`, sources[path as keyof typeof sources])),
    );
    const output = { format: 'PARQUET', shardBytes: 1 << 20 } as const;
    const run = await bench.ended((await bench.execute(files, { steps: [], textField: 'text', output })).id);
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    const [written] = bench.outputs().slice(-1);
    const path = join(directory, 'out.parquet');
    await writeFile(path, await bench.bytesOf(written?.blobId ?? ''));
    assert.deepEqual(
      await askDuckDb(`select column_name, column_type from (describe select * from '${path}') order by all`),
      [
        ['meta', 'STRUCT(x VARCHAR, y BIGINT)'],
        ['n', 'BIGINT'],
        ['note', 'VARCHAR'],
        ['tags', 'VARCHAR[]'],
        ['text', 'VARCHAR'],
      ],
    );
    const rows = `select text, note, tags::varchar, meta.x, meta.y, n from '${path}' order by text`;
    assert.deepEqual(await askDuckDb(rows), expected);
    const { lines } = await bench.engine.listLogs(run.id, { page: 0, size: 100 });
    assert.deepEqual(
      lines.filter(({ message }) => /unlike types/.test(message)),
      [],
    );
  }
});

test('types that are truly unlike become JSON text, with a word', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-empty-columns-'));
  t.after(() => rm(directory, { recursive: true }));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  t.after(() => db.close());
  const bench = await openEngine(db, directory);
  t.after(() => bench.close());
  const files = [
    await bench.put('a.parquet', await queryToParquet("select 'a' as text, 1.5::double as note, null::double as n")),
    await bench.put('b.parquet', await queryToParquet("select 'b' as text, 'x' as note, null::varchar as n")),
  ];
  const output = { format: 'PARQUET', shardBytes: 1 << 20 } as const;
  const run = await bench.ended((await bench.execute(files, { steps: [], textField: 'text', output })).id);
  const { lines } = await bench.engine.listLogs(run.id, { page: 0, size: 100 });
  assert.deepEqual(
    lines.flatMap(({ message }) => (/unlike types/.test(message) ? [message.split(': ')[1]] : [])),
    ['note'],
  );
});
