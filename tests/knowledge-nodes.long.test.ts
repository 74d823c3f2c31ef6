// Knowledge bases on several nodes, as users see them: each node returns the results of all nodes.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createKnowledgeBase, type TestHit } from './support/knowledge-bases.ts';
import { openNodeGroup } from './support/nodes.ts';
import { postgres } from './support/postgres.ts';
import type { Api } from './support/api.ts';
import { testWith } from './support/tools.ts';
import { versitygw } from './support/versitygw.ts';

type Answer = { data: { hits: TestHit[]; behind: number } };

testWith([postgres, versitygw], 'two nodes answer for the same knowledge bases', async (t) => {
  const group = await openNodeGroup(t, { TILTH_RUN_LEASE_SECONDS: '5' });
  const [one, two] = await Promise.all([group.start(), group.start()]);
  const chunking = { strategy: 'SENTENCE', size: 40, overlap: 0 };
  const base = await createKnowledgeBase(one, { chunking });

  /** One response, which must be complete. */
  async function find(node: Api, query: string): Promise<TestHit[]> {
    const request = { query, mode: 'KEYWORD', topK: 100 };
    const { status, body } = await node.api<Answer>('POST', `${base.path}/search`, request);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.behind, 0);
    return body.data.hits;
  }

  const sentences = (name: string): string =>
    Array.from({ length: 10 }, (_, at) => `Marker${name} speaks of field ${at}.`).join(' ');
  const added = await base.add({ 'a.txt': sentences('a'), 'b.txt': sentences('b') });
  await base.settled();

  await t.test('what one has read, both find at once', async (t) => {
    const took: string[] = [];
    for (const node of [one, two]) assert.equal((await find(node, 'markera')).length, 10);
    for (const [at, by] of [one, two, one, two].entries()) {
      const name = `later${at}`;
      const form = new FormData();
      form.append('files', new Blob([sentences(name)]), `${name}.txt`);
      assert.equal((await by.api('POST', `${base.path}/documents`, form)).status, 201);
      await base.settled();
      const began = performance.now();
      const found = await Promise.all([one, two].map((node) => find(node, `marker${name}`)));
      took.push((performance.now() - began).toFixed(0));
      assert.deepEqual(
        found.map(({ length }) => length),
        [10, 10],
      );
    }
    t.diagnostic(`found on both in ${took.join(', ')} ms`);
  });

  await t.test('what one deletes, the other no longer finds', async () => {
    const deleted = await two.api('DELETE', `${base.path}/documents/${added[0]?.id}`);
    assert.equal(deleted.status, 204);
    for (const node of [one, two]) assert.equal((await find(node, 'markera')).length, 0);
  });

  await t.test('of a file that one purges, nothing stays in the copy of the other', async () => {
    const planted = 'plantedseven';
    const folder = join(one.dataDir, 'vectors');
    const isHeld = async (): Promise<boolean> => {
      // Folders of parts may disappear while they are listed.
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
      if (entries === undefined) return isHeld();
      for (const entry of entries)
        if (entry.isFile()) {
          const bytes = await readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => '');
          if (bytes.includes(planted)) return true;
        }
      return false;
    };
    const dataset = await one.api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
    const files = `/data-management/datasets/${dataset.body.id}/files`;
    const form = new FormData();
    form.append('files', new Blob([`A ${planted} word.`]), 'planted.txt');
    const { body: uploaded } = await one.api<{ id: string }[]>('POST', `${files}/upload`, form);
    const request = { datasetId: dataset.body.id, fileIds: uploaded.map(({ id }) => id) };
    assert.equal((await one.api('POST', `${base.path}/documents`, request)).status, 201);
    await base.settled();
    assert.equal((await find(one, planted)).length, 1);
    assert.ok(await isHeld());
    const purged = await two.api('DELETE', `${files}/${uploaded[0]?.id}?purge=true`);
    assert.ok(purged.status < 300, JSON.stringify(purged.body));
    for (const deadline = performance.now() + 30_000; await isHeld(); await pause(20))
      assert.ok(performance.now() < deadline);
  });

  await t.test('an index that one makes anew is asked by both when it is complete, and never in part', async () => {
    const changed = await one.api('PUT', base.path, { chunking: { strategy: 'SENTENCE', size: 80, overlap: 0 } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    for (let isOver = false; !isOver;) {
      const { body } = await two.api<{ data: { rebuild: object | null } }>('GET', base.path);
      isOver = body.data.rebuild === null;
      const hits = await find(two, 'markerb');
      const words = hits.map(({ text }) => text).join(' ');
      for (let field = 0; field < 10; field += 1) assert.match(words, new RegExp(`field ${field}\\.`));
      if (isOver) assert.ok(hits.length < 10, 'larger chunks');
    }
  });

  await t.test('documents of a node that is killed are read by the other, and by one that comes', async (t) => {
    const count = 100;
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`many${at}.txt`, `Manymarker in field ${at}.`]),
    );
    const lastBase = await createKnowledgeBase(two, { chunking });
    await lastBase.add(files);
    await one.kill();
    const { body } = await two.api<{ data: { totalElements: number } }>(
      'GET',
      `${lastBase.path}/documents?status=COMPLETED`,
    );
    assert.ok(body.data.totalElements < count, 'it had documents under way');
    const documents = await lastBase.settled();
    assert.deepEqual(new Set(documents.map(({ status }) => status)), new Set(['COMPLETED']));
    assert.equal((await lastBase.search({ query: 'manymarker', mode: 'KEYWORD', topK: 100 })).length, count);
    // Its data folder is empty.
    const three = await group.start();
    for (const node of [two, three]) {
      const { hits, behind } = await untilWhole(node, lastBase.path);
      assert.deepEqual([hits.length, behind], [count, 0]);
    }
    await t.test('an index that is no longer used is dropped on all', async () => {
      const folders = async (): Promise<string[]> =>
        (await readdir(join(three.dataDir, 'vectors'))).filter((name) => name.endsWith('.lance'));
      assert.equal((await folders()).length, 2);
      assert.equal((await two.api('DELETE', lastBase.path)).status, 204);
      const deadline = performance.now() + 30_000;
      while ((await folders()).length > 1) {
        assert.ok(performance.now() < deadline);
        await pause(20);
      }
    });
  });
});

async function untilWhole(node: Api, path: string): Promise<Answer['data']> {
  for (;;) {
    const request = { query: 'manymarker', mode: 'KEYWORD', topK: 100 };
    const { status, body } = await node.api<Answer>('POST', `${path}/search`, request);
    if (status === 200) return body.data;
    assert.equal(status, 503);
    await pause(50);
  }
}
