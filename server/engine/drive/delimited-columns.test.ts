// CSV and TSV whose rows gain, lose or rename columns: one header, and every cell that no step writes keeps its bytes.
import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { openBench, step, type EngineBench, type RunRecipe } from '../../../tests/support/engine.ts';
import { encodeText } from '../../tables/encoder.ts';
import type { LedgerEntry, RecipeRun } from '../index.ts';

async function clean(
  bench: EngineBench,
  files: Readonly<Record<string, string | Uint8Array>>,
  recipe: RunRecipe,
): Promise<{ result: Map<string, Buffer>; entries: LedgerEntry[]; run: RecipeRun }> {
  const inputs = [];
  for (const [path, content] of Object.entries(files)) inputs.push(await bench.put(path, content));
  const run = await bench.ended((await bench.execute(inputs, { textField: 'text', ...recipe })).id);
  assert.equal(run.error, null);
  assert.equal(run.counts.in, run.counts.kept + run.counts.dropped + run.counts.failed);
  const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 1000 });
  const result = new Map<string, Buffer>();
  for (const { path, blobId } of bench.outputs()) result.set(path, await bench.bytesOf(blobId));
  return { result, entries, run };
}

const textOf = (result: ReadonlyMap<string, Buffer>, path: string): string | undefined => result.get(path)?.toString();

forAnyDatabase('delimited files get the columns of their rows', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const renamed = [
    step('column-renamer', { names: 'id=key', missing: 'KEEP' }),
    step('column-remover', { columns: 'n', missing: 'KEEP' }),
    step('column-template-writer', { column: 'both', template: '{key};{text}', missing: 'KEEP' }),
  ];
  const files = {
    // An unusual dialect, a byte order mark, needless quotes, and no line end at the end.
    'a.csv': '\u{feff}sep=;\r\n"id";text;n\r\n"1";"a ""b""";x\r\n\r\n2;c;"y;z"',
    // Its columns differ from those of the file before.
    'b.tsv': 'text\tid\nq\t7\n',
    'c.csv': 'text,more\nq,7\n',
  };
  const { result } = await clean(bench, files, { steps: renamed });
  assert.equal(textOf(result, 'a.csv'), '\u{feff}sep=;\r\nkey;text;both\r\n"1";"a ""b""";"1;a ""b"""\r\n\r\n2;c;"2;c"');
  assert.equal(textOf(result, 'b.tsv'), 'text\tkey\tboth\nq\t7\t7;q\n');
  assert.equal(textOf(result, 'c.csv'), files['c.csv'], 'it has none of the columns');

  // A column that only some rows have is empty in the others.
  const some = [step('json-path-extractor', { path: 'meta.x', column: 'x', missing: 'KEEP' })];
  const nested = 'text,meta\na,{}\nb,"{""x"":1}"\nc,{}\n';
  const found = await clean(bench, { 'd.csv': nested }, { steps: some });
  assert.equal(textOf(found.result, 'd.csv'), 'text,meta,x\na,{},\nb,"{""x"":1}",1\nc,{},\n');

  // A single remaining column must not make empty lines.
  const alone = await clean(
    bench,
    { 'e.csv': 'text,b\n,1\nx,2\n' },
    { steps: [step('column-remover', { columns: 'b' })] },
  );
  assert.equal(textOf(alone.result, 'e.csv'), 'text\n""\nx\n');

  const twice = await clean(
    bench,
    { 'f.csv': 'text,a,a\nx,1,2\n' },
    { steps: [step('column-remover', { columns: 'a' })] },
  );
  assert.equal(twice.entries[0]?.reason, 'the header has "a" twice, so that it can\'t be taken out or renamed');
});

forAnyDatabase('failed rows that are kept stay readable under the new header', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const steps = [
    step('column-number-normalizer', { columns: 'n' }),
    step('column-renamer', { names: 'n=number' }),
    step('column-template-writer', { column: 'new', template: '{text}!' }),
  ];
  const table = 'text,n\n"a",1\n"b",none\nc,1,2\n"d"x,4\n"e",5\n';
  const { result, entries, run } = await clean(bench, { 'a.csv': table }, { steps, onError: 'KEEP' });
  assert.equal(textOf(result, 'a.csv'), 'text,n,number,new\n"a",,1,a!\n"b",none,,\n"e",,5,e!\n');
  assert.deepEqual(
    entries.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['CHANGED', null],
      ['FAILED', '"n" is "none", which is no NUMBER'],
      ['FAILED', 'the row has 3 cells, the header 2'],
      ['FAILED', 'a cell goes on behind its closing quote'],
      ['CHANGED', null],
    ],
  );
  // An unreadable row is set aside: written among rows of three cells, its three cells would look like a valid row.
  let setAside = '';
  for await (const lines of bench.engine.streamFailed(run)) setAside += Buffer.from(lines).toString();
  assert.match(setAside, /"raw":"c,1,2"/);
  assert.match(setAside, /"raw":"\\"d\\"x,4"/);
});

const encodings = ['utf-8', 'utf-16le', 'gb18030', 'shift_jis', 'windows-1252'] as const;

forAnyDatabase('the size of shards, and the encoding, change nothing', async (t, openDb) => {
  const rows = Array.from({ length: 300 }, (_, row) => {
    const text = row % 7 === 0 ? `"x ${row},\n ""y"""` : `x ${row}`;
    return `${row},${text},${row % 90 === 89 ? '"{""v"":1}"' : '{}'}`;
  });
  const table = `id,text,meta\n${rows.join('\n')}\n`;
  const steps = [
    step('json-path-extractor', { path: 'meta.v', column: 'value', missing: 'KEEP' }),
    step('column-renamer', { names: 'id=key' }),
  ];
  const expected = `key,text,meta,value\n${rows.map((row, at) => `${row},${at % 90 === 89 ? '1' : ''}`).join('\n')}\n`;
  const db = await openDb();
  for (const options of [
    { workers: 1, shardBytes: 1 << 22 },
    { workers: 2, shardBytes: 2000 },
  ]) {
    const bench = await openBench(t, db, options);
    for (const encoding of encodings) {
      const content = encodeText(table, encoding) ?? assert.fail();
      const { result } = await clean(bench, { 'a.csv': content }, { steps, encoding });
      assert.ok(result.get('a.csv')?.equals(encodeText(expected, encoding) ?? Buffer.alloc(0)), encoding);
    }
    await bench.close();
  }
});
