import assert from 'node:assert/strict';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { mayMount, mountSmallDisk } from '../../../tests/faults/small-disk.ts';
import { listFindings } from '../../../tests/faults/storage-findings.ts';
import { createKnowledgeBase, type TestDocument } from '../../../tests/support/knowledge-bases.ts';
import { startApp } from '../../../tests/support/server.ts';
import { areAllToolsRequired } from '../../../tests/support/tools.ts';

const skip = mayMount() || areAllToolsRequired() ? false : 'needs the right to mount a file system (root)';
/** Free space left on the disk: enough for the files and their texts, not for the vectors. */
const freeBytes = 4 << 20;
const documents = 16;
type Listed = { data: { content: TestDocument[] } };

test(
  'documents for which the disk has no space wait and say so, and are searchable once there is space',
  { skip },
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'tilth-full-'));
    const dataDir = join(directory, 'disk');
    await mountSmallDisk(t, dataDir, 'size=40m');
    t.after(() => rm(directory, { recursive: true, force: true }));
    const app = await startApp(t, { dataDir });
    const base = await createKnowledgeBase(app, { chunking: { strategy: 'SENTENCE', size: 100, overlap: 0 } });
    await base.add({ 'before.txt': textOf('before') });
    assert.deepEqual(
      (await base.settled()).map(({ status }) => status),
      ['COMPLETED'],
    );
    const ballast = join(dataDir, 'ballast');
    const { bavail, bsize } = await statfs(dataDir);
    await writeFile(ballast, Buffer.alloc(bavail * bsize - freeBytes, 1));

    const names = Array.from({ length: documents }, (_, number) => `field-${10 + number}.txt`);
    const list = async (): Promise<TestDocument[]> =>
      (await app.api<Listed>('GET', `${base.path}/documents?size=1000`)).body.data.content;
    const until = async (isSo: (found: TestDocument[]) => boolean): Promise<void> => {
      for (const end = Date.now() + 120_000; ; await setTimeout(50)) {
        const found = await list();
        if (isSo(found)) return;
        assert.ok(Date.now() < end, JSON.stringify(found));
      }
    };
    await base.add(Object.fromEntries(names.map((name) => [name, textOf(name)])));
    const waiting = 'the storage is full; it goes on by itself when there is space again';
    await until((found) => found.some(({ status, cause }) => status === 'PROCESSING' && cause === waiting));
    assert.ok((await base.search({ query: '1300', mode: 'KEYWORD' })).length > 0, 'what was there is found');
    assert.ok((await list()).every(({ status }) => status !== 'FAILED'));

    await rm(ballast);
    await until((found) => found.every(({ status, cause }) => status === 'COMPLETED' && cause === null));
    const ended = await list();
    assert.deepEqual(new Set(ended.map(({ name }) => name)), new Set(['before.txt', ...names]));
    assert.equal(new Set(ended.map(({ chunkCount }) => chunkCount)).size, 1, 'equal texts have equal chunks');
    assert.deepEqual(await listFindings(dataDir, { environment: {} }), []);
  },
);

test('a rebuild for which the disk has no space waits, says so, and goes on by itself', { skip }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-full-'));
  const dataDir = join(directory, 'disk');
  await mountSmallDisk(t, dataDir, 'size=64m');
  t.after(() => rm(directory, { recursive: true, force: true }));
  const app = await startApp(t, { dataDir });
  const base = await createKnowledgeBase(app);
  const names = Array.from({ length: documents }, (_, number) => `field-${10 + number}.txt`);
  await base.add(Object.fromEntries(names.map((name) => [name, textOf(name)])));
  assert.ok((await base.settled()).every(({ status }) => status === 'COMPLETED'));
  const ballast = join(dataDir, 'ballast');
  const { bavail, bsize } = await statfs(dataDir);
  await writeFile(ballast, Buffer.alloc(bavail * bsize - freeBytes, 1));

  type Rebuild = { status: string; cause: string | null; documents: { failed: number } } | null;
  const until = async (isSo: (found: Rebuild) => boolean): Promise<void> => {
    for (const end = Date.now() + 120_000; ; await setTimeout(50)) {
      const { rebuild } = (await app.api<{ data: { rebuild: Rebuild } }>('GET', base.path)).body.data;
      if (isSo(rebuild)) return;
      assert.ok(Date.now() < end, JSON.stringify(rebuild));
    }
  };
  const changed = await app.api('PUT', base.path, { chunking: { strategy: 'SENTENCE', size: 100, overlap: 0 } });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const waiting = 'the storage is full; it goes on by itself when there is space again';
  await until((rebuild) => rebuild?.status === 'BUILDING' && rebuild.cause === waiting);
  assert.ok((await base.search({ query: '1300', mode: 'KEYWORD' })).length > 0, 'what was there is found');
  await rm(ballast);
  await until((rebuild) => rebuild === null);
  assert.equal(new Set((await base.settled()).map(({ chunkCount }) => chunkCount)).size, 1);
  assert.deepEqual(await listFindings(dataDir, { environment: {} }), []);
});

/** Text of the same length for each name. */
function textOf(name: string): string {
  const word = name.replace(/\W/g, '').padEnd(12, 'x');
  return Array.from({ length: 600 }, (_, at) => `Sentence ${1000 + at} is about ${word} and its soil.`).join(' ');
}
