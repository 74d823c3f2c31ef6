import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openEngine, step } from '../../../../tests/support/engine.ts';
import { askDuckDb } from '../../../../tests/support/parquet.ts';
import { invalidTextSamples } from '../../../../tests/support/parquet-samples.ts';

const steps = [step('regex-replacer', { pattern: 'first', replacement: 'new' })];

forAnyDatabase('a text of a Parquet file that is not UTF-8 fails its row, not the file', async (t, openDb) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  const bench = await openEngine(await openDb(), directory);
  t.after(async () => {
    await bench.close();
    await rm(directory, { recursive: true });
  });
  const files = await Promise.all(
    invalidTextSamples.map((file, index) => bench.put(`${index}.parquet`, Buffer.from(file, 'base64'))),
  );
  const path = join(directory, 'result.parquet');
  for (const onError of ['DROP', 'KEEP'] as const) {
    const run = await bench.ended((await bench.execute(files, { steps, onError })).id);
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    assert.deepEqual([run.counts.in, run.counts.failed], [3 * files.length, files.length]);
    const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 100 });
    for (const entry of entries) {
      assert.equal(entry.row, 2, String(entry.row));
      assert.match(entry.reason ?? '', /the text in "text" is not valid UTF-8/, String(entry.row));
    }
    for (const output of bench.outputs().filter(({ path: name }) => name.endsWith('.parquet'))) {
      await writeFile(path, await bench.bytesOf(output.blobId ?? ''));
      if (onError === 'DROP')
        assert.deepEqual(
          await askDuckDb(`select n, text from read_parquet('${path}')`),
          [
            ['1', 'new'],
            ['3', 'last'],
          ],
          output.path,
        );
      // Rows that are kept have their bytes.
      else {
        assert.deepEqual(await askDuckDb(`select n from read_parquet('${path}')`), [['1'], ['2'], ['3']], output.path);
        await assert.rejects(askDuckDb(`select text from read_parquet('${path}')`), /UTF-?8|encoding/);
      }
    }
  }
});
