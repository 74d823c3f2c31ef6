import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openEngine, step } from '../../../../tests/support/engine.ts';
import type { LedgerEntry } from '../../index.ts';

const cleaning = [
  step('whitespace-normalizer', { maxBlankLines: 1 }),
  step('text-length-filter', { min: 2, max: 1000 }),
];

/** Rows with every kind of fate, quoted line ends and lone quotes, long enough for many shards. */
function csvOf(rows: number): string {
  const lines = ['id,text,n'];
  for (let row = 0; row < rows; row += 1) {
    if (row % 17 === 3) lines.push(`${row},"lone`);
    else if (row % 13 === 4) lines.push(`${row},too,many,cells`);
    else if (row % 11 === 5) lines.push(`${row},x,1.50`);
    else if (row % 7 === 2) lines.push(`${row},"two  spaces,\n\n\n\nand ""lines"" é",${row}.0`);
    else lines.push(`${row},word ${'word '.repeat(row % 13)}end,"${row}"`);
  }
  return lines.join('\r\n');
}

forAnyDatabase('big tables come out the same for any size of shards and any number of workers', async (t, openDb) => {
  const db = await openDb();
  const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
  t.after(() => rm(directory, { recursive: true }));
  const results: string[] = [];
  const ledgers: LedgerEntry[][] = [];
  for (const options of [
    { workers: 1, shardBytes: 1 << 22 },
    { workers: 2, shardBytes: 1500 },
  ]) {
    const bench = await openEngine(db, directory, options);
    t.after(() => bench.close());
    const source = [
      await bench.put('a.csv', csvOf(300)),
      await bench.put('b.csv', Buffer.from(`\ufeff${csvOf(90)}`, 'utf16le')),
      await bench.put('c.csv', Buffer.from(`n,text\n${'1,d\xe9j\xe0  vu\n'.repeat(200)}`, 'latin1')),
      await bench.put('d.tsv', 'id\ttext\n'.concat('1\t"quoted" by hand\n'.repeat(100))),
      await bench.put('e.csv', Buffer.alloc(3000, Buffer.from([0, 1, 2]))),
    ];
    const finished = await bench.ended((await bench.execute(source, { steps: cleaning })).id);
    assert.equal(finished.error, null);
    const { entries, total } = await bench.engine.readLedger(finished, {}, { page: 0, size: 1000 });
    assert.equal(total, finished.counts.in);
    const result = await bench.result();
    results.push(JSON.stringify([...result]));
    ledgers.push(entries.map((entry) => ({ ...entry, sampleId: '' })));
    assert.equal(result.get('c.csv'), Buffer.from(`n,text\n${'1,d\xe9j\xe0 vu\n'.repeat(200)}`, 'latin1').toString());
    assert.deepEqual(
      entries.filter(({ filePath }) => filePath === 'e.csv').map(({ row, reason }) => [row, reason]),
      [[null, 'UNSUPPORTED_FORMAT: e.csv: it holds bytes that are no text']],
    );
  }
  assert.equal(results[1], results[0]);
  assert.deepEqual(ledgers[1], ledgers[0]);
  const rows = ledgers[0]?.filter(({ filePath }) => filePath === 'a.csv').map(({ row }) => row) ?? [];
  assert.deepEqual(
    rows,
    Array.from(rows.keys(), (row) => row + 1),
  );
  const lone = ledgers[0]?.find(({ reason }) => reason === 'a quote that opens a cell is never closed');
  assert.equal(lone?.rawText, '3,"lone');
});
