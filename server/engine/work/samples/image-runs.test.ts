// Whole runs over files of pictures.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../../tests/support/engine.ts';
import { describePicture, makePicture } from '../../../../tests/support/pictures.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { InputFile } from '../../drive/job.ts';

async function open(t: TestContext, db: Database): Promise<EngineBench> {
  const bench = await openBench(t, db, { shardFiles: 3 });
  return bench;
}

async function putAll(bench: EngineBench, files: Readonly<Record<string, string>>): Promise<InputFile[]> {
  const all: InputFile[] = [];
  for (const [path, words] of Object.entries(files)) all.push(await bench.put(path, (await makePicture(words)).bytes));
  return all;
}

/** Path → what the file holds. */
async function resultOf(bench: EngineBench): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, blobId } of bench.outputs()) {
    const type = `image/${path.slice(path.lastIndexOf('.') + 1).replace('jpg', 'jpeg')}`;
    found[path] = await describePicture({ type, bytes: await bench.bytesOf(blobId) }, '');
  }
  return found;
}

forAnyDatabase('pictures are deduplicated, resized and converted; no name is lost', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const files = await putAll(bench, {
    'a.jpg': 'JPEG 640×480',
    'a.png': 'PNG 640×480, other',
    'b.png': 'PNG 320×240',
    'c.gif': 'GIF 64×64, 3 frames',
    'd.png': 'PNG 64×48, cut off',
    'e.webp': 'WEBP 300×500, plain 60',
  });
  const { id } = await bench.execute(files, {
    steps: [
      step('image-resolution-filter', { min: 32 }),
      step('image-near-deduplicator'),
      step('image-resizer', { width: 100, height: 100 }),
      step('image-converter', { format: 'JPEG' }),
    ],
    onError: 'DROP',
  });
  const finished = await bench.ended(id);
  assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
  assert.deepEqual(await resultOf(bench), {
    'a.jpg': 'JPEG 100×75',
    'a (1).jpg': 'JPEG 100×75',
    'e.jpg': 'JPEG 60×100',
  });
  const { entries } = await bench.engine.readLedger(finished, {}, { page: 0, size: 10 });
  assert.deepEqual(
    entries.map(({ filePath, verdict, operatorId, reason }) => [filePath, verdict, operatorId, reason]),
    [
      ['a.jpg', 'CHANGED', null, null],
      ['a.png', 'CHANGED', null, null],
      ['b.png', 'DROPPED', 'image-near-deduplicator', entries[2]?.reason ?? ''],
      ['c.gif', 'FAILED', 'image-converter', 'the picture has 3 frames, of which this step would keep one'],
      ['d.png', 'FAILED', 'image-near-deduplicator', entries[4]?.reason ?? ''],
      ['e.webp', 'CHANGED', null, null],
    ],
  );
  assert.match(entries[2]?.reason ?? '', /^looks like a\.jpg/);
  assert.match(entries[4]?.reason ?? '', /^the picture is damaged/);
  assert.deepEqual(finished.counts, { in: 6, kept: 3, changed: 3, dropped: 1, failed: 2, emitted: 3 });
});

forAnyDatabase(
  'pictures that nothing changes keep their bytes, and thresholds can be tried again',
  async (t, openDb) => {
    const bench = await open(t, await openDb());
    const files = await putAll(bench, { 'a.png': 'PNG 64×48', 'b.png': 'PNG 32×24', 'c.png': 'PNG 64×48' });
    const { id } = await bench.execute(files, {
      steps: [
        step('file-deduplicator'),
        step('file-size-filter'),
        step('image-resolution-filter', { min: 30 }),
        step('image-resizer', { width: 1000, height: 1000 }),
      ],
    });
    const finished = await bench.ended(id);
    assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
    assert.deepEqual(finished.counts, { in: 3, kept: 1, changed: 0, dropped: 2, failed: 0, emitted: 1 });
    assert.equal(bench.outputs()[0]?.blobId, files[0]?.blobId);
    const { entries } = await bench.engine.readLedger(finished, {}, { page: 0, size: 10 });
    assert.deepEqual(
      entries.map(({ verdict, reason }) => [verdict, reason]),
      [
        ['KEPT', null],
        ['DROPPED', 'the shorter side of 24 pixels is below min 30'],
        ['DROPPED', 'the same bytes as a.png'],
      ],
    );
  },
);
