import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { askDuckDb } from '../../../tests/support/parquet.ts';
import { sized } from '../../../tests/support/long-tests.ts';
import { exactSamples, namesSamples } from '../../../tests/support/parquet-samples.ts';
import { decimalText } from './exact-values.ts';
import { createParquetFiles, type ParquetFiles } from './index.ts';

const never = new AbortController().signal;

type Bench = { files: ParquetFiles; pathOf(name: string): string };

const scratch = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
/** Of all tests: a process for each would take most of their time. */
const files = createParquetFiles({ scratchDirectory: scratch });
after(async () => {
  files.close();
  await rm(scratch, { recursive: true });
});

/** Its readers see only the files in their folder. */
async function open(t: TestContext): Promise<Bench> {
  const directory = await mkdtemp(join(scratch, 'test-'));
  t.after(() => rm(directory, { recursive: true }));
  return { files, pathOf: (name) => join(directory, name) };
}

/** The rows `[from, to)` as they are extracted; numbers in `v` as texts, since a double lacks their digits. */
async function rowsIn({ files, pathOf }: Bench, path: string, from: number, to: number): Promise<unknown[]> {
  const facts = await files.inspect({ path }, { decodesAll: true, signal: never });
  const outputPath = pathOf('rows.jsonl');
  const columns = facts.columns.map(({ name }) => name);
  await files.extract({ source: { path }, columns, from, to, outputPath }, never);
  const lines = (await readFile(outputPath, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line.replaceAll(/"v":(-?[\d.]+)/g, '"v":"$1"')) as { t: unknown }).t);
}

/** Rewrites a file, with a new text in place of the first one of `column`, and `added` in a new column. */
async function rewrite({ files, pathOf }: Bench, path: string, column: string, rows: number): Promise<string> {
  const textsPath = pathOf('texts.jsonl');
  const outputPath = pathOf('new.parquet');
  const lines = Array.from({ length: rows }, (_, row) =>
    row === 0 ? { t: [{ f0: 'new', c: { added: 'yes' }, s: [] }] } : { t: null },
  );
  await writeFile(textsPath, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const written = [{ name: 'added', type: 'VARCHAR' }];
  const request = { source: { path }, patterns: [[column]], written, textsPath, longestLineBytes: 100, outputPath };
  assert.equal((await files.rewrite(request, never)).rows, rows);
  return outputPath;
}

/** The types of the leaf columns of a file, as other readers see them. */
async function typesIn(path: string): Promise<unknown[][]> {
  const leaves = `from parquet_schema('${path}') where type is not null`;
  // Of integers, the library writes the older form of a type alone.
  const logical = `case when logical_type not like 'IntType%' then logical_type end`;
  return askDuckDb(`select ${logical}, duckdb_type, precision, scale ${leaves}`);
}

for (const { title, file, values } of exactSamples) {
  test(`runs read and write all digits: ${title}`, async (t) => {
    const bench = await open(t);
    const path = bench.pathOf('a.parquet');
    await writeFile(path, Buffer.from(file, 'base64'));
    const rowOf = (v: unknown, row: number): unknown => ({
      v: typeof v === 'number' ? String(v) : v,
      x: `text ${row}`,
    });
    const expected = values.map(rowOf);
    assert.deepEqual(await rowsIn(bench, path, 0, values.length), expected);
    // Of a part, only its row groups are copied.
    for (const [row, one] of expected.entries()) assert.deepEqual(await rowsIn(bench, path, row, row + 1), [one]);
    if (title.includes('96 bits')) return;
    const written = await rewrite(bench, path, 'x', values.length);
    assert.deepEqual((await typesIn(written)).slice(0, -2), (await typesIn(path)).slice(0, -1));
    assert.deepEqual(
      await rowsIn(bench, written, 0, values.length),
      values.map((v, row) => ({
        ...(rowOf(v, row) as object),
        ...(row === 0 && { x: 'new' }),
        added: row === 0 ? 'yes' : null,
      })),
    );
  });
}

for (const { title, file, given, shown } of namesSamples) {
  test(`runs read columns of any name and keep it: ${title}`, async (t) => {
    const bench = await open(t);
    const path = bench.pathOf('a.parquet');
    await writeFile(path, Buffer.from(file, 'base64'));
    const rowOf = (row: number): Record<string, string> =>
      Object.fromEntries(shown.map((name, place) => [name, `${place}-${row}`]));
    assert.deepEqual(await rowsIn(bench, path, 0, 2), [rowOf(0), rowOf(1)]);
    for (const [place, name] of shown.slice(0, sized(2, shown.length)).entries()) {
      const outputPath = bench.pathOf('one.jsonl');
      await bench.files.extract({ source: { path }, columns: name, from: 1, to: 2, outputPath }, never);
      assert.equal(await readFile(outputPath, 'utf8'), `{"t":"${place}-1"}\n`);
      const written = await rewrite(bench, path, name, 2);
      const names = await askDuckDb(`select name from parquet_schema('${written}') where type is not null`);
      assert.deepEqual(names.flat(), [...given, 'added']);
      assert.deepEqual(await rowsIn(bench, written, 0, 2), [
        { ...rowOf(0), [name]: 'new', added: 'yes' },
        { ...rowOf(1), added: null },
      ]);
    }
  });
}

test('members of objects keep their names when a file is rewritten', async (t) => {
  const bench = await open(t);
  const path = bench.pathOf('a.parquet');
  await askDuckDb(
    `copy (select {'nameA': 1, 'nameB': [{'nameC': 'c', 'nameD': 2}]} as s, 'x' as x) to '${path}' (format parquet)`,
  );
  // The library can't write names that only case tells apart.
  const bytes = await readFile(path);
  for (const [from, to] of [
    ['nameB', 'NameA'],
    ['nameD', 'NameC'],
  ] as const)
    for (let at = bytes.indexOf(from); at !== -1; at = bytes.indexOf(from, at + 1)) bytes.write(to, at);
  await writeFile(path, bytes);
  const namesIn = async (file: string): Promise<unknown[]> =>
    (await askDuckDb(`select name from parquet_schema('${file}') offset 1`)).flat();
  const written = await rewrite(bench, path, 'x', 1);
  assert.deepEqual(await namesIn(written), [...(await namesIn(path)), 'added']);
});

test('decimals are written with the digits of their bytes', () => {
  const decimals: [string, number, string][] = [
    ['', 0, '0'],
    ['00', 2, '0.00'],
    ['ff', 0, '-1'],
    ['ff', 3, '-0.001'],
    ['7f', 1, '12.7'],
    ['80', 1, '-12.8'],
    [`00${'ff'.repeat(16)}`, 0, '340282366920938463463374607431768211455'],
    [`80${'00'.repeat(16)}`, 5, '-435561429658801233233119497512663310.66368'],
  ];
  for (const [hex, scale, text] of decimals) assert.equal(decimalText(Buffer.from(hex, 'hex'), scale), text);
});
