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
/** Left by the others on the disk: a few documents fit. */
const freeBytes = 4 << 20;
type Listed = { data: { content: TestDocument[] } };

test(
  'documents for which the disk has no space fail with that cause, and are searchable once there is space',
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

    const added = new Set(['before.txt']);
    const list = async (): Promise<TestDocument[]> =>
      (await app.api<Listed>('GET', `${base.path}/documents?size=1000`)).body.data.content;
    const failed = async (): Promise<TestDocument[]> => (await list()).filter(({ status }) => status === 'FAILED');
    for (let number = 0; number < 100 && (await failed()).length === 0; number += 1) {
      const form = new FormData();
      const name = `field-${number}.txt`;
      form.append('files', new Blob([textOf(name)]), name);
      const { status, body } = await app.api<{ errorCode?: string }>('POST', `${base.path}/documents`, form);
      if (status === 201) added.add(name);
      else assert.deepEqual([status, body.errorCode], [507, 'INSUFFICIENT_STORAGE'], JSON.stringify(body));
      await setTimeout(100);
    }
    const told = await failed();
    assert.ok(told.length > 0, 'the disk became full');
    for (const { name, cause } of told)
      assert.equal(cause, 'the storage is full; free some space, then retry the document', name);
    assert.ok((await base.search({ query: 'beforexxxxxx', mode: 'KEYWORD' })).length > 0, 'what was there is found');

    await rm(ballast);
    for (const end = Date.now() + 120_000; ;) {
      const open = (await list()).filter(({ status }) => status !== 'COMPLETED');
      if (open.length === 0) break;
      assert.ok(Date.now() < end, JSON.stringify(open));
      for (const { id, status } of open)
        if (status === 'FAILED') await app.api('POST', `${base.path}/documents/${id}/retry`);
      await setTimeout(50);
    }
    const documents = await list();
    assert.deepEqual(new Set(documents.map(({ name }) => name)), added);
    assert.equal(new Set(documents.map(({ chunkCount }) => chunkCount)).size, 1, 'equal texts have equal chunks');
    assert.deepEqual(await listFindings(dataDir, { environment: {} }), []);
  },
);

/** Of the same length for each name. */
function textOf(name: string): string {
  const word = name.replace(/\W/g, '').padEnd(12, 'x');
  return Array.from({ length: 600 }, (_, at) => `Sentence ${1000 + at} is about ${word} and its soil.`).join(' ');
}
