import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEngine, step } from '../../../../tests/support/engine.ts';
import { openNewSqlite } from '../../../../tests/support/databases.ts';
import { loadArrow } from '../../../tables/arrow/arrow-library.ts';

const steps = [step('whitespace-normalizer', { maxBlankLines: 1 }), step('text-length-filter', { min: 2, max: 1000 })];

test('rows of Arrow files are read as those of JSON Lines, and written as such', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-arrow-'));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  const bench = await openEngine(db, directory, { shardBytes: 2000 });
  t.after(async () => {
    await bench.close();
    await db.close();
    await rm(directory, { recursive: true });
  });
  const { tableFromArrays, tableToIPC, vectorFromArray, Table, Utf8 } = loadArrow();
  const many = Array.from({ length: 300 }, (_, row) => `row  ${row}`);
  const wide = new Table({ text: vectorFromArray(many, new Utf8()) });
  const types = await readFile(new URL('../../../../tests/support/arrow/types-lz4.arrow', import.meta.url));
  const fine = Buffer.from(tableToIPC(tableFromArrays({ text: ['fine'] }), 'file'));
  const source = [
    await bench.put('a/types.arrow', types),
    await bench.put('b.feather', fine),
    await bench.put('c.arrows', Buffer.from(tableToIPC(wide, 'stream'))),
    await bench.put('d.arrow', types.subarray(0, -20)),
    await bench.put('e.arrow.gz', fine),
  ];
  const run = await bench.ended((await bench.execute(source, { steps, textField: 'text', onError: 'SET_ASIDE' })).id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  // One text of the first file and of the fourth is null; the footer of the fourth is missing.
  assert.deepEqual(run.counts, { in: 309, kept: 305, changed: 302, dropped: 0, failed: 4, emitted: 305 });
  const result = await bench.result();
  assert.deepEqual([...result.keys()].toSorted(), [
    'a/types.arrow.jsonl',
    'b.feather.jsonl',
    'c.arrows.jsonl',
    'd.arrow.jsonl',
  ]);
  assert.match(
    result.get('a/types.arrow.jsonl') ?? '',
    /^\{"id":4611686018427387905,"text":"a \\"b\\"\\n","view":"short","f":3\.0,/,
  );
  assert.equal(result.get('b.feather.jsonl'), '{"text":"fine"}\n');
  assert.equal(result.get('c.arrows.jsonl'), many.map((_, row) => `{"text":"row ${row}"}\n`).join(''));
  const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 10 });
  assert.deepEqual(
    entries.map(({ filePath, row, reason }) => [filePath, row, reason?.replace(/first \d+/, 'first n')]),
    [
      ['a/types.arrow', 3, '"text" is not a string'],
      ['d.arrow', 3, '"text" is not a string'],
      [
        'd.arrow',
        null,
        'UNSUPPORTED_FORMAT: d.arrow: its footer is missing: cut off; the rows before, in the first n unpacked bytes, were read',
      ],
      [
        'e.arrow.gz',
        null,
        'UNSUPPORTED_FORMAT: e.arrow.gz: a file of type arrow is not read compressed; unpack it and upload it again',
      ],
    ],
  );
  const { inputs } = await bench.engine.readInputs(run, { page: 0, size: 2 });
  assert.deepEqual(
    inputs.map(({ format, compression, encoding, samples }) => [format, compression, encoding, samples]),
    [
      ['arrow', null, null, 3],
      ['arrow', null, null, 1],
    ],
  );
  const { lines } = await bench.engine.listLogs(run.id, { page: 0, size: 20 });
  assert.ok(
    lines.some(({ message }) => /^The rows of Arrow files are written as JSON Lines.*: 4 files$/.test(message)),
  );
  const [file] = source;
  assert.ok(file !== undefined);
  const look = await bench.engine.inspect(file);
  assert.deepEqual(look.columns.map(({ name }) => name).slice(0, 2), ['text', 'view']);
  assert.equal(look.guess, 'text');
});
